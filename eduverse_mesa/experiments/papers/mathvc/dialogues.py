"""Dialogues of groups as MathVC's experiment plays them: the design, the scripted student, engine and folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.agents.peer import PeerAgent
from eduverse_mesa.decisions import Rounds
from eduverse_mesa.decisions.groups import PeerView
from eduverse_mesa.errors import EduverseError, LessonError, SweepError
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.folders import FORMAT, MATHVC, write_whole
from eduverse_mesa.experiments.papers.record import Outcome, Paper, answers
from eduverse_mesa.models.groups import STAGES, CollaborationModel
from eduverse_mesa.models.groups.journal import EndRow, ErrorRow, MessageRow, RevisionRow
from eduverse_mesa.models.groups.step import think
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.policies.registry import asks_model
from eduverse_mesa.runs.estimate import Estimate, estimate_group
from eduverse_mesa.scenarios.groups import Collaboration, Peer
from eduverse_mesa.scenarios.loader import load_collaboration

Arm = Literal["full", "vanilla", "student"]
ARMS: tuple[Arm, ...] = get_args(Arm)
"""All virtual with stages and schemas, all virtual without; and as the first with a scripted student in a seat."""
DEFAULT_SEEDS = 20


class Play(msgspec.Struct, frozen=True):
    """One dialogue."""

    problem: str
    arm: Arm
    seed: int
    policy: str
    collaboration: str
    """The group, problems included, as JSON."""

    @property
    def key(self) -> str:
        """Name of the dialogue among the others."""
        return f"{self.problem} {self.arm} {self.seed}"


def plays_of(
    seeds: int, policy: str = "embedded", settings: Mapping[str, Any] | None = None, source: Any = None
) -> list[Play]:
    """All dialogues: seeds from 1, each problem of the group, every arm. `settings` changes rules and peers by dotted
    keys."""
    if "arm" in (settings or {}):
        raise EduverseError("every arm is played.", where="--set arm", mend="Leave it out.")
    group = load_collaboration(source, seats=(), settings=settings)
    written = group.model_dump_json()
    return [
        Play(problem.name, arm, seed, policy, written)
        for seed in range(1, seeds + 1)
        for problem in group.problems
        for arm in ARMS
    ]


@lru_cache(maxsize=8)
def group_of(written: str) -> Collaboration:
    """A group as it was written down; it was proved when it was read first."""
    return Collaboration.model_validate_json(written)


SEAT = "Mia"
_PAUSE = 4.0
"""Seconds until the student has written something; the peers hold back for longer."""


class ScriptedStudent:
    """A student who says what a peer of the seat's name would say."""

    def __init__(self, model: CollaborationModel) -> None:
        self._model = model
        who = Peer(name=SEAT, skill="limited")
        self._mind = PeerAgent(model, who, model.problem, model.sheet, None, language=model.problem.language)
        self._text = ""

    @property
    def invited(self) -> bool:
        """True if the student may speak now."""
        return SEAT in self._model.floor.holders and not self._model.inbox

    def speak(self) -> bool:
        """Send a message, if the student has something to say."""
        run_waiting(self._think(), self._model.policy)
        if self._text:
            self._model.hear(SEAT, self._text, self._model.now + _PAUSE)
        return bool(self._text)

    def _think(self) -> Rounds:
        """Go through the thoughts of a peer before he or she speaks; nobody logs them."""
        model, mind = self._model, self._mind
        thought = yield from think(model.at(SEAT), STAGES[model.stage].acts, self._view, mind.take)
        self._text = thought.text if thought is not None else ""

    def _view(self) -> PeerView:
        model = self._model
        return self._mind.view(model.stage, model.dialogue, model.record.minutes(), model.members, ())


def run_with_student(model: CollaborationModel) -> CollaborationModel:
    """Play a dialogue to its end with the student in the seat; the student leaves when nobody has anything to say."""
    student = ScriptedStudent(model)
    while model.running and (due := model.due) is not None:
        if not (student.invited and student.speak()):
            model.tick(max(model.now, due))
        model.step()
    if model.running:
        model.leave(SEAT)
    return model


WORK = f"{__name__}:work"
TABLES: dict[str, tuple[str, ...]] = {
    "messages": MessageRow._fields,
    "revisions": RevisionRow._fields,
    "errors": ErrorRow._fields,
    "ends": EndRow._fields,
}
_READ = msgspec.json.Decoder(Play)


