"""The kernel of runs: it plays a run step by step, keeps each step whole, goes on where a run was left, and plays again
what was recorded, with a check after every step.

What differs between lessons, learners with tutors, and groups stands in one adapter each: a `Kind` reads and writes the
document of a run and makes a `Played`, whose `Part`s are its lessons, sessions, or the one dialogue.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypedDict, TypeVar, Unpack

import msgspec
from pydantic import ValidationError

from eduverse_mesa.decisions import Bill, Rounds
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.models.decision_model import LoggedAnswer
from eduverse_mesa.policies import AnyPolicy, NotRecordedError, Policy, Recorded, ReplayPolicy, make_policy, settle
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.policies.registry import MAKERS, AnySettings, Maker
from eduverse_mesa.runs.open_runs import end_left_open, noted_open, refuse_held
from eduverse_mesa.runs.recording import EMPTY, Recording, Until, Writer, answer_row
from eduverse_mesa.runs.rule_versions import Origin
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.scenarios.tutoring import Tutoring
from eduverse_mesa.store import PlayedStep, RunKind, RunRow, SittingRow

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger

Setup = TypeVar("Setup", Scenario, Tutoring, Collaboration)
"""The kinds of setups that can be played, with settings that say who answers."""


class Journal(Protocol):
    """The journal of a model, in which every answer stands."""

    answers: list[LoggedAnswer]


class Model(Protocol):
    """A model of any kind: its step is rounds of decisions, and its journal holds the answers."""

    running: bool

    @property
    def journal(self) -> Journal: ...
    def step(self) -> None: ...
    def rounds(self) -> Rounds: ...
    def finish_driven_step(self) -> None: ...
    def digest(self) -> str: ...


M = TypeVar("M", bound=Model)


@dataclass(slots=True)
class Part(Generic[M]):
    """A stretch of a run that ends before the next one begins, as far as it was played: a lesson, a session of all
    learners, the dialogue of a group."""

    number: int
    """Its number in the log of the run, from 1."""
    model: M
    complete: bool = False
    digests: dict[Until, str] = field(default_factory=dict)
    """The state's fingerprint after each step, by (number, step)."""
    _ends: list[int] = field(default_factory=list, repr=False, compare=False)
    """Numbers of answers that the model's journal holds at its beginning, and after each step."""
    _last: int = field(default=0, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._ends.append(len(self.model.journal.answers))

    @property
    def steps(self) -> int:
        """Steps that are complete."""
        return len(self.digests)

    @property
    def goes_on(self) -> bool:
        """Another step follows."""
        return self.model.running

    @property
    def known_as(self) -> int:
        """The number that it has in the model's own journal."""
        return self.number

    def prepare(self, recording: Recording) -> bool:  # noqa: ARG002 - for kinds whose steps have a cause outside
        """Tell the model what it has to know before its next step; False where it waits for somebody."""
        return True

    def take(self) -> bool:
        """Let the model take a step, with the policy that it has; False where nothing came of it."""
        self.model.step()
        return True

    def digest(self) -> str:
        """A fingerprint of where it stands after a step."""
        return self.model.digest()

    def note(self) -> int:
        """Note a step that the model has taken; gives its number."""
        step = self.steps + 1
        self.digests[self.number, step] = self.digest()
        self._ends.append(len(self.model.journal.answers))
        if not self.goes_on:
            self._last = step
        return step

    def answers_of(self, step: int) -> Sequence[LoggedAnswer]:
        """Return the answers of a step. Those given before the first step belong to it: a part begins whole, too."""
        return self.model.journal.answers[self._ends[step - 1] : self._ends[step]]

    def kept(self, step: int) -> PlayedStep:
        """A step as a study keeps it."""
        rows = [answer_row(entry, self.number) for entry in self.answers_of(step)]
        done = PlayedStep(self.number, step, self.digests[self.number, step], rows, step == self._last)
        return self.with_more(done)

    def with_more(self, done: PlayedStep) -> PlayedStep:
        """The step with what else is kept of this kind of run."""
        return done

    def otherwise(self, step: int) -> str:
        """Say that a step does not come out as it was recorded."""
        raise NotImplementedError


T = TypeVar("T")
P = TypeVar("P", bound=Part[Any])


@dataclass(slots=True)
class Played(Generic[T, P]):
    """A run as far as it was played, with all its parts."""

    id: str
    spec: T
    parts: list[P] = field(default_factory=list)
    ledger: Ledger | None = field(default=None, repr=False, compare=False)
    """The run's spending on a language model, where one is asked."""
    kept_bill: Bill | None = field(default=None, repr=False, compare=False)
    """The bill that a study has of a run that is played again."""

    @property
    def planned(self) -> int:
        """The number of parts that it has by its plan."""
        raise NotImplementedError

    def begin(self, number: int, policy: AnyPolicy | None) -> P:
        """Begin its next part, with what the one before left; without a policy it is only played again. It is among
        the parts when this returns."""
        raise NotImplementedError

    @property
    def complete(self) -> bool:
        """Every part was played to its end."""
        return len(self.parts) == self.planned and all(part.complete for part in self.parts)

    @property
    def bill(self) -> Bill | None:
        """The bill of model servers so far; None where nobody kept count."""
        return self.kept_bill if self.ledger is None else self.ledger.bill

    @property
    def digests(self) -> dict[Until, str]:
        """The fingerprint after each step."""
        return {place: digest for part in self.parts for place, digest in part.digests.items()}

    @property
    def head(self) -> Until:
        """The last step that is complete; (1, 0) before the first."""
        return max(self.digests, default=(1, 0))

    def answers(self) -> Iterator[LoggedAnswer]:
        """The whole answer log."""
        for part in self.parts:
            for step in range(1, part.steps + 1):
                yield from part.answers_of(step)

    def kept_steps(self) -> Iterator[PlayedStep]:
        """All steps as a study keeps them."""
        return (part.kept(step) for part in self.parts for step in range(1, part.steps + 1))


# --- playing ---


class Recorder(Protocol):
    """A recorder to which a run is written as it goes on."""

    def note(self, part: Part[Any], step: int) -> None:
        """A step is complete."""


def _never() -> bool:
    return False


def _nothing(*_: object) -> None:
    pass


class How(TypedDict, total=False):
    """How a run is played; without any of it, nothing is played."""

    policy: AnyPolicy | None
    """Who answers what was not recorded; without one the run ends where its recording ends."""
    recording: Recording
    recorder: Recorder | None
    until: Until | None
    """The last (part, step) that is played: a step back in time is a shorter replay."""


class OtherwiseError(StudyError):
    """The error for a run that does not come out again as it is kept: it was recorded by another version."""


def play_parts(
    played: Played[Any, P],
    *,
    progress: Callable[[P], object] = _nothing,
    gate: Callable[[], object] = _nothing,
    stop: Callable[[], bool] = _never,
    **how: Unpack[How],
) -> Iterator[P]:
    """Play a run that somebody may be looking at meanwhile, part by part: recorded steps from the recording, later ones
    with the policy. Each part comes when it is over, or as far as it is to be had.

    `progress` hears of each step. The gate returns when the next step that is new may be taken; between two parts it
    comes before the next one is made: whoever waits there still has the end of the last one before their eyes. `stop`
    is asked before each part.
    """
    policy, recording = how.get("policy"), how.get("recording", EMPTY)
    for number in range(1, played.planned + 1):
        if stop() or (policy is None and not recording.holds(number, 1)):
            return
        if number > 1 and not recording.holds(number, 1):
            gate()
        part = played.begin(number, policy)
        part.complete = _play_part(part, progress, gate, how)
        yield part
        if not part.complete:
            return


def _play_part(part: P, progress: Callable[[P], object], gate: Callable[[], object], how: How) -> bool:
    """True when the part was played to its end."""
    recording, recorder, until = how.get("recording", EMPTY), how.get("recorder"), how.get("until")
    replay = ReplayPolicy(entry._replace(lesson=part.known_as) for entry in recording.of(part.number))
    while part.goes_on:
        step = part.steps + 1
        if until is not None and (part.number, step) > until:
            return False
        known = recording.holds(part.number, step)
        if not known and how.get("policy") is None:
            return False
        if not known and (part.number == 1 or step > 1):
            gate()
        if not part.prepare(recording):
            return False
        if known:
            replay_step(part, replay, recording)
        elif part.take():
            part.note()
        else:
            continue
        if recorder is not None and not (known and recording.own):
            recorder.note(part, step)
        progress(part)
    if recording.holds(part.number, part.steps + 1):
        raise OtherwiseError(f"{part.otherwise(part.steps + 1)}.", where=recording.where, mend=recording.origin.mend)
    return True


def play_all(
    played: Played[Any, P],
    *,
    progress: Callable[[P], object] = _nothing,
    gate: Callable[[], object] = _nothing,
    stop: Callable[[], bool] = _never,
    **how: Unpack[How],
) -> None:
    """Play all parts of a run, or as far as it is to be had."""
    for _ in play_parts(played, progress=progress, gate=gate, stop=stop, **how):
        pass


def replay_step(part: Part[Any], answers: Policy, recording: Recording) -> None:
    """Play a recorded step again. It has to come out as it did then."""
    step = part.steps + 1
    try:
        drive_step(part, answers)
    except NotRecordedError as error:
        told = f"{part.otherwise(step)}: {error.message}"
        raise OtherwiseError(told, where=recording.where, mend=recording.origin.mend) from error
    if part.digests[part.number, step] != recording.digests.get((part.number, step)):
        raise OtherwiseError(f"{part.otherwise(step)}.", where=recording.where, mend=recording.origin.mend)


def drive_step(part: Part[Any], answers: Policy) -> None:
    """Take a step with the answers of somebody else than the model's policy, and note it."""
    run_waiting(part.model.rounds(), answers)
    part.model.finish_driven_step()
    part.note()


def recording_of(played: Played[Any, Any], kind: RunKind, upto: Until | None = None) -> Recording:
    """A run in memory as a recording, up to a step."""
    digests = {place: digest for place, digest in played.digests.items() if upto is None or place <= upto}
    answers = tuple(
        Recorded(part.number, entry.step, entry.agent, entry.kind, entry.answer)
        for part in played.parts
        for step in range(1, part.steps + 1)
        if (part.number, step) in digests
        for entry in part.answers_of(step)
    )
    return Recording(answers, digests, Origin.here(kind), own=False)


# --- who answers ---


class Changes(TypedDict, total=False):
    """Changes to a setup's language model for a run that goes on or branches off; None changes nothing."""

    budget: Budget | None
    """The whole run's, in place of the one it began with; what it has taken so far counts."""
    useless: float | None
    """The share of useless answers that ends it from now on."""
    base_url: str | None
    """Where its model is served now."""


def with_model(scenario: Setup, **changes: Unpack[Changes]) -> Setup:
    """The scenario with changes to its language model."""
    llm = scenario.settings.llm.model_copy(update={key: value for key, value in changes.items() if value is not None})
    return scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"llm": llm})})


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Setup]):
    """The policy that answers in a run, with the setup it belongs to."""

    scenario: Setup
    """The setup, with what the environment has decided about the policy."""
    policy: AnyPolicy
    ledger: Ledger | None = None
    """The spending on a language model, and its bounds, where one is asked."""


