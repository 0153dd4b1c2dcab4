"""A group that solves a problem together, as a Mesa model."""

from __future__ import annotations

import inspect
import random
from itertools import pairwise
from typing import Any

import mesa
import msgspec
import pytest

from eduverse_mesa import GroupModel as Exported
from eduverse_mesa.decisions import Answer
from eduverse_mesa.decisions.groups import Intend, Invited, Revise, StageSeen, Uttered
from eduverse_mesa.errors import LessonError, PolicyError
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.models.groups.record import ORDER, STAGES
from eduverse_mesa.policies import Recorded, ReplayPolicy
from eduverse_mesa.scenarios.loader import built_in_problems
from eduverse_mesa.scenarios.word_problem import change, changed, schema_of
from tests.models.groups import Instead, group, problem, setup, told

NAMES = tuple(one.name for one in built_in_problems())


def stages_of(model: GroupModel) -> list[str]:
    """The stages in the order in which something was said in them."""
    return list(dict.fromkeys(row.stage for row in model.journal.messages))


def never_back(model: GroupModel) -> bool:
    places = [ORDER.index(row.stage) for row in model.journal.messages]
    return places == sorted(places)


# --- all-virtual groups ---


def check_all_virtual(seeds: range) -> dict[str, float]:
    """What MathVC's all-virtual dialogues have to show, counted over problems and seeds."""
    models = [GroupModel(problem=name, seed=seed).run() for name in NAMES for seed in seeds]
    for model in models:
        assert stages_of(model) == list(STAGES)
        assert never_back(model)
        texts = [row.text.casefold() for row in model.journal.messages]
        assert len(set(texts)) == len(texts), "no sentence is said twice"
    errors = [[row for row in model.journal.errors if row.event == "introduced"] for model in models]
    return {
        "dialogues": len(models),
        "solved": sum(model.solved and model.is_right for model in models) / len(models),
        "alice first": sum(bool(rows) and rows[0].of == "Alice" for rows in errors) / len(models),
        "corrected": sum(not model.ledger.open for model in models) / len(models),
        "in range": sum(10 <= model.turn <= 22 for model in models) / len(models),
        "turns": sum(model.turn for model in models) / len(models),
    }


def test_peers_among_themselves_go_through_all_stages_err_and_put_it_right() -> None:
    found = check_all_virtual(range(2))
    assert found["dialogues"] == 18
    assert found["solved"] == 1
    assert found["alice first"] >= 0.9
    assert found["corrected"] >= 0.9
    assert found["in range"] >= 0.9


@pytest.mark.slow
def test_two_hundred_dialogues_do() -> None:
    found = check_all_virtual(range(23))
    assert found["dialogues"] == 207
    assert found["alice first"] >= 0.9
    assert found["corrected"] >= 0.9
    assert found["in range"] >= 0.9
    assert 14 <= found["turns"] <= 19, "around the paper's 15.5 turns a problem"


def test_the_plain_chat_is_clearly_shorter_and_nobody_errs() -> None:
    for name in NAMES[::3]:
        plain = GroupModel(problem=name, seed=1, arm="vanilla").run()
        full = GroupModel(problem=name, seed=1).run()
        assert plain.turn <= 4 < full.turn / 2
        assert plain.is_right
        assert plain.journal.errors == []
        assert {row.stage for row in plain.journal.messages} == {""}


def test_the_same_seed_gives_the_same_dialogue_and_another_another() -> None:
    once, again = group().run(), group().run()
    assert told(once) == told(again)
    assert told(once) != told(group(seed=2).run())


def test_a_replay_needs_no_policy() -> None:
    model = group().run()
    log = [Recorded(e.lesson, e.step, e.agent, e.kind, e.answer) for e in model.journal.answers]
    assert told(group(policy=ReplayPolicy(log)).run()) == told(model)


def test_it_is_an_ordinary_mesa_model_and_runs_in_batches() -> None:
    assert Exported is GroupModel
    # Mesa 3.5 gives each run its number through `rng`, Mesa 3.3 through a parameter of ours.
    newer = "rng" in inspect.signature(mesa.batch_run).parameters
    given: dict[str, Any] = {"rng": [3]} if newer else {}
    parameters: dict[str, Any] = {"problem": ["race_fuel"], "arm": ["full", "vanilla"]}
    parameters |= {} if newer else {"seed": [3]}
    rows = mesa.batch_run(GroupModel, parameters, max_steps=80, display_progress=False, **given)
    by_arm = {row["arm"]: row for row in rows}
    assert by_arm["full"]["solved"]
    assert by_arm["vanilla"]["turns"] < by_arm["full"]["turns"]


# --- what a peer may know ---


@pytest.mark.parametrize("name", NAMES)
def test_what_a_peer_has_wrong_it_cannot_look_up(name: str) -> None:
    task = problem(name)
    right = schema_of(task)
    for mistake in task.misconceptions:
        model = group(name, mistake.id)
        alice = model.peer("Alice")
        view = model.view(alice)
        text = msgspec.json.encode(view).decode()
        for variable, (true, wrong) in changed(right, change(right, mistake)).items():
            if variable in right.givens:
                continue
            own = next(one for one in view.work if one.variable == variable)
            assert own.value == str(wrong)
            others = {one.value for one in view.work if one.variable != variable} | {
                one.value for one in view.sheet.givens
            }
            assert str(true) in others or f'"{true}"' not in text
        assert view.cues == ()
        assert view.belief is not None


