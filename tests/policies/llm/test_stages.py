"""Decisions become calls: a stage each as in the paper, or a whole turn in one."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions import LESSON, FeedbackItem, Plan, Said, Turned, Usage, WordFeedback, WordTurn
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import Recorded, ReplayPolicy, make_policy
from eduverse_mesa.policies.driver import drive_together
from eduverse_mesa.policies.llm.calls import Call
from eduverse_mesa.policies.llm.questions import read_score, shares_of_steps
from eduverse_mesa.vocabulary import ACT_CATEGORY, GROUNDS, SPOKEN
from tests.models.lessons import Asked, lesson, log, played
from tests.policies.llm.rehearsal import FIDELITIES, Rehearsal, Watched, filled, policy_with

STAGES = {  # C.2-C.3: what is asked for each kind of decision, and in which order
    "prepare": ["prepare", "order", "order", "order", "order", "order"],
    "take_turn": ["category", "act", "teacher_words", "tone"],
    "score_request": ["score_request"],
    "plan": ["plan"],
    "react": ["react"],
    "draft": ["draft"],
    "style": ["style"],
    "monitor": ["monitor"],
    "give_feedback": ["feedback"],
    "regulate": ["regulate"],
    "pace": ["pace"],
    "summarise": ["summarise"],
    "evaluate": ["evaluate"],
    "word_turn": ["word_turn"],
    "word_feedback": ["word_feedback"],
}
ABLATIONS: dict[str, tuple[str, ...]] = {
    "nocog": ("plan", "monitor", "regulate"),
    "nolocal": ("style", "react"),
    "noregulate": ("regulate", "react"),
}


@cache
def embedded(ablation: str = "") -> list[Any]:
    """The decisions of a lesson of the embedded policy, and of somebody who words it."""
    asked = Asked()
    settings: dict[str, object] = {"ablation": [ablation] if ablation else [], "pacing.mode": "adaptive"}
    played(asked, steps=10, settings=settings)
    turn, feedback = asked.of("take_turn")[0], asked.of("give_feedback")[0]
    said = (Said("What do you see?", "press-accuracy"),)
    item = FeedbackItem(feedback.heard[0].student, "positive", said)
    return [
        *asked.decisions,
        WordTurn(turn.at, turn.view, Turned("interaction", "asking_question", "neutral", said)),
        WordFeedback(feedback.at, feedback.view, feedback.heard, (item,)),
    ]


def of_every_kind() -> dict[str, Any]:
    """One decision of each kind; of plans one that can be spoken."""
    found = {decision.kind: decision for decision in [*embedded("nocog"), *embedded()]}
    return {kind: found[kind] for kind in LESSON}


def watched(fidelity: str, *, steps: int = 6, style_model: str | None = None, **more: Any) -> tuple[Watched, Any]:
    rehearsal = Rehearsal()
    policy = Watched(rehearsal, policy_with(rehearsal, fidelity, style_model=style_model))
    return policy, played(policy, steps=steps, **more)


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize("kind", LESSON)
def test_every_kind_of_decision_gets_its_outcome(kind: str, fidelity: str) -> None:
    decision = of_every_kind()[kind]
    rehearsal = Rehearsal()
    (answer,) = asyncio.run(policy_with(rehearsal, fidelity).answer_async([decision]))
    assert type(answer.outcome) is LESSON[kind].outcome
    assert (answer.status, answer.source, answer.attempts) == ("ok", "llm", 1)
    assert answer.usage == Usage.sum([Usage(100, 20, 60, 0.001, 5.0, 1)] * len(rehearsal.calls))
    assert rehearsal.calls


@pytest.mark.parametrize("kind", LESSON)
def test_staged_asks_for_the_stages_of_the_paper(kind: str) -> None:
    rehearsal = Rehearsal()
    (answer,) = asyncio.run(policy_with(rehearsal, "staged").answer_async([of_every_kind()[kind]]))
    names = [call.name for call in rehearsal.calls]
    if kind == "take_turn" and len([act for act, of in ACT_CATEGORY.items() if of == answer.outcome.category]) == 1:
        names.insert(1, "act")
    assert names == STAGES[kind]


def test_an_act_that_is_settled_is_not_asked_for() -> None:
    decision = of_every_kind()["take_turn"]
    settled = type(decision)(decision.at, decision.view, ("lecturing",))
    rehearsal = Rehearsal()
    (answer,) = asyncio.run(policy_with(rehearsal, "staged").answer_async([settled]))
    assert [call.name for call in rehearsal.calls] == ["teacher_words", "tone"]
    assert (answer.outcome.category, answer.outcome.act) == ("instruction", "lecturing")


def test_fused_makes_one_call_a_student_and_step_and_two_for_the_teacher() -> None:
    policy, model = watched("fused", settings={"pacing.mode": "adaptive"})
    scored = Counter((d.at.step, d.at.agent) for d, _ in policy.of("score_request"))
    closing = {"prepare", "summarise", "evaluate"}
    made = Counter((d.at.step, d.at.agent) for d, calls in policy.seen if d.kind not in closing for _ in calls)
    teacher = model.teacher.name
    for step in range(1, model.state.step + 1):
        assert made[step, teacher] == 2
        for student in model.students:
            # What a turn does not tell is asked for later: words for a behaviour that came without, and what is noticed
            # and resolved where the room made something else of it.
            missing = sum(
                call.name in ("say", "monitor", "regulate")
                for d, calls in policy.seen
                for call in calls
                if d.at == (3, 1, step, student.name)
            )
            if not any(row.agent == student.name and row.step == step for row in model.journal.rejections):
                assert missing <= 1
            assert made[step, student.name] == 1 + scored[step, student.name] + missing
    assert scored, "nobody asked anybody"


def test_fused_words_are_asked_for_only_where_a_turn_has_none() -> None:
    for decision, calls in watched("fused")[0].of("draft"):
        assert len(calls) <= 1, decision


@pytest.mark.parametrize("ablation", ["", *ABLATIONS])
def test_both_fidelities_log_the_same_kinds_of_answers_in_the_same_order(ablation: str) -> None:
    settings = {"ablation": [ablation] if ablation else []}
    kinds = []
    for fidelity in FIDELITIES:
        _, model = watched(fidelity, settings=settings)
        entries = log(model)
        assert {entry.answer.status for entry in entries} == {"ok"}
        kinds.append({entry.kind for entry in entries})
        assert not kinds[-1].intersection(ABLATIONS.get(ablation, ("react",)))
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_lesson_is_the_same_in_whichever_order_answers_arrive(fidelity: str) -> None:
    models = [
        played(policy_with(Rehearsal(delays=delays), fidelity), steps=6)
        for delays in (None, random.Random(1), random.Random(2))
    ]
    assert len({model.digest() for model in models}) == 1
    assert log(models[0]) == log(models[1]) == log(models[2])


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_lesson_replays_from_its_log_without_the_model(fidelity: str) -> None:
    first = played(policy_with(Rehearsal(), fidelity), steps=6)
    recording = [Recorded(1, entry.step, entry.agent, entry.kind, entry.answer) for entry in log(first)]
    again = played(ReplayPolicy(recording), steps=6)
    assert again.digest() == first.digest()


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_classrooms_with_the_same_seed_do_not_mix_their_turns(fidelity: str) -> None:
    def classrooms(policy: Any) -> list[ClassroomModel]:
        return [lesson(policy, steps=6, layout=layout) for layout in ("lecture", "collab")]

    alone = [played(policy_with(Rehearsal(), fidelity), steps=6, layout=layout) for layout in ("lecture", "collab")]
    together = policy_with(Rehearsal(delays=random.Random(3)), fidelity)
    models = classrooms(together)
    while any(model.running for model in models):
        asyncio.run(drive_together([model.rounds() for model in models], together))
        for model in models:
            model.finish_driven_step()
    assert alone[0].digest() != alone[1].digest()
    assert [model.digest() for model in models] == [model.digest() for model in alone]
    assert list(map(log, models)) == list(map(log, alone))


def spoken_plan(behaviour: str) -> Plan:
    plans = [d for d in embedded() if d.kind == "plan" and behaviour in d.permitted]
    return plans[0]


def test_words_of_a_behaviour_that_the_room_made_of_another_are_asked_for() -> None:
    draft = of_every_kind()["draft"]
    words = [{"text": "Me, please!", "move": "none"}]

    def turn(call: Call, _: int) -> str | None:
        if call.name != "student_turn":
            return None
        return json.dumps(filled(call) | {"behaviour": "hand_raise", "words": words})

    rehearsal = Rehearsal(turn)
    policy = policy_with(rehearsal)
    plan = spoken_plan("hand_raise")
    plan = type(plan)(draft.at, plan.view, (*plan.permitted, *SPOKEN), plan.partners)
    asyncio.run(policy.answer_async([plan]))
    (answer,) = asyncio.run(policy.answer_async([draft]))
    assert [call.name for call in rehearsal.calls] == ["student_turn", "say"]
    assert "Me, please!" not in str(answer.outcome)


def test_a_model_of_its_own_for_style_is_asked_in_both_fidelities() -> None:
    for fidelity in FIDELITIES:
        policy, _ = watched(fidelity, style_model="adapter")
        styled = policy.of("style")
        assert styled
        for _, calls in styled:
            assert [(call.name, call.model) for call in calls] == [("style", "adapter")]
        assert {call.model for call in policy.calls if call.name != "style"} == {"small"}


def test_what_the_stages_before_a_useless_one_took_counts() -> None:
    for kind, useless in (("take_turn", "tone"), ("prepare", "order"), ("evaluate", "evaluate")):
        rehearsal = Rehearsal(lambda call, _, useless=useless: "no" if call.name == useless else None)  # type: ignore[misc]
        (answer,) = asyncio.run(
            policy_with(rehearsal, "staged", otherwise="failed").answer_async([of_every_kind()[kind]])
        )
        assert answer.status == "failed"
        assert answer.usage is not None
        assert answer.usage.calls == len(rehearsal.calls)
        assert answer.usage.calls > len(STAGES[kind])


def test_a_fused_turn_that_failed_is_not_asked_for_in_parts() -> None:
    rehearsal = Rehearsal(lambda call, _: "no" if "You are Liu Li, " in call.messages[1].content else None)
    policy = Watched(rehearsal, policy_with(rehearsal))
    model = played(policy, steps=2)
    made = Counter(call.name for d, calls in policy.seen if d.agent == "Liu Li" for call in calls)
    assert made["student_turn"] == 3 * model.state.step
    assert set(made) <= {"student_turn", "score_request", "summarise"}


def test_fused_turns_are_forgotten_when_they_are_over() -> None:
    rehearsal = Rehearsal()
    policy = policy_with(rehearsal)
    model = played(policy, steps=6)
    kept = policy._stages._turns._turns.values()  # type: ignore[attr-defined]
    assert {at.agent for at, _ in kept} <= {model.teacher.name}


def test_the_embedded_policy_can_stand_in_for_every_kind() -> None:
    embedded_policy: Any = make_policy("embedded")
    for kind, decision in of_every_kind().items():
        (answer,) = embedded_policy.answer([decision])
        assert type(answer.outcome) is LESSON[kind].outcome


@given(st.lists(st.integers(1, 20), min_size=1, max_size=5), st.integers(1, 60))
def test_steps_are_shared_out_whole_and_nobody_goes_without_while_there_is_enough(
    weights: list[int], steps: int
) -> None:
    shares = shares_of_steps(weights, steps)
    assert sum(shares) == steps
    assert min(shares) >= (1 if steps >= len(weights) else 0)
    if steps >= 2 * sum(weights):
        assert all(
            abs(share - steps * weight / sum(weights)) < 1 for share, weight in zip(shares, weights, strict=True)
        )


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 10)), min_size=5, max_size=5))
def test_weights_become_shares_even_where_a_model_finds_nothing_important(grounds: list[tuple[int, int]]) -> None:
    value: dict[str, object] = {
        name: {"score": score, "weight": weight, "reason": "So."}
        for name, (score, weight) in zip(GROUNDS, grounds, strict=True)
    }
    scores = read_score(value, of_every_kind()["score_request"])
    assert sum(scores.weights) == pytest.approx(1)
    assert 0 <= scores.intention <= 1 + 1e-9
