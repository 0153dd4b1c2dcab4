"""Any edits of a draft in any order: what is refused changes nothing, and what is done can be undone."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios import Sample, fingerprint, list_names
from eduverse_mesa.scenarios.drafts import PRESETS, Draft
from eduverse_mesa.scenarios.drafts.placement import read_things
from eduverse_mesa.space import student_graph
from eduverse_mesa.vocabulary import PHASES
from tests.scenarios.drafts import load, small

letters = st.characters(exclude_categories=("Cs", "Cn"))
names = st.text(letters, min_size=0, max_size=12)
cells = st.tuples(st.integers(-1, 8), st.integers(-1, 6))
picks = st.integers(0, 20)
boxes = st.tuples(*[st.integers(-1, 9)] * 4) | st.just((0, None, 2.5, True))
DOINGS = ["explain", "ask", "discuss", "read", "practise", "summarise", "manage"]


class Editing(RuleBasedStateMachine):
    """Any edits in any order."""

    @initialize(name=st.sampled_from(["", *list_names("scenario")]))
    def begin(self, name: str) -> None:
        self.draft = Draft.of_name(name) if name else small()
        self.start = self.draft.document
        self.steps = 0

    def attempt(self, act: Any, *given: Any, **more: Any) -> None:
        before, length = self.draft.document, self.draft.history.length
        refused: ScenarioError | None = None
        try:
            act(*given, **more)
        except ScenarioError as error:
            refused = error
        if refused is not None:
            assert refused.message
            assert self.draft.document is before
            assert self.draft.history.length == length

    def pick(self, known: Any, number: int) -> Any:
        known = list(known)
        return known[number % len(known)] if known else "nobody"

    @rule(kind=st.sampled_from(["student", "seat", "object", "teacher", "wall"]), number=picks, to=cells)
    def move(self, kind: str, number: int, to: tuple[int, int]) -> None:
        known: dict[str, Any] = {
            "student": self.draft.people.names,
            "seat": [seat.id for seat in self.draft.seats],
            "object": ["board", "lectern", "cupboard", "table A"],
        }
        self.attempt(self.draft.room.move, kind, self.pick(known.get(kind, []), number), list(to))

    @rule(kind=st.sampled_from(["desk", "board", "cupboard"]), at=st.none() | cells, name=names)
    def add_object(self, kind: Any, at: Any, name: str) -> None:
        self.attempt(self.draft.room.add_object, kind, at, name)

    @rule(seats=st.integers(0, 8), at=st.none() | cells)
    def add_table(self, seats: int, at: Any) -> None:
        self.attempt(self.draft.room.add_table, at, seats)

    @rule(at=st.none() | cells, group=names)
    def add_seat(self, at: Any, group: str) -> None:
        self.attempt(self.draft.room.add_seat, at, group)

    @rule(number=picks, key=st.sampled_from(["row", "group", "opposite", "colour"]), value=st.none() | names | picks)
    def set_seat(self, number: int, key: str, value: Any) -> None:
        seat = self.pick([seat.id for seat in self.draft.seats], number)
        self.attempt(self.draft.room.set_seat, seat, key, value)

    @rule(number=picks)
    def remove_seat(self, number: int) -> None:
        self.attempt(self.draft.room.remove_seat, self.pick([seat.id for seat in self.draft.seats], number))

    @rule(name=st.sampled_from(["board", "lectern", "table A", "desk"]), new=names)
    def name_or_remove_object(self, name: str, new: str) -> None:
        self.attempt(
            self.draft.room.rename_object if new else self.draft.room.remove_object, name, *filter(None, [new])
        )

    @rule(number=picks, act=st.sampled_from(["add", "remove", "rename", "resize", "present"]), new=names, box=boxes)
    def edit_areas(self, number: int, act: str, new: str, box: Any) -> None:
        areas = self.draft.areas
        name = self.pick([area.arena.name for area in areas.all], number)
        things = sorted(placed.thing.name for placed in read_things(self.draft.document))
        given = {"add": (new,), "rename": (name, new), "resize": (name, box), "present": (name, number % 2)}
        self.attempt(getattr(areas, act), *given.get(act, (name,)))
        assert sorted(placed.thing.name for placed in read_things(self.draft.document)) == things

    @rule(size=st.sampled_from([(8, 6), (30, 20), (5, 5), (0, 3)]))
    def resize(self, size: tuple[int, int]) -> None:
        self.attempt(self.draft.room.resize, *size)

    @rule(act=st.sampled_from(["fit_rows", "clear_seats", "bring_in"]))
    def remake_seats(self, act: str) -> None:
        self.attempt(getattr(self.draft.room, act))

    @rule(name=names)
    def add_student(self, name: str) -> None:
        self.attempt(self.draft.people.add, name)

    @rule(number=picks, name=names)
    def rename_or_remove(self, number: int, name: str) -> None:
        if name:
            self.attempt(self.draft.people.rename, number, name)
        elif len(self.draft.people.names) > 1:
            self.attempt(self.draft.people.remove, number)

    @rule(
        number=picks, trait=st.sampled_from(["openness", "neuroticism", "luck"]), value=st.none() | st.floats(-0.1, 1.1)
    )
    def set_trait(self, number: int, trait: str, value: Any) -> None:
        self.attempt(self.draft.people.set, number, ("traits", trait), value)

    @rule(number=picks, key=st.sampled_from(["role", "age", "group", "portrait"]), value=names | picks)
    def set_student(self, number: int, key: str, value: Any) -> None:
        self.attempt(self.draft.people.set, number, (key,), value)

    @rule(one=picks, other=picks, act=st.sampled_from(["swap", "link", "unlink"]))
    def pair(self, one: int, other: int, act: str) -> None:
        known = self.draft.people.names
        edits = self.draft.people if act == "swap" else self.draft.rules
        self.attempt(getattr(edits, act), self.pick(known, one), self.pick(known, other))

    @rule(size=st.integers(0, 5), group=names)
    def group(self, size: int, group: str) -> None:
        if group:
            self.attempt(self.draft.people.group, self.draft.people.names[:size], group)
        else:
            self.attempt(self.draft.people.group_evenly, size)

    @rule(size=st.integers(1, 9), seed=st.integers(0, 3), language=st.sampled_from(["en", "zh", "tlh"]))
    def sample(self, size: int, seed: int, language: str) -> None:
        self.attempt(self.draft.people.sample, Sample(size=size, seed=seed, language=language))

    @rule(preset=st.sampled_from([*PRESETS, "love"]))
    def use_rules(self, preset: str) -> None:
        self.attempt(self.draft.rules.use, preset)

    @rule(
        kind=st.sampled_from(["distance", "same_row", "same_group", "across_groups", "opposite", "pairs"]),
        do=st.sampled_from(["add", "keep", "drop"]),
        number=picks,
    )
    def edit_rules(self, kind: Any, do: Any, number: int) -> None:
        self.attempt(self.draft.rules.add, kind, do)
        self.attempt(self.draft.rules.set, number, "rule", kind)
        self.attempt(self.draft.rules.shift, number, -1)

    @rule(number=picks)
    def remove_rule(self, number: int) -> None:
        self.attempt(self.draft.rules.remove, number)

    @rule(kind=st.sampled_from(["layout", "class", "lesson"]), number=picks)
    def choose(self, kind: Any, number: int) -> None:
        self.attempt(self.draft.choose, kind, self.pick(list_names(kind), number))

    @rule(phase=picks, do=st.sampled_from(DOINGS), name=st.none() | st.sampled_from(PHASES), share=st.floats(0, 1))
    def plan(self, phase: int, do: Any, name: Any, share: float) -> None:
        lessons = self.draft.lessons
        self.attempt(lessons.add_phase, 0, name)
        self.attempt(lessons.share, 0, phase % 5, share)
        self.attempt(lessons.add_activity, 0, phase % 5, do)
        self.attempt(lessons.shift_activity, 0, phase % 5, 0, 1 if share > 0.5 else -1)

    @rule(number=picks)
    def teach(self, number: int) -> None:
        lessons = self.draft.lessons
        act = (lessons.add_goal, lessons.add_idea, lessons.add_question)[number % 3]
        self.attempt(act, 0)

    @rule(key=st.sampled_from(["goals", "ideas", "questions"]), number=picks)
    def forget(self, key: str, number: int) -> None:
        known: Any = self.draft.get("lessons", 0, key) or []
        if known:
            act = getattr(self.draft.lessons, f"remove_{key[:-1]}")
            self.attempt(act, 0, known[number % len(known)]["id"])

    @rule(steps=st.integers(-1, 60), threshold=st.none() | st.floats(0, 1))
    def set_settings(self, steps: int, threshold: Any) -> None:
        self.attempt(self.draft.set, ("settings", "steps"), steps)
        self.attempt(self.draft.set, ("settings", "gate", "threshold"), threshold)

    @rule(title=st.text(letters, max_size=60))
    def set_title(self, title: str) -> None:
        self.attempt(self.draft.set, ("title",), title)

    @rule(count=st.integers(1, 3))
    def undo_and_redo(self, count: int) -> None:
        before, length = self.draft.document, self.draft.history.length
        done = sum(self.draft.undo() is not None for _ in range(count))
        assert done == min(count, length)
        assert [self.draft.redo() is not None for _ in range(done)] == [True] * done
        assert self.draft.document is before

    @rule()
    def take_back(self) -> None:
        self.draft.undo()

    @invariant()
    def it_can_be_looked_at(self) -> None:
        """Problems and seat graph never fail, and a draft is a scenario exactly where nothing is wrong."""
        draft = self.draft
        assert (draft.scenario is None) == bool(draft.problems)
        graph = student_graph(*draft.linking)
        assert set(graph) == set(draft.sitting)
        if draft.scenario is not None:
            assert list(draft.sitting) == [student.name for student in draft.scenario.roll.students]

    @invariant()
    def a_dump_is_read_as_the_same_scenario(self) -> None:
        text = self.draft.dump()
        if self.draft.scenario is not None:
            assert fingerprint(load(text)) == fingerprint(self.draft.scenario)
        again = Draft.of_text(text)
        assert again.document == self.draft.document
        assert again.problems == self.draft.problems

    def teardown(self) -> None:
        if hasattr(self, "draft"):
            while self.draft.undo():
                pass
            assert self.draft.document is self.start


Editing.TestCase.settings = settings(stateful_step_count=16, max_examples=max(12, settings().max_examples // 10))
TestEditing = Editing.TestCase
