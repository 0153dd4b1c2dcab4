"""Alerts about children in trouble, shown to teachers on all their pages, and the adult whom children can go to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eduverse_mesa.pupils.markup import Markup, join, tag
from eduverse_mesa.store.alerts import PupilsAlert, adult_for, alerts_for
from eduverse_mesa.web.alerts import SHOWN, cut, help_words

if TYPE_CHECKING:
    from eduverse_mesa.pupils.request import Ask

PAGE = "/alerts"


def banner(ask: Ask) -> Markup | None:
    """Return the alerts that nobody has looked at yet, for the teacher who is responsible for them; None for anybody
    else. The section is there also when it is empty: the page looks every few seconds for new alerts."""
    if ask.account is None or ask.account.role != "teacher":
        return None
    waiting = [one for one in alerts_for(ask.study, ask.account.id) if not one.alert.verdict]
    more = len(waiting) - SHOWN
    link = tag("p", tag("a", ask.t("alerts.more", n=more), href=PAGE)) if more > 0 else None
    return tag(
        "section",
        *(_alert(ask, one) for one in waiting[:SHOWN]),
        link,
        id="alerts",
        class_="ev-alerts",
        aria_live="assertive",
        aria_label=ask.t("alerts.title"),
        data_page=PAGE,
    )


def _alert(ask: Ask, one: PupilsAlert) -> Markup:
    alert = one.alert
    return tag(
        "article",
        tag("p", tag("b", ask.t("alerts.may_need_help", name=one.name)), " ", moment(alert.at), f" · {one.title}"),
        tag("blockquote", tag("p", cut(alert.text))),
        verdict_form(ask, one, tag("a", ask.t("alerts.open_it"), href=line_of(one), class_="ev-button"), " "),
        class_="ev-alert",
    )


def verdict_form(ask: Ask, one: PupilsAlert, *before: object) -> Markup:
    """Return the form for the teacher's verdict on an alert; for a settled alert it offers to take the verdict back."""
    if one.alert.verdict:
        ways = [tag("button", ask.t("alerts.take_back"), name="verdict", value="open", class_="ev-plain")]
    else:
        ways = [
            tag("button", ask.t("alerts.see_to_it"), name="verdict", value="seen"),
            tag("button", ask.t("alerts.false_alarm"), name="verdict", value="false", class_="ev-plain"),
        ]
    return ask.form_tag(f"{PAGE}/{one.alert.id}", *before, join(_spaced(ways)), class_="ev-verdict")


def line_of(one: PupilsAlert) -> str:
    """Return the address of the message of an alert in its transcript."""
    return f"/transcripts/{one.talk.run}?step={one.alert.step}"


def moment(at: str) -> Markup:
    """Time of an alert, by the clock of the reader where the page can tell that."""
    return tag("time", f"{at[:10]} {at[11:16]} UTC", datetime=at, data_local=True)


def help_line(ask: Ask) -> Markup | None:
    """Return the quiet line under a pupil's work that names the adult whom they can go to. It is always there, and so
    tells nobody who looks over a shoulder what was written."""
    if ask.account is None or ask.account.role != "student":
        return None
    said = help_words(ask.t, adult_for(ask.study, ask.account))
    return tag("p", join(_spaced([tag("span", one) for one in said])), class_="ev-help ev-muted")


def _spaced(said: Sequence[object]) -> list[object]:
    return [part for one in said for part in (one, " ")]
