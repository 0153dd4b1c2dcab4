"""The `eduverse` command. Exit codes: 0 done; 1 done, but some answers failed; 2 bad input; 3 trouble with a study
or a sweep's folder; 4 trouble with a policy; 130 interrupted."""

from __future__ import annotations

import gc
import sys

from eduverse_mesa.cli.frame import INTERRUPTED, CtrlC

__all__ = ["main"]

_GARBAGE = (700, 10, 100)
"""When it is looked for: among what is new as ever, but in all that there is a tenth as often as Python would, which
takes a fifth of the time of a short command."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code. Ctrl-C is heard from here on, also while the commands are loaded."""
    if arguments is None:  # a process of our own
        gc.set_threshold(*_GARBAGE)
    with CtrlC(stays=arguments is None) as ctrl_c:
        try:
            from eduverse_mesa.cli.commands import run_command

            return run_command(sys.argv[1:] if arguments is None else arguments, ctrl_c)
        except KeyboardInterrupt:  # before anything was begun, or while something else was being told
            sys.stderr.write("error: interrupted.\n")
            return INTERRUPTED
