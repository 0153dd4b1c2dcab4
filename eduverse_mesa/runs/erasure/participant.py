"""Erase a participant from a study: replace the words, play the runs again, write the files anew, and search them.

The order makes it safe to be killed anywhere. Whoever begins again after the words were replaced finds a participant
that is being erased, and goes on with the files.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from eduverse_mesa.runs.erasure.redaction import Belongings, Redacted, find_runs, gather, plain_text, redact, texts_of
from eduverse_mesa.runs.erasure.words import Name, Redactor, own_texts, renamed, rows_of_words
from eduverse_mesa.runs.open_runs import refuse_open
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.store import ParticipantRow
from eduverse_mesa.store.raw_files import peek
from eduverse_mesa.store.rewrite import count_texts, mark, read_run, rewrite

_LONG = 200
_PROBE, _EVERY = 100, 1000
"""A text that is longer than a page of the database does not lie in one piece: probes of it do."""
_CHUNK = 1 << 24
_WORD = rb"[A-Za-z0-9_]"


class Searched(NamedTuple):
    """A file that was searched, by its name beside the study."""

    name: str
    bytes: int


class Found(NamedTuple):
    """Something that is still there: where, and how many of the texts that were searched for."""

    where: str
    texts: int


class Needle(NamedTuple):
    """A text that is searched for in bytes."""

    text: str
    word: bool
    """It counts only where no letter or digit stands beside it: a name is no part of a longer word."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def forms(text: str) -> set[bytes]:
    """How a text may be written in a file: as it is, as JSON with and without escapes, in UTF-16."""
    escaped = json.dumps(text)[1:-1]
    shouted = re.sub(r"\\u[0-9a-f]{4}", lambda found: f"\\u{found.group()[2:].upper()}", escaped)
    return {
        text.encode(),
        escaped.encode(),
        shouted.encode(),
        msgspec.json.encode(text)[1:-1],
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
    }


def _probes(form: bytes) -> list[bytes]:
    if len(form) <= _LONG:
        return [form]
    return [form[start : start + _PROBE] for start in range(0, len(form) - _PROBE + 1, _EVERY)]


def search_files(paths: Iterable[Path], needles: Sequence[Needle]) -> tuple[list[Searched], list[Found]]:
    """Every byte of these files."""
    wanted = list(_probes_of(needles))
    overlap = max((len(probe) for _, probe, _ in wanted), default=0) + 1
    searched, found = [], []
    for path in paths:
        size, hits = 0, set()
        for chunk, fresh in _chunks(path, overlap):
            size += fresh
            hits |= {number for number, probe, word in wanted if number not in hits and _holds(chunk, probe, word)}
        searched.append(Searched(path.name, size))
        if hits:
            found.append(Found(path.name, len(hits)))
    return searched, found


def _chunks(path: Path, overlap: int) -> Iterator[tuple[bytes, int]]:
    with peek(path) as file:
        yield from _pieces(file, overlap)


def _pieces(file: _Readable, overlap: int) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file, each piece with the end of the one before; and how many of them are new."""
    before = b""
    while fresh := file.read(_CHUNK):
        yield before + fresh, len(fresh)
        before = (before + fresh)[-overlap:]


def is_packed(path: Path, needle: Needle) -> bool:
    """Return True if the text stands in a file within this zip, or in the name of one. A file that is no whole zip, or
    is locked, raises as `zipfile` does."""
    wanted = list(_probes_of([needle]))
    overlap = max(len(probe) for _, probe, _ in wanted) + 1
    with zipfile.ZipFile(path) as whole:
        for entry in whole.infolist():
            with whole.open(entry) as file:
                pieces = (chunk for chunk, _ in _pieces(file, overlap))
                for chunk in chain((entry.filename.encode(),), pieces):
                    if any(_holds(chunk, probe, word) for _, probe, word in wanted):
                        return True
    return False


def _probes_of(needles: Sequence[Needle]) -> Iterator[tuple[int, bytes, bool]]:
    for number, needle in enumerate(needles):
        for form in forms(needle.text):
            probes = _probes(form)
            yield from ((number, probe, needle.word and len(probes) == 1) for probe in probes)


def _holds(chunk: bytes, probe: bytes, word: bool) -> bool:
    """The probe stands in it; as a word, where it has to be one."""
    if probe not in chunk:
        return False
    if not word:
        return True
    before = b"(?<!" + _WORD + b")" if re.match(_WORD, probe) else b""
    after = b"(?!" + _WORD + b")" if re.match(_WORD, probe[-1:]) else b""
    return re.search(before + re.escape(probe) + after, chunk) is not None


_ALIASES = 12
"""Names that are tried for an agent that bore the person's own: luck goes by names, so another may change a lesson."""

