"""The rules by which runs are played: a number for each kind of run, which a run remembers.

It is raised when the same answers lead elsewhere than before, so that a recording can say by which rules it was made.
What people, policies and models answer is no rule: a replay takes it from the recording. Recordings by each number that
there was are kept in tests/runs/by_rules; the newest have to come out as they did (tests/runs/test_rules.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eduverse_mesa import __version__
from eduverse_mesa.store import RunKind, RunRow, Study

RULES: Mapping[RunKind, int] = {"course": 1, "tutoring": 1, "collaboration": 1}


class Origin(NamedTuple):
    """The rules and the version by which a run was recorded."""

    kind: RunKind
    rules: int = 0
    """0 where nobody knows: in the formats before 7, runs did not remember it."""
    version: str = ""

    @classmethod
    def of(cls, row: RunRow) -> Origin:
        """A run of a study."""
        return cls(row.kind, row.rules, row.version)

    @classmethod
    def here(cls, kind: RunKind) -> Origin:
        """A run that this version plays."""
        return cls(kind, RULES[kind], __version__)

    @property
    def told(self) -> str:
        """By which rules it was recorded, and by which this version plays, as a sentence."""
        now, by = RULES[self.kind], f" (version {self.version})" if self.version else ""
        if not self.rules:
            return f"By which rules it was recorded{by} is not known; this version has rules {now}."
        if self.rules != now:
            return f"It was recorded by rules {self.rules}{by}; this version has rules {now}."
        return f"It was recorded by the rules that this version has, too: {now}."

    @property
    def mend(self) -> str:
        """Advice for the case that a recording does not come out as it did."""
        if not self.rules:
            return f"{self.told} Use the program that recorded it, if you still have it."
        if self.rules != RULES[self.kind]:
            return f"{self.told} Use a version that has rules {self.rules}."
        return f"{self.told} So the recording was changed or damaged: take a copy from before."


UNKNOWN = Origin("course")
"""Of a recording of which nothing is known."""


def note_rules(study: Study, run: str) -> None:
    """Say by which rules a run goes on. All that was recorded before has come out by them as it did."""
    from eduverse_mesa.store import run_list

    row = study.run(run)
    if row.rules != RULES[row.kind]:
        run_list.note_rules(study, run, RULES[row.kind])
