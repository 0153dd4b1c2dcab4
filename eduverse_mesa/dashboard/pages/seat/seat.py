"""A seat with a person in it: what he or she sees and hears, and the one thing asked now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import solara

from eduverse_mesa.dashboard.alert_banner import kind_tree
from eduverse_mesa.dashboard.alerts import Alerts
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Card, Reading, chip, use_words
from eduverse_mesa.dashboard.lessons.question_form import parts_of
from eduverse_mesa.dashboard.lessons.sitter import Seen, Sitting, over
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies.human import Question
from eduverse_mesa.runs.events import ENDED
from eduverse_mesa.runs.live_lessons import LiveLesson, Place
from eduverse_mesa.store.alerts import Adult
from eduverse_mesa.visualization.frames import Frame
from eduverse_mesa.visualization.widgets.form import ReplyWidget
from eduverse_mesa.visualization.widgets.room import RoomWidget, plain, room_labels
from eduverse_mesa.visualization.widgets.sheet import Pulse, Tree
from eduverse_mesa.visualization.words import Words, run_on
from eduverse_mesa.visualization.words.errors import error_text
from eduverse_mesa.visualization.words.labels import person_name
from eduverse_mesa.vocabulary import PEER_REQUESTS
from eduverse_mesa.web.alerts import help_words

_SHOWN = 200
"""Lines of talk that are shown; all of them are in the study."""
_LONGEST = 2000


def now_tree(now: Frame, asked: str, t: Words) -> Tree:
    """Return the tree of what the teacher does; `asked` is who is to answer, if it is this seat's turn."""
    teacher = now.teacher
    told = t("seat.now.teacher", name=teacher.name, act=t.code(teacher.act)) if teacher.act else t("seat.now.nothing")
    parts: list[Tree] = [["p", {"class": "ev-muted"}, told]]
    if teacher.words:
        parts.append(["blockquote", {"class": "ev-seat-says", "dir": "auto"}, teacher.words[:_LONGEST]])
    if asked and asked in teacher.called:
        parts.append(["p", {"class": "ev-note is-warn", "role": "status"}, t("seat.now.called")])
    elif teacher.called:
        names = ["bdi", {}, t.names(teacher.called)]
        parts.append(["p", {"class": "ev-small ev-muted"}, t.told(t("seat.now.others_called")), names])
    return ["div", {"class": "ev-seat-now", "aria-live": "polite"}, *parts]


def talk_tree(rows: Iterable[SentenceRow], agent: str, t: Words) -> Tree:
    """The talk that was heard, oldest first, turn by turn."""
    turns: list[list[SentenceRow]] = []
    for row in rows:
        last = turns[-1][-1] if turns else None
        if last is not None and (row.step, row.speaker, row.addressee, row.channel) == (
            last.step,
            last.speaker,
            last.addressee,
            last.channel,
        ):
            turns[-1].append(row)
        else:
            turns.append([row])
    if not turns:
        return ["p", {"class": "ev-muted"}, t("seat.talk.none")]
    first = max(0, len(turns) - _SHOWN)
    lines = [_line(first + place, turn, agent, t) for place, turn in enumerate(turns[-_SHOWN:])]
    told = {"role": "log", "aria-label": t("seat.talk.title"), "tabindex": "0", "data-follow": True}
    return ["div", {"class": "ev-seat-talk", **told}, ["ol", {}, *lines]]


def _line(place: int, turn: list[SentenceRow], agent: str, t: Words) -> Tree:
    row, mine = turn[0], turn[0].speaker == agent
    kind = "mine" if mine else "teacher" if row.role == "T" else "other"
    private = row.channel if row.channel in ("peer", "group") else ""
    mark = chip(t(f"seat.talk.{private}")) if private else ""
    to = ""
    if row.addressee not in ("class", "group", "", agent) and not (row.role == "S" and row.addressee == "teacher"):
        to = t("seat.talk.to", name=t.code(row.addressee))
    elif row.addressee == agent and not mine:
        to = t("seat.talk.to_you")
    who = t("seat.talk.you") if mine else row.speaker
    return [
        "li",
        {"key": place, "class": f"ev-seat-line {kind}"},
        ["div", {"class": "ev-seat-who"}, ["bdi", {}, who], ["span", {"class": "ev-muted"}, f" {to} "], mark],
        ["p", {"dir": "auto"}, run_on(one.text for one in turn)[:_LONGEST]],
    ]


