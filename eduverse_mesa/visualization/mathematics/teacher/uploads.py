"""A form that comes with a file: what it holds as text. The size was bounded before it is read, and the time to read it
grows with the size and no faster."""

from __future__ import annotations

import re

KIND = "multipart/form-data"
PAGES = ("/problems/upload",)
"""Where a file may come; elsewhere no form of this kind is read."""
MOST, LONGEST_HEAD = 4, 1024
"""Fields and files that one form may hold, and bytes that say what one of them is."""

_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))')
_DISPOSITION = re.compile(r"content-disposition:\s*form-data\s*;(.*)", re.IGNORECASE)
_PARAMETER = re.compile(r';?\s*(name|filename|filename\*)=(?:"([^"]*)"|([^\s";]*))\s*', re.IGNORECASE)


def read_parts(content_type: str, body: bytes) -> dict[str, list[str]]:
    """The fields of a form; ValueError where it is none, or a file in it is no text."""
    found: dict[str, list[str]] = {}
    for part in _pieces(content_type, body):
        head, gap, content = part.partition(b"\r\n\r\n")
        if not gap or len(head) > LONGEST_HEAD:
            raise ValueError("this is no field")
        name, is_file = _named(head.decode("utf-8"))
        # What is no text is told to whoever chose the file: it is kept so that this can be seen.
        text = content.decode("utf-8", "surrogateescape" if is_file else "strict")
        found.setdefault(name, []).append(text)
    return found


def _pieces(content_type: str, body: bytes) -> list[bytes]:
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        raise ValueError("this is no form")
    mark = b"\r\n--" + (boundary[1] or boundary[2]).encode("ascii")
    _, *parts = (b"\r\n" + body).split(mark, MOST + 1)
    if len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise ValueError("this form holds too much, or has no end")
    return parts[:-1]


def _named(head: str) -> tuple[str, bool]:
    """What a field is called, and whether it is a file."""
    lines = [found[1] for line in head.split("\r\n") if (found := _DISPOSITION.fullmatch(line))]
    given = dict(_parameters(lines[0])) if len(lines) == 1 else {}
    if "name" not in given:
        raise ValueError("this is no field")
    return given["name"], "filename" in given or "filename*" in given


def _parameters(line: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(line):
        one = _PARAMETER.match(line, at)
        if one is None:
            raise ValueError("this is no field")
        found.append((one[1].lower(), one[2] or one[3] or ""))
        at = one.end()
    return found
