"""Options that several subcommands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eduverse_mesa.errors import EduverseError

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
