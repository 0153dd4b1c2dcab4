"""Prompts begin alike for everybody and from step to step, to the byte: servers read what they know only once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from eduverse_mesa.decisions import Line
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies.llm.prompts.blocks import talk_block
from eduverse_mesa.policies.llm.prompts.templates import Templates
from tests.models.lessons import played
from tests.policies.llm.rehearsal import FIDELITIES, Rehearsal, Watched, policy_with

BEFORE = ("prepare", "order")
NOTHING = "(nothing yet)"
LATER = ("summarise", "evaluate", "give_feedback", "pace")
"""What is asked when the step's own talk has begun."""


@cache
def watched(fidelity: str, talk_steps: int = 8, steps: int = 7) -> Watched:
    rehearsal = Rehearsal()
    policy = Watched(rehearsal, policy_with(rehearsal, fidelity, talk_steps=talk_steps))
    played(policy, steps=steps)
    return policy


def talks(policy: Watched) -> Iterator[tuple[int, str, str]]:
    """Step, kind and the talk at the beginning of each prompt of the lesson."""
    for decision, calls in policy.seen:
        for call in calls:
            if call.name not in BEFORE:
                talk, _, _ = call.messages[1].content.partition("\n\n")
                yield decision.at.step, decision.kind, talk


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_the_rules_the_lesson_and_the_class_are_the_same_for_everybody_in_every_step(fidelity: str) -> None:
    policy = watched(fidelity)
    assert len({call.messages[0] for call in policy.calls}) == 1
    assert len({decision.agent for decision, _ in policy.seen}) == 7
    assert len(policy.calls) > 40


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_everybody_who_is_asked_in_a_step_has_heard_the_same(fidelity: str) -> None:
    by_step: dict[int, set[str]] = {}
    for step, kind, talk in talks(watched(fidelity)):
        if kind not in LATER:
            by_step.setdefault(step, set()).add(talk)
    assert {len(known) for known in by_step.values()} == {1}


@pytest.mark.parametrize("talk_steps", [8, 2])
@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_the_talk_only_grows_at_its_end_but_where_the_window_jumps(fidelity: str, talk_steps: int) -> None:
    heard = {step: talk for step, kind, talk in talks(watched(fidelity, talk_steps)) if kind not in LATER}
    jumps = []
    for before, after in pairwise(sorted(heard)):
        if NOTHING in heard[before]:
            continue
        if not heard[after].startswith(heard[before]):
            jumps.append(after)
        else:
            assert len(heard[after]) > len(heard[before])
    assert jumps == ([] if talk_steps == 8 else [5, 7])


@pytest.mark.parametrize("talk_steps", [1, 2, 3, 8])
def test_the_window_shows_at_least_its_steps_and_less_than_twice_as_many(talk_steps: int) -> None:
    words = Templates("en").words
    talk = [Line(step, "Ms Lin", "class", f"This is step {step}.") for step in range(1, 60)]
    beginnings = []
    for step in range(1, 60):
        shown = [line for line in talk if line.text in talk_block(words, talk[: step - 1], step, talk_steps)]
        assert min(talk_steps, step - 1) <= len(shown) < 2 * talk_steps
        assert [line.step for line in shown] == list(range(step - len(shown), step))
        beginnings.append(step - len(shown))
    assert sum(one != other for one, other in pairwise(beginnings)) <= 60 / talk_steps


def test_no_talk_is_shown_where_none_is_wanted() -> None:
    talk = [Line(1, "Ms Lin", "class", "Good morning.")]
    assert talk_block(Templates("en").words, talk, 2, 0) == NOTHING


ORDER = (
    "You take part in a simulation",
    "# Codes",
    "# The lesson",
    "# The class",
    "# What the class has heard so far",
    "# Now",
    "# You",
    "# What you remember",
    "# Around you",
    "# The matter at hand",
    "# Your plan",
    "# Your class",
    "# What you are asked",
)


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_what_is_shared_comes_first_and_the_question_last(fidelity: str) -> None:
    seen = set()
    for call in watched(fidelity).calls:
        lines = [line for message in call.messages for line in message.content.splitlines()]
        found = [place for place in ORDER for line in lines if line == place or line.startswith(f"{place} of")]
        places = [lines.index(next(line for line in lines if line.startswith(place))) for place in found]
        assert places == sorted(places)
        assert found[-1] == ORDER[-1]
        seen.update(found)
    assert seen == {*ORDER}


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_prompt_depends_on_nothing_but_the_lesson(fidelity: str) -> None:
    assert watched(fidelity).calls == watched.__wrapped__(fidelity).calls


def fingerprint() -> str:
    """All that is asked in a lesson, in short."""
    asked = [call for fidelity in FIDELITIES for call in watched(fidelity, steps=3).calls]
    return sha256(repr(asked).encode()).hexdigest()


def test_a_prompt_is_the_same_in_a_process_with_other_hashes_and_another_clock() -> None:
    command = f"import sys; sys.path.insert(0, '.')\nfrom {__name__} import fingerprint\nprint(fingerprint())"
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati"}
    other = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == fingerprint()


def test_lessons_in_two_languages_do_not_share_their_silence() -> None:
    """One policy, asked for both: at first neither has heard anything, which is one object to Python."""
    rehearsal = Rehearsal()
    policy = policy_with(rehearsal)
    for course in ("first_lesson", "chinese_lesson"):
        model: Any = ClassroomModel(course, policy=policy, seed=3, steps=5)
        model.step()
    first = [call.messages[1].content.splitlines()[1] for call in rehearsal.calls if call.name == "teacher_turn"]
    silences = [Templates(language).words["nothing_heard"] for language in ("en", "zh")]
    assert [first[0], first[-1]] == silences
