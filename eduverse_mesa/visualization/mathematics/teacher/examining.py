"""What is wrong with a problem, with its place: for the line of a text, and for the field of a form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.scenarios.plain import Plain, Trail, dotted, exists, value_at
from eduverse_mesa.scenarios.problems import Problem, as_error, explain
from eduverse_mesa.scenarios.proving import check_word_problem
from eduverse_mesa.scenarios.proving.echoes import echoed
from eduverse_mesa.scenarios.reading import read_bytes
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.mathematics.teacher.field_words import said
from eduverse_mesa.visualization.mathematics.teacher.problem_data import MOST_MISTAKES, Kind, is_shown, places
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.errors import error_text

LONGEST = 100_000
_LABEL = "problem"
_LONGEST_TASK = 4000
"""Characters of a statement; what is beyond is told as too long, and not looked at."""
_BESIDE = {"no_way": "how", "no_checking": "how"}
"""Mistakes that are told where what is missing belongs."""


class Findings(NamedTuple):
    """What a form tells, by the place at which it can show it."""

    wrong: dict[str, str]
    empty: dict[str, str]
    doubts: dict[str, str]
    """What is no mistake, and yet may not be meant."""


@dataclass(frozen=True)
class Examined:
    """A text that may be a problem."""

    problem: WordProblem | None = None
    data: Plain = None
    """What stands in it, if that can be read at all."""
    error: EduverseError | None = None
    """Everything that is wrong, with lines."""
    problems: tuple[Problem, ...] = ()

    def trouble(self, t: Words) -> str:
        """Everything that is wrong, with lines, in the reader's language; nothing where all is right."""
        return error_text(self.error, t) if self.error is not None else ""

    def findings(self, t: Words) -> Findings:
        """All of it in the form's words."""
        if not isinstance(self.data, dict) or not is_shown(self.data):
            return Findings({"": self.trouble(t)}, {}, {})
        shown = dict(places(self.data))
        wrong: dict[str, str] = {}
        empty: dict[str, str] = {}
        for one in self.problems:
            trail, kind = _place(one, shown)
            at = dotted(trail)
            if one.code == "missing" or (one.code == "empty" and kind and kind.shape != "pairs"):
                empty[at] = t[f"problem_form.is_empty.{_emptiness(kind)}"]
            else:
                value = value_at(self.data, one.trail) if exists(self.data, one.trail) else None
                told = _pair(t, trail) if one.code in ("empty", "no_name") else said(t, one, value)
                wrong[at] = f"{wrong[at]} {told}" if at in wrong and told not in wrong[at] else told
        return Findings(wrong, empty, dict(_doubts(self.data, t)))


def _place(one: Problem, shown: Mapping[str, Kind | None]) -> tuple[Trail, Kind | None]:
    """The place nearest to a mistake that the form can show, and what stands there."""
    trail = one.trail
    if one.code == "missing":
        key = dict(one.given)["key"]
        trail = (*trail, key if trail or key != "name" else "title")  # of which the name is made
    elif one.code in _BESIDE:
        trail = (*trail[:-1], _BESIDE[one.code])
    while trail and dotted(trail) not in shown:
        trail = trail[:-1]
    return trail, shown[dotted(trail)]


def _emptiness(kind: Kind | None) -> str:
    shape = kind.shape if kind else "text"
    return shape if shape in ("choice", "part", "parts") else "text"


def _pair(t: Words, trail: Trail) -> str:
    return t["problem_form.wrong.no_pair_values" if trail[-1:] == ("values",) else "problem_form.wrong.no_pair_nouns"]


def _doubts(data: Mapping[str, Plain], t: Words) -> Iterator[tuple[str, str]]:
    """Reasons that are in the task itself. What was misread is put right by reading it out, so there it is meant."""
    texts = [str(data[one])[:_LONGEST_TASK] for one in ("statement", "question") if data.get(one)]
    mistakes = data.get("misconceptions")
    for number, one in enumerate(mistakes[:MOST_MISTAKES] if isinstance(mistakes, list) else ()):
        marks = one.get("cue_marks") if isinstance(one, dict) else None
        if isinstance(one, dict) and isinstance(marks, list) and one.get("kind") != "misread":
            sentence = echoed([str(mark) for mark in marks], *texts)
            if sentence:
                yield f"misconceptions.{number}.cue_marks", t("problem_form.doubt.cue", sentence=sentence)


def examine(document: str) -> Examined:
    """Read a text, and prove that it holds together."""
    if len(document) > LONGEST:
        return Examined(error=ScenarioError(f"a problem has at most {LONGEST} characters.", mend="Shorten it."))
    try:
        reading = read_bytes(document.encode("utf-8"), _LABEL)
    except UnicodeEncodeError:
        return Examined(error=ScenarioError("this is no text."))
    except EduverseError as error:
        return Examined(error=error)
    problem: WordProblem | None = None
    try:
        problem = WordProblem.model_validate_json(json.dumps(reading.data), strict=True)
        found = check_word_problem(problem, reading)
    except ValidationError as error:
        found = explain(error, "problem", reading)
    if not found:
        return Examined(problem, reading.data)
    return Examined(None, reading.data, as_error(found, _LABEL), tuple(dict.fromkeys(found)))


def shown_data(examined: Examined) -> Mapping[str, Plain]:
    """What stands in it as a mapping."""
    return examined.data if isinstance(examined.data, dict) else {}
