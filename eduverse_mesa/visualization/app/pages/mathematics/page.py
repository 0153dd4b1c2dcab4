"""The mathematics page: a group of virtual peers solves a problem; it is watched with what nobody says, or joined."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import solara

from eduverse_mesa.decisions import COLLABORATION
from eduverse_mesa.visualization.app.answering import answering_of
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Choice, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.mathematics.chat import Chat
from eduverse_mesa.visualization.app.pages.mathematics.choosing import Choosing
from eduverse_mesa.visualization.app.pages.mathematics.meeting import PACES, Meeting, meeting_of
from eduverse_mesa.visualization.app.pages.mathematics.minds import Minds
from eduverse_mesa.visualization.app.pages.mathematics.problem import problem_tree
from eduverse_mesa.visualization.frames.group import GroupFrame
from eduverse_mesa.visualization.widgets.transport import Transport
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import title_of

_TRANSPORT = ("play", "pause", "step", "back", "first", "scrub")


@solara.component
def MathematicsPage(desk: Desk) -> None:
    """Groups that solve a problem together."""
    meeting = meeting_of(desk)
    use_live(meeting.changed)
    t = use_words()

    def open_asked() -> None:
        asked, desk.to_meet = desk.to_meet, None
        if asked is not None:
            meeting.open_run(*asked, answering_of(desk, COLLABORATION))

    solara.use_effect(open_asked, [])
    with solara.Div(classes=["ev-stack", "ev-mathematics"]):
        solara.Style(_style())
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h1", class_="ev-h1", children=[t("groups.title")])
            solara.Text(t("groups.lead"), classes=["ev-quiet"])
        Choosing(desk, meeting)
        _Troubled(meeting)
        if meeting.talk is not None:
            _Dialogue(desk, meeting)
        Reading(["p", {"class": "ev-muted"}, t("groups.pupils"), " ", ["kbd", {"dir": "ltr"}, "eduverse mathvc serve"]])


@solara.component
def _Troubled(meeting: Meeting) -> None:
    use_live(meeting.changed)
    if meeting.error is not None:
        Trouble(meeting.error)
    else:
        solara.Div(classes=["ev-idle"])


@solara.component
def _Dialogue(desk: Desk, meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.changed)
    talk = meeting.talk
    if talk is None:
        return
    problem = talk.model.problem
    with solara.Div(classes=["ev-stack"]):
        with Card(title_of("problem", problem, t), classes=["ev-group-bar"]):
            _Members(meeting)
            Reading(problem_tree(problem, t))
            _Playing(meeting)
            _Keeping(desk, meeting)
        with solara.Div(classes=["ev-split"]):
            Chat(meeting)
            with solara.Div(classes=["ev-stack"]):
                Minds(meeting)


@solara.component
def _Members(meeting: Meeting) -> None:
    """Who is in it."""
    t = use_words()
    use_live(meeting.changed)
    talk, frame = meeting.talk, meeting.frame
    if talk is None or frame is None:
        return
    names = [t("groups.member", name=one.name, skill=t(f"groups.skill.{one.skill}")) for one in frame.peers]
    if meeting.seat:
        names.append(t("groups.you", name=meeting.seat))
    elif meeting.of_pupil:
        names.append(t("groups.pupil", name=meeting.pupil))
    told = t("groups.facts", arm=t(f"groups.arm.{talk.model.arm}"), seed=talk.spec.seed)
    Reading(["p", {"class": "ev-muted", "dir": "auto"}, f"{', '.join(names)} · {told}"])


@solara.component
def _Playing(meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    frames = meeting.frames

    def hear(event: Any) -> None:
        what = event.get("do") if isinstance(event, dict) else None
        if what in ("seek", "glance") and isinstance(event.get("to"), int):
            meeting.seek(event["to"])
        elif what in ("play", "pause", "step"):
            getattr(meeting, what)()

    with solara.Div(classes=["ev-group-playing"]):
        Transport.element(
            at=meeting.at,
            last=meeting.last,
            playing=meeting.playing,
            over=meeting.over,
            plays=not meeting.of_pupil,
            names=[name_of(frame, meeting.last, t) for frame in frames],
            phases=stretches(frames, t),
            labels={name: t(f"classroom.transport.{name}") for name in _TRANSPORT} | {"scrub": t("groups.scrub")},
            on_event=hear,
        )
        _Pace(meeting)


@solara.component
def _Pace(meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.changed)
    shown = {name: t(f"groups.pace.{name}") for name in PACES}

    def choose(name: str) -> None:
        meeting.set_pace(name)

    with solara.Div(classes=["ev-inline"]):
        Choice(t("groups.pace.label"), shown, meeting.pace, choose)


@solara.component
def _Keeping(desk: Desk, meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.changed)
    use_live(meeting.moved)
    talk = meeting.talk
    with solara.Div(classes=["ev-row"]):
        if meeting.of_pupil and talk is not None:
            again = meeting.study, talk.run
            solara.Button(
                t("groups.keep.again"),
                outlined=True,
                disabled=meeting.busy,
                on_click=lambda: meeting.open_run(*again, answering_of(desk, COLLABORATION)),
            )
            solara.Text(t("groups.keep.of_pupil"), classes=["ev-quiet"])
        elif meeting.study and talk is not None and talk.run:
            solara.Text(t("groups.keep.kept", run=talk.run), classes=["ev-quiet"])
        elif meeting.study:
            solara.Text(t("groups.keep.keeping"), classes=["ev-quiet"])
        else:
            solara.Button(
                t("learner.show.keep"),
                outlined=True,
                disabled=not meeting.free or not meeting.frames[1:],
                on_click=lambda: meeting.keep(desk.office.study),
            )
            solara.Text(t("groups.keep.why"), classes=["ev-quiet"])


def name_of(frame: GroupFrame, last: int, t: Words) -> str:
    """What a place under the slider is called."""
    return t("groups.at", step=frame.step, steps=last) if frame.step else t("groups.before")


def stretches(frames: list[GroupFrame], t: Words) -> list[list[Any]]:
    """Stages under the slider: [name, from, to, kind]."""
    found: list[list[Any]] = []
    for place, frame in enumerate(frames):
        if frame.said is None or not frame.said.stage:
            continue
        stage = frame.said.stage
        if found and found[-1][3] == stage:
            found[-1][2] = place
        else:
            found.append([t(f"mathematics.stage.{stage}"), place - 1, place, stage])
    return found


@cache
def _style() -> str:
    return (files("eduverse_mesa.visualization.app.pages.mathematics") / "mathematics.css").read_text(encoding="utf-8")
