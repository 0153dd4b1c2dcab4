"""Options that several subcommands share."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from eduverse_mesa.errors import EduverseError, PolicyError, StudyError
from eduverse_mesa.policies.registry import asks_model, policy_parts
from eduverse_mesa.policies.shared_limit import DELIVERY

if TYPE_CHECKING:
    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.runs.kernel import Changes
    from eduverse_mesa.scenarios import Scenario
    from eduverse_mesa.scenarios.groups import Collaboration
    from eduverse_mesa.scenarios.tutoring import Tutoring
    from eduverse_mesa.store import Study
    from eduverse_mesa.store.alerts import Adult

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a self-contained HTML report here.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")]
StudyPath = Annotated[str, typer.Argument(metavar="STUDY", help="The study: a file, or a database URL.")]
RunId = Annotated[str | None, typer.Argument(metavar="[RUN]", help="The run; left out: the newest that is no fork.")]
PolicyName = Annotated[
    str | None,
    typer.Option("--policy", help="Who answers: a policy, or KIND=POLICY,...,rest=POLICY. Default: the scenario's."),
]
Parameters = Annotated[
    Path | None,
    typer.Option("--parameters", metavar="FILE", help="Parameters of the embedded policy, as calibrate writes them."),
]
ScenarioName = Annotated[
    str | None, typer.Argument(metavar="[SCENARIO]", help="A scenario file or a built-in scenario's name.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the scenario; again for more.")
]
SearchSeed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same result.")]
Cores = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes that play the runs; default: one for each core. 1: this one."),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="How many runs at once; default: as many as there are cores; 200 threads."),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="serial: here; processes: on all cores of this machine, the default; threads: many at once in this "
        "process, the default where answers come in batches; ray: on a cluster.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="ADDRESS", help="Of a Ray cluster that runs: HOST:6379, or auto for the one here."
    ),
]
PageFile = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write a self-contained HTML page here.")]


def parameters_in(file: Path | None) -> dict[str, object]:
    """The values of a file of parameters, as settings of a scenario."""
    if file is None:
        return {}
    from eduverse_mesa.scenarios.parameters import read_parameters

    return {f"parameters.{name}": value for name, value in read_parameters(file).values.items()}


def pairs(given: list[str] | None) -> dict[str, str]:
    """KEY=VALUE options as a mapping."""
    settings: dict[str, str] = {}
    for item in given or []:
        key, sign, value = item.partition("=")
        if not sign or not key.strip():
            raise EduverseError(
                "is not KEY=VALUE.", where=f"--set {item}", mend="Write for example --set gate.threshold=0.7"
            )
        settings[key.strip()] = value.strip()
    return settings


def lesson_and_step(text: str, option: str, least: int = 1) -> tuple[int, int]:
    """`12` is step 12 of the first lesson, `2:12` of the second; `least` is the smallest step that is one."""
    lesson, colon, step = text.rpartition(":")
    try:
        place = (int(lesson) if colon else 1, int(step))
    except ValueError:
        place = (0, 0)
    if place[0] < 1 or place[1] < least:
        raise EduverseError("is no step.", where=f"{option} {text}", mend="Write STEP or LESSON:STEP, e.g. 12 or 2:12.")
    return place


Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The language model; for --policy local a GGUF file.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint; your key is sent to it.")
]
Fidelity = Annotated[
    str | None, typer.Option("--fidelity", help="fused: a call a turn; staged: a call for each stage of the paper.")
]
BudgetUsd = Annotated[
    float | None, typer.Option("--budget-usd", min=0, metavar="USD", help="Spend no more than this for a run.")
]
BudgetTokens = Annotated[
    int | None, typer.Option("--budget-tokens", min=0, metavar="N", help="Tokens read and written.")
]
BudgetRequests = Annotated[
    int | None, typer.Option("--budget-requests", min=0, metavar="N", help="Requests, with retries.")
]
Useless = Annotated[
    float | None,
    typer.Option("--useless", min=0, max=1, metavar="SHARE", help="Useless answers that end the run; 1: none do."),
]
Cache = Annotated[
    str | None,
    typer.Option("--cache", metavar="FILE", help="Where answers are remembered; none: a re-run asks and pays again."),
]
Delivery = Annotated[
    str | None,
    typer.Option(
        "--delivery",
        metavar="live|batch",
        help="batch: answers come within a day, for about half the price; runs go side by side. Default: the "
        "document's, or live.",
    ),
]


def refuse_delivery(delivery: str | None, batches: bool) -> None:
    """Refuse answers in batches where nobody is asked for them."""
    if delivery == "batch" and not batches:
        raise EduverseError(
            "no server is asked.", where="--delivery batch", mend="Add --policy llm, or leave the option out."
        )


@dataclass(frozen=True)
class EngineOptions:
    """Options that say where runs are played, and how many at once."""

    engine: EngineName = None
    workers: Workers = None
    address: Address = None

    def make(self, delivery: str | None, *, batches: bool, timeout: float | None = None) -> Engine:
        """Return the engine that was asked for, or the one that fits how answers come."""
        from eduverse_mesa.experiments.engines import make_engine

        refuse_delivery(delivery, batches)
        return make_engine(self.engine or ("threads" if batches else "processes"), self.workers, self.address, timeout)


def refuse_unused(settings: Mapping[str, object], policy: str) -> None:
    """Options about a model that nobody would ask."""
    if settings and not asks_model(policy):
        raise EduverseError(
            f"policy '{policy}' asks no language model.",
            where=", ".join(settings),
            mend="Add --policy llm or --policy local, or leave the model's options out.",
        )

    if "llm.base_url" in settings and "llm" not in policy_parts(policy).values():
        raise EduverseError(
            f"policy '{policy}' asks no server.", where="--base-url", mend="Use --policy llm, or leave it out."
        )


def need_model(policy: str) -> str:
    """The policy, which has to ask a language model."""
    if not asks_model(policy):
        raise PolicyError(f"policy '{policy}' asks no language model.", mend="Use --policy llm or --policy local.")
    return policy


@dataclass(frozen=True)
class ModelOptions:
    """Options that say which language model answers, how it is reached, and what it may take."""

    model: Model = None
    base_url: BaseUrl = None
    fidelity: Fidelity = None
    budget_usd: BudgetUsd = None
    budget_tokens: BudgetTokens = None
    budget_requests: BudgetRequests = None
    useless: Useless = None
    cache: Cache = None
    delivery: Delivery = None

    def settings(self) -> dict[str, object]:
        """The settings that the options stand for; endpoint, cache and delivery become this process's environment."""
        given: Mapping[str, object | None] = {
            "llm.model": self.model,
            "llm.base_url": self.base_url,
            "llm.fidelity": self.fidelity,
            "llm.budget.usd": self.budget_usd,
            "llm.budget.tokens": self.budget_tokens,
            "llm.budget.requests": self.budget_requests,
            "llm.useless": self.useless,
        }
        if self.base_url is not None:
            from eduverse_mesa.policies.llm.setup import BASE_URL, check_url

            check_url(self.base_url)
            os.environ[BASE_URL] = self.base_url  # who names an endpoint here means the key for it
        if self.cache is not None:
            if not self.cache.strip():
                raise EduverseError("is empty.", where="--cache", mend="Name a file, or none.")
            os.environ["EDUVERSE_CACHE"] = self.cache
        if self.delivery is not None:
            if self.delivery not in ("live", "batch"):
                raise EduverseError(f"'{self.delivery}' is none.", where="--delivery", mend="Known: live, batch.")
            os.environ[DELIVERY] = self.delivery  # no part of a document: a sweep begun live may go on in batches
        return {key: value for key, value in given.items() if value is not None}

    def changes(self, setup: Scenario | Tutoring | Collaboration) -> Changes:
        """Return what the options change for a run of this setup that goes on or branches off; their endpoint, cache
        and delivery become this process's environment."""
        self.settings()
        given = {"usd": self.budget_usd, "tokens": self.budget_tokens, "requests": self.budget_requests}
        budget = setup.settings.llm.budget.model_copy(
            update={key: one for key, one in given.items() if one is not None}
        )
        return {"budget": budget, "useless": self.useless, "base_url": self.base_url}


