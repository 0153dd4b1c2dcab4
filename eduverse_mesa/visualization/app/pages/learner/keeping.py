"""Learners of the page in a study, as a lesson is kept there; and taken up from there again."""

from __future__ import annotations

from dataclasses import replace

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs.play import Until
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.runs.tutoring import TutoringSpec, choose_tutoring, keep_tutoring, replay_tutoring
from eduverse_mesa.runs.tutoring.keeping import last_session
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.store import Study
from eduverse_mesa.visualization.app.pages.learner.files import records_of
from eduverse_mesa.visualization.app.pages.learner.plan import Plan
from eduverse_mesa.visualization.app.pages.learner.school import Chapter, School


class Shelf:
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
        sat = {played.model.desks[0].tutor.name: self._somebody(opened.study)} if chapter.own else {}
        parent, at = (None, None) if before is None else (before.run, before.played.head)
        run = keep_tutoring(opened, played, parent=parent, at=at, sat=sat)
        return chapter._replace(run=run)

    def _somebody(self, study: Study) -> str:
        """Who types here is a participant, so that the words can be handed out and erased."""
        present = {row.id for row in study.participants() if row.state == "present"}
        if self._person not in present:
            self._person = study.add_participant(f"Guest {len(study.participants()) + 1}", "teacher").id
        return self._person


def _expect_unchanged(opened: OpenStudy, school: School) -> None:
    for chapter in school.chapters:
        turns = chapter.played.turns
        if chapter.run and turns and opened.study.digests(chapter.run).get(turns[-1].place) != turns[-1].digest:
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
    if any(desk.talking for desk in played.model.desks):
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


def _plan_of(spec: TutoringSpec) -> Plan:
    """What the form would have said. Of what is not built in, the usual names stand for it."""
    usual, setup = Plan(), spec.setup
    settings = setup.settings
    return Plan(
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
