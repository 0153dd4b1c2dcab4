"""The one change of a fork: its inputs, the change itself, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import solara

from eduverse_mesa.codes import ACTS
from eduverse_mesa.models.classroom import Intervention, Move, NoChange, SetAct, SetTrait
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.seats import expand_seats
from eduverse_mesa.visualization.app.kit import use_words
from eduverse_mesa.visualization.app.pages.compare.fields import Choice
from eduverse_mesa.visualization.words import Words

CHANGES = ("move", "trait", "act", "nothing")
TRAITS = ("motivation", "ability", "openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")


@solara.component
def Change(kind: str, given: Mapping[str, Any], scenario: Scenario, put: Callable[[str, Any], None]) -> None:
    """The inputs of one kind of change."""
    with solara.Div(classes=["ev-contents"]):
        _inputs(kind, given, scenario, put, use_words())


def _inputs(kind: str, given: Mapping[str, Any], scenario: Scenario, put: Callable[[str, Any], None], t: Words) -> None:
    if kind in ("move", "trait"):
        students = {student.name: student.name for student in scenario.roll.students}
        Choice(t("compare.change.student"), students, given["student"], lambda name: put("student", name))
    if kind == "move":
        seats = _seats(scenario)
        Choice(t("compare.change.move.seat"), seats, given["seat"], lambda seat: put("seat", seat))
    elif kind == "trait":
        traits = {trait: t.code(trait) for trait in TRAITS}
        Choice(t("compare.change.trait.which"), traits, given["trait"], lambda trait: put("trait", trait))
        solara.SliderFloat(
            t("compare.change.trait.value"),
            value=given["value"],
            min=0.0,
            max=1.0,
            step=0.05,
            on_value=lambda value: put("value", value),
        )
    elif kind == "act":
        acts = {act: t.code(act) for act in ACTS}
        Choice(t("compare.change.act.which"), acts, given["act"], lambda act: put("act", act))


def _seats(scenario: Scenario) -> dict[str, str]:
    """The seats, with who is known to sit there."""
    sits = {student.seat: student.name for student in scenario.roll.students if student.seat}
    return {
        seat.id: f"{seat.id} · {sits[seat.id]}" if seat.id in sits else seat.id
        for seat in expand_seats(scenario.layout)
    }


def filled(given: Mapping[str, Any], scenario: Scenario, student: str) -> dict[str, Any]:
    """What was chosen so far, and for the rest something to begin with."""
    names, seats = [one.name for one in scenario.roll.students], list(_seats(scenario))
    first = {"student": student, "seat": "", "trait": TRAITS[0], "value": 0.9, "act": "organising_discussion"}
    made = {**first, **given}
    if made["student"] not in names:
        made["student"] = names[0]
    if made["seat"] not in seats:
        made["seat"] = seats[-1] if seats else ""
    return made


def change_of(kind: str, given: Mapping[str, Any], lesson: int, step: int) -> Intervention:
    """The change that these inputs say."""
    if kind == "move":
        return Move(lesson=lesson, step=step, student=given["student"], to=given["seat"])
    if kind == "trait":
        value = round(float(given["value"]), 3)
        return SetTrait(lesson=lesson, step=step, student=given["student"], trait=given["trait"], value=value)
    if kind == "act":
        return SetAct(lesson=lesson, step=step, act=given["act"])
    return NoChange(lesson=lesson, step=step)


def told_change(change: Intervention, t: Words) -> str:
    """A change in words."""
    if isinstance(change, Move):
        return t("compare.change.move.told", student=change.student, to=str(change.to))
    if isinstance(change, SetTrait):
        value = f"{change.value:g}"
        return t("compare.change.trait.told", student=change.student, trait=t.code(change.trait), value=value)
    if isinstance(change, SetAct):
        return t("compare.change.act.told", act=t.code(change.act))
    return t("compare.change.nothing.told")
