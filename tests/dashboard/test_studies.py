"""What the studies page does with runs and people, without a browser."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.pages.studies.downloads import FORMS, pack_runs
from eduverse_mesa.dashboard.pages.studies.page import people_tree, proof_tree
from eduverse_mesa.dashboard.pages.studies.run import ORDERS, Wanted, find, list_tree, run_tree, spent
from eduverse_mesa.dashboard.pages.studies.study import StudyReader, StudyShelf, forks_of
from eduverse_mesa.dashboard.run_names import standing
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.decisions import Bill
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.studies import RunCard, rename_run, run_cards
from eduverse_mesa.store import Study
from eduverse_mesa.store.rows import HeadlineRow
from eduverse_mesa.store.run_list import QUIET
from eduverse_mesa.visualization.words import load_words
from tests.dashboard.studies import HOSTILE, SECRET, large_study, small_study
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED

T = load_words()


def texts(tree: Any) -> Iterator[str]:
    """All that a tree shows."""
    if isinstance(tree, list):
        for child in tree[2:]:
            yield from texts(child)
    else:
        yield str(tree)


def card(name: str, *, title: str = "", status: str = "complete", usd: float = 0.0, age: int = 0) -> RunCard:
    written = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
    row = HeadlineRow(
        name, "first_lesson", title, status, "embedded", None, None, 3, 30,  # type: ignore[arg-type]
        {"ok": 9, "fallback": 2}, "", written, written, (),
    )  # fmt: skip
    return RunCard(row, Bill(requests=int(usd * 100), tokens_in=int(usd * 1e6), usd=usd))


@pytest.fixture
def study(tmp_path: Path) -> tuple[str, dict[str, str]]:
    path = str(tmp_path / "a.study")
    return path, small_study(path)


def shelf_of(path: str) -> StudyShelf:
    office = Office()
    office.study = path
    shelf = StudyShelf(office.desk("somebody"))
    shelf.look()
    return shelf


def done(shelf: StudyShelf) -> None:
    until = time.monotonic() + PATIENCE
    while shelf.doing:
        assert time.monotonic() < until, f"it is still {shelf.doing}"
        time.sleep(0.01)


# --- the list ---


def test_runs_are_found_by_any_of_their_names() -> None:
    cards = [card("one", title="Group work"), card("two", title="Rows"), card("three")]
    assert [one.id for one in find(cards, Wanted("WORK group"))] == ["one"]
    assert [one.id for one in find(cards, Wanted("first_lesson"))] == ["three", "two", "one"]
    assert find(cards, Wanted("group rows")) == []


def test_a_run_that_nobody_writes_to_was_left() -> None:
    late = int(QUIET.total_seconds()) + 60
    assert [standing(card("a", status="running", age=age)) for age in (60, late)] == ["running", "left"]
    assert standing(card("a", status="interrupted", age=late)) == "interrupted"
    cards = [card("a", status="running"), card("b", status="running", age=late), card("c")]
    assert [one.id for one in find(cards, Wanted(standing="left"))] == ["b"]


@given(
    st.lists(st.tuples(st.text(max_size=3), st.floats(0, 9), st.integers(0, 99)), max_size=12),
    st.sampled_from([*ORDERS]),
)
def test_an_order_loses_nobody_and_holds(given_cards: list[tuple[str, float, int]], order: str) -> None:
    cards = [card(f"run{n}", title=title, usd=usd, age=age) for n, (title, usd, age) in enumerate(given_cards)]
    found = find(cards, Wanted(order=order))
    assert sorted(one.id for one in found) == sorted(one.id for one in cards)
    key, falling = ORDERS[order]
    keys = [key(one) for one in found]
    assert keys == sorted(keys, reverse=falling)


def test_hostile_titles_and_labels_are_texts_of_the_trees(study: tuple[str, dict[str, str]]) -> None:
    path, runs = study
    with open_study(path) as opened:
        rename_run(opened, runs["whole"], HOSTILE)
    shelf = shelf_of(path)
    listed = list_tree(shelf.seen.cards, [runs["fork"]], runs["whole"], T)
    assert HOSTILE in list(texts(listed))
    assert {"Lecture", str(SEED)} <= set(texts(listed))
    chosen = shelf.card(runs["whole"])
    assert chosen is not None
    assert HOSTILE in list(texts(run_tree(chosen, T)))
    assert HOSTILE in list(texts(people_tree(shelf.seen.people, shelf.seen.sittings, "p1", T)))
    fork = shelf.card(runs["fork"])
    assert fork is not None
    assert any(f"fork of {runs['whole']} after lesson 1, step 2" in text for text in texts(run_tree(fork, T)))
    shelf.close()


# --- reading ---


def test_a_study_that_is_not_there_yet_is_empty_and_then_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    reader = StudyReader(str(path))
    assert not reader.look().there
    assert not path.exists()
    runs = small_study(path)
    seen = reader.look()
    assert [one.id for one in seen.cards] == list(runs.values())
    reader.close()


def test_a_reader_that_was_closed_opens_nothing_any_more(study: tuple[str, dict[str, str]]) -> None:
    path, runs = study
    reader = StudyReader(path)
    before = reader.look()
    reader.close()
    with Study.open(path) as other:
        other.set_title(runs["half"], "Half")
    assert reader.look() is before
    again = StudyReader(path)
    assert next(one for one in again.look().cards if one.id == runs["half"]).called == "Half"
    again.close()


def test_a_study_is_read_only_when_it_was_written(
    study: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, runs = study
    reads = 0

    def counted(opened: Any, known: Any) -> list[RunCard]:
        nonlocal reads
        reads += 1
        return run_cards(opened, known)

    monkeypatch.setattr("eduverse_mesa.dashboard.pages.studies.study.run_cards", counted)
    reader = StudyReader(path)
    first = reader.look()
    assert reader.look() is first
    assert reads == 1
    with Study.open(path) as other:  # as another program would
        other.set_title(runs["half"], "Half")
        assert next(one for one in reader.look().cards if one.id == runs["half"]).called == "Half"
    assert next(one for one in reader.look().cards if one.id == runs["half"]).called == "Half"
    Path(path).unlink()
    assert not reader.look().there
    reader.close()


def test_five_hundred_runs_are_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    large_study(path, 500)
    reader = StudyReader(str(path))
    began = time.process_time()  # not by the clock: others may keep the machine busy
    seen = reader.look()
    found = find(seen.cards, Wanted("run-4", order="cost"))
    tree = list_tree(found[:60], [], "", T)
    took = time.process_time() - began
    assert (len(seen.cards), len(found)) == (500, 100)
    assert sum(one.row.outcomes["ok"] for one in seen.cards) == 500 * 4 * 700
    assert len(json.dumps(tree)) < 100_000
    assert took < 3.0
    began = time.process_time()
    for _ in range(100):
        reader.look()
    assert time.process_time() - began < 0.5
    reader.close()


# --- doing ---


def test_a_run_is_named_and_deleted_with_its_forks(study: tuple[str, dict[str, str]]) -> None:
    path, runs = study
    shelf = shelf_of(path)
    shelf.rename(runs["whole"], "  The\nfirst ")
    done(shelf)
    renamed = shelf.card(runs["whole"])
    assert renamed is not None
    assert renamed.called == "The first"
    assert forks_of(shelf.seen.cards, runs["whole"]) == [runs["fork"]]
    for run in runs.values():
        shelf.tick(run)
    shelf.select(runs["fork"])
    shelf.delete(runs["whole"])
    done(shelf)
    assert "fork" in str(shelf.error)
    shelf.delete(runs["whole"], with_forks=True)
    done(shelf)
    assert shelf.error is None
    assert [one.id for one in shelf.seen.cards] == [runs["person"], runs["half"]]
    assert shelf.desk.to_compare == [runs["person"], runs["half"]]
    assert shelf.selected == ""
    shelf.close()


def test_a_complete_run_of_a_model_opens_without_a_key(
    study: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path, runs = study
    with Study.open(path) as opened, opened.transaction() as connection:
        connection.exec_driver_sql("update runs set policy = 'llm'")
    shelf = shelf_of(path)
    arrived = threading.Event()
    shelf.show(runs["whole"], arrived.set)
    assert arrived.wait(PATIENCE)
    lesson = classroom_lesson(shelf.desk)
    assert lesson.player.wait(PATIENCE) == "complete"
    assert (lesson.kept, lesson.last) == (runs["whole"], 4)
    arrived.clear()
    done(shelf)
    shelf.go_on(runs["half"], arrived.set)
    done(shelf)
    assert not arrived.is_set()
    assert "model" in str(shelf.error)
    assert lesson.error is None
    shelf.close()


def test_a_run_is_gone_on_with(study: tuple[str, dict[str, str]]) -> None:
    path, runs = study
    shelf = shelf_of(path)
    arrived = threading.Event()
    shelf.go_on(runs["half"], arrived.set)
    assert arrived.wait(PATIENCE)
    lesson = classroom_lesson(shelf.desk)
    lesson.set_pace(None)
    lesson.player.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    lesson.close()
    until = time.monotonic() + PATIENCE
    while (half := shelf.card(runs["half"])) is None or half.row.status != "complete":
        assert time.monotonic() < until
        shelf.look()
    shelf.close()


def test_another_study_is_opened_and_what_is_none_is_refused(study: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    path, runs = study
    other = str(tmp_path / "b.study")
    large_study(other, 3)
    text = tmp_path / "c.study"
    text.write_text("no study")
    shelf = shelf_of(path)
    shelf.tick(runs["whole"])
    for wrong in (str(tmp_path / "d.study"), str(text), "", str(tmp_path), "x" * 5000):
        assert not shelf.turn_to(wrong)
        assert shelf.error is not None
        assert shelf.path == path
    assert shelf.desk.to_compare == [runs["whole"]]
    assert shelf.turn_to(other)
    assert shelf.error is None
    assert (shelf.desk.study, shelf.desk.to_compare, len(shelf.seen.cards)) == (other, [], 3)
    assert shelf.desk.office.study == path
    shelf.desk.office.study = str(tmp_path / "not_made_yet.study")
    assert shelf.turn_to(shelf.desk.office.study)
    assert (shelf.seen.there, shelf.error) == (False, None)
    shelf.close()


def test_changes_of_other_programs_are_noticed(
    study: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eduverse_mesa.dashboard.pages.studies.study._EVERY", 0.02)
    path, runs = study
    shelf = shelf_of(path)
    changed = threading.Event()
    shelf.changed.listen(lambda *_: changed.set())
    leave = shelf.attend()
    with Study.open(path) as other:
        other.set_status(runs["half"], "failed")
        assert changed.wait(PATIENCE)
    half = shelf.card(runs["half"])
    assert half is not None
    assert half.row.status == "failed"
    leave()
    shelf.close()


def test_a_person_is_erased_while_the_page_looks_on(
    study: tuple[str, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "cache.sqlite"))
    monkeypatch.setattr("eduverse_mesa.dashboard.pages.studies.study._EVERY", 0.02)
    path, _ = study
    shelf = shelf_of(path)
    leave = shelf.attend()
    assert SECRET in json.dumps(shelf.document("p1"), default=str)
    shelf.erase("p1")
    done(shelf)
    leave()
    assert shelf.error is None
    assert shelf.proof is not None
    assert shelf.proof.complete
    assert [one.state for one in shelf.seen.people] == ["erased"]
    shown = list(texts(proof_tree(shelf.proof, T))) + list(
        texts(people_tree(shelf.seen.people, shelf.seen.sittings, "", T))
    )
    assert any("Nothing of what was searched for was found" in text for text in shown)
    assert not any("blue whale" in text or "pwned" in text for text in shown)
    proof = "\n".join(texts(proof_tree(shelf.proof, load_words("zh"))))
    names = sorted((one.name for one in shelf.proof.searched), key=len, reverse=True)
    for name in (shelf.proof.participant, *shelf.proof.runs, *shelf.proof.not_replayed, *names):
        proof = proof.replace(name, "")
    assert re.findall("[A-Za-z]{2,}", proof) == []
    shelf.close()
    assert not any(SECRET.encode() in file.read_bytes() for file in tmp_path.glob("a.study*"))


# --- taking away ---


@pytest.mark.parametrize("form", FORMS)
def test_every_form_can_be_taken_away(study: tuple[str, dict[str, str]], form: str) -> None:
    path, runs = study
    one = pack_runs(path, [runs["whole"]], form)
    assert one.content
    two = pack_runs(path, [runs["whole"], runs["fork"]], form)
    assert two.name == f"2_runs-{form}.zip"
    with ZipFile(BytesIO(two.content)) as archive:
        assert archive.testzip() is None
        folders = {name.split("/")[0] for name in archive.namelist()}
        assert folders == {runs["whole"], runs["fork"]}
    if form == "report":
        assert one.name == f"{runs['whole']}.html"
        assert one.content.lstrip()[:9].lower() == b"<!doctype"


def test_runs_whose_names_a_file_system_takes_for_one_stay_apart(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    runs = small_study(path)
    names = {"whole": "A/../../b", "fork": "a_______b", "person": "A?"}
    with Study.open(path) as study, study.transaction() as connection:
        connection.exec_driver_sql("pragma defer_foreign_keys=on")
        for which, name in names.items():
            for table, column in (("runs", "id"), ("runs", "parent"), ("answers", "run"), ("steps", "run"),
                                  ("lessons", "run"), ("summaries", "run"), ("student_memory", "run"),
                                  ("teacher_memory", "run"), ("sittings", "run")):  # fmt: skip
                connection.exec_driver_sql(f"update {table} set {column} = ? where {column} = ?", (name, runs[which]))
    packed = pack_runs(path, list(names.values()), "csv")
    with ZipFile(BytesIO(packed.content)) as archive:
        listed = archive.namelist()
    assert len({name.split("/")[0].casefold() for name in listed}) == 3
    assert not any(".." in name or name.startswith("/") for name in listed)


@pytest.mark.parametrize(("language", "told"), [("en", "3 calls of unknown cost"), ("zh", "3 次调用的用量不明")])
def test_a_list_says_how_many_calls_did_not_tell_what_they_took(language: str, told: str) -> None:
    bill = Bill(requests=9, tokens_in=70, untold=3, most_tokens=4500)
    one, t = replace(card("a"), bill=bill), load_words(language)
    assert told in (spent(one, t) or [])
    assert any(told in text for text in texts(run_tree(one, t)))
    assert spent(replace(one, bill=Bill()), t) is None
