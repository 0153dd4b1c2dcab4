"""The lines of an outline: plain text, Markdown, or a table of commas, semicolons or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.drafting.outlines.words import COLUMNS, ENDS, LABELS
from eduverse_mesa.scenarios.plain import UNWANTED

MOST_LINES = 400
MOST_LETTERS = 100_000
_BULLET = re.compile(
    r"^(?:[-*+•·–—▪●○]\s+|[(（]?\d{1,2}[)、）．]\s*|\d{1,2}\.(?!\d)\s*|[①-⑳]\s*|[一二三四五六七八九十]{1,3}[、.．]\s*|"
    r"[(（][一二三四五六七八九十]{1,3}[)）]\s*|"
    r"[a-zA-Z][.)]\s+|[IVX]{1,4}\.\s+)"
)
_NUMBERED = re.compile(r"^(?:\d{1,2}[.)、]|[一二三四五六七八九十]{1,3}、|[IVX]{1,4}\.)\s*\S")
_PART = re.compile(r"^[一二三四五六七八九十]{1,3}[、.．]\s*\S")
_POINT = re.compile(r"^(?:[-*+•·–—▪●○]\s|[(（]?\d{1,2}[.)、）．])")
_LABEL = re.compile(r"^([^:：]{1,24})[:：]\s*(.+)$")
_COUNTED = re.compile(r"^(?:#+\s*)?(\d{1,2})(?:[.)、．]|）)(?!\d)\s*\S")
_CLOSED = ("?", "？", ".", "。", "!", "！")
"""What a heading does not end with."""
_NOTE = re.compile(
    r"^\W*(?:(?-i:TODO|TO DO|TBD|FIXME|XXX)\b|to-?do\s*[:：]|note to (?:self|myself)\b|don['’]?t forget\b|"
    r"待办|待定|待补|备忘|别忘了?|提醒自己)",
    re.IGNORECASE,
)
"""How a note to oneself begins."""
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>，。；、）)]+", re.IGNORECASE)
_MOST_BESIDE = 3
"""Words beside a web address: more of them say something."""
_LONGEST_HEADING = 80
_UNIT = r"(?:minutes?|mins?\b\.?|m\b|分钟|分|['′’])"
_MINUTES = re.compile(
    rf"[(（\[]\s*(?:约|about |approx\.? |ca\.? )?(\d{{1,3}})\s*{_UNIT}\s*[)）\]]|"
    rf"(?<![\d.])\b(\d{{1,3}})\s*(?:minutes?|mins?\b\.?|分钟)\s*$",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    rf"^[(（\[]?\s*(\d{{1,3}})(?:[:：.](\d\d))?\s*(?:min\.?)?\s*[-–—~～到至]\s*(\d{{1,3}})(?:[:：.](\d\d))?\s"
    rf"*{_UNIT}?\s*[)）\]]?\s*[:：.\-–—|]?\s+(?=\D)",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"^[(（\[]?\s*(\d{{1,3}})\s*{_UNIT}\s*[)）\]]?\s*[:：.\-–—|]?\s*(?=\D)", re.IGNORECASE)


class Line(NamedTuple):
    """A line with its number from 1. `level` is how much of a heading it is (0: none, 1: the highest)."""

    number: int
    shown: str
    text: str
    level: int = 0
    label: str = ""
    doing: str = ""
    minutes: float = 0.0
    timed: bool = False
    """It begins with a time, as each part of a plan by the clock does."""
    depth: int = 0
    """How far it is indented."""


def read_lines(text: str) -> list[Line]:
    """The lines that say something; ScenarioError for more than an outline has."""
    text = UNWANTED.sub("", text)
    rows = text.splitlines()
    if len(text) > MOST_LETTERS or len(rows) > MOST_LINES:
        raise ScenarioError(
            f"the outline has {len(rows)} lines and {len(text):,} letters.",
            mend=f"{MOST_LINES} lines and {MOST_LETTERS:,} letters are the most: shorten it.",
        )
    table = _read_table(rows)
    return list(_from_table(*table) if table else _from_text(rows))


def _from_text(rows: list[str]) -> Iterator[Line]:
    counted = _counted_headings(rows)
    parts_alone = sum(_stands_alone(rows, number) for number in range(1, len(rows) + 1))
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        if not bare or set(bare) <= set("-=_*#~|:+ "):
            continue
        after = next((later for later in rows[number:] if later.strip()), "")
        heading = number in counted or _names_end(bare) or (parts_alone > 1 and _stands_alone(rows, number))
        yield _one(number, row, bare, after, heading)._replace(depth=_indent(row))


def _one(number: int, row: str, bare: str, after: str, heading: bool) -> Line:
    shown = bare[:120]
    if label := _kept_beside(bare):
        return Line(number, shown, _BULLET.sub("", bare).strip(" *_") or bare, 0, label)
    if bare.startswith("#"):
        level = len(bare) - len(bare.lstrip("#"))
        text, minutes = split_minutes(bare.lstrip("#").strip(" *_:："))
        if _NUMBERED.match(text):  # one of several parts is not above all of them
            level, text = max(level, 2), _BULLET.sub("", text).strip() or text
        return Line(number, shown, text, level, minutes=minutes)
    text = _BULLET.sub("", bare).strip(" *_") or bare
    text, clock, timed = _split_clock(text)
    is_heading = heading or _is_heading(bare, row, after)
    text, said = split_minutes(text)
    is_heading = is_heading or (bool(said) and _is_short(bare, text))
    minutes = clock or said
    if (match := _LABEL.match(text)) and (label := LABELS.get(match[1].strip(" *_").casefold(), "")):
        return Line(number, shown, match[2].strip(" *_"), 0, label, minutes=minutes)
    if LABELS.get(text.strip(" *_:：").casefold()) == "aside":
        return Line(number, shown, text.strip(" *_:："), 2, "aside")
    if is_heading and not timed:
        return Line(number, shown, text.strip(" *_:："), 2, minutes=minutes)
    return Line(number, shown, text, minutes=minutes, timed=timed)


def _kept_beside(bare: str) -> str:
    """`note` for a note to oneself, `material` for a web address or a row of a table; empty for what is held."""
    if _NOTE.match(bare):
        return "note"
    if bare.startswith("|") and bare.count("|") > 1:
        return "material"
    rest, addresses = _ADDRESS.subn(" ", bare)
    return "material" if addresses and len(re.findall(r"\w+", rest)) <= _MOST_BESIDE else ""


def _names_end(bare: str) -> bool:
    """`3. End`: a counted line that says nothing but that something begins or ends."""
    return bool(_NUMBERED.match(bare)) and _BULLET.sub("", bare).strip(" *_:：").casefold() in ENDS


def _counted_headings(rows: list[str]) -> set[int]:
    """Numbers of the rows that are headings because they are counted.

    Where several are counted 一、二、三、, each is above what follows it. Those that are counted 1. 2. 3. are headings
    where what belongs to them stands below the first and below most of them, and they are a list of points where not.
    """
    parts = {number for number, row in enumerate(rows, 1) if _PART.match(row.strip())}
    found = parts if len(parts) > 1 else set()
    said = [(number, row.rstrip()) for number, row in enumerate(rows, 1) if row.strip()]
    places = [place for place, (_, row) in enumerate(said) if _COUNTED.match(row)]
    values = [int(match[1]) for place in places if (match := _COUNTED.match(said[place][1]))]
    if len(places) < 2 or values != list(range(1, len(values) + 1)):
        return found
    if any(said[place][1].endswith(_CLOSED) or len(said[place][1]) > _LONGEST_HEADING for place in places):
        return found
    filled = [after - place > 1 for place, after in zip(places, [*places[1:], len(said)], strict=True)]
    if filled[0] and sum(filled) * 2 >= len(filled):
        found = found | {said[place][0] for place in places}
    return found


def split_minutes(text: str) -> tuple[str, float]:
    """A text without the minutes that it names, and those."""
    match = _MINUTES.search(text)
    if match is None:
        return text, 0.0
    rest = (text[: match.start()].rstrip(" ,;:：-–—") + " " + text[match.end() :].lstrip(" ,;：:-–—")).strip()
    return rest or text, float(match[1] or match[2])


def _split_clock(text: str) -> tuple[str, float, bool]:
    """A line without the time that it begins with: 0-5, 9:00-9:10, 5 min, 5'."""
    if match := _CLOCK.match(text):
        hours = [match[1], match[3]]
        begin, end = (_minutes_of(hour, more) for hour, more in zip(hours, (match[2], match[4]), strict=True))
        return text[match.end() :].strip() or text, max(0.0, end - begin), True
    if match := _BEFORE.match(text):
        return text[match.end() :].strip() or text, float(match[1]), True
    return text, 0.0, False


