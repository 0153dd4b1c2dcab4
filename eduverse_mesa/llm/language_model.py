"""The language model that agents ask: from settings and environment, from a record, or from a rule."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from pydantic import ValidationError

from eduverse_mesa.decisions import Answer, Usage
from eduverse_mesa.errors import NoModelError, PolicyError
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.llm.questions import Ask, Given, Interview
from eduverse_mesa.llm.record import FORMAT, Entry, Head, RecordedPolicy, RunRecord, read_record
from eduverse_mesa.llm.response import Missing, Response
from eduverse_mesa.llm.tools import find_tools
from eduverse_mesa.policies.driver import answer, answer_async, has_to_wait
from eduverse_mesa.policies.llm.asking import Asker, Completing
from eduverse_mesa.policies.llm.calling import Ledger, Spent
from eduverse_mesa.policies.llm.calls import Sampling
from eduverse_mesa.policies.llm.connection import Delivery, Provider, connect, make_ledger
from eduverse_mesa.policies.llm.local_caller import LocalCaller
from eduverse_mesa.policies.llm.local_model import find_model
from eduverse_mesa.policies.llm.making import (
    BASE_URL,
    KEY,
    MODEL,
    check_url,
    find_key,
    settle_llm,
    settle_local,
)
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.policies.scripted import ScriptedPolicy
from eduverse_mesa.policies.waiting import house
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.problems import suggest
from eduverse_mesa.scenarios.scenario import LanguageModel

if TYPE_CHECKING:
    import pandas as pd

A = TypeVar("A")
T = TypeVar("T")
LOCAL = "local"
"""The model that this package brings, inside this process."""
SETTINGS = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "reasoning_effort",
    "extra_body",
    "extra_headers",
    "send_seed",
    "reasks",
    "useless",
    "concurrency",
    "deadlines",
    "budget",
)
"""Settings of a scenario's `llm` that hold here, too (docs/guides/language-models.md)."""
_MOST_LOOKUPS = 4


