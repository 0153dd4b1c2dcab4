"""A learner as a file: what the model saves, with who the learner is and how it was taught, so that it can go on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from pydantic import ValidationError

from eduverse_mesa.errors import StudyError
from eduverse_mesa.models.tutoring import Saved, read_saved
from eduverse_mesa.models.tutoring.checking import memory_problems
from eduverse_mesa.models.tutoring.journal import ConceptRow, LineRow
from eduverse_mesa.scenarios.cohort import Cohort, Learner
from eduverse_mesa.scenarios.curriculum import Curriculum
from eduverse_mesa.visualization.app.pages.learner.plan import Plan
from eduverse_mesa.visualization.app.pages.learner.school import Record, School

MOST_BYTES = 1_000_000
_MEND = "Save the learner again, and do not edit the file."


class Kept(Saved):
    """A saved learner (`read_saved` reads it too), and what a page needs to go on with it."""

    person: dict[str, Any] = msgspec.field(default_factory=dict)
    plan: Plan | None = None
    years: list[ConceptRow] = msgspec.field(default_factory=list)


def write_learner(school: School, name: str) -> bytes:
    """One learner as JSON."""
    saved = school.keep(name)
    person = school.learner(name).person.model_dump(mode="json")
    years = list(school.years_of(name))
    kept = Kept(saved.name, saved.memory, saved.notes, saved.session, person=person, plan=school.plan, years=years)
    return msgspec.json.encode(kept)


def file_name(name: str) -> str:
    """A name for the file, of letters that any system takes."""
    safe = re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_")[:60]
    return f"{safe or 'learner'}.json"


def read_learner(text: str, chosen: Plan, where: str = "") -> School:
    """The learner of a file, alone in its school. Where the file does not say who it is and how it was taught, that
    is what was chosen on the page."""
    try:
        read_saved(text, where)
        kept = msgspec.json.decode(text, type=Kept)
    except (msgspec.DecodeError, RecursionError) as error:
        raise StudyError(f"this is no saved learner: {error}.", where=where, mend=_MEND) from None
    plan = kept.plan or chosen
    setup = plan.load()
    person = _person(kept, where) if kept.person else next(
        (one for one in setup.cohort.learners if one.name == kept.name), None
    )  # fmt: skip
    if person is None:
        raise StudyError(
            f"the file does not say who '{kept.name[:80]}' is.",
            where=where,
            mend="Choose the cohort that the learner is of, and open the file again.",
        )
    for problem in _problems(kept, setup.curriculum):
        raise StudyError(f"{problem}.", where=where, mend=_MEND)
    cohort = Cohort(name="opened", learners=(person,))
    setup = setup.model_copy(update={"cohort": cohort})
    name = person.name
    saved = Saved(kept.name, kept.memory, kept.notes, kept.session)
    years: dict[int, tuple[ConceptRow, ...]] = {}
    for row in kept.years:
        years[row.grade] = (*years.get(row.grade, ()), row)
    return School(plan, setup, {name: saved}, {name: records_of(saved)}, {name: years})


def _person(kept: Kept, where: str) -> Learner:
    try:
        person = Learner.model_validate(kept.person)
    except ValidationError as error:
        told = error.errors()[0]
        place = ".".join(map(str, told["loc"]))
        raise StudyError(
            f"who the learner is cannot be read: {place}: {told['msg']}.", where=where, mend=_MEND
        ) from None
    if person.name != kept.name:
        raise StudyError(f"the learner is called '{kept.name[:80]}' and '{person.name[:80]}'.", where=where, mend=_MEND)
    return person


def _problems(kept: Kept, curriculum: Curriculum) -> Iterator[str]:
    """What no learner of the page can have saved, and the page could not go on with."""
    yield from memory_problems(kept, curriculum)
    for episode in kept.memory.episodes:
        if episode.grade not in curriculum.grades:
            yield f"the curriculum has nothing for the grade of episode {episode.number}"
    if any(row.concept not in curriculum.concepts or not 0 <= row.mastery <= 1 for row in kept.years):
        yield "what was known at the end of a grade cannot be"


def records_of(saved: Saved) -> tuple[Record, ...]:
    """Episodes as the learner remembers them, with their words as long as they are vivid."""
    return tuple(
        Record(
            episode.number,
            episode.day,
            episode.grade,
            episode.unit,
            episode.summary,
            tuple(
                LineRow(
                    saved.name, episode.number, episode.day, episode.grade, episode.unit, place // 2 + 1,
                    said.speaker, said.text, said.kind, False, "",
                )
                for place, said in enumerate(episode.dialogue)
            ),
        )
        for episode in saved.memory.episodes
    )  # fmt: skip
