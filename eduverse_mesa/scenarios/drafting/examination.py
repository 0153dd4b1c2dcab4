"""What is wrong with a draft: the findings that loading would stop at, all of them, each with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from eduverse_mesa.scenarios.checks import check_lessons, check_roll, check_scenario
from eduverse_mesa.scenarios.drafting.documents import entries, get, records, said, try_read
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.layout_checks import check_layout
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Trail, read_object
from eduverse_mesa.scenarios.problems import Problem, explain
from eduverse_mesa.scenarios.scenario import Scenario

LABEL = "the draft"


class Finding(NamedTuple):
    """One thing that is wrong: where in the document, what, and what to do about it."""

    trail: Trail
    message: str
    mend: str


class Examination(NamedTuple):
    """The scenario if the document is one, and else what is wrong with it."""

    scenario: Scenario | None
    findings: tuple[Finding, ...]


def examine(document: Plain) -> Examination:
    """Look at a document as loading does. While values are wrong, parts that are valid are still looked at."""
    reading = read_object(document, LABEL)
    scenario: Scenario | None = None
    try:
        # A sample stays in a draft only while it cannot be drawn, so nothing has to be drawn first.
        scenario = Scenario.model_validate_json(json.dumps(document), strict=True)
        problems = list(check_scenario(scenario, reading))
    except ValidationError as error:
        problems = [*explain(error, "scenario", reading), *_parts(document, reading)]
    findings = tuple(dict.fromkeys(Finding(found.trail, found.message, found.mend) for found in problems))
    return Examination(None if findings else scenario, findings)


def _parts(document: Plain, reading: Any) -> Iterator[Problem]:
    layout = try_read(Layout, get(document, ("layout",)))
    if layout is not None:
        groups = {group for _, student in records(document, ("class", "students")) if (group := said(student, "group"))}
        yield from check_layout(layout, reading, ("layout",), groups)
    roll = try_read(ClassRoll, get(document, ("class",)))
    if roll is not None:
        yield from check_roll(roll, reading, ("class",))
    lessons = [try_read(Lesson, lesson) for lesson in entries(document, ("lessons",))]
    if lessons and None not in lessons:
        yield from check_lessons(cast("list[Lesson]", lessons), reading, ("lessons",))
