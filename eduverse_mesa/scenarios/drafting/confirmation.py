"""What an import made up or guessed in a lesson plan: listed as unconfirmed until its author has looked through it."""

from __future__ import annotations

from collections.abc import Iterator

from eduverse_mesa.scenarios.drafting.documents import Mapped, entries, get, mapping, put, records, said
from eduverse_mesa.scenarios.plain import Plain, Trail

KEY = "unconfirmed"
_NEEDED = ("answer", "short_answer")
"""What may be empty only as long as it is unconfirmed."""
_PARTS = ("goals", "ideas", "questions")


def unconfirmed(plan: Mapped) -> Iterator[tuple[Trail, str]]:
    """The places of a plan that nobody has confirmed, each with the text that stands there."""
    for mark in entries(plan, (KEY,)):
        if trail := _trail_of(plan, str(mark)):
            yield trail, str(get(plan, trail) or "")


def settle(document: Plain, trail: Trail) -> Plain:
    """The document without the marks that an edit at this trail has settled: what was written anew is confirmed, and of
    what is gone nothing is to be confirmed."""
    if len(trail) < 3 or trail[0] != "lessons":
        return document
    at: Trail = trail[:2]
    plan = mapping(document, at)
    if KEY not in plan:
        return document
    kept = [mark for mark in entries(plan, (KEY,)) if _stays(plan, str(mark), trail[2:])]
    return put(document, at, with_marks(plan, kept))


def without_lost(plan: Mapped) -> Mapped:
    """A plan without marks of parts that are gone."""
    if KEY not in plan:
        return plan
    return with_marks(plan, [mark for mark in entries(plan, (KEY,)) if _trail_of(plan, str(mark))])


def confirm(plan: Mapped) -> Mapped:
    """A plan whose author has read what was made up or guessed. An answer that is still empty stays unconfirmed."""
    empty = {trail for trail, text in unconfirmed(plan) if not text and trail[-1] in _NEEDED}
    return with_marks(plan, [mark for mark in entries(plan, (KEY,)) if _trail_of(plan, str(mark)) in empty])


def with_marks(plan: Mapped, marks: list[Plain]) -> Mapped:
    """A plan in which these places are unconfirmed."""
    rest = {key: value for key, value in plan.items() if key != KEY}
    return {**rest, KEY: marks} if marks else rest


def _stays(plan: Mapped, mark: str, edited: Trail) -> bool:
    trail = _trail_of(plan, mark)
    return trail is not None and trail != edited[: len(trail)]


def _trail_of(plan: Mapped, mark: str) -> Trail | None:
    if mark == "title":
        return ("title",)
    name, _, key = mark.rpartition(".")
    for part in _PARTS:
        for index, record in records(plan, (part,)):
            if said(record, "id") == name:
                return part, index, key
    return None
