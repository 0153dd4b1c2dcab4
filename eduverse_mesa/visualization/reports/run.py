"""The report of a run, of several seeds and of a fork: for a terminal and as an HTML file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from typing import Any

import pandas as pd
from rich.cells import cell_len

from eduverse_mesa import __version__
from eduverse_mesa.measures.codes import INITIATING_MOVES, LEVEL_NAMES, LEVELS
from eduverse_mesa.measures.intervals import FEW
from eduverse_mesa.models.classroom import ClassroomModel, Intervention
from eduverse_mesa.runs.comparison import Arm, Measured, summaries
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import results, run_tables
from eduverse_mesa.scenarios import Scenario, fingerprint, load_scenario
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.comparison import spoken
from eduverse_mesa.visualization.charts.frame import chart_words, saying
from eduverse_mesa.visualization.reports.page import fill_page, left, plain_number, right
from eduverse_mesa.visualization.reports.tables import Room, RunTables
from eduverse_mesa.visualization.words import Words, load_words, words_in
from eduverse_mesa.visualization.words.labels import reason_of, title_of


def report_tables(run: Run) -> RunTables:
    """All that a report shows of a run."""
    made = run_tables(run)
    t = words_in(run.spec.scenario.lessons[0].language)
    return RunTables(
        title=_title(run, t),
        facts=_facts(run, t),
        results=results(run, made),
        sentences=made.sentences,
        student_steps=made.student_steps,
        teacher_steps=made.teacher_steps,
        requests=made.requests,
        rejections=made.rejections,
        room=room_of(run.lessons[-1].model) if run.lessons else Room(1, 1),
        command=_command(run),
        language=t.language,
    )


def _title(run: Run, t: Words) -> str:
    scenario = run.spec.scenario
    if len(scenario.lessons) > 1:
        return t("report.title", name=title_of("scenario", scenario, t), n=len(scenario.lessons))
    return title_of("lesson", scenario.lessons[0], t)


def _facts(run: Run, t: Words) -> dict[str, str]:
    scenario, spec = run.spec.scenario, run.spec
    students = run.lessons[0].model.students if run.lessons else []
    facts = {
        "run": run.id,
        "layout": title_of("layout", scenario.layout, t),
        "class": t("report.class", name=scenario.roll.name, n=len(students)),
        "lessons": ", ".join(lesson.name for lesson in scenario.lessons),
        "steps": str(run.steps),
        "seed": str(spec.seed),
        "policy": spec.policy,
        **_model(run, t),
        "scenario": fingerprint(scenario),
        "version": __version__,
    }
    if scenario.settings.ablation:
        facts["without"] = ", ".join(scenario.settings.ablation)
    if spec.parent is not None and spec.forked_at is not None:
        lesson, step = spec.forked_at
        facts["forked"] = t("report.forked", run=spec.parent, lesson=lesson, step=step)
    if not run.complete:
        facts["state"] = t("report.incomplete")
    return {t[f"report.fact.{name}"]: value for name, value in facts.items()}


def _model(run: Run, t: Words) -> dict[str, str]:
    """Return the language model that answers; empty if none does."""
    llm = run.spec.scenario.settings.llm
    if llm.model is None or not {"llm", "local"}.intersection(run.spec.policy.replace(",", "=").split("=")):
        return {}
    key = "report.model_at" if llm.base_url else "report.model_here"
    return {"model": t(key, model=llm.model, fidelity=llm.fidelity, address=llm.base_url)}


def _command(run: Run) -> str:
    """How to have this run again: from the command line where nothing was changed in a built-in scenario, else from the
    study it is kept in."""
    spec = run.spec
    name, first_hand = spec.scenario.name, not spec.changes and spec.parent is None
    if first_hand and name in list_names("scenario") and fingerprint(load_scenario(name)) == fingerprint(spec.scenario):
        return f"eduverse run {name} --seed {spec.seed} --policy {spec.policy}"
    return f"eduverse replay STUDY {run.id}"


def room_of(model: ClassroomModel) -> Room:
    """Return the people and things of the room with their places, as charts of the room take them."""
    things: list[dict[str, Any]] = [
        {"x": piece.place[0], "y": piece.place[1], "kind": piece.kind, "name": piece.name}
        for piece in model.placing.room.furniture
    ]
    people = [(model.layout.teacher, "teacher", model.teacher.name)]
    people += [(student.place, "student", student.name) for student in model.students]
    things += [{"x": x, "y": y, "kind": kind, "name": name} for (x, y), kind, name in people]
    grid = model.layout.grid
    return Room(grid.width, grid.height, things, [(str(one), str(other)) for one, other in model.placing.graph.edges])


_BAR = 24
_EXCERPT = 12
_STATES = (
    "b_offtask", "b_passive", "b_active", "b_interactive", "e_positive", "e_confused", "e_negative", "c_low", "c_high"
)  # fmt: skip
_STATE_WIDTH = 13
_IRF = ("i", "r", "f", "irf")
_COLUMNS = (
    "student", "off_task", "passive", "active", "interactive", "positive", "higher", "spoke", "called", "feedback"
)  # fmt: skip


def render_text(run: RunTables, width: int = 100) -> str:
    """Return the report as text: behaviour, states, discourse, network, equity, and how the answers came; in the run's
    language."""
    t = load_words(run.language)
    parts = [_head(run)]
    if run.student_steps.empty:
        parts.append([t("report.nothing_yet")])
    else:
        parts += [
            [f"!! {warning}" for warning in run.warnings],
            _states(run.results["bec"], t),
            _discourse(run.results["irf"], t),
            [t("report.head.students"), *_students(run, width, t)],
            _network(run, t),
            _equity(run.results["equity"], t),
            _phases(run.teacher_steps, t),
            _excerpt(run.sentences, width, t),
        ]
    parts.append(_outcomes(run.results["outcomes"], len(run.rejections), t))
    if "models" in run.results:
        parts.append(_models(run.results["models"], t))
    return "\n".join("\n".join(part) + "\n" for part in parts if part).rstrip("\n")


def _head(run: RunTables) -> list[str]:
    longest = max(map(cell_len, run.facts), default=0)
    facts = (f"{left(name, longest)}  {value}" for name, value in run.facts.items())
    return [run.title, "=" * cell_len(run.title), *facts]


def _bar(share: float) -> str:
    return "#" * round(share * _BAR)


def _states(bec: dict[str, Any], t: Words) -> list[str]:
    lines = [t("report.head.states")]
    for code in _STATES:
        share = bec.get(code)
        if code in ("e_positive", "c_low"):
            lines.append("")
        lines.append(f"  {left(t[f'report.measure.{code}'], _STATE_WIDTH)} {_number(share)} {_bar(share or 0.0)}")
    return lines


def _discourse(irf: dict[str, Any], t: Words) -> list[str]:
    lines = (f"  {code:<4} {_number(irf.get(code))}  {t[f'report.irf.{code}']}" for code in _IRF)
    return [t("report.head.discourse"), *lines]


def _students(run: RunTables, width: int, t: Words) -> list[str]:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in _COLUMNS:
        heading = t[f"report.column.{name}"]
        table.add_column(heading, justify="left" if name == "student" else "right", no_wrap=True)
    for row in _student_rows(run):
        table.add_row(*(Text(cell) for cell in row))
    # rich knows how wide Chinese characters are; no colour, so that the text is the same in a file.
    console = Console(file=StringIO(), width=max(width, 100), color_system=None, legacy_windows=False)
    console.print(table)
    file = console.file
    assert isinstance(file, StringIO)
    return ["  " + line.rstrip() for line in file.getvalue().splitlines()]


def _student_rows(run: RunTables) -> Iterator[list[str]]:
    spoke = run.sentences[(run.sentences["role"] == "S") & (run.sentences["channel"] == "class")]
    turns = spoke.drop_duplicates(["lesson", "step", "speaker"])["speaker"].value_counts()
    for name, rows in run.student_steps.groupby("student", sort=False):
        shares = [_level_share(rows, "behaviour", level) for level in LEVEL_NAMES["behaviour"]]
        yield [
            str(name),
            *(_number(share) for share in shares),
            _number(_level_share(rows, "emotion", "positive")),
            _number(_level_share(rows, "cognition", "high")),
            str(int(turns.get(name, 0))),
            str(int(rows["called"].sum())),
            str(int((rows["feedback"] != "").sum())),
        ]


def _level_share(rows: pd.DataFrame, column: str, level: str) -> float:
    codes = rows.loc[rows[column] != "", column]
    wanted = LEVEL_NAMES[column].index(level)
    return float(codes.map(LEVELS[column]).eq(wanted).mean()) if len(codes) else float("nan")


def _network(run: RunTables, t: Words) -> list[str]:
    network = run.results["network"]
    accepted = run.requests[run.requests["status"] == "accepted"]
    told = t(
        "report.network",
        taken=len(accepted),
        asked=len(run.requests),
        nodes=network.get("nodes", 0),
        edges=network.get("edges", 0),
        density=_number(network.get("density")),
        degree=_number(network.get("average_degree")),
    )
    lines = [t("report.head.network"), f"  {told}"]
    counts = Counter(zip(accepted["sender"], accepted["receiver"], strict=True))
    lines += [f"  {sender} -> {receiver}  {'*' * times}" for (sender, receiver), times in counts.most_common()]
    return lines


def _equity(equity: dict[str, Any], t: Words) -> list[str]:
    turns, attention = _number(equity.get("gini_speaking_turns")), _number(equity.get("gini_teacher_attention"))
    lines = [t("report.head.equity"), f"  {t('report.gini', turns=turns, attention=attention)}"]
    seats = equity.get("participation_by_seat") or {}
    shown = [
        f"{t[f'report.zone.{zone}']} {_number(share)}"
        for zone, share in seats.items()
        if isinstance(share, (int, float))
    ]
    if shown:
        lines.append(f"  {t('report.by_seat', shown=t('report.comma').join(shown))}")
    return lines


def _phases(teacher: pd.DataFrame, t: Words) -> list[str]:
    lines = [t("report.head.lesson")]
    for (lesson, phase), rows in teacher.groupby(["lesson", "phase"], sort=False):
        acts = rows.loc[rows["act"] != "", "act"].value_counts()
        shown = t("report.comma").join(f"{t.code(str(act))} {times}" for act, times in acts.items())
        lines.append("  " + t("report.phase", lesson=lesson, phase=t.code(str(phase)), n=len(rows), acts=shown))
        lines.append(f"      {reason_of(str(rows['pacing_reason'].iloc[-1]), t)}")
    return lines


def _excerpt(sentences: pd.DataFrame, width: int, t: Words) -> list[str]:
    heard = sentences[sentences["channel"] == "class"]
    asked = [place for place, move in enumerate(heard["move"]) if move in INITIATING_MOVES]
    if not asked:
        return []
    start = asked[len(asked) // 2]
    lesson = heard["lesson"].iloc[start]
    several = sentences["lesson"].nunique() > 1
    lines = [t("report.head.transcript_of", lesson=lesson) if several else t("report.head.transcript")]
    shown = heard.iloc[start : start + _EXCERPT]
    for row in shown[shown["lesson"] == lesson].itertuples():
        line = f"  {row.step:>3} {row.speaker}: {' '.join(str(row.text).split())}"
        lines.append(line if len(line) <= width else line[: width - 3].rstrip(" .…。，,") + "...")
    return lines


def _outcomes(outcomes: dict[str, int], rejections: int, t: Words) -> list[str]:
    return [
        t("report.answers", counted=count_outcomes(outcomes, t)),
        t("report.intended", wishes=t("report.wishes", n=rejections)),
    ]


def count_outcomes(outcomes: dict[str, int], t: Words) -> str:
    """Return the number of answers by status, in words."""
    return t("report.comma").join(t(f"report.status.{status}", n=number) for status, number in outcomes.items())


def _number(value: float | None) -> str:
    return "    -" if value is None or value != value else f"{value:5.3f}"


_REASONS = 8


def _models(use: dict[str, Any], t: Words) -> list[str]:
    """Return the lines about language models: what they took, and the reasons for answers that went wrong."""
    lines = [t("report.head.models"), *(f"  {line}" for line in use_lines(use, t))]
    if use["reasons"]:
        lines.append(f"  {t('report.models.reasons')}")
    told = ({**one, "status": t.code(one["status"])} for one in use["reasons"][:_REASONS])
    lines += [f"    {t('report.models.reason', **one)}" for one in told]
    if len(use["reasons"]) > _REASONS:
        lines.append(f"    {t('report.models.more', n=len(use['reasons']) - _REASONS)}")
    return lines


def use_lines(use: Mapping[str, Any], t: Words) -> list[str]:
    """Return what language models took for a run: the answers, the calls and why they differ, the bill, the names."""
    calls, *taken = bill_lines(use, t)
    differ = [t("report.models.differ")] if use["calls"] and use["calls"] != sum(use["sources"].values()) else []
    names = count_names(use, t)
    return [_sources(use["sources"], t), calls, *differ, *taken, *([names] if names else [])]


def bill_lines(use: Mapping[str, Any], t: Words) -> list[str]:
    """Return the bill of language models, the calls first, and how much of it nobody told."""
    read, written, hits, cost = use["tokens_in"], use["tokens_out"], use["prefix_hits"], use["cost_usd"]
    lines = [
        t("report.models.calls", calls=use["calls"])
        + (t("report.models.failed", n=use["failed_calls"]) if use["failed_calls"] else "")
    ]
    if read is None:
        lines.append(t("report.models.untold"))
    elif read or written:
        lines.append(t("report.models.tokens", read=read, written=written))
        if hits is not None:
            lines.append(t("report.models.hits", share=f"{hits:.0%}"))
        lines.append(t("report.models.no_price") if cost is None else t("report.models.cost", usd=f"{cost:.4f}"))
        if unpriced := use.get("unpriced_calls"):
            lines.append(t("report.models.some_price", n=unpriced))
    return [*lines, *told_of_untold(use, t)]


def told_of_untold(use: Mapping[str, Any], t: Words) -> list[str]:
    """Return the number of calls that did not tell what they took, with an estimate of the most that they took, told as
    one."""
    untold = use["untold"]
    if not untold["calls"]:
        return []
    money = t("report.models.usd_at_most", usd=f"{untold['usd_at_most']:.4f}") if untold["usd_at_most"] else ""
    told = t(
        "report.models.not_told",
        n=untold["calls"],
        calls=use["calls"],
        tokens=untold["tokens_at_most"],
        money=money,
    )
    broken_off = [t("report.models.broken_off", n=untold["broken_off"])] if untold["broken_off"] else []
    return [told, *broken_off]


def count_names(use: Mapping[str, Any], t: Words) -> str:
    """Return the models that have answered, as their servers name them; empty where none did."""
    shown = (t("report.models.name", model=one["model"], n=one["answers"]) for one in use["named"])
    told = t("report.comma").join(shown)
    return t("report.models.named", told=told) if told else ""


def _sources(sources: Mapping[str, int], t: Words) -> str:
    """Return the number of answers by source, in words."""
    told = (t("report.models.source", count=count, source=t.code(source)) for source, count in sources.items())
    return t("report.models.sources", told=t("report.comma").join(told))


_CARDS = (
    ("bec", "b_offtask"),
    ("bec", "b_interactive"),
    ("bec", "e_positive"),
    ("bec", "c_high"),
    ("irf", "irf"),
    ("irf", "r"),
    ("network", "density"),
    ("equity", "gini_speaking_turns"),
)
_STATE_COLUMNS = ("step", "behaviour", "emotion", "cognition", "feedback", "plan", "words", "monitoring", "regulation")
_CODES = ("behaviour", "emotion", "cognition", "feedback", "wanted", "replaced_by", "status")
"""Columns of codes, which have names in each language; other columns hold people's own words."""


