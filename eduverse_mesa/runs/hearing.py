"""Lines heard by any policy, and how well they were heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from eduverse_mesa.decisions import Answer, Decision, Round, Rounds
from eduverse_mesa.decisions.hearing import Hear, Meant
from eduverse_mesa.errors import TableError
from eduverse_mesa.hearing.corpus import Line, decision_of, read_lines
from eduverse_mesa.hearing.ear import Ear, load_ear, read_weights, write_weights
from eduverse_mesa.hearing.network import TOLD, load_network
from eduverse_mesa.hearing.scores import Judged, score
from eduverse_mesa.hearing.vectors import load_vectors
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.scenario import Settings
from eduverse_mesa.vocabulary import Listener

__all__ = [
    "EarPolicy",
    "HeardLine",
    "hear_lines",
    "labellers",
    "load_ear",
    "own_ear",
    "read_folder",
    "read_unseen",
    "score_heard",
    "train_ear",
]

LEAST_LINES, LEAST_WRITERS = 100, 2
"""The least that an ear can be trained on: fewer lines teach it nothing that holds for anybody else."""


class HeardLine(NamedTuple):
    """A line, and what came of hearing it."""

    line: Line
    decision: Hear
    answer: Answer

    @property
    def meant(self) -> Meant | None:
        """Its meaning; None where hearing it failed."""
        found: Meant | None = self.answer.outcome
        return found


class EarPolicy:
    """A policy that hears with an ear of one's own."""

    def __init__(self, ear: Ear) -> None:
        self.name = "embedded"
        self._ear = ear

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Return what each utterance meant. It is asked nothing else."""
        return [Answer(self._ear.hear(cast("Hear", decision)), self.name) for decision in decisions]


def own_ear(file: Path, *, by_letters: bool = False) -> EarPolicy:
    """The policy of an ear whose weights were trained (`eduverse hear --train`)."""
    weights = read_weights(file)
    if by_letters and weights.uses_vectors:
        raise TableError(
            "this ear was trained with sentence vectors, and cannot go by letters alone.",
            where=str(file),
            mend="Leave out --letters, or train one with it.",
        )
    if not weights.uses_vectors:
        return EarPolicy(Ear(weights, None, None))
    return EarPolicy(Ear(weights, load_network(), load_vectors()))


def hear_lines(
    lines: Sequence[Line],
    listener: Listener | None = None,
    *,
    policy: AnyPolicy | str = "embedded",
    settings: Settings | None = None,
) -> list[HeardLine]:
    """Hear each line, all of them in one round."""
    asked = [
        decision_of(line, listener, at=Address(0, 1, number, line.speaker or "somebody"))
        for number, line in enumerate(lines, 1)
    ]
    answers: list[Answer] = []

    def rounds() -> Rounds:
        answers.extend((yield Round("hear", asked)))

    if asked:
        run_waiting(rounds(), make_policy(policy, settings))
    return [HeardLine(*one) for one in zip(lines, asked, answers, strict=True)]


def labellers(lines: Sequence[Line]) -> tuple[str, ...]:
    """The names of those who have labelled lines, in the order in which they come."""
    return tuple(dict.fromkeys(who for line in lines for who in line.labels))


def score_heard(heard: Sequence[HeardLine], who: str) -> dict[str, float]:
    """The measures of what was heard beside what somebody says that it means. TableError where nobody has."""
    judged = [
        Judged(one.decision, one.meant, one.line.labels[who])
        for one in heard
        if one.meant is not None and who in one.line.labels
    ]
    if not judged:
        raise TableError(f"no line is labelled by '{who}'.", mend="A label stands in `labels`: tools/hearing/guide.md.")
    return score(judged)


def read_folder(path: Path) -> dict[str, list[Line]]:
    """The lines of a file, or of each file of a folder, by writer: the name of the file."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise TableError("there is no file of lines (*.jsonl) in it.", where=str(path), mend="Name another folder.")
    return {file.stem: read_lines(file) for file in files}


def read_unseen(path: Path) -> dict[str, NDArray[np.float32]]:
    """By the ids of lines, what networks that were tuned without them told of them; none where the folder has none."""
    file = path / "unseen.npz"
    if not file.is_file():
        return {}
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
            ids, told = list(map(str, kept["ids"])), kept["told"].astype(np.float32)
        if told.shape != (len(ids), len(TOLD)):
            raise ValueError("it has another form")
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise TableError(
            f"there is nothing in it that a network has told: {error}.",
            where=str(file),
            mend="Take the one from tools/hearing/train, or leave it out.",
        ) from None
    return dict(zip(ids, told, strict=True))


def train_ear(
    written: Mapping[str, Sequence[Line]],
    out: Path,
    *,
    by_letters: bool = False,
    unseen: Mapping[str, NDArray[np.float32]] | None = None,
) -> dict[str, int | str]:
    """Train an ear on labelled lines, by writer, and write its weights. TableError where there is too little to learn
    from. `unseen` (read_unseen) is for lines that the network was tuned on."""
    from eduverse_mesa.hearing import trainer

    lines = [(writer, line) for writer, many in written.items() for line in many if line.labels]
    writers = sorted({writer for writer, _ in lines})
    if len(lines) < LEAST_LINES or len(writers) < LEAST_WRITERS:
        raise TableError(
            f"{len(lines)} labelled lines by {len(writers)} writers are too few to learn from.",
            mend=f"It takes {LEAST_LINES} lines by {LEAST_WRITERS} writers, a file each, in a folder.",
        )
    network, vectors = (None, None) if by_letters else (load_network(), load_vectors())
    taken = trainer.take([line for _, line in lines], network, vectors, unseen)
    folds = trainer.folds_of([writer for writer, _ in lines])
    name = f"{len(lines)} lines by {len(writers)} writers, {trainer.digest_of([line for _, line in lines])}"
    write_weights(trainer.train(taken, name, folds), out)
    return {"lines": len(lines), "writers": len(writers), "data": name}
