"""The lesson document: what is taught, asked and likely misunderstood, in phases of activities (C.2, D.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from eduverse_mesa.scenarios.base import Document, Name, Part, Sentence, Share, Text, is_unset
from eduverse_mesa.vocabulary import Cognition, Doing, PhaseName

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]
"""A sentence that may be missing: a misconception for good, an answer as long as it is unconfirmed."""


class Goal(Part):
    """Goal of a lesson: something that students should understand at the end."""

    id: Name
    text: Sentence
    needs: tuple[Name, ...] = Field((), description="ids of goals of this or an earlier lesson that it builds on")


class Idea(Part):
    """One thing the teacher can say about a goal, and that a student who has understood can say back."""

    id: Name
    goal: Name
    text: Sentence
    because: Sentence = Field(description="the reason or evidence for it")
    partial: Sentence = Field(description="what a student with half an understanding says")
    misconception: Line = Field("", description="a likely wrong belief about it; empty where none is likely")
    keywords: tuple[Name, ...] = Field(min_length=1)


class Question(Part):
    """A question the teacher can ask about an idea."""

    id: Name
    idea: Name
    ask: Sentence
    bloom: Cognition
    press: Literal["accuracy", "reasoning", "relate"] = "accuracy"
    answer: Line = Field(description="a right answer in a student's words")
    short_answer: Line = Field(description="the right answer in at most three words")


class Activity(Part):
    """One item of a phase: what is done, about which idea, question or in which words."""

    do: Doing
    idea: Name | None = None
    question: Name | None = None
    text: Sentence | None = Field(None, description="instruction or discussion prompt in the teacher's words")
    note: Text = Field(
        "",
        description="what the teacher does here and does not say aloud, for whoever reads the plan",
        exclude_if=is_unset,
    )


class Phase(Part):
    """A phase with its share of the lesson's steps."""

    name: PhaseName
    share: Share = Field(description="share of the lesson's steps; the shares add up to 1")
    summary: Sentence
    activities: tuple[Activity, ...] = Field(min_length=1)


class Lesson(Document):
    """One session: goals, ideas, questions and phases."""

    kind: Literal["lesson"] = "lesson"
    language: Name = "en"
    subject: Name
    genre: Name
    series: Name | None = Field(None, description="lessons of one series continue one another")
    interest: Share = Field(0.5, description="how much the subject itself draws students in")
    demand: Share = Field(0.5, description="how hard it is")
    text: Text = Field("", description="the material itself, or a short account of it, in own words")
    goals: tuple[Goal, ...] = Field(min_length=1)
    ideas: tuple[Idea, ...] = Field(min_length=1)
    questions: tuple[Question, ...] = Field(min_length=1)
    phases: tuple[Phase, ...] = Field(min_length=1)
    unconfirmed: tuple[Sentence, ...] = Field(
        (),
        description="what an import made up or guessed and nobody has looked through: `title`, or an id and a key such "
        "as `idea_1.because`; a lesson cannot be run before the list is empty",
        exclude_if=is_unset,
    )

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        goals, ideas = _ids("goal", self.goals), _ids("idea", self.ideas)
        questions = _ids("question", self.questions)
        for idea in self.ideas:
            _require(idea.goal, goals, f"idea '{idea.id}' names goal")
        for question in self.questions:
            _require(question.idea, ideas, f"question '{question.id}' names idea")
        for phase in self.phases:
            for activity in phase.activities:
                _check_activity(activity, phase.name, ideas, questions)
        for mark in self.unconfirmed:
            if self.place_of(mark) is None:
                raise ValueError(
                    f"'{mark}' is listed as unconfirmed, and there is no such place; take it out of the list"
                )
        return self

    def place_of(self, mark: str) -> tuple[str | int, ...] | None:
        """The place that an unconfirmed mark names: `title`, or the id of a goal, idea or question, and its key."""
        if mark == "title":
            return ("title",)
        name, _, key = mark.rpartition(".")
        for part in ("goals", "ideas", "questions"):
            for index, record in enumerate(getattr(self, part)):
                if record.id == name and key in type(record).model_fields:
                    return part, index, key
        return None

    @model_validator(mode="after")
    def _phases_fill_the_lesson(self) -> Self:
        names = [phase.name for phase in self.phases]
        if len(set(names)) != len(names):
            raise ValueError("a phase is given twice; keep each phase once")
        total = sum(phase.share for phase in self.phases)
        if abs(total - 1) > 0.01:
            raise ValueError(f"the phases' shares add up to {total:.2f}; make them add up to 1")
        return self


def _check_activity(activity: Activity, phase: str, ideas: set[str], questions: set[str]) -> None:
    if activity.idea is not None:
        _require(activity.idea, ideas, f"an activity of phase '{phase}' names idea")
    if activity.question is not None:
        _require(activity.question, questions, f"an activity of phase '{phase}' names question")
    if activity.do == "ask" and activity.question is None:
        raise ValueError(f"an 'ask' activity of phase '{phase}' names no question; add 'question: ID'")
    if activity.do == "explain" and activity.idea is None:
        raise ValueError(f"an 'explain' activity of phase '{phase}' names no idea; add 'idea: ID'")


def _ids(what: str, parts: Sequence[Goal | Idea | Question]) -> set[str]:
    seen: set[str] = set()
    for part in parts:
        if part.id in seen:
            raise ValueError(f"two {what}s have the id '{part.id}'; rename one")
        seen.add(part.id)
    return seen


def _require(name: str, known: set[str], who: str) -> None:
    if name not in known:
        raise ValueError(f"{who} '{name}', which does not exist; known: {', '.join(sorted(known))}")
