"""Which move a student's words make, and whether they are brief: what the teacher asks for decides what comes back.

These are the contingencies of real classes: pressing for reasons brings evidence, asking to relate brings relating
(real_classes).
"""

from __future__ import annotations

from eduverse_mesa.decisions import Draft
from eduverse_mesa.policies.embedded.linear import Parameters
from eduverse_mesa.randomness import uniform

_TO_TEACHER = frozenset({"stand_answer", "answer_question"})


class Speaker:
    """Chooses the move of what is said and whether it is brief."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def choose(self, decision: Draft) -> tuple[str, bool]:
        """Move (none, relate, ask, claim, evidence) and brevity."""
        behaviour, level = decision.behaviour, decision.recall.level
        if behaviour in ("refuse_reply", "read_aloud", "chat"):
            return "none", behaviour == "refuse_reply"
        if behaviour == "ask_question":
            return "ask", False
        if behaviour == "answer_question" and decision.addressee != "teacher":
            # A classmate wants to know: nobody nods at a question.
            if level == "none":
                return "none", True
            return ("evidence" if level == "full" and uniform(decision.at, "move") < 0.5 else "claim"), False
        if level == "none":
            return self._when_lost(decision)
        if behaviour in _TO_TEACHER:
            return self._answer(decision, level)
        return self._talk(decision, level)

    def _when_lost(self, decision: Draft) -> tuple[str, bool]:
        u = uniform(decision.at, "move")
        if decision.behaviour in _TO_TEACHER:
            if not decision.view.scene.asked:
                return "none", True
            return ("ask", False) if u < self._p["speak.ask_when_lost"] else ("none", u < self._p["speak.brief_lost"])
        return ("ask" if u < 0.5 else "relate"), False

    def _answer(self, decision: Draft, level: str) -> tuple[str, bool]:
        p, view = self._p, decision.view
        press = view.scene.focus.press if view.scene.asked else ""
        u = uniform(decision.at, "move")
        if press == "relate":
            move = "relate" if u < p["speak.relate"] else "claim"
        elif press == "reasoning":
            move = "evidence" if level == "full" and u < p["speak.evidence_reasoning"] else "claim"
        elif press == "accuracy":
            move = "evidence" if level == "full" and u < p["speak.evidence_accuracy"] else "claim"
        else:
            move = "claim" if u < p["speak.claim_unasked"] else "none"
            return move, move == "none" or uniform(decision.at, "brief") < p["speak.brief_accuracy"]
        brevity = p["speak.brief_reasoning"] if press in ("reasoning", "relate") else p["speak.brief_accuracy"]
        brevity -= p["speak.brief_extraversion"] * (view.person.traits.extraversion - 0.5)
        brevity += p["speak.brief_unsure"] * (0.5 - view.mind.confidence)
        return move, move in ("claim", "none") and uniform(decision.at, "brief") < brevity

    def _talk(self, decision: Draft, level: str) -> tuple[str, bool]:
        u = uniform(decision.at, "move")
        if u < 0.3:
            return "relate", False
        return ("evidence" if level == "full" and u < 0.5 else "claim"), False
