"""Drivers: they carry decisions from a model's rounds to a policy, and answers back. They decide nothing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from eduverse_mesa.decisions import Answer, Decision, Round, Rounds
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.policy import AnyPolicy, check_answers

Result = TypeVar("Result")
Notice = Callable[[Decision], None]

_NOTICE: ContextVar[Notice | None] = ContextVar("eduverse_notice", default=None)


def answered(decision: Decision) -> None:
    """Report that a decision is answered to the listener that waits for the batch; do nothing if there is none."""
    notice = _NOTICE.get()
    if notice is not None:
        notice(decision)


async def noticing(begin: Callable[[], Coroutine[Any, Any, Result]], notice: Notice) -> Result:
    """Begin work and await it, and hear of each decision in it that is answered. Tasks that it starts are heard, too.

    Work that is broken off before its turn has not begun: a coroutine that nobody awaits is one that Python complains
    of.
    """
    token = _NOTICE.set(notice)
    try:
        return await begin()
    finally:
        _NOTICE.reset(token)


def has_to_wait(policy: AnyPolicy) -> bool:
    """Return True if the policy answers asynchronously."""
    # By attribute: isinstance with a runtime protocol costs more than answering does.
    return hasattr(policy, "answer_async")


def answer(policy: AnyPolicy, decisions: Sequence[Decision]) -> Sequence[Answer]:
    """A policy's checked answers."""
    ask = getattr(policy, "answer", None)
    if ask is None:
        raise PolicyError(
            f"policy '{policy.name}' has to be waited for.", mend="Use step_async() or drive_async() with it."
        )
    return check_answers(policy.name, decisions, ask(decisions))


async def answer_async(policy: AnyPolicy, decisions: Sequence[Decision]) -> Sequence[Answer]:
    """A policy's checked answers, waiting where it has to."""
    ask = getattr(policy, "answer_async", None)
    if ask is None:
        given = answer(policy, decisions)
        for decision in decisions:
            answered(decision)
        return given
    return check_answers(policy.name, decisions, await ask(decisions))


def drive(rounds: Rounds, policy: AnyPolicy) -> None:
    """Run a step to its end."""
    batch = _start(rounds)
    while batch is not None:
        batch = _go_on(rounds, answer(policy, batch.decisions))


async def drive_async(rounds: Rounds, policy: AnyPolicy) -> None:
    """Run a step to its end, waiting for answers."""
    batch = _start(rounds)
    while batch is not None:
        batch = _go_on(rounds, await answer_async(policy, batch.decisions))


async def drive_together(many: Iterable[Rounds], policy: AnyPolicy) -> None:
    """Run a step of many classrooms in lockstep, their rounds merged into one batch: they share the waiting."""
    open_batches = [(rounds, batch) for rounds in many if (batch := _start(rounds)) is not None]
    while open_batches:
        decisions = [decision for _, batch in open_batches for decision in batch.decisions]
        answers = await answer_async(policy, decisions)
        still_open: list[tuple[Rounds, Round]] = []
        start = 0
        for rounds, batch in open_batches:
            end = start + len(batch.decisions)
            following = _go_on(rounds, answers[start:end])
            start = end
            if following is not None:
                still_open.append((rounds, following))
        open_batches = still_open


def run_waiting(rounds: Rounds, policy: AnyPolicy) -> None:
    """Run a step with any policy from ordinary code: only the waiting is done elsewhere."""
    if not has_to_wait(policy):
        drive(rounds, policy)
        return
    batch = _start(rounds)
    while batch is not None:
        batch = _go_on(rounds, shared_loop().wait_for(answer_async(policy, batch.decisions)))


def _start(rounds: Rounds) -> Round | None:
    return next(rounds, None)


def _go_on(rounds: Rounds, answers: Sequence[Answer]) -> Round | None:
    try:
        return rounds.send(answers)
    except StopIteration:
        return None
