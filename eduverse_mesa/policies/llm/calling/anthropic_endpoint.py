"""A server that speaks Anthropic's own protocol (Messages), through Anthropic's package.

Its limits, retries, budget and cache are the caller's, as for any other server. A form is asked for as the input of a
tool that has to be called: every Claude model is held to that. The package's own retries are off.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling.dialect import USUAL, Ability, Dialect
from eduverse_mesa.policies.llm.calling.endpoint import Deadlines, Endpoint, Extras
from eduverse_mesa.policies.llm.calling.failures import (
    AttemptFailedError,
    Complaint,
    Failure,
    failed_key,
    failed_status,
    unreachable,
)
from eduverse_mesa.policies.llm.calling.limiter import retry_after
from eduverse_mesa.policies.llm.calling.reply import read_reply
from eduverse_mesa.policies.llm.calls import Call, Called, Completion, Message
from eduverse_mesa.policies.llm.offers import offered

ABILITY: Ability = "bounded"
"""Nothing has to be found out: the schema of a tool's input may have bounds, which only `strict` tools may not."""
ANTHROPIC_KEY = "ANTHROPIC_API_KEY"
"""Name of the environment variable, which Anthropic's own programs read, too."""
_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")


class AnthropicEndpoint(Endpoint):
    """A base URL of Anthropic's, a key, and how long we are patient."""

    takes_tools = True
    key_variable = ANTHROPIC_KEY

    def __init__(
        self, base_url: str, key: str = "", deadlines: Deadlines | None = None, extras: Extras | None = None
    ) -> None:
        if find_spec("anthropic") is None:
            raise PolicyError(
                "Anthropic's own protocol needs the anthropic package.",
                where="provider 'anthropic'",
                mend="pip install 'eduverse-mesa[anthropic]'",
            )
        super().__init__(base_url, key, deadlines, extras)
        self._package: Any = None

    async def send(self, call: Call, ability: Ability, within: float | None = None) -> Completion:  # noqa: ARG002
        """One request; `within` are the seconds left to the whole call. Raises AttemptFailedError."""
        if self._package is None:
            self._package = self._open()
        dialect = self.dialects.get(call.model, USUAL)
        patience = self.deadlines.attempt if within is None else min(self.deadlines.attempt, within)
        failure: Failure | None = None
        document: dict[str, Any] = {}
        try:
            async with asyncio.timeout(patience):
                message = await self._package.messages.create(**_arguments(call, dialect, self._added))
            document = message.model_dump(mode="json", warnings=False)
        except TimeoutError:
            failure = Failure("the answer took too long", "timeout", retry=True, fault=True, charged=True)
        except Exception as error:  # the package's own errors are known only where it is installed
            failure = self._failed(error, call, dialect)
        if failure is not None:  # outside the handler: nothing hangs on to an error that knows the request and its key
            raise AttemptFailedError(failure)
        return read_reply(msgspec.json.encode(_as_choice(document)), self._key, call.offers)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._package is not None:
            client, self._package = self._package, None
            await client.close()

    def _open(self) -> Any:
        import anthropic

        proxy: dict[str, Any] = {"proxy": self.extras.proxy} if self.extras.proxy else {}
        return anthropic.AsyncAnthropic(
            api_key=self._key or "none",
            base_url=self.base_url,
            max_retries=0,
            timeout=self.deadlines.read,
            default_headers=dict(self.extras.headers),
            http_client=anthropic.DefaultAsyncHttpxClient(trust_env=False, follow_redirects=False, **proxy),
        )

    def _failed(self, error: Exception, call: Call, dialect: Dialect) -> Failure:
        """Return the failure that an error of the package stands for; raise any other error again, since it is a
        mistake of ours."""
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            headers = error.response.headers
            wait = retry_after(headers.get("retry-after"), headers.get("retry-after-ms"))
            complaint = Complaint.of(error.body)
            failure = failed_status(error.status_code, complaint, wait, self._key)
            failure = failed_key(failure, self._key, self.key_variable)
            if error.status_code == 400 and self._adapts(call, dialect, complaint):
                failure = replace(failure, adapted=True)
            return failure
        if isinstance(error, anthropic.APITimeoutError):
            return Failure("the server went silent", "read timeout", retry=True, fault=True, charged=True)
        if isinstance(error, anthropic.APIConnectionError):
            return unreachable(self.base_url)
        if isinstance(error, anthropic.APIError):
            return Failure("the server sent broken JSON", "broken JSON", retry=True, fault=True, charged=True)
        raise error


def _arguments(call: Call, dialect: Dialect, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of one request."""
    sampling = call.sampling
    turns = call.messages if call.offers is msgspec.UNSET else call.offers.turns
    told = "\n\n".join(one.content for one in turns if isinstance(one, Message) and one.role == "system")
    given: dict[str, Any] = {"model": call.model, "max_tokens": sampling.max_tokens, "messages": _messages(turns)}
    if told:
        given["system"] = told
    options = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    # Arguments of the package are neither since its 2.0; older models take both, and what others refuse is learned.
    sampled = {name: value for name, value in options.items() if value is not None and name not in dialect.left_out}
    if call.offers is not msgspec.UNSET:
        given["tools"] = [
            {"name": one.name, "description": one.purpose, "input_schema": one.schema} for one in offered(call.offers)
        ]
        if "tool_choice" not in dialect.left_out:
            last = call.offers.last
            given["tool_choice"] = {"type": "tool", "name": call.offers.answer.name} if last else {"type": "any"}
    elif call.schema is not None:
        given["tools"] = [
            {"name": call.name, "description": "Take the answer.", "input_schema": call.schema},
        ]
        given["tool_choice"] = {"type": "tool", "name": call.name}
    if sampled or extra:
        given["extra_body"] = {**sampled, **extra}
    return given


def _messages(turns: Sequence[Message | Called]) -> list[dict[str, Any]]:
    """All but the instructions; a call of a tool is the model's, and its result stands in the next message."""
    told: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        if isinstance(turn, Called):
            mark = f"toolu_{number:05d}"
            call = {"type": "tool_use", "id": mark, "name": turn.tool, "input": dict(turn.arguments)}
            result = {"type": "tool_result", "tool_use_id": mark, "content": turn.result}
            told += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        elif turn.role != "system":
            told.append({"role": turn.role, "content": turn.content})
    return told


def _as_choice(document: Mapping[str, Any]) -> dict[str, Any]:
    """A message of theirs as an answer of the usual kind, which is read in one way only."""
    blocks = [block for block in document.get("content") or [] if isinstance(block, dict)]
    calls = [
        {"function": {"name": block.get("name"), "arguments": json.dumps(block.get("input"), ensure_ascii=False)}}
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    said = {"tool_calls": calls} if calls else {"content": "".join(texts)}
    choice = {"finish_reason": document.get("stop_reason"), "message": said}
    return {"model": document.get("model"), "choices": [choice], "usage": _usage(document.get("usage"))}


def _usage(told: Any) -> dict[str, Any] | None:
    """Tokens as others count them: those that were cached are among those that were read."""
    if not isinstance(told, dict) or not isinstance(told.get("input_tokens"), int):
        return None
    read, *made = (told.get(name) or 0 for name in _CACHED)
    return {
        "prompt_tokens": told["input_tokens"] + read + sum(made),
        "completion_tokens": told.get("output_tokens"),
        "prompt_tokens_details": {"cached_tokens": read},
    }
