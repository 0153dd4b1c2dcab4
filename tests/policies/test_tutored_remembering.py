"""What stays of a dialogue, by rule."""

from __future__ import annotations

from eduverse_mesa.decisions.tutoring import TRAITS, Consolidate, Utterance
from eduverse_mesa.marks import share_said
from eduverse_mesa.policies.embedded.tutoring.learner import answers, consolidate
from eduverse_mesa.policies.embedded.tutoring.phrases import load_phrases
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Unit
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters

P = load_parameters(None, LEARNER_BOOK)
SETUP = load_tutoring(learners=1)


def mastery(units: tuple[Unit, ...], *said: tuple[str, str]) -> dict[str, int]:
    """What is shown by pairs of what the tutor said, and what the learner did."""
    dialogue = [Utterance(who, text) for pair in said for who, text in zip(("tutor", "learner"), pair, strict=True)]
    concepts, person = tuple(SETUP.curriculum.all_concepts()), SETUP.cohort.learners[0]
    asked = Consolidate(Address(1, 1, 1, "x"), person, 5, tuple(dialogue), concepts, units)
    return dict(consolidate(asked, P).mastery)


def test_the_idea_of_another_unit_is_no_answer_to_this_one() -> None:
    units = list(SETUP.curriculum.all_units())
    unit, other = next((a, b) for a in units for b in units if a is not b and a.concept == b.concept)
    elsewhere = next(one for one in units if unit.concept not in one.concepts)
    asked = (unit.items[0].ask, unit.items[0].wrong)
    assert mastery((unit, other), asked, ("Mm.", other.idea)) == mastery((unit,), asked)
    assert mastery((unit, elsewhere), asked, ("Mm.", elsewhere.idea))[elsewhere.concept] > 1


def test_an_echo_shows_less_than_what_was_told_a_while_ago_and_that_less_than_an_answer_of_one_s_own() -> None:
    unit = SETUP.curriculum.units["2-PS1-1"]
    right, ask = unit.items[0].right, unit.items[0].ask
    own = mastery((unit,), (ask, right))[unit.concept]
    earlier = mastery((unit,), (unit.idea, "Okay."), (ask, right))[unit.concept]
    echoed = mastery((unit,), (f"{unit.idea} {ask}", right))[unit.concept]
    assert own > earlier > echoed


def test_going_along_with_a_goodbye_is_no_answer_to_the_last_question() -> None:
    unit = SETUP.curriculum.units["2-PS1-1"]
    item = unit.items[0]
    asked = [Utterance("tutor", item.ask), Utterance("learner", item.right, "right")]
    goodbye = [*asked, Utterance("tutor", "Good work today, see you!"), Utterance("learner", "Okay.", "follow")]
    concepts, person = tuple(SETUP.curriculum.all_concepts()), SETUP.cohort.learners[0]
    alone, closed = (
        consolidate(Consolidate(Address(1, 1, 1, "x"), person, 5, tuple(said), concepts, (unit,)), P)
        for said in (asked, goodbye)
    )
    assert closed.mastery == alone.mastery
    assert len(list(answers(unit, goodbye, "en"))) == 1


def test_what_the_curriculum_has_one_say_gives_nobody_s_character_away() -> None:
    signs = load_phrases("en").at("marks")
    texts = [text for unit in SETUP.curriculum.all_units() for item in unit.items for text in (item.right, item.wrong)]
    for trait in TRAITS:
        marks = (*signs[trait]["high"], *signs[trait]["low"])
        alike = [text for text in texts if share_said(marks, text)]
        assert len(alike) <= 0.01 * len(texts), (trait, alike[:3])
