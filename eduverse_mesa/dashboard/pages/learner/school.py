"""Learners after all that was taught so far: their memories and records; a learner as a file; the study that keeps
them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, Self

import msgspec
from pydantic import Field, ValidationError, model_validator

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.dashboard.answerers import Answering
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.experiments.sweeps.document import Seed
from eduverse_mesa.models.tutoring import Saved, TutoringModel, read_saved
from eduverse_mesa.models.tutoring.journal import ConceptRow, EpisodeRow, LineRow, concept_rows
from eduverse_mesa.models.tutoring.sessions import memory_problems
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.recording import Until
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.runs.tutoring import (
    Tutored,
    TutoringSpec,
    begin_tutoring,
    choose_tutoring,
    enter_and_play,
    keep_tutoring,
    last_session,
    play_tutoring,
    replay_tutoring,
)
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.curriculum import Curriculum, Grade
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Arm, Cohort, Law, Learner, Tutoring, TutoringSettings
from eduverse_mesa.store import Study
from eduverse_mesa.visualization.widgets.fields import limits

SAMPLED = ""
"""No cohort by its name: learners are drawn."""


class Wish(Part):
    """What a page may teach: fewer learners at once than a command, which teaches as many as there are."""

    cohort: str
    learners: int = Field(ge=1, le=30)
    curriculum: str
    first: Grade
    last: Grade
    visits: int = Field(ge=1, le=limits(TutoringSettings, "visits")[1])
    law: Law
    arm: Arm
    seed: Seed

    @model_validator(mode="after")
    def _grades_run_upwards(self) -> Self:
        if self.first > self.last:
            raise ValueError("the grades run downwards; give the lower one first")
        return self


class SchoolPlan(msgspec.Struct, frozen=True):
    """A cohort and how it is taught."""

    cohort: str = "three_profiles"
    learners: int = 6
    """Number of learners drawn if the cohort is none of the built-in ones."""
    curriculum: str = "ngss_1_5"
    first: int = 1
    last: int = 2
    visits: int = 5
    law: Law = "episodes"
    arm: Arm = "full"
    seed: int = 1

    def load(self) -> Tutoring:
        """The document of it. Only what is built in can be named: a page, or a file from a browser, reads no others."""
        self._check()
        drawn = self.cohort == SAMPLED
        settings: dict[str, object] = {
            "grades": f"[{self.first}, {self.last}]",
            "visits": self.visits,
            "memory.law": self.law,
            "arm": self.arm,
            **({"cohort.sample.seed": self.seed} if drawn else {}),
        }
        return load_tutoring(
            curriculum=self.curriculum,
            cohort=None if drawn else self.cohort,
            learners=self.learners if drawn else None,
            settings=settings,
        )

    def _check(self) -> None:
        for kind, name, known in (
            ("curriculum", self.curriculum, list_names("curriculum")),
            ("cohort", self.cohort, (*list_names("cohort"), SAMPLED)),
        ):
            if name not in known:
                raise ScenarioError(
                    f"there is no built-in {kind} '{name[:80]}'.", mend=f"Known: {', '.join(filter(None, known))}."
                )
        for what, name in (
            ("the number of learners", "learners"),
            ("the number of dialogues a unit", "visits"),
            ("the seed", "seed"),
        ):
            number, (least, most) = getattr(self, name), limits(Wish, name)
            if not least <= number <= most:
                raise ScenarioError(f"{what} is {number}.", mend=f"Give a whole number from {least} to {most}.")


@cache
def usual(language: str = "en") -> SchoolPlan:
    """Return the plan that the form begins with: two grades of the built-in document in this language, else of the
    first one."""
    known = [load_tutoring(name) for name in list_names("tutoring")]
    setup = next((one for one in known if one.curriculum.language == language), known[0])
    settings = setup.settings
    first = settings.grades[0]
    return SchoolPlan(
        curriculum=setup.curriculum.name,
        first=first,
        last=first + 1,
        visits=settings.visits,
        law=settings.memory.law,
        arm=settings.arm,
    )


Hear = Callable[[int, int], None]
"""Told how many dialogues are done, of how many."""
Years = Mapping[int, tuple[ConceptRow, ...]]


class Record(NamedTuple):
    """One dialogue, as it can be read again."""

    number: int
    day: float
    grade: int
    unit: str
    summary: str
    lines: tuple[LineRow, ...]
    """Empty where the words are forgotten, and nobody has written them down."""
    own: bool = False
    """Somebody at the page was the tutor."""


class Chapter(NamedTuple):
    """Something that was played with these learners."""

    played: Tutored
    own: bool
    """Somebody at the page was the tutor."""
    run: str = ""
    """Id of it in the study, if it is kept in one."""


@dataclass(frozen=True)
class School:
    """Learners between two sessions. Whatever happens makes another school of it; this one stays as it is."""

    plan: SchoolPlan
    setup: Tutoring
    saved: Mapping[str, Saved] = field(default_factory=dict)
    records: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    years: Mapping[str, Years] = field(default_factory=dict)
    asked: int = 0
    fallen: int = 0
    """Answers that did not come as they were asked for."""
    chapters: tuple[Chapter, ...] = ()
    """Chapters played here, oldest first."""

    @cached_property
    def model(self) -> TutoringModel:
        """Everybody as they are now, with nothing on their agenda."""
        model = TutoringModel(self.setup, seed=self.plan.seed, policy="embedded", agenda=(), saved=self.saved)
        for learner in model.learners:
            last = learner.memory.episodes[-1] if learner.memory.episodes else None
            learner.grade = last.grade if last else self.plan.first
            learner.day = last.day if last else 0.0
        return model

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody."""
        return self.setup.people

    def learner(self, name: str) -> LearnerAgent:
        """Return one of them as he or she is now."""
        return next(one for one in self.model.learners if one.name == name)

    def now(self, name: str) -> tuple[ConceptRow, ...]:
        """Return a learner's knowledge of every concept now."""
        return tuple(concept_rows(self.learner(name)))

    def years_of(self, name: str) -> tuple[ConceptRow, ...]:
        """Return a learner's knowledge of every concept at the end of each grade; of the last one, the knowledge
        now."""
        learner = self.learner(name)
        years = {**self.years.get(name, {}), **({learner.grade: self.now(name)} if learner.memory.lived else {})}
        return tuple(row for grade in sorted(years) for row in years[grade])

    def keep(self, name: str) -> Saved:
        """Return one learner in a form that can be written down."""
        return self.saved[name].copy() if name in self.saved else Saved(name)

    @property
    def source(self) -> dict[str, Any]:
        """The run of the study that everybody comes from, and the last (session, turn) of it; nothing where none is."""
        last = self.chapters[-1] if self.chapters else None
        return {"parent": last.run, "forked_at": last.played.head} if last is not None and last.run else {}

    def after(self, played: Tutored, *, aside: bool = False, run: str = "") -> School:
        """The school after what was played with these learners, or with some of them.

        `aside`: it was on an agenda of its own; on theirs they are where they were. `run` is what a study calls it.
        """
        model = played.model
        own = any(one.answer.source == SOURCE for one in model.journal.answers)
        journal = model.journal
        lines: dict[tuple[str, int], list[LineRow]] = {}
        for line in journal.lines:
            lines.setdefault((line.learner, line.session), []).append(line)
        records = dict(self.records)
        for episode in journal.episodes:
            before = records.get(episode.learner, ())
            said = tuple(lines.get((episode.learner, episode.session), ()))
            records[episode.learner] = (*before, _record(before[-1].number + 1 if before else 1, episode, said, own))
        years: dict[str, dict[int, tuple[ConceptRow, ...]]] = {name: dict(of) for name, of in self.years.items()}
        for row in () if aside else journal.concepts:
            of = years.setdefault(row.learner, {})
            fresh = row.grade not in of or of[row.grade][0].day != row.day
            of[row.grade] = (row,) if fresh else (*of[row.grade], row)
        saved = model.save()
        if aside:  # what somebody taught on the side is not on the agenda
            for name, one in saved.items():
                one.session = self.saved[name].session if name in self.saved else 1
        fallen = sum(one.answer.status != "ok" for one in journal.answers)
        return replace(
            self,
            saved={**self.saved, **saved},
            records=records,
            years=years,
            asked=self.asked + len(journal.answers),
            fallen=self.fallen + fallen,
            chapters=(*self.chapters, Chapter(played, own, run)),
        )

    def up_to(self, last: int) -> School:
        """The same learners, to be taught up to a grade."""
        first, highest = self.plan.first, self.setup.curriculum.grades[-1]
        if not first <= last <= highest:
            raise ScenarioError(f"grade {last} is not to be had.", mend=f"Give one from {first} to {highest}.")
        settings = self.setup.settings.model_copy(update={"grades": (first, last)})
        plan: SchoolPlan = msgspec.structs.replace(self.plan, last=last)
        return replace(self, plan=plan, setup=self.setup.model_copy(update={"settings": settings}))


