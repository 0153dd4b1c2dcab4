"""How decisions become calls: every stage of the paper a call of its own (staged), or a whole turn in one (fused)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from eduverse_mesa.decisions import (
    Decision,
    Draft,
    Drafted,
    Evaluate,
    Evaluated,
    GiveFeedback,
    Monitor,
    Monitored,
    Pace,
    Plan,
    Planned,
    Prepare,
    Prepared,
    React,
    Regulate,
    Regulated,
    ScoreRequest,
    Style,
    Styled,
    Summarise,
    TakeTurn,
    Turned,
    Usage,
    WordFeedback,
    WordTurn,
)
from eduverse_mesa.policies.llm import questions as student
from eduverse_mesa.policies.llm import questions as teacher
from eduverse_mesa.policies.llm.answer import NOTHING_TAKEN, Asker, Question, Told, UnansweredError
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.vocabulary import ACT_CATEGORY

_EVALUATED_AT_ONCE = 6
"""Students in one call of an evaluation: a whole class would not fit into one answer."""


class Staged:
    """A call for each stage, as in the paper (C.2-C.3)."""

    def __init__(self, asker: Asker, prompter: Prompter, style_model: str | None) -> None:
        self._asker = asker
        self._prompter = prompter
        self._style_model = style_model or ""
        self._handlers: dict[type[Decision], Callable[[Any], Awaitable[Told]]] = {
            Prepare: self.prepare,
            TakeTurn: self.take_turn,
            WordTurn: self.word_turn,
            ScoreRequest: self._simple(student.ask_score, student.read_score),
            Plan: self._simple(student.ask_plan, student.read_plan),
            React: self._simple(student.ask_react, student.read_react),
            Draft: self.draft,
            Style: self.style,
            Monitor: self._simple(student.ask_monitor, student.read_monitor),
            GiveFeedback: self._simple(teacher.ask_feedback, teacher.read_feedback),
            WordFeedback: self._simple(teacher.ask_word_feedback, teacher.read_word_feedback),
            Regulate: self._simple(student.ask_regulate, student.read_regulate),
            Pace: self._simple(teacher.ask_pace, teacher.read_pace),
            Summarise: self._simple(student.ask_summary, student.read_summary),
            Evaluate: self.evaluate,
        }

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision, and what it took; raises UnansweredError."""
        return await self._handlers[type(decision)](decision)

    def _simple(
        self, ask: Callable[[Prompter, Any], Question], read: Callable[[Any, Any], Any]
    ) -> Callable[[Any], Awaitable[Told]]:
        async def tell(decision: Any) -> Told:
            return await self.ask(ask(self._prompter, decision), lesson_of(decision), lambda v: read(v, decision))

        return tell

    async def ask(self, question: Question, lesson: Lesson, mean: Callable[[dict[str, Any]], Any]) -> Told:
        """One question."""
        return await self._asker.ask(question, self._prompter.templates(lesson), mean)

    async def prepare(self, decision: Prepare) -> Told:
        """Phases first, then what is done in each of their steps."""
        phases = await self.prepare_phases(decision)
        orders = await together(
            [
                self.ask(
                    teacher.ask_order(self._prompter, decision, planned),
                    decision.lesson,
                    lambda v, planned=planned: teacher.read_order(v, planned),  # type: ignore[misc]
                )
                for planned in phases.value.phases
            ],
            after=[phases],
        )
        return join(Prepared(tuple(order.value for order in orders)), [phases], orders)

    async def prepare_phases(self, decision: Prepare) -> Told:
        """How long each phase is."""
        question = teacher.ask_prepare(self._prompter, decision)
        return await self.ask(question, decision.lesson, lambda v: teacher.read_prepare(v, decision))

    async def take_turn(self, decision: TakeTurn) -> Told:
        """Category, act, words and tone, one after the other; what is settled already is not asked."""
        told: list[Told] = []
        try:
            turned = await self._take_turn(decision, told)
        except UnansweredError as error:
            raise error.after(told) from None
        return join(turned, told)

    async def _take_turn(self, decision: TakeTurn, told: list[Told]) -> Turned:
        lesson = decision.view.lesson
        acts = decision.permitted
        if len(acts) > 1:
            question = teacher.ask_category(self._prompter, decision)
            told.append(await self.ask(question, lesson, lambda v: v["category"]))
            acts = tuple(act for act in acts if ACT_CATEGORY[act] == told[-1].value)
        act = acts[0]
        if len(acts) > 1:
            question = teacher.ask_act(self._prompter, decision, ACT_CATEGORY[act])
            told.append(await self.ask(question, lesson, lambda v: v["act"]))
            act = told[-1].value
        told.append(await self.ask(teacher.ask_teacher_words(self._prompter, decision, act), lesson, lambda v: v))
        spoken = told[-1].value
        sentences = student.said(spoken["sentences"])
        question = teacher.ask_tone(self._prompter, decision, act, sentences)
        told.append(await self.ask(question, lesson, lambda v: v["tone"]))
        return Turned(
            ACT_CATEGORY[act],
            act,
            told[-1].value,
            sentences,
            tuple(dict.fromkeys(spoken.get("call_on", ()))),
            tuple(dict.fromkeys(spoken.get("speak_to", ()))),
            decision.view.focus.do,
        )

    async def word_turn(self, decision: WordTurn) -> Told:
        """Words for a turn that has been decided."""
        turn = decision.turn

        def mean(value: dict[str, Any]) -> Turned:
            return Turned(
                turn.category,
                turn.act,
                turn.tone,
                student.said(value["sentences"]),
                turn.called,
                turn.addressed,
                turn.reason,
            )

        return await self.ask(teacher.ask_word_turn(self._prompter, decision), decision.view.lesson, mean)

    async def draft(self, decision: Draft) -> Told:
        """The content of what is said."""
        return await self.words(decision, "draft")

    async def words(self, decision: Draft, template: str) -> Told:
        """Words by one of the two templates: the content only, or the very words."""
        question = student.ask_words(self._prompter, decision, template)
        return await self.ask(question, lesson_of(decision), lambda v: student.read_words(v, decision))

    async def style(self, decision: Style) -> Told:
        """The student's own way of saying it; perhaps from a model of its own."""
        question = student.ask_style(self._prompter, decision, self._style_model)
        return await self.ask(question, lesson_of(decision), lambda v: student.read_style(v, decision))

    async def evaluate(self, decision: Evaluate) -> Told:
        """Notes on all students, some at a time."""
        everyone = list(decision.participation)
        groups = [everyone[at : at + _EVALUATED_AT_ONCE] for at in range(0, len(everyone), _EVALUATED_AT_ONCE)]
        told = await together(
            [
                self.ask(
                    teacher.ask_evaluate(self._prompter, decision, group),
                    lesson_of(decision),
                    lambda v, group=group: teacher.read_evaluate(v, group),  # type: ignore[misc]
                )
                for group in groups
            ]
        )
        return join(Evaluated(tuple(note for part in told for note in part.value)), [], told)


