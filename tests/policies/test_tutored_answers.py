"""What the embedded learner answers, by how far it understands."""

from __future__ import annotations

from collections import Counter

import pytest

from eduverse_mesa.agents.learner import familiar_from
from eduverse_mesa.decisions.tutoring import Consolidate, Known, LearnerView, Recollection, Replied, Reply, Utterance
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.policies.embedded.tutoring.learner import answers as answers_of
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Unit
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters
from eduverse_mesa.scenarios.people import Traits
from eduverse_mesa.scenarios.tutoring import Learner

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


def replied(text: str, unknown: tuple[str, ...] = (), related: tuple[Unit, ...] = ()) -> Replied:
    """What is said to a question beside the one on the table."""
    said = (
        Utterance("tutor", UNIT.items[0].ask),
        Utterance("learner", "A helmet.", "partial"),
        Utterance("tutor", text),
    )
    known = Known(UNIT, 1.0, 1.0, 1.0, "open")
    view = LearnerView(BOLD, 1, Recollection(unknown=unknown), said, known, None, 1.0, False, related)
    (answer,) = EmbeddedTutoringPolicy(load_parameters({}, LEARNER_BOOK)).answer([Reply(Address(1, 1, 1, "Bo"), view)])
    assert isinstance(answer.outcome, Replied)
    return answer.outcome


def test_to_a_question_about_something_else_it_says_what_it_has_of_that_or_that_it_does_not_know() -> None:
    lost = replied("Who won the football match?")
    assert lost.kind == "dont_know"
    assert "know" in lost.text
    later = replied("Do you know the moon?", unknown=("The moon goes around the earth.",))
    assert later.kind == "dont_know"
    assert "haven't had that" in later.text
    young = load_tutoring("growing_up").curriculum.units["1-LS1-2"]
    brought = replied("How do mothers feed a hungry chick?", related=(young,))
    assert (brought.kind, young.idea[1:] in brought.text) == ("follow", True)


def test_what_is_said_to_a_question_about_something_else_counts_for_nothing() -> None:
    item = UNIT.items[0]
    asked = (Utterance("tutor", item.ask), Utterance("learner", item.right, "right"))
    aside = (Utterance("tutor", "Who won the football match?"), Utterance("learner", "I don't know.", "dont_know"))
    assert answers_of(UNIT, asked + aside, "en") == answers_of(UNIT, asked, "en")
    silence = (Utterance("tutor", ""), Utterance("learner", "Okay.", "follow"))
    assert answers_of(UNIT, asked + silence, "en") == answers_of(UNIT, asked, "en")
    assert len(answers_of(UNIT, asked + asked, "en")) == 2


def test_the_more_is_known_that_belongs_here_the_sooner_some_of_it_comes_to_mind() -> None:
    units = load_tutoring("growing_up").curriculum.units
    near = [units[name] for name in ("3-LS4-2", "3-LS4-3", "4-LS1-1", "5-LS1-1", "3-LS1-1", "2-LS4-1")]
    item, known = UNIT.items[0], Known(UNIT, 1.0, 1.0, 1.0, "learned")
    said = (Utterance("tutor", item.ask, "question"),)
    counts = []
    for many in (0, 1, 6):
        view = LearnerView(BOLD, 5, Recollection(), said, known, item, 1.0, False, tuple(near[:many]))
        asked = [Reply(Address(seed, 1, 1, "Bo"), view) for seed in range(TIMES)]
        texts = [answer.outcome.text for answer in EmbeddedTutoringPolicy().answer(asked)]
        counts.append(sum(any(unit.idea.lower() in text.lower() for unit in near) for text in texts))
    assert counts[0] == 0
    assert 0 < counts[1] < counts[2] < TIMES


def test_what_was_understood_is_kept_without_remarks_on_other_things() -> None:
    item = UNIT.items[0]
    said = f"What's for lunch today? {item.right} I'm sure."
    dialogue = (Utterance("tutor", item.ask), Utterance("learner", said, "right"))
    asked = Consolidate(Address(1, 1, 1, "Bo"), BOLD, 1, dialogue, (), (UNIT,))
    (answer,) = EmbeddedTutoringPolicy().answer([asked])
    assert answer.outcome.understanding == {UNIT.concept: item.right}
