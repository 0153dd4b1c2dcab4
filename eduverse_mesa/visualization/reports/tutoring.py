"""Reports of tutors and of SimLearner's studies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.experiments.papers.simlearner.designs import ARMS, DIALOGUES, Study
from eduverse_mesa.experiments.papers.simlearner.findings import Check, Compared, Judged, remarks
from eduverse_mesa.experiments.papers.simlearner.findings import Findings as StudyFindings
from eduverse_mesa.experiments.papers.simlearner.plays import curves
from eduverse_mesa.experiments.papers.simlearner.published import Cell as PaperCell
from eduverse_mesa.experiments.papers.simlearner.published import Cells, coverage_band, published
from eduverse_mesa.experiments.papers.statements import VERDICTS
from eduverse_mesa.experiments.tutors import Comparison, Evaluation, Findings
from eduverse_mesa.measures.tutor_outcomes import LEFT_BEHIND, MASTERED, SMALLEST_GROUP
from eduverse_mesa.runs.tables import bill_document
from eduverse_mesa.scenarios.tutoring import Arm
from eduverse_mesa.visualization.charts.comparison import measure_intervals, paired_differences
from eduverse_mesa.visualization.charts.learners import (
    coverage_by_grade,
    exams_over_time,
    forgetting_curves,
    gains_by_group,
    mastery_by_grade,
    scores_by_grade,
    trajectories,
)
from eduverse_mesa.visualization.reports.document import (
    COUNT,
    NUMBER,
    SIGNED,
    Cell,
    Column,
    Figure,
    Report,
    Section,
    Table,
    between,
    columns,
    listed,
    write,
)
from eduverse_mesa.visualization.reports.run import told_of_untold
from eduverse_mesa.visualization.words import load_words

SAID = {
    "pre": "test before",
    "post": "test after",
    "delayed": "delayed test",
    "gain": "learning gain",
    "normalised_gain": "normalised gain",
    "delayed_gain": "gain at the delayed test",
    "kept": "score kept",
    "left_behind": "learners left behind",
    "mastered": "mastered, as far as asked",
    "dialogues_to_mastery": "dialogues to mastery",
    "turns": "turns of a dialogue",
    "leaks": "replies that leak",
    "test_leaks": "test answers that leak",
    "told": "tutor turns that tell",
    "told_first": "dialogues told at once",
}
"""Outcomes in words."""
MEANT = {
    "pre": "share of full marks before the first dialogue",
    "post": "the day after the last dialogue",
    "delayed": "after the days of the plan",
    "gain": "after minus before",
    "normalised_gain": "gain as a share of what was left to gain (Hake 1998); a loss as a share of what was there",
    "delayed_gain": "delayed minus before",
    "kept": "delayed test over test after; above 1 there was luck in it",
    "left_behind": f"share who gain less than {LEFT_BEHIND} of full marks, of the learners who had that much to gain",
    "mastered": f"share of units with a dialogue in which {MASTERED} of full marks was shown on what the tutor asked "
    "there; who asks one easy question has it easily",
    "dialogues_to_mastery": "a unit that was not mastered counts as one more than it got: a lower bound",
    "turns": "the tutor's turns",
    "leaks": "share of replies that use a whole idea out of the learner's reach, or answer fully right on a unit above "
    "the grade, before anybody has told it",
    "test_leaks": "share of answers in tests that are fully right on a unit above the grade that was not learned",
    "told": "share of the tutor's turns that say the idea or the answer; the last words of a dialogue do not count",
    "told_first": "share of dialogues in which it was told before the learner had tried anything",
}
_RETAINED = "share of the gain kept"
_RETAINED_MEANT = (
    "mean gain at the delayed test over mean gain; a bootstrap over learners; none where nothing was gained"
)
_SHOWN_TOGETHER = ("gain", "normalised_gain", "delayed_gain", "left_behind", "mastered", "told", "told_first")
_SELF = (
    "One policy speaks for the learners and judges them. The numbers compare tutors within this model; they "
    "do not say what children would learn."
)
_REASONS = 3
"""Reasons of failures that are told."""
_NEVER = "It never answered, so that nobody was taught by it: there are no figures of it."
_INTERVALS = "Intervals: 95 % each, Student's t over learners."
_SAME_ITEMS = (
    "The tests ask the very questions that a tutor is given to practise with: a gain is one on these questions. A "
    "learner's tests are compared on the items that were scored in all of them."
)
_ONE_LEARNER = "One learner has no interval: nothing can be told from luck."
_PAIRED = (
    "Pairs are learners: both tutors taught the same ones, with the same luck. The effect is in standard deviations of "
    "learners (Cohen's d with Hedges' correction). A difference is clear where an interval for all outcomes together "
    "(Bonferroni), wider than those shown, leaves out zero."
)


def tutor_report(found: Findings) -> Report:
    """Return the report of one tutor."""
    one = found.evaluation
    title = f"The tutor {one.tutor}"
    if not found.means:
        return Report(title, _endings([found]), _facts([found]), [_NEVER])
    sections = [_means_section([found]), _tests_section([found]), _profile_section(found), *_endings([found])]
    return Report(title, sections, _facts([found]), [_SELF] if one.self_judged else [])


def tutors_report(found: Comparison) -> Report:
    """Return the report of two tutors, side by side."""
    both = [found.first, found.second]
    one, other = (side.evaluation for side in both)
    title = f"{one.tutor} and {other.tutor}"
    if not found.paired:
        never = f"{listed(side.evaluation.tutor for side in both if not side.means)}: {_NEVER}"
        compared = "Where one never answered, two tutors cannot be compared."
        return Report(title, _endings(both), _facts(both), [never, compared])
    sections = [
        _paired_section(found),
        _means_section(both),
        _tests_section(both),
        *(_profile_section(side) for side in both),
        *_endings(both),
    ]
    warnings = [*([_ONE_LEARNER] if len(one.outcomes) < 2 else []), *([_SELF] if one.self_judged else [])]
    return Report(title, sections, _facts(both), warnings)


def _paired_section(found: Comparison) -> Section:
    one, other = found.first.evaluation, found.second.evaluation
    rows: list[Sequence[Cell]] = [
        (
            SAID[row.outcome],
            row.first,
            row.second,
            row.difference.mean,
            row.difference,
            row.effect,
            "clear" if row.clear else "",
        )
        for row in found.paired
    ]
    drawn = pd.DataFrame(
        [
            (SAID[row.outcome], *row.difference[:3], row.difference.n)
            for row in found.paired
            if row.outcome in _SHOWN_TOGETHER
        ],
        columns=["measure", "difference", "low", "high", "n"],
    )
    numbers = ((one.tutor, NUMBER), (other.tutor, NUMBER), ("difference", SIGNED), ("interval", SIGNED))
    heads = columns("outcome", *numbers, ("effect", NUMBER), "clear")
    table = Table(heads, rows, ["yes" if row.clear else "" for row in found.paired])
    title = f"{other.tutor} minus {one.tutor}"
    return Section(title, [_PAIRED, Figure(partial(paired_differences, drawn)), table, f"{_INTERVALS} {_SAME_ITEMS}"])


def _facts(found: Sequence[Findings]) -> dict[str, str]:
    one = found[0].evaluation
    return {
        "tutors": ", ".join(side.evaluation.tutor for side in found),
        "learners": str(len(one.outcomes)),
        "grade": str(one.plan.grade),
        "units": ", ".join(one.plan.units),
        "dialogues": f"{one.plan.visits} on each unit",
        "delayed test": f"after {one.plan.delay:g} days",
        "seed": str(one.seed),
        "version": __version__,
    }


def _means_section(found: Sequence[Findings]) -> Section:
    summary = pd.DataFrame(
        [(side.evaluation.tutor, SAID[name], *side.means[name]) for side in found for name in _SHOWN_TOGETHER],
        columns=["arm", "measure", "mean", "low", "high", "n"],
    )
    rows: list[Sequence[Cell]] = []
    for side in found:
        told = [(SAID[name], side.means[name], MEANT[name]) for name in SAID]
        told.append((_RETAINED, side.retained, _RETAINED_MEANT))
        rows += [(words, side.evaluation.tutor, one.mean, one, one.n, meant) for words, one, meant in told]
    numbers = columns(("mean", NUMBER), ("interval", NUMBER), ("learners", COUNT))
    # Of two tutors a terminal has their means side by side already.
    most = None if len(found) == 1 else 0
    heads = [Column("outcome"), Column("tutor", detail=True), *numbers, Column("what it is", detail=True)]
    table = Table(heads, rows, most=most)
    return Section("Outcomes", [Figure(partial(measure_intervals, summary)), table], f"{_INTERVALS} {_SAME_ITEMS}")


def _tests_section(found: Sequence[Findings]) -> Section:
    outcomes = {side.evaluation.tutor: side.evaluation.outcomes for side in found}
    chart = Figure(partial(exams_over_time, outcomes), "Faint: single learners. Bold: their mean.")
    return Section("Every learner, from test to test", [chart])


def _profile_section(found: Findings) -> Section:
    rows: list[Sequence[Cell]] = [
        (
            one.factor,
            one.group,
            one.gain.n,
            one.gain.mean,
            one.gain,
            one.left_behind,
            "too few" if one.too_small else "",
        )
        for one in found.groups
    ]
    numbers = (("learners", COUNT), ("gain", NUMBER), ("interval", NUMBER), ("left behind", NUMBER))
    table = Table(columns("factor", "third", *numbers, "remark"), rows)
    drawn = [(one.factor, one.group, *one.gain) for one in found.groups]
    clear = [factor for factor, gap in found.gaps.items() if gap.low > 0 or gap.high < 0]
    note = f"The high and the low third differ clearly, by an interval for all factors together, in: {listed(clear)}."
    return Section(
        f"Who is left behind: {found.evaluation.tutor}",
        [Figure(partial(gains_by_group, drawn)), table if rows else "The learners do not differ.", note],
        f"Learning gain in thirds of the cohort. Fewer than {SMALLEST_GROUP} learners are too few to go by.",
    )


def _endings(found: Sequence[Findings]) -> list[Section]:
    """Return what failed, and what language models took."""
    return [_failure_section(found), *_bill_sections(found)]


def _failure_section(found: Sequence[Findings]) -> Section:
    rows: list[Sequence[Cell]] = []
    marks, left_out = [], []
    for side in found:
        one = side.evaluation
        for who, answered in (("tutor", one.teaching), ("learners", one.others), ("judge", one.judging)):
            why = "; ".join(f"{count} x {reason}" for reason, count in list(answered.reasons.items())[:_REASONS])
            rows.append((one.tutor, who, answered.asked, answered.failed, answered.stood_in, why))
            marks.append("no" if answered.failed or answered.stood_in else "")
        if one.left_out:
            left_out.append(
                f"{one.tutor}: {one.left_out} of {one.left_out + one.compared} answers in tests are left out, since "
                "the item was not scored in all tests. If it was the poor ones that nobody could score, the gain may "
                "be luck of the judge: play it again."
            )
    lead = (
        "Where an answer fails, nobody steps in: the learner hears nothing, and the dialogue goes on. Where a language "
        "model gives none that can be used, the embedded policy may stand in. What one test lacks is left out of all."
    )
    counts = (("asked", COUNT), ("failed", COUNT), ("stood in for", COUNT))
    table = Table(columns("tutor", "who", *counts, "mostly because"), rows, marks)
    return Section("What failed", [table, *left_out], lead)


def _bills(one: Evaluation) -> list[tuple[str, dict[str, Any]]]:
    """Return the bills of language models, by who asked them."""
    bills = (("learners and judge", one.bill), ("the tutor's server", one.tutor_bill))
    return [(who, bill_document(bill)) for who, bill in bills if bill.requests]


def _bill_sections(found: Sequence[Findings]) -> list[Section]:
    """Return the bills of language models; none where no model was asked."""
    rows: list[Sequence[Cell]] = [
        (
            side.evaluation.tutor,
            who,
            *(use[name] for name in ("calls", "failed_calls", "tokens_in", "tokens_out", "cost_usd")),
            use["untold"]["calls"],
        )
        for side in found
        for who, use in _bills(side.evaluation)
    ]
    counts = (("calls", COUNT), ("failed", COUNT), ("tokens read", COUNT), ("written", COUNT))
    heads = columns("tutor", "asked for", *counts, ("US dollars", ".4f"), ("of unknown cost", COUNT))
    lead = "As the servers told it. A call of unknown cost may be charged, and its server told nothing of it."
    untold = [
        f"{who}: {line}"
        for side in found
        for who, use in _bills(side.evaluation)
        for line in told_of_untold(use, load_words())
    ]
    return [Section("What language models took", [Table(heads, rows), *untold], lead)] if rows else []


ARM_NAMES: Mapping[Arm, str] = {"full": "with memory", "base": "base"}
_SAYS = (
    "Each check with its mean over seeds, Student's 95 % interval, and its bounds; 'more' means a difference above "
    "zero within seeds of the same luck. A statement holds where the whole interval of every check lies within the "
    "bounds; it is not certain where only the mean does. 'Single' is how often one experiment as large as the paper's "
    "lies within."
)
_BESIDE = "Ours is the mean over seeds with its interval; the paper shows one experiment with each language model."
_MARKS = {"holds": "yes", "fails": "no"}


def studies_report(found: StudyFindings) -> Report:
    """Return the report of SimLearner's studies."""
    facts = {
        "studies": ", ".join(str(study.number) for study in found.experiments),
        "seeds": f"1–{found.seeds}" if found.seeds > 1 else "1",
        "policy": found.policy,
        "answers": f"{sum(found.answers.values()):,}",
        "version": __version__,
    }
    sections = [section for study in found.experiments for section in _sections(found, study)]
    return Report("SimLearner's studies", sections, facts, list(remarks(found)))


