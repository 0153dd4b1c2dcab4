"""A real PostgreSQL server for the tests: in a folder of its own, reached by a socket there, gone when they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from eduverse_mesa.store import Study

OWNER, PASSWORD = "eduverse", "correct horse"
"""Who may do everything there, and nothing else of the server; comes with a password."""

_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "listen_addresses": "''",
    "shared_buffers": "16MB",
    "max_wal_size": "2GB",
}

# Ends when what it reads from is closed, so also when the tests are killed.
_KEEPER = 'cat > /dev/null; "$1" stop --silent --mode=immediate --pgdata="$2/data"; rm -rf "$2"'


def programs() -> Path:
    """Where the server's programs are; without any the test is skipped, but not on CI."""
    linked = shutil.which("initdb")
    found = Path(linked).resolve().parent if linked else None
    if found is None:
        newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        found = newest[-1].parent if newest else None
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed, and CI tests it: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return found


class Server:
    """A server that runs until `close`, or until this process ends in whatever way."""

    def __init__(self) -> None:
        self._programs = programs()
        # Root cannot run it; whoever else runs the tests can. Not in pytest's folder, where only its owner may look,
        # and whose name may be too long for a socket.
        self._user = next(name for name in ("postgres", "nobody") if _is_user(name)) if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="eduverse-postgres-", dir="/tmp"))
        self.data = self.folder / "data"
        self._made = 0
        self._keeper = subprocess.Popen(
            ["sh", "-c", _KEEPER, "keeper", str(self._programs / "pg_ctl"), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            user=self._user,
            cwd="/",
        )
        try:
            if self._user is not None:
                shutil.chown(self.folder, self._user)
            self._make()
            self.start()
            self._make_template()
        except BaseException:
            self.close()
            raise

    def _run(self, program: str, *options: str) -> str:
        done = subprocess.run(
            [str(self._programs / program), *options],
            user=self._user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def _make(self) -> None:
        options = ["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=trust", "--username=admin"]
        version = re.search(r"(\d+)", self._run("initdb", "--version"))
        if version and int(version[1]) >= 15:  # letters in another order than that of their codes, as most servers have
            options += ["--locale-provider=icu", "--icu-locale=en-US"]
        self._run("initdb", *options, f"--pgdata={self.data}")
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.writelines(f"{name} = {value}\n" for name, value in _SETTINGS.items())
            settings.write(f"unix_socket_directories = '{self.folder}'\n")
        (self.data / "pg_hba.conf").write_text("local all admin trust\nlocal all all scram-sha-256\n")

    def start(self) -> None:
        """Let it run; it answers when this returns."""
        self._run("pg_ctl", "start", "--silent", "--wait", f"--pgdata={self.data}", f"--log={self.folder / 'log'}")

    def stop(self) -> None:
        """Stop it at once, as if the machine had lost its power."""
        self._run("pg_ctl", "stop", "--silent", "--mode=immediate", f"--pgdata={self.data}")

    def close(self) -> None:
        """Stop it for good, and leave nothing."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait()  # a busy disk takes its time

    @contextmanager
    def asked(self, database: str = "postgres") -> Iterator[psycopg.Connection]:
        """A connection of whoever keeps the server, without any transaction."""
        with psycopg.connect(host=str(self.folder), user="admin", dbname=database, autocommit=True) as connection:
            yield connection

    def _make_template(self) -> None:
        with self.asked() as connection:
            made = sql.SQL("create role {} login password {}").format(sql.Identifier(OWNER), sql.Literal(PASSWORD))
            connection.execute(made)
            connection.execute(f"create database a_study owner {OWNER}")
        Study.open(self.url("a_study"), create=True).close()

    def url(self, database: str, password: str = PASSWORD) -> str:
        """What a user would write."""
        return f"postgresql://{OWNER}:{quote(password)}@/{database}?host={quote(str(self.folder), safe='')}"

    def held(self, database: str) -> bytes:
        """All that the server keeps of a database, but for its log of changes."""
        with self.asked() as connection:
            connection.execute("checkpoint")
            row = connection.execute("select oid from pg_database where datname = %s", [database]).fetchone()
        assert row is not None
        return b"".join(path.read_bytes() for path in (self.data / "base" / str(row[0])).iterdir())

    def new(self, template: str = "a_study", options: str = "") -> str:
        """The name of a new database: with the tables of a study, or by another template."""
        self._made += 1
        name = f"made_{self._made}"
        with self.asked() as connection:
            connection.execute(f"create database {name} owner {OWNER} template {template} {options}")
        return name


def database_of(url: str) -> str:
    """The name of the database that a URL names."""
    return str(make_url(url).database)


def _is_user(name: str) -> bool:
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


# Only one of the processes that test needs to start it.
ALONE = pytest.mark.xdist_group("postgres")

FILE_ONLY = pytest.mark.parametrize("place", ["file"], indirect=True)
"""For what is SQLite's alone, or the same wherever a study is kept."""
