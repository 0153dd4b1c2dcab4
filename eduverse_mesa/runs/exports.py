"""A run for other tools: tables with a codebook, answer log, growth log, network, xAPI statements, transcript."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast
from uuid import UUID

import msgspec
import networkx as nx
import pandas as pd

from eduverse_mesa.decisions.tutoring import ANSWER_KINDS
from eduverse_mesa.errors import StudyError
from eduverse_mesa.measures import peer_graph
from eduverse_mesa.runs.classroom import PlayedLesson, replay_lessons
from eduverse_mesa.runs.groups import UnkeptTalk, read_talk
from eduverse_mesa.runs.groups.tables import dialogue_tables
from eduverse_mesa.runs.studies import no_run
from eduverse_mesa.runs.tables import append_csv, tables, write_csv
from eduverse_mesa.runs.tutoring import replay_tutoring, taught_tables
from eduverse_mesa.scenarios.files import read_resource
from eduverse_mesa.store import RunKind
from eduverse_mesa.vocabulary import (
    ACT_CATEGORY,
    ACTS,
    BEHAVIOURS,
    BLOOM,
    EMOTIONS,
    PEER_REQUESTS,
    STUDENT_MOVES,
    TEACHER_MOVES,
    TONES,
    StudentMove,
    TeacherMove,
)

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.journal import StudentRow
    from eduverse_mesa.runs.studies import OpenStudy

ALL = "all"
"""In place of a table: a column that stands in several."""

_FILE = "codebooks.yaml"
_CODES = {
    "behaviours": BEHAVIOURS,
    "emotions": EMOTIONS,
    "bloom": BLOOM,
    "acts": ACTS,
    "categories": tuple(dict.fromkeys(ACT_CATEGORY.values())),
    "tones": TONES,
    "requests": tuple(sorted(PEER_REQUESTS)),
    "teacher_moves": TEACHER_MOVES,
    "student_moves": STUDENT_MOVES,
    "answers": ANSWER_KINDS,
}


class Meaning(NamedTuple):
    """The meaning of a column of a table."""

    table: str
    column: str
    meaning: str
    meaning_zh: str


def codebook(kinds: Collection[RunKind]) -> pd.DataFrame:
    """The codebook of all tables that there are of runs of some kinds."""
    rows = [row for kind in ("course", "tutoring", "collaboration") if kind in kinds for row in _meanings(kind)]
    return pd.DataFrame(rows, columns=Meaning._fields)


def meanings(kind: RunKind, table: str, language: str) -> dict[str, str]:
    """Return the meanings of the columns of one table, with those that stand in several, in one language."""
    known = [one for one in _meanings(kind) if one.table in (ALL, table)]
    return {one.column: one.meaning_zh if language == "zh" else one.meaning for one in known}


def _meanings(kind: str) -> Iterator[Meaning]:
    codes = {code: ", ".join(known) for code, known in _CODES.items()}
    for name, columns in _read()[kind].items():
        for column, (english, chinese) in columns.items():
            yield Meaning(name, column, english.format_map(codes), chinese.format_map(codes))


@cache
def _read() -> dict[str, dict[str, dict[str, list[str]]]]:
    found: Any = read_resource(files("eduverse_mesa.runs") / _FILE, _FILE).data
    return cast("dict[str, dict[str, dict[str, list[str]]]]", found)


def growth_log(run: str, lessons: Iterable[PlayedLesson]) -> Iterator[str]:
    """The lines of a run's growth log, lesson by lesson."""
    for lesson in lessons:
        for row in lesson.model.journal.students:
            entry: dict[str, Any] = {
                "run": run,
                "lesson": row.lesson,
                "step": row.step,
                "student": row.student,
                "perception": row.perceived.split(";") if row.perceived else [],
                "gate": {"called": row.called, "accepted_from": row.gate or None},
                "plan": row.plan,
                "words": row.words,
                "behaviour": row.behaviour or None,
                "emotion": row.emotion or None,
                "cognition": row.cognition or None,
                "monitoring": row.monitoring,
                "feedback": row.feedback or None,
                "regulation": {"sentence": row.regulation, "strategy": row.strategy or None},
                "state": {
                    "attention": row.attention,
                    "confidence": row.confidence,
                    "affect": row.affect,
                    "fatigue": row.fatigue,
                    "rapport": row.rapport,
                    "understanding": row.understanding,
                },
            }
            yield msgspec.json.encode(entry).decode()


