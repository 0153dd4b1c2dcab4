"""A lesson in a classroom, as a Mesa model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import mesa
import msgspec

from eduverse_mesa.agents.cognition import first_mind
from eduverse_mesa.agents.student import Shown, StudentAgent, Surroundings
from eduverse_mesa.agents.teacher import TeacherAgent
from eduverse_mesa.decisions import (
    Mind,
    Prepare,
    Regulation,
    Round,
    Rounds,
)
from eduverse_mesa.errors import PolicyError, ScenarioError
from eduverse_mesa.memory.long_term import LessonMemory, StudentRecord, carried_understanding
from eduverse_mesa.memory.short_term import SharedState
from eduverse_mesa.memory.three_levels import Memory
from eduverse_mesa.models.classroom.conclusion import close_lesson
from eduverse_mesa.models.classroom.interventions import Intervention, Move, SetAct, SetTrait
from eduverse_mesa.models.classroom.journal import Journal
from eduverse_mesa.models.classroom.step import Pacer, take_step
from eduverse_mesa.models.decision_model import DecidingModel
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.layout import Seat, expand_seats
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.scenarios.people import teacher_of
from eduverse_mesa.space import Refusal, Room, face_to_face, looks_at, perceive, student_graph
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL, COGNITION_LEVEL, EMOTIONS, LEVEL_NAMES

_UNKNOWN = float("nan")


def step_shares(model: ClassroomModel) -> dict[str, float]:
    """Shares of behaviour levels, emotions and higher-order cognition in this step, in one pass over the class."""
    levels = [0] * len(LEVEL_NAMES)
    emotions: dict[str, int] = dict.fromkeys(EMOTIONS, 0)
    acted = thought = high = 0
    understanding = 0.0
    for student in model.students:
        now = student.now
        if now.behaviour:
            levels[BEHAVIOUR_LEVEL[now.behaviour]] += 1
            acted += 1
        if now.emotion:
            emotions[now.emotion] += 1
        if now.cognition:
            high += COGNITION_LEVEL[now.cognition]
            thought += 1
        understanding += student.understanding
    felt = sum(emotions.values())
    shares = {name: count / acted if acted else _UNKNOWN for name, count in zip(LEVEL_NAMES, levels, strict=True)}
    shares |= {name: count / felt if felt else _UNKNOWN for name, count in emotions.items()}
    shares["high_cognition"] = high / thought if thought else _UNKNOWN
    shares["understanding"] = understanding / len(model.students)
    return shares


def _share(name: str) -> Callable[[ClassroomModel], float]:
    return lambda model: model.shares[name]


MODEL_REPORTERS: dict[str, Any] = {
    "phase": lambda model: model.journal.teacher[-1].phase,
    "act": lambda model: model.teacher.behaviour,
    "tone": lambda model: model.teacher.emotion,
    **{name: _share(name) for name in (*LEVEL_NAMES, *reversed(EMOTIONS), "high_cognition", "understanding")},
    "exchanges": lambda model: sum(model.state.requests.exchanges.values()),
}

AGENT_REPORTERS: dict[str, Any] = {
    "name": "name",
    "role": "role",
    "behaviour": "behaviour",
    "emotion": "emotion",
    "cognition": "cognition",
    "attention": "attention",
    "confidence": "confidence",
    "affect": "affect",
    "understanding": "understanding",
}


Cell = tuple[int, int]

MOVING = "move to "
"""Begins what is logged as wished for where a move does not take place."""


class Placing:
    """The room with its people, and the seat graph; a move works out anew what depends on where people are."""

    def __init__(self, model: ClassroomModel) -> None:
        self._model = model
        self.room = Room(model, model.layout)
        self._seats = {seat.id: seat for seat in expand_seats(model.layout)}
        self._put(model.teacher, model.layout.teacher)
        self._seat_all()
        self._renew()

    def _seat_all(self) -> None:
        model = self._model
        wanted: dict[str, Cell] = {}
        for student in model.students:
            seat = model.setup.seating.get(student.name, student.person.seat)
            if seat is not None:
                wanted[student.name] = self._cell_of(seat)
        taken = set(wanted.values())
        free = iter([seat.at for seat in self._seats.values() if seat.at not in taken])
        for student in model.students:
            cell = wanted.get(student.name) or next(free, None)
            if cell is None:
                raise ScenarioError(
                    f"there are {len(model.students)} students and {len(self._seats)} seats.",
                    where=model.layout.name,
                    mend="Take a larger layout, add seats, or make the class smaller.",
                )
            self._put(student, cell)

    def _cell_of(self, seat: str | Cell) -> Cell:
        if not isinstance(seat, str):
            return seat
        if seat not in self._seats:
            raise ScenarioError(
                f"there is no seat '{seat}'.",
                where=self._model.layout.name,
                mend=f"Its seats are {', '.join(self._seats)}.",
            )
        return self._seats[seat].at

    def _put(self, agent: StudentAgent | TeacherAgent, cell: Cell) -> None:
        refusal = self.room.move(agent, cell)
        if refusal is not None:
            raise ScenarioError(
                f"{agent.name} cannot be at {cell}: {refusal.reason}.",
                where=self._model.layout.name,
                mend="Choose a free cell.",
            )

    def move(self, student: StudentAgent, to: str | Cell) -> None:
        """Another seat or cell; who sits there changes places with the student. A refused move is logged, and stays."""
        model, old = self._model, student.place
        cell = self._cell_of(to)
        other = next((mate for mate in model.students if mate.place == cell), None)
        if other is not None and other is not student:
            self.room.swap(student, other)
        else:
            refusal = None if other is None else Refusal(cell, f"{student.name} sits there already")
            refusal = refusal or self.room.move(student, cell)
            if refusal is not None:
                model.journal.reject(
                    model.state.step, student.name, f"{MOVING}{cell}", f"stay at {old}", refusal.reason
                )
                return
        self._renew()

    def _renew(self) -> None:
        """Give everybody what depends on where people are."""
        model, room = self._model, self.room
        at_seat = {seat.at: seat for seat in self._seats.values()}
        seating: dict[str, Seat] = {}
        for student in model.students:
            cell = student.place
            seat = at_seat.get(cell) or Seat(id=f"cell {cell[0]},{cell[1]}", at=cell)
            if student.person.group is not None:
                seat = seat.model_copy(update={"group": student.person.group})
            seating[student.name] = seat
        graph = student_graph(seating, model.layout.seat_graph)
        self.graph = graph
        groups: dict[str, list[str]] = {}
        for name, seat in seating.items():
            if seat.group is not None:
                groups.setdefault(seat.group, []).append(name)
        order = {student.name: place for place, student in enumerate(model.students)}
        for student in model.students:
            name = student.name
            student.to_teacher = room.distance(student, model.teacher)
            student.to_board = room.distance_to_board(student)
            links = tuple(sorted(graph.neighbors(name), key=order.__getitem__))
            student.links = links
            group = seating[name].group
            student.mates = tuple(mate for mate in groups[group] if mate != name) if group is not None else links
            student.around = self._look_around(student, group is not None)
            arena = room.arena_at(student.place)
            student.before_board = arena is not None and arena.presentation
            for mate in links:
                if mate not in student.closeness:
                    student.closeness[mate] = self._first_closeness(student, model.classmates[mate])

    def _first_closeness(self, one: StudentAgent, other: StudentAgent) -> float:
        p = self._model.parameters
        agreeable = one.person.traits.agreeableness + other.person.traits.agreeableness - 1.0
        return min(1.0, max(0.0, p["closeness.start"] + p["closeness.agreeableness"] * agreeable))

    @property
    def mates(self) -> dict[str, tuple[str, ...]]:
        """Those with whom each student would discuss."""
        return {student.name: student.mates for student in self._model.students}

    def _look_around(self, student: StudentAgent, in_group: bool) -> Surroundings:
        """Return the surroundings of a student, from the seats that all have now."""
        percepts = perceive(self.room, student, student.perception.radius, student.perception.capacity)
        classmates = self._model.classmates
        here, towards = student.place, self._gaze(student.place)
        near = [percept.name for percept in percepts if percept.name in classmates]
        places = [classmates[name].place for name in near]
        facing = sum(1 for place in places if face_to_face(here, towards, place, self._gaze(place)))
        return Surroundings(percepts, facing, in_group and any(name in student.mates for name in near))

    def _gaze(self, cell: Cell) -> tuple[float, float]:
        return looks_at(cell, self.room.furniture, self.room.board)


class ClassroomModel(DecidingModel):
    """One lesson of a scenario. An ordinary Mesa model: `step()`, `agents`, `datacollector`, `running`."""

    journal: Journal

    def __init__(
        self,
        scenario: Any = None,
        *,
        layout: str | None = None,
        lesson: str | None = None,
        students: str | int | None = None,
        steps: int | None = None,
        settings: Mapping[str, object] | None = None,
        policy: AnyPolicy | str | None = None,
        seed: int | None = None,
        rng: Any = None,
        lesson_number: int = 1,
        memory: LessonMemory | None = None,
        interventions: Sequence[Intervention] = (),
    ) -> None:
        super().__init__(seed, rng)
        self.setup: Scenario = (
            scenario
            if isinstance(scenario, Scenario) and not (layout or lesson or students or steps or settings)
            else load_scenario(
                scenario, layout=layout, lesson=lesson, students=students, steps=steps, settings=settings or {}
            )
        )
        self.settings = self.setup.settings
        self.parameters = load_parameters(self.settings.parameters)
        self.policy = make_policy(policy or self.settings.policy, self.settings, self.setup.people)
        self.lesson_number = lesson_number
        self.lesson = self._find_lesson(lesson_number)
        self.layout = self.setup.layout
        self.thinks = "nocog" not in self.settings.ablation
        self.styles = "nolocal" not in self.settings.ablation
        self.regulates = self.thinks and "noregulate" not in self.settings.ablation
        self.interventions = tuple(interventions)
        self.forced_acts: tuple[str, ...] = ()
        self.state = SharedState(mode=self.layout.mode)
        self.journal = Journal(self.lesson.name, lesson_number)
        self.memory: LessonMemory | None = None
        self.pacer = Pacer(self.settings.steps, self.settings.pacing.stretch, self.settings.pacing.mode == "adaptive")
        self._people(memory)
        self.placing = Placing(self)
        self.understanding_at_start = {s.name: tuple(s.mind.understanding) for s in self.students}
        self.datacollector = mesa.DataCollector(model_reporters=MODEL_REPORTERS, agent_reporters=AGENT_REPORTERS)
        self.shares: dict[str, float] = {}
        self._digest = (-1, "")

    def _find_lesson(self, number: int) -> Any:
        if not 1 <= number <= len(self.setup.lessons):
            raise ScenarioError(
                f"there is no lesson {number}.", where=self.setup.name, mend=f"It has {len(self.setup.lessons)}."
            )
        return self.setup.lessons[number - 1]

    def _people(self, memory: LessonMemory | None) -> None:
        roll, settings = self.setup.roll, self.settings
        self.teacher = TeacherAgent(self, teacher_of(roll), self.lesson)
        records = {record.student: record for record in memory.records} if memory and settings.memory.carry else {}
        last = max((one.memory.episodes[-1].day for one in records.values() if one.memory.episodes), default=None)
        self.day = 0.0 if last is None else last + settings.memory.days_between
        """The day of the lesson, counted from the first that is remembered."""
        self.memories = {
            person.name: records[person.name].memory if person.name in records else Memory()
            for person in self.setup.roll.students
        }
        self.students: list[StudentAgent] = []
        for person in roll.students:
            fresh = first_mind(person, len(self.lesson.goals), self.lesson.interest, self.parameters)
            student = StudentAgent(self, person, person.perception or settings.perception, fresh)
            self.students.append(student)
            if person.name in records:
                self._bring_back(student, records[person.name])
        self.classmates = {student.name: student for student in self.students}
        self.state.remembered = {s.name: s.remembered for s in self.students if s.remembered is not None}

    def _bring_back(self, student: StudentAgent, record: StudentRecord) -> None:
        """Bring back what the last lesson left: words, state on its way back to where it started, and what is not
        forgotten."""
        p, fresh, old = self.parameters, student.mind, record.mind
        kept = p["carry.state"]
        student.remembered = record.remembered
        if record.remembered.strategy:
            student.regulation = Regulation(record.remembered.strategy, record.remembered.regulation)
        student.closeness = dict(record.closeness)
        student.before = Shown(*record.last)
        student.mind = Mind(
            attention=fresh.attention,
            confidence=fresh.confidence + kept * (old.confidence - fresh.confidence),
            affect=fresh.affect + kept * (old.affect - fresh.affect),
            fatigue=0.0,
            rapport=fresh.rapport + kept * (old.rapport - fresh.rapport),
            engagement=fresh.engagement + kept * (old.engagement - fresh.engagement),
            habit=old.habit,
            understanding=[
                carried_understanding(record.memory, goal.id, goal.needs, self.day, start, p["carry.transfer"])
                for goal, start in zip(self.lesson.goals, fresh.understanding, strict=True)
            ],
        )

    # --- stepping ---

    def _rounds(self) -> Rounds:
        if not self.state.phases:
            yield from self._prepare()
        self._begin_step()
        yield from take_step(self)
        if self.over:
            yield from close_lesson(self)
        self.shares = step_shares(self)

    def _prepare(self) -> Rounds:
        decision = Prepare(
            self._address(self.teacher.name),
            self.teacher.person,
            self.lesson,
            self.settings.steps,
            self.state.remembered,
            tuple(self.classmates),
        )
        (answer,) = yield Round("prepare", [decision])
        if answer.outcome is None:
            raise PolicyError(
                f"the lesson could not be prepared: {answer.reason}.", mend="Try again, or use the embedded policy."
            )
        self.state.phases = tuple(phase for phase in answer.outcome.phases if phase.steps)

    @property
    def over(self) -> bool:
        """The last phase is done."""
        return self.pacer.over

    def _begin_step(self) -> None:
        """Make the changes that are due before the step, and put everybody in it."""
        self.state.step += 1
        self.journal.earlier = len(self.journal.answers)
        self._make_changes()
        self.teacher.start_step(self._address(self.teacher.name), self.students, self.state)
        for student in self.students:
            student.start_step(self._address(student.name))

    def _address(self, name: str) -> Address:
        """Return the address of somebody's draws in this step."""
        return Address(self.seed, self.lesson_number, self.state.step, name)

    def _make_changes(self) -> None:
        self.forced_acts = ()
        for change in self.interventions:
            if change.lesson != self.lesson_number or change.step != self.state.step:
                continue
            if isinstance(change, Move):
                self.placing.move(self._student(change.student), change.to)
            elif isinstance(change, SetTrait):
                self._student(change.student).set_trait(change.trait, change.value)
            elif isinstance(change, SetAct):
                self.forced_acts = (change.act,)

    def _student(self, name: str) -> StudentAgent:
        if name not in self.classmates:
            raise ScenarioError(
                f"there is no student '{name}'.", where=self.setup.name, mend=f"There are {', '.join(self.classmates)}."
            )
        return self.classmates[name]

    def digest(self) -> str:
        """A fingerprint of the state after a step: a replay that differs anywhere differs here."""
        step, digest = self._digest
        if step != self.state.step:
            state = [
                (s.mind, s.now.behaviour, s.partner, s.now.emotion, s.now.cognition, s.place) for s in self.students
            ]
            place = (self.state.step, self.state.phase, self.state.step_in_phase, self.state.extensions)
            digest = blake2b(msgspec.json.encode((place, state)), digest_size=8).hexdigest()
            self._digest = self.state.step, digest
        return digest
