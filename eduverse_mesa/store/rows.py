"""The rows of a study, as they go in and come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

RunStatus: TypeAlias = Literal["running", "complete", "interrupted", "failed"]
RunKind: TypeAlias = Literal["course", "tutoring", "collaboration"]
"""Lessons of a class, learners with their tutors, or a group that solves a problem: a session is kept as a lesson is, a
turn or a message as a step."""
Role: TypeAlias = Literal["student", "teacher"]
ParticipantState: TypeAlias = Literal["present", "erasing", "erased"]
Verdict: TypeAlias = Literal["", "seen", "false"]
"""An adult's verdict on an alert: nothing yet, that they see to it, or that it was a false alarm."""
Place: TypeAlias = tuple[int, int]
"""(lesson, step)"""


class RunRow(NamedTuple):
    """One run: everything but its answers."""

    id: str
    name: str
    seed: int
    scenario: str
    """The whole scenario as JSON."""
    policy: str
    changes: str = "[]"
    """Interventions as JSON."""
    parent: str | None = None
    forked_at: tuple[int, int] | None = None
    version: str = ""
    status: RunStatus = "running"
    spent: str = ""
    """The spending on language models for it so far, as JSON: unlike the answers' rows, with what came to nothing and
    what is on its way."""
    title: str = ""
    """The title that a person gave it; the id stays, since forks name it."""
    planned: int = 0
    """Steps of all its lessons, as they were planned; 0 where nobody knows how many turns there will be."""
    kind: RunKind = "course"
    rules: int = 0
    """The number of the rules by which it was played; 0 where nobody knows."""


class LessonRow(NamedTuple):
    """How far a lesson of a run has come. The clock is UTC, in ISO 8601."""

    lesson: int
    status: Literal["running", "complete"]
    steps: int
    started: str
    ended: str | None


class AnswerRow(NamedTuple):
    """One answer of the log. What depends on the clock is not part of the canonical log."""

    lesson: int
    step: int
    """The step it belongs to; 0 for what was asked before the first step, and is committed with it."""
    seq: int
    """Its place within the step."""
    round: str
    agent: str
    kind: str
    content: str
    """The outcome as JSON."""
    source: str
    status: str = "ok"
    reason: str = ""
    attempts: int = 1
    latency_ms: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    tokens_cached: int | None = None
    calls: int | None = None
    """Requests that reached a server for it."""
    model: str | None = None
    """The model that answered, as its server names it; of a fallback, the one whose answer was of no use."""


class MemoryRow(NamedTuple):
    """One entry of a student's long-term memory, or of the teacher's: `who` is the student, or the phase. Of a learner
    with a tutor it is an episode: `event` is its unit."""

    who: str
    event: str
    content: str
    step: int


class SummaryRow(NamedTuple):
    """The memory that a student takes into the next lesson, as JSON."""

    student: str
    record: str


class MessageRow(NamedTuple):
    """The message in a step of a group's run; no speaker where nobody had anything to say."""

    step: int
    speaker: str
    text: str
    stage: str
    now: float
    """Seconds of the group's own clock."""
    at: str = ""
    key: str | None = None
    """The key by which whoever sent it knows it again, so that it is taken once."""


class PlayedStep(NamedTuple):
    """A step that was played, with all that is kept of it."""

    lesson: int
    step: int
    digest: str
    answers: Sequence[AnswerRow] = ()
    last: bool = False
    """Its lesson ends with it, and leaves in memory what stands below."""
    student_events: Sequence[MemoryRow] = ()
    teacher_events: Sequence[MemoryRow] = ()
    summaries: Sequence[SummaryRow] = ()
    message: MessageRow | None = None
    """The message of it, in a group."""
    alarming: bool = False
    """The message tells of harm: an alert is raised."""


class ParticipantRow(NamedTuple):
    """A person who took part in a study, by the name they gave themselves or a pseudonym."""

    id: str
    label: str
    role: Role
    state: ParticipantState
    created: str


class SittingRow(NamedTuple):
    """A person who answered for an agent, from which step to which; `until` is None while the person sits there."""

    participant: str
    run: str
    agent: str
    since: Place
    until: Place | None
    reason: str = ""
    """The reason why it ended, where the person did not get up."""


class AccountRow(NamedTuple):
    """Somebody who may log in. What is known of a student is the pseudonym."""

    id: str
    name: str
    role: Role
    language: str
    made_by: str | None
    """The account of the teacher who made it."""
    created: str


class GroupRow(NamedTuple):
    """A group of students, as a teacher has put it together."""

    id: str
    name: str
    made_by: str
    members: tuple[str, ...] = ()
    """Ids of their accounts."""


class AssignmentRow(NamedTuple):
    """A set of problems that students are to solve."""

    id: str
    title: str
    setup: str
    """The whole collaboration as JSON: problems, peers and rules, whatever becomes of the files they came from."""
    made_by: str
    created: str


class TalkRow(NamedTuple):
    """A student's dialogue about one problem of an assignment."""

    run: str
    account: str
    assignment: str
    problem: str


class AlertRow(NamedTuple):
    """Something that somebody typed and that tells, or may tell, of harm."""

    id: str
    run: str
    lesson: int
    step: int
    """The step of the lesson, or the message of the dialogue."""
    speaker: str
    """The person who typed it, by what they are called there."""
    text: str
    at: str
    participant: str | None = None
    """The participant who sat there, in a lesson; the account says whose a pupil's dialogue is."""
    verdict: Verdict = ""
    settled_by: str = ""
    settled_at: str = ""
    verdicts: str = "[]"
    """All that was made of it, the oldest first, as JSON: the verdict (empty: one was taken back), who and when."""


class HeadlineRow(NamedTuple):
    """How a run stands, without what was answered in it."""

    id: str
    name: str
    title: str
    status: RunStatus
    policy: str
    parent: str | None
    forked_at: Place | None
    steps: int
    planned: int
    outcomes: dict[str, int]
    """Numbers of answers that were ok, repaired, fallback and failed."""
    spent: str
    created: str
    updated: str
    """The time when it was last written to."""
    participants: tuple[str, ...]
    """Their ids, in the order in which they sat down."""
    kind: RunKind = "course"
