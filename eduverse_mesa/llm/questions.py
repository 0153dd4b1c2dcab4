"""Questions to agents as decisions, and a model that answers them: in the form, after looking things up with tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple

import msgspec

from eduverse_mesa.decisions import Decision, Outcome, Usage
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.llm.tools import GIVEN, NEXT, TOOL, Tool, Wish, wished, with_tools
from eduverse_mesa.policies.cleaning import clean
from eduverse_mesa.policies.llm.asking import Asker, Completing, Question, Told, UnansweredError
from eduverse_mesa.policies.llm.calling import call_key
from eduverse_mesa.policies.llm.calls import Call, Completion, Message
from eduverse_mesa.policies.llm.prompts.templates import LANGUAGES, Book, Templates, prompt_language
from eduverse_mesa.policies.llm.shape import Record
from eduverse_mesa.randomness import Address

BOOK = Book(
    "eduverse_mesa.llm.prompts",
    {
        "ask": ("question", "tools", "form", "fields"),
        "result": ("tool", "result"),
        "last": ("tool", "result", "form"),
        "reask": ("problem",),
    },
    LANGUAGES,
)


class Lookup(NamedTuple):
    """A tool that was called."""

    tool: str
    arguments: Any
    result: str


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
    def shape(self) -> Record:
        """The form of the first answer."""
        return with_tools(self.form, self.tools) if self.tools and self.most else self.form.shape


_ABOUT: ContextVar[Ask | None] = ContextVar("eduverse_ask", default=None)
"""The question for which calls are made."""
_SHOWN = 600
"""Characters of a useless answer that are kept."""


class Unfinished:
    """What a model has said in rounds that are not complete: a round that is asked again gets it from here."""

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
        messages = _messages(decision, templates)
        turns: list[Told] = []
        lookups: list[Lookup] = []
        while True:
            left = decision.most - len(lookups) if decision.tools else 0
            try:
                told = await self._ask(decision, templates, messages, open_for_tools=left > 0)
            except UnansweredError as error:
                raise error.after(turns) from None
            turns.append(told)
            if not isinstance(told.value, Wish):
                return _together(turns, Given(told.value, tuple(lookups)))
            wish = told.value
            lookup = Lookup(wish.tool.name, wish.filled, wish.tool.call(decision.who, wish.filled))
            lookups.append(lookup)
            messages = (*messages, *_result(lookup, decision, templates, last=left == 1))

    def _in(self, language: str) -> Templates:
        if language not in self._templates:
            self._templates[language] = Templates(language, None, BOOK)
        return self._templates[language]

    async def _ask(
        self, decision: Ask, templates: Templates, messages: tuple[Message, ...], *, open_for_tools: bool
    ) -> Told:
        form, tools = decision.form, decision.tools
        shape = with_tools(form, tools) if open_for_tools else form.shape
        question = Question(form.name, decision.at, messages, shape, decision.language)

        def mean(said: Mapping[str, Any]) -> Any:
            filled = wished(said, tools, form) if open_for_tools else said
            if not isinstance(filled, Wish):
                form.value(filled)  # raises what its type has against it, so that it is asked for again
            return filled

        read: Callable[[dict[str, Any]], Any] = mean
        return await self._asker.ask(question, templates, read)


def _messages(decision: Ask, templates: Templates) -> tuple[Message, ...]:
    """The instructions, which many questions share, and after them the question: servers keep beginnings."""
    words = templates.words
    offered = [words["tools"].format(most=decision.most)] if decision.tools and decision.most else []
    offered += [words["tool"].format(name=one.name, purpose=one.purpose) for one in decision.tools if decision.most]
    fields = [words["field"].format(name=name, meaning=meaning) for name, meaning in decision.form.told]
    blocks = {
        "question": decision.question,
        "tools": "\n".join(offered),
        "form": decision.shape.outline,
        "fields": "\n".join(fields),
    }
    asked = Message("user", templates.fill("ask", blocks))
    return (Message("system", decision.instructions), asked) if decision.instructions else (asked,)


def _result(lookup: Lookup, decision: Ask, templates: Templates, *, last: bool) -> tuple[Message, ...]:
    called = msgspec.json.encode({NEXT: {TOOL: lookup.tool, GIVEN: lookup.arguments}}).decode()
    blocks = {"tool": lookup.tool, "result": lookup.result or "-"}
    told = templates.fill("last", {**blocks, "form": decision.form.shape.outline}) if last else None
    return (Message("assistant", called), Message("user", told or templates.fill("result", blocks)))


def _together(turns: list[Told], value: Given) -> Told:
    problems = tuple(problem for one in turns for problem in one.problems)
    usage = Usage.sum([one.usage for one in turns])
    return Told(value, problems, usage, sum(one.rounds for one in turns), usage.latency_ms)
