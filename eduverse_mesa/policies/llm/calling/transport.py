"""Bytes to and from a server: the openai client's requests, carried by aiohttp.

The client brings an aiohttp transport of its own. This one is thinner, which shows at hundreds of calls at once; it
stops reading a body that is too large; and it says which deadline it was that passed.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
import httpx2
import openai

from eduverse_mesa.policies.llm.calling.endpoint import SLOW, Deadlines
from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Failure, place_of, unreachable

LARGEST_BODY = 8 * 2**20
"""Bytes, unpacked: no answer of a few hundred tokens comes near."""
_KEPT_ALIVE = 60.0
"""Seconds an idle connection is kept: a class may think that long between two rounds."""
_OWN = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})
"""Headers that aiohttp sets itself."""


_TELLING = ("content-type", "location", "retry-after", "retry-after-ms")
"""Headers of an answer that somebody reads. Its body is unpacked already, so that its length is another."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers and body that a server sent back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(httpx2.AsyncBaseTransport):
    """Connections to one server."""

    def __init__(self, deadlines: Deadlines, largest_body: int = LARGEST_BODY, *, proxy: str | None = None) -> None:
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=deadlines.connect, sock_read=deadlines.read)
        self._largest = largest_body
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None

    def _open(self, secure: bool) -> aiohttp.ClientSession:
        # No limit here: the limiter decides how many calls are out. No cookies, no proxy but the one that was set,
        # no redirects: a key goes only to the address that was given.
        context: ssl.SSLContext | bool = httpx2.create_ssl_context() if secure else True
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_ALIVE, ssl=context),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            trust_env=False,
        )

    async def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Send a request and read its whole answer."""
        if self._session is None:
            self._session = self._open(url.startswith("https:"))
        failure: Failure
        try:
            async with self._session.request(
                method, url, headers=headers, data=body or None, allow_redirects=False, proxy=self._proxy
            ) as answer:
                told = {name: answer.headers[name] for name in _TELLING if name in answer.headers}
                return Reply(answer.status, told, await self._read(answer))
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            failure = _failure(error, url, self._proxy)
        # Outside the handler, so that nothing hangs on to an error that knows the request and its key.
        raise AttemptFailedError(failure)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The same for whatever else the openai client may send: there is no other way out of it."""
        headers = {name: value for name, value in request.headers.items() if name not in _OWN}
        reply = await self.exchange(request.method, str(request.url), headers, request.content)
        return httpx2.Response(reply.status, headers=reply.headers, content=reply.body, request=request)

    async def _read(self, answer: aiohttp.ClientResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in answer.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > self._largest:
                answer.close()
                reason = f"the answer is larger than {self._largest / 2**20:.0f} MB"
                raise AttemptFailedError(Failure(reason, "too large", charged=True))
        return b"".join(parts)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()


def _failure(error: Exception, url: str, proxy: str | None) -> Failure:
    if isinstance(error, aiohttp.ClientProxyConnectionError) and proxy:
        mend = f"Nobody answers at {place_of(proxy)}: check the proxy (EDUVERSE_PROXY)."
        return Failure("the proxy cannot be reached", "unreachable", "endpoint", retry=True, fault=True, mend=mend)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        mend = f"Check the base URL, http or https included, and that the server at {place_of(url)} runs."
        return Failure("connecting took too long", "connect timeout", "endpoint", retry=True, fault=True, mend=mend)
    if isinstance(error, asyncio.TimeoutError):
        return Failure("the server went silent", "read timeout", retry=True, fault=True, charged=True, mend=SLOW)
    if isinstance(error, aiohttp.ClientSSLError | aiohttp.ClientConnectorCertificateError):
        mend = f"Check the base URL, and the certificate of the server at {place_of(url)}."
        return Failure("no secure connection to the server", "TLS", "endpoint", fault=True, mend=mend)
    if isinstance(error, aiohttp.ClientConnectorError):
        return unreachable(url, unknown=isinstance(error, aiohttp.ClientConnectorDNSError))
    if isinstance(error, aiohttp.ClientPayloadError):
        return Failure("the answer broke off", "broken off", retry=True, fault=True, charged=True)
    if isinstance(error, aiohttp.ClientResponseError):
        return Failure("the server does not speak HTTP", "no HTTP", retry=True, fault=True, charged=True)
    return Failure("the connection broke", "reset", retry=True, fault=True, charged=True)


class Client(openai.AsyncOpenAI):
    """To one server."""

    def __init__(
        self,
        base_url: str,
        key: str,
        deadlines: Deadlines,
        *,
        headers: Mapping[str, str] | None = None,
        proxy: str | None = None,
        key_header: str | None = None,
    ) -> None:
        self._transport = Transport(deadlines, proxy=proxy)
        path, _, query = base_url.partition("?")
        super().__init__(
            api_key=key or "none",
            base_url=path,
            max_retries=0,
            timeout=None,
            http_client=httpx2.AsyncClient(transport=self._transport, trust_env=False, timeout=None),
        )
        self._address = f"{path.rstrip('/')}/chat/completions" + (f"?{query}" if query else "")
        proof = {key_header: key} if key_header else self.auth_headers
        own = {**self.default_headers, **(headers or {}), **(proof if key else {})}
        self._headers = {name: value for name, value in own.items() if isinstance(value, str)}

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """Headers that every request carries besides the key; they tell servers nothing about this machine."""
        return {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": self.user_agent}

    async def ask(self, body: bytes) -> Reply:
        """The whole answer, whatever its status; raises AttemptFailedError where there is none."""
        return await self._transport.exchange("POST", self._address, self._headers, body)
