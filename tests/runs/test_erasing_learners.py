"""Who taught a learner, or sat in a learner's place, is erased: also from what learners remember in other runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import Consolidated, Replied, Taught
from eduverse_mesa.models.tutoring import Exam, Question, Session, Talk, TutoringModel, write_saved
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.policies.mixture import by_agent
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.erasure import erase_participant, participant_document
from eduverse_mesa.runs.erasure.words import FREE, at_desk_of, blank, change_texts, own_texts, renamed
from eduverse_mesa.runs.tutoring import (
    Tutored,
    begin_tutoring,
    enter_and_play,
    keep_tutoring,
    learners_after,
    play_tutoring,
    replay_tutoring,
)
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring
from tests.models.learners import document
from tests.runs.test_erasing import left

AGENDA: tuple[Session, ...] = (
    Talk(1.0, 1, "cork"),
    Talk(2.0, 1, "cork"),
    Exam(3.0, 1, "after", (Question("cork", "a"),)),
)
WORDS = ["Xylophones remind me of my grandmother, do they?", "Hm.", "我奶奶住在青石桥旁边的小院子里。"]
LABEL = "Zelda Quill"


class Somebody:
    """A person at a desk: says its words one after the other, whether it teaches or learns."""

    name = "embedded"

    def __init__(self, setup: Tutoring, words: Sequence[str]) -> None:
        self._words = words
        self._rest: Any = make_policy("embedded", setup.settings)

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [self._one(decision) for decision in decisions]

    def _one(self, decision: Decision) -> Answer:
        words = self._words[decision.at.step % len(self._words)]
        if decision.kind == "teach":
            return Answer(Taught(words, "question"), SOURCE)
        if decision.kind == "reply":
            return Answer(Replied(words, "guess"), SOURCE)
        (answer,) = self._rest.answer([decision])
        return answer


def setup_of(*names: str) -> Tutoring:
    plain = document(turns=4)
    plain["cohort"]["learners"] = [{"name": name} for name in names]
    return load_tutoring(plain)


def keep_with(path: Path, setup: Tutoring, agent: str, label: str = LABEL) -> Tutored:
    """A run in which somebody sat there, as it is kept."""
    policy = by_agent({agent: Somebody(setup, WORDS)}, make_policy("embedded", setup.settings))
    played = play_tutoring("a", begin_tutoring(setup, 1, agenda=AGENDA).spec, policy=policy)
    with open_study(str(path), create=True) as opened:
        person = opened.study.add_participant(label, "teacher")
        played.id = keep_tutoring(opened, played, sat={agent: person.id})
    return played


def replay_all(path: Path) -> list[Tutored]:
    with open_study(str(path), read_only=True) as opened:
        played = [replay_tutoring(opened, run) for run in opened.runs()]
        assert [opened.study.run(one.id).status for one in played] == ["complete"] * len(played)
    return played


@pytest.mark.parametrize("agent", ["tutor of Ann", "Ann"])
def test_nothing_of_a_person_stays_in_learners_and_what_they_remember(agent: str, tmp_path: Path) -> None:
    path, setup = tmp_path / "a.study", setup_of("Ann", "Bo")
    first = keep_with(path, setup, agent)
    with open_study(str(path)) as opened:
        start = begin_tutoring(
            setup,
            1,
            agenda=(*AGENDA, Talk(9.0, 2, "raft")),
            began=learners_after(opened, first.id),
            parent=first.id,
            forked_at=first.head,
        )
        enter_and_play(opened, start)
        held = participant_document(opened, "p1")
        before = opened.study.answers(first.id)
    assert left(tmp_path, *WORDS, LABEL) == [*WORDS, LABEL]
    assert len(held["runs"]) == 2
    assert {row["content"]["text"] for row in held["runs"][0]["answers"]} <= set(WORDS)
    assert list(held["runs"][1]["learners_came_with"]) == ["Ann"]
    assert not held["runs"][1]["answers"]

    done = erase_participant(str(path), "p1")
    assert done.complete
    assert (done.lost_answers, done.not_replayed, len(done.runs)) == (0, (), 2)
    assert left(tmp_path, WORDS[0], WORDS[2], LABEL) == []
    again, child = replay_all(path)
    with open_study(str(path), read_only=True) as opened:
        after = opened.study.answers(first.id)
    assert [row.content for row in after if row.source != SOURCE and row.agent != "Ann"] == [
        row.content for row in before if row.source != SOURCE and row.agent != "Ann"
    ]
    for played in (again, child):  # "Hm." may be anybody's, and stands nowhere as what the person has said
        for saved in (*played.spec.began.values(), *played.model.save().values()):
            said = [one.text for episode in saved.memory.episodes for one in episode.dialogue]
            assert not {"Hm.", *WORDS} & set(said)
    assert write_saved(again.model.save()["Bo"]) == write_saved(first.model.save()["Bo"])
    assert any(line.text.startswith("[…]") for line in again.model.journal.lines)


def test_a_learner_who_bears_the_name_of_its_tutor_has_another_one(tmp_path: Path) -> None:
    for number, label in enumerate(("Zelda", "Al"), start=1):
        path = tmp_path / f"{number}.study"
        keep_with(path, setup_of(label, "Bo"), f"tutor of {label}", label)
        done = erase_participant(str(path), "p1")
        assert done.complete
        assert done.lost_answers == 0
        (again,) = replay_all(path)
        assert again.model.enrolments[0].learner.name.startswith("P1")
        with open_study(str(path), read_only=True) as opened:
            (sitting,) = opened.study.sittings()
            assert sitting.agent == again.model.enrolments[0].tutor.name
            assert {at_desk_of(row.agent) for row in opened.study.answers(again.id)} == set(again.spec.setup.people)
    assert left(tmp_path, "Zelda") == []


def test_desks_are_named_as_the_model_names_them() -> None:
    model = TutoringModel(document(), seed=1, agenda=AGENDA).run()
    agents = {entry.agent for entry in model.journal.answers}
    assert {at_desk_of(agent) for agent in agents} == {"Ann", "Bo"}
    assert {renamed(agent, str.upper) for agent in agents} >= {"ANN", "tutor of BO", "judge of ANN"}


def test_understanding_is_words_whatever_concept_it_is_of() -> None:
    content = Consolidated("A talk.", "", 0.5, {"P1": 4}, {"P1": "Corks float since they are light."})
    plain = {"summary": "A talk.", "mastery": {"P1": 4}, "understanding": {"P1": "Corks float since they are light."}}
    assert own_texts('{"mastery":{"P1":4},"understanding":{"P1":"' + content.understanding["P1"] + '"}}') == [
        content.understanding["P1"]
    ]
    assert change_texts(plain, blank) == {"summary": "[…]", "mastery": {"P1": 4}, "understanding": {"P1": "[…]"}}


def test_every_text_that_a_learner_keeps_is_known_as_words_or_as_a_code() -> None:
    """A field of words that the erasing does not know of would be left as it is."""
    model = TutoringModel(document(visits=4), seed=1).run()
    found: set[str] = set()

    def note(part: Any, key: str) -> None:
        if isinstance(part, dict):
            for name, value in part.items():
                note(value, key if key in FREE else name)
        elif isinstance(part, list):
            for value in part:
                note(value, key)
        elif isinstance(part, str):
            found.add(key)

    for saved in model.save().values():
        note(msgspec.json.decode(write_saved(saved)), "")
    for entry in model.journal.answers:
        note(msgspec.to_builtins(entry.answer.outcome), "")
    codes = {"name", "concept", "unit", "speaker", "kind", "subject", "level", "move"}
    assert found - FREE == codes
    assert {"text", "summary", "insights", "understanding", "forethought"} <= found
