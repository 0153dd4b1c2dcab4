"""A server that speaks the OpenAI protocol: one request to it, and one completion or classified failure back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling.backoff import retry_after
from eduverse_mesa.policies.llm.calling.body import Ability, request_body
from eduverse_mesa.policies.llm.calling.deadlines import Deadlines
from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Complaint, Failure, failed_status
from eduverse_mesa.policies.llm.calling.reply import read_reply
from eduverse_mesa.policies.llm.calls import Call, Completion

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling.client import Client
    from eduverse_mesa.policies.llm.calling.transport import Reply


class Endpoint:
    """A base URL, a key, and how long we are patient. The key is in no text that this class makes."""

    def __init__(self, base_url: str, key: str = "", deadlines: Deadlines | None = None) -> None:
        self.base_url = _checked_url(base_url)
        self.deadlines = deadlines or Deadlines()
        self._key = _checked_key(key)
        self._client: Client | None = None
        self._bounds: dict[str, str] = {}
        """What a model's server calls `max_tokens`, where it is something else."""

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r})"

    async def send(self, call: Call, ability: Ability, within: float | None = None) -> Completion:
        """One request; `within` are the seconds left to the whole call. Raises AttemptFailedError."""
        if self._client is None:
            self._client = _client(self.base_url, self._key, self.deadlines)
        bound = self._bounds.get(call.model, "max_tokens")
        body = request_body(call, ability, bound)
        answer: Reply | None = None
        try:
            async with asyncio.timeout(
                self.deadlines.attempt if within is None else min(self.deadlines.attempt, within)
            ):
                answer = await self._client.ask(body)
        except TimeoutError:
            pass
        if answer is None:
            failure = Failure("the answer took too long", "timeout", retry=True, fault=True, charged=True)
            raise AttemptFailedError(failure)
        if answer.status >= 300:
            wait = retry_after(answer.headers.get("retry-after"), answer.headers.get("retry-after-ms"))
            failure = failed_status(answer.status, Complaint.read(answer.body), wait, self._key)
            if failure.disliked == bound:
                self._bounds[call.model] = "max_completion_tokens"
                failure = replace(failure, retry=True, wait=0.0)
            raise AttemptFailedError(failure)
        return read_reply(answer.body, self._key)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()


def _client(base_url: str, key: str, deadlines: Deadlines) -> Client:
    try:
        from eduverse_mesa.policies.llm.calling.client import Client
    except ImportError:
        raise PolicyError(
            "language models need the openai package and its aiohttp transport.",
            mend="pip install 'eduverse-mesa[llm]'",
        ) from None
    return Client(base_url, key, deadlines)


def _checked_url(url: str) -> str:
    url = url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise PolicyError("the base URL is no address.", mend="It looks like https://api.example.org/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise PolicyError(
            "the base URL holds a user, a password or a query, which would end up in logs.",
            mend="Give the address alone, and the key in the environment.",
        )
    return url


def _checked_key(key: str) -> str:
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise PolicyError("the key holds characters that no key has.", mend="Check the key in the environment.")
    return key
