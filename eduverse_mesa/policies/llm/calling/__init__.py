"""Calls to model servers: the transport under the prompts, with its limits, budgets and memory."""

from eduverse_mesa.policies.llm.calling.budget import Ledger, Price, PriceList, Spent, billed_to, largest_prompt
from eduverse_mesa.policies.llm.calling.cache import AnswerCache, Facts, call_key
from eduverse_mesa.policies.llm.calling.caller import Caller, Meter, limit_fact
from eduverse_mesa.policies.llm.calling.dialect import ABILITIES, Ability
from eduverse_mesa.policies.llm.calling.endpoint import Deadlines, Endpoint, Extras
from eduverse_mesa.policies.llm.calling.limiter import Backoff, Breaker, Limiter

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
