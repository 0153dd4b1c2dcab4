"""Every command of README does what it says, in a fresh folder and at its smallest size."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.cli import main
from tests.policies.llm.fake_server import FakeServer
from tests.runs.model_servers import answers, serving

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
LINES = re.findall(r"^eduverse [^#\n]*[^#\s]", README, re.M)
LESSON = "role,speaker,text\nteacher,Ms Li,What is half of six?\nstudent,Ana,Three.\nteacher,Ms Li,How do you know?\n"
[SCENARIO] = re.findall(r"^```yaml\n(.*?)^```", README, re.M | re.S)

_FEW_WORDS = "--steps 1 --students 1 --set llm.max_tokens=32 --set llm.reasks=0"
# What makes a command small: it is added to the line that begins so. A line without an entry is run as it stands.
SMALLER = {
    "eduverse run --layout": "--steps 3",
    "eduverse run four_sessions": "--sessions 2 --steps 12",
    "eduverse experiment 1": "--seeds 1 --set steps=3",
    "eduverse realism": "--lessons 4 --students 6-8 --steps 6",
    "eduverse experiment simlearner-2": "--seeds 1",
    "eduverse learner teach": "--learners 1",
    "eduverse tutor evaluate": "--learners 2 --units 2-LS2-1 --visits 1",
    "eduverse mathvc serve": "--port 0",
    "eduverse experiment mathvc": "--seeds 1",
    "eduverse calibrate": "--members 8 --assimilations 1 --lessons 1 --judge 2 --predict 0 --profiles 0",
    "eduverse seat": "--seeds 2 --budget 4 --set steps=3",
    "eduverse sensitivity": "--seeds 1 --trajectories 2 --set steps=3",
    "eduverse run --seeds 20": "--seeds 2 --steps 3",
    "eduverse estimate": "--steps 2",
    "eduverse run --policy llm": "--steps 1",
    "eduverse run --policy local": _FEW_WORDS,
    "eduverse run --policy words=local": _FEW_WORDS,
}
SLOW = (
    "eduverse experiment",
    "eduverse learner teach",
    "eduverse calibrate",
    "eduverse sweep run",
    "eduverse run --policy local",
    "eduverse run --policy words=local",
)


def _marked(line: str) -> object:
    group = "local-model" if "local" in line else "readme"
    marks = [pytest.mark.xdist_group(group), *([pytest.mark.slow] if line.startswith(SLOW) else [])]
    return pytest.param(line, marks=marks, id=line.removeprefix("eduverse "))


def small(line: str) -> list[str]:
    """The arguments of a line of README, with what makes it small."""
    more = [options for beginning, options in SMALLER.items() if line.startswith(beginning)]
    return [*shlex.split(line)[1:], *shlex.split(" ".join(more))]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that the second line of README makes."""
    folder = tmp_path_factory.mktemp("course")
    [line] = [line for line in LINES if line.startswith("eduverse run four_sessions")]
    study = folder / "course.study"
    assert main([*small(line), "-q", "--out", str(study), "--report", str(folder / "course.html")]) == 0
    return study


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder, with what a reader is told to bring."""
    monkeypatch.chdir(tmp_path)
    Path("my_lesson.csv").write_text(LESSON, encoding="utf-8")
    Path("lines.jsonl").write_text('{"text": "is it because they need sun?", "on_table": "a"}\n', encoding="utf-8")
    Path("outline.md").write_text("Warm-up\n- What is half of six?\n  - Three.\n", encoding="utf-8")
    Path("my_scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello!\n/quit\n"))
    return tmp_path


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server in the place of a model's, for the commands that ask one."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    with serving(FakeServer(usual=answers())) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


@pytest.mark.parametrize("line", [_marked(line) for line in LINES if "mathvc serve" not in line])
def test_a_command_of_the_page_works(
    line: str, room: Path, endpoint: FakeServer, request: pytest.FixtureRequest
) -> None:
    if "course.study" in line and "--out" not in line:
        shutil.copy(request.getfixturevalue("course"), room)
    assert main(small(line)) == 0
    made = re.findall(r"--(?:out|report) (\S+)", line)
    assert [name for name in made if not (room / name).exists()] == []
    assert bool(endpoint.requests) == ("--policy llm" in line)


def test_a_class_is_served_as_the_page_says(room: Path) -> None:
    [line] = [line for line in LINES if "mathvc serve" in line]
    command = [sys.executable, "-m", "eduverse_mesa", *small(line)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=90)
    assert process.returncode in (0, 130), complaints
    assert (room / "class.study").exists()


def test_no_entry_is_of_a_command_that_has_gone() -> None:
    assert len(LINES) > 25
    assert [one for one in (*SMALLER, *SLOW) if not any(line.startswith(one) for line in LINES)] == []
    assert "eduverse sweep run rooms" in " ".join(LINES)
