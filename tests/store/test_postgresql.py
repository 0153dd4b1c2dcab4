"""What a study meets on a server: others who write, who read, who own the database, and a server that goes away."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import PlayedStep, Study, SummaryRow, postgresql
from eduverse_mesa.store.accounts import account_named, add_account
from eduverse_mesa.store.location import shown
from eduverse_mesa.store.purge import purge
from eduverse_mesa.store.run_list import delete_run
from eduverse_mesa.store.schema import metadata, participants
from tests.postgres import ALONE, OWNER, Server, database_of
from tests.store.rows import run_row, step_rows, write_steps
from tests.store.test_writers import OWN_RUN, run_all, start, together

pytestmark = ALONE
SECRET = "quokka-tail"


@pytest.fixture
def place(postgres: Server) -> str:
    return postgres.url(postgres.new())


@pytest.fixture
def empty(postgres: Server) -> str:
    """A database without any table."""
    return postgres.url(postgres.new("template0"))


@contextmanager
def refused(url: str, message: str, **named: Any) -> Iterator[None]:
    """What is done inside is refused with words that help, and tell no password."""
    with pytest.raises(StudyError, match=message) as caught:
        yield
    text = str(caught.value)
    assert caught.value.mend
    assert shown(url) in text
    assert "correct" not in text
    assert SECRET not in text


def test_nobody_learns_a_password_from_what_is_said(postgres: Server, place: str) -> None:
    wrong = postgres.url(database_of(place), SECRET)
    with refused(wrong, r"cannot be reached: .*password authentication failed.*Check whether"):
        Study.open(wrong)
    with refused(wrong, r"cannot be reached"):
        Study.open(f"{wrong}&password={SECRET}")
    nowhere = f"postgresql://ann:{SECRET}@/x?host=%2Fnowhere&port=1"
    assert shown(nowhere) == "postgresql://ann:***@/x?host=%2Fnowhere&port=1"
    with refused(nowhere, r"cannot be reached: .*No such file"):
        Study.open(nowhere)
    with refused(postgres.url("nothing"), r"cannot be reached: .*database \"nothing\" does not exist"):
        Study.open(postgres.url("nothing"), create=True)
    with refused(f"postgresql+psycopg2://ann:{SECRET}@host/x", r"psycopg2.*Write it as postgresql://"):
        Study.open(f"postgresql+psycopg2://ann:{SECRET}@host/x")


def test_a_study_can_be_opened_by_the_name_that_messages_give_it(place: str) -> None:
    with Study.open(place) as study:
        study.add_run(run_row())
        assert "correct" not in study.path
        with Study.open(study.path) as again:
            assert [row.id for row in again.runs()] == ["a"]
            assert again.path == study.path == shown(place) == shown(study.path)


def test_a_missing_driver_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with refused(place, r"driver for PostgreSQL.*\(psycopg\).*pip install 'eduverse-mesa\[postgres\]'"):
        Study.open(place)


# --- whose database it is ---


def test_another_programs_database_is_left_alone(postgres: Server, empty: str) -> None:
    database = database_of(empty)
    with refused(empty, "no study in it yet"):
        Study.open(empty)
    for table in ("orders (id integer)", "meta (key text, value text)"):
        with postgres.asked(database) as connection:
            connection.execute(f"create table {table}")
            connection.execute(f"alter table {table.split()[0]} owner to {OWNER}")
        for named in ({}, {"create": True}, {"read_only": True}):
            with refused(empty, "another program's tables"):
                Study.open(empty, **named)
    with postgres.asked(database) as connection:
        found = connection.execute("select tablename from pg_tables where schemaname = 'public' order by 1").fetchall()
    assert found == [("meta",), ("orders",)]


def test_a_database_that_cannot_hold_every_language_is_refused(postgres: Server) -> None:
    url = postgres.url(postgres.new("template0", "encoding latin1 locale_provider libc locale 'C'"))
    with refused(url, r"in UTF-8; this one is in LATIN1.*template0"):
        Study.open(url, create=True)


def test_who_may_not_do_something_is_told_so(postgres: Server, place: str) -> None:
    with postgres.asked(database_of(place)) as connection:
        connection.execute(f"alter table runs owner to admin; grant select on runs to {OWNER}")
    with Study.open(place) as study, refused(place, "may not do that"):
        study.add_run(run_row())


# --- what is kept ---


def test_what_a_server_cannot_hold_is_said_and_nothing_is_written(place: str) -> None:
    with Study.open(place) as study:
        study.add_run(run_row())
        good = step_rows(1, 1)
        for bad in (
            good[0]._replace(seq=99, reason="a\x00b"),
            good[0]._replace(seq=99, tokens_in=2**31),
            good[0]._replace(seq=99, tokens_in=2**70),
            good[0]._replace(seq=99, agent="\ud800"),
        ):
            with refused(place, r"cannot hold this.*Nothing was written"):
                study.commit("a", PlayedStep(1, 1, "d", [*good, bad]))
        with refused(place, "cannot hold this"):
            study.add_participant("a\x00b", "student")
        assert (study.answers("a"), study.lessons("a"), study.participants()) == ([], [], [])


def test_a_row_that_is_refused_is_not_repeated(place: str) -> None:
    """A server tells which row it was, and so what somebody said."""
    with Study.open(place) as study:
        study.add_run(run_row())
        bad = step_rows(1, 1)[0]._replace(content=f'"{SECRET}"', status="splendid")
        with refused(place, r"known_status"):
            study.commit("a", PlayedStep(1, 1, "d", [bad]))


def test_texts_come_in_the_same_order_as_from_a_file(place: str, tmp_path: Path) -> None:
    names = ["ann", "Bo", "Ål", "王", "_x", "Ann", "😀"]
    found = []
    for where in (place, str(tmp_path / "a")):
        with Study.open(where, create=True) as study:
            study.add_run(run_row())
            study.commit("a", PlayedStep(1, 1, "d", last=True, summaries=[SummaryRow(name, "{}") for name in names]))
            found.append([row.student for row in study.summaries("a", 1)])
    assert found[0] == found[1] == sorted(names)
    with Study.open(place) as study, study.transaction() as connection:
        letters = connection.exec_driver_sql("select x from (values ('ann'), ('Bo')) as t(x) order by x").scalars()
        assert list(letters) == ["ann", "Bo"], "this server orders as people do: the test sees something"


def test_who_only_reads_writes_nothing_and_sees_one_moment(place: str) -> None:
    with Study.open(place) as study, Study.open(place, read_only=True) as reader:
        study.add_run(run_row())
        for act in (lambda: reader.set_title("a", "x"), lambda: reader.commit("a", PlayedStep(1, 1, "d"))):
            with refused(place, "cannot be written"):
                act()
        with reader.transaction() as connection:
            seen = select(func.count()).select_from(metadata.tables["runs"])
            assert connection.execute(seen).scalar() == 1
            study.add_run(run_row("b"))  # who reads keeps nobody from writing
            assert connection.execute(seen).scalar() == 1
        assert [row.id for row in reader.runs()] == ["a", "b"]


def test_a_change_by_anybody_can_be_noticed(place: str) -> None:
    with Study.open(place) as study, Study.open(place, read_only=True) as reader:
        before = reader.standing()
        assert reader.runs() == []
        assert reader.standing() == before
        study.add_run(run_row())
        assert reader.standing() != before


# --- many at once ---


def test_two_programs_make_one_study_and_write_to_it(empty: str) -> None:
    together([start(OWN_RUN, empty, f"run-{number}") for number in range(2)])
    with Study.open(empty, read_only=True) as study:
        assert {row.id for row in study.runs()} == {"run-0", "run-1"}
        for row in study.runs():
            assert study.digests(row.id) == {(1, step): f"{row.id}-{step}" for step in range(1, 41)}
            assert study.answers(row.id) == [answer for step in range(1, 41) for answer in step_rows(1, step)]


def test_many_make_one_study_at_the_same_moment(empty: str) -> None:
    run_all([lambda: Study.open(empty, create=True).close()] * 5)
    with Study.open(empty) as study:
        assert study.runs() == []


def test_of_two_writers_of_a_run_one_wins(place: str) -> None:
    with Study.open(place) as study:
        study.add_run(run_row())
    lost: list[str] = []

    def write(name: str) -> None:
        with Study.open(place) as mine:
            try:
                for step in range(1, 31):
                    mine.commit("a", PlayedStep(1, step, name, step_rows(1, step)))
            except StudyError as error:
                lost.append(str(error))

    run_all([lambda: write("one"), lambda: write("other")])
    assert len(lost) == 1
    assert "Only one program may write to a run" in lost[0]
    with Study.open(place, read_only=True) as study:
        assert list(study.digests("a")) == [(1, step) for step in range(1, 31)]
        assert study.answers("a") == [answer for step in range(1, 31) for answer in step_rows(1, step)]


def test_who_has_waited_sees_what_was_written_before(place: str) -> None:
    """To read, and to write what follows from it, is one thing: a server's own order would let both read first."""
    first_in, second_asked = Event(), Event()
    numbers: list[int] = []

    def take(study: Study, before: Callable[[], object]) -> None:
        with study.transaction() as connection:
            last = connection.execute(select(func.max(participants.c.number))).scalar() or 0
            before()
            row = {"label": "x", "role": "student", "state": "present", "created": ""}
            connection.execute(insert(participants), {"number": last + 1, "id": f"p{last + 1}", **row})
            numbers.append(last + 1)

    with Study.open(place) as one, Study.open(place) as other:

        def first() -> None:
            def wait() -> None:
                first_in.set()
                assert second_asked.wait(120)

            take(one, wait)

        def second() -> None:
            assert first_in.wait(120)
            Thread(target=second_asked.set).start()
            take(other, lambda: None)

        run_all([first, second])
    assert numbers == [1, 2]


