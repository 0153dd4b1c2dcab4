"""Who knows what: a prompt holds what its agent can know, and nothing of what the others keep to themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies.llm.calls import Call
from eduverse_mesa.scenarios import load_scenario
from tests.policies.llm.rehearsal import FIDELITIES, Rehearsal, Watched, filled, policy_with

PRIVATE = {"thought": "thinking", "noticed": "noticing", "resolution": "resolving", "reason": "reasoning"}
AFTERWARDS = {"summary": "summing", "portrait": "summing", "regulation": "resolving"}
SENTENCES = {**PRIVATE, **AFTERWARDS, "note": "noting", "text": "saying", "sentences": "saying"}
"""How the canaries of an answer's fields are called."""
CANARY = re.compile(r"(thinking|noticing|resolving|reasoning|saying|summing|noting)-\d+")
PLAN = re.compile(r"plan-of-\w+")


class Lived(NamedTuple):
    """A lesson in which every sentence can be told from every other."""

    policy: Watched
    models: tuple[ClassroomModel, ...]
    owners: dict[str, str]
    """Who is the one that a sentence comes from."""


def marked_scenario() -> Any:
    """The usual scenario; every text of the teacher's plan has a name of its own."""
    settings: dict[str, object] = {"memory.carry": True, "pacing.mode": "adaptive"}
    document: Any = load_scenario(sessions=2, steps=5, settings=settings).model_dump(mode="json", by_alias=True)
    for number, lesson in enumerate(document["lessons"]):
        for idea in lesson["ideas"]:
            for field in ("text", "because", "partial", "misconception"):
                idea[field] = f"The plan-of-{field}_{number}_{idea['id']} is this."
        for question in lesson["questions"]:
            question |= {"answer": f"The plan-of-answer_{number}_{question['id']} is this."}
            question |= {"short_answer": f"plan-of-short_{number}_{question['id']}"}
            question |= {"ask": f"Why is the plan-of-ask_{number}_{question['id']}?"}
        for phase in lesson["phases"]:
            phase["summary"] = f"The plan-of-summary_{number}_{phase['name']} is this."
            for place, activity in enumerate(phase["activities"]):
                activity["text"] = f"The plan-of-activity_{number}_{phase['name']}_{place} is this."
    for place, student in enumerate(document["class"]["students"]):
        student["portrait"] = {key: f"The plan-of-{key}_{place} is this." for key in student["portrait"]}
    document["class"]["teacher"]["portrait"] = "The plan-of-teacher is this."
    return load_scenario(document)


@cache
def lived(fidelity: str) -> Lived:
    """Two lessons."""
    owners: dict[str, str] = {}

    def sentence(kind: str, owner: str) -> str:
        canary = f"{kind}-{len(owners)}"
        owners[canary] = owner
        return f"I think that {canary} is so."

    def mark(value: Any, key: str, owner: str) -> Any:
        if isinstance(value, dict):
            return {name: mark(part, name, owner) for name, part in value.items()}
        if isinstance(value, list):
            return [mark(part, key, owner) for part in value]
        return sentence(SENTENCES[key], owner) if isinstance(value, str) and key in SENTENCES else value

    def twist(call: Call, _: int) -> str:
        found = re.search(r"^You are (.+?)(?:, \d+ years old|, the teacher)", call.messages[1].content, re.MULTILINE)
        assert found
        return json.dumps(mark(filled(call), "", found[1]))

    rehearsal = Rehearsal(twist)
    policy = Watched(rehearsal, policy_with(rehearsal, fidelity))
    scenario, memory, models = marked_scenario(), None, []
    for number in (1, 2):
        model = ClassroomModel(scenario, policy=policy, seed=4, lesson_number=number, memory=memory)
        while model.running:
            model.step()
        memory = model.memory
        models.append(model)
    assert {entry.answer.status for model in models for entry in model.journal.answers} == {"ok"}
    return Lived(policy, tuple(models), owners)


