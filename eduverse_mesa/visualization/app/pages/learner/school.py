"""A cohort as it is after what was taught so far: what everybody has, and what was said on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Saved, TutoringModel
from eduverse_mesa.models.tutoring.journal import ConceptRow, EpisodeRow, LineRow
from eduverse_mesa.models.tutoring.step import concept_rows
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.runs.tutoring import Tutored, begin_tutoring, enter_and_play, play_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring, TutoringSettings
from eduverse_mesa.visualization.app.answering import Answering
from eduverse_mesa.visualization.app.pages.learner.plan import Plan

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
    """What it is called in the study, where it is kept in one."""


@dataclass(frozen=True)
class School:
    """Learners between two sessions. Whatever happens makes another school of it; this one stays as it is."""

    plan: Plan
    setup: Tutoring
    saved: Mapping[str, Saved] = field(default_factory=dict)
    records: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    years: Mapping[str, Years] = field(default_factory=dict)
    asked: int = 0
    fallen: int = 0
    """Answers that did not come as they were asked for."""
    chapters: tuple[Chapter, ...] = ()
    """What was played here, oldest first."""

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
        """One of them as it is now."""
        return next(one for one in self.model.learners if one.name == name)

    def now(self, name: str) -> tuple[ConceptRow, ...]:
        """What a learner has of every concept now."""
        return tuple(concept_rows(self.model, self.learner(name)))

    def years_of(self, name: str) -> tuple[ConceptRow, ...]:
        """What a learner had of every concept at the end of each grade; of the last one, what it has now."""
        learner = self.learner(name)
        years = {**self.years.get(name, {}), **({learner.grade: self.now(name)} if learner.memory.lived else {})}
        return tuple(row for grade in sorted(years) for row in years[grade])

    def keep(self, name: str) -> Saved:
        """One learner as it can be written down."""
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
        plan: Plan = msgspec.structs.replace(self.plan, last=last)
        return replace(self, plan=plan, setup=self.setup.model_copy(update={"settings": settings}))


def open_school(plan: Plan) -> School:
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
