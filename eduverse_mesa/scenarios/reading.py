"""Documents from files: size and kind are looked at before a single byte is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from importlib.resources.abc import Traversable
from pathlib import Path

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.parsing import parse
from eduverse_mesa.scenarios.plain import Reading

MAX_BYTES = 1_000_000
SUFFIXES = (".yaml", ".yml")


def read_file(path: Path, built_in: Collection[str] = ()) -> Reading:
    """The YAML document in a file that a user names; `built_in` are names that could have been meant instead."""
    label = str(path)
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            what = "a folder" if stat.S_ISDIR(facts.st_mode) else "not an ordinary file"
            raise ScenarioError(f"this is {what}.", where=label, mend="Name a YAML file.")
        _limit(facts.st_size, label)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ScenarioError("there is no such file.", where=label, mend=mend_path(path, built_in)) from None
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else "it fails"
        raise ScenarioError(f"this cannot be read: {reason}.", where=label, mend="Check the path.") from None
    except ValueError:  # a NUL in the path
        raise ScenarioError("this is not a path.", where=repr(label), mend="Check the path.") from None
    return read_bytes(content, label)


def mend_path(path: Path, built_in: Collection[str]) -> str:
    """How to mend the path of a file that is not there: a built-in document has a name and no ending."""
    if path.suffix in SUFFIXES and path.stem in built_in:
        return f"Check the path; or name the built-in '{path.stem}', without '{path.suffix}'."
    return "Check the path."


def read_resource(resource: Traversable, label: str) -> Reading:
    """The YAML document in a file of the package."""
    return read_bytes(resource.read_bytes(), label)


def read_bytes(content: bytes, label: str) -> Reading:
    """The YAML document in bytes, which must be UTF-8."""
    _limit(len(content), label)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScenarioError(
            f"line {line} is not UTF-8 text.", where=label, mend="Save the file as YAML text with UTF-8 encoding."
        ) from None
    return parse(text, label)


def _limit(size: int, label: str) -> None:
    if size > MAX_BYTES:
        raise ScenarioError(
            f"the file has {size / 1e6:.1f} MB or more; {MAX_BYTES / 1e6:.0f} MB is the limit.",
            where=label,
            mend="Split it, or remove what is not part of the scenario.",
        )
