"""Where a study is kept: in a file, and in a database of a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.postgres import ALONE


@pytest.fixture(params=["file", pytest.param("server", marks=ALONE)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new study may be made, as a user would name it."""
    if request.param == "file":
        return str(tmp_path / "a.study")
    server = request.getfixturevalue("postgres")
    return str(server.url(server.new()))
