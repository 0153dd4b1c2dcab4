"""Policies that answer decisions, their combinations, and the drivers that carry decisions to them."""

from __future__ import annotations

from eduverse_mesa.policies.mixture import by_agent, by_kind
from eduverse_mesa.policies.policy import AnyPolicy, AsyncPolicy, Policy
from eduverse_mesa.policies.recorded import NotRecordedError, Recorded, ReplayPolicy, ScriptedPolicy
from eduverse_mesa.policies.registry import make_policy, settle

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
