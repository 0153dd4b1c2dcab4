"""What goes into a study comes out of it, in its order, and the log is the same for the same run."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import AnswerRow, MemoryRow, PlayedStep, SittingRow, Study, SummaryRow
from tests.postgres import FILE_ONLY
from tests.store.rows import run_row, step_rows, write_steps


@pytest.fixture
def study(place: str) -> Any:
    with Study.open(place, create=True) as opened:
        opened.add_run(run_row("spring-s1-3fa2c1"))
        yield opened


RUN = "spring-s1-3fa2c1"


def test_the_sql_engine_is_loaded_when_a_study_is_opened(tmp_path: Path) -> None:
    script = (
        "import sys; from eduverse_mesa.store import Study; print('sqlalchemy' in sys.modules)\n"
        "Study.open(sys.argv[1], create=True).close(); print('sqlalchemy' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a")], check=True, capture_output=True, text=True
    )
    assert said.stdout.split() == ["False", "True"]


def test_runs_come_back_as_they_went_in(study: Study) -> None:
    fork = run_row("fork", seed=2**80, parent=RUN, forked_at=(1, 3), changes='[{"step":3}]', version="1.0")
    study.add_run(fork)
    assert study.runs() == [run_row(RUN), fork]
    study.set_status("fork", "failed")
    assert study.run("fork") == fork._replace(status="failed")


@FILE_ONLY
def test_unknown_runs_are_named_with_what_is_meant(study: Study) -> None:
    for ask in (study.run, study.answers, study.digests, study.lessons, study.memories):
        with pytest.raises(StudyError, match=f"no run 'spring-s1-3fa2c'.*Did you mean '{RUN}'"):
            ask("spring-s1-3fa2c")
    with pytest.raises(StudyError, match="no run 'x'"):
        study.commit("x", PlayedStep(1, 1, "d"))
    with pytest.raises(StudyError, match="no run 'x'"):
        study.set_status("x", "complete")
    with pytest.raises(StudyError, match="no run 'x'"):
        study.add_run(run_row("child", parent="x", forked_at=(1, 1)))
    with pytest.raises(StudyError, match="already"):
        study.add_run(run_row(RUN))
    assert study.runs() == [run_row(RUN)]


def test_a_lesson_comes_back_as_it_went_in(study: Study) -> None:
    before = [row._replace(step=0) for row in step_rows(1, 1, 2)]
    costly = step_rows(1, 1)[0]._replace(latency_ms=2.5, tokens_in=7, tokens_out=9, cost=0.01, status="repaired")
    study.commit(RUN, PlayedStep(1, 1, "one", [*before, costly]))
    study.commit(
        RUN,
        PlayedStep(
            1,
            2,
            "two",
            step_rows(1, 2),
            last=True,
            summaries=[SummaryRow("Mei", "{}"), SummaryRow("Ann", '{"x":1}')],
            student_events=[MemoryRow("Ann", "plan", "note it", 1), MemoryRow("Mei", "monitoring", "good", 2)],
            teacher_events=[MemoryRow("instruction", "planning", "ask more", 1)],
        ),
    )
    study.commit(RUN, PlayedStep(2, 1, "three", step_rows(2, 1)))
    assert study.answers(RUN) == [*before, costly, *step_rows(1, 2), *step_rows(2, 1)]
    assert study.answers(RUN, (1, 1)) == [*before, costly]
    assert study.answers(RUN, lesson=2) == step_rows(2, 1)
    assert study.digests(RUN) == {(1, 1): "one", (1, 2): "two", (2, 1): "three"}
    assert study.summaries(RUN, 1) == [SummaryRow("Ann", '{"x":1}'), SummaryRow("Mei", "{}")]
    assert study.memories(RUN, "Mei") == [(1, MemoryRow("Mei", "monitoring", "good", 2))]
    assert study.memories(RUN) == [(1, MemoryRow("instruction", "planning", "ask more", 1))]
    assert [(row.lesson, row.status, row.steps) for row in study.lessons(RUN)] == [
        (1, "complete", 2),
        (2, "running", 1),
    ]
    first, second = study.lessons(RUN)
    assert first.started.endswith("+00:00")
    assert first.ended is not None
    assert second.ended is None


def test_steps_and_lessons_only_in_their_turn(study: Study) -> None:
    write_steps(study, RUN, range(1, 3))
    for step in (1, 2, 4):
        with pytest.raises(StudyError, match="is at step 2 of lesson 1"):
            study.commit(RUN, PlayedStep(1, step, "d", step_rows(1, step)))
    with pytest.raises(StudyError, match="before lesson 1 is complete"):
        study.commit(RUN, PlayedStep(2, 1, "d"))
    study.commit(RUN, PlayedStep(1, 3, "d", last=True))
    with pytest.raises(StudyError, match="complete after 3 steps"):
        study.commit(RUN, PlayedStep(1, 4, "d"))
    assert list(study.digests(RUN)) == [(1, 1), (1, 2), (1, 3)]
    assert len(study.answers(RUN)) == 56


def test_one_bad_answer_keeps_the_whole_step_out(study: Study) -> None:
    good = step_rows(1, 1)
    for bad in (good[0], good[0]._replace(seq=99, status="splendid"), good[0]._replace(seq=99, tokens_in=2**70)):
        with pytest.raises(StudyError):
            study.commit(RUN, PlayedStep(1, 1, "d", [*good, bad]))
    for bad in (good[0]._replace(seq=99, agent="\ud800"), good[0]._replace(seq=99, content='"\ud800"')):
        with pytest.raises(StudyError, match="cannot hold this"):
            study.commit(RUN, PlayedStep(1, 1, "d", [*good, bad]))
    for bad in (good[0]._replace(seq=99, content="{no json"), good[0]._replace(seq=99, step=2)):
        with pytest.raises(ValueError):  # noqa: PT011 - a mistake of ours, not of a user
            study.commit(RUN, PlayedStep(1, 1, "d", [*good, bad]))
    assert (study.answers(RUN), study.digests(RUN), study.lessons(RUN)) == ([], {}, [])
    study.commit(RUN, PlayedStep(1, 1, "d", good))


@FILE_ONLY
def test_a_lesson_that_cannot_be_remembered_is_not_finished(study: Study) -> None:
    with pytest.raises(StudyError, match="cannot be written"):
        study.commit(RUN, PlayedStep(1, 1, "d", step_rows(1, 1), last=True, summaries=[SummaryRow("Ann", "{}")] * 2))
    assert (study.answers(RUN), study.summaries(RUN, 1), study.lessons(RUN)) == ([], [], [])


@FILE_ONLY
def test_the_log_is_the_same_whatever_the_clock_says(study: Study) -> None:
    study.add_run(run_row("again"))
    study.commit(RUN, PlayedStep(1, 1, "d", step_rows(1, 1)))
    study.commit("again", PlayedStep(1, 1, "d", [row._replace(latency_ms=9.0, cost=1.0) for row in step_rows(1, 1)]))
    assert list(study.export_log(RUN)) == list(study.export_log("again"))
    study.add_run(run_row("other"))
    study.commit("other", PlayedStep(1, 1, "d", [row._replace(source="llm") for row in step_rows(1, 1)]))
    assert list(study.export_log(RUN)) != list(study.export_log("other"))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT, st.lists, max_leaves=5)


@given(contents=st.lists(st.tuples(TEXT, VALUES, st.sampled_from([None, 2])), min_size=1, max_size=5))
def test_any_text_comes_back_and_is_one_line_of_the_log(
    contents: list[tuple[str, Any, int | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [
        AnswerRow(1, 1, seq, "plan", agent, "plan", json.dumps(value, indent=indent), "human", reason=agent)
        for seq, (agent, value, indent) in enumerate(contents)
    ]
    with Study.open(str(tmp_path_factory.mktemp("any") / "a"), create=True) as study:
        study.add_run(run_row())
        study.commit("a", PlayedStep(1, 1, "d", rows))
        assert study.answers("a") == rows
        lines = list(study.export_log("a"))
    assert not any("\n" in line for line in lines)
    entries = [json.loads(line) for line in lines]
    assert [(entry["agent"], entry["reason"], entry["content"]) for entry in entries] == [
        (agent, agent, value) for agent, value, _ in contents
    ]


def test_threads_share_an_open_study(study: Study) -> None:
    for name in "abcd":
        study.add_run(run_row(name))
    failed: list[BaseException] = []

    def write(name: str) -> None:
        try:
            write_steps(study, name, range(1, 21))
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert [len(study.digests(name)) for name in "abcd"] == [20] * 4


def test_a_closed_study_says_so(tmp_path: Path) -> None:
    study = Study.open(str(tmp_path / "a"), create=True)
    study.close()
    with pytest.raises(StudyError, match="closed"):
        study.runs()


@FILE_ONLY
def test_a_step_costs_few_statements(study: Study) -> None:
    """What a step costs does not grow with the answers: one statement for each table it touches."""
    write_steps(study, RUN, range(1, 3))
    seen: list[str] = []
    with study._engine.connect() as connection:
        connection.connection.driver_connection.set_trace_callback(seen.append)  # type: ignore[union-attr]
    study.commit(RUN, PlayedStep(1, 3, "d", step_rows(1, 3)))
    kinds = {" ".join(statement.split()[:3]).split(" (")[0] for statement in seen}
    assert kinds == {"BEGIN IMMEDIATE", "UPDATE lessons SET", "INSERT INTO steps", "INSERT INTO answers", "COMMIT"}
    assert [statement for statement in seen if statement.startswith("SELECT")] == []


def test_a_study_of_format_1_learns_to_count_calls(tmp_path: Path) -> None:
    path = tmp_path / "old.study"
    with Study.open(str(path), create=True) as study:
        study.add_run(run_row(RUN))
        study.commit(RUN, PlayedStep(1, 1, "one", step_rows(1, 1)))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("alter table answers drop column calls")
        connection.execute("alter table answers drop column tokens_cached")
        connection.execute("alter table runs drop column spent")
        connection.execute("update meta set value = '1' where key = 'schema'")
        connection.commit()
    with Study.open(str(path)) as study:
        told = [row._replace(tokens_cached=3, calls=2) for row in step_rows(1, 2)]
        study.commit(RUN, PlayedStep(1, 2, "two", told))
        assert study.answers(RUN) == [*step_rows(1, 1), *told]
        study.set_spent(RUN, '{"requests":2}')
        assert study.run(RUN).spent == '{"requests":2}'


def test_a_run_that_was_played_already_is_entered_whole_or_not_at_all(study: Study) -> None:
    steps = [
        PlayedStep(1, 1, "one", step_rows(1, 1), False),
        PlayedStep(1, 2, "two", step_rows(1, 2), True, [MemoryRow("Ann", "cork", "It floats.", 2)]),
    ]
    ann = study.add_participant("Ann", "teacher").id
    sat = SittingRow(ann, "", "tutor of Bo", (1, 1), (1, 2))
    study.add_played(run_row("whole"), steps, [sat])
    assert study.sittings("whole") == [sat._replace(run="whole")]
    with pytest.raises(StudyError, match="no participant 'p9'"):
        study.add_played(run_row("strange"), steps, [sat._replace(participant="p9")])
    assert study.digests("whole") == {(1, 1): "one", (1, 2): "two"}
    assert [row.status for row in study.lessons("whole")] == ["complete"]
    assert study.memories("whole", "Ann") == [(1, MemoryRow("Ann", "cork", "It floats.", 2))]
    with pytest.raises(StudyError, match="cannot be entered"):
        study.add_played(run_row("torn"), [steps[0], steps[0]])
    with pytest.raises(StudyError, match="already"):
        study.add_played(run_row("whole"), [])
    assert [row.id for row in study.runs()] == [RUN, "whole"]