def _sections(found: StudyFindings, study: Study) -> Iterator[Section]:
    own = found.of(study)
    heading = f"{study.number}. {study.title}"
    draw = _CHARTS.get(study.number)
    yield Section(heading, [study.question, *([Figure(partial(draw, found.cells))] if draw else [])])
    yield Section(f"{study.title}: what the paper says", [_statements(own.judged)], _SAYS)
    if own.compared:
        yield Section(f"{study.title}: beside the paper", [_beside(own.compared)], _BESIDE)
    for title, table in _tables(found, study):
        yield Section(f"{study.title}: {title}", [table])
    if study.number == 2:
        grades = Figure(
            partial(_map_chart, found.cells),
            "Mean mastery at the end of each grade; framed is what the standard has taught by then.",
        )
        laws = Figure(
            lambda: forgetting_curves(curves()),
            "What is left of a trace over a year with a dialogue every four days, under both laws.",
        )
        yield Section("Concepts by grade", [grades])
        yield Section("How it is forgotten", [laws])


# --- tables ---


def _statements(judged: Iterable[Judged]) -> Table:
    rows: list[Sequence[Cell]] = []
    marks: list[str] = []
    for one in judged:
        rows.append((one.statement.text, VERDICTS[one.verdict]))
        marks.append(_MARKS.get(one.verdict, ""))
        for found in one.found:
            bounds = _bounds(found.check)
            rows.append(
                (found.check.name, found.value.mean, found.value, bounds, found.single, VERDICTS[found.verdict])
            )
            marks.append("")
    numbers = (("mean", NUMBER), ("interval", NUMBER))
    return Table(columns("statement", *numbers, "bounds", ("single", ".0%"), "verdict"), rows, marks)


