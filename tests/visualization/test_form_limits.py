"""Forms and documents: what a field of a form allows is what the document allows, of every field that is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import solara

from eduverse_mesa.dashboard.elements import _words
from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.dashboard.pages.compare import forms
from eduverse_mesa.dashboard.pages.design import students
from eduverse_mesa.dashboard.pages.design.lesson import LessonPanel
from eduverse_mesa.dashboard.pages.design.page import SettingsPanel
from eduverse_mesa.dashboard.pages.design.room import RoomPanel, RulesPanel
from eduverse_mesa.dashboard.pages.design.students import Draw, StudentsPanel
from eduverse_mesa.dashboard.pages.experiments import page as experiments
from eduverse_mesa.dashboard.pages.groups import dialogue as groups
from eduverse_mesa.dashboard.pages.groups import page as groups_page
from eduverse_mesa.dashboard.pages.learner import page as learner_page
from eduverse_mesa.dashboard.pages.learner import school as learners
from eduverse_mesa.dashboard.pages.learner.school import SAMPLED, usual
from eduverse_mesa.dashboard.pages.seat import page as seat
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.groups import CollaborationSettings, Peer
from eduverse_mesa.scenarios.people import Sample, TraitDistribution
from eduverse_mesa.scenarios.scenario import Scenario, Waiting
from eduverse_mesa.scenarios.tutoring import TutoringSettings
from eduverse_mesa.visualization.widgets.fields import document_fields, filled_in, kind_of
from eduverse_mesa.visualization.widgets.form import Field, FormWidget
from eduverse_mesa.visualization.words import load_words

CHINESE = re.compile("[\u4e00-\u9fff]")
SCHEMA = Scenario.model_json_schema(by_alias=True)
DEFINED = SCHEMA["$defs"]
STEPS = {"phases": 4, "goals": 1, "ideas": 1, "questions": 1}


def shapes_at(shape: dict[str, Any], trail: tuple[str | int, ...]) -> Iterator[dict[str, Any]]:
    """The shapes that a schema allows at a place; more than one where it leaves a choice."""
    if "$ref" in shape:
        yield from shapes_at(DEFINED[shape["$ref"].rpartition("/")[2]], trail)
    elif "anyOf" in shape or "oneOf" in shape:
        for one in shape.get("anyOf") or shape["oneOf"]:
            yield from shapes_at(one, trail)
    elif not trail:
        yield shape
    else:
        step, *rest = trail
        inner = shape.get("properties", {}).get(step) if isinstance(step, str) else shape.get("items")
        inner = inner or shape.get("additionalProperties")
        if isinstance(inner, dict):
            yield from shapes_at(inner, tuple(rest))


@solara.component
def spoken_panel(panel: Any, shop: Workshop, language: str) -> None:
    """A panel of the design page in a language."""
    _words.provide(load_words(language))
    panel(shop)


def shown(panel: Any, shop: Workshop, language: str) -> list[Field]:
    """The fields that a panel of the design page shows of a draft."""
    _, context = solara.render(spoken_panel(panel, shop, language), handle_error=False)
    try:
        return [field for form in context.find(FormWidget).widgets for field in form.fields]
    finally:
        context.close()


def designed(language: str) -> Iterator[Field]:
    """The fields of the design page, of all its tabs and parts, for a class, a room and a lesson with everything."""
    shop = Workshop()
    yield from shown(SettingsPanel, shop, language)
    yield from shown(RoomPanel, shop, language)
    shop.draft.rules.use("groups_and_neighbours")
    shop.draft.rules.add("across_groups")
    yield from shown(RulesPanel, shop, language)
    for picked in (("student", shop.draft.people.names[0]), ("teacher", "")):
        shop.renew(picked=picked)
        yield from shown(StudentsPanel, shop, language)
    shop.renew(view="about")
    yield from shown(LessonPanel, shop, language)
    for view, parts in STEPS.items():
        for part in range(parts):
            shop.renew(view=view, part=(view, part))
            yield from shown(LessonPanel, shop, language)


@pytest.fixture(scope="module", params=["en", "zh"])
def fields(request: pytest.FixtureRequest) -> dict[tuple[str | int, ...], Field]:
    """The fields of the design page that are about a place in a scenario, by that place."""
    return {tuple(json.loads(one["id"])): one for one in designed(request.param) if one["id"].startswith("[")}


def test_every_part_of_a_scenario_that_can_be_designed_is_walked(fields: dict[tuple[str | int, ...], Field]) -> None:
    heads = {place[:2] for place in fields}
    assert {("class", "students"), ("class", "teacher"), ("layout", "seat_graph"), ("lessons", 0)} <= heads
    assert {("settings", name) for name in ("steps", "gate", "perception", "people", "memory")} <= heads
    assert {("layout", "grid", "width"), ("layout", "seat_graph", 0, "within")} <= set(fields)
    assert len(fields) > 80


def test_fields_allow_what_the_document_allows(fields: dict[tuple[str | int, ...], Field]) -> None:
    assert {place: told for place, field in fields.items() if (told := difference(field, place))} == {}


def difference(field: Field, place: tuple[str | int, ...], schema: dict[str, Any] = SCHEMA) -> str:
    """Where a field and the shape of its place in the document do not agree; empty where they do."""
    shape = next((one for one in shapes_at(schema, place) if one.get("type") != "null"), None)
    if shape is None:
        return "there is no such place in a scenario"
    if field["kind"] in ("number", "range"):
        ends = shape.get("minimum", shape.get("exclusiveMinimum")), shape.get("maximum")
        shown = field.get("min"), field.get("max")
        whole = shape["type"] == "integer", field.get("step") == 1
        return f"from {ends} to {shown}" if ends != shown else "steps" if whole[0] is not whole[1] else ""
    if "enum" in shape and [value for value, _ in field["options"]] != shape["enum"]:
        return f"{shape['enum']} and {field['options']}"
    return "" if field["label"] else "no label"


def test_choices_are_words_of_the_page(fields: dict[tuple[str | int, ...], Field]) -> None:
    said = [option for field in fields.values() for option in field.get("options", ()) if option[0]]
    assert not [option for option in said if "_" in option[1] or not option[1]]
    if fields[("settings", "steps")]["label"] == load_words("zh")("design.settings.steps"):
        named = [
            field["options"] for place, field in fields.items() if place[-1] in ("do", "rule", "role", "mode", "bloom")
        ]
        assert named
        assert not [one for options in named for one in options if not CHINESE.search(one[1])]


# --- forms that are about no draft: each has a small document of its own ---


def asked_for() -> Iterator[tuple[type[Part], Field]]:
    """Fields of the other pages, each with the document that says what is taken."""
    t, learner = load_words("en"), msgspec.structs.asdict(usual()) | {"cohort": SAMPLED}
    yield from (
        (learners.Wish, one) for one in learner_page._fields(learner, t) if one["id"] in learners.Wish.model_fields
    )
    yield from ((experiments.Wish, one) for one in experiments._fields(experiments.Wish().model_dump(), t))
    yield from ((seat.Wish, one) for one in seat._fields(seat.Wish(long=False).model_dump(), t))
    yield from ((Draw, one) for one in students._fields(Draw().model_dump(), Workshop(), t))
    plan = groups.GroupPlan()
    for one in groups_page.fields_of(plan, plan.word_problem(), t):
        name = one["id"].rpartition("-")[2]
        yield from (
            (part, {**one, "id": name})
            for part in (groups.Drawn, CollaborationSettings, Peer)
            if name in part.model_fields
        )
    seeds = document_fields(forms.Seeds, {}, t, "compare.make", seeds="", first="")
    yield from ((forms.Seeds, one) for one in seeds)


def test_forms_without_a_draft_allow_what_their_documents_allow() -> None:
    found = [(part, one) for part, one in asked_for() if one["kind"] in ("number", "range", "check")]
    assert {part.__name__ for part, _ in found} >= {"Wish", "Draw", "Drawn", "Seeds"}
    assert len(found) > 20
    wrong = {
        (part.__module__, one["id"]): told
        for part, one in found
        if (told := difference(one, (one["id"],), part.model_json_schema()))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("page", "name", "document", "place"),
    [
        (Draw, "size", Sample, "size"),
        (Draw, "seed", Sample, "seed"),
        (Draw, "spread", TraitDistribution, "sd"),
        (Draw, "openness", TraitDistribution, "mean"),
        (learners.Wish, "visits", TutoringSettings, "visits"),
        (learners.Wish, "learners", Sample, "size"),
        (seat.Wish, "wait", Waiting, "wait"),
    ],
)
def test_what_a_page_takes_a_document_takes(page: type[Part], name: str, document: type[Part], place: str) -> None:
    ours, theirs = kind_of(page.model_fields[name]), kind_of(document.model_fields[place])
    assert ours.shape == theirs.shape
    assert (ours.low or 0) >= (theirs.low or 0)
    assert theirs.high is None or (ours.high is not None and ours.high <= theirs.high)


def test_a_number_that_no_document_takes_makes_no_document() -> None:
    given = experiments.Wish().model_dump()
    assert filled_in(experiments.Wish, given | {"seeds": 1000}) is not None
    for wrong in (0, 1001, 2.5, None, "many"):
        assert filled_in(experiments.Wish, given | {"seeds": wrong}) is None
