"""Policies put together: one for these agents, one for those decisions, one that finds the words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from eduverse_mesa.decisions import (
    Answer,
    Decision,
    FedBack,
    GiveFeedback,
    TakeTurn,
    Turned,
    Usage,
    WordFeedback,
    WordTurn,
)
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.driver import answer, answer_async, has_to_wait
from eduverse_mesa.policies.policy import AnyPolicy


class _Split:
    """Hands each decision to one of several policies and puts the answers back in order."""

    def __init__(self, name: str, policies: Sequence[AnyPolicy], choose: Callable[[Decision], int]) -> None:
        self.name = name
        self._policies = policies
        self._choose = choose

    def _shares(self, decisions: Sequence[Decision]) -> dict[int, list[int]]:
        shares: dict[int, list[int]] = {}
        for place, decision in enumerate(decisions):
            shares.setdefault(self._choose(decision), []).append(place)
        return shares

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Each policy answers its share."""
        answers: dict[int, Answer] = {}
        for chosen, places in self._shares(decisions).items():
            given = answer(self._policies[chosen], [decisions[place] for place in places])
            answers.update(zip(places, given, strict=True))
        return [answers[place] for place in range(len(decisions))]


class _AsyncSplit(_Split):
    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Each policy answers its share, all at the same time."""
        shares = self._shares(decisions)
        given = await asyncio.gather(
            *(
                answer_async(self._policies[chosen], [decisions[place] for place in places])
                for chosen, places in shares.items()
            )
        )
        answers: dict[int, Answer] = {}
        for places, batch in zip(shares.values(), given, strict=True):
            answers.update(zip(places, batch, strict=True))
        return [answers[place] for place in range(len(decisions))]


def _split(name: str, policies: Sequence[AnyPolicy], choose: Callable[[Decision], int]) -> AnyPolicy:
    waits = any(has_to_wait(policy) for policy in policies)
    return (_AsyncSplit if waits else _Split)(name, policies, choose)


def by_agent(policies: Mapping[str, AnyPolicy], rest: AnyPolicy) -> AnyPolicy:
    """These agents are answered for by these policies, everybody else by `rest`."""
    names = list(policies)
    place = {name: number for number, name in enumerate(names)}
    everyone = [*policies.values(), rest]
    label = ",".join(f"{name}={policy.name}" for name, policy in policies.items())
    return _split(f"{label},rest={rest.name}", everyone, lambda decision: place.get(decision.agent, len(names)))


def by_kind(policies: Mapping[str, AnyPolicy], rest: AnyPolicy) -> AnyPolicy:
    """These kinds of decision are answered by these policies, every other by `rest`."""
    kinds = list(policies)
    place = {kind: number for number, kind in enumerate(kinds)}
    everyone = [*policies.values(), rest]
    label = ",".join(f"{kind}={policy.name}" for kind, policy in policies.items())
    return _split(f"{label},rest={rest.name}", everyone, lambda decision: place.get(decision.kind, len(kinds)))


WORDED = (TakeTurn.kind, GiveFeedback.kind)
"""Kinds of decision whose outcome holds both a choice and its words."""


class Wording:
    """Asks for the choice first, then for its words. A policy with no words to give has a fallback of its own, or the
    answer has failed."""

    def __init__(self, choices: AnyPolicy, words: AnyPolicy) -> None:
        self.name = f"{choices.name}+{words.name}"
        self._choices = choices
        self._words = words

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Each choice with its words."""
        chosen = answer(self._choices, decisions)
        asked = _ask_for_words(decisions, chosen)
        given = answer(self._words, list(asked.values()))
        return _together(chosen, dict(zip(asked, given, strict=True)))


class AsyncWording(Wording):
    """The same, where somebody has to be waited for."""

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Each choice with its words."""
        chosen = await answer_async(self._choices, decisions)
        asked = _ask_for_words(decisions, chosen)
        given = await answer_async(self._words, list(asked.values()))
        return _together(chosen, dict(zip(asked, given, strict=True)))


def word(choices: AnyPolicy, words: AnyPolicy) -> AnyPolicy:
    """`choices` decides, `words` speaks."""
    if choices is words:
        return choices
    return (AsyncWording if has_to_wait(choices) or has_to_wait(words) else Wording)(choices, words)


def _ask_for_words(decisions: Sequence[Decision], chosen: Sequence[Answer]) -> dict[int, Decision]:
    asked: dict[int, Decision] = {}
    for place, (decision, choice) in enumerate(zip(decisions, chosen, strict=True)):
        outcome = choice.outcome
        if isinstance(decision, TakeTurn) and isinstance(outcome, Turned):
            asked[place] = WordTurn(decision.at, decision.view, outcome)
        elif isinstance(decision, GiveFeedback) and isinstance(outcome, FedBack):
            if outcome.items:
                asked[place] = WordFeedback(decision.at, decision.view, decision.heard, outcome.items)
        elif outcome is not None:
            raise PolicyError(f"'{decision.kind}' is not put into words.", mend=f"Only {', '.join(WORDED)} are.")
    return asked


def _together(chosen: Sequence[Answer], worded: dict[int, Answer]) -> list[Answer]:
    return [_join(choice, worded[place]) if place in worded else choice for place, choice in enumerate(chosen)]


def _join(choice: Answer, words: Answer) -> Answer:
    known = [usage for usage in (choice.usage, words.usage) if usage is not None]
    usage = Usage.sum(known) if known else None
    if words.outcome is None:  # the scenario wants no stand-in: without words, nothing was said or done
        return words._replace(usage=usage)
    outcome = words.outcome
    replace = msgspec.structs.replace
    if isinstance(outcome, Turned):  # the words only: a wording cannot change what was decided
        outcome = replace(choice.outcome, sentences=outcome.sentences)
    else:
        found = {item.student: item.sentences for item in outcome.items}
        items = [replace(item, sentences=found.get(item.student, item.sentences)) for item in choice.outcome.items]
        outcome = FedBack(tuple(items))
    status, reason = (words.status, words.reason) if words.status != "ok" else (choice.status, choice.reason)
    return Answer(outcome, f"{choice.source}+{words.source}", status, reason, words.attempts, usage)
