"""Where a run can be forked, and with which changes: told before anything is played or written."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.models.classroom.interventions import Intervention, Move, NoChange, SetTrait
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.seats import expand_seats

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
        _check_names(scenario, change)


def _check_names(scenario: Scenario, change: Intervention) -> None:
    if isinstance(change, Move | SetTrait):
        names = [student.name for student in scenario.roll.students]
        if change.student not in names:
            raise ScenarioError(
                f"there is no student '{change.student}'.", where=scenario.name, mend=f"There are {', '.join(names)}."
            )
    if isinstance(change, Move) and isinstance(change.to, str):
        seats = [seat.id for seat in expand_seats(scenario.layout)]
        if change.to not in seats:
            raise ScenarioError(
                f"there is no seat '{change.to}'.",
                where=scenario.layout.name,
                mend=f"Its seats are {', '.join(seats)}.",
            )