def _bounds(check: Check) -> str:
    if math.isfinite(check.most):
        return between(check.least, check.most, "g")
    return "more" if check.minus else f"at least {check.least:g}"


def _beside(compared: Iterable[Compared]) -> Table:
    rows: list[Sequence[Cell]] = []
    for row in compared:
        cell, low, high = row.published.cell, row.published.low, row.published.high
        what = f"{cell.measure}, grade {cell.grade}" if cell.grade else cell.measure
        paper = write(low, "g") if low == high else between(low, high, "g")
        named = (what, ARM_NAMES[cell.arm], row.published.model, paper)
        rows.append((*named, row.value.mean, row.value, between(*row.single)))
    numbers = (("ours", NUMBER), ("interval", NUMBER), ("single seeds", NUMBER))
    return Table(columns("number", "arm", "the paper's model", ("paper", NUMBER), *numbers), rows)


def _tables(found: StudyFindings, study: Study) -> Iterator[tuple[str, Table]]:
    """Yield the tables of a study beyond the paper's numbers."""
    cells = found.cells
    if study.number == 1:
        yield "by grade", _by_grade(_means(cells, "first_grade", "score", ARMS))
    elif study.number == 2:
        yield "by grade", _by_grade(_means(cells, "years", "coverage", ARMS))
        yield "by learner", _by_grade(_of_learners(cells, "coverage"))
    elif study.number == 3:
        yield "by learner", _by_grade(_of_learners(cells, "mastery_of_expected"))
    elif study.number == 4:
        yield "dialogues read at once", _recovery(cells)
    else:
        yield "by definition", _alignments(cells)
        yield "by grade", _by_grade(_means(cells, "years", "alignment", ARMS))


