"""Runs of learners and their tutors: taught session by session, kept, gone on with in any way, and as tables.

The adapter of the kernel for tutoring. All learners are kept abreast: nobody begins a session before everybody has
ended the one before, so that a session is one stretch of the log, as a lesson is. For each learner it comes out as it
does without that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, NamedTuple, Unpack

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.decisions import STATUSES, Bill
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.measures.learners import answer_kinds, concept_alignment, coverage, leak_rate
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.models.tutoring import Saved, Session, Talk, TutoringModel
from eduverse_mesa.models.tutoring.journal import AnswerRow, ConceptRow, EpisodeRow, LineRow
from eduverse_mesa.models.tutoring.sessions import school_years
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs import kernel
from eduverse_mesa.runs.kernel import Changes, Chosen, How, Kind, Part, Played, Start, Stored, choose_policy
from eduverse_mesa.runs.recording import Recording, Until
from eduverse_mesa.runs.rule_versions import RULES
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.runs.tables import bill_document
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring
from eduverse_mesa.store import MemoryRow, PlayedStep, RunRow, SittingRow


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


Progress = Callable[[int, int], object]
"""Told how many sessions are over, of how many."""
Stop = Callable[[], bool]
"""Asked between two sessions."""


def _never() -> bool:
    return False


@dataclass(slots=True)
class PlayedSession(Part[TutoringModel]):
    """A session of everybody, as far as it was played; its steps are turns. A test is one turn, and so is a pause."""

    before: int = 0
    """Sessions of the agenda that lie behind everybody when the run begins."""

    @property
    def known_as(self) -> int:
        """Its number on the agenda."""
        return self.number + self.before

    @property
    def goes_on(self) -> bool:
        """Somebody is in it yet."""
        return any(not one.over and one.session <= self.known_as for one in self.model.enrolments)

    def with_more(self, done: PlayedStep) -> PlayedStep:
        """With the last turn the episodes that the session has left in memory."""
        if not done.last:
            return done
        left = (row for row in self.model.journal.episodes if row.session == self.known_as)
        return done._replace(student_events=[MemoryRow(row.learner, row.unit, row.summary, done.step) for row in left])

    def otherwise(self, step: int) -> str:
        """Say that a turn does not come out as it was recorded."""
        return f"the replay of session {self.number} goes another way than the recording at turn {step}"


@dataclass(slots=True)
class Tutored(Played[TutoringSpec, PlayedSession]):
    """A run of learners and tutors as far as it was played."""

    model: TutoringModel = field(kw_only=True)

    @classmethod
    def of(cls, run: str, spec: TutoringSpec, policy: AnyPolicy | None = None) -> Tutored:
        """A run of which nothing was played yet."""
        who = policy or "embedded"
        model = TutoringModel(spec.setup, policy=who, seed=spec.seed, agenda=spec.agenda, saved=spec.began)
        return cls(run, spec, model=model)

    @property
    def planned(self) -> int:
        """The number of sessions that are to come when it begins."""
        return self.spec.sessions

    def begin(self, number: int, _: AnyPolicy | None = None) -> PlayedSession:
        """Begin a session; nobody goes on to the next one."""
        session = PlayedSession(number, self.model, before=self.spec.before)
        self.model.wait_after = session.known_as
        self.parts.append(session)
        return session

    @property
    def complete(self) -> bool:
        """Nothing is left on anybody's agenda."""
        return all(one.over for one in self.model.enrolments)


