"""A worker process: `python -m eduverse_mesa.experiments.engines.worker`, with orders on its standard input.

It ends as soon as its input does, whatever it is doing: a parent that is gone, however it went, leaves no worker.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from queue import SimpleQueue
from typing import BinaryIO

import msgspec

from eduverse_mesa.experiments.engines.engine import Task, do, load_work
from eduverse_mesa.experiments.engines.frames import BEGUN, Order, Reply, read_frame, write_frame


def main() -> None:
    """Do what is ordered, one after the other."""
    gc.set_threshold(700, 10, 100)  # as in a command: libraries that were loaded are no garbage
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, who then ends its workers
    orders, replies = _take_streams()
    waiting: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, waiting), daemon=True).start()
    find = cache(load_work)
    while True:
        order = msgspec.msgpack.decode(waiting.get(), type=Order)
        try:
            reply = carry_out(order, find, partial(write_frame, replies, BEGUN))
            write_frame(replies, msgspec.msgpack.encode(reply))
        except OSError:  # nobody listens any more
            os._exit(0)


def carry_out(order: Order, find: Callable[[str], Callable[[bytes], bytes]], begin: Callable[[], None]) -> Reply:
    """Do one piece of work, and say before when it begins; also work that cannot be found is an answer."""
    try:
        function = find(order.work)
    except (Exception, SystemExit) as error:  # a module may do anything when it is imported
        begin()
        return Reply(b"", f"'{order.work}' cannot be loaded in a worker: {type(error).__name__}: {error}")
    begin()
    done = do(function, Task("", order.payload), 1)
    return Reply(done.answer, done.error)


def _listen(orders: BinaryIO, waiting: SimpleQueue[bytes]) -> None:
    while (frame := read_frame(orders)) is not None:
        waiting.put(frame)
    os._exit(0)  # at once: who would want the answer is gone


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams to the parent, kept from everybody else: what is printed goes to stderr, what is read is empty."""
    orders, replies = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(orders, "rb"), os.fdopen(replies, "wb")


if __name__ == "__main__":
    main()
