"""`eduverse estimate`, `bench llm`, `prompts` and `cache`: language models before a run, and what is left after it."""

from __future__ import annotations

import os
import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.estimates import LATENCY, Latency, show_estimates, table
from eduverse_mesa.cli.options import (
    AsJson,
    ModelOptions,
    ScenarioName,
    Settings,
    need_model,
    pairs,
    taking,
)
from eduverse_mesa.cli.output import print_json
from eduverse_mesa.errors import EduverseError, PolicyError

if TYPE_CHECKING:
    from eduverse_mesa.runs.benchmark import Measured


@taking(
    ModelOptions, "llm", "base_url", "budget_usd", "budget_tokens", "budget_requests", "useless", "cache", "delivery"
)
def estimate(
    scenario: ScenarioName = None,
    layout: Annotated[str | None, typer.Option(help="Another layout.")] = None,
    lesson: Annotated[list[str] | None, typer.Option(help="Another lesson; repeat it for a course.")] = None,
    students: Annotated[str | None, typer.Option(help="Another class: a name, a file, or a number.")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of a lesson's plan.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of the run to estimate.")] = 1,
    policy: Annotated[str, typer.Option(help="Who answers, as for `eduverse run`.")] = "llm",
    *,
    llm: ModelOptions,
    latency: Latency = LATENCY,
    settings: Settings = None,
    as_json: AsJson = False,
) -> int:
    """Say how many calls and tokens a run would take of a language model, what it may cost, and how long it lasts.

    The lesson is played by the embedded policy; every prompt is written and counted, and nothing is sent.
    """
    from eduverse_mesa.cli.run import number_or_name
    from eduverse_mesa.runs.estimate import FIDELITIES, estimate_run, settled
    from eduverse_mesa.scenarios import load_scenario

    need_model(policy)
    loaded = load_scenario(
        scenario,
        layout=layout,
        lessons=lesson or None,
        students=number_or_name(students),
        steps=steps,
        settings={**pairs(settings), **llm.settings()},
    )
    loaded = settled(loaded, policy)
    wanted = (llm.fidelity,) if llm.fidelity is not None else FIDELITIES
    found = [estimate_run(loaded, seed, policy, name) for name in wanted]
    show_estimates(found, loaded.settings.llm, latency, as_json=as_json)
    return 0


@taking(ModelOptions, "llm", "budget_usd", "budget_tokens", "budget_requests", "useless", "cache", "delivery")
def bench_llm(
    lesson: Annotated[str | None, typer.Option(help="Another lesson.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps of the lesson's plan.")] = 8,
    students: Annotated[str | None, typer.Option(help="Another class: a name, a file, or a number.")] = None,
    seed: Annotated[int, typer.Option(help="The seed.")] = 1,
    policy: Annotated[str, typer.Option(help="llm or local.")] = "llm",
    *,
    llm: ModelOptions,
    latency: Annotated[
        float | None,
        typer.Option(
            min=0, max=3600, metavar="SECONDS", help="Ask a rehearsal server that answers after this time instead."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run a lesson fused and staged, with nothing remembered: calls, tokens, rounds on the critical path, and eta.

    eta is the least time that the calls could have taken over the time that they took.
    """
    from contextlib import nullcontext

    from eduverse_mesa.cli.run import number_or_name
    from eduverse_mesa.policies.llm.rehearsal import MODEL, rehearsal_server
    from eduverse_mesa.runs.benchmark import bench_lesson
    from eduverse_mesa.runs.estimate import FIDELITIES
    from eduverse_mesa.scenarios import load_scenario

    if policy not in ("llm", "local"):
        raise EduverseError(f"policy '{policy}' cannot be measured.", where="--policy", mend="Use llm or local.")
    if latency is not None:
        policy = "llm"
    with rehearsal_server(latency) if latency is not None else nullcontext(llm.base_url) as url:
        asked = replace(llm, model=MODEL if latency is not None else llm.model, base_url=url).settings()
        loaded = load_scenario(
            None, lessons=[lesson] if lesson else None, students=number_or_name(students), steps=steps, settings=asked
        )
        wanted = (llm.fidelity,) if llm.fidelity is not None else FIDELITIES
        found = [bench_lesson(loaded, seed, policy, name, latency) for name in wanted]
    if as_json:
        print_json([{**asdict(one), "eta": one.eta} for one in found])
    else:
        typer.echo(table([_measured(one) for one in found]))
    return 0


def _measured(one: Measured) -> list[tuple[str, str]]:
    hits = f"{one.tokens_cached / one.tokens_in:.0%}" if one.tokens_in else "-"
    return [
        ("", one.fidelity),
        ("steps", str(one.steps)),
        ("calls", f"{one.calls:,}"),
        ("calls on the critical path", f"{one.rounds:,}"),
        ("tokens read", f"{one.tokens_in:,}"),
        ("  of which the server still had", hits),
        ("  of which it could have had", f"{one.repeated:.0%}"),
        ("tokens written", f"{one.tokens_out:,}"),
        ("time", f"{one.seconds:.2f} s"),
        ("least possible", f"{one.least_seconds:.2f} s"),
        ("eta", f"{one.eta:.2f}"),
        *[(status, str(count)) for status, count in one.outcomes.items()],
    ]


def prompts(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A prompt; left out: the list of all.")] = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write all of them as files here.")] = None,
) -> None:
    """Show the prompt templates that language models are asked with, or write them out to be edited."""
    from eduverse_mesa.policies.llm.prompts.templates import CLASSROOM, LANGUAGES, template_text

    all_places = CLASSROOM.places

    if language not in LANGUAGES:
        raise EduverseError(
            f"there are no prompts in '{language}'.", where="--language", mend=f"Known: {', '.join(LANGUAGES)}."
        )
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        texts = {out / f"{known}.md": template_text(known, language) for known in all_places}
        changed = [file.name for file, text in texts.items() if file.exists() and file.read_text("utf-8") != text]
        if changed:
            raise EduverseError(
                f"holds prompts that are not the built-in ones: {', '.join(changed)}.",
                where=f"--out {out}",
                mend="Name another folder; nothing was written.",
            )
        for file, text in texts.items():
            file.write_text(text, encoding="utf-8")
        typer.echo(f"{len(all_places)} prompts are in {out}. A scenario takes yours as settings: llm: prompts: NAME: |")
    elif name is None:
        for known, places in all_places.items():
            typer.echo(f"{known:<14} {' '.join('{{' + place + '}}' for place in places)}")
    elif name not in all_places:
        raise EduverseError(f"there is no prompt '{name}'.", where="NAME", mend=f"Known: {', '.join(all_places)}.")
    else:
        typer.echo(template_text(name, language), nl=False)


def cache(
    erase: Annotated[bool, typer.Option("--erase", help="Forget all remembered answers.")] = False,
) -> None:
    """Say where answers of language models are remembered, and how many; or forget them.

    They are what models wrote, without the prompts; they can hold words of people who took part.
    """
    from eduverse_mesa.policies.llm.connection import cache_path, open_cache

    path = cache_path()
    if path is None:
        typer.echo("No answers are remembered (EDUVERSE_CACHE is none).")
        return
    if not path.exists():
        typer.echo(f"{path}: nothing yet")
        return
    opened = open_cache(str(path))
    if erase:
        typer.echo(f"{path}: {opened.clear()} answers forgotten")
    else:
        typer.echo(f"{path}: {opened.count()} answers, {path.stat().st_size / 1_000_000:.1f} MB")


KEY = "EDUVERSE_API_KEY"
"""Environment: what callers of the served model must show. Never on the command line, where `ps` shows it to all."""


def serve_model(
    model: Annotated[
        str | None, typer.Option(metavar="FILE.gguf", help="A model file. Default: the packaged small model.")
    ] = None,
    host: Annotated[
        str, typer.Option(help=f"Address to listen on; one beyond this machine needs {KEY}.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any that is free.")] = 8080,
    slots: Annotated[int | None, typer.Option(help="How many answers are written at once; others queue.")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens of one call, prompt and answer together.")] = None,
) -> int:
    """Serve a small language model to other programs, as an OpenAI-compatible endpoint, until Ctrl-C."""
    from eduverse_mesa.policies.llm.local import LocalServer, LocalSettings, find_model

    usual = LocalSettings(host=host, port=port, api_key=_key(host))
    settings = replace(
        usual,
        slots=usual.slots if slots is None else slots,
        context=usual.context if context is None else context,
    )
    with LocalServer(find_model(model), settings) as server:
        typer.echo(f"{server.model} at {server.base_url} (Ctrl-C ends it)")
        typer.echo(f"For example: {_example(server.base_url, locked=settings.api_key is not None)}")
        typer.echo(f"Or: eduverse run --policy llm --base-url {server.base_url} --model {server.model} --steps 2")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            typer.echo("stopped")
    return 0


def _key(host: str) -> str | None:
    from eduverse_mesa.web.addresses import is_loopback

    key = os.environ.get(KEY, "").strip() or None
    if key is None and not is_loopback(host):
        raise PolicyError(
            "is open to other machines, and no key protects it.",
            where=f"--host {host}",
            mend=f"Set {KEY} to a secret that callers will give, or leave --host out.",
        )
    return key


def _example(url: str, *, locked: bool) -> str:
    bearer = f' -H "Authorization: Bearer ${KEY}"' if locked else ""
    body = """'{"messages": [{"role": "user", "content": "What is a half and a half?"}]}'"""
    return f'curl {url}/chat/completions -H "Content-Type: application/json"{bearer} -d {body}'
