"""A mathematics problem that a group works on: what is given, how it is solved, and how pupils get it wrong.

The solution can be worked out (MathVC's task schema, section 3.2 of the paper, here with formulas and units), so that
whoever misreads a number or takes a wrong step arrives where that leads. Quantities and formulas are texts in the
document; `schema_of` reads them and `proof.py` proves that they fit. In every phrase, `{name}` stands for the
quantity of that name as the speaker has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import (
    Formula,
    Quantity,
    Units,
    holds,
    parse,
    quantity_latex,
    read_quantity,
    say_quantity,
    units_for,
    work_out,
    write_latex,
)
from eduverse_mesa.scenarios.base import Document, Name, Part, Sentence, Text

Grade = Annotated[int, Field(ge=1, le=12)]
VARIABLE, LETTER, WORD = r"^[a-z][a-z0-9_]{0,39}$", r"^[A-Z0-9]{1,3}$", r"\w"
Variable = Annotated[str, StringConstraints(pattern=VARIABLE)]
Amount = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=160)]
Working = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Unit = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
Mark = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120, pattern=WORD)]
"""Beginnings of words, alternatives parted by | (marks.py)."""
_FRACTION = re.compile(r"-?\s*(?:\d+\s+)?\d+\s*/\s*\d")
Flaw = Literal["misread", "omitted", "miscount", "wrong_model", "slip"]


class Given(Part):
    """A quantity that the statement tells."""

    name: Variable
    value: Amount = Field(description="the quantity with its unit, such as `60 feet` or `$29.95`")
    phrase: Sentence = Field(description="what it is, such as `the length of the path`")
    marks: tuple[Mark, ...] = Field((), description="beginnings of words by which one knows that it is spoken of")


class Subtask(Part):
    """One step of the solution; it is known by the variable that it works out."""

    variable: Variable
    phrase: Sentence = Field(description="what is worked out, such as `the length of one step`")
    marks: tuple[Mark, ...] = Field(
        min_length=1, description="beginnings of words by which one knows that it is spoken of, any of them"
    )
    formula: Working = Field(description="over givens and earlier subtasks, such as `path / steps`")
    unit: Unit = Field("", description="the unit of the result, such as `feet per step`; nothing for a plain number")
    how: Sentence = Field(description="the step in short, such as `divide {path} by {steps}`")
    says: Sentence = Field(description="the result in a sentence, such as `one step is {step_length} long`")
    ask: Sentence = Field(description="how one asks for it, such as `How long is one step?`")
    why: Sentence = Field(description="why the step is taken, in a pupil's words")


class Answer(Part):
    """A quantity that has to be found."""

    variable: Variable
    value: Amount = Field(description="what the teacher holds it to be; it has to come out of the subtasks")
    tolerance: Amount | None = Field(
        None, description="by how much an answer may be off, such as `1 cent`; at most 1 % of it"
    )
    also: tuple[Sentence, ...] = Field((), description="other words that count as this answer having been said")


class Option(Part):
    """One answer to choose from, with the quantities that belong to it."""

    id: Annotated[str, StringConstraints(pattern=LETTER)]
    text: Sentence
    values: dict[Variable, Amount] = Field({}, description="its quantities, under names that all options share")
    right: bool
    why: Sentence = Field(description="why it is right or wrong, in a pupil's words")


class Choice(Part):
    """A problem's options, and when one of them is right."""

    ask: Sentence
    right_if: Working = Field(
        description="a condition over all variables and the options' own, such as `w / h == ratio`"
    )
    how: Sentence = Field(description="how one checks an option, such as `divide {w} by {h} and compare`")
    options: tuple[Option, ...] = Field(min_length=2, max_length=8)


class Change(Part):
    """What a misconception makes of one variable: exactly one of value, formula and instead."""

    of: Variable = Field(description="a given or a subtask's variable")
    value: Amount | None = Field(None, description="a given read wrongly, or a result that slipped")
    formula: Working | None = Field(None, description="another way to work the subtask out")
    instead: Working | None = Field(None, description="the subtask is left out, and this stands for its variable")
    how: Sentence | None = Field(None, description="the step in short, as it is taken now; needed with a formula")
    says: Sentence | None = Field(None, description="the result in a sentence, where the subtask's own would not fit")


class Misconception(Part):
    """A mistake that real pupils make in this problem, and how classmates can put it right."""

    id: Name
    kind: Flaw
    thinks: Sentence = Field(description="the mistake as whoever makes it would say it, in the first person")
    changes: tuple[Change, ...] = Field((), description="what it changes in the solution")
    right_if: Working | None = Field(None, description="the condition by which options are chosen wrongly")
    how: Sentence | None = Field(None, description="how options are checked then; needed with `right_if`")
    cue: Sentence = Field(description="a good reason against it, as a classmate would say it")
    cue_marks: tuple[Mark, ...] = Field(
        min_length=1, description="beginnings of words that such a reason holds, all of them; alternatives parted by |"
    )
    notice: Sentence = Field(description="how one notices it: what does not fit")
    source: Text = Field("", description="a study that describes it; left out where none is known")


