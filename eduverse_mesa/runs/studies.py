"""A study with its runs of all kinds: entered, read, listed, named and deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import msgspec

from eduverse_mesa.decisions import DECISIONS, Answer, Bill, Status, Usage
from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import Recorded
from eduverse_mesa.runs.open_runs import refuse_open
from eduverse_mesa.runs.recording import LazyRecording, Recording, Until
from eduverse_mesa.runs.rule_versions import Origin
from eduverse_mesa.store import AnswerRow, HeadlineRow, MessageRow, PlayedStep, RunKind, RunRow, SittingRow, Study

if TYPE_CHECKING:
    from eduverse_mesa.runs.classroom import RunSpec
    from eduverse_mesa.runs.kernel import Stored


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


_decode = {kind: msgspec.json.Decoder(decision.outcome).decode for kind, decision in DECISIONS.items()}


class OpenStudy:
    """A study with its runs."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def runs(self) -> list[str]:
        """The ids of the runs, oldest first."""
        return [row.id for row in self.study.runs()]

    def choose(self, run: str | None) -> Stored[RunSpec]:
        """The run of lessons with this id; the newest that is no fork where none is named."""
        from eduverse_mesa.runs.classroom import COURSES
        from eduverse_mesa.runs.kernel import choose

        return choose(COURSES, self, run or self.newest())

    def kind(self, run: str) -> RunKind:
        """Return the kind of a run."""
        return self.study.run(run).kind

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
        row = self.study.run(run)
        messages: tuple[MessageRow, ...] = ()
        if row.kind == "collaboration":
            from eduverse_mesa.store.dialogues import messages_of

            messages = tuple(messages_of(self.study, run))  # first: another program may add to all while they are read
            said = (1, len(messages))
            upto = said if upto is None else min(said, upto)
        digests = {place: digest for place, digest in self.study.digests(run).items() if upto is None or place <= upto}
        origin = Origin.of(row)
        answers = self._answers(run, origin, self.study.answers(run, upto=upto))
        return Recording(answers, digests, origin, where=self.study.path, messages=messages)

    def lazy_recording(self, run: str) -> Recording:
        """Return the whole recording of a run, whose answers are read lesson by lesson."""
        origin = Origin.of(self.study.run(run))

        def read(number: int) -> tuple[Recorded, ...]:
            return self._answers(run, origin, self.study.answers(run, lesson=number))

        return LazyRecording((), self.study.digests(run), origin, where=self.study.path, read=read)

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


@dataclass(frozen=True, slots=True)
class RunDocuments:
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
    plan: RunDocuments = RunDocuments()

    @property
    def id(self) -> str:
        """Its id, which stays."""
        return self.row.id

    @property
    def called(self) -> str:
        """Its title, or its id where it was given none."""
        return self.row.title or self.row.id


def run_cards(opened: OpenStudy, known: Mapping[str, RunDocuments] = {}) -> list[RunCard]:
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
        found[run] = RunDocuments(
            named,
            read.layout,
            read.lessons,
            seed,
            taught.curriculum,
            taught.cohort,
            problem=group.problems[0] if group.problems else NOTHING,
            peers=tuple(peer.name for peer in group.peers),
        )
    return [RunCard(row, Bill.read(row.spent).closed(), found.get(row.id, RunDocuments())) for row in rows]


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
