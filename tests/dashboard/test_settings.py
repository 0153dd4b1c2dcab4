"""What the settings page takes and what it finds out, without a browser; the servers are real ones."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.pages.settings.choices import FIELDS, MIXTURE, PRESETS, Asked, Choices, Trial
from eduverse_mesa.dashboard.pages.settings.page import choices_tree, estimate_tree, house_tree, key_tree, tried_tree
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.errors import NoModelError, PolicyError
from eduverse_mesa.policies.llm.setup import Tried, try_model
from eduverse_mesa.runs.estimate import Estimate
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.scenario import LanguageModel
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from tests.policies.llm.fake_server import FakeServer, fails, says, silent
from tests.policies.test_waiting import PATIENCE
from tests.runs.model_servers import KEY, answers, serving

T = load_words()
HOSTILE = "<img src=x onerror=window.pwned=1>"


def texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, list):
        for child in tree[2:]:
            yield from texts(child)
    else:
        yield str(tree)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EDUVERSE_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    return Office().desk("somebody")


# --- what is taken ---


def test_every_preset_is_a_policy_and_shows_what_it_is_asked_with(desk: Desk) -> None:
    choices = Choices(desk, {})
    shown = {}
    for preset in PRESETS:
        choices.choose(preset)
        assert desk.policy == preset
        shown[preset] = len(choices.shown)
    assert list(shown.values()) == [0, 5, 5, 9, 9]


@pytest.mark.parametrize(
    ("mixture", "said"),
    [
        ("words=gpt,rest=embedded", "no policy 'gpt'"),
        ("everybody=llm", "no kind of decision"),
        ("words=llm,words=local", "given twice"),
        ("words=llm,rest", "not WHO=POLICY"),
        ("", "no policy ''"),
        (HOSTILE, "no kind of decision"),
    ],
)
def test_a_mixture_that_is_none_is_not_taken(desk: Desk, mixture: str, said: str) -> None:
    choices = Choices(desk, {})
    choices.choose(MIXTURE)
    choices.mix("teacher=llm,rest=embedded")
    assert choices.wrong == {}
    choices.mix(mixture)
    assert said in str(choices.wrong["policy"])
    assert desk.policy == "teacher=llm,rest=embedded"
    choices.choose("embedded")
    assert choices.wrong == {}


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        *(("llm.temperature", text) for text in ("2.1", "-1", "warm", "nan", "inf", "[1]")),
        *(("llm.concurrency", text) for text in ("0", "1.5", "-3", "many", "5000")),
        *(("llm.budget.usd", text) for text in ("-1", "a lot", "nan", "1,50")),
        *(("llm.budget.tokens", text) for text in ("-1", "1.5", "1e3x")),
        ("llm.budget.requests", "none"),
        ("llm.fidelity", "quick"),
        *(
            ("llm.base_url", text)
            for text in ("example", "ftp://localhost/v1", "http://user:pass@localhost/v1", "http://localhost/?key=1")
        ),
        ("llm.model", "x" * 401),
    ],
)
def test_a_bad_value_is_told_and_not_taken(desk: Desk, field: str, wrong: str) -> None:
    choices = Choices(desk, {})
    choices.choose("llm")
    choices.put(field, wrong)
    assert field in choices.wrong
    assert (desk.llm, choices.texts) == ({}, {})
    choices.put(field, "")
    assert choices.wrong == {}


def test_good_values_reach_the_lesson(desk: Desk) -> None:
    choices = Choices(desk, {})
    choices.choose("llm")
    given = {
        "llm.base_url": "http://localhost:9/v1",
        "llm.model": "4",
        "llm.concurrency": "8",
        "llm.budget.usd": "1.5",
        "llm.fidelity": "staged",
        "llm.temperature": "0",
        "llm.budget.tokens": "1000",
        "llm.budget.requests": "7",
        "llm.told_of_harm": "true",
    }
    assert set(given) == set(FIELDS)
    for field, text in given.items():
        choices.put(field, text)
    told = choices.wrong.pop("llm.budget.usd")
    assert "price of the model '4'" in str(told)  # a model that is called like a number is still a name
    assert set(choices.texts) == set(FIELDS) - {"llm.budget.usd"}
    llm = load_scenario(settings=desk.llm).settings.llm
    assert (llm.model, llm.base_url, llm.concurrency) == ("4", "http://localhost:9/v1", 8)
    assert (llm.fidelity, llm.temperature) == ("staged", 0.0)
    assert (llm.budget.tokens, llm.budget.requests, llm.told_of_harm) == (1000, 7, True)
    choices.put("llm.model", "gpt-4o-mini")
    choices.put("llm.budget.usd", "1.5")
    assert choices.wrong == {}
    choices.put("llm.model", "of nobody's making")
    assert "price" in str(choices.wrong["llm.model"])
    assert choices.model_settings.model == "gpt-4o-mini"
    choices.choose("words=local,rest=embedded")
    of_any = {"llm.fidelity", "llm.temperature", "llm.budget.tokens", "llm.budget.requests", "llm.told_of_harm"}
    assert set(desk.llm) == of_any
    choices.choose("embedded")
    assert desk.llm == {}


def test_a_class_is_sent_only_where_the_environment_says_or_to_this_machine(desk: Desk) -> None:
    choices = Choices(desk, {"OPENAI_BASE_URL": "https://models.school.example/v1", "OPENAI_API_KEY": KEY})
    choices.choose("llm")
    choices.put("llm.base_url", "https://elsewhere.example/v1")
    assert "elsewhere.example" in str(choices.wrong["llm.base_url"])
    assert KEY not in str(choices.wrong["llm.base_url"])
    for fine in ("https://models.school.example/other/v1", "http://127.0.0.1:1234/v1", ""):
        choices.put("llm.base_url", fine)
        assert choices.wrong == {}


@pytest.mark.parametrize("field", ["llm.model", "llm.base_url", "llm.temperature"])
def test_a_key_that_is_typed_is_neither_taken_nor_repeated(desk: Desk, field: str) -> None:
    choices = Choices(desk, {"OPENAI_API_KEY": "plain-word-as-key"})
    choices.choose("llm")
    for key in (KEY, "plain-word-as-key"):
        choices.put(field, key)
        assert "key" in str(choices.wrong[field])
        assert key not in str(choices.wrong[field])
        assert (desk.llm, choices.texts) == ({}, {})


def test_beginning_anew_uses_what_was_chosen_and_forgets_it_again(desk: Desk) -> None:
    lesson, choices = classroom_lesson(desk), Choices(desk, {})
    with serving(FakeServer(usual=answers())) as server:
        choices.choose("words=llm,rest=embedded")
        choices.put("llm.base_url", server.url)
        choices.put("llm.model", "small")
        choices.put("llm.temperature", "0.1")
        lesson.begin_anew(desk.policy, desk.llm)
        assert lesson.error is None
        spec = lesson.player.run.spec
        assert (spec.policy, spec.scenario.settings.llm.model) == ("words=llm,rest=embedded", "small")
        assert spec.scenario.settings.llm.temperature == 0.1
        lesson.player.play(until=(1, 1))
        assert lesson.player.wait(PATIENCE) == "paused"
        assert server.requests
    choices.choose("embedded")
    lesson.begin_anew(desk.policy, desk.llm)
    spec = lesson.player.run.spec
    assert (spec.policy, spec.scenario.settings.llm.model) == ("embedded", None)
    lesson.close()


# --- what is found out ---


def ask(server: FakeServer, *, patience: float = PATIENCE, key: str = "") -> Tried:
    env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": key}
    return try_model("llm", LanguageModel(model="small"), env, patience=patience)


def test_one_small_call_is_really_made() -> None:
    with serving(FakeServer(usual=says("Good morning, class!", usage=(14, 5, 0)))) as server:
        tried = ask(server, key=KEY)
        again = ask(server, key=KEY)
    assert (tried.model, tried.said, tried.tokens_in, tried.tokens_out) == ("small", "Good morning, class!", 14, 5)
    assert tried.server == f"127.0.0.1:{server.port}"
    assert 0 < tried.seconds < PATIENCE
    assert again.said == tried.said
    assert len(server.requests) == 2  # nothing is remembered
    assert server.requests[0]["max_tokens"] == 1024, "room for a model that thinks first"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}"), "does not accept the key"),
        (fails(404, "no such model"), "no such model"),
        (fails(429, "slow down", retry_after="1"), "rate limit"),
        (fails(500), "failed"),
        (fails(400, f"bad request with {KEY}"), "refused"),
    ],
)
def test_a_failure_is_told_with_its_mend_and_without_the_key(behaviour: Any, said: str) -> None:
    with serving(FakeServer(usual=behaviour)) as server, pytest.raises(PolicyError) as caught:
        ask(server, key=KEY)
    assert said in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def test_an_echoed_key_is_not_shown() -> None:
    with serving(FakeServer(usual=says(f"You are {KEY} {HOSTILE}"))) as server:
        tried = ask(server, key=KEY)
    assert KEY not in tried.said
    assert any(HOSTILE in text for text in texts(tried_tree(tried, T)))


def test_nobody_there_and_a_server_that_is_too_slow_are_told_in_time() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    with pytest.raises(PolicyError, match="cannot be reached"):
        try_model("llm", LanguageModel(model="small", base_url=url), {})
    with serving(FakeServer(usual=silent())) as server, pytest.raises(PolicyError, match=r"silent|too long"):
        ask(server, patience=0.3)  # who would be silent for ever


def settle(trial: Trial, what: str) -> Asked:
    until = time.monotonic() + 6 * PATIENCE
    while (asked := getattr(trial, what)).busy:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert isinstance(asked, Asked)
    return asked


def test_a_trial_knows_what_it_was_made_for(desk: Desk) -> None:
    choices = Choices(desk, {})
    trial = Trial(desk, choices, patience=PATIENCE)
    with serving(FakeServer(usual=says("Hello."))) as server:
        choices.choose("llm")
        choices.put("llm.base_url", server.url)
        choices.put("llm.model", "small")
        trial.try_it()
        asked = settle(trial, "call")
    assert asked.error is None
    assert asked.found.said == "Hello."
    assert asked.about == trial.about
    choices.put("llm.temperature", "1")
    assert asked.about != trial.about
    trial.try_it()
    assert "cannot be reached" in str(settle(trial, "call").error)


def test_a_lesson_is_estimated_without_a_model(desk: Desk) -> None:
    classroom_lesson(desk).begin(load_scenario(steps=2, settings={"pacing.mode": "fixed"}), 1)
    choices = Choices(desk, {})
    trial = Trial(desk, choices)
    choices.choose("llm")
    choices.put("llm.model", "gpt-4o-mini")
    found = []
    for fidelity in ("fused", "staged"):
        choices.put("llm.fidelity", fidelity)
        trial.reckon()
        asked = settle(trial, "estimate")
        assert asked.error is None
        found.append(asked.found)
    fused, staged = found
    assert (fused.steps, staged.steps) == (2, 2)
    assert 0 < fused.calls < staged.calls
    assert fused.cost_usd is not None
    choices.choose("words=llm,rest=embedded")
    trial.reckon()
    assert 0 < settle(trial, "estimate").found.calls < staged.calls
    classroom_lesson(desk).close()


# --- what is shown ---


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_trees_speak_both_languages(language: str) -> None:
    t = load_words(language)
    free = Estimate(
        "fused", 3, 40, 10, 9000, 100, {"least": 1, "likely": 2, "most": 3}, {"least": 0, "likely": 0, "most": 0}
    )
    unpriced = Estimate("fused", 3, 400, 100, 9000)
    for tree in (
        choices_tree("llm", t),
        key_tree(True, t),
        key_tree(False, t),
        tried_tree(Tried("m", "", 1.0, "", None, None), t),
        estimate_tree(free, 1.5, 8, t),
        estimate_tree(unpriced, 90.0, 1, t),
        house_tree("/a/b.study", "http://127.0.0.1:8765", False, t),
    ):
        shown = " ".join(texts(tree))
        assert "{" not in shown
        assert "settings." not in shown


def test_who_can_reach_the_dashboard_is_said() -> None:
    def reach(address: str, guarded: bool) -> str:
        return " ".join(texts(house_tree("a.study", address, guarded, T)))

    assert T("settings.house.near") in reach("http://127.0.0.1:1", False)
    assert T("settings.house.near_token") in reach("http://[::1]:1", True)
    assert T("settings.house.open") in reach("http://school-pc:1", True)


# --- what the classroom does with it ---


def test_a_lesson_of_a_model_that_nobody_has_named_is_not_played_by_another(desk: Desk) -> None:
    lesson, choices = classroom_lesson(desk), Choices(desk, {})
    choices.choose("llm")
    lesson.begin_anew(desk.policy, desk.llm)
    assert isinstance(lesson.error, NoModelError)
    assert lesson.barred
    lesson.play()
    lesson.step()
    assert lesson.player.status == "ready"
    assert len(lesson.film) == 1
    lesson.keep_to_it()
    lesson.step()
    assert lesson.player.wait(PATIENCE)
    assert str(lesson.error) == "None"
    assert len(lesson.film) == 2


def test_what_could_not_be_begun_is_begun_when_the_model_has_a_name(desk: Desk) -> None:
    lesson, choices = classroom_lesson(desk), Choices(desk, {})
    choices.choose("llm")
    lesson.begin(load_scenario("collab_talk"), 7, desk.policy, desk.llm)
    assert lesson.scenario.name == "first_lesson"
    choices.put("llm.base_url", "http://127.0.0.1:9/v1")
    choices.put("llm.model", "some-model")
    lesson.follow(desk.policy, desk.llm)
    spec = lesson.player.run.spec
    assert (lesson.barred, lesson.error) == (False, None)
    assert (spec.scenario.name, spec.seed, spec.policy) == ("collab_talk", 7, "llm")


def test_a_lesson_that_is_still_being_laid_out_is_answered_by_who_was_chosen_last(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine its player's thread has not begun when the page asks."""
    monkeypatch.setattr(LessonPlayer, "status", "loading")
    lesson, choices = classroom_lesson(desk), Choices(desk, {})
    choices.choose("words=local,rest=embedded")
    lesson.follow(desk.policy, desk.llm)
    assert lesson.player.run.spec.policy == "words=local,rest=embedded"


def test_a_lesson_that_nobody_has_played_is_answered_by_who_was_chosen_last(desk: Desk) -> None:
    lesson, choices = classroom_lesson(desk), Choices(desk, {})
    lesson.follow(desk.policy, desk.llm)
    first = lesson.player
    choices.choose("words=local,rest=embedded")
    lesson.follow(desk.policy, desk.llm)
    assert lesson.player is not first
    assert lesson.player.run.spec.policy == "words=local,rest=embedded"
    choices.choose("embedded")
    lesson.follow(desk.policy, desk.llm)
    lesson.step()
    assert lesson.player.wait(PATIENCE)
    played = lesson.player
    choices.choose("local")
    lesson.follow(desk.policy, desk.llm)
    assert lesson.player is played
