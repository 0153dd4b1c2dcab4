"""The frame of the command: lists, schemas, pipes, interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import eduverse_mesa.experiments.sweeps.document  # noqa: F401 - or it would be loaded while what it imports is replaced
from eduverse_mesa.errors import EngineGoneError
from eduverse_mesa.experiments.engines import Finished, Processes, Serial
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.open_runs import noted_open
from eduverse_mesa.scenarios import KINDS
from tests.cli.commands import SHORT, call, refusal
from tests.policies.test_waiting import PATIENCE

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "eduverse_mesa"]


def test_lists(capsys: Capture) -> None:
    said = call(capsys, "list", "--json")
    assert set(said.document) == set(KINDS)
    for kind in KINDS:
        assert call(capsys, "list", kind).code == 0
    assert "layout" in refusal(capsys, "list", "layuots")


def test_the_facts_in_a_list_stand_below_one_another(capsys: Capture) -> None:
    for kind, rows in call(capsys, "list", "--json").document.items():
        lines = call(capsys, "list", kind).out.splitlines()[1:]
        assert len({line.index(row["facts"]) for line, row in zip(lines, rows, strict=True)}) == 1


def test_a_run_that_was_killed_is_not_said_to_be_running(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "k.study"
    assert call(capsys, "run", *SHORT, "--out", path).code == 0
    with open_study(str(path)) as opened:
        run = opened.newest()
        opened.study.set_status(run, "running")  # as a kill leaves it
    assert f"{run}  killed, unless another machine plays it, seed 1" in call(capsys, "list", path).out
    with noted_open(str(path), run):
        assert f"{run}  running, seed 1" in call(capsys, "list", path).out


@pytest.mark.parametrize("kind", ["scenario", "layout", "class", "lesson"])
def test_schemas(kind: str, capsys: Capture) -> None:
    schema = call(capsys, "schema", kind).document
    assert "://json-schema.org/" in schema["$schema"]
    assert schema["type"] == "object" or "$ref" in schema or "anyOf" in schema
    assert "Did you mean 'lesson'?" in refusal(capsys, "schema", "lessen")
    assert "sweep" in refusal(capsys, "schema", "scenari")


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


def test_mistakes_are_told_in_words_of_the_command_s_options(capsys: Capture) -> None:
    assert "error: --layout moon: there is no built-in layout" in refusal(capsys, "run", "--layout", "moon")
    assert "error: --set gate.threshold=7: settings.gate" in refusal(capsys, "run", "--set", "gate.threshold=7")
    two = refusal(capsys, "run", "--steps", "0", "--set", "gate.threshold=7")
    assert "\n- --steps 0: " in two
    assert "\n- --set gate.threshold=7: " in two
    assert "error: --members, --assimilations, --lessons: " in refusal(
        capsys, "calibrate", "--out", "unused", "--members", "0"
    )


def test_a_value_of_the_wrong_kind_is_told_with_the_value(capsys: Capture) -> None:
    wrong = {
        ("run", "--seed", "abc"): "--seed abc: is no whole number. See eduverse run --help.",
        ("run", "--budget-usd", "much"): "--budget-usd much: is no number. See eduverse run --help.",
        ("seat", "--seed", "-2"): "--seed -2: is too small: 0 is the least. See eduverse seat --help.",
        ("sweep", "run", "--workers", "0", "a", "--out", "b"): "--workers 0: is too small: 1 is the least.",
        ("app", "--port", "99999"): "--port 99999: is too much: 65535 is the most. See eduverse app --help.",
        ("fork",): "Missing argument 'STUDY'. See eduverse fork --help.",
        ("run", "-x"): "No such option: -x. See eduverse run --help.",
        ("sweep", "stauts"): "No such command 'stauts'. Did you mean 'status'? See eduverse sweep --help.",
    }
    for arguments, told in wrong.items():
        assert told in refusal(capsys, *arguments)


INTERRUPTED = {
    ("realism",): "nothing was kept",
    ("seat",): "nothing was kept",
    ("sensitivity", "--parameters", "attention.base"): "With --out FOLDER",
    ("calibrate", "--out", "OUT"): "what is done is kept in OUT. The same command goes on.",
    ("sensitivity", "--parameters", "attention.base", "--out", "OUT"): "what is done is kept in OUT.",
    ("experiment", "1"): "With --out FOLDER",
    ("run",): "nothing was kept. With --out STUDY",
    (
        "run",
        "--out",
        "OUT/a.study",
    ): "the complete steps are kept in OUT/a.study. Go on: eduverse resume OUT/a.study first_lesson-s1",
    ("estimate",): "nothing was kept",
    ("bench", "llm", "--latency", "0"): "nothing was kept",
    ("validate", "OUT/none.yaml"): "nothing was changed",
}


def test_ctrl_c_before_anything_is_written_says_so(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "none.study"
    with monkeypatch.context() as patch:
        patch.setattr("eduverse_mesa.scenarios.load_scenario", press)
        said = call(capsys, "run", *SHORT, "--out", path)
    assert said.code == 130
    assert said.err == f"error: interrupted; nothing was written to {path}.\n"
    with monkeypatch.context() as patch:
        patch.setattr("eduverse_mesa.runs.studies.open_study", press)
        for command in (("resume", path), ("fork", path, "--at", "1", "--act", "lecturing")):
            assert call(capsys, *command).err == said.err
    assert not path.exists()


def test_ctrl_c_in_a_callback_that_swallows_it_is_heard(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Listener:
        """Something to which others refer weakly, as SQLAlchemy does to its listeners."""

    step, path = ClassroomModel.step, tmp_path / "c.study"

    def drop(model: ClassroomModel) -> None:
        if model.state.step == 2:
            listener = Listener()
            reference = weakref.ref(listener, lambda _: signal.raise_signal(signal.SIGINT))
            del listener
            assert reference() is None
            assert heard.wait(PATIENCE)
        step(model)

    heard = threading.Event()  # that nobody sets: whoever waits for it is interrupted
    handler = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(ClassroomModel, "step", drop)
        said = call(capsys, "run", *SHORT, "--seeds", "2", "--out", path)
    assert said.code == 130
    assert "Exception ignored" not in said.err
    with open_study(str(path), read_only=True) as opened:
        assert [row["status"] for row in opened.overview()] == ["interrupted"]
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.skipif(os.name != "posix", reason="signals are others elsewhere")
def test_ctrl_c_while_the_commands_are_loaded_is_told() -> None:
    early = """
