"""The language model that agents ask: from settings and environment, from a record, or from a rule."""

from __future__ import annotations

import inspect
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from eduverse_mesa.decisions import STATUSES, Answer, Bill, Usage
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.llm.questions import Ask, Given, Interview, Unfinished
from eduverse_mesa.llm.record import FORMAT, Entry, Head, RecordedPolicy, RunRecord, read_record
from eduverse_mesa.llm.response import Missing, Response
from eduverse_mesa.llm.rounds import Place, Rounds, name_of_agent, own_luck, still_there
from eduverse_mesa.llm.settings import (
    LOCAL,
    find_local,
    find_server,
    in_our_words,
    read_seed,
    read_settings,
    tell_on_stderr,
)
from eduverse_mesa.llm.tools import Lookup, find_tools
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.driver import answer, answer_async, has_to_wait
from eduverse_mesa.policies.llm.answer import Asker
from eduverse_mesa.policies.llm.calling import Caller, Ledger
from eduverse_mesa.policies.llm.calling.batches import telling
from eduverse_mesa.policies.llm.calls import Sampling
from eduverse_mesa.policies.llm.connection import Provider, make_ledger
from eduverse_mesa.policies.llm.policy import LlmPolicy, UselessError
from eduverse_mesa.policies.llm.prompts.templates import LANGUAGES, primary
from eduverse_mesa.policies.llm.shape import UnusableError
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.policies.recorded import ScriptedPolicy
from eduverse_mesa.policies.shared_limit import Delivery
from eduverse_mesa.scenarios.problems import suggest
from eduverse_mesa.scenarios.scenario import Budget

if TYPE_CHECKING:
    import pandas as pd
    from mesa import Agent

A = TypeVar("A")
T = TypeVar("T")
_MOST_LOOKUPS = 4