Result = TypeVar("Result")


def taking(kind: type[Any], name: str, *without: str) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """A subcommand whose parameter `name` is a dataclass of options: each field becomes an option in its place, but for
    those that the subcommand is to be `without`.

    Typer reads the options of a function off its signature, and has no other way to share them.
    """
    hints = get_type_hints(kind, include_extras=True)

    def spread(command: Callable[..., Result]) -> Callable[..., Result]:
        own = inspect.signature(command, eval_str=True)
        shared = [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
            )
            for field in fields(kind)
            if field.name not in without
        ]

        @wraps(command)
        def spread_out(**given: Any) -> Result:
            taken = kind(**{one.name: given.pop(one.name) for one in shared})
            return command(**given, **{name: taken})

        parameters: list[inspect.Parameter] = []
        for one in own.parameters.values():
            parameters += shared if one.name == name else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
        spread_out.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        spread_out.__annotations__ = {one.name: one.annotation for one in parameters}
        return spread_out

    return spread


@dataclass(frozen=True)
class AdultOptions:
    """Options that name the adult whom children in trouble are sent to."""

    adult: Annotated[
        str | None,
        typer.Option(
            "--adult", metavar="NAME", help="Whom children in trouble are sent to, such as 'Ms Lee, our school nurse'."
        ),
    ] = None
    adult_at: Annotated[
        str | None, typer.Option("--adult-at", metavar="WHERE", help="Where or how that adult is found.")
    ] = None
    help_line: Annotated[
        str | None, typer.Option("--help-line", metavar="NUMBER", help="A help line, if there is one.")
    ] = None

    def named(self) -> Adult | None:
        """Return the adult that was named; None where nothing was."""
        from eduverse_mesa.store.alerts import Adult, checked_adult

        if self == AdultOptions():
            return None
        try:
            return checked_adult(Adult(self.adult or "", self.adult_at or "", self.help_line or ""))
        except StudyError as error:
            raise EduverseError(error.message, where="--adult, --adult-at, --help-line", mend=error.mend) from None


def remember(study: Study, adult: Adult | None) -> None:
    """Remember with a study the adult that was named for it, if one was."""
    from eduverse_mesa.store.alerts import name_adult

    if adult is not None:
        name_adult(study, adult)