import signal, sys

class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == "eduverse_mesa.cli.commands":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Presses())
from eduverse_mesa.cli import main
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", early, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are others elsewhere")
def test_ctrl_c_after_the_end_changes_nothing() -> None:
    after = "import signal, sys; from eduverse_mesa.cli import main; code = main(); PRESS; sys.exit(code)"
    for presses, code in ((1, 0), (2, 130)):
        press = "; ".join(["signal.raise_signal(signal.SIGINT)"] * presses)
        command = [sys.executable, "-c", after.replace("PRESS", press), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert done.stderr == ""


@pytest.mark.parametrize("arguments", INTERRUPTED, ids=" ".join)
def test_ctrl_c_says_what_is_kept(
    arguments: tuple[str, ...], capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("EDUVERSE_CACHE", "none")  # a model may have answered in this process before
    # The first thing that each of them does after its options are read: a lesson's step, a start of workers, a file.
    monkeypatch.setattr(ClassroomModel, "step", press)
    monkeypatch.setattr("eduverse_mesa.experiments.engines.make_engine", press)
    monkeypatch.setattr("eduverse_mesa.scenarios.files.read_file", press)
    said = call(
        capsys, *(word.replace("OUT", str(tmp_path)) for word in arguments), *(["-q"] * (arguments[0] == "run"))
    )
    assert said.code == 130
    assert said.err.startswith("error: interrupted; ")
    assert INTERRUPTED[arguments].replace("OUT", str(tmp_path)) in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (("experiment", "simlearner-1", "--out", "OUT"), "What is done is kept in OUT. Take another. The same command"),
        (("experiment", "mathvc"), "Nothing was kept. Take another. With --out FOLDER what is done would be."),
        (("sensitivity", "--parameters", "reflect.threshold"), "Nothing was kept. Take another. With --out"),
    ],
    ids=["kept", "not kept", "no folder"],
)
def test_an_engine_that_dies_says_what_is_kept(
    arguments: tuple[str, ...], left: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> Iterator[Finished]:
        raise EngineGoneError("the engine is gone.", mend="Take another.")

    for engine in (Serial, Processes):
        monkeypatch.setattr(engine, "run", die)
    said = call(capsys, *(word.replace("OUT", str(tmp_path)) for word in arguments), "--seeds", "2")
    assert said.code == 1
    told = said.err.splitlines()[-1]
    assert told.startswith(f"error: the engine is gone. {left.replace('OUT', str(tmp_path))}")


def test_a_command_that_something_has_ended_says_so(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a reader that has gone nothing is said; of anything else that ends the command it is."""

    def leave(**_: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr("eduverse_mesa.cli.commands._command", lambda: SimpleNamespace(main=leave))
    assert "has ended the command: sys.exit(0)" in refusal(capsys, "list")
