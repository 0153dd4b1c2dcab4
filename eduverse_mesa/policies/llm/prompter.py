"""Puts prompts together: rules, lesson and class first, then the talk so far, then one person, then the question.

What is the same for all comes first and stays the same to the byte, so that servers read it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import Line, Recall, StudentView, TeacherView
from eduverse_mesa.policies.llm.answer import Question
from eduverse_mesa.policies.llm.calls import Message
from eduverse_mesa.policies.llm.prompts.blocks import (
    frame_blocks,
    student_blocks,
    talk_block,
    teacher_blocks,
    teacher_person,
)
from eduverse_mesa.policies.llm.prompts.templates import Templates, check_templates, prompt_language
from eduverse_mesa.policies.llm.shape import Record, Shape
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import Teacher

_KEPT = 256


class Prompter:
    """Builds questions from views, in the language of the lesson."""

    def __init__(self, own: Mapping[str, str], talk_steps: int, *, brief: bool = False) -> None:
        check_templates(own)  # now, not when the first question is asked
        self._own = own
        self._talk_steps = talk_steps
        self._brief = brief
        """For a small model on our own server: it is held to the form without being shown it, and what each question
        makes it read anew is what takes its time."""
        self._templates: dict[str, Templates] = {}
        # Text that many prompts share. By identity: a lesson and its talk are the same objects for all who are asked;
        # they are kept with the text, so that no other object can take their place.
        self._shared: dict[tuple[object, ...], tuple[object, str]] = {}

    def templates(self, lesson: Lesson) -> Templates:
        """The templates for a lesson."""
        language = prompt_language(lesson.language)
        if language not in self._templates:
            self._templates[language] = Templates(language, self._own)
        return self._templates[language]

    def words(self, lesson: Lesson) -> Mapping[str, Any]:
        """The words that fill the templates for a lesson."""
        return self.templates(lesson).words

    def to_student(
        self,
        name: str,
        at: Address,
        view: StudentView,
        recall: Recall | None,
        fields: Mapping[str, Shape],
        blocks: Mapping[str, str],
        model: str = "",
    ) -> Question:
        """A question to a student."""
        scene = view.scene
        templates = self.templates(scene.lesson)
        head = templates.fill("student", student_blocks(templates.words, view, recall, brief=self._brief))
        frame = self._frame(scene.lesson, scene.teacher, scene.names)
        talk = self._talk(templates, scene.talk, scene.step)
        return self._question(
            name, at, scene.lesson, frame=frame, parts=[talk, head], fields=fields, blocks=blocks, model=model
        )

    def to_teacher(
        self, name: str, at: Address, view: TeacherView, fields: Mapping[str, Shape], blocks: Mapping[str, str]
    ) -> Question:
        """A question to the teacher."""
        templates = self.templates(view.lesson)
        head = templates.fill("teacher", teacher_blocks(templates.words, view))
        frame = self._frame(view.lesson, view.person.name, tuple(pupil.name for pupil in view.group.pupils))
        talk = self._talk(templates, view.talk, view.position.step)
        return self._question(name, at, view.lesson, frame=frame, parts=[talk, head], fields=fields, blocks=blocks)

    def before_the_lesson(
        self,
        name: str,
        at: Address,
        lesson: Lesson,
        teacher: Teacher,
        names: Sequence[str],
        fields: Mapping[str, Shape],
        blocks: Mapping[str, str],
    ) -> Question:
        """A question to the teacher before anybody has said anything."""
        templates = self.templates(lesson)
        head = templates.fill("teacher", {"person": teacher_person(templates.words, teacher), "plan": "", "group": ""})
        frame = self._frame(lesson, teacher.name, names)
        return self._question(name, at, lesson, frame=frame, parts=[head], fields=fields, blocks=blocks)

    def _question(
        self,
        name: str,
        at: Address,
        lesson: Lesson,
        *,
        frame: str,
        parts: Sequence[str],
        fields: Mapping[str, Shape],
        blocks: Mapping[str, str],
        model: str = "",
    ) -> Question:
        templates = self.templates(lesson)
        shape = Record(fields)
        form = "" if self._brief else f"{templates.words['answer_form']}\n{shape.outline}"
        task = templates.fill(name, {**blocks, "form": form})
        messages = (Message("system", frame), Message("user", "\n\n".join(part for part in [*parts, task] if part)))
        return Question(name, at, messages, shape, lesson.language, model)

    def _frame(self, lesson: Lesson, teacher: str, names: Sequence[str]) -> str:
        key = ("frame", id(lesson), teacher, *names)
        if key not in self._shared:
            templates = self.templates(lesson)
            self._keep(key, lesson, templates.fill("frame", frame_blocks(templates.words, lesson, teacher, names)))
        return self._shared[key][1]

    def _talk(self, templates: Templates, talk: tuple[Line, ...], step: int) -> str:
        key = ("talk", templates.language, id(talk), step)  # no talk at all is the same object in every lesson
        if key not in self._shared:
            text = talk_block(templates.words, talk, step, self._talk_steps)
            self._keep(key, talk, templates.fill("scene", {"talk": text}))
        return self._shared[key][1]

    def _keep(self, key: tuple[object, ...], of: object, text: str) -> None:
        while len(self._shared) >= _KEPT:
            del self._shared[next(iter(self._shared))]
        self._shared[key] = (of, text)


def spoken_in(decision: Any) -> str:
    """The language of what is asked."""
    language: str = decision.view.language if hasattr(decision, "view") else decision.language
    return language


class TaskPrompter:
    """Builds questions: the rules first, which are the same for all; then what changes ever more often."""

    def __init__(self, templates: Templates, *, brief: bool) -> None:
        self.templates = templates
        self._brief = brief
        self.words: Mapping[str, Any] = templates.words

    def question(
        self,
        name: str,
        at: Address,
        rules: str,
        parts: Sequence[str],
        fields: Mapping[str, Shape],
        blocks: Mapping[str, str],
        language: str,
    ) -> Question:
        """A question: rules, who is asked, and what."""
        shape = Record(fields)
        form = "" if self._brief else f"{self.words['answer_form']}\n{shape.outline}"
        task = self.templates.fill(name, {**blocks, "form": form})
        messages = (Message("system", rules), Message("user", "\n\n".join(part for part in [*parts, task] if part)))
        return Question(name, at, messages, shape, language)
