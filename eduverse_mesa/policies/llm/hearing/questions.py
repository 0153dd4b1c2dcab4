"""The question in words of what somebody meant, and the meaning of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from eduverse_mesa.decisions import Decision
from eduverse_mesa.decisions.hearing import Candidate, Hear, Meant
from eduverse_mesa.hearing.ear import load_ear
from eduverse_mesa.hearing.features import amounts_in
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.policies.llm.answer import Asker, Question, Told
from eduverse_mesa.policies.llm.prompter import TaskPrompter
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates, check_templates, prompt_language
from eduverse_mesa.policies.llm.shape import Many, Number, OneOf, Shape, Words, YesNo
from eduverse_mesa.policies.safe_text import quote
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS, STUDENT_MOVES, TEACHER_MOVES

HEARING = Book("eduverse_mesa.policies.llm.hearing.prompts")
NONE, ALL = "none", "all"
_RIGHT = {"right": True, "wrong": False}
_LONGEST_VALUE = 24


def ask_hear(prompter: TaskPrompter, decision: Hear) -> Question:
    """Return the question of what an utterance means."""
    words = prompter.words
    moves = TEACHER_MOVES if decision.teaches else STUDENT_MOVES
    said = words["line"]
    speaker = _named(decision.speaker, words)
    blocks = {
        "matter": quote(decision.matter) if decision.matter else words["nothing_there"],
        "candidates": "\n".join(_candidate(one, words) for one in decision.candidates),
        "table": decision.on_table,
        "before": "\n".join(
            said.format(speaker=_named(one.speaker, words), text=quote(one.text)) for one in decision.before
        )
        or words["nothing_said"],
        "said": said.format(speaker=speaker, text=quote(decision.text)),
        "speaker": speaker,
        "moves": words["moves_of_teachers" if decision.teaches else "moves_of_pupils"],
    }
    fields: dict[str, Shape] = {
        "acts": Many(OneOf(SPEECH_ACTS), 1, 3),
        "move": OneOf(moves),
        "about": OneOf((NONE, *(one.id for one in decision.candidates))),
        "how": OneOf(MANNERS),
        "right": OneOf((NONE, *_RIGHT)),
        "value": Words(_LONGEST_VALUE, optional=True),
        "reason": YesNo(),
        "to": OneOf((NONE, ALL, *_others(decision))),
        "trouble": YesNo(),
        "sure": Number(0, 10),
    }
    rules = prompter.templates.fill("rules_hear", {"language": words["language"]})
    return prompter.question("hear", decision.at, rules, [], fields, blocks, decision.language)


def _named(speaker: str, words: Mapping[str, Any]) -> str:
    return quote(speaker, 80) if speaker else str(words["somebody"])


def _candidate(one: Candidate, words: Mapping[str, Any]) -> str:
    return str(words["candidate"]).format(id=one.id, text=" ".join(_told(one, words)))


def _told(one: Candidate, words: Mapping[str, Any]) -> Iterator[str]:
    yield from map(quote, one.says[:2])
    for key, texts in (("asks", one.asks), ("wrong", one.wrong)):
        for text in texts:
            yield str(words[key]).format(text=quote(text))
    for key, values in (("values", one.values), ("amiss", one.amiss)):
        if values:
            yield str(words[key]).format(text=", ".join(dict.fromkeys(values)))


def _others(decision: Hear) -> tuple[str, ...]:
    named = (*decision.members, *(one.speaker for one in decision.before))
    return tuple(name for name in dict.fromkeys(named) if name not in ("", NONE, ALL, decision.speaker))


def read_hear(value: Mapping[str, Any], decision: Hear) -> Meant:
    """Return what was meant. Nobody in trouble is missed because a model has missed them."""
    about = "" if value["about"] == NONE else value["about"]
    return Meant(
        acts=tuple(dict.fromkeys(value["acts"])),
        move=value["move"],
        about=about,
        how=value["how"],
        right=_RIGHT.get(value["right"]),
        value=value["value"] if _is_value(value["value"], decision) else "",
        reason=value["reason"],
        reason_for=about if value["reason"] else "",
        to="" if value["to"] == NONE else value["to"],
        trouble=value["trouble"] or tells_of_harm(decision.text),
        confidence=value["sure"] / 10,
    )


def _is_value(said: str, decision: Hear) -> bool:
    """Return True for an amount or for one of the choices: a value is a number or a code, and no words."""
    return bool(amounts_in(said)) or said in {one.id for one in decision.candidates if one.kind == "choice"}


class HearingTelling:
    """Asks a model what somebody meant. Who tells of harm is heard here, and not sent to a model, unless that is
    allowed."""

    def __init__(
        self, asker: Asker, own: Mapping[str, str], *, brief: bool = False, told_of_harm: bool = False
    ) -> None:
        check_templates(own, HEARING)
        self._asker = asker
        self._own = own
        self._brief = brief
        self._told_of_harm = told_of_harm
        self._prompters: dict[str, TaskPrompter] = {}

    async def tell(self, decision: Decision) -> Told:
        """Return what was meant; raises UnansweredError."""
        assert isinstance(decision, Hear)
        said = (decision.text, *(one.text for one in decision.before))
        if not self._told_of_harm and any(map(tells_of_harm, said)):
            return Told(load_ear().hear(decision))
        prompter = self._in(decision.language)
        question = ask_hear(prompter, decision)
        return await self._asker.ask(question, prompter.templates, lambda value: read_hear(value, decision))

    def _in(self, language: str) -> TaskPrompter:
        code = prompt_language(language)
        code = code if code in HEARING.languages else HEARING.languages[0]
        if code not in self._prompters:
            self._prompters[code] = TaskPrompter(Templates(code, self._own, HEARING), brief=self._brief)
        return self._prompters[code]


class Asking(Protocol):
    """Asks a model about other decisions."""

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        ...


class WithHearing:
    """Asks a model what is asked of it, and what was meant, whatever else it is asked about."""

    def __init__(self, others: Asking, hearing: HearingTelling) -> None:
        self._others = others
        self._hearing = hearing

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        return await (self._hearing if isinstance(decision, Hear) else self._others).tell(decision)
