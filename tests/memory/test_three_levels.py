"""The three-level memory: bounds whatever is put in, both laws of forgetting, spacing, and writing down."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions.tutoring import Utterance
from eduverse_mesa.errors import StudyError
from eduverse_mesa.memory.conceptual import Grasp
from eduverse_mesa.memory.episodic import Episode, shown
from eduverse_mesa.memory.forgetting import EbbinghausLaw, EpisodeLaw, ForgettingLaw, retention
from eduverse_mesa.memory.metacognitive import SkillProfile
from eduverse_mesa.memory.three_levels import Evidence, Keeping, Memory, read_memory, write_memory

PLAIN = EpisodeLaw(0.95, mastery=0.0, above_grade=1.0)
SHAPED = EpisodeLaw(0.95, mastery=0.7, above_grade=3.0)
DAYS = EbbinghausLaw(30.0, above_grade=2.0)
LAWS = st.sampled_from([PLAIN, SHAPED, DAYS])
SHARES = st.floats(0, 1)


def live(memory: Memory, keeping: Keeping, day: float, *seen: Evidence, grade: int = 1) -> None:
    episode = Episode(0, day, grade, "u", mastery={one.concept: one.score for one in seen})
    episode.dialogue = (Utterance("Tutor", "Why?"),)
    memory.take_in(episode, seen, keeping)


def test_the_papers_rule_holds_to_the_letter() -> None:
    """mu <- 0.95 mu + 0.25 w with every episode, whether it touches the concept or not."""
    memory, keeping, mu = Memory(), Keeping(PLAIN, growth=0.0), 0.0
    for number in range(1, 12):
        w = shown(number % 10 + 1) if number % 3 else 0.0
        seen = [Evidence("A", number % 10 + 1, 1)] if number % 3 else [Evidence("B", 5, 1)]
        live(memory, keeping, float(number), *seen)
        mu = min(1.0, 0.95 * mu + 0.25 * w) if memory.concepts.get("A") else 0.0
        assert memory.mastery("A", float(number), keeping) == pytest.approx(mu)


@given(
    LAWS,
    st.floats(0, 5),
    st.floats(0, 50),
    st.lists(st.tuples(st.integers(-5, 20), st.floats(0, 400), st.integers(0, 5)), max_size=12),
)
def test_mastery_stays_between_nothing_and_all(
    law: ForgettingLaw, beta: float, growth: float, lived: list[tuple[int, float, int]]
) -> None:
    memory, keeping, day = Memory(), Keeping(law, beta, growth, most_episodes=5), 0.0
    for score, pause, grade in lived:
        day += pause
        live(memory, keeping, day, Evidence("A", score, grade, ("u",)))
        for later in (day, day + 1, day + 5000):
            assert 0 <= memory.mastery("A", later, keeping) <= 1
            assert 0 <= memory.unit_mastery("A", "u", later, keeping) <= 1
        assert len(memory.episodes) <= 5
        assert all(0 <= memory.strength(episode, day, keeping) <= 1 for episode in memory.episodes)


@given(
    LAWS,
    SHARES,
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


@pytest.mark.parametrize("law", [SHAPED, DAYS], ids=["episodes", "ebbinghaus"])
def test_spaced_practice_leaves_more_than_massed(law: ForgettingLaw) -> None:
    """Four times in one morning, or four times a fortnight apart with others between: tested after the same while."""
    left = []
    for spaced in (False, True):
        grasp, keeping = Grasp(), Keeping(law, growth=5.0)
        for time in range(4):
            day, episode = (14.0 * time, 14 * time) if spaced else (42.0 + time / 100, 39 + time)
            grasp.meet(0.8, day, episode, law, keeping.beta, keeping.growth, keeping.most_strength)
        left.append(grasp.now(100.0, 100, law))
    assert left[1] > left[0] * 1.05


def test_words_are_lost_before_the_episode() -> None:
    memory, keeping = Memory(), Keeping(EpisodeLaw(0.8, 0.0, 1.0), vivid=0.5, most_episodes=6)
    for number in range(9):
        live(memory, keeping, float(number), Evidence("A", 5, 1))
    assert [episode.number for episode in memory.episodes] == [4, 5, 6, 7, 8, 9]
    assert [bool(episode.dialogue) for episode in memory.episodes] == [False, False, True, True, True, True]
    assert memory.lived == 9


def test_a_copy_goes_its_own_way_and_a_memory_written_down_is_the_same() -> None:
    memory, keeping = Memory(), Keeping(SHAPED)
    live(memory, keeping, 1.0, Evidence("A", 7, 2, ("u",), "It floats."))
    memory.skills["S"] = SkillProfile("S", "developing", "plans", "checks", "looks back", 1, 1)
    other = memory.copy()
    assert other == memory
    live(other, keeping, 2.0, Evidence("A", 9, 2))
    assert (memory.lived, other.lived) == (1, 2)
    assert read_memory(write_memory(memory)) == memory
    assert memory.concepts["A"].text == "It floats."
    assert memory.concepts["A"].grasp.above_grade


@pytest.mark.parametrize("text", [b"", b"[]", b'{"episodes": 5}', b"\xff", b'{"concepts": {"A": {"grade": "x"}}}'])
def test_what_is_no_memory_is_refused(text: bytes) -> None:
    with pytest.raises(StudyError, match="no learner's memory"):
        read_memory(text, "learner.json")


def test_a_memory_is_read_as_what_it_is() -> None:
    assert isinstance(msgspec.json.decode(write_memory(Memory())), dict)
