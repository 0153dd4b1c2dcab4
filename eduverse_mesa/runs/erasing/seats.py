"""Where a person sat, also in forks, which hold the answers of the run they come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.store import AnswerRow, RunRow, SittingRow
from eduverse_mesa.store.rows import Place

_END: Place = (10**9, 0)
_NEVER: Place = (0, 0)


class Seat(NamedTuple):
    """Whose answers were given from which step to which."""

    agent: str
    since: Place
    until: Place


def seats_of(runs: Iterable[RunRow], sittings: Iterable[SittingRow]) -> dict[str, list[Seat]]:
    """By run: where the person of these sittings sat. Runs come oldest first, so a fork after its parent."""
    found: dict[str, list[Seat]] = {}
    for sitting in sittings:
        found.setdefault(sitting.run, []).append(Seat(sitting.agent, sitting.since, sitting.until or _END))
    for run in runs:
        if run.parent is None or run.forked_at is None:
            continue
        inherited = [
            seat._replace(until=min(seat.until, run.forked_at))
            for seat in found.get(run.parent, ())
            if seat.since <= run.forked_at
        ]
        if run.kind == "tutoring":  # it holds no answer of the run that its learners come from, only their memory
            inherited = [Seat(seat.agent, _NEVER, _NEVER) for seat in inherited]
        if inherited:
            found.setdefault(run.id, []).extend(inherited)
    return found


def wrote(row: AnswerRow, seats: Iterable[Seat]) -> bool:
    """The person of these seats gave this answer, and nobody in its place."""
    if row.source != SOURCE:
        return False
    place = (row.lesson, max(1, row.step))  # what is asked before the first step belongs to it
    return any(row.agent == seat.agent and seat.since <= place <= seat.until for seat in seats)
