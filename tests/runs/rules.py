"""Recordings by the rules of their time, in `by_rules`: a study for each kind of run and number of its rules, as text.

`python -m tests.runs.rules` makes those that there are not yet, by the rules of this version.
"""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from eduverse_mesa.models.classroom.interventions import Move, SetTrait
from eduverse_mesa.runs import open_study, record_course
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.rule_versions import RULES
from eduverse_mesa.runs.tutoring import record_tutoring
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.store import RunKind, sqlite
from tests.models.groups import problem, setup
from tests.models.learners import document

_MESSAGES = 40
FOLDER = Path(__file__).parent / "by_rules"


def file_of(kind: RunKind, rules: int) -> Path:
    """Where the recording by these rules is."""
    return FOLDER / f"{kind}-{rules}.sql.gz"


def unpack(file: Path, path: Path) -> None:
    """A recording as a study."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(gzip.decompress(file.read_bytes()).decode())
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")


def record(kind: RunKind, path: str) -> None:
    """Play a run of this kind into a study: as much of the rules as a small one meets."""
    {"course": _course, "tutoring": _tutoring, "collaboration": _collaboration}[kind](path)


def _course(path: str) -> None:
    whole = load_scenario("four_sessions", layout="collab", steps=10)
    scenario = whole.model_copy(update={"lessons": whole.lessons[:2]})
    first = scenario.roll.students[0].name
    changes = (
        SetTrait(lesson=1, step=3, student=first, trait="openness", value=0.9),
        Move(lesson=1, step=4, student=first, to="b3"),
    )
    record_course(path, scenario, 3, changes=changes)


def _tutoring(path: str) -> None:
    record_tutoring(path, load_tutoring(document()), 3)


def _collaboration(path: str) -> None:
    made = setup("multiplies", ("Mia",)).model_copy(update={"problems": (problem(),)})
    says = ("hi, I think 12 is half of the 20 steps", "no, 20 steps make 60 feet", "60 / 20 = 3", "ok", "I agree")
    with open_study(path, create=True) as opened:
        talk = begin_talk(opened, GroupSpec(made, 3), "r")
        while len(talk.messages) < _MESSAGES and not talk.over:
            said = len(talk.messages)
            if said % 3 == 2 or talk.due is None:
                talk.say("Mia", says[said // 3 % len(says)], talk.model.now + 1.0, f"key {said}")
            else:
                talk.advance(talk.due)


def main() -> None:
    """Make the recordings that there are not yet."""
    FOLDER.mkdir(exist_ok=True)
    for kind, rules in RULES.items():
        if file_of(kind, rules).exists():
            continue
        with TemporaryDirectory() as folder:
            path = Path(folder) / "a.study"
            record(kind, str(path))
            with closing(sqlite3.connect(path)) as connection:
                text = "\n".join(connection.iterdump())
        file_of(kind, rules).write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