BEYOND = (
    "exports, reports and copies of the study that were made before",
    "what a model said in other words about what the person said",
    "what a disk or a backup keeps of files that were written over",
)
"""Things that no program can erase from here."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """The record of what was erased, and the proof. It holds no word of the person."""

    participant: str
    study: str
    at: str
    resumed: bool
    """The words had been replaced before, by a program that was stopped; they could not be searched for again."""
    texts: int
    """Number of texts that the person had written."""
    searched_for: int
    """Number of phrases of them, with the name, that were searched for everywhere."""
    not_searched_for: dict[str, int]
    """Number of those that were not, by the reason: they were replaced where the person wrote them, and only there."""
    replaced: dict[str, int]
    """Rows that were changed, by table."""
    runs: tuple[str, ...]
    not_replayed: tuple[str, ...]
    """Of these, those that could not be played again before either; their texts were replaced all the same."""
    deleted: tuple[str, ...]
    """Dialogues of groups in which the person sat: they go altogether, since what others say follows from the words."""
    lost_answers: int
    remembered: int
    """Answers of language models that were taken out of the cache."""
    searched: tuple[Searched, ...]
    found: tuple[Found, ...]
    """Places where something is still there; none, where all went well."""
    partly_repeated: tuple[tuple[str, int, int, str], ...] = ()
    """(run, lesson, step, agent) where five words in a row are still the person's: a part of a sentence was quoted, or
    it is chance. A person has to judge that."""
    beyond: tuple[str, ...] = BEYOND

    @property
    def complete(self) -> bool:
        """Nothing of what was searched for was found."""
        return not self.found

    def document(self) -> dict[str, Any]:
        """The same as plain data."""
        document = asdict(self)
        document["searched"] = [one._asdict() for one in self.searched]
        document["found"] = [one._asdict() for one in self.found]
        return document | {"complete": self.complete}


@dataclass(slots=True)
class _Work:
    """The work of an erasure so far."""

    belongings: Belongings | None = None
    redactor: Redactor = field(default_factory=Redactor)
    redacted: list[Redacted] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    remembered: int = 0


def erase_participant(study_path: str, participant: str, *, cache: Path | None = None) -> Erasure:
    """Erase a person from a study, and search what is left. `cache` is where answers of models are remembered."""
    from eduverse_mesa.store.purge import purge

    with open_study(study_path) as opened:
        person = opened.study.participant(participant)
        work = _Work()
        if person.state == "present":
            _replace(opened, person, work, cache)
        purge(opened.study)
        erasure = _prove(opened, participant, work, cache, resumed=person.state != "present")
        mark(opened.study, participant, "erased")
    return erasure


def _replace(opened: OpenStudy, person: ParticipantRow, work: _Work, cache: Path | None) -> None:
    _refuse_played(opened, (sitting.run for sitting in opened.study.sittings(participant=person.id)))
    work.belongings = belongings = gather(opened, person.id)
    touched = find_runs(opened, belongings)
    _refuse_played(opened, touched)  # forks, and what repeats the words
    work.deleted = [run for run in touched if run in belongings.seats and opened.kind(run) == "collaboration"]
    touched = [run for run in touched if run not in work.deleted]
    work.redactor, work.redacted = _best_redaction(opened, belongings, touched)
    if cache is not None and cache.exists():
        from eduverse_mesa.policies.llm.calling.cache import forget_answers

        # First: as long as the words are in the study, a second try knows what to look for.
        work.remembered = forget_answers(cache, work.redactor.holds)
    name = work.redactor.name
    kept = [one.run for one in work.redacted]
    calling = _calling(name, belongings.agents)
    rewrite(opened.study, kept, person.id, calling, work.deleted, work.redactor.change)


def _calling(name: Name | None, agents: Collection[str]) -> Callable[[str], str]:
    """Return a function that gives the present name of an agent where somebody sat: an agent who bore the name, or
    taught somebody who did, has another now."""
    if name is None or name.phrase.text not in agents:
        return lambda agent: agent
    return lambda agent: renamed(agent, name.change)


def _refuse_played(opened: OpenStudy, runs: Iterable[str]) -> None:
    """A lesson that goes on would write the words down again: it has them in memory, however long it has rested."""
    from eduverse_mesa.store.run_list import refuse_while_played

    runs = list(dict.fromkeys(runs))
    refuse_open(opened.study.path, runs)
    for run in runs:
        with opened.study.transaction() as connection:
            refuse_while_played(connection, run, opened.study.path)


def _best_redaction(opened: OpenStudy, belongings: Belongings, touched: list[str]) -> tuple[Redactor, list[Redacted]]:
    """The runs without the words, under the name with which the lessons go as they went."""
    kept = [read_run(opened.study, run) for run in touched]
    best: tuple[Redactor, list[Redacted]] | None = None
    for alias in _aliases(belongings):
        redactor = belongings.redactor(alias)
        made = [
            redact(run, belongings.seats.get(run.row.id, ()), redactor.among(texts_of(run)), belongings.texts)
            for run in kept
        ]
        if best is None or _lost(made) < _lost(best[1]):
            best = redactor, made
        if not _lost(made):
            break
    if best is None:
        raise RuntimeError("there is always a name")
    return best


def _lost(made: list[Redacted]) -> int:
    return sum(one.lost for one in made)


def _aliases(belongings: Belongings) -> list[str]:
    bare = belongings.participant.id.upper()
    names = [bare, *(f"{bare}-{number}" for number in range(2, _ALIASES + len(belongings.agents)))]
    return [name for name in names if name not in belongings.agents][:_ALIASES]


def _prove(opened: OpenStudy, participant: str, work: _Work, cache: Path | None, *, resumed: bool) -> Erasure:
    from eduverse_mesa.store.purge import out_of_reach

    study, belongings = opened.study, work.belongings
    phrases, name = work.redactor.phrases, work.redactor.name
    named = name if name is not None and name.in_texts else None
    needles = [Needle(phrase.text, False) for phrase in phrases]
    if named is not None:
        needles += [Needle(phrase.text, True) for phrase in (named.phrase, *named.parts)]
    files, found = search_files(_files(opened, cache), needles)
    in_tables = count_texts(study, lambda texts: work.redactor.count([plain_text(text) for text in texts]))
    found += [Found(column, rows) for column, rows in in_tables]
    replaced: Counter[str] = Counter(participants=1)
    for one in work.redacted:
        replaced.update(one.changed)
    unsearched = Counter(belongings.unsearched) if belongings is not None else Counter()
    if belongings is not None and named is None:
        unsearched["the name"] = 1
    return Erasure(
        participant=participant,
        study=study.path,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        resumed=resumed,
        texts=len(belongings.texts) if belongings is not None else 0,
        searched_for=len(needles),
        not_searched_for={reason: number for reason, number in sorted(unsearched.items()) if number},
        replaced={table: number for table, number in sorted(replaced.items()) if number},
        runs=tuple(one.run.row.id for one in work.redacted),
        not_replayed=tuple(one.run.row.id for one in work.redacted if not one.replayed),
        deleted=tuple(work.deleted),
        lost_answers=_lost(work.redacted),
        remembered=work.remembered,
        searched=tuple(files),
        found=tuple(found),
        partly_repeated=_partly_repeated(work),
        beyond=(*BEYOND, *out_of_reach(study)),
    )


def _partly_repeated(work: _Work) -> tuple[tuple[str, int, int, str], ...]:
    rows = work.belongings.rows if work.belongings is not None else set()
    places: dict[tuple[str, int, int, str], None] = {}
    for one in work.redacted if rows else ():
        for answer in one.run.answers:
            if any(rows & rows_of_words(text) for text in own_texts(answer.content)):
                places[one.run.row.id, answer.lesson, answer.step, answer.agent] = None
    return tuple(places)


def _files(opened: OpenStudy, cache: Path | None) -> list[Path]:
    from eduverse_mesa.store.purge import files_of, own_files

    return own_files(opened.study) + (files_of(cache) if cache is not None else [])
