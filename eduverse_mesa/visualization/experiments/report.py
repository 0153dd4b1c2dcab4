"""The report of one experiment: a file that needs nothing else, not even a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eduverse_mesa import __version__
from eduverse_mesa.experiments.papers.findings import Findings
from eduverse_mesa.experiments.papers.running import Plan, Progress
from eduverse_mesa.visualization.experiments.figures import figures_of
from eduverse_mesa.visualization.experiments.grids import errors_grid, real_grid, statements_grid, table_grid
from eduverse_mesa.visualization.experiments.wording import note_of
from eduverse_mesa.visualization.page import Section, Table, render_page
from eduverse_mesa.visualization.words import Words, load_words


def render_report(found: Findings, plan: Plan, progress: Progress, failure: str = "", language: str = "en") -> str:
    """The page of one experiment."""
    t = load_words(language)
    [experiment] = found.experiments
    title = t("experiments.number", number=experiment.number, title=t(f"experiments.name.{experiment.number}"))
    return render_page(
        title,
        facts_of(plan, progress, t),
        list(_sections(found, plan, t)),
        warning_of(progress, failure, found.answers, t),
    )


def facts_of(plan: Plan, progress: Progress, t: Words) -> dict[str, str]:
    """What was played."""
    facts = {
        "seeds": f"1–{plan.seeds}" if plan.seeds > 1 else "1",
        "policy": t.code(plan.policy) if plan.policy else t("experiments.policy_of_scenario"),
        "trials": f"{progress.done}",
        "version": __version__,
    }
    if plan.settings:
        facts["settings"] = ", ".join(f"{key}={value}" for key, value in plan.settings.items())
    return {t(f"experiments.facts.{key}"): value for key, value in facts.items()}


def warning_of(progress: Progress, failure: str, answers: Mapping[str, int], t: Words) -> str:
    """What is missing or was stood in for, if anything is."""
    told = []
    if failure:
        told.append(t("experiments.warning", failed=progress.failed, total=progress.total, reason=failure))
    elif progress.done < progress.total:
        told.append(t("experiments.partly", done=progress.done, total=progress.total))
    if answers.get("failed") or answers.get("fallback"):
        given = {name: answers.get(name, 0) for name in ("failed", "fallback")}
        told.append(t("experiments.answers", total=sum(answers.values()), **given))
    return " ".join(told)


def _sections(found: Findings, plan: Plan, t: Words) -> Iterator[Section]:
    [experiment] = found.experiments
    number = experiment.number
    if found.judged:
        yield Section(
            t("experiments.section.statements"),
            f"{t(f'experiments.question.{number}')} {t('experiments.section.statements_lead', seeds=plan.seeds)}",
            table=statements_grid(found.judged, t),
        )
    yield Section(
        t("experiments.section.errors"), t("experiments.section.errors_lead"), table=errors_grid(found.errors, t)
    )
    if found.real:
        yield Section(t("experiments.section.real"), t("experiments.section.real_lead"), table=real_grid(found.real, t))
    for figure in figures_of(found, t):
        yield Section(figure.title, figure.lead, chart=figure.draw(t))
    for name in experiment.tables:
        rows = [row for row in found.compared if row.published.table == name]
        if rows:
            yield Section(
                t(f"experiments.table.{name}"), t("experiments.section.table_lead"), table=table_grid(rows, t)
            )
    yield Section(t("experiments.section.notes"), t("experiments.section.notes_lead"), table=notes_grid(found, t))


def notes_grid(found: Findings, t: Words) -> Table:
    """What is odd about the paper's numbers."""
    heads = [t("experiments.head.table"), t("experiments.section.notes")]
    return Table(heads, [[t(f"experiments.table.{note.table}"), note_of(note, t)] for note in found.notes])
