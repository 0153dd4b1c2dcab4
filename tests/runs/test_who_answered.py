"""A run that goes on with another policy says who answered from which step on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.policies import make_policy
from eduverse_mesa.runs import open_study, record_course, replay_run, results, resume_run
from eduverse_mesa.runs.threads import BrokenOffError
from tests.runs.courses import SEED, course

COURSE = course(lessons=2, steps=3)


class Other:
    """Answers as the embedded policy, under a name of its own."""

    name = "other"

    def __init__(self) -> None:
        self._rest = make_policy("embedded")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [Answer(one.outcome, "other") for one in self._rest.answer(decisions)]  # type: ignore[union-attr]


def test_each_source_has_its_first_and_its_last_step(tmp_path: Path) -> None:
    path, steps = str(tmp_path / "a.study"), 0

    def stop(_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == 4:
            raise BrokenOffError

    with suppress(BrokenOffError):
        record_course(path, COURSE, SEED, progress=stop)
    with open_study(path) as opened:
        run = opened.choose(None).id
        resume_run(opened, run, Other())
        assert opened.choose(run).spec.policy == "embedded", "it bears the name of the one that it was begun with"
        document = results(replay_run(opened, run))
    assert document["models"]["answered"] == {"embedded": ["1:1", "2:1"], "other": ["2:2", "2:3"]}


def test_where_one_has_answered_alone_nothing_is_said(tmp_path: Path) -> None:
    assert "models" not in results(record_course(str(tmp_path / "a.study"), COURSE, SEED))
