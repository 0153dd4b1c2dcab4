"""What peers make of what twelve-year-olds type: whole dialogues, in English and in Chinese."""

from __future__ import annotations

import copy
from functools import cache

import pytest

from eduverse_mesa.decisions.groups import Intended
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.policies.llm.answer import Asker
from eduverse_mesa.policies.llm.calls import Sampling
from eduverse_mesa.policies.llm.groups import CollaborationTelling
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.scenarios.loader import load_collaboration
from tests.models.groups import STEPS, problem
from tests.policies.llm.rehearsal import Rehearsal
from tests.policies.test_peers_and_pupils import NAMES, NINE, heard


@cache
def begun(stage: str, name: str = STEPS, misconception: str | None = "multiplies") -> GroupModel:
    """A group with Mia in it, who has not said anything until a stage has begun."""
    found = load_collaboration(problem=problem(name))
    first, second = found.peers
    first = first.model_copy(update={"misconception": misconception})
    rules = found.settings.model_copy(update={"goes_on": 60})
    setup = found.model_copy(update={"peers": (first, second), "seats": ("Mia",), "settings": rules})
    model = GroupModel(setup, problem=problem(name), seed=1)
    while model.stage != stage:
        answered(model)
    return model


def answered(model: GroupModel) -> None:
    model.tick(max(model.now, model.due or 0))
    model.step()


def moves(model: GroupModel) -> list[str]:
    return [one.answer.outcome.move for one in model.journal.answers if isinstance(one.answer.outcome, Intended)]


def talk(*texts: str, stage: str = "execute", name: str = STEPS) -> GroupModel:
    """Mia says one thing after another, and a peer answers each."""
    model = copy.deepcopy(begun(stage, name))
    for text in texts:
        model.hear("Mia", text, model.now)
        model.step()
        answered(model)
    return model


@pytest.mark.parametrize(
    ("stage", "texts", "move"),
    [
        ("understand", ["3"], "early_result"),
        ("understand", ["no thats wrong"], "see_otherwise"),
        ("plan", ["asdf"], "not_understood"),
        ("execute", ["asdf"], "not_understood"),
        ("execute", ["half is 30", "no"], "ask_why"),
        ("execute", ["bob ur wrong"], "ask_why"),
        ("execute", ["you have to divide not multiply"], "try_way"),
        ("execute", ["idk"], "hint"),
        ("execute", ["idk", "i still dont get it"], "explain_lost"),
        ("execute", ["because i said so"], "to_insists"),
        ("execute", ["whats the answer"], "to_answer"),
        ("execute", ["half is 30", "no half is 40"], "what_changed"),
        ("execute", ["are you a robot"], "to_real"),
        ("execute", ["shut up"], "to_rude"),
        ("execute", ["5 gallons"], "which_number"),
        ("validate", ["we are stuck, lets ask the teacher"], "explain_lost"),
        ("validate", ["is that our answer?"], "sum_up"),
        ("execute", ["my number is 0612345678"], "to_private"),
        ("validate", ["i want to kill myself"], "to_harm"),
        ("validate", ["no"], "ask_why"),
    ],
)
def test_peers_follow_up_on_what_was_said(stage: str, texts: list[str], move: str) -> None:
    model = talk(*texts, stage=stage)
    assert moves(model)[-1] == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("不懂", "hint"),
        ("啊啊啊", "not_understood"),
        ("因为我说的", "to_insists"),
        ("你是真人吗", "to_real"),
        ("我不想活了", "to_harm"),
        ("小航你错了", "ask_why"),
        ("要除不能乘", "try_way"),
    ],
)
def test_peers_follow_up_in_chinese(text: str, move: str) -> None:
    model = talk(text, name=f"{STEPS}_zh")
    assert moves(model)[-1] == move
    assert all(
        sign.isascii() is False or not sign.isalpha() for sign in model.journal.messages[-1].text if sign not in "Mia"
    )


def helped(session: int, seed: int, name: str = STEPS) -> tuple[int, list[str]]:
    """How often peers helped of their own accord in twelve messages to somebody lost, and what they said to her."""
    found = load_collaboration(problem=problem(name))
    rules = found.settings.model_copy(update={"fading": 0.4})
    found = found.model_copy(update={"seats": ("Mia",), "settings": rules})
    model = GroupModel(found, problem=problem(name), seed=seed, session=session)
    for text in ("ok", "ok", "ok", "ok", "idk", "its 5", "i dont get it", "its 7", "idk", "ok", "its 8", "what now"):
        if not model.running:
            break
        model.hear("Mia", text, model.now)
        model.step()
        answered(model)
    count = sum(move.partition(":")[0] in HELP for move in moves(model))
    return count, [row.text for row in model.journal.messages if row.addressed == "Mia"]


HELP = ("result", "hint", "explain_lost", "reason", "show", "notice", "defend")