class LLM:
    """A language model that agents ask. Make one for each run; runs in one process share connections and limits.

    `model`: the name by which the server knows it, or `local`; left out: EDUVERSE_MODEL.
    `base_url`: left out: OPENAI_BASE_URL, or OpenAI. The key is read from the environment.
    `provider`: `anthropic` speaks Anthropic's own protocol.
    `delivery`: `batch` sends all questions of a step as one file, for half the price, and may wait for a day. `poll`:
    seconds until it is first looked whether a batch is done, and then more and more rarely. `tell`: a function that is
    told a line when the state of a batch changes; left out: standard error; None: nobody is.
    `seed`: the run's; left out: that of the Mesa model. Runs with different seeds never share a remembered answer.
    `instructions`: told before every question. `language`: that of the answers, which is checked (`en`, `zh`).
    `keep`: a file for the questions and answers of the run (`overwrite`: also one that holds some).
    `remember`: whether answers are taken from the cache.
    `settings`: temperature, max_tokens, budget={"usd": 1}, deadlines={"total": 60}, concurrency, reasks, ...
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        provider: Provider = "openai",
        delivery: Delivery = "live",
        poll: float | None = None,
        tell: Callable[[str], object] | None = tell_on_stderr,
        seed: int | None = None,
        instructions: str = "",
        language: str = "",
        keep: str | Path | None = None,
        overwrite: bool = False,
        remember: bool = True,
        **settings: Any,
    ) -> None:
        wanted = read_settings(settings)
        seed = read_seed(seed)
        if language and primary(language) not in LANGUAGES:
            raise PolicyError(f"{language!r} is none.", where="language", mend=f"Known: {', '.join(LANGUAGES)}.")
        if model == LOCAL:
            here = (("base_url", base_url), ("provider", provider), ("delivery", delivery), ("poll", poll))
            for place, given in here:
                if given not in (None, "openai", "live"):
                    raise PolicyError(
                        f'LLM("{LOCAL}") runs in this process and has no such thing.',
                        where=place,
                        mend="Leave it out, or name the model of that server.",
                    )
            name, caller, ledger, wanted = find_local(wanted, remember)
        else:
            name, caller, ledger, wanted = find_server(
                model, base_url, (provider, delivery), settings=wanted, remember=remember, poll=poll, tell=tell
            )
        sampling = Sampling(wanted.temperature, wanted.top_p, wanted.max_tokens, wanted.frequency_penalty)
        unfinished = Unfinished(caller)
        asker = Asker(unfinished, ledger, name, sampling, reasks=wanted.reasks, send_seed=wanted.send_seed)
        source = LOCAL if model == LOCAL else "llm"
        policy = LlmPolicy(source, Interview(asker, unfinished), None, ledger=ledger, useless=wanted.useless)  # type: ignore[arg-type]
        record = None if keep is None else RunRecord(Path(keep), overwrite=overwrite)
        if record is not None and record.before.requests and ledger.left:
            warnings.warn(
                f"{keep} held a run whose answers had taken {record.before}. Its answers are still remembered, if they "
                f"were, and cost nothing more; but the budget begins anew: {ledger.left} are left to this run.",
                stacklevel=2,
            )
        self._begin(
            policy,
            name,
            seed,
            instructions=instructions,
            language=language,
            record=record,
            ledger=ledger,
            unfinished=unfinished,
            watch=nullcontext if delivery == "live" or tell is None else partial(telling, tell),
            untaken=caller.without_tools if isinstance(caller, Caller) else None,
        )

    @classmethod
    def replay(cls, path: str | Path) -> LLM:
        """The answers of a run that was kept, without any model; NotRecordedError where something else is asked."""
        head, entries = read_record(Path(path))
        llm = cls.__new__(cls)
        policy = RecordedPolicy(entries)
        llm._begin(
            policy,
            head.model,
            head.seed,
            instructions=head.instructions,
            language=head.language,
            record=None,
            ledger=None,
            unfinished=policy,
        )
        return llm

    @classmethod
    def scripted(cls, rule: Callable[[Any], Any], *, keep: str | Path | None = None, overwrite: bool = False) -> LLM:
        """A function of the agent in the place of a model: to try a simulation, or to compare."""

        _check_function(rule, "LLM.scripted", "lambda agent: Choice.WAIT")

        def fill(ask: Any) -> Given:
            with own_luck(ask.who.model, ask.at):
                return _given(ask, rule, "the function of LLM.scripted")

        llm = cls.__new__(cls)
        record = None if keep is None else RunRecord(Path(keep), overwrite=overwrite)
        llm._begin(ScriptedPolicy(fill), "scripted", None, instructions="", language="", record=record)
        return llm

    def _begin(
        self,
        policy: AnyPolicy,
        name: str,
        seed: int | None,
        *,
        instructions: str,
        language: str,
        record: RunRecord | None,
        ledger: Ledger | None = None,
        unfinished: Unfinished | RecordedPolicy | None = None,
        watch: Callable[[], AbstractContextManager[None]] = nullcontext,
        untaken: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        """The model's."""
        self.instructions = instructions
        self.language = language
        self._policy = policy
        self._ledger = ledger
        self._names: dict[str, None] = {}
        """Models that have answered, as their servers name them."""
        self._forms: dict[type, Form] = {}
        self._entries: list[Entry] = []
        self._record = record
        self._rounds = Rounds(seed)
        self._unfinished = unfinished
        self._watch = watch
        """Entered while answers are awaited."""
        self._untaken = {} if untaken is None else untaken
        self._in_form = ""
        """The server's words because of which tools are offered in the form of the answer."""

    @property
    def seed(self) -> int | None:
        """The run's seed; until the first question None, where it is the Mesa model's."""
        return self._rounds.first

    def __repr__(self) -> str:
        return f"LLM({self.name!r}, seed={self.seed})"

    def ask(
        self,
        agents: Iterable[A] | Agent,
        question: str | Callable[[A], str],
        form: type[T],
        *,
        instructions: str | Callable[[A], str] | None = None,
        tools: Callable[..., Any] | Iterable[Callable[..., Any]] = (),
        most_lookups: int = _MOST_LOOKUPS,
        otherwise: Callable[[A], T] | None = None,
    ) -> list[Response[A, T]]:
        """Ask all these agents, or this one, at once and wait for their answers: a list in the order of the agents.

        `question` and `instructions` are texts, functions of the agent, or one word that names a method or a text of
        all the agents. `form` is the type of an answer. Every question is put before anybody acts. `otherwise` says
        what an agent does for whom no usable answer came (`fallback`). Agents that are no longer in their Mesa model
        are left out. Where this raises, nobody has been asked: asking the same again goes on with the answers that
        came.
        """
        if otherwise is not None:
            _check_function(otherwise, "otherwise", "otherwise=lambda agent: Choice.WAIT")
        asks = self._asks(agents, question, form, instructions, tools, most_lookups)
        if not asks:
            return []
        try:
            if has_to_wait(self._policy):
                with self._watch():
                    answers = shared_loop().wait_for(answer_async(self._policy, asks))
            else:
                answers = answer(self._policy, asks)
        except PolicyError as error:
            broken = self._broken(asks, error)
        else:
            return self._responses(asks, answers, otherwise)
        raise broken

    async def ask_async(
        self,
        agents: Iterable[A] | Agent,
        question: str | Callable[[A], str],
        form: type[T],
        *,
        instructions: str | Callable[[A], str] | None = None,
        tools: Callable[..., Any] | Iterable[Callable[..., Any]] = (),
        most_lookups: int = _MOST_LOOKUPS,
        otherwise: Callable[[A], T] | None = None,
    ) -> list[Response[A, T]]:
        """The same for asynchronous code."""
        if otherwise is not None:
            _check_function(otherwise, "otherwise", "otherwise=lambda agent: Choice.WAIT")
        asks = self._asks(agents, question, form, instructions, tools, most_lookups)
        if not asks:
            return []
        try:
            with self._watch():
                answers = await answer_async(self._policy, asks)
        except PolicyError as error:
            broken = self._broken(asks, error)
        else:
            return self._responses(asks, answers, otherwise)
        raise broken

    def go_on(self, *, budget: Mapping[str, float] | None = None, useless: float | None = None) -> None:
        """Set a new budget for the whole run, what is spent already included, or a new share of useless answers that
        ends it. Then ask the same again."""
        if self._ledger is None or not isinstance(self._policy, LlmPolicy):
            raise PolicyError(f"{self.name} spends nothing and has no limits.", where="go_on", mend="Leave it out.")
        if not budget and useless is None:
            raise PolicyError("no limit is named.", where="go_on", mend='Write budget={"usd": 2}, or useless=1.')
        settings = read_settings(
            {"budget": budget} if useless is None else {"budget": budget or {}, "useless": useless}
        )
        if budget:
            self._set_budget(settings.budget)
        if useless is not None:
            self._policy.allow_useless(settings.useless)

    def _set_budget(self, wanted: Budget) -> None:
        assert self._ledger is not None
        make_ledger(wanted, [self.name], free=self._policy.name == LOCAL)  # refuses dollars without a price
        spent = self._ledger.spent
        taken = {"usd": round(spent.usd, _CENTS), "tokens": spent.tokens, "requests": spent.requests}
        for name, amount in taken.items():
            bound = getattr(wanted, name)
            if bound is not None and bound <= amount and amount:
                raise PolicyError(
                    f"{bound:,} is not enough: a budget is the whole run's, and {amount:,} of it are spent.",
                    where=f"budget.{name}",
                    mend=f"Name more than {amount:,}.",
                )
        self._ledger.tokens, self._ledger.requests, self._ledger.usd = wanted.tokens, wanted.requests, wanted.usd

    @property
    def budget(self) -> dict[str, float]:
        """The bounds of the run; empty where there are none."""
        bounds = {} if self._ledger is None else {name: getattr(self._ledger, name) for name in Budget.model_fields}
        return {name: bound for name, bound in bounds.items() if bound is not None}

    @budget.setter
    def budget(self, wanted: Any) -> None:
        raise PolicyError(
            "a budget is not set like that once there is a model.",
            where="LLM.budget",
            mend=f"Write llm.go_on(budget={wanted!r}): it is the whole run's, with what is spent already.",
        )

    @property
    def bill(self) -> Bill:
        """Bill of this run so far: every request, including usage that no server told, with the names of the models."""
        return Bill() if self._ledger is None else self._ledger.bill

    @property
    def spent(self) -> Spending:
        """Spending of this run so far: tokens, requests, and US dollars, None if the price is not known."""
        if self._ledger is None:
            return Spending(0, 0, 0.0)
        spent = self._ledger.spent
        usd = None if self._ledger.price_of(self.name) is None else round(spent.usd, _CENTS)
        return Spending(spent.tokens, spent.requests, usd)

    def reporters(self) -> dict[str, Callable[[Any], Any]]:
        """Model reporters for a DataCollector: the answers of its newest step by status, the models that gave them, and
        what the whole run has taken of model servers so far."""
        counted = {
            f"answers_{status}": lambda model, status=status: sum(
                entry.status == status for entry in self._newest(model)
            )
            for status in STATUSES
        }

        def models(model: Any) -> str:
            return ", ".join(dict.fromkeys(name for entry in self._newest(model) for name in _models(entry)))

        taken = {
            "llm_model": models,
            "llm_requests": lambda _: self.spent.requests,
            "llm_tokens": lambda _: self.spent.tokens,
            "llm_usd": lambda _: self.spent.usd,
        }
        return counted | taken

    def _newest(self, model: Any) -> list[Entry]:
        """The answers that the agents of a Mesa model were given in its newest step."""
        run = self._rounds.number_of(model)
        of_step = takewhile(lambda entry: entry.step >= model.steps or entry.run != run, reversed(self._entries))
        return [entry for entry in of_step if entry.taken and entry.run == run]

    def summary(self) -> str:
        """The answers so far by status, those from the cache, and the commonest reasons for failures and for wrong
        calls of tools."""
        taken = [entry for entry in self._entries if entry.taken]
        counts = Counter(entry.status for entry in taken)
        told = f"{len(taken)} answers: " + ", ".join(f"{counts[status]} {status}" for status in STATUSES)
        remembered = sum(entry.remembered > 0 for entry in taken)
        told += f"; {remembered} from the cache" if remembered else ""
        if reasons := _commonest(entry.reason for entry in taken if entry.status in _UNUSABLE):
            told += f". Not usable: {reasons}"
        defects = [one.defect for entry in taken for one in entry.lookups if one.defect]
        if defects:
            calls = "1 call of a tool was" if len(defects) == 1 else f"{len(defects)} calls of tools were"
            told += f". {calls} wrong: {_commonest(defects)}"
        return told + (f". Tools were offered in the form of the answer: {self._in_form}" if self._in_form else "")

    def table(self) -> pd.DataFrame:
        """All answers so far, a row each: who, when, what came of it, what it took, and the fields of the form. Rows
        that are not `taken` belong to a step that was broken off because nearly no answer could be used."""
        import pandas as pd

        return pd.DataFrame([_row(entry) for entry in self._entries])

    def _asks(
        self,
        agents: Iterable[A] | Agent,
        question: str | Callable[[A], str],
        form: Any,
        instructions: str | Callable[[A], str] | None,
        tools: Callable[..., Any] | Iterable[Callable[..., Any]],
        most_lookups: int,
    ) -> list[Ask]:
        if isinstance(most_lookups, bool) or not isinstance(most_lookups, int) or most_lookups < 0:
            raise PolicyError(
                f"{most_lookups!r} is no number of calls.", where="most_lookups", mend="Write 0 or a larger number."
            )
        shaped, offered, there = self._form(form), find_tools(tools), still_there(agents)
        put = _reader(question, there, "question")
        told = _reader(self.instructions if instructions is None else instructions, there, "instructions")
        asks = []
        for agent, place in zip(there, self._rounds.places(there), strict=True):
            asked = put(agent)
            if not asked.strip():
                raise PolicyError(
                    "the question is empty.", where=name_of_agent(agent), mend="Say what the agent decides about."
                )
            asks.append(
                Ask(
                    at=place.at,
                    who=agent,
                    question=asked,
                    instructions=told(agent),
                    form=shaped,
                    tools=offered,
                    most=most_lookups,
                    language=self.language,
                    run=place.run,
                    step=place.step,
                )
            )
        return asks

    def _form(self, kind: Any) -> Form:
        """The form of a type, made once; what is no class, such as a number with bounds, need not be hashable."""
        if not isinstance(kind, type):
            return Form.of(kind)
        if kind not in self._forms:
            self._forms[kind] = Form.of(kind)
        return self._forms[kind]

    def _broken(self, asks: Sequence[Ask], error: PolicyError) -> PolicyError:
        """The error of a round that is not complete, in the words of this interface. Useless answers are noted."""
        if isinstance(error, UselessError):
            entries = [
                Entry.of(
                    ask,
                    came,
                    self._last_words(ask, came),
                    lookups=self._lookups(ask),
                    remembered=self._messages_remembered(ask),
                    taken=False,
                )
                for ask, came in zip(asks, error.answers, strict=True)
            ]
            self._note(entries)
            _warn_of_mistakes(entries)
        return in_our_words(error, self.name)

    def _last_words(self, ask: Ask, came: Answer) -> str:
        useless = came.status in _UNUSABLE and self._unfinished is not None
        return self._unfinished.last(ask) if useless and self._unfinished is not None else ""

    def _messages_remembered(self, ask: Ask) -> int:
        return 0 if self._unfinished is None else self._unfinished.remembered(ask)

    def _lookups(self, ask: Ask) -> tuple[Lookup, ...]:
        return () if self._unfinished is None else self._unfinished.lookups(ask)

    def _note(self, entries: Sequence[Entry]) -> None:
        if self._record is not None:
            head = Head("llm", FORMAT, self.name, self.seed or 0, self.language, self.instructions)
            self._record.add(head, entries)
        self._entries += entries

    def _responses(
        self, asks: Sequence[Ask], answers: Sequence[Answer], otherwise: Callable[[A], T] | None
    ) -> list[Response[A, T]]:
        """Typed responses; what stands in for failures is kept as such, and a replay takes what stood in then."""
        replayed = isinstance(self._policy, RecordedPolicy)
        responses, entries = [], []
        for ask, came in zip(asks, answers, strict=True):
            given = came
            if otherwise is not None and came.status == "failed" and not replayed:
                with own_luck(ask.who.model, ask.at):
                    instead = _given(ask, otherwise, "otherwise")
                given = came._replace(outcome=instead, source="otherwise", status="fallback")
            said, lookups = self._last_words(ask, came), self._lookups(ask)
            entry = Entry.of(ask, given, said, lookups=lookups, remembered=self._messages_remembered(ask))
            entries.append(entry)
            responses.append(cast("Response[A, T]", _response(ask, given, entry)))
        self._note(entries)
        self._watch_names(entries)
        if not replayed:
            _warn_of_mistakes(entries)
        self._rounds.complete(asks[0].who.model, [Place(ask.run, ask.at, ask.step) for ask in asks])
        if self._unfinished is not None:
            self._unfinished.forget(asks)
        self._watch_tools(asks)
        if all(entry.status in _UNUSABLE for entry in entries):
            reasons = _commonest(entry.reason for entry in entries)
            warnings.warn(
                f"step {asks[0].step}: no answer of {len(entries)} could be used: {reasons}. "
                "llm.table() holds what was said.",
                stacklevel=3,
            )
        return responses

    def _watch_tools(self, asks: Sequence[Ask]) -> None:
        """Warn once where a server does not call tools in its own way."""
        why = self._untaken.get(self.name, "")
        if self._in_form or not why or not any(ask.offering for ask in asks):
            return
        self._in_form = why
        warnings.warn(
            f"the server of {self.name} was offered tools in its own way and did not take them: {why}. They are "
            "offered in the form of the answer instead, which small models find harder. If it should take them, see "
            "how its function calling is switched on.",
            stacklevel=4,
        )

    def _watch_names(self, entries: Sequence[Entry]) -> None:
        """Warn where a run is answered by another model than before."""
        new = {name: None for entry in entries for name in _models(entry) if name not in self._names}
        if new and len(self._names) + len(new) > 1:
            before = f"answered as {', '.join(self._names)} before" if self._names else "has more than one name"
            warnings.warn(
                f"step {entries[0].step}: {self.name} was asked for, and its server answers as {', '.join(new)}; it "
                f"{before}: it may not be the same model throughout. llm.table() has the model of each answer.",
                stacklevel=4,
            )
        self._names |= new