def render_html(run: RunTables) -> str:
    """The page, in the run's language. Everything that comes from data is shown as text."""
    t = load_words(run.language)
    pictures = _pictures(run, t)
    body = [
        _header(run),
        _cards(run.results, t),
        *(
            f'<section><h2>{escape(title)}</h2><p class="lead">{escape(lead)}</p>'
            f'<div class="chart" id="chart-{number}" role="img" aria-label="{escape(title)}"></div></section>'
            for number, (title, lead, _) in enumerate(pictures)
        ),
        _html_students(run.student_steps, t),
        _transcript(run.sentences, t),
        _answers(run, t),
        _provenance(run, t),
    ]
    return fill_page(run.title, body, [chart for _, _, chart in pictures], run.language)


def _pictures(run: RunTables, t: Words) -> list[tuple[str, str, Any]]:
    steps, teacher, words = run.student_steps, run.teacher_steps, charts.chart_words(run.language)
    drawn = {
        "room": charts.room_plan(run.room, words=words),
        "states": charts.bec_shares_chart(steps, words=words),
        "each": charts.bec_by_student(steps, words=words),
        "steps": charts.bec_over_time(steps, words=words),
        "discourse": charts.irf_ribbon(steps, teacher, words=words),
        "network": charts.interaction_network(run.room, run.requests, words=words),
        "attention": charts.state_over_time(steps, "attention", words=words),
        "understanding": charts.state_over_time(steps, "understanding", words=words),
        "affect": charts.state_over_time(steps, "affect", words=words),
    }
    return [(t[f"report.page.{name}"], t[f"report.page.{name}_lead"], chart) for name, chart in drawn.items()]


