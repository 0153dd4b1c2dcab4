"""A participant is erased: no byte of what it said stays, all runs play again, and nobody else has changed."""

from __future__ import annotations

import asyncio
import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from eduverse_mesa.models.classroom import Move
from eduverse_mesa.policies.llm.calling.cache import AnswerCache
from eduverse_mesa.policies.llm.calls import Completion, Usage
from eduverse_mesa.runs import fork_run, open_study, record_course, replay_run
from eduverse_mesa.runs.erasure import erase_participant, participant_document
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.store import AnswerRow
from tests.runs.courses import SEED, course
from tests.runs.people import SEAT, TEACHER, play_with

LABEL = "Zelda Quill"
SENTENCES = [
    "Xylophones remind me of my grandmother.",
    "我奶奶住在青石桥旁边的小院子里。",
    'Is it "quoted", \\my\\ Rex?',
]
OTHER = ["The dog of the baker barks at nightfall.", "Yes.", "Umbrellas are of no use against the wind."]


def everything(folder: Path) -> bytes:
    """Every byte of a folder."""
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def written(text: str) -> list[bytes]:
    """How a text may stand in a file."""
    ways = [text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]]
    return [*(way.encode() for way in ways), text.encode("utf-16-le"), text.encode("utf-16-be")]


def left(folder: Path, *texts: str) -> list[str]:
    """Which of the texts are still there."""
    there = everything(folder)
    return [text for text in texts if any(way in there for way in written(text))]


def answers_of(path: Path, agent: str) -> dict[str, list[AnswerRow]]:
    with open_study(str(path), read_only=True) as opened:
        return {run: [row for row in opened.study.answers(run) if row.agent == agent] for run in opened.runs()}


def replay_all(path: Path) -> None:
    with open_study(str(path), read_only=True) as opened:
        for run in opened.runs():
            assert replay_run(opened, run).complete


def two_people(tmp_path: Path, factory: pytest.TempPathFactory) -> Path:
    """Two people in one run, one of them quoted by a model; a fork of it; and a run that quotes, too."""
    path = tmp_path / "a.study"
    shutil.copy(_played(factory.getbasetemp() / "two_people.study"), path)
    return path


@cache
def _played(path: Path) -> Path:
    people = {SEAT: (LABEL, SENTENCES), "Zhang Jie": ("Bo", OTHER)}
    run = play_with(path, course(lessons=2, steps=5), people, quoted=SENTENCES[0])
    record_course(str(path), course(lessons=1, steps=3), SEED + 1)
    with open_study(str(path)) as opened:
        fork_run(opened, run, (1, 3), [Move(lesson=1, step=4, student="Zhang Tao", to="r1_1")], "embedded")
        opened.study.set_title(run, f"the run with {LABEL}")
        opened.study.set_title(opened.newest(), f"after {SENTENCES[1]}")
    return path


