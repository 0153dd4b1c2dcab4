"""Every misconception can be worked through, and leads to another answer or to another choice."""

from __future__ import annotations

from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.task_schema import Worked, change, is_answered, schema_of, work
from eduverse_mesa.scenarios.word_problem import Change, Misconception


def check_mistakes(notes: Notes) -> None:
    """Go through the misconceptions one by one."""
    right = work(schema_of(notes.problem))
    ids: set[str] = set()
    for index, one in enumerate(notes.problem.misconceptions):
        at: Trail = ("misconceptions", index)
        before = len(notes.found)
        if one.id in ids:
            notes.note((*at, "id"), f"there are two misconceptions '{one.id}'", "Rename one of the two.", "two_ids")
        ids.add(one.id)
        _check_changes(notes, at, one)
        if len(notes.found) == before:
            _check_outcome(notes, at, one, right)


def _check_changes(notes: Notes, at: Trail, one: Misconception) -> None:
    if not one.changes and one.right_if is None:
        notes.note(at, f"misconception '{one.id}' changes nothing", "Give it `changes`.", "changes_nothing")
    if one.kind == "omitted" and not any(each.instead for each in one.changes):
        mend = "Say by `instead` what stands for the variable that is not worked out."
        notes.note((*at, "kind"), f"misconception '{one.id}' omits no subtask", mend, "omits_nothing")
    if one.right_if is not None:
        _check_condition(notes, (*at, "right_if"), one.right_if, one)
    for index, each in enumerate(one.changes):
        _check_change(notes, (*at, "changes", index), each, one)


def _check_condition(notes: Notes, trail: Trail, text: str, one: Misconception) -> None:
    if notes.problem.choice is None:
        notes.note(trail, "there are no options to choose from", "Leave `right_if` out.", "no_options")
        return
    notes.condition(trail, text, [*notes.names, *notes.option_names])
    if one.how is None:
        notes.note(trail, "it is not said how options are checked then", "Add `how` beside it.", "no_checking")


def _check_change(notes: Notes, at: Trail, each: Change, one: Misconception) -> None:
    if sum(way is not None for way in (each.value, each.formula, each.instead)) != 1:
        mend = "Give one of `value`, `formula` and `instead`."
        notes.note(at, f"'{each.of}' has to become one thing", mend, "not_one_way")
    elif each.of not in notes.names:
        notes.unknown((*at, "of"), each.of, notes.names)
    elif one.kind == "misread" and (each.of not in notes.givens or each.value is None):
        mend = "Change a given's `value`, or choose another `kind`."
        notes.note(at, "what is misread is a given, with another value", mend, "misread_given")
    elif each.value is not None:
        notes.quantity((*at, "value"), each.value)
    elif each.of in notes.givens:
        message, mend = f"'{each.of}' is given: it is not worked out", "Give it another `value`."
        notes.note((*at, "of"), message, mend, "not_worked_out", name=each.of)
    else:
        _check_other_way(notes, at, each)


def _check_other_way(notes: Notes, at: Trail, each: Change) -> None:
    key, text = ("formula", each.formula) if each.formula is not None else ("instead", each.instead)
    assert text is not None
    cut = notes.names.index(each.of)
    notes.formula((*at, key), text, notes.names[:cut], notes.names[cut:])
    if each.formula is not None and each.how is None:
        notes.note((*at, key), "it is not said how the step is taken then", "Add `how` beside it.", "no_way")


def _check_outcome(notes: Notes, at: Trail, one: Misconception, right: Worked) -> None:
    wrong = notes.attempt(at, lambda: work(change(schema_of(notes.problem), one)))
    if wrong is None or wrong.chosen != right.chosen:
        return
    if all(is_answered(answer, wrong.values[answer.variable], notes.units) for answer in notes.problem.answers):
        mend = "Change what leads to another answer or another choice: nobody would notice this."
        notes.note(at, f"misconception '{one.id}' leads to the right answer", mend, "right_answer")