def open_school(plan: SchoolPlan) -> School:
    """A cohort that has not been taught yet."""
    return School(plan, plan.load())


def teach(school: School, answering: Answering, hear: Hear, stopping: Callable[[], bool], study: str = "") -> School:
    """Teach everybody what is left of the plan. Asked to stop, everybody ends the dialogue that has begun. Where the
    school is kept in a study, so is this, turn by turn."""
    people = len(school.names)
    start = begin_tutoring(
        answered(school.setup, answering), school.plan.seed, answering.policy, began=school.saved, **school.source
    )
    if not start.spec.sessions:
        last = school.plan.last
        raise ScenarioError(
            f"everything up to grade {last} has been taught.", mend="Choose a higher grade to go on to."
        )

    def told(done: int, total: int) -> None:
        hear(done * people, total * people)

    if study:
        with open_study(study) as opened:
            played = enter_and_play(opened, start, progress=told, stop=stopping)
        return school.after(played, run=played.id)
    policy = start.chosen.policy
    return school.after(play_tutoring(start.run, start.spec, policy=policy, progress=told, stop=stopping))


def answered(setup: Tutoring, answering: Answering, **changed: object) -> Tutoring:
    """The setup with who answers, and what else of its settings is to be another."""
    settings: TutoringSettings = setup.settings.model_copy(update={"llm": answering.llm, **changed})
    return setup.model_copy(update={"settings": settings})