class Taught(Kind[TutoringSpec, Tutored]):
    """The adapter for runs of learners and tutors."""

    code = "tutoring"
    document = "cohort and agenda"

    def read(self, row: RunRow) -> TutoringSpec:
        """The spec that was written down."""
        read = msgspec.json.decode(row.scenario, type=_Document)
        return TutoringSpec(
            load_tutoring(read.tutoring), row.seed, row.policy, read.agenda, read.began, row.parent, row.forked_at
        )

    def row(self, spec: TutoringSpec) -> RunRow:
        """A run as a study enters it. How many turns it will have, nobody knows."""
        return RunRow(
            id=spec.name,
            name=spec.setup.name,
            seed=spec.seed,
            scenario=document_of(spec),
            policy=spec.policy,
            parent=spec.parent,
            forked_at=spec.forked_at,
            version=__version__,
            rules=RULES["tutoring"],
            kind="tutoring",
        )

    def make(self, run: str, spec: TutoringSpec, chosen: Chosen[Any] | None, bill: Bill) -> Tutored:  # noqa: ARG002
        """A run of which nothing was played yet; what it has taken is with the ledger of who answers."""
        if chosen is None:
            return Tutored.of(run, spec)
        played = Tutored.of(run, spec, chosen.policy)
        played.ledger = chosen.ledger
        return played

    def wrong(self, run: RunRow, where: str) -> StudyError:
        """The error for a run of another kind."""
        told = f"run {run.id} is a course of lessons."
        return StudyError(told, where=where, mend="Name a run of learners and tutors.")

    def unknown(self, run: str, until: Until, recording: Recording) -> StudyError:
        """The error for a turn that was not recorded."""
        return StudyError(
            f"run {run} has no turn {until[1]} in session {until[0]}.",
            where=recording.where,
            mend="Go back to a turn that was recorded.",
        )


TAUGHT = Taught()


def begin_tutoring(
    setup: Tutoring,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    agenda: Sequence[Session] | None = None,
    began: Mapping[str, Saved] | None = None,
    parent: str | None = None,
    forked_at: Until | None = None,
) -> Start[TutoringSpec]:
    """A run from its beginning: the school years of the settings, where no other agenda is given."""
    strangers = sorted(set(began or {}) - set(setup.people))
    if strangers:
        raise ScenarioError(
            f"'{strangers[0]}' is none of the cohort.",
            where=setup.cohort.name,
            mend=f"It has {', '.join(setup.people)}.",
        )
    chosen = choose_policy(setup, policy)
    plan = tuple(agenda) if agenda is not None else school_years(setup.curriculum, setup.settings)
    copies = {name: saved.copy() for name, saved in (began or {}).items()}
    spec = TutoringSpec(chosen.scenario, seed, chosen.policy.name, plan, copies, parent, forked_at)
    return Start(spec.name, spec, chosen)


def play_tutoring(
    run: str,
    spec: TutoringSpec,
    *,
    progress: Progress | None = None,
    stop: Stop = _never,
    **how: Unpack[How],
) -> Tutored:
    """Play a run: recorded turns from the recording, later ones with the policy.

    `until` = (session, turn) stops after that turn. Without a policy the run ends where the recording ends.
    """
    played = Tutored.of(run, spec, how.get("policy"))
    kernel.play_all(played, progress=_told(spec, progress), stop=stop, **how)
    return played


def _told(spec: TutoringSpec, progress: Progress | None) -> Callable[[PlayedSession], object]:
    """Hears of each turn, and tells of sessions."""

    def turn_done(session: PlayedSession) -> None:
        if progress is not None and not session.goes_on:
            progress(session.number, spec.sessions)

    return turn_done


def choose_tutoring(opened: OpenStudy, run: str | None = None) -> Stored[TutoringSpec]:
    """The run of this id; the newest of learners and tutors where none is named."""
    return kernel.choose(TAUGHT, opened, run or opened.newest("tutoring"))


def record_tutoring(
    path: str,
    setup: Tutoring,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    agenda: Sequence[Session] | None = None,
    began: Mapping[str, Saved] | None = None,
    progress: Progress | None = None,
) -> Tutored:
    """Teach a cohort, and keep it in a study."""
    start = begin_tutoring(setup, seed, policy, agenda=agenda, began=began)
    with open_study(path, create=True) as opened:
        return enter_and_play(opened, start, progress=progress)


def enter_and_play(
    opened: OpenStudy, start: Start[TutoringSpec], *, progress: Progress | None = None, stop: Stop = _never
) -> Tutored:
    """Enter a run, and play it to its end or until somebody wants it to stop."""
    return kernel.enter_and_play(TAUGHT, opened, start, progress=_told(start.spec, progress), stop=stop)


def resume_tutoring(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    progress: Progress | None = None,
    **llm: Unpack[Changes],
) -> Tutored:
    """Go on where the last complete turn ended; a complete run is only played again."""
    told = _told(choose_tutoring(opened, run).spec, progress)
    return kernel.resume(TAUGHT, opened, run, policy, progress=told, **llm)


