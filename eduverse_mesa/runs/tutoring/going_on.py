"""Learners of a run taught further, or copies of them in another way: from any session that is complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Saved, Session, Talk
from eduverse_mesa.models.tutoring.agenda import school_years
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.runs.tutoring.keeping import choose_tutoring, last_session, learners_after, replay_tutoring
from eduverse_mesa.runs.tutoring.starting import TutoringStart, begin_tutoring
from eduverse_mesa.scenarios.teaching import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring


class Dialogues(NamedTuple):
    """So many dialogues about a unit, so many days apart."""

    unit: str
    number: int = 1
    every: float = 1.0


def go_on_from_run(
    opened: OpenStudy,
    run: str | None,
    session: int | None = None,
    *,
    policy: AnyPolicy | str | None = None,
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    dialogues: Dialogues | None = None,
) -> TutoringStart:
    """Where copies of a run's learners go on after a session, the last complete one where none is named.

    With `dialogues` they have these; otherwise what was left on their agenda, or, where the settings say another, what
    of that lies before them. Same seed, same luck.
    """
    stored = choose_tutoring(opened, run)
    at = last_session(opened, stored.id, session)
    spec = stored.spec
    setup = (
        load_tutoring(spec.setup.model_dump(mode="json", by_alias=True), settings=settings) if settings else spec.setup
    )
    began: Mapping[str, Saved]
    agenda: tuple[Session, ...]
    if dialogues is not None:
        began, agenda = _with_dialogues(opened, stored.id, at, dialogues, setup)
    else:
        began = learners_after(opened, stored.id, at[0])
        agenda = spec.agenda if not settings else school_years(setup.curriculum, setup.settings)
        if all(saved.session > len(agenda) for saved in began.values()):
            raise ScenarioError(
                "all that is on the agenda has been taught.",
                where=f"run {stored.id}",
                mend='Say what else: --set "grades=[1, 3]", or --unit ID.',
            )
    return begin_tutoring(
        setup,
        spec.seed if seed is None else seed,
        spec.policy if policy is None else policy,
        agenda=agenda,
        began=began,
        parent=stored.id,
        forked_at=at,
    )


def _with_dialogues(
    opened: OpenStudy, run: str, at: tuple[int, int], dialogues: Dialogues, setup: Tutoring
) -> tuple[Mapping[str, Saved], tuple[Session, ...]]:
    if dialogues.unit not in setup.curriculum.units:
        raise ScenarioError(
            f"the curriculum has no unit '{dialogues.unit[:80]}'.",
            where="unit",
            mend=f"It has {', '.join(list(setup.curriculum.units)[:8])}, ...",
        )
    model = replay_tutoring(opened, run, until=at).model
    day, grade = max((learner.day, learner.grade) for learner in model.learners)
    agenda = tuple(
        Talk(day + (number + 1) * dialogues.every, grade, dialogues.unit) for number in range(dialogues.number)
    )
    return {name: _afresh(saved) for name, saved in model.save().items()}, agenda


def _afresh(saved: Saved) -> Saved:
    """The same with another agenda, from its beginning."""
    saved.session = 1
    return saved


class _Person(Saved):
    """A saved learner, and who it is: pages read it, and so does `read_saved`."""

    person: dict[str, Any] = msgspec.field(default_factory=dict)


def write_person(setup: Tutoring, saved: Saved) -> bytes:
    """A learner as a file: what it has, and who it is."""
    person = next(one for one in setup.cohort.learners if one.name == saved.name)
    whole = _Person(saved.name, saved.memory, saved.notes, saved.session, person.model_dump(mode="json"))
    return msgspec.json.encode(whole)


def named_only(start: TutoringStart, names: tuple[str, ...]) -> TutoringStart:
    """The same for some of its learners; what happens to one does not depend on who else is there."""
    cohort = start.spec.setup.cohort
    strangers = sorted(set(names) - set(start.spec.setup.people))
    if strangers:
        raise ScenarioError(
            f"there is no learner '{strangers[0]}'.",
            where=cohort.name,
            mend=f"There are {', '.join(start.spec.setup.people)}.",
        )
    kept = tuple(one for one in cohort.learners if one.name in names)
    setup = start.spec.setup.model_copy(update={"cohort": cohort.model_copy(update={"learners": kept})})
    began = {name: saved for name, saved in start.spec.began.items() if name in names}
    spec = replace(start.spec, setup=setup, began=began)
    return replace(start, spec=spec, run=spec.name)
