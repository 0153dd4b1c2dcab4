"""The floor of a step: who is heard by the class, who waits for a turn, and the words that are said."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.decisions import Draft, Round, Rounds, Scene, Spoken, Style
from eduverse_mesa.randomness import uniform
from eduverse_mesa.vocabulary import PEER_REQUESTS, SPOKEN

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

_FLOOR = frozenset({"answer_question", "ask_question", "read_aloud"})
_READING = "somebody else is reading"
_NO_QUESTIONS = "the teacher is not taking questions now"
_TAKEN = "somebody else has the floor"
_ANSWERED = "somebody else has answered"
TURNS = frozenset({_READING, _NO_QUESTIONS, _TAKEN, _ANSWERED})
"""Reasons of those who wished for something open to them and only have to wait for their turn."""


def exchange(model: ClassroomModel, scene: Scene) -> Rounds:
    """Settle who is heard, and let those who speak find their words."""
    share_the_floor(model, scene)
    yield from speak(model)


def share_the_floor(model: ClassroomModel, scene: Scene) -> None:
    """Only so many can be heard by the class at once, and one reads at a time; the others wait for their turn."""
    wanting = [s for s in model.students if s.now.behaviour in _FLOOR and s.partner == "teacher" and not s.seen.called]
    wanting.sort(key=lambda student: _haste(model, student))
    free = model.settings.floor - sum(1 for s in model.students if s.now.behaviour in ("stand_answer", "refuse_reply"))
    reading = False
    # Questions nobody asked for come in where the teacher lets them, one at a time.
    teacher = model.teacher.at
    questions = uniform(teacher, "floor") < model.parameters["floor.question"]
    # Where somebody was called by name, or one "okay" will do, another who calls out is heard only now and then.
    one_will_do = bool(scene.called) or scene.checked
    others = not one_will_do or uniform(teacher, "floor/others") < model.parameters["floor.others"]
    answered = bool(scene.called)
    for student in wanting:
        instead, reason = "", ""
        if student.now.behaviour == "read_aloud" and reading:
            instead, reason = "head_up", _READING
        elif student.now.behaviour == "ask_question" and not questions:
            instead, reason = "hand_raise", _NO_QUESTIONS
        elif free <= 0:
            instead, reason = "hand_raise", _TAKEN
        elif student.now.behaviour == "answer_question" and answered and not others:
            instead, reason = "hand_raise", _ANSWERED
        if instead:
            model.journal.reject(model.state.step, student.name, student.now.behaviour, instead, reason)
            student.settle(instead, "teacher" if instead == "hand_raise" else "", student.planned)
            continue
        reading = reading or student.now.behaviour == "read_aloud"
        questions = questions and student.now.behaviour != "ask_question"
        answered = answered or student.now.behaviour == "answer_question"
        free -= 1


def _haste(model: ClassroomModel, student: StudentAgent) -> float:
    """When a student gets a word in, by chance: the outgoing and sure of themselves call out first, so that a few take
    many of the turns (Sadker, Sadker and Zittleman 2009)."""
    lead = student.person.traits.extraversion + student.mind.confidence - 1.0
    luck = max(uniform(student.at, "floor"), 1e-12)
    return -log(luck) * exp(-model.parameters["floor.dominance"] * lead)


def speak(model: ClassroomModel) -> Rounds:
    """Those whose behaviour is spoken find their words: content first, then, where style is on, their own way."""
    state = model.state
    speakers = [student for student in model.students if student.now.behaviour in SPOKEN]
    answers = yield Round(
        "draft",
        [
            Draft(
                student.at,
                student.seen,
                student.now.behaviour,
                student.partner or "group",
                student.recalled,
                student.request.text if student.request is not None else "",
            )
            for student in speakers
        ],
    )
    drafted = [(s, a.outcome.sentences) for s, a in zip(speakers, answers, strict=True) if a.outcome is not None]
    if model.styles:
        answers = yield Round(
            "style",
            [
                Style(
                    student.at,
                    student.seen,
                    student.now.behaviour,
                    student.partner or "group",
                    sentences,
                    student.planned,
                )
                for student, sentences in drafted
            ],
        )
        styled = zip(drafted, answers, strict=True)
        drafted = [(student, a.outcome.sentences) for (student, _), a in styled if a.outcome is not None]
    for student, sentences in drafted:
        student.words = tuple(sentences)
        student.spoke += student.partner == "teacher"
        state.spoken.append(Spoken(student.name, student.partner or "group", student.words))
    _enter_requests(model)


def _enter_requests(model: ClassroomModel) -> None:
    """Turning to a classmate is a request, unless it takes one up."""
    state = model.state
    for student in model.students:
        if student.now.behaviour in PEER_REQUESTS and student.partner in model.classmates and student.request is None:
            text = " ".join(said.text for said in student.words)
            state.requests.ask(student.name, student.partner, student.now.behaviour, text, state.step)
