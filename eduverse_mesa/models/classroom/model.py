"""A lesson in a classroom, as a Mesa model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import mesa
import msgspec

from eduverse_mesa.agents.cognition import first_mind
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.agents.teacher import TeacherAgent
from eduverse_mesa.codes import SPOKEN
from eduverse_mesa.decisions import (
    FeedbackItem,
    Line,
    Mind,
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
from eduverse_mesa.models.classroom.collecting import AGENT_REPORTERS, MODEL_REPORTERS, step_shares
from eduverse_mesa.models.classroom.interventions import Intervention, Move, SetAct, SetTrait
from eduverse_mesa.models.classroom.journal import Journal, StudentRow, TeacherRow
from eduverse_mesa.models.classroom.pacing import Pacer
from eduverse_mesa.models.classroom.placing import Placing
from eduverse_mesa.models.classroom.step import lesson_step
from eduverse_mesa.models.deciding import DecidingModel
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.scenarios.people import teacher_of

if TYPE_CHECKING:
    from eduverse_mesa.space import Percept


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
        """What the last lesson left: words, state on its way back to where it started, and what is not forgotten."""
        p, fresh, old = self.parameters, student.mind, record.mind
        kept = p["carry.state"]
        student.remembered = record.remembered
        if record.remembered.strategy:
            student.regulation = Regulation(record.remembered.strategy, record.remembered.regulation)
        student.closeness = dict(record.closeness)
        student.behaviour, student.emotion, student.cognition = record.last
        student.mind = Mind(
            fresh.attention,
            fresh.confidence + kept * (old.confidence - fresh.confidence),
            fresh.affect + kept * (old.affect - fresh.affect),
            0.0,
            fresh.rapport + kept * (old.rapport - fresh.rapport),
            fresh.engagement + kept * (old.engagement - fresh.engagement),
            old.habit,
            [
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
        """Where this agent's draws of this step come from."""
        step = self.state.step
        known = self._addresses.get(agent)
        if known is None or known.step != step:
            known = self._addresses[agent] = Address(self.seed, self.lesson_number, step, agent)
        return known

    # --- what the parts of a step need ---

    def percepts(self, student: StudentAgent) -> tuple[Percept, ...]:
        """What the student perceives from its seat."""
        return self.placing.percepts(student)

    def relief(self, scene: Scene) -> float:
        """A change of activity rests the mind."""
        acts = self.state.acts
        changed = len(acts) > 1 and acts[-1] != acts[-2]
        return self.parameters["fatigue.relief"] if changed and scene.category == "interaction" else 0.0

    def sees_board(self, student: StudentAgent, scene: Scene) -> bool:
        """Whether what is on the board is before the student's eyes."""
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
        """What everybody in the room hears."""
        state = self.state
        self.journal.say(state.step, role, speaker, sentences, to, "class")
        state.talk.append(Line(state.step, speaker, to, " ".join([said.text for said in sentences])))

    def write_teacher(self, scene: Scene, took_up: bool, move: str, reason: str) -> None:
        """The teacher's row."""
        self.journal.teacher.append(
            TeacherRow(
                self.lesson.name,
                self.state.step,
                scene.phase,
                scene.category,
                scene.act,
                scene.tone if scene.act else "",
                ";".join(scene.called),
                took_up,
                move,
                reason,
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
            self.lesson.name,
            self.state.step,
            student.name,
            student.acted,
            student.felt,
            student.thought,
            student.partner or ("group" if student.acted == "group_discussion" else ""),
            seen.called,
            student.feedback.polarity if student.feedback is not None else "",
            x,
            y,
            mind.attention,
            mind.confidence,
            mind.affect,
            mind.fatigue,
            mind.rapport,
            student.understanding,
            ";".join([*[neighbour.name for neighbour in seen.neighbours], *seen.objects]),
            student.request.sender if student.request is not None else "",
            student.planned,
            " ".join([said.text for said in student.words]) if student.acted in SPOKEN else "",
            student.recalled.level if student.recalled is not None else "",
            student.quality,
            student.monitored,
            student.regulation.sentence if student.regulation is not None else "",
            student.regulation.strategy if student.regulation is not None else "",
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
