"""What a peer says to a question, whoever read it: the meaning is given here, so that only the answer is looked at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from eduverse_mesa.decisions.groups import Claim, Intended, Meaning, Sum, Understood
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.scenarios.loader import load_collaboration
from tests.models.groups import STEPS, Instead, problem, with_pupil

OK = Meaning(stance="agrees")


def asked(
    meanings: Sequence[Meaning],
    stage: str = "understand",
    name: str = STEPS,
    seed: int = 1,
    misconception: str | None = None,
) -> GroupModel:
    """A group that is asked something in a stage; what Mia means is given, a peer answers each time."""
    given: list[Meaning] = []
    found = load_collaboration(problem=problem(name))
    first, second = found.peers
    first = first.model_copy(update={"misconception": misconception})
    setup = found.model_copy(update={"peers": (first, second), "seats": ("Mia",)})
    policy = Instead(understand=lambda _: Understood(given[-1]))
    model = GroupModel(setup, problem=problem(name), seed=seed, policy=policy)
    while model.stage != stage:
        given.append(OK)
        speak(model, "ok")
    for one in meanings:
        given.append(one)
        speak(model, "...")
    return model


def speak(model: GroupModel, text: str) -> None:
    model.hear("Mia", text, model.now)
    model.step()
    model.tick(max(model.now, model.due or 0))
    model.step()


def moves(model: GroupModel) -> list[str]:
    return [one.answer.outcome.move for one in model.journal.answers if isinstance(one.answer.outcome, Intended)]


@pytest.mark.parametrize("name", [STEPS, f"{STEPS}_zh"])
@pytest.mark.parametrize("stage", ["understand", "plan", "execute"])
def test_who_asks_what_is_known_or_asked_for_is_told(name: str, stage: str) -> None:
    for question in ("givens", "task"):
        model = asked([Meaning(asks=True, question=question)], stage, name)
        assert moves(model)[-1] == f"say_{question}"
        if question == "givens":
            assert "60" in model.dialogue[-1].text
            assert "20" in model.dialogue[-1].text


@pytest.mark.parametrize(
    ("name", "word", "piece"),
    [
        ("treat_bags", "alike", "alike"),
        ("treat_bags", "greatest number", "greatest"),
        ("poster_frame", "same shape", "same number"),
        ("treat_bags_zh", "一样", "一样"),
        ("treat_bags", "commutative", "commutative"),
        ("treat_bags", "the question", "?"),
    ],
)
def test_a_word_is_explained_from_the_problem_or_not_at_all(name: str, word: str, piece: str) -> None:
    model = asked([Meaning(asks=True, question="word", word=word)], name=name)
    assert moves(model)[-1] == ("say_task" if word == "the question" else "say_word")
    text = model.dialogue[-1].text
    assert piece in text or moves(model)[-1] == "say_task"


@pytest.mark.parametrize("seed", range(3))
def test_a_value_before_it_was_worked_out_waits_for_the_work(seed: int) -> None:
    question = Meaning(asks=True, question="value", topic="step_length", addressed="Bob")
    model = asked([question], "plan", seed=seed)
    assert moves(model)[-1] == "not_yet"
    assert "3" not in model.dialogue[-1].text


@pytest.mark.parametrize("seed", range(3))
def test_who_has_done_nothing_is_asked_to_try_first_and_told_then(seed: int) -> None:
    question = Meaning(asks=True, question="value", topic="step_length", addressed="Bob")
    model = asked([question, question], "execute", seed=seed, misconception="reads_twelve")
    stated = {claim.about for one in model.dialogue[:-4] for claim in one.meaning.claims}
    assert "step_length" not in stated
    tried, told = moves(model)[-2:]
    assert tried in ("hint", "encourage")
    assert (told, model.dialogue[-1].speaker) == ("own_value", "Bob")
    assert "3 feet" in model.dialogue[-1].text
    assert "3 feet" not in model.dialogue[-3].text


def test_the_way_to_what_rests_on_something_open_does_not_give_that_away() -> None:
    question = Meaning(asks=True, question="how", topic="way_back", addressed="Bob")
    model = asked([question], "execute", misconception="multiplies")
    assert model.dialogue[-1].meaning.topic == "step_length"
    assert "3 feet" not in model.dialogue[-1].text


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("question", ["value", "how"])
def test_what_was_asked_about_is_answered_and_not_what_comes_next(question: str, seed: int) -> None:
    shown = Meaning(claims=(Claim("step_length", "3 foot/step"),), sums=(Sum("60 / 20", "3", True),))
    told = Meaning(asks=True, question=question, topic="step_length", addressed="Bob")
    model = asked([shown, told], "execute", seed=seed)
    assert (model.dialogue[-1].speaker, model.dialogue[-1].meaning.topic) == ("Bob", "step_length")
    assert moves(model)[-1] in ("own_value", "explain_own")


def test_why_is_answered_with_the_reason_of_that_subtask() -> None:
    model = asked([Meaning(asks=True, question="why", topic="step_length", addressed="Bob")], "plan")
    assert moves(model)[-1] == "say_why"
    assert "alike" in model.dialogue[-1].text or "how long one step is" in model.dialogue[-1].text


def test_why_not_another_value_is_answered_with_what_speaks_against_it() -> None:
    question = Meaning(
        asks=True, question="why", topic="step_length", addressed="Bob",
        queried=(Claim("step_length", "1200 foot/step"),),
    )  # fmt: skip
    model = asked([question], "execute")
    assert moves(model)[-1] == "reason_why:multiplies"
    assert "3 feet" not in model.dialogue[-1].text


def test_why_at_the_end_is_answered_with_what_the_answer_means() -> None:
    model = asked([Meaning(asks=True, question="why", addressed="Bob")], "validate")
    assert moves(model)[-1] == "why_means"


def test_who_has_a_mistake_says_what_it_thinks() -> None:
    question = Meaning(asks=True, question="why", topic="step_length", addressed="Alice")
    model = asked([question], "plan", misconception="multiplies")
    assert moves(model)[-1] == "say_thinks"
    assert "multiply" in model.dialogue[-1].text


def test_who_never_said_it_is_believed_and_who_refutes_a_value_is_heard() -> None:
    claim = (Claim("step_length", "40 foot/step"),)
    never = asked([Meaning(stance="disagrees", queried=claim)], "execute")
    assert moves(never)[-1] == "mixed_up"
    cannot = asked([Meaning(stance="disagrees", refuted=claim)], "execute", misconception="multiplies")
    assert moves(cannot)[-1] == "agrees_not"


@pytest.mark.parametrize("seed", range(3))
def test_do_you_agree_is_answered_by_who_was_asked(seed: int) -> None:
    shown = Meaning(claims=(Claim("step_length", "3 foot/step"),), sums=(Sum("60 / 20", "3", True),))
    model = asked([shown, Meaning(asks=True, seeks=True, addressed="Bob")], "execute", seed=seed)
    assert (model.dialogue[-1].speaker, moves(model)[-1]) == ("Bob", "same_value")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Alice whats 4*15?", "4 x 15 is 60"),
        ("what is 60 / 20?", "60 / 20 is 3"),
        ("4 x 15 and 3 x 2?", ""),
        ("3/0?", ""),
    ],
)
def test_a_mere_calculation_that_is_asked_for_is_worked_out(text: str, said: str) -> None:
    model = with_pupil("ok", "ok", text, seed=3)
    assert (moves(model)[-1] == "say_sum") == bool(said)
    assert said in model.dialogue[-1].text
