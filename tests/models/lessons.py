"""Lessons that the tests of the classroom share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eduverse_mesa.decisions import Answer, Decision, Outcome
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import ScriptedPolicy, make_policy
from eduverse_mesa.policies.policy import AnyPolicy


def lesson(policy: AnyPolicy | str | None = None, *, steps: int = 8, seed: int = 3, **more: Any) -> ClassroomModel:
    """A classroom before its first step."""
    settings = {"pacing.mode": "fixed", **more.pop("settings", {})}
    return ClassroomModel(steps=steps, seed=seed, policy=policy, settings=settings, **more)


def played(policy: AnyPolicy | str | None = None, **more: Any) -> ClassroomModel:
    """A classroom after its last step."""
    model = lesson(policy, **more)
    while model.running:
        model.step()
    return model


def scripted(script: Callable[[Any], Outcome | Answer | None]) -> ScriptedPolicy:
    """A script on top of the embedded policy."""
    return ScriptedPolicy(script, rest=make_policy("embedded"))  # type: ignore[arg-type]


def log(model: ClassroomModel) -> list[Any]:
    """The answer log."""
    return list(model.journal.answers)


class Asked(ScriptedPolicy):
    """The embedded policy, with all decisions kept."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []
        super().__init__(self.keep, rest=make_policy("embedded"))  # type: ignore[arg-type]

    def keep(self, decision: Decision) -> None:
        """Remember what was asked."""
        self.decisions.append(decision)

    def of(self, kind: str) -> list[Any]:
        """Decisions of one kind."""
        return [decision for decision in self.decisions if decision.kind == kind]
