"""What is wrong with a problem, with its place: for the line of a text, and for the field of a form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.plain import Plain, Trail, dotted
from eduverse_mesa.scenarios.problems import Problem, as_error, explain
from eduverse_mesa.scenarios.proving import check_word_problem
from eduverse_mesa.scenarios.reading import read_bytes
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.mathematics.teacher.problem_form import places

LONGEST = 100_000
_LABEL = "problem"
_MISSING = re.compile(r"the key '(\w+)' is missing")


@dataclass(frozen=True)
class Examined:
    """A text that may be a problem."""

    problem: WordProblem | None = None
    data: Plain = None
    """What stands in it, if that can be read at all."""
    trouble: str = ""
    """Everything that is wrong, with lines."""
    problems: tuple[Problem, ...] = ()

    def at_fields(self, empty: str) -> dict[str, str]:
        """What is wrong, by the place at which a form can show it. `empty`: what is said of a field without a word."""
        if not isinstance(self.data, dict):
            return {"": self.trouble}
        shown = set(places(self.data))
        found: dict[str, str] = {}
        for one in self.problems:
            missing = _MISSING.fullmatch(one.message)
            trail: Trail = (*one.trail, missing[1]) if missing else one.trail
            while trail and dotted(trail) not in shown:
                trail = trail[:-1]
            said = empty if missing else _sentence(one)
            at = dotted(trail)
            found[at] = f"{found[at]} {said}" if at in found else said
        return found


def _sentence(one: Problem) -> str:
    message = f"{one.message[:1].upper()}{one.message[1:]}."
    return f"{message} {one.mend}".strip()


def examine(document: str) -> Examined:
    """Read a text, and prove that it holds together."""
    if len(document) > LONGEST:
        return Examined(trouble=f"A problem has at most {LONGEST} characters.")
    try:
        reading = read_bytes(document.encode("utf-8"), _LABEL)
    except UnicodeEncodeError:
        return Examined(trouble="This is no text.")
    except EduverseError as error:
        return Examined(trouble=str(error))
    problem: WordProblem | None = None
    try:
        problem = WordProblem.model_validate_json(json.dumps(reading.data), strict=True)
        found = check_word_problem(problem, reading)
    except ValidationError as error:
        found = explain(error, "problem", reading)
    if not found:
        return Examined(problem, reading.data)
    return Examined(None, reading.data, str(as_error(found, _LABEL)), tuple(dict.fromkeys(found)))


def shown_data(examined: Examined) -> Mapping[str, Plain]:
    """What stands in it as a mapping."""
    return examined.data if isinstance(examined.data, dict) else {}
