"""A Mesa model whose step is rounds of decisions."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

import mesa

from eduverse_mesa.decisions import Answer, Decision, Round, Rounds
from eduverse_mesa.errors import PolicyError, ScenarioError
from eduverse_mesa.policies.driver import drive_async, run_waiting
from eduverse_mesa.policies.policy import AnyPolicy


def read_seed(seed: int | None, rng: Any) -> int:
    """The one that is given; without either a fresh one, which the model keeps."""
    if seed is not None and rng is not None:
        raise ScenarioError("both seed and rng are given.", mend="They are Mesa's two names for one thing: give one.")
    given = seed if seed is not None else rng
    if given is None:
        return secrets.randbelow(2**31)
    try:
        number = int(given)
        whole = isinstance(given, str) or number == given
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise ScenarioError(f"the seed {given!r} is not a whole number.", mend="Use e.g. seed=1.")
    if number < 0:
        raise ScenarioError(f"the seed {number} is negative.", mend="Use 0 or more.")
    return number


class LoggedAnswer(NamedTuple):
    """One answer and where it stands."""

    lesson: int
    step: int
    seq: int
    round: str
    agent: str
    kind: str
    answer: Answer


@dataclass(slots=True)
class AnswerLog:
    """A journal as far as every model writes it: the answers of its rounds."""

    answers: list[LoggedAnswer] = field(default_factory=list, kw_only=True)
    earlier: int = field(default=0, kw_only=True)
    """Number of answers from which on places in the log are counted: a lesson counts anew in each step."""

    def note(self, round_name: str, decisions: Sequence[Decision], answers: Sequence[Answer]) -> None:
        """Log the answers of a round; an answer's place is that of its decision."""
        log = self.answers
        for decision, answer in zip(decisions, answers, strict=True):
            at, place = decision.at, len(log) - self.earlier
            log.append(LoggedAnswer(at.lesson, at.step, place, round_name, at.agent, decision.kind, answer))


_Result = TypeVar("_Result")
Asked: TypeAlias = Generator[Round, Sequence[Answer], _Result]
"""A part of a step that asks, and what comes of it."""


class DecidingModel(mesa.Model):  # type: ignore[misc, unused-ignore]
    """Its policy answers the rounds of a step, or whoever drives the model from outside.

    A step that was broken off in the middle, whoever drove it, is not gone on from: half of it has happened.
    """

    policy: AnyPolicy
    journal: AnswerLog
    datacollector: mesa.DataCollector
    _answered = False
    """Somebody else has driven the rounds of the step that comes now."""
    _begun = _ended = 0
    """Steps that have begun, and that have come to their end."""

    def __init__(self, seed: int | None, rng: Any) -> None:
        self.seed = read_seed(seed, rng)
        super().__init__(rng=self.seed)
        # Newer versions of Mesa do nothing, without a word, after a step that has raised.
        self._steps_of_mesa = self.step
        self.step = self._step_unless_broken  # type: ignore[method-assign]

    # --- what a model has to say ---

    @property
    def over(self) -> bool:
        """Nothing is left to do."""
        raise NotImplementedError

    def _rounds(self) -> Rounds:
        """The next step."""
        raise NotImplementedError

    def digest(self) -> str:
        """A fingerprint of where it stands after a step."""
        raise NotImplementedError

    # --- stepping ---

    def rounds(self) -> Rounds:
        """The next step as rounds of decisions, for whoever drives it."""
        self._refuse_if_broken()
        self._begun += 1  # and it is broken until it is at its end: whoever drives it may give up in any round
        yield from self._noted(self._rounds())
        self._ended = self._begun
        self.running = not self.over

    def _noted(self, rounds: Rounds) -> Rounds:
        """Hand the rounds of a step out, and note their answers. A round with nothing to ask is none."""
        batch = next(rounds, None)
        while batch is not None:
            answers: Sequence[Answer] = ()
            if batch.decisions:
                answers = yield batch
                self.journal.note(batch.name, batch.decisions, answers)
            try:
                batch = rounds.send(answers)
            except StopIteration:
                return

    def _refuse_if_broken(self) -> None:
        if self._begun != self._ended:
            raise PolicyError(
                f"step {self._begun} was broken off, and nothing can go on from the middle of it.",
                mend="Resume the study, or make the model anew: answers that came are remembered.",
            )

    def _step_unless_broken(self) -> None:
        self._refuse_if_broken()
        self._steps_of_mesa()

    def step(self) -> None:
        """One step, as Mesa counts them."""
        if not self.running:
            return
        if not self._answered:
            run_waiting(self.rounds(), self.policy)
        self._answered = False
        self.datacollector.collect(self)

    async def step_async(self) -> None:
        """One step, waiting for answers without blocking others."""
        if not self.running:
            return
        await drive_async(self.rounds(), self.policy)
        self.finish_driven_step()

    def finish_driven_step(self) -> None:
        """Let Mesa count a step whose rounds somebody else has driven."""
        self._answered = True
        self.running = True
        self.step()
        self.running = not self.over
