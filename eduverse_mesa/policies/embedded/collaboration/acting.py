"""A peer that is about to speak: what every kind of act is made of."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.collaboration import Intend, Worked
from eduverse_mesa.decisions.meanings import Claim, Sum
from eduverse_mesa.formulas.comparing import amount_of
from eduverse_mesa.policies.embedded.collaboration.numbers import without_units
from eduverse_mesa.policies.embedded.collaboration.standing import Standing
from eduverse_mesa.randomness import Address, uniform

Parameters = Mapping[str, float]


class Actor:
    """What it knows, and the pieces of a meaning."""

    def __init__(self, decision: Intend, p: Parameters) -> None:
        self.view = decision.view
        self.acts = decision.acts
        self.revision = decision.revision
        self.at: Address = decision.at
        self.p = p
        self.standing = Standing(decision.view)

    def act(self, *wanted: str) -> str:
        """The first act of the stage whose name begins like one of these; or any."""
        for start in wanted:
            for act in self.acts:
                if act.startswith(start):
                    return act
        return self.acts[0]

    def lucky(self, purpose: str, chance: float) -> bool:
        return uniform(self.at, purpose) < chance

    def _claim(self, work: Worked) -> tuple[Claim, ...]:
        return (Claim(work.variable, work.value),)

    def _sum(self, work: Worked) -> tuple[Sum, ...]:
        if not work.calculation:
            return ()
        return (Sum(without_units(work.calculation), str(amount_of(work.value)), True),)

    def _goals(self) -> tuple[Claim, ...]:
        goals = self.view.sheet.goals
        return tuple(Claim(goal, self.standing.mine[goal].value) for goal in goals if goal in self.standing.mine)

    @property
    def executing(self) -> bool:
        """Results are on the table."""
        return self.view.stage in ("execute", "validate")
