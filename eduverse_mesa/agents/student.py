"""A student, who perceives, is asked, and does with the answers what they say. A student never decides alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mesa.discrete_space import CellAgent

from eduverse_mesa.agents.cognition import Experience, Parameters, attend, update
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
from eduverse_mesa.scenarios.people import Perception, Student
from eduverse_mesa.space.room import AGENT_NUMBERS

if TYPE_CHECKING:
    from eduverse_mesa.space import Percept

_MAX_CLOSENESS = 1.0
_KEPT_STEPS = 3
"""Number of steps that a student has at hand when deciding (the paper's plan reads the last three in memory)."""


class StudentAgent(CellAgent):  # type: ignore[misc, unused-ignore]
    """One student of the class."""

    _ids = AGENT_NUMBERS  # type: ignore[assignment, unused-ignore]

    def __init__(self, model: Any, person: Student, perception: Perception, mind: Mind) -> None:
        super().__init__(model)
        self.person = person
        self.name = person.name
        self.role = "student"
        self.perception = perception
        self.mind = mind
        self.behaviour: str = person.initial.behaviour
        self.emotion: str = person.initial.emotion
        self.cognition: str = person.initial.cognition
        self.closeness: dict[str, float] = {}
        self.links: tuple[str, ...] = ()
        self.reachable: tuple[str, ...] = ()
        """Those of the linked classmates that the student perceives: whom the student can turn to now."""
        self.to_teacher = 0.0
        self.to_board = 0.0
        self.facing = 0
        """Number of perceived classmates with whom the student sits face to face."""
        self.grouped = False
        """The student's seat is one of a group, and the student perceives some of the others."""
        self.regulation: Regulation | None = None
        self.remembered: Remembered | None = None
        self.calls = 0
        self.spoke = 0
        self.hand_up = False
        self.refused_by: tuple[str, ...] = ()
        self.new_refusals: tuple[str, ...] = ()
        self.request: Request | None = None
        self.lately: tuple[Lived, ...] = ()
        self.start_step_afresh()

    def start_step_afresh(self) -> None:
        """Forget what belonged to the step before."""
        self.view: StudentView | None = None
        self.planned = ""
        self.acted = ""
        """The behaviour of this step; '' while there is none or where the decision failed."""
        self.partner = ""
        self.words: tuple[Said, ...] = ()
        self.recalled: Recall | None = None
        self.monitored = ""
        self.felt = ""
        self.thought = ""
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

    def perceive(self, scene: Scene, percepts: tuple[Percept, ...], classmates: dict[str, StudentAgent]) -> None:
        """Take in the scene and the nearest things; attention moves with it."""
        closeness, links = self.closeness, self.links
        neighbours = []
        objects = []
        for percept in percepts:
            mate = classmates.get(percept.name)
            if mate is None:
                objects.append(percept.name)
                continue
            neighbours.append(
                Neighbour(
                    percept.name,
                    percept.distance,
                    mate.behaviour,
                    mate.emotion,
                    percept.name in links,
                    closeness.get(percept.name, 0.0),
                )
            )
        self.reachable = tuple([neighbour.name for neighbour in neighbours if neighbour.linked])
        self.view = StudentView(
            person=self.person,
            mind=self.mind,
            scene=scene,
            to_teacher=self.to_teacher,
            to_board=self.to_board,
            neighbours=tuple(neighbours),
            objects=tuple(objects),
            called=self.name in scene.called,
            addressed=self.name in scene.addressed,
            behaviour=self.behaviour,
            emotion=self.emotion,
            cognition=self.cognition,
            feedback=None,
            regulation=self.regulation,
            remembered=self.remembered,
            lately=self.lately,
            facing=self.facing,
            grouped=self.grouped,
        )

    def attend(self, relief: float, p: Parameters) -> None:
        """Move attention and fatigue."""
        attend(self.seen, relief, p)

    @property
    def seen(self) -> StudentView:
        """The view of this step."""
        if self.view is None:
            raise RuntimeError(f"{self.name} was asked before it perceived")
        return self.view

    # --- act ---

    def settle(self, behaviour: str, partner: str, sentence: str) -> None:
        """Do this now."""
        self.acted, self.partner, self.planned = behaviour, partner, sentence
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

    def remember_step(self, step: int, heard: tuple[Spoken, ...]) -> None:
        """Keep this step among the last few."""
        lived = Lived(
            step=step,
            behaviour=self.acted,
            partner=self.partner,
            words=" ".join([said.text for said in self.words]),
            emotion=self.felt,
            cognition=self.thought,
            monitored=self.monitored,
            resolved=self.regulation.sentence if self.regulation is not None else "",
            feedback=self.feedback.text if self.feedback is not None else "",
            heard=heard,
        )
        self.lately = (*self.lately[1 - _KEPT_STEPS :], lived)

    def finish_step(self, demand: float, p: Parameters) -> None:
        """Update the state from what this step was, and let it become the past."""
        scene = self.seen.scene
        lived = Experience(scene.focus.goal, bool(scene.focus.idea) and scene.category == "instruction")
        lived.behaviour, lived.emotion, lived.cognition = self.acted, self.felt, self.thought
        lived.feedback = self.feedback.polarity if self.feedback is not None else ""
        lived.quality = self.quality
        resolved = self.seen.regulation  # of the step before: what this step was meant to be like
        lived.strategy = resolved.strategy if resolved is not None else ""
        lived.called = self.seen.called
        update(self.mind, self.person, lived, demand, p)
        self.behaviour = self.acted or self.behaviour
        self.emotion = self.felt or self.emotion
        self.cognition = self.thought or self.cognition
        self.refused_by, self.new_refusals = self.new_refusals, ()

    # --- what Mesa's data collector reads ---

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
