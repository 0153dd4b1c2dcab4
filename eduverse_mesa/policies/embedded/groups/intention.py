"""Intentions of a peer: first an answer to the last message if it needs one, then the work of the stage."""

from __future__ import annotations

from eduverse_mesa.decisions.groups import (
    Claim,
    Intend,
    Intended,
    Meaning,
)
from eduverse_mesa.policies.embedded.groups.argument import Argument
from eduverse_mesa.policies.embedded.groups.execution import Execution
from eduverse_mesa.policies.embedded.groups.explanation import Explanation
from eduverse_mesa.policies.embedded.groups.preparation import Preparation
from eduverse_mesa.policies.embedded.groups.response import Response
from eduverse_mesa.policies.embedded.groups.state import CHOICE
from eduverse_mesa.policies.embedded.groups.turn import Parameters, Turn


def intend(decision: Intend, p: Parameters) -> Intended:
    """One act of the stage, and the way it is done."""
    turn = Turn(decision, p)
    response = Response(turn, Explanation(turn))
    preparation, execution = Preparation(turn), Execution(turn, Argument(turn))
    flows = {
        "understand": preparation.understand,
        "organise": preparation.organise,
        "plan": preparation.plan,
        "execute": execution.execute,
        "validate": execution.validate,
    }
    found = response.serious() or response.gently() or Retraction(turn).take_back() or response.respond()
    return found or flows[turn.view.stage]()


class Retraction:
    """A change of mind that a peer admits."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.view = turn.view
        self.state = turn.state

    # --- what the last message asks for ---

    def take_back(self) -> Intended | None:
        """Admit a change of mind and say the present value; None if there is nothing to take back."""
        revision, state = self.turn.revision, self.state
        if not (revision.changes or revision.understood or revision.chosen):
            return None
        if not self.turn.executing:
            if not any(one.meaning.plans or one.meaning.claims for one in state.said_by_me):
                return None
            return Intended(
                Meaning(act=self.turn.act("answer", "second"), stance="agrees", addressed=""),
                "see_it",
                "say what one sees now",
            )
        about = self._taken_back()
        if not about:
            return None  # nobody has heard anything that could be taken back
        if about == CHOICE:
            meaning = Meaning(
                act=self.turn.act("state_result", "summarise"),
                topic=CHOICE,
                stance="agrees",
                chosen=state.picks,
                options=state.picks,
            )
            return Intended(meaning, "concede_choice", f"admit that it has to be {', '.join(state.picks)}")
        work = state.mine[about]
        stale = self._stale()
        claims = (*self.turn.claim(work), *(Claim(name, value) for name, value in stale.items() if name != about))
        meaning = Meaning(act=self.turn.act("state_result", "summarise"), topic=about, claims=claims, stance="agrees")
        move = "concede" if len(claims) == 1 else "concede_more"
        return Intended(meaning, move, f"admit the mistake and say what comes out now: {work.shown}")

    def _stale(self) -> dict[str, str]:
        """Present values of the variables of which the peer has stated another value before."""
        stated = {one.variable: one.value for one in self.view.minutes.stated if one.speaker == self.view.name}
        return {
            name: work.value for name, work in self.state.mine.items() if stated.get(name, work.value) != work.value
        }

    def _taken_back(self) -> str:
        """Return the result, or the choice, that the peer has said wrongly; empty if they had only thought it."""
        for name in self.turn.revision.changes:
            if name in self.state.mine and (self.state.voiced(name) or self.state.argued(name)):
                return name
        if self.turn.revision.chosen:
            return CHOICE
        stale = self._stale()
        if stale:
            return next(iter(stale))
        mistaken = dict(self.view.minutes.chosen).get(self.view.name)
        if mistaken is not None and set(mistaken) != set(self.state.picks):
            return CHOICE
        return ""
