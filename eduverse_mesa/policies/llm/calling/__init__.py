"""Calls to model servers: the transport under the prompts, with its limits, budgets and memory."""

from eduverse_mesa.policies.llm.calling.backoff import Backoff
from eduverse_mesa.policies.llm.calling.body import ABILITIES, Ability
from eduverse_mesa.policies.llm.calling.breaker import Breaker
from eduverse_mesa.policies.llm.calling.budget import Ledger, Spent, billed_to, largest_prompt
from eduverse_mesa.policies.llm.calling.cache import AnswerCache, call_key
from eduverse_mesa.policies.llm.calling.caller import Caller, limit_fact
from eduverse_mesa.policies.llm.calling.deadlines import Deadlines
from eduverse_mesa.policies.llm.calling.endpoint import Endpoint, Extras
from eduverse_mesa.policies.llm.calling.facts import Facts
from eduverse_mesa.policies.llm.calling.limiter import Limiter
from eduverse_mesa.policies.llm.calling.meter import Meter
from eduverse_mesa.policies.llm.calling.prices import Price, PriceList

__all__ = [
    "ABILITIES",
    "Ability",
    "AnswerCache",
    "Backoff",
    "Breaker",
    "Caller",
    "Deadlines",
    "Endpoint",
    "Extras",
    "Facts",
    "Ledger",
    "Limiter",
    "Meter",
    "Price",
    "PriceList",
    "Spent",
    "billed_to",
    "call_key",
    "largest_prompt",
    "limit_fact",
]