class Sense(Part):
    """A question by which a group makes sure that it has understood."""

    ask: Sentence
    answer: Sentence


class Reflection(Part):
    """What the result means, and a way to check it."""

    means: Sentence
    check: Sentence
    formula: Working | None = Field(None, description="the check as a condition, such as `length * steps == path`")


class WordProblem(Document):
    """A problem with its solution, its answers and the mistakes that belong to it."""

    kind: Literal["problem"] = "problem"
    language: Name = "en"
    grade: Grade
    difficulty: Difficulty
    statement: Text = Field(min_length=1)
    question: Sentence = Field(description="what is asked, in short")
    nouns: dict[Name, Name] = Field({}, description="what is counted, singular: plural, such as `step: steps`")
    givens: tuple[Given, ...] = Field(min_length=1, max_length=20)
    subtasks: tuple[Subtask, ...] = Field(min_length=1, max_length=12)
    answers: tuple[Answer, ...] = Field(min_length=1, max_length=8)
    choice: Choice | None = None
    sense: tuple[Sense, ...] = Field(min_length=1, max_length=8)
    reflection: tuple[Reflection, ...] = Field(min_length=1, max_length=6)
    misconceptions: tuple[Misconception, ...] = Field(min_length=1, max_length=20)
    source: Text = Field("", description="where the problem comes from")

    def misconception(self, name: str) -> Misconception:
        """The misconception of an id."""
        return next(one for one in self.misconceptions if one.id == name)

    @property
    def in_fractions(self) -> bool:
        """Its numbers are typed as fractions, and are said so: who learns 1/4 + 3/8 has no use for 0.25."""
        return any(_FRACTION.match(given.value) for given in self.givens)

    def subtask(self, variable: str) -> Subtask:
        """The subtask that works a variable out."""
        return next(one for one in self.subtasks if one.variable == variable)


PLACE = re.compile(r"\{([^{}.]*)(?:\.amount)?\}")
"""Where a phrase names a quantity. `{speed.amount}` is that of a rate for one: "3 feet" of 3 feet per step."""


@dataclass(frozen=True)
class Step:
    """How one variable is worked out."""

    variable: str
    formula: Formula
    unit: str
    how: str
    says: str
    omitted: bool = False
    """The subtask is left out: the formula only says what stands for its variable."""


@dataclass(frozen=True)
class Options:
    """The options of a problem, and by which condition one is chosen."""

    right_if: Formula
    how: str
    values: dict[str, dict[str, Quantity]] = field(hash=False)


@dataclass(frozen=True)
class TaskSchema:
    """One way to solve a problem. Nothing in it changes: each change gives another schema."""

    units: Units
    givens: dict[str, Quantity]
    steps: tuple[Step, ...]
    options: Options | None = None
    held: dict[str, Quantity] = field(default_factory=dict)
    """Variables that are held to be so, whatever their steps come to."""

    def names(self) -> tuple[str, ...]:
        """All variables, in the order in which they are known."""
        return (*self.givens, *(step.variable for step in self.steps))

    def step(self, variable: str) -> Step:
        """The step that works a variable out."""
        return next(step for step in self.steps if step.variable == variable)

    def says(self, quantity: Quantity, language: str = "en") -> str:
        """A quantity in words for whoever works on the problem."""
        return say_quantity(quantity, self.units, language)


@dataclass(frozen=True)
class Worked:
    """What a schema comes to: all quantities in order, and the options chosen."""

    values: dict[str, Quantity]
    chosen: tuple[str, ...] = ()


def schema_of(problem: WordProblem) -> TaskSchema:
    """The right way to solve a problem. FormulaError where a text of it is no quantity, unit or formula."""
    units = units_for(problem.nouns, problem.in_fractions)
    givens = {given.name: read_quantity(given.value, units) for given in problem.givens}
    steps = tuple(
        Step(task.variable, parse(task.formula), units.canonical(task.unit), task.how, task.says)
        for task in problem.subtasks
    )
    return TaskSchema(units, givens, steps, _options_of(problem.choice, units))


def _options_of(choice: Choice | None, units: Units) -> Options | None:
    if choice is None:
        return None
    values = {
        option.id: {name: read_quantity(text, units) for name, text in option.values.items()}
        for option in choice.options
    }
    return Options(parse(choice.right_if), choice.how, values)


def work(schema: TaskSchema) -> Worked:
    """All variables, in order, and the options that follow; FormulaError where it does not work out."""
    values = {name: schema.held.get(name, value) for name, value in schema.givens.items()}
    for step in schema.steps:
        held = schema.held.get(step.variable)
        values[step.variable] = work_out(step.formula, values, schema.units, step.unit) if held is None else held
    if schema.options is None:
        return Worked(values)
    chosen = [
        option
        for option, own in schema.options.values.items()
        if holds(schema.options.right_if, {**values, **own}, schema.units)
    ]
    return Worked(values, tuple(chosen))


