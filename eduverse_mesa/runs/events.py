"""Events that a player tells its listeners, and the list of the listeners."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, Literal, TypeVar

from eduverse_mesa.runs.recording import Until

Status = Literal["loading", "ready", "playing", "thinking", "paused", "complete", "stopped", "failed"]
"""`loading`: the recorded part is being played again; `thinking`: a step waits for a model or a person."""

RESTING: frozenset[Status] = frozenset({"ready", "paused", "complete", "stopped", "failed"})
ENDED: frozenset[Status] = frozenset({"complete", "stopped", "failed"})

EventKind = Literal["status", "step", "thinking", "kept", "seat", "alert"]

Told = TypeVar("Told")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened: the status is another, a step is complete, somebody is asked or has answered, the run is kept
    in a study, something is new at a seat where people sit, or somebody has typed what tells of harm."""

    kind: EventKind
    status: Status
    head: Until
    """(lesson, step) of the last complete step."""
    agent: str = ""
    """The agent whose seat it is about."""


Listener = Callable[[Event], None]


class Listeners(Generic[Told]):
    """The listeners to something. A listener that raises is written to the log and disturbs nobody."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._all: dict[object, Callable[[Told], None]] = {}

    def add(self, listener: Callable[[Told], None]) -> Callable[[], None]:
        """Tell it, too, until the returned function is called."""
        key = object()
        with self._turn:
            self._all[key] = listener

        def stop_listening() -> None:
            with self._turn:
                self._all.pop(key, None)

        return stop_listening

    def tell(self, what: Told) -> None:
        """Tell all of them."""
        with self._turn:
            listeners = tuple(self._all.values())
        for listener in listeners:
            try:
                listener(what)
            except Exception:
                _LOG.exception("a listener failed at %s", what)
