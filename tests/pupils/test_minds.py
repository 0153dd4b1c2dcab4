"""Peers on the pages that think with a language model: served by a real endpoint, and waited for when it is gone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from eduverse_mesa.decisions.groups import Utter, Uttered
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.groups.wording import utter
from eduverse_mesa.policies.llm.rehearsal import rehearsal_server
from eduverse_mesa.pupils import dialogues
from eduverse_mesa.pupils.dialogues import HERE, Minds
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import OpenStudy, open_study, run_cards
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.scenario import LanguageModel
from eduverse_mesa.store import Study
from eduverse_mesa.store.classwork import consent, has_consented
from eduverse_mesa.store.dialogues import set_reader
from tests.models.groups import Instead, setup
from tests.pupils.mathematics import Client, School, apart, served


class Moody(Minds):
    """Everybody's words fail a few times, as a server's do that is being started."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.left = failures

    def of(self, setup: Collaboration) -> Instead:
        return Instead(utter=self._utter)

    def _utter(self, decision: Utter) -> Uttered:
        if self.left:
            self.left -= 1
            raise PolicyError("nobody is there.", mend="Start it.")
        return utter(decision)


def test_peers_that_cannot_answer_are_waited_for_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dialogues, "AGAIN", 0.0)
    with open_study(str(tmp_path / "s.study"), create=True) as opened:
        begin_talk(opened, GroupSpec(setup(people=["Mia"], wait_alone=0, wait_shared=0), 1), "r")
        seen: list[dialogues.Snapshot] = []
        apart(lambda: seen.extend(asyncio.run(asyncio.wait_for(_until_a_peer_speaks(opened, Moody(2)), 120))))
    away = [one.failed for one in seen]
    assert True in away, "it is told"
    assert away[-1] is False, "and taken back"
    said = [(row.step, row.speaker) for one in seen for row in one.messages]
    assert said[0] == (1, "Mia")
    assert [step for step, _ in said] == list(range(1, len(said) + 1)), "nothing twice, nothing left out"
    (line,) = caplog.messages
    assert "PolicyError (test_minds.py:" in line, "one line an outage, which says what and where"
    assert "nobody is there" not in line, "and nothing of what students may have written"


async def _until_a_peer_speaks(opened: OpenStudy, minds: Minds) -> list[dialogues.Snapshot]:
    made = dialogues.Dialogues(opened, typing=0, minds=minds)
    driving = asyncio.create_task(made.drive())
    seen: list[dialogues.Snapshot] = []
    made.say("r", "Mia", "what do we have to do, Alice?", "first")
    while not any(row.speaker != "Mia" for one in seen for row in one.messages):
        last = max((row.step for one in seen for row in one.messages), default=0)
        async for standing in made.watch("r", last, lambda: True):  # it ends where a step was broken off
            if standing is not None:
                seen.append(standing)
            if standing is not None and any(row.speaker != "Mia" for row in standing.messages):
                break
    driving.cancel()
    return seen


def test_a_model_speaks_for_the_peers_of_a_class(tmp_path: Path) -> None:
    school = School(tmp_path / "s.study", "kiwi", policy="peers=llm,rest=embedded")
    with (
        rehearsal_server(0.0) as url,
        served(school.path, "--policy", "peers=llm,rest=embedded", "--base-url", url, "--model", "small") as server,
    ):
        kiwi = Client(server.port, "kiwi")
        assert "a language model" in kiwi.get(f"/work/{school.work.id}/1").text, "told before anything is written"
        run = kiwi.begin(school.work.id).run
        kiwi.say(run, "what do we have to do, Alice?", "12345678")
        said = kiwi.events(run, 0, enough=2)
    assert [one["speaker"] for one in said] == ["kiwi", "Alice"]
    assert said[1]["text"].strip()
    with open_study(str(school.path)) as opened:
        answers = opened.recording(run).answers
        bill = next(card.bill for card in run_cards(opened) if card.id == run).closed()
    taken = [one.answer.usage for one in answers if one.answer.usage is not None]
    told = sum((usage.tokens_in or 0) + (usage.tokens_out or 0) for usage in taken)
    assert bill.tokens >= told > 0, "what is paid for a dialogue stands beside it, the question of the form included"
    assert {entry.answer.source for entry in answers if entry.kind == "utter"} == {"llm"}
    assert {entry.answer.source for entry in answers if entry.kind == "understand"} == {"embedded"}


def test_a_server_is_not_started_with_a_model_that_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDUVERSE_MODEL", raising=False)
    with pytest.raises(PolicyError, match="no model is named"):
        Minds("peers=llm,rest=embedded")
    with pytest.raises(PolicyError, match="in one group"):
        Minds("@Alice=embedded,rest=embedded")
    with pytest.raises(PolicyError, match="not served any more"):
        Minds().settled(setup(policy="peers=llm,rest=embedded"))


def test_students_agree_anew_when_a_model_reads_what_they_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    school = School(tmp_path / "s.study", "kiwi")
    kiwi = school.students["kiwi"].id
    with Study.open(str(school.path)) as study:
        consent(study, kiwi, "as it was")
        assert not set_reader(study, "")
        assert has_consented(study, kiwi)
        assert set_reader(study, "models.example")
        assert not has_consented(study, kiwi)
        consent(study, kiwi, "with the model")
        assert not set_reader(study, "models.example"), "the same, after a restart"
        assert has_consented(study, kiwi)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    asked = "peers=llm,rest=embedded"
    assert Minds(asked, LanguageModel(model="m")).reader == "models.example"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert Minds(asked, LanguageModel(model="m")).reader == HERE
    assert Minds().reader == ""
