"""Transcripts of lessons, a row a sentence: from CSV or XLSX to the table `sentences`.

Two layouts are read, by the names of their columns, in any order and case, other columns left aside:

- our own, which simulated lessons are exported in: text, and role or speaker; if there are any, lesson, turn, move,
  and step, addressee, channel;
- that of the TalkMoves corpus: TimeStamp, Turn, Speaker, Sentence, Teacher Tag, Student Tag.

Without a lesson column the lesson is called by the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pandas as pd

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures.codes import STUDENT, TEACHER
from eduverse_mesa.measures.spreadsheets import Row, read_rows
from eduverse_mesa.measures.tags import known_tags, move_of

COLUMN_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "lesson": frozenset({"lesson", "lessonid", "transcript", "session", "课", "课时", "课程"}),
    "step": frozenset({"step"}),
    "turn": frozenset({"turn", "turnnumber", "turnid", "话轮"}),
    "role": frozenset({"role", "speakerrole", "角色"}),
    "speaker": frozenset({"speaker", "speakername", "name", "发言人", "说话人", "姓名"}),
    "text": frozenset({"text", "sentence", "utterance", "句子", "文本", "话语", "内容"}),
    "move": frozenset({"move", "talkmove", "tag"}),
    "teacher_tag": frozenset({"teachertag", "teachermove", "teachertalkmove"}),
    "student_tag": frozenset({"studenttag", "studentmove", "studenttalkmove"}),
    "addressee": frozenset({"addressee"}),
    "channel": frozenset({"channel"}),
}
_NUMBERED: Final = ("step", "turn")
_TEACHER = re.compile(r"t\d*|.*(?:teacher|instructor|老师|教师).*")
_ROLE_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("t", "teacher", "教师", "老师"), TEACHER),
    **dict.fromkeys(("s", "ss", "student", "students", "pupil", "学生", "同学"), STUDENT),
}


def read_transcript(path: str | Path) -> pd.DataFrame:
    """The sentences of one file; what cannot be read is said with the file, the row, the column and the mend."""
    file = Path(path)
    rows = read_rows(file)
    columns = _columns(rows[0], file) if rows else {}
    sentences = [_sentence(row, columns, file) for row in rows[1:] if _cell(row, columns, "text")]
    if not sentences:
        raise TableError("holds no sentence.", where=str(file), mend="Below the header, give a row for each sentence.")
    if all(sentence["role"] != TEACHER for sentence in sentences):
        raise TableError(
            "no row is the teacher's.",
            where=f"{file}, column {'role' if 'role' in columns else 'speaker'}",
            mend='Write "T" or "Teacher" where the teacher speaks.',
        )
    table = pd.DataFrame(sentences)
    for numbered in _NUMBERED:
        if numbered in table.columns:
            table[numbered] = table[numbered].astype("Int64")
    return table


def read_transcripts(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The sentences of several files in one table; no two files may hold a lesson of one name."""
    tables: list[pd.DataFrame] = []
    places: dict[str, str] = {}
    for path in paths:
        table = read_transcript(path)
        for lesson in table["lesson"].unique():
            if lesson in places:
                raise TableError(
                    f"lesson {lesson!r} stands in {places[lesson]} too.",
                    where=str(path),
                    mend="Rename one of the files, or its lesson.",
                )
            places[lesson] = str(path)
        tables.append(table)
    if not tables:
        raise TableError("there is no transcript to read.", where="transcripts", mend="Name at least one file.")
    return pd.concat(tables, ignore_index=True)


def _columns(header: Row, file: Path) -> dict[str, int]:
    """Which cell holds what."""
    found: dict[str, int] = {}
    for place, cell in enumerate(header.cells):
        plain = re.sub(r"[\W_]+", "", cell).casefold()
        for column, names in COLUMN_NAMES.items():
            if plain not in names:
                continue
            if column in found:
                raise TableError(
                    f"two columns for {column}: {header.cells[found[column]]!r} and {cell!r}.",
                    where=f"{file}, row {header.number}",
                    mend="Keep one of them.",
                )
            found[column] = place
    if "text" not in found or not {"role", "speaker"} & found.keys():
        missing = "text or Sentence" if "text" not in found else "role or speaker"
        headings = ", ".join(repr(cell) for cell in header.cells if cell)
        raise TableError(
            f"has no column {missing}.",
            where=f"{file}, row {header.number}",
            mend=f"Its first row must name the columns; it holds {headings[:200]}.",
        )
    return found


def _cell(row: Row, columns: Mapping[str, int], column: str) -> str:
    place = columns.get(column)
    return row.cells[place] if place is not None and place < len(row.cells) else ""


def _sentence(row: Row, columns: Mapping[str, int], file: Path) -> dict[str, str | int | None]:
    role = _role(row, columns, file)
    sentence: dict[str, str | int | None] = {"lesson": _cell(row, columns, "lesson") or file.stem}
    for column in _NUMBERED:
        if column in columns:
            sentence[column] = _number(row, columns, column, file)
    sentence["role"] = role
    sentence["speaker"] = _cell(row, columns, "speaker") or role
    sentence["text"] = _cell(row, columns, "text")
    sentence["move"] = _move(row, columns, role, file)
    for column in ("addressee", "channel"):
        if column in columns:
            sentence[column] = _cell(row, columns, column)
    return sentence


def _role(row: Row, columns: Mapping[str, int], file: Path) -> str:
    """Whose sentence it is: as the role says, else the speaker, else the column in which the coder wrote."""
    said = _cell(row, columns, "role").casefold()
    if said:
        if said not in _ROLE_WORDS:
            raise TableError(
                f"{said!r} is no role.", where=f"{file}, row {row.number}, column role", mend='Write "T" or "S".'
            )
        return _ROLE_WORDS[said]
    speaker = _cell(row, columns, "speaker").casefold().strip(" :：")
    if speaker:
        return TEACHER if _TEACHER.fullmatch(speaker) else STUDENT
    tagged = [role for role, column in _TAG_COLUMNS.items() if _cell(row, columns, column)]
    if len(tagged) == 1:
        return tagged[0]
    raise TableError(
        "nobody says this sentence.",
        where=f"{file}, row {row.number}, column speaker",
        mend='Write "T", "S" or a name.',
    )


_TAG_COLUMNS: Final[Mapping[str, str]] = {TEACHER: "teacher_tag", STUDENT: "student_tag"}


def _move(row: Row, columns: Mapping[str, int], role: str, file: Path) -> str:
    """The move of the role's own column: coders note in the other one what a later sentence restates."""
    column = "move" if "move" in columns else _TAG_COLUMNS[role]
    tag = _cell(row, columns, column)
    move = move_of(tag, role)
    if move is None:
        whose = "teacher" if role == TEACHER else "student"
        raise TableError(
            f"{tag!r} is no tag of a {whose}.",
            where=f"{file}, row {row.number}, column {column.replace('_', ' ')}",
            mend=f"Known are {known_tags(role)}, by number or name, or nothing.",
        )
    return move


def _number(row: Row, columns: Mapping[str, int], column: str, file: Path) -> int | None:
    cell = _cell(row, columns, column)
    if not cell:
        return None
    if not re.fullmatch(r"\d{1,9}(?:\.0+)?", cell):
        raise TableError(
            f"{cell!r} is no number.",
            where=f"{file}, row {row.number}, column {column}",
            mend="Number them 1, 2, 3 ...",
        )
    return int(cell.split(".")[0])