def _header(run: RunTables) -> str:
    facts = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in run.facts.items())
    warnings = "".join(f'<p class="warning">{escape(warning)}</p>' for warning in run.warnings)
    return f'<header><p class="brand">EduVerse-Mesa</p><h1>{escape(run.title)}</h1><dl>{facts}</dl>{warnings}</header>'


def _cards(results: dict[str, Any], t: Words) -> str:
    cards = "".join(
        f'<div class="card"><b>{_html_number(results[group].get(key))}</b>'
        f"<span>{escape(t[f'report.page.card.{key}'])}</span></div>"
        for group, key in _CARDS
    )
    return f'<section class="cards" aria-label="{escape(t("report.page.summary"))}">{cards}</section>'


def _html_students(student_steps: pd.DataFrame, t: Words) -> str:
    blocks = []
    for name, rows in student_steps.groupby("student", sort=False):
        shown = [column for column in _STATE_COLUMNS if column in rows]
        blocks.append(f"<details><summary>{escape(str(name))}</summary>{_table(rows[shown], t)}</details>")
    return (
        f"<section><h2>{escape(t('report.page.students'))}</h2>"
        f'<p class="lead">{escape(t("report.page.students_lead"))}</p>'
        f"{''.join(blocks)}</section>"
    )


def _transcript(sentences: pd.DataFrame, t: Words) -> str:
    several = sentences["lesson"].nunique() > 1
    begins = sentences["lesson"] != sentences["lesson"].shift()
    lines = "".join(
        (f'<li class="lesson"><h3>{escape(str(row.lesson))}</h3></li>' if several and new else "")
        + f'<li class="{"teacher" if row.role == "T" else "student"} {escape(str(row.channel))}">'
        f'<span class="step">{row.step}</span><b>{escape(str(row.speaker))}</b>'
        f'<span class="said">{escape(str(row.text))}</span><i>{escape(t.code(str(row.move)))}</i></li>'
        for row, new in zip(sentences.itertuples(), begins, strict=True)
    )
    return (
        f"<section><h2>{escape(t('report.page.transcript'))}</h2>"
        f'<p class="lead">{escape(t("report.page.transcript_lead"))}</p>'
        f'<input id="search" type="search" placeholder="{escape(t("report.page.search"))}" '
        f'aria-label="{escape(t("report.page.search_label"))}">'
        f'<p id="found" class="lead" aria-live="polite" data-told="{escape(t["report.page.found"])}"></p>'
        f'<ol id="transcript">{lines}</ol></section>'
    )


