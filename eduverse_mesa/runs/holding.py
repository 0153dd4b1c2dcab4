"""A sign beside a study that a living program writes a run down: it is gone when the program is, however that ended."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from eduverse_mesa.store.holding import ServerHold, hold_on_server

_TELLS = 40
"""Bytes of a sign at most: the number of the process."""
_LOCKED_AT = 1 << 30
"""Where Windows locks a byte of it, behind what it tells: there nobody else could read a locked byte."""
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