def _by_grade(means: pd.DataFrame) -> Table:
    """A row a line, a column a grade."""
    by = "learner" if "learner" in means.columns else "arm"
    grades = sorted(set(means["grade"]))
    rows = []
    for name, part in means.groupby(by, sort=False):
        known = {row["grade"]: _with_half(row) for row in part.to_dict("records")}
        rows.append([str(name), *(known.get(grade) for grade in grades)])
    return Table(columns(by, *((f"grade {grade}", NUMBER) for grade in grades)), rows)


def _with_half(row: dict[Any, Any]) -> str:
    half = (row["high"] - row["low"]) / 2
    return write(row["mean"], NUMBER) + (f" ± {half:.3f}" if math.isfinite(half) else "")


def _recovery(cells: Cells) -> Table:
    rows: list[Sequence[Cell]] = []
    for arm, name in ARM_NAMES.items():
        for read in ("1", str(DIALOGUES)):
            for measure in ("recall", "precision", "f1"):
                found = cells.interval(PaperCell("people", measure, arm, key=read))
                if found.n:
                    rows.append((name, read, measure, found.mean, found))
    return Table(columns("arm", "dialogues", "measure", ("mean", NUMBER), ("interval", NUMBER)), rows)


def _alignments(cells: Cells) -> Table:
    rows: list[Sequence[Cell]] = []
    for arm, name in ARM_NAMES.items():
        for measure in ("alignment", "alignment_precision", "alignment_recall"):
            for cell in cells.measured("years", measure, arm):
                if cell.grade == 0:
                    found = cells.interval(cell)
                    rows.append((name, measure.replace("_", ", "), found.mean, found))
    return Table(columns("arm", "definition", ("mean", NUMBER), ("interval", NUMBER)), rows)


