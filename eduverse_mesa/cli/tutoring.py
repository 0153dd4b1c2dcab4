"""`eduverse tutor`: how good a tutor is, and which of two is better."""

from __future__ import annotations

import sys
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.interrupting import StoppedError
from eduverse_mesa.cli.options import AsJson, PolicyName, Quiet, pairs
from eduverse_mesa.cli.showing import print_json
from eduverse_mesa.cli.watching import trials_line, write_page
from eduverse_mesa.errors import EduverseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eduverse_mesa.experiments.tutors import Evaluation, TutorPlan
    from eduverse_mesa.policies.policy import AnyPolicy
    from eduverse_mesa.scenarios.tutoring import Tutoring

tutor = typer.Typer(
    help="Let a tutor teach a cohort of imperfect learners, and measure what they learn.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

BUILT_IN = "built-in"
_LEARNERS = 20
_FAILED_ANSWERS = 1

CohortFile = Annotated[
    str | None, typer.Option("--cohort", metavar="FILE", help="A cohort file or a built-in one; default: a sample.")
]
Learners = Annotated[
    int | None, typer.Option(min=1, help=f"How many learners to sample; default {_LEARNERS} where none are listed.")
]
CurriculumFile = Annotated[
    str | None, typer.Option("--curriculum", metavar="FILE", help="A curriculum file or a built-in one.")
]
Grade = Annotated[
    int | None,
    typer.Option(min=0, max=13, help="The learners' grade, and the units'; default: the lowest there is."),
]
Units = Annotated[
    str, typer.Option(metavar="ID,...", help="Which units are taught; left out: the first four of the grade.")
]
Visits = Annotated[int, typer.Option(min=1, help="Dialogues on each unit.")]
Turns = Annotated[int | None, typer.Option(min=1, max=60, help="The tutor's turns in a dialogue, at most.")]
Delay = Annotated[float, typer.Option(min=0, metavar="DAYS", help="Days until the delayed test.")]
Deadline = Annotated[float | None, typer.Option(min=0.1, metavar="SECONDS", help="How long the tutor may think.")]
AtOnce = Annotated[
    int, typer.Option(min=1, help="How many learners ask a Python tutor at the same time; it has to stand that.")
]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="What the endpoint knows the tutor by.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same learners and luck.")]
Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a report, all dialogues and tables here.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the tutoring settings.")
]


@tutor.command("evaluate")
def evaluate(
    name: Annotated[
        str, typer.Option("--tutor", metavar="MODULE:FUNCTION", help="A Python function, or built-in.")
    ] = "",
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="An OpenAI-compatible server; your key is sent to it.")
    ] = None,
    model: Model = None,
    cohort: CohortFile = None,
    learners: Learners = None,
    curriculum: CurriculumFile = None,
    grade: Grade = None,
    units: Units = "",
    visits: Visits = 3,
    turns: Turns = None,
    delay: Delay = 30.0,
    deadline: Deadline = None,
    at_once: AtOnce = 1,
    policy: PolicyName = None,
    seed: Seed = 1,
    settings: Settings = None,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Test a cohort, let a tutor teach it, test it again, and once more after a while.

    Exit code 1: the tutor failed to answer at least once; the report says how often and why.
    """
    from eduverse_mesa.experiments.tutors import find
    from eduverse_mesa.visualization.tutor_report import render_findings, render_findings_page

    if bool(name) == bool(endpoint):
        raise EduverseError(
            "name one tutor.", where="--tutor, --endpoint", mend="Give --tutor MODULE:FUNCTION or --endpoint URL."
        )
    if model is not None and not endpoint:
        raise EduverseError("only an endpoint has models.", where="--model", mend="Leave it out, or give --endpoint.")
    setup = _setup(cohort, learners, curriculum, turns, settings)
    plan = _plan(setup, grade, units, visits, delay)
    seat = make_tutor(endpoint or name, model, deadline, at_once)
    found = find(_played(setup, plan, seat, endpoint or name, policy, seed, quiet or as_json))
    if out is not None:
        _write(out, [found.evaluation], render_findings_page(found), found.document())
    if as_json:
        print_json(found.document())
    else:
        typer.echo(render_findings(found))
        _tell_place(out)
    return _FAILED_ANSWERS if found.evaluation.teaching.failed else 0


@tutor.command("compare")
def compare(
    first: Annotated[str, typer.Argument(metavar="TUTOR", help="MODULE:FUNCTION, the URL of a server, or built-in.")],
    second: Annotated[str, typer.Argument(metavar="TUTOR", help="The other one.")],
    model: Model = None,
    cohort: CohortFile = None,
    learners: Learners = None,
    curriculum: CurriculumFile = None,
    grade: Grade = None,
    units: Units = "",
    visits: Visits = 3,
    turns: Turns = None,
    delay: Delay = 30.0,
    deadline: Deadline = None,
    at_once: AtOnce = 1,
    policy: PolicyName = None,
    seed: Seed = 1,
    settings: Settings = None,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Let two tutors teach the same learners with the same luck, and say by how much they differ.

    Exit code 1: a tutor failed to answer at least once; the report says how often and why.
    """
    from eduverse_mesa.experiments.tutors import compare as lay_beside
    from eduverse_mesa.visualization.tutor_report import render_comparison, render_comparison_page

    setup = _setup(cohort, learners, curriculum, turns, settings)
    plan = _plan(setup, grade, units, visits, delay)
    seats = [(one, make_tutor(one, model if _is_url(one) else None, deadline, at_once)) for one in (first, second)]
    played = [_played(setup, plan, seat, one, policy, seed, quiet or as_json) for one, seat in seats]
    found = lay_beside(*played)
    if out is not None:
        _write(out, played, render_comparison_page(found), found.document())
    if as_json:
        print_json(found.document())
    else:
        typer.echo(render_comparison(found))
        _tell_place(out)
    return _FAILED_ANSWERS if any(one.teaching.failed for one in played) else 0


