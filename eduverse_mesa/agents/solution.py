"""The problem as a group sees it, and as one of them works it out: from schemas to what may be said of them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from eduverse_mesa.decisions.groups import Choice, Cue, Known, Sheet, Task, Verdict, Worked
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Formula, Quantity, Units, holds, parse, say_number, say_quantity, work_out
from eduverse_mesa.scenarios.word_problem import (
    PLACE,
    Misconception,
    Step,
    TaskSchema,
    WordProblem,
    change,
    changed,
    fill,
    schema_of,
    slack_of,
    work,
)

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "x", ast.Div: "/"}
_WORK = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_PERCENT = "percent"


def calculation(formula: Formula, values: Mapping[str, Quantity], result: Quantity, units: Units, language: str) -> str:
    """A formula in the numbers that somebody has: "60 / 20", and "$120 x 15%" where the numbers alone would come to
    something else; empty where it is more than the four operations."""
    tree = _in_numbers(formula.tree, values)
    try:
        if _worked(tree, {name: one.value for name, one in values.items()}) == result.value:
            return _write(tree, {name: _exact(one.value, units.fractions) for name, one in values.items()})
        return _write(formula.tree, {name: _with_unit(one, units, language) for name, one in values.items()})
    except (ValueError, ZeroDivisionError):
        return ""


def ways(formula: Formula, values: Mapping[str, Quantity]) -> tuple[str, ...]:
    """The calculations that somebody may type for a formula: 15% is 15 to one and 0.15 to another."""
    tree = _in_numbers(formula.tree, values)
    plain = {name: _digits(one.value) for name, one in values.items()}
    parts = {name: _digits(one.value / 100) for name, one in values.items() if one.unit == _PERCENT}
    try:
        found = (_write(tree, plain), _write(tree, {**plain, **parts}))
    except ValueError:
        return ()
    return tuple(dict.fromkeys(one for one in found if " " in one))


def _in_numbers(node: ast.expr, values: Mapping[str, Quantity]) -> ast.expr:
    """The same for mere numbers: a number of something is that number, and a hundred times 15% is 15."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "number":
        return _in_numbers(node.args[0], values)
    if not isinstance(node, ast.BinOp):
        return node
    left, right = _in_numbers(node.left, values), _in_numbers(node.right, values)
    if isinstance(node.op, ast.Mult) and isinstance(left, ast.Name) and isinstance(right, ast.Constant):
        one = values[left.id]
        if one.unit == _PERCENT and right.value == 100:
            return ast.Constant(str(one.value))
    return ast.BinOp(left, node.op, right)


def _worked(node: ast.expr, values: Mapping[str, Fraction]) -> Fraction:
    """Return the value of a calculation with the numbers alone, as somebody types it into a calculator."""
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.BinOp) and type(node.op) in _WORK:
        return Fraction(_WORK[type(node.op)](_worked(node.left, values), _worked(node.right, values)))
    raise ValueError("no calculation that is said in one breath")


def _exact(value: Fraction, fractions: bool = False) -> str:
    """A number as it is said; a fraction where it would only be said about."""
    written = say_number(value, fractions)
    return f"{value.numerator}/{value.denominator}" if written.startswith("about") else written


def _digits(value: Fraction) -> str:
    """A number as it is typed: 0.15, or 1/3 where no digits end."""
    bottom = value.denominator
    for factor in (2, 5):
        while bottom % factor == 0:
            bottom //= factor
    return str(value) if bottom > 1 else f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def _with_unit(quantity: Quantity, units: Units, language: str) -> str:
    """A number with the unit that a calculation hangs on: 15%, $120, 5 cents of 5 cents per message; things that are
    counted go without."""
    unit = quantity.unit.partition("/")[0]
    said = say_quantity(Quantity(quantity.value, unit), units, language)
    mere = unit in ("", *units.nouns) or said.startswith(("about", "约"))
    return _exact(quantity.value, units.fractions) if mere else said


