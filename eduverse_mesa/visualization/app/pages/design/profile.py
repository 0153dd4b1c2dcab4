"""One student's profile: facts, seat, traits with what they mean, and the portrait in words."""

from __future__ import annotations

from typing import Any, get_args

import solara

from eduverse_mesa.scenarios.people import Behaviour, Cognition, CognitiveStyle, Emotion, Gender, Role, Thinking
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.sampler import BIG_FIVE
from eduverse_mesa.visualization.app.kit import Form, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import (
    Fields,
    buttons,
    field,
    head,
    note,
    options,
    trail_of,
    use_seen,
)
from eduverse_mesa.visualization.app.pages.design.saying import say
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

_SHARES = (*(("traits", trait) for trait in BIG_FIVE), ("motivation",), ("ability",))
_PORTRAIT = ("language_style", "class_behaviour", "learning_preference", "teacher_guidance", "role_description")


@solara.component
def Profile(shop: Workshop) -> None:
    """The student that is picked."""
    use_seen()
    t = use_words()
    index = shop.student
    if index is None:
        return
    at: Trail = ("class", "students", index)
    fields = Fields(shop, t)
    shown = [*_facts(shop, fields, t, at, index), *_traits(fields, t, at), *_more(fields, t, at)]
    shown += fields.rest(at, shown)

    def hear(field: str, value: Any) -> None:
        people = shop.draft.people
        if field == "act":
            shop.do(people.remove, index)
            shop.renew(picked=("student", ""))
        elif field == "seat":
            _sit(shop, index, value)
        elif field == "swap":
            shop.do(people.swap, people.names[index], value)
        else:
            _set(shop, index, trail_of(field), value)

    Form(shown, hear, label=shop.draft.people.names[index])


def _set(shop: Workshop, index: int, trail: Trail, value: Any) -> None:
    people, inner = shop.draft.people, trail[3:]
    if inner == ("name",):
        if shop.do(people.rename, index, value):
            shop.renew(picked=("student", people.names[index]))
    elif inner == ("group",):
        shop.do(people.group, [people.names[index]], value)
    else:
        if isinstance(value, float):
            value = round(value, 4)
        shop.do(people.set, index, inner, value)


def _sit(shop: Workshop, index: int, seat: str) -> None:
    name = shop.draft.people.names[index]
    place = next((one.at for one in shop.draft.seats if one.id == seat), None)
    if place is not None:
        other = next((who for who, sitting in shop.draft.sitting.items() if sitting.seat.at == place), "")
        if other and other != name:
            shop.do(shop.draft.people.swap, name, other)
        else:
            shop.do(shop.draft.room.move_student, name, list(place))


def _facts(shop: Workshop, fields: Fields, t: Words, at: Trail, index: int) -> list[Field]:
    name = shop.draft.people.names[index]
    sitting = shop.draft.sitting.get(name)
    taken = {one.seat.at: who for who, one in shop.draft.sitting.items() if who != name}
    seats = [[seat.id, f"{seat.id} · {taken[seat.at]}" if seat.at in taken else seat.id] for seat in shop.draft.seats]
    here = sitting.seat.id if sitting is not None and sitting.real else ""
    if not here:
        none = (
            t("design.student.cell", cell=", ".join(map(str, sitting.seat.at)))
            if sitting
            else t("design.student.no_seat")
        )
        seats = [["", none], *seats]
    wrong = " ".join(say(t, found) for found in shop.draft.problems_at("seating", name))
    return [
        fields.at((*at, "name"), t("design.student.name"), width="half", maxlength=80),
        fields.at((*at, "age"), t("design.student.age"), "number", 13, width="quarter", min=3, max=99, step=1),
        fields.at(
            (*at, "gender"),
            t("design.student.gender"),
            "select",
            "X",
            width="quarter",
            options=options(get_args(Gender), lambda one: t(f"design.gender.{one}")),
        ),
        field("seat", "select", t("design.student.seat"), here, options=seats, width="half", error=wrong, again=True),
        fields.at(
            (*at, "group"),
            t("design.student.group"),
            width="half",
            placeholder=(sitting.seat.group if sitting else "") or t("design.student.no_group"),
        ),
        fields.at(
            (*at, "role"),
            t("design.student.role"),
            "select",
            "academic",
            options=options(get_args(Role), lambda one: t(f"design.role.{one}")),
            help=t("design.student.role_help"),
        ),
        buttons("act", ("remove", t("design.student.remove"), "danger")),
    ]


def _traits(fields: Fields, t: Words, at: Trail) -> list[Field]:
    shown = [head("traits head", t("design.traits.title")), note("traits note", t("design.traits.note"))]
    for trail in _SHARES:
        name = trail[-1]
        shown.append(
            fields.at(
                (*at, *trail),
                t(f"design.traits.{name}.name"),
                "range",
                0.5,
                min=0,
                max=1,
                step=0.01,
                low=t(f"design.traits.{name}.low"),
                high=t(f"design.traits.{name}.high"),
                help=t(f"design.traits.{name}.here"),
            )
        )
    return shown


def _more(fields: Fields, t: Words, at: Trail) -> list[Field]:
    return [
        fields.at(
            (*at, "cognitive_style"),
            t("design.student.style"),
            "select",
            "field_independent",
            options=options(get_args(CognitiveStyle), lambda one: t(f"design.style.{one}")),
            width="half",
        ),
        fields.at(
            (*at, "thinking"),
            t("design.student.thinking"),
            "select",
            "reflective",
            options=options(get_args(Thinking), lambda one: t(f"design.thinking.{one}")),
            width="half",
        ),
        head("initial", t("design.student.initial")),
        fields.at(
            (*at, "initial", "behaviour"),
            t.code("behaviour"),
            "select",
            "head_up",
            width="third",
            options=options(get_args(Behaviour), t.code),
        ),
        fields.at(
            (*at, "initial", "emotion"),
            t.code("emotion"),
            "select",
            "positive",
            width="third",
            options=options(get_args(Emotion), t.code),
        ),
        fields.at(
            (*at, "initial", "cognition"),
            t.code("cognition"),
            "select",
            "understand",
            width="third",
            options=options(get_args(Cognition), t.code),
        ),
        head("portrait", t("design.student.portrait")),
        note("portrait note", t("design.student.portrait_note")),
        *(fields.at((*at, "portrait", part), t(f"design.portrait.{part}"), "area", rows=2) for part in _PORTRAIT),
    ]
