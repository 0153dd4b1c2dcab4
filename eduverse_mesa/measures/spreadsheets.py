"""Rows of a CSV or XLSX file as text, whoever wrote it: encodings, delimiters, Excel's own types, and files that mean
harm."""

from __future__ import annotations

import csv
import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from eduverse_mesa.errors import TableError

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
