"""The runs that this process is writing down: they are neither erased nor deleted meanwhile, whatever a clock says."""

from __future__ import annotations

import errno
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import Study
from eduverse_mesa.store.location import shown
from eduverse_mesa.store.run_locks import ServerHold, hold_on_server

_TELLS = 40
"""Bytes of a sign at most: the number of the process."""
_LOCKED_AT = 1 << 30
"""The place where Windows locks a byte of it, behind what it tells: there nobody else could read a locked byte."""
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EACCES, errno.EPERM, errno.EROFS})
"""Where the sign cannot be made or locked (some network drives, a folder without rights), steps that come twice are
still refused by the study itself."""


class Held:
    """A run is held by this process until `leave` is called or the process ends."""

    def __init__(self, sign: Path, handle: int) -> None:
        self._sign = sign
        self._handle = handle

    def leave(self) -> None:
        """Hold it no longer."""
        with suppress(OSError):  # on Windows nobody may remove what is open: there it stays, and says nothing
            self._sign.unlink()
        os.close(self._handle)


class HeldElsewhereError(Exception):
    """Another living process holds the run; its number, where that is known."""


def hold(study: str, run: str) -> Held | ServerHold | None:
    """Hold a run of a study; None where that cannot be said there."""
    if "://" in study:
        held = hold_on_server(study, run)
        if held is None:
            raise HeldElsewhereError("")
        return held
    return _hold_file(_sign(study, run))


def _hold_file(sign: Path) -> Held | None:
    while True:
        try:
            handle = os.open(sign, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            if error.errno in _NO_LOCKS or error.errno == errno.ENOENT:
                return None
            raise
        try:
            _lock(handle)
        except BlockingIOError:
            process = os.read(handle, _TELLS).decode("ascii", "replace").strip()
            os.close(handle)
            raise HeldElsewhereError(process) from None
        except OSError as error:
            os.close(handle)
            if error.errno in _NO_LOCKS:
                return None
            raise
        if _is_there(sign, handle):
            os.truncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
            return Held(sign, handle)
        os.close(handle)  # whoever held it took the sign away between our opening and locking it


def check(study: str, run: str) -> None:
    """HeldElsewhereError where another living process holds the run."""
    if "://" in study or _sign(study, run).exists():
        held = hold(study, run)
        if held is not None:
            held.leave()


def _sign(study: str, run: str) -> Path:
    """Beside the study, as the database's own signs are."""
    return Path(f"{os.path.realpath(study)}-{blake2b(run.encode(), digest_size=6).hexdigest()}.open")


def _is_there(sign: Path, handle: int) -> bool:
    try:
        found, mine = sign.stat(), os.fstat(handle)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (mine.st_dev, mine.st_ino)


def _lock(handle: int) -> None:
    """Lock it, for as long as it is open; BlockingIOError where somebody else has."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, _LOCKED_AT, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_DOOR = Lock()
_OPEN: Counter[tuple[str, str]] = Counter()
_LATEST: dict[str, str] = {}
"""The run that this process began to write down last, by study."""
_HELD: dict[tuple[str, str], Held | ServerHold] = {}
"""The signs by which other programs see it."""


def note_open(study: str, run: str) -> Callable[[], None]:
    """Steps of this run are written to this study until what is returned is called; calling it twice does no harm.

    StudyError where another living program writes it.
    """
    key = study_key(study), run
    left = False
    with _DOOR:
        if not _OPEN[key]:
            _hold(study, key)
        _OPEN[key] += 1
        _LATEST[key[0]] = run

    def leave() -> None:
        nonlocal left
        with _DOOR:
            if not left:
                left = True
                _OPEN[key] -= 1
                if not _OPEN[key]:
                    del _OPEN[key]
                    held = _HELD.pop(key, None)
                    if held is not None:
                        held.leave()

    return leave


def latest_written(study: str) -> str | None:
    """The run that this process began to write down last in this study, or goes on with; None where there was none."""
    with _DOOR:
        return _LATEST.get(study_key(study))


def _hold(study: str, key: tuple[str, str]) -> None:
    try:
        held = hold(*key)
    except HeldElsewhereError as other:
        del _OPEN[key]
        raise _played_elsewhere(study, key[1], other) from None
    if held is not None:
        _HELD[key] = held


def refuse_held(study: str, run: str) -> None:
    """StudyError where another living program is writing this run down."""
    with _DOOR:
        if (study_key(study), run) in _OPEN:
            return
        try:
            check(study_key(study), run)
        except HeldElsewhereError as other:
            raise _played_elsewhere(study, run, other) from None


def is_held(study: str, run: str) -> bool:
    """This program or another living one is writing the run down."""
    try:
        refuse_held(study, run)
    except StudyError:
        return True
    with _DOOR:
        return (study_key(study), run) in _OPEN


def _played_elsewhere(study: str, run: str, other: HeldElsewhereError) -> StudyError:
    process = f" (process {other})" if str(other) else ""
    return StudyError(
        f"run {run} is being played by another program{process}.",
        where=study,
        mend="Only one program can go on with a run: end it there, or wait until it has ended. Nothing was doubled.",
    )


@contextmanager
def noted_open(study: str, run: str) -> Iterator[None]:
    """The same for as long as something is done."""
    leave = note_open(study, run)
    try:
        yield
    finally:
        leave()


def refuse_open(study: str, runs: Iterable[str]) -> None:
    """StudyError where one of these runs is open: it has in memory what would be taken out of the study."""
    with _DOOR:
        there = next((run for run in runs if (study_key(study), run) in _OPEN), None)
    if there is not None:
        raise StudyError(
            f"run {there} is open in this program, which would write to it again.",
            where=study,
            mend="End its lesson, or stop it where it is played, and try again.",
        )


def same_study(one: str, other: str) -> bool:
    """Two names of a study lead to the same one."""
    return study_key(one) == study_key(other)


def study_key(study: str) -> str:
    """Return a key that is the same for all names of a study."""
    place = shown(study)
    return place if "://" in place else os.path.realpath(place)


LEFT_OPEN = "the program that played the run has ended"


def end_left_open(study: Study, run: str) -> list[str]:
    """End what is open of a run that nobody plays: with its last complete step. Gives the agents."""
    last = max(study.digests(run), default=(1, 0))
    agents = [row.agent for row in study.sittings(run) if row.until is None]
    for agent in agents:
        study.stand_up(run, agent, last, LEFT_OPEN)
    return agents
