"""The teacher, who keeps to the plan, perceives the class, and does what the answers say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from mesa.discrete_space import CellAgent

from eduverse_mesa.decisions import ClassView, Focus, Position, Pupil, Said, TeacherView
from eduverse_mesa.memory.short_term import SharedState
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.lesson import Activity, Idea, Lesson, Question
from eduverse_mesa.scenarios.people import Teacher
from eduverse_mesa.space.room import AGENT_NUMBERS
from eduverse_mesa.vocabulary import COGNITION_LEVEL, EMOTIONS, LEVEL_NAMES, level_name

if TYPE_CHECKING:
    from eduverse_mesa.agents.student import StudentAgent

Matter: TypeAlias = tuple[Idea | None, Question | None]
"""The idea of the lesson that a step is about, and the question that could be asked about it."""


class TeacherAgent(CellAgent):  # type: ignore[misc, unused-ignore]
    """The teacher of the class."""

    _ids = AGENT_NUMBERS  # type: ignore[assignment, unused-ignore]
    at: Address
    """The address of the teacher's draws in this step."""
    focus: Focus
    """The thing that this step is about: by the plan, and pressed on as the teacher's words do."""
    group: ClassView
    """The class as the teacher has seen it last."""

    def __init__(self, model: Any, person: Teacher, lesson: Lesson) -> None:
        super().__init__(model)
        self.person = person
        self.name = person.name
        self.role = "teacher"
        self.lesson = lesson
        self.behaviour = ""
        """The act of this step."""
        self.emotion = ""
        """The tone of this step."""
        # Newer versions of Mesa collect from all agents alike: what a teacher does not have is there, and empty.
        self.cognition = ""
        self.attention = self.confidence = self.affect = self.understanding = float("nan")
        self._goals = {goal.id: place for place, goal in enumerate(lesson.goals)}
        self._ideas = {idea.id: idea for idea in lesson.ideas}
        self._questions = {question.id: question for question in lesson.questions}
        self._questions_of: dict[str, list[Question]] = {}
        for question in lesson.questions:
            self._questions_of.setdefault(question.idea, []).append(question)
        self._activities: dict[str, tuple[Activity, ...]] = {phase.name: phase.activities for phase in lesson.phases}

    # --- the plan ---

    def start_step(self, at: Address, students: Sequence[StudentAgent], state: SharedState) -> None:
        """Turn to what the plan has for this step, and look at the class as the last one has left it."""
        self.at = at
        self.focus = self.planned(state)
        self.look(students, state)

    def position(self, state: SharedState) -> Position:
        """Return the place of the lesson in its plan."""
        phase = state.phases[state.phase]
        total = sum(planned.steps for planned in state.phases)
        return Position(phase.name, state.phase, state.step_in_phase, phase.steps + state.extensions, state.step, total)

    def planned(self, state: SharedState) -> Focus:
        """Return the focus that the plan has for a step, with a question that could be asked about it."""
        phase = state.phases[state.phase]
        activities = self._activities[phase.name]
        if state.step_in_phase < phase.steps:
            activity = activities[phase.activities[state.step_in_phase]]
        else:
            # An extension goes over the phase's ideas once more, not over its instructions.
            taught = [activities[place] for place in dict.fromkeys(phase.activities)]
            taught = [done for done in taught if done.idea or done.question] or taught
            activity = taught[(state.step_in_phase - phase.steps) % len(taught)]
        question = self._questions[activity.question] if activity.question else None
        idea = self._ideas[activity.idea] if activity.idea else None
        if question is not None and idea is None:
            idea = self._ideas[question.idea]
        if idea is not None and (question is None or question.id in state.asked_questions):
            question = self._next_question(idea, state)
        return self.focus_on(activity, idea, question)

    def focus_on(self, activity: Activity, idea: Idea | None, question: Question | None) -> Focus:
        """The focus of an activity."""
        return Focus(
            do=activity.do,
            goal=self._goals[idea.goal] if idea is not None else 0,
            idea=idea.text if idea is not None else "",
            because=idea.because if idea is not None else "",
            question=question.ask if question is not None else "",
            bloom=question.bloom if question is not None else "understand",
            press=question.press if question is not None else "",
            text=activity.text or "",
            keyword=idea.keywords[0] if idea is not None else "",
            short=question.short_answer if question is not None else "",
            idea_id=idea.id if idea is not None else "",
            question_id=question.id if question is not None else "",
        )

    def _next_question(self, idea: Idea, state: SharedState) -> Question | None:
        questions = self._questions_of.get(idea.id, [])
        fresh = [question for question in questions if question.id not in state.asked_questions]
        return next(iter(fresh or questions), None)

    @property
    def matter(self) -> Matter:
        """The matter that the teacher is at."""
        return self._ideas.get(self.focus.idea_id), self._questions.get(self.focus.question_id)

    # --- what the teacher perceives of the class ---

    def look(self, students: Sequence[StudentAgent], state: SharedState) -> None:
        """See the class: shares of behaviour and emotion, who took part, hands, last feedback and regulations."""
        count = len(students)
        levels = dict.fromkeys(LEVEL_NAMES, 0.0)
        emotions: dict[str, float] = dict.fromkeys(EMOTIONS, 0.0)
        high = 0
        shown = [student.shown for student in students]
        for one in shown:
            levels[level_name(one.behaviour)] += 1 / count
            emotions[one.emotion] += 1 / count
            high += COGNITION_LEVEL[one.cognition]
        self.group = ClassView(
            tuple(
                Pupil(
                    name=student.name,
                    behaviour=one.behaviour,
                    emotion=one.emotion,
                    hand_up=student.hand_up,
                    calls=student.calls,
                    spoke=student.spoke,
                    distance=student.to_teacher,
                    feedback=student.feedback.polarity if student.feedback is not None else "",
                    regulation=student.regulation.sentence if student.regulation is not None else "",
                    evaluation=student.remembered.rating if student.remembered is not None else 0.0,
                )
                for student, one in zip(students, shown, strict=True)
            ),
            levels,
            emotions,
            high / count,
            len({spoken.speaker for spoken in state.earlier}) / count,
            state.last_feedback,
            sum(student.grouped for student in students) / count,
        )

    def view(self, state: SharedState) -> TeacherView:
        """Return all that the teacher knows when deciding."""
        return TeacherView(
            person=self.person,
            lesson=self.lesson,
            position=self.position(state),
            focus=self.focus,
            mode=state.mode,
            group=self.group,
            last_acts=tuple(state.acts[-3:]),
            covered=tuple(state.covered[-3:]),
            open_question=state.open_question,
            heard=state.earlier,
            talk=tuple(state.talk),
        )


