"""A judge by rule: what an answer shows, and what kind of person speaks, read off words alone."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.tutoring import TRAITS, Judge, Judged, Labelled, LabelTraits
from eduverse_mesa.marks import count_words, share_said
from eduverse_mesa.policies.embedded.tutoring.phrases import load_phrases

Parameters = Mapping[str, float]


def judge(decision: Judge, p: Parameters) -> Judged:
    """From 1 to 10 by the marks of a right answer; doubt that is heard takes something away."""
    rate = decision.item.rate(decision.answer)
    hedged = share_said(load_phrases(decision.language).at("marks", "hedge"), decision.answer) > 0
    score = 1.0 + 9.0 * rate - (p["judge.hedge"] if hedged and rate > 0 else 0.0)
    return Judged(max(1, min(10, round(score))), f"{rate:.2f} of what a right answer says")


def label_traits(decision: LabelTraits, p: Parameters) -> Labelled:
    """Each trait by the signs of its two ends in what the learner said; without signs the commoner end."""
    marks = load_phrases(decision.language).at("marks")
    said = [utterance.text for utterance in decision.dialogue if utterance.speaker == "learner"]
    labels = {}
    for trait in TRAITS:
        high = sum(share_said(marks[trait]["high"], text) > 0 for text in said)
        low = sum(share_said(marks[trait]["low"], text) > 0 for text in said)
        if high == low:
            words = sum(map(count_words, said)) / max(1, len(said))
            silent = trait in ("neuroticism",) or (trait == "extraversion" and words < p["judge.few_words"])
            labels[trait] = "low" if silent else "high"
        else:
            labels[trait] = "high" if high > low else "low"
    return Labelled(**labels)