def replay_tutoring(opened: OpenStudy, run: str, *, until: Until | None = None) -> Tutored:
    """Play a recorded run again, to its end or to a turn."""
    return kernel.replay(TAUGHT, opened, run, until=until)


def learners_after(opened: OpenStudy, run: str, session: int | None = None) -> dict[str, Saved]:
    """Everybody as they were after a session of a run; after the last one that is complete where none is named.

    They are played anew from the log, which is exact: kept as they are after each session they would take twenty times
    the room of all that was said.
    """
    until = last_session(opened, run, session)
    return replay_tutoring(opened, run, until=until).model.save()


def last_session(opened: OpenStudy, run: str, session: int | None = None) -> Until:
    """The last (session, turn) of a session of a run; of the last complete one where none is named."""
    ends = {row.lesson: row.steps for row in opened.study.lessons(run) if row.status == "complete"}
    wanted = max(ends, default=0) if session is None else session
    if wanted not in ends:
        raise StudyError(
            f"session {wanted} of run {run} is not complete." if wanted else f"no session of run {run} is complete.",
            where=opened.study.path,
            mend=f"Name one from 1 to {len(ends)}." if ends else "Go on with it: eduverse resume.",
        )
    return wanted, ends[wanted]


def keep_tutoring(
    opened: OpenStudy,
    played: Tutored,
    *,
    parent: str | None = None,
    at: Until | None = None,
    sat: Mapping[str, str] | None = None,
) -> str:
    """Write a run that was played in memory into a study, whole or not at all: the same to the bit as if it had been
    recorded there.

    `parent` and `at`: the run of this study that its learners come from, and the last (session, turn) behind them.
    `sat`: who of the study's participants answered for an agent, by the agent.
    """
    spec = replace(played.spec, parent=parent, forked_at=at if parent is not None else None)
    people = [SittingRow(person, "", agent, (1, 1), played.head) for agent, person in (sat or {}).items()]
    return kernel.keep(TAUGHT, opened, played, spec=spec, sat=people)


class Dialogues(NamedTuple):
    """So many dialogues about a unit, so many days apart."""

    unit: str
    number: int = 1
    every: float = 1.0


def go_on_from_run(
    opened: OpenStudy,
    run: str | None,
    session: int | None = None,
    *,
    policy: AnyPolicy | str | None = None,
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    dialogues: Dialogues | None = None,
) -> Start[TutoringSpec]:
    """Return the start of a run in which copies of a run's learners go on after a session, the last complete one where
    none is named.
    With `dialogues` they have these; otherwise what was left on their agenda, or, where the settings say another, what
    of that lies before them. Same seed, same luck.
    """
    stored = choose_tutoring(opened, run)
    at = last_session(opened, stored.id, session)
    spec = stored.spec
    setup = (
        load_tutoring(spec.setup.model_dump(mode="json", by_alias=True), settings=settings) if settings else spec.setup
    )
    began: Mapping[str, Saved]
    agenda: tuple[Session, ...]
    if dialogues is not None:
        began, agenda = _with_dialogues(opened, stored.id, at, dialogues, setup)
    else:
        began = learners_after(opened, stored.id, at[0])
        replanned = any(not name.startswith("llm.") for name in settings or ())
        agenda = school_years(setup.curriculum, setup.settings) if replanned else spec.agenda
        if all(saved.session > len(agenda) for saved in began.values()):
            raise ScenarioError(
                "all that is on the agenda has been taught.",
                where=f"run {stored.id}",
                mend='Say what else: --set "grades=[1, 3]", or --unit ID.',
            )
    return begin_tutoring(
        setup,
        spec.seed if seed is None else seed,
        spec.policy if policy is None else policy,
        agenda=agenda,
        began=began,
        parent=stored.id,
        forked_at=at,
    )


