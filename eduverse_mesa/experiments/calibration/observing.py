"""What a set of parameters yields: the lessons behind every target played, and measured the same way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from statistics import fmean

import msgspec

from eduverse_mesa.experiments.calibration.targets import FITTED_LAYOUTS, IRF_COLUMNS, STATES
from eduverse_mesa.experiments.papers.designs import CHINESE
from eduverse_mesa.experiments.realism.design import LAYOUTS, Design
from eduverse_mesa.experiments.realism.measuring import class_facts
from eduverse_mesa.experiments.trials import with_parameters
from eduverse_mesa.measures import class_shares, evolution, irf_measures, measure_lessons
from eduverse_mesa.runs.in_memory import run_course
from eduverse_mesa.runs.tables import tables
from eduverse_mesa.scenarios import Scenario, load_scenario

WORK = f"{__name__}:work"
_CLASSES = 499_979
"""So many are drawn before they come again: a prime, since the seeds of members are a thousand apart."""
_OF_CLASS = ("on_task", "top_share")

Observed = dict[str, float]


class Member(msgspec.Struct, frozen=True):
    """One set of parameters to be tried, and how many lessons to try it with."""

    parameters: dict[str, float]
    seed: int
    lessons: int = 2
    """Of each cell; as many courses, and as many lessons of mathematics."""


def work(payload: bytes) -> bytes:
    """What a member yields: what an engine calls."""
    return msgspec.json.encode(observe(msgspec.json.decode(payload, type=Member)))


def observe(member: Member) -> Observed:
    """The mean over lessons of everything that is fitted to, by the names of the targets; what no lesson showed is left
    out."""
    found: dict[str, list[float]] = {}
    for number in range(member.lessons):
        seed = member.seed + number
        for part in (*_cells(member.parameters, seed), _course(member.parameters, seed)):
            for name, value in part.items():
                found.setdefault(name, []).append(value)
        for name, value in _mathematics(member.parameters, seed).items():
            found.setdefault(name, []).append(value)
    known = {name: [value for value in values if math.isfinite(value)] for name, values in found.items()}
    return {name: fmean(values) for name, values in known.items() if values}


def _cells(parameters: Mapping[str, float], seed: int) -> Iterable[Observed]:
    for layout in FITTED_LAYOUTS:
        for genre in CHINESE:
            run = run_course(with_parameters(_lesson(genre, layout), parameters), seed)
            made = tables([run.lessons[0].model])
            rates = irf_measures(made.student_steps, made.teacher_steps)
            shares = {f"bec.{layout}.{genre}.{name}": value for name, value in class_shares(made.student_steps).items()}
            yield (
                shares
                | {f"irf.{layout}.{genre}.{name}": rates[name] for name in IRF_COLUMNS}
                | {f"irf.{layout}.{genre}.steps": float(run.steps)}
            )


def _course(parameters: Mapping[str, float], seed: int) -> Observed:
    run = run_course(with_parameters(_sessions(), parameters), seed)
    changes = evolution(tables(lesson.model for lesson in run.lessons).student_steps)
    order = list(dict.fromkeys(changes["lesson"]))
    found = {
        f"session.{order.index(lesson) + 1}.{state}": float(rows[state].mean())
        for lesson, rows in changes.groupby("lesson")
        for state in STATES
    }
    return found | {
        f"student.{student}.{state}": float(rows[state].mean())
        for student, rows in changes.groupby("student")
        for state in STATES
    }


def _mathematics(parameters: Mapping[str, float], seed: int) -> Observed:
    run = run_course(with_parameters(_class(seed), parameters), seed)
    made = tables([run.lessons[0].model])
    talk = measure_lessons(made.sentences).iloc[0]
    facts = class_facts(made, None)
    return {f"talk.{name}": float(value) for name, value in talk.items()} | {
        f"class.{name}": facts[name] for name in _OF_CLASS
    }


@cache
def _lesson(genre: str, layout: str) -> Scenario:
    return load_scenario(None, layout=layout, lessons=[CHINESE[genre]], students="six")


@cache
def _sessions() -> Scenario:
    return load_scenario("four_sessions", students="six")


def _class(seed: int) -> Scenario:
    """A class, teacher and layout of its own for each seed, as the realism report has them; but none of its own, since
    its seeds begin at 1."""
    return Design(per_teacher=1, seed=0).scenario(seed % _CLASSES, LAYOUTS[seed % len(LAYOUTS)])
