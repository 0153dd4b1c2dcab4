"""The class: its students and their profiles, the teacher, groups, and classes drawn from distributions."""

from __future__ import annotations

from typing import Any

import pydantic
import solara

from eduverse_mesa.dashboard.elements import Form, Reading, use_words
from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.dashboard.pages.design.advice import Advising
from eduverse_mesa.dashboard.pages.design.drawing import teacher_name
from eduverse_mesa.dashboard.pages.design.fields import Fields, say, trail_of, use_seen
from eduverse_mesa.scenarios.base import Name, Share
from eduverse_mesa.scenarios.drafts import EditError
from eduverse_mesa.scenarios.drafts.documents import mapping, said
from eduverse_mesa.scenarios.drafts.people import MOST_SAMPLED
from eduverse_mesa.scenarios.people import Portrait, Sample, TeacherStyle, TraitDistribution, Traits
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.sampler import BIG_FIVE, SAMPLED, list_languages
from eduverse_mesa.visualization.widgets.fields import (
    buttons,
    document_field,
    document_fields,
    field,
    filled_in,
    head,
    note,
    select,
)
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import LANGUAGES, Words

_SHARES = (*(("traits", trait) for trait in BIG_FIVE), ("motivation",), ("ability",))


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
    group = (sitting.seat.group if sitting else "") or t("design.student.no_group")
    return [
        *fields.of(at, name="half", age="quarter", gender="quarter"),
        select("seat", t("design.student.seat"), seats, here, width="half", error=wrong, again=True),
        fields.at((*at, "group"), width="half", placeholder=group),
        fields.at((*at, "role")),
        buttons("act", ("remove", t("design.student.remove"), "danger")),
    ]


def _traits(fields: Fields, t: Words, at: Trail) -> list[Field]:
    return [
        head("traits head", t("design.traits.title")),
        note("traits note", t("design.traits.note")),
        *(fields.at((*at, *trail)) for trail in _SHARES),
    ]


def _more(fields: Fields, t: Words, at: Trail) -> list[Field]:
    return [
        *fields.of(at, cognitive_style="half", thinking="half"),
        head("initial", t("design.student.initial")),
        *fields.of((*at, "initial"), behaviour="third", emotion="third", cognition="third"),
        head("portrait", t("design.student.portrait")),
        note("portrait note", t("design.student.portrait_note")),
        *(fields.at((*at, "portrait", part), rows=2) for part in Portrait.model_fields),
    ]


class Draw(Traits):
    """A class to be drawn: means of its traits, one spread for all, and no more students than can be listed."""

    size: int = pydantic.Field(12, ge=1, le=MOST_SAMPLED)
    seed: int = pydantic.Field(1, ge=0)
    language: Name = "en"
    motivation: Share = 0.5
    ability: Share = 0.5
    spread: Share = TraitDistribution().sd


@solara.component
def Sampling(shop: Workshop) -> None:
    """Form for a drawn class: size, seed and averages of traits; then the draw."""
    use_seen()
    t = use_words()
    given = Draw(language=_language(shop)).model_dump() | shop.sample

    def hear(field: str, value: Any) -> None:
        if field != "draw":
            shop.renew(sample={**shop.sample, field: value})
        elif shop.do(lambda: _draw(given, shop)):
            shop.renew(picked=("student", ""))
            if value == "rows":
                shop.do(shop.draft.room.fit_rows)

    Form(_fields(given, shop, t), hear, label=t("design.sample.title"))


def _fields(given: dict[str, Any], shop: Workshop, t: Words) -> list[Field]:
    size, seats = given["size"] or 0, len(shop.draft.seats)
    languages = {one: LANGUAGES.get(one, one) for one in list_languages()}
    draws: list[tuple[Any, ...]] = [("draw", t("design.sample.draw"), "primary")]
    crowded: list[Field] = []
    if size > seats:
        draws = [("draw", t("design.sample.draw")), ("rows", t("design.sample.draw_rows"), "primary")]
        crowded = [note("crowded", t("design.sample.crowded", size=size, seats=seats), "warn")]
    ends = {"low": t("design.sample.alike"), "high": t("design.sample.unlike")}
    return [
        head("head", t("design.sample.title")),
        note("note", t("design.sample.note")),
        *document_fields(Draw, given, t, "design.sample", size="third", seed="third"),
        select("language", t("design.sample.language"), languages, given["language"], width="third"),
        *(
            document_field(
                Draw, name, given[name], t, "design.sample", label=t(f"design.traits.{name}.name"), width="half"
            )
            for name in SAMPLED
        ),
        document_field(Draw, "spread", given["spread"], t, "design.sample", width="half", **ends),
        *crowded,
        buttons("draw", *draws),
    ]


def _language(shop: Workshop) -> str:
    known = shop.draft.get("lessons", 0, "language")
    return known if isinstance(known, str) and known in list_languages() else "en"


