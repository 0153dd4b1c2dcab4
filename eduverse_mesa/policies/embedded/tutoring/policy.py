"""The embedded policy for tutoring."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.tutoring import Consolidate, Judge, LabelTraits, PickUnit, Reflect, Reply, Teach
from eduverse_mesa.policies.embedded.rule_policy import RulePolicy, Rules
from eduverse_mesa.policies.embedded.tutoring.learner import Answerer, consolidate, reflect
from eduverse_mesa.policies.embedded.tutoring.tutor import TutorMind, judge, label_traits
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters


class EmbeddedTutoringPolicy(RulePolicy):
    """Rules and equations for every decision of tutoring."""

    subject = "tutoring"

    def __init__(self, parameters: Mapping[str, float] | None = None) -> None:
        p = load_parameters({}, LEARNER_BOOK) if parameters is None else parameters
        tutor = TutorMind(p)
        rules: Rules = {
            Reply: Answerer(p).reply,
            PickUnit: tutor.pick,
            Teach: tutor.teach,
            Consolidate: lambda decision: consolidate(decision, p),
            Reflect: lambda decision: reflect(decision, p),
            Judge: lambda decision: judge(decision, p),
            LabelTraits: lambda decision: label_traits(decision, p),
        }
        super().__init__(rules)