_CJK_START, _CJK_END = "\u3400", "\u9fff"
_ENOUGH = 0.5
"""Share of an expected sentence's words that has to turn up before it counts as said."""


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Words of four letters and more, or pairs of Chinese characters: what carries the content in either script."""
    words: set[str] = set()
    word = ""
    previous = ""
    for character in f"{text.lower()} ":
        if _CJK_START <= character <= _CJK_END:
            if previous:
                words.add(previous + character)
            previous = character
            continue
        previous = ""
        if character.isalnum():
            word += character
        else:
            if len(word) > 3 or word.isdigit():
                words.add(word)
            word = ""
    return frozenset(words)


def judge(sentences: Sequence[Said], idea: Idea | None, question: Question | None) -> str:
    """right, partial, wrong, or none when nothing on the matter was said."""
    if idea is None or not sentences:
        return "none"
    said: set[str] = set()
    for sentence in sentences:
        said |= content_words(sentence.text)
    if not said:
        return _judge_short(sentences, question)
    right = max(_overlap(said, idea.text), _overlap(said, idea.because))
    if question is not None:
        right = max(right, _overlap(said, question.answer))
    scores = {"right": right, "wrong": _overlap(said, idea.misconception), "partial": _overlap(said, idea.partial)}
    verdict = max(scores, key=scores.__getitem__)
    if scores[verdict] >= _ENOUGH:
        return verdict
    short = _judge_short(sentences, question)
    if short != "none":
        return short
    return "partial" if any(keyword.lower() in said for keyword in idea.keywords) else "none"


def _judge_short(sentences: Sequence[Said], question: Question | None) -> str:
    if question is None:
        return "none"
    wanted = question.short_answer.casefold().strip(" .!?。！？")
    return "right" if any(wanted in sentence.text.casefold() for sentence in sentences) else "none"


def _overlap(said: set[str], expected: str) -> float:
    words = content_words(expected)
    return len(said & words) / len(words) if words else 0.0
