"""A run remembers by which rules it was played, and the number of the rules is raised when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa import __version__
from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs import open_study, replay_run, resume_run, rule_versions
from eduverse_mesa.runs.groups import open_talk
from eduverse_mesa.runs.rule_versions import RULES
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.runs.tutoring import replay_tutoring
from eduverse_mesa.store import RunKind
from tests.runs.rules import file_of, record, unpack

KINDS: tuple[RunKind, ...] = ("course", "tutoring", "collaboration")


def replay(opened: OpenStudy, kind: RunKind) -> None:
    """Play the recording again; it says so where it does not come out as it did."""
    [run] = opened.runs()
    if kind == "course":
        assert replay_run(opened, run).complete
    elif kind == "tutoring":
        assert replay_tutoring(opened, run).complete
    else:
        assert len(open_talk(opened, run).messages) > 20


@pytest.fixture
def recorded(kind: RunKind, tmp_path: Path) -> Path:
    """The recording by the rules of this version."""
    path = tmp_path / "a.study"
    assert file_of(kind, RULES[kind]).exists(), "no recording by these rules: python -m tests.runs.rules makes it"
    unpack(file_of(kind, RULES[kind]), path)
    return path


def say(path: Path, statement: str, *given: object) -> None:
    """Change what is kept."""
    with open_study(str(path)) as opened, opened.study.transaction() as connection:
        connection.exec_driver_sql(statement, tuple(given))


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_recorded_by_these_rules_comes_out_as_it_did(kind: RunKind, recorded: Path) -> None:
    """Where this fails, the rules have changed: raise their number in runs/rule_versions.py, record anew by `python -m
    tests.runs.rules`, and say in the changelog what has changed. Old recordings stay where they are."""
    with open_study(str(recorded)) as opened:
        [row] = opened.study.runs()
        assert (row.kind, row.rules) == (kind, RULES[kind])
        replay(opened, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_run_remembers_its_rules(kind: RunKind, tmp_path: Path) -> None:
    record(kind, str(tmp_path / "new.study"))
    with open_study(str(tmp_path / "new.study"), read_only=True) as opened:
        [row] = opened.study.runs()
        assert (row.rules, row.version) == (RULES[kind], __version__)
        assert opened.overview()[0]["rules"] == RULES[kind]


SPOILT: dict[RunKind, str] = {
    "course": "update steps set digest = 'x' where lesson = 2 and step = 3",
    "tutoring": "update steps set digest = 'x' where lesson = 2 and step = 1",
    "collaboration": "update steps set digest = 'x' where step = 3",
}
UNASKED: dict[RunKind, str] = {
    "course": "delete from answers where lesson = 1 and step = 2 and kind = 'plan'",
    "tutoring": "delete from answers where lesson = 2 and step = 1",
    "collaboration": "delete from answers where step = 3",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spoilt", [SPOILT, UNASKED], ids=["otherwise", "unasked"])
@pytest.mark.parametrize("by", [0, 99, None], ids=["unknown", "other", "the same"])
def test_a_replay_by_other_rules_says_so(
    kind: RunKind, spoilt: dict[RunKind, str], by: int | None, recorded: Path
) -> None:
    now = RULES[kind]
    say(recorded, spoilt[kind])
    say(recorded, "update runs set rules = ?, version = '0.0.9'", now if by is None else by)
    with open_study(str(recorded)) as opened, pytest.raises(StudyError, match="another way") as otherwise:
        replay(opened, kind)
    told = {
        0: f"By which rules it was recorded (version 0.0.9) is not known; this version has rules {now}. Use the ",
        99: f"It was recorded by rules 99 (version 0.0.9); this version has rules {now}. Use a version that has",
        None: f"It was recorded by the rules that this version has, too: {now}. So the recording was changed",
    }
    assert otherwise.value.mend.startswith(told[by])


@pytest.mark.parametrize("kind", ["course"])
def test_a_run_that_goes_on_by_other_rules_remembers_the_last(
    kind: RunKind, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(recorded, "delete from answers where lesson = 2 and step > 5")
    say(recorded, "delete from steps where lesson = 2 and step > 5")
    say(recorded, "update lessons set steps = 5, status = 'running' where lesson = 2")
    for table in ("summaries", "student_memory", "teacher_memory"):
        say(recorded, f"delete from {table} where lesson = 2")
    say(recorded, "update runs set status = 'interrupted'")
    monkeypatch.setattr(rule_versions, "RULES", {**RULES, kind: 7})
    with open_study(str(recorded)) as opened:
        [run] = opened.runs()
        replay_run(opened, run)
        assert opened.study.run(run).rules == RULES[kind], "to look is not to go on"
        assert resume_run(opened, run).complete
        assert opened.study.run(run).rules == 7
