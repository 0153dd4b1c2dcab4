"""Sweeps whose answers come in batches, over real sockets: as live, but together; through failures, kills and Ctrl-C.

The server is a stand-in for `/files` and `/batches`; nobody's real one has ever been asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import Processes, Serial, Threads
from eduverse_mesa.experiments.sweeps.execution import Ended, play_sweep
from eduverse_mesa.experiments.sweeps.folder import begin_sweep, read_sweep
from eduverse_mesa.experiments.sweeps.plan import SweepPlan, plan_sweep
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
from eduverse_mesa.policies.shared_limit import DELIVERY
from tests.cli.commands import call
from tests.policies.llm.batch_server import BatchServer, Line, Told, in_form, saying, serving_batches

ROOT = Path(__file__).parents[3]
LESSONS = """
factors:
  layout: [lecture, round]
  policy: [students=llm]
  steps: [3]
  pacing.mode: [fixed]
  llm.useless: [1]
seeds: 2
"""
GROUPS = """
collaboration: alice_and_bob
factors:
  policy: [peers=llm]
  turns: [8]
  llm.useless: [1]
seeds: 3
"""
LEARNERS = """
tutoring: growing_up
factors:
  policy: [learner=llm]
  learners: [1]
  grades: [[1, 1]]
  visits: [1]
  llm.useless: [1]
seeds: 2
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.setattr(BatchEndpoint, "gather", 0.1)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    monkeypatch.setenv("EDUVERSE_MODEL", "planted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-3b9c0d1e2f44")
    with serving_batches(BatchServer(answer=in_form)) as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        yield made