def choose_policy(scenario: Setup, policy: AnyPolicy | str | None) -> Chosen[Setup]:
    """The policy of a run, and the scenario with what the environment has decided about it.

    A run that was recorded with a model goes on with that model, whatever the environment says by then.
    """
    wanted = scenario.settings.policy if policy is None else policy
    if not isinstance(wanted, str):
        return Chosen(scenario, wanted)  # its ledger, where it has one, may be of several runs
    settings = settle(wanted, scenario.settings)
    if settings is not scenario.settings:
        scenario = scenario.model_copy(update={"settings": settings})
    asked: list[AnyPolicy] = []

    def noted(name: str) -> Maker:
        def make(settings: AnySettings) -> AnyPolicy:
            asked.append(MAKERS[name](settings))
            return asked[-1]

        return make

    people = scenario.members if isinstance(scenario, Collaboration) else scenario.people
    made = make_policy(wanted, scenario.settings, people, {name: noted(name) for name in MAKERS})
    asked.sort(key=lambda one: one.name == "llm")  # beside an endpoint, a local model is free
    ledgers = [ledger for one in asked if (ledger := getattr(one, "ledger", None)) is not None]
    return Chosen(scenario, made, ledgers[-1] if ledgers else None)


class Spec(Protocol):
    """The description of a run, without its answers."""

    @property
    def setup(self) -> Any:
        """The setup, with the settings that say who answers."""


