"""A pause on the agenda: days and episodes go by, and each law of forgetting counts its own."""

from __future__ import annotations

import pytest

from eduverse_mesa.models.tutoring import Pause, Talk, TutoringModel
from tests.models.learners import document


def kept(law: str, pause: Pause) -> list[float]:
    model = TutoringModel(document(memory={"law": law}), agenda=(Talk(0.0, 1, "cork"), pause), seed=1).run()
    return [learner.knowing.mastered("P1", learner.day) for learner in model.learners]


@pytest.mark.parametrize(("law", "longer"), [("episodes", Pause(1.0, 1, 40)), ("ebbinghaus", Pause(40.0, 1, 0))])
def test_a_pause_makes_forget_what_its_law_goes_by(law: str, longer: Pause) -> None:
    short, long = kept(law, Pause(1.0, 1, 0)), kept(law, longer)
    assert [0 < after < before for before, after in zip(short, long, strict=True)] == [True, True], (short, long)


def test_pauses_take_no_answers_and_come_to_an_end() -> None:
    model = TutoringModel(document(), agenda=(Pause(1.0, 1, 3), Pause(2.0, 1, 4)), seed=1).run()
    assert not model.journal.answers
    assert [learner.memory.lived for learner in model.learners] == [7, 7]