class LLM:
    """A language model that agents ask. Make one for each run; runs in one process share connections and limits.

    `model`: the name by which the server knows it, or `local`; left out: EDUVERSE_MODEL.
    `base_url`: left out: OPENAI_BASE_URL, or OpenAI. The key is read from the environment.
    `provider`: `anthropic` speaks Anthropic's own protocol.
    `delivery`: `batch` sends all questions of a step as one file, for half the price, and may wait for a day.
    `seed`: the run's; runs with different seeds never share a remembered answer.
    `instructions`: told before every question. `language`: that of the answers, which is checked (`en`, `zh`).
    `keep`: a file for the questions and answers of the run. `remember`: whether answers are taken from the cache.
    `settings`: temperature, max_tokens, budget={"usd": 1}, deadlines={"total": 60}, concurrency, reasks, ...
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        provider: Provider = "openai",
        delivery: Delivery = "live",
        seed: int = 0,
        instructions: str = "",
        language: str = "",
        keep: str | Path | None = None,
        remember: bool = True,
        **settings: Any,
    ) -> None:
        wanted = _read_settings(settings)
        if model == LOCAL:
            name, caller, ledger, wanted = _local(wanted, remember)
        else:
            name, caller, ledger, wanted = _server(model, base_url, (provider, delivery), wanted, remember)
        sampling = Sampling(wanted.temperature, wanted.top_p, wanted.max_tokens, wanted.frequency_penalty)
        asker = Asker(caller, ledger, name, sampling, reasks=wanted.reasks, send_seed=wanted.send_seed)
        source = LOCAL if model == LOCAL else "llm"
        policy = LlmPolicy(source, Interview(asker), None, ledger=ledger, useless=wanted.useless)  # type: ignore[arg-type]
        self._begin(policy, name, seed, instructions, language, keep, ledger)

    @classmethod
    def replay(cls, path: str | Path) -> LLM:
        """The answers of a run that was kept, without any model; NotRecordedError where something else is asked."""
        head, entries = read_record(Path(path))
        llm = cls.__new__(cls)
        llm._begin(RecordedPolicy(entries), head.model, head.seed, head.instructions, head.language, None)
        return llm

    @classmethod
    def scripted(cls, rule: Callable[[Any], Any], *, keep: str | Path | None = None) -> LLM:
        """A function of the agent in the place of a model: to try a simulation, or to compare."""

        def fill(ask: Any) -> Given:
            return Given(ask.form.filled(rule(ask.who)))

        llm = cls.__new__(cls)
        llm._begin(ScriptedPolicy(fill), "scripted", 0, "", "", keep)
        return llm

    def _begin(
        self,
        policy: AnyPolicy,
        name: str,
        seed: int,
        instructions: str,
        language: str,
        keep: str | Path | None,
        ledger: Ledger | None = None,
    ) -> None:
        self.name = name
        """The model's."""
        self.seed = seed
        self.instructions = instructions
        self.language = language
        self._policy = policy
        self._ledger = ledger
        self._forms: dict[type, Form] = {}
        self._entries: list[Entry] = []
        head = Head("llm", FORMAT, name, seed, language, instructions)
        self._record = None if keep is None else RunRecord(Path(keep), head)

    def __repr__(self) -> str:
        return f"LLM({self.name!r}, seed={self.seed})"

    def ask(
        self,
        agents: Iterable[A],
        question: str | Callable[[A], str],
        form: type[T],
        *,
        instructions: str | Callable[[A], str] | None = None,
        tools: Sequence[Callable[..., Any]] = (),
        most_lookups: int = _MOST_LOOKUPS,
        otherwise: Callable[[A], T] | None = None,
    ) -> list[Response[A, T]]:
        """Ask all these agents at once and wait for their answers, which come in the order of the agents.

        `question` and `instructions` may be functions of the agent, `form` is the type of an answer. Every question is
        put before anybody acts. `otherwise` says what an agent does for whom no usable answer came (`fallback`).
        """
        asks, asked = self._asks(agents, question, form, instructions, tools, most_lookups)
        if not asks:
            return []
        if has_to_wait(self._policy):
            answers = house().wait_for(answer_async(self._policy, asks))
        else:
            answers = answer(self._policy, asks)
        return self._responses(asked, asks, answers, otherwise)

    async def ask_async(
        self,
        agents: Iterable[A],
        question: str | Callable[[A], str],
        form: type[T],
        *,
        instructions: str | Callable[[A], str] | None = None,
        tools: Sequence[Callable[..., Any]] = (),
        most_lookups: int = _MOST_LOOKUPS,
        otherwise: Callable[[A], T] | None = None,
    ) -> list[Response[A, T]]:
        """The same for asynchronous code."""
        asks, asked = self._asks(agents, question, form, instructions, tools, most_lookups)
        answers = await answer_async(self._policy, asks) if asks else []
        return self._responses(asked, asks, answers, otherwise)

    @property
    def spent(self) -> Spent:
        """What this run has taken so far: tokens, requests, US dollars where the price is known."""
        spent = Spent() if self._ledger is None else self._ledger.spent
        return Spent(spent.tokens, spent.requests, spent.usd)

    def table(self) -> pd.DataFrame:
        """All answers so far, a row each: who, when, what came of it, what it took, and the fields of the form."""
        import pandas as pd

        return pd.DataFrame([_row(entry) for entry in self._entries])

    def _asks(
        self,
        agents: Iterable[A],
        question: str | Callable[[A], str],
        form: Any,
        instructions: str | Callable[[A], str] | None,
        tools: Sequence[Callable[..., Any]],
        most_lookups: int,
    ) -> tuple[list[Ask], list[A]]:
        shaped = self._form(form)
        told = self.instructions if instructions is None else instructions
        offered, asked = find_tools(tools), list(agents)
        asks = [
            Ask(
                _address(agent, self.seed),
                agent,
                _said(question, agent),
                _said(told, agent),
                shaped,
                offered,
                most_lookups,
                self.language,
            )
            for agent in asked
        ]
        return asks, asked

    def _form(self, kind: Any) -> Form:
        """The form of a type, made once; what is no class, such as a number with bounds, need not be hashable."""
        if not isinstance(kind, type):
            return Form.of(kind)
        if kind not in self._forms:
            self._forms[kind] = Form.of(kind)
        return self._forms[kind]

    def _responses(
        self, agents: Sequence[A], asks: Sequence[Ask], answers: Sequence[Answer], otherwise: Callable[[A], T] | None
    ) -> list[Response[A, T]]:
        """Typed responses; what stands in for failures is kept as such."""
        responses, entries = [], []
        for agent, ask, came in zip(agents, asks, answers, strict=True):
            given = came
            if otherwise is not None and came.status in ("failed", "fallback"):
                instead = Given(ask.form.filled(otherwise(agent)))
                given = came._replace(outcome=instead, source="otherwise", status="fallback")
            entries.append(Entry.of(ask, given))
            responses.append(cast("Response[A, T]", _response(agent, ask, given)))
        if self._record is not None:
            self._record.add(entries)
        self._entries += entries
        return responses


