"""From whatever a user gives to one mathematics problem that is proved to hold together; and the built-in ones."""

from __future__ import annotations

from functools import cache

from eduverse_mesa.scenarios.includes import Include, read_given
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.scenarios.problems import refuse
from eduverse_mesa.scenarios.proving import check_word_problem
from eduverse_mesa.scenarios.validating import validate
from eduverse_mesa.scenarios.word_problem import DIFFICULTIES, WordProblem


def load_problem(source: Include) -> WordProblem:
    """A problem by its name, a path or a mapping. Every mistake is a ScenarioError that says where and how to mend."""
    reading = read_given("problem", source, "problem", None)
    label = reading.spot(()).label
    problem: WordProblem = validate("problem", reading, label)
    refuse(check_word_problem(problem, reading), label)
    return problem


def built_in_problems(language: str = "en") -> tuple[WordProblem, ...]:
    """The built-in problems of a language, by grade and then from easy to hard."""
    return tuple(
        sorted(
            (problem for problem in _all_built_in() if problem.language == language),
            key=lambda problem: (problem.grade, DIFFICULTIES.index(problem.difficulty), problem.name),
        )
    )


@cache
def _all_built_in() -> tuple[WordProblem, ...]:
    return tuple(load_problem(name) for name in list_names("problem"))
