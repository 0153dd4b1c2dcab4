"""Reports of tutors and of SimLearner's studies, as text and as a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.experiments.papers.simlearner.designs import ARMS, DIALOGUES, Study
from eduverse_mesa.experiments.papers.simlearner.findings import VERDICTS, Check, Compared, Judged, remarks
from eduverse_mesa.experiments.papers.simlearner.findings import Findings as StudyFindings
from eduverse_mesa.experiments.papers.simlearner.plays import curves
from eduverse_mesa.experiments.papers.simlearner.published import Cell, Cells, coverage_band, published
from eduverse_mesa.experiments.tutors import Answered, Comparison, Evaluation, Findings
from eduverse_mesa.measures.intervals import Interval, bounds_of, mean_interval
from eduverse_mesa.measures.tutor_outcomes import LEFT_BEHIND, MASTERED, SMALLEST_GROUP, GroupGain
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
from eduverse_mesa.visualization.reports.page import Section, Table, plain_number, render_page
from eduverse_mesa.visualization.reports.run import bill_lines
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


def render_findings(found: Findings) -> str:
    """One tutor, as text."""
    one = found.evaluation
    lines = [
        f"Tutor {one.tutor}: {len(one.outcomes)} learners, grade {one.plan.grade}, {len(one.plan.units)} units, "
        f"{one.plan.visits} dialogues on each, seed {one.seed}",
        "",
    ]
    if not found.means:
        return "\n".join([*lines, _NEVER, "", *_failures(one), *_taken(one)])
    lines += [
        f"{'':<26} {'mean':>7}   95 % interval",
    ]
    for name, words in SAID.items():
        lines.append(f"{words:<26} {_shown(found.means[name])}")
    lines.append(f"{_RETAINED:<26} {_shown(found.retained)}")
    lines += ["", "Learning gain by profile (thirds of the cohort)"]
    lines += [
        f"  {group.factor:<18} {group.group:<7} n={group.gain.n:<4} {_shown(group.gain)}{_small(group)}"
        for group in found.groups
    ] or ["  the learners do not differ"]
    clear = [factor for factor, gap in found.gaps.items() if _clear(gap)]
    lines.append(f"  high and low third differ clearly (by an interval for all factors together): {_listed(clear)}")
    lines += ["", _SAME_ITEMS, "", *_failures(one), *_taken(one)]
    if one.self_judged:
        lines += ["", _SELF]
    return "\n".join(lines)


def render_comparison(found: Comparison) -> str:
    """Two tutors, as text."""
    one, other = found.first.evaluation, found.second.evaluation
    lines = [
        f"First: {one.tutor}. Second: {other.tutor}.",
        f"{len(one.outcomes)} learners, grade {one.plan.grade}, {len(one.plan.units)} units, seed {one.seed}",
        "",
    ]
    if not found.paired:
        for half in (found.first, found.second):
            never = [] if half.means else [_NEVER]
            lines += [f"{half.evaluation.tutor}:", *never, *_failures(half.evaluation), *_taken(half.evaluation), ""]
        return "\n".join([*lines, "Where one never answered, two tutors cannot be compared."])
    lines += [
        f"{'':<26} {'first':>7} {'second':>7} {'second - first':>15}   95 % interval     effect",
    ]
    for row in found.paired:
        gap = row.difference
        mark = " *" if row.clear else ""
        lines.append(
            f"{SAID[row.outcome]:<26} {plain_number(row.first):>7} {plain_number(row.second):>7} "
            f"{_signed(gap.mean):>15}   {_bounds(gap):<16}  {plain_number(row.effect):>7}{mark}"
        )
    lines += ["", f"* clear. {_PAIRED}", _SAME_ITEMS]
    if len(one.outcomes) < 2:
        lines += [_ONE_LEARNER]
    for side in (one, other):
        lines += ["", f"{side.tutor}:", *_failures(side), *_taken(side)]
    if one.self_judged:
        lines += ["", _SELF]
    return "\n".join(lines)


def render_findings_page(found: Findings) -> str:
    """One tutor, as a page that needs no network."""
    one = found.evaluation
    if not found.means:
        return render_page(f"The tutor {one.tutor}", _facts([found]), _endings([found]), _NEVER)
    sections = [_means_section([found]), _tests_section([found]), _profile_section(found), *_endings([found])]
    return render_page(f"The tutor {one.tutor}", _facts([found]), sections, _SELF if one.self_judged else "")


def render_comparison_page(found: Comparison) -> str:
    """Two tutors, as a page that needs no network."""
    both = [found.first, found.second]
    one, other = (side.evaluation for side in both)
    if not found.paired:
        never = f"{_listed([side.evaluation.tutor for side in both if not side.means])}: {_NEVER}"
        return render_page(f"{one.tutor} and {other.tutor}", _facts(both), _endings(both), never)
    rows = [
        (
            SAID[row.outcome],
            row.first,
            row.second,
            *row.difference[:3],
            row.effect,
            "clear" if row.clear else "",
        )
        for row in found.paired
    ]
    table = pd.DataFrame(
        [
            (SAID[row.outcome], *row.difference[:3], row.difference.n)
            for row in found.paired
            if row.outcome in _SHOWN_TOGETHER
        ],
        columns=["measure", "difference", "low", "high", "n"],
    )
    head = ("outcome", one.tutor, other.tutor, "difference", "from", "to", "effect", "")
    sections = [
        Section(
            f"{other.tutor} minus {one.tutor}",
            _PAIRED,
            paired_differences(table),
            Table(head, rows, ["yes" if row.clear else "" for row in found.paired]),
            _INTERVALS,
        ),
        _means_section(both),
        _tests_section(both),
        *(_profile_section(side) for side in both),
        *_endings(both),
    ]
    warning = _SELF if one.self_judged else ""
    return render_page(f"{one.tutor} and {other.tutor}", _facts(both), sections, warning)


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
    rows: list[tuple[str | float, ...]] = []
    for side in found:
        told = [(SAID[name], side.means[name], MEANT[name]) for name in SAID]
        told.append((_RETAINED, side.retained, _RETAINED_MEANT))
        rows += [(side.evaluation.tutor, words, *one[:3], str(one.n), meant) for words, one, meant in told]
    head = ("tutor", "outcome", "mean", "from", "to", "learners", "what it is")
    return Section("Outcomes", f"{_INTERVALS} {_SAME_ITEMS}", measure_intervals(summary), Table(head, rows))


def _tests_section(found: Sequence[Findings]) -> Section:
    chart = exams_over_time({side.evaluation.tutor: side.evaluation.outcomes for side in found})
    return Section("Every learner, from test to test", "Faint: single learners. Bold: their mean.", chart)


def _profile_section(found: Findings) -> Section:
    rows = [
        (one.factor, one.group, str(one.gain.n), *one.gain[:3], one.left_behind, "too few" if one.too_small else "")
        for one in found.groups
    ]
    head = ("factor", "third", "learners", "gain", "from", "to", "left behind", "")
    drawn = [(one.factor, one.group, *one.gain) for one in found.groups]
    clear = [factor for factor, gap in found.gaps.items() if _clear(gap)]
    note = f"The high and the low third differ clearly, by an interval for all factors together, in: {_listed(clear)}."
    return Section(
        f"Who is left behind: {found.evaluation.tutor}",
        f"Learning gain in thirds of the cohort. Fewer than {SMALLEST_GROUP} learners are too few to go by.",
        gains_by_group(drawn),
        Table(head, rows),
        note,
    )


def _failure_section(found: Sequence[Findings]) -> Section:
    rows = []
    for side in found:
        for who, answered in _answered_by(side.evaluation):
            counts = (answered.asked, answered.failed, answered.stood_in)
            rows.append((side.evaluation.tutor, who, *map(str, counts), next(iter(answered.reasons), "")))
    marks = ["no" if (row[3], row[4]) != ("0", "0") else "" for row in rows]
    lead = (
        "Where an answer fails, nobody steps in: the learner hears nothing, and the dialogue goes on. Where a language "
        "model gives none that can be used, the embedded policy may stand in. What one test lacks is left out of all."
    )
    columns = ("tutor", "who", "asked", "failed", "stood in for", "mostly because")
    return Section("What failed", lead, None, Table(columns, rows, marks))


def _endings(found: Sequence[Findings]) -> list[Section]:
    return [_failure_section(found), *_bill_sections(found)]


def _bills(one: Evaluation) -> list[tuple[str, dict[str, Any]]]:
    """Return the bills of language models, by who asked them."""
    bills = (("learners and judge", one.bill), ("the tutor's server", one.tutor_bill))
    return [(who, bill_document(bill)) for who, bill in bills if bill.requests]


def _taken(one: Evaluation) -> list[str]:
    """The same as text."""
    told = [(who, bill_lines(use, load_words())) for who, use in _bills(one)]
    return ["", "Language models", *(f"  {who}: {line}" for who, lines in told for line in lines)] if told else []


def _bill_sections(found: Sequence[Findings]) -> list[Section]:
    """The same as a page has it; none where no model was asked."""
    rows = []
    for side in found:
        for who, use in _bills(side.evaluation):
            told = (use["tokens_in"], use["tokens_out"])
            cost = "-" if use["cost_usd"] is None else f"{use['cost_usd']:.4f}"
            tokens = ("not told" if one is None else f"{one:,}" for one in told)
            counts = (use["calls"], use["failed_calls"])
            rows.append((side.evaluation.tutor, who, *map(str, counts), *tokens, cost, str(use["untold"]["calls"])))
    if not rows:
        return []
    columns = ("tutor", "asked for", "calls", "failed", "tokens read", "written", "US dollars", "of unknown cost")
    lead = "As the servers told it. A call of unknown cost may be charged, and its server told nothing of it."
    return [Section("What language models took", lead, None, Table(columns, rows))]


def _answered_by(one: Evaluation) -> tuple[tuple[str, Answered], ...]:
    return ("tutor", one.teaching), ("learners", one.others), ("judge", one.judging)


def _failures(one: Evaluation) -> list[str]:
    teaching = one.teaching
    if not teaching.failed:
        lines = [f"The tutor answered all of {teaching.asked} times."]
    else:
        lines = [f"The tutor failed {teaching.failed} of {teaching.asked} times, and the learner heard nothing:"]
        lines += [f"  {count} times: {reason}" for reason, count in list(teaching.reasons.items())[:3]]
    if teaching.stood_in:
        lines.append(f"The embedded policy spoke for it {teaching.stood_in} times: {next(iter(teaching.reasons))}")
    for who, answered in _answered_by(one)[1:]:
        if answered.failed or answered.stood_in:
            lines.append(
                f"Of {answered.asked} answers of the {who} {answered.failed} failed, and for {answered.stood_in} the "
                f"embedded policy stood in, mostly because: {next(iter(answered.reasons))}"
            )
    if one.left_out:
        asked = one.left_out + one.compared
        lines.append(
            f"{one.left_out} of {asked} answers in tests are left out, since the item was not scored in all tests. "
            "If it was the poor ones that nobody could score, the gain may be luck of the judge: play it again."
        )
    return lines


def _signed(value: float) -> str:
    return f"{value:+.3f}" if math.isfinite(value) else "-"


def _bounds(gap: Interval) -> str:
    return f"{gap.low:+.3f} .. {gap.high:+.3f}" if math.isfinite(gap.low) else "-"


def _shown(interval: Interval) -> str:
    if interval.low != interval.low:
        return f"{plain_number(interval.mean):>7}"
    return f"{interval.mean:>7.3f}   {interval.low:.3f} .. {interval.high:.3f}"


def _listed(factors: Sequence[str]) -> str:
    return ", ".join(factors) or "none"


def _small(group: GroupGain) -> str:
    return "   too few to go by" if group.too_small else ""


def _clear(gap: Interval) -> bool:
    return gap.low > 0 or gap.high < 0


ARM_NAMES: Mapping[Arm, str] = {"full": "with memory", "base": "base"}
_SAYS = (
    "Each check with its mean over seeds, Student's 95 % interval, and its bounds; 'more' means a difference above "
    "zero within seeds of the same luck. A statement holds where the whole interval of every check lies within the "
    "bounds; it is not certain where only the mean does. 'Single' is how often one experiment as large as the paper's "
    "lies within."
)
_BESIDE = "Ours is the mean over seeds with its interval; the paper shows one experiment with each language model."
_MARKS = {"holds": "yes", "fails": "no"}


def render_text(found: StudyFindings) -> str:
    """Each study: its statements and its tables, in a terminal."""
    lines: list[str] = []
    for remark in remarks(found):
        lines += [f"!! {remark}", ""]
    for study in found.studies:
        compared, judged = found.of(study)
        lines += [f"{study.name}: {study.title}", study.question, ""]
        lines += [*_aligned(_statements(judged)), ""]
        if compared:
            lines += [*_aligned(_beside(compared)), ""]
        for _, table in _tables(found, study):
            lines += [*_aligned(table), ""]
    return "\n".join(lines).rstrip()


def render_page_of(found: StudyFindings) -> str:
    """The page, in one file that needs no network."""
    facts = {
        "studies": ", ".join(str(study.number) for study in found.studies),
        "seeds": f"1–{found.seeds}" if found.seeds > 1 else "1",
        "policy": found.policy,
        "answers": f"{sum(found.answers.values()):,}",
        "version": __version__,
    }
    sections = [section for study in found.studies for section in _sections(found, study)]
    return render_page("SimLearner's studies", facts, sections, " ".join(remarks(found)))


def _sections(found: StudyFindings, study: Study) -> Iterator[Section]:
    compared, judged = found.of(study)
    heading = f"{study.number}. {study.title}"
    yield Section(heading, study.question, _CHARTS[study.number](found.cells))
    yield Section(f"{study.title}: what the paper says", _SAYS, table=_statements(judged))
    if compared:
        yield Section(f"{study.title}: beside the paper", _BESIDE, table=_beside(compared))
    for title, table in _tables(found, study):
        yield Section(f"{study.title}: {title}", "", table=table)
    if study.number == 2:
        yield Section(
            "Concepts by grade",
            "Mean mastery at the end of each grade; framed is what the standard has taught by then.",
            _map_chart(found.cells),
        )
        yield Section(
            "How it is forgotten",
            "What is left of a trace over a year with a dialogue every four days, under both laws.",
            forgetting_curves(curves()),
        )


# --- tables ---


def _statements(judged: Iterable[Judged]) -> Table:
    rows: list[Sequence[str | float]] = []
    marks: list[str] = []
    for one in judged:
        rows.append((one.statement.text, "", "", "", "", VERDICTS[one.verdict]))
        marks.append(_MARKS.get(one.verdict, ""))
        for found in one.found:
            mean, low, high, _ = found.value
            single = f"{found.single:.0%}" if math.isfinite(found.single) else "-"
            shown = (plain_number(mean), _between(low, high), _simlearner_bounds(found.check), single)
            rows.append((f"  {found.check.name}", *shown, VERDICTS[found.verdict]))
            marks.append("")
    return Table(("statement", "mean", "interval", "bounds", "single", "verdict"), rows, marks)


def _simlearner_bounds(check: Check) -> str:
    if math.isfinite(check.most):
        return f"{check.least:g} .. {check.most:g}"
    return "more" if check.minus else f"at least {check.least:g}"


def _beside(compared: Iterable[Compared]) -> Table:
    rows: list[Sequence[str | float]] = []
    for row in compared:
        cell, low, high = row.published.cell, row.published.low, row.published.high
        what = f"{cell.measure}, grade {cell.grade}" if cell.grade else cell.measure
        paper = f"{low:g}" if low == high else f"{low:g} .. {high:g}"
        ours = (plain_number(row.ours.mean), _between(row.ours.low, row.ours.high))
        rows.append((what, ARM_NAMES[cell.arm], row.published.model, paper, *ours, _between(*row.single)))
    return Table(("number", "arm", "the paper's model", "paper", "ours", "interval", "single seeds"), rows)


def _between(low: float, high: float) -> str:
    return f"{low:.3f} .. {high:.3f}" if math.isfinite(low) else "-"


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
    if means.empty:
        return Table(("line",), [])
    [by] = [name for name in ("arm", "learner") if name in means.columns]
    grades = sorted(set(means["grade"]))
    rows = []
    for name, part in means.groupby(by, sort=False):
        known = {row["grade"]: row for row in part.to_dict("records")}
        shown = [_with_half(known[grade]) if grade in known else "-" for grade in grades]
        rows.append([str(name), *shown])
    return Table((by, *(f"grade {grade}" for grade in grades)), rows)


def _with_half(row: dict[Any, Any]) -> str:
    half = (row["high"] - row["low"]) / 2
    return f"{row['mean']:.3f}" + (f" ± {half:.3f}" if math.isfinite(half) else "")


def _interval(cells: Cells, cell: Cell) -> Interval:
    """The mean of a cell over seeds with its interval, which holds nothing that the measure cannot be."""
    return mean_interval(list(cells.of(cell).values()), bounds=bounds_of(cell.measure))


def _recovery(cells: Cells) -> Table:
    rows = []
    for arm, name in ARM_NAMES.items():
        for read in ("1", str(DIALOGUES)):
            for measure in ("recall", "precision", "f1"):
                mean, low, high, n = _interval(cells, Cell("people", measure, arm, key=read))
                if n:
                    rows.append((name, read, measure, plain_number(mean), _between(low, high)))
    return Table(("arm", "dialogues", "measure", "mean", "interval"), rows)


def _alignments(cells: Cells) -> Table:
    rows = []
    for arm, name in ARM_NAMES.items():
        for measure in ("alignment", "alignment_precision", "alignment_recall"):
            for cell in cells.measured("years", measure, arm):
                if cell.grade == 0:
                    mean, low, high, _ = _interval(cells, cell)
                    rows.append((name, measure.replace("_", ", "), plain_number(mean), _between(low, high)))
    return Table(("arm", "definition", "mean", "interval"), rows)


def _aligned(table: Table) -> Iterator[str]:
    """Columns side by side; a row with nothing but a text and a verdict stands alone."""
    cells = [[str(cell) for cell in row] for row in table.rows]
    alone = [len(row) > 2 and not any(row[1:-1]) for row in cells]
    short = [row for row, lonely in zip(cells, alone, strict=True) if not lonely]
    widths = [max(map(len, column)) for column in zip(list(table.columns), *short, strict=True)]
    yield "  ".join(f"{name:<{width}}" for name, width in zip(table.columns, widths, strict=True)).rstrip()
    for row, lonely in zip(cells, alone, strict=True):
        if lonely:
            yield f"{row[-1].upper()}: {row[0]}"
        else:
            yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


# --- charts ---


def _means(cells: Cells, part: Any, measure: str, arms: Sequence[Arm] = ARMS) -> pd.DataFrame:
    """Means over seeds of the whole cohort, by arm and grade."""
    rows = [
        (ARM_NAMES[arm], cell.grade, *_interval(cells, cell))
        for arm in arms
        for cell in sorted(cells.measured(part, measure, arm))
        if not cell.learner and cell.grade
    ]
    return pd.DataFrame(rows, columns=["arm", "grade", "mean", "low", "high", "n"])


def _of_learners(cells: Cells, measure: str) -> pd.DataFrame:
    rows = [
        (cell.learner, cell.grade, *_interval(cells, cell))
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
            mean = _interval(cells, cell).mean
            expected = max(cells.of(cell._replace(measure="expected")).values(), default=0.0)
            rows.append((ARM_NAMES[arm], cell.key, cell.grade, mean, expected))
    return mastery_by_grade(pd.DataFrame(rows, columns=["arm", "concept", "grade", "mastery", "expected"]))


def _nothing(cells: Cells) -> None:
    """A study whose tables say it all."""
    del cells


_CHARTS: dict[int, Callable[[Cells], Any]] = {
    1: _scores_chart,
    2: _coverage_chart,
    3: _trajectories_chart,
    4: _nothing,
    5: _nothing,
}
