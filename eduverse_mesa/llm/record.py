"""The record of a run: each question with its answer, a line each, in a file that can be replayed without a model."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from eduverse_mesa.decisions import Answer, Bill, Decision, Status, Usage
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.questions import Ask, Given
from eduverse_mesa.llm.tools import Lookup
from eduverse_mesa.policies.recorded import NotRecordedError

FORMAT = 3
"""1: without steps that were broken off, and without what was said in failed answers. 2: without what was looked up
before those, and without calls of tools that were wrong."""
_OTHER_RUN = "The record was made with another seed or another version of the Mesa model, or ends here."
_SHOWN = 80
"""Characters of a question around the first difference."""


class Head(msgspec.Struct, frozen=True):
    """The first line of a record."""

    eduverse_mesa: Literal["llm"]
    format: int
    model: str
    seed: int
    language: str = ""
    instructions: str = ""
    """Instructions before every question that had none of its own."""


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
    said: str = ""
    """Last text of the model if it could not be used, cut."""
    run: int = 0
    """Number of the Mesa model, where several asked."""
    remembered: int = 0
    """Messages of the model that came from the cache: another server may have given them under the same name."""
    taken: bool = True
    """False where the step was broken off; such a line is for reading only."""

    @classmethod
    def of(
        cls,
        ask: Ask,
        answer: Answer,
        said: str = "",
        *,
        lookups: tuple[Lookup, ...] = (),
        remembered: int = 0,
        taken: bool = True,
    ) -> Entry:
        """Return the entry that is kept of a question and its answer."""
        given = answer.outcome if isinstance(answer.outcome, Given) else Given(None)
        return cls(
            step=ask.step,
            agent=ask.at.agent,
            asked=ask.asked,
            form=ask.form.name,
            question=ask.question,
            instructions=ask.instructions,
            filled=given.filled,
            status=answer.status,
            reason=answer.reason,
            attempts=answer.attempts,
            source=answer.source,
            lookups=lookups,
            usage=answer.usage,
            said=said,
            run=ask.run,
            remembered=remembered,
            taken=taken,
        )

    def answer(self) -> Answer:
        """The answer, as it came."""
        outcome = None if self.status == "failed" else Given(self.filled)
        return Answer(outcome, self.source, self.status, self.reason, self.attempts, self.usage)


class RunRecord:
    """A file that is written as a run goes on; what is in it is safe before any agent acts."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        self._path = path
        self._begun = False
        self.before = _taken(path) if overwrite else Bill()
        """Bill of the run that the file held, as far as its answers tell."""
        try:
            if not overwrite and _holds_something(path):
                raise PolicyError(
                    "this file holds something already.",
                    where=str(path),
                    mend="Name another one, replay it with LLM.replay(...), or say overwrite=True.",
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
        except OSError as error:
            raise _unwritable(path, error) from None

    def add(self, head: Head, entries: Iterable[Entry]) -> None:
        """Write all answers of a round, and the first line before the first of them."""
        lines = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        try:
            with self._path.open("ab") as file:
                if not self._begun:
                    if file.tell():
                        raise PolicyError(
                            "another run writes into this file.",
                            where=str(self._path),
                            mend="Give each run its own file, e.g. with its seed in the name.",
                        )
                    lines = msgspec.json.encode(head) + b"\n" + lines
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self._path, error) from None
        self._begun = True


def _holds_something(path: Path) -> bool:
    """Return True if anything would be lost. The first line alone is a record without answers."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        first, more = file.readline(), file.read(1)
    if not first:
        return False
    try:
        msgspec.json.decode(first, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return bool(more)


def _taken(path: Path) -> Bill:
    """Return what the answers of a record took; nothing where the file is none."""
    try:
        _, entries = read_record(path)
    except PolicyError:
        return Bill()
    return Bill.of(entry.usage for entry in entries if entry.usage is not None)


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

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries: dict[tuple[int, str, int], Entry] = {}
        asked: Counter[tuple[int, str]] = Counter()
        for entry in entries:
            if entry.taken:
                asked[entry.run, entry.agent] += 1
                self._entries[entry.run, entry.agent, asked[entry.run, entry.agent]] = entry

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """The recorded answers; NotRecordedError where something else is asked."""
        found = []
        for decision in decisions:
            assert isinstance(decision, Ask)
            entry = self._entries.get((decision.run, decision.at.agent, decision.at.step))
            if entry is None:
                raise _unknown(decision, f"nothing more was asked of {decision.agent} when this run was kept.")
            if entry.asked != decision.asked:
                raise _unknown(
                    decision,
                    f"something else was asked of {decision.agent} when this run was kept{_change(entry, decision)}",
                )
            found.append(entry.answer())
        return found

    def last(self, ask: Ask) -> str:
        """Return the model's unusable text that was recorded for this question; empty if there is none."""
        entry = self._entries.get((ask.run, ask.at.agent, ask.at.step))
        return entry.said if entry is not None else ""

    def remembered(self, ask: Ask) -> int:
        """Return how many messages of the model were remembered when this question was recorded."""
        entry = self._entries.get((ask.run, ask.at.agent, ask.at.step))
        return entry.remembered if entry is not None else 0

    def lookups(self, ask: Ask) -> tuple[Lookup, ...]:
        """The calls of tools that were recorded for this question."""
        entry = self._entries.get((ask.run, ask.at.agent, ask.at.step))
        return entry.lookups if entry is not None else ()

    def forget(self, asks: Iterable[Ask]) -> None:
        """Nothing: a record is read only."""


def _unknown(ask: Ask, what: str) -> NotRecordedError:
    return NotRecordedError(what, where=f"{ask.agent}, step {ask.step}", mend=_OTHER_RUN)


def _change(entry: Entry, ask: Ask) -> str:
    """The first thing that differs, then and now."""
    for name, then, now in (
        ("question", entry.question, ask.question),
        ("instructions", entry.instructions, ask.instructions),
        ("form", entry.form, ask.form.name),
    ):
        if then != now:
            pairs = enumerate(zip(then, now, strict=False))
            same = next((place for place, (one, other) in pairs if one != other), min(len(then), len(now)))
            return f". Its {name} was {_cut(then, same)!r} and is now {_cut(now, same)!r}."
    return ": the words are the same, but the fields of the form, the tools or the language are not."


def _cut(text: str, same: int) -> str:
    """The text around its first difference."""
    start = max(0, same - _SHOWN // 2) if len(text) > _SHOWN else 0
    end = start + _SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