def _write(node: ast.expr, said: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        return said[node.id]
    if isinstance(node, ast.Constant):
        return _exact(Fraction(str(node.value)))
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        right = _part(node.right, said)
        if isinstance(node.op, ast.Div) and "/" in right and not right.startswith("("):
            right = f"({right})"
        return f"{_part(node.left, said)} {_SIGNS[type(node.op)]} {right}"
    raise ValueError("no calculation that is said in one breath")


def _part(node: ast.expr, said: Mapping[str, str]) -> str:
    return f"({_write(node, said)})" if isinstance(node, ast.BinOp) else _write(node, said)


def sheet_of(problem: WordProblem) -> Sheet:
    """Return what lies on the table before everybody: the statement and what is asked, nothing of the solution."""
    right, language = schema_of(problem), problem.language
    givens = tuple(
        Known(given.name, str(value), right.says(value, language), given.phrase, given.marks)
        for given in problem.givens
        for value in (right.givens[given.name],)
    )
    return Sheet(
        problem=problem.name,
        grade=problem.grade,
        statement=problem.statement,
        question=problem.question,
        tasks=tuple(
            Task(task.variable, task.phrase, right.step(task.variable).unit, task.ask, task.marks)
            for task in problem.subtasks
        ),
        givens=givens,
        goals=tuple(answer.variable for answer in problem.answers),
        sense=tuple(
            (
                fill(one.ask, right.givens, right.units, language),
                fill(one.answer, right.givens, right.units, language),
            )
            for one in problem.sense
            if set(PLACE.findall(one.ask + one.answer)) <= set(right.givens)  # what is worked out is said by nobody yet
        ),
        choose=problem.choice.ask if problem.choice else "",
        options=tuple(Choice(one.id, one.text) for one in problem.choice.options) if problem.choice else (),
        nouns=tuple(problem.nouns.items()),
        fractions=problem.in_fractions,
        slack=tuple(
            (answer.variable, str(slack_of(answer, right.step(answer.variable).unit, right.units)))
            for answer in problem.answers
            if answer.tolerance
        ),
    )


def work_of(problem: WordProblem, schema: TaskSchema) -> tuple[Worked, ...]:
    """Every subtask as a schema has it. Why a step is taken can only be said by who takes it as it is meant."""
    right, values, language = schema_of(problem), work(schema).values, problem.language
    found = []
    for task in problem.subtasks:
        step = schema.step(task.variable)
        value = values[task.variable]
        own = task.variable not in schema.held or _comes_to(schema, step, values)
        as_meant = step.formula == right.step(task.variable).formula and task.variable not in schema.held
        found.append(
            Worked(
                variable=task.variable,
                # Who has taken a value over without seeing how it comes about cannot say how.
                how=fill(step.how, values, schema.units, language) if own else "",
                value=str(value),
                shown=schema.says(value, language),
                says=fill(step.says, values, schema.units, language),
                calculation=calculation(step.formula, values, value, schema.units, language) if own else "",
                why=fill(task.why, values, schema.units, language) if as_meant else "",
                needs=tuple(sorted(step.formula.names)),
                omitted=step.omitted,
            )
        )
    return tuple(found)


def _comes_to(schema: TaskSchema, step: Step, values: Mapping[str, Quantity]) -> bool:
    """Return True if a value that is held is also what one's own way comes to."""
    try:
        return work_out(step.formula, values, schema.units, step.unit) == values[step.variable]
    except FormulaError:
        return False


def verdicts_of(problem: WordProblem, schema: TaskSchema, held: tuple[str, ...] = ()) -> tuple[Verdict, ...]:
    """The choices as a schema has them; `held` are those that somebody has taken over from another."""
    if problem.choice is None or schema.options is None:
        return ()
    right, worked = schema_of(problem), work(schema)
    chosen = held or worked.chosen
    as_meant = right.options is not None and schema.options.right_if == right.options.right_if
    found = []
    for option in problem.choice.options:
        own = {**worked.values, **schema.options.values[option.id]}
        known = as_meant and (option.id in chosen) == option.right
        why = fill(option.why if known else schema.options.how, own, schema.units, problem.language)
        found.append(Verdict(option.id, option.id in chosen, why))
    return tuple(found)


def cues_of(problem: WordProblem, schema: TaskSchema, without: str = "") -> tuple[Cue, ...]:
    """The usual mistakes in a problem, as somebody knows them who has seen many: how each shows, and what speaks
    against it. One's own is none of them."""
    right = schema_of(problem)
    values = work(schema).values
    found = []
    for one in problem.misconceptions:
        if one.id == without:
            continue
        wrong = change(right, one)
        differing = changed(right, wrong)
        order = [name for name in wrong.names() if name in differing and name not in wrong.givens]
        chosen = work(wrong).chosen
        says, notice = (fill(text, values, schema.units, problem.language) for text in (one.cue, one.notice))
        if not order:
            found.append(Cue(one.id, "", "", chosen, says, notice))
        found += [Cue(one.id, name, str(differing[name][1]), chosen, says, notice) for name in order]
    return tuple(found)


def comes_out(check: str, values: Mapping[str, Quantity], units: Units) -> bool:
    """Return True if a check holds with these numbers; a check that cannot be worked out with them does not."""
    try:
        return holds(parse(check), values, units)
    except FormulaError:
        return False


def likely_values(problem: WordProblem) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the values that people come to for each subtask, rightly or by a usual mistake; sorted, so that no place
    tells."""
    right = schema_of(problem)
    every = [work(right).values, *(work(change(right, one)).values for one in problem.misconceptions)]
    return tuple(
        (task.variable, tuple(sorted({str(values[task.variable]) for values in every}))) for task in problem.subtasks
    )


def ways_of(problem: WordProblem) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """How people work out each subtask, rightly or by a usual mistake, as calculations: what somebody calculates tells
    what it is of. Sorted, as the values are."""
    right = schema_of(problem)
    every = [(one, work(one).values) for one in (right, *(change(right, one) for one in problem.misconceptions))]
    return tuple(
        (
            task.variable,
            tuple(sorted({way for one, values in every for way in ways(one.step(task.variable).formula, values)})),
        )
        for task in problem.subtasks
    )


def touched_by(problem: WordProblem, one: Misconception) -> tuple[str, ...]:
    """The variables that a misconception changes first, in the order in which they are known."""
    names = schema_of(problem).names()
    return tuple(sorted({change.of for change in one.changes}, key=names.index))
