"""A policy with people in it: their answers for occupied seats, and another policy's everywhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from eduverse_mesa.decisions import (
    Answer,
    Decision,
    Draft,
    Drafted,
    Monitor,
    Monitored,
    Outcome,
    Plan,
    React,
    ScoreRequest,
    Style,
    Styled,
)
from eduverse_mesa.policies.driver import answer_async, answered
from eduverse_mesa.policies.human.outcomes import as_react, outcome_of, reacted, student_words
from eduverse_mesa.policies.human.questions import FORMS, Act, Reply
from eduverse_mesa.policies.human.seat import LiveSeat, Why
from eduverse_mesa.policies.policy import AnyPolicy, Policy

SOURCE = "human"
"""Source of a person's answers, in the log."""
_WHY = {"away": "away from the seat", "kept": "what was typed was kept out of the lesson"}


class HumanPolicy:
    """Asks the person at an agent's place; `rest` answers for empty seats, and if a person does not reply. A
    classmate's request is the exception: nobody takes it up, or turns it down, for a person who sits there.

    It goes by the name of `rest`, which answers when the run is made again without anybody in it. `own` appraises what
    a person did, if the person does not say how they feel about it.
    """

    def __init__(self, rest: AnyPolicy, seats: Mapping[str, LiveSeat], own: Policy, wait: float | None = 60.0) -> None:
        self.name = rest.name
        self._rest = rest
        self._seats = seats
        self._own = own
        self._wait = wait

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Ask people and policy at the same time: a person who types does not keep the others from thinking."""
        shares = self._shares(decisions)
        asked = [asyncio.ensure_future(self._share(seat, share)) for seat, share, _ in shares]
        try:
            given = await asyncio.gather(*asked)
        finally:
            for one in asked:  # where one has broken, the others are not left behind
                one.cancel()
        answers: dict[int, Answer] = {}
        for (_, _, places), batch in zip(shares, given, strict=True):
            answers.update(zip(places, batch, strict=True))
        return [answers[place] for place in range(len(decisions))]

    def _shares(self, decisions: Sequence[Decision]) -> list[tuple[LiveSeat | None, list[Decision], list[int]]]:
        """Each seat's decisions, and those of all the others, with their places in the batch."""
        places: dict[str, list[int]] = {}
        for place, decision in enumerate(decisions):
            seat = self._seats.get(decision.agent)
            places.setdefault(decision.agent if seat is not None and _is_for(seat, decision) else "", []).append(place)
        return [
            (self._seats[agent] if agent else None, [decisions[place] for place in mine], mine)
            for agent, mine in places.items()
        ]

    async def _share(self, seat: LiveSeat | None, decisions: list[Decision]) -> Sequence[Answer]:
        if seat is None:
            return await answer_async(self._rest, decisions)
        first = decisions[0]
        act = seat.said((first.at.lesson, first.at.step))
        given = [await self._ask(seat, decisions)] if type(first) in FORMS else [[self._follow(first, act)]]
        for decision in decisions:
            answered(decision)
        return given[0]

    async def _ask(self, seat: LiveSeat, decisions: list[Decision]) -> Sequence[Answer]:
        reply = await seat.ask(decisions, self._wait)
        if isinstance(reply, str) and reply != "left" and isinstance(decisions[0], ScoreRequest):
            return [Answer.failed(self.name, self._reason(reply)) for _ in decisions]  # they go on waiting
        if isinstance(reply, str):
            return [self._stand_in(answer, reply) for answer in await answer_async(self._rest, decisions)]
        return [Answer(self._outcome(decision, reply), SOURCE) for decision in decisions]

    def _outcome(self, decision: Decision, reply: Reply) -> Outcome | None:
        if isinstance(decision, React) and isinstance(reply, Act):
            (appraised,) = self._own.answer([as_react(decision, reply)])
            return reacted(appraised.outcome, reply)
        return outcome_of(decision, reply)

    def _stand_in(self, answer: Answer, why: Why) -> Answer:
        """Mark an answer of `rest` as a fallback if the person sits there and does not reply; not if they got up."""
        if why == "left" or answer.status == "failed":
            return answer
        return answer._replace(status="fallback", reason=self._reason(why))

    def _reason(self, why: Why) -> str:
        return f"no answer within {self._wait:g} s" if why == "late" else _WHY[why]

    def _follow(self, decision: Decision, act: Act | None) -> Answer:
        """Return the answer that follows from an act that the person has chosen in this step already."""
        if isinstance(decision, Draft) and act is not None:
            names = decision.view.scene.names
            return Answer(Drafted(student_words(act.words, act.behaviour, names)), SOURCE)
        if isinstance(decision, Style):
            return Answer(Styled(decision.sentences), SOURCE)
        (appraised,) = self._own.answer([decision])
        if isinstance(decision, Monitor) and act is not None and (act.mood or act.thought):
            own: Monitored = appraised.outcome
            emotion = act.mood or own.emotion
            # The words were found for the feeling that was appraised; they go where the person has another.
            sentence = act.thought or (own.sentence if emotion == own.emotion else "")
            return Answer(Monitored(sentence, emotion, own.cognition), SOURCE)
        return appraised


def _is_for(seat: LiveSeat, decision: Decision) -> bool:
    """Return True if a decision is for the person: asked of them now, or a result of their act in this step."""
    if isinstance(decision, Plan | React) and decision.request is not None:
        # Whoever sits down after the agent said yes to a classmate did not say so: the agent does what it has begun.
        return seat.occupant is not None and seat.took_up(decision.at.lesson, decision.request.id)
    if type(decision) in FORMS:
        return seat.occupant is not None
    act = seat.said((decision.at.lesson, decision.at.step))
    if act is None or not isinstance(decision, Draft | Style | Monitor):
        return False
    if isinstance(decision, Monitor):
        return decision.behaviour == act.behaviour
    # Where the room has replaced what the person wanted to do, its words do not fit any more.
    return bool(act.words) and decision.behaviour == act.behaviour