def test_a_study_in_use_is_said(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "_WAIT_SECONDS", 0.05)
    with Study.open(place) as study, Study.open(place) as other, Study.open(place, read_only=True) as reader:
        with study.transaction(), refused(place, "in use by another program"):
            other.add_run(run_row())
        with study.transaction():
            assert reader.runs() == [], "who only reads need not wait"
        other.add_run(run_row())


# --- a server that goes away ---


def test_a_server_that_dies_leaves_whole_steps_and_they_go_on(postgres: Server, place: str) -> None:
    with Study.open(place) as study:
        study.add_run(run_row())
        write_steps(study, "a", range(1, 3))
        lost = refused(place, r"connection to the server was lost.*Complete steps are kept")
        with lost, study.transaction() as connection:
            connection.execute(insert(metadata.tables["meta"]), {"key": "half", "value": "written"})
            postgres.stop()
        with refused(place, r"cannot be reached"):
            study.commit("a", PlayedStep(1, 3, "d", step_rows(1, 3)))
        postgres.start()
        assert len(study.digests("a")) == 2
        assert len(study.answers("a")) == 56
        with study.transaction() as connection:
            assert "half" not in connection.execute(select(metadata.tables["meta"].c.key)).scalars().all()
        write_steps(study, "a", range(3, 5))
        assert list(study.digests("a")) == [(1, step) for step in range(1, 5)]


