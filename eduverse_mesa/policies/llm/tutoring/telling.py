"""Every decision of tutoring is one question to the model."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions import Decision
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.asking import Asker, Told
from eduverse_mesa.policies.llm.prompts.templates import LANGUAGES, Book, Templates, check_templates, prompt_language
from eduverse_mesa.policies.llm.task_prompter import spoken_in
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
    LANGUAGES,
)


class TutoringTelling:
    """Asks a model what learners, tutors and judges say."""

    def __init__(self, asker: Asker, own: Mapping[str, str], *, brief: bool = False) -> None:
        check_templates(own, BOOK)  # now, not when the first question is asked
        self._asker = asker
        self._own = own
        self._brief = brief
        self._prompters: dict[str, TutoringPrompter] = {}

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        asking = QUESTIONS.get(type(decision))
        if asking is None:
            raise PolicyError(
                f"a tutoring model is not asked '{decision.kind}'.", mend="Use this policy with a TutoringModel."
            )
        ask, read = asking
        prompter = self._in(spoken_in(decision))
        return await self._asker.ask(ask(prompter, decision), prompter.templates, lambda value: read(value, decision))

    def _in(self, language: str) -> TutoringPrompter:
        """Prompts in a language; English ones where there are none in it."""
        code = prompt_language(language)
        if code not in self._prompters:
            self._prompters[code] = TutoringPrompter(Templates(code, self._own, BOOK), brief=self._brief)
        return self._prompters[code]
