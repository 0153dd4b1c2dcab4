"""A draft: whatever is done to it can be undone, and what it is can be written down and read again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.scenarios import Sample, fingerprint, list_names, load_document, load_scenario
from eduverse_mesa.scenarios.drafts import Draft, EditError
from eduverse_mesa.scenarios.plain import UNWANTED
from eduverse_mesa.space import student_graph
from tests.scenarios.documents import LAYOUT
from tests.scenarios.drafts import load, small

letters = st.characters(exclude_categories=("Cs", "Cn"))
names = st.text(letters, min_size=0, max_size=12)
cells = st.tuples(st.integers(-1, 8), st.integers(-1, 6))
picks = st.integers(0, 20)
boxes = st.tuples(*[st.integers(-1, 9)] * 4) | st.just((0, None, 2.5, True))
DOINGS = ["explain", "ask", "discuss", "read", "practise", "summarise", "manage"]


@pytest.mark.parametrize("name", list_names("scenario"))
def test_a_draft_of_something_built_in_is_that(name: str) -> None:
    assert Draft.of_name(name).scenario == load_scenario(name)
    assert Draft.of_scenario(load_scenario(name)).scenario == load_scenario(name)


@given(st.data())
def test_who_sits_where_is_what_the_lesson_begins_with(data: st.DataObject) -> None:
    """The draft's seating and seat graph are the model's own."""
    draft = Draft.of_name(data.draw(st.sampled_from(["first_lesson", "collab_talk"])))
    for _ in range(data.draw(st.integers(0, 4))):
        who = data.draw(st.sampled_from(draft.people.names))
        with suppress(EditError):
            draft.room.move("student", who, list(data.draw(st.tuples(st.integers(9, 20), st.integers(4, 12)))))
            draft.people.group([who], data.draw(st.sampled_from(["A", "B", ""])))
    assert draft.scenario is not None
    model = ClassroomModel(draft.scenario, seed=1)
    assert {student.name: student.place for student in model.students} == {
        name: sitting.seat.at for name, sitting in draft.sitting.items()
    }
    graph = student_graph(*draft.linking)
    assert {frozenset(edge) for edge in graph.edges} == {frozenset(edge) for edge in model.placing.graph.edges}


@pytest.mark.parametrize(
    ("kind", "name", "to", "code"),
    [
        ("student", "Ann", [9, 1], "outside"),
        ("student", "Ann", [4, 0], "object_there"),
        ("student", "Ann", [2, 1], "teacher_there"),
        ("student", "Ann", [4, 3], "student_there"),
        ("seat", "a", [4, 3], "seat_there"),
        ("object", "board", [2, 3], "seat_there"),
        ("teacher", "", [4, 0], "object_there"),
        ("student", "Zoe", [0, 0], "no_student"),
        ("student", "Ann", ["<img onerror=1>", 0], "no_cell"),
        ("student", "Ann", [True, 0], "no_cell"),
        ("student", "Ann", None, "no_cell"),
        ("wall", "Ann", [0, 0], "unmovable"),
    ],
)
def test_a_move_that_cannot_be_is_refused_with_a_reason(kind: str, name: str, to: Any, code: str) -> None:
    draft = small()
    with pytest.raises(EditError) as caught:
        draft.room.move(kind, name, to)
    assert caught.value.code == code
    assert caught.value.mend
    assert draft.history.length == 0


def test_one_who_moves_does_not_move_the_others() -> None:
    draft = Draft.of_name("first_lesson")
    before = {name: sitting.seat.at for name, sitting in draft.sitting.items()}
    first = draft.people.names[0]
    draft.room.move("student", first, [1, 15])
    after = {name: sitting.seat.at for name, sitting in draft.sitting.items()}
    assert after == before | {first: (1, 15)}


def test_the_first_edit_of_a_seat_lists_them_all() -> None:
    draft = Draft.of_name("first_lesson")
    seats, graph = draft.seats, student_graph(*draft.linking)
    assert draft.room.is_patterned()
    draft.room.move("seat", "r1_1", [12, 5])
    assert not draft.room.is_patterned()
    assert {seat.id for seat in draft.seats} == {seat.id for seat in seats}
    draft.room.move("seat", "r1_1", [12, 6])
    assert draft.seats == seats
    assert set(student_graph(*draft.linking).edges) == set(graph.edges)


def test_a_rule_changes_the_graph_while_a_lesson_is_wrong() -> None:
    draft = Draft.of_name("first_lesson")
    draft.lessons.add_idea(0)
    assert draft.scenario is None
    before = student_graph(*draft.linking).number_of_edges()
    draft.rules.use("neighbours")
    assert student_graph(*draft.linking).number_of_edges() > before
    draft.rules.set(0, "within", 0.5)
    assert student_graph(*draft.linking).number_of_edges() == 0
    one, other = draft.people.names[0], draft.people.names[-1]
    draft.rules.link(one, other)
    assert set(student_graph(*draft.linking).edges) == {(one, other)}
    draft.rules.unlink(one, other)
    assert student_graph(*draft.linking).number_of_edges() == 0


def test_problems_name_their_places() -> None:
    draft = small()
    draft.people.set(1, ("traits", "openness"), 1.5)
    draft.room.resize(5, 4)
    draft.lessons.set(0, ("ideas", 0, "because"), "")
    at = {found.trail for found in draft.problems}
    assert ("class", "students", 1, "traits", "openness") in at
    assert ("lessons", 0, "ideas", 0, "because") in at
    assert ("layout", "seats", 2, "at") in at, "a room is looked at while a lesson is wrong"
    assert draft.problems_at("class", "students", 1)
    assert not draft.problems_at("class", "students", 0)


def test_edits_of_one_thing_in_a_row_are_one_step() -> None:
    draft = small()
    for value in (0.6, 0.7, 0.8):
        draft.people.set(0, ("traits", "openness"), value)
    draft.people.set(1, ("traits", "openness"), 0.8)
    assert draft.history.length == 2
    assert draft.history.last is not None
    assert draft.history.last.code == "set_student"


def test_a_table_brings_seats_of_a_group() -> None:
    draft = Draft.of_name("first_lesson")
    group = draft.room.add_table(seats=4)
    assert len([seat for seat in draft.seats if seat.group == group]) == 4
    assert not draft.problems


def test_a_file_from_elsewhere_opens_no_file_here(tmp_path: Any) -> None:
    (tmp_path / "secret.yaml").write_text(LAYOUT, encoding="utf-8")
    for path in (str(tmp_path / "secret.yaml"), "./secret.yaml", "../secret.yml"):
        with pytest.raises(ScenarioError, match="another file"):
            Draft.of_text(f"kind: scenario\nname: x\nlayout: {path}\nclass: six\nlessons: [spring_1]\n")
    assert Draft.of_text("kind: scenario\nname: x\nlayout: lecture\nclass: six\nlessons: spring_1\n").scenario


def test_a_part_takes_its_place() -> None:
    draft = Draft.of_name("first_lesson")
    draft.room.move("student", draft.people.names[0], [1, 15])
    assert draft.open(LAYOUT, "nook.yaml") == "layout"
    assert draft.get("layout", "name") == "nook"
    assert [found.trail for found in draft.problems] == [("layout",)], "three seats for six students"
    draft.room.fit_rows()
    assert draft.scenario is not None


def test_a_sampled_class_is_drawn_once() -> None:
    text = "kind: scenario\nname: x\nlayout: rows_30\nclass: {name: c, sample: {size: 5, seed: 3}}\nlessons: spring_1\n"
    draft = Draft.of_text(text)
    assert len(draft.people.names) == 5
    assert draft.scenario is not None
    assert draft.scenario.roll.students == load(text).roll.students
    draft.people.sample(Sample(size=4, seed=3))
    assert draft.scenario.roll.students[:4] == draft.scenario.roll.students


def test_a_sample_too_large_to_be_written_is_refused() -> None:
    draft = small()
    with pytest.raises(EditError, match="too many"):
        draft.people.sample(Sample(size=401))
    draft.people.sample(Sample(size=400))
    draft.room.fit_rows()
    assert fingerprint(load(draft.dump())) == fingerprint(draft.scenario)  # type: ignore[arg-type]


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_no_text_breaks_a_dump(text: str) -> None:
    draft = small()
    with suppress(ScenarioError):  # control characters
        draft.set(("layout", "description"), text)
    assert (draft.get("layout", "description") == text) is (UNWANTED.search(text) is None)
    assert Draft.of_text(draft.dump()).document == draft.document


def test_shares_add_up() -> None:
    draft = Draft.of_name("first_lesson")
    draft.lessons.share(0, 1, 0.7)
    assert draft.scenario is not None
    draft.lessons.remove_phase(0, 1)
    phases: Any = draft.get("lessons", 0, "phases")
    assert sum(phase["share"] for phase in phases) == pytest.approx(1)
    assert draft.scenario is not None


def test_what_is_about_an_idea_goes_with_it() -> None:
    draft = Draft.of_name("pods_science")
    idea = load_document("lesson", "science").ideas[0].id  # type: ignore[attr-defined]
    draft.lessons.remove_idea(0, idea)
    assert not [found for found in draft.problems if "does not exist" in found.message]


@pytest.mark.parametrize("name", list_names("layout"))
@pytest.mark.parametrize("size", [(20, 20), (30, 11), (12, 12)])
def test_a_smaller_room_takes_everything_in(name: str, size: tuple[int, int]) -> None:
    draft = Draft.of_name("first_lesson")
    draft.choose("layout", name)
    draft.room.resize(*size)
    assert draft.problems
    draft.room.bring_in()
    assert draft.problems == ()
    draft.undo()
    draft.undo()
    assert draft.get("layout", "grid", "width") == 30
