"""The frame of the command: lists, schemas, pipes, interruptions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs import open_study
from eduverse_mesa.scenarios import KINDS
from tests.cli.commands import SHORT, call, refusal

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "eduverse_mesa"]


def test_lists(capsys: Capture) -> None:
    said = call(capsys, "list", "--json")
    assert set(said.document) == set(KINDS)
    for kind in KINDS:
        assert call(capsys, "list", kind).code == 0
    assert "layout" in refusal(capsys, "list", "layuots")


@pytest.mark.parametrize("kind", ["scenario", "layout", "class", "lesson"])
def test_schemas(kind: str, capsys: Capture) -> None:
    schema = call(capsys, "schema", kind).document
    assert "://json-schema.org/" in schema["$schema"]
    assert schema["type"] == "object" or "$ref" in schema or "anyOf" in schema
    assert "lesson" in refusal(capsys, "schema", "lessen")


def test_help_and_version(capsys: Capture) -> None:
    from eduverse_mesa import __version__

    assert call(capsys, "--version").out == f"{__version__}\n"
    assert call(capsys).code == 2
    for command in ("run", "resume", "replay", "fork", "export", "measure", "validate", "schema", "list"):
        said = call(capsys, command, "--help")
        assert said.code == 0
        assert "--help" in said.out
    assert "rum" in refusal(capsys, "rum")


def test_an_interruption_keeps_what_was_complete(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "i.study"
    step = ClassroomModel.step

    def stop(model: ClassroomModel) -> None:
        if model.state.step == 2:
            raise KeyboardInterrupt
        step(model)

    with monkeypatch.context() as patch:
        patch.setattr(ClassroomModel, "step", stop)
        said = call(capsys, "run", *SHORT, "--out", path)
    assert said.code == 130
    assert "Traceback" not in said.err
    with open_study(str(path), read_only=True) as opened:
        stored = opened.choose(None)
        assert stored.status == "interrupted"
        assert set(opened.study.digests(stored.id)) == {(1, 1), (1, 2)}
    assert call(capsys, "resume", path, "--json").out == call(capsys, "run", *SHORT, "--json").out


@pytest.mark.skipif(os.name != "posix", reason="pipes break otherwise elsewhere")
@pytest.mark.parametrize("arguments", [["list"], ["run", *SHORT, "--json"], ["schema"]], ids=lambda a: a[0])
def test_a_reader_that_goes_away_is_no_error(arguments: list[str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == ""
    assert process.wait(60) == 0


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [*COMMAND, "run", "--layout", "nowhere"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_a_key_typed_where_none_belongs_is_not_repeated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "an-odd-key-of-a-gateway")
    for typed in ("an-odd-key-of-a-gateway", "sk-proj-0123456789abcdef"):
        said = refusal(capsys, "run", "--set", f"llm.api_key={typed}")
        assert typed not in said
        assert "[key]" in said
