"""The command as tests call it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from eduverse_mesa.cli import main

SHORT = ("--steps", "4", "-q")


class Said(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document on standard output."""
        return json.loads(self.out)


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> Said:
    """Call the command in this process."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    return Said(code, *capsys.readouterr())


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The message of a command that fails because of its user: one that says where and what to do."""
    said = call(capsys, *arguments)
    assert said.code in (2, 3, 4)
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err
    assert len(said.err) > 30
    return said.err
