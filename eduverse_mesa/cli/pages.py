"""`eduverse app`."""

from __future__ import annotations

from typing import Annotated

import typer

from eduverse_mesa.cli.options import AdultOptions, remember, taking
from eduverse_mesa.cli.output import on_terminal


@taking(AdultOptions, "adult")
def app(
    study: Annotated[
        str,
        typer.Option(metavar="PATH", help="The study in which runs are kept; made when there is something to keep."),
    ] = "eduverse.study",
    host: Annotated[str, typer.Option(help="Address to listen on; one beyond this machine asks for a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any that is free.")] = 8765,
    address: Annotated[
        str,
        typer.Option(
            metavar="URL", help="Where browsers find it behind a proxy, such as https://class.school.example."
        ),
    ] = "",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    *,
    adult: AdultOptions,
) -> int:
    """Open the dashboard: see a class think, change it, compare, and take a seat in it."""
    from eduverse_mesa.dashboard.server import serve
    from eduverse_mesa.store import Study
    from eduverse_mesa.store.location import refuse_no_study

    named = adult.named()
    refuse_no_study(study)
    if named is not None:
        with Study.open(study, create=True) as opened:
            remember(opened, named)
    try:
        serve(
            host,
            port,
            study,
            open_browser=not no_open,
            tell=typer.echo,
            tell_secret=on_terminal(),
            address=address,
        )
    except KeyboardInterrupt:
        typer.echo("stopped")
    return 0
