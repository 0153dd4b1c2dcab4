"""One decision of a peer: its knowledge, its acts to choose from, and the pieces of a meaning."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.groups import (
    Claim,
    Intend,
    Intended,
    Meaning,
    Sum,
    Worked,
)
from eduverse_mesa.formulas.wording import amount_of
from eduverse_mesa.hearing.numbers import without_units
from eduverse_mesa.policies.embedded.groups.state import DialogueState
from eduverse_mesa.randomness import Address, uniform

Parameters = Mapping[str, float]


class Turn:
    """The knowledge of a peer for one decision, shared by the parts that decide."""

    def __init__(self, decision: Intend, p: Parameters) -> None:
        self.view = decision.view
        self.acts = decision.acts
        self.revision = decision.revision
        self.at: Address = decision.at
        self.p = p
        self.state = DialogueState(decision.view)

    def act(self, *wanted: str) -> str:
        """The first act of the stage whose name begins like one of these; or any."""
        for start in wanted:
            for act in self.acts:
                if act.startswith(start):
                    return act
        return self.acts[0]

    def lucky(self, purpose: str, chance: float) -> bool:
        return uniform(self.at, purpose) < chance

    def claim(self, work: Worked) -> tuple[Claim, ...]:
        return (Claim(work.variable, work.value),)

    def sum(self, work: Worked) -> tuple[Sum, ...]:
        if not work.calculation:
            return ()
        return (Sum(without_units(work.calculation), str(amount_of(work.value)), True),)

    def goals(self) -> tuple[Claim, ...]:
        goals = self.view.sheet.goals
        return tuple(Claim(goal, self.state.mine[goal].value) for goal in goals if goal in self.state.mine)

    @property
    def executing(self) -> bool:
        """True in the stages where results are on the table."""
        return self.view.stage in ("execute", "validate")

    def ask_person(self, act: str, move: str) -> Intended | None:
        """If people sit in the group, ask a silent one by name now and then."""
        silent = [name for name in self.view.people if not any(one.speaker == name for one in self.state.here)]
        if not silent or not self.lucky("ask person", self.p["ask.agreement"]):
            return None
        meaning = Meaning(act=self.act(act), addressed=silent[0], asks=True, stance="agrees")
        return Intended(meaning, move, f"ask {silent[0]} whether it is alright")
