"""Lessons and dialogues that are kept on a server are the same as those in a file, also after a kill."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from eduverse_mesa.cli import main
from eduverse_mesa.errors import StudyError
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.runs import open_study, record_course, replay_run, results, resume_run
from eduverse_mesa.runs.classroom import COURSES, begin_run
from eduverse_mesa.runs.erasure import erase_participant
from eduverse_mesa.runs.groups import begin_talk, open_talk
from eduverse_mesa.runs.open_runs import note_open, refuse_open
from eduverse_mesa.store import Study, dialogues
from eduverse_mesa.store.dialogues import messages_of
from eduverse_mesa.store.run_locks import hold_on_server
from tests.postgres import ALONE, PASSWORD, Server, database_of
from tests.runs.courses import SEED, child, course, die_at, ended, go_on, log_of
from tests.runs.test_collaboration import spec, talk_on, told
from tests.store.test_writers import run_all

pytestmark = ALONE


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.url(postgres.new())


def test_a_course_that_was_killed_goes_on_as_in_a_file(url: str, tmp_path: Path) -> None:
    lessons, steps = 2, 3
    path = str(tmp_path / "whole.study")
    whole = record_course(path, course(lessons=lessons, steps=steps), SEED)
    assert ended(child(die_at, "inside", steps, url, lessons, steps)) == -signal.SIGKILL
    with open_study(url, read_only=True) as opened:
        run = opened.choose(None)
        assert run.status == "running"
        assert len(opened.study.digests(run.id)) == steps - 1
    go_on(url, lessons, steps)
    assert log_of(url) == log_of(path)
    with open_study(url, read_only=True) as opened, open_study(path, read_only=True) as other:
        assert results(replay_run(opened, run.id)) == results(whole)
        assert opened.study.digests(run.id) == other.study.digests(run.id)
        assert opened.study.summaries(run.id, 1) == other.study.summaries(run.id, 1)
        assert opened.study.memories(run.id) == other.study.memories(run.id)


def test_a_dialogue_goes_on_as_in_a_file(url: str, tmp_path: Path) -> None:
    with open_study(str(tmp_path / "a.study"), create=True) as file:
        whole = begin_talk(file, spec(), "r")
        talk_on(whole, 40)
    with open_study(url) as opened:
        talk_on(begin_talk(opened, spec(), "r"), 7)
    with open_study(url) as opened:
        talk = open_talk(opened, "r")
        talk_on(talk, 40)
        assert told(talk) == told(whole)
        assert list(dict.fromkeys(row.stage for row in talk.messages)) == list(STAGES)
        assert opened.study.run("r").status == "complete"
        assert messages_of(opened.study, "r") == talk.messages


def test_what_two_servers_hear_at_once_is_said_once(url: str) -> None:
    with open_study(url) as one, open_study(url) as other:
        begin_talk(one, spec(), "r")
        halls, barrier, said = (Dialogues(one), Dialogues(other)), Barrier(2), []

        def say(hall: Dialogues) -> Callable[[], None]:
            def work() -> None:
                hall.live("r")
                barrier.wait()
                said.append(hall.say("r", "Mia", "I am the one", "key"))

            return work

        run_all([say(hall) for hall in halls])
        (kept,) = messages_of(one.study, "r")
    assert said == [kept, kept]
    assert (kept.step, kept.key) == (1, "key")


def test_what_is_said_while_a_dialogue_is_built_again_does_no_harm(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_study(url) as one, open_study(url) as other:
        talk = begin_talk(other, spec(), "r")
        talk.say("Mia", "hello", 1.0, "k1")

        def interrupted(read: Callable[..., Any]) -> Callable[..., Any]:
            def reading(*given: Any) -> Any:
                found = read(*given)
                if len(talk.messages) == 1:
                    talk.say("Mia", "hello again", 2.0, "k2")
                return found

            return reading

        monkeypatch.setattr(dialogues, "messages_of", interrupted(dialogues.messages_of))
        monkeypatch.setattr(Study, "digests", interrupted(Study.digests))
        assert [row.key for row in open_talk(one, "r").messages] == ["k1"]
        assert [row.key for row in open_talk(one, "r").messages] == ["k1", "k2"]


def test_a_run_that_is_open_is_known_by_each_name_of_its_study(url: str) -> None:
    leave = note_open(url, "r")
    with open_study(url) as opened, pytest.raises(StudyError, match="open in this program") as caught:
        refuse_open(opened.study.path, ["r"])
    leave()
    assert "correct" not in str(caught.value)


def test_a_run_that_another_program_plays_is_refused_until_that_is_gone(postgres: Server, url: str) -> None:
    with open_study(url) as opened:
        run = opened.enter(COURSES.row(begin_run(course(lessons=1, steps=1), SEED, None).spec))
        other = hold_on_server(url, run)
        assert other is not None
        assert hold_on_server(opened.study.path, run) is None
        with pytest.raises(StudyError, match="is being played by another program") as caught:
            resume_run(opened, run)
        assert "correct" not in str(caught.value)
        with postgres.asked(database_of(url)) as keeper:
            holding = "select pid from pg_locks where locktype = 'advisory' and objid <> 0"
            cut = f"select pg_terminate_backend(pid, 60000) from ({holding}) as held"
            assert keeper.execute(cut).fetchall() == [(True,)]
        assert resume_run(opened, run).complete
        other.leave()


def test_a_person_is_erased_from_a_server(postgres: Server, url: str) -> None:
    with open_study(url) as opened:
        person = opened.study.add_participant("Quokkaline", "student")
    record_course(url, course(lessons=1, steps=2), SEED)
    done = erase_participant(url, person.id)
    assert done.complete
    assert any("server's own log" in one for one in done.beyond)
    assert b"Quokkaline" not in postgres.held(database_of(url))


def test_commands_tell_no_password(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_study(url) as opened:
        begin_talk(opened, spec(), "r")
    assert main(["list", url]) == 0
    assert main(["resume", url, "--run", "nothing"]) != 0
    assert main(["run", "first_lesson", "--steps", "1", "-q", "--out", url]) == 0
    assert main(["delete", url, "r", "--yes"]) == 3
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert "***" in said.err
    assert PASSWORD.split()[0] not in said.out + said.err
