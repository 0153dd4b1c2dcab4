"""What is asked of learners and of groups is put together in one way: rules, who is asked, and what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.policies.llm.asking import Question
from eduverse_mesa.policies.llm.calls import Message
from eduverse_mesa.policies.llm.prompts.templates import Templates
from eduverse_mesa.policies.llm.shape import Record, Shape
from eduverse_mesa.randomness import Address


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
