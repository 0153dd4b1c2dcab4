"""Who answers: policies, their combinations, and the drivers that carry decisions to them."""

from __future__ import annotations

from eduverse_mesa.policies.combine import by_agent, by_kind
from eduverse_mesa.policies.making import make_policy, settle
from eduverse_mesa.policies.policy import AnyPolicy, AsyncPolicy, Policy
from eduverse_mesa.policies.replay import NotRecordedError, Recorded, ReplayPolicy
from eduverse_mesa.policies.scripted import ScriptedPolicy

__all__ = [
    "AnyPolicy",
    "AsyncPolicy",
    "NotRecordedError",
    "Policy",
    "Recorded",
    "ReplayPolicy",
    "ScriptedPolicy",
    "by_agent",
    "by_kind",
    "make_policy",
    "settle",
]
