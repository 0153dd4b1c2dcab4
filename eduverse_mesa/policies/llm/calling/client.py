"""The openai client, and a shorter way through it for the one kind of request that we send by the hundred.

The client makes address, key and headers, and owns the transport. The shorter way leaves out what the client does anew
for every request: copies for its retries (the caller decides about those), parsing the same address, hooks, log lines.
That is half of a call's work, and what the answers wait for when hundreds of calls are out.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx2
import openai

from eduverse_mesa.policies.llm.calling.deadlines import Deadlines
from eduverse_mesa.policies.llm.calling.transport import Reply, Transport


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
        """What every request carries besides the key; others get to know nothing about this machine."""
        return {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": self.user_agent}

    async def ask(self, body: bytes) -> Reply:
        """The whole answer, whatever its status; raises AttemptFailedError where there is none."""
        return await self._transport.exchange("POST", self._address, self._headers, body)
