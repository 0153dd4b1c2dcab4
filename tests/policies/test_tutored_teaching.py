"""How the embedded tutor chooses what to teach, by what it has noted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from eduverse_mesa.agents.tutor import Notes, TutorAgent
from eduverse_mesa.decisions.tutoring import Picked, Utterance
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.randomness import Address
from tests.models.learners import document

TIMES = 200


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
