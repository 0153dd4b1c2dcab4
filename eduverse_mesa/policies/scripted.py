"""Answers written down beforehand: for tests, demonstrations and stubborn characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eduverse_mesa.decisions import Answer, Decision, Outcome
from eduverse_mesa.policies.policy import Policy

Script = Callable[[Decision], Outcome | Answer | None]


class ScriptedPolicy:
    """Asks a function for each answer; where it returns None, the rest answers, or the answer has failed."""

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
