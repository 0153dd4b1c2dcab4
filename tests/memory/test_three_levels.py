"""The three-level memory: bounds whatever is put in, both laws of forgetting, spacing, and writing down."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions.tutoring import Utterance
from eduverse_mesa.errors import StudyError
from eduverse_mesa.memory.three_levels import (
    EbbinghausLaw,
    Episode,
    EpisodeLaw,
    Evidence,
    ForgettingLaw,
    Grasp,
    Keeping,
    Memory,
    SkillProfile,
    read_memory,
    shown,
    write_memory,
)

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


@pytest.mark.parametrize("law", [SHAPED, DAYS], ids=["episodes", "ebbinghaus"])
def test_what_was_only_heard_is_lost_sooner_until_it_is_said_oneself(law: ForgettingLaw) -> None:
    keeping = Keeping(law)
    left = {}
    for heard in (False, True):
        memory = Memory()
        live(memory, keeping, 0.0, Evidence("A", 10, 1, heard=heard))
        memory.lived += 20
        left[heard] = memory.mastery("A", 40.0, keeping)
    assert 0 < left[True] < left[False]
    live(memory, keeping, 40.0, Evidence("A", 10, 1, heard=True))
    assert memory.concepts["A"].grasp.strength == keeping.heard_strength, "to listen again brings nothing back"
    live(memory, keeping, 41.0, Evidence("A", 10, 1))
    assert memory.concepts["A"].grasp.strength >= 1.0


def test_an_episode_that_says_it_is_yet_to_come_is_as_vivid_as_can_be() -> None:
    assert Memory(lived=3).strength(Episode(10**6, 1.0, 1, "u"), 2.0, Keeping(SHAPED)) == 1
