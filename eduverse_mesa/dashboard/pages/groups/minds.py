"""Views that no chat shows: the problem; each peer's solution with what is wrong in it; stages, shares of the talk, and
who corrects whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import solara

from eduverse_mesa.dashboard.elements import Card, Reading, chip, table_tree, use_words
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.groups.dialogue import Meeting
from eduverse_mesa.measures.groups import corrections
from eduverse_mesa.models.groups.journal import ErrorRow
from eduverse_mesa.models.groups.record import ORDER, SOLVED, STAGES
from eduverse_mesa.scenarios.word_problem import (
    Misconception,
    TaskSchema,
    WordProblem,
    change,
    changed,
    fill,
    schema_of,
    work,
)
from eduverse_mesa.visualization.frames.group import CHOICE, GroupFrame, Held, PeerFrame
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_LONGEST = 90


def short(text: str, most: int = _LONGEST) -> str:
    """A text on one line, shortened."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def problem_tree(problem: WordProblem, t: Words) -> Tree:
    """The statement, and folded below it what only a teacher sees."""
    options: list[Tree] = [
        ["li", {"dir": "auto"}, ["b", {}, one.id], f" {one.text}"]
        for one in (problem.choice.options if problem.choice else ())
    ]
    about = t(
        "groups.problem.about", grade=t.ordinal(problem.grade), difficulty=t(f"groups.difficulty.{problem.difficulty}")
    )
    return [
        "div",
        {"class": "ev-problem"},
        ["p", {"dir": "auto", "class": "ev-quote"}, problem.statement],
        *([["ul", {"class": "ev-ways"}, *options]] if options else []),
        ["p", {"class": "ev-muted ev-small"}, about],
        ["div", {"class": "ev-asides"},
         ["details", {"key": f"solution-{problem.name}"}, ["summary", {}, t("groups.problem.solution")],
          _solution(problem, t)],
         ["details", {"key": f"mistakes-{problem.name}"}, ["summary", {}, t("groups.problem.mistakes")],
          _mistakes(problem, t)]],
    ]  # fmt: skip


def _solution(problem: WordProblem, t: Words) -> Tree:
    schema = schema_of(problem)
    worked = work(schema)
    known: list[list[Tree]] = [
        [one.phrase, schema.says(worked.values[one.name], problem.language), t("groups.problem.given")]
        for one in problem.givens
    ]
    steps: list[list[Tree]] = [
        [
            task.phrase,
            schema.says(worked.values[task.variable], problem.language),
            fill(task.how, worked.values, schema.units, problem.language),
        ]
        for task in problem.subtasks
    ]
    chosen: list[list[Tree]] = [[problem.choice.ask, t.names(worked.chosen), ""]] if problem.choice else []
    rows: list[list[Tree]] = [["tr", {}, *(["td", {"dir": "auto"}, cell] for cell in row)] for row in known + steps]
    rows += [["tr", {}, *(["td", {"dir": "auto"}, cell] for cell in row)] for row in chosen]
    columns = [t(f"groups.column.{name}") for name in ("quantity", "true", "how")]
    return table_tree(columns, rows, t("groups.problem.solution"), look="ev-schema")


def _mistakes(problem: WordProblem, t: Words) -> Tree:
    right = schema_of(problem)
    rows: list[list[Tree]] = [_mistake(problem, right, one, t) for one in problem.misconceptions]
    columns = [t(f"groups.column.{name}") for name in ("thinks", "leads_to", "against")]
    return table_tree(columns, rows, t("groups.problem.mistakes"), look="ev-schema")


def _mistake(problem: WordProblem, right: TaskSchema, one: Misconception, t: Words) -> list[Tree]:
    wrong = change(right, one)
    phrases = {given.name: given.phrase for given in problem.givens}
    phrases |= {task.variable: task.phrase for task in problem.subtasks}
    outcomes = [
        t(
            "groups.problem.instead",
            what=phrases[name],
            wrong=wrong.says(now, problem.language),
            right=right.says(was, problem.language),
        )
        for name, (was, now) in changed(right, wrong).items()
    ]
    if problem.choice:
        outcomes.append(t("groups.problem.chosen", options=t.names(work(wrong).chosen) or "–"))
    cue = fill(one.cue, work(right).values, right.units, problem.language)
    thinks = fill(one.thinks, work(wrong).values, wrong.units, problem.language)
    return [
        "tr",
        {},
        ["td", {"dir": "auto"}, thinks],
        ["td", {}, ["ul", {}, *(["li", {"dir": "auto"}, line] for line in outcomes)]],
        ["td", {"dir": "auto"}, cue],
    ]


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
    mark = chip(told, "is-bad" if wrong else "is-ok")
    columns = [t(f"groups.column.{name}") for name in ("quantity", "true", "holds", "stands")]
    rows: list[list[Tree]] = [_held(one, t) for one in peer.held]
    thinks: list[Tree] = [["p", {"dir": "auto", "class": "ev-quote"}, peer.thinks]] if peer.thinks else []
    return [
        "section",
        {"key": peer.name, "class": "ev-mind"},
        ["h3", {"class": "ev-h3"}, ["bdi", {}, peer.name], " ",
         ["span", {"class": "ev-muted"}, t(f"groups.skill.{peer.skill}")], " ", mark],
        *thinks,
        table_tree(columns, rows, t("groups.minds.of", name=peer.name), look="ev-schema"),
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
    return chip(t(f"groups.minds.{key}", when=when), "is-ok" if one.right else "is-bad")


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
