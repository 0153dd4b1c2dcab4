"""How thoroughly hypothesis looks: HYPOTHESIS_PROFILE=dev, ci (repeatable; the default where CI is set) or slow."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import settings

from tests.postgres import ALONE, Server, database_of

# No deadline anywhere: a busy machine is no bug of ours, and `faulthandler_timeout` catches what hangs.
settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", parent=settings.get_profile("dev"), derandomize=True, database=None, print_blob=True)
settings.register_profile("slow", parent=settings.get_profile("dev"), max_examples=2000)

# Whoever starts the tests in the background has them ignore Ctrl-C, and all that they start; some of them press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Containers often forbid to keep bytecode. Then each of the many processes that are started here compiles the package
# anew, and each worker all the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

pytest_plugins = ["tests.browser"]
"""Fixtures for a served dashboard and a browser; the tests of several rooms ask for them."""

_GROUP = re.compile(r"@[^\]:]*$")
"""What pytest-xdist adds to the name of a test that is in a group."""

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported for the tests stays to the end: to look through it for garbage again and again, while it comes
    and in all tests after, took a quarter of their time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(700, 10, 200)  # libraries that come later stay, too: a twentieth as often as Python would
        gc.enable()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more than there are cores: tests wait for browsers, servers and killed processes a quarter of their time."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None  # whoever names a number means it
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """What failed in a group is remembered by its own name: workers call it `test@group`, so that `--last-failed` would
    not find it again, and try the whole suite instead."""
    remembered = session.config.pluginmanager.get_plugin("lfplugin")
    if remembered is not None and hasattr(remembered, "lastfailed"):
        remembered.lastfailed = {_GROUP.sub("", name): True for name in remembered.lastfailed}


def pytest_report_header() -> str:
    return f"mesa {version('mesa')}, hypothesis profile {settings.get_current_profile_name()}"


@pytest.fixture
def _leaves_no_settings() -> Iterator[None]:
    """What a test sets in the environment reaches no other test: servers that are started later would go by it."""

    def settings_now() -> dict[str, str]:
        return {name: value for name, value in os.environ.items() if name.startswith(("EDUVERSE_", "OPENAI_", "SSL_"))}

    before = settings_now()
    yield
    assert settings_now() == before


@pytest.fixture(autouse=True)
def _no_machine_settings(
    _leaves_no_settings: None, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No key, endpoint or remembered answer of the machine reaches a test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EDUVERSE_MODEL", "EDUVERSE_PRICES", "EDUVERSE_DELIVERY"):
        monkeypatch.setenv(name, "")  # so that it is as now after the test: commands set some, for their own process
        monkeypatch.delenv(name)
    monkeypatch.setenv("EDUVERSE_LOCAL_THREADS", "1")
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path_factory.getbasetemp() / "answers.sqlite"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL server; tests that ask for it bear the mark `ALONE`, so that only one process starts it."""
    server = Server()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(params=["file", pytest.param("server", marks=ALONE)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new study may be made, as a user would name it."""
    if request.param == "file":
        return str(tmp_path / "a.study")
    server = request.getfixturevalue("postgres")
    return str(server.url(server.new()))


@pytest.fixture
def held(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], bytes]:
    """All bytes that are kept at that place, whoever may see them."""
    if "://" not in place:
        return lambda: b"".join(path.read_bytes() for path in tmp_path.iterdir())
    server = request.getfixturevalue("postgres")
    return lambda: bytes(server.held(database_of(place)))
