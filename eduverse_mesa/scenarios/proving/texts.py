"""Every quantity, unit and formula can be read, and every name is known where it is used."""

from __future__ import annotations

from keyword import iskeyword

from eduverse_mesa.formulas.formula import FUNCTIONS
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.word_problem import Option


def check_texts(notes: Notes) -> None:
    """Read all texts of the right solution once; what cannot be read is noted."""
    _check_givens(notes)
    _check_subtasks(notes)
    _check_answers(notes)
    _check_choice(notes)
    for index, reflection in enumerate(notes.problem.reflection):
        if reflection.formula is not None:
            notes.condition(("reflection", index, "formula"), reflection.formula, notes.names)


def _check_givens(notes: Notes) -> None:
    taken: set[str] = set()
    for index, given in enumerate(notes.problem.givens):
        _declare(notes, ("givens", index, "name"), given.name, taken)
        notes.quantity(("givens", index, "value"), given.value)
    for index, task in enumerate(notes.problem.subtasks):
        _declare(notes, ("subtasks", index, "variable"), task.variable, taken)


def _declare(notes: Notes, trail: Trail, name: str, taken: set[str]) -> None:
    if name in FUNCTIONS:
        notes.note(trail, f"'{name}' is a function of formulas", "Take another name.", "function_name", name=name)
    elif iskeyword(name):
        mend = f"Call it for example '{name}_size'."
        notes.note(trail, f"'{name}' means something else in a formula", mend, "reserved_name", name=name)
    elif name in taken:
        notes.note(trail, f"there are two of the name '{name}'", "Rename one of the two.", "two_names", name=name)
    taken.add(name)


def _check_subtasks(notes: Notes) -> None:
    for index, task in enumerate(notes.problem.subtasks):
        at: Trail = ("subtasks", index)
        cut = len(notes.givens) + index
        formula = notes.formula((*at, "formula"), task.formula, notes.names[:cut], notes.names[cut:])
        if formula is not None and formula.drops_units:
            mend = "Keep the units here; `number(...)` is for pupils who lose them, in a misconception."
            notes.note((*at, "formula"), "the right solution may not forget its units", mend, "drops_units")
        _check_unit(notes, (*at, "unit"), task.unit)


def _check_unit(notes: Notes, trail: Trail, unit: str) -> None:
    notes.attempt(trail, lambda: notes.units.canonical(unit))


def _check_answers(notes: Notes) -> None:
    for index, answer in enumerate(notes.problem.answers):
        at: Trail = ("answers", index)
        if answer.variable not in notes.names:
            notes.unknown((*at, "variable"), answer.variable, notes.names)
        value = notes.quantity((*at, "value"), answer.value)
        off = None if answer.tolerance is None else notes.quantity((*at, "tolerance"), answer.tolerance)
        if value and off and not notes.units.fits(value.unit, off.unit):
            message, mend = f"'{answer.tolerance}' has another unit than the answer", "Give it the same."
            notes.note((*at, "tolerance"), message, mend, "other_tolerance")


def _check_choice(notes: Notes) -> None:
    choice = notes.problem.choice
    if choice is None:
        return
    ids: set[str] = set()
    for index, option in enumerate(choice.options):
        at: Trail = ("choice", "options", index)
        _declare(notes, (*at, "id"), option.id, ids)
        _check_option(notes, at, option)
    notes.condition(("choice", "right_if"), choice.right_if, [*notes.names, *notes.option_names])


def _check_option(notes: Notes, at: Trail, option: Option) -> None:
    if tuple(sorted(option.values)) != notes.option_names:
        wanted = ", ".join(notes.option_names) or "no values"
        message, mend = f"option '{option.id}' has other values than the first one", f"Give each option: {wanted}."
        notes.note(at, message, mend, "other_values" if notes.option_names else "extra_values", known=wanted)
    for name, text in option.values.items():
        notes.quantity((*at, "values", name), text)
        if name in notes.names or name in FUNCTIONS or iskeyword(name):
            notes.note(
                (*at, "values", name),
                f"the name '{name}' is already taken",
                "Take another name.",
                "name_taken",
                name=name,
            )
