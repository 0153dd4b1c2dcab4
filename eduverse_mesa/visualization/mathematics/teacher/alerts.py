"""Calls for help: all that there were, what was made of them and by whom; and the adult whom children are sent to."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import Verdict
from eduverse_mesa.store.alerts import LONGEST, Adult, PupilsAlert, alerts_for, name_adult, read_adult, settle_alert
from eduverse_mesa.visualization.alerts import help_words, verdicts_said
from eduverse_mesa.visualization.mathematics.alarms import PAGE, line_of, moment, verdict_form
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.teacher.parts import navigation, table

_VERDICTS: dict[str, Verdict] = {"seen": "seen", "false": "false", "open": ""}
_LINES = ("name", "reach", "line")


def alerts(ask: Ask) -> Response:
    """All of them, the newest first."""
    found = alerts_for(ask.study, ask.need("teacher").id)
    rows = [_row(ask, one) for one in found]
    heads = [ask.t(f"alerts.head.{name}") for name in ("who", "when", "where", "what", "done")]
    listed = table([*heads, ""], rows) if rows else tag("p", ask.t("alerts.none"))
    return ask.page(
        ask.t("alerts.title"),
        navigation(ask),
        tag("p", ask.t("alerts.overlooks"), class_="ev-quiet"),
        tag("section", listed, class_="ev-card"),
        tag("p", tag("a", ask.t("alerts.whom"), href="/class#adult")),
    )


def _row(ask: Ask, one: PupilsAlert) -> list[object]:
    there = tag("a", ask.t("alerts.open_it"), href=line_of(one))
    return [one.name, moment(one.alert.at), one.title, one.alert.text, _made_of(ask, one), there]


def _made_of(ask: Ask, one: PupilsAlert) -> Markup:
    """All that was made of it, and what can be made of it now."""
    said = [tag("p", each) for each in verdicts_said(ask.t, one.alert)]
    still_open = None if one.alert.verdict else tag("b", ask.t("alerts.open_yet"), class_="ev-bad")
    return join([*said, still_open, verdict_form(ask, one)])


def settle(ask: Ask) -> Response:
    """Note that a teacher sees to it, that it was a false alarm, or that neither is so after all."""
    me, wanted, verdict = ask.need("teacher"), ask.path("alert"), ask.one("verdict")
    found = next((one for one in alerts_for(ask.study, me.id) if one.alert.id == wanted), None)
    if verdict not in _VERDICTS or found is None:
        raise HTTPException(404)
    settle_alert(ask.study, wanted, _VERDICTS[verdict], me.name)
    if "x-csrf" in ask.request.headers:
        return Response(status_code=204)
    return ask.on(line_of(found) if ask.one("back") == "talk" else PAGE, ask.t("alerts.done"))


def adult_form(ask: Ask, typed: Adult | None = None, trouble: str = "") -> Markup:
    """Who children of this class can go to."""
    adult = read_adult(ask.study, ask.need("teacher").id) if typed is None else typed
    fields = [
        tag(
            "label",
            ask.t(f"alerts.adult.{name}"),
            tag("input", name=name, value=getattr(adult, name), maxlength=LONGEST, autocomplete="off"),
        )
        for name in _LINES
    ]
    shown = " ".join(help_words(ask.t, adult)) if typed is None else ""
    form = ask.form_tag(
        "/class/adult",
        tag("p", ask.t("alerts.adult.why"), class_="ev-quiet"),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        *fields,
        tag("p", tag("q", shown), class_="ev-quiet") if shown else None,
        tag("button", ask.t("alerts.adult.save")),
        class_="ev-form",
    )
    quiet = tag("p", ask.t("alerts.overlooks"), class_="ev-quiet")
    return tag("section", tag("h2", ask.t("alerts.adult.title")), join([form, quiet]), class_="ev-card", id="adult")


def name_the_adult(ask: Ask) -> Response:
    """Keep whom children can go to."""
    me = ask.need("teacher")
    typed = Adult(*(ask.one(name) for name in _LINES))
    try:
        name_adult(ask.study, typed, me.id)
    except StudyError:
        long = any(len(one) > LONGEST for one in (typed.name, typed.reach, typed.line))
        trouble = ask.t("alerts.adult.too_long", n=LONGEST) if long else ask.t("alerts.adult.nobody")
        return ask.page(
            ask.t("alerts.adult.title"), navigation(ask), adult_form(ask, typed, trouble), status=422
        )  # fmt: skip
    return ask.on("/class#adult", ask.t("alerts.adult.saved"))