def _draw(given: dict[str, Any], shop: Workshop) -> None:
    draw = filled_in(Draw, given)
    if draw is None:
        message, mend = "the size and the seed have to be whole numbers.", f"Take 1 to {MOST_SAMPLED} students."
        raise EditError("sample_numbers", message, mend, most=MOST_SAMPLED)
    traits = {trait: TraitDistribution(mean=getattr(draw, trait), sd=draw.spread) for trait in SAMPLED}
    shop.draft.people.sample(Sample(size=draw.size, seed=draw.seed, language=draw.language, traits=traits))


_AT: Trail = ("class", "teacher")


@solara.component
def TeacherProfile(shop: Workshop) -> None:
    """Name, way of teaching, and portrait."""
    use_seen()
    t = use_words()
    fields = Fields(shop, t)
    shown: list[Field] = [
        fields.at((*_AT, "name")),
        head("style", t("design.teacher.style")),
        *(fields.at((*_AT, "style", name)) for name in TeacherStyle.model_fields),
        fields.at((*_AT, "portrait"), rows=3),
    ]
    shown += fields.rest(_AT, shown)

    def hear(field: str, value: Any) -> None:
        trail = trail_of(field)[2:]
        shop.do(shop.draft.people.set_teacher, trail, round(value, 4) if isinstance(value, float) else value)

    Form(shown, hear, label=t("design.students.teacher"))


@solara.component
def StudentsPanel(shop: Workshop) -> None:
    """The list, and who is picked in it."""
    use_seen()
    t = use_words()
    with solara.Div(classes=["ev-stack"]):
        _List(shop, t)
        if shop.student is not None:
            Profile(shop).key(f"student {shop.student}")
        elif shop.picked == ("teacher", ""):
            TeacherProfile(shop)
        else:
            _Whole(shop, t)


@solara.component
def _List(shop: Workshop, t: Words) -> None:
    use_seen()
    draft = shop.draft
    teacher = teacher_name(draft)
    wrong = {found.trail[2] for found in draft.problems_at("class", "students") if len(found.trail) > 2}

    def hear(picked: Any) -> None:
        if picked == "teacher":
            shop.renew(picked=("teacher", ""))
        elif picked == "all":
            shop.renew(picked=("student", ""))
        elif isinstance(picked, int) and 0 <= picked < len(draft.people.names):
            shop.renew(picked=("student", draft.people.names[picked]))

    def pick(on: Any, name: str, here: bool, more: str = "", bad: bool = False) -> list[Any]:
        look = " ".join(["ev-name", *(["here"] if here else []), *(["bad"] if bad else [])])
        small = [["span", {"class": "ev-muted ev-small"}, more]] if more else []
        return [
            "li",
            {"key": str(on)},
            ["button", {"on": on, "class": look, "aria-pressed": str(here).lower()}, ["bdi", {}, name or "?"], *small],
        ]

    groups = {name: sitting.seat.group for name, sitting in draft.sitting.items()}
    Reading(
        [
            "ul",
            {"class": "ev-names", "aria-label": t("design.students.list")},
            pick("all", t("design.students.all"), shop.picked == ("student", "")),
            pick("teacher", teacher, shop.picked == ("teacher", ""), t("design.students.teacher")),
            *(
                pick(index, name, shop.student == index, groups.get(name) or "", index in wrong)
                for index, name in enumerate(draft.people.names)
            ),
        ],
        on_event=hear,
    )


@solara.component
def _Whole(shop: Workshop, t: Words) -> None:
    """Form for the class as a whole."""
    use_seen()
    size, set_size = solara.use_state(4)
    people = shop.draft.people

    def hear(field: str, value: Any) -> None:
        if field == "size" and isinstance(value, int):
            set_size(value)
        elif field == "act" and value == "add":
            made: list[int] = []
            if shop.do(lambda: made.append(people.add())):
                shop.renew(picked=("student", people.names[made[0]]))
        elif field == "groups":
            if value == "make":
                shop.do(people.group_evenly, size)
            else:
                shop.do(people.group, people.names, "")

    grouped = any(said(mapping(student), "group") for student in _students(shop))
    shown: list[Field] = [
        buttons("act", ("add", t("design.students.add"))),
        head("groups head", t("design.students.groups")),
        field("size", "number", t("design.students.group_size"), size, min=1, max=len(people.names), width="third"),
        buttons(
            "groups",
            ("make", t("design.students.make_groups")),
            ("none", t("design.students.no_groups"), "plain", not grouped),
            width="two-thirds",
        ),
        *Fields(shop, t).rest(("class",), []),
        *Fields(shop, t).rest(("seating",), []),
    ]
    Form(shown, hear, label=t("design.students.all"))
    Advising(shop)
    Sampling(shop)


def _students(shop: Workshop) -> list[Any]:
    students = shop.draft.get("class", "students")
    return students if isinstance(students, list) else []
