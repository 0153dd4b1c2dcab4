"""The shared state of one lesson: what has just happened in the room, for all to use (C.5.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from eduverse_mesa.decisions import Focus, Line, PlannedPhase, Remembered, Request, Scores, Spoken, Turned


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
    """Times that one (first) has turned to another (second)."""

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

    def pending_for(self, receiver: str) -> list[tuple[SocialRequest, int, int]]:
        """Return the requests that wait for this receiver, oldest first, each with how often the two have talked in
        this lesson, and how often the sender had asked before."""
        return [(entry, *self._history(entry.request)) for entry in self.waiting.get(receiver, ())]

    def settle(self, entry: SocialRequest, step: int, refusal: str = "", scores: Scores | None = None) -> None:
        """Take a request up, or turn it down for a reason."""
        entry.settle("rejected" if refusal else "accepted", step, refusal, scores)
        self.waiting[entry.request.receiver].remove(entry)
        if not refusal:
            pair = frozenset((entry.request.sender, entry.request.receiver))
            self.exchanges[pair] = self.exchanges.get(pair, 0) + 1

    def close(self, step: int) -> None:
        """The bell: what still waits is rejected, with that reason."""
        for entries in self.waiting.values():
            for entry in list(entries):
                self.settle(entry, step, "the lesson ended")

    def _history(self, request: Request) -> tuple[int, int]:
        pair = request.sender, request.receiver
        return self.exchanges.get(frozenset(pair), 0), self.asked[pair] - 1


@dataclass(slots=True)
class SharedState:
    """Working memory of the class. Each student's own log and what they perceive are with the student."""

    # task and group context
    phases: tuple[PlannedPhase, ...] = ()
    step: int = 0
    phase: int = 0
    step_in_phase: int = 0
    extensions: int = 0
    """Steps added to the current phase."""
    mode: str = "lecture"
    # teacher state
    turn: Turned | None = None
    acts: list[str] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)
    open_question: Focus | None = None
    asked_questions: set[str] = field(default_factory=set)
    last_feedback: str = ""
    # request pools: instructional (who is called) and social
    called: tuple[str, ...] = ()
    requests: RequestPool = field(default_factory=RequestPool)
    # dialogue
    spoken: list[Spoken] = field(default_factory=list)
    """Sentences of this step, by anyone, in order of the class list."""
    earlier: tuple[Spoken, ...] = ()
    """Sentences that students said aloud to the class in the step before."""
    talk: list[Line] = field(default_factory=list)
    """All that the class has heard, turn by turn."""
    # long-term references
    remembered: dict[str, Remembered] = field(default_factory=dict)