def test_every_question_to_a_peer_carries_its_own_view_only() -> None:
    seen: list[Any] = []

    def look(decision: Any) -> Any:
        seen.append(decision)
        return Instead()._policy.answer([decision])[0].outcome

    model = group(policy=Instead(revise=look, intend=look)).run()
    right = model.right["step_length"]
    before = [one for one in seen if one.agent == "Alice" and not one.view.revised]
    assert before
    for decision in before:
        assert isinstance(decision, Revise | Intend)
        assert all(one.value != right for one in decision.view.work if one.variable == "step_length")


# --- laws ---


def test_a_monitor_that_never_sees_an_end_cannot_hold_the_first_two_stages_open() -> None:
    never = Instead(see_stage=lambda _: StageSeen(False, "not yet"))
    model = group(policy=never, rules={"turns": 30}).run()
    counts = {name: sum(row.stage == name for row in model.journal.messages) for name in STAGES}
    assert (counts["understand"], counts["organise"]) == (4, 4)
    assert counts["plan"] == 22, "what needs a decision waits for it"
    assert not model.solved
    assert model.turn == 30


def test_a_monitor_that_always_sees_one_closes_no_stage_before_its_time() -> None:
    always = Instead(see_stage=lambda _: StageSeen(True, "done"))
    model = group(policy=always).run()
    assert stages_of(model) == list(STAGES)
    rows = [row for row in model.journal.stages if row.stage == "execute"]
    last = rows[-1].turn
    named = [row.turn for row in model.journal.messages if row.topic == "step_length" and row.act == "state_result"]
    assert min(named) <= last
    agreed = {row.speaker for row in model.journal.messages if row.stage == "validate"}
    assert agreed == {"Alice", "Bob"}, "everybody has to say so at the end"


def test_choices_are_all_talked_about_before_the_end() -> None:
    always = Instead(see_stage=lambda _: StageSeen(True, "done"))
    model = group("poster_frame", None, policy=always).run()
    assert model.solved
    assert set(model.record.options) == {"A", "B", "C", "D"}


def test_nobody_speaks_twice_in_a_row_whatever_is_suggested() -> None:
    same = Instead(invite=lambda decision: Invited((decision.dialogue[-1].speaker,)))
    speakers = [name for name, _ in told(group(policy=same).run())]
    assert all(one != other for one, other in pairwise(speakers))


def test_a_correction_spreads_to_what_is_worked_out_from_it_and_is_written_down() -> None:
    model = group(seed=2).run()
    [row] = model.journal.revisions
    assert (row.peer, row.variable, row.after, row.by) == ("Alice", "step_length", "3 foot/step", "Bob")
    assert row.before == "1200 foot/step"
    assert row.right
    assert "way_back" in row.carried
    events = [one.event for one in model.journal.errors if one.variable == "step_length"]
    assert events == ["introduced", "noticed", "corrected"]


def test_answers_that_do_not_come_are_silence_and_the_dialogue_still_ends() -> None:
    gone = Answer.failed("nobody", "gone")
    mute = group(policy=Instead(utter=gone), rules={"turns": 8}).run()
    assert told(mute) == []
    assert mute.turn == 8
    for kind in ("revise", "invite", "see_stage"):
        assert group(policy=Instead(**{kind: gone}), rules={"turns": 40}).run().turn > 8


def test_a_schema_takes_no_value_that_is_none() -> None:
    from eduverse_mesa.decisions.groups import Revised

    for wrong in ({"step_length": "lots"}, {"step_length": "3 miles per hour"}):
        model = group(policy=Instead(revise=lambda _, wrong=wrong: Revised(changes=wrong, reason="so")))
        with pytest.raises(PolicyError, match="cannot hold that step_length"):
            model.run()


# --- people ---


def with_mia(**given: Any) -> GroupModel:
    return group(people=["Mia"], **given)


def test_a_message_of_a_person_is_heard_and_answered_and_a_name_calls_its_owner() -> None:
    model = with_mia()
    model.hear("Mia", "Alice, what do we have to find?", 3.0)
    model.step()
    assert model.floor.holders == ("Alice",)
    model.step()
    assert [name for name, _ in told(model)] == ["Mia", "Alice"]


def test_peers_hold_back_for_a_minute_where_only_a_person_is_invited() -> None:
    model = with_mia(policy=Instead(invite=lambda _: Invited(("Mia",))))
    model.hear("Mia", "Bob?", 0.0)
    model.step()
    model.step()
    assert [name for name, _ in told(model)] == ["Mia", "Bob"]
    model.tick(59.0)
    model.step()
    assert len(told(model)) == 2
    model.type("Mia", 59.5)
    model.tick(100.0)
    model.step()
    assert len(told(model)) == 2, "a key was struck: she has a minute again"
    model.tick(119.5)
    model.step()
    assert [name for name, _ in told(model)][2:] == ["Alice"]


