"""Runs of learners and tutors in a study: record, resume after a kill, replay, and take learners out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec
from pydantic import ValidationError

from eduverse_mesa import __version__
from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.models.tutoring import Saved, Session, Talk
from eduverse_mesa.models.tutoring.sessions import school_years
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.open_runs import end_left_open, refuse_held
from eduverse_mesa.runs.play import EMPTY, Recording, Until
from eduverse_mesa.runs.recording import Writer, answer_row
from eduverse_mesa.runs.rules import RULES, Origin
from eduverse_mesa.runs.start import Chosen, choose_policy, with_model
from eduverse_mesa.runs.studies import OpenStudy, being_written, open_study
from eduverse_mesa.runs.tutoring.play import Progress, Stop, Tutored, TutoringSpec, document_of, play_tutoring, spec_of
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.scenarios.tutoring import Tutoring
from eduverse_mesa.store import MemoryRow, PlayedStep, RunRow, SittingRow


class TutoringRecorder(Writer):
    """Writes a turn as a step, and a session's end as a lesson's: with the episodes that it leaves."""

    def turn(self, played: Tutored, number: int) -> None:
        """One of its turns is complete."""
        self.note_bill()
        self.note_rules()
        one = step_of(played, number)
        if one.last:
            self._study.finish_lesson(
                self._run, one.lesson, one.step, one.digest, one.answers, student_events=one.student_events
            )
        else:
            self._study.commit_step(self._run, one.lesson, one.step, one.digest, one.answers)


def step_of(played: Tutored, number: int) -> PlayedStep:
    """One of the turns as a study keeps it."""
    done = played.turns[number]
    session, turn = done.place
    rows = [answer_row(entry)._replace(lesson=session) for entry in played.answers_of(number)]
    kept = [MemoryRow(row.learner, row.unit, row.summary, turn) for row in played.episodes_of(session)]
    return PlayedStep(session, turn, done.digest, rows, done.last, kept if done.last else ())


@dataclass(frozen=True, slots=True)
class TutoringStart:
    """All that it takes to play a run from here on."""

    run: str
    spec: TutoringSpec
    chosen: Chosen[Tutoring]
    recording: Recording = EMPTY


def begin_tutoring(
    setup: Tutoring,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    agenda: Sequence[Session] | None = None,
    began: Mapping[str, Saved] | None = None,
    parent: str | None = None,
    forked_at: Until | None = None,
) -> TutoringStart:
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
    return TutoringStart(spec.name, spec, chosen)


@dataclass(frozen=True, slots=True)
class StoredTutoring:
    """A run of learners and tutors in a study, ready to be played again."""

    id: str
    spec: TutoringSpec
    status: str


def choose_tutoring(opened: OpenStudy, run: str | None = None) -> StoredTutoring:
    """The run of this id; the newest of learners and tutors where none is named."""
    row = opened.study.run(run or opened.newest("tutoring"))
    if row.kind != "tutoring":
        raise StudyError(
            f"run {row.id} is a course of lessons.", where=opened.study.path, mend="Name a run of learners and tutors."
        )
    try:
        spec = spec_of(row.scenario, row.seed, row.policy, row.parent, row.forked_at)
    except (ScenarioError, ValidationError, msgspec.DecodeError) as error:
        raise opened.unreadable(row.id, Origin.of(row), "cohort and agenda", error) from None
    return StoredTutoring(row.id, spec, row.status)


def row_of(spec: TutoringSpec) -> RunRow:
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
    opened: OpenStudy, start: TutoringStart, *, progress: Progress | None = None, stop: Stop | None = None
) -> Tutored:
    """Enter a run, and play it to its end or until somebody wants it to stop."""
    return _play_live(opened, replace(start, run=opened.enter(row_of(start.spec))), progress, stop)


def _play_live(opened: OpenStudy, start: TutoringStart, progress: Progress | None, stop: Stop | None = None) -> Tutored:
    recorder = TutoringRecorder(opened.study, start.run, start.chosen.ledger)
    with being_written(opened, start.run, recorder):
        played = play_tutoring(
            start.run,
            start.spec,
            policy=start.chosen.policy,
            recorder=recorder,
            recording=start.recording,
            progress=progress,
            stop=stop,
        )
        recorder.note_bill()
    opened.study.set_status(start.run, "complete" if played.complete else "interrupted")
    played.bill = None if start.chosen.ledger is None else start.chosen.ledger.bill
    return played


def resume_tutoring(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> Tutored:
    """Go on where the last complete turn ended; a complete run is only played again."""
    refuse_held(opened.study.path, run)
    stored, recording = choose_tutoring(opened, run), opened.recording(run)
    setup = with_model(stored.spec.setup, budget=budget, useless=useless, base_url=base_url)
    chosen = choose_policy(setup, stored.spec.policy if policy is None else policy)
    if chosen.ledger is not None:
        chosen.ledger.go_on_from(Bill.read(opened.study.run(run).spent))
    end_left_open(opened.study, run)
    if stored.status != "complete":
        opened.study.set_status(run, "running")
    return _play_live(opened, TutoringStart(run, stored.spec, chosen, recording), progress)


def replay_tutoring(opened: OpenStudy, run: str, *, until: Until | None = None) -> Tutored:
    """Play a recorded run again, to its end or to a turn."""
    stored, recording = choose_tutoring(opened, run), opened.recording(run)
    if until is not None and not recording.holds(*until):
        raise StudyError(
            f"run {run} has no turn {until[1]} in session {until[0]}.",
            where=opened.study.path,
            mend="Go back to a turn that was recorded.",
        )
    played = play_tutoring(run, stored.spec, recording=recording, until=until)
    if until is None:
        played.bill = Bill.read(opened.study.run(run).spent).closed()
    return played


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
    row = row_of(spec)._replace(status="complete" if played.complete else "interrupted")
    steps = (step_of(played, number) for number in range(len(played.turns)))
    people = [SittingRow(person, row.id, agent, (1, 1), played.head) for agent, person in (sat or {}).items()]
    return opened.enter_played(row, steps, people)


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
) -> TutoringStart:
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


def named_only(start: TutoringStart, names: tuple[str, ...]) -> TutoringStart:
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
