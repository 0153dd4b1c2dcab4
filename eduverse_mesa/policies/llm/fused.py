"""Fused turns: one call for all a student does in a step, one for the teacher's turn, one for its response."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from eduverse_mesa.decisions import (
    Draft,
    Drafted,
    GiveFeedback,
    Monitor,
    Monitored,
    Pace,
    Plan,
    Planned,
    Prepare,
    Regulate,
    Regulated,
    Style,
    Styled,
    TakeTurn,
)
from eduverse_mesa.policies.llm import student_questions as student
from eduverse_mesa.policies.llm import teacher_questions as teacher
from eduverse_mesa.policies.llm.asking import NOTHING_TAKEN, Asker, Told, UnansweredError
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.stages import Staged, lesson_of
from eduverse_mesa.randomness import Address

_MOST_TURNS = 20_000


class Fused(Staged):
    """Asks for a turn when its first decision comes, and answers the turn's later decisions from it.

    What is not in the turn (words for a behaviour that the room made of another one) is asked for like a stage.
    """

    def __init__(self, asker: Asker, prompter: Prompter, style_model: str | None) -> None:
        super().__init__(asker, prompter, style_model)
        self._turns = Turns()
        self._handlers |= {
            Plan: self.plan,
            Monitor: self.monitor,
            Regulate: self.regulate,
            GiveFeedback: self.respond,
            Pace: self.pace,
        }
        self._asks_monitor = self._simple(student.ask_monitor, student.read_monitor)
        self._asks_regulate = self._simple(student.ask_regulate, student.read_regulate)
        self._asks_pace = self._simple(teacher.ask_pace, teacher.read_pace)

    async def prepare(self, decision: Prepare) -> Told:
        """How long each phase is; its activities keep their order."""
        return await self.prepare_phases(decision)

    async def take_turn(self, decision: TakeTurn) -> Told:
        """The whole turn."""
        question = teacher.ask_teacher_turn(self._prompter, decision)
        return await self.ask(question, lesson_of(decision), lambda v: teacher.read_teacher_turn(v, decision))

    async def plan(self, decision: Plan) -> Told:
        """The student's whole turn, of which the plan is the first part."""
        turn: dict[str, Any] = {}

        def mean(value: dict[str, Any]) -> Planned:
            planned = student.read_plan(value, decision)
            turn.update(value)
            return planned

        try:
            told = await self.ask(student.ask_turn(self._prompter, decision), lesson_of(decision), mean)
        except UnansweredError as error:
            self._turns.fail(decision.at, error)
            raise
        self._turns.keep(decision.at, told.part(turn))
        return told

    async def draft(self, decision: Draft) -> Told:
        """The words of the turn; where it has none, they are asked for, in the student's own way at once."""
        turn = self._turns.of(decision.at)
        if turn is not None and turn.value.get("words") and student.behaviour_of(turn.value) == decision.behaviour:
            return turn.part(Drafted(student.said(turn.value["words"])))
        told = await self.words(decision, "say")
        if turn is None:
            self._turns.keep(decision.at, told.part({}))
        return told

    async def style(self, decision: Style) -> Told:
        """The words of a turn are in the student's own way already."""
        turn = self._turns.of(decision.at)
        if turn is None or self._style_model:
            return await super().style(decision)
        return turn.part(Styled(decision.sentences))

    async def monitor(self, decision: Monitor) -> Told:
        """What the turn says the student noticed about itself."""
        turn = self._turns.of(decision.at)
        if turn is None or not _lived(turn, decision.behaviour):
            return await self._asks_monitor(decision)
        value = turn.value
        return turn.part(Monitored(value["noticed"], value["emotion"], value["cognition"]))

    async def regulate(self, decision: Regulate) -> Told:
        """What the turn says the student resolved."""
        turn = self._turns.take(decision.at)
        if turn is None or not _lived(turn, decision.behaviour):
            return await self._asks_regulate(decision)
        return turn.part(Regulated(turn.value["resolution"], turn.value["strategy"]))

    async def respond(self, decision: GiveFeedback) -> Told:
        """Feedback, and with it the pace."""
        paced: dict[str, Any] = {}

        def mean(value: dict[str, Any]) -> Any:
            fed_back = teacher.read_feedback(value, decision)
            paced.update(value)
            return fed_back

        try:
            told = await self.ask(teacher.ask_response(self._prompter, decision), lesson_of(decision), mean)
        except UnansweredError as error:
            self._turns.fail(decision.at, error)
            raise
        self._turns.keep(decision.at, told.part(paced))
        return told

    async def pace(self, decision: Pace) -> Told:
        """What the response says about the pace."""
        turn = self._turns.take(decision.at)
        if turn is None:
            return await self._asks_pace(decision)
        return turn.part(teacher.read_pace(turn.value, decision))


def _lived(turn: Told, behaviour: str) -> bool:
    """The turn is about what was done; where the room made something else of it, it tells of another step."""
    return "noticed" in turn.value and student.behaviour_of(turn.value) == behaviour


class Turns:
    """Turns whose later parts have not been asked for yet.

    By the identity of the address: a model has one address object for an agent and step, and two classrooms with the
    same seed in one batch have two. The object is kept with the turn, so that no other can take its identity.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[int, tuple[Address, Told | str]] = OrderedDict()

    def fail(self, at: Address, error: UnansweredError) -> None:
        """A turn that was asked for in vain has failed as a whole: its parts are not asked for one by one."""
        self._put(at, error.reason)

    def keep(self, at: Address, turn: Told) -> None:
        """Keep a turn."""
        self._put(at, turn)

    def _put(self, at: Address, turn: Told | str) -> None:
        self._turns[id(at)] = (at, turn)  # the oldest goes when there are too many, of runs that were given up
        while len(self._turns) > _MOST_TURNS:
            self._turns.popitem(last=False)

    def of(self, at: Address) -> Told | None:
        """The turn at an address; raises UnansweredError where it has failed."""
        return self._told(self._turns.get(id(at)))

    def take(self, at: Address) -> Told | None:
        """The turn at an address, for the last time."""
        return self._told(self._turns.pop(id(at), None))

    def _told(self, kept: tuple[Address, Told | str] | None) -> Told | None:
        if kept is None:
            return None
        if isinstance(kept[1], str):
            raise UnansweredError(kept[1], 1, NOTHING_TAKEN)
        return kept[1]
