"""`eduverse serve-model`."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from ipaddress import ip_address
from typing import Annotated

import typer

from eduverse_mesa.errors import PolicyError

KEY = "EDUVERSE_API_KEY"
"""Environment: what callers of the served model must show. Never on the command line, where `ps` shows it to all."""


def serve_model(
    model: Annotated[
        str | None, typer.Option(metavar="FILE.gguf", help="A model file. Default: the packaged small model.")
    ] = None,
    host: Annotated[
        str, typer.Option(help=f"Address to listen on; one beyond this machine needs {KEY}.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any that is free.")] = 8080,
    slots: Annotated[int | None, typer.Option(help="How many answers are written at once; others queue.")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens of one call, prompt and answer together.")] = None,
) -> int:
    """Serve a small language model to other programs, as an OpenAI-compatible endpoint, until Ctrl-C."""
    from eduverse_mesa.policies.llm.local_model import find_model
    from eduverse_mesa.policies.llm.local_server import LocalServer, LocalSettings

    usual = LocalSettings(host=host, port=port, api_key=_key(host))
    settings = replace(
        usual,
        slots=usual.slots if slots is None else slots,
        context=usual.context if context is None else context,
    )
    with LocalServer(find_model(model), settings) as server:
        typer.echo(f"{server.model} at {server.base_url} (Ctrl-C ends it)")
        typer.echo(f"For example: {_example(server.base_url, locked=settings.api_key is not None)}")
        typer.echo(f"Or: eduverse run --policy llm --base-url {server.base_url} --model {server.model} --steps 2")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            typer.echo("stopped")
    return 0


def _key(host: str) -> str | None:
    key = os.environ.get(KEY, "").strip() or None
    if key is None and not _is_loopback(host):
        raise PolicyError(
            "is open to other machines, and no key protects it.",
            where=f"--host {host}",
            mend=f"Set {KEY} to a secret that callers will give, or leave --host out.",
        )
    return key


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _example(url: str, *, locked: bool) -> str:
    bearer = f' -H "Authorization: Bearer ${KEY}"' if locked else ""
    body = """'{"messages": [{"role": "user", "content": "What is a half and a half?"}]}'"""
    return f'curl {url}/chat/completions -H "Content-Type: application/json"{bearer} -d {body}'
