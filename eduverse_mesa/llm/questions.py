"""Questions to agents as decisions, and a model that answers them: in the form, after looking things up with tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from hashlib import blake2b
from typing import Any, ClassVar

import msgspec

from eduverse_mesa.decisions import Decision, Outcome, Usage
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.llm.tools import Lookup, Tool, Turn
from eduverse_mesa.policies.llm.answer import Asker, Completing, Question, Told, UnansweredError
from eduverse_mesa.policies.llm.calling import call_key
from eduverse_mesa.policies.llm.calls import Call, Called, Completion, Message, Offer, Offers, Schema
from eduverse_mesa.policies.llm.offers import GIVEN, NEXT, TOOL
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates, prompt_language
from eduverse_mesa.policies.llm.shape import Record
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.randomness import Address

BOOK = Book("eduverse_mesa.llm.prompts")


class Given(Outcome, frozen=True, gc=False):
    """A form as it was filled in."""

    filled: Any


class Ask(Decision, gc=False):
    """A question to one agent."""

    kind: ClassVar[str] = "ask"
    outcome: ClassVar[type[Outcome]] = Given

    who: Any
    """The agent itself, for its tools."""
    question: str
    instructions: str
    form: Form
    tools: tuple[Tool, ...]
    most: int
    """Calls of tools."""
    language: str
    run: int = 0
    step: int = 0
    """Number of the run, and step of the Mesa model; `at` counts the questions to this agent."""

    @property
    def asked(self) -> str:
        """The fingerprint of all that is asked: two questions with the same one are the same."""
        offered = [[one.name, one.purpose] for one in self.tools]
        parts = [self.instructions, self.question, self.form.name, self.form.told, offered, self.most, self.language]
        key = msgspec.json.encode([*parts, _as_kept(self.shape.schema)])
        return blake2b(key, digest_size=8).hexdigest()

    @property
    def offering(self) -> bool:
        """True if a tool may be called."""
        return bool(self.tools) and self.most > 0

    @property
    def shape(self) -> Record:
        """The form of the first answer."""
        return Turn(self.form, self.tools) if self.offering else self.form.shape


def _as_kept(part: Schema) -> Schema:
    """A schema as fingerprints in records know it: those of format 2 know no pattern, and no least length but 1."""
    kept = {name: value for name, value in part.items() if name != "description"}
    if "minLength" in kept:
        kept["minLength"] = 1
    if "properties" in kept:
        kept["properties"] = {name: _as_kept(inner) for name, inner in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _as_kept(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [_as_kept(inner) for inner in kept["anyOf"]]
    return kept


_ABOUT: ContextVar[Ask | None] = ContextVar("eduverse_ask", default=None)
"""The question for which calls are made."""
_SHOWN = 600
"""Characters of a useless answer that are kept."""


class Unfinished:
    """Rounds that are not complete: their completions, which a round that is asked again gets from here, and what was
    looked up in them, whatever came of it."""

    def __init__(self, caller: Completing) -> None:
        self._caller = caller
        self._said: dict[tuple[int, Address], dict[bytes, Completion]] = {}
        self._lookups: dict[tuple[int, Address], list[Lookup]] = {}

    async def complete(self, call: Call, ledger: Any = None) -> Completion:
        """The model's answer."""
        ask = _ABOUT.get()
        assert ask is not None
        said, key = self._said.setdefault((ask.run, ask.at), {}), call_key(call)
        if key not in said:
            said[key] = await self._caller.complete(call, ledger)
        return said[key]

    def last(self, ask: Ask) -> str:
        """The last words to this question, cut; empty where there were none."""
        texts = [completion.text for completion in self._said.get((ask.run, ask.at), {}).values()]
        return clean(texts[-1])[:_SHOWN] if texts else ""

    def remembered(self, ask: Ask) -> int:
        """Return how many of the model's messages to this question were remembered from before."""
        return sum(completion.remembered for completion in self._said.get((ask.run, ask.at), {}).values())

    def begin(self, ask: Ask) -> list[Lookup]:
        """A list for what will be looked up for this question, which is asked from its beginning."""
        lookups: list[Lookup] = []
        self._lookups[ask.run, ask.at] = lookups
        return lookups

    def lookups(self, ask: Ask) -> tuple[Lookup, ...]:
        """The calls of tools for this question, in their order."""
        return tuple(self._lookups.get((ask.run, ask.at), ()))

    def forget(self, asks: Iterable[Ask]) -> None:
        """These questions are through."""
        for ask in asks:
            self._said.pop((ask.run, ask.at), None)
            self._lookups.pop((ask.run, ask.at), None)