# --- charts ---


def _means(cells: Cells, part: Any, measure: str, arms: Sequence[Arm] = ARMS) -> pd.DataFrame:
    """Means over seeds of the whole cohort, by arm and grade."""
    rows = [
        (ARM_NAMES[arm], cell.grade, *cells.interval(cell))
        for arm in arms
        for cell in sorted(cells.measured(part, measure, arm))
        if not cell.learner and cell.grade
    ]
    return pd.DataFrame(rows, columns=["arm", "grade", "mean", "low", "high", "n"])


def _of_learners(cells: Cells, measure: str) -> pd.DataFrame:
    rows = [
        (cell.learner, cell.grade, *cells.interval(cell))
        for cell in sorted(cells.measured("years", measure))
        if cell.learner
    ]
    return pd.DataFrame(rows, columns=["learner", "grade", "mean", "low", "high", "n"])


def _scores_chart(cells: Cells) -> Any:
    papers = {row.cell.grade: row.low for row in published() if row.cell.measure == "score"}
    return scores_by_grade(_means(cells, "first_grade", "score", ARMS), papers)


def _coverage_chart(cells: Cells) -> Any:
    return coverage_by_grade(_means(cells, "years", "coverage", ARMS), coverage_band())


def _trajectories_chart(cells: Cells) -> Any:
    return trajectories(_of_learners(cells, "mastery_of_expected"))


def _map_chart(cells: Cells) -> Any:
    rows = []
    for arm in ARMS:
        for cell in cells.measured("years", "mastery", arm):
            mean = cells.interval(cell).mean
            expected = max(cells.of(cell._replace(measure="expected")).values(), default=0.0)
            rows.append((ARM_NAMES[arm], cell.key, cell.grade, mean, expected))
    return mastery_by_grade(pd.DataFrame(rows, columns=["arm", "concept", "grade", "mastery", "expected"]))


_CHARTS: dict[int, Callable[[Cells], Any]] = {1: _scores_chart, 2: _coverage_chart, 3: _trajectories_chart}
"""Of the other studies the tables say it all."""
