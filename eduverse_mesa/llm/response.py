"""Responses: what came of a question to an agent, with its status. There is no value where there is no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from eduverse_mesa.decisions import Status, Usage
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.questions import Lookup

A = TypeVar("A")
T = TypeVar("T")


class NoAnswerError(PolicyError):
    """The value of an answer is wanted that did not come."""


class Missing:
    """In the place of a value that there is not: None may be one."""


@dataclass(frozen=True)
class Response(Generic[A, T]):
    """One agent's answer. `status` says how it came: `ok`; `repaired`, after the model was asked again; `fallback`,
    from `otherwise`; `failed`, not at all."""

    agent: A
    status: Status
    reason: str
    """Why it is not `ok`."""
    attempts: int
    """How often the model was asked."""
    source: str
    """`llm`, `local`, `scripted` or `otherwise`; in a replay what it was then."""
    lookups: tuple[Lookup, ...]
    """Tools that were called before it, in their order."""
    usage: Usage
    _value: T | Missing

    @property
    def answered(self) -> bool:
        """Whether there is a value."""
        return not isinstance(self._value, Missing)

    @property
    def value(self) -> T:
        """The typed answer. NoAnswerError where none came: a failure never looks like a decision."""
        if isinstance(self._value, Missing):
            raise NoAnswerError(
                f"there is no answer: {self.reason}.",
                where=f"agent {getattr(self.agent, 'unique_id', self.agent)}",
                mend="Ask `answered` before, or say with ask(..., otherwise=...) what is done without one.",
            )
        return self._value
