"""Rounds of calls that a fused lesson waits for, one after the other, and the time that asking early could save.

A round can be asked early for certain where its prompts do not hang on the answers of the round before. That is
measured: each round is answered otherwise once, by another luck of the same stub, and the prompts of the round after it
are compared. What a guess of the answers could save on top of that is not measured here: wrong guesses are paid for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from zlib import crc32

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies.llm.answer import Asker
from eduverse_mesa.policies.llm.calling import Ledger
from eduverse_mesa.policies.llm.calls import Call, Completion, Sampling
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.rehearsal import sketch
from eduverse_mesa.policies.llm.stages import Fused
from eduverse_mesa.scenarios import load_scenario

STEPS, TALK_STEPS = 4, 5


class _EnoughError(Exception):
    """All that is to be compared has been asked."""


@dataclass
class _Stub:
    """A model that says anything of the right form, by its luck; and who asks it, in rounds."""

    other: int = -1
    """The round that is answered otherwise; the one after it is the last."""
    name: str = "stub"
    round: int = -1
    rounds: list[list[str]] = field(default_factory=list)
    """The prompts of each round."""
    inner: Any = None

    async def complete(self, call: Call, ledger: Any = None) -> Completion:  # noqa: ARG002
        """An answer at once."""
        prompt = json.dumps([call.name, [[message.role, message.content] for message in call.messages]])
        self.rounds[self.round].append(prompt)
        luck = crc32(f"{self.round == self.other} {prompt}".encode())
        return Completion(json.dumps(sketch(call.schema or {"type": "string"}, luck, 0.3)))

    async def answer_async(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """One round."""
        self.round += 1
        self.rounds.append([])
        answers: Sequence[Answer] = await self.inner.answer_async(decisions)
        if 0 <= self.other < self.round:
            raise _EnoughError
        return answers


def _played(students: str, other: int = -1) -> tuple[list[list[str]], int]:
    """The prompts of a lesson by its rounds, and the calls that waited for one another."""
    scenario = load_scenario(
        students=students,
        layout="rows_30" if students == "thirty" else None,
        steps=STEPS,
        settings={"pacing.mode": "fixed"},
    )
    stub = _Stub(other)
    asker = Asker(stub, Ledger(), "stub", Sampling(), reasks=0, send_seed=True)
    policy = LlmPolicy("stub", Fused(asker, Prompter({}, TALK_STEPS), None), None, useless=1)
    stub.inner = policy
    model = ClassroomModel(scenario, policy=stub, seed=1)
    try:
        for _ in range(STEPS):
            model.step()
    except _EnoughError:
        pass
    return stub.rounds, policy.path.rounds


def bench_rounds() -> list[str]:
    """The critical path of a step, with six and with thirty students."""
    lines = [
        "Rounds of calls that a fused lesson waits for, and those that could be asked together with the round before"
    ]
    for students, name in (("six", " 6 students"), ("thirty", "30 students")):
        rounds, chain = _played(students)
        asked = [number for number, prompts in enumerate(rounds) if prompts]
        calls = early = whole = 0
        for before, number in pairwise(asked):
            changed, _ = _played(students, before)
            known = set(changed[number]) if number < len(changed) else set()
            same = sum(prompt in known for prompt in rounds[number])
            calls, early = calls + len(rounds[number]), early + same
            whole += same == len(rounds[number])
        lines.append(
            f"  {name}: {len(asked) / STEPS:5.1f} rounds a step ({chain / STEPS:.1f} calls in a chain); could be asked "
            f"early for certain: {early / calls:.0%} of the calls, {whole / STEPS:.1f} whole rounds a step"
        )
    return lines


if __name__ == "__main__":
    for line in bench_rounds():
        print(line)
