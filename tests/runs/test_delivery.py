"""Answers that come in batches are not for people who wait for them; many runs of one scenario may have them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
from eduverse_mesa.policies.shared_limit import DELIVERY
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.groups.dialogue import UnkeptTalk
from eduverse_mesa.runs.human_tasks import TASKS, attempt
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.store import Study
from tests.cli.commands import call
from tests.models.groups import problem, setup
from tests.policies.llm.batch_server import BatchServer, in_form, serving_batches

ROOT = Path(__file__).parents[2]
NEEDS_LIVE = "is 'batch', and people take part"
SHORT = ("--steps", "3", "--policy", "students=llm", "--set", "pacing.mode=fixed", "--set", "llm.useless=1", "-q")


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUVERSE_MODEL", "planted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-3b9c0d1e2f44")


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize("by", ["document", "option"])
def test_a_lesson_with_people_needs_live_answers(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load_scenario("first_lesson", settings={"llm.delivery": "batch"} if by == "document" else {})
    if by == "option":
        monkeypatch.setenv(DELIVERY, "batch")
    with pytest.raises(PolicyError, match=NEEDS_LIVE) as caught:
        LiveLesson(str(tmp_path / "a.study"), scenario, 1, "students=llm,rest=embedded")
    assert caught.value.where == "settings.llm.delivery"
    assert not (tmp_path / "a.study").exists(), "nothing was begun"
    lesson = LiveLesson(str(tmp_path / "a.study"), scenario, 1, "embedded")  # where no server is asked, it says nothing
    lesson.close()


@pytest.mark.usefixtures("named")
def test_what_a_scripted_person_tries_needs_live_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DELIVERY, "batch")
    with pytest.raises(PolicyError, match=NEEDS_LIVE):  # its player has a thread of its own, for which nobody waits
        attempt(TASKS[0], load_scenario("first_lesson"), 1, "llm")


@pytest.mark.usefixtures("named")
def test_a_group_with_people_needs_live_answers(tmp_path: Path) -> None:
    group = setup(people=("Mia",))
    llm = group.settings.llm.model_copy(update={"delivery": "batch"})
    settings = group.settings.model_copy(update={"llm": llm, "policy": "peers=llm"})
    group = group.model_copy(update={"settings": settings, "problems": (problem(),)})
    with Study.open(str(tmp_path / "g.study"), create=True) as study:
        from eduverse_mesa.runs.studies import OpenStudy

        with pytest.raises(PolicyError, match=NEEDS_LIVE):
            begin_talk(OpenStudy(study), GroupSpec(group, 1), "r")
        assert not study.runs()
    with pytest.raises(PolicyError, match=NEEDS_LIVE):
        UnkeptTalk(GroupSpec(group, 1))
    UnkeptTalk(GroupSpec(group.model_copy(update={"seats": ()}), 1))


@pytest.mark.usefixtures("named")
def test_many_seeds_in_batches_are_the_runs_that_they_are_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(BatchEndpoint, "gather", 0.2)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    said = {}
    with serving_batches(BatchServer(answer=in_form)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for delivery in ("live", "batch"):
            cache = tmp_path / f"{delivery}.sqlite"
            options = ("--seeds", "3", "--delivery", delivery, "--cache", cache, "--json")
            said[delivery] = call(capsys, "run", *SHORT, *options, "--out", tmp_path / f"{delivery}.study")
            assert said[delivery].code == 0, said[delivery].err
    told = {delivery: one.document for delivery, one in said.items()}
    bills = {delivery: [run.pop("models") for run in one["runs"]] for delivery, one in told.items()}
    for one in told.values():  # a live server is asked first what it can do
        for name in ("calls", "tokens_in", "tokens_out"):
            del one["means"][f"models.{name}"]
    assert told["batch"] == told["live"]
    assert sum(bill["calls"] for bill in bills["batch"]) == server.asked
    assert server.live > server.asked, "live it was also found out what the server can do"
    digests = {}
    for delivery in said:
        with open_study(str(tmp_path / f"{delivery}.study"), read_only=True) as opened:
            digests[delivery] = {run: opened.study.digests(run) for run in opened.runs()}
    assert len(digests["batch"]) == 3
    assert digests["batch"] == digests["live"]
    assert len(server.batches) < server.asked / 6, "three lessons of six students each"


@pytest.mark.usefixtures("named")
def test_one_run_that_stops_leaves_the_others_to_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(BatchEndpoint, "gather", 0.2)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    study = tmp_path / "a.study"
    with serving_batches(BatchServer(answer=in_form)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "a.sqlite"))
        command = ("run", *SHORT, "--delivery", "batch", "--out", study)
        assert call(capsys, *command, "--seed", "1").code == 0  # what seed 1 asks is remembered, and costs nothing
        stopped = call(capsys, *command, "--seeds", "2", "--again", "--budget-requests", "3")
        assert stopped.code != 0
        assert "the budget of requests is used up" in stopped.err
        with open_study(str(study), read_only=True) as opened:
            found = {row.id: (row.seed, row.status) for row in opened.study.runs()}
    assert sorted(found.values()) == [(1, "complete"), (1, "complete"), (2, "interrupted")]


RUN = """
import sys
from eduverse_mesa.cli import main
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
BatchEndpoint.gather = BatchEndpoint.poll = 0.05
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.usefixtures("named")
def test_calls_that_were_in_a_batch_at_a_kill_are_in_the_bill_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(BatchEndpoint, "gather", 0.05)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "a.sqlite"))
    study = tmp_path / "a.study"
    with serving_batches(BatchServer(answer=in_form)) as server:
        server.may_end.clear()
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        command = [sys.executable, "-c", RUN, "run", *SHORT, "--delivery", "batch", "--out", str(study)]
        child = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 90
            while server.looks < 2:  # it is noted by then which calls it holds
                assert child.poll() is None
                assert time.monotonic() < until
                time.sleep(0.01)
        finally:
            child.kill()
            child.wait()
        with open_study(str(study), read_only=True) as opened:
            killed = Bill.read(opened.study.runs()[0].spent).closed()
        out = server.asked
        assert (killed.requests, killed.lost) == (out, out)
        server.may_end.set()
        whole = call(capsys, "resume", study, "-q", "--json", "--delivery", "batch")
        assert whole.code == 0, whole.err
    models = whole.document["models"]
    assert models["calls"] == server.asked
    assert models["untold"] == {"calls": 0, "broken_off": 0, "tokens_at_most": 0, "usd_at_most": 0.0}
    assert models["tokens_in"] == 100 * server.asked


def test_a_delivery_that_nobody_needs_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "run", "--steps", "1", "-q", "--delivery", "batch")
    assert said.code == 2
    assert "no server is asked" in said.err
    assert "Known: live, batch" in call(capsys, "run", "--delivery", "pigeon").err
