"""Policies by name, and mixtures of them: who answers what, who finds the words, and what names are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from eduverse_mesa.decisions import DECISIONS, Answer, FedBack, FeedbackItem, Said, Turned, Usage
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies import by_agent, by_kind, make_policy, settle
from eduverse_mesa.policies.driver import has_to_wait
from eduverse_mesa.policies.llm.calls import CallFailedError
from eduverse_mesa.policies.mixture import WORDED, word
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.policies.registry import GROUPS, AnySettings, policy_parts
from eduverse_mesa.scenarios.scenario import LanguageModel, Settings
from tests.models.lessons import lesson, log, played, scripted
from tests.policies.llm.rehearsal import Rehearsal, Twist, policy_with

SAID = "I think that it is about what we have read."


def mixture(policy: str, twist: Twist | None = None, **more: Any) -> AnyPolicy:
    """A mixture in which the language models are stand-ins."""
    makers = {name: lambda _, name=name: policy_with(Rehearsal(twist), name=name, **more) for name in ("llm", "local")}
    return make_policy(policy, None, PEOPLE, makers)


PEOPLE = ("Ms Lin", "Zhang Jie", "Liu Li", "Wang Fang", "Li Wei", "Zhang Tao", "Zhang Yan")


def sources(policy: str, agent: str | None = None) -> Mapping[str, str]:
    """Who answered each kind of decision; one source for each kind."""
    model = played(mixture(policy), steps=5, settings={"pacing.mode": "adaptive"})
    found: dict[str, set[str]] = {}
    for entry in log(model):
        if agent is None or entry.agent == agent:
            found.setdefault(entry.kind, set()).add(entry.answer.source)
    for by in found.values():
        if len(by) > 1:  # feedback to nobody needs no words
            by.discard("embedded")
        assert len(by) == 1, found
    return {kind: by.pop() for kind, by in found.items()}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_answers_its_kinds_and_the_rest_the_others(group: str) -> None:
    for kind, source in sources(f"{group}=llm").items():
        if group == "words" and kind in WORDED:
            assert source == "embedded+llm"
        else:
            assert source == ("llm" if kind in GROUPS[group] else "embedded"), kind


@pytest.mark.parametrize("kind", ["plan", "monitor", "pace", "prepare", "summarise"])
def test_a_kind_alone(kind: str) -> None:
    assert {name for name, source in sources(f"{kind}=llm").items() if source == "llm"} == {kind}


def test_the_rest_may_be_given_first_or_last() -> None:
    assert sources("rest=llm,plan=embedded") == sources("plan=embedded,rest=llm")
    assert sources("rest=llm,plan=embedded")["plan"] == "embedded"
    assert sources("rest=llm,plan=embedded")["monitor"] == "llm"


def test_an_agents_own_policy_goes_before_a_kinds_and_a_kinds_before_its_groups() -> None:
    policy = "students=llm,plan=embedded,@Liu Li=local"
    model = played(mixture(policy), steps=3)
    by = {(entry.agent == "Liu Li", entry.kind): entry.answer.source for entry in log(model)}
    assert by[True, "plan"] == by[True, "monitor"] == "local"
    assert by[False, "plan"] == "embedded"
    assert by[False, "monitor"] == "llm"
    assert by[False, "take_turn"] == "embedded"


@pytest.mark.parametrize("policy", ["words=llm,teacher=local", "teacher=local,words=llm"])
def test_words_are_found_for_whoever_chooses_in_whichever_order_they_are_named(policy: str) -> None:
    made = sources(policy)
    assert made["take_turn"] == "local+llm"
    assert made["prepare"] == "local"
    assert made["draft"] == "llm"
    assert made["plan"] == "embedded"


@pytest.mark.parametrize("policy", ["words=llm,students=local", "students=local,words=llm"])
def test_words_of_students_too(policy: str) -> None:
    made = sources(policy)
    assert (made["draft"], made["style"], made["plan"]) == ("llm", "llm", "local")


def test_one_policy_in_two_places_is_one() -> None:
    rehearsals: list[Rehearsal] = []

    def maker(_: AnySettings) -> AnyPolicy:
        rehearsals.append(Rehearsal())
        return policy_with(rehearsals[-1])

    played(make_policy("words=llm,@Liu Li=llm", None, PEOPLE, {"llm": maker}), steps=2)
    assert len(rehearsals) == 1


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("embeded", "there is no policy 'embeded'. Did you mean 'embedded'?"),
        ("", "there is no policy ''."),
        ("plan=lm", "there is no policy 'lm'. Did you mean 'llm'?"),
        ("plans=llm", "'plans' is no kind of decision. Did you mean 'plan'?"),
        ("word=llm", "'word' is no kind of decision. Did you mean 'words'?"),
        ("words=llm,", "'' is not WHO=POLICY."),
        ("words=llm,embedded", "'embedded' is not WHO=POLICY."),
        ("plan=llm,plan=embedded", "'plan' is given twice."),
        ("rest=llm,rest=embedded", "'rest' is given twice."),
        ("@Liu Lee=llm", "there is no 'Liu Lee' in this class. Did you mean 'Liu Li'?"),
        ("@=llm", "there is no '' in this class."),
        ("plan=llm=local", "there is no policy 'llm=local'."),
    ],
)
def test_what_is_not_known_is_refused_with_the_nearest_that_is(policy: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        mixture(policy)
    assert message in str(caught.value)


def test_a_name_of_nobody_is_refused_when_a_lesson_is_made() -> None:
    with pytest.raises(PolicyError, match="there is no 'Nobody' in this class"):
        lesson("@Nobody=embedded")


def test_parts_may_have_spaces_and_names_too() -> None:
    assert policy_parts(" words = llm , @Liu Li = embedded ") == {
        "words": "llm",
        "@Liu Li": "embedded",
        "rest": "embedded",
    }
    assert policy_parts("embedded") == {"rest": "embedded"}


@pytest.mark.parametrize("policy", ["words=llm,@Liu Li=embedded", "plan=llm", "@Ms Lin=llm,rest=embedded"])
def test_a_mixture_is_recorded_under_the_name_that_makes_it_again(policy: str) -> None:
    assert mixture(policy).name == policy


def test_groups_name_kinds_that_exist() -> None:
    for kinds in GROUPS.values():
        assert set(kinds) <= set(DECISIONS)
    assert not set(GROUPS) & {*DECISIONS, "rest"}


def test_only_what_has_a_language_model_in_it_has_to_wait() -> None:
    assert not has_to_wait(make_policy("embedded"))
    assert not has_to_wait(make_policy("words=embedded,rest=embedded"))
    for policy in ("llm", "words=llm", "plan=llm,rest=embedded", "@Liu Li=llm", "rest=llm,words=embedded"):
        assert has_to_wait(mixture(policy)), policy


def test_settling_asks_the_environment_only_for_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(llm=LanguageModel(base_url="http://localhost:1/v1"))
    assert settle("embedded", settings) is settings
    with pytest.raises(PolicyError, match="no model is named"):
        settle("words=llm,rest=embedded", settings)
    monkeypatch.setenv("EDUVERSE_MODEL", "small")
    assert settle("words=llm,rest=embedded", settings).llm.model == "small"


# --- words for what another has chosen ---


def choices(model: Any) -> list[Any]:
    """What was decided in a lesson, without words, sources and statuses."""
    found = []
    for entry in log(model):
        outcome = entry.answer.outcome
        if isinstance(outcome, Turned):
            outcome = (outcome.category, outcome.act, outcome.tone, outcome.called, outcome.addressed, outcome.reason)
        if isinstance(outcome, FedBack):
            outcome = [(item.student, item.polarity, item.took_up) for item in outcome.items]
        if entry.kind in WORDED:
            found.append((entry.step, entry.kind, outcome))
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_wording_changes_no_choice(seed: int) -> None:
    """Not even that of a model which is asked for words and gives another turn."""

    def other_turn(decision: Any) -> Any:
        if decision.kind == "word_turn":
            said = (Said("You are all free to go."),)
            return Turned("management", "criticising", "critical", said, ("Zhang Yan",), ("Liu Li",), "why not")
        if decision.kind == "word_feedback":
            item = FeedbackItem("Nobody", "negative", (Said("You of all people!"),), True)
            return FedBack(
                (item, *(FeedbackItem(i.student, "negative", (Said("Bad."),), True) for i in decision.items))
            )
        return None

    embedded: Any = make_policy("embedded")
    worded = by_kind(dict.fromkeys(WORDED, word(embedded, scripted(other_turn))), embedded)
    first_alone = choices(played("embedded", steps=1, seed=seed))
    model = played(worded, steps=1, seed=seed)
    assert choices(model) == first_alone
    turns = [entry.answer.outcome for entry in log(model) if entry.kind == "take_turn"]
    assert {turn.sentences[0].text for turn in turns} == {"You are all free to go."}
    said = {item.sentences for e in log(model) if e.kind == "give_feedback" for item in e.answer.outcome.items}
    assert said <= {(Said("Bad."),)}


def one_turn(choose: AnyPolicy, speak: AnyPolicy) -> Answer:
    """The teacher's first turn, chosen by one and worded by another."""
    model = lesson(by_kind(dict.fromkeys(WORDED, word(choose, speak)), make_policy("embedded")))
    model.step()
    return next(entry.answer for entry in log(model) if entry.kind == "take_turn")


