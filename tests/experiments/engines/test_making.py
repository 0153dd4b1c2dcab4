"""Engines by their names."""

from __future__ import annotations

import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import ENGINES, Processes, Serial, make_engine


def test_an_engine_by_its_name() -> None:
    assert isinstance(make_engine("serial"), Serial)
    made = make_engine("processes", 3)
    assert isinstance(made, Processes)
    assert made.workers == 3
    assert make_engine().workers >= 1
    limited = make_engine("processes", 1, timeout=60)
    assert isinstance(limited, Processes)
    assert limited.timeout == 60


@pytest.mark.parametrize(("name", "timeout"), [("serial", 60.0), ("ray", 60.0), ("processes", 0.0)])
def test_a_time_limit_that_nobody_would_keep_is_refused(name: str, timeout: float) -> None:
    with pytest.raises(EduverseError, match=r"^timeout: "):
        make_engine(name, timeout=timeout)


@pytest.mark.parametrize(
    ("name", "workers", "address", "told"),
    [
        ("fibres", None, None, "Known: " + ", ".join(ENGINES)),
        ("serial", 2, None, "has one worker"),
        ("processes", 0, None, "from 1 on"),
        ("processes", None, "10.0.0.1", "has no address"),
    ],
)
def test_what_no_engine_can_be_is_told(name: str, workers: int | None, address: str | None, told: str) -> None:
    with pytest.raises(EduverseError, match=told):
        make_engine(name, workers, address)
