"""Who may speak next, and how long the others wait for a person (MathVC, 3.2.1: next speaker control)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from eduverse_mesa.errors import LessonError


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds since the last keystroke after which a peer goes on."""

    alone: float = 60.0
    """Only people may speak."""
    shared: float = 10.0
    """People or peers may."""


def bound_speakers(suggested: Sequence[str], members: Sequence[str], last: str, called: str) -> tuple[str, ...]:
    """Who may speak, of those who were suggested: the one who is called by name, and never the last speaker.

    Where nobody legal was suggested, everybody else may.
    """
    others = tuple(name for name in members if name != last)
    if called in others:
        return (called,)
    allowed = tuple(name for name in others if name in suggested)
    return allowed or others or tuple(members)


@dataclass(frozen=True, slots=True)
class Floor:
    """Who holds the floor, since when. Time is what the driver says it is: nothing here looks at a clock."""

    holders: tuple[str, ...]
    people: frozenset[str]
    since: float
    """When the last message was said or the last key was struck."""
    patience: Patience = Patience()

    @property
    def wait(self) -> float:
        """How long peers hold back."""
        held_by = [name in self.people for name in self.holders]
        if not any(held_by):
            return 0.0
        return self.patience.alone if all(held_by) else self.patience.shared

    @property
    def due(self) -> float:
        """The time from which on a peer may go on."""
        return self.since + self.wait

    def candidates(self, peers: Collection[str], last: str, now: float) -> tuple[str, ...]:
        """The peers of whom one speaks now; none while a person is waited for."""
        if now < self.due:
            return ()
        invited = tuple(name for name in self.holders if name in peers)
        # Nobody but people was invited, and they are silent: any peer goes on (section 3.2.1), the last one only
        # where there is no other.
        return invited or tuple(name for name in peers if name != last) or tuple(peers)

    def touch(self, now: float) -> Floor:
        """A key was struck: the waiting begins anew."""
        if now < self.since:
            raise LessonError(
                f"the time given is {now}, and it was {self.since} already.", mend="Give times that do not run back."
            )
        return Floor(self.holders, self.people, now, self.patience)