# Identifiers need no server behind them; .invalid never has one (RFC 2606), and verbs are ADL's own.
_HOME = "https://eduverse-mesa.invalid"
_ADL = "http://adlnet.gov/expapi/verbs"
_VERBS = {
    "stand_answer": (f"{_ADL}/answered", "answered"),
    "answer_question": (f"{_ADL}/answered", "answered"),
    "ask_question": (f"{_ADL}/asked", "asked"),
    "side_talk": (f"{_ADL}/interacted", "interacted"),
    "group_discussion": (f"{_ADL}/interacted", "interacted"),
    "chat": (f"{_HOME}/verbs/chatted", "chatted"),
    "refuse_reply": (f"{_HOME}/verbs/declined", "declined"),
    "sleep": (f"{_HOME}/verbs/slept", "slept"),
}
_ATTENDED = (f"{_ADL}/attended", "attended")
_QUALITY = {"right": True, "wrong": False}


def statements(run: str, lessons: Iterable[PlayedLesson]) -> Iterator[dict[str, Any]]:
    """One statement for each student and step, in order. A failed decision makes none."""
    for lesson in lessons:
        for row in lesson.model.journal.students:
            if row.behaviour:
                yield _statement(run, lesson.model.lesson.title or row.lesson, row)


def _statement(run: str, title: str, row: StudentRow) -> dict[str, Any]:
    verb, shown = _VERBS.get(row.behaviour, _ATTENDED)
    key = f"{run}/{row.lesson}/{row.step}/{row.student}"
    result: dict[str, Any] = {"extensions": {f"{_HOME}/understanding": row.understanding}}
    if row.words:
        result["response"] = row.words
    if row.quality in _QUALITY:
        result["success"] = _QUALITY[row.quality]
    return {
        # The same run has the same statements: their ids come from their place, not from a clock or chance.
        "id": str(UUID(bytes=blake2b(key.encode(), digest_size=16).digest(), version=4)),
        "actor": {"objectType": "Agent", "name": row.student, "account": {"homePage": _HOME, "name": row.student}},
        "verb": {"id": verb, "display": {"en": shown}},
        "object": {
            "objectType": "Activity",
            "id": f"{_HOME}/lessons/{row.lesson}",
            "definition": {"name": {"und": title}, "type": "http://adlnet.gov/expapi/activities/lesson"},
        },
        "result": result,
        "context": {
            "registration": str(UUID(bytes=blake2b(run.encode(), digest_size=16).digest(), version=4)),
            "extensions": {
                f"{_HOME}/step": row.step,
                f"{_HOME}/behaviour": row.behaviour,
                f"{_HOME}/emotion": row.emotion,
                f"{_HOME}/cognition": row.cognition,
            },
        },
    }


_Tables: TypeAlias = dict[str, pd.DataFrame]

_LONGEST = 80

# The layout of the public TalkMoves corpus, which `eduverse measure` reads as well.
_TEACHER_TAGS: dict[TeacherMove, str] = {
    "none": "1 - None",
    "keep-together": "2 - Keep everyone together",
    "get-to-relate": "3 - Getting students to relate",
    "restate": "4 - Restating",
    "revoice": "5 - Revoicing",
    "press-accuracy": "8 - Press for accuracy",
    "press-reasoning": "9 - Press for reasoning",
}
_STUDENT_TAGS: dict[StudentMove, str] = {
    "none": "1 - None",
    "relate": "2 - Relating to another student",
    "ask": "3 - Asking for more information",
    "claim": "4 - Making a claim",
    "evidence": "5 - Providing evidence/reasoning",
}


