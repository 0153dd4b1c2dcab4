"""What teaching a cohort would ask of a language model."""

from __future__ import annotations

import pytest

from eduverse_mesa.models.tutoring import Exam, Question, Talk, TutoringModel
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.runs.estimate import Estimate, estimate_tutoring, settled
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring
from tests.models.learners import document, taught

AGENDA = (Talk(0.0, 1, "cork"), Talk(1.0, 1), Exam(2.0, 1, "quiz", (Question("cork", "a"), Question("raft", "a"))))


def estimated(policy: str, learners: int = 4, model: str = "gpt-4.1-mini") -> Estimate:
    def play(few: Tutoring, counted: AnyPolicy) -> None:
        TutoringModel(few, policy=counted, agenda=AGENDA, seed=1).run()

    setup = load_tutoring(document(), settings={"llm.model": model})
    return estimate_tutoring(settled(setup, policy), policy, play, learners)


@pytest.mark.parametrize(
    ("policy", "kinds"),
    [
        ("llm", {"pick_unit", "teach", "reply", "consolidate", "reflect", "judge_answer"}),
        ("judge=llm,rest=embedded", {"judge_answer"}),
        ("tutor=llm,rest=embedded", {"teach", "pick_unit"}),
    ],
)
def test_every_question_that_a_model_would_be_asked_is_counted_and_no_other(policy: str, kinds: set[str]) -> None:
    asked = [row.kind for row in taught(agenda=AGENDA).journal.answers]
    found = estimated(policy)
    assert found.calls == sum(kind in kinds for kind in asked)
    assert found.tokens_in > 50 * found.calls, "a prompt has rules and a task"
    assert found.cost_usd is not None
    assert 0 < found.cost_usd["least"] < found.cost_usd["likely"] < found.cost_usd["most"]


def test_one_learner_stands_for_all_who_are_taught_beside_it() -> None:
    one, both = estimated("llm", learners=1), estimated("llm")
    assert one.calls == pytest.approx(both.calls, rel=0.25)
    assert one.tokens_in == pytest.approx(both.tokens_in, rel=0.25)
    assert one.rounds <= both.rounds < both.calls, "learners do not wait for one another"


def test_a_learner_who_is_named_in_the_policy_is_not_left_out() -> None:
    every = estimated("llm")
    assert 0 < estimated("@Bo=llm,rest=embedded", learners=1).calls < every.calls


def test_a_model_without_a_price_has_none() -> None:
    assert estimated("llm", model="nobody-knows-it").cost_usd is None
    assert estimated("judge=local,rest=embedded").cost_usd == {"least": 0, "likely": 0, "most": 0}
