"""A group that solves a problem together as a Mesa model: one message is a step."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import mesa

from eduverse_mesa.agents.peer import PeerAgent
from eduverse_mesa.agents.solution import likely_values, sheet_of, ways_of
from eduverse_mesa.decisions import Rounds
from eduverse_mesa.decisions.groups import Message, PeerView
from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.decision_model import DecidingModel
from eduverse_mesa.models.groups.journal import CollaborationJournal, EndRow, Ledger
from eduverse_mesa.models.groups.record import FIRST, SOLVED, Record
from eduverse_mesa.models.groups.step import Floor, Patience, take_step
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.randomness import Address, choose
from eduverse_mesa.scenarios.groups import Collaboration, Peer
from eduverse_mesa.scenarios.includes import Include
from eduverse_mesa.scenarios.loader import load_collaboration
from eduverse_mesa.scenarios.word_problem import Misconception, WordProblem, schema_of, work


class Heard(NamedTuple):
    """A message that a person has sent."""

    name: str
    text: str
    now: float


class GroupModel(DecidingModel):
    """Peers, and people if there are seats, on one problem. An ordinary Mesa model: `step()`, `agents`,
    `datacollector`.

    It never looks at a clock: whoever drives it says what time it is (`tick`), that somebody types (`type`) and what
    a person has sent (`hear`); all-virtual groups need none of this.
    """

    journal: CollaborationJournal

    def __init__(
        self,
        collaboration: Any = None,
        *,
        problem: Include | None = None,
        arm: str | None = None,
        policy: AnyPolicy | str | None = None,
        seed: int | None = None,
        rng: Any = None,
        session: int = 1,
        now: float = 0.0,
    ) -> None:
        super().__init__(seed, rng)
        self.setup: Collaboration = load_collaboration(collaboration, problem=problem, arm=arm)
        self.settings = self.setup.settings
        self.arm = self.settings.arm
        self.problem: WordProblem = self.setup.problems[0]
        self.session = session
        self.sheet = sheet_of(self.problem)
        self.people = self.setup.seats
        self.members = self.setup.members
        self.policy = make_policy(policy or self.settings.policy, self.settings, self.members)
        self.journal = CollaborationJournal(self.problem.name, self.arm)
        right = work(schema_of(self.problem))
        self.right = {name: str(value) for name, value in right.values.items()}
        """The solution, for the journal only."""
        self.likely = likely_values(self.problem) if self.people else ()
        self.ways = ways_of(self.problem) if self.people else ()
        self.ledger = Ledger(self.sheet, self.arm, self.right, right.chosen, self.journal.errors)
        self.record = Record(self.sheet, self.members)
        self.peers = [self._seat(peer) for peer in self.setup.peers]
        self.dialogue: list[Message] = []
        self.stage = FIRST
        self.in_stage = 0
        """Messages since the stage began."""
        self.turn = 0
        self.unanswered = 0
        """Messages that peers have said in a row for people who were silent."""
        self.adult = ""
        """The adult to whom the peers send somebody in trouble; a driver may name another one at any time."""
        self.reach = self.help_line = ""
        """The place where that adult is found, and a help line."""
        self.cleared: frozenset[int] = frozenset()
        """Messages that were a false alarm, as a teacher has said; a driver may name others at any time."""
        self.now = now
        self.inbox: deque[Heard] = deque()
        self.floor = Floor(self.members, frozenset(self.people), now, self._patience())
        self.datacollector = mesa.DataCollector(
            model_reporters={"turns": "turn", "stage": "stage", "solved": "solved", "right": "is_right"},
            agent_reporters={"misconception": lambda peer: peer.misconception.id if peer.misconception else ""},
        )
        self.running = True

    def _patience(self) -> Patience:
        return Patience(self.settings.wait_alone, self.settings.wait_shared)

    def _seat(self, peer: Peer) -> PeerAgent:
        vanilla = self.arm == "vanilla"
        return PeerAgent(
            self,
            peer,
            self.problem,
            self.sheet,
            None if vanilla else self._misconception(peer),
            language=self.problem.language,
            help_left=(1.0 - self.settings.fading) ** (self.session - 1),
        )

    def _misconception(self, peer: Peer) -> Misconception | None:
        """The one that the peer is given, or one of the problem's for a peer of limited skill."""
        several = self.problem.misconceptions
        if peer.misconception:
            known = [one.id for one in several]
            if peer.misconception not in known:
                raise LessonError(
                    f"{peer.name} begins with '{peer.misconception}', which is no misconception of "
                    f"'{self.problem.name}'.",
                    mend=f"Known: {', '.join(known)}.",
                )
            return self.problem.misconception(peer.misconception)
        if peer.skill == "advanced":
            return None
        return choose(self.at(peer.name), "misconception", several)

    # --- what a driver tells ---

    def name_adult(self, name: str, reach: str, help_line: str) -> None:
        """Name the adult whom the peers send somebody to who is in trouble, where that adult is, and a help line; any
        may be empty."""
        self.adult, self.reach, self.help_line = name, reach, help_line

    def tick(self, now: float) -> None:
        """It is this late now, in seconds by any clock that does not run back."""
        if now < self.now:
            raise LessonError(
                f"the time given is {now}, and it was {self.now} already.", mend="Give times that do not run back."
            )
        self.now = now

    def type(self, name: str, now: float) -> None:
        """A person has struck a key: the others hold back anew."""
        self._person(name)
        self.tick(now)
        self.floor = self.floor.touch(now)

    def hear(self, name: str, text: str, now: float | None = None) -> None:
        """A person has sent a message; the next step takes it in."""
        self._person(name)
        if now is not None:
            self.tick(now)
        if not self.running:
            raise LessonError("this dialogue is over.", mend="Go on with another problem.")
        self.inbox.append(Heard(name, text, self.now))

    def leave(self, name: str) -> None:
        """A person moves on to something else; the dialogue ends here, solved or not."""
        self._person(name)
        self.finish()

    def _person(self, name: str) -> None:
        if name not in self.people:
            raise LessonError(
                f"nobody called '{name[:80]}' has a seat in this group.",
                mend=f"Seats: {', '.join(self.people) or 'none; it is all virtual'}.",
            )

    @property
    def due(self) -> float | None:
        """From when on a step does something; None where the dialogue is over, or waits for people who are gone."""
        if not self.running:
            return None
        if self.inbox:
            return self.now
        return self.floor.due if self.unanswered < self.settings.goes_on else None

    # --- what is known ---

    def at(self, agent: str) -> Address:
        """Return the address of the draws of this turn."""
        return Address(self.seed, getattr(self, "session", 1), getattr(self, "turn", 0), agent)

    @property
    def names_of_peers(self) -> tuple[str, ...]:
        """The peers' names."""
        return tuple(peer.name for peer in self.peers)

    def peer(self, name: str) -> PeerAgent:
        """The peer of a name."""
        return next(peer for peer in self.peers if peer.name == name)

    def view(self, peer: PeerAgent) -> PeerView:
        """Return what a peer knows now."""
        seen = peer.view(self.stage, self.dialogue, self.record.minutes(), self.members, self.people)
        seen.adult, seen.reach, seen.help_line = self.adult, self.reach, self.help_line
        seen.cleared = self.cleared
        return seen

    @property
    def solved(self) -> bool:
        """All stages are closed."""
        return self.stage == SOLVED

    @property
    def answer(self) -> dict[str, str]:
        """The answer that the group holds, as it was named last."""
        if self.sheet.options:
            last = list(self.record.chosen.values())
            return {"choice": ",".join(last[-1])} if last else {}
        named: dict[str, str] = {}
        for goal in self.sheet.goals:
            stated = [one for one in self.record.stated.values() if one.variable == goal and not one.loose]
            if stated:
                named[goal] = max(stated, key=lambda one: one.turn).value
        return named

    @property
    def is_right(self) -> bool:
        """True if that answer is right and whole."""
        wanted = 1 if self.sheet.options else len(self.sheet.goals)
        answer = self.answer
        return len(answer) == wanted and all(self.ledger.is_right(name, value) for name, value in answer.items())

    @property
    def standing(self) -> EndRow:
        """How it would end now."""
        answer = ";".join(f"{name}={value}" for name, value in self.answer.items())
        return EndRow(
            problem=self.problem.name,
            arm=self.arm,
            seed=self.seed,
            turns=self.turn,
            stage=self.stage,
            solved=self.solved,
            right=self.is_right,
            answer=answer,
        )

    # --- stepping ---

    @property
    def over(self) -> bool:
        """It has come to its end, or was left."""
        return bool(self.journal.ends)

    def _rounds(self) -> Rounds:
        """One message, if somebody has one now; while a person is waited for nothing happens."""
        return take_step(self)

    def finish(self) -> None:
        """The dialogue ends."""
        if not self.over:
            self.journal.ends.append(self.standing)
        self.running = False

    def run(self) -> GroupModel:
        """Step to the end, or to where only people can go on; time flies where they are waited for."""
        while self.running and (due := self.due) is not None:
            self.tick(max(self.now, due))
            self.step()
        return self


CollaborationModel = GroupModel
"""The earlier name, which studies' notebooks use."""
