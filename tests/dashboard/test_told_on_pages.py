"""What pages have to say: that nobody is asked for a token here, and what cannot be changed on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.dashboard.lessons.host import host
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.visualization.words import load_words


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_pages_name_what_asks_for_a_token(language: str) -> None:
    t = load_words(language)
    for key in ("settings.house.near", "seat.links.near"):
        assert "EDUVERSE_TOKEN" in t(key)
    assert "EDUVERSE_TOKEN" not in t("settings.house.near_token")


def test_links_are_handed_out_with_a_warning_only_where_no_token_is_asked_for() -> None:
    office = Office()
    assert host(office.desk("a")).asks_for_no_token
    office.rights.token = "a-long-enough-token"
    assert not host(office.desk("a")).asks_for_no_token


def test_the_guide_says_so_too() -> None:
    guide = " ".join((Path(__file__).parents[2] / "docs" / "guides" / "dashboard.md").read_text("utf-8").split())
    assert "everybody who uses this machine is the researcher" in guide
    assert "can open another browser" in guide
