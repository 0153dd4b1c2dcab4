"""What a student resolves to do differently: softmax over strategies of self-regulation (Gross; Zimmerman)."""

from __future__ import annotations

from eduverse_mesa.codes import BEHAVIOUR_LEVEL
from eduverse_mesa.decisions import STRATEGIES, Regulate
from eduverse_mesa.policies.embedded.linear import Linear, Parameters

FEATURES = (
    "off_task",
    "passive",
    "interactive",
    "confused",
    "negative",
    "positive",
    "praised",
    "criticised",
    "refused",
    "conscientiousness",
    "motivation",
    "reflective",
    "neuroticism",
    "extraversion",
    "agreeableness",
    "understanding",
    "confidence",
    "habit",
)


class Regulator:
    """Chooses a strategy."""

    def __init__(self, p: Parameters) -> None:
        self._linear = Linear("regulate", STRATEGIES, FEATURES, p)

    def choose(self, decision: Regulate) -> str:
        """The strategy."""
        view = decision.view
        person, mind = view.person, view.mind
        traits = person.traits
        level = BEHAVIOUR_LEVEL.get(decision.behaviour, -1)
        polarity = view.feedback.polarity if view.feedback is not None else ""
        x = (
            1.0 if level == 0 else 0.0,
            1.0 if level == 1 else 0.0,
            1.0 if level == 3 else 0.0,
            1.0 if decision.emotion == "confused" else 0.0,
            1.0 if decision.emotion == "negative" else 0.0,
            1.0 if decision.emotion == "positive" else 0.0,
            1.0 if polarity == "positive" else 0.0,
            1.0 if polarity == "negative" else 0.0,
            1.0 if decision.refused_by else 0.0,
            traits.conscientiousness - 0.5,
            person.motivation - 0.5,
            1.0 if person.thinking == "reflective" else 0.0,
            traits.neuroticism - 0.5,
            traits.extraversion - 0.5,
            traits.agreeableness - 0.5,
            mind.understanding[view.scene.focus.goal] - 0.5,
            mind.confidence - 0.5,
            mind.habit,
        )
        return self._linear.choose(decision.at, "regulate", STRATEGIES, x)