S = TypeVar("S", bound=Spec)
R = TypeVar("R", bound=Played[Any, Any])


@dataclass(frozen=True, slots=True)
class Start(Generic[S]):
    """All that it takes to play a run from here on."""

    run: str
    spec: S
    chosen: Chosen[Any]
    recording: Recording = EMPTY
    """The part that is known already, and is not asked again."""
    bill: Bill = field(default_factory=Bill)
    """The bill of language models for that part."""


# --- kinds of runs, and what is done with each in a study ---


class Kind(ABC, Generic[S, R]):
    """The adapter of a kind of runs. It has no state."""

    code: ClassVar[RunKind]
    document: ClassVar[str]
    """What its document holds, for the message that it cannot be read."""

    @abstractmethod
    def read(self, row: RunRow) -> S:
        """The spec that was written down; raises as msgspec and pydantic do, or a ScenarioError."""

    @abstractmethod
    def row(self, spec: S) -> RunRow:
        """A run as a study enters it."""

    @abstractmethod
    def make(self, run: str, spec: S, chosen: Chosen[Any] | None, bill: Bill) -> R:
        """A run of which nothing was played yet, but what the bill says was taken for it; where nobody is chosen to
        answer, it is only played again."""

    @abstractmethod
    def wrong(self, run: RunRow, where: str) -> StudyError:
        """The error for a run of another kind."""

    @abstractmethod
    def unknown(self, run: str, until: Until, recording: Recording) -> StudyError:
        """The error for a step that was not recorded."""


