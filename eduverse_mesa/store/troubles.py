"""What a database can complain about, in words a user can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from eduverse_mesa.errors import StudyError

_WAIT = "Wait until that is done, and try again."

# Primary result codes: https://www.sqlite.org/rescode.html
_TROUBLES: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: (
        "the disk is full.",
        "Make room, then go on: with eduverse resume, or by 'Go on' on the page. Complete steps are kept.",
    ),
    sqlite3.SQLITE_READONLY: ("the study cannot be written.", "Check the permissions of the file and its folder."),
    sqlite3.SQLITE_CANTOPEN: ("the study cannot be opened.", "Check the path, and the permissions of its folder."),
    sqlite3.SQLITE_PERM: ("the study cannot be opened.", "Check the permissions of the file and its folder."),
    sqlite3.SQLITE_CORRUPT: ("the study is damaged.", "It was left as it is; take a copy from before."),
    sqlite3.SQLITE_NOTADB: ("this is no study.", "It was left as it is; name another file."),
    sqlite3.SQLITE_BUSY: ("the study is in use by another program.", _WAIT),
    sqlite3.SQLITE_LOCKED: ("the study is in use by another program.", _WAIT),
    sqlite3.SQLITE_IOERR: (
        "the study cannot be read or written.",
        "Check the disk, and whether it is full; complete steps are kept.",
    ),
}
_PRIMARY = 0xFF


class NotAllowedError(StudyError):
    """A row is there already, or names something that is not there: whoever wrote it knows what that means."""


@contextmanager
def told(where: str) -> Iterator[None]:
    """Turn errors of the database into messages with the place and the mend."""
    from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

    try:
        yield
    except IntegrityError as error:
        raise NotAllowedError(f"the database refuses this: {error.orig}.", where=where) from error
    except sqlite3.IntegrityError as error:
        raise NotAllowedError(f"the database refuses this: {error}.", where=where) from error
    except DBAPIError as error:
        raise _told(error.orig, where) from error
    except sqlite3.Error as error:
        raise _told(error, where) from error
    except SQLAlchemyError as error:
        raise StudyError(f"the database cannot be used: {error}.", where=where, mend="Check its URL.") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise StudyError(f"a database cannot hold this: {error}.", where=where, mend="Nothing was written.") from error


def _told(error: BaseException | None, where: str) -> StudyError:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    said = " ".join(str(error).split())
    message, mend = _TROUBLES.get(code, (f"the database says: {said}.", "Check the database."))
    return StudyError(message, where=where, mend=mend)
