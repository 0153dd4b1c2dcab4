"""Round 1: the teacher acts and speaks, and the act is broadcast."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from eduverse_mesa.codes import ACT_CATEGORY, ACTS
from eduverse_mesa.decisions import Answer, ClassView, Focus, Round, Scene, TakeTurn
from eduverse_mesa.models.classroom.asking import ask

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

_ASKING_ACTS = frozenset({"asking_question", "organising_discussion"})
_QUESTION_MARKS = ("?", "？")


def initiate(model: ClassroomModel, focus: Focus, group: ClassView) -> Generator[Round, Sequence[Answer], Scene]:
    """The teacher acts and speaks; the act is broadcast."""
    state, teacher = model.state, model.teacher
    acts = model.forced_acts or ACTS
    talk = tuple(state.talk)
    decision = TakeTurn(model.address(teacher.name), teacher.view(focus, group, state), acts)
    (answer,) = yield from ask(model, "teacher", [decision])
    turn = answer.outcome
    act = turn.act if turn is not None else ""
    if turn is not None and act not in acts:
        model.journal.reject(state.step, teacher.name, act, "", "this act is not open to the teacher now")
        turn, act = None, ""
    state.turn = turn
    called, addressed = _known(model, turn.called if turn else ()), _known(model, turn.addressed if turn else ())
    state.called = called
    state.mode = "discussion" if act == "organising_discussion" else model.layout.mode
    asks = act in _ASKING_ACTS
    focus = _focus_of_turn(model, focus, turn)
    state.acts.append(act)
    if turn is not None:
        model.say_to_class("T", teacher.name, turn.sentences, "class")
        if ACT_CATEGORY[act] != "management":
            state.covered.append(focus.idea or focus.text)
        if asks and focus.question_id:
            state.asked_questions.add(focus.question_id)
    teacher.behaviour, teacher.emotion = act, turn.tone if turn else ""
    scene = Scene(
        teacher.lesson,
        state.phases[state.phase].name,
        state.mode,
        focus,
        ACT_CATEGORY.get(act, ""),
        act,
        turn.tone if turn else "neutral",
        turn.sentences if turn else (),
        called,
        addressed,
        asks or bool(called),
        not asks and turn is not None and any(said.text.endswith(_QUESTION_MARKS) for said in turn.sentences),
        state.earlier,
        talk,
        state.step,
        teacher.name,
        tuple(model.classmates),
    )
    state.open_question = focus if act == "asking_question" else None
    state.spoken = []
    for name in called:
        model.classmates[name].calls += 1
    return scene


def _known(model: ClassroomModel, names: Sequence[str]) -> tuple[str, ...]:
    known = []
    for name in names:
        if name in model.classmates:
            known.append(name)
        else:
            model.journal.reject(model.state.step, model.teacher.name, f"call {name}", "", "nobody here has this name")
    return tuple(dict.fromkeys(known))


def _focus_of_turn(model: ClassroomModel, focus: Focus, turn: Any) -> Focus:
    """The focus with the press that the teacher's words really made; a waiting question stays the focus."""
    if turn is None:
        return focus
    waiting = model.state.open_question
    if waiting is not None and turn.act == "asking_question" and turn.called and not focus.question:
        focus = waiting
    for said in reversed(turn.sentences):
        press = {"press-accuracy": "accuracy", "press-reasoning": "reasoning", "get-to-relate": "relate"}.get(said.move)
        if press is not None:
            return focus if focus.press == press else msgspec.structs.replace(focus, press=press)
    return focus
