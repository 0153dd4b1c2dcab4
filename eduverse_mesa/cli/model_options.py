"""Options about language models that several subcommands share, and what they change."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.errors import EduverseError, PolicyError
from eduverse_mesa.policies.making import policy_parts
from eduverse_mesa.policies.sharing import DELIVERY

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.scenario import Budget

Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The language model; for --policy local a GGUF file.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint; your key is sent to it.")
]
Fidelity = Annotated[
    str | None, typer.Option("--fidelity", help="fused: a call a turn; staged: a call for each stage of the paper.")
]
BudgetUsd = Annotated[float | None, typer.Option("--budget-usd", min=0, metavar="USD", help="Spend no more than this.")]
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


def model_settings(
    model: str | None = None,
    base_url: str | None = None,
    fidelity: str | None = None,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    budget_requests: int | None = None,
    cache: str | None = None,
    delivery: str | None = None,
) -> dict[str, object]:
    """The settings that the options stand for; endpoint, cache and delivery become this process's environment, too."""
    given: Mapping[str, object | None] = {
        "llm.model": model,
        "llm.base_url": base_url,
        "llm.fidelity": fidelity,
        "llm.budget.usd": budget_usd,
        "llm.budget.tokens": budget_tokens,
        "llm.budget.requests": budget_requests,
    }
    settings = {key: value for key, value in given.items() if value is not None}
    if base_url is not None:
        from eduverse_mesa.policies.llm.making import BASE_URL, check_url

        check_url(base_url)
        os.environ[BASE_URL] = base_url  # who names an endpoint here means the key for it
    if cache is not None:
        if not cache.strip():
            raise EduverseError("is empty.", where="--cache", mend="Name a file, or none.")
        os.environ["EDUVERSE_CACHE"] = cache
    if delivery is not None:
        if delivery not in ("live", "batch"):
            raise EduverseError(f"'{delivery}' is none.", where="--delivery", mend="Known: live, batch.")
        os.environ[DELIVERY] = delivery  # no part of a document: a sweep begun live may go on in batches
    return settings


def engine_name(given: str | None, delivery: str | None, batches: bool) -> str:
    """The engine that was asked for, or the one that fits how answers come."""
    if delivery == "batch" and not batches:
        raise EduverseError(
            "no server is asked.", where="--delivery batch", mend="Add --policy llm, or leave the option out."
        )
    return given or ("threads" if batches else "processes")


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


def asks_model(policy: str) -> bool:
    """Whether a policy's name holds one that asks a language model."""
    return not {"llm", "local"}.isdisjoint(policy_parts(policy).values())


def need_model(policy: str) -> str:
    """The policy, which has to ask a language model."""
    if not asks_model(policy):
        raise PolicyError(f"policy '{policy}' asks no language model.", mend="Use --policy llm or --policy local.")
    return policy


def new_budget(old: Budget, usd: float | None, tokens: int | None, requests: int | None) -> Budget:
    """The budget with what the options change."""
    given = {"usd": usd, "tokens": tokens, "requests": requests}
    return old.model_copy(update={name: value for name, value in given.items() if value is not None})
