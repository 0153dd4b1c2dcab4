"""What somebody in a seat reads: what goes on now, what was said, and what came of what it did."""

from __future__ import annotations

from collections.abc import Iterable

from eduverse_mesa.codes import PEER_REQUESTS
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.visualization.frames import Frame
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_SHOWN = 200
"""Lines of talk that are shown; all of them are in the study."""
_LONGEST = 2000


def now_tree(now: Frame, asked: str, t: Words) -> Tree:
    """What the teacher does; `asked` is who is to answer, if it is this seat's turn."""
    teacher = now.teacher
    told = t("seat.now.teacher", name=teacher.name, act=t.code(teacher.act)) if teacher.act else t("seat.now.nothing")
    parts: list[Tree] = [["p", {"class": "ev-muted"}, told]]
    if teacher.words:
        parts.append(["blockquote", {"class": "ev-seat-says", "dir": "auto"}, teacher.words[:_LONGEST]])
    if asked and asked in teacher.called:
        parts.append(["p", {"class": "ev-note is-warn", "role": "status"}, t("seat.now.called")])
    elif teacher.called:
        names = ["bdi", {}, ", ".join(teacher.called)]
        parts.append(["p", {"class": "ev-small ev-muted"}, t("seat.now.others_called"), " ", names])
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
    chip = ["span", {"class": "ev-chip"}, t(f"seat.talk.{private}")] if private else ""
    to = ""
    if row.addressee not in ("class", "group", "", agent) and not (row.role == "S" and row.addressee == "teacher"):
        to = t("seat.talk.to", name=t.code(row.addressee))
    elif row.addressee == agent and not mine:
        to = t("seat.talk.to_you")
    who = t("seat.talk.you") if mine else row.speaker
    return [
        "li",
        {"key": place, "class": f"ev-seat-line {kind}"},
        ["div", {"class": "ev-seat-who"}, ["bdi", {}, who], ["span", {"class": "ev-muted"}, f" {to} "], chip],
        ["p", {"dir": "auto"}, " ".join(one.text for one in turn)[:_LONGEST]],
    ]


def came_tree(frame: Frame, agent: str, t: Words) -> Tree:
    """What a student did last, and what came back: feedback, and what became of requests."""
    if frame.step == 0:
        return ["p", {"class": "ev-muted"}, t("seat.came.nothing")]
    me = frame.student(agent)
    did = t(f"seat.did.{_deed(me.behaviour, me.to)}", name=me.to) if me.behaviour else t("seat.came.no_deed")
    parts: list[Tree] = [["p", {}, t("seat.came.step", step=frame.step), " ", ["b", {"dir": "auto"}, did]]]
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
        ["span", {"class": f"ev-chip {kind}"}, t(f"seat.request.{status}")],
    ]
