"""A lesson in a classroom, as a Mesa model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import mesa
import msgspec

from eduverse_mesa.agents.cognition import first_mind
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.agents.teacher import TeacherAgent
from eduverse_mesa.codes import BEHAVIOUR_LEVEL, COGNITION_LEVEL, EMOTIONS, LEVEL_NAMES, SPOKEN
from eduverse_mesa.decisions import (
    FeedbackItem,
    Focus,
    Line,
    Mind,
    Pace,
    Paced,
    Prepare,
    Regulation,
    Round,
    Rounds,
    Said,
    Scene,
    Spoken,
)
from eduverse_mesa.errors import PolicyError, ScenarioError
from eduverse_mesa.memory.long_term import LessonMemory, StudentRecord, carried_understanding
from eduverse_mesa.memory.short_term import SharedState
from eduverse_mesa.memory.three_levels import Memory
from eduverse_mesa.models.classroom.interventions import Intervention, Move, SetAct, SetTrait
from eduverse_mesa.models.classroom.journal import Journal, StudentRow, TeacherRow
from eduverse_mesa.models.classroom.step import lesson_step
from eduverse_mesa.models.decision_model import DecidingModel
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.layout import Seat, expand_seats
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.scenarios.people import teacher_of
from eduverse_mesa.space import Percept, Refusal, Room, face_to_face, looks_at, perceive, student_graph

_UNKNOWN = float("nan")


def step_shares(model: ClassroomModel) -> dict[str, float]:
    """Shares of behaviour levels, emotions and higher-order cognition in this step, in one pass over the class."""
    levels = [0] * len(LEVEL_NAMES)
    emotions: dict[str, int] = dict.fromkeys(EMOTIONS, 0)
    acted = thought = high = 0
    understanding = 0.0
    for student in model.students:
        if student.acted:
            levels[BEHAVIOUR_LEVEL[student.acted]] += 1
            acted += 1
        if student.felt:
            emotions[student.felt] += 1
        if student.thought:
            high += COGNITION_LEVEL[student.thought]
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


_QUALITY = {"right": 1.0, "partial": 0.5, "wrong": 0.0}
_UNHEARD = 0.4
"""Understanding assumed while nobody has said anything that shows it."""


class Pacer:
    """Moves the lesson through its phases."""

    def __init__(self, steps: int, stretch: float, adaptive: bool) -> None:
        self.adaptive = adaptive
        self.longest = int(steps * stretch) if adaptive else steps
        self.over = False
        self._shown: list[float] = []

    def decision(self, model: ClassroomModel, focus: Focus) -> Pace | None:
        """Return the question for the teacher; None when the pace is fixed."""
        self._shown += [_QUALITY[s.quality] for s in model.students if s.quality in _QUALITY]
        if not self.adaptive:
            return None
        state, teacher = model.state, model.teacher
        group = teacher.look(model.students, state)
        return Pace(
            model.address(teacher.name),
            teacher.view(focus, group, state),
            teacher.position(state),
            self._completion(model),
            sum(self._shown) / len(self._shown) if self._shown else _UNHEARD,
            self._may_extend(model),
        )

    def pace(self, model: ClassroomModel, paced: Paced | None, asked: bool) -> tuple[str, str]:
        """Carry the decision out; returns what was done and why."""
        state = model.state
        done = self._completion(model) >= 1.0
        move, reason = (paced.move, paced.reason) if paced is not None else ("stay", "")
        if paced is None:
            reason = "no answer came, so the plan goes on" if asked else "the pace is fixed"
        if move == "extend" and not self._may_extend(model):
            model.journal.reject(state.step, model.teacher.name, "extend", "stay", "the lesson cannot get any longer")
            move = "stay"
        if move == "stay" and done:
            move = "advance"
        state.step_in_phase += 1
        if move == "extend":
            state.extensions += 1
        elif move == "advance":
            self._next_phase(model)
        if state.step >= self.longest:
            self.over = True
        return move, reason

    def _next_phase(self, model: ClassroomModel) -> None:
        state = model.state
        self._shown = []
        if state.phase + 1 == len(state.phases):
            self.over = True
            return
        state.phase += 1
        state.step_in_phase = 0
        state.extensions = 0

    def _completion(self, model: ClassroomModel) -> float:
        state = model.state
        return (state.step_in_phase + 1) / (state.phases[state.phase].steps + state.extensions)

    def _may_extend(self, model: ClassroomModel) -> bool:
        state = model.state
        left = sum(phase.steps for phase in state.phases[state.phase + 1 :])
        longest_phase = 1 + state.phases[state.phase].steps // 3
        return self.adaptive and state.extensions < longest_phase and state.step + left < self.longest


Cell = tuple[int, int]

MOVING = "move to "
"""Begins what is logged as wished for where a move does not take place."""

_READABLE = 10.0
"""Cells from which what is on the board can still be read."""


class Placing:
    """The room with its people; the seat graph; caches that a move renews."""

    def __init__(self, model: ClassroomModel) -> None:
        self._model = model
        self.room = Room(model, model.layout)
        self._seats = {seat.id: seat for seat in expand_seats(model.layout)}
        self._groups: dict[str, str | None] = {}
        self.mates: dict[str, tuple[str, ...]] = {}
        self._percepts: dict[str, tuple[Percept, ...]] = {}
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
        """Work out again what depends on where people are."""
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
        self._percepts = {}
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
            group = self._groups[name] = seating[name].group
            self.mates[name] = tuple(mate for mate in groups[group] if mate != name) if group is not None else links
            for mate in links:
                if mate not in student.closeness:
                    student.closeness[mate] = self._first_closeness(student, model.classmates[mate])

    def _first_closeness(self, one: StudentAgent, other: StudentAgent) -> float:
        p = self._model.parameters
        agreeable = one.person.traits.agreeableness + other.person.traits.agreeableness - 1.0
        return min(1.0, max(0.0, p["closeness.start"] + p["closeness.agreeableness"] * agreeable))

    def percepts(self, student: StudentAgent) -> tuple[Percept, ...]:
        """Return the percepts of the student; they are the same until somebody moves."""
        known = self._percepts.get(student.name)
        if known is None:
            known = perceive(self.room, student, student.perception.radius, student.perception.capacity)
            self._percepts[student.name] = known
            self._look_around(student, known)
        return known

    def _look_around(self, student: StudentAgent, percepts: tuple[Percept, ...]) -> None:
        """Note how many of the classmates that a student perceives sit face to face with the student, and whether the
        group is among them."""
        mates, classmates = self.mates[student.name], self._model.classmates
        here, towards = student.place, self._gaze(student.place)
        near = [percept.name for percept in percepts if percept.name in classmates]
        places = [classmates[name].place for name in near]
        student.facing = sum(1 for place in places if face_to_face(here, towards, place, self._gaze(place)))
        student.grouped = self._groups[student.name] is not None and any(name in mates for name in near)

    def _gaze(self, cell: Cell) -> tuple[float, float]:
        return looks_at(cell, self.room.furniture, self.room.board)

    def sees_board(self, student: StudentAgent, mode: str) -> bool:
        """In a presentation only the presentation arena sees the board at once; else whoever is near enough to read."""
        arena = self.room.arena_at(student.place)
        if arena is not None and arena.presentation:
            return True
        return mode != "presentation" and student.to_board <= _READABLE


class ClassroomModel(DecidingModel):
    """One lesson of a scenario. An ordinary Mesa model: `step()`, `agents`, `datacollector`, `running`."""

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
        self._addresses: dict[str, Address] = {}

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
        student.behaviour, student.emotion, student.cognition = record.last
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
        yield from lesson_step(self)

    def _next_step(self) -> str:
        return f"step {self.state.step + 1}"

    def _prepare(self) -> Rounds:
        decision = Prepare(
            self.address(self.teacher.name),
            self.teacher.person,
            self.lesson,
            self.settings.steps,
            self.state.remembered,
            tuple(self.classmates),
        )
        (answer,) = yield Round("prepare", [decision])
        self.journal.note(0, "prepare", [decision], [answer])
        if answer.outcome is None:
            raise PolicyError(
                f"the lesson could not be prepared: {answer.reason}.", mend="Try again, or use the embedded policy."
            )
        self.state.phases = tuple(phase for phase in answer.outcome.phases if phase.steps)

    def _collect(self) -> None:
        self.shares = step_shares(self)
        super()._collect()

    @property
    def over(self) -> bool:
        """The last phase is done."""
        return self.pacer.over

    def address(self, agent: str) -> Address:
        """Return the address of this agent's draws in this step."""
        step = self.state.step
        known = self._addresses.get(agent)
        if known is None or known.step != step:
            known = self._addresses[agent] = Address(self.seed, self.lesson_number, step, agent)
        return known

    # --- what the parts of a step need ---

    def percepts(self, student: StudentAgent) -> tuple[Percept, ...]:
        """Return what the student perceives from the seat."""
        return self.placing.percepts(student)

    def relief(self, scene: Scene) -> float:
        """A change of activity rests the mind."""
        acts = self.state.acts
        changed = len(acts) > 1 and acts[-1] != acts[-2]
        return self.parameters["fatigue.relief"] if changed and scene.category == "interaction" else 0.0

    def sees_board(self, student: StudentAgent, scene: Scene) -> bool:
        """Return True if what is on the board is before the student's eyes."""
        return self.placing.sees_board(student, scene.mode)

    def mates(self, student: StudentAgent) -> tuple[str, ...]:
        """With whom the student would discuss."""
        return self.placing.mates[student.name]

    def apply_interventions(self) -> None:
        """Make the changes that are due before this step."""
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

    # --- paper work ---

    def write_transcript(self, feedback: Mapping[str, FeedbackItem]) -> None:
        """Put the talk of a step in order: those who were called, then who spoke up, each with what came back to it;
        then the teacher's words to others, and talk aside."""
        journal, step, teacher = self.journal, self.state.step, self.teacher.name
        talking = [student for student in self.students if student.words]
        aloud = [student for student in talking if student.partner == "teacher"]
        aloud.sort(key=lambda student: not student.seen.called)
        answered = dict(feedback)
        for student in aloud:
            self.say_to_class("S", student.name, student.words, "teacher")
            if student.name in answered:
                self.say_to_class("T", teacher, answered.pop(student.name).sentences, student.name)
        for name, item in answered.items():
            self.say_to_class("T", teacher, item.sentences, name)
        for student in talking:
            if student.partner != "teacher":
                channel = "peer" if student.partner else "group"
                journal.say(step, "S", student.name, student.words, student.partner or "group", channel)

    def say_to_class(self, role: str, speaker: str, sentences: Sequence[Said], to: str) -> None:
        """Record sentences that everybody in the room hears."""
        state = self.state
        self.journal.say(state.step, role, speaker, sentences, to, "class")
        state.talk.append(Line(state.step, speaker, to, " ".join([said.text for said in sentences])))

    def write_teacher(self, scene: Scene, took_up: bool, move: str, reason: str) -> None:
        """The teacher's row."""
        self.journal.teacher.append(
            TeacherRow(
                lesson=self.lesson.name,
                step=self.state.step,
                phase=scene.phase,
                category=scene.category,
                act=scene.act,
                tone=scene.tone if scene.act else "",
                called=";".join(scene.called),
                took_up=took_up,
                pacing=move,
                pacing_reason=reason,
            )
        )

    def end_step(self) -> None:
        """Update every state, write every row, and let the step become the past."""
        state, lesson = self.state, self.lesson
        to_each: dict[str, list[Spoken]] = {}
        for spoken in state.spoken:
            if spoken.addressee == "group":
                for mate in self.placing.mates[spoken.speaker]:
                    to_each.setdefault(mate, []).append(spoken)
            elif spoken.addressee != "teacher":
                to_each.setdefault(spoken.addressee, []).append(spoken)
        for student in self.students:
            student.remember_step(state.step, tuple(to_each.get(student.name, ())))
            student.finish_step(lesson.demand, self.parameters)
            self.journal.students.append(self._student_row(student))
        state.earlier = tuple(spoken for spoken in state.spoken if spoken.addressee == "teacher")

    def _student_row(self, student: StudentAgent) -> StudentRow:
        mind, seen = student.mind, student.seen
        x, y = student.place
        return StudentRow(
            lesson=self.lesson.name,
            step=self.state.step,
            student=student.name,
            behaviour=student.acted,
            emotion=student.felt,
            cognition=student.thought,
            addressee=student.partner or ("group" if student.acted == "group_discussion" else ""),
            called=seen.called,
            feedback=student.feedback.polarity if student.feedback is not None else "",
            x=x,
            y=y,
            attention=mind.attention,
            confidence=mind.confidence,
            affect=mind.affect,
            fatigue=mind.fatigue,
            rapport=mind.rapport,
            understanding=student.understanding,
            perceived=";".join([*[neighbour.name for neighbour in seen.neighbours], *seen.objects]),
            gate=student.request.sender if student.request is not None else "",
            plan=student.planned,
            words=" ".join([said.text for said in student.words]) if student.acted in SPOKEN else "",
            recall=student.recalled.level if student.recalled is not None else "",
            quality=student.quality,
            monitoring=student.monitored,
            regulation=student.regulation.sentence if student.regulation is not None else "",
            strategy=student.regulation.strategy if student.regulation is not None else "",
        )

    def digest(self) -> str:
        """A fingerprint of the state after a step: a replay that differs anywhere differs here."""
        step, digest = self._digest
        if step != self.state.step:
            state = [(s.mind, s.acted, s.partner, s.felt, s.thought, s.place) for s in self.students]
            place = (self.state.step, self.state.phase, self.state.step_in_phase, self.state.extensions)
            digest = blake2b(msgspec.json.encode((place, state)), digest_size=8).hexdigest()
            self._digest = self.state.step, digest
        return digest
