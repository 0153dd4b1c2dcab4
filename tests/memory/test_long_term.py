"""What a class remembers from lesson to lesson: the same memory as a single learner's."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions import Mind, Remembered
from eduverse_mesa.memory.long_term import Lesson, StudentRecord, carried_understanding, live_through
from eduverse_mesa.memory.three_levels import Memory, read_memory, retention, write_memory

SHARES = st.floats(0, 1)


def lived(known: float, day: float = 0.0, before: Memory | None = None, habit: float = 0.0) -> Memory:
    """A memory after a lesson with one goal."""
    lesson = Lesson("spring", "chinese", day, {"image": "See what the image says."})
    mind = Mind(affect=0.5, habit=habit, understanding=[known])
    return live_through(before or Memory(), lesson, mind, Remembered("It was about spring.", strategy="keep"))


@given(SHARES, SHARES, st.floats(0, 3000))
def test_forgetting_falls_towards_what_one_would_know_unprepared(known: float, fresh: float, days: float) -> None:
    left = carried_understanding(lived(known), "image", (), days, fresh, 0.5)
    expected = fresh + (known - fresh) * retention(days) if known > fresh else fresh
    assert left == pytest.approx(expected)
    assert min(known, fresh) - 1e-9 <= left <= max(known, fresh) + 1e-9


@given(SHARES, SHARES, st.floats(0, 3000))
def test_what_a_goal_builds_on_lends_to_it(known: float, fresh: float, days: float) -> None:
    memory = lived(known)
    lent = carried_understanding(memory, "tone", ("image", "never"), days, fresh, 0.5)
    assert lent == pytest.approx(max(fresh, 0.5 * known * retention(days)))
    assert carried_understanding(memory, "tone", (), days, fresh, 0.5) == fresh


def test_a_goal_that_lies_two_lessons_back_is_forgotten_by_two_gaps() -> None:
    memory = lived(0.9)
    other = Lesson("sums", "mathematics", 7.0, {"add": "Add."})
    memory = live_through(memory, other, Mind(understanding=[0.5]), Remembered())
    assert carried_understanding(memory, "image", (), 14.0, 0.0, 0.5) == pytest.approx(0.9 * retention(14.0))
    assert carried_understanding(memory, "add", (), 14.0, 0.0, 0.5) == pytest.approx(0.5 * retention(7.0))


def test_the_three_levels_hold_a_lesson() -> None:
    before = lived(0.4)
    memory = lived(0.7, 2.0, before, habit=0.3)
    assert (before.lived, memory.lived) == (1, 2), "the memory before stays what it was"
    last = memory.episodes[-1]
    assert (last.unit, last.summary, last.mastery, last.emotion) == (
        "spring",
        "It was about spring.",
        {"image": 7},
        0.75,
    )
    node = memory.concepts["image"]
    assert (node.text, node.grasp.mastery, node.grasp.exposures) == ("See what the image says.", 0.7, 2)
    assert node.episodes == [1, 2]
    assert (memory.skills["chinese"].level, memory.skills["chinese"].forethought) == ("developing", "keep")
    assert read_memory(write_memory(memory)) == memory


def course(lessons: int) -> list[Memory]:
    """A memory after each lesson of a course: two goals of each lesson are its own, one is that of all."""
    memories = [Memory()]
    for number in range(lessons):
        goals = {"all": "See.", f"a{number}": "Hear.", f"b{number}": "Say."}
        lesson = Lesson(f"spring {number}", ("chinese", "music")[number % 2], 2.0 * number, goals)
        mind = Mind(affect=0.5, understanding=[0.1, 0.2, number / lessons])
        memories.append(live_through(memories[-1], lesson, mind, Remembered(f"It was about {number}.")))
    return memories[1:]


def record(memory: Memory) -> StudentRecord:
    return StudentRecord("Ann", Remembered(), Mind(), memory, {}, ("", "", ""))


def test_what_is_written_of_a_lesson_is_what_it_has_left_and_all_of_it_together_is_the_memory() -> None:
    memories = course(40)
    whole = Memory()
    sizes = []
    for memory in memories:
        left = record(memory).of_lesson().memory
        sizes.append(len(write_memory(left)))
        whole.episodes += left.episodes
        for goal, node in left.concepts.items():
            before = whole.concepts[goal].episodes if goal in whole.concepts else []
            whole.concepts[goal] = msgspec.structs.replace(node, episodes=[*before, *node.episodes])
        whole.skills |= left.skills
        whole.lived, whole.confidence = left.lived, left.confidence
        assert write_memory(whole) == write_memory(memory), "nothing is lost"
    assert max(sizes) < 1.1 * min(sizes[1:]), "a lesson leaves as much as the one before"
    assert len(write_memory(memories[-1])) > 20 * max(sizes), "this test sees something"


def test_a_course_holds_each_episode_once() -> None:
    memories = course(40)
    held = {id(episode) for memory in memories for episode in memory.episodes}
    held |= {id(node) for memory in memories for node in memory.concepts.values()}
    assert len(held) == 40 + 3 * 40
