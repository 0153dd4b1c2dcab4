"""Runs of a course: play, record, resume, replay, step back, fork, compare, export."""

from eduverse_mesa.runs.classroom import (
    Run,
    RunSpec,
    fork,
    fork_run,
    record_course,
    replay_run,
    resume_run,
    run_course,
)
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.runs.tables import Tables, results, run_tables

__all__ = [
    "Run",
    "RunSpec",
    "Tables",
    "fork",
    "fork_run",
    "open_study",
    "record_course",
    "replay_run",
    "results",
    "resume_run",
    "run_course",
    "run_tables",
]
