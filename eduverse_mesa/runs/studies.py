"""Runs in a study: record, resume after a kill, replay, step back, fork; list, name and delete them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple, cast

import msgspec
from pydantic import TypeAdapter, ValidationError

from eduverse_mesa import __version__
from eduverse_mesa.decisions import DECISIONS, Answer, Bill, Status, Usage
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.models.classroom import Intervention
from eduverse_mesa.policies import AnyPolicy, Recorded
from eduverse_mesa.runs.open_runs import noted_open, refuse_open
from eduverse_mesa.runs.play import PlayedLesson, Progress, Recording, Run, RunSpec, Until, play, replay_each
from eduverse_mesa.runs.recording import Committed, StudyRecorder, Writer
from eduverse_mesa.runs.rules import RULES, Origin
from eduverse_mesa.runs.start import Start, begin_run, fork_start, resume_start
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.store import AnswerRow, HeadlineRow, PlayedStep, RunKind, RunRow, SittingRow, Study


@dataclass(frozen=True, slots=True)
class Named:
    """The name and the title that a document gives itself."""

    name: str = ""
    title: str = ""


NOTHING = Named()


class Taught(msgspec.Struct):
    """Of learners and tutors."""

    curriculum: Named = NOTHING
    cohort: Named = NOTHING


class Gathered(msgspec.Struct):
    """Of a group that solves a problem. Who of flesh and blood is in it is not read: a list names no pupil."""

    problems: tuple[Named, ...] = ()
    peers: tuple[Named, ...] = ()


class Outline(msgspec.Struct):
    """Of lessons, of learners and tutors, or of a group."""

    name: str = ""
    title: str = ""
    layout: Named = NOTHING
    lessons: tuple[Named, ...] = ()
    tutoring: Taught = msgspec.field(default_factory=Taught)
    collaboration: Gathered = msgspec.field(default_factory=Gathered)


_CHANGES: TypeAdapter[tuple[Intervention, ...]] = TypeAdapter(tuple[Intervention, ...])
_decode = {kind: msgspec.json.Decoder(decision.outcome).decode for kind, decision in DECISIONS.items()}
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run of a study, ready to be played again."""

    id: str
    spec: RunSpec
    status: str

    @property
    def scenario(self) -> Scenario:
        """Its scenario."""
        return self.spec.scenario


_OTHERS: dict[RunKind, tuple[str, str]] = {
    "tutoring": (
        "learners and their tutors",
        "It can be resumed, replayed, exported, named, deleted, and taught on: eduverse learner --help.",
    ),
    "collaboration": (
        "a group that solves a problem",
        "It can be replayed, exported, named and deleted, and is read and gone on with on the page Mathematics: "
        "eduverse app.",
    ),
}
"""Kinds of runs that are no course: what they are of, and what can be done with them."""


