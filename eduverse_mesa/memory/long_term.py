"""The memory of a class that is written when a lesson ends and loaded when the next begins (C.5.3, C.5.4)."""

from __future__ import annotations

import msgspec

from eduverse_mesa.decisions import Mind, Remembered, Summarised
from eduverse_mesa.memory.three_levels import ConceptNode, EbbinghausLaw, Episode, Grasp, Memory, SkillProfile

LAW = EbbinghausLaw(stability=1.0, above_grade=1.0)
"""The law by which a class forgets between two lessons: Ebbinghaus's own curve, in days."""
_DEVELOPING, _EXPERT = 0.2, 0.5
"""Habits of self-regulation from which on a student is more than a beginner."""


class StudentEvent(msgspec.Struct, frozen=True, gc=False):
    """One entry of a student's long-term memory."""

    student: str
    event: str
    content: str
    step: int


class TeacherEvent(msgspec.Struct, frozen=True, gc=False):
    """One entry of the teacher's long-term memory."""

    phase: str
    event: str
    content: str
    step: int


class StudentRecord(msgspec.Struct, frozen=True, gc=False):
    """A record of a student that goes from one lesson into the next, in words and in numbers."""

    student: str
    remembered: Remembered
    mind: Mind
    memory: Memory
    """Episodes are lessons, concepts their goals: the same memory as a learner's who is taught alone."""
    closeness: dict[str, float]
    last: tuple[str, str, str]
    """Last behaviour, emotion and cognition."""

    def of_lesson(self) -> StudentRecord:
        """The same, of the memory only what this lesson has left in it: what is written down lesson by lesson."""
        memory = self.memory
        now = memory.lived
        touched = {name: node for name, node in memory.concepts.items() if node.grasp.episode == now}
        left = Memory(
            [episode for episode in memory.episodes[-1:] if episode.number == now],
            {name: msgspec.structs.replace(node, episodes=[now]) for name, node in touched.items()},
            {name: skill for name, skill in memory.skills.items() if skill.episode == now},
            now,
            memory.confidence,
        )
        return msgspec.structs.replace(self, memory=left)


class LessonMemory(msgspec.Struct, frozen=True, gc=False):
    """All that a lesson leaves behind, written in one transaction."""

    records: tuple[StudentRecord, ...]
    student_events: tuple[StudentEvent, ...] = ()
    teacher_events: tuple[TeacherEvent, ...] = ()


def remember(outcome: Summarised | None, evaluation: str, rating: float) -> Remembered:
    """The record in words. A summary that failed leaves the words empty; what others said of the student stays."""
    if outcome is None:
        return Remembered(evaluation=evaluation, rating=rating)
    return Remembered(outcome.summary, outcome.portrait, outcome.regulation, outcome.strategy, evaluation, rating)


class Lesson(msgspec.Struct, frozen=True):
    """A lesson, as far as memory cares."""

    name: str
    subject: str
    day: float
    goals: dict[str, str]
    """The goals by id, in words."""


def live_through(before: Memory, lesson: Lesson, mind: Mind, remembered: Remembered) -> Memory:
    """A student's memory after a lesson: an episode more, and of each goal what is understood now.

    How understanding moves within a lesson is the classroom's own affair (agents/cognition.py); memory keeps it. The
    memory before stays as it was, and the two share what neither of them changes: a course has many lessons.
    """
    now = before.lived + 1
    scores = {goal: 1 + round(9 * known) for goal, known in zip(lesson.goals, mind.understanding, strict=True)}
    feeling = (mind.affect + 1.0) / 2.0
    episode = Episode(
        number=now,
        day=lesson.day,
        grade=0,
        unit=lesson.name,
        summary=remembered.summary,
        insights=remembered.portrait,
        emotion=feeling,
        mastery=scores,
    )
    concepts = dict(before.concepts)
    for (goal, text), known in zip(lesson.goals.items(), mind.understanding, strict=True):
        node = concepts.get(goal) or ConceptNode(goal, 0, text)
        grasp = Grasp(known, exposures=node.grasp.exposures + 1, day=lesson.day, episode=now)
        concepts[goal] = msgspec.structs.replace(node, grasp=grasp, episodes=[*node.episodes, now])
    level = "expert" if mind.habit >= _EXPERT else "developing" if mind.habit >= _DEVELOPING else "beginner"
    skill = SkillProfile(lesson.subject, level, remembered.strategy, "", remembered.regulation, 0, now)
    skills = {**before.skills, lesson.subject: skill}
    return Memory([*before.episodes, episode], concepts, skills, now, before.confidence)


def carried_understanding(
    memory: Memory, goal: str, needs: tuple[str, ...], day: float, fresh: float, transfer: float
) -> float:
    """Return the understanding that is left of a goal met before, or what its prerequisites lend to a new one.
    Forgetting falls towards what the student would know unprepared, not below it.
    """
    node = memory.concepts.get(goal)
    if node is not None:
        known, kept = node.grasp.mastery, node.grasp.left(day, memory.lived, LAW)
        return fresh + (known - fresh) * kept if known > fresh else fresh
    lent = [memory.concepts[need].grasp.now(day, memory.lived, LAW) for need in needs if need in memory.concepts]
    return max(fresh, transfer * sum(lent) / len(lent)) if lent else fresh
