"""What is kept long enough goes, and what was held up while it was erased is finished later."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from eduverse_mesa.errors import PolicyError, StudyError
from eduverse_mesa.policies.llm.calling import cache as cache_module
from eduverse_mesa.policies.llm.calling.cache import AnswerCache
from eduverse_mesa.policies.llm.calls import Completion
from eduverse_mesa.pupils import dialogues, retention
from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.pupils.request import Site
from eduverse_mesa.pupils.retention import EVERY, erase, tend, tidy
from eduverse_mesa.pupils.teacher import journals
from eduverse_mesa.runs.groups import GroupSpec, begin_talk, erasure, read_talk
from eduverse_mesa.runs.groups.erasure import finish, make_sure, take_out
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.store import Study, TalkRow, schema, sqlite
from eduverse_mesa.store.accounts import account_named
from eduverse_mesa.store.classwork import find_talks, progress_of, save_survey, surveys_of
from eduverse_mesa.store.dialogues import Term, find_old, set_keep_days
from tests.models.groups import problem, setup
from tests.pupils.mathematics import School, apart
from tests.pupils.test_erased import ITEMS, of

NAMES = ("quokka", "wombat", "kiwi")
SECRETS = {
    "quokka": "my zebra lives at Elm Street",
    "wombat": "鸭嘴兽 sleeps in a teapot",
    "kiwi": "17 bananas are mine",
}


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenStudy]:
    monkeypatch.setattr(sqlite, "_WAIT_SECONDS", 0.2)
    School(tmp_path / "b.study", *NAMES)
    with open_study(str(tmp_path / "b.study")) as one:
        yield one


def begin(opened: OpenStudy, name: str) -> str:
    """A dialogue of a student, in which it has said something."""
    study = opened.study
    spec = GroupSpec(setup("multiplies", (name,)).model_copy(update={"problems": (problem(),)}), 1)
    (work,) = study_sets(study)
    talk = TalkRow(f"math-of-the-student-{name}", of(study, name), work, "steps_and_distance")
    begin_talk(opened, spec, talk.run, of=talk).say(name, SECRETS[name], 1.0, f"key of {name}")
    save_survey(study, of(study, name), work, dict.fromkeys(ITEMS, 4))
    return talk.run


def study_sets(study: Study) -> list[str]:
    with study.transaction() as connection:
        return list(connection.execute(select(schema.assignments.c.id)).scalars())


def written(study: Study, name: str, at: str) -> None:
    """As if it had been then."""
    with study.transaction() as connection:
        (run,) = connection.execute(select(schema.talks.c.run).where(schema.talks.c.account == of_name(name)))
        for table, column in ((schema.messages, "at"), (schema.runs, "created")):
            key = table.c.run if table is schema.messages else table.c.id
            connection.execute(update(table).where(key == run[0]).values({column: at}))
        connection.execute(update(schema.surveys).where(schema.surveys.c.account == of_name(name)).values(at=at))


def of_name(name: str) -> Any:
    return select(schema.accounts.c.id).where(schema.accounts.c.name == name).scalar_subquery()


def test_what_was_kept_long_enough_goes_by_itself_and_only_that(
    opened: OpenStudy, caplog: pytest.LogCaptureFixture
) -> None:
    study = opened.study
    for name in NAMES:
        begin(opened, name)
    written(study, "quokka", "2026-03-01T10:00:00+00:00")
    written(study, "wombat", "2026-03-05T10:00:00+00:00")
    written(study, "kiwi", "2026-03-09T10:00:00+00:00")
    now = [1773050400.0 + 3600.0]  # 2026-03-09 11:00
    site = Site(opened, Dialogues(opened), clock=lambda: now[0])
    site.dialogues.live("math-of-the-student-quokka")
    tidy(site)
    assert len(find_talks(study)) == 3, "nothing is set, and nothing goes"
    set_keep_days(study, 5)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds
        if len(slept) == 30:
            raise asyncio.CancelledError

    with caplog.at_level(logging.WARNING), pytest.raises(asyncio.CancelledError):
        apart(lambda: asyncio.run(tend(site, sleep)))
    assert slept == [EVERY] * 30
    assert [talk.run for talk in find_talks(study)] == ["math-of-the-student-kiwi"]
    (work,) = study_sets(study)
    assert list(surveys_of(study, work)) == [of(study, "kiwi")]
    assert [record.getMessage() for record in caplog.records] == [
        "kept long enough, and erased now: 1 dialogues, 7 answers to the questions at the end"
    ] * 2
    held = b"".join(path.read_bytes() for path in Path(study.path).parent.iterdir())
    for name in NAMES[:2]:
        assert SECRETS[name].encode() not in held
        assert f"math-of-the-student-{name}".encode() not in held
        assert account_named(study, name) is not None, "the account stays: only dialogues are kept for a time"
    assert SECRETS["kiwi"].encode() in held
    with pytest.raises(StudyError, match="no run"):
        site.dialogues.live("math-of-the-student-quokka")


def test_an_hour_in_which_something_unforeseen_goes_wrong_is_not_the_last(
    opened: OpenStudy, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(opened, "quokka")
    written(opened.study, "quokka", "2026-03-01T10:00:00+00:00")
    set_keep_days(opened.study, 5)
    site = Site(opened, Dialogues(opened), clock=lambda: 1773050400.0)
    slept: list[float] = []

    def unforeseen(*_: object) -> None:
        raise PermissionError(SECRETS["quokka"])

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        monkeypatch.setattr(retention, "forget_old", lambda *_: None)
        if len(slept) == 2:
            raise asyncio.CancelledError

    monkeypatch.setattr(retention, "forget_old", unforeseen)
    with pytest.raises(asyncio.CancelledError):
        apart(lambda: asyncio.run(tend(site, sleep)))
    assert find_talks(opened.study) == []
    assert "PermissionError" in caplog.text
    assert SECRETS["quokka"] not in caplog.text


def test_a_journal_that_was_being_read_when_it_was_erased_is_kept_nowhere(
    opened: OpenStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin(opened, "quokka")
    site = Site(opened, Dialogues(opened))
    (progress,) = progress_of(opened.study, study_sets(opened.study)[0])

    def slowly(*given: Any, **named: Any) -> Any:
        made = read_talk(*given, **named)
        erase(site, of(opened.study, "quokka"))
        return made

    monkeypatch.setattr(journals, "read_talk", slowly)
    assert site.told(progress).people == ("quokka",)
    monkeypatch.undo()
    with pytest.raises(StudyError, match="no run"):
        site.told(progress)
    assert run == progress.talk.run


def test_a_dialogue_that_goes_on_is_not_old_and_one_that_never_began_is(opened: OpenStudy) -> None:
    begin(opened, "kiwi")
    written(opened.study, "kiwi", "2026-03-01T10:00:00+00:00")
    with opened.study.transaction() as connection:
        connection.execute(update(schema.messages).values(at="2026-03-08T10:00:00+00:00"))
    term = [Term((of(opened.study, "kiwi"),), "2026-03-05T00:00:00+00:00")]
    assert find_old(opened.study, term).runs == []
    with opened.study.transaction() as connection:
        connection.execute(schema.messages.delete())
    assert find_old(opened.study, term).runs == ["math-of-the-student-kiwi"]


def test_what_another_program_holds_up_is_finished_later(opened: OpenStudy) -> None:
    study = opened.study
    begin(opened, "quokka")
    site = Site(opened, Dialogues(opened), clock=lambda: 0.0)
    with closing(sqlite3.connect(study.path)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from messages").fetchall()
        taken = take_out(study, of(study, "quokka"))
        with pytest.raises(StudyError, match=r"another program|in use"):
            make_sure(study, taken)
    assert account_named(study, "quokka") is None
    tidy(site)
    held = b"".join(path.read_bytes() for path in Path(study.path).parent.iterdir())
    assert b"quokka" not in held
    assert not finish(study), "nothing is left to do"


def test_what_nobody_looks_at_stays_in_no_memory(opened: OpenStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogues, "STAYS", 0.0)
    monkeypatch.setattr(dialogues, "LOOK", 0.01)
    runs = [begin(opened, name) for name in NAMES]
    made = Dialogues(opened, typing=0)

    async def come_and_go() -> None:
        driving = asyncio.create_task(made.drive())
        for run in runs:
            async for _ in made.watch(run, 0, lambda: True, whose=run):
                assert run in made.in_memory
                break
        while made.in_memory:
            await asyncio.sleep(0.01)
        driving.cancel()

    apart(lambda: asyncio.run(asyncio.wait_for(come_and_go(), 120)))
    assert made.in_memory == made.watching == ()


def test_an_id_that_somebody_else_has_repeated_does_not_keep_a_student(opened: OpenStudy) -> None:
    run = begin(opened, "quokka")
    spec = GroupSpec(setup("multiplies", ("kiwi",)).model_copy(update={"problems": (problem(),)}), 1)
    begin_talk(opened, spec, "mine").say("kiwi", f"look what stands there: {run}", 1.0, "key of kiwi")
    make_sure(opened.study, take_out(opened.study, of(opened.study, "quokka")))
    held = b"".join(path.read_bytes() for path in Path(opened.study.path).parent.iterdir())
    assert SECRETS["quokka"].encode() not in held


def remember(path: Path, answers: dict[bytes, str]) -> None:
    """A cache in which a language model has answered so."""

    async def keep() -> None:
        cache = AnswerCache(path)
        for key, text in answers.items():
            await cache.put(key, Completion(text))
        await asyncio.to_thread(cache.close)

    apart(lambda: asyncio.run(keep()))


def test_what_a_language_model_has_repeated_is_forgotten(opened: OpenStudy, tmp_path: Path) -> None:
    begin(opened, "quokka")
    path = tmp_path / "cache" / "answers.sqlite"
    answers = {
        b"1": "Bob: why, Quokka?",
        b"2": '{"text": "You said My zebra  lives at Elm Street."}',
        b"3": "Hello, kiwi.",
    }
    answers[b"4"] = "quokka has to divide"

    remember(path, answers)
    assert make_sure(opened.study, take_out(opened.study, of(opened.study, "quokka")), path) == 3
    held = b"".join(one.read_bytes() for one in path.parent.iterdir())
    assert b"zebra" not in held
    assert b"quokka" not in held.lower()
    assert b"Hello, kiwi." in held


def test_a_cache_that_another_program_holds_is_rid_of_it_later(
    opened: OpenStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a crash lose it: all that the second erasing knows is in the study."""
    monkeypatch.setattr(cache_module, "_WAIT_SECONDS", 0.1)
    begin(opened, "quokka")
    path = tmp_path / "cache" / "answers.sqlite"
    remember(path, {b"1": "You said my zebra lives at Elm Street."})

    def held() -> bytes:
        return b"".join(one.read_bytes() for folder in (tmp_path, path.parent) for one in folder.glob("*.s*"))

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        taken = take_out(opened.study, of(opened.study, "quokka"))
        for again in (lambda: make_sure(opened.study, taken, path), lambda: finish(opened.study, path)):
            with pytest.raises(PolicyError, match="locked"):
                again()
    assert finish(opened.study, path)
    assert not finish(opened.study, path), "nothing is left to do"
    assert not [one for one in (b"zebra", b"quokka", *(text.encode() for text in taken.drawn)) if one in held()]