def _minutes_of(hour: str, more: str | None) -> float:
    return float(hour) * 60 + float(more) if more else float(hour)


def _is_heading(bare: str, row: str, after: str) -> bool:
    """A short line that ends in a colon, or stands out with bullets or deeper lines below it."""
    if len(bare) > _LONGEST_HEADING or bare.endswith(_CLOSED):
        return False
    if bare.endswith((":", "：")) or (bare.startswith("**") and bare.endswith("**")):
        return True
    bulleted = bool(re.match(r"^[-*+•·–—▪●○]\s", bare))
    goes_deeper = _indent(after) > _indent(row) or bool(re.match(r"^\s*[-*+•·–—▪●○]\s", after))
    return not bulleted and goes_deeper and _indent(row) == 0 and (bool(_NUMBERED.match(bare)) or not bulleted)


def _stands_alone(rows: list[str], number: int) -> bool:
    """A few words under an empty line, and right above what belongs to them: the name of a part."""
    row = rows[number - 1]
    above = rows[number - 2].strip() if number > 1 else "x"
    below = rows[number].strip() if number < len(rows) else ""
    return bool(row.strip() and below and not above) and _indent(row) == 0 and _is_short(row.strip(), row.strip())


def _is_short(bare: str, text: str) -> bool:
    """A few words that stand alone with their minutes, and no point of a list: `Introduction - 10 minutes`."""
    few = len(text.split()) <= 4 and len(text) <= 24
    return few and not text.endswith(_CLOSED) and not _POINT.match(bare)