def alone(setup: Tutoring, name: str) -> Tutoring:
    """The setup of one of its learners."""
    learners = tuple(one for one in setup.cohort.learners if one.name == name)
    return setup.model_copy(update={"cohort": setup.cohort.model_copy(update={"learners": learners})})


def _record(number: int, episode: EpisodeRow, lines: tuple[LineRow, ...], own: bool) -> Record:
    return Record(number, episode.day, episode.grade, episode.unit, episode.summary, lines, own)


MOST_BYTES = 1_000_000
_MEND = "Save the learner again, and do not edit the file."


class Kept(Saved):
    """A saved learner (`read_saved` reads it too), and what a page needs to go on with it."""

    person: dict[str, Any] = msgspec.field(default_factory=dict)
    plan: SchoolPlan | None = None
    years: list[ConceptRow] = msgspec.field(default_factory=list)


def write_learner(school: School, name: str) -> bytes:
    """One learner as JSON."""
    saved = school.keep(name)
    person = school.learner(name).person.model_dump(mode="json")
    years = list(school.years_of(name))
    kept = Kept(saved.name, saved.memory, saved.notes, saved.session, person=person, plan=school.plan, years=years)
    return msgspec.json.encode(kept)


def file_name(name: str) -> str:
    """A name for the file, of letters that any system takes."""
    safe = re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_")[:60]
    return f"{safe or 'learner'}.json"


def read_learner(text: str, chosen: SchoolPlan, where: str = "") -> School:
    """Return a school of the one learner of a file. If the file does not tell the person or the plan, those chosen on
    the page are taken."""
    try:
        read_saved(text, where)
        kept = msgspec.json.decode(text, type=Kept)
    except (msgspec.DecodeError, RecursionError) as error:
        raise StudyError(f"this is no saved learner: {error}.", where=where, mend=_MEND) from None
    plan = kept.plan or chosen
    setup = plan.load()
    person = _person(kept, where) if kept.person else next(
        (one for one in setup.cohort.learners if one.name == kept.name), None
    )  # fmt: skip
    if person is None:
        raise StudyError(
            f"the file does not say who '{kept.name[:80]}' is.",
            where=where,
            mend="Choose the cohort that the learner is of, and open the file again.",
        )
    for problem in _problems(kept, setup.curriculum):
        raise StudyError(f"{problem}.", where=where, mend=_MEND)
    cohort = Cohort(name="opened", learners=(person,))
    setup = setup.model_copy(update={"cohort": cohort})
    name = person.name
    saved = Saved(kept.name, kept.memory, kept.notes, kept.session)
    years: dict[int, tuple[ConceptRow, ...]] = {}
    for row in kept.years:
        years[row.grade] = (*years.get(row.grade, ()), row)
    return School(plan, setup, {name: saved}, {name: records_of(saved)}, {name: years})


def _person(kept: Kept, where: str) -> Learner:
    try:
        person = Learner.model_validate(kept.person)
    except ValidationError as error:
        told = error.errors()[0]
        place = ".".join(map(str, told["loc"]))
        raise StudyError(
            f"who the learner is cannot be read: {place}: {told['msg']}.", where=where, mend=_MEND
        ) from None
    if person.name != kept.name:
        raise StudyError(f"the learner is called '{kept.name[:80]}' and '{person.name[:80]}'.", where=where, mend=_MEND)
    return person


def _problems(kept: Kept, curriculum: Curriculum) -> Iterator[str]:
    """Yield the problems of a saved learner that no learner of the page can have, and that the page could not go on
    with."""
    yield from memory_problems(kept, curriculum)
    for episode in kept.memory.episodes:
        if episode.grade not in curriculum.grades:
            yield f"the curriculum has nothing for the grade of episode {episode.number}"
    if any(row.concept not in curriculum.concepts or not 0 <= row.mastery <= 1 for row in kept.years):
        yield "what was known at the end of a grade cannot be"