def export_run(opened: OpenStudy, run: str, form: str, target: Path) -> list[Path]:
    """Write a run in one of FORMATS; returns the files written."""
    _refuse_ending(form, target)
    try:
        if form == _LOG:
            return [_write_lines(_file(target, run, ".jsonl"), opened.study.export_log(run))]
        if form in _TOGETHER:
            return _together(opened, [run], form, target)
        if (kind := opened.kind(run)) in _OF_OTHERS:
            if form != "transcript":
                raise _not_written(opened, run, form)
            return _OF_OTHERS[kind](opened, run, target)
        return _WRITERS[form].write(run, replay_lessons(opened, run), _lesson_names(opened, run), target)
    except OSError as error:
        raise _unwritten(error, target) from None


def _unwritten(error: OSError, target: Path) -> StudyError:
    return StudyError(
        f"cannot be written ({error.strerror}).", where=str(error.filename or target), mend="Choose another --out."
    )


def export_all(opened: OpenStudy, form: str, target: Path) -> list[Path]:
    """Write every run of a study: the tidy tables with all runs below one another, anything else in a folder a run."""
    runs = opened.runs()
    _refuse_ending(form, target, to_one_file=False)
    if not runs:
        raise no_run(opened.study)
    try:
        if form in _TOGETHER:
            return _together(opened, runs, form, target)
        names = folder_names(runs)
        for name in names.values():
            (target / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritten(error, target) from None
    return [path for run, name in names.items() for path in export_run(opened, run, form, target / name)]


def _together(opened: OpenStudy, runs: Sequence[str], form: str, target: Path) -> list[Path]:
    """The tidy tables with all runs below one another, and a codebook beside them."""
    written = _TOGETHER[form]((part for run in runs for part in _tables_of(opened, run)), target)
    book = target / "codebook.csv"
    write_csv(codebook({opened.kind(run) for run in runs}), book)
    return [*written, book]


def _not_written(opened: OpenStudy, run: str, form: str) -> StudyError:
    of = "learners and tutors" if opened.kind(run) == "tutoring" else "a group"
    return StudyError(
        f"run {run} is of {of}: there is no {form} of it.",
        where=opened.study.path,
        mend=f"It can be written as {', '.join(TAUGHT_FORMATS)}.",
    )


def _played(opened: OpenStudy, run: str) -> UnkeptTalk:
    """A group's run as far as it is recorded; whoever answered then is not asked again, and need not be reachable."""
    return read_talk(opened, run, policy="embedded")


def _group_transcript(opened: OpenStudy, run: str, target: Path) -> list[Path]:
    """Write the messages of a group to a file."""
    said = dialogue_tables(_played(opened, run).model).messages
    [path] = _files(target, [file_name(run)], ".csv")
    write_csv(said[["turn", "now", "stage", "speaker", "text"]], path)
    return [path]


def _taught_transcripts(opened: OpenStudy, run: str, target: Path) -> list[Path]:
    """A file a learner."""
    lines = taught_tables(replay_tutoring(opened, run)).lines
    columns = ["session", "day", "grade", "unit", "turn", "speaker", "text"]
    names = folder_names(lines["learner"].unique())
    paths = dict(zip(names, _files(target, list(names.values()), ".csv"), strict=True))
    for learner, said in lines.groupby("learner"):
        spoken = said.assign(speaker=said["speaker"].replace("learner", learner))[columns]
        write_csv(spoken, paths[str(learner)])
    return list(paths.values())


def folder_names(runs: Iterable[str]) -> dict[str, str]:
    """A folder for each run: what a file system takes, and no two the same even where letter case does not count."""
    names: dict[str, str] = {}
    for run in runs:
        bare = name = file_name(run)[:_LONGEST]
        while name.casefold() in {other.casefold() for other in names.values()}:
            name = f"{bare}-{len(names) + 1}"
        names[run] = name
    return names


def _refuse_ending(form: str, target: Path, *, to_one_file: bool = True) -> None:
    """A name that ends like a file's is taken for one, where a file of that kind is what there is to write."""
    ending = target.suffix.casefold()
    fits = to_one_file and ending == _ONE_FILE.get(form)
    if target.is_dir() or ending not in _ENDINGS or fits:
        return
    one = f", or a name that ends in {_ONE_FILE[form]}" if to_one_file and form in _ONE_FILE else ""
    raise StudyError(
        f"--format {form} does not write one {ending} file.", where=f"--out {target}", mend=f"Give a folder{one}."
    )


def _files(target: Path, names: Sequence[str], ending: str) -> list[Path]:
    """A file in the folder for each name; the file that is named itself, where there is one to write."""
    if target.suffix.casefold() != ending or target.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return [target / f"{name}{ending}" for name in names]
    if len(names) != 1:
        raise StudyError(f"there are {len(names)} files to write.", where=f"--out {target}", mend="Give a folder.")
    target.parent.mkdir(parents=True, exist_ok=True)
    return [target]


def _file(target: Path, run: str, ending: str) -> Path:
    """The file in a folder, or the one that is named itself."""
    if target.suffix.casefold() == ".jsonl" and not target.is_dir():
        return target
    return target / f"{file_name(run)}{ending}"


def _write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _whole() as part_of, part_of(path).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


@contextmanager
def _whole() -> Iterator[Callable[[Path], Path]]:
    """Files that are there when all of them are complete: what is written meanwhile stands beside them."""
    parts: dict[Path, Path] = {}
    try:
        yield lambda path: parts.setdefault(path, path.with_name(f"{path.name}.part"))
    except BaseException:
        for part in parts.values():
            part.unlink(missing_ok=True)
        raise
    for path, part in parts.items():
        part.replace(path)


def _tables_of(opened: OpenStudy, run: str) -> Iterator[_Tables]:
    """The tidy tables, of a course lesson by lesson; each row says whose it is, so that all can be put below one
    another."""
    if opened.kind(run) == "tutoring":
        taught = replay_tutoring(opened, run)
        whose = {"run": run, "seed": taught.spec.seed, "curriculum": taught.spec.setup.curriculum.name}
        yield _marked(taught_tables(taught)._asdict(), whose)
    elif opened.kind(run) == "collaboration":
        talk = _played(opened, run)
        whose = {"run": run, "seed": talk.spec.seed, "group": talk.spec.setup.name}
        yield _marked(dialogue_tables(talk.model)._asdict(), whose)
    else:
        spec = opened.choose(run).spec
        whose = {"run": run, "seed": spec.seed, "layout": spec.scenario.layout.name}
        yield _marked(tables([])._asdict(), whose)  # the columns, also of a run of which nothing was played
        for lesson in replay_lessons(opened, run):
            yield _marked(tables([lesson.model])._asdict(), whose)


def _marked(made: _Tables, whose: Mapping[str, Any]) -> _Tables:
    for table in made.values():
        for place, (column, value) in enumerate(whose.items()):
            table.insert(place, column, value)
    return made


def _csv(parts: Iterable[_Tables], target: Path) -> list[Path]:
    target.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    with _whole() as part_of:
        for made in parts:
            for name, table in made.items():
                begun = name in paths
                path = part_of(paths.setdefault(name, target / f"{name}.csv"))
                (append_csv if begun else write_csv)(table, path)
    return list(paths.values())


def _parquet(parts: Iterable[_Tables], target: Path) -> list[Path]:
    import pyarrow as pa
    from pyarrow import parquet

    target.mkdir(parents=True, exist_ok=True)
    made: dict[str, list[Any]] = {}
    for part in parts:
        for name, table in part.items():
            made.setdefault(name, []).append(pa.Table.from_pandas(table, preserve_index=False))
    paths = []
    with _whole() as part_of:
        for name, found in made.items():
            paths.append(target / f"{name}.parquet")
            filled = [table for table in found if table.num_rows] or found[:1]
            # Permissive: a column in which a lesson has nothing has no type of its own.
            parquet.write_table(pa.concat_tables(filled, promote_options="permissive"), part_of(paths[-1]))
    return paths


def _growth(run: str, lessons: Iterable[PlayedLesson], _: Sequence[str], target: Path) -> list[Path]:
    return [_write_lines(_file(target, run, ".growth.jsonl"), growth_log(run, lessons))]


def _xapi(run: str, lessons: Iterable[PlayedLesson], _: Sequence[str], target: Path) -> list[Path]:
    lines = (json.dumps(statement, ensure_ascii=False) for statement in statements(run, lessons))
    return [_write_lines(_file(target, run, ".xapi.jsonl"), lines)]


def _graphml(_: str, lessons: Iterable[PlayedLesson], names: Sequence[str], target: Path) -> list[Path]:
    paths = _files(target, names, ".graphml")
    for lesson, path in zip(lessons, paths, strict=True):
        model = lesson.model
        graph = peer_graph(tables([model]).requests)
        graph.add_nodes_from(student.name for student in model.students)
        for student in model.students:
            x, y = student.place
            graph.nodes[student.name].update(
                x=x, y=y, role=student.person.role, attention=student.attention, understanding=student.understanding
            )
        nx.write_graphml(graph, path)
    return paths


def _transcript(_: str, lessons: Iterable[PlayedLesson], names: Sequence[str], target: Path) -> list[Path]:
    paths = _files(target, names, ".csv")
    for lesson, path in zip(lessons, paths, strict=True):
        write_csv(pd.DataFrame(_corpus_rows(lesson.model.journal.sentences)), path)
    return paths


def _lesson_names(opened: OpenStudy, run: str) -> list[str]:
    """A name for each recorded lesson's file."""
    lessons = opened.choose(run).spec.scenario.lessons
    return [f"{row.lesson:02d}-{file_name(lessons[row.lesson - 1].name)}" for row in opened.study.lessons(run)]


def _corpus_rows(sentences: Iterable[object]) -> Iterator[dict[str, object]]:
    from eduverse_mesa.models.classroom.journal import SentenceRow

    turn, last = 0, ""
    for row in sentences:
        assert isinstance(row, SentenceRow)
        if row.channel != "class":
            continue
        turn += row.speaker != last
        last = row.speaker
        teacher = row.role == "T"
        yield {
            "TimeStamp": row.step,
            "Turn": turn,
            "Speaker": "T" if teacher else row.speaker,
            "Sentence": row.text,
            "Teacher Tag": _TEACHER_TAGS[cast(TeacherMove, row.move)] if teacher else "",
            "Student Tag": "" if teacher else _STUDENT_TAGS[cast(StudentMove, row.move)],
        }


def file_name(name: str) -> str:
    """A name as a file can have it: it leads nowhere else, and holds nothing that a system forbids."""
    return "".join(character if character.isalnum() or character in "-_" else "_" for character in name)


class _Lessons(NamedTuple):
    """A format of a lesson: its writer, and the ending of the one file that a lesson, or a whole run, is written to."""

    write: Callable[[str, Iterable[PlayedLesson], Sequence[str], Path], list[Path]]
    ending: str


_TOGETHER: dict[str, Callable[[Iterable[_Tables], Path], list[Path]]] = {"csv": _csv, "parquet": _parquet}
"""The tidy tables: of all kinds of runs, and of many runs in one file."""
_LOG = "jsonl"
"""The answer log, of all kinds of runs."""
_WRITERS: dict[str, _Lessons] = {
    "growth": _Lessons(_growth, ".jsonl"),
    "graphml": _Lessons(_graphml, ".graphml"),
    "xapi": _Lessons(_xapi, ".jsonl"),
    "transcript": _Lessons(_transcript, ".csv"),
}
"""What is written of a course: the growth log; the peer network for Gephi; Experience API statements; the layout of
real-lesson corpora. A new format is a function and a line here; its name on pages is in `words/en/studies.yaml`."""
_OF_OTHERS: dict[str, Callable[[OpenStudy, str, Path], list[Path]]] = {
    "tutoring": _taught_transcripts,
    "collaboration": _group_transcript,
}
"""What `transcript` is of the other kinds of runs: a file a learner, or the messages of a group."""

_ONE_FILE = {_LOG: ".jsonl", **{form: writer.ending for form, writer in _WRITERS.items()}}
_ENDINGS = (".csv", ".graphml", ".html", ".json", ".jsonl", ".parquet", ".tsv", ".txt", ".xlsx", ".xml", ".zip")
"""Endings by which a name is meant as a file's."""

FORMATS = (*_TOGETHER, _LOG, *_WRITERS)
TAUGHT_FORMATS = (*_TOGETHER, _LOG, "transcript")
"""Those that there are of learners and tutors, and of groups."""
