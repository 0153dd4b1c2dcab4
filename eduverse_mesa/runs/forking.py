"""Where a run can be forked, and with which changes: told before anything is played or written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from shlex import quote

import mesa

from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.models.classroom.interventions import Intervention, Move, NoChange, SetTrait
from eduverse_mesa.models.classroom.journal import RejectionRow
from eduverse_mesa.models.classroom.placing import MOVING
from eduverse_mesa.runs.play import Run
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.seats import expand_seats
from eduverse_mesa.space import Room

Place = tuple[int, int]


def check_fork(
    run: str, scenario: Scenario, at: Place, changes: Sequence[Intervention], played: Collection[Place], complete: bool
) -> None:
    """Refuse a fork at a step that was not played, or with changes that cannot be or would never come."""
    lesson, step = at
    where = f"run {run}"
    if not (at in played or (step == 0 and (lesson == 1 or (lesson, 1) in played))):
        raise StudyError(
            f"there is no step {step} in lesson {lesson}.", where=where, mend="Fork at a step that was recorded."
        )
    over = (lesson, step + 1) not in played and (complete or (lesson + 1, 1) in played)
    for change in changes:
        if isinstance(change, NoChange):
            continue
        if (change.lesson, change.step) <= at:
            raise StudyError(
                f"a change before step {change.step} of lesson {change.lesson} comes too early: the fork begins after "
                f"step {step} of lesson {lesson}.",
                where=where,
                mend="Fork earlier, or change a later step.",
            )
        if over and change.lesson == lesson:
            raise StudyError(
                f"lesson {lesson} ends with step {step}: nothing follows in it that could be changed.",
                where=where,
                mend="Fork at an earlier step, or in another lesson.",
            )
        check_change(scenario, change)


def refuse_unfinished(run: str, played: Collection[Place], study: str = "") -> None:
    """Refuse to hold the fork of a run that was broken off against it: the fork is played to the end, and whatever
    differs after the last step of its parent is no effect of the change."""
    lesson, step = max(played, default=(1, 0))
    onward = f"eduverse resume {quote(study)} {quote(run)}" if study else "open it on the page Studies"
    raise StudyError(
        f"it was interrupted after step {step} of lesson {lesson}, and a fork of it would be played to the end: "
        "most of what differs would not come from the change.",
        where=f"run {run}",
        mend=f"Resume it first: {onward}.",
    )


def check_change(scenario: Scenario, change: Intervention) -> None:
    """Refuse a change that names nobody of the class, or a place where nobody can be."""
    if isinstance(change, Move | SetTrait):
        names = [student.name for student in scenario.roll.students]
        if change.student not in names:
            raise ScenarioError(
                f"there is no student '{change.student}'.", where=scenario.name, mend=f"There are {', '.join(names)}."
            )
    if isinstance(change, Move):
        _check_place(scenario, change)


def _check_place(scenario: Scenario, move: Move) -> None:
    layout = scenario.layout
    seats = {seat.id: seat.at for seat in expand_seats(layout)}
    if isinstance(move.to, str):
        if move.to not in seats:
            raise ScenarioError(
                f"there is no seat '{move.to}'.", where=layout.name, mend=f"Its seats are {', '.join(seats)}."
            )
        return
    # The room that the lesson will be in, without people: only furniture and the teacher never make way.
    refusal = Room(mesa.Model(), layout).refusal(move.to)
    reason = refusal.reason if refusal is not None else ""
    if move.to == layout.teacher and scenario.roll.teacher is not None:
        reason = f"{scenario.roll.teacher.name} is there"
    if reason:
        raise ScenarioError(
            f"{move.student} cannot go to {move.to}: {reason}.",
            where=layout.name,
            mend=f"Choose a free cell, or a seat: {', '.join(seats)}.",
        )


def refused_moves(run: Run) -> list[RejectionRow]:
    """The moves of a fork that were asked for and did not take place."""
    begun = run.spec.forked_at or (0, 0)
    return [
        row
        for lesson in run.lessons
        for row in lesson.model.journal.rejections
        if row.wanted.startswith(MOVING) and (lesson.number, row.step) > begun
    ]


def tell_refused(move: RejectionRow) -> str:
    """The move and the reason in one sentence."""
    return f"{move.agent} was not moved in step {move.step} ({move.wanted}): {move.reason}."
