"""What no chat shows: each peer's solution with what is wrong in it; stages, shares of the talk, who corrects whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import solara

from eduverse_mesa.measures.collaboration import corrections
from eduverse_mesa.models.collaboration.journal import ErrorRow
from eduverse_mesa.models.collaboration.stages import ORDER, SOLVED, STAGES
from eduverse_mesa.visualization.app.kit import Card, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.mathematics.meeting import Meeting
from eduverse_mesa.visualization.app.pages.mathematics.problem import table
from eduverse_mesa.visualization.frames.group import CHOICE, GroupFrame, Held, PeerFrame
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words


@solara.component
def Minds(meeting: Meeting) -> None:
    """The peers at the message that is looked at, and what can be counted up to it."""
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    frame = meeting.frame
    if frame is None:
        return
    shown = meeting.frames[: meeting.at + 1]
    with Card(t("groups.minds.title")):
        Reading(["div", {"class": "ev-minds"}, *(mind_tree(peer, t) for peer in frame.peers)])
    with Card(t("groups.counted.title")):
        Reading(["div", {}, *stages_tree(shown, t), *shares_tree(shown, t), *corrections_tree(frame, t)])


def mind_tree(peer: PeerFrame, t: Words) -> Tree:
    """One peer's solution: what is true beside what the peer holds, where it is wrong, and since when."""
    wrong = sum(not one.right for one in peer.held)
    told = t("groups.minds.wrong", n=wrong) if wrong else t("groups.minds.all_right")
    chip = ["span", {"class": f"ev-chip {'is-bad' if wrong else 'is-ok'}"}, told]
    columns = [t(f"groups.column.{name}") for name in ("quantity", "true", "holds", "stands")]
    rows: list[list[Tree]] = [_held(one, t) for one in peer.held]
    thinks: list[Tree] = [["p", {"dir": "auto", "class": "ev-quote"}, peer.thinks]] if peer.thinks else []
    return [
        "section",
        {"key": peer.name, "class": "ev-mind"},
        ["h3", {"class": "ev-h3"}, ["bdi", {}, peer.name], " ",
         ["span", {"class": "ev-muted"}, t(f"groups.skill.{peer.skill}")], " ", chip],
        *thinks,
        table(columns, rows, t("groups.minds.of", name=peer.name)),
    ]  # fmt: skip


def _held(one: Held, t: Words) -> list[Tree]:
    look = "" if one.right else "is-wrong"
    if one.changed:
        look += " is-changed"
    return [
        "tr",
        {"key": one.variable, "class": look.strip()},
        ["td", {"dir": "auto"}, one.phrase],
        ["td", {"dir": "auto"}, one.true or "–"],
        ["td", {"dir": "auto"}, one.held or "–"],
        ["td", {}, _stands(one, t)],
    ]


def _stands(one: Held, t: Words) -> Tree:
    if one.right and not one.since:
        return ["span", {"class": "ev-muted"}, "✓"]
    when = t("groups.minds.since", n=one.since) if one.since else t("groups.minds.from_beginning")
    key = "right" if one.right else "wrong_choice" if one.variable == CHOICE else "is_wrong"
    return ["span", {"class": f"ev-chip {'is-ok' if one.right else 'is-bad'}"}, t(f"groups.minds.{key}", when=when)]


def stages_tree(frames: Sequence[GroupFrame], t: Words) -> list[Tree]:
    """The stages in order, with how many messages each took; nothing of a plain chat."""
    now = frames[-1].stage
    if not now:
        return []
    counted = Counter(frame.said.stage for frame in frames if frame.said is not None)
    steps: list[Tree] = []
    for name in STAGES:
        done = ORDER.index(name) < ORDER.index(now)
        look = "is-done" if done else "is-here" if name == now else ""
        told = t("groups.counted.messages", n=counted[name]) if counted[name] else "–"
        attributes = {"class": look, "aria-current": "step"} if name == now else {"class": look}
        steps.append(["li", attributes, ["b", {}, t(f"mathematics.stage.{name}")], ["span", {}, told]])
    end: list[Tree] = [["p", {"class": "ev-small ev-muted"}, t("groups.stage.solved")]] if now == SOLVED else []
    return [["h3", {"class": "ev-h3"}, t("groups.counted.stages")], ["ol", {"class": "ev-stages"}, *steps], *end]


def shares_tree(frames: Sequence[GroupFrame], t: Words) -> list[Tree]:
    """How much of what was said each has said."""
    counted = Counter({peer.name: 0 for frame in frames[:1] for peer in frame.peers})
    counted.update(frame.said.speaker for frame in frames if frame.said is not None)
    total = counted.total()
    if not total:
        return []
    bars: list[Tree] = [
        [
            "div",
            {"key": name},
            ["bdi", {}, name],
            ["span", {"class": "ev-bar", "aria-hidden": "true"}, ["span", {"v": n / total}]],
            ["span", {}, f"{n / total:.0%}"],
        ]
        for name, n in counted.most_common()
    ]
    return [["h3", {"class": "ev-h3"}, t("groups.counted.shares")], ["div", {"class": "ev-bars"}, *bars]]


def corrections_tree(frame: GroupFrame, t: Words) -> list[Tree]:
    """Mistakes that were said: made, noticed, put right, and by whom."""
    if not frame.errors:
        return []
    rows = pd.DataFrame(frame.errors, columns=ErrorRow._fields)
    events: list[Tree] = [
        [
            "li",
            {"dir": "auto"},
            t(f"groups.event.{row.event}", step=row.turn, of=row.of, by=row.by),
            " ",
            ["q", {}, row.words],
        ]
        for row in frame.errors
    ]
    found = [
        t("groups.counted.corrected", of=of, by=by, n=n)
        if of != by
        else t("groups.counted.corrected_itself", of=of, n=n)
        for of, by, n in corrections(rows)[["of", "corrected_by", "n"]].itertuples(index=False)
    ]
    return [
        ["h3", {"class": "ev-h3"}, t("groups.counted.corrections")],
        ["ul", {}, *(["li", {"dir": "auto"}, ["b", {}, line]] for line in found)],
        ["ul", {"class": "ev-small ev-muted"}, *events],
    ]
