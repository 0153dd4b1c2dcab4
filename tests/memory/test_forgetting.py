"""What is left after a while."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.memory.three_levels import EbbinghausLaw, EpisodeLaw, ForgettingLaw, Grasp, retention

PLAIN = EpisodeLaw(0.95, mastery=0.0, above_grade=1.0)
SHAPED = EpisodeLaw(0.95, mastery=0.7, above_grade=3.0)
DAYS = EbbinghausLaw(30.0, above_grade=2.0)


@pytest.mark.parametrize(
    ("days", "share"), [(20 / 1440, 0.58), (1 / 24, 0.44), (1.0, 0.34), (31.0, 0.21)], ids=["20min", "1h", "1d", "31d"]
)
def test_it_keeps_to_ebbinghaus(days: float, share: float) -> None:
    assert retention(days) == pytest.approx(share, abs=0.04)


@given(st.floats(0, 4000), st.floats(0, 4000))
def test_more_time_never_leaves_more(one: float, other: float) -> None:
    sooner, later = sorted((one, other))
    assert 0 < retention(later) <= retention(sooner) <= 1


@given(
    st.sampled_from([PLAIN, SHAPED, DAYS]),
    st.floats(0, 1),
    st.floats(1, 30),
    st.tuples(st.floats(0, 900), st.floats(0, 900)),
    st.tuples(*[st.integers(0, 90)] * 2),
)
def test_more_time_and_more_episodes_never_leave_more(
    law: ForgettingLaw, mastery: float, strength: float, days: tuple[float, float], episodes: tuple[int, int]
) -> None:
    (soon, late), (few, many) = sorted(days), sorted(episodes)
    sooner = law.kept(soon, few, mastery, strength, False)
    assert law.kept(late, many, mastery, strength, False) <= sooner <= 1
    assert law.kept(soon, few, mastery, strength, True) <= sooner, "what hangs on nothing goes sooner"
    assert law.kept(soon, few, mastery, strength + 1, False) >= sooner


def test_each_law_goes_by_its_own_clock() -> None:
    assert SHAPED.kept(1000.0, 0, 0.5, 1.0, False) == 1.0
    assert DAYS.kept(0.0, 1000, 0.5, 1.0, False) == 1.0
    assert DAYS.kept(60.0, 3, 0.5, 2.0, False) == retention(1.0)


@pytest.mark.parametrize("law", [SHAPED, DAYS, EbbinghausLaw(1000.0, 3.0)])
@given(st.floats(0, 1), st.floats(0.01, 400), st.integers(1, 60))
def test_a_poor_practice_is_no_worse_than_none(law: ForgettingLaw, weight: float, days: float, episodes: int) -> None:
    met, untouched = Grasp(), Grasp()
    for grasp in (met, untouched):
        for place in range(3):
            grasp.meet(1.0, 7.0 * place, place, law, 0.25, 14.0, 4.0)
    day, episode = 14.0 + days, 2 + episodes
    met.meet(weight, day, episode, law, 0.25, 14.0, 4.0)
    assert met.now(day, episode, law) >= untouched.now(day, episode, law) - 1e-12
    later = (day + days, episode + episodes)
    assert met.now(*later, law) >= untouched.now(*later, law) - 1e-12
