"""What the embedded learner answers, by how far it understands."""

from __future__ import annotations

from collections import Counter

import pytest

from eduverse_mesa.agents.learning import familiar_from
from eduverse_mesa.decisions.tutoring import Known, LearnerView, Recollection, Reply, Utterance
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.cohort import Learner
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters
from eduverse_mesa.scenarios.people import Traits
from eduverse_mesa.scenarios.teaching import load_tutoring

UNIT = load_tutoring("growing_up").curriculum.units["1-LS1-1"]
BOLD = Learner(name="Bo", traits=Traits(openness=1.0, extraversion=1.0, neuroticism=0.0))
TIMES = 300


def answers(grasp: float) -> Counter[tuple[str, bool]]:
    """The kinds of answers, each with whether half of what is right stands in it."""
    item = UNIT.items[0]
    said = (Utterance("tutor", item.ask, "question"),)
    known = Known(UNIT, 0.0, 0.0, 1.0, "open")
    # With nothing that is known nothing is answered: only guesses and owning up are left.
    policy = EmbeddedTutoringPolicy(
        {**load_parameters({}, LEARNER_BOOK), "answer.grasp": 0.0, "answer.cut_wrong": 10.0}
    )
    asked = [
        Reply(
            Address(seed, 1, 1, "Bo"),
            LearnerView(BOLD, 1, Recollection(), said, known, item, grasp, False, exam=True),
        )
        for seed in range(TIMES)
    ]
    replied = [answer.outcome for answer in policy.answer(asked)]
    return Counter((one.kind, item.rate(one.text) >= item.rate(item.partial)) for one in replied)


def test_a_guess_is_luckier_the_more_is_understood_and_never_where_nothing_is() -> None:
    shares = []
    for grasp in (0.0, 0.15, 0.3):
        found = answers(grasp)
        guesses = found["guess", True] + found["guess", False]
        assert guesses > TIMES / 3
        shares.append(found["guess", True] / guesses)
    assert shares[0] == 0.0
    assert 0.05 < shares[1] < shares[2] < 0.4


def test_a_concept_is_familiar_from_where_memory_gives_half_of_a_right_answer() -> None:
    p = load_parameters({}, LEARNER_BOOK)
    grasp = p["grasp.known"] * familiar_from(p) ** p["grasp.curve"]
    item, known = UNIT.items[0], Known(UNIT, 0.0, 0.0, 1.0, "open")
    said = (Utterance("tutor", item.ask, "question"),)
    view = LearnerView(BOLD, 1, Recollection(), said, known, item, grasp, False, exam=True)
    asked = [Reply(Address(seed, 1, 1, "Bo"), view) for seed in range(600)]
    kinds = Counter(answer.outcome.kind for answer in EmbeddedTutoringPolicy().answer(asked))
    assert (kinds["right"] + 0.5 * kinds["partial"]) / 600 == pytest.approx(0.5, abs=0.06)
    assert familiar_from({**p, "grasp.known": 0.0}) == 1.0, "who can use nothing of it is familiar with nothing"
