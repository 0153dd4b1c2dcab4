"""Playing dialogues on an engine, and their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pandas as pd

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Engine, Serial, Task
from eduverse_mesa.experiments.mathvc.designs import Play, group_of
from eduverse_mesa.models.collaboration import CollaborationModel
from eduverse_mesa.models.collaboration.journal import EndRow, ErrorRow, MessageRow, RevisionRow

WORK = f"{__name__}:work"
TABLES: dict[str, tuple[str, ...]] = {
    "messages": MessageRow._fields,
    "revisions": RevisionRow._fields,
    "errors": ErrorRow._fields,
    "ends": EndRow._fields,
}
_READ = msgspec.json.Decoder(Play)
Watch = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of all dialogues; `dialogue` numbers them, `seed` says which luck they had."""

    messages: pd.DataFrame
    revisions: pd.DataFrame
    errors: pd.DataFrame
    ends: pd.DataFrame
    answers: dict[str, int]
    """How many answers came in which way."""


def work(payload: bytes) -> bytes:
    """The tables of one dialogue: what an engine calls."""
    play = _READ.decode(payload)
    model = CollaborationModel(
        group_of(play.collaboration), problem=play.problem, arm=play.arm, policy=play.policy or None, seed=play.seed
    ).run()
    found: dict[str, Any] = {name: list(map(list, getattr(model.journal, name))) for name in TABLES}
    found["answers"] = Counter(entry.answer.status for entry in model.journal.answers)
    return msgspec.msgpack.encode(found)


def play_all(plays: Sequence[Play], engine: Engine | None = None, watch: Watch | None = None) -> Tables:
    """Every dialogue's rows, in the order of the plays whatever order they came in; the first that fails ends it."""
    found: dict[str, dict[str, Any]] = {}
    tasks = (Task(play.key, msgspec.json.encode(play)) for play in plays)
    for finished in (engine or Serial()).run(WORK, tasks):
        if finished.error:
            raise LessonError(f"dialogue {finished.key} failed: {finished.error}")
        found[finished.key] = msgspec.msgpack.decode(finished.answer)
        if watch is not None:
            watch(len(found))
    tables = {name: _table(name, plays, found) for name in TABLES}
    answers: Counter[str] = Counter()
    for one in found.values():
        answers.update(one["answers"])
    return Tables(**tables, answers=dict(answers))


def _table(name: str, plays: Sequence[Play], found: dict[str, dict[str, Any]]) -> pd.DataFrame:
    own = [column for column in TABLES[name] if column != "seed"]
    rows = []
    for number, play in enumerate(plays):
        for row in found[play.key][name]:
            cells = dict(zip(TABLES[name], row, strict=True))
            rows.append((number, play.seed, *(cells[column] for column in own)))
    return pd.DataFrame(rows, columns=["dialogue", "seed", *own])