def make_tutor(name: str, model: str | None, deadline: float | None, at_once: int) -> AnyPolicy | None:
    """The tutor that a name stands for; None is the built-in one."""
    if name == BUILT_IN:
        return None
    if _is_url(name):
        from eduverse_mesa.policies.tutors import connect_tutor

        return connect_tutor(name, model, deadline=deadline)
    from eduverse_mesa.policies.tutors import FunctionTutor, find_tutor
    from eduverse_mesa.policies.tutors.function import DEADLINE

    with redirect_stdout(sys.stderr):
        found = find_tutor(name)
    return FunctionTutor(found, name, deadline=deadline or DEADLINE, at_once=at_once)


def _is_url(name: str) -> bool:
    return "://" in name


def _setup(
    cohort: str | None,
    learners: int | None,
    curriculum: str | None,
    turns: int | None,
    settings: list[str] | None,
) -> Tutoring:
    from eduverse_mesa.scenarios.teaching import load_tutoring

    given: dict[str, object] = {"grades": [0, 13], **pairs(settings)}  # the plan says which of them
    if turns is not None:
        given["turns"] = turns
    if cohort is None:
        return load_tutoring(curriculum=curriculum, learners=learners or _LEARNERS, settings=given)
    loaded = load_tutoring(curriculum=curriculum, cohort=cohort, settings=given)
    size = len(loaded.cohort.learners)
    if learners is None or learners == size:
        return loaded
    if learners > size:
        raise EduverseError(
            f"the cohort has {size} learners.", where=f"--learners {learners}", mend="Ask for fewer, or leave it out."
        )
    taken = loaded.cohort.model_copy(update={"learners": loaded.cohort.learners[:learners]})
    return loaded.model_copy(update={"cohort": taken})


def _plan(setup: Tutoring, grade: int | None, units: str, visits: int, delay: float) -> TutorPlan:
    from eduverse_mesa.experiments.tutors import make_plan

    chosen = tuple(unit for unit in (part.strip() for part in units.split(",")) if unit)
    if grade is None:
        grade = min(setup.curriculum.grades)
    return make_plan(setup.curriculum, grade, chosen, visits=visits, delay=delay)


def _played(
    setup: Tutoring, plan: TutorPlan, seat: AnyPolicy | None, name: str, policy: str | None, seed: int, hide: bool
) -> Evaluation:
    from eduverse_mesa.experiments.tutors import evaluate as play

    total = len(plan.agenda()) * len(setup.people)
    with (
        _interruptible(),
        trials_line(f"{name}: tests and dialogues", total, hide) as watch,
        redirect_stdout(sys.stderr),  # what a tutor prints is no part of the report
    ):
        return play(plan, setup, seat, name=name, policy=policy, seed=seed, watch=watch)


@contextmanager
def _interruptible() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError("interrupted; nothing was kept.", mend="Evaluate fewer learners or units.") from None


def _write(out: Path, played: list[Evaluation], page: str, document: object) -> None:
    """The report, and everything it was made of."""
    import msgspec

    from eduverse_mesa.experiments.sweeps.durable import writing_whole

    write_page(page, out / "report.html")
    write_page(msgspec.json.format(msgspec.json.encode(document), indent=2).decode(), out / "report.json")
    for number, one in enumerate(played, start=1):
        ending = f"_{number}" if len(played) > 1 else ""
        tables = {"learners": one.outcomes, "tests": one.tests, "episodes": one.episodes, "lines": one.lines}
        for name, table in tables.items():
            with writing_whole(out / f"{name}{ending}.parquet") as part:
                table.to_parquet(part, index=False)


def _tell_place(out: Path | None) -> None:
    if out is not None:
        typer.echo(f"\nIn {out}: report.html, report.json; learners, tests, episodes and lines as Parquet.")
