"""Banner of new calls for help over every page of a person who holds lessons, the list of all of them, and the kind
words for a person who has typed one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import solara

from eduverse_mesa.dashboard.alerts import Alarm
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Card, Reading, Trouble, use_words
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.run_names import run_name
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.store import Verdict
from eduverse_mesa.store.alerts import Adult
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import clock, person_name
from eduverse_mesa.web.alerts import SHOWN, cut, kind_words, verdicts_said

_VERDICTS: dict[str, Verdict] = {"see_to_it": "seen", "false_alarm": "false", "take_back": ""}


@solara.component
def Alarms(desk: Desk) -> None:
    """Banner of the calls for help that nobody has looked at yet."""
    t = use_words()
    alerts = desk.office.alerts
    use_live(alerts.changed)
    trouble, hear = use_verdicts(desk)
    waiting = alerts.waiting()
    with solara.Div(classes=["ev-alerts"] if waiting or trouble is not None else ["ev-idle"]):
        if trouble is not None:
            Trouble(trouble)
        Reading(alarms_tree(waiting, t), on_event=hear)


@solara.component
def AllAlarms(desk: Desk) -> None:
    """All calls for help and what was made of each, which can be taken back."""
    t = use_words()
    alerts = desk.office.alerts
    use_live(alerts.changed)
    trouble, hear = use_verdicts(desk)
    with Card(t("alerts.title")):
        if trouble is not None:
            Trouble(trouble)
        Reading(list_tree(alerts.all(), t), on_event=hear)


def use_verdicts(desk: Desk) -> tuple[EduverseError | None, Callable[[Any], None]]:
    """Return the last error and the handler of the buttons of alerts."""
    alerts, router = desk.office.alerts, solara.use_router()
    trouble, set_trouble = solara.use_state(cast("EduverseError | None", None))

    def hear(event: Any) -> None:
        what, _, alert = str(event).partition(" ")
        found = next((one.alert for one in alerts.all() if one.alert.id == alert), None)
        if found is None or what not in (*_VERDICTS, "open_it"):
            return
        if what == "open_it":
            desk.to_look_at = found.run
            router.push("/studies")
            return
        try:
            alerts.settle(alert, _VERDICTS[what])
            set_trouble(None)
        except EduverseError as error:
            set_trouble(error)

    return trouble, hear


def alarms_tree(waiting: list[Alarm], t: Words) -> Tree:
    """The newest of them, and how many more there are. Comes back: what was pressed, and the alert's id."""
    more = len(waiting) - SHOWN
    last: list[Tree] = [["p", {"class": "ev-muted"}, t("alerts.more", n=more)]] if more > 0 else []
    shown = [_alarm(one, cut(one.alert.text), t) for one in waiting[:SHOWN]]
    below: Tree = ["p", {"class": "ev-small ev-muted"}, t("alerts.all_of_them")]
    return ["div", {"aria-live": "assertive", "hidden": not waiting}, *shown, *last, below]


def list_tree(found: list[Alarm], t: Words) -> Tree:
    """All of them with what was made of each. Comes back: what was pressed, and the alert's id."""
    if not found:
        return ["p", {"class": "ev-muted"}, t("alerts.none")]
    return ["div", {}, *(_alarm(one, one.alert.text, t) for one in found)]


def _alarm(one: Alarm, text: str, t: Words) -> Tree:
    alert = one.alert
    ways = ["take_back"] if alert.verdict else ["see_to_it", "false_alarm"]
    buttons: list[Tree] = [
        ["button", {"class": f"ev-alert-way is-{way}", "on": f"{way} {alert.id}"}, t(f"alerts.{way}")]
        for way in [*ways, *(["open_it"] if alert.run else [])]
    ]
    who = t("alerts.may_need_help", name=person_name(one.name, t)) if one.name else t("alerts.somebody_may_need_help")
    return [
        "article",
        {"class": "ev-alert is-settled" if alert.verdict else "ev-alert", "key": alert.id},
        ["p", {}, ["b", {"dir": "auto"}, who], " ",
         ["span", {"class": "ev-muted", "dir": "auto"}, f"{clock(alert.at)} · {where_typed(one, t)}"]],
        ["blockquote", {"dir": "auto"}, text],
        *(["p", {"class": "ev-small"}, said] for said in verdicts_said(t, alert)),
        *([["p", {"class": "ev-small ev-muted"}, t("alerts.not_told")]] if one.place != "group" else []),
        ["div", {"class": "ev-alert-ways"}, *buttons],
    ]  # fmt: skip


def where_typed(one: Alarm, t: Words) -> str:
    """Return the place where a text was typed: the lesson and the seat, the learner, or the group and its problem."""
    title = run_name(one.card, t) if one.card is not None else one.about
    if one.place == "lesson" and one.card is not None:
        return t("alerts.lesson_called", title=title, name=one.about)
    return t(f"alerts.{one.place}", name=title)


def kind_tree(adult: Adult, t: Words, kept: str = "") -> Tree:
    """Return the words shown to a person who has typed something that tells of harm; `kept` is the key of a line that
    says it went no further."""
    lines = [*kind_words(t, adult), *([t(f"alerts.help.{kept}")] if kept else [])]
    return ["div", {"class": "ev-note is-ok", "role": "status"}, *(["p", {"dir": "auto"}, line] for line in lines)]