def test_an_erasing_that_its_search_refutes_is_not_done(opened: OpenStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(opened, "quokka")
    taken = take_out(opened.study, of(opened.study, "quokka"))
    copy = Path(opened.study.path).with_name("b.study-journal")
    copy.write_text(taken.drawn[0])
    monkeypatch.setattr(erasure, "own_files", lambda study: [Path(study.path), copy])
    for again in (lambda: make_sure(opened.study, taken), lambda: finish(opened.study), lambda: finish(opened.study)):
        with pytest.raises(StudyError, match="still holds traces"):
            again()
    copy.unlink()
    monkeypatch.undo()
    assert finish(opened.study)
    assert not finish(opened.study)
    assert taken.drawn[0].encode() not in Path(opened.study.path).read_bytes()


def test_two_pages_that_begin_at_once_leave_one_run(opened: OpenStudy) -> None:
    """A run that were nobody's would hold the student's name when all that is the student's has gone."""
    spec = GroupSpec(setup("multiplies", ("quokka",)).model_copy(update={"problems": (problem(),)}), 1)
    (work,) = study_sets(opened.study)
    student = of(opened.study, "quokka")

    def one(number: int) -> bool:
        talk = TalkRow(f"math-{number}", student, work, "steps_and_distance")
        try:
            begin_talk(opened, spec, talk.run, of=talk)
        except StudyError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(one, range(4))) == 1
    assert len(opened.study.runs()) == 1
    make_sure(opened.study, take_out(opened.study, student))
    assert opened.study.runs() == []
    assert not one(5), "and none begins when the student has gone"
    held = b"".join(path.read_bytes() for path in Path(opened.study.path).parent.iterdir())
    assert b"quokka" not in held
