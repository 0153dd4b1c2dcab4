"""Where a study is kept: in a file, and in a database of a real server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.postgres import ALONE, database_of


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