def _answers(run: RunTables, t: Words) -> str:
    counted = count_outcomes(run.results["outcomes"], t)
    models = _html_models(run.results["models"], t) if "models" in run.results else ""
    nothing = f"<p>{escape(t('report.page.nothing_refused'))}</p>"
    rejected = _table(_said(run.rejections, t), t) if len(run.rejections) else nothing
    refused = t("report.page.refused", n=len(run.rejections))
    return (
        f'<section><h2>{escape(t("report.page.answers"))}</h2><p class="lead">{escape(counted)}</p>{models}'
        f"<details><summary>{escape(refused)}</summary>{rejected}</details></section>"
    )


def _said(rejections: pd.DataFrame, t: Words) -> pd.DataFrame:
    """The reasons in the page's language."""
    return rejections.assign(reason=[reason_of(str(reason), t) for reason in rejections["reason"]])


def _html_models(use: dict[str, Any], t: Words) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in use_lines(use, t))
    plain = f"<p>{escape(t('report.page.as_it_came'))}</p>"
    reasons = _table(pd.DataFrame(use["reasons"]), t) if use["reasons"] else plain
    return (
        f"<ul>{lines}</ul>"
        f"<details><summary>{escape(t('report.page.replaced', n=len(use['reasons'])))}</summary>"
        f"{reasons}</details>"
    )


