"""Questions of a curriculum by their own key: a right answer has to be right by it, a wrong one wrong."""

from __future__ import annotations

from collections.abc import Iterator

from eduverse_mesa.marks import says
from eduverse_mesa.scenarios.curriculum import Curriculum, Item, Subject
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem

WRONG_AT_MOST = 0.3
"""What a wrong answer may score by its key: it may share a word with the right one, and no more."""


def check_curriculum(curriculum: Curriculum, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """The items of all subjects that fail their own key."""
    for index, subject in enumerate(curriculum.subjects):
        yield from check_subject(subject, reading, (*at, "subjects", index))


def check_subject(subject: Subject, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """The items of a subject that fail their own key."""
    for place, unit in enumerate(subject.units):
        for number, item in enumerate(unit.items):
            yield from _check_item(item, reading, (*at, "units", place, "items", number))


def _check_item(item: Item, reading: Reading, at: Trail) -> Iterator[Problem]:
    right, wrong = item.rate(item.right), item.rate(item.wrong)
    if right < 1:
        trail = (*at, "right")
        missing = [mark for mark in item.marks if not says(mark, item.right)]
        slipped = [mark for mark in item.slips if says(mark, item.right)]
        message = f"the right answer of item '{item.id}' scores {right:.2f} by its own key, not 1"
        yield Problem(reading.spot(trail), trail, message + _held(slipped, "slips"), _mend_right(missing, slipped))
    if wrong > WRONG_AT_MOST:
        trail = (*at, "wrong")
        held = [mark for mark in item.marks if says(mark, item.wrong)]
        message = (
            f"the wrong answer of item '{item.id}' scores {wrong:.2f} by its own key, and {WRONG_AT_MOST} is the most"
        )
        mend = f"Say it without {_listed(held)}, choose marks that only a right answer holds, or add slips."
        yield Problem(reading.spot(trail), trail, message + _held(held, "marks"), mend)


def _held(marks: list[str], of: str) -> str:
    return f": of its {of} it holds {_listed(marks)}" if marks else ""


def _mend_right(missing: list[str], slipped: list[str]) -> str:
    parts = []
    if missing:
        parts.append(f"Put {_listed(missing)} into it, or take the mark out of `marks`.")
    if slipped:
        parts.append(f"Say it without {_listed(slipped)}, or choose slips that no right answer holds.")
    return " ".join(parts)


def _listed(marks: list[str]) -> str:
    return ", ".join(f"'{mark}'" for mark in marks)
