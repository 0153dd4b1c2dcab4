"""Studies as the tests of pages need them."""

from __future__ import annotations

from pathlib import Path

from eduverse_mesa.models.classroom import Move
from eduverse_mesa.runs import fork_run, open_study, record_course
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.store import RunRow, Study
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.people import SEAT, play_with

SECRET = "Nobody but me has ever seen the blue whale."
HOSTILE = "<script>window.pwned=1</script> {{ 7*7 }} <img src=x onerror=window.pwned=2>"


def small_study(path: Path | str) -> dict[str, str]:
    """A run, its fork, one in which a hostile person sat, and one that was left in the middle; by what they are."""
    study = str(path)
    scenario = course(lessons=1, steps=4)
    record_course(study, scenario, SEED)
    with open_study(study) as opened:
        (whole,) = opened.runs()
        fork = fork_run(opened, whole, (1, 2), [Move(lesson=1, step=3, student="Zhang Tao", to="r1_1")]).id
    person = play_with(study, scenario, {SEAT: (HOSTILE, [SECRET])})
    half = LessonPlayer(course(lessons=1, steps=6), SEED + 1, study=study)
    half.play(until=(1, 2))
    assert half.wait(PATIENCE) == "paused"
    half.stop()
    assert half.wait(PATIENCE) == "stopped"
    return {"whole": whole, "fork": fork, "person": person, "half": half.run.id}


def large_study(path: Path | str, runs: int) -> None:
    """Many runs with a course's lessons each, written as rows: what counts is how many there are."""
    with Study.open(str(path), create=True) as study:
        for number in range(runs):
            study.add_run(
                RunRow(f"run-{number:03}", "first_lesson", number, "{}", "embedded", planned=120, status="complete")
            )
        with study.transaction() as connection:
            connection.exec_driver_sql(
                "insert into lessons (run, lesson, status, steps, started, updated, ok) "
                "select runs.id, numbers.n, 'complete', 30, runs.created, runs.updated, 700 from runs, "
                "(select 1 as n union select 2 union select 3 union select 4) as numbers"
            )
            connection.exec_driver_sql('update runs set spent = \'{"tokens":1000,"usd":0.01,"requests":5}\'')