_UNUSABLE = ("fallback", "failed")
_REASONS_SHOWN = 3
_SHOWN = 120
"""Characters of a value in a message."""
_CENTS = 6
"""Digits of US dollars: a small answer costs some millionths."""


class Spending(NamedTuple):
    """Tokens, requests and US dollars that a run has taken."""

    tokens: int
    requests: int
    usd: float | None
    """None where the price of the model is not known."""


def _commonest(reasons: Iterable[str]) -> str:
    return "; ".join(f"{reason} ({count})" for reason, count in Counter(reasons).most_common(_REASONS_SHOWN))


def _check_function(function: Any, place: str, example: str) -> None:
    """Refuse what takes no agent, before anybody is asked."""
    mend = f"Write a function of the agent, e.g. {example}."
    if not callable(function):
        raise PolicyError(f"{function!r} is no function.", where=place, mend=mend)
    try:
        inspect.signature(function).bind(None)
    except ValueError:  # some that are built in do not tell what they take
        return
    except TypeError as error:
        trouble = str(error)
    else:
        return
    raise PolicyError(f"it has to take the agent, and nothing else: {trouble}.", where=place, mend=mend)


def _given(ask: Ask, function: Callable[[Any], Any], giver: str) -> Given:
    """The answer that a function of the program gives in the place of a model."""
    where = f"{ask.agent}, step {ask.step}"
    value = _own_function(function, ask.who, giver, where)
    try:
        return Given(ask.form.filled(value))
    except UnusableError as error:
        trouble = str(error)
    shown = repr(value)
    raise PolicyError(
        f"{giver} gave {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + '…'}, which is no {ask.form.name}: "
        f"{trouble}.",
        where=where,
        mend=f"Return a value of that type, or what looks like {ask.form.looks}.",
    )


