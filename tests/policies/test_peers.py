"""How embedded peers read what a person writes, think again, and find words."""

from __future__ import annotations

from typing import Any

import pytest

from eduverse_mesa.agents.solution import likely_values, sheet_of
from eduverse_mesa.decisions.groups import Claim, Intended, Meaning, Message, Revised, Sum, Understand, Utter
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.policies.embedded.groups.gentleness import CARE, care_parts
from eduverse_mesa.policies.embedded.groups.interpretation import understand
from eduverse_mesa.policies.embedded.groups.phrases import filled, load_phrases, places, sentence
from eduverse_mesa.policies.embedded.groups.vocabulary import load_ear
from eduverse_mesa.policies.embedded.groups.wording import utter
from eduverse_mesa.randomness import Address
from tests.models.groups import STEPS, group, problem

AT = Address(1, 1, 1, "reader of Mia")


def read(text: str, name: str = STEPS, stage: str = "execute") -> Meaning:
    task = problem(name)
    marks = tuple((one.id, one.cue_marks) for one in task.misconceptions)
    question = Understand(
        AT, "Mia", text, sheet_of(task), ("Mia", "Alice", "Bob"), (), stage, STAGES[stage].acts, marks,
        likely_values(task),
    )  # fmt: skip
    return understand(question).meaning


def claims(text: str, name: str = STEPS) -> list[tuple[str, str]]:
    return [(claim.about, claim.value) for claim in read(text, name).claims]


@pytest.mark.parametrize(
    "text",
    [
        "one step is 3 feet",
        "3",
        "I think it's 3 feet",
        "60 / 20 = 3",
        "60÷20=3",
        "sixty divided by twenty is three",
        "60 feet over 20 steps makes 3",
        "I got 36 inches for one step",
        "each step is a yard? no, 3 feet per step",
        "Alice said 1200 but it should be 3",
    ],
)
def test_a_result_is_understood_in_many_forms(text: str) -> None:
    assert ("step_length", "3 foot/step") in claims(text)


@pytest.mark.parametrize(
    ("text", "result", "holds"),
    [
        ("60 / 20 = 3", "3", True),
        ("60/20=4", "4", False),
        ("twenty times three is sixty", "60", True),
        ("0.15 * 120 = 18", "18", True),
        ("5 / 3 = 1.67", "167/100", True),
        ("60 - 20 is 40", "40", True),
    ],
)
def test_a_calculation_is_worked_out_before_it_is_believed(text: str, result: str, holds: bool) -> None:
    [shown] = read(text).sums
    assert (shown.result, shown.holds) == (result, holds)


def test_a_wrong_value_belongs_to_the_step_where_people_get_it() -> None:
    assert claims("it's 1200 because 20*60=1200") == [("step_length", "1200 foot/step")]
    assert claims("half of them take her 30 feet") == [("half_way", "30 foot")]
    assert ("steps", "20 step") in claims("read it again, she takes 20 steps")


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("yes", "agrees"),
        ("I agree", "agrees"),
        ("sounds good", "agrees"),
        ("you're right", "agrees"),
        ("ok", "agrees"),
        ("I don't agree", "disagrees"),
        ("no that's wrong", "disagrees"),
        ("i dont think thats right", "disagrees"),
        ("that can't be right", "disagrees"),
        ("is that right?", ""),
        ("I don't get it", ""),
        ("one step is 3 feet", ""),
    ],
)
def test_agreement_and_disagreement(text: str, stance: str) -> None:
    assert read(text).stance == stance


@pytest.mark.parametrize("text", ["I don't get it", "idk", "help me", "I'm confused", "no idea", "huh?"])
def test_who_is_lost_is_noticed(text: str) -> None:
    assert read(text).lost


def test_who_is_called_and_who_is_only_talked_about() -> None:
    assert read("Bob, what did you get?").addressed == "Bob"
    assert read("what do you think alice").addressed == "Alice"
    assert read("Bob said it's 3").addressed == ""


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("B", ("B",)),
        ("b", ("B",)),
        ("I think it's B and C", ("B", "C")),
        ("the answer is C", ("C",)),
        ("A doesn't work", ()),
        ("not D", ()),
        ("A poster is wide", ()),
        ("what about C?", ()),
    ],
)
def test_choices_are_told_from_letters(text: str, chosen: tuple[str, ...]) -> None:
    assert read(text, "poster_frame").chosen == chosen


def test_a_choice_with_a_number_is_no_result() -> None:
    found = read("I'd take option 2", "paint_mixture")
    assert (found.chosen, found.claims) == (("2",), ())


def test_what_is_no_matter_of_the_problem_and_what_nobody_understands() -> None:
    assert read("do you play minecraft?").off_topic
    assert not read("asdfgh qwer").clear
    assert read("hi").clear
    assert read("I'll find how long one step is", stage="organise").takes == ("step_length",)
    assert read("One step has to be much shorter, so we share it out").cues == ("multiplies",)


