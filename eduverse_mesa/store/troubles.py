"""Errors of a database, in words a user can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from eduverse_mesa.errors import StudyError

HOW_ONE_IS_MADE = "Check the path. eduverse run --out makes one, and for a class eduverse mathvc serve."
_WAIT = "Wait until that is done, and try again."

# Primary result codes: https://www.sqlite.org/rescode.html
_TROUBLES: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: (
        "the disk is full.",
        "Make room, then go on: with eduverse resume, or by 'Go on' on the page. Complete steps are kept. What was to "
        "be erased and is still there is there whole: erase it again.",
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

_LOST = (
    "the connection to the server was lost.",
    "Complete steps are kept. When the server is there again, go on: with eduverse resume, or by 'Go on' on the page.",
)

_UNREACHED = (
    "the database cannot be reached: {said}.",
    "Check whether the server runs, and host, port, user, password and database in the URL.",
)

# Codes of a server, and the classes they begin with: https://www.postgresql.org/docs/current/errcodes-appendix.html
_SERVER_TROUBLES: dict[str, tuple[str, str]] = {
    "53100": _TROUBLES[sqlite3.SQLITE_FULL],
    "53": ("the server has no room for more.", "Ask whoever keeps it to look at its connections, memory and disk."),
    "25006": ("the study cannot be written.", "It was opened for reading, or this server only keeps a copy."),
    "42501": ("this user of the database may not do that.", "Let the database belong to the user whom the URL names."),
    "40": _TROUBLES[sqlite3.SQLITE_BUSY],
    "55P03": _TROUBLES[sqlite3.SQLITE_BUSY],
    "57P": _LOST,
    "08": _LOST,
    "XX001": _TROUBLES[sqlite3.SQLITE_CORRUPT],
    "XX002": _TROUBLES[sqlite3.SQLITE_CORRUPT],
}


class NotAllowedError(StudyError):
    """A row is there already, or names something that is not there: whoever wrote it knows what that means."""


@contextmanager
def told(where: str) -> Iterator[None]:
    """Turn errors of the database into messages with the place and the mend."""
    from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError

    try:
        yield
    except IntegrityError as error:
        raise NotAllowedError(f"the database refuses this: {_said(error.orig)}.", where=where) from error
    except sqlite3.IntegrityError as error:
        raise NotAllowedError(f"the database refuses this: {error}.", where=where) from error
    except DataError as error:
        raise _not_held(_said(error.orig), where) from error
    except DBAPIError as error:
        raise _told(error.orig, where, lost=error.connection_invalidated) from error
    except sqlite3.Error as error:
        raise _told(error, where, lost=False) from error
    except SQLAlchemyError as error:
        raise StudyError(f"the database cannot be used: {error}.", where=where, mend="Check its URL.") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise _not_held(str(error), where) from error


def _not_held(said: str, where: str) -> StudyError:
    return StudyError(f"a database cannot hold this: {said}.", where=where, mend="Nothing was written.")


def _said(error: BaseException | None) -> str:
    """Return the message of a database. A server's details are left out: they hold the row, and so what somebody
    said."""
    told_first = getattr(getattr(error, "diag", None), "message_primary", None)
    return " ".join((told_first or str(error)).split()).rstrip(".")


def _told(error: BaseException | None, where: str, *, lost: bool) -> StudyError:
    said = _said(error)
    message, mend = _meant(error, lost) or ("the database says: {said}.", "Check the database.")
    return StudyError(message.replace("{said}", said), where=where, mend=mend)


def _meant(error: BaseException | None, lost: bool) -> tuple[str, str] | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return _TROUBLES.get(code & _PRIMARY)
    state = getattr(error, "sqlstate", None) or ""
    for length in (5, 3, 2):
        if len(state) == 5 and state[:length] in _SERVER_TROUBLES:
            return _SERVER_TROUBLES[state[:length]]
    if lost:
        return _LOST
    unreached = hasattr(error, "sqlstate") and not state  # a connection that was never made has no code
    return _UNREACHED if unreached else None
