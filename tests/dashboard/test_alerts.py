"""Calls for help in the dashboard: of seats, of talks with a learner, of groups that are joined. Without a browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from eduverse_mesa.dashboard.alert_banner import alarms_tree, kind_tree, list_tree
from eduverse_mesa.dashboard.answerers import Answering
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.pages.groups.dialogue import PACES, Meeting, meeting_of
from eduverse_mesa.dashboard.pages.learner.school import SchoolPlan, open_school
from eduverse_mesa.dashboard.pages.learner.work import Bench, OwnTalk, bench_of
from eduverse_mesa.dashboard.pages.seat.seat import care_tree
from eduverse_mesa.dashboard.pages.settings.choices import Choices
from eduverse_mesa.dashboard.run_names import run_name
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.decisions.groups import Message
from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies.embedded.groups.gentleness import CARE
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases
from eduverse_mesa.policies.human import Act
from eduverse_mesa.runs.groups import begin_talk
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.scenarios.scenario import LanguageModel
from eduverse_mesa.store import Study, Verdict
from eduverse_mesa.store.alerts import Adult, add_alert, alert_at, all_alerts, verdicts_on
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from eduverse_mesa.web.alerts import verdicts_said
from tests.dashboard.test_group_meeting import FREE, JOINED, resting, until
from tests.dashboard.test_learner_bench import name_of
from tests.dashboard.test_learner_bench import resting as rested
from tests.policies.llm.fake_server import FakeServer
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.model_servers import answers, serving
from tests.runs.test_collaboration import spec
from tests.runs.test_live import sensible

TOLD = "my stepdad hits me with his belt"
T = load_words("en")


@pytest.fixture
def office(tmp_path: Path) -> Office:
    made = Office()
    made.study = str(tmp_path / "a.study")
    return made


def test_what_is_typed_in_a_seat_waits_until_somebody_settles_it_also_after_a_restart(office: Office) -> None:
    lesson = LiveLesson(office.study, course(lessons=1, steps=2), SEED)
    told: list[int] = []
    office.alerts.changed.listen(lambda: told.append(1))
    office.lessons.add(lesson)
    place = lesson.join(lesson.invite(label="Ann").token, "s")
    assert office.alerts.waiting() == []
    place.overhear([TOLD])
    [alarm] = office.alerts.waiting()
    assert told
    assert (alarm.alert.text, alarm.place, alarm.about) == (TOLD, "lesson", place.agent)
    lesson.close()
    again = Office()
    again.study = office.study
    [same] = again.alerts.waiting()
    again.alerts.settle(same.alert.id, "false")
    assert again.alerts.waiting() == office.alerts.waiting() == []
    with Study.open(office.study) as study:
        [kept] = all_alerts(study)
    assert (kept.verdict, kept.settled_by) == ("false", "host")


def test_what_could_not_be_written_waits_as_well(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StudyError("the disk is full.")

    lesson = office.lessons.add(LiveLesson(office.study, course(lessons=1, steps=2), SEED))
    place = lesson.join(lesson.invite(label="Ann").token, "s")
    monkeypatch.setattr("eduverse_mesa.runs.seats_for_people.add_alert", full)
    place.overhear([TOLD])
    [alarm] = office.alerts.waiting()
    office.alerts.settle(alarm.alert.id, "seen")
    assert office.alerts.waiting() == []
    lesson.close()


def test_a_pupils_call_is_its_teachers_and_no_study_is_made_for_a_look(office: Office) -> None:
    from tests.store.test_alerts import a_class, said

    assert office.alerts.waiting() == []
    assert office.alerts.adult == Adult()
    assert not Path(office.study).exists()
    with Study.open(office.study, create=True) as study:
        a_class(study, "Ms Li", "ann")
        said(study, "run of ann", 1, TOLD, alarming=True)
    assert office.alerts.waiting() == []
    with open_study(office.study) as opened:
        begin_talk(opened, spec(), "free")
        add_alert(opened.study, alert_at("free", (1, 1), "Noa", TOLD))
    assert [one.alert.run for one in office.alerts.waiting()] == ["free"]


# --- a talk with a learner ---


def begin_a_talk(office: Office, answering: Answering) -> tuple[Bench, OwnTalk]:
    bench = bench_of(Desk("somebody", office))
    bench.school = school = open_school(SchoolPlan(learners=1))
    bench.name = name_of(school)
    bench.sit_down(school.setup.curriculum.units_of(school.learner(bench.name).grade)[0].id, 0, answering)
    rested(bench)
    assert bench.error is None
    assert bench.talk is not None
    return bench, bench.talk


def say(bench: Bench, text: str) -> None:
    bench.typed = text
    bench.say()
    rested(bench)
    assert bench.error is None


def test_no_model_reads_what_is_told_to_a_learner_nor_the_rest_of_the_talk(office: Office) -> None:
    with serving(FakeServer(usual=answers())) as server:
        answering = Answering("reply=llm,rest=embedded", LanguageModel(base_url=server.url, model="m"))
        bench, talk = begin_a_talk(office, answering)
        say(bench, "Hello, what do you know?")
        before = len(server.requests)
        assert before
        for text in (TOLD, "it is since may", "What is a cloud?"):
            say(bench, text)
        assert len(server.requests) == before
        sent = json.dumps(server.requests)
    said = [line.text for line in talk.lines if line.speaker == "tutor"]
    assert TOLD not in sent
    assert said == ["Hello, what do you know?", "it is since may", "What is a cloud?"]
    assert office.alerts.told_in(talk)
    assert not talk.kept_out, "the last words were said"
    [alarm] = office.alerts.waiting()
    assert (alarm.alert.text, alarm.place, alarm.about) == (TOLD, "learner", talk.name)
    told = json.dumps(alarms_tree([alarm], T), ensure_ascii=False)
    assert T("alerts.somebody_may_need_help") in told, "it is not the learner who may need help"
    office.alerts.settle(alarm.alert.id, "seen")
    assert office.alerts.waiting() == []


def test_a_false_alarm_lets_the_talk_with_a_learner_go_on_as_before(office: Office) -> None:
    with serving(FakeServer(usual=answers())) as server:
        answering = Answering("reply=llm,rest=embedded", LanguageModel(base_url=server.url, model="m"))
        bench, talk = begin_a_talk(office, answering)
        say(bench, TOLD)
        assert talk.kept_out
        [alarm] = office.alerts.waiting()
        office.alerts.settle(alarm.alert.id, "false")
        assert not office.alerts.told_in(talk)
        say(bench, "What is a cloud?")
        assert server.requests, "the model answers again"
        before = len(server.requests)
        office.alerts.settle(alarm.alert.id, "")
        assert office.alerts.told_in(talk)
        say(bench, "What is rain?")
        assert len(server.requests) == before


def test_where_it_is_allowed_the_learner_hears_it_and_the_alert_is_raised(office: Office) -> None:
    answering = Answering("embedded", LanguageModel(told_of_harm=True))
    bench, talk = begin_a_talk(office, answering)
    say(bench, TOLD)
    assert TOLD in [line.text for line in talk.lines]
    assert len(office.alerts.waiting()) == 1


# --- a group that is joined ---


def test_a_group_that_is_joined_raises_it_in_memory_and_in_its_study_once_it_is_kept(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PACES, "calm", 10_000.0)
    office.alerts.name_adult(Adult("Ms Lee"))
    meeting = meeting_of(Desk("somebody", office))
    meeting.begin(JOINED, FREE)
    assert resting(meeting).error is None
    meeting.typed = TOLD
    meeting.say()
    until(meeting, lambda: bool(office.alerts.waiting()))
    until(meeting, lambda: meeting.talk is not None and meeting.talk.quiet)
    assert meeting.talk is not None
    assert "Ms Lee" in meeting.talk.model.dialogue[-1].text
    resting(meeting)
    [alarm] = office.alerts.waiting()
    assert (alarm.place, alarm.alert.run) == ("group", "")
    meeting.keep(office.study)
    assert resting(meeting).error is None
    [kept] = office.alerts.waiting()
    assert kept.alert.run == meeting.talk.run


def said_harm(office: Office, monkeypatch: pytest.MonkeyPatch) -> Meeting:
    """A group at a desk, in which the person has told of harm and was answered."""
    monkeypatch.setitem(PACES, "calm", 10_000.0)
    meeting = meeting_of(Desk("somebody", office))
    meeting.begin(JOINED, FREE)
    assert resting(meeting).error is None
    tell(meeting, TOLD)
    assert office.alerts.waiting()
    return meeting


def tell(meeting: Meeting, text: str) -> None:
    """Say something, and stop the group where it was answered."""
    before = len(dialogue(meeting))
    meeting.typed = text
    meeting.say()
    until(meeting, lambda: len(dialogue(meeting)) > before + 1)
    meeting.pause()
    assert resting(meeting).error is None
    assert dialogue(meeting)[before].text == text


def dialogue(meeting: Meeting) -> Sequence[Message]:
    assert meeting.talk is not None
    return meeting.talk.model.dialogue


def quiet(meeting: Meeting) -> bool:
    return meeting.talk is not None and meeting.talk.quiet


def cares(meeting: Meeting) -> bool:
    """The peers have nothing but words of care for what was said last."""
    phrases = load_phrases("en")
    heads = {re.split(r"[{.!]", line)[0] for move in CARE for line in phrases.at("moves", move)}
    return any(head and dialogue(meeting)[-1].text.startswith(head) for head in heads)


@pytest.mark.parametrize("kept", [False, True])
def test_a_false_alarm_releases_a_group_and_to_take_it_back_holds_it_again(
    kept: bool, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting = said_harm(office, monkeypatch)
    assert meeting.talk is not None
    if kept:
        meeting.keep(office.study)
        assert resting(meeting).error is None
    tell(meeting, "what do we have to find out?")
    assert quiet(meeting)
    [alarm] = office.alerts.waiting()
    office.alerts.settle(alarm.alert.id, "false")
    assert office.alerts.waiting() == []
    assert meeting.talk.due is None
    meeting.play()
    until(meeting, lambda: meeting.talk is not None and meeting.talk.due is not None)
    meeting.pause()
    assert resting(meeting).error is None
    tell(meeting, "what do we have to find out?")
    assert not quiet(meeting)
    assert not cares(meeting)
    [same] = office.alerts.all()
    office.alerts.settle(same.alert.id, "")
    assert len(office.alerts.waiting()) == 1
    tell(meeting, "okay, go on")
    assert quiet(meeting)
    meeting.go_back()
    assert resting(meeting).error is None
    tell(meeting, "hi")
    assert quiet(meeting)


def test_a_verdict_is_kept_when_a_dialogue_is_kept_later(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = said_harm(office, monkeypatch)
    [alarm] = office.alerts.waiting()
    office.alerts.settle(alarm.alert.id, "false")
    meeting.keep(office.study)
    assert resting(meeting).error is None
    [kept] = office.alerts.all()
    assert (kept.alert.verdict, kept.alert.settled_by) == ("false", "host")
    tell(meeting, "what do we have to find out?")
    assert meeting.talk is not None
    assert not quiet(meeting)


def test_a_verdict_is_about_the_words_that_were_typed_and_about_no_others(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting = said_harm(office, monkeypatch)
    [alarm] = office.alerts.waiting()
    office.alerts.settle(alarm.alert.id, "false")
    meeting.begin(JOINED, FREE)
    assert resting(meeting).error is None
    tell(meeting, f"help, {TOLD} and with a stick")
    assert meeting.talk is not None
    assert quiet(meeting), "another dialogue, and its message of the same number"
    meeting.keep(office.study)
    assert resting(meeting).error is None
    assert {(one.alert.run != "", one.alert.verdict) for one in office.alerts.all()} == {(True, ""), (False, "false")}


# --- what is shown ---


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_the_banner_names_the_person_and_where_it_was(
    language: str, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    t = load_words(language)
    meeting = said_harm(office, monkeypatch)
    assert meeting.talk is not None
    for _ in range(2):
        told = json.dumps(alarms_tree(office.alerts.waiting(), t), ensure_ascii=False)
        assert t("alerts.may_need_help", name=meeting.seat) in told
        assert t("alerts.group", name="").rstrip("”") in told.replace(meeting.talk.model.problem.title, "")
        meeting.keep(office.study)
        assert resting(meeting).error is None
    office.alerts.settle(office.alerts.waiting()[0].alert.id, "seen")
    lesson = office.lessons.add(LiveLesson(office.study, course(lessons=1, steps=2), SEED))
    place = lesson.join(lesson.invite(label="Ann").token, "s")
    place.overhear([TOLD])
    [alarm] = office.alerts.waiting()
    told = json.dumps(alarms_tree([alarm], t), ensure_ascii=False)
    assert t("alerts.may_need_help", name="Ann") in told
    assert alarm.card is not None
    assert t("alerts.lesson_called", title=run_name(alarm.card, t), name=place.agent or "") in told
    lesson.close()


def test_the_care_note_says_that_words_were_kept_out_only_of_those_that_were(office: Office) -> None:
    lesson = office.lessons.add(LiveLesson(office.study, course(lessons=1, steps=3, **{"people.wait": 20.0}), SEED))
    place = lesson.join(lesson.invite(label="Ann").token, "s")
    lesson.player.play()

    def note() -> str:
        return json.dumps(care_tree(office.alerts, place, T), ensure_ascii=False)

    def answer(text: str) -> None:
        waited = time.monotonic() + PATIENCE
        while not isinstance((question := place.question()) and question.form, str) or (
            question is not None and question.form != "act"
        ):
            assert time.monotonic() < waited
            if question is not None:
                place.reply(sensible(question), question.id)
            time.sleep(0.005)
        assert question is not None
        reply = sensible(question)
        assert isinstance(reply, Act)
        spoken = next((one for one in ("answer_question", "chat") if one in question.permitted), reply.behaviour)
        place.reply(replace(reply, behaviour=spoken, words=text, thought=""), question.id)

    thanks, not_said = T("alerts.help.thanks"), T("alerts.help.kept")
    assert thanks not in note()
    answer(TOLD)
    assert thanks in note()
    assert not_said in note()
    answer("The spring is warm.")
    assert thanks in note()
    assert not_said not in note()
    [alarm] = office.alerts.waiting()
    office.alerts.settle(alarm.alert.id, "false")
    assert thanks not in note()
    office.alerts.settle(alarm.alert.id, "")
    assert thanks in note()
    lesson.close()


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_all_calls_for_help_are_listed_with_what_was_made_of_them(language: str, office: Office) -> None:
    t = load_words(language)
    assert t("alerts.none") in json.dumps(list_tree(office.alerts.all(), t), ensure_ascii=False)
    office.alerts.listen_in(TOLD, "learner", "Mia", of=office)
    [alarm] = office.alerts.all()
    for verdict, way in (("false", "take_back"), ("", "false_alarm"), ("seen", "take_back")):
        office.alerts.settle(alarm.alert.id, cast("Verdict", verdict))
        assert f"{way} {alarm.alert.id}" in json.dumps(list_tree(office.alerts.all(), t))
    [last] = office.alerts.all()
    assert [one[0] for one in verdicts_on(last.alert)] == ["false", "", "seen"]
    said = json.dumps(list_tree([last], t), ensure_ascii=False)
    assert all(one in said for one in verdicts_said(t, last.alert))
    office.alerts.settle(alarm.alert.id, "false")
    assert office.alerts.all() == [last], "who was first stays"


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_text_is_shown_as_text_in_both_languages(language: str, office: Office) -> None:
    t = load_words(language)
    markup = "<img src=x onerror=alert(1)> {name}"
    office.alerts.listen_in(f"{TOLD} {markup}", "group", markup, of=office)
    tree = json.dumps(alarms_tree(office.alerts.waiting(), t), ensure_ascii=False)
    assert markup in tree
    assert t("alerts.see_to_it") in tree
    for _ in range(4):
        office.alerts.listen_in(TOLD, "learner", "x", of=office)
    assert t("alerts.more", n=2) in json.dumps(alarms_tree(office.alerts.waiting(), t), ensure_ascii=False)
    kind = json.dumps(kind_tree(Adult("Ms <b>Lee</b>", "room 12", "116 111"), t, "kept"), ensure_ascii=False)
    assert all(one in kind for one in ("Ms <b>Lee</b>", "room 12", "116 111", t("alerts.help.kept")))


def test_the_adult_is_named_once_and_remembered(office: Office) -> None:
    office.alerts.name_adult(Adult("Ms Lee", "room 12"))
    again = Office()
    again.study = office.study
    assert again.alerts.adult == Adult("Ms Lee", "room 12")
    with pytest.raises(StudyError):
        office.alerts.name_adult(Adult("x" * 81))


def test_what_tells_of_harm_goes_to_a_model_only_where_that_was_chosen(office: Office) -> None:
    desk = Desk("somebody", office)
    choices = Choices(desk, {"OPENAI_API_KEY": "x"})
    choices.choose("llm")
    found = [choices.model_settings.told_of_harm]
    for text in ("true", "false"):
        choices.put("llm.told_of_harm", text)
        found.append(choices.model_settings.told_of_harm)
    assert found == [False, True, False]
