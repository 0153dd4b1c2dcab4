"""Learners and tutors as a Mesa model: one turn of every dialogue is a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import mesa
import msgspec

from eduverse_mesa.agents.learner import LearnerAgent, retentiveness
from eduverse_mesa.agents.tutor import TutorAgent
from eduverse_mesa.decisions import Rounds
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.memory.three_levels import EbbinghausLaw, EpisodeLaw, ForgettingLaw, Keeping
from eduverse_mesa.models.decision_model import DecidingModel
from eduverse_mesa.models.tutoring.journal import TutoringJournal
from eduverse_mesa.models.tutoring.sessions import Enrolment, Saved, Session, check_agenda, check_saved, school_years
from eduverse_mesa.models.tutoring.step import take_step
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters
from eduverse_mesa.scenarios.tutoring import Learner, LearnerMemory, Tutoring


class TutoringModel(DecidingModel):
    """A cohort, each learner with a tutor of their own. An ordinary Mesa model: `step()`, `agents`, `datacollector`.

    What happens to one learner does not depend on who else is there, nor on the order in which they are asked.
    """

    journal: TutoringJournal

    def __init__(
        self,
        tutoring: Any = None,
        *,
        curriculum: str | None = None,
        cohort: str | None = None,
        learners: int | None = None,
        settings: Mapping[str, object] | None = None,
        policy: AnyPolicy | str | None = None,
        seed: int | None = None,
        rng: Any = None,
        agenda: Sequence[Session] | None = None,
        saved: Mapping[str, Saved] | None = None,
        tested: bool = False,
    ) -> None:
        super().__init__(seed, rng)
        exchanged = curriculum or cohort or learners or settings
        self.setup: Tutoring = (
            tutoring
            if isinstance(tutoring, Tutoring) and not exchanged
            else load_tutoring(
                tutoring, curriculum=curriculum, cohort=cohort, learners=learners, settings=settings or {}
            )
        )
        self.settings = self.setup.settings
        self.curriculum = self.setup.curriculum
        self.parameters = load_parameters(self.settings.parameters, LEARNER_BOOK)
        self.policy = make_policy(policy or self.settings.policy, self.settings, self.setup.people)
        self.journal = TutoringJournal()
        plan = tuple(agenda) if agenda is not None else school_years(self.curriculum, self.settings, tested=tested)
        check_agenda(plan, self.curriculum)
        check_saved(saved or {}, self.setup.people, self.curriculum)
        self.enrolments = [
            self._enrolment(person, plan, (saved or {}).get(person.name)) for person in self.setup.cohort.learners
        ]
        self.datacollector = mesa.DataCollector(
            model_reporters={"talking": lambda model: sum(enrolment.talking for enrolment in model.enrolments)},
            agent_reporters={"lived": lambda agent: agent.memory.lived if agent.role == "learner" else None},
        )
        self.wait_after: int | None = None
        """Nobody goes on to a session after this one: so all can be kept abreast. It changes nothing for anybody."""
        self.moved: list[Enrolment] = []
        """The enrolments in which something went on in the last step."""
        self.running = not self.over

    def _enrolment(self, person: Learner, plan: tuple[Session, ...], saved: Saved | None) -> Enrolment:
        constrained = self.settings.arm == "full"
        before = saved.copy() if saved is not None else Saved(person.name)
        learner = LearnerAgent(
            self,
            person,
            self.curriculum,
            keeping_of(person, self.settings.memory, self.parameters) if constrained else RECORD,
            self.parameters,
            constrained=constrained,
            language=self.setup.language,
            memory=before.memory,
        )
        tutor = TutorAgent(self, person.name, self.curriculum, self.setup.language, before.notes)
        enrolment = Enrolment(self.seed, learner, tutor, plan, self.settings.turns, self.settings.memory.reflect_every)
        enrolment.session = before.session
        return enrolment

    @property
    def learners(self) -> list[LearnerAgent]:
        """The learners, in the order of the cohort."""
        return [enrolment.learner for enrolment in self.enrolments]

    @property
    def due(self) -> list[Enrolment]:
        """The enrolments in which something goes on in the next step."""
        last = self.wait_after
        return [
            enrolment
            for enrolment in self.enrolments
            if not enrolment.over and (last is None or enrolment.session <= last)
        ]

    def digest(self) -> str:
        """A fingerprint of what the last step has changed: a replay that differs anywhere differs here or before."""
        return blake2b(msgspec.json.encode([enrolment.state() for enrolment in self.moved]), digest_size=8).hexdigest()

    def save(self) -> dict[str, Saved]:
        """Everybody as they are between two sessions: what it takes to resume, or to go on in another way."""
        if any(enrolment.talking for enrolment in self.enrolments):
            raise PolicyError(
                "a dialogue is going on, and a learner is saved between two.", mend="Step on to its end, then save."
            )
        return {enrolment.learner.name: enrolment.saved().copy() for enrolment in self.enrolments}

    # --- stepping ---

    @property
    def over(self) -> bool:
        """Everybody is at the end of their agenda."""
        return all(enrolment.over for enrolment in self.enrolments)

    def _rounds(self) -> Rounds:
        return take_step(self)

    def run(self) -> TutoringModel:
        """Step to the end of everybody's agenda."""
        while self.running:
            self.step()
        return self


RECORD = Keeping(EpisodeLaw(1.0, 0.0, 1.0), beta=1.0, growth=0.0)
"""Without memory nothing is recalled and nothing forgotten: what is kept is the record of what was shown."""


def keeping_of(person: Learner, settings: LearnerMemory, p: Mapping[str, float]) -> Keeping:
    """How a learner keeps what they take in: the law of the settings, better or worse by who they are."""
    well = retentiveness(person, p)
    law: ForgettingLaw
    if settings.law == "episodes":
        law = EpisodeLaw(1.0 - (1.0 - settings.alpha) / well, p["forget.mastery"], p["forget.above_grade"])
    else:
        law = EbbinghausLaw(p["forget.stability"] * well, p["forget.above_grade"])
    growth, most = p["forget.growth"], p["forget.most_strength"]
    vivid, heard = p["forget.vivid"], p["forget.heard"]
    return Keeping(law, settings.beta * well, growth, most, vivid, settings.episodes_kept, heard)