class OpenStudy:
    """A study with its runs."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def runs(self) -> list[str]:
        """The ids of the runs, oldest first."""
        return [row.id for row in self.study.runs()]

    def choose(self, run: str | None) -> StoredRun:
        """The run of this id; the newest that is no fork where none is named."""
        return self._stored(self.study.run(run or self.newest()))

    def kind(self, run: str) -> RunKind:
        """Return the kind of a run."""
        return self.study.run(run).kind

    def _stored(self, row: RunRow) -> StoredRun:
        if row.kind != "course":
            of, mend = _OTHERS[row.kind]
            raise StudyError(f"run {row.id} is of {of}, not of lessons.", where=self.study.path, mend=mend)
        try:
            scenario = load_scenario(msgspec.json.decode(row.scenario))
            changes = _CHANGES.validate_json(row.changes)
        except (ScenarioError, ValidationError, msgspec.DecodeError) as error:
            raise self.unreadable(row.id, Origin.of(row), "scenario and changes", error) from None
        spec = RunSpec(scenario, row.seed, row.policy, changes, row.parent, row.forked_at)
        return StoredRun(row.id, spec, row.status)

    def unreadable(self, run: str, origin: Origin, what: str, error: Exception) -> StudyError:
        """Return the error that is to be raised where a part of a run cannot be read."""
        return StudyError(f"the {what} of run {run} cannot be read: {error}", where=self.study.path, mend=origin.mend)

    def overview(self) -> list[dict[str, Any]]:
        """Return the contents of the study: a document a run."""
        return [
            {
                "run": row.id,
                "kind": row.kind,
                "title": row.title,
                "status": row.status,
                "seed": row.seed,
                **self._where_and_what(row),
                "policy": row.policy,
                "rules": row.rules or None,
                "parent": row.parent,
                "forked_at": ":".join(map(str, row.forked_at)) if row.forked_at else None,
            }
            for row in self.study.runs()
        ]

    def _where_and_what(self, row: RunRow) -> dict[str, Any]:
        try:
            outline = msgspec.json.decode(row.scenario, type=Outline)
        except msgspec.DecodeError as error:
            what = "scenario" if row.kind == "course" else "cohort and agenda"
            raise self.unreadable(row.id, Origin.of(row), what, error) from None
        if row.kind == "course":
            return {"layout": outline.layout.name, "lessons": [lesson.name for lesson in outline.lessons]}
        if row.kind == "collaboration":
            group = outline.collaboration
            return {"problems": [one.name for one in group.problems], "peers": [one.name for one in group.peers]}
        read = outline.tutoring
        return {"curriculum": read.curriculum.name, "cohort": read.cohort.name}

    def newest(self, kind: RunKind | None = None) -> str:
        """The run that is meant where none is named: the newest that is no fork of another; of a kind, if one is."""
        rows = [row for row in self.study.runs() if kind in (None, row.kind)]
        if not rows:
            if kind == "tutoring":
                mend = "Make one with eduverse learner teach --out."
                raise StudyError("holds no run of learners and tutors.", where=self.study.path, mend=mend)
            raise no_run(self.study)
        first_hand = [row.id for row in rows if row.parent is None]
        return first_hand[-1] if first_hand else rows[-1].id

    def unfinished(self) -> str:
        """The newest run that is not complete; the newest of all where every run is."""
        waiting = [row.id for row in self.study.runs() if row.status != "complete"]
        return waiting[-1] if waiting else self.newest()

    def add(self, spec: RunSpec) -> str:
        """Enter a run of lessons."""
        return self.enter(
            RunRow(
                id=spec.name,
                name=spec.scenario.name,
                seed=spec.seed,
                scenario=_encode(dump_scenario(spec.scenario)).decode(),
                policy=spec.policy,
                changes=_CHANGES.dump_json(spec.changes).decode(),
                parent=spec.parent,
                forked_at=spec.forked_at,
                version=__version__,
                rules=RULES["course"],
                planned=len(spec.scenario.lessons) * spec.scenario.settings.steps,
            )
        )

    def enter(self, row: RunRow) -> str:
        """Enter a run; one of the same name that is there already keeps its name, and this one gets a number."""
        return self.enter_played(row, ())

    def enter_played(self, row: RunRow, steps: Iterable[PlayedStep], sat: Iterable[SittingRow] = ()) -> str:
        """The same with all that was played of it already, and who sat there, at once."""
        known, name, number = set(self.runs()), row.id, 2
        while name in known:
            name, number = f"{row.id}-{number}", number + 1
        self.study.add_played(row._replace(id=name), steps, sat)
        return name

    def recording(self, run: str, upto: Until | None = None) -> Recording:
        """Return the answers and digests so far, or up to a step."""
        digests = {place: digest for place, digest in self.study.digests(run).items() if upto is None or place <= upto}
        origin = Origin.of(self.study.run(run))
        return Recording(self._answers(run, origin, self.study.answers(run, upto=upto)), digests, origin)

    def recordings(self, run: str) -> Callable[[int], Recording]:
        """Return a function that gives the recording lesson by lesson: each is read when it is asked for."""
        digests, origin = self.study.digests(run), Origin.of(self.study.run(run))

        def of_lesson(number: int) -> Recording:
            answers = self._answers(run, origin, self.study.answers(run, lesson=number))
            return Recording(answers, digests, origin)

        return of_lesson

    def _answers(self, run: str, origin: Origin, rows: Iterable[AnswerRow]) -> tuple[Recorded, ...]:
        try:
            return tuple(Recorded(row.lesson, row.step, row.agent, row.kind, _answer(row)) for row in rows)
        except (msgspec.DecodeError, KeyError) as error:  # an outcome of another form, a kind that is not known
            raise self.unreadable(run, origin, "answers", error) from None


def _answer(row: AnswerRow) -> Answer:
    outcome = None if row.status == "failed" else _decode[row.kind](row.content)
    usage = None
    if row.calls is not None:
        latency = row.latency_ms or 0.0
        usage = Usage(row.tokens_in, row.tokens_out, row.tokens_cached, row.cost, latency, row.calls, row.model or "")
    return Answer(outcome, row.source, cast(Status, row.status), row.reason, row.attempts, usage)


def no_run(study: Study) -> StudyError:
    """Nothing was played yet: the same words everywhere."""
    from eduverse_mesa.store.accounts import all_accounts

    if all_accounts(study):
        mend = "Its students begin them on the pages of eduverse mathvc serve."
    else:
        mend = "Make one with eduverse run --out."
    return StudyError("holds no run yet.", where=study.path, mend=mend)


@contextmanager
def open_study(path: str, *, read_only: bool = False, create: bool = False) -> Iterator[OpenStudy]:
    """A study, closed again at the end."""
    with Study.open(path, create=create, read_only=read_only) as study:
        yield OpenStudy(study)


def record_course(
    path: str,
    scenario: Scenario,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    changes: Sequence[Intervention] = (),
    progress: Progress | None = None,
) -> Run:
    """Play a course and keep it in a study."""
    start = begin_run(scenario, seed, policy, changes)
    with open_study(path, create=True) as opened:
        return _play_live(opened, replace(start, run=opened.add(start.spec)), progress)


def _play_live(opened: OpenStudy, start: Start, progress: Progress | None) -> Run:
    run = start.run
    recorder = StudyRecorder(opened.study, run, start.chosen.ledger)
    with being_written(opened, run, recorder):
        played = play(
            run,
            start.spec,
            policy=start.chosen.policy,
            recorder=recorder,
            recording=start.recording,
            progress=progress,
        )
        recorder.note_bill()
    opened.study.set_status(run, "complete")
    played.ledger = start.chosen.ledger
    return played


@contextmanager
def being_written(opened: OpenStudy, run: str, recorder: Writer) -> Iterator[None]:
    """While a run is played and written down: others see it, and what breaks it off is noted."""
    try:
        with noted_open(opened.study.path, run):
            yield
    except StudyError:
        # The study cannot be written, or another program writes to this run: how the run stands is not ours to say.
        raise
    except BaseException:
        recorder.note_bill()
        opened.study.set_status(run, "interrupted")
        raise
    finally:
        recorder.close()


def resume_run(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Go on where the last complete step ended; a complete run is read again, and nothing is written.

    `budget` is the whole run's, in place of the one it began with; what it has taken so far counts. `useless` is the
    share of useless answers that ends it from now on, `base_url` where its model is served now.
    """
    start = resume_start(opened, run, policy, budget=budget, useless=useless, base_url=base_url)
    if opened.study.run(run).status == "complete":
        return replay_run(opened, run)
    return _play_live(opened, start, progress)


