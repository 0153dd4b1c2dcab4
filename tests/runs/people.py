"""A person who takes part, as tests need one: says what it was given to say, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from eduverse_mesa.decisions import (
    Answer,
    Decision,
    Draft,
    Drafted,
    Monitored,
    Plan,
    Planned,
    Said,
    Style,
    Styled,
    TakeTurn,
    Turned,
)
from eduverse_mesa.policies import AnyPolicy, make_policy
from eduverse_mesa.policies.mixture import by_agent
from eduverse_mesa.runs import open_study, record_course
from eduverse_mesa.scenarios import Scenario
from tests.runs.courses import SEED

SEAT = "Liu Li"
TEACHER = "Ms Lin"
_SPOKEN = ("stand_answer", "answer_question", "chat", "side_talk")


class Person:
    """Answers in every step with the next of its sentences; what it has no words for, the embedded policy answers."""

    name = "human"

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = sentences
        self._rest = make_policy("embedded")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """The person's answers, and the embedded policy's."""
        return [self._one(decision) for decision in decisions]

    def _one(self, decision: Decision) -> Answer:
        text = self._sentences[decision.at.step % len(self._sentences)]
        said = (Said(text, "claim"),)
        if isinstance(decision, Plan):
            spoken = [one for one in _SPOKEN if one in decision.permitted]
            return Answer(Planned(text, (*spoken, *decision.permitted)[0], "teacher"), "human")
        if isinstance(decision, Draft):
            return Answer(Drafted(said), "human")
        if isinstance(decision, Style):
            return Answer(Styled(decision.sentences), "human")
        if isinstance(decision, TakeTurn):
            return Answer(Turned("interaction", "asking_question", "neutral", said, reason=text), "human")
        return next(iter(self._rest.answer([decision])))  # type: ignore[union-attr]


class Parrot:
    """Says of itself, word for word, what it was given to repeat."""

    name = "parrot"

    def __init__(self, quotation: str) -> None:
        self._quotation = quotation
        self._rest = make_policy("embedded")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """What the embedded policy answers, with the quotation as its look at itself."""
        return [self._quote(answer) for answer in self._rest.answer(decisions)]  # type: ignore[union-attr]

    def _quote(self, answer: Answer) -> Answer:
        outcome = answer.outcome
        if isinstance(outcome, Monitored):
            return Answer(Monitored(f"I heard: {self._quotation}!", outcome.emotion, outcome.cognition), "llm")
        return answer


def play_with(
    path: Path | str, scenario: Scenario, people: Mapping[str, tuple[str, Sequence[str]]], *, quoted: str = ""
) -> str:
    """Record a run in which these people sit: agent -> (label, sentences); gives its id."""
    everybody: dict[str, AnyPolicy] = {agent: Person(sentences) for agent, (_, sentences) in people.items()}
    rest = make_policy("embedded")
    if quoted:
        everybody["Wang Fang"] = Parrot(quoted)
    run = record_course(str(path), scenario, SEED, by_agent(everybody, rest) if everybody else rest).id
    with open_study(str(path)) as opened:
        for agent, (label, _) in people.items():
            person = opened.study.add_participant(label, "teacher" if agent == TEACHER else "student")
            opened.study.sit_down(person.id, run, agent, (1, 1))
    return run