def came_tree(frame: Frame, agent: str, t: Words) -> Tree:
    """Return the tree of what a student did last, and what came back: feedback, and what became of requests."""
    if frame.step == 0:
        return ["p", {"class": "ev-muted"}, t("seat.came.nothing")]
    me = frame.student(agent)
    did = t(f"seat.did.{_deed(me.behaviour, me.to)}", name=me.to) if me.behaviour else t("seat.came.no_deed")
    parts: list[Tree] = [["p", {}, t.told(t("seat.came.step", step=frame.step)), ["b", {"dir": "auto"}, did]]]
    for refused in frame.rejections:
        told = t("seat.came.instead", wanted=t.code(refused.wanted), instead=t.code(refused.instead))
        parts.append(["p", {"class": "ev-note is-warn"}, told])
    for item in frame.teacher.feedback:
        if item.student == agent:
            label = t(
                "seat.came.feedback", name=frame.teacher.name, kind=t(f"seat.polarity.{item.polarity or 'neutral'}")
            )
            parts.append(["p", {"class": "ev-muted ev-small"}, label])
            parts.append(["blockquote", {"class": "ev-seat-says", "dir": "auto"}, item.words[:_LONGEST]])
    parts += [_request(one, agent, t) for one in frame.exchanges]
    return ["div", {"class": "ev-seat-came"}, *parts]


def _deed(behaviour: str, to: str) -> str:
    if behaviour in PEER_REQUESTS and to and to != "teacher":
        return f"{behaviour}_peer"
    return behaviour


def _request(one: object, agent: str, t: Words) -> Tree:
    sender, receiver = one.sender, one.receiver  # type: ignore[attr-defined]
    status, text = one.status, one.text  # type: ignore[attr-defined]
    kind = {"accepted": "is-ok", "rejected": "is-warn"}.get(status, "")
    key = "sent" if sender == agent else "got"
    name = receiver if sender == agent else sender
    return [
        "p",
        {},
        ["span", {"dir": "auto"}, t(f"seat.request.{key}", name=name)],
        " ",
        ["bdi", {"class": "ev-muted"}, f"“{text[:_LONGEST]}”"],
        " ",
        chip(t(f"seat.request.{status}"), kind),
    ]


_REST = 0.05


@solara.component
def Seat(desk: Desk, mine: Sitting, place: Place) -> None:
    """The page of somebody who sits, or has sat, in a lesson. It is drawn as a whole: what is asked now comes with what
    the teacher has just said."""
    t = use_words()
    use_live(mine.changed, rest=_REST)
    use_live(desk.office.alerts.changed)
    seen = mine.see(place)
    with solara.Div(classes=["ev-seat"]):
        solara.v.Html(tag="h1", class_="ev-unseen", children=[t("seat.title")])
        Pulse.element(on_beat=mine.touch)
        _head(mine, place, seen, t)
        with solara.Div(classes=["ev-seat-ask", "ev-scene"]):
            if seen is not None and place.agent != seen.stage.teacher and not over(place):
                with Card(classes=["ev-seat-now-card"]):
                    Reading(now_tree(seen.now, _called(place), t))
            _asked(desk, mine, place, t)
            if seen is not None and place.agent != seen.stage.teacher:
                with Card(t("seat.came.title")):
                    Reading(came_tree(seen.last, place.agent or "", t))
        if seen is not None:
            with solara.Div(classes=["ev-seat-room"]):
                _room(seen, t)
                with Card(t("seat.talk.title")):
                    Reading(talk_tree(seen.talk, place.agent or "", t))
        Reading(notice_tree(desk.office.alerts.adult, t))


def _head(mine: Sitting, place: Place, seen: Seen | None, t: Words) -> None:
    with solara.Div(classes=["ev-seat-head"]):
        Reading(_who(place, seen, t))
        with solara.Div(classes=["ev-actions"]):
            if mine.own:
                Driving(place.lesson, lambda: place.lesson.player.play(1.0))
            if place.seated:
                solara.Button(t("seat.leave"), outlined=True, on_click=mine.leave)


@solara.component
def Driving(lesson: LiveLesson, play: Callable[[], None]) -> None:
    """Start, pause and go on, for whoever has all rights."""
    t = use_words()
    use_live(lesson, rest=_REST)
    player, status = lesson.player, lesson.player.status
    with solara.Div():
        if status in ("ready", "paused"):
            begun = player.head > (1, 0)
            solara.Button(t("seat.host.go_on" if begun else "seat.host.start"), color="primary", on_click=play)
        elif status not in ENDED:
            solara.Button(t("seat.host.pause"), outlined=True, on_click=player.pause)


def _who(place: Place, seen: Seen | None, t: Words) -> Tree:
    role = place.seat.role if place.seat is not None else "student"
    lines: list[Tree] = [
        ["p", {"class": "ev-seat-name"}, t(f"seat.you_are.{role}"), " ", ["b", {"dir": "auto"}, place.agent]]
    ]
    told = t("seat.known_as", name=person_name(place.label, t))
    if seen is not None:
        frame = seen.last
        step = min(frame.step + (0 if over(place) else 1), max(frame.steps, frame.step))
        told = f"{frame.title} · {t('seat.step', step=step, steps=max(frame.steps, frame.step))} · {told}"
    return ["div", {}, *lines, ["p", {"class": "ev-small ev-muted", "dir": "auto"}, told]]


def _called(place: Place) -> str:
    """The name, while this seat is asked what it does: a call that was answered is not repeated."""
    question = place.question()
    return place.agent or "" if question is not None and question.form == "act" else ""