class Interview:
    """Asks a language model in the agents' place."""

    def __init__(self, asker: Asker, unfinished: Unfinished) -> None:
        self._asker = asker
        self._unfinished = unfinished
        self._templates: dict[str, Templates] = {}

    async def tell(self, decision: Ask) -> Told:
        """The form, filled in; raises UnansweredError."""
        _ABOUT.set(decision)
        templates = self._in(prompt_language(decision.language))
        turns: list[Told] = []
        lookups = self._unfinished.begin(decision)
        while True:
            left = _left(decision, lookups)
            try:
                told = await self._ask(decision, templates, lookups, open_for_tools=all(left.values()))
            except UnansweredError as error:
                raise error.after(turns) from None
            turns.append(told)
            if not isinstance(told.value, list):
                return _together(turns, Given(told.value))
            wrong = templates.words["wrong"]
            for wish in told.value:
                made = wish.tool is not None
                if left[made]:
                    left[made] -= 1
                    lookups.append(wish.grant(decision.who, wrong))

    def _in(self, language: str) -> Templates:
        if language not in self._templates:
            self._templates[language] = Templates(language, None, BOOK)
        return self._templates[language]

    async def _ask(
        self, decision: Ask, templates: Templates, lookups: Sequence[Lookup], *, open_for_tools: bool
    ) -> Told:
        form, tools = decision.form, decision.tools
        shape = Turn(form, tools) if open_for_tools else form.shape
        messages = _messages(decision, templates, lookups, last=not open_for_tools)
        offers = _offers(decision, templates, lookups, last=not open_for_tools) if decision.offering else msgspec.UNSET
        question = Question(form.name, decision.at, messages, shape, decision.language, offers=offers)

        def mean(said: Mapping[str, Any]) -> Any:
            filled = said[NEXT] if open_for_tools else said
            if isinstance(filled, list):
                return filled
            return _valid(form, filled[form.name] if open_for_tools else filled)

        read: Callable[[dict[str, Any]], Any] = mean
        return await self._asker.ask(question, templates, read)


def _valid(form: Form, filled: Any) -> Any:
    form.value(filled)  # raises what its type has against it, so that it is asked for again
    return filled


def _left(decision: Ask, lookups: Sequence[Lookup]) -> dict[bool, int]:
    """Return the number of calls that are left, by whether something is called: as many may be wrong as may be made.
    None is one of the times that an answer is asked for again."""
    most = decision.most if decision.tools else 0
    wrong = sum(bool(one.defect) for one in lookups)
    return {True: most - (len(lookups) - wrong), False: most - wrong}


def _messages(decision: Ask, templates: Templates, lookups: Sequence[Lookup], *, last: bool) -> tuple[Message, ...]:
    """The instructions, which many questions share, and after them the question: servers keep beginnings."""
    words = templates.words
    offered = [words["tools"].format(most=decision.most)] if decision.offering else []
    offered += [words["tool"].format(name=one.name, purpose=one.purpose) for one in decision.tools if decision.most]
    blocks = {
        "question": decision.question,
        "tools": "\n".join(offered),
        "form": decision.shape.outline,
        "fields": _fields(decision, templates),
    }
    messages = [*_instructions(decision), Message("user", templates.fill("ask", blocks))]
    for number, lookup in enumerate(lookups, start=1):
        found = {"tool": lookup.tool, "result": lookup.result or "-"}
        due = last and number == len(lookups)
        told = (
            templates.fill("last", {**found, "form": decision.form.shape.outline})
            if due
            else templates.fill("result", found)
        )
        messages += [Message("assistant", _called(lookup)), Message("user", told)]
    return tuple(messages)


def _offers(decision: Ask, templates: Templates, lookups: Sequence[Lookup], *, last: bool) -> Offers:
    """The same for a server with function calling of its own."""
    form, tools = decision.form, tuple(one.offer for one in decision.tools)
    name = f"{form.name}_answer" if any(one.name == form.name for one in tools) else form.name
    answer = Offer(name, templates.words["answer"], form.shape.schema)
    blocks = {"question": decision.question, "most": str(decision.most), "answer": name}
    asked = templates.fill("offer", {**blocks, "fields": _fields(decision, templates)})
    found = [turn for one in lookups for turn in _turns(one, decision.tools)]
    due = [Message("user", templates.fill("due", {"answer": name}))] if last else []
    return Offers((*_instructions(decision), Message("user", asked), *found, *due), tools, answer, form.name, last)


def _turns(lookup: Lookup, tools: Sequence[Tool]) -> list[Message | Called]:
    """A call with its result. One that no server would know, of another tool or with anything but an object, is told in
    words."""
    result = lookup.result or "-"
    if isinstance(lookup.arguments, dict) and any(one.name == lookup.tool for one in tools):
        return [Called(lookup.tool, lookup.arguments, result)]
    return [Message("assistant", _called(lookup)), Message("user", result)]


def _called(lookup: Lookup) -> str:
    return msgspec.json.encode({NEXT: {TOOL: lookup.tool, GIVEN: lookup.arguments}}).decode()


def _instructions(decision: Ask) -> list[Message]:
    return [Message("system", decision.instructions)] if decision.instructions else []


def _fields(decision: Ask, templates: Templates) -> str:
    field = templates.words["field"]
    return "\n".join(field.format(name=name, meaning=meaning) for name, meaning in decision.form.told)


def _together(turns: list[Told], value: Given) -> Told:
    problems = tuple(problem for one in turns for problem in one.problems)
    usage = Usage.sum([one.usage for one in turns])
    return Told(value, problems, usage, sum(one.rounds for one in turns), usage.latency_ms)
