"""Tells a connection that somebody who is logged in uses it."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

CONNECTION = "eduverse_connection"
"""Where a request's state names its connection."""


def recognise(scope: MutableMapping[str, Any]) -> None:
    """This request is of somebody who is logged in: its connection makes no room for others any more."""
    connection = scope.get("state", {}).get(CONNECTION)
    if connection is not None:
        connection.recognise()
