"""A group's run in a study: each message is kept before it is seen, and after a kill it goes on as if nothing were."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eduverse_mesa.decisions.groups import Claim, Meaning, Message, Minutes, Stated, Sum
from eduverse_mesa.errors import StudyError
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.runs.groups import GroupSpec, Talk, begin_talk, open_talk
from eduverse_mesa.runs.groups.dialogue import digest_of
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.store.dialogues import messages_of
from tests.models.groups import group, problem, setup

SAYS = ("hi, I think 12 is half of the 20 steps", "no, 20 steps make 60 feet", "60 / 20 = 3", "ok", "I agree")


def spec(seed: int = 1, *people: str) -> GroupSpec:
    made = setup("multiplies", people or ("Mia",))
    return GroupSpec(made.model_copy(update={"problems": (problem(),)}), seed)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenStudy]:
    with open_study(str(tmp_path / "a.study"), create=True) as study:
        yield study


def talk_on(talk: Talk, count: int) -> None:
    """Mia says something after every second message of the peers, until there are so many more."""
    until = len(talk.messages) + count
    while len(talk.messages) < until and not talk.over:
        said = len(talk.messages)
        if said % 3 == 2:
            row = talk.say("Mia", SAYS[said // 3 % len(SAYS)], talk.model.now + 1.0, f"key {said}")
            assert row.speaker == "Mia"
        else:
            due = talk.due
            assert due is not None
            talk.advance(due)


def told(talk: Talk) -> list[Any]:
    return [(row.step, row.speaker, row.text, row.stage, row.now) for row in talk.messages]


def test_a_message_is_in_the_study_as_soon_as_it_is_said(opened: OpenStudy) -> None:
    talk = begin_talk(opened, spec(), "r")
    assert talk.advance(1.0) is None, "the person is waited for"
    assert talk.due == 10.0
    row = talk.advance(10.0)
    assert row is not None
    assert messages_of(opened.study, "r") == [row]
    mine = talk.say("Mia", "hello \u4f60\u597d <b>", 12.0, "k1")
    assert [one.text for one in messages_of(opened.study, "r")] == [row.text, "hello \u4f60\u597d <b>"]
    assert messages_of(opened.study, "r", after=1) == [mine]


def test_what_is_sent_twice_is_said_once(opened: OpenStudy) -> None:
    talk = begin_talk(opened, spec(), "r")
    first = talk.say("Mia", "hello", 1.0, "k1")
    assert talk.say("Mia", "hello", 2.0, "k1") == first
    assert open_talk(opened, "r").say("Mia", "hello", 3.0, "k1") == first, "also after a restart"
    assert len(messages_of(opened.study, "r")) == 1


@pytest.mark.parametrize("after", [1, 4, 9])
def test_a_dialogue_that_was_built_again_goes_on_as_the_other_would_have(opened: OpenStudy, after: int) -> None:
    whole = begin_talk(opened, spec(), "whole")
    talk_on(whole, 40)
    assert whole.over
    assert whole.model.solved
    assert list(dict.fromkeys(row.stage for row in whole.messages)) == list(STAGES)
    talk_on(begin_talk(opened, spec(), "broken"), after)
    again = open_talk(opened, "broken")
    assert len(again.messages) == after
    assert again.model.dialogue == whole.model.dialogue[: len(again.model.dialogue)]
    talk_on(again, 40)
    assert told(again) == told(whole)
    assert opened.study.run("broken").status == "complete"
    assert list(opened.study.export_log("broken")) == list(opened.study.export_log("whole"))
    assert open_talk(opened, "broken").over


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    """Another process talks, says of each message that it has seen it, and is killed in the middle."""
    path = tmp_path / "a.study"
    script = textwrap.dedent(
        """
        import sys
        from eduverse_mesa.runs.groups import begin_talk
        from eduverse_mesa.runs.studies import open_study
        from tests.runs.test_collaboration import spec
        with open_study(sys.argv[1], create=True) as opened:
            talks = [begin_talk(opened, spec(seed), f"r{seed}") for seed in range(4)]
            while True:
                for number, talk in enumerate(talks):
                    if talk.due is not None and (row := talk.advance(talk.due)):
                        print(number, row.step, flush=True)
                    elif talk.due is None:
                        talk.say("Mia", "go on", talk.model.now + 1, f"key {talk.model.turn}")
        """
    )
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen: dict[int, int] = {}
        for line in process.stdout:
            number, step = map(int, line.split())
            seen[number] = step
            if sum(seen.values()) > 25:
                process.kill()
                break
        for line in process.stdout:
            number, step = map(int, line.split())
            seen[number] = step
    with open_study(str(path)) as opened:
        for number, step in seen.items():
            talk = open_talk(opened, f"r{number}")
            assert [row.step for row in talk.messages] == list(range(1, len(talk.messages) + 1))
            assert len(talk.messages) >= step, "what was seen is there"
            talk.say("Mia", "I am back", talk.model.now + 1, "back")
            assert open_talk(opened, f"r{number}").messages == talk.messages


def test_two_programs_that_write_to_one_dialogue_do_not_mix(opened: OpenStudy) -> None:
    one = begin_talk(opened, spec(), "r")
    other = open_talk(opened, "r")
    one.say("Mia", "hello", 1.0, "a")
    with pytest.raises(StudyError, match="is at step 1"):
        other.say("Mia", "something else", 1.0, "b")
    assert other.broken
    assert other.due is None
    with pytest.raises(StudyError, match="Open it again"):
        other.advance(100.0)
    again = open_talk(opened, "r")
    assert again.say("Mia", "something else", 2.0, "b").step == 2


def test_a_log_that_was_changed_is_not_gone_on_with(opened: OpenStudy) -> None:
    from sqlalchemy import update

    from eduverse_mesa.store.schema import messages

    talk = begin_talk(opened, spec(), "r")
    talk.say("Mia", "60 / 20 = 3", 1.0, "a")
    with opened.study.transaction() as connection:
        connection.execute(update(messages).values(text="60 / 20 = 4"))
    with pytest.raises(StudyError, match="another way than its log at message 1"):
        open_talk(opened, "r")


def test_other_rooms_say_what_such_a_run_is(opened: OpenStudy) -> None:
    begin_talk(opened, spec(), "r")
    assert opened.overview()[0]["problems"] == ["steps_and_distance"]
    with pytest.raises(StudyError, match=r"a group that solves a problem.*page Mathematics"):
        opened.choose("r")
    opened.study.add_run(opened.study.run("r")._replace(id="course", kind="course"))
    with pytest.raises(StudyError, match="not of a group"):
        open_talk(opened, "course")


def test_a_fingerprint_stays_when_messages_and_minutes_hold_more_one_day() -> None:
    """Or no dialogue could be gone on with after an upgrade."""
    claim, sums = Claim("step_length", "3 foot/step"), (Sum("60 / 20", "3", True),)
    meaning = Meaning("compute", "Bob", claims=(claim,), sums=sums, gives=(("plan", "Bob"),), clear=False)
    said = Message(1, "Alice", "60 / 20 = 3", "plan", meaning)

    def fingerprint(message: Message, kind: type[Minutes]) -> str:
        model = group()
        model.dialogue.append(message)
        notes = kind(stated=(Stated("step_length", "Alice", "3 foot/step", 1),), chosen=(("Bob", ("a", "b")),))
        model.record.minutes = lambda: notes  # type: ignore[method-assign]
        return digest_of(model)

    known = fingerprint(said, Minutes)
    assert known == "ec9646319bbee235", "dialogues that are kept bear it"
    later_message: Any = msgspec.defstruct("Later", [("mood", str, "merry")], bases=(Message,), frozen=True)
    later_minutes: Any = msgspec.defstruct("LaterMinutes", [("late", bool, True)], bases=(Minutes,), frozen=True)
    assert fingerprint(later_message(*msgspec.structs.astuple(said)), later_minutes) == known
    assert fingerprint(msgspec.structs.replace(said, meaning=Meaning("compute")), Minutes) != known