def _provenance(run: RunTables, t: Words) -> str:
    return (
        f"<section><h2>{escape(t('report.page.again'))}</h2>"
        f"<pre>{escape(run.command)}</pre>"
        f'<p class="lead">{escape(t("report.page.again_lead"))}</p></section>'
    )


def _table(rows: pd.DataFrame, t: Words) -> str:
    names = [str(column) for column in rows.columns]
    head = "".join(f"<th>{escape(t[f'report.column.{name}'])}</th>" for name in names)
    lines = "".join(f"<tr>{_cells(names, row, t)}</tr>" for row in rows.itertuples(index=False, name=None))
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cells(names: Iterable[str], row: Iterable[Any], t: Words) -> str:
    shown = (t.code(str(cell)) if name in _CODES else str(cell) for name, cell in zip(names, row, strict=True))
    return "".join(f"<td>{escape(cell)}</td>" for cell in shown)


def _html_number(value: Any) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"


_CLASS = ("bec.", "irf.", "equity.", "network.")
_IN_A_LINE = ("bec.b_offtask", "bec.e_positive", "bec.c_high", "irf.irf")
"""Measures that are told of each single run."""


def render_seeds(scenario: Scenario, measured: Sequence[Measured], warnings: Sequence[str] = ()) -> str:
    """The runs, then their means."""
    t = words_in(scenario.lessons[0].language)
    called = spoken(_IN_A_LINE, saying(chart_words(t.language)))
    run, seed = t("report.fact.run"), t("report.fact.seed")
    longest = max(cell_len(run), *(cell_len(one.run) for one in measured))
    heads = " ".join(right(called[measure], 22) for measure in _IN_A_LINE)
    lines = [t("report.seeds.title", name=title_of("scenario", scenario, t), n=len(measured)), ""]
    lines.append(f"{left(run, longest)} {right(seed, 8)} {heads}")
    for one in measured:
        numbers = " ".join(f"{plain_number(one.numbers.get(measure, float('nan'))):>22}" for measure in _IN_A_LINE)
        lines.append(f"{left(one.run, longest)} {right(str(one.seed), 8)} {numbers}")
    warned = [f"!! {warning}" for warning in warnings]
    seeds = len({one.seed for one in measured})
    few = [told] if (told := told_few(seeds, t)) else []
    return "\n".join([*lines, *warned, "", *_means(measured, t), "", t("report.seeds.how"), *few])