@pytest.fixture
def deliver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Have answers come live or in batches, each with a memory of its own."""

    def set_to(delivery: str) -> None:
        monkeypatch.setenv(DELIVERY, delivery)
        monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / f"{delivery}.sqlite"))

    return set_to


def plan(folder: Path, text: str) -> SweepPlan:
    file = folder / "asked.yaml"
    file.write_text("kind: sweep\nname: asked\n" + text)
    return plan_sweep(file)


def play(out: Path, planned: SweepPlan, engine: Serial | Threads) -> list[Ended]:
    with begin_sweep(out, planned.facts, planned.trials()) as opened:
        return list(play_sweep(opened, engine))


def paid(server: BatchServer) -> Counter[str]:
    """How often each question was sent in a batch."""
    return Counter(line["custom_id"] for name in server.batches for line in server.lines(name))


@pytest.mark.parametrize("text", [LESSONS, GROUPS, LEARNERS], ids=["lessons", "groups", "learners"])
def test_what_comes_in_batches_is_what_comes_live(
    text: str, server: BatchServer, tmp_path: Path, deliver: Callable[[str], None]
) -> None:
    planned = plan(tmp_path, text)
    deliver("live")
    assert [ended.error for ended in play(tmp_path / "one", planned, Serial())] == [""] * planned_runs(planned)
    assert server.batches == {}
    live = server.live
    deliver("batch")
    ends = play(tmp_path / "two", planned, Threads())
    assert [ended.error for ended in ends] == [""] * planned_runs(planned)
    assert server.live == live, "nothing goes out alone"
    assert set(paid(server).values()) == {1}
    pd.testing.assert_frame_equal(read_sweep(tmp_path / "two"), read_sweep(tmp_path / "one"))
    manifests = [(tmp_path / folder / "manifest.jsonl").read_bytes() for folder in ("one", "two")]
    assert manifests[0] == manifests[1], "a sweep that was begun live can go on in batches"


def planned_runs(planned: SweepPlan) -> int:
    return sum(1 for _ in planned.trials())


def test_many_lessons_take_as_many_batches_as_the_longest_of_them(
    server: BatchServer, tmp_path: Path, deliver: Callable[[str], None]
) -> None:
    deliver("batch")
    play(tmp_path / "one", plan(tmp_path, LESSONS), Serial())
    alone = len(server.batches)
    deliver("batch")
    os.environ["EDUVERSE_CACHE"] += "2"
    play(tmp_path / "two", plan(tmp_path, LESSONS), Threads())
    together = len(server.batches) - alone
    assert alone / 4 <= together < alone / 2, "four lessons, of which none waits for another"


def test_troubles_within_batches_come_out_as_live(
    server: BatchServer, tmp_path: Path, deliver: Callable[[str], None]
) -> None:
    """Each answer is in one trouble: it fails once, is missing once, is useless once, or always, or comes at once."""
    seen: Counter[str] = Counter()

    def troubled(line: Line) -> Told:
        body = line["body"]
        form = body.get("response_format", {}).get("json_schema", {})
        if form.get("name") in (None, "probe"):
            return in_form(line)
        question = json.dumps([body["messages"][1], body.get("seed") if len(body["messages"]) == 2 else ""])
        luck = sum(question.encode()) % 10
        seen[question] += 1
        if luck == 0 and seen[question] == 1:
            return 500, {"error": {"message": "oops"}}
        if (luck == 1 and len(body["messages"]) == 2) or luck == 2:
            return saying("I would rather not.")
        return in_form(line)

    server.answer = troubled
    planned = plan(tmp_path, LESSONS)
    deliver("live")
    play(tmp_path / "one", planned, Serial())
    seen.clear()
    deliver("batch")
    play(tmp_path / "two", planned, Threads())
    one, two = (read_sweep(tmp_path / folder) for folder in ("one", "two"))
    pd.testing.assert_frame_equal(two, one)
    counted = two[two["measure"].str.startswith("outcomes.")].groupby("measure")["value"].sum()
    assert counted["outcomes.repaired"] > 0
    assert counted["outcomes.fallback"] > 0
    assert max(paid(server).values()) == 2, "what failed in a batch was sent in the next"


def test_what_a_batch_had_no_time_for_goes_into_the_next(
    server: BatchServer, tmp_path: Path, deliver: Callable[[str], None]
) -> None:
    planned = plan(tmp_path, LESSONS)
    deliver("live")
    play(tmp_path / "one", planned, Serial())
    late: set[str] = set()

    def expires(line: Line) -> bool:
        name = line["custom_id"]
        first = int(name, 16) % 5 == 0 and name not in late
        late.add(name)
        return first

    server.expires = expires
    deliver("batch")
    assert [ended.error for ended in play(tmp_path / "two", planned, Threads())] == [""] * 4
    assert {batch["status"] for batch in server.batches.values()} == {"completed", "expired"}
    pd.testing.assert_frame_equal(read_sweep(tmp_path / "two"), read_sweep(tmp_path / "one"))


def test_a_budget_ends_a_run_as_live_and_the_others_go_on(
    server: BatchServer, tmp_path: Path, deliver: Callable[[str], None]
) -> None:
    text = LESSONS.replace("[students=llm]", "[students=llm, teacher=llm]\n  llm.budget.requests: [15]")
    planned = plan(tmp_path, text)
    ends: dict[str, dict[str, str]] = {}
    for delivery, engine in (("live", Serial()), ("batch", Threads())):
        deliver(delivery)
        ends[delivery] = {ended.key: ended.error for ended in play(tmp_path / delivery, planned, engine)}
    assert ends["batch"] == ends["live"]
    told = sorted(ends["batch"].values())
    assert told[:4] == [""] * 4, "a teacher has less to say"
    assert all("the budget of requests is used up" in error for error in told[4:])
    assert len(told) == 8
    assert server.asked <= 8 * 15


COMMAND = """
import sys
from eduverse_mesa.cli import main
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
BatchEndpoint.gather, BatchEndpoint.poll = 0.2, 0.02
sys.exit(main(sys.argv[1:]))
"""


def command(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(true: Callable[[], bool], child: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while not true():
        assert time.monotonic() < until
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_half_done_stopped_and_gone_on_with(
    how: signal.Signals,
    server: BatchServer,
    tmp_path: Path,
    deliver: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    planned = plan(tmp_path, LESSONS)
    deliver("live")
    play(tmp_path / "one", planned, Serial())
    deliver("batch")
    os.environ.pop(DELIVERY)
    out = tmp_path / "two"
    run = command("sweep", "run", tmp_path / "asked.yaml", "--out", out, "--delivery", "batch", "--workers", 2)
    try:
        wait_until(lambda: len(list(out.glob("results/*.parquet"))) >= 2, run)
        server.may_end.clear()
        ended = len(server.batches)
        wait_until(lambda: len(server.batches) > ended or _open(server), run)
        looks = server.looks
        wait_until(lambda: server.looks > looks + 2, run)  # its batch is noted
    finally:
        run.send_signal(how)
        _, told = run.communicate(timeout=120)
    assert "Answers come in batches. A run asks about" in told
    assert "2 runs side by side" in told
    assert "batch batch-" in told
    if how == signal.SIGINT:
        assert run.returncode == 130
        assert "of 4 runs are kept. Batch batch-" in told
        assert f"nothing is paid twice. Go on: eduverse sweep resume {out}" in told
        assert "Traceback" not in told
    waiting = [name for name, batch in server.batches.items() if batch["status"] == "validating"]
    assert len(waiting) == 1
    server.may_end.set()
    resumed = call(capsys, "sweep", "resume", out, "--delivery", "batch", "--workers", 2)
    assert resumed.code == 0, resumed.err
    assert "4 of 4 runs are done" in resumed.out
    assert set(paid(server).values()) == {1}, "the batch that was out was read, and not sent again"
    pd.testing.assert_frame_equal(read_sweep(out), read_sweep(tmp_path / "one"))


def _open(server: BatchServer) -> bool:
    return any(batch["status"] == "validating" for batch in server.batches.values())


def test_a_document_may_ask_for_batches(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = LESSONS.replace("  steps: [3]", "  steps: [1]\n  llm.delivery: [batch]").replace("seeds: 2", "seeds: 1")
    planned = plan(tmp_path, text)
    with (
        begin_sweep(tmp_path / "out", planned.facts, planned.trials()) as opened,
        pytest.raises(EduverseError, match=r"each worker would wait for one of its own\. Take engine 'threads'"),
    ):
        next(play_sweep(opened, Processes(1)))
    ran = call(capsys, "sweep", "run", tmp_path / "asked.yaml", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "2 of 2 runs are done" in ran.out
    assert server.live == 0
    assert server.asked > 0


def test_batches_that_nobody_would_remember_are_refused(
    server: BatchServer, tmp_path: Path, deliver: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver("batch")
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    for ended in play(tmp_path / "out", plan(tmp_path, LESSONS), Threads()):
        assert "settings.llm.delivery: answers that come in batches have to be remembered" in ended.error
    assert server.batches == {}


def test_a_model_on_this_machine_takes_no_batches(tmp_path: Path, deliver: Callable[[str], None]) -> None:
    deliver("batch")
    with pytest.raises(EduverseError, match="the model on this machine takes none"):
        plan(tmp_path, LESSONS.replace("students=llm", "local"))
    os.environ[DELIVERY] = "pigeon"
    with pytest.raises(EduverseError, match="Known: live, batch"):
        plan(tmp_path, LESSONS.replace("students=llm", "local"))