def test_both_are_named_and_paid_for() -> None:
    answer = one_turn(policy_with(Rehearsal(), name="local"), policy_with(Rehearsal()))
    assert (answer.source, answer.status) == ("local+llm", "ok")
    assert answer.usage == Usage.sum([Usage(100, 20, 60, 0.001, 5.0, 1)] * 2)
    assert answer.outcome.sentences[0].text == SAID


def test_where_no_words_come_and_nothing_may_stand_in_the_turn_has_failed() -> None:
    embedded: Any = make_policy("embedded")
    answer = one_turn(embedded, policy_with(Rehearsal(lambda call, _: "no"), otherwise="failed"))
    assert (answer.status, answer.outcome, answer.attempts) == ("failed", None, 3)


def test_where_no_words_come_the_embedded_policy_finds_them_and_that_is_said() -> None:
    embedded: Any = make_policy("embedded")
    alone = one_turn(embedded, embedded)
    answer = one_turn(embedded, policy_with(Rehearsal(lambda call, _: "no"), otherwise="fallback"))
    assert answer.status == "fallback"
    assert answer.reason == "there is no complete JSON object in it"
    assert answer.attempts == 3
    assert answer.outcome.sentences == alone.outcome.sentences


def test_words_that_were_repaired_say_so() -> None:
    twist: Twist = lambda call, _: "no" if len(call.messages) == 2 else None  # noqa: E731
    answer = one_turn(make_policy("embedded"), policy_with(Rehearsal(twist)))
    assert (answer.status, answer.attempts, answer.source) == ("repaired", 2, "embedded+llm")


