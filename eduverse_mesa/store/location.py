"""Open what the user named: a file, or a database on a server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.postgresql import open_server, place_of
from eduverse_mesa.store.sqlite import check_file, open_file

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_URL = re.compile(r"[a-z][a-z0-9+]+://")


def open_engine(study: str, create: bool, read_only: bool) -> tuple[Engine, str]:
    """An engine, and what messages call the study: its path, or its URL without the password."""
    if not _URL.match(study):
        return open_file(study, create, read_only), study
    url = _read_url(study)
    if url.get_backend_name() == "sqlite":
        return _open_sqlite_url(url, create, read_only), str(url.database)
    where = place_of(url)
    if url.get_backend_name() != "postgresql":
        raise StudyError(
            "a study is kept in SQLite or PostgreSQL.", where=where, mend="Name a file, or postgresql://..."
        )
    if study == where:
        url = _REMEMBERED.get(where, url)
    else:
        _REMEMBERED[where] = url
    return open_server(url, where, read_only), where


def _read_url(study: str) -> URL:
    """The parts of a URL; StudyError where it is none, without what in it may be a password."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    scheme, _, rest = study.partition("://")
    if rest.count("@") > 1:
        before, _, after = rest.rpartition("@")
        raise StudyError(
            "more than one @ stands in this URL of a database: nobody can tell where its password ends.",
            where=f"{scheme}://" + ("..." if "?" in before else f"***@{after.partition('?')[0]}"),
            mend="Write %40 for each @ that does not stand before the host.",
        )
    wrong = "this is no URL of a database."
    try:
        url = make_url(study)
        for host in (url.host, *url.normalized_query.get("host", ())):
            if host and not host.startswith("/"):  # a folder with a socket
                host.encode("idna")
    except UnicodeError:
        wrong = "this URL of a database names a host that cannot be one."
    except ValueError:
        wrong = "this URL of a database has a port that is no number."
    except SQLAlchemyError:
        pass
    else:
        return url
    mend = "Write it as postgresql://user@host:5432/name, or name a file."
    raise StudyError(wrong, where=f"{scheme}://...", mend=mend)  # the rest may hold a password


def refuse_no_study(study: str) -> None:
    """StudyError for a file that is there and is no study; a new one may be made later, and a server is asked later."""
    if not _URL.match(study):
        check_file(Path(study), create=True)


_REMEMBERED: dict[str, URL] = {}
"""The parts that were left out of the names by which pages and messages call the studies of this process."""


def shown(study: str) -> str:
    """Return the name by which pages and messages call a study: its path, or its URL without what is secret. In this
    process it can be opened by that name, too. StudyError for a URL that is none."""
    if not _URL.match(study):
        return study
    url = _read_url(study)
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    where = place_of(url)
    if where != study:
        _REMEMBERED[where] = url
    return where


def _open_sqlite_url(url: URL, create: bool, read_only: bool) -> Engine:
    if not url.database or url.database == ":memory:" or url.query:
        raise StudyError(
            "a study in SQLite is a file, opened by its path alone.",
            where=url.render_as_string(),
            mend="Name the file, e.g. course.study.",
        )
    return open_file(str(Path(url.database)), create, read_only)
