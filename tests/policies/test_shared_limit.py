"""A server's limit is shared by processes that know nothing of each other."""

from __future__ import annotations

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.shared_limit import share_of


@pytest.mark.parametrize(("most", "sharers", "share"), [(64, "", 64), (64, "1", 64), (64, "3", 21), (2, "5", 1)])
def test_each_gets_its_part_and_at_least_one(most: int, sharers: str, share: int) -> None:
    assert share_of(most, {"EDUVERSE_SHARERS": sharers}) == share


@pytest.mark.parametrize("given", ["0", "x", "-1"])
def test_no_number_of_processes_is_told(given: str) -> None:
    with pytest.raises(PolicyError, match="EDUVERSE_SHARERS"):
        share_of(8, {"EDUVERSE_SHARERS": given})
