"""A learner and its tutor at one desk: where on the agenda they are, and in which turn."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.agents.tutor import TutorAgent
from eduverse_mesa.models.tutoring.agenda import Exam, Pause, Session, Talk
from eduverse_mesa.models.tutoring.saving import Saved
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Unit


class Desk:
    """One learner's way through its agenda."""

    def __init__(
        self,
        seed: int,
        learner: LearnerAgent,
        tutor: TutorAgent,
        agenda: tuple[Session, ...],
        turns: int,
        reflect_every: int,
    ) -> None:
        self.seed = seed
        self.learner = learner
        self.tutor = tutor
        self.agenda = agenda
        self.turns = turns
        self.reflect_every = reflect_every
        self.session = 1
        """The session it is in, counted from 1."""
        self.turn = 0
        self.unit: Unit | None = None
        self.closing = False
        """The dialogue is over, and what stays of it is to be seen."""
        self.finished = False
        """The tutor has closed it."""
        self.grasp_before = 0.0

    @property
    def over(self) -> bool:
        """Nothing is left on the agenda."""
        return self.session > len(self.agenda)

    @property
    def now(self) -> Session:
        """What is on the agenda now."""
        return self.agenda[self.session - 1]

    @property
    def talk(self) -> Talk | None:
        """The dialogue that is on the agenda now, if it is one."""
        return self.now if not self.over and isinstance(self.now, Talk) else None

    @property
    def exam(self) -> Exam | None:
        """The test that is on the agenda now, if it is one."""
        return self.now if not self.over and isinstance(self.now, Exam) else None

    @property
    def pause(self) -> Pause | None:
        """The pause that is on the agenda now, if it is one."""
        return self.now if not self.over and isinstance(self.now, Pause) else None

    @property
    def talking(self) -> bool:
        """A dialogue has begun."""
        return self.unit is not None

    def at(self, agent: str) -> Address:
        """Where the draws of this turn come from."""
        return Address(self.seed, self.session, self.turn, agent)

    def begin(self, unit: Unit) -> None:
        """Begin a dialogue about a unit."""
        talk = self.talk
        assert talk is not None
        self.unit, self.closing, self.finished = unit, False, False
        self.learner.begin(unit, talk.grade, talk.day)
        self.grasp_before = self.learner.grasping.grasp

    def end(self) -> None:
        """Go on to what is next on the agenda."""
        self.unit, self.closing, self.turn = None, False, 0
        self.session += 1

    # --- what it is now ---

    def saved(self) -> Saved:
        """The learner as it is between two sessions."""
        return Saved(self.learner.name, self.learner.memory, self.tutor.notes, self.session)

    def state(self) -> Any:
        """What there is after a turn: within a dialogue how that stands; memory moves when a session ends, and is told
        then."""
        if not self.talking:
            return self.saved()
        learner, unit = self.learner, self.unit
        assert unit is not None
        place = (learner.name, self.session, self.turn, unit.id, self.finished)
        return place, learner.dialogue, learner.grasping.grasp, learner.memory.confidence
