"""Families of models by what their servers refuse, each in words of its own; the texts are theirs."""

from __future__ import annotations

import json
from typing import Any


def openai_error(message: str, param: str, code: str) -> Any:
    """As api.openai.com and Azure send it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def unsupported(name: str) -> Any:
    """The error of OpenAI's reasoning models."""
    return openai_error(
        f"Unsupported parameter: '{name}' is not supported with this model.", name, "unsupported_parameter"
    )


def unknown_names(*names: str) -> Any:
    """The error of Gemini's compatible endpoint: a list of one."""
    lines = [f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' for name in names]
    return [{"error": {"code": 400, "message": "\n".join(lines), "status": "INVALID_ARGUMENT"}}]


def extra_forbidden(name: str) -> Any:
    """The error of servers that check with pydantic."""
    return [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 0.2}]


ONLY_ONE = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."

FAMILIES: dict[str, dict[Any, tuple[int, Any]]] = {
    # diffbot/code-gpt-docs#445, tmc/langchaingo#1355
    "gpt-5": {
        "max_tokens": (400, openai_error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")),
        "temperature": (400, openai_error(
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is "
            "supported.", "temperature", "unsupported_value")),
        "top_p": (400, unsupported("top_p")),
        "frequency_penalty": (400, unsupported("frequency_penalty")),
    },
    # openai/openai-python#2072: `param` names the model, and the words name the parameter
    "o3-mini": {
        "temperature": (400, openai_error(
            "Unsupported parameter: 'temperature' is not supported with this model.", "model",
            "unsupported_parameter")),
        "top_p": (400, unsupported("top_p")),  # aandrew-me/tgpt#333, lobehub/lobehub#7747
    },
    # SalesforceAIResearch/MCP-Universe#49, Vali-98/ChatterUI#564
    "claude": {
        ("temperature", "top_p"): (400, {
            "type": "error", "error": {"type": "invalid_request_error", "message": ONLY_ONE}}),
    },
    # Vali-98/ChatterUI#227
    "gemini-2.0": {("frequency_penalty", "seed"): (400, unknown_names("frequency_penalty", "seed"))},
    # vercel/ai#8943, PublicAffairs/openai-gemini#63
    "gemini-2.5": {
        "frequency_penalty": (400, [{"error": {
            "code": 400, "message": "Penalty is not enabled for models/gemini-2.5-flash",
            "status": "INVALID_ARGUMENT"}}]),
    },
    # QuantumNous/new-api#6081, BerriAI/litellm#16265: `error` is the text, `code` stands beside it
    "grok-4": {
        "frequency_penalty": (400, {
            "code": "Client specified an invalid argument",
            "error": "Model grok-4 does not support parameter frequencyPenalty."}),
    },
    # editor-code-assistant/eca#231: `message` is an object
    "mistral": {"seed": (422, {
        "object": "error", "message": {"detail": extra_forbidden("seed")}, "type": "invalid_request_error"})},
    # mistralai/platform-docs-public#7: `message` is JSON in a text
    "mistral, earlier": {"frequency_penalty": (422, {
        "object": "error", "message": json.dumps({"detail": extra_forbidden("frequency_penalty")}), "code": "1000"})},
    # NVIDIA/garak#748
    "nvidia nim": {"frequency_penalty": (422, {
        "title": "Unprocessable Entity", "status": 422,
        "detail": "body -> frequency_penalty\n  Extra inputs are not permitted (type=extra_forbidden)"})},
    # BerriAI/litellm#7748: a gateway
    "litellm": {"frequency_penalty": (400, {"error": {"message": (
        "litellm.UnsupportedParamsError: gemini does not support parameters: {'frequency_penalty': 0.5}")}})},
    # the form of any server built on FastAPI: fastapi.tiangolo.com, "Handling Errors"
    "fastapi": {"top_p": (422, {"detail": extra_forbidden("top_p")})},
}  # fmt: skip
"""By model: the parts that it refuses, alone or together, and the error as it was published."""

SYSTEM = {
    # animalnots/BetterChatGPT-PLUS#90
    "o1-mini": (400, openai_error(
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "messages[0].role", "unsupported_value")),
    # suitenumerique/conversations#197
    "gemma 3, vLLM": (400, {"error": {"message": f"{ALTERNATE} {ALTERNATE}", "type": "BadRequestError", "code": 400}}),
    # anomalyco/opencode#5034: llama.cpp says it with a 500
    "ministral, llama.cpp": (500, {"error": {
        "code": 500, "message": "Only user, assistant and tool roles are supported, got system"}}),
    # Gemma at Google, from memory: no public place was found
    "gemma at Google": (400, [{"error": {
        "code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it",
        "status": "INVALID_ARGUMENT"}}]),
}  # fmt: skip
