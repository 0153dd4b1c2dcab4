"""`eduverse tutor`: how good a tutor is, which of two is better, and what a language model would have to do for it."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.estimates import LATENCY, Latency, in_a_sentence, say_batches, show_estimates
from eduverse_mesa.cli.frame import Command
from eduverse_mesa.cli.options import (
    AsJson,
    ModelOptions,
    PolicyName,
    Quiet,
    need_model,
    pairs,
    refuse_delivery,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import batch_lines, json_text, tell, trials_line, write_page, write_tables
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.registry import asks_model
from eduverse_mesa.policies.shared_limit import in_batches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eduverse_mesa.experiments.tutors import Evaluation, TutorPlan
    from eduverse_mesa.policies.policy import AnyPolicy
    from eduverse_mesa.runs.estimate import Estimate
    from eduverse_mesa.scenarios.tutoring import Tutoring
    from eduverse_mesa.visualization.reports.document import Report

tutor = typer.Typer(
    help="Let a tutor teach a cohort of imperfect learners, and measure what they learn.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

BUILT_IN = "built-in"
_LEARNERS = 24
"""Thirds of eight: as few as a group can be (SMALLEST_GROUP)."""
_FAILED_ANSWERS = 1

Deadline = Annotated[float | None, typer.Option(min=0.1, metavar="SECONDS", help="How long the tutor may think.")]
AtOnce = Annotated[
    int, typer.Option(min=1, help="How many learners ask a Python tutor at the same time; it has to stand that.")
]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="What the endpoint knows the tutor by.")]
Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a report, all dialogues and tables here.")]


@dataclass(frozen=True)
class Teaching:
    """Options that name the learners, the subject and the policy that answers: the same for one tutor, for two, and for
    an estimate."""

    cohort: Annotated[
        str | None, typer.Option("--cohort", metavar="FILE", help="A cohort file or a built-in one; default: a sample.")
    ] = None
    learners: Annotated[
        int | None,
        typer.Option(min=1, help=f"How many learners to sample; default {_LEARNERS} where none are listed."),
    ] = None
    curriculum: Annotated[
        str | None, typer.Option("--curriculum", metavar="FILE", help="A curriculum file or a built-in one.")
    ] = None
    grade: Annotated[
        int | None,
        typer.Option(min=0, max=13, help="The learners' grade; default: that of the units, or the lowest there is."),
    ] = None
    units: Annotated[
        str, typer.Option(metavar="ID,...", help="Which units are taught; left out: the first four of the grade.")
    ] = ""
    visits: Annotated[int, typer.Option(min=1, help="Dialogues on each unit.")] = 3
    turns: Annotated[int | None, typer.Option(min=1, max=60, help="The tutor's turns in a dialogue, at most.")] = None
    delay: Annotated[float, typer.Option(min=0, metavar="DAYS", help="Days until the delayed test.")] = 30.0
    policy: PolicyName = None
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same learners and luck.")] = 1
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the tutoring settings.")
    ] = None

    def setup(self, asked: Mapping[str, object]) -> Tutoring:
        """Cohort, curriculum and settings, with those that are asked of the language model."""
        from eduverse_mesa.scenarios.loader import load_tutoring
        from eduverse_mesa.scenarios.tutoring import EVERY_GRADE

        # The plan says which of the grades.
        given: dict[str, object] = {"grades": list(EVERY_GRADE), **pairs(self.settings), **asked}
        if self.turns is not None:
            given["turns"] = self.turns
        if self.cohort is None:
            return load_tutoring(curriculum=self.curriculum, learners=self.learners or _LEARNERS, settings=given)
        loaded = load_tutoring(curriculum=self.curriculum, cohort=self.cohort, settings=given)
        size = len(loaded.cohort.learners)
        if self.learners is None or self.learners == size:
            return loaded
        if self.learners > size:
            raise EduverseError(
                f"the cohort has {size} learners.",
                where=f"--learners {self.learners}",
                mend="Ask for fewer, or leave it out.",
            )
        taken = loaded.cohort.model_copy(update={"learners": loaded.cohort.learners[: self.learners]})
        return loaded.model_copy(update={"cohort": taken})

    def plan(self, setup: Tutoring) -> TutorPlan:
        """Return the plan that every learner goes through."""
        from eduverse_mesa.experiments.tutors import make_plan

        chosen = tuple(unit for unit in (part.strip() for part in self.units.split(",")) if unit)
        grade = self.grade
        if grade is None:
            named = [setup.curriculum.units[unit].grade for unit in chosen if unit in setup.curriculum.units]
            grade = max(named, default=min(setup.curriculum.grades))
        return make_plan(setup.curriculum, grade, chosen, visits=self.visits, delay=self.delay)

    def answering(self, setup: Tutoring) -> str:
        """Return the policy that answers for everybody but a tutor from outside."""
        return self.policy or setup.settings.policy


@tutor.command("evaluate", cls=Command)
@taking(Teaching, "teaching")
@taking(ModelOptions, "llm", "model", "fidelity")
def evaluate(
    name: Annotated[
        str, typer.Option("--tutor", metavar="MODULE:FUNCTION", help="A Python function, or built-in.")
    ] = "",
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="An OpenAI-compatible server; your key is sent to it.")
    ] = None,
    model: Model = None,
    *,
    teaching: Teaching,
    llm: ModelOptions,
    deadline: Deadline = None,
    at_once: AtOnce = 1,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Test a cohort, let a tutor teach it, test it again, and once more after a while.

    Exit code 1: the tutor, a learner or the judge failed to answer at least once; the report says how often and why.
    """
    from eduverse_mesa.experiments.tutors import find
    from eduverse_mesa.visualization.reports.tutoring import tutor_report

    if bool(name) == bool(endpoint):
        raise EduverseError(
            "name one tutor.", where="--tutor, --endpoint", mend="Give --tutor MODULE:FUNCTION or --endpoint URL."
        )
    if model is not None and not endpoint:
        raise EduverseError("only an endpoint has models.", where="--model", mend="Leave it out, or give --endpoint.")
    setup = _settled(teaching, llm)
    plan = teaching.plan(setup)
    seat = make_tutor(endpoint or name, model, deadline, at_once)
    hide = quiet or as_json
    _say_beforehand(setup, plan, teaching, [seat], hide)
    found = find(_played(setup, plan, seat, endpoint or name, teaching, hide))
    _tell(tutor_report(found), found.document(), [found.evaluation], out, as_json=as_json)
    return _FAILED_ANSWERS if found.evaluation.failed else 0


