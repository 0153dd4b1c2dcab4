"""What a group could not tell apart: a mistake that counts as the right answer, or two mistakes that are one.

What was kept before this was asked is still played (`check_kept_problem`)."""

from __future__ import annotations

from fractions import Fraction

from eduverse_mesa.formulas import Quantity, read_quantity
from eduverse_mesa.formulas.comparing import NEAR, alike
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.task_schema import Worked, change, schema_of, slack_of, work
from eduverse_mesa.scenarios.word_problem import Answer


def check_nearness(notes: Notes) -> None:
    """Compare answers, as people who talk about them would, with what each mistake leads to."""
    for index, answer in enumerate(notes.problem.answers):
        _check_tolerance(notes, ("answers", index, "tolerance"), answer)
    schema = schema_of(notes.problem)
    right = work(schema)
    came = [work(change(schema, one)) for one in notes.problem.misconceptions]
    for index, outcome in enumerate(came):
        _check_answer(notes, ("misconceptions", index), outcome, right)
        _check_distinct(notes, index, came)


def _check_tolerance(notes: Notes, trail: Trail, answer: Answer) -> None:
    value = read_quantity(answer.value, notes.units)
    most = abs(value.value) * NEAR
    if slack_of(answer, value.unit, notes.units) > most:
        allowed = Quantity(most, value.unit)
        message = f"'{answer.tolerance}' is more than 1 % of the answer: other numbers would count as it"
        notes.note(trail, message, f"Give {notes.said(allowed)} at most.", "large_tolerance", most=allowed)


def _check_answer(notes: Notes, at: Trail, came: Worked, right: Worked) -> None:
    names = [answer.variable for answer in notes.problem.answers]
    differing = [name for name in names if came.values[name] != right.values[name]]
    if came.chosen != right.chosen or not differing:
        return
    if all(_counts_as(notes, name, came.values[name], right.values[name]) for name in differing):
        wrong, meant = came.values[differing[0]], right.values[differing[0]]
        one = notes.problem.misconceptions[int(at[1])]
        message = (
            f"misconception '{one.id}' leads to {notes.said(wrong)}, which counts as the right answer, "
            f"{notes.said(meant)}: the one is the other rounded"
        )
        mend = "Let it lead further away, or nobody would notice it."
        notes.note(at, message, mend, "near_answer", came=wrong, meant=meant)


def _check_distinct(notes: Notes, index: int, came: list[Worked]) -> None:
    """Two ways of thinking may come to the very same; the same change is no second mistake, nor is one that comes to
    the other's values rounded."""
    one = notes.problem.misconceptions[index]
    for other, there in zip(notes.problem.misconceptions[:index], came, strict=False):
        here = came[index]
        rounded = (
            here != there
            and here.chosen == there.chosen
            and all(_counts_as(notes, name, value, there.values[name]) for name, value in here.values.items())
        )
        if rounded or (one.changes, one.right_if) == (other.changes, other.right_if):
            message = f"misconceptions '{other.id}' and '{one.id}' lead to the same and cannot be told apart"
            mend = "Leave one out, or let it change something else."
            notes.note(("misconceptions", index), message, mend, "same_mistake", name=other.id)


def _counts_as(notes: Notes, variable: str, one: Quantity, other: Quantity) -> bool:
    """Whether two values of a variable count as the same where people talk."""
    answer = next((each for each in notes.problem.answers if each.variable == variable), None)
    return alike(str(one), str(other), slack_of(answer, one.unit, notes.units) if answer else Fraction(0))
