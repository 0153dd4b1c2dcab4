"""The embedded policy for tutoring: it keeps no state, all it uses stands in the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import Consolidate, Judge, LabelTraits, PickUnit, Reflect, Reply, Teach
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.tutoring.answering import Answerer
from eduverse_mesa.policies.embedded.tutoring.judging import judge, label_traits
from eduverse_mesa.policies.embedded.tutoring.remembering import consolidate, reflect
from eduverse_mesa.policies.embedded.tutoring.teaching import TutorMind
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters


class EmbeddedTutoringPolicy:
    """Rules and equations for every decision of tutoring."""

    name = "embedded"

    def __init__(self, parameters: Mapping[str, float] | None = None) -> None:
        p = load_parameters({}, LEARNER_BOOK) if parameters is None else parameters
        tutor = TutorMind(p)
        self._handlers: dict[type[Decision], Callable[[Any], Any]] = {
            Reply: Answerer(p).reply,
            PickUnit: tutor.pick,
            Teach: tutor.teach,
            Consolidate: lambda decision: consolidate(decision, p),
            Reflect: lambda decision: reflect(decision, p),
            Judge: lambda decision: judge(decision, p),
            LabelTraits: lambda decision: label_traits(decision, p),
        }

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """An answer to each decision."""
        answers = []
        for decision in decisions:
            handler = self._handlers.get(type(decision))
            if handler is None:
                raise PolicyError(
                    f"the tutoring policy has no answer to {type(decision).__name__}.",
                    mend="Use it with a TutoringModel.",
                )
            answers.append(Answer(handler(decision), "embedded"))
        return answers
