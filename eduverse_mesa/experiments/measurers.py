"""Measurers of an experiment: each turns a run into rows. Here are those of courses.

Give the name of one of these, or `module:function` for one of your own that takes a Run and yields rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.measures import class_shares, evolution, measure_lessons, measure_run, participation
from eduverse_mesa.measures.equity import speaking_turns
from eduverse_mesa.measures.tables import parts
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.tables import Tables, count_outcomes, tables


class Row(NamedTuple):
    """One number of a run. Lesson 0 is the whole course, step 0 the whole lesson, student "" the whole class."""

    lesson: int
    step: int
    student: str
    measure: str
    value: float


Rows = list[Row]
ROW_COLUMNS = Row._fields
Measurer = Callable[[Any], Iterable[Row]]
"""Takes what was played: a course's Run, a group's CollaborationModel."""


def lessons(run: Run) -> Iterator[Row]:
    """BEC, IRF, network and equity of each lesson, its steps, and the shares, centralities and evolution of each
    student; for the whole course how its answers came."""
    for played in run.lessons:
        made = tables([played.model])
        number = played.number
        yield Row(number, 0, "", "steps", float(played.model.state.step))
        board = played.model.placing.room.board
        measured = measure_run(made.student_steps, made.teacher_steps, made.requests, made.sentences, board)
        yield from _numbers(number, measured)
        yield from _students(number, made)
    for status, count in count_outcomes(run).items():
        yield Row(0, 0, "", f"outcomes.{status}", float(count))


def talk(run: Run) -> Iterator[Row]:
    """The measures of real classes (measures.REAL_CLASS_MEASURES) of each lesson, by its words alone."""
    for played in run.lessons:
        yield from talk_of(played.number, tables([played.model]))


def talk_of(lesson: int, made: Tables) -> Iterator[Row]:
    """The same of one lesson."""
    for _, measured in measure_lessons(made.sentences).iterrows():
        for name, value in measured.items():
            yield Row(lesson, 0, "", f"talk.{name}", float(value))


def steps(run: Run) -> Iterator[Row]:
    """The class's shares of behaviour, emotion and cognition at every step."""
    for played in run.lessons:
        made = tables([played.model])
        for (step,), part in parts(made.student_steps, ["step"]):
            for name, value in class_shares(part).items():
                yield Row(played.number, int(step), "", f"bec.{name}", value)


def _students(lesson: int, made: Tables) -> Iterator[Row]:
    rates = participation(made.student_steps, made.teacher_steps)
    turns = speaking_turns(made.sentences, list(rates))
    changes = evolution(made.student_steps).drop(columns="lesson").set_index("student").to_dict("index")
    for (student,), part in parts(made.student_steps, ["student"]):
        name = str(student)
        found: dict[str, float] = {f"bec.{share}": value for share, value in class_shares(part).items()}
        found |= {f"evolution.{column}": float(value) for column, value in changes[name].items()}
        found |= {
            f"state.{state}": float(part[state].mean())
            for state in ("attention", "confidence", "affect", "understanding")
        }
        found |= {"participation": rates.get(name, float("nan")), "turns": float(turns.get(name, 0))}
        for measure, value in found.items():
            yield Row(lesson, 0, name, measure, value)


def _numbers(lesson: int, measured: Mapping[str, Any], prefix: str = "") -> Iterator[Row]:
    for name, value in measured.items():
        if isinstance(value, Mapping):
            yield from _numbers(lesson, value, f"{prefix}{name}.")
        elif isinstance(value, list):
            for part in value:
                for measure, number in part.items():
                    if measure != "student":
                        yield Row(lesson, 0, part["student"], f"{prefix}{measure}", float(number))
        elif value is not None:
            yield Row(lesson, 0, "", f"{prefix}{name}", float(value))


_PAPERS = "eduverse_mesa.experiments.papers"
MOVED = {f"{_PAPERS}.measuring:exchanges": f"{_PAPERS}.eduverse.designs:exchanges"}
"""Measurers by the names that folders of earlier versions keep: the key of a trial rests on its name."""


def measurer(name: str, known: Mapping[str, Measurer]) -> Measurer:
    """A measurer by its name among those that are known, or of your own by `module:function`."""
    if name in known:
        return known[name]
    module, colon, function = MOVED.get(name, name).partition(":")
    if not colon:
        raise EduverseError(
            f"there is no measurer '{name}'.",
            where="measure",
            mend=f"Take one of {', '.join(known)}, or module:function for one of your own.",
        )
    try:
        found = getattr(import_module(module), function)
    except (Exception, SystemExit) as error:  # a module may do anything when it is imported
        raise EduverseError(
            f"'{name}' cannot be loaded ({type(error).__name__}: {error}).",
            where="measure",
            mend="Name a module that Python can import: one that is installed, or whose folder is in PYTHONPATH.",
        ) from error
    if not callable(found):
        raise EduverseError(f"'{name}' is no function.", where="measure", mend="Name a function that takes a run.")
    return found  # type: ignore[no-any-return]
