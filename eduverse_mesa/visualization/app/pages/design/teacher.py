"""The teacher's profile."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.people import TeacherStyle
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.app.kit import Form, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import Fields, head, trail_of, use_seen
from eduverse_mesa.visualization.widgets.form import Field

_AT: Trail = ("class", "teacher")


@solara.component
def TeacherProfile(shop: Workshop) -> None:
    """Name, way of teaching, and portrait."""
    use_seen()
    t = use_words()
    fields = Fields(shop, t)
    shown: list[Field] = [
        fields.at((*_AT, "name"), t("design.student.name"), usual="Teacher", maxlength=80),
        head("style", t("design.teacher.style")),
    ]
    for name, style in TeacherStyle.model_fields.items():
        shown.append(
            fields.at(
                (*_AT, "style", name),
                t(f"design.teacher.{name}.name"),
                "range",
                style.default,
                min=0,
                max=1,
                step=0.01,
                low=t(f"design.teacher.{name}.low"),
                high=t(f"design.teacher.{name}.high"),
            )
        )
    shown.append(fields.at((*_AT, "portrait"), t("design.student.portrait"), "area", rows=3))
    shown += fields.rest(_AT, shown)

    def hear(field: str, value: Any) -> None:
        trail = trail_of(field)[2:]
        shop.do(shop.draft.people.set_teacher, trail, round(value, 4) if isinstance(value, float) else value)

    Form(shown, hear, label=t("design.students.teacher"))
