"""Every decision of tutoring is one question to the model."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions import Decision
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.asking import Asker, Told
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates
from eduverse_mesa.policies.llm.tutoring.asking import QUESTIONS, TutoringPrompter

BOOK = Book(
    "eduverse_mesa.policies.llm.tutoring.prompts",
    {
        "rules_learner": ("grade", "language"),
        "rules_tutor": ("grade", "language"),
        "rules_memory": (),
        "rules_judge": (),
        "learner": ("person", "traits", "portrait", "level", "skills", "recent", "understood", "learned", "unknown"),
        "reply": ("dialogue", "understanding", "form"),
        "teach": ("unit", "needs", "items", "dialogue", "turn", "turns", "form"),
        "pick_unit": ("notes", "form"),
        "consolidate": ("concepts", "dialogue", "most", "form"),
        "reflect": ("person", "traits", "subject", "before", "glimpses", "form"),
        "judge": ("question", "right", "partial", "wrong", "answer", "form"),
        "label_traits": ("dialogue", "form"),
        "reask": ("problem",),
    },
    ("en",),
)


class TutoringTelling:
    """Asks a model what learners, tutors and judges say."""

    def __init__(self, asker: Asker, own: Mapping[str, str], *, brief: bool = False) -> None:
        self._asker = asker
        self._templates = Templates("en", own, BOOK)
        self._prompter = TutoringPrompter(self._templates, brief=brief)

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        asking = QUESTIONS.get(type(decision))
        if asking is None:
            raise PolicyError(
                f"a tutoring model is not asked '{decision.kind}'.", mend="Use this policy with a TutoringModel."
            )
        ask, read = asking
        return await self._asker.ask(
            ask(self._prompter, decision), self._templates, lambda value: read(value, decision)
        )
