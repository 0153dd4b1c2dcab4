"""What the default parameters were fitted to: a figure that is near there has been brought there.

Of each measure of talk only the mean over real lessons is a target: its spread, its distance and the share that lies
between teachers are not, whatever is said of the mean.
"""

from __future__ import annotations

from functools import cache

from eduverse_mesa.experiments.calibration.targets import targets
from eduverse_mesa.experiments.papers.published import Basis
from eduverse_mesa.policies.making import policy_parts

_OF_CLASS = "class."


def basis_of(measure: str, policy: str) -> Basis:
    """Whether the embedded policy, where it has a say, was fitted to the published mean of a measure."""
    if "embedded" not in policy_parts(policy or "embedded").values():
        return "predicted"
    return "fitted" if {measure, _OF_CLASS + measure} & _names() else "predicted"


@cache
def _names() -> frozenset[str]:
    return frozenset(target.name for target in targets())
