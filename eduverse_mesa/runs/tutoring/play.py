"""Play learners and their tutors session by session, from a recording as far as there is one.

All are kept abreast: nobody begins a session before everybody has ended the one before, so that a session is one
stretch of the log, as a lesson is. For each learner it comes out as it does without that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import msgspec

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import StudyError
from eduverse_mesa.models.classroom.journal import LoggedAnswer
from eduverse_mesa.models.tutoring import Saved, Session, TutoringModel
from eduverse_mesa.models.tutoring.journal import EpisodeRow
from eduverse_mesa.policies import AnyPolicy, NotRecordedError, ReplayPolicy
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.runs.play import EMPTY, Recording, Until
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring


@dataclass(frozen=True, slots=True)
class TutoringSpec:
    """A cohort, what is on its agenda, and with what its learners come to it."""

    setup: Tutoring
    seed: int
    policy: str
    agenda: tuple[Session, ...]
    began: Mapping[str, Saved] = field(default_factory=dict)
    """Learners who were taught before. They are copies: what they come from may be deleted."""
    parent: str | None = None
    """The run that they come from, in the same study."""
    forked_at: Until | None = None
    """The last (session, turn) of it that they have behind them."""

    @property
    def before(self) -> int:
        """Sessions of the agenda that lie behind everybody. A study counts a run's own from 1."""
        started = (self.began[name].session if name in self.began else 1 for name in self.setup.people)
        return min(started, default=1) - 1

    @property
    def sessions(self) -> int:
        """The number of sessions that are still to come when it begins."""
        return max(0, len(self.agenda) - self.before)

    @property
    def name(self) -> str:
        """A name that is the same for the same run, on every machine."""
        whole = (document_of(self), self.seed, self.policy, self.parent, self.forked_at)
        return f"{self.setup.name}-s{self.seed}-{blake2b(msgspec.json.encode(whole), digest_size=3).hexdigest()}"


class _Document(msgspec.Struct):
    """How it is written down. The name stands on top, as in any scenario."""

    name: str
    title: str
    tutoring: dict[str, Any]
    agenda: tuple[Session, ...]
    began: dict[str, Saved] = msgspec.field(default_factory=dict)


def document_of(spec: TutoringSpec) -> str:
    """The whole of it as JSON, but for seed and policy."""
    setup = spec.setup
    plain = setup.model_dump(mode="json", by_alias=True)
    document = _Document(setup.name, setup.title, plain, spec.agenda, dict(spec.began))
    return msgspec.json.encode(document).decode()


def spec_of(document: str, seed: int, policy: str, parent: str | None, forked_at: Until | None) -> TutoringSpec:
    """Return the spec that was written down; a text that is no such document raises as pydantic or msgspec do, or a
    ScenarioError."""
    read = msgspec.json.decode(document, type=_Document)
    return TutoringSpec(load_tutoring(read.tutoring), seed, policy, read.agenda, read.began, parent, forked_at)


Progress = Callable[[int, int], object]
"""Told how many sessions are over, of how many."""
Stop = Callable[[], bool]
"""Asked between two sessions."""


class Turn(NamedTuple):
    """A turn of everybody who is in this session."""

    place: Until
    """(session of this run, turn), both from 1; a test is one turn, and so is a pause."""
    digest: str
    answers: int
    """Number of answers that the journal holds with it."""
    last: bool
    """The session is over for everybody."""


@dataclass(slots=True)
class Tutored:
    """A run of learners and tutors as far as it was played."""

    id: str
    spec: TutoringSpec
    model: TutoringModel
    turns: list[Turn] = field(default_factory=list)
    bill: Bill | None = field(default=None, compare=False)
    """The bill of model servers; None where nobody kept count."""

    @property
    def complete(self) -> bool:
        """Nothing is left on anybody's agenda."""
        return all(enrolment.over for enrolment in self.model.enrolments)

    @property
    def head(self) -> Until:
        """The last turn that is complete; (1, 0) before the first."""
        return self.turns[-1].place if self.turns else (1, 0)

    def answers(self) -> Iterator[LoggedAnswer]:
        """The whole answer log."""
        yield from self.model.journal.answers

    def answers_of(self, number: int) -> Sequence[LoggedAnswer]:
        """Return the answers of one of the turns."""
        start = self.turns[number - 1].answers if number else 0
        return self.model.journal.answers[start : self.turns[number].answers]

    def episodes_of(self, session: int) -> list[EpisodeRow]:
        """Return the episodes that a session of this run has left in memory."""
        wanted = session + self.spec.before
        return [row for row in self.model.journal.episodes if row.session == wanted]


class TurnRecorder(Protocol):
    """A recorder to which a run is written as it goes on."""

    def turn(self, played: Tutored, number: int) -> None:
        """One of its turns is complete."""


def make_played(run: str, spec: TutoringSpec, policy: AnyPolicy | None) -> Tutored:
    """A run of which nothing was played yet."""
    model = TutoringModel(spec.setup, policy=policy or "embedded", seed=spec.seed, agenda=spec.agenda, saved=spec.began)
    return Tutored(run, spec, model)


def play_tutoring(
    run: str,
    spec: TutoringSpec,
    *,
    policy: AnyPolicy | None = None,
    recorder: TurnRecorder | None = None,
    recording: Recording = EMPTY,
    until: Until | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Tutored:
    """Play a run: recorded turns from the recording, later ones with the policy.

    `until` = (session, turn) stops after that turn. Without a policy the run ends where the recording ends.
    """
    played = make_played(run, spec, policy)
    take = _Taking(played, recording, policy is not None, recorder)
    for session in range(1, spec.sessions + 1):
        if stop is not None and stop():
            break
        if not take.session(session, until):
            break
        if progress is not None:
            progress(session, spec.sessions)
    return played


class _Taking:
    """Takes one turn after the other."""

    def __init__(self, played: Tutored, recording: Recording, goes_on: bool, recorder: TurnRecorder | None) -> None:
        self._played, self._recording, self._recorder = played, recording, recorder
        self._goes_on = goes_on
        before = played.spec.before
        self._replay = ReplayPolicy(entry._replace(lesson=entry.lesson + before) for entry in recording.answers)

    def session(self, session: int, until: Until | None) -> bool:
        """True when the session was played to its end."""
        model, turn = self._played.model, 0
        model.wait_after = session + self._played.spec.before
        while model.due:
            turn += 1
            if until is not None and (session, turn) > until:
                return False
            if self._recording.holds(session, turn):
                self._again(session, turn)
            elif not self._goes_on:
                return False
            else:
                model.step()
                note_turn(self._played, (session, turn), self._recorder)
        return True

    def _again(self, session: int, turn: int) -> None:
        model, recording = self._played.model, self._recording
        otherwise = f"the replay of session {session} goes another way than the recording at turn {turn}"
        try:
            run_waiting(model.rounds(), self._replay)
        except NotRecordedError as error:
            raise StudyError(f"{otherwise}: {error.message}", mend=recording.origin.mend) from error
        model.finish_driven_step()
        note_turn(self._played, (session, turn), None if recording.own else self._recorder)
        if self._played.turns[-1].digest != recording.digests[session, turn]:
            raise StudyError(f"{otherwise}.", mend=recording.origin.mend)


def note_turn(played: Tutored, place: Until, recorder: TurnRecorder | None = None) -> None:
    """A turn is complete: it is noted, and written down where somebody does."""
    model = played.model
    played.turns.append(Turn(place, model.digest(), len(model.journal.answers), not model.due))
    if recorder is not None:
        recorder.turn(played, len(played.turns) - 1)
