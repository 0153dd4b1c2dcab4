"""What was said in a group, with marks where a stage begins; and where somebody at the page says something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import solara

from eduverse_mesa.models.collaboration.stages import SOLVED
from eduverse_mesa.visualization.app.kit import Card, Form, Note, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.mathematics.meeting import Meeting
from eduverse_mesa.visualization.frames.group import GroupFrame, Said
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_LONGEST = 2000


@solara.component
def Chat(meeting: Meeting) -> None:
    """The dialogue up to the message that is looked at."""
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    frames = meeting.frames
    with Card(t("groups.chat.title"), classes=["ev-group-chat"]):
        if not frames:
            return
        if frames[: meeting.at + 1][1:]:
            Reading(chat_tree(frames[: meeting.at + 1], t))
        else:
            Note(t("groups.chat.nothing"))
        ending = ending_of(frames[-1], t)
        if ending and meeting.at == meeting.last:
            Note(ending, kind="ok" if frames[-1].right else "warn")
        if meeting.of_pupil:
            Note(t("groups.chat.of_pupil"))
        elif meeting.seat:
            _Speaking(meeting)


@solara.component
def _Speaking(meeting: Meeting) -> None:
    """Where somebody here says something; looked back on, how to go on in another way."""
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    if meeting.at < meeting.last:
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("groups.chat.go_back"), outlined=True, disabled=not meeting.free, on_click=meeting.go_back)
            key = "go_back_kept" if meeting.study else "go_back_why"
            solara.Text(t(f"groups.chat.{key}"), classes=["ev-quiet"])
        return
    if meeting.over:
        return

    def hear(name: str, value: Any) -> None:
        if name == "typed":
            meeting.type(value)
        elif value == "say":
            meeting.say()
        else:
            meeting.step()

    Form(speaking_fields(meeting, t), hear, label=t("groups.chat.you", name=meeting.seat))


def speaking_fields(meeting: Meeting, t: Words) -> list[Field]:
    """A line to type, and what can be done with it."""
    frame = meeting.frames[-1]
    silent = meeting.talk is not None and meeting.talk.due is None
    if silent:
        told = t("groups.chat.silent")
    else:
        told = t("groups.chat.your_turn" if meeting.seat in frame.next else "groups.chat.their_turn")
    stepping = meeting.busy and not meeting.playing
    return [
        {
            "id": "typed", "kind": "text", "label": t("groups.chat.you", name=meeting.seat), "value": meeting.typed,
            "help": told, "live": True, "maxlength": _LONGEST, "enter": ["do", "say"],
        },
        {
            "id": "do", "kind": "buttons",
            "options": [
                ["say", t("groups.chat.say"), "primary", stepping],
                ["step", t("groups.chat.let_them"), "plain", stepping or silent],
            ],
        },
    ]  # fmt: skip


def ending_of(frame: GroupFrame, t: Words) -> str:
    """How it ended; empty while it goes on."""
    if not frame.over:
        return ""
    if not frame.solved:
        return t("groups.chat.ended")
    return t("groups.chat.right" if frame.right else "groups.chat.wrong", n=frame.step)


def chat_tree(frames: Sequence[GroupFrame], t: Words) -> Tree:
    """Messages, oldest first; what each stage is called stands before its first message."""
    lines: list[Tree] = []
    stage = ""
    for frame in frames:
        said = frame.said
        if said is None:
            continue
        if said.stage and said.stage != stage:
            stage = said.stage
            mark: Tree = ["li", {"key": f"stage-{stage}", "class": "ev-stage-mark"}, t(f"mathematics.stage.{stage}")]
            lines.append(mark)
        lines.append(_line(said, here=frame is frames[-1], t=t))
    if frames[-1].stage == SOLVED:
        lines.append(["li", {"key": "solved", "class": "ev-stage-mark is-ok"}, t("groups.stage.solved")])
    region = {
        "class": "ev-talk",
        "tabindex": "0",
        "role": "log",
        "aria-label": t("groups.chat.title"),
        "data-follow": True,
    }
    return ["div", region, ["ol", {}, *lines]]


def _line(said: Said, *, here: bool, t: Words) -> Tree:
    labels: list[Tree] = [["span", {"class": "ev-chip"}, t(f"groups.act.{said.act}")]] if _is_act(said.act, t) else []
    if said.lost:
        labels.append(["span", {"class": "ev-chip is-warn"}, t("groups.chat.lost")])
    if not said.clear:
        labels.append(["span", {"class": "ev-chip is-warn"}, t("groups.chat.unclear")])
    look = "ev-line teacher" if said.person else "ev-line student"
    return [
        "li",
        {"key": str(said.step), "class": f"{look} is-new" if here else look},
        ["span", {"class": "ev-step"}, str(said.step)],
        [
            "div",
            {},
            ["b", {"dir": "auto"}, said.speaker],
            ["p", {"dir": "auto"}, said.text],
            ["span", {"class": "ev-labels"}, *labels],
        ],
    ]


def _is_act(act: str, t: Words) -> bool:
    return f"groups.act.{act}" in t
