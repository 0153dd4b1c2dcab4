"""Where somebody looks on: what is secret is said there, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import typer


def on_terminal() -> Callable[[str], object] | None:
    """Say something on a terminal; None where there is none, but a file, a pipe or a service's log."""
    for stream in (sys.stdout, sys.stderr):
        if stream.isatty():
            return partial(typer.echo, file=stream)
    return None
