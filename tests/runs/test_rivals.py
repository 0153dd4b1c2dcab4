"""Several programs, one study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.runs import open_study, record_course, replay_run, resume_run
from tests.runs.courses import SEED, child, course, die_at, ended, log_of


def resume_together(path: str, gate: Any, said: Any) -> None:
    """Resume the run as soon as everybody is ready, and say how it went."""
    with open_study(path) as opened:
        run = opened.choose(None).id
        gate.wait(90)
        try:
            resume_run(opened, run)
        except StudyError as error:
            said.put(str(error))
        else:
            said.put("complete")


def record_together(path: str, seed: int, gate: Any) -> None:
    """Make a study, or write to the one that another just made."""
    gate.wait(90)
    record_course(path, course(lessons=1, steps=4), seed)


def _context() -> Any:
    import multiprocessing

    return multiprocessing.get_context("forkserver")


def test_two_resume_the_same_run_and_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "one.study"
    ended(child(die_at, "after", 3, str(path), 3, 5))
    gate, said = _context().Barrier(2), _context().Queue()
    rivals = [child(resume_together, str(path), gate, said) for _ in range(2)]
    heard = sorted(said.get(timeout=90) for _ in rivals)
    assert [ended(rival) for rival in rivals] == [0, 0]
    assert heard[1] == "complete" or heard[0] == "complete"
    (lost,) = [words for words in heard if words != "complete"]
    assert "Only one program" in lost
    assert str(path) in lost
    assert "Nothing was doubled" in lost
    record_course(str(tmp_path / "alone.study"), course(lessons=3, steps=5), SEED)
    assert log_of(path) == log_of(tmp_path / "alone.study")
    with open_study(str(path)) as opened:
        assert opened.choose(None).status == "complete"


def test_who_loses_does_not_call_the_run_interrupted(tmp_path: Path) -> None:
    path = str(tmp_path / "one.study")
    ended(child(die_at, "after", 2, path, 1, 4))
    overtaken = False

    class Slow:
        """While it thinks, another program finishes the run."""

        name = "embedded"

        def answer(self, decisions: Any) -> Any:
            nonlocal overtaken
            if not overtaken:
                overtaken = True
                with open_study(path) as other:
                    resume_run(other, other.choose(None).id)
            policy: AnyPolicy = make_policy("embedded")
            return policy.answer(decisions)  # type: ignore[union-attr]

    with open_study(path) as opened:
        run = opened.choose(None).id
        with pytest.raises(StudyError, match="Only one program"):
            resume_run(opened, run, Slow())
        assert opened.choose(run).status == "complete"
        assert replay_run(opened, run).complete


def test_four_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "together.study"
    gate = _context().Barrier(4)
    writers = [child(record_together, str(path), seed, gate) for seed in range(4)]
    assert [ended(writer) for writer in writers] == [0, 0, 0, 0]
    with open_study(str(path), read_only=True) as opened:
        found = {opened.choose(run).spec.seed: run for run in opened.runs()}
        assert set(found) == {0, 1, 2, 3}
    for seed, run in found.items():
        record_course(str(tmp_path / f"{seed}.study"), course(lessons=1, steps=4), seed)
        assert log_of(path, run) == log_of(tmp_path / f"{seed}.study")
