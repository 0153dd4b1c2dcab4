"""A server that speaks the OpenAI protocol: one request to it, and one completion or classified failure back."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling.dialect import (
    NOTHING,
    USUAL,
    Ability,
    Dialect,
    Refusal,
    learn,
    optional_parts,
    request_body,
)
from eduverse_mesa.policies.llm.calling.failures import (
    AttemptFailedError,
    Complaint,
    Failure,
    failed_address,
    failed_key,
    failed_status,
    failed_tools,
)
from eduverse_mesa.policies.llm.calling.limiter import retry_after
from eduverse_mesa.policies.llm.calling.reply import read_reply
from eduverse_mesa.policies.llm.calls import Call, Completion

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling.transport import Client, Reply

SLOW = "A slow server needs longer deadlines (llm.deadlines.read, attempt and total)."
"""Advice for answers that do not come in time."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds."""

    connect: float = 10.0
    read: float = 60.0
    """Without a single byte; a model that reads a long prompt says nothing meanwhile."""
    attempt: float = 120.0
    """One request from its sending to its last byte: stops a server that drips."""
    total: float = 300.0
    """From the first attempt to the answer, pauses between attempts included; waiting for a first slot is not."""
    whole: float = math.inf
    """The same, and the pauses that the server asks for before the first attempt."""


KEY_VARIABLE, AZURE_KEY_VARIABLE = "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"
"""Names of the environment variables from which keys are read."""
_REFUSALS = frozenset({400, 404, 405, 415, 422, 500, 501})
"""Statuses by which servers refuse parts of a request; 404 and 500 only where their words name a part."""
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_VERSION = re.compile(r"api-version=[\w.-]{1,40}")
"""The one query that an address may have: Azure's, which is no secret."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Additions to every request to a server."""

    body: str = ""
    """JSON of an object whose fields are added."""
    headers: tuple[tuple[str, str], ...] = ()
    proxy: str = ""

    def fields(self) -> Mapping[str, Any]:
        """The fields that are added to a body."""
        return msgspec.json.decode(self.body) if self.body else NOTHING


class Endpoint:
    """A base URL, a key, and how long we are patient. The key is in no text that this class makes."""

    one_by_one = True
    """Each call is a request of its own: how many go out at once says how much the server takes."""
    takes_tools: bool | None = None
    """True if its servers have function calling of their own; None: it has to be found out."""

    def __init__(
        self, base_url: str, key: str = "", deadlines: Deadlines | None = None, extras: Extras | None = None
    ) -> None:
        self.base_url = _checked_url(base_url)
        self.deadlines = deadlines or Deadlines()
        self.extras = extras or Extras()
        self.dialects: dict[str, Dialect] = {}
        """Dialects learned from refusals, by model."""
        self._key = _checked_key(key)
        self._added = self.extras.fields()
        self._client: Client | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r})"

    async def send(self, call: Call, ability: Ability, within: float | None = None) -> Completion:
        """One request; `within` are the seconds left to the whole call. Raises AttemptFailedError."""
        if self._client is None:
            self._client = _client(self)
        dialect = self.dialects.get(call.model, USUAL)
        body = request_body(call, ability, dialect, self._added)
        answer: Reply | None = None
        try:
            async with asyncio.timeout(
                self.deadlines.attempt if within is None else min(self.deadlines.attempt, within)
            ):
                answer = await self._client.ask(body)
        except TimeoutError:
            pass
        if answer is None:
            failure = Failure("the answer took too long", "timeout", retry=True, fault=True, charged=True, mend=SLOW)
            raise AttemptFailedError(failure)
        if answer.status >= 300:
            wait = retry_after(answer.headers.get("retry-after"), answer.headers.get("retry-after-ms"))
            complaint = Complaint.read(answer.body)
            failure = failed_status(answer.status, complaint, wait, self._key)
            failure = failed_key(failure, self._key, self.key_variable)
            failure = failed_address(failure, self.base_url, answer.headers.get("location", ""), self._key)
            if answer.status in _REFUSALS and call.offers is not msgspec.UNSET:
                failure = failed_tools(failure, complaint, self._key)
            if answer.status in _REFUSALS and self._adapts(call, dialect, complaint):
                failure = replace(failure, adapted=True)
            raise AttemptFailedError(failure)
        return read_reply(answer.body, self._key, call.offers)

    @property
    def key_variable(self) -> str:
        """The environment variable of the key, in words."""
        return f"{AZURE_KEY_VARIABLE} or {KEY_VARIABLE}" if is_azure(self.base_url) else KEY_VARIABLE

    def is_out(self, call: Call, ability: Ability) -> bool:  # noqa: ARG002 - for endpoints whose calls outlive programs
        """Return True if a call went out before, and its answer can still be had."""
        return False

    def secrets(self) -> Iterator[str]:
        """Texts that must stand nowhere else."""
        if self._key:
            yield self._key

    def _adapts(self, call: Call, spoken: Dialect, complaint: Complaint) -> bool:
        """Learn from a refusal. A request that was out while another's refusal taught the same is sent again, too."""
        now = self.dialects.get(call.model, USUAL)
        if now != spoken:
            return True
        sent = [name for name in optional_parts(call, self._added) if name not in spoken.left_out]
        learned = learn(spoken, Refusal(complaint.message, complaint.parameters), sent)
        if learned is None:
            return False
        self.dialects[call.model] = learned
        return True

    async def aclose(self) -> None:
        """Close all connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()


def lacking_package() -> PolicyError:
    """Return the error that says that the packages that speak with servers are missing."""
    return PolicyError(
        "language models need the openai package and its aiohttp transport.", mend="pip install 'eduverse-mesa[llm]'"
    )


def _client(endpoint: Endpoint) -> Client:
    try:
        from eduverse_mesa.policies.llm.calling.transport import Client
    except ImportError:
        raise lacking_package() from None
    return Client(
        endpoint.base_url,
        next(endpoint.secrets(), ""),
        endpoint.deadlines,
        headers=dict(endpoint.extras.headers),
        proxy=endpoint.extras.proxy or None,
        key_header="api-key" if is_azure(endpoint.base_url) else None,
    )


def is_azure(url: str) -> bool:
    """Return whether an address is one of Azure's, whose keys go in a header of their own."""
    return (urlsplit(url).hostname or "").endswith(_AZURE)


def holds_secret(parts: SplitResult) -> bool:
    """Return whether an address carries a user, a password or a query that may be a key."""
    version = _VERSION.fullmatch(parts.query) is not None
    return bool(parts.username or parts.password or (parts.query and not version) or parts.fragment)


def _checked_url(url: str) -> str:
    url = url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise PolicyError("the base URL is no address.", mend="It looks like https://api.example.org/v1")
    if holds_secret(parts):
        raise PolicyError(
            "the base URL holds a user, a password or a query, which would end up in logs.",
            mend="Give the address alone, and the key in the environment. Only Azure's api-version may follow it.",
        )
    return url


def _checked_key(key: str) -> str:
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise PolicyError("the key holds characters that no key has.", mend="Check the key in the environment.")
    return key
