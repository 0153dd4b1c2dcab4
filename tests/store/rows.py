"""Rows for the tests of the store."""

from __future__ import annotations

from eduverse_mesa.store import AnswerRow, PlayedStep, RunRow, Study


def run_row(run: str = "a", **fields: object) -> RunRow:
    return RunRow(run, "lesson", 1, "{}", "embedded")._replace(**fields)  # type: ignore[arg-type]


def step_rows(lesson: int, step: int, count: int = 28) -> list[AnswerRow]:
    return [
        AnswerRow(lesson, step, seq, "plan", f"agent {seq}", "plan", f'{{"step":{step},"seq":{seq}}}', "embedded")
        for seq in range(count)
    ]


def write_steps(study: Study, run: str, steps: range, lesson: int = 1) -> None:
    for step in steps:
        study.commit(run, PlayedStep(lesson, step, f"{run}-{step}", step_rows(lesson, step)))
