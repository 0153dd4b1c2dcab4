"""What is different about learners and their tutors: who is there, what they came with, how they are played again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from eduverse_mesa.agents.learner import LONGEST
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.models.classroom.journal import LoggedAnswer
from eduverse_mesa.policies import Policy
from eduverse_mesa.policies.cleaning import clean
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.runs.erasing.words import blank, change_texts
from eduverse_mesa.runs.tutoring.playing import make_played, note_turn
from eduverse_mesa.runs.tutoring.spec import spec_of
from eduverse_mesa.store import AnswerRow, MemoryRow, RunRow
from eduverse_mesa.store.rewriting import KeptRun

_BEGAN = "began"
_ROLES = ("tutor of ", "judge of ")
"""Before a learner's name: who else is at its desk."""


class Giving(Policy, Protocol):
    """Gives the answers of one session, and notes which."""

    given: list[AnswerRow]
    missing: int

    @property
    def left(self) -> int:
        """Rows that nobody has asked for."""


def at_desk_of(agent: str) -> str:
    """The learner at whose desk somebody is; anybody else is just the one."""
    return next((agent.removeprefix(role) for role in _ROLES if agent.startswith(role)), agent)


def renamed(agent: str, change: Callable[[str], str]) -> str:
    """The agent by its new name; a tutor goes by the name of its learner."""
    learner = at_desk_of(agent)
    return f"{agent.removesuffix(learner)}{change(learner)}"


def lesson_text(row: RunRow) -> str:
    """What a run was made from, without what its learners had in memory: that holds what people have said to them."""
    if row.kind != "tutoring":
        return row.scenario
    try:
        document = msgspec.json.decode(row.scenario)
    except msgspec.DecodeError:
        return row.scenario
    return msgspec.json.encode({key: part for key, part in document.items() if key != _BEGAN}).decode()


def began_with(row: RunRow) -> dict[str, Any]:
    """What the learners of a run had in memory when it began, by name."""
    if row.kind != "tutoring":
        return {}
    try:
        learners: dict[str, Any] = msgspec.json.decode(row.scenario).get(_BEGAN, {})
    except msgspec.DecodeError:
        return {}
    return learners


def forget_said(document: str, said: Collection[str]) -> str:
    """What learners came with, without what a person has said to them, however short it was."""
    try:
        read: Any = msgspec.json.decode(document)
    except msgspec.DecodeError:
        return document
    heard = {*said, *(clean(text)[:LONGEST] for text in said)}

    def change(text: str, own: bool) -> str:
        return blank(text, own) if text in heard else text

    after = {**read, _BEGAN: change_texts(read.get(_BEGAN, {}), change)}
    return document if after == read else msgspec.json.encode(after).decode()


def taught_again(run: KeptRun, give: Callable[[Iterable[AnswerRow]], Giving]) -> tuple[KeptRun, int]:
    """The run as it goes with these answers, and how many of them were lost."""
    row = run.row
    played = make_played(row.id, spec_of(row.scenario, row.seed, row.policy, row.parent, row.forked_at), None)
    again = run._replace(answers=[], digests={}, students=[], teacher=[], summaries=[])
    model, before, lost = played.model, played.spec.before, 0
    for session in dict.fromkeys(session for session, _ in run.digests):
        model.wait_after, turn = session + before, 0
        policy = give(one for one in run.answers if one.lesson == session)
        start = len(model.journal.answers)
        while model.due and (session, turn + 1) in run.digests:
            turn += 1
            run_waiting(model.rounds(), policy)
            model.finish_driven_step()
            note_turn(played, (session, turn))
            again.digests[session, turn] = played.turns[-1].digest
        lost += policy.missing + policy.left
        again.answers.extend(_logged(session, model.journal.answers[start:], policy.given))
        again.students.extend(
            (session, MemoryRow(one.learner, one.unit, one.summary, turn)) for one in played.episodes_of(session)
        )
    if set(again.digests) != set(run.digests):
        raise PolicyError("a session ends at another turn.")
    return again, lost


def _logged(session: int, entries: Sequence[LoggedAnswer], rows: Sequence[AnswerRow]) -> Iterable[AnswerRow]:
    for entry, row in zip(entries, rows, strict=True):
        yield row._replace(lesson=session, seq=entry.seq, round=entry.round)
