"""A study's file without a trace of what was deleted or written over: what SQLite alone needs."""

from __future__ import annotations

from pathlib import Path

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.study import Study

_SIDES = ("", "-wal", "-shm", "-journal")


def files_of(path: Path) -> list[Path]:
    """A database's file and those that SQLite puts beside it, as far as they are there."""
    return [side for suffix in _SIDES if (side := path.with_name(path.name + suffix)).exists()]


def purge(study: Study) -> None:
    """Write the file anew without what nobody uses any more, and empty its log.

    It fails, and can be tried again, where another program reads the study at that moment or the disk has no room.
    """
    with study.driver() as driver:
        driver.execute("pragma secure_delete=on")
        driver.execute("vacuum")
        busy, _, _ = driver.execute("pragma wal_checkpoint(truncate)").fetchone()
        (unused,) = driver.execute("pragma freelist_count").fetchone()
    log = Path(f"{study.path}-wal")
    if busy or unused or (log.exists() and log.stat().st_size):
        raise StudyError(
            "the words were replaced, but the file still holds them, since another program reads it.",
            where=study.path,
            mend="Close the other programs that have it open, and erase the participant once more.",
        )