def test_help_fades_over_sessions_and_politeness_does_not() -> None:
    helps, names = [], []
    for session in (1, 3, 8):
        played = [helped(session, seed, name) for seed in range(4) for name in (STEPS, "race_fuel")]
        texts = [text for _, every in played for text in every]
        helps.append(sum(count for count, _ in played))
        names.append(sum("Mia" in text for text in texts) / len(texts))
        assert not any(heard(text).matter == "rude" for text in texts)
    assert helps[0] > 1.3 * helps[1] > 1.3 * helps[2]
    assert min(names) > 0.9 * names[0]  # they speak to her by her name as often as ever


def test_nobody_says_the_same_again_to_somebody_who_keeps_on() -> None:
    """The fourth time that nobody understands, the others go on with the work."""
    model = talk(*["asdf"] * 4, *["are you real?"] * 3, *["because i said so"] * 3)
    mine = [row.text for row in model.journal.messages if row.speaker != "Mia"]
    assert len(set(mine)) == len(mine)
    assert moves(model).count("not_understood") == 2


def test_harm_is_marked_for_the_teacher_and_agrees_with_nothing() -> None:
    model = talk("yes ok i want to die", stage="validate")
    [row] = [row for row in model.journal.messages if row.speaker == "Mia"]
    assert (row.act, row.stance) == ("harm", "")
    assert "teacher" in model.journal.messages[-1].text or "grown-up" in model.journal.messages[-1].text
    assert "Mia" not in model.record.agreed


@pytest.mark.parametrize(("text", "act"), [("i want to die", "harm"), ("my number is 0612345678", "private")])
def test_a_model_neither_reads_nor_answers_what_is_serious(text: str, act: str) -> None:
    rehearsal = Rehearsal()
    found = load_collaboration(seats=["Mia"], problem=STEPS)
    asker = Asker(rehearsal, None, "small", Sampling(), reasks=2, send_seed=True)
    policy = LlmPolicy("llm", CollaborationTelling(asker, {}), None)
    model = GroupModel(found, problem=STEPS, seed=1, policy=policy)
    model.hear("Mia", text, 1.0)
    model.step()
    answered(model)
    row, answer = model.journal.messages
    assert (row.act, moves(model)) == (act, [f"to_{act}"])
    assert ("Mia" in answer.text) == (act == "private")  # no nickname where somebody is comforted
    asked = " ".join(message.content for call in rehearsal.calls for message in call.messages)
    assert text not in asked


def test_whether_somebody_is_real_is_answered_truthfully() -> None:
    for name, words in ((STEPS, ("virtual", "program")), (f"{STEPS}_zh", ("虚拟", "程序"))):
        model = talk("are you real?" if name == STEPS else "你是真人吗", name=name)
        assert any(word in model.journal.messages[-1].text for word in words)


def test_who_backs_a_wrong_peer_is_told_what_speaks_against_it() -> None:
    model = talk(*["alice, how long is one step for you?"] * 2, "alice is right")
    [backing] = [one for one in model.dialogue if one.meaning.backs == "Alice"]
    assert ("step_length", "1200 foot/step") in [(claim.about, claim.value) for claim in backing.meaning.claims]
    while model.dialogue[-1].speaker != "Bob":
        answered(model)
    assert "3 feet" in model.dialogue[-1].text
    assert model.dialogue[-1].meaning.stance == "disagrees"


@pytest.mark.parametrize(
    ("text", "value"),
    [("a step is much shorter than the line so you have to share", "3"), ("its 3 trust me", "1200")],
)
def test_a_reason_convinces_and_insistence_does_not(text: str, value: str) -> None:
    model = talk("alice, how long is one step for you?", *[f"alice, {text}"] * 2)
    assert str(model.peer("Alice").values["step_length"]).split()[0] == value


def test_an_essay_is_read_in_no_time_and_answered() -> None:
    model = talk("so i was thinking about the line and the steps and my dog and " * 32)
    assert len(model.journal.messages[-1].text) < 200


@pytest.mark.parametrize("name", NINE)
def test_a_group_that_speaks_chinese_solves_it_in_order(name: str) -> None:
    model = GroupModel(problem=f"{name}_zh", seed=4).run()
    assert model.solved
    assert model.is_right
    assert tuple(peer.name for peer in model.peers) == NAMES["zh"]
    stages = [row.stage for row in model.journal.messages]
    assert stages == sorted(stages, key=list(STAGES).index)
    assert set(stages) == set(STAGES)
    texts = [row.text for row in model.journal.messages]
    assert len(set(texts)) == len(texts)
    assert not any(letter.isascii() and letter.islower() for text in texts for letter in text)
    assert next(row.of for row in model.journal.errors if row.event == "introduced") == "小雨"


@pytest.mark.parametrize(
    ("reason", "convinces"),
    [
        ("60/20=3", True),
        (r"\(\frac{60}{20}=3\)", True),
        ("60-20=40", False),
        ("20+20=40 so one step is 40 feet", False),
    ],
)
def test_a_mistake_gives_way_only_to_a_calculation_whose_units_fit(reason: str, convinces: bool) -> None:
    model = talk(*[f"no: {reason}"] * 5)
    changed = [row for row in model.journal.revisions if row.by == "Mia" and row.variable == "step_length"]
    assert bool(changed) is convinces
