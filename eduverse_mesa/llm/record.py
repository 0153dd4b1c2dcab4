"""The record of a run: each question with its answer, a line each, in a file that can be replayed without a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from eduverse_mesa.decisions import Answer, Decision, Status, Usage
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.questions import Ask, Given, Lookup
from eduverse_mesa.policies.replay import NotRecordedError, Recorded, ReplayPolicy

FORMAT = 1
_OTHER_RUN = "The record was made with another seed or another version of the model, or ends here."


class Head(msgspec.Struct, frozen=True):
    """The first line of a record."""

    eduverse_mesa: Literal["llm"]
    format: int
    model: str
    seed: int
    language: str = ""
    instructions: str = ""
    """What was told before every question that had none of its own."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question with its answer."""

    step: int
    agent: str
    asked: str
    """Fingerprint of the question, its form and its tools."""
    form: str
    question: str
    instructions: str = ""
    filled: Any = None
    """The form as it was filled in; None where no usable answer came."""
    status: Status = "ok"
    reason: str = ""
    attempts: int = 1
    source: str = ""
    lookups: tuple[Lookup, ...] = ()
    usage: Usage | None = None

    @classmethod
    def of(cls, ask: Ask, answer: Answer) -> Entry:
        """What is kept of a question and its answer."""
        given = answer.outcome if isinstance(answer.outcome, Given) else Given(None)
        return cls(
            ask.at.step,
            ask.at.agent,
            ask.asked,
            ask.form.name,
            ask.question,
            ask.instructions,
            given.filled,
            answer.status,
            answer.reason,
            answer.attempts,
            answer.source,
            given.lookups,
            answer.usage,
        )

    def answer(self) -> Answer:
        """The answer, as it came."""
        outcome = None if self.status == "failed" else Given(self.filled, self.lookups)
        return Answer(outcome, self.source, self.status, self.reason, self.attempts, self.usage)


class RunRecord:
    """A file that is written as a run goes on; what is in it is safe before any agent acts."""

    def __init__(self, path: Path, head: Head) -> None:
        self._path = path
        if path.exists():
            raise PolicyError(
                "there is a file of this name.",
                where=str(path),
                mend="Name another one, or replay it: LLM.replay(...).",
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(msgspec.json.encode(head) + b"\n")
        except OSError as error:
            raise _unwritable(path, error) from None

    def add(self, entries: Iterable[Entry]) -> None:
        """Write all answers of a batch."""
        lines = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        try:
            with self._path.open("ab") as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self._path, error) from None


def _unwritable(path: Path, error: OSError) -> PolicyError:
    return PolicyError(f"the record cannot be written ({error.strerror}).", where=str(path), mend="Name another file.")


def read_record(path: Path) -> tuple[Head, list[Entry]]:
    """The first line of a record and all its answers. A last line that a kill has cut off is left out."""
    try:
        first, *lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise PolicyError(
            f"the record cannot be read ({error.strerror}).", where=str(path), mend="Check the path."
        ) from None
    try:
        head = msgspec.json.decode(first, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise PolicyError(
            "this is no record of questions and answers.", where=str(path), mend="Name what LLM(keep=...) has written."
        ) from None
    if head.format > FORMAT:
        raise PolicyError("a newer version of EduVerse made this record.", where=str(path), mend="Upgrade this one.")
    return head, list(_entries(path, lines[:-1]))


def _entries(path: Path, lines: Sequence[bytes]) -> Iterator[Entry]:
    decoder = msgspec.json.Decoder(Entry)
    for number, line in enumerate(lines, start=2):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise PolicyError(
                f"this line is damaged: {error}.", where=f"{path}, line {number}", mend="Restore the file from a copy."
            ) from None


class RecordedPolicy:
    """Answers from a record; the questions must be the same."""

    name = "replay"

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = ReplayPolicy(Recorded(0, one.step, one.agent, Ask.kind, Answer(one, "")) for one in entries)

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """The recorded answers; NotRecordedError where something else is asked."""
        found = []
        for decision in decisions:
            assert isinstance(decision, Ask)
            try:
                [recorded] = self._entries.answer([decision])
            except NotRecordedError:
                raise _unknown(decision, "nothing more was asked of") from None
            entry: Entry = recorded.outcome
            if entry.asked != decision.asked:
                raise _unknown(decision, "something else was asked of")
            found.append(entry.answer())
        return found


def _unknown(ask: Ask, what: str) -> NotRecordedError:
    return NotRecordedError(f"{what} {ask.agent} when this run was kept.", where=f"step {ask.at.step}", mend=_OTHER_RUN)
