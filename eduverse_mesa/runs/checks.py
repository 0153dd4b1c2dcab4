"""Files are checked by starting what they describe: a lesson, learners with their tutor, a group.

What is valid starts, and what would not start is refused in the same words. What a machine has to have, such as a
language model and its key, is no part of a file.
"""

from __future__ import annotations

from pathlib import Path

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.models.tutoring.sessions import school_years
from eduverse_mesa.policies import AnyPolicy, make_policy
from eduverse_mesa.policies.registry import MAKERS, AnySettings, policy_parts
from eduverse_mesa.scenarios import Scenario, load_file
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.catalogue import name_file
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.tutoring import Tutoring

_OWN = "embedded"
"""The policy that needs nothing but the package."""
_FEW = 3
"""Learners of a cohort who are enough to see that a session can begin."""


def check_file(path: str | Path) -> str:
    """A valid file in a few words; an error with the file's name for one that is not valid, or would not start."""
    document = load_file(path)
    try:
        check_start(document)
    except EduverseError as error:
        if error.where.startswith(str(path)):
            raise
        raise ScenarioError(
            error.message, where=": ".join(filter(None, (str(path), error.where))), mend=error.mend
        ) from None
    return name_file(path, document)


def check_start(document: Document) -> None:
    """Begin what a document describes, and play its first step where nobody else has to answer."""
    if isinstance(document, Scenario):
        _check_lessons(document)
    elif isinstance(document, Tutoring):
        _check_tutoring(document)
    elif isinstance(document, Collaboration):
        _check_group(document)


def _check_lessons(scenario: Scenario) -> None:
    policy, alone = _policy_of(scenario.settings, scenario.people)
    if own := scenario.settings.llm.prompts:
        from eduverse_mesa.policies.llm.prompts.templates import check_templates

        check_templates(own)
    seen: set[str] = set()
    for number, lesson in enumerate(scenario.lessons, start=1):
        if number > 1 and lesson.language in seen:
            continue
        seen.add(lesson.language)
        model = ClassroomModel(scenario, policy=policy, seed=1, lesson_number=number)
        if alone:
            model.step()


def _check_tutoring(setup: Tutoring) -> None:
    policy, alone = _policy_of(setup.settings, setup.people)
    agenda = school_years(setup.curriculum, setup.settings)
    few = setup.model_copy(
        update={"cohort": setup.cohort.model_copy(update={"learners": setup.cohort.learners[:_FEW]})}
    )
    model = TutoringModel(few, policy=policy, seed=1, agenda=agenda)
    if alone and agenda:
        model.step()


def _check_group(setup: Collaboration) -> None:
    policy, alone = _policy_of(setup.settings, setup.members)
    # People are not asked here: where there are peers enough, they begin without them.
    can_begin = alone and len(setup.peers) > 1
    group = setup.model_copy(update={"seats": ()}) if can_begin else setup
    for problem in setup.problems:
        model = CollaborationModel(group.model_copy(update={"problems": (problem,)}), policy=policy, seed=1)
        if can_begin:
            model.step()


def _policy_of(settings: AnySettings, people: tuple[str, ...]) -> tuple[AnyPolicy, bool]:
    """The policy that the settings name, with the embedded one for whatever a machine has to have, and whether the
    embedded policy is all that is asked."""
    stand_ins = dict.fromkeys(MAKERS, MAKERS[_OWN])
    made = make_policy(settings.policy, settings, people, stand_ins)
    return made, set(policy_parts(settings.policy).values()) == {_OWN}
