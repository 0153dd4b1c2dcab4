"""Calls to a model in this process: its server is started when the first call comes."""

from __future__ import annotations

import asyncio
import os
from hashlib import blake2b
from pathlib import Path

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import Caller, Ledger
from eduverse_mesa.policies.llm.calls import Call, Completion
from eduverse_mesa.policies.llm.connection import connect
from eduverse_mesa.policies.llm.local_server import LocalSettings, shared_local_server
from eduverse_mesa.scenarios.scenario import LanguageModel

_HEAD = 1 << 24
THREADS = "EDUVERSE_LOCAL_THREADS"
"""Environment: processor threads of the model, where it has to leave some to others."""


def _threads() -> int:
    given = os.environ.get(THREADS, "").strip()
    if given and not given.isdecimal():
        raise PolicyError(f"'{given}' is no number of threads.", where=THREADS, mend="Write e.g. 2, or unset it.")
    return int(given or 0)


def _fingerprint(file: Path) -> str:
    """Of a model's file: two of one name do not answer for each other. Its head and length tell it from others."""
    with file.open("rb") as stream:
        return f"{blake2b(stream.read(_HEAD), digest_size=8).hexdigest()}-{file.stat().st_size}"


class LocalCaller:
    """Takes calls; the server behind it is shared by all that use the same file."""

    def __init__(self, settings: LanguageModel, file: Path, *, remember: bool = True) -> None:
        self._remember = remember
        self._settings = settings
        self._file = file
        self._caller: Caller | None = None
        self._starting = asyncio.Lock()
        self._fingerprint = ""

    async def complete(self, call: Call, ledger: Ledger | None = None) -> Completion:
        """The model's answer."""
        caller = await self.caller()
        return await caller.complete(msgspec.structs.replace(call, served_by=self._fingerprint), ledger)

    async def caller(self) -> Caller:
        """The caller of the running server."""
        async with self._starting:
            if self._caller is None:
                settings = LocalSettings(threads=_threads())
                self._fingerprint = await asyncio.to_thread(_fingerprint, self._file)
                server = await asyncio.to_thread(shared_local_server, self._file, settings)
                self._caller = connect(
                    self._settings, server.base_url, None, settings.slots, ability="bounded", remember=self._remember
                )
            return self._caller
