"""One student: who it is, and everything that went on in it in this step."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.people import Student, Traits
from eduverse_mesa.visualization.app.kit import Card, Choice, Picture, Reading, chart_words, use_words
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.charts import states_of_student
from eduverse_mesa.visualization.charts.minds import STATES
from eduverse_mesa.visualization.frames import Exchange, Frame, StudentFrame
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.reasons import reason_of

_BELOW_ZERO = "affect"
"""Goes from -1 to 1."""
_FACTORS = ("personality", "confidence", "relevance", "history", "closeness")
_CHART_REST = 0.7
_ANSWERS = frozenset({"answer_question", "stand_answer"})
_TOLD = frozenset({"claim", "evidence"})
"""Moves that show what somebody knows of the lesson: what is said of anything else is not marked as known."""


@solara.component
def Person(lesson: ClassroomLesson) -> None:
    """The chosen student."""
    t = use_words()
    use_live(lesson.chosen)
    names = [student.name for student in lesson.player.run.spec.scenario.roll.students]
    with Card(t("classroom.person.title")):
        shown = {"": t("classroom.person.nobody"), **{name: name for name in names}}
        Choice(t("classroom.person.choose"), shown, lesson.selected, lesson.select)
        if lesson.selected in names:
            _Step(lesson).key(lesson.selected)
            _Course(lesson).key(f"course-{lesson.selected}")


@solara.component
def _Step(lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved)
    shot = lesson.shot
    if shot is None or not lesson.selected:
        return
    person = next(one for one in lesson.player.run.spec.scenario.roll.students if one.name == lesson.selected)
    seen = shot.frame.student(lesson.selected)
    earlier = [
        (one.step, one.frame.student(lesson.selected))
        for one in lesson.film.shots[max(0, lesson.at - 3) : lesson.at]
        if one.step and one.lesson == shot.lesson
    ]
    remembered = _remembered(lesson, shot.lesson)
    Reading(
        [
            "div",
            {"class": "ev-person"},
            _profile(person, t),
            chain_tree(shot.frame, seen, t)
            if shot.step
            else ["p", {"class": "ev-muted"}, t("classroom.person.before")],
            _state(seen, t),
            _requests(shot.frame, seen.name, t),
            _memory(earlier, remembered, t),
        ]
    )


def _remembered(lesson: ClassroomLesson, number: int) -> Any:
    with lesson.player.still() as run:
        model = run.lessons[number - 1].model
        return model.classmates[lesson.selected].remembered


@solara.component
def _Course(lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved, rest=_CHART_REST)
    made = lesson.counted()
    shot = lesson.shot
    if made is not None and shot is not None and len(made.student_steps) and lesson.selected:
        Picture(
            states_of_student.spec(
                made.student_steps, lesson.selected, words=chart_words(t), width="container", steps=shot.frame.steps
            ),
            label=t("classroom.charts.attention_of", name=lesson.selected),
            signals={"cursor": shot.step},
        )


def _profile(person: Student, t: Words) -> Tree:
    traits = [
        [
            "div",
            {},
            ["span", {}, t.code(name)],
            _bar(getattr(person.traits, name)),
            f"{getattr(person.traits, name):.2f}",
        ]
        for name in Traits.model_fields
    ]
    portrait = " ".join(part for part in person.portrait.model_dump().values() if part)
    codes = (person.gender, person.role, person.thinking, person.cognitive_style)
    facts = " · ".join([str(person.age), *map(t.code, codes)])
    return [
        "details",
        {"key": "profile"},
        ["summary", {}, ["b", {"dir": "auto"}, person.name], ["span", {"class": "ev-muted ev-small"}, f"  {facts}"]],
        ["p", {"class": "ev-small", "dir": "auto"}, portrait],
        ["div", {"class": "ev-bars"}, *traits],
    ]


def _perceived(frame: Frame, seen: StudentFrame, t: Words) -> list[str]:
    """What a student perceives: people by their names, things as they are called here (`table A`: the word, and A)."""
    people = {frame.teacher.name, *(student.name for student in frame.students)}
    told = []
    for name in seen.perceived:
        thing, _, mark = name.rpartition(" ")
        if name in people:
            told.append(name)
        else:
            told.append(f"{t.code(thing)} {mark}" if thing and len(mark) == 1 else t.code(name))
    return told


def _bar(value: float) -> Tree:
    return ["span", {"class": "ev-bar", "aria-hidden": "true"}, ["span", {"v": max(0.0, min(1.0, value))}]]


def chain_tree(frame: Frame, seen: StudentFrame, t: Words) -> Tree:
    """perceive, gate, plan, words, monitor, feedback, regulate: one step of one student."""
    nothing = t("classroom.person.nothing")
    felt = f"{t.code(seen.emotion)}, {t.code(seen.cognition)}" if seen.emotion else ""
    did = t.code(seen.behaviour) + (f" ({t.code(seen.to)})" if seen.to else "") if seen.behaviour else nothing
    feedback = [item for item in frame.teacher.feedback if item.student == seen.name]
    quoted = f"“{seen.words}”" if seen.words else nothing
    rows = [
        _link("perceive", ", ".join(_perceived(frame, seen, t)) or nothing, "", t),
        _link(
            "gate",
            t("classroom.person.request_from", name=seen.gate) if seen.gate else t("classroom.person.gate_none"),
            "",
            t,
        ),
        _link("plan", did, seen.plan, t),
        _link("words", quoted, t.code(seen.recall) if _shows_knowledge(frame, seen) else "", t),
        _link("monitor", felt or nothing, seen.monitoring, t),
        _link(
            "feedback",
            t.code(seen.feedback) if seen.feedback else nothing,
            " ".join(item.words for item in feedback),
            t,
        ),
        _link("regulate", t.code(seen.strategy) if seen.strategy else nothing, seen.regulation, t),
    ]
    source = f"{t('classroom.person.answered_by')}: {t.code(seen.source)}" if seen.source else ""
    if seen.model:
        source += f" · {t('classroom.person.model')}: {seen.model}"
    return [
        "div",
        {},
        [
            "h3",
            {"class": "ev-h3"},
            t("classroom.person.chain"),
            ["span", {"class": "ev-muted ev-small", "dir": "auto"}, f"  {source}"],
        ],
        ["ol", {"class": "ev-chain"}, *rows],
    ]


def _shows_knowledge(frame: Frame, seen: StudentFrame) -> bool:
    """Whether what was said is of the lesson, so that one can hear how much of it is known."""
    if not seen.words or seen.recall in ("", "none"):
        return False
    moves = {said.move for said in frame.sentences if said.speaker == seen.name}
    return seen.behaviour in _ANSWERS or not moves.isdisjoint(_TOLD)


def _link(stage: str, what: str, more: str, t: Words) -> Tree:
    return [
        "li",
        {},
        ["span", {"class": "ev-stage"}, t(f"classroom.person.{stage}")],
        ["div", {}, ["span", {"dir": "auto"}, what], ["p", {"class": "ev-muted", "dir": "auto"}, more] if more else ""],
    ]


def _state(seen: StudentFrame, t: Words) -> Tree:
    rows = []
    for name in STATES:
        value = getattr(seen, name)
        if value is not None:
            share = (value + 1.0) / 2.0 if name == _BELOW_ZERO else value
            rows.append(["div", {}, ["span", {}, t.code(name)], _bar(share), f"{value:.2f}"])
    return [
        "details",
        {"key": "state", "open": True},
        ["summary", {}, t("classroom.person.state")],
        ["div", {"class": "ev-bars"}, *rows],
    ]


def _requests(frame: Frame, name: str, t: Words) -> Tree:
    rows = [_request(one, name, t) for one in frame.exchanges if name in (one.sender, one.receiver)]
    if not rows:
        return ""
    head = ["h3", {"class": "ev-h3"}, t("classroom.person.requests")]
    return ["div", {}, head, ["ul", {"class": "ev-requests"}, *rows]]


def _request(one: Exchange, name: str, t: Words) -> Tree:
    other = (
        t("classroom.person.request_to", name=one.receiver)
        if name == one.sender
        else t("classroom.person.request_from", name=one.sender)
    )
    kind = {"accepted": "is-ok", "rejected": "is-bad"}.get(one.status, "")
    scores = [
        [
            "li",
            {},
            ["span", {"class": "ev-factor"}, t.code(factor)],
            _bar(score / 100),
            ["span", {"class": "ev-num"}, f"{score:.0f} × {weight:.2f}"],
            ["span", {"class": "ev-muted", "dir": "auto"}, reason] if reason else "",
        ]
        for factor, score, weight, reason in zip(
            _FACTORS, one.scores, one.weights, one.reasons or ("",) * 5, strict=False
        )
    ]
    willing = f" · {t('classroom.person.intention', value=f'{one.intention:.2f}')}" if one.intention is not None else ""
    return [
        "li",
        {},
        ["span", {"class": f"ev-chip {kind}"}, t.code(one.status)],
        ["span", {}, f" {other} · {t.code(one.kind)}{willing}"],
        ["p", {"class": "ev-muted", "dir": "auto"}, one.text],
        ["p", {"class": "ev-small"}, reason_of(one.reason, t)] if one.reason else "",
        ["ul", {"class": "ev-factors"}, *scores] if scores else "",
    ]


def _memory(earlier: list[tuple[int, StudentFrame]], remembered: Any, t: Words) -> Tree:
    lately = [
        ["li", {}, ["b", {}, f"{step}. "], t.code(one.behaviour), f": {one.monitoring}" if one.monitoring else ""]
        for step, one in reversed(earlier)
    ]
    before: list[Tree] = []
    if remembered is not None:
        told = (remembered.summary, remembered.portrait, remembered.regulation, remembered.evaluation)
        before = [
            ["p", {"class": "ev-muted ev-small"}, t("classroom.person.remembered")],
            *(["p", {"dir": "auto"}, text] for text in told if text),
        ]
    if not lately and not before:
        return ""
    return [
        "details",
        {"key": "memory"},
        ["summary", {}, t("classroom.person.memory")],
        *before,
        ["p", {"class": "ev-muted ev-small"}, t("classroom.person.lately")] if lately else "",
        ["ul", {}, *lately],
    ]
