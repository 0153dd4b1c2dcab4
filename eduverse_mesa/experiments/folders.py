"""Folders in which experiments are kept: files that appear whole, one program at a time, the same command goes on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.errors import SweepError

FORMAT = 1
ABOUT, RESULTS = "about.json", "results.parquet"

About = TypeVar("About")


def make_folder(folder: Path) -> None:
    """A folder that is there; one that holds other things is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SweepError(
            f"the folder cannot be made ({error.strerror}).", where=str(folder), mend="Choose another place."
        ) from error
    strange = sorted(file.name for file in folder.iterdir() if file.name[0] != ".")
    if strange and not (folder / ABOUT).exists():
        raise SweepError(
            f"this folder holds other things ({', '.join(strange[:3])}).",
            where=str(folder),
            mend="Name a folder that is new or empty.",
        )


def read_about(folder: Path, kind: type[About], paper: str) -> About | None:
    """Return the description that a folder holds of itself; None if it has none."""
    file = folder / ABOUT
    if not file.exists():
        return None
    try:
        content = file.read_bytes()
        said = msgspec.json.decode(content)
        said = said if isinstance(said, Mapping) else {}
        if said.get("format") != FORMAT:
            raise SweepError(
                f"the folder has format {said.get('format')}, this version reads {FORMAT}.",
                where=str(file),
                mend="Use the version that made it, or another folder.",
            )
        if (there := said.get("paper", EDUVERSE)) != paper:
            raise SweepError(
                f"experiments of another paper are kept here ({there}).", where=str(folder), mend="Name another folder."
            )
        return msgspec.json.decode(content, type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise SweepError(f"this cannot be read ({error}).", where=str(file), mend="Name another folder.") from None


EDUVERSE, SIMLEARNER, MATHVC = "EduVerse", "SimLearner", "MathVC"
"""Papers whose experiments are kept; folders that name none are older, and of the first."""


def read_results(folder: Path) -> pd.DataFrame:
    """The numbers that a folder holds."""
    file = folder / RESULTS
    if not file.exists():
        return pd.DataFrame()
    try:
        return pd.read_parquet(file)
    except (OSError, ValueError) as error:  # what Arrow says of a file that is none is a ValueError
        raise SweepError(f"this cannot be read ({error}).", where=str(file), mend="Name another folder.") from error


def expect_version(folder: Path, version: str) -> None:
    """Numbers of two versions are not mixed."""
    if version != __version__:
        raise SweepError(
            f"this was begun with eduverse-mesa {version}, and this is {__version__}.",
            where=str(folder),
            mend="Numbers of two versions do not belong together: name another folder.",
        )


def played_otherwise(folder: Path, policy: str, settings: object) -> SweepError:
    """Other seeds and experiments may be added to a folder, not another policy."""
    return SweepError(
        f"policy '{policy or 'of the scenario'}' with settings {settings or 'as they are'} was played here.",
        where=str(folder),
        mend="Give the same policy and settings, or name another folder.",
    )


def comes_out_differently(folder: Path | None) -> SweepError:
    """The error for a folder whose results, played again, differ: the rules have changed since."""
    return SweepError(
        "what was played here comes out differently now: the rules or lessons have changed.",
        where=str(folder),
        mend="Name another folder.",
    )


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
    """Return True if a program writes to a folder at this moment."""
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
