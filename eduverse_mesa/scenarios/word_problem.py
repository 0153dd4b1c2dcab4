"""A mathematics problem that a group works on: what is given, how it is solved, and how pupils get it wrong.

The solution can be worked out (MathVC's task schema, section 3.2 of the paper, here with formulas and units), so that
whoever misreads a number or takes a wrong step arrives where that leads. Quantities and formulas are texts in the
document; `task_schema.py` reads them and `proving.py` proves that they fit. In every phrase, `{name}` stands for the
quantity of that name as the speaker has it.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints

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
