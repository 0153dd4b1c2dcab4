"""Contract of policies, which answer decisions, also for a policy of your own (docs/guides/your-own-policy.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import PolicyError


class Policy(Protocol):
    """Answers decisions, one answer for each and in their order.

    A decision carries all its agent may know, so a policy needs no state; if it keeps some (a connection, a cache),
    its answers must not depend on the order in which it was asked.
    """

    name: str

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """Answer a batch of decisions that do not depend on one another."""
        ...


class AsyncPolicy(Protocol):
    """A policy that has to wait for somebody: a model server, a person."""

    name: str

    async def answer_async(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """Answer a batch of decisions that do not depend on one another."""
        ...


AnyPolicy = Policy | AsyncPolicy


def check_answers(policy: str, decisions: Sequence[Decision], answers: Sequence[Answer]) -> Sequence[Answer]:
    """The answers, if there is one of the right type for each decision; otherwise say what is wrong with the policy."""
    if len(answers) != len(decisions):
        raise PolicyError(
            f"policy '{policy}' gave {len(answers)} answers to {len(decisions)} decisions.",
            mend="It has to return one answer for each decision, in their order.",
        )
    for decision, answer in zip(decisions, answers, strict=True):
        if answer.status == "failed":
            if answer.outcome is not None or not answer.reason:
                raise PolicyError(
                    f"policy '{policy}' marked an answer to '{decision.kind}' as failed, but with an outcome or "
                    "without a reason.",
                    mend="A failed answer has outcome None and says why: Answer.failed(source, reason).",
                )
        elif type(answer.outcome) is not decision.outcome:
            raise PolicyError(
                f"policy '{policy}' answered '{decision.kind}' for {decision.agent} with "
                f"{type(answer.outcome).__name__}, not {decision.outcome.__name__}.",
                mend=f"Return Answer({decision.outcome.__name__}(...), source='{policy}').",
            )
    return answers