class Rows(msgspec.Struct):
    """Rows of the journal of one dialogue."""

    messages: list[list[Any]]
    revisions: list[list[Any]]
    errors: list[list[Any]]
    ends: list[list[Any]]
    answers: dict[str, int]
    """Number of answers by status."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of all dialogues; `dialogue` numbers them, `seed` says which luck they had."""

    messages: pd.DataFrame
    revisions: pd.DataFrame
    errors: pd.DataFrame
    ends: pd.DataFrame
    answers: dict[str, int]
    """Number of answers by status."""


def work(payload: bytes) -> bytes:
    """The tables of one dialogue: what an engine calls."""
    return msgspec.msgpack.encode(played(_READ.decode(payload)))


def played(play: Play) -> Rows:
    """The tables of one dialogue, and how its answers came."""
    journal = run_play(play).journal
    rows = {name: [list(row) for row in getattr(journal, name)] for name in TABLES}
    return Rows(**rows, answers=dict(Counter(entry.answer.status for entry in journal.answers)))


def estimate_play(play: Play) -> Estimate:
    """Estimate the requests of one dialogue to a language model."""
    return estimate_group(group_of(play.collaboration), play.policy, lambda counted: run_play(play, counted))


def run_play(play: Play, answering: AnyPolicy | None = None) -> CollaborationModel:
    """One dialogue, to its end; `answering` takes the place of the play's policy."""
    group, policy = group_of(play.collaboration), answering or play.policy or None
    if play.arm != "student":
        return CollaborationModel(group, problem=play.problem, arm=play.arm, policy=policy, seed=play.seed).run()
    seated = group.model_copy(update={"seats": (SEAT,)})
    return run_with_student(CollaborationModel(seated, problem=play.problem, policy=policy, seed=play.seed))


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


# --- how they are kept ---


@dataclass(frozen=True)
class Plan:
    """Dialogues to be played."""

    plays: Sequence[Play]

    @property
    def free(self) -> bool:
        """Asks no language model, and so can be played again at will."""
        return not asks_model(self.plays[0].policy)

    def trials(self) -> Sequence[Play]:
        """All of them."""
        return self.plays


class _About(msgspec.Struct, frozen=True):
    policy: str
    group: str
    """Its fingerprint: peers, problems and rules."""
    eduverse: str = __version__
    format: int = FORMAT
    paper: str = MATHVC

    @property
    def terms(self) -> tuple[str, object]:
        """Policy and group: a folder has one of each."""
        return self.policy, f"of group {self.group}"


def _describe(plan: Plan) -> _About:
    first = plan.plays[0]
    return _About(policy=first.policy, group=blake2b(first.collaboration.encode(), digest_size=8).hexdigest())


class _Line(msgspec.Struct, frozen=True):
    key: str
    rows: Rows


class _LineFile:
    """`dialogues.jsonl`: a line for each dialogue that is done."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "dialogues.jsonl"

    def read(self) -> dict[str, Rows]:
        """The dialogues that are done; a last line that was not written to its end is taken away."""
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            return {}
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            write_whole(self._file, whole)
        lines = (self._decode(line, number) for number, line in enumerate(whole.splitlines(), 1))
        return {line.key: line.rows for line in lines}

    def add(self, key: str, result: Rows, all_results: Mapping[str, Rows]) -> None:  # noqa: ARG002 - by the protocol
        """Keep one more."""
        with self._file.open("ab") as file:
            file.write(msgspec.json.encode(_Line(key, result)) + b"\n")

    def finish(self, all_results: Mapping[str, Rows]) -> None:
        """Nothing is left to write."""

    def _decode(self, line: bytes, number: int) -> _Line:
        try:
            return msgspec.json.decode(line, type=_Line)
        except msgspec.DecodeError as error:
            mend = "Remove this line: its dialogue is played again."
            raise SweepError(f"this cannot be read ({error}).", where=f"{self._file}:{number}", mend=mend) from None


def _play(plays: Sequence[Play], engine: Engine) -> Generator[Outcome[Play, Rows]]:
    for play, answer in answers(WORK, plays, engine, _failed):
        yield Outcome(play, msgspec.msgpack.decode(answer, type=Rows))


def _failed(dialogue: str, error: str) -> LessonError:
    return LessonError(f"dialogue {dialogue} failed: {error}")


def _same(before: Rows, now: Rows) -> bool:
    return msgspec.json.encode(before) == msgspec.json.encode(now)


PAPER: Paper[Play, Rows] = Paper(MATHVC, _About, _describe, _play, _LineFile, _same)
