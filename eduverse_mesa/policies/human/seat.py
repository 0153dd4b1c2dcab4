"""A seat: a place for a person to sit down, be asked, and reply; the mailbox between a page and a lesson."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Literal

from eduverse_mesa.decisions import Decision
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.policies.human.questions import FORMS, Act, Question, Reply, ReplyError, Requests, check, texts_of

Role = Literal["student", "teacher"]
Why = Literal["left", "away", "late", "kept"]
"""Reasons for no reply: the person got up, was not there, or let the time pass; or the reply told of harm, and was kept
for an adult."""

_LOG = logging.getLogger(__name__)
_NUMBERS = itertools.count(1)


class LiveSeat:
    """One agent's seat. Its methods can be called from any thread; `changed` is told when there is something new.

    A reply that tells of harm is not said in the lesson, where classmates hear it and language models read it, unless
    `told_of_harm`: the agent then does what it would do with nobody in its seat.
    """

    def __init__(
        self, agent: str, role: Role, changed: Callable[[LiveSeat], None] | None = None, *, told_of_harm: bool = False
    ) -> None:
        self.agent = agent
        self.role: Role = role
        self._changed = changed
        self._told_of_harm = told_of_harm
        self._turn = threading.Lock()
        self._occupant: str | None = None
        self._present = True
        self._question: Question | None = None
        self._reply: Future[Reply | Why] | None = None
        self._kept: tuple[tuple[int, int], Act] | None = None
        self._taken_up: tuple[int, int] | None = None
        """(lesson, id) of the classmate's request that the person here accepted last."""

    @property
    def occupant(self) -> str | None:
        """The person who sits here; None if nobody does."""
        return self._occupant

    @property
    def present(self) -> bool:
        """True if the person who sits here can be asked."""
        return self._present

    @property
    def question(self) -> Question | None:
        """The open question; None if there is none."""
        return self._question

    # --- for the person ---

    def sit(self, occupant: str) -> None:
        """Sit down; another occupant first has to leave."""
        with self._turn:
            if self._occupant not in (None, occupant):
                raise ReplyError("seat", f"somebody sits at {self.agent}'s place.", mend="Choose another seat.")
            self._occupant, self._present = occupant, True
        self._tell()

    def leave(self) -> None:
        """Get up; the open question is answered by the policy that answers for the agent otherwise."""
        with self._turn:
            self._occupant, self._present, self._taken_up = None, True, None
            self._release("left")
        self._tell()

    def set_present(self, present: bool) -> None:
        """Say whether the person is there. While they are not, the seat is kept for them and acts by itself."""
        with self._turn:
            if present == self._present:
                return
            self._present = present
            if not present:
                self._release("away")
        self._tell()

    def reply(self, reply: Reply, to: int | None = None) -> None:
        """Answer the open question, or the one with this id; raise ReplyError if that cannot be, and it stays open."""
        with self._turn:
            question = self._question
            if question is None or self._reply is None or (to is not None and to != question.id):
                raise ReplyError("", "this is not asked any more.", mend="The lesson has gone on; wait for what comes.")
            taken = check(question, reply)
            if self.keeps_out(texts_of(reply)):
                self._settle("kept")
            else:
                if isinstance(taken, Act):
                    self._kept = (question.place, taken)
                if isinstance(taken, Requests) and taken.accept is not None:
                    self._taken_up = (question.place[0], taken.accept)
                self._settle(taken)
        self._tell()

    def keeps_out(self, texts: Iterable[str]) -> bool:
        """Return whether one of these texts tells of harm and is not said here."""
        return not self._told_of_harm and any(map(tells_of_harm, texts))

    # --- for the policy ---

    async def ask(self, decisions: Sequence[Decision], wait: float | None) -> Reply | Why:
        """Put a question and await the reply, or the reason for having none."""
        now = time.monotonic()
        deadline = None if wait is None else now + wait
        question = Question(next(_NUMBERS), FORMS[type(decisions[0])], tuple(decisions), now, deadline)
        with self._turn:
            if self._occupant is None:
                return "left"
            if not self._present:
                return "away"
            reply: Future[Reply | Why] = Future()
            self._question, self._reply = question, reply
        self._tell()
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(reply)), wait)
        except TimeoutError:
            with self._turn:  # it may have come in the very last moment
                return reply.result() if reply.done() else "late"
        finally:
            with self._turn:
                if self._question is question:
                    self._question = self._reply = None
            self._tell()

    def said(self, place: tuple[int, int]) -> Act | None:
        """Return the person's act in this step, or None."""
        kept = self._kept
        return kept[1] if kept is not None and kept[0] == place else None

    def took_up(self, lesson: int, request: int) -> bool:
        """Return True if the person who sits here has accepted this request."""
        return self._taken_up == (lesson, request)

    def _release(self, why: Why) -> None:
        if self._reply is not None:
            self._settle(why)

    def _settle(self, result: Reply | Why) -> None:
        if self._reply is not None:
            self._reply.set_result(result)
        self._question = self._reply = None

    def _tell(self) -> None:
        if self._changed is None:
            return
        try:
            self._changed(self)
        except Exception:
            _LOG.exception("who watches the seat of %s failed", self.agent)