def change(schema: TaskSchema, misconception: Misconception) -> TaskSchema:
    """The schema of somebody who holds a misconception."""
    for one in misconception.changes:
        schema = _change_one(schema, one)
    if misconception.right_if is not None and schema.options is not None:
        how = misconception.how or schema.options.how
        schema = replace(schema, options=replace(schema.options, right_if=parse(misconception.right_if), how=how))
    return schema


def _change_one(schema: TaskSchema, one: Change) -> TaskSchema:
    if one.of not in schema.names():
        raise FormulaError(f"there is no variable '{one.of}'.", mend=f"Known: {', '.join(schema.names())}.")
    if one.value is not None:
        return revise(schema, {one.of: read_quantity(one.value, schema.units)})
    text = one.formula if one.formula is not None else one.instead
    assert text is not None
    if one.of in schema.givens:
        raise FormulaError(f"'{one.of}' is given: it is not worked out.", mend="Give it another value.")
    step = schema.step(one.of)
    other = replace(
        step,
        formula=parse(text),
        how=one.how or step.how,
        says=one.says or step.says,
        omitted=one.instead is not None,
    )
    return replace(schema, steps=tuple(other if each is step else each for each in schema.steps))


def revise(schema: TaskSchema, revised: Mapping[str, Quantity]) -> TaskSchema:
    """The schema of somebody who now holds these variables to have these values.

    What is computed from them follows: of such variables nothing is held any more. FormulaError for an unknown name
    or for a value in a unit that does not fit. A given stays in the unit it was read in.
    """
    held = dict(schema.held)
    for name, value in revised.items():
        if name not in schema.names():
            raise FormulaError(f"there is no variable '{name}'.", mend=f"Known: {', '.join(schema.names())}.")
        given = schema.givens.get(name)
        converted = schema.units.convert(value, given.unit if given else schema.step(name).unit)
        held[name] = value if given else converted
    freed = dependents(schema, revised) - set(revised)
    return replace(schema, held={name: value for name, value in held.items() if name not in freed})


def restore(schema: TaskSchema, problem: WordProblem, names: Iterable[str]) -> TaskSchema:
    """The schema of somebody who has understood how these variables are rightly come by."""
    right = schema_of(problem)
    wanted = set(names)
    steps = tuple(right.step(step.variable) if step.variable in wanted else step for step in schema.steps)
    held = {name: value for name, value in schema.held.items() if name not in wanted}
    return replace(schema, steps=steps, held=held)


def restore_choice(schema: TaskSchema, problem: WordProblem) -> TaskSchema:
    """The schema of somebody who has understood when an option is right."""
    return replace(schema, options=schema_of(problem).options)


def dependents(schema: TaskSchema, names: Iterable[str]) -> set[str]:
    """The variables that are computed from any of these, directly or not; themselves left out unless they are too."""
    reached = set(names)
    found: set[str] = set()
    for step in schema.steps:
        if step.formula.names & reached:
            found.add(step.variable)
            reached.add(step.variable)
    return found


def changed(schema: TaskSchema, other: TaskSchema) -> dict[str, tuple[Quantity, Quantity]]:
    """The variables that come out differently, each with both values."""
    one, two = work(schema).values, work(other).values
    return {name: (one[name], two[name]) for name in one if not schema.units.same(one[name], two[name])}


def fill(phrase: str, values: Mapping[str, Quantity], units: Units, language: str = "en") -> str:
    """A phrase with the quantities it names: "divide {path} by {steps}" as "divide 60 feet by 20 steps"."""

    def say(match: re.Match[str]) -> str:
        quantity = values[match[1]]
        return say_quantity(units.amount(quantity) if match[0].endswith(".amount}") else quantity, units, language)

    return PLACE.sub(say, phrase)


def step_latex(schema: TaskSchema, variable: str, language: str = "en") -> str:
    """A step as it is worked out, in LaTeX: what is put in, and what comes of it."""
    values = work(schema).values
    shown = {name: quantity_latex(value, schema.units, language) for name, value in values.items()}
    return f"{write_latex(schema.step(variable).formula, shown)} = {shown[variable]}"


def is_answered(answer: Answer, quantity: Quantity, units: Units) -> bool:
    """Whether a quantity is this answer, in whatever unit of its kind, and near enough."""
    wanted = read_quantity(answer.value, units)
    if not units.fits(quantity.unit, wanted.unit):
        return False
    return units.same(wanted, quantity, slack_of(answer, wanted.unit, units))


def slack_of(answer: Answer, unit: str, units: Units) -> Fraction:
    """By how much an answer may be off, in a unit."""
    return units.convert(read_quantity(answer.tolerance, units), unit).value if answer.tolerance else Fraction(0)
