"""What a language model would have to do for learners: told on request, and before it is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.cli.commands import call, refusal
from tests.policies.llm.fake_server import FakeServer, says
from tests.runs.model_servers import answers, serving

Capture = pytest.CaptureFixture[str]
SMALL = ("--learners", "2", "--units", "2-LS2-1", "--visits", "1", "--grade", "2", "--turns", "2")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server that answers in the form that is asked for; named in the environment, and nothing is remembered."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    with serving(FakeServer(usual=answers())) as one:
        monkeypatch.setenv("OPENAI_BASE_URL", one.url)
        monkeypatch.setenv("EDUVERSE_MODEL", "gpt-4.1-mini")
        yield one


def calls_told(text: str) -> int:
    """How many calls the sentence beforehand speaks of."""
    found = re.search(r"Asked of the model: about ([\d,]+) calls and [\d,]+ tokens, about [\d.]+ USD\.", text)
    assert found is not None, text
    return int(found[1].replace(",", ""))


def asked(server: FakeServer) -> int:
    """Questions that came; the first is to find out what the server can do."""
    return sum(len(body["messages"]) >= 2 for body in server.requests)


def test_an_evaluation_is_estimated_without_asking_anybody(capsys: Capture, server: FakeServer) -> None:
    both = [
        call(capsys, "tutor", "estimate", "--tutor", tutor, *SMALL, "--policy", "llm", "--json").document[0]
        for tutor in ("built-in", "mine:tutor")
    ]
    assert both[0]["calls"] > both[1]["calls"] > 0, "a tutor from outside is not the model's to speak for"
    assert both[0]["cost_usd"]["likely"] > both[1]["cost_usd"]["likely"] > 0
    assert "cost, USD" in call(capsys, "tutor", "estimate", *SMALL, "--policy", "llm").out
    assert server.requests == []
    assert "asks no language model" in refusal(capsys, "tutor", "estimate", *SMALL)


def test_two_tutors_are_priced_together_before_the_model_is_asked(capsys: Capture, server: FakeServer) -> None:
    pair = ("built-in", "tests.experiments.tutors.bad_tutors:asking")
    said = call(capsys, "tutor", "compare", *pair, *SMALL, "--policy", "judge=llm,rest=embedded")
    assert said.code == 0, said.err
    assert calls_told(said.err) == asked(server)
    assert "Asked of the model" not in call(capsys, "tutor", "compare", *pair, *SMALL, "--json").err


def test_a_study_of_learners_is_priced_before_the_model_is_asked(capsys: Capture, server: FakeServer) -> None:
    given = ("--seeds", "1", "--engine", "serial", "--set", "turns=2", "--policy", "judge=llm,rest=embedded")
    said = call(capsys, "experiment", "simlearner-4", *given)
    assert said.code == 0, said.err
    assert calls_told(said.err) == asked(server)


def test_answers_that_the_embedded_policy_has_stood_in_for_are_told(capsys: Capture, server: FakeServer) -> None:
    server.usual = says("no idea what you mean")
    judged = ("tutor", "evaluate", "--tutor", "built-in", *SMALL, "--policy", "judge=llm,rest=embedded")
    assert call(capsys, *judged).code == 5, "a dozen answers that nobody can use end it"
    said = call(capsys, *judged, "--set", "llm.useless=1")
    assert said.code == 0, said.err
    told = re.search(r"built-in +judge +\d+ +0 +(\d+)", said.out)
    assert told is not None, said.out
    assert int(told[1]) == calls_told(said.err)
    assert "do not say what children would learn" not in said.out, "the judge was not the learners' own policy"


def test_a_model_on_this_machine_says_beforehand_how_long_it_takes(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said_for(*arguments: str) -> str:
        with pytest.raises(RuntimeError, match="begun"):
            call(capsys, "run", "--steps", "2", *arguments)
        return capsys.readouterr().err

    def begin(*_: object, **__: object) -> None:
        raise RuntimeError("begun")

    monkeypatch.setattr("eduverse_mesa.runs.run_course", begin)
    sentence = r"The model on this machine is asked about ([\d,]+) times .* about (\d+) (s|min) on two free cores"
    whole, words = (said_for("--policy", policy) for policy in ("local", "words=local,rest=embedded"))
    counts = [int(re.match(sentence, text)[1]) for text in (whole, words)]  # type: ignore[index] # it tells
    assert counts[0] > 2 * counts[1] > 0
    assert said_for("--policy", "embedded") == said_for("--policy", "local", "--quiet") == ""
