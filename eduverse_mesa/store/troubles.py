"""What a database can complain about, in words a user can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from eduverse_mesa.errors import StudyError

# Primary result codes: https://www.sqlite.org/rescode.html
_TROUBLES: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: ("the disk is full.", "Make room, then go on with eduverse resume; complete steps are kept."),
    sqlite3.SQLITE_READONLY: ("the study cannot be written.", "Check the permissions of the file and its folder."),
    sqlite3.SQLITE_CANTOPEN: ("the study cannot be opened.", "Check the path, and the permissions of its folder."),
    sqlite3.SQLITE_CORRUPT: ("the study is damaged.", "It was left as it is; take a copy from before."),
    sqlite3.SQLITE_NOTADB: ("this is no study.", "It was left as it is; name another file."),
    sqlite3.SQLITE_BUSY: ("the study is in use by another program.", "Wait until that is done, and try again."),
    sqlite3.SQLITE_LOCKED: ("the study is in use by another program.", "Wait until that is done, and try again."),
    sqlite3.SQLITE_IOERR: ("the study cannot be read or written.", "Check the disk; complete steps are kept."),
    sqlite3.SQLITE_CONSTRAINT: (
        "another program is writing to the same run.",
        "Let one of the two finish; nothing was doubled.",
    ),
}
_PRIMARY = 0xFF


@contextmanager
def told(where: str) -> Iterator[None]:
    """Turn errors of the database into messages with the place and the mend."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as error:
        code = getattr(error.orig, "sqlite_errorcode", 0) & _PRIMARY
        message, mend = _TROUBLES.get(code, (f"the database says: {error.orig}.", "Check the database."))
        raise StudyError(message, where=where, mend=mend) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
        message, mend = _TROUBLES.get(code, (f"the database says: {error}.", "Check the file."))
        raise StudyError(message, where=where, mend=mend) from error
    except SQLAlchemyError as error:
        raise StudyError(f"the database cannot be used: {error}.", where=where, mend="Check its URL.") from error
