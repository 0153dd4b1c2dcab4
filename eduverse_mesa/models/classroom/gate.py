"""Round 2: the social gate (Algorithm A.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.decisions import Decision, Rounds, ScoreRequest
from eduverse_mesa.memory.requests import SocialRequest
from eduverse_mesa.models.classroom.asking import ask

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def gate(model: ClassroomModel) -> Rounds:
    """A teacher's request wins; else a peer's request is taken up when the intention is high enough (Alg. A.1)."""
    state, pool = model.state, model.state.requests
    scored: list[tuple[StudentAgent, SocialRequest]] = []
    decisions: list[Decision] = []
    for student in model.students:
        for entry in list(pool.pending_for(student.name)):
            if student.seen.called:
                pool.reject(entry, state.step, "teacher priority")
                _refused(model, entry)
                continue
            sender = entry.request.sender
            scored.append((student, entry))
            decisions.append(
                ScoreRequest(
                    model.address(student.name),
                    student.seen,
                    entry.request,
                    student.closeness.get(sender, 0.0),
                    pool.exchanged(student.name, sender),
                    pool.asked[sender, student.name] - 1,
                )
            )
    answers = yield from ask(model, "gate", decisions)
    by_student: dict[str, list[tuple[SocialRequest, Any]]] = {}
    for (student, entry), answer in zip(scored, answers, strict=True):
        if answer.outcome is not None:  # a request whose scoring failed goes on waiting
            by_student.setdefault(student.name, []).append((entry, answer.outcome))
    for name, entries in by_student.items():
        _decide(model, model.classmates[name], entries)


def _decide(model: ClassroomModel, student: StudentAgent, entries: list[tuple[SocialRequest, Any]]) -> None:
    state, threshold = model.state, model.settings.gate.threshold
    best = max(entries, key=lambda item: (item[1].intention, -item[0].request.id))
    for entry, scores in entries:
        sender = model.classmates[entry.request.sender]
        if entry is best[0] and scores.intention >= threshold:
            state.requests.accept(entry, state.step, scores)
            student.request = entry.request
            student.befriend(sender.name, model.parameters["closeness.exchange"])
            sender.befriend(student.name, model.parameters["closeness.exchange"])
        else:
            reason = "low intention" if scores.intention < threshold else "busy with another classmate"
            state.requests.reject(entry, state.step, reason, scores)
            _refused(model, entry)


def _refused(model: ClassroomModel, entry: SocialRequest) -> None:
    sender = model.classmates[entry.request.sender]
    sender.new_refusals = (*sender.new_refusals, entry.request.receiver)
    sender.befriend(entry.request.receiver, -model.parameters["closeness.refusal"])
