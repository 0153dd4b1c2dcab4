"""Linear utilities over named features: the one form that all choices of the embedded policy share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import itemgetter, mul

from eduverse_mesa.curves import logistic
from eduverse_mesa.randomness import Address, choose_softmax, uniform

Parameters = Mapping[str, float]


class Linear:
    """For each option a base and a weight for some of the features; weights that are not named are zero.

    An option of which the parameters say nothing is never chosen here: people and language models may do it.
    """

    def __init__(self, prefix: str, options: Sequence[str], features: Sequence[str], p: Parameters) -> None:
        place = {feature: number for number, feature in enumerate(features)}
        self._terms: dict[str, tuple[float, tuple[float, ...], Callable[[Sequence[float]], Sequence[float]]]] = {}
        for option in options:
            head = f"{prefix}.{option}."
            weights = [
                (place[name.removeprefix(head)], weight)
                for name, weight in p.items()
                if name.startswith(head) and not name.endswith(".base")
            ]
            places = [number for number, _ in weights]
            # Two features at least, so that itemgetter gives a tuple; one that is not weighed costs nothing else.
            padded = [*places, 0, 0][: max(2, len(places))]
            self._terms[option] = (
                p.get(f"{head}base", -inf),
                tuple([*(weight for _, weight in weights), 0.0, 0.0][: len(padded)]),
                itemgetter(*padded),
            )

    def utility(self, option: str, x: Sequence[float]) -> float:
        """The utility of one option."""
        base, weights, pick = self._terms[option]
        return sum(map(mul, weights, pick(x)), base)

    def choose(self, at: Address, purpose: str, options: Sequence[str], x: Sequence[float]) -> str:
        """One of the options by softmax."""
        if len(options) == 1:
            return options[0]
        return choose_softmax(at, purpose, options, [self.utility(option, x) for option in options])


def choose_ordered(at: Address, purpose: str, levels: Sequence[str], value: float, cuts: Sequence[float]) -> str:
    """One of ordered levels: the value plus logistic noise, cut at increasing thresholds (ordered logit)."""
    u = uniform(at, purpose)
    for level, cut in zip(levels, cuts, strict=False):
        if u < logistic(cut - value):
            return level
    return levels[-1]