def _response(agent: Any, ask: Ask, given: Answer) -> Response[Any, Any]:
    value: Any = Missing() if given.outcome is None else ask.form.value(given.outcome.filled)
    lookups = () if given.outcome is None else given.outcome.lookups
    usage = given.usage or Usage()
    return Response(agent, given.status, given.reason, given.attempts, given.source, lookups, usage, value)


def _said(text: str | Callable[[A], str], agent: A) -> str:
    said = text(agent) if callable(text) else text
    if not isinstance(said, str):
        raise PolicyError(
            f"what is asked is {type(said).__name__}, not text.", where=_name(agent), mend="Return a str from it."
        )
    return said


def _name(agent: Any) -> str:
    return f"{type(agent).__name__} {getattr(agent, 'unique_id', '')}".strip()


def _address(agent: Any, seed: int) -> Address:
    """The agent's place in the run: its step and its number, which are the same in every repetition."""
    try:
        return Address(seed, 0, int(agent.model.steps), f"{type(agent).__name__} {agent.unique_id}")
    except AttributeError:
        raise PolicyError(
            f"{_name(agent)} is no agent of a model.", where="ask", mend="Ask Mesa's agents, e.g. model.agents."
        ) from None


def _read_settings(given: Mapping[str, Any]) -> LanguageModel:
    for name in given:
        if name not in SETTINGS:
            raise PolicyError(
                "there is no such setting.", where=name, mend=f"{suggest(name, SETTINGS)}Known: {', '.join(SETTINGS)}."
            )
    try:
        return LanguageModel(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise PolicyError(f"{first['msg']}.", where=place, mend="See docs/guides/language-models.md.") from None


_Link = tuple[str, Completing, Ledger, LanguageModel]


ANTHROPIC = "https://api.anthropic.com"
ANTHROPIC_KEY, ANTHROPIC_URL = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
"""What Anthropic's own programs read from the environment, too."""


def _server(
    model: str | None, base_url: str | None, way: tuple[Provider, Delivery], settings: LanguageModel, remember: bool
) -> _Link:
    """A server that is named here, by the program itself, may have the key: no scenario has a say in this."""
    provider, delivery = way
    for name, value, known in (("provider", provider, Provider), ("delivery", delivery, Delivery)):
        if value not in get_args(known):
            raise PolicyError(f"{value!r} is none.", where=name, mend=f"Known: {', '.join(get_args(known))}.")
    if provider == "anthropic" and delivery == "batch":
        raise PolicyError("batches go to OpenAI-compatible servers only.", where="delivery", mend="Leave it out.")
    environment = dict(os.environ)
    if provider == "anthropic":  # read by other names, and from there on alike
        key = environment.get(ANTHROPIC_KEY, "")
        base_url = base_url or environment.get(ANTHROPIC_URL) or ANTHROPIC
        environment[KEY] = key
        if not key and base_url == ANTHROPIC:
            raise PolicyError(f"{ANTHROPIC_KEY} is not set.", where="LLM", mend="Set it in the environment.")
    if base_url is not None:
        check_url(base_url)
        environment[BASE_URL] = base_url
    wanted = settings.model_copy(update={"model": model, "base_url": base_url})
    try:
        settled = settle_llm(wanted, environment)
    except NoModelError:
        mend = f'Write LLM("NAME"), or LLM("{LOCAL}"), or set {MODEL}.'
        raise NoModelError("no model is named.", where="LLM", mend=mend) from None
    name, url = settled.model or "", settled.base_url or ""
    caller = connect(settled, url, find_key(url, environment), remember=remember, provider=provider, delivery=delivery)
    return name, caller, make_ledger(settled.budget, [name]), settled


def _local(settings: LanguageModel, remember: bool) -> _Link:
    settled, file = settle_local(settings), find_model(None)
    caller = LocalCaller(settled, file, remember=remember)
    return file.stem, caller, make_ledger(settled.budget, [file.stem], free=True), settled


def _row(entry: Entry) -> dict[str, Any]:
    filled = entry.filled if isinstance(entry.filled, dict) else {}
    usage = entry.usage or Usage()
    return {
        "step": entry.step,
        "agent": entry.agent,
        "form": entry.form,
        "status": entry.status,
        "reason": entry.reason,
        "attempts": entry.attempts,
        "source": entry.source,
        "lookups": len(entry.lookups),
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        **filled,
    }
