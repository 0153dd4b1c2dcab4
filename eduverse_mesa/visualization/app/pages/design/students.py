"""The class: who is in it, what each is like, groups, and classes drawn from distributions."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.drafting.documents import mapping, said
from eduverse_mesa.visualization.app.kit import Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.advising import Advising
from eduverse_mesa.visualization.app.pages.design.drawing import teacher_name
from eduverse_mesa.visualization.app.pages.design.fields import Fields, buttons, field, head, use_seen
from eduverse_mesa.visualization.app.pages.design.profile import Profile
from eduverse_mesa.visualization.app.pages.design.sampling import Sampling
from eduverse_mesa.visualization.app.pages.design.teacher import TeacherProfile
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words


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
    """What can be done to the class as a whole."""
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

    fields = Fields(shop, t)
    grouped = any(said(mapping(student), "group") for student in _students(shop))
    shown: list[Field] = [
        buttons("act", ("add", t("design.students.add"))),
        head("groups head", t("design.students.groups")),
        field("size", "number", t("design.students.group_size"), size, min=1, step=1, width="third"),
        buttons(
            "groups",
            ("make", t("design.students.make_groups")),
            ("none", t("design.students.no_groups"), "plain", not grouped),
            width="two-thirds",
        ),
        *fields.rest(("class",), []),
        *fields.rest(("seating",), []),
    ]
    Form(shown, hear, label=t("design.students.all"))
    Advising(shop)
    Sampling(shop)


def _students(shop: Workshop) -> list[Any]:
    students = shop.draft.get("class", "students")
    return students if isinstance(students, list) else []