def lesson_of(decision: Any) -> Lesson:
    """The lesson a decision is about."""
    if isinstance(decision, Prepare):
        return decision.lesson
    view = decision.view
    lesson: Lesson = view.lesson if hasattr(view, "lesson") else view.scene.lesson
    return lesson


def _is_bearable(error: UnansweredError) -> bool:
    """Return True if a run could go on after an error: trouble with the budget has to be heard of before all other."""
    return error.failure is None or error.failure.trouble != "budget"


async def together(asked: Sequence[Awaitable[Told]], after: Sequence[Told] = ()) -> list[Told]:
    """All of them at once. Where one stays without an answer, the others come to their end before that is said, and
    what they took counts, too."""
    ended = await asyncio.gather(*asked, return_exceptions=True)
    told = [one for one in ended if isinstance(one, Told)]
    failed = sorted((one for one in ended if isinstance(one, UnansweredError)), key=_is_bearable)
    for one in ended:
        if isinstance(one, BaseException) and not isinstance(one, UnansweredError):
            raise one
    if failed:
        raise failed[0].after([*after, *told, *failed[1:]]) from None
    return told


def join(value: Any, in_turn: Sequence[Told], side_by_side: Sequence[Told] = ()) -> Told:
    """One outcome of several calls: some one after the other, then some at once."""
    parts = [*in_turn, *side_by_side]
    return Told(
        value,
        tuple(problem for part in parts for problem in part.problems),
        Usage.sum([part.usage for part in parts]),
        sum(part.rounds for part in in_turn) + max((part.rounds for part in side_by_side), default=0),
        sum(part.waited_ms for part in in_turn) + max((part.waited_ms for part in side_by_side), default=0.0),
    )


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
        """Return what the student noticed about himself or herself, as the turn says it."""
        turn = self._turns.of(decision.at)
        if turn is None or not _lived(turn, decision.behaviour):
            return await self._asks_monitor(decision)
        value = turn.value
        return turn.part(Monitored(value["noticed"], value["emotion"], value["cognition"]))

    async def regulate(self, decision: Regulate) -> Told:
        """Return what the student resolved, as the turn says it."""
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
        """Return the pace that the response holds."""
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
