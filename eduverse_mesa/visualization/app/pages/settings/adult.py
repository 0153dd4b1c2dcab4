"""The adult whom people who take part in lessons can go to."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.store.alerts import LONGEST, Adult
from eduverse_mesa.visualization.alerts import help_words
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words.errors import bare_text

_LINES = ("name", "reach", "line")


@solara.component
def TheAdult(desk: Desk) -> None:
    """Who they are, where they are found, and a help line."""
    t = use_words()
    alerts = desk.office.alerts
    use_live(alerts.changed)
    adult = alerts.adult
    typed = solara.use_ref({name: getattr(adult, name) for name in _LINES})
    said, set_said = solara.use_state(("", ""))

    def hear(name: str, value: Any) -> None:
        if name in _LINES:
            typed.current = {**typed.current, name: str(value)}
            return
        try:
            alerts.name_adult(Adult(**typed.current))
        except EduverseError as error:
            key = "too_long" if any(len(one) > LONGEST for one in typed.current.values()) else "nobody"
            known = key == "too_long" or not typed.current["name"].strip()
            set_said((t(f"alerts.adult.{key}", n=LONGEST) if known else bare_text(error, t), "bad"))
        else:
            set_said((t("alerts.adult.saved"), "ok"))

    fields: list[Field] = [
        {"id": name, "kind": "text", "label": t(f"alerts.adult.{name}"), "value": typed.current[name]}
        for name in _LINES
    ]
    fields.append({"id": "do", "kind": "buttons", "options": [["save", t("alerts.adult.save"), "primary", False]]})
    with Card(t("alerts.adult.title")):
        solara.Text(t("alerts.adult.why"), classes=["ev-quiet"])
        Form(fields, hear, label=t("alerts.adult.title"))
        if said[0]:
            Note(said[0], kind=said[1])
        Reading(["p", {"class": "ev-muted ev-small", "dir": "auto"}, ["em", {}, " ".join(help_words(t, adult))]])
        solara.Text(t("alerts.overlooks"), classes=["ev-quiet", "ev-small"])
