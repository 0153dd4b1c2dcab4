"""How the embedded tutor chooses what to teach, by what it has noted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.agents.tutor import Notes, TutorAgent
from eduverse_mesa.decisions.tutoring import Picked, Taught, Utterance
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.policies.embedded.tutoring import tutor as tutor_module
from eduverse_mesa.policies.embedded.tutoring.phrases import load_phrases
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Unit
from tests.models.learners import document

TIMES = 200
FOLDER = Path(tutor_module.__file__).parent


def tutor(notes: Notes, model: TutoringModel) -> TutorAgent:
    return TutorAgent(model, "Ann", model.curriculum, "en", notes)


def picks(*, shown: float, since: int, taught: int = 3) -> Counter[str]:
    """What is taught to who has had the cork, and is to have the raft, which builds on it."""
    model = TutoringModel(document(), seed=1)
    asked: list[Any] = []
    for seed in range(TIMES):
        notes = Notes({"cork": taught}, {"cork": shown}, {"cork": 100 - since}, 100)
        asked.append(tutor(notes, model).pick(Address(seed, 1, 1, "tutor of Ann"), 2))
    outcomes = [answer.outcome for answer in EmbeddedTutoringPolicy().answer(asked)]
    return Counter(one.unit for one in outcomes if isinstance(one, Picked))


def test_a_tutor_comes_back_to_what_was_not_understood_and_is_built_on() -> None:
    assert picks(shown=0.2, since=5)["cork"] > TIMES * 0.1
    assert picks(shown=1.0, since=5)["cork"] == 0, "what was said without help, just now, needs no review"
    assert picks(shown=1.0, since=95)["cork"] > 0, "even what was known well is asked for again after long"
    assert picks(shown=1.0, since=95, taught=20)["cork"] == 0, "the oftener it was taught, the later"


def test_only_what_was_taught_and_is_still_built_on_comes_back() -> None:
    model = TutoringModel(document(), seed=1)
    at = Address(1, 1, 1, "tutor of Ann")
    had = Notes({"cork": 1}, {"cork": 0.0}, {"cork": 1}, 1)
    units = [[note.unit.id for note in tutor(notes, model).pick(at, 2).notes] for notes in (Notes(), had)]
    assert units == [["raft"], ["raft", "cork"]]
    assert tutor(had, model).pick(at, 3).notes == (), "nothing of a later grade builds on it"


def test_a_tutor_notes_what_was_said_before_it_helped() -> None:
    one = tutor(Notes(), TutoringModel(document(), seed=1))
    unit = one.curriculum.units["cork"]
    ask, other = (item.ask for item in unit.items)
    helped = [
        Utterance("tutor", ask), Utterance("learner", "It sinks."),
        Utterance("tutor", f"Look: it is light. {ask}"), Utterance("learner", "It floats, it is light."),
    ]  # fmt: skip
    one.note(unit, tuple(helped))
    assert one.notes.shown["cork"] == 0.0
    alone = [
        Utterance("tutor", ask), Utterance("learner", "It floats, it is light."),
        Utterance("tutor", other), Utterance("learner", "It is light."),
    ]  # fmt: skip
    one.note(unit, tuple(alone))
    assert one.notes.shown["cork"] == 0.75
    assert (one.notes.taught["cork"], one.notes.dialogues) == (2, 2)


def test_earlier_units_come_back_in_a_life_that_is_played() -> None:
    model = TutoringModel("mathematics_zh", settings={"visits": 3}, seed=1).run()
    early = {unit.id for unit in model.curriculum.units_of(6)}
    taught = Counter((row.grade, row.unit in early) for row in model.journal.episodes)
    assert taught[6, False] == 0, "nothing is taught ahead"
    assert 0 < taught[7, True] < taught[7, False]


def says(before: int, *said: str) -> str:
    """What the tutor says after a question and what came of it."""
    model = TutoringModel(document(), seed=1)
    one = tutor(Notes({"cork": before} if before else {}), model)
    unit = model.curriculum.units["cork"]
    dialogue = [Utterance("tutor", unit.items[0].ask), *(Utterance("learner", text) for text in said)] if said else []
    at = Address(1, 1, 1 + len(said), "tutor of Ann")
    (answer,) = EmbeddedTutoringPolicy().answer([one.teach(at, unit, 1, tuple(dialogue), 1 + len(said), 8)])
    assert isinstance(answer.outcome, Taught)
    return answer.outcome.text


def starts(text: str, place: str) -> bool:
    return any(text.startswith(phrase.partition("{}")[0]) for phrase in load_phrases("en").at("tutor", place))


def test_a_tutor_says_that_a_unit_is_not_new() -> None:
    assert starts(says(0), "open")
    assert starts(says(2), "again")


def test_a_tutor_hears_that_nothing_was_known_and_asks_further_where_half_was() -> None:
    assert starts(says(0, "I don't know that yet."), "no_matter")
    assert starts(says(0, "It sinks."), "not_yet")
    half = says(0, load_unit().items[0].partial)
    assert starts(half, "partly")
    assert any(phrase.format(load_unit().items[0].ask) in half for phrase in load_phrases("en").at("tutor", "ask_why"))


def load_unit() -> Unit:
    return TutoringModel(document(), seed=1).curriculum.units["cork"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_phrase_lies_there_unsaid(language: str) -> None:
    """Every phrase is named where it is said, or stands in a family that is gone through."""
    code = " ".join(path.read_text() for path in FOLDER.glob("*.py"))
    phrases = load_phrases(language)
    for family in ("learner", "tutor"):
        unsaid = [name for name in phrases.at(family) if f'"{name}"' not in code]
        assert not unsaid, f"{family}: {unsaid}"
