"""What language models take for dialogues of groups stands in the ledger of each, as for lessons."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import BudgetError, PolicyError
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.groups import GroupSpec, Talk, UnkeptTalk, begin_talk, keep_talk, open_talk, read_talk
from eduverse_mesa.runs.groups.dialogue import resume_talk
from eduverse_mesa.runs.kernel import choose_policy
from eduverse_mesa.runs.studies import run_cards
from eduverse_mesa.scenarios.loader import load_collaboration
from eduverse_mesa.scenarios.scenario import Budget
from tests.cli.commands import call
from tests.policies.llm.fake_server import FakeServer
from tests.runs.model_servers import answers, serving
from tests.runs.test_bill import keyed

__all__ = ["keyed"]
Capture = pytest.CaptureFixture[str]
READ, WRITTEN = 1000, 50
"""What the server charges for each answer."""
POLICY = "peers=llm,rest=embedded"


@pytest.fixture
def server(keyed: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with serving(FakeServer(usual=answers())) as running:
        keyed.setenv("OPENAI_BASE_URL", running.url)
        keyed.setenv("EDUVERSE_MODEL", "small")
        yield running


def spec(seed: int = 1, **settings: object) -> GroupSpec:
    setup = load_collaboration(settings={"policy": POLICY, **settings})
    return GroupSpec(setup.model_copy(update={"problems": setup.problems[:1]}), seed)


def some(talk: Talk, messages: int) -> None:
    for _ in range(messages):
        assert talk.due is not None
        talk.advance(talk.due)


def check(talk: Talk, requests: int) -> None:
    """Every request stands in the bill, and what the server charged for it."""
    bill = talk.bill
    assert (bill.requests, bill.out, bill.failed) == (requests, 0, 0)
    assert (bill.tokens_in, bill.tokens_out) == (READ * requests, WRITTEN * requests)


def test_a_dialogue_has_the_bill_of_its_server(server: FakeServer, tmp_path: Path) -> None:
    talk = UnkeptTalk(spec())
    some(talk, 3)
    assert len(server.requests) > 3
    check(talk, len(server.requests))
    with open_study(str(tmp_path / "a.study"), create=True) as opened:
        run = keep_talk(opened, talk)
        [card] = run_cards(opened)
        assert card.bill == talk.bill
        check(read_talk(opened, run, policy="embedded"), len(server.requests))
    some(talk.again(), 1)
    check(talk, len(server.requests))
    check(talk.again(1), 0)


def test_it_is_written_down_as_it_grows_and_gone_on_from(server: FakeServer, tmp_path: Path) -> None:
    with open_study(str(tmp_path / "a.study"), create=True) as opened:
        talk = begin_talk(opened, spec(), "one")
        some(talk, 2)
        assert run_cards(opened)[0].bill == talk.bill
        talk.close()
        again = open_talk(opened, "one")
        some(again, 2)
        check(again, len(server.requests))
        again.close()


def test_dialogues_that_share_a_model_have_bills_of_their_own(server: FakeServer, tmp_path: Path) -> None:
    chosen = choose_policy(spec().setup, None)
    assert chosen.ledger is not None
    talks = [UnkeptTalk(spec(seed), chosen.policy) for seed in (1, 2, 3)]
    threads = [threading.Thread(target=some, args=(talk, 2)) for talk in talks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = [talk.bill.requests for talk in talks]
    assert all(taken)
    assert sum(taken) == len(server.requests) == chosen.ledger.bill.requests
    assert sum(talk.bill.tokens for talk in talks) == chosen.ledger.bill.tokens


def test_a_budget_is_the_whole_dialogues(server: FakeServer, tmp_path: Path) -> None:
    with open_study(str(tmp_path / "a.study"), create=True) as opened:
        bounded = spec(**{"llm.budget.requests": 6})
        begin_talk(opened, bounded, "one").close()
        with pytest.raises(BudgetError, match="6 of 6 are spent"):
            resume_talk(opened, "one")
        with pytest.raises(BudgetError, match="8 of 8 are spent"):
            resume_talk(opened, "one", budget=Budget(requests=8))
        assert len(server.requests) == 8
        assert run_cards(opened)[0].bill.requests == 8


def test_the_command_tells_it(server: FakeServer, capsys: Capture, tmp_path: Path) -> None:
    study = tmp_path / "a.study"
    began = ("mathvc", "play", "--watch", "--policy", POLICY, "--budget-requests", 9)
    stopped = call(capsys, *began, "--out", study)
    assert stopped.code == PolicyError.exit_code
    assert "the budget of requests is used up" in stopped.err
    run = stopped_run(study)
    told = call(capsys, "replay", study, run)
    assert "Calls to a model: 9" in told.out
    document = call(capsys, "replay", study, run, "--json").document["models"]
    assert (document["calls"], document["tokens_in"], document["tokens_out"]) == (9, 9 * READ, 9 * WRITTEN)
    assert "12 of 12 are spent" in call(capsys, "resume", study, run, "--budget-requests", 12).err
    assert call(capsys, "replay", study, run, "--json").document["models"]["calls"] == 12


def stopped_run(study: Path) -> str:
    with open_study(str(study), read_only=True) as opened:
        return opened.newest()
