"""`eduverse mathvc serve`: pages on which students solve problems with virtual peers."""

from __future__ import annotations

from typing import Annotated

import typer

from eduverse_mesa.cli.frame import add
from eduverse_mesa.cli.groups import mathvc

__all__ = ["mathvc"]

Study = Annotated[str, typer.Option(metavar="PATH", help="The study, a file or a database's URL.")]


def serve(
    study: Study = "mathematics.study",
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for a whole school.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any that is free.")] = 8770,
    address: Annotated[
        str,
        typer.Option(
            metavar="URL", help="Where browsers find it behind a proxy, such as https://maths.school.example."
        ),
    ] = "",
    typing: Annotated[
        float, typer.Option(min=0, max=30, metavar="SECONDS", help="How long a peer is seen typing.")
    ] = 1.2,
) -> int:
    """Serve the pages for students and teachers until Ctrl-C. The first start makes a teacher's account."""
    from eduverse_mesa.visualization.mathematics.server import serve as serve_pages

    try:
        serve_pages(host, port, study, address=address, typing=typing, tell=typer.echo)
    except KeyboardInterrupt:
        typer.echo("stopped")
    return 0


add(mathvc, "serve", serve)