@tutor.command("compare", cls=Command)
@taking(Teaching, "teaching")
@taking(ModelOptions, "llm", "model", "fidelity")
def compare(
    first: Annotated[str, typer.Argument(metavar="TUTOR", help="MODULE:FUNCTION, the URL of a server, or built-in.")],
    second: Annotated[str, typer.Argument(metavar="TUTOR", help="The other one.")],
    model: Model = None,
    *,
    teaching: Teaching,
    llm: ModelOptions,
    deadline: Deadline = None,
    at_once: AtOnce = 1,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Let two tutors teach the same learners with the same luck, and say by how much they differ.

    Exit code 1: a tutor, a learner or the judge failed to answer at least once; the report says how often and why.
    """
    from eduverse_mesa.experiments.tutors import compare as lay_beside
    from eduverse_mesa.visualization.reports.tutoring import tutors_report

    setup = _settled(teaching, llm)
    plan = teaching.plan(setup)
    seats = [(one, make_tutor(one, model if _is_url(one) else None, deadline, at_once)) for one in (first, second)]
    hide = quiet or as_json
    _say_beforehand(setup, plan, teaching, [seat for _, seat in seats], hide)
    played = [_played(setup, plan, seat, one, teaching, hide) for one, seat in seats]
    found = lay_beside(*played)
    _tell(tutors_report(found), found.document(), played, out, as_json=as_json)
    return _FAILED_ANSWERS if any(one.failed for one in played) else 0


@tutor.command("estimate", cls=Command)
@taking(Teaching, "teaching")
def estimate(
    name: Annotated[
        str,
        typer.Option("--tutor", metavar="TUTOR", help="As for evaluate; one of your own is neither asked nor counted."),
    ] = BUILT_IN,
    *,
    teaching: Teaching,
    latency: Latency = LATENCY,
    as_json: AsJson = False,
) -> int:
    """Say how many calls and tokens an evaluation would take of the policy's language model, and what it may cost.

    The embedded policy plays it for some of the learners; every prompt is written and counted, and nothing is sent.
    """
    from eduverse_mesa.runs.estimate import settled

    setup = teaching.setup({})
    policy = need_model(teaching.answering(setup))
    found = _estimate(setup, teaching.plan(setup), policy, teaching.seed, own_tutor=name != BUILT_IN)
    show_estimates([found], settled(setup, policy).settings.llm, latency, as_json=as_json)
    return 0


def _settled(teaching: Teaching, llm: ModelOptions) -> Tutoring:
    """Return the setup with what the options say of the policy's language model, which has to be asked for that."""
    asked = llm.settings()
    setup = teaching.setup(asked)
    policy = teaching.answering(setup)
    refuse_unused(asked, policy)
    refuse_delivery(llm.delivery, in_batches(policy, setup.settings.llm))
    return setup


def _estimate(setup: Tutoring, plan: TutorPlan, policy: str, seed: int, *, own_tutor: bool) -> Estimate:
    """Return the estimate of what one tutor takes of the policy's model. A tutor from outside is not asked: the
    embedded one takes their place."""
    from eduverse_mesa.experiments.tutors import evaluate as play
    from eduverse_mesa.policies import make_policy
    from eduverse_mesa.runs.estimate import estimate_tutoring, settled

    settled_one = settled(setup, policy)
    seat = make_policy("embedded", setup.settings) if own_tutor else None
    return estimate_tutoring(settled_one, policy, lambda few, counted: play(plan, few, seat, policy=counted, seed=seed))


def _say_beforehand(
    setup: Tutoring, plan: TutorPlan, teaching: Teaching, seats: Sequence[AnyPolicy | None], hide: bool
) -> None:
    """Say what a language model will have to do, before it is asked."""
    policy = teaching.answering(setup)
    if hide or not asks_model(policy):
        return
    each = [_estimate(setup, plan, policy, teaching.seed, own_tutor=seat is not None) for seat in seats]
    typer.echo(f"Asked of the model: {in_a_sentence(reduce(lambda one, other: one.beside(other), each))}", err=True)
    if in_batches(policy, setup.settings.llm):
        for one in each:
            say_batches(one, 1, 1)


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


def _played(
    setup: Tutoring, plan: TutorPlan, seat: AnyPolicy | None, name: str, teaching: Teaching, hide: bool
) -> Evaluation:
    from eduverse_mesa.experiments.tutors import evaluate as play

    total = len(plan.agenda()) * len(setup.people)
    batches = in_batches(teaching.answering(setup), setup.settings.llm)
    with (
        batch_lines(show=batches and not hide),
        trials_line(f"{name}: tests and dialogues", total, hide) as watch,
        redirect_stdout(sys.stderr),  # what a tutor prints is no part of the report
    ):
        return play(plan, setup, seat, name=name, policy=teaching.policy, seed=teaching.seed, watch=watch)


def _tell(report: Report, document: object, played: list[Evaluation], out: Path | None, *, as_json: bool) -> None:
    """Print what was found, and write it with everything that it was made of."""
    page, kept = None, ""
    if out is not None:
        page, kept = out / "report.html", f"In {out}: report.json; learners, tests, episodes and lines as Parquet."
        write_page(json_text(document), out / "report.json")
        for number, one in enumerate(played, start=1):
            tables = {"learners": one.outcomes, "tests": one.tests, "episodes": one.episodes, "lines": one.lines}
            ending = f"_{number}" if len(played) > 1 else ""
            write_tables({f"{name}{ending}": table for name, table in tables.items()}, out)
    tell(report, document, as_json=as_json, page=page, kept=kept)
