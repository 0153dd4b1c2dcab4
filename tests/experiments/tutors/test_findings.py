"""What an evaluation says where some of it is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.experiments.tutors import Evaluation, compare, evaluate, find, make_plan
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.policies.mixture import by_kind
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.visualization.reports.text import render_text
from eduverse_mesa.visualization.reports.tutoring import tutor_report, tutors_report

AFTER = 3
"""The session of the test after: one before it, and one dialogue."""


class Lenient:
    """A judge that loses what is poor in the test after the dialogues."""

    name = "lenient"

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        scored = EmbeddedTutoringPolicy().answer(decisions)
        return [
            Answer.failed(self.name, "timeout")
            if decision.at.lesson == AFTER and one.outcome.score <= 3
            else one
            for decision, one in zip(decisions, scored, strict=True)
        ]  # fmt: skip


def evaluated(policy: AnyPolicy, learners: int = 6) -> Evaluation:
    setup = load_tutoring(learners=learners)
    return evaluate(make_plan(setup.curriculum, 2, ["2-LS2-1"], visits=1), setup, policy=policy, seed=1)


@pytest.fixture(scope="module")
def full() -> Evaluation:
    return evaluated(EmbeddedTutoringPolicy())


@pytest.fixture(scope="module")
def partly() -> Evaluation:
    return evaluated(by_kind({"judge_answer": Lenient()}, EmbeddedTutoringPolicy()))


def test_answers_that_a_judge_has_lost_are_left_out_of_all_tests_and_told(full: Evaluation, partly: Evaluation) -> None:
    lost = partly.judging.failed
    assert lost > 5
    assert partly.left_out > 2 * lost, "what is missing after is left out before and later"
    assert (full.failed, full.left_out) == (0, 0)
    scored = partly.tests.dropna(subset=["score"])
    after = scored[scored["exam"] == "post"].set_index(["learner", "item"]).index
    before = scored[scored["exam"] == "pre"].set_index(["learner", "item"])["score"]
    compared = before[before.index.isin(after)].groupby("learner").mean()
    pre = partly.outcomes.set_index("learner")["pre"].reindex(compared.index)
    assert pre.tolist() == pytest.approx(((compared - 1) / 9).tolist())
    assert len(compared) < len(partly.outcomes) == find(partly).means["pre"].n, "of one learner all was lost after"


def test_who_failed_is_told_one_by_one(partly: Evaluation) -> None:
    said = render_text(tutor_report(find(partly)), 1000)
    failed = {who: int(count) for who, count in re.findall(r"(tutor|learners|judge) +\d+ +(\d+) +\d+", said)}
    assert failed == {"tutor": 0, "learners": 0, "judge": partly.judging.failed}
    assert f"{partly.left_out} of {6 * 3 * 3} answers in tests are left out" in said
    assert "the gain may be luck of the judge" in said
    assert partly.failed == partly.judging.failed


def test_one_learner_has_no_interval_and_no_numbers_that_are_none() -> None:
    one = evaluated(EmbeddedTutoringPolicy(), learners=1)
    said = render_text(tutors_report(compare(one, one)), 1000)
    assert "nan" not in said
    assert "One learner has no interval" in said
