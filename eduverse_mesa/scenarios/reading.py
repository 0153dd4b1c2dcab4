"""Documents from files: size and kind are looked at before a single byte is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from importlib.resources.abc import Traversable
from pathlib import Path

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios import class_lists
from eduverse_mesa.scenarios.decoding import decode, decode_marked
from eduverse_mesa.scenarios.parsing import parse
from eduverse_mesa.scenarios.plain import Reading

MAX_BYTES = 1_000_000
SUFFIXES = (".yaml", ".yml")


def read_file(path: Path, built_in: Collection[str] = ()) -> Reading:
    """The document in a file that a user names: YAML, or the class of a list; `built_in` are names that could have been
    meant instead."""
    content = _read_content(path, mend_path(path, built_in))
    if path.suffix.casefold() in class_lists.SUFFIXES:
        _limit(len(content), str(path))
        return class_lists.read_class_list(content, str(path))
    return read_bytes(content, str(path))


def read_plain(path: Path, mend: str) -> str:
    """The text of a file that a user names and that is no document; `mend` says how to save it as text."""
    content = _read_content(path, "Check the path.")
    _limit(len(content), str(path))
    return decode_marked(content, str(path), mend)


def _read_content(path: Path, mend_missing: str) -> bytes:
    """The first bytes of a file, one more than can be read at most."""
    label = str(path)
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            what = "a folder" if stat.S_ISDIR(facts.st_mode) else "not an ordinary file"
            raise ScenarioError(f"this is {what}.", where=label, mend="Name a file.")
        _limit(facts.st_size, label)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ScenarioError("there is no such file.", where=label, mend=mend_missing) from None
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else "it fails"
        raise ScenarioError(f"this cannot be read: {reason}.", where=label, mend="Check the path.") from None
    except ValueError:  # a NUL in the path
        raise ScenarioError("this is not a path.", where=repr(label), mend="Check the path.") from None


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
    return parse(decode(content, label, "Save the file as YAML text with UTF-8 encoding."), label)


def _limit(size: int, label: str) -> None:
    if size > MAX_BYTES:
        raise ScenarioError(
            f"the file has {size / 1e6:.1f} MB or more; {MAX_BYTES / 1e6:.0f} MB is the limit.",
            where=label,
            mend="Split it, or remove what is not part of the scenario.",
        )
