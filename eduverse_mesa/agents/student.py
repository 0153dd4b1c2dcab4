"""A student, who perceives, is asked, and does with the answers what they say. A student never decides alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mesa.discrete_space import CellAgent

from eduverse_mesa.agents.cognition import NOTHING, Experience, Parameters, attend, recall, update
from eduverse_mesa.decisions import (
    Lived,
    Mind,
    Neighbour,
    Recall,
    Received,
    Regulation,
    Remembered,
    Request,
    Said,
    Scene,
    Spoken,
    StudentView,
)
from eduverse_mesa.randomness import Address, choose
from eduverse_mesa.scenarios.people import Student
from eduverse_mesa.scenarios.perception import Perception
from eduverse_mesa.space.affordances import Situation, nearest_permitted, permitted, why_not
from eduverse_mesa.space.room import AGENT_NUMBERS
from eduverse_mesa.vocabulary import PEER_REQUESTS, TO_CLASS

if TYPE_CHECKING:
    from eduverse_mesa.agents.teacher import Matter
    from eduverse_mesa.space import Percept

_MAX_CLOSENESS = 1.0
_KEPT_STEPS = 3
"""Number of steps that a student has at hand when deciding (the paper's plan reads the last three in memory)."""
_READABLE = 10.0
"""Cells from which what is on the board can still be read."""


@dataclass(slots=True)
class Shown:
    """Behaviour, emotion and cognition in a step; '' while there is none or where the decision failed."""

    behaviour: str = ""
    emotion: str = ""
    cognition: str = ""

    def after(self, before: Shown) -> Shown:
        """Return the same, with what was shown before where there is nothing new."""
        return Shown(
            self.behaviour or before.behaviour, self.emotion or before.emotion, self.cognition or before.cognition
        )


class Surroundings(NamedTuple):
    """The things around a seat: the same until somebody moves."""

    percepts: tuple[Percept, ...] = ()
    facing: int = 0
    """Number of perceived classmates with whom the student sits face to face."""
    grouped: bool = False
    """The seat is one of a group, and the student perceives some of the others."""


class Replaced(NamedTuple):
    """A wish that could not be carried out as it was."""

    wanted: str
    done: str
    reason: str


class StudentAgent(CellAgent):  # type: ignore[misc, unused-ignore]
    """One student of the class."""

    _ids = AGENT_NUMBERS  # type: ignore[assignment, unused-ignore]
    at: Address
    """The address of the student's draws in this step."""
    seen: StudentView
    """The knowledge of the student in this step, from when the teacher has acted."""
    now: Shown
    """The behaviour, emotion and cognition of this step."""

    def __init__(self, model: Any, person: Student, perception: Perception, mind: Mind) -> None:
        super().__init__(model)
        self.person = person
        self.name = person.name
        self.role = "student"
        self.perception = perception
        self.mind = mind
        self.before = Shown(person.initial.behaviour, person.initial.emotion, person.initial.cognition)
        """The behaviour, emotion and cognition that were shown last before this step."""
        self.closeness: dict[str, float] = {}
        self.links: tuple[str, ...] = ()
        self.reachable: tuple[str, ...] = ()
        """Those of the linked classmates that the student perceives: whom the student can turn to now."""
        self.mates: tuple[str, ...] = ()
        """Those with whom the student would discuss."""
        self.to_teacher = 0.0
        self.to_board = 0.0
        self.before_board = False
        """The student sits where what is presented on the board is seen at once."""
        self.around = Surroundings()
        self.facing = 0
        self.grouped = False
        self.regulation: Regulation | None = None
        self.remembered: Remembered | None = None
        self.calls = 0
        self.spoke = 0
        self.hand_up = False
        self.refused_by: tuple[str, ...] = ()
        self.new_refusals: tuple[str, ...] = ()
        self.request: Request | None = None
        self.lately: tuple[Lived, ...] = ()
        self._clear()

    def start_step(self, at: Address) -> None:
        """Forget what belonged to the step before."""
        self.at = at
        self._clear()

    def _clear(self) -> None:
        self.now = Shown()
        self.planned = ""
        self.partner = ""
        self.words: tuple[Said, ...] = ()
        self.recalled: Recall = NOTHING
        self.monitored = ""
        self.feedback: Received | None = None
        self.quality = ""
        self.request = None

    @property
    def place(self) -> tuple[int, int]:
        """The cell the student sits in."""
        cell = self.cell
        if cell is None:
            raise RuntimeError(f"{self.name} has no place yet")
        x, y = cell.coordinate
        return x, y

    # --- perceive ---

    def perceive(
        self, scene: Scene, classmates: dict[str, StudentAgent], matter: Matter, *, relief: float, p: Parameters
    ) -> None:
        """Take in the scene and the nearest things; attention and fatigue move with it, and what the student could
        bring up about the matter comes to mind."""
        self.facing, self.grouped = self.around.facing, self.around.grouped
        closeness, links = self.closeness, self.links
        neighbours = []
        objects = []
        for percept in self.around.percepts:
            mate = classmates.get(percept.name)
            if mate is None:
                objects.append(percept.name)
                continue
            neighbours.append(
                Neighbour(
                    percept.name,
                    percept.distance,
                    mate.before.behaviour,
                    mate.before.emotion,
                    percept.name in links,
                    closeness.get(percept.name, 0.0),
                )
            )
        self.reachable = tuple([neighbour.name for neighbour in neighbours if neighbour.linked])
        self.seen = StudentView(
            person=self.person,
            mind=self.mind,
            scene=scene,
            to_teacher=self.to_teacher,
            to_board=self.to_board,
            neighbours=tuple(neighbours),
            objects=tuple(objects),
            called=self.name in scene.called,
            addressed=self.name in scene.addressed,
            behaviour=self.before.behaviour,
            emotion=self.before.emotion,
            cognition=self.before.cognition,
            feedback=None,
            regulation=self.regulation,
            remembered=self.remembered,
            lately=self.lately,
            facing=self.facing,
            grouped=self.grouped,
        )
        attend(self.seen, relief, p)
        self.recalled = recall(self.at, self.mind, scene.focus, *matter, p)

    # --- act ---

    @property
    def situation(self) -> Situation:
        """The place of the student and what is going on: all that affordances depend on."""
        scene = self.seen.scene
        return Situation(
            called=self.seen.called,
            asked=scene.asked or scene.checked,
            directed_reading=scene.focus.do == "read" and scene.act == "giving_directions",
            mode=scene.mode,
            sees_board=self.before_board or (scene.mode != "presentation" and self.to_board <= _READABLE),
            partners=self.reachable,
            group_mates=self.mates,
            request_kind=self.request.kind if self.request is not None else None,
        )

    @property
    def options(self) -> tuple[str, ...]:
        """The behaviours that are open to the student now."""
        return permitted(self.situation)

    def act(self, wanted: str, named: str, sentence: str) -> list[Replaced]:
        """Do what was decided, or the nearest that is permitted, towards the one who was named, or somebody in reach;
        return what could not be as it was wanted."""
        situation = self.situation
        behaviour = nearest_permitted(wanted, situation)
        replaced = [] if behaviour == wanted else [Replaced(wanted, behaviour, why_not(wanted, situation))]
        partner, reason = self._partner(behaviour, named)
        if reason:
            replaced.append(Replaced(behaviour, behaviour, reason))
        self.settle(behaviour, partner, sentence)
        return replaced

    def _partner(self, behaviour: str, named: str) -> tuple[str, str]:
        """Return the person a behaviour goes to, and the reason why it is not the one who was named. Most behaviours
        leave no choice; where one does and nobody was named, or somebody out of reach, it goes to somebody else."""
        if self.request is not None:
            return self.request.sender, ""
        if behaviour in TO_CLASS:
            return "teacher", ""
        if behaviour not in PEER_REQUESTS:
            return "", ""
        if named in self.reachable:
            return named, ""
        teacher = self.seen.scene.teacher
        partner = "teacher" if behaviour == "ask_question" else self._somebody()
        name = teacher if partner == "teacher" else partner
        if named in ("", partner, name):
            return partner, ""
        return partner, f"{named} is not within talking distance (partner), so it goes to {name}"

    def _somebody(self) -> str:
        """Return one of those the student can turn to, by luck; whoever has just refused is asked last."""
        willing = [name for name in self.reachable if name not in self.refused_by]
        return choose(self.at, "partner/unnamed", willing or self.reachable)

    def settle(self, behaviour: str, partner: str, sentence: str) -> None:
        """Do this now."""
        self.now.behaviour, self.partner, self.planned = behaviour, partner, sentence
        self.hand_up = behaviour == "hand_raise"

    def befriend(self, name: str, change: float) -> None:
        """Grow closer to somebody, or further apart."""
        now = self.closeness.get(name, 0.0)
        self.closeness[name] = min(_MAX_CLOSENESS, max(0.0, now + change * (1.0 - now if change > 0 else now)))

    def set_trait(self, trait: str, value: float) -> None:
        """Become somebody else in one respect (an intervention)."""
        if trait in ("motivation", "ability"):
            self.person = self.person.model_copy(update={trait: value})
        else:
            traits = self.person.traits.model_copy(update={trait: value})
            self.person = self.person.model_copy(update={"traits": traits})

    # --- feedback, regulation, update ---

    def receive(self, polarity: str, text: str) -> None:
        """Take the teacher's feedback."""
        self.feedback = Received(polarity, text)
        self.seen.feedback = self.feedback

    def end_step(self, heard: tuple[Spoken, ...], demand: float, p: Parameters) -> None:
        """Keep this step among the last few, update the state from what it was, and let it become the past."""
        self._remember(heard)
        update(self.mind, self.person, self._experience(), demand, p)
        self.before = self.shown
        self.refused_by, self.new_refusals = self.new_refusals, ()

    def _remember(self, heard: tuple[Spoken, ...]) -> None:
        lived = Lived(
            step=self.at.step,
            behaviour=self.now.behaviour,
            partner=self.partner,
            words=" ".join([said.text for said in self.words]),
            emotion=self.now.emotion,
            cognition=self.now.cognition,
            monitored=self.monitored,
            resolved=self.regulation.sentence if self.regulation is not None else "",
            feedback=self.feedback.text if self.feedback is not None else "",
            heard=heard,
        )
        self.lately = (*self.lately[1 - _KEPT_STEPS :], lived)

    def _experience(self) -> Experience:
        scene = self.seen.scene
        lived = Experience(scene.focus.goal, bool(scene.focus.idea) and scene.category == "instruction")
        lived.behaviour, lived.emotion, lived.cognition = self.now.behaviour, self.now.emotion, self.now.cognition
        lived.feedback = self.feedback.polarity if self.feedback is not None else ""
        lived.quality = self.quality
        resolved = self.seen.regulation  # of the step before: what this step was meant to be like
        lived.strategy = resolved.strategy if resolved is not None else ""
        lived.called = self.seen.called
        return lived

    @property
    def shown(self) -> Shown:
        """The behaviour, emotion and cognition of this step as far as there are any, else those shown before."""
        return self.now.after(self.before)

    # --- what Mesa's data collector reads ---

    @property
    def behaviour(self) -> str:
        """The behaviour that was shown last."""
        return self.before.behaviour

    @property
    def emotion(self) -> str:
        """The emotion that was shown last."""
        return self.before.emotion

    @property
    def cognition(self) -> str:
        """The level of cognition that was shown last."""
        return self.before.cognition

    @property
    def attention(self) -> float:
        """Attention, 0 to 1."""
        return self.mind.attention

    @property
    def confidence(self) -> float:
        """Confidence, 0 to 1."""
        return self.mind.confidence

    @property
    def affect(self) -> float:
        """Affect, -1 to 1."""
        return self.mind.affect

    @property
    def understanding(self) -> float:
        """Mean understanding of the lesson's goals, 0 to 1."""
        return sum(self.mind.understanding) / len(self.mind.understanding)
