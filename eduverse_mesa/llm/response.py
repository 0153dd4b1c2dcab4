"""Responses: what came of a question to an agent, with its status. There is no value where there is no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eduverse_mesa.decisions import Status, Usage
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.rounds import name_of_agent
from eduverse_mesa.llm.tools import Lookup

A = TypeVar("A")
T = TypeVar("T")


class NoAnswerError(PolicyError):
    """The value of an answer is wanted that did not come."""


class Missing:
    """In the place of a value that there is not: None may be one."""


@dataclass(frozen=True, repr=False, eq=False)
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
    """Calls of tools before it, in their order; one with a `defect` was wrong and has called nothing."""
    usage: Usage
    said: str
    """Last text of the model if it could not be used, cut."""
    remembered: int
    """Messages of the model that came from the cache of answers, and not from a server; 0 where all are new."""
    _value: T | Missing

    @property
    def answered(self) -> bool:
        """True if there is a value."""
        return not isinstance(self._value, Missing)

    @property
    def model(self) -> str:
        """The model that answered, as its server names it; empty where it tells no name."""
        return self.usage.model

    @property
    def value(self) -> T:
        """The typed answer. NoAnswerError where none came: a failure never looks like a decision."""
        if isinstance(self._value, Missing):
            raise NoAnswerError(
                f"there is no answer: {self.reason}.",
                where=name_of_agent(self.agent),
                mend="Ask `answered` before, or say with ask(..., otherwise=...) what is done without one.",
            )
        return self._value

    @property
    def gone(self) -> bool:
        """True if the agent has been removed from its Mesa model since it was asked."""
        agent: Any = self.agent
        return agent not in agent.model.agents

    def __repr__(self) -> str:
        came = repr(self._value) if self.answered else f"reason={self.reason!r}"
        return f"Response({name_of_agent(self.agent)}, {self.status}, {came})"

    def __bool__(self) -> bool:
        raise TypeError("a Response is neither true nor false: ask .answered, or take its .value")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Response):
            raise TypeError(f"a Response is not compared with {type(other).__name__}: take its .value (see .answered)")
        if (self.agent is not other.agent) or (self.status, self.answered) != (other.status, other.answered):
            return False
        return not self.answered or bool(self._value == other._value)

    def __hash__(self) -> int:
        return hash((id(self.agent), self.status))
