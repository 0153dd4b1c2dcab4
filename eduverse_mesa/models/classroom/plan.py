"""Round 3: everybody chooses what to do; what the room does not permit is replaced."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any

from eduverse_mesa.agents.recall import NOTHING, recall
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.codes import PEER_REQUESTS, TO_CLASS
from eduverse_mesa.decisions import Plan, React, Rounds, Scene
from eduverse_mesa.models.classroom.asking import ask
from eduverse_mesa.models.classroom.reflection import appraise
from eduverse_mesa.randomness import choose, uniform
from eduverse_mesa.space import Situation, nearest_permitted, permitted, why_not

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

_FLOOR = frozenset({"answer_question", "ask_question", "read_aloud"})
_READING = "somebody else is reading"
_NO_QUESTIONS = "the teacher is not taking questions now"
_TAKEN = "somebody else has the floor"
_ANSWERED = "somebody else has answered"
TURNS = frozenset({_READING, _NO_QUESTIONS, _TAKEN, _ANSWERED})
"""Reasons of those who wished for something open to them and only have to wait for their turn."""


def situation(student: StudentAgent, scene: Scene, model: ClassroomModel) -> Situation:
    """Where the student is and what is going on: what affordances depend on."""
    return Situation(
        called=student.seen.called,
        asked=scene.asked or scene.checked,
        directed_reading=scene.focus.do == "read" and scene.act == "giving_directions",
        mode=scene.mode,
        sees_board=model.sees_board(student, scene),
        partners=student.reachable,
        group_mates=model.mates(student),
        request_kind=student.request.kind if student.request is not None else None,
    )


def bring_to_mind(model: ClassroomModel, scene: Scene) -> None:
    """Draw what each student could bring up about the matter, before anybody is asked what to do or say."""
    idea, question = model.teacher.idea(scene.focus), model.teacher.question(scene.focus)
    for student in model.students:
        student.recalled = recall(
            model.address(student.name), student.mind, scene.focus, idea, question, model.parameters
        )


def plan(model: ClassroomModel, scene: Scene) -> Rounds:
    """Everybody plans at once; what is not permitted is replaced, and that is logged."""
    situations = [situation(student, scene, model) for student in model.students]
    decisions = [
        Plan(
            model.address(student.name),
            student.seen,
            permitted(where),
            student.reachable,
            student.request,
            student.refused_by,
            student.recalled or NOTHING,
        )
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield from ask(model, "plan", decisions)
    for student, where, answer in zip(model.students, situations, answers, strict=True):
        if answer.outcome is not None:
            _carry_out(model, student, where, answer.outcome, answer.outcome.sentence)


def react(model: ClassroomModel, scene: Scene) -> Rounds:
    """`nocog`: behaviour, emotion and cognition without the loop of plan, monitor and regulate."""
    situations = [situation(student, scene, model) for student in model.students]
    decisions = [
        React(
            model.address(student.name),
            student.seen,
            permitted(where),
            student.reachable,
            student.request,
            student.recalled or NOTHING,
        )
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield from ask(model, "react", decisions)
    for student, where, answer in zip(model.students, situations, answers, strict=True):
        if answer.outcome is not None:
            _carry_out(model, student, where, answer.outcome, "")
            appraise(student, answer.outcome)


def _carry_out(model: ClassroomModel, student: StudentAgent, where: Situation, outcome: Any, sentence: str) -> None:
    wanted = outcome.behaviour
    behaviour = nearest_permitted(wanted, where)
    if behaviour != wanted:
        model.journal.reject(model.state.step, student.name, wanted, behaviour, why_not(wanted, where))
    student.settle(behaviour, _partner(model, student, behaviour, outcome.partner), sentence)


def _partner(model: ClassroomModel, student: StudentAgent, behaviour: str, named: str) -> str:
    """The person a behaviour goes to. Most behaviours leave no choice; where one does and the policy has named nobody,
    or somebody out of reach, the model chooses, and the behaviour stays what was wished for."""
    if student.request is not None:
        return student.request.sender
    if behaviour in TO_CLASS:
        return "teacher"
    if behaviour not in PEER_REQUESTS:
        return ""
    if named in student.reachable:
        return named
    asks_teacher = behaviour == "ask_question"
    if asks_teacher and named in ("", "teacher", model.teacher.name):
        return "teacher"
    chosen = "teacher" if asks_teacher else _somebody(model, student)
    if named:
        other = model.teacher.name if chosen == "teacher" else chosen
        reason = f"{named} is not within talking distance (partner), so it goes to {other}"
        model.journal.reject(model.state.step, student.name, behaviour, behaviour, reason)
    return chosen


def _somebody(model: ClassroomModel, student: StudentAgent) -> str:
    """One of those a student can turn to, by luck; who has just refused is asked last."""
    willing = [name for name in student.reachable if name not in student.refused_by]
    return choose(model.address(student.name), "partner/unnamed", willing or student.reachable)


def take_the_floor(model: ClassroomModel, scene: Scene) -> None:
    """Only so many can be heard by the class at once, and one reads at a time; the others wait for their turn."""
    wanting = [s for s in model.students if s.acted in _FLOOR and s.partner == "teacher" and not s.seen.called]
    wanting.sort(key=lambda student: _haste(model, student))
    free = model.settings.floor - sum(1 for s in model.students if s.acted in ("stand_answer", "refuse_reply"))
    reading = False
    # Questions nobody asked for come in where the teacher lets them, one at a time.
    teacher = model.address(model.teacher.name)
    questions = uniform(teacher, "floor") < model.parameters["floor.question"]
    # Where somebody was called by name, or one "okay" will do, another who calls out is heard only now and then.
    one_will_do = bool(scene.called) or scene.checked
    others = not one_will_do or uniform(teacher, "floor/others") < model.parameters["floor.others"]
    answered = bool(scene.called)
    for student in wanting:
        instead, reason = "", ""
        if student.acted == "read_aloud" and reading:
            instead, reason = "head_up", _READING
        elif student.acted == "ask_question" and not questions:
            instead, reason = "hand_raise", _NO_QUESTIONS
        elif free <= 0:
            instead, reason = "hand_raise", _TAKEN
        elif student.acted == "answer_question" and answered and not others:
            instead, reason = "hand_raise", _ANSWERED
        if instead:
            model.journal.reject(model.state.step, student.name, student.acted, instead, reason)
            student.settle(instead, "teacher" if instead == "hand_raise" else "", student.planned)
            continue
        reading = reading or student.acted == "read_aloud"
        questions = questions and student.acted != "ask_question"
        answered = answered or student.acted == "answer_question"
        free -= 1


def _haste(model: ClassroomModel, student: StudentAgent) -> float:
    """When a student gets a word in, by chance: the outgoing and sure of themselves call out first, so that a few take
    many of the turns (Sadker, Sadker and Zittleman 2009)."""
    lead = student.person.traits.extraversion + student.mind.confidence - 1.0
    luck = max(uniform(model.address(student.name), "floor"), 1e-12)
    return -log(luck) * exp(-model.parameters["floor.dominance"] * lead)