def _warn_of_mistakes(entries: Sequence[Entry]) -> None:
    """Tools that failed by a mistake of their own: the model was told, and so is whoever wrote them."""
    counts = Counter(
        found for entry in entries for found in {(one.tool, one.mistake) for one in entry.lookups if one.mistake}
    )
    for (name, mistake), count in counts.items():
        agents = "agent" if count == 1 else "agents"
        warnings.warn(
            f"the tool {name} has failed for {count} {agents}: {mistake}. The model was told so. Mend the tool, or "
            "raise ToolError in it for what a model may be told.",
            stacklevel=4,
        )


def _response(ask: Ask, given: Answer, entry: Entry) -> Response[Any, Any]:
    value: Any = Missing() if given.outcome is None else ask.form.value(given.outcome.filled)
    usage = given.usage or Usage()
    return Response(
        agent=ask.who,
        status=given.status,
        reason=given.reason,
        attempts=given.attempts,
        source=given.source,
        lookups=entry.lookups,
        usage=usage,
        said=entry.said,
        remembered=entry.remembered,
        _value=value,
    )


_NAME = re.compile(r"\w+(\.\w+)*(\(\))?")
"""One word without blank or mark: as a question it can only be meant as a name, and mistyped it would be paid for."""


def _reader(text: str | Callable[[A], str], agents: Sequence[A], place: str) -> Callable[[A], str]:
    """From an agent to its text. A string of one word is the name of a method, or of a text, that all agents have."""
    named = isinstance(text, str) and bool(_NAME.fullmatch(text.strip()))
    if named:
        _check_name(str(text), agents, place)
    elif callable(text):
        _check_function(text, place, 'lambda agent: f"You are {agent.unique_id}."')
    elif not isinstance(text, str):
        raise PolicyError(
            f"{text!r} is neither a text nor a function.",
            where=place,
            mend="Write a sentence, a function of the agent, or the name of one of its methods.",
        )

    def find(agent: A) -> Any:
        found = getattr(agent, str(text).strip())
        return found() if callable(found) else found

    source: Callable[[A], Any] = find if named else text if callable(text) else lambda _: text

    def read(agent: A) -> str:
        said = _own_function(source, agent, f"the function of {place}", name_of_agent(agent))
        if not isinstance(said, str):
            raise PolicyError(
                f"what is asked is {type(said).__name__}, not text.",
                where=name_of_agent(agent),
                mend="Return a str from it.",
            )
        return said

    return read


