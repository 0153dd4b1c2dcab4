"""A group's dialogue in memory: looked back on, begun again from any message, and kept as if it had been recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs.erasure import erase_participant, participant_document
from eduverse_mesa.runs.groups import GroupSpec, UnkeptTalk, begin_talk, keep_talk, open_talk, read_talk
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.store.dialogues import messages_of
from tests.runs.test_collaboration import spec, talk_on, told
from tests.runs.test_erasing import left


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenStudy]:
    with open_study(str(tmp_path / "a.study"), create=True) as study:
        yield study


def test_what_was_played_in_memory_is_kept_as_if_it_had_been_recorded(opened: OpenStudy) -> None:
    recorded = begin_talk(opened, spec(), "recorded")
    talk_on(recorded, 60)
    talk = UnkeptTalk(spec())
    talk_on(talk, 5)
    run = keep_talk(opened, talk)
    assert opened.study.run(run).status == "interrupted"
    talk_on(talk, 60)
    assert keep_talk(opened, talk) == run
    assert opened.study.run(run).status == "complete"
    assert told(talk) == told(recorded)
    assert opened.study.digests(run) == opened.study.digests("recorded")
    answers = [[row._replace(latency_ms=None) for row in opened.study.answers(one)] for one in (run, "recorded")]
    assert answers[0] == answers[1]
    assert keep_talk(opened, UnkeptTalk(spec())) == f"{run}-2", "the same once more has a name of its own"


def test_a_copy_is_watched_message_by_message_and_disturbs_nobody(opened: OpenStudy) -> None:
    recorded = begin_talk(opened, spec(), "r")
    talk_on(recorded, 9)
    stages: list[str] = []
    copy = read_talk(opened, "r", upto=6, watch=lambda talk: stages.append(talk.model.stage))
    assert told(copy) == told(recorded)[:6]
    assert len(stages) == 6
    talk_on(copy, 2)
    assert len(messages_of(opened.study, "r")) == 9
    with pytest.raises(StudyError, match="step 7"):
        keep_talk(opened, copy)  # what another has written meanwhile is not doubled
    assert told(open_talk(opened, "r")) == told(recorded)


def test_a_dialogue_goes_on_in_another_way_from_any_message(opened: OpenStudy) -> None:
    talk = UnkeptTalk(spec())
    talk_on(talk, 8)
    run = keep_talk(opened, talk)
    other = talk.again(4)
    assert told(other) == told(talk)[:4]
    row = other.say("Mia", "wait, why do we halve it?", other.model.now + 1, "k")
    fork = keep_talk(opened, other)
    assert opened.study.run(fork)._replace(scenario="") == opened.study.run(run)._replace(
        scenario="", id=fork, parent=run, forked_at=(1, 4)
    )
    assert messages_of(opened.study, fork)[-1] == row
    assert read_talk(opened, fork).parent == (run, 4)
    same = talk.again()
    assert (same.run, same.kept, told(same)) == (run, 8, told(talk))


def test_who_sat_in_a_group_is_handed_out_and_erased_with_the_dialogue_and_its_forks(tmp_path: Path) -> None:
    """What others say follows from the words, so nothing of it can stay."""
    secret, path = "Xylophones remind me of my grandmother's harbour.", str(tmp_path / "b.study")
    with open_study(path, create=True) as opened:
        person = opened.study.add_participant("Guest 1", "student").id
        talk = UnkeptTalk(spec(1, "Quillabel"))
        talk.say("Quillabel", secret, 1.0, "k")
        run = keep_talk(opened, talk, participant=person)
        fork = keep_talk(opened, _with_another_message(talk))
        other = keep_talk(opened, _played())
        document = participant_document(opened, person)
        assert [row["text"] for one in document["runs"] for row in one["messages"]][:2] == [secret] * 2
    assert left(tmp_path, secret, "Quillabel") == [secret, "Quillabel"]
    done = erase_participant(path, person)
    assert (done.complete, set(done.deleted), done.runs) == (True, {run, fork}, ())
    assert left(tmp_path, secret, "Quillabel") == []
    with open_study(path, read_only=True) as opened:
        assert opened.runs() == [other]
        assert read_talk(opened, other).over


def _with_another_message(talk: UnkeptTalk) -> UnkeptTalk:
    talk.advance(talk.due or 0.0)
    other = talk.again(1)
    other.advance(other.due or 0.0)
    return other


def _played() -> UnkeptTalk:
    made = spec()
    talk = UnkeptTalk(GroupSpec(made.setup.model_copy(update={"seats": ()}), 1))
    while not talk.over:
        talk.advance(talk.due or 0.0)
    return talk
