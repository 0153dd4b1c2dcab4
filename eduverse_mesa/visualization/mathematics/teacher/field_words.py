"""What the form of a problem calls its fields, and how it says what is wrong in them: in the reader's words, with
nothing of the file that becomes of it."""

from __future__ import annotations

import re

from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.scenarios.problems import Problem
from eduverse_mesa.scenarios.word_problem import Change, Misconception, Option, Subtask, WordProblem
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.errors import problem_text

_FIELD = re.compile(r"\[(\w+)\.(\w+)\]")
"""In words: where the name of a field stands."""
_MADE_UP: dict[type[Part], frozenset[str]] = {
    WordProblem: frozenset({"name"}),
    Misconception: frozenset({"id"}),
    Option: frozenset({"id"}),
}
"""What the form makes up where it is left empty."""
_TOLD = {
    Change: frozenset({"value", "formula", "instead", "how"}),
    Misconception: frozenset({"changes", "right_if", "how"}),
    Subtask: frozenset({"unit"}),
    WordProblem: frozenset({"title", "choice", "language"}),
}
"""Of which a hint says when they are needed."""


def label(t: Words, part: str, name: str) -> str:
    """What a field is called in its part, or everywhere."""
    own = f"teaching.field_of.{part}.{name}"
    return t[own if own in t else f"teaching.field.{name}"]


def hint(t: Words, part: str, name: str) -> str:
    """What may stand there; nothing where that needs no words."""
    own = f"teaching.hint_of.{part}.{name}"
    known = own if own in t else f"teaching.hint.{name}"
    return t.get(known, "")


def is_optional(part: type[Part], name: str) -> bool:
    """Whether a field may stay empty, and nothing else says so."""
    if name in _MADE_UP.get(part, ()):
        return True
    return not part.model_fields[name].is_required() and name not in _TOLD.get(part, ())


def said(t: Words, problem: Problem, value: Plain = None) -> str:
    """What is wrong, of what stands there: in the form's words, or else in those of files."""
    key = f"problem_form.wrong.{_code(problem)}"
    if not problem.code or key not in t:
        return problem_text(problem, t)
    given = dict(problem.given)
    if problem.code == "no_variable":
        given["example"] = short_name(str(value)) or "path_length"
    named = _FIELD.sub(lambda found: f"“{label(t, found[1], found[2])}”", t[key])
    return named.format_map(given) if given else named


def _code(problem: Problem) -> str:
    if problem.code == "other_unit":
        given = dict(problem.given)
        return "other_unit_plain" if not given["has"] else "other_unit" if given["wanted"] else "other_unit_bare"
    return problem.code


def short_name(text: str) -> str:
    """A name for formulas, made of whatever letters and digits a text has: `Mia eats` becomes `mia_eats`."""
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_0123456789")[:40].strip("_")
