"""What was done to a document, and back again: every state is kept, since states share what they have in common."""

from __future__ import annotations

from threading import RLock

from eduverse_mesa.scenarios.drafting.errors import Step
from eduverse_mesa.scenarios.plain import Plain

MOST_STEPS = 1000


class History:
    """A line of documents with a mark on one of them."""

    def __init__(self, first: Plain) -> None:
        self._lock = RLock()
        self.document = first
        self._past: list[tuple[Plain, Step]] = []
        self._future: list[tuple[Plain, Step]] = []
        self._merging: object = None

    def push(self, document: Plain, step: Step, merge: object = None) -> None:
        """Go on to a new document. Edits of one thing in a row (`merge` names it) are one step."""
        with self._lock:
            if document == self.document:
                return
            if merge is None or merge != self._merging or self._future or not self._past:
                self._past.append((self.document, step))
                del self._past[:-MOST_STEPS]
            self._merging = merge
            self._future.clear()
            self.document = document

    def undo(self) -> Step | None:
        """Back to the document before; what was taken back, or None at the start."""
        with self._lock:
            return self._turn(self._past, self._future)

    def redo(self) -> Step | None:
        """Forward again; what was done again, or None at the end."""
        with self._lock:
            return self._turn(self._future, self._past)

    def _turn(self, away: list[tuple[Plain, Step]], onto: list[tuple[Plain, Step]]) -> Step | None:
        if not away:
            return None
        document, step = away.pop()
        onto.append((self.document, step))
        self.document, self._merging = document, None
        return step

    @property
    def last(self) -> Step | None:
        """What undo would take back."""
        return self._past[-1][1] if self._past else None

    @property
    def next(self) -> Step | None:
        """What redo would do again."""
        return self._future[-1][1] if self._future else None

    @property
    def length(self) -> int:
        """How many steps can be taken back."""
        return len(self._past)
