"""The one change of a fork: its inputs, the change itself, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eduverse_mesa.codes import ACTS
from eduverse_mesa.models.classroom import Intervention, Move, NoChange, SetAct, SetTrait
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.seats import expand_seats
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

CHANGES = ("move", "trait", "act", "nothing")
TRAITS = ("motivation", "ability", "openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")


def fields_of(kind: str, given: Mapping[str, Any], scenario: Scenario, t: Words) -> list[Field]:
    """The inputs of one kind of change."""
    if kind == "act":
        return [_select("act", t("compare.change.act.which"), {act: t.code(act) for act in ACTS}, given)]
    if kind not in ("move", "trait"):
        return []
    students = {student.name: student.name for student in scenario.roll.students}
    fields = [_select("student", t("compare.change.student"), students, given)]
    if kind == "move":
        return [*fields, _select("seat", t("compare.change.move.seat"), _seats(scenario), given)]
    traits = {trait: t.code(trait) for trait in TRAITS}
    value = {"id": "value", "kind": "range", "label": t("compare.change.trait.value"), "min": 0, "max": 1, "step": 0.05}
    return [
        *fields,
        _select("trait", t("compare.change.trait.which"), traits, given),
        {**value, "value": given["value"], "width": "quarter"},
    ]


def _select(name: str, label: str, names: Mapping[str, str], given: Mapping[str, Any]) -> Field:
    options = [list(option) for option in names.items()]
    return {"id": name, "kind": "select", "label": label, "options": options, "value": given[name], "width": "quarter"}


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