def _asked(desk: Desk, mine: Sitting, place: Place, t: Words) -> None:
    """The one thing that is asked now, or why nothing is. Its widgets stay: a browser that is slow makes them once."""
    question = place.question()
    ended = over(place)
    with Card(classes=["ev-seat-card"]):
        Reading(care_tree(desk.office.alerts, place, t))
        Reading(_standing_tree(mine, place, question is not None, t))
        Ask(mine, question, mine.round)
        if ended or not place.seated:
            with solara.Div(classes=["ev-row"]):
                if mine.ticket and not ended:
                    solara.Button(
                        t("seat.left.again"), color="primary", on_click=lambda: mine.sit(mine.ticket, own=mine.own)
                    )
                Back(desk, mine)


@solara.component
def Ask(mine: Sitting, question: Question | None, verdict: int) -> None:
    """The form of a question; `verdict` counts how often it was said what is wrong with what was entered."""
    t = use_words()

    def make() -> dict[str, Any]:
        if question is None:
            return {}
        wait = None if question.deadline is None else question.deadline - question.asked
        return {
            "id": question.id,
            "title": t(f"seat.form.{question.form}"),
            "send": t(f"seat.send.{question.form}"),
            "parts": parts_of(question, t),
            "values": mine.values(question),
            "left": question.remaining,
            "all": wait,
        }

    ReplyWidget.element(
        form=solara.use_memo(make, [None if question is None else question.id, t.language]),
        verdict={"round": verdict, "errors": mine.errors},
        labels={name: t(f"seat.clock.{name}") for name in ("soon", "over", "sending", "too_long")},
        on_draft=mine.keep,
        on_reply=lambda number, values: mine.reply(number, values, t),
    )


def care_tree(alerts: Alerts, place: Place, t: Words) -> Tree:
    """The kind words for somebody who has told of harm here, unless it was a false alarm; and that it was not said to
    the class, as long as nothing else was."""
    if not alerts.stands(place.calls):
        return ["div", {"hidden": True}]
    return kind_tree(alerts.adult, t, "kept" if place.kept_out else "")


def _standing_tree(mine: Sitting, place: Place, asked: bool, t: Words) -> Tree:
    """How it stands with whoever sits here."""
    parts: list[Tree] = []
    if mine.trouble is not None:
        parts.append(["p", {"class": "ev-note is-bad", "role": "alert"}, error_text(mine.trouble, t)])
    if over(place):
        parts += _big(t("seat.over.title"), t("seat.over.thanks"))
    elif not place.seated:
        parts += _big(t("seat.left.title"), t("seat.left.more"))
    else:
        if mine.said in ("missed", "late", "undecided"):
            text = t(f"seat.said.{mine.said}", n=mine.missed)
            parts.append(["p", {"class": "ev-note is-warn", "role": "status"}, text])
        if not asked:
            parts += _waiting(place, mine.said == "sent", t)
    return ["div", {"class": "ev-seat-waiting", "hidden": not parts}, *parts]


def _waiting(place: Place, sent: bool, t: Words) -> list[Tree]:
    key = {"ready": "begin", "loading": "begin", "paused": "paused"}.get(place.lesson.player.status, "others")
    if key == "begin":
        return _big(t("seat.waiting.begin"), t("seat.waiting.begin_more"))
    note: list[Tree] = [["p", {"class": "ev-note is-ok"}, t("seat.said.sent")]] if key == "others" and sent else []
    return [*note, *_big(t(f"seat.waiting.{key}"))]


def _big(title: str, more: str = "") -> list[Tree]:
    line: list[Tree] = [["p", {"class": "ev-muted"}, more]] if more else []
    return [["p", {"class": "ev-seat-wait", "role": "status"}, title], *line]


@solara.component
def Back(desk: Desk, mine: Sitting) -> None:
    """The way out of the seat, for whoever has one."""
    t = use_words()
    router = solara.use_router()
    rights = desk.office.rights

    def go() -> None:
        if mine.own:
            mine.leave()
            return
        rights.unseat(desk.browser)
        desk.changed.tell()
        router.push("/")

    if mine.own or rights.may_return(desk.browser):
        solara.Button(t("seat.back"), outlined=True, on_click=go)


def _room(seen: Seen, t: Words) -> None:
    with Card(t("seat.room"), classes=["ev-seat-drawing"]):
        RoomWidget.element(
            stage=plain(seen.stage),
            frame=plain(seen.now),
            overlays=["names", "bubbles", "exchanges", "perception"],
            labels=room_labels(t.language),
        )


def notice_tree(adult: Adult, t: Words) -> Tree:
    """Return the notice for a person who takes part: whom he or she can go to, what is kept, and that it can be
    erased."""
    quiet = {"class": "ev-seat-notice ev-small ev-muted", "dir": "auto"}
    return ["div", {}, ["p", quiet, run_on(help_words(t, adult))], ["p", quiet, t("seat.notice")]]
