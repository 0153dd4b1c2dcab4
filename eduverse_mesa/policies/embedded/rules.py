"""What the embedded policies of all subjects have in common: a rule for each kind of decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import PolicyError

Rules = Mapping[type[Decision], Callable[[Any], Any]]


class RulePolicy:
    """Answers each decision by the rule of its kind. It keeps no state: all that a rule uses stands in the decision."""

    name = "embedded"
    subject = ""
    """Whose decisions it knows, for whoever asks it something else: "a lesson"."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """An answer to each decision."""
        return [Answer(self._rule(decision)(decision), self.name) for decision in decisions]

    def _rule(self, decision: Decision) -> Callable[[Any], Any]:
        rule = self._rules.get(type(decision))
        if rule is None:
            raise PolicyError(
                f"the embedded policy of {self.subject} has no answer to {type(decision).__name__}.",
                mend=f"Use it with the model of {self.subject}.",
            )
        return rule
