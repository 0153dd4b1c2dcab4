"""The pages for mathematics with a study in PostgreSQL: what a class does at once is kept once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Barrier
from typing import Any

from eduverse_mesa.store import Study
from eduverse_mesa.store.classwork import find_talks
from eduverse_mesa.store.dialogues import messages_of
from tests.postgres import ALONE, PASSWORD, Server
from tests.pupils.mathematics import Client, School, served
from tests.store.test_writers import run_all

pytestmark = ALONE


def test_a_class_works_on_a_server_and_what_comes_twice_is_kept_once(postgres: Server, tmp_path: Path) -> None:
    url: Any = postgres.url(postgres.new())
    school = School(url, "kiwi")
    with served(tmp_path / "none.study", "--study", url) as server:
        clients = [Client(server.port, "kiwi") for _ in range(3)]
        clients[0].post("/consent", then="/work")
        barrier, runs, said = Barrier(3), set[str](), list[str]()

        def at_once(client: Client) -> Callable[[], None]:
            def work() -> None:
                barrier.wait()
                runs.add(client.get(f"/work/{school.work.id}/1").run)
                barrier.wait()
                said.append(client.say(next(iter(runs)), "I think it is 60 feet", "0123456789abcdef").text)

            return work

        run_all([at_once(client) for client in clients])
        (run,) = runs
        assert len(said) == 3
        assert len(set(said)) == 1
        assert "60 feet" in clients[0].get(f"/work/{school.work.id}/1").text
        with Study.open(url, read_only=True) as study:
            assert [row.run for row in find_talks(study)] == [run]
            assert [row.text for row in messages_of(study, run) if row.key] == ["I think it is 60 feet"]
        teacher = Client(server.port, "Ms Li")
        here = f"/sets/{school.work.id}"
        assert "60 feet" in teacher.get(f"/transcripts/{run}").text
        assert "1 of 1 students" in teacher.get(here).text
        assert teacher.get(f"{here}/counted").status == 200
        assert "60 feet" in teacher.get(f"{here}/export/messages.csv").text
        assert teacher.post(f"{here}/end", do="end").status == 303
        assert teacher.post(f"{here}/delete", sure="yes").status == 303
        assert teacher.get(here).status == 404
        assert PASSWORD.split()[0] not in server.greeting
        assert "***" in server.greeting
    with Study.open(url, read_only=True) as study:
        assert find_talks(study) == []
    assert list(tmp_path.iterdir()) == [tmp_path / "server.log"]
    assert (tmp_path / "server.log").read_text() == ""