def prompts(of: Lived, *, teacher: bool) -> Iterator[tuple[Any, str]]:
    """Decisions of students, or of the teacher, with all that a model is shown for them."""
    name = of.models[0].teacher.name
    for decision, calls in of.policy.seen:
        if (decision.agent == name) == teacher:
            for call in calls:
                yield decision, "\n".join(message.content for message in call.messages)


def shown(text: str) -> set[str]:
    return {found[0] for found in CANARY.finditer(text)}


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_nobody_is_shown_what_another_student_keeps_to_itself(fidelity: str) -> None:
    lesson = lived(fidelity)
    own = 0
    for decision, text in prompts(lesson, teacher=False):
        for canary in shown(text):
            if canary.partition("-")[0] in {*PRIVATE.values(), *AFTERWARDS.values()}:
                assert lesson.owners[canary] == decision.agent, (decision.kind, canary)
                own += 1
    assert own > 50  # what it has thought itself it knows


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_what_is_said_privately_is_shown_to_those_it_was_said_to(fidelity: str) -> None:
    lesson = lived(fidelity)
    hearers: dict[str, set[str]] = {}
    for model in lesson.models:
        everybody = {*model.classmates, model.teacher.name}
        for row in model.journal.sentences:
            if row.channel == "class":
                heard_by = everybody
            elif row.channel == "peer":
                heard_by = {row.speaker, row.addressee}
            else:
                heard_by = {row.speaker, *model.classmates[row.speaker].mates}
            for canary in shown(row.text):
                hearers.setdefault(canary, set()).update(heard_by)
    private = {canary for canary, by in hearers.items() if len(by) < len(everybody)}
    assert len(private) > 5
    seen_private = set()
    for teacher in (False, True):
        for decision, text in prompts(lesson, teacher=teacher):
            for canary in shown(text):
                if canary.startswith("saying") and canary in hearers:
                    assert decision.agent in hearers[canary], (decision.kind, canary)
                    seen_private |= {canary} & private
    assert seen_private, "no private talk was shown to those who had it"


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_student_is_shown_of_the_plan_only_what_it_can_recall(fidelity: str) -> None:
    lesson = lived(fidelity)
    recalled_something = 0
    for decision, text in prompts(lesson, teacher=False):
        recall = getattr(decision, "recall", None)
        own = json.dumps(decision.view.person.portrait.model_dump())
        known = own if recall is None else f"{own} {recall.text} {recall.because} {recall.short}"
        allowed = set(PLAN.findall(known)) - {word for word in PLAN.findall(own) if "guidance" in word}
        found = set(PLAN.findall(text))
        assert found <= allowed, decision.kind
        recalled_something += bool(found - set(PLAN.findall(own)))
    assert recalled_something > 5


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_the_teacher_is_shown_no_private_sentence_but_what_students_resolved(fidelity: str) -> None:
    lesson = lived(fidelity)
    teacher = lesson.models[0].teacher.name
    resolved = 0
    for decision, text in prompts(lesson, teacher=True):
        for canary in shown(text):
            if lesson.owners[canary] != teacher and not canary.startswith("saying"):
                assert canary.startswith("resolving"), (decision.kind, canary)
                resolved += 1
    assert resolved > 5


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_the_teacher_is_shown_its_plan_but_nobodys_recall(fidelity: str) -> None:
    lesson = lived(fidelity)
    found = {word for _, text in prompts(lesson, teacher=True) for word in PLAN.findall(text)}
    for part in ("activity", "teacher"):
        assert any(part in word for word in found), part
    assert not any("partial" in word or "misconception" in word for word in found)


def test_a_second_lesson_brings_back_what_was_remembered_of_the_first() -> None:
    lesson = lived("fused")
    second = [(d, text) for d, text in prompts(lesson, teacher=False) if d.at.lesson == 2]
    assert any(canary.startswith("summing") for _, text in second for canary in shown(text))
