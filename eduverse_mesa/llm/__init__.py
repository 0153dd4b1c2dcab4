"""Any Mesa agent asks a language model: all of a step at once, in typed answers (docs/guides/agents.md).

The calls themselves, with limits, budget, cache and retries, are those of lessons: eduverse_mesa.policies.llm.calling.
"""

from eduverse_mesa.decisions import Bill
from eduverse_mesa.llm.language_model import LLM
from eduverse_mesa.llm.response import NoAnswerError, Response
from eduverse_mesa.llm.tools import Lookup, ToolError, tool
from eduverse_mesa.policies.safe_text import quote

__all__ = ["LLM", "Bill", "Lookup", "NoAnswerError", "Response", "ToolError", "quote", "tool"]
