"""The command's frame: the list of subcommands, and how mistakes are told."""

from __future__ import annotations

import os
import sys

import typer

from eduverse_mesa.cli import (
    calibrating,
    experimenting,
    managing,
    measuring,
    models,
    pages,
    realism,
    running,
    scenarios,
    seating,
    sensitivity,
    serving,
    studies,
    sweeping,
    tutoring,
)
from eduverse_mesa.errors import EduverseError

app = typer.Typer(
    name="eduverse",
    help="Simulated school lessons: run them, look into them, and hold them against real ones.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("app")(pages.app)
app.command("run")(running.run)
app.command("resume")(studies.resume)
app.command("replay")(studies.replay)
app.command("fork")(studies.fork)
app.command("export")(studies.export)
app.command("rename")(managing.rename)
app.command("delete")(managing.delete)
app.command("participants")(managing.participants)
app.command("erase")(managing.erase)
app.command("measure")(measuring.measure)
app.command("calibrate")(calibrating.calibrate)
app.command("realism")(realism.realism)
app.command("seat")(seating.seat)
app.command("sensitivity")(sensitivity.sensitivity)
app.command("experiment")(experimenting.experiment)
app.command("validate")(scenarios.validate)
app.command("schema")(scenarios.schema)
app.command("list")(scenarios.show_list)
app.command("estimate")(models.estimate)
app.add_typer(sweeping.sweep, name="sweep")
app.add_typer(tutoring.tutor, name="tutor")
bench = typer.Typer(help="Measure how a lesson runs on this machine.", no_args_is_help=True, rich_markup_mode=None)
bench.command("llm")(models.bench_llm)
app.add_typer(bench, name="bench")
app.command("prompts")(models.prompts)
app.command("cache")(models.cache)
app.command("serve-model")(serving.serve_model)


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


_INTERRUPTED = 130
_KEPT = "interrupted; complete steps are kept where there is a study, and eduverse resume goes on"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code. A user sees messages, never a traceback."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except EduverseError as error:
        _tell(str(error))
        return error.exit_code
    except typer.Exit as stop:
        if stop.exit_code == _INTERRUPTED:  # as typer has it where Ctrl-C was pressed
            _tell(_KEPT)
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _tell(_KEPT)
        return _INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of our output has gone, e.g. `eduverse list | head`: nothing left to say, also not at shutdown.
        # Typer turns the broken pipe into SystemExit, which it raises for nothing else when it is not standalone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _tell(f"{error.filename or 'a file'}: {error.strerror or error}. Check the path and its permissions.")
        return 2
    except Exception as error:
        shown = getattr(error, "format_message", None)
        if shown is None:
            raise
        _tell(shown())  # a usage error of the command line
        return 2
    return code if isinstance(code, int) else 0


def _tell(message: str) -> None:
    from eduverse_mesa.policies.llm.calling.failures import hide_keys

    # A key that was typed where none belongs must not stand in a terminal's or a build's log.
    typer.echo(f"error: {hide_keys(message, os.environ.get('OPENAI_API_KEY', '').strip())}", err=True)