def test_a_language_without_words_is_refused() -> None:
    for load in (load_ear, load_phrases):
        with pytest.raises(PolicyError, match="'xx'"):
            load("xx")


# --- words ---


OF_CHOICES = (
    "concede_choice",
    "choose",
    "choose_alike",
    "sum_up_choice",
    "against_option",
    "for_option",
    "fits",
    "fits_not",
)


def words_for(move: str, said: int = 0, *, adult: str = "", seed: int = 1, **meaning: Any) -> list[str]:
    """What Alice says for a move, again and again in the same dialogue."""
    model = group("poster_frame", None) if move in OF_CHOICES else group()
    model.name_adult(adult, "", "")
    if move in OF_CHOICES:
        meaning |= {"topic": "choice", "options": ("A",)}
    alice = model.peer("Alice")
    found: list[str] = []
    if move in ABOUT_A_NUMBER:
        model.dialogue += [mia(0, "it's 12", "12"), mia(0, "it's 3", "3")]
    for turn in range(1, said + 2):
        view = model.view(alice)
        sums = (Sum("4 x 15", "60", True),)
        given = Meaning(**{"topic": "step_length", "addressed": "Bob", "sums": sums, **meaning})
        found.append(utter(Utter(Address(seed, 1, turn, "Alice"), view, Intended(given, move))).text)
        model.dialogue.append(type_message(turn, found[-1]))
        if move in ABOUT_A_NUMBER:
            model.dialogue.append(mia(turn, "it's 3", "3"))
    return found


def mia(turn: int, text: str, value: str) -> Message:
    return Message(
        turn, "Mia", text, "execute", Meaning(claims=(Claim("step_length", f"{value} foot/step"),), word="straight")
    )


def type_message(turn: int, text: str) -> Message:
    return Message(turn, "Alice", text, "execute")


MOVES = [move for move in load_phrases("en").at("moves") if not move.startswith("reason")]
"""What a reason is, is the problem's own."""
ABOUT_A_NUMBER = ("early_result", "given_too", "same_now", "what_changed", "which_number", "say_word")
"""What is said to a number that somebody has named, or a word."""
FROM_THE_WORK = (*OF_CHOICES, *ABOUT_A_NUMBER, "say_sum", "plan", "hint")
"""What is only said by who can say how."""


@pytest.mark.parametrize("move", [move for move in MOVES if move not in CARE])
def test_every_move_has_words_that_are_not_said_twice(move: str) -> None:
    found = words_for(move, 12)
    assert len({text.casefold() for text in found}) == len(found)
    assert all("{" not in text and text[0] == text[0].upper() and len(text.split()) <= 45 for text in found)


@pytest.mark.parametrize("adult", ["", "Ms Lee"])
@pytest.mark.parametrize("move", sorted(CARE & set(MOVES)))
def test_words_that_care_are_said_whole_and_in_turn(move: str, adult: str) -> None:
    """They are few, and nothing is put before them: each of those that fit is said before one is said again, whatever
    the luck."""
    phrases = load_phrases("en")
    model = group()
    model.name_adult(adult, "", "")
    can = {name for name, part in care_parts(model.view(model.peer("Alice")), phrases).items() if part} | {"to"}
    fitting = [one for one in phrases.at("moves", move) if places(one) <= can]
    assert fitting
    for seed in range(1, 6):
        found = words_for(move, 2 * len(fitting) - 1, adult=adult, seed=seed)
        first, second = found[: len(fitting)], found[len(fitting) :]
        assert set(first) == set(second), "nothing but these"
        assert len(set(first)) == len(fitting)
        assert all("{" not in text and text[0] == text[0].upper() for text in found)


@pytest.mark.parametrize("move", [move for move in MOVES if move not in FROM_THE_WORK])
def test_who_cannot_say_how_has_words_too(move: str) -> None:
    model = group(misconception="reads_twelve")
    alice = model.peer("Alice")
    alice.take(Revised(changes={"half_way": "10 feet"}))
    meaning = Meaning(topic="half_way", addressed="Bob")
    said = utter(Utter(AT, model.view(alice), Intended(meaning, move))).text
    assert "{" not in said


def test_words_come_from_what_the_peer_has_itself() -> None:
    assert any("1,200" in text for text in words_for("result", 3))
    assert not any("3 feet" in text for text in words_for("result", 8))


def test_a_sentence_keeps_its_form_inside_of_another() -> None:
    small = frozenset({"the"})
    assert filled("I think {thinks}, right?", {"thinks": "The step is long."}, small) == (
        "I think the step is long, right?"
    )
    assert filled("{cue} So it's {shown}", {"cue": "the step is short", "shown": "3"}, small) == (
        "The step is short. So it's 3"
    )
    assert sentence("then it's 3") == "Then it's 3."
