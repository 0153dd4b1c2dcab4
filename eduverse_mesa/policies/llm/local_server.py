"""A model server inside this process: llama.cpp's own, started and stopped by us, speaking the OpenAI protocol."""

from __future__ import annotations

import atexit
import os
import socket
import stat
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.local_model import INSTALL, read_header

_GIGABYTE = 1 << 30
_USUAL_CONTEXT = 8192
_REMEMBERED_MIB = 2048
_SAME_PROMPT = 0.9


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How a model is served. The defaults were measured; docs/guides/local-model.md has the numbers."""

    slots: int = 4
    """How many answers are written at once; further calls queue."""
    context: int = 0
    """Tokens that one call may take, prompt and answer together; 0: what the model was trained for, at most 8192."""
    threads: int = 0
    """Processor threads; 0: as many as there are cores for this process."""
    host: str = "127.0.0.1"
    port: int = 0
    """0: any that is free."""
    api_key: str | None = field(default=None, repr=False)


class LocalServer:
    """One model behind one address of this machine, from `start` (or `with`) to `stop` or the interpreter's end."""

    def __init__(self, file: Path, settings: LocalSettings | None = None) -> None:
        self.file = file
        self.settings = settings or LocalSettings()
        self._server: Any = None
        self._process = 0

    @property
    def model(self) -> str:
        """The name to ask for: the file's, without its ending."""
        return self.file.stem

    @property
    def running(self) -> bool:
        """Whether it answers; in a forked child it does not, since threads are not forked."""
        return self._server is not None and self._process == os.getpid()

    @property
    def base_url(self) -> str:
        """The address for OpenAI clients, ending in /v1."""
        if not self.running:
            raise PolicyError("is not running.", where=f"local model {self.model}", mend="Start it first.")
        address: str = self._server.listening_address
        return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:") + "/v1"

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.base_url.removesuffix("/v1").rpartition(":")[2])

    def start(self) -> Self:
        """Load the model and listen; starting a running server changes nothing."""
        with _LOCK:
            if not self.running:
                settings = _settle(self.file, self.settings)
                if self._server is not None:
                    _INHERITED.append(self._server)
                _LOADING.add(self.model)
                try:
                    self._server = _open(self.file, settings)
                finally:
                    _LOADING.discard(self.model)
                self._process = os.getpid()
                # A server that is torn down with the interpreter, while it answers, takes the process with it.
                atexit.unregister(_stop_all)
                atexit.register(_stop_all)
                _RUNNING.add(self)
        return self

    def stop(self) -> None:
        """Cut off who is still being answered, free port, threads and memory; stopping twice changes nothing."""
        with _LOCK:
            if self.running:
                # llama.cpp waits for each connection to end while it holds Python's lock: clients of this process
                # could never hang up, so we hang up for them.
                _hang_up(self.port)
                self._server = None
                _RUNNING.discard(self)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def shared_local_server(file: Path, settings: LocalSettings | None = None) -> LocalServer:
    """The one running server of this process for a model and its settings; it runs until the interpreter ends."""
    key = (file, settings or LocalSettings())
    with _LOCK:
        server = _SHARED.setdefault(key, LocalServer(*key))
        return server.start()


def running_servers() -> tuple[LocalServer, ...]:
    """The servers of this process that run and ask callers for no key."""
    return tuple(server for server in _RUNNING.copy() if server.running and not server.settings.api_key)


def loading_models() -> tuple[str, ...]:
    """The names of models that are being loaded."""
    return tuple(_LOADING.copy())


_LOCK = threading.RLock()
_LOADING: set[str] = set()
_RUNNING: set[LocalServer] = set()
_INHERITED: list[Any] = []
"""Servers that a forked child has from its parent: never to be let go of, which would wait for threads not there."""
_SHARED: dict[tuple[Path, LocalSettings], LocalServer] = {}


def _stop_all() -> None:
    for server in tuple(_RUNNING):
        server.stop()


def _open(file: Path, settings: LocalSettings) -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise PolicyError("The local model's server is not installed.", where="local model", mend=INSTALL) from error
    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), file, settings))
    except RuntimeError as error:
        raise PolicyError(
            f"cannot be served by llama.cpp {xllamacpp.__version__}: broken, of a kind it does not know, or too big.",
            where=str(file),
            mend="Try a fresh copy of the file, or fewer slots and less context.",
        ) from error
    # It says that it is up shortly before its loop runs, and one stopped in between never ends: ask it something first.
    server.handle_metrics()
    return server


def _parameters(params: Any, file: Path, settings: LocalSettings) -> Any:
    threads = settings.threads or _cores()
    params.model.path = str(file)
    params.model_alias = {file.stem}
    params.hostnames = [settings.host]
    params.port = settings.port
    params.api_keys = [settings.api_key] if settings.api_key else []
    params.n_parallel = settings.slots
    params.n_ctx = settings.slots * settings.context
    # A slot puts its prompt away in memory before it takes the next one, and starts from the remembered prompt that
    # shares most with it. Unless told, llama.cpp does so only if the two differ by more than half; ours differ by a
    # third, and what one person's prompts share beyond that would be read anew for each question.
    params.slot_prompt_similarity = _SAME_PROMPT
    params.cache_ram_mib = _REMEMBERED_MIB
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.fit_params = False  # would shrink the context in silence, after a long search
    params.ui = False
    params.endpoint_metrics = True
    params.verbosity = -1  # or it writes to the terminal
    return params


def _cores() -> int:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return count or 1


def _settle(file: Path, settings: LocalSettings) -> LocalSettings:
    """The settings written out; what llama.cpp would refuse without saying why, or try with all memory, is refused."""
    where = f"local model {file.stem}"
    if settings.slots < 1 or min(settings.context, settings.threads) < 0 or not 0 <= settings.port < 1 << 16:
        raise PolicyError(
            "takes 1 or more slots, no negative context or threads, and a port from 0 to 65535.",
            where=where,
            mend="What is left out has a good default.",
        )
    header = read_header(file)
    context = settings.context or min(header.context or _USUAL_CONTEXT, _USUAL_CONTEXT)
    if header.context and context > header.context:
        raise PolicyError(
            f"was trained to read {header.context} tokens, not {context}.",
            where=where,
            mend=f"Ask for a context of at most {header.context}.",
        )
    needed = file.stat().st_size + settings.slots * context * header.bytes_per_token
    if needed > _memory():
        raise PolicyError(
            f"needs about {needed / _GIGABYTE:.1f} GB of memory; this machine has {_memory() / _GIGABYTE:.1f}.",
            where=where,
            mend="Ask for fewer slots or less context, or take a smaller model.",
        )
    _check_address(settings)
    return replace(settings, context=context)


def _memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not on Windows
        return float("inf")


def _check_address(settings: LocalSettings) -> None:
    where = f"{settings.host}:{settings.port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":  # as llama.cpp does: else a port just freed counts as taken for a minute
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PolicyError(
            f"cannot be listened on: {reason}.",
            where=where,
            mend="Choose another port, or 0 for any that is free, and an address of this machine.",
        ) from error


def _hang_up(port: int) -> None:
    """End this process's connections at a port."""
    folder = next((path for path in ("/proc/self/fd", "/dev/fd") if Path(path).is_dir()), None)
    for entry in list(Path(folder).iterdir()) if folder else ():
        with suppress(OSError):
            descriptor = int(entry.name)
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
            with socket.socket(fileno=os.dup(descriptor)) as connection:
                inet = connection.family in (socket.AF_INET, socket.AF_INET6)
                if inet and connection.getsockname()[1] == port:
                    connection.shutdown(socket.SHUT_RDWR)
