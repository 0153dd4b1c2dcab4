"""The pool of peer requests: pending, then accepted or rejected with a reason, and never lost (C.3.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from eduverse_mesa.decisions import Request, Scores


@dataclass(slots=True)
class SocialRequest:
    """A request with its fate."""

    request: Request
    status: str = "pending"
    settled: int = 0
    reason: str = ""
    scores: Scores | None = None

    def settle(self, status: str, step: int, reason: str, scores: Scores | None = None) -> None:
        """Close the request; a settled one stays as it is."""
        if self.status != "pending":
            raise ValueError(f"request {self.request.id} is {self.status} already")
        self.status, self.settled, self.reason, self.scores = status, step, reason, scores


@dataclass(slots=True)
class RequestPool:
    """All peer requests of a lesson, the pending ones by receiver, and who has talked with whom how often."""

    all: list[SocialRequest] = field(default_factory=list)
    waiting: dict[str, list[SocialRequest]] = field(default_factory=dict)
    exchanges: dict[frozenset[str], int] = field(default_factory=dict)
    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    """How often one (first) has turned to another (second)."""

    def ask(self, sender: str, receiver: str, kind: str, text: str, step: int) -> SocialRequest | None:
        """Enter a request; None when one between the two waits already (it is not entered twice)."""
        for other in self.waiting.get(receiver, ()):
            if other.request.sender == sender:
                return None
        entry = SocialRequest(Request(len(self.all) + 1, sender, receiver, kind, text, step))
        self.all.append(entry)
        self.asked[sender, receiver] = self.asked.get((sender, receiver), 0) + 1
        self.waiting.setdefault(receiver, []).append(entry)
        return entry

    def pending_for(self, receiver: str) -> list[SocialRequest]:
        """Requests that wait for this receiver, oldest first."""
        return self.waiting.get(receiver, [])

    def accept(self, entry: SocialRequest, step: int, scores: Scores) -> None:
        """Take the request up."""
        entry.settle("accepted", step, "", scores)
        self.waiting[entry.request.receiver].remove(entry)
        pair = frozenset((entry.request.sender, entry.request.receiver))
        self.exchanges[pair] = self.exchanges.get(pair, 0) + 1

    def reject(self, entry: SocialRequest, step: int, reason: str, scores: Scores | None = None) -> None:
        """Turn the request down."""
        entry.settle("rejected", step, reason, scores)
        self.waiting[entry.request.receiver].remove(entry)

    def close(self, step: int) -> None:
        """The bell: what still waits is rejected, with that reason."""
        for entries in self.waiting.values():
            for entry in list(entries):
                self.reject(entry, step, "the lesson ended")

    def exchanged(self, one: str, other: str) -> int:
        """How often the two have talked in this lesson."""
        return self.exchanges.get(frozenset((one, other)), 0)