def test_a_choice_that_failed_gets_no_words() -> None:
    failing = policy_with(Rehearsal(lambda call, _: "no"), otherwise="failed")
    speaker = Rehearsal()
    model = lesson(by_kind(dict.fromkeys(WORDED, word(failing, policy_with(speaker))), make_policy("embedded")))
    model.step()
    assert {entry.answer.status for entry in log(model) if entry.kind in WORDED} == {"failed"}
    assert speaker.calls == []


def test_a_speaker_in_hopeless_trouble_stops_the_run_in_a_mixture_too() -> None:
    gone = policy_with(Rehearsal(lambda call, _: CallFailedError("nobody is there", "endpoint")))
    with pytest.raises(PolicyError, match="nobody is there"):
        one_turn(make_policy("embedded"), gone)
    with pytest.raises(PolicyError, match="nobody is there"):
        played(by_agent({"Liu Li": gone}, policy_with(Rehearsal())), steps=2)


def test_what_has_no_words_is_not_put_into_words() -> None:
    embedded: Any = make_policy("embedded")
    with pytest.raises(PolicyError, match="'prepare' is not put into words"):
        played(word(embedded, policy_with(Rehearsal())))


def test_choosing_and_speaking_by_one_policy_is_that_policy() -> None:
    policy = policy_with(Rehearsal())
    assert word(policy, policy) is policy


def test_a_fused_model_that_only_speaks_is_asked_once_for_words() -> None:
    rehearsal = Rehearsal()
    model = played(make_policy("words=llm", None, PEOPLE, {"llm": lambda _: policy_with(rehearsal)}), steps=4)
    drafted = [entry for entry in log(model) if entry.kind == "draft"]
    assert sum(call.name == "say" for call in rehearsal.calls) == len(drafted) > 0
    assert {call.name for call in rehearsal.calls} <= {"say", "word_turn", "word_feedback"}


def test_a_lesson_of_a_mixture_is_driven_in_a_loop_as_well() -> None:
    async def steps() -> Any:
        model = lesson(mixture("words=llm,@Liu Li=local"), steps=3)
        while model.running:
            await model.step_async()
        return model

    assert log(asyncio.run(steps())) == log(played(mixture("words=llm,@Liu Li=local"), steps=3))