def test_a_connection_that_was_cut_between_two_steps_is_made_again(postgres: Server, place: str) -> None:
    with Study.open(place) as study:
        study.add_run(run_row())
        with postgres.asked() as keeper:
            cut = "select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = %s"
            assert keeper.execute(cut, [database_of(place)]).fetchall() == [(True,)]
        write_steps(study, "a", range(1, 3))
        assert len(study.digests("a")) == 2


# --- erasing ---


def test_what_was_erased_is_in_no_byte_that_the_database_keeps(postgres: Server, place: str) -> None:
    with Study.open(place) as study:
        add_account(study, "kiwi", "student", "another horse")
        for number in range(3):  # often enough to be noted among the values that come often
            study.add_run(run_row(f"a{number}", title=SECRET))
            rows = [row._replace(content=f'"{SECRET}"') for row in step_rows(1, 1)]
            study.commit(f"a{number}", PlayedStep(1, 1, "d", rows))
            study.set_status(f"a{number}", "complete")
        with postgres.asked(database_of(place)) as keeper:
            keeper.execute("analyze")
            noted = "select count(*) from pg_stats where most_common_vals::text like %s"
            assert keeper.execute(noted, [f"%{SECRET}%"]).fetchone() != (0,)
        with Study.open(place, read_only=True) as reader, reader.transaction() as connection:
            connection.exec_driver_sql("select 1")
            for number in range(3):
                delete_run(study, f"a{number}")
            with refused(place, r"still holds them.*erase once more"):
                purge(study)
        assert SECRET.encode() in postgres.held(database_of(place))
        purge(study)
        assert SECRET.encode() not in postgres.held(database_of(place))
        assert account_named(study, "kiwi") is not None
        study.add_run(run_row("a"))
