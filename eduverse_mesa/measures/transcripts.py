"""Transcripts of lessons, a row a sentence: from CSV or XLSX to the table `sentences`.

Two layouts are read, by the names of their columns, in any order and case, other columns left aside:

- our own, which simulated lessons are exported in: text, and role or speaker; if there are any, lesson, turn, move,
  and step, addressee, channel;
- that of the TalkMoves corpus: TimeStamp, Turn, Speaker, Sentence, Teacher Tag, Student Tag.

Without a lesson column the lesson is called by the file's name.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import ParseError

import pandas as pd

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures.codes import STUDENT, TEACHER

# A long lesson has some 2,000 sentences in 300 kB; these leave room for a school year in one file.
MAX_BYTES = 32 * 2**20
MAX_UNPACKED_BYTES = 256 * 2**20
MAX_ROWS = 200_000
MAX_COLUMNS = 64

_SPREADSHEET_MEND = "Save it as .xlsx or as CSV (UTF-8) and try again."
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")


class Row(NamedTuple):
    """A row that holds something, and its number as a spreadsheet program shows it."""

    number: int
    cells: tuple[str, ...]


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV or XLSX file that are not empty; of a workbook, those of its first sheet."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise TableError("is a folder.", where=str(path), mend="Give the transcripts in it one by one.")
        if size > MAX_BYTES:
            raise TableError(
                f"is larger than {MAX_BYTES // 2**20} MiB.",
                where=str(path),
                mend="Split it: one file a lesson will do.",
            )
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TableError(f"cannot be read ({reason}).", where=str(path), mend="Check its name and place.") from error
    if not data.strip():
        raise TableError("is empty.", where=str(path), mend="Give a transcript with a row for each sentence.")
    is_workbook = data.startswith(b"PK\x03\x04") or path.suffix.lower() in {".xlsx", ".xlsm"}
    found = _workbook_rows(data, path) if is_workbook else _text_rows(_decode(data, path), path)
    rows = []
    for number, cells in enumerate(found, start=1):
        if number > MAX_ROWS:
            raise TableError(f"has more than {MAX_ROWS} rows.", where=str(path), mend="Split it: one file a lesson.")
        if any(cells):
            rows.append(Row(number, cells))
    return rows


def _decode(data: bytes, path: Path) -> str:
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\x00" in data and not is_utf16:  # a picture, a PDF, an .xls of old
        raise TableError("is not a spreadsheet that can be read here.", where=str(path), mend=_SPREADSHEET_MEND)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_as(encoding, data, path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # Older Excel writes the system's encoding: Chinese takes bytes in pairs, Western letters stand alone among
        # others.
        paired = all(len(run) % 2 == 0 for run in _HIGH_BYTES.findall(data))
        return _decode_as("gb18030" if paired else "cp1252", data, path)


def _decode_as(encoding: str, data: bytes, path: Path) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise TableError("is text in no encoding known here.", where=str(path), mend=_SPREADSHEET_MEND) from error


def _text_rows(text: str, path: Path) -> Iterator[tuple[str, ...]]:
    header = next(line for line in text.splitlines() if line.strip())
    delimiter = max(",;\t", key=header.count)
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            yield tuple(_cell_text(cell) for cell in cells[:MAX_COLUMNS])
    except csv.Error as error:
        raise TableError(f"is no CSV ({error}).", where=str(path), mend=_SPREADSHEET_MEND) from error


def _workbook_rows(data: bytes, path: Path) -> Iterator[tuple[str, ...]]:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_UNPACKED_BYTES:
            raise TableError(
                f"would unpack to more than {MAX_UNPACKED_BYTES // 2**20} MiB.",
                where=str(path),
                mend="That is no transcript; if it is, save it as CSV.",
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and validations that a transcript does not need
            workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            try:
                sheet = workbook.worksheets[0]
                sheet.reset_dimensions()  # a sheet may claim a million rows and hold ten
                for cells in sheet.iter_rows(max_col=MAX_COLUMNS, max_row=MAX_ROWS + 1, values_only=True):
                    yield tuple(_cell_text(cell) for cell in cells)
            finally:
                workbook.close()
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, IndexError, ParseError, OSError) as error:
        raise TableError("is not a workbook that can be read.", where=str(path), mend=_SPREADSHEET_MEND) from error


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return f"{value.month}/{value.day}"  # Excel takes a fraction such as 3/4 for a date
    return " ".join(str(value).split())


# The numbers of the TalkMoves corpus; "context" (7) marks what a restating refers to, which is no move. It has no 6.
TAG_NUMBERS: Final[Mapping[str, Mapping[int, str]]] = MappingProxyType(
    {
        TEACHER: {
            1: "none",
            2: "keep-together",
            3: "get-to-relate",
            4: "restate",
            5: "revoice",
            7: "none",
            8: "press-accuracy",
            9: "press-reasoning",
        },
        STUDENT: {1: "none", 2: "relate", 3: "ask", 4: "claim", 5: "evidence"},
    }
)
# A word that is in the tag's name and in no other's; the first that fits decides.
TAG_WORDS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = MappingProxyType(
    {
        TEACHER: (
            ("together", "keep-together"),
            ("relat", "get-to-relate"),
            ("restat", "restate"),
            ("revoic", "revoice"),
            ("accura", "press-accuracy"),
            ("reason", "press-reasoning"),
            ("none", "none"),
            ("context", "none"),
        ),
        STUDENT: (
            ("relat", "relate"),
            ("ask", "ask"),
            ("claim", "claim"),
            ("eviden", "evidence"),
            ("reason", "evidence"),
            ("none", "none"),
        ),
    }
)
_NUMBER = re.compile(r"\s*(\d+)(?:\.0+)?(?!\d)")
_MISSING = frozenset({"", "nan", "na", "n/a", "null", "-"})


def move_of(tag: str, role: str) -> str | None:
    """The move of a tag, "" for an empty one, None for one that is not known or whose number and name disagree."""
    said = tag.strip().casefold()
    if said in _MISSING:
        return ""
    numbered = _NUMBER.match(said)
    by_number = TAG_NUMBERS[role].get(int(numbered.group(1))) if numbered else None
    by_word = next((move for word, move in TAG_WORDS[role] if word in said), None)
    if by_word is None:
        return by_number
    return by_word if numbered is None or by_number == by_word else None


def known_tags(role: str) -> str:
    """The tags of a role, for a message."""
    return ", ".join(f"{number} ({move})" for number, move in TAG_NUMBERS[role].items())


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
    """Return the cell of each column that is read."""
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
    """Return the role of a sentence's speaker: as the role says, else the speaker, else the column in which the coder
    wrote."""
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