def records_of(saved: Saved) -> tuple[Record, ...]:
    """Episodes as the learner remembers them, with their words as long as they are vivid."""
    return tuple(
        Record(
            episode.number,
            episode.day,
            episode.grade,
            episode.unit,
            episode.summary,
            tuple(
                LineRow(
                    learner=saved.name,
                    session=episode.number,
                    day=episode.day,
                    grade=episode.grade,
                    unit=episode.unit,
                    turn=place // 2 + 1,
                    speaker=said.speaker,
                    text=said.text,
                    kind=said.kind,
                    hedged=False,
                    leaks="",
                )
                for place, said in enumerate(episode.dialogue)
            ),
        )
        for episode in saved.memory.episodes
    )


class LearnerStore:
    """The study in which the learners of a desk are kept, and who of its participants sits at this desk."""

    def __init__(self, study: str) -> None:
        self.study = study
        self._person = ""

    def keep(self, school: School) -> School:
        """Write down what is not kept yet: each piece a run that comes from the one before it."""
        chapters: list[Chapter] = []
        with open_study(self.study, create=True) as opened:
            _expect_unchanged(opened, school)
            for chapter in school.chapters:
                before = chapters[-1] if chapters else None
                chapters.append(chapter if chapter.run else self._write(opened, chapter, before))
        return replace(school, chapters=tuple(chapters))

    def check(self, school: School) -> None:
        """StudyError where what is kept of these learners is not what they have in mind: somebody was erased, say, and
        they would write it down again."""
        with open_study(self.study, read_only=True) as opened:
            _expect_unchanged(opened, school)

    def _write(self, opened: OpenStudy, chapter: Chapter, before: Chapter | None) -> Chapter:
        played = chapter.played
        sat = {played.model.enrolments[0].tutor.name: self._somebody(opened.study)} if chapter.own else {}
        parent, at = (None, None) if before is None else (before.run, before.played.head)
        run = keep_tutoring(opened, played, parent=parent, at=at, sat=sat)
        return chapter._replace(run=run)

    def _somebody(self, study: Study) -> str:
        """Return the participant for the person who types here, so that the words can be handed out and erased."""
        present = {row.id for row in study.participants() if row.state == "present"}
        if self._person not in present:
            self._person = study.add_participant(f"Guest {len(study.participants()) + 1}", "teacher").id
        return self._person


def _expect_unchanged(opened: OpenStudy, school: School) -> None:
    for chapter in school.chapters:
        head, turns = chapter.played.head, chapter.played.digests
        if chapter.run and turns and opened.study.digests(chapter.run).get(head) != turns[head]:
            raise StudyError(
                f"run {chapter.run} was changed since these learners were opened.",
                where=opened.study.path,
                mend="Open them again from the page Studies.",
            )


def open_run(study: str, run: str) -> School:
    """The school as it was after a run of a study, with all that lies before it there."""
    with open_study(study, read_only=True) as opened:
        return _after(opened, run, None)


def _after(opened: OpenStudy, run: str, at: Until | None) -> School:
    spec = choose_tutoring(opened, run).spec
    until = at if at is not None else last_session(opened, run)
    played = replay_tutoring(opened, run, until=until)
    if any(one.talking for one in played.model.enrolments):
        raise StudyError(
            f"a dialogue was going on after turn {until[1]} of session {until[0]}.",
            where=f"run {run}",
            mend="Go on from the end of a session.",
        )
    if spec.parent is None or spec.forked_at is None:
        records = {name: records_of(saved) for name, saved in spec.began.items()}
        return School(_plan_of(spec), spec.setup, dict(spec.began), records).after(played, run=run)
    before = _after(opened, spec.parent, spec.forked_at)
    if _on_the_side(spec, before):
        return before.after(played, aside=True, run=run)
    people = set(spec.setup.people)
    kept = {name: saved for name, saved in before.saved.items() if name in people}
    going_on = replace(before, plan=_plan_of(spec), setup=spec.setup, saved=kept)
    return going_on.after(played, run=run)


def _on_the_side(spec: TutoringSpec, before: School) -> bool:
    """It has an agenda of its own, after which learners go on where they were on theirs."""
    return any(saved.session != before.keep(name).session for name, saved in spec.began.items())


def _plan_of(spec: TutoringSpec) -> SchoolPlan:
    """Return the plan of a run. For documents that are not built in, the usual names stand."""
    usual, setup = SchoolPlan(), spec.setup
    settings = setup.settings
    return SchoolPlan(
        cohort=setup.cohort.name if setup.cohort.name in list_names("cohort") else usual.cohort,
        learners=len(setup.people),
        curriculum=setup.curriculum.name if setup.curriculum.name in list_names("curriculum") else usual.curriculum,
        first=settings.grades[0],
        last=settings.grades[1],
        visits=settings.visits,
        law=settings.memory.law,
        arm=settings.arm,
        seed=spec.seed,
    )
