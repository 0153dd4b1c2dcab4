"""How willing a student is to take up a peer's request: five scores and their weights (Eq. 4-5, C.3.3)."""

from __future__ import annotations

from math import exp

from eduverse_mesa.curves import clamp, logistic
from eduverse_mesa.decisions import ScoreRequest
from eduverse_mesa.policies.embedded.linear import Parameters
from eduverse_mesa.randomness import normal

Five = tuple[float, float, float, float, float]

_FACTORS = ("personality", "confidence", "relevance", "history", "closeness")


class Gatekeeper:
    """Scores a request and weighs the scores by who the student is."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def scores(self, decision: ScoreRequest) -> Five:
        """P, C, R, H and S, each from 0 to 100."""
        p, view, request = self._p, decision.view, decision.request
        traits, scene = view.person.traits, view.scene
        chat = request.kind == "chat"
        personality = logistic(
            p["gate.personality"]
            + p["gate.extraversion"] * (traits.extraversion - 0.5)
            + p["gate.agreeableness"] * (traits.agreeableness - 0.5)
            - p["gate.neuroticism"] * (traits.neuroticism - 0.5)
        )
        relevance = logistic(
            (p["gate.chat"] if chat else p["gate.on_task"])
            + p["gate.discussion"] * (1.0 if scene.mode == "discussion" else 0.0)
            - p["gate.lecturing"] * (1.0 if scene.act == "lecturing" else 0.0)
            + p["gate.distracted"] * (0.5 - view.mind.attention) * (1.0 if chat else -1.0)
        )
        history = 1.0 - exp(-p["gate.history"] * (decision.exchanges + p["gate.history_start"]))
        raw = (personality, view.mind.confidence, relevance, history, decision.closeness)
        noise = p["gate.noise"]
        first, second, third, fourth, fifth = (
            100.0 * clamp(value + noise * normal(decision.at, f"gate/{request.id}/{factor}"))
            for value, factor in zip(raw, _FACTORS, strict=True)
        )
        return first, second, third, fourth, fifth

    def weights(self, decision: ScoreRequest) -> Five:
        """Weights that sum to 1: the academic look to relevance, the sociable to who is asking."""
        p, person = self._p, decision.view.person
        relevance = p["gate.weight_relevance"] * (1.0 + p["gate.tilt"] * (person.role == "academic"))
        closeness = p["gate.weight_closeness"] * (1.0 + p["gate.tilt"] * (person.role == "off_task"))
        raw = (
            p["gate.weight_personality"],
            p["gate.weight_confidence"],
            relevance,
            p["gate.weight_history"],
            closeness,
        )
        total = sum(raw)
        return raw[0] / total, raw[1] / total, raw[2] / total, raw[3] / total, raw[4] / total