def _with_dialogues(
    opened: OpenStudy, run: str, at: tuple[int, int], dialogues: Dialogues, setup: Tutoring
) -> tuple[Mapping[str, Saved], tuple[Session, ...]]:
    if dialogues.unit not in setup.curriculum.units:
        raise ScenarioError(
            f"the curriculum has no unit '{dialogues.unit[:80]}'.",
            where="unit",
            mend=f"It has {', '.join(list(setup.curriculum.units)[:8])}, ...",
        )
    model = replay_tutoring(opened, run, until=at).model
    day, grade = max((learner.day, learner.grade) for learner in model.learners)
    agenda = tuple(
        Talk(day + (number + 1) * dialogues.every, grade, dialogues.unit) for number in range(dialogues.number)
    )
    return {name: _afresh(saved) for name, saved in model.save().items()}, agenda


def _afresh(saved: Saved) -> Saved:
    """The same with another agenda, from its beginning."""
    saved.session = 1
    return saved


class _Person(Saved):
    """A saved learner, and who they are: pages read it, and so does `read_saved`."""

    person: dict[str, Any] = msgspec.field(default_factory=dict)


def write_person(setup: Tutoring, saved: Saved) -> bytes:
    """A learner as a file: what they have, and who they are."""
    person = next(one for one in setup.cohort.learners if one.name == saved.name)
    whole = _Person(saved.name, saved.memory, saved.notes, saved.session, person.model_dump(mode="json"))
    return msgspec.json.encode(whole)


def named_only(start: Start[TutoringSpec], names: tuple[str, ...]) -> Start[TutoringSpec]:
    """The same for some of its learners; what happens to one does not depend on who else is there."""
    cohort = start.spec.setup.cohort
    strangers = sorted(set(names) - set(start.spec.setup.people))
    if strangers:
        raise ScenarioError(
            f"there is no learner '{strangers[0]}'.",
            where=cohort.name,
            mend=f"There are {', '.join(start.spec.setup.people)}.",
        )
    kept = tuple(one for one in cohort.learners if one.name in names)
    setup = start.spec.setup.model_copy(update={"cohort": cohort.model_copy(update={"learners": kept})})
    began = {name: saved for name, saved in start.spec.began.items() if name in names}
    spec = replace(start.spec, setup=setup, began=began)
    return replace(start, spec=spec, run=spec.name)


class TaughtTables(NamedTuple):
    """The tables that the measures of `eduverse_mesa.measures.learners` read."""

    lines: pd.DataFrame
    episodes: pd.DataFrame
    tests: pd.DataFrame
    concepts: pd.DataFrame


def taught_tables(played: Tutored) -> TaughtTables:
    """The tables of a run as far as it was played."""
    journal = played.model.journal
    return TaughtTables(
        pd.DataFrame(journal.lines, columns=LineRow._fields),
        pd.DataFrame(journal.episodes, columns=EpisodeRow._fields),
        pd.DataFrame(journal.tests, columns=AnswerRow._fields),
        pd.DataFrame(journal.concepts, columns=ConceptRow._fields),
    )


def taught_results(played: Tutored) -> dict[str, Any]:
    """The document of a run (docs/reference/json.md)."""
    made = taught_tables(played)
    counted = Counter(entry.answer.status for entry in played.answers())
    rows = coverage(made.concepts).to_dict("records") if len(made.concepts) else []
    return {
        "run": played.id,
        "seed": played.spec.seed,
        "sessions": sum(session.complete for session in played.parts),
        "turns": len(played.digests),
        "complete": played.complete,
        "learners": [{"learner": learner.name, "episodes": learner.memory.lived} for learner in played.model.learners],
        "coverage": [plain(row) for row in rows],
        "alignment": _alignment(made.episodes),
        "leaks": plain(leak_rate(made.lines)),
        "kinds": _kinds(made.lines),
        "outcomes": {status: counted[status] for status in STATUSES},
        **({"models": bill_document(played.bill)} if played.bill is not None and played.bill.requests else {}),
    }


def _kinds(lines: pd.DataFrame) -> dict[str, float]:
    if lines.empty:
        return {}
    found = answer_kinds(lines)
    return {str(kind): float(share) for kind, share in zip(found["kind"], found["share"], strict=True)}


def _alignment(episodes: pd.DataFrame) -> float | None:
    accuracy: float | None = plain(concept_alignment(episodes).accuracy)
    return accuracy
