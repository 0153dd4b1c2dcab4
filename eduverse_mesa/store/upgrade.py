"""An older study brought up to date, with a copy of how it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.opening import open_engine
from eduverse_mesa.store.study import Study
from eduverse_mesa.store.troubles import told


class Standing(NamedTuple):
    """The format of a study, as it is there."""

    where: str
    """Its path, or its URL without the password."""
    format: int
    newest: int
    """The format in which this version writes."""
    on_a_server: bool

    @property
    def old(self) -> bool:
        """There is something to do."""
        return self.format < self.newest


def standing_of(study: str) -> Standing:
    """The format that a study has. Nothing is written."""
    from eduverse_mesa.store.migrations import format_of, newest_format

    engine, where = open_engine(study, False, True)
    try:
        with told(where), engine.begin() as connection:
            found = format_of(connection, where)
        return Standing(where, found, newest_format(), engine.dialect.name != "sqlite")
    finally:
        engine.dispose()


def upgrade(study: str) -> str:
    """Bring a study up to date; gives the path of the copy that was made before, where it is a file.

    It is done in one transaction: what cannot be finished leaves the study as it was.
    """
    there = standing_of(study)
    if not there.old or there.on_a_server:
        Study.open(study).close()
        return ""
    copy = _copy(Path(there.where), there.format)
    try:
        Study.open(study).close()
    except BaseException:
        copy.unlink(missing_ok=True)  # the study is as it was
        raise
    return str(copy)


def _copy(path: Path, version: int) -> Path:
    """The study as it is, with what is only in its log yet, beside it."""
    target = _free(path.with_name(f"{path.stem}.format-{version}{path.suffix}"))
    engine, _ = open_engine(str(path), False, True)
    try:
        with closing(engine.raw_connection()) as source, closing(sqlite3.connect(target)) as copy:
            source.driver_connection.backup(copy)  # type: ignore[union-attr]
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise StudyError(
            f"no copy of the study can be written beside it ({error}).",
            where=str(path),
            mend="Look at the folder's permissions and the room on its disk. The study was left as it is.",
        ) from error
    finally:
        engine.dispose()
    return target


def _free(path: Path) -> Path:
    """A name that nothing has."""
    name, number = path, 2
    while name.exists():
        name, number = path.with_name(f"{path.stem}-{number}{path.suffix}"), number + 1
    return name