def replay_run(opened: OpenStudy, run: str, *, until: Until | None = None) -> Run:
    """Play a recorded run again, to its end or to a step: a step back in time is a shorter replay."""
    stored, recording = opened.choose(run), opened.recording(run)
    if until is not None and not recording.holds(*until):
        raise StudyError(
            f"run {run} has no step {until[1]} in lesson {until[0]}.",
            where=opened.study.path,
            mend="Go back to a step that was recorded.",
        )
    played = play(run, stored.spec, recording=recording, until=until)
    if until is None:  # of a part nobody kept count; its answers tell what they took
        played.kept_bill = Bill.read(opened.study.run(run).spent).closed()
    return played


def replay_lessons(opened: OpenStudy, run: str) -> Iterator[PlayedLesson]:
    """Play a recorded run again, lesson by lesson: who needs no more than one at a time holds no more."""
    return replay_each(opened.choose(run).spec, opened.recordings(run))


def fork_run(
    opened: OpenStudy,
    run: str,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """A new run that shares the parent's answers up to a step, and is changed there."""
    start = fork_start(opened, run, at, changes, policy, budget=budget, useless=useless, base_url=base_url)
    return _play_live(opened, start, progress)


def keep_run(opened: OpenStudy, run: Run) -> str:
    """Write a run that was played in memory into a study, the same to the bit as if it had been recorded there."""
    name = opened.add(run.spec)
    recorder = StudyRecorder(opened.study, name)
    for lesson in run.lessons:
        for (_, step), digest in lesson.digests.items():
            recorder.commit(Committed(lesson.model, step, digest, lesson.complete and step == lesson.model.state.step))
    if run.bill is not None:
        opened.study.set_spent(name, run.bill.write())
    opened.study.set_status(name, "complete" if run.complete else "interrupted")
    return name


@dataclass(frozen=True, slots=True)
class Plan:
    """The documents and the seed that were played: by these, runs can be told apart. It never changes."""

    scenario: Named = NOTHING
    layout: Named = NOTHING
    lessons: tuple[Named, ...] = ()
    seed: int = 0
    curriculum: Named = NOTHING
    cohort: Named = NOTHING
    """Of a run of learners and tutors: the curriculum, and the cohort."""
    problem: Named = NOTHING
    peers: tuple[str, ...] = ()
    """Of a run of a group: the problem, and the names of its virtual members."""


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run as a list shows it."""

    row: HeadlineRow
    bill: Bill
    """The bill of language models for it."""
    plan: Plan = Plan()

    @property
    def id(self) -> str:
        """Its id, which stays."""
        return self.row.id

    @property
    def called(self) -> str:
        """Its title, or its id where it was given none."""
        return self.row.title or self.row.id


def run_cards(opened: OpenStudy, known: Mapping[str, Plan] = {}) -> list[RunCard]:
    """All runs, oldest first.

    Answers are not read, nor the scenarios of runs whose plan is `known`: this may be asked every second.
    """
    from eduverse_mesa.store.run_list import headlines, plans

    rows = headlines(opened.study)
    found = dict(known)
    for run, seed, scenario in plans(opened.study, [row.id for row in rows if row.id not in known]):
        read = msgspec.json.decode(scenario, type=Outline)
        taught, group = read.tutoring, read.collaboration
        named = Named(read.name, read.title)
        found[run] = Plan(
            named,
            read.layout,
            read.lessons,
            seed,
            taught.curriculum,
            taught.cohort,
            problem=group.problems[0] if group.problems else NOTHING,
            peers=tuple(peer.name for peer in group.peers),
        )
    return [RunCard(row, Bill.read(row.spent).closed(), found.get(row.id, Plan())) for row in rows]


def rename_run(opened: OpenStudy, run: str, title: str) -> str:
    """Give a run a title, on one line; an empty one takes it away. Its id stays, since forks name it."""
    opened.study.set_title(run, title := " ".join(title.split()))
    return title


def delete_run(opened: OpenStudy, run: str, *, with_forks: bool = False, abandoned: bool = False) -> list[str]:
    """Take a run out of its study with all that belongs to it; gives the runs that went.

    A run that has forks goes only with them. A run that is being played stays, except where whoever asks knows that it
    is `abandoned`; one that this very program has open stays in any case.
    """
    from eduverse_mesa.store.run_list import delete_run as delete
    from eduverse_mesa.store.run_list import forks_of

    with opened.study.transaction() as connection:
        forks = forks_of(connection, run) if with_forks else []
    refuse_open(opened.study.path, [run, *forks])
    return delete(opened.study, run, with_forks=with_forks, abandoned=abandoned)


class Known(NamedTuple):
    """A run that is there, and whether it was played to its end."""

    run: str
    complete: bool


def known_runs(
    study: str, scenario: Scenario, seeds: Collection[int], policy: AnyPolicy | str | None = None
) -> dict[int, Known]:
    """By seed, the run that would be played again; of several a complete one."""
    if "://" not in study and not Path(study).exists():
        return {}
    spec = begin_run(scenario, 0, policy).spec
    names = {replace(spec, seed=seed).name: seed for seed in seeds}
    found: dict[int, Known] = {}
    with open_study(study, create=True) as opened:  # of an earlier format, it is upgraded, as playing would
        for row in opened.study.runs():
            if row.rules != RULES[row.kind]:
                continue
            seed = names.get(row.id, names.get(_NUMBERED.sub("", row.id)))
            if seed is not None and not found.get(seed, _NONE).complete:
                found[seed] = Known(row.id, row.status == "complete")
    return found


_NONE = Known("", complete=False)
_NUMBERED = re.compile(r"-[0-9]+$")
"""The ending that a run's name gets where the name was taken: it is the same run once more."""


def refuse_known(study: str, known: Known) -> None:
    """StudyError for a run that is there."""
    place = f"{quote(study)} {quote(known.run)}"
    read = f"Read it: eduverse replay {place}" if known.complete else f"Go on with it: eduverse resume {place}"
    raise StudyError(
        f"this study already holds this run (same scenario, seed, policy): {known.run}. Nothing was played.",
        where=study,
        mend=f"{read}; play another with --seed, or this one once more, as a run of its own, with --again.",
    )