def told_few(seeds: int, t: Words) -> str:
    """Return the remark beside intervals over so few seeds; empty where there are enough."""
    return t("report.seeds.few", n=seeds, least=FEW) if seeds < FEW else ""


def _means(measured: Sequence[Measured], t: Words) -> list[str]:
    table = summaries([Arm("", tuple(measured))])
    of_class = table["measure"].str.startswith(_CLASS) & ~table["measure"].str.startswith("network.students.")
    rows = table[of_class]
    called = spoken(rows["measure"], saying(chart_words(t.language)))
    lines = [f"{'':<52} {right(t('report.seeds.mean'), 9)} {right(t('report.seeds.interval'), 20)}"]
    for measure, mean, low, high in rows[["measure", "mean", "low", "high"]].itertuples(index=False):
        interval = f"{plain_number(low)} .. {plain_number(high)}"
        lines.append(f"{left(called[measure], 52)} {plain_number(mean):>9} {interval:>20}")
    return lines


_FORK_COLUMNS = ("measure", "before", "after", "difference")
_SHOWN = 12
"""Rows of a block at most; --json has all."""


def render_fork(
    parent: str, fork: str, changes: Sequence[Intervention], difference: pd.DataFrame, warnings: Sequence[str] = ()
) -> str:
    """The change, then what differs: for the student it was made to, for the class, for the others."""
    lines = [fork, f"  forked from {parent}"]
    lines += [f"  from step {change.step} of lesson {change.lesson} on: {change}" for change in changes]
    lines += [f"!! {warning}" for warning in warnings]
    moved = difference[difference["difference"].abs() > 0]
    if moved.empty:
        lines += ["", "Nothing differs: the change made no difference, or changed nothing."]
        return "\n".join(lines)
    names = list(dict.fromkeys(name for change in changes if (name := getattr(change, "student", ""))))
    about = {name: moved["measure"].str.startswith(f"student.{name}.") for name in names}
    for name, rows in about.items():
        lines += _block(name, moved[rows], f"{name}: ")
    centralities = moved["measure"].str.startswith("network.students.")
    lines += _block("The class", moved[moved["measure"].str.startswith(_CLASS) & ~centralities], "")
    others = moved["measure"].str.startswith("student.")
    for rows in about.values():
        others &= ~rows
    lines += _block("Other students", moved[others], "")
    lines += ["", "One pair of runs is one sample: repeat it over seeds before you believe it."]
    return "\n".join(lines)


def _block(title: str, rows: pd.DataFrame, prefix: str) -> list[str]:
    if rows.empty:
        return []
    order = rows["difference"].abs().sort_values(ascending=False, kind="stable").index
    shown = rows.loc[order].head(_SHOWN)
    lines = ["", f"{title:<44} {'before':>9} {'after':>9} {'difference':>11}"]
    called = spoken(shown["measure"], saying(None))
    for name, *numbers in zip(*(shown[column].tolist() for column in _FORK_COLUMNS), strict=True):
        before, after, change = numbers
        lines.append(f"  {called[name].removeprefix(prefix):<42} {before:>9.3f} {after:>9.3f} {change:>+11.3f}")
    if len(rows) > _SHOWN:
        lines.append(f"  ... and {len(rows) - _SHOWN} more (--json shows all)")
    return lines
