"""Answers that exist beforehand: from a recording, or written down by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from eduverse_mesa.decisions import Answer, Decision, Outcome
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.policy import Policy


class Recorded(NamedTuple):
    """One answer of a log and its place."""

    lesson: int
    step: int
    agent: str
    kind: str
    answer: Answer


class NotRecordedError(PolicyError):
    """Something is asked that was not asked when the recording was made."""


class ReplayPolicy:
    """Gives each decision the answer recorded for the same lesson, step, agent and kind, in recorded order."""

    name = "replay"

    def __init__(self, log: Iterable[Recorded]) -> None:
        self._answers: dict[tuple[int, int, str, str], list[Answer]] = {}
        self._used: dict[tuple[int, int, str, str], int] = {}
        for entry in log:
            self._answers.setdefault(entry[:4], []).append(entry.answer)

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """The recorded answers; a decision that was never answered is an error, not a guess."""
        return [self._find(decision) for decision in decisions]

    def _find(self, decision: Decision) -> Answer:
        at = decision.at
        key = (at.lesson, at.step, at.agent, decision.kind)
        used = self._used.get(key, 0)
        recorded = self._answers.get(key, ())
        if used >= len(recorded):
            raise NotRecordedError(
                f"the recording holds no answer to '{decision.kind}' for {at.agent} in lesson {at.lesson}, "
                f"step {at.step}.",
                mend="It was made with another scenario or another version of eduverse-mesa, or ends here.",
            )
        self._used[key] = used + 1
        return recorded[used]


Script = Callable[[Decision], Outcome | Answer | None]


class ScriptedPolicy:
    """Asks a function for each answer; if it returns None, the rest answers, or the answer has failed."""

    def __init__(self, script: Script, rest: Policy | None = None, name: str = "scripted") -> None:
        self.name = name
        self._script = script
        self._rest = rest

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """One answer for each decision, from the script first."""
        return [self._answer_one(decision) for decision in decisions]

    def _answer_one(self, decision: Decision) -> Answer:
        written = self._script(decision)
        if isinstance(written, Answer):
            return written
        if written is not None:
            return Answer(written, self.name)
        if self._rest is not None:
            return self._rest.answer([decision])[0]
        return Answer.failed(self.name, "the script has no answer here")
