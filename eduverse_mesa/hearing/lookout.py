"""The look-out for people in trouble: signs of harm in whatever somebody types, in all languages at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from eduverse_mesa.hearing.evidence import evidence_in
from eduverse_mesa.hearing.lexicon import load_lexicon
from eduverse_mesa.hearing.spelling import plain, unmasked

__all__ = ["is_sure", "score", "tells_of_harm", "unmasked"]

BIAS = "bias"
_WEIGHTS = files("eduverse_mesa.hearing") / "harm" / "weights.tsv"
_WINDOW, _STRIDE = 80, 40
"""A long message is read in pieces of so many words, so that much talk does not cover a sentence."""


def tells_of_harm(text: str) -> bool:
    """Return whether a message tells, or may tell, that somebody is or will be harmed.

    A person's language is not asked: a child in trouble writes in the one that comes first. Sure signs count whatever
    else is said; otherwise all words are weighed against those of children in trouble and of children at work or play.
    """
    return is_sure(text) or score(text) > 0


def score(text: str) -> float:
    """How much more a message sounds of trouble than of anything else; above 0 is a hit."""
    lexicon = load_lexicon()
    words = lexicon.words(text)
    return max((weighed(evidence_in(piece, lexicon), weights()) for piece in pieces(words)), default=-1.0)


def pieces(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The words of a message; of a long one, pieces that overlap."""
    for start in range(0, max(len(words) - _WINDOW + _STRIDE, 1), _STRIDE):
        if words:
            yield words[start : start + _WINDOW]


def weighed(evidence: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The sum of all evidence, each by its weight."""
    return weights[BIAS] + sum(share * weights.get(name, 0.0) for name, share in evidence.items())


@cache
def weights() -> dict[str, float]:
    """Return the weight of each piece of evidence; `python -m tools.train_lookout` learns it."""
    lines = _WEIGHTS.read_text(encoding="utf-8").splitlines()
    return {name: float(weight) for name, _, weight in (line.rpartition("\t") for line in lines)}


def is_sure(text: str) -> bool:
    """Return whether a message holds a sign that is trouble whatever else is said."""
    typed = plain(text)
    forms = {typed, unmasked(typed)}
    return any(sign.search(form) for sign in load_lexicon().signs for form in forms)
