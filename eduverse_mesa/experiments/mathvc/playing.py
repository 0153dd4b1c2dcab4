"""Playing dialogues on an engine, and their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pandas as pd

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Engine, Serial, Task
from eduverse_mesa.experiments.mathvc.designs import Play, group_of
from eduverse_mesa.experiments.mathvc.student import SEAT, run_with_student
from eduverse_mesa.models.collaboration import CollaborationModel
from eduverse_mesa.models.collaboration.journal import EndRow, ErrorRow, MessageRow, RevisionRow
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.estimating import Estimate, estimate_group

WORK = f"{__name__}:work"
TABLES: dict[str, tuple[str, ...]] = {
    "messages": MessageRow._fields,
    "revisions": RevisionRow._fields,
    "errors": ErrorRow._fields,
    "ends": EndRow._fields,
}
_READ = msgspec.json.Decoder(Play)
Watch = Callable[[int], object]


class Rows(msgspec.Struct):
    """What one dialogue leaves: the rows of its journal."""

    messages: list[list[Any]]
    revisions: list[list[Any]]
    errors: list[list[Any]]
    ends: list[list[Any]]
    answers: dict[str, int]
    """How many answers came in which way."""


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
    return msgspec.msgpack.encode(played(_READ.decode(payload)))


def played(play: Play) -> Rows:
    """The tables of one dialogue, and how its answers came."""
    journal = run_play(play).journal
    rows = {name: [list(row) for row in getattr(journal, name)] for name in TABLES}
    return Rows(**rows, answers=dict(Counter(entry.answer.status for entry in journal.answers)))


def estimate_play(play: Play) -> Estimate:
    """What one dialogue would ask of a language model."""
    return estimate_group(group_of(play.collaboration), play.policy, lambda counted: run_play(play, counted))


def run_play(play: Play, answering: AnyPolicy | None = None) -> CollaborationModel:
    """One dialogue, to its end; `answering` takes the place of the play's policy."""
    group, policy = group_of(play.collaboration), answering or play.policy or None
    if play.arm != "student":
        return CollaborationModel(group, problem=play.problem, arm=play.arm, policy=policy, seed=play.seed).run()
    seated = group.model_copy(update={"seats": (SEAT,)})
    return run_with_student(CollaborationModel(seated, problem=play.problem, policy=policy, seed=play.seed))


def play_each(plays: Sequence[Play], engine: Engine | None = None) -> Iterator[tuple[Play, Rows]]:
    """One dialogue after the other as they come; the first that fails is raised."""
    by_key = {play.key: play for play in plays}
    tasks = (Task(play.key, msgspec.json.encode(play)) for play in plays)
    for finished in (engine or Serial()).run(WORK, tasks):
        if finished.error:
            raise LessonError(f"dialogue {finished.key} failed: {finished.error}")
        yield by_key[finished.key], msgspec.msgpack.decode(finished.answer, type=Rows)


def play_all(plays: Sequence[Play], engine: Engine | None = None) -> Tables:
    """Every dialogue's rows, in the order of the plays whatever order they came in; the first that fails ends it."""
    return tables_of(plays, {play.key: rows for play, rows in play_each(plays, engine)})


def tables_of(plays: Sequence[Play], found: Mapping[str, Rows]) -> Tables:
    """The rows of all dialogues, by the keys of their plays."""
    answers: Counter[str] = Counter()
    for play in plays:
        answers.update(found[play.key].answers)
    return Tables(**{name: _table(name, plays, found) for name in TABLES}, answers=dict(answers))


def _table(name: str, plays: Sequence[Play], found: Mapping[str, Rows]) -> pd.DataFrame:
    own = [column for column in TABLES[name] if column != "seed"]
    rows = []
    for number, play in enumerate(plays):
        for row in getattr(found[play.key], name):
            cells = {**dict(zip(TABLES[name], row, strict=True)), "arm": play.arm}
            rows.append((number, play.seed, *(cells[column] for column in own)))
    return pd.DataFrame(rows, columns=["dialogue", "seed", *own])