def _check_name(text: str, agents: Sequence[Any], place: str) -> None:
    """Refuse a name that not all agents have, before anything is paid for."""
    name = text.strip()
    lacking = next((agent for agent in agents if not hasattr(agent, name)), None)
    if lacking is None:
        return
    known = [one for one in dir(lacking) if not one.startswith("_")]
    raise PolicyError(
        f"{text!r} is one word, so it is read as a name, and {name_of_agent(lacking)} has nothing of that name.",
        where=place,
        mend=f"{suggest(name.removesuffix('()').rpartition('.')[2], known)}Name a method or a text that all who are "
        f"asked have, or write a sentence; this word alone is asked with lambda agent: {text!r}.",
    )


def _own_function(function: Callable[[Any], Any], agent: Any, giver: str, where: str) -> Any:
    """What a function of the program says of an agent; what it raises is told with the agent, and is the cause."""
    try:
        return function(agent)
    except Exception as error:  # it may raise anything
        raise PolicyError(
            f"{giver} has failed by a mistake of its own: {type(error).__name__}: {error}".rstrip(": .") + ".",
            where=where,
            mend="Mend that function; what it raised stands above.",
        ) from error


def _models(entry: Entry) -> list[str]:
    return [] if entry.usage is None else entry.usage.models


def _row(entry: Entry) -> dict[str, Any]:
    filled = entry.filled if isinstance(entry.filled, dict) else {}
    usage = entry.usage or Usage()
    wrong = sum(bool(one.defect) for one in entry.lookups)
    row = {
        "step": entry.step,
        "agent": entry.agent,
        "form": entry.form,
        "status": entry.status,
        "reason": entry.reason,
        "said": entry.said,
        "taken": entry.taken,
        "attempts": entry.attempts,
        "source": entry.source,
        "lookups": len(entry.lookups) - wrong,
        "wrong_calls": wrong,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "model": usage.model,
        "remembered": entry.remembered,
    }
    return row | {name if name not in row else f"answer.{name}": value for name, value in filled.items()}
