"""Pieces of work for engines: what a worker can be made to do, and to suffer."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from eduverse_mesa.errors import LessonError


def double(payload: bytes) -> bytes:
    """Honest work."""
    return payload * 2


def dawdle(payload: bytes) -> bytes:
    """Work for as many milliseconds as the payload says."""
    time.sleep(int(payload) / 1000)
    return payload


def tell_pid(payload: bytes) -> bytes:
    """Which process does it."""
    time.sleep(0.05)
    return str(os.getpid()).encode()


def meet(payload: bytes) -> bytes:
    """Wait in the folder that the payload names until another process has come, too; tell which process this is."""
    folder, patience = Path(payload.decode()), time.monotonic() + 60
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < 2 and time.monotonic() < patience:
        time.sleep(0.02)
    return str(os.getpid()).encode()


def tell_sharers(payload: bytes) -> bytes:
    """What a worker knows of how many there are."""
    return os.environ["EDUVERSE_SHARERS"].encode()


def chatter(payload: bytes) -> bytes:
    """Print, and try to read, as a user's own code may."""
    print("hello" * 1000)  # noqa: T201 - that is what is tried
    sys.stdout.flush()
    os.write(1, b"\x00\x01\x02")
    return payload + sys.stdin.read().encode()


def stumble(payload: bytes) -> bytes:
    """Go wrong."""
    if payload == b"user":
        raise LessonError("the lesson cannot go on.", where="here", mend="Mend it.")
    raise ValueError("oh")


def die(payload: bytes) -> bytes:
    """Die as a process does that the system kills."""
    os.kill(os.getpid(), signal.SIGKILL)
    return payload


def die_first(payload: bytes) -> bytes:
    """Die at the first time, by the file that the payload names; do it at the second."""
    mark = Path(payload.decode())
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return b"done"


def leave(payload: bytes) -> bytes:
    """End the process in the middle of the work."""
    os._exit(3)


def exit_as_a_script(payload: bytes) -> bytes:
    """End as a script does that has nothing more to do."""
    sys.exit(0)


def hang(payload: bytes) -> bytes:
    """Never come back."""
    time.sleep(1000)
    return payload
