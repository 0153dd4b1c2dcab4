"""Files that appear whole or not at all, also where the power fails; and a folder for one program at a time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eduverse_mesa.errors import SweepError

_TEMPORARY = ".part"
"""At the end of a name: what is half written is matched by nobody who looks for its kind."""
_LOCK = ".lock"
_TRIES, _PAUSE = 3, 0.1


def write_whole(path: Path, content: bytes) -> None:
    """Write a file: before this returns it is there for good, and nobody ever sees a part of it."""
    with writing_whole(path) as part, part.open("xb") as file:
        file.write(content)


def clear(part: Path) -> Path:
    """A place for a new file: what a killed program left there is gone, and so is a link, which would be written
    through to wherever it points."""
    part.unlink(missing_ok=True)
    return part


@contextmanager
def writing_whole(path: Path) -> Iterator[Path]:
    """A file to write to that takes its place when all went well, and is gone otherwise."""
    part = clear(path.with_name(f".{path.name}{_TEMPORARY}"))
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def sweep_up(folder: Path) -> int:
    """Remove what programs that were killed have left half written."""
    left = list(folder.glob(f".*{_TEMPORARY}"))
    for part in left:
        part.unlink(missing_ok=True)
    return len(left)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder last, too; Windows does so by itself and lets nobody ask for it."""
    if sys.platform == "win32":
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Be the only program that writes to a folder. The system lets go of the lock if the program is killed."""
    with (folder / _LOCK).open("ab") as file:
        if not any(_lock_soon(file.fileno())):
            raise SweepError(
                "another program is at work here.",
                where=str(folder),
                mend="Wait for it, stop it, or take another folder; `eduverse sweep status` shows how far it is.",
            )
        yield


def _lock_soon(file: int) -> Iterator[bool]:
    """Once more where it was taken: it may have been somebody who only looked whether it is."""
    yield _lock(file)
    for _ in range(_TRIES):
        time.sleep(_PAUSE)
        yield _lock(file)


def is_taken(folder: Path) -> bool:
    """Whether a program writes to a folder at this moment."""
    try:
        with (folder / _LOCK).open("rb") as file:
            return not _lock(file.fileno())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