def _indent(row: str) -> int:
    return len(row.expandtabs(4)) - len(row.expandtabs(4).lstrip())


# --- tables ---


def _read_table(rows: list[str]) -> tuple[dict[str, int], list[tuple[int, list[str]]]] | None:
    """Columns by what they hold, and the rows below the header, if the first row is the header of a table."""
    first = next(((place, row) for place, row in enumerate(rows) if row.strip()), None)
    if first is None:
        return None
    for separator in ("\t", ";", "；", ",", "，", "|"):
        header = [cell.strip().casefold() for cell in _split(first[1], separator)]
        columns = {COLUMNS[cell]: place for place, cell in enumerate(header) if cell in COLUMNS}
        if len(header) > 1 and "activity" in columns:
            below = [(number, _split(row, separator)) for number, row in enumerate(rows, 1) if number > first[0] + 1]
            return columns, below
    return None


def _cell(number: int, shown: str, text: str, label: str = "", doing: str = "") -> Line:
    """A cell of a table, which may begin with a label of its own: `Answer: iron`."""
    if (match := _LABEL.match(text)) and (own := LABELS.get(match[1].strip().casefold())):
        return Line(number, shown, match[2].strip(), 0, own)
    return Line(number, shown, text, label=label, doing=doing)


def _first_number(text: str) -> float:
    """Minutes of a cell: 5, 5 min, 0-5."""
    _, clock, timed = _split_clock(f"{text} x")
    found = re.search(r"\d{1,3}", text)
    return clock if timed and clock else float(found[0]) if found else 0.0


def _split(row: str, separator: str) -> list[str]:
    if separator == "|":
        row = row.strip().strip("|")
    try:
        return next(csv.reader([row], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return row.split(separator)


def _from_table(columns: dict[str, int], rows: list[tuple[int, list[str]]]) -> Iterator[Line]:
    phase = ""
    for number, cells in rows:
        row = {what: cells[place].strip() for what, place in columns.items() if place < len(cells)}
        if not any(row.values()) or set("".join(row.values())) <= set("-=: "):
            continue
        shown = " | ".join(value for value in row.values() if value)[:120]
        if row.get("phase") and row["phase"] != phase:
            phase = row["phase"]
            yield Line(number, phase, phase, 2, minutes=_first_number(row.get("minutes", "")))
        if row.get("activity"):
            yield _cell(number, shown, row["activity"], doing=row.get("doing", ""))
        if row.get("task"):
            yield _cell(number, shown, row["task"], label="task")
        for label in ("question", "answer", "because", "misconception"):
            if row.get(label):
                yield Line(number, shown, row[label], label=label)