@dataclass(frozen=True, slots=True)
class Stored(Generic[S]):
    """A run of a study, ready to be played again."""

    row: RunRow
    spec: S

    @property
    def id(self) -> str:
        """Its id."""
        return self.row.id

    @property
    def status(self) -> str:
        """How it stands."""
        return self.row.status


def choose(kind: Kind[S, Any], opened: OpenStudy, run: str) -> Stored[S]:
    """The run of this id, which has to be of this kind."""
    row = opened.study.run(run)
    if row.kind != kind.code:
        raise kind.wrong(row, opened.study.path)
    try:
        return Stored(row, kind.read(row))
    except (ScenarioError, ValidationError, msgspec.DecodeError) as error:
        raise opened.unreadable(run, Origin.of(row), kind.document, error) from None


def enter_and_play(
    kind: Kind[S, R],
    opened: OpenStudy,
    start: Start[S],
    *,
    progress: Callable[[Any], object] = _nothing,
    stop: Callable[[], bool] = _never,
) -> R:
    """Enter a run in a study, and play it to its end or until somebody wants it to stop."""
    entered = replace(start, run=opened.enter(kind.row(start.spec)))
    return play_on(kind, opened, entered, progress=progress, stop=stop)


def play_on(
    kind: Kind[S, R],
    opened: OpenStudy,
    start: Start[S],
    *,
    progress: Callable[[Any], object] = _nothing,
    stop: Callable[[], bool] = _never,
) -> R:
    """Play a run of a study from here on."""
    run, chosen = start.run, start.chosen
    played = kind.make(run, start.spec, chosen, start.bill)
    writer = Writer(opened.study, run, played.ledger)
    with being_written(opened, run, writer):
        play_all(
            played,
            policy=chosen.policy,
            recording=start.recording,
            recorder=writer,
            progress=progress,
            stop=stop,
        )
        writer.note_bill()
    opened.study.set_status(run, "complete" if played.complete else "interrupted")
    return played


@contextmanager
def being_written(opened: OpenStudy, run: str, writer: Writer) -> Iterator[None]:
    """While a run is played and written down: others see it, and what breaks it off is noted."""
    try:
        with noted_open(opened.study.path, run):
            yield
    except StudyError:
        # The study cannot be written, or another program writes to this run: how the run stands is not ours to say.
        raise
    except BaseException:
        writer.note_bill()
        opened.study.set_status(run, "interrupted")
        raise
    finally:
        writer.close()


def resume_start(
    kind: Kind[S, Any], opened: OpenStudy, run: str, policy: AnyPolicy | str | None = None, **changes: Unpack[Changes]
) -> Start[S]:
    """A run of a study, where its last complete step ended."""
    refuse_held(opened.study.path, run)
    stored, recording = choose(kind, opened, run), opened.recording(run)
    setup = with_model(stored.spec.setup, **changes)
    chosen = choose_policy(setup, stored.row.policy if policy is None else policy)
    bill = Bill.read(stored.row.spent)
    if chosen.ledger is not None:
        chosen.ledger.go_on_from(bill)
    end_left_open(opened.study, run)
    if stored.status != "complete":
        opened.study.set_status(run, "running")
    return Start(run, stored.spec, chosen, recording, bill)


def resume(
    kind: Kind[S, R],
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    progress: Callable[[Any], object] = _nothing,
    **changes: Unpack[Changes],
) -> R:
    """Go on where the last complete step ended; a complete run is played again, and nothing is written."""
    start = resume_start(kind, opened, run, policy, **changes)
    if opened.study.run(run).status == "complete":
        return replay(kind, opened, run)
    return play_on(kind, opened, start, progress=progress)


def replay(kind: Kind[S, R], opened: OpenStudy, run: str, *, until: Until | None = None) -> R:
    """Play a recorded run again, to its end or to a step, with nobody asked."""
    stored, recording = choose(kind, opened, run), opened.recording(run)
    if until is not None and not recording.holds(*until):
        raise kind.unknown(run, until, recording)
    bill = Bill.read(stored.row.spent)
    played = kind.make(run, stored.spec, None, bill)
    play_all(played, recording=recording, until=until)
    if until is None:  # of a part nobody kept count; its answers tell what they took
        played.kept_bill = bill.closed()
    return played


def keep(
    kind: Kind[S, R], opened: OpenStudy, played: R, *, spec: S | None = None, sat: Sequence[SittingRow] = ()
) -> str:
    """Write a run that was played in memory into a study, whole or not at all: the same to the bit as if it had been
    recorded there. `sat` says who of the study's participants answered for an agent."""
    bill = played.bill
    row = kind.row(played.spec if spec is None else spec)
    row = row._replace(
        status="complete" if played.complete else "interrupted", spent="" if bill is None else bill.write()
    )
    return opened.enter_played(row, played.kept_steps(), sat)
