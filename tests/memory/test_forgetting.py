"""What is left after a while."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.memory.forgetting import retention


@pytest.mark.parametrize(
    ("days", "share"), [(20 / 1440, 0.58), (1 / 24, 0.44), (1.0, 0.34), (31.0, 0.21)], ids=["20min", "1h", "1d", "31d"]
)
def test_it_keeps_to_ebbinghaus(days: float, share: float) -> None:
    assert retention(days) == pytest.approx(share, abs=0.04)


@given(st.floats(0, 4000), st.floats(0, 4000))
def test_more_time_never_leaves_more(one: float, other: float) -> None:
    sooner, later = sorted((one, other))
    assert 0 < retention(later) <= retention(sooner) <= 1