@pytest.fixture
def study(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_people(tmp_path, tmp_path_factory)


def test_no_byte_is_left_and_all_runs_play_again(study: Path) -> None:
    assert left(study.parent, LABEL, *SENTENCES) == [LABEL, *SENTENCES]
    done = erase_participant(str(study), "p1")
    assert left(study.parent, LABEL, *SENTENCES) == []
    assert (done.complete, done.found, done.resumed) == (True, (), False)
    assert (done.texts, done.searched_for, done.not_searched_for) == (
        3,
        8,
        {},
    )  # the name in whole, and each of its two parts in two ways
    assert done.replaced["answers"] > 20
    assert done.replaced["runs"] == 2
    assert (done.lost_answers, done.not_replayed) == (0, ())
    with open_study(str(study), read_only=True) as opened:
        assert list(done.runs) == opened.runs()  # the sitter's, the one with the title, and the fork
        assert opened.study.runs()[0].title == "the run with P1"
        assert [tuple(row)[:4] for row in opened.study.participants()] == [
            ("p1", "", "student", "erased"),
            ("p2", "Bo", "student", "present"),
        ]
    replay_all(study)


def test_nobody_else_has_changed(study: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        names = {row.agent for row in opened.study.answers(opened.runs()[0])} - {SEAT, "Wang Fang"}
    before = {name: answers_of(study, name) for name in names}
    quoting, own = answers_of(study, "Wang Fang"), answers_of(study, SEAT)
    erase_participant(str(study), "p1")
    assert {name: answers_of(study, name) for name in names} == before
    for run, rows in answers_of(study, "Wang Fang").items():
        for was, now in zip(quoting[run], rows, strict=True):
            assert now == was._replace(content=was.content.replace(SENTENCES[0].rstrip("."), "[…]"))
    for run, rows in answers_of(study, SEAT).items():
        for was, now in zip(own[run], rows, strict=True):
            assert (was == now) == (was.source != "human")
            assert now._replace(content="") == was._replace(content="")
            if was.source == "human" and was.kind == "plan":
                assert json.loads(now.content)["behaviour"] == json.loads(was.content)["behaviour"]


def test_the_proof_holds_no_word_of_the_person(study: Path) -> None:
    done = erase_participant(str(study), "p1")
    text = json.dumps(done.document(), ensure_ascii=False)
    assert not any(word in text for word in (LABEL, *SENTENCES))
    assert {one["name"] for one in json.loads(text)["searched"]} >= {"a.study", "a.study-wal"}
    assert sum(one.bytes for one in done.searched) >= study.stat().st_size
    assert len(done.beyond) == 3


def test_the_other_one_goes_the_same_way(study: Path) -> None:
    erase_participant(str(study), "p1")
    done = erase_participant(str(study), "p2")
    assert left(study.parent, OTHER[0], OTHER[2]) == []
    assert done.complete
    assert done.not_searched_for == {"short": 1, "the name": 1}
    for rows in answers_of(study, "Zhang Jie").values():
        assert not any("Yes." in row.content for row in rows if row.source == "human")
    replay_all(study)


def test_a_second_time_finds_nothing_to_do(study: Path) -> None:
    erase_participant(str(study), "p1")
    before = answers_of(study, SEAT)
    again = erase_participant(str(study), "p1")
    assert (again.resumed, again.complete, again.searched_for) == (True, True, 0)
    assert answers_of(study, SEAT) == before


def test_words_that_were_judged_change_what_came_of_them(tmp_path: Path) -> None:
    """A right answer made the person's agent understand; without the words nobody can tell that it was right."""
    scenario = course(lessons=1, steps=8)
    ideas = [idea.text for idea in scenario.lessons[0].ideas]
    path = tmp_path / "a.study"
    run = play_with(path, scenario, {SEAT: (LABEL, [" ".join(ideas)])})
    with open_study(str(path)) as opened:
        before = opened.study.digests(run)
    done = erase_participant(str(path), "p1")
    with open_study(str(path)) as opened:
        after = opened.study.digests(run)
        assert replay_run(opened, run).complete
    assert list(after) == list(before)
    assert after != before
    assert done.replaced["steps"] == sum(after[place] != before[place] for place in before)
    assert done.not_searched_for["words of the lesson"] > 0  # they stand in the scenario, whoever says them
    assert all(
        idea not in row.content for row in answers_of(path, SEAT)[run] for idea in ideas if row.source == "human"
    )


def test_a_teacher_is_erased_and_its_questions_stay_questions(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    words = ["Who of you has ever seen a narwhal in Oslo?", "Then Ludmilla will tell us the rest of it."]
    run = play_with(path, course(lessons=2, steps=4), {TEACHER: ("Ms Ptarmigan", words)})
    done = erase_participant(str(path), "p1")
    assert done.complete
    assert left(tmp_path, "Ms Ptarmigan", *words) == []
    said = [json.loads(row.content) for row in answers_of(path, TEACHER)[run] if row.kind == "take_turn"]
    assert {turn["sentences"][0]["text"] for turn in said} == {"[…]?", "[…]"}
    assert {turn["act"] for turn in said} == {"asking_question"}
    replay_all(path)


def test_parts_that_others_repeat_are_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    run = play_with(
        path, course(lessons=1, steps=3), {SEAT: (LABEL, SENTENCES)}, quoted="xylophones REMIND me of my cat"
    )
    done = erase_participant(str(path), "p1")
    assert done.complete
    assert [place for place in done.partly_repeated if place[3] != SEAT] == [
        (run, 1, step, "Wang Fang") for step in (1, 2, 3)
    ]
    assert "ylophones" not in json.dumps(done.document())


def test_a_thought_that_the_policy_put_in_words_stays_with_the_others(tmp_path: Path) -> None:
    """A person that says nothing of how it feels is given words for it, of which others have the same."""
    path = tmp_path / "a.study"
    run = play_with(path, course(lessons=1, steps=6), {SEAT: (LABEL, SENTENCES)})
    with open_study(str(path)) as opened:
        others = [row for row in opened.study.answers(run) if row.kind == "monitor" and row.agent == "Li Wei"]
        with opened.study.transaction() as connection:
            connection.exec_driver_sql(
                "update answers set source = 'human', content = ? where kind = 'monitor' and agent = ?",
                (others[2].content, SEAT),
            )
    with open_study(str(path)) as opened:
        erase_participant(str(path), "p1")
        assert [row for row in opened.study.answers(run) if row.kind == "monitor" and row.agent == "Li Wei"] == others


# --- names ---


def with_name(name: str) -> Scenario:
    """The course with somebody of this name in the person's seat."""
    document = json.dumps(dump_scenario(course(lessons=2, steps=5)), ensure_ascii=False)
    return load_scenario(json.loads(document.replace(SEAT, json.dumps(name, ensure_ascii=False)[1:-1])))


def test_an_agent_that_bears_the_name_gets_another(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    run = play_with(path, with_name(LABEL), {LABEL: (LABEL, SENTENCES), "Zhang Jie": ("Bo", OTHER)})
    with open_study(str(path)) as opened:
        before = [row.agent for row in opened.study.answers(run)]
        fork_run(opened, run, (1, 3), [Move(lesson=1, step=4, student=LABEL, to="r1_1")], "embedded")
    done = erase_participant(str(path), "p1")
    assert done.complete
    assert left(tmp_path, LABEL, *SENTENCES) == []
    with open_study(str(path)) as opened:
        (seat, other) = opened.study.sittings(run)
        assert seat.agent.startswith("P1")
        assert other.agent == "Zhang Jie"
        people = opened.choose(run).spec.scenario.people
        assert seat.agent in people
        assert LABEL not in people
        if not done.lost_answers:
            renamed = [row.agent for row in opened.study.answers(run)]
            assert renamed == [seat.agent if name == LABEL else name for name in before]
    replay_all(path)


def test_a_name_that_two_people_have_stays_the_others(study: Path) -> None:
    with open_study(str(study)) as opened:
        twin = opened.study.add_participant(LABEL, "student")
    done = erase_participant(str(study), "p1")
    assert done.not_searched_for == {"the name": 1}
    with open_study(str(study)) as opened:
        assert opened.study.participant(twin.id) == twin
        assert opened.study.runs()[0].title == f"the run with {LABEL}"


@pytest.mark.parametrize("label", ["Tao", "positive", "sentence", "teacher", "%", "_", "a", "王"])
def test_names_that_are_other_words_break_nothing(label: str, tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    play_with(path, course(lessons=1, steps=4), {SEAT: (label, SENTENCES)})
    before = answers_of(path, "Zhang Tao")
    done = erase_participant(str(path), "p1")
    assert (done.complete, done.not_searched_for) == (True, {"the name": 1})
    assert answers_of(path, "Zhang Tao") == before
    replay_all(path)


HOSTILE = [
    "50%_of me",
    'O\'Brien "the" Great',
    '"; drop table runs; --',
    "Zq" + "long name " * 10_000,
    "Ann 👩🏽‍🎓 the first",
    "王小明的妹妹",
    "back\\slash\\1 \\g<0>",
    "line\nbreak here",
    "(unclosed [group",
    "Ünïcödé Näme",
]


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_words_go_too(label: str, tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    sentences = [f"I am {label}, hear me", f"{label}!", label]
    run = play_with(path, course(lessons=1, steps=4), {SEAT: (label, sentences)}, quoted=label)
    with open_study(str(path)) as opened:
        opened.study.set_title(run, f"with {label}")
    probe = label if len(label) < 500 else "Zqlong name"
    assert left(tmp_path, probe) == [probe]
    done = erase_participant(str(path), "p1")
    assert done.complete
    assert left(tmp_path, probe) == []
    replay_all(path)


# --- the cache, and what is handed out ---


def test_what_models_wrote_of_it_is_forgotten(study: Path, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "answers.sqlite"
    texts = [json.dumps({"say": f"You said: {SENTENCES[1]}"}), f"{LABEL}, go on.", "Nothing of it.", "[" * 5000]
    cache = AnswerCache(path)

    async def fill() -> None:
        for number, text in enumerate(texts):
            await cache.put(bytes([number]), Completion(text, "stop", Usage(1, 1, 0)))

    asyncio.run(fill())
    done = erase_participant(str(study), "p1", cache=path)
    assert (done.remembered, done.complete) == (2, True)
    assert [cache.get(bytes([number])) is None for number in range(4)] == [True, True, False, False]
    assert left(tmp_path, LABEL, *SENTENCES) == []
    assert "answers.sqlite" in {one.name for one in done.searched}
    cache.close()


def test_a_person_may_see_what_is_kept(study: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        document = json.loads(json.dumps(participant_document(opened, "p1")))
        run = opened.runs()[0]
        human = [row for row in opened.study.answers(run) if row.agent == SEAT and row.source == "human"]
    assert document["participant"]["label"] == LABEL
    assert [one["agent"] for one in document["sittings"]] == [SEAT]
    first = document["runs"][0]
    assert first["run"] == run
    assert len(first["answers"]) == len(human)
    assert {one["agent"] for one in first["repeated_by_others"]} == {"Wang Fang"}
    assert any(one["who"] == SEAT for one in first["memory"])
    assert {one["student"] for one in first["summaries"]} == {SEAT}
    assert OTHER[0] not in json.dumps(document)
    erase_participant(str(study), "p1")
    with open_study(str(study), read_only=True) as opened:
        after = json.dumps(participant_document(opened, "p1"), ensure_ascii=False)
    assert not any(word in after for word in (LABEL, *SENTENCES))
