"""What a number or a statement rests on: a figure that was brought to where it stands is no finding."""

from __future__ import annotations

from typing import Literal

from eduverse_mesa.experiments.papers.published import Basis
from eduverse_mesa.policies.making import GROUPS, policy_parts

StatementBasis = Literal["by construction", "simulated"]
_FITTED = frozenset({("student", "person share")})
"""By parameters/peer.yaml: `invite.person` was chosen so that people say as much as the paper's did."""
_CANNED = frozenset({"shorter", "flawless", "wordy"})
"""The embedded policy's plain chat says the solution, says it again and closes: these hold before it is played."""


def basis_of(arm: str, measure: str, paper: float | None, policy: str) -> Basis | None:
    """Whether a parameter of the embedded policy, where it has a say, was fitted to the paper's number; None where the
    paper has none."""
    if paper is None:
        return None
    return "fitted" if (arm, measure) in _FITTED and "embedded" in _asked(policy, "invite") else "predicted"


def basis_of_statement(statement: str, policy: str) -> StatementBasis:
    """Whether a statement could come out in another way at all."""
    return "by construction" if statement in _CANNED and "embedded" in _asked(policy, "chat") else "simulated"


def _asked(policy: str, kind: str) -> set[str]:
    """Whom a kind of decision is asked of: agents' own policies, and the kind's or its group's or that of the rest."""
    parts = policy_parts(policy or "embedded")
    group = next(name for name, kinds in GROUPS.items() if kind in kinds)
    own = {name for who, name in parts.items() if who.startswith("@")}
    return own | {parts.get(kind, parts.get(group, parts["rest"]))}
