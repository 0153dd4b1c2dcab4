"""Questions to agents as decisions, and a model that answers them: in the form, after looking things up with tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from hashlib import blake2b
from typing import Any, ClassVar

import msgspec

from eduverse_mesa.decisions import Decision, Outcome, Usage
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.llm.tools import Lookup, Tool, Turn, wished
from eduverse_mesa.policies.llm.answer import Asker, Completing, Question, Told, UnansweredError
from eduverse_mesa.policies.llm.calling import call_key
from eduverse_mesa.policies.llm.calls import Call, Called, Completion, Message, Offer, Offers
from eduverse_mesa.policies.llm.offers import GIVEN, NEXT, TOOL
from eduverse_mesa.policies.llm.prompts.templates import LANGUAGES, Book, Templates, prompt_language
from eduverse_mesa.policies.llm.shape import Record
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.randomness import Address

BOOK = Book(
    "eduverse_mesa.llm.prompts",
    {
        "ask": ("question", "tools", "form", "fields"),
        "result": ("tool", "result"),
        "last": ("tool", "result", "form"),
        "offer": ("question", "most", "answer", "fields"),
        "due": ("answer",),
        "reask": ("problem",),
    },
    LANGUAGES,
)


class Given(Outcome, frozen=True, gc=False):
    """A form as it was filled in, and what was looked up for it."""

    filled: Any
    lookups: tuple[Lookup, ...] = ()


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
        key = msgspec.json.encode([*parts, self.shape.schema])
        return blake2b(key, digest_size=8).hexdigest()

    @property
    def offering(self) -> bool:
        """True if a tool may be called."""
        return bool(self.tools) and self.most > 0

    @property
    def shape(self) -> Record:
        """The form of the first answer."""
        return Turn(self.form, self.tools) if self.offering else self.form.shape


_ABOUT: ContextVar[Ask | None] = ContextVar("eduverse_ask", default=None)
"""The question for which calls are made."""
_SHOWN = 600
"""Characters of a useless answer that are kept."""


class Unfinished:
    """Completions of rounds that are not complete: a round that is asked again gets them from here."""

    def __init__(self, caller: Completing) -> None:
        self._caller = caller
        self._said: dict[tuple[int, Address], dict[bytes, Completion]] = {}

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

    def forget(self, asks: Iterable[Ask]) -> None:
        """These questions are through."""
        for ask in asks:
            self._said.pop((ask.run, ask.at), None)


class Interview:
    """Asks a language model in the agents' place."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._templates: dict[str, Templates] = {}

    async def tell(self, decision: Ask) -> Told:
        """The form, filled in; raises UnansweredError."""
        _ABOUT.set(decision)
        templates = self._in(prompt_language(decision.language))
        turns: list[Told] = []
        lookups: list[Lookup] = []
        while True:
            left = decision.most - len(lookups) if decision.tools else 0
            try:
                told = await self._ask(decision, templates, lookups, open_for_tools=left > 0)
            except UnansweredError as error:
                raise error.after(turns) from None
            turns.append(told)
            if not isinstance(told.value, list) or left <= 0:
                return _together(turns, Given(told.value, tuple(lookups)))
            lookups += [wish.tool.call(decision.who, wish.filled) for wish in told.value[:left]]

    def _in(self, language: str) -> Templates:
        if language not in self._templates:
            self._templates[language] = Templates(language, None, BOOK)
        return self._templates[language]

    async def _ask(
        self, decision: Ask, templates: Templates, lookups: Sequence[Lookup], *, open_for_tools: bool
    ) -> Told:
        form, tools = decision.form, decision.tools
        shape = Turn(form, tools) if open_for_tools else form.shape
        messages = _messages(decision, templates, lookups)
        offers = _offers(decision, templates, lookups, last=not open_for_tools) if decision.offering else msgspec.UNSET
        question = Question(form.name, decision.at, messages, shape, decision.language, offers=offers)

        def mean(said: Mapping[str, Any]) -> Any:
            if not open_for_tools:
                return _valid(form, said)
            filled = wished(said, tools, form)
            return filled if isinstance(filled, list) else _valid(form, filled)

        read: Callable[[dict[str, Any]], Any] = mean
        return await self._asker.ask(question, templates, read)


def _valid(form: Form, filled: Any) -> Any:
    form.value(filled)  # raises what its type has against it, so that it is asked for again
    return filled


def _messages(decision: Ask, templates: Templates, lookups: Sequence[Lookup]) -> tuple[Message, ...]:
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
        called = msgspec.json.encode({NEXT: {TOOL: lookup.tool, GIVEN: lookup.arguments}}).decode()
        found = {"tool": lookup.tool, "result": lookup.result or "-"}
        last = {**found, "form": decision.form.shape.outline} if number == decision.most else None
        told = templates.fill("last", last) if last else templates.fill("result", found)
        messages += [Message("assistant", called), Message("user", told)]
    return tuple(messages)


def _offers(decision: Ask, templates: Templates, lookups: Sequence[Lookup], *, last: bool) -> Offers:
    """The same for a server with function calling of its own."""
    form, tools = decision.form, tuple(one.offer for one in decision.tools)
    name = f"{form.name}_answer" if any(one.name == form.name for one in tools) else form.name
    answer = Offer(name, templates.words["answer"], form.shape.schema)
    blocks = {"question": decision.question, "most": str(decision.most), "answer": name}
    asked = templates.fill("offer", {**blocks, "fields": _fields(decision, templates)})
    found = [Called(one.tool, one.arguments, one.result or "-") for one in lookups]
    due = [Message("user", templates.fill("due", {"answer": name}))] if last else []
    return Offers((*_instructions(decision), Message("user", asked), *found, *due), tools, answer, form.name, last)


def _instructions(decision: Ask) -> list[Message]:
    return [Message("system", decision.instructions)] if decision.instructions else []


def _fields(decision: Ask, templates: Templates) -> str:
    field = templates.words["field"]
    return "\n".join(field.format(name=name, meaning=meaning) for name, meaning in decision.form.told)


def _together(turns: list[Told], value: Given) -> Told:
    problems = tuple(problem for one in turns for problem in one.problems)
    usage = Usage.sum([one.usage for one in turns])
    return Told(value, problems, usage, sum(one.rounds for one in turns), usage.latency_ms)
