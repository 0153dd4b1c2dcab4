"""Calls for help over every page of whoever holds lessons; and the kind words for whoever has typed one."""

from __future__ import annotations

from typing import Any, cast

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.store import Verdict
from eduverse_mesa.store.alerts import Adult
from eduverse_mesa.visualization.alerts import SHOWN, cut, kind_words
from eduverse_mesa.visualization.app.alerts import Alarm
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Reading, Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_VERDICTS = {"see_to_it": "seen", "false_alarm": "false"}


@solara.component
def Alarms(desk: Desk) -> None:
    """What nobody has looked at yet."""
    t = use_words()
    alerts, router = desk.office.alerts, solara.use_router()
    use_live(alerts.changed)
    trouble, set_trouble = solara.use_state(cast("EduverseError | None", None))
    waiting = alerts.waiting()

    def hear(event: Any) -> None:
        what, _, alert = str(event).partition(" ")
        found = next((one.alert for one in alerts.waiting() if one.alert.id == alert), None)
        if found is None:
            return
        if what == "open_it":
            desk.to_look_at = found.run
            router.push("/studies")
            return
        try:
            alerts.settle(alert, cast("Verdict", _VERDICTS[what]))
            set_trouble(None)
        except EduverseError as error:
            set_trouble(error)

    with solara.Div(classes=["ev-alerts"] if waiting else ["ev-idle"]):
        if trouble is not None:
            Trouble(trouble)
        Reading(alarms_tree(waiting, t), on_event=hear)


def alarms_tree(waiting: list[Alarm], t: Words) -> Tree:
    """The newest of them, and how many more there are. Comes back: what was pressed, and the alert's id."""
    more = len(waiting) - SHOWN
    last: list[Tree] = [["p", {"class": "ev-muted"}, t("alerts.more", n=more)]] if more > 0 else []
    shown = [_alarm(one, t) for one in waiting[:SHOWN]]
    return ["div", {"aria-live": "assertive", "hidden": not waiting}, *shown, *last]


def _alarm(one: Alarm, t: Words) -> Tree:
    alert = one.alert
    at = f"{alert.at[:10]} {alert.at[11:16]} UTC"
    where = f"{at} · {t(f'alerts.{one.place}', name=one.about)}"
    ways = ["see_to_it", "false_alarm", *(["open_it"] if alert.run else [])]
    buttons: list[Tree] = [
        ["button", {"class": f"ev-alert-way is-{way}", "on": f"{way} {alert.id}"}, t(f"alerts.{way}")] for way in ways
    ]
    return [
        "article",
        {"class": "ev-alert", "key": alert.id},
        ["p", {}, ["b", {"dir": "auto"}, t("alerts.may_need_help", name=alert.speaker)], " ",
         ["span", {"class": "ev-muted"}, where]],
        ["blockquote", {"dir": "auto"}, cut(alert.text)],
        *([["p", {"class": "ev-small ev-muted"}, t("alerts.not_told")]] if one.place != "group" else []),
        ["div", {"class": "ev-alert-ways"}, *buttons],
    ]  # fmt: skip


def kind_tree(adult: Adult, t: Words, kept: str = "") -> Tree:
    """What is said to somebody who has typed something that tells of harm; `kept`: that it went no further."""
    lines = [*kind_words(t, adult), *([t(f"alerts.help.{kept}")] if kept else [])]
    return ["div", {"class": "ev-note is-ok", "role": "status"}, *(["p", {"dir": "auto"}, line] for line in lines)]
