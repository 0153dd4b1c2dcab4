"""How a student feels and thinks about what it does: emotion and cognition by ordered response."""

from __future__ import annotations

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, BLOOM, EMOTIONS
from eduverse_mesa.decisions import Monitor, React
from eduverse_mesa.policies.embedded.linear import Parameters, choose_ordered

_TONE = {"encouraging": 1.0, "neutral": 0.0, "critical": -1.0}
_RECALL = {"full": 1.0, "partial": 0.4, "misconception": 0.5, "none": -0.5}
_PRESS = {"accuracy": 0.0, "reasoning": 1.0, "relate": 0.7, "": 0.0}


class Appraiser:
    """Emotion (negative < confused < positive) and cognition (Bloom's six levels), each an ordered logit."""

    def __init__(self, p: Parameters) -> None:
        self._p = p
        gap = p["cognition.gap"]
        self._cognition_cuts = [p["cognition.first_cut"] + gap * place for place in range(5)]
        self._emotion_cuts = (p["emotion.negative_cut"], p["emotion.confused_cut"])
        # With its own style a student shows distress as puzzlement: display rules (Saarni 1979).
        self._shown_cuts = (p["emotion.negative_cut"] - p["emotion.display_rule"], p["emotion.confused_cut"])

    def monitor(self, decision: Monitor) -> tuple[str, str]:
        """Emotion and cognition of a student that looks at itself."""
        p, view = self._p, decision.view
        mind, traits, scene = view.mind, view.person.traits, view.scene
        known = mind.understanding[scene.focus.goal]
        level = BEHAVIOUR_LEVEL.get(decision.behaviour, 1)
        feeling = (
            p["emotion.affect"] * mind.affect
            + p["emotion.understanding"] * (known - 0.5)
            + p["emotion.confidence"] * (mind.confidence - 0.5)
            + p["emotion.tone"] * _TONE[scene.tone]
            + p["emotion.openness"] * (traits.openness - 0.5)
            + p["emotion.agreeableness"] * (traits.agreeableness - 0.5)
            - p["emotion.neuroticism"] * (traits.neuroticism - 0.5)
            + p["emotion.recall"] * _RECALL[decision.recall.level]
            + p["emotion.company"] * (1.0 if decision.behaviour in ("side_talk", "chat", "group_discussion") else 0.0)
            + p["emotion.grouped"] * view.grouped
            - p["emotion.demand"] * (scene.lesson.demand - 0.5)
            + p["emotion.interest"] * (scene.lesson.interest - 0.5)
            + p["emotion.habit"] * mind.habit
            + p["emotion.inertia"] * (EMOTIONS.index(view.emotion) - 1.0 if view.emotion else 0.0)
        )
        cuts = self._shown_cuts if decision.styled else self._emotion_cuts
        emotion = choose_ordered(decision.at, "emotion", EMOTIONS, feeling, cuts)
        thinking = (
            p["cognition.demanded"] * BLOOM.index(scene.focus.bloom) / 5.0
            + p["cognition.press"] * _PRESS.get(scene.focus.press, 0.0)
            + p["cognition.understanding"] * (known - 0.5)
            + p["cognition.attention"] * (mind.attention - 0.5)
            + p["cognition.openness"] * (traits.openness - 0.5)
            + p["cognition.motivation"] * (view.person.motivation - 0.5)
            + p["cognition.reflective"] * (1.0 if view.person.thinking == "reflective" else 0.0)
            + (p["cognition.off_task"], p["cognition.passive"], 0.0, p["cognition.interactive"])[level]
            + p["cognition.talk"] * (1.0 if decision.behaviour in ("side_talk", "group_discussion") else 0.0)
            + p["cognition.grouped"] * view.grouped
            + p["cognition.discussion"] * (1.0 if scene.mode == "discussion" else 0.0)
            + p["cognition.effort"] * mind.habit
        )
        return emotion, choose_ordered(decision.at, "cognition", BLOOM, thinking, self._cognition_cuts)

    def react(self, decision: React, behaviour: str) -> tuple[str, str]:
        """Emotion and cognition without a look at oneself: what the task asks for is taken for what was done.

        Understanding does not hold the level down: the illusion of explanatory depth (Rozenblit and Keil 2002).
        """
        p, view = self._p, decision.view
        scene, traits = view.scene, view.person.traits
        feeling = (
            p["react.feeling"]
            + p["emotion.tone"] * _TONE[scene.tone]
            + p["emotion.openness"] * (traits.openness - 0.5)
            - p["emotion.neuroticism"] * (traits.neuroticism - 0.5)
        )
        thinking = (
            p["react.thinking"]
            + p["cognition.demanded"] * BLOOM.index(scene.focus.bloom) / 5.0
            + p["react.demand"] * (scene.lesson.demand - 0.5)
            + (p["cognition.off_task"] if BEHAVIOUR_LEVEL[behaviour] == 0 else 0.0)
        )
        emotion = choose_ordered(decision.at, "emotion", EMOTIONS, feeling, self._shown_cuts)
        return emotion, choose_ordered(decision.at, "cognition", BLOOM, thinking, self._cognition_cuts)
