"""The steps work out with their units, and yield the answers and the right options."""

from __future__ import annotations

from functools import partial

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, holds, parse, read_quantity, say_quantity, work_out
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.task_schema import is_answered, schema_of, work
from eduverse_mesa.scenarios.word_problem import Answer


def check_solution(notes: Notes) -> None:
    """Work the right solution out, and compare it with what the teacher holds to be right."""
    schema = schema_of(notes.problem)
    values = dict(schema.givens)
    for index, step in enumerate(schema.steps):
        solve = partial(work_out, step.formula, values, notes.units, step.unit)
        result = notes.attempt(("subtasks", index, "formula"), solve)
        if result is None:
            return
        values[step.variable] = result
    for index, answer in enumerate(notes.problem.answers):
        _check_answer(notes, ("answers", index, "value"), answer, values[answer.variable])
        _check_other_words(notes, ("answers", index, "also"), answer)
    _check_options(notes)
    for index, reflection in enumerate(notes.problem.reflection):
        if reflection.formula is not None:
            check = partial(holds, parse(reflection.formula), values, notes.units)
            trail: Trail = ("reflection", index, "formula")
            if notes.attempt(trail, check) is False:
                mend = "It is to tell right from wrong."
                notes.note(trail, "this check fails for the right solution", mend, "check_fails")


def _check_answer(notes: Notes, trail: Trail, answer: Answer, worked: Quantity) -> None:
    comes = f"the subtasks come to {say_quantity(worked, notes.units, notes.problem.language)}"
    if not notes.units.fits(worked.unit, read_quantity(answer.value, notes.units).unit):
        mend = "Give the answer's unit, or the step's."
        message = f"{comes}, which has another unit than '{answer.value}'"
        notes.note(trail, message, mend, "answer_of_other_unit", worked=worked, value=answer.value)
    elif not is_answered(answer, worked, notes.units):
        message, mend = f"{comes}, not '{answer.value}'", "Correct the answer, or the step that is wrong."
        notes.note(trail, message, mend, "other_answer", worked=worked, value=answer.value)


def _check_other_words(notes: Notes, at: Trail, answer: Answer) -> None:
    """Other words for an answer may leave its unit out, or what a rate is per, but not name another number."""
    wanted = read_quantity(answer.value, notes.units)
    for index, text in enumerate(answer.also):
        try:
            said = read_quantity(text, notes.units)
        except FormulaError:  # words, such as "three feet"
            continue
        short = Quantity(wanted.value), notes.units.amount(wanted)
        if not is_answered(answer, said, notes.units) and not any(notes.units.same(one, said) for one in short):
            mend = f"Leave it out, or write what means '{answer.value}' too."
            message = f"'{text}' is another quantity than '{answer.value}'"
            notes.note((*at, index), message, mend, "other_quantity", text=text, value=answer.value)


def _check_options(notes: Notes) -> None:
    choice = notes.problem.choice
    worked = notes.attempt(("choice", "right_if"), lambda: work(schema_of(notes.problem)))
    if choice is None or worked is None:
        return
    for index, option in enumerate(choice.options):
        if option.right != (option.id in worked.chosen):
            said = "right, and by `right_if` it is not" if option.right else "wrong, and by `right_if` it is right"
            mend = "Correct `right`, the option's values or the condition."
            code = "option_is_wrong" if option.right else "option_is_right"
            at: Trail = ("choice", "options", index, "right")
            notes.note(at, f"option '{option.id}' is said to be {said}", mend, code)
    if not any(option.right for option in choice.options):
        notes.note(("choice", "options"), "no option is right", "Add one that is.", "none_right")
