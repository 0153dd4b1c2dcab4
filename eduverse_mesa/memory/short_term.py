"""The shared state of one lesson: what has just happened in the room, for all to use (C.5.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from eduverse_mesa.decisions import Focus, Line, PlannedPhase, Remembered, Spoken, Turned
from eduverse_mesa.memory.requests import RequestPool


@dataclass(slots=True)
class SharedState:
    """Working memory of the class. Each student's own log and what it perceives are with the student."""

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
    """What was said in this step, by anyone, in order of the class list."""
    earlier: tuple[Spoken, ...] = ()
    """What students said aloud to the class in the step before."""
    talk: list[Line] = field(default_factory=list)
    """All that the class has heard, turn by turn."""
    # long-term references
    remembered: dict[str, Remembered] = field(default_factory=dict)
