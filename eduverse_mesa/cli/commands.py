"""The command's frame: the list of subcommands, and how mistakes are told."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import cast

import typer

from eduverse_mesa.cli import (
    experiment,
    hear,
    learner,
    maintenance,
    mathvc,
    models,
    pages,
    realism,
    run,
    scenarios,
    seating,
    sensitivity,
    studies,
    sweep,
    tutor,
)
from eduverse_mesa.cli import models as models_module
from eduverse_mesa.cli import realism as realism_module
from eduverse_mesa.cli import scenarios as scenarios_module
from eduverse_mesa.cli.frame import INTERRUPTED, CtrlC, add, called_for_help, usage_mistake
from eduverse_mesa.errors import EduverseError

_ENDED = 2

app = typer.Typer(
    name="eduverse",
    help="Simulated school lessons: run them, look into them, and hold them against real ones.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

add(app, "app", pages.app)
add(app, "run", run.run)
add(app, "resume", studies.resume)
add(app, "replay", studies.replay)
add(app, "fork", studies.fork)
add(app, "export", studies.export)
add(app, "upgrade", maintenance.upgrade)
add(app, "rename", maintenance.rename)
add(app, "delete", maintenance.delete)
add(app, "participants", maintenance.participants)
add(app, "erase", maintenance.erase)
add(app, "hear", hear.hear)
add(app, "measure", realism_module.measure)
add(app, "calibrate", realism_module.calibrate)
add(app, "realism", realism.realism)
add(app, "seat", seating.seat)
add(app, "sensitivity", sensitivity.sensitivity)
add(app, "experiment", experiment.experiment)
add(app, "draft", scenarios_module.draft)
add(app, "validate", scenarios.validate)
add(app, "show", scenarios.show)
add(app, "schema", scenarios.schema)
add(app, "list", scenarios.show_list)
add(app, "estimate", models.estimate)
app.add_typer(sweep.sweep, name="sweep")
app.add_typer(tutor.tutor, name="tutor")
app.add_typer(learner.learner, name="learner")
app.add_typer(mathvc.mathvc, name="mathvc")
bench = typer.Typer(help="Measure how a lesson runs on this machine.", no_args_is_help=True, rich_markup_mode=None)
add(bench, "llm", models.bench_llm)
app.add_typer(bench, name="bench")
add(app, "prompts", models.prompts)
add(app, "cache", models.cache)
add(app, "serve-model", models_module.serve_model)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    if version:
        from eduverse_mesa import __version__

        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


@cache
def _command() -> typer.core.TyperGroup:
    """The command with all its subcommands: it is put together once, however often it is run in a process."""
    return cast("typer.core.TyperGroup", typer.main.get_command(app))


def run_command(arguments: list[str], ctrl_c: CtrlC) -> int:
    """Run the command; returns its exit code. A user sees messages, never a traceback."""
    try:
        code = _command().main(args=_without_passwords(arguments), standalone_mode=False)
        ctrl_c.end()
    except EduverseError as error:
        _tell(str(error))
        return error.exit_code
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):  # before a subcommand has begun, or at its question
        _tell("interrupted; nothing was changed.")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as stop:
        if not any(isinstance(error, BrokenPipeError) for error in (stop, stop.__context__)):
            _tell(f"something that was called has ended the command: sys.exit({getattr(stop, 'code', None)!r}).")
            return _ENDED
        # The reader of our output has gone, e.g. `eduverse list | head`: nothing left to say, also not at shutdown.
        # Typer turns the broken pipe into SystemExit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _tell(f"{error.filename or 'a file'}: {error.strerror or error}. Check the path and its permissions.")
        return 2
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        if shown := called_for_help(error):
            typer.echo(shown, err=True)
        else:
            _tell(usage_mistake(error))
        return 2
    return code if isinstance(code, int) else 0


def _without_passwords(arguments: list[str]) -> list[str]:
    """The password of a database's URL stays behind: whatever is said of the study from here on holds none."""
    if not any(_SERVER in argument for argument in arguments):
        return arguments
    from eduverse_mesa.store.location import shown

    cut = [argument.partition(_SERVER) for argument in arguments]
    return [before + (shown(found + rest) if found else "") for before, found, rest in cut]


_SERVER = "postgresql"


def _tell(message: str) -> None:
    from eduverse_mesa.policies.llm.calling.failures import hide_keys

    # A key that was typed where none belongs must not stand in a terminal's or a build's log; and what a message quotes
    # from elsewhere must not steer the terminal.
    shown = "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in message)
    typer.echo(f"error: {hide_keys(shown, os.environ.get('OPENAI_API_KEY', '').strip())}", err=True)
