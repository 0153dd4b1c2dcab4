"""What the mathematics page does behind itself: a group plays, is joined, looked back on, kept. Without a browser."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from eduverse_mesa.dashboard.answerers import Answering
from eduverse_mesa.dashboard.pages.compare.comparison import comparison_of
from eduverse_mesa.dashboard.pages.compare.forms import take_ticked
from eduverse_mesa.dashboard.pages.groups.dialogue import JOIN, PACES, GroupPlan, Meeting, PeerPlan, read_problem
from eduverse_mesa.dashboard.pages.groups.minds import (
    corrections_tree,
    mind_tree,
    problem_tree,
    shares_tree,
    stages_tree,
)
from eduverse_mesa.dashboard.pages.groups.page import changed, chat_tree, ending_of, fields_of, stages
from eduverse_mesa.dashboard.pages.studies.run import list_tree, run_tree
from eduverse_mesa.dashboard.run_names import run_name, run_place
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import NoModelError, PolicyError, ScenarioError, StudyError
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.runs.groups import begin_talk
from eduverse_mesa.runs.studies import delete_run, open_study, run_cards
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.store.accounts import add_account
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.store.rows import TalkRow
from eduverse_mesa.visualization.words import load_words
from tests.policies.test_waiting import PATIENCE
from tests.runs.test_collaboration import spec, talk_on

T = load_words()
FREE = Answering()
READS_TWELVE = (PeerPlan("Alice", "limited", "reads_twelve"), PeerPlan("Bob", "advanced"))
WATCHED = GroupPlan(peers=READS_TWELVE, seed=2)
JOINED = replace(WATCHED, place=JOIN, name="Noa")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACES, "calm", 10_000.0)


def until(meeting: Meeting, there: Callable[[], Any]) -> None:
    late = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < late, meeting.error
        time.sleep(0.005)


def resting(meeting: Meeting) -> Meeting:
    until(meeting, lambda: not meeting.busy)
    return meeting


def begun(plan: GroupPlan) -> Meeting:
    meeting = Meeting()
    meeting.begin(plan, FREE)
    assert resting(meeting).error is None
    return meeting


def played(plan: GroupPlan) -> Meeting:
    meeting = begun(plan)
    meeting.play()
    return resting(meeting)


def said(meeting: Meeting) -> list[tuple[str, str]]:
    return [(frame.said.speaker, frame.said.text) for frame in meeting.frames if frame.said is not None]


def words_of(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False)


# --- watching ---


def test_what_each_peer_holds_is_seen_with_what_is_wrong_and_since_when() -> None:
    meeting = played(WATCHED)
    first, last = meeting.frames[0], meeting.frames[-1]
    alice = {one.variable: one for one in first.peers[0].held}
    assert (alice["steps"].true, alice["steps"].held, alice["steps"].right) == ("20 steps", "12 steps", False)
    assert not alice["step_length"].right, "what follows from a mistake is wrong, too"
    assert all(one.right for one in first.peers[1].held)
    assert first.peers[0].thinks
    assert last.solved
    assert last.right
    assert all(one.right for peer in last.peers for one in peer.held)
    lit = [(frame.step, one) for frame in meeting.frames for one in frame.peers[0].held if one.changed]
    assert {one.variable for _, one in lit} >= {"steps", "step_length"}
    assert all(one.since == step for step, one in lit)
    corrected = next(frame for frame in meeting.frames if frame.step == lit[-1][0])
    tree = words_of(mind_tree(corrected.peers[0], T))
    assert f"right, since message {lit[-1][0]}" in tree
    assert "is-changed" in tree
    assert "wrong, from the beginning" in words_of(mind_tree(first.peers[0], T))


def test_a_dialogue_is_read_with_its_stages_shares_and_corrections() -> None:
    meeting = played(WATCHED)
    frames = meeting.frames
    told = words_of(chat_tree(frames, T))
    assert all(text in told for _, text in said(meeting))
    assert [told.count(f'"stage-{stage}"') for stage in STAGES] == [1] * 5
    assert [name for *_, name in stages(frames, T)] == list(STAGES)
    assert "%" in words_of(shares_tree(frames, T))
    assert "Bob put Alice right" in words_of(corrections_tree(frames[-1], T))
    early = frames[:4]
    assert corrections_tree(early[-1], T) == [], "looking back, nothing is known of what comes"
    assert early[-1].step == 3
    assert words_of(stages_tree(early, T)).count('"is-here"') == 1
    assert ending_of(early[-1], T) == ""
    assert "the answer is right" in ending_of(frames[-1], T)
    meeting.seek(3)
    assert meeting.frame is frames[3]
    meeting.step()
    assert (meeting.at, len(meeting.frames)) == (4, len(frames)), "what was seen is shown again"


def test_playing_stops_and_goes_on_message_by_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACES, "calm", 0.001)
    meeting = begun(WATCHED)
    meeting.play()
    until(meeting, lambda: meeting.last == 1)
    assert meeting.playing
    meeting.pause()
    assert not resting(meeting).playing
    meeting.step()
    resting(meeting)
    assert meeting.last == 2


def test_the_plain_chat_has_no_stages_and_no_mistakes() -> None:
    meeting = played(replace(WATCHED, arm="vanilla"))
    assert all(one.right for peer in meeting.frames[0].peers for one in peer.held)
    assert stages_tree(meeting.frames, T) == stages_tree(meeting.frames[:1], T) == []
    assert meeting.frames[-1].over


# --- somebody sits in it ---


def test_somebody_joins_is_answered_and_goes_back_to_say_something_else() -> None:
    meeting = begun(JOINED)
    assert meeting.seat == "Noa"
    meeting.type("Bob, what do we have to find?")
    meeting.say()
    until(meeting, lambda: meeting.last >= 2)
    assert [name for name, _ in said(meeting)][:2] == ["Noa", "Bob"]
    assert meeting.playing, "they wait for Noa"
    before = meeting.last
    meeting.step()  # and wait no longer
    until(meeting, lambda: meeting.last > before)
    assert said(meeting)[before][0] != "Noa"
    meeting.pause()
    whole = said(resting(meeting))
    meeting.seek(1)
    meeting.go_back()
    assert said(resting(meeting)) == whole[:1]
    meeting.type("It's 60 / 20 = 3.")
    meeting.say()
    until(meeting, lambda: meeting.last >= 2)
    meeting.close()
    assert said(resting(meeting))[1] == ("Noa", "It's 60 / 20 = 3.")


def test_the_place_of_a_peer_is_taken() -> None:
    meeting = begun(replace(WATCHED, place="1"))
    assert meeting.seat == "Bob"
    assert [peer.name for peer in meeting.frames[0].peers] == ["Alice"]


def test_what_breaks_off_in_the_middle_is_told_and_the_dialogue_stands() -> None:
    class Broken:
        name = "broken"

        def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
            raise PolicyError("nobody answers.", mend="Try again.")

    meeting = begun(WATCHED)
    meeting.step()
    resting(meeting)
    talk = meeting.talk
    assert talk is not None
    policy, talk.model.policy = talk.model.policy, Broken()
    meeting.step()
    assert "nobody answers" in str(resting(meeting).error)
    assert (meeting.last, len(said(meeting))) == (1, 1)
    assert meeting.talk is not None
    meeting.talk.model.policy = policy
    meeting.play()
    assert resting(meeting).error is None
    assert said(meeting) == said(played(WATCHED)), "as if nothing had been"


def test_a_language_model_that_nobody_has_named_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDUVERSE_MODEL", raising=False)
    meeting = Meeting()
    meeting.begin(WATCHED, Answering("llm"))
    assert isinstance(resting(meeting).error, NoModelError)
    assert meeting.talk is None


# --- kept ---


def test_a_dialogue_is_kept_goes_on_there_and_is_opened_again(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    meeting = begun(JOINED)
    meeting.type("hi")
    meeting.say()
    until(meeting, lambda: meeting.last >= 2)
    meeting.keep(path)  # while it is played
    until(meeting, lambda: meeting.study)
    meeting.type("I think it is 3 feet")
    meeting.say()
    until(meeting, lambda: ("Noa", "I think it is 3 feet") in said(meeting))
    meeting.pause()
    resting(meeting)
    with open_study(path, read_only=True) as opened:
        [card] = run_cards(opened)
    assert (card.row.status, card.row.steps) == ("interrupted", meeting.last)
    assert (run_name(card, T), run_place(card, T)) == ("Steps and distance: how far does one step go?", "Alice, Bob")
    listed = words_of([list_tree([card], [], "", T), run_tree(card, T)])
    assert f"{meeting.last} messages" in listed
    assert "lesson" not in listed.lower()
    assert card.row.participants == ("p1",)
    again = Meeting()
    again.open_run(path, card.id, FREE)
    assert said(resting(again)) == said(meeting)
    assert (again.seat, again.study, again.of_pupil) == ("Noa", path, False)
    _go_another_way(again, path, card.id)
    meeting.forget(path)
    assert meeting.talk is not None, "it is still there"


def _go_another_way(again: Meeting, path: str, run: str) -> None:
    """A fork, which is told as one, and is cleared away when it is deleted."""
    again.seek(1)
    again.go_back()
    resting(again).keep(path)
    resting(again)
    with open_study(path) as opened:
        fork = run_cards(opened)[-1]
        assert (fork.row.parent, fork.row.forked_at) == (run, (1, 1))
        assert "in another way after message 1" in words_of(run_tree(fork, T))
        delete_run(opened, fork.id)
    again.forget(path)
    assert again.talk is None


def test_what_is_no_lesson_is_not_compared(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    meeting = begun(WATCHED)
    meeting.step()
    resting(meeting).keep(path)
    talk = resting(meeting).talk
    assert talk is not None
    office = Office()
    office.study = path
    desk = office.desk("somebody")
    desk.to_compare.append(talk.run)
    assert not take_ticked(desk, comparison_of(desk), T), "there is no lesson to compare"


def test_what_another_program_has_written_meanwhile_is_not_doubled(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    one = begun(WATCHED)
    one.step()
    resting(one).keep(path)
    resting(one)
    other = Meeting()
    with open_study(path) as opened:
        [run] = opened.runs()
    other.open_run(path, run, FREE)
    resting(other).step()
    resting(other)
    one.step()
    assert isinstance(resting(one).error, StudyError)


def test_a_pupil_is_read_under_another_name_and_cannot_be_spoken_for(tmp_path: Path) -> None:
    path = str(tmp_path / "pupils.study")
    with open_study(path, create=True) as opened:
        teacher = add_account(opened.study, "Ms Long", "teacher", "a long password")
        pupil = add_account(opened.study, "Mia", "student", "a long password", made_by=teacher.id)
        given = add_assignment(opened.study, "Steps", "{}", [pupil.id], teacher.id)
        posed = spec()
        row = TalkRow("theirs", pupil.id, given.id, posed.setup.problems[0].name)
        talk = begin_talk(opened, posed, "theirs", of=row)
        talk_on(talk, 9)
        assert "Mia" in {row.speaker for row in talk.messages}
        [card] = run_cards(opened)
    meeting = Meeting()
    meeting.open_run(path, "theirs", FREE)
    assert resting(meeting).error is None
    assert (meeting.of_pupil, meeting.seat, meeting.over) == (True, "", True)
    shown = words_of([chat_tree(meeting.frames, T), *shares_tree(meeting.frames, T), run_tree(card, T)])
    assert "Mia" not in shown
    assert meeting.pupil in shown
    before = len(meeting.frames)
    meeting.type("I am somebody else")
    for act in (meeting.say, meeting.play, meeting.step, meeting.go_back):
        act()
        resting(meeting)
    assert len(meeting.frames) == before


# --- choosing ---


def test_the_form_chooses_problem_peers_and_place() -> None:
    plan = GroupPlan(name="Noa")
    for name, value in [
        ("problem", "poster_frame"), ("peer-0-name", "Ines"), ("peer-1-skill", "limited"), ("crew", "more"),
        ("place", "1"), ("seed", 7), ("seed", None),
    ]:  # fmt: skip
        plan = changed(plan, name, value)
    assert (plan.problem, plan.seed, [one.name for one in plan.peers]) == ("poster_frame", 7, ["Ines", "Bob", "Cleo"])
    setup = plan.setup(FREE)
    assert (setup.seats, [peer.name for peer in setup.peers]) == (("Bob",), ["Ines", "Cleo"])
    mistake = plan.word_problem().misconceptions[0].id
    plan = changed(changed(plan, "peer-0-misconception", mistake), "crew", "less")
    assert plan.setup(FREE).peers[0].misconception == mistake
    assert changed(plan, "problem", "race_fuel").peers[0].misconception == "", "of another problem it is none"
    chinese = changed(GroupPlan(), "problem", "race_fuel_zh")
    assert [one.name for one in chinese.peers] == ["小雨", "小航"]
    assert changed(chinese, "crew", "more").peers[-1].name == "小静"
    ids = [field["id"] for field in fields_of(plan, plan.word_problem(), T)]
    assert len(ids) == len(set(ids))


def test_two_of_one_name_are_refused_in_words() -> None:
    meeting = Meeting()
    meeting.begin(changed(WATCHED, "peer-1-name", "alice"), FREE)
    assert "two members are called" in str(resting(meeting).error)


def test_a_problem_of_ones_own_is_shown_and_played_and_a_wrong_one_is_told() -> None:
    text = find("problem", "steps_and_distance").file.read_text(encoding="utf-8")
    own = read_problem(text.replace("name: steps_and_distance", "name: my_own"), "mine.yaml")
    tree = words_of(problem_tree(own, T))
    assert "12 steps instead of 20 steps" in tree
    assert "3 feet per step" in tree
    meeting = begun(replace(WATCHED, own=own))
    assert meeting.talk is not None
    assert meeting.talk.model.problem.name == "my_own"
    for wrong in (text.replace("distance / steps", "distance * steps"), "\udcff", "[]", "problem: ../../etc/passwd"):
        with pytest.raises(ScenarioError):
            read_problem(wrong, "mine.yaml")
    with pytest.raises(ScenarioError):
        GroupPlan(problem="/etc/passwd").word_problem()