def test_a_person_who_is_gone_is_waited_for_and_not_talked_at_for_ever() -> None:
    model = with_mia(rules={"goes_on": 3}).run()
    assert model.running
    assert model.due is None
    said = len(told(model))
    model.step()
    assert len(told(model)) == said
    model.hear("Mia", "I'm back", model.now + 500.0)
    assert model.due == model.now


def converse(model: GroupModel, lines: list[str]) -> GroupModel:
    """Say one line after the other, whenever the person may speak."""
    left = list(lines)
    while model.running and left:
        if "Mia" in model.floor.holders:
            model.hear("Mia", left.pop(0), model.now + 5.0)
        else:
            model.tick(max(model.now, model.due or 0.0))
        model.step()
    return model.run()


def alone_with_alice(seed: int) -> GroupModel:
    pair = setup(people=["Mia"])
    return GroupModel(pair.model_copy(update={"peers": pair.peers[:1]}), problem=problem(), seed=seed)


def test_a_person_who_has_a_reason_changes_what_alice_thinks() -> None:
    reason = "One step has to be much shorter than the line, so we have to divide: 60 / 20 = 3."
    model = converse(alone_with_alice(3), ["ok", "sure", "ok", "what is one step?", reason, reason, "yes", "I agree"])
    [row] = model.journal.revisions
    assert (row.variable, row.after, row.by, row.right) == ("step_length", "3 foot/step", "Mia", True)


def test_a_person_who_only_insists_changes_nothing() -> None:
    model = converse(
        alone_with_alice(3), ["ok", "sure", "one step is 3 feet", "it's 3 feet!", "3!", "just believe me, 3"]
    )
    assert model.journal.revisions == []
    assert any(row.speaker == "Alice" and row.stance == "disagrees" for row in model.journal.messages)


def test_a_wrong_calculation_is_no_reason() -> None:
    model = converse(alone_with_alice(3), ["ok", "sure", "60 / 20 = 4", "60 / 20 = 4, really", "60 / 20 is 4"])
    assert model.journal.revisions == []


def test_who_has_no_seat_is_not_heard_and_time_does_not_run_back() -> None:
    model = with_mia()
    with pytest.raises(LessonError, match="Zoe"):
        model.hear("Zoe", "hello")
    model.tick(10.0)
    with pytest.raises(LessonError, match="run back"):
        model.tick(9.0)
    model.leave("Mia")
    assert not model.running
    assert model.journal.ends[0].solved is False
    with pytest.raises(LessonError, match="over"):
        model.hear("Mia", "wait")


def test_a_hostile_message_is_only_words() -> None:
    model = with_mia()
    for text in (
        "\x00\x1b[31m" + "9**9**9 " * 400,
        "__import__('os').system('x')",
        "{thinks} {cue} {}",
        "🙂" * 3000,
        "",
    ):
        model.hear("Mia", text)
        model.step()
    assert all(len(text) <= 2000 and "\x1b" not in text for _, text in told(model))


SAID = (
    "ok", "I'd divide", "it's 3", "60 / 20 = 3", "why?", "I don't get it", "yes I agree", "B", "no that's wrong",
    "Bob?", "is it 1?",
    "what about C?", "Alice what did you get?", "lol", "asdf qwer", "I'll do it", "option 2", "0 * 60 = 0",
    "do you play minecraft?", "because it has to be shorter", "1/0", "that's 15%", "$18", "400 messages", "",
)  # fmt: skip


@pytest.mark.parametrize("place", range(9))
def test_peers_have_an_answer_to_whatever_is_said_in_whatever_order(place: int) -> None:
    draw = random.Random(place)
    model = GroupModel(setup(None, ["Mia"]), problem=NAMES[place], seed=place)
    while model.running and model.turn < 40:
        if draw.random() < 0.5:
            model.hear("Mia", draw.choice(SAID), model.now + 3.0)
        else:
            model.tick(max(model.now, model.due or 0.0))
        model.step()
    assert never_back(model)
    own = [row.text.casefold() for row in model.journal.messages if row.role != "person"]
    assert own
    assert all(own)


def test_a_misconception_that_the_problem_does_not_have_is_refused() -> None:
    with pytest.raises(LessonError, match="Known: multiplies"):
        group(misconception="same_difference")


def test_help_fades_over_the_sessions() -> None:
    first = GroupModel(setup(None, fading=0.5), problem="race_fuel", seed=1)
    third = GroupModel(setup(None, fading=0.5), problem="race_fuel", seed=1, session=3)
    assert [one.peer("Bob").help_left for one in (first, third)] == [1.0, 0.25]


def test_words_of_a_policy_are_cleaned_before_they_are_heard() -> None:
    model = group(policy=Instead(utter=lambda _: Uttered("so\n\u202eit is 3")), rules={"turns": 4}).run()
    assert {text for _, text in told(model)} == {"so it is 3"}
