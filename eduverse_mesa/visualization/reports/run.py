"""Reports of a run, of several seeds and of a fork."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.measures.codes import INITIATING_MOVES, LEVEL_NAMES, LEVELS
from eduverse_mesa.measures.intervals import FEW, Interval
from eduverse_mesa.models.classroom import ClassroomModel, Intervention
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.comparison import Arm, Measured, summaries
from eduverse_mesa.runs.tables import results, run_tables
from eduverse_mesa.scenarios import Scenario, fingerprint, load_scenario
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.comparison import spoken
from eduverse_mesa.visualization.charts.frame import chart_words, saying
from eduverse_mesa.visualization.reports.document import (
    BAR,
    COUNT,
    NUMBER,
    SHARE,
    SIGNED,
    Block,
    Cell,
    Code,
    Facts,
    Figure,
    Report,
    Said,
    Section,
    Table,
    Transcript,
    columns,
    write,
)
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


_CARDS = (
    ("bec", "b_offtask", SHARE),
    ("bec", "b_interactive", SHARE),
    ("bec", "e_positive", SHARE),
    ("bec", "c_high", SHARE),
    ("irf", "irf", SHARE),
    ("irf", "r", SHARE),
    ("network", "density", NUMBER),
    ("equity", "gini_speaking_turns", NUMBER),
)
_STATES = {
    "behaviour": ("b_offtask", "b_passive", "b_active", "b_interactive"),
    "emotion": ("e_positive", "e_confused", "e_negative"),
    "cognition": ("c_low", "c_high"),
}
_IRF = ("i", "r", "f", "irf")
_EXCERPT = 12
_PAIRS = 12
_REASONS = 8
_STATE_COLUMNS = ("step", "behaviour", "emotion", "cognition", "feedback", "plan", "words", "monitoring", "regulation")
_CODES = ("behaviour", "emotion", "cognition", "feedback", "wanted", "replaced_by", "status")
"""Columns of codes, which have names in each language; other columns hold people's own words."""


def run_report(run: RunTables) -> Report:
    """Return the report of a run, in its language: behaviour, states, discourse, network, equity, and how the answers
    came."""
    t = load_words(run.language)
    happened = (
        [*_class_sections(run, t), *_student_sections(run, t), *_lesson_sections(run, t)]
        if len(run.student_steps)
        else [Section("", [t("report.nothing_yet")])]
    )
    again = Section(t("report.page.again"), [Code(run.command), t("report.page.again_lead")])
    return Report(run.title, [*happened, *_answers(run, t), again], run.facts, run.warnings, run.language)


def _class_sections(run: RunTables, t: Words) -> Iterator[Section]:
    results, steps, words = run.results, run.student_steps, chart_words(run.language)
    values = {t[f"report.page.card.{key}"]: write(results[group].get(key), form) for group, key, form in _CARDS}
    yield Section(t("report.page.summary"), [Facts(values)])
    yield _drawn("room", t, lambda: charts.room_plan(run.room, words=words))
    shares = [
        (t[f"report.column.{kind}"], t[f"report.measure.{code}"], results["bec"].get(code), results["bec"].get(code))
        for kind, codes in _STATES.items()
        for code in codes
    ]
    share = (t("report.page.share"), SHARE)
    table = Table(columns(t("report.page.kind"), t("report.page.level"), share, ("", BAR)), shares)
    yield _drawn("states", t, lambda: charts.bec_shares_chart(steps, words=words), table)
    yield _drawn("steps", t, lambda: charts.bec_over_time(steps, words=words))
    rates = [(t[f"report.irf.{code}"], results["irf"].get(code)) for code in _IRF]
    table = Table(columns(t("report.page.rate"), share), rates)
    yield _drawn("discourse", t, lambda: charts.irf_ribbon(steps, run.teacher_steps, words=words), table)
    yield _network(run, t)
    yield Section(t("report.page.equity"), list(_equity(results["equity"], t)))


def _student_sections(run: RunTables, t: Words) -> Iterator[Section]:
    steps, words = run.student_steps, chart_words(run.language)
    yield _drawn("each", t, lambda: charts.bec_by_student(steps, words=words), _students(run, t))
    for state in ("attention", "understanding", "affect"):
        yield _drawn(state, t, partial(charts.state_over_time, steps, state, words=words))
    each = [
        _table(rows[[column for column in _STATE_COLUMNS if column in rows]], t, folded=str(name))
        for name, rows in steps.groupby("student", sort=False)
    ]
    yield Section(t("report.page.students"), each, t("report.page.students_lead"))


def _lesson_sections(run: RunTables, t: Words) -> Iterator[Section]:
    yield Section(t("report.page.lesson"), [_phases(run.teacher_steps, t)], t("report.page.lesson_lead"))
    yield Section(t("report.page.transcript"), [_transcript(run.sentences, t)])


def _drawn(name: str, t: Words, draw: Callable[[], Any], *blocks: Block) -> Section:
    return Section(t(f"report.page.{name}"), [Figure(draw, t(f"report.page.{name}_lead")), *blocks])


def _students(run: RunTables, t: Words) -> Table:
    spoke = run.sentences[(run.sentences["role"] == "S") & (run.sentences["channel"] == "class")]
    turns = spoke.drop_duplicates(["lesson", "step", "speaker"])["speaker"].value_counts()
    steps = run.student_steps
    levels = [
        *(("behaviour", level) for level in LEVEL_NAMES["behaviour"]),
        ("emotion", "positive"),
        ("cognition", "high"),
    ]
    shown = [_level_shares(steps, column, level) for column, level in levels]
    counted = [
        turns,
        steps.groupby("student")["called"].sum(),
        steps[steps["feedback"] != ""]["student"].value_counts(),
    ]
    rows: list[Sequence[Cell]] = [
        (
            str(name),
            *(float(share.get(name, float("nan"))) for share in shown),
            *(int(count.get(name, 0)) for count in counted),
        )
        for name in steps["student"].unique()
    ]
    shares = ("off_task", "passive", "active", "interactive", "positive", "higher")
    counts = ("spoke", "called", "feedback")
    forms = {**dict.fromkeys(shares, SHARE), **dict.fromkeys(counts, COUNT)}
    heads = ((t[f"report.column.{name}"], form) for name, form in forms.items())
    return Table(columns(t("report.column.student"), *heads), rows)


def _level_shares(steps: pd.DataFrame, column: str, level: str) -> pd.Series[Any]:
    """Each student's share of a level among the codes that are known."""
    coded = steps[steps[column] != ""]
    reached = coded[column].map(LEVELS[column]) == LEVEL_NAMES[column].index(level)
    return reached.groupby(coded["student"]).mean()


def _network(run: RunTables, t: Words) -> Section:
    network = run.results["network"]
    accepted = run.requests[run.requests["status"] == "accepted"]
    told = t(
        "report.network",
        taken=len(accepted),
        asked=len(run.requests),
        nodes=network.get("nodes", 0),
        edges=network.get("edges", 0),
        density=write(network.get("density"), NUMBER),
        degree=write(network.get("average_degree"), NUMBER),
    )
    counts = Counter(zip(accepted["sender"], accepted["receiver"], strict=True))
    heads = columns(t("report.column.sender"), t("report.column.receiver"), (t("report.column.count"), COUNT))
    pairs = Table(heads, [(*pair, times) for pair, times in counts.most_common()], most=_PAIRS)
    words = chart_words(run.language)
    draw = partial(charts.interaction_network, run.room, run.requests, words=words)
    return _drawn("network", t, draw, told, *([pairs] if counts else []))


def _equity(equity: Mapping[str, Any], t: Words) -> Iterator[str]:
    gini = {kind: write(equity.get(f"gini_{name}"), NUMBER) for kind, name in _GINI.items()}
    yield t("report.gini", **gini)
    seats = equity.get("participation_by_seat") or {}
    shown = [
        f"{t[f'report.zone.{zone}']} {write(share, SHARE)}"
        for zone, share in seats.items()
        if isinstance(share, (int, float))
    ]
    if shown:
        yield t("report.by_seat", shown=t.listed(shown))


_GINI = {"turns": "speaking_turns", "attention": "teacher_attention"}


def _phases(teacher: pd.DataFrame, t: Words) -> Table:
    rows = []
    for (lesson, phase), part in teacher.groupby(["lesson", "phase"], sort=False):
        acts = part.loc[part["act"] != "", "act"].value_counts()
        shown = t.listed(f"{t.code(str(act))} {times}" for act, times in acts.items())
        why = reason_of(str(part["pacing_reason"].iloc[-1]), t)
        rows.append((str(lesson), t.code(str(phase)), len(part), shown, why))
    lesson, phase, steps, acts_head, why = (
        t[f"report.column.{name}"] for name in ("lesson", "phase", "steps", "acts", "why")
    )
    return Table(columns(lesson, phase, (steps, COUNT), acts_head, why), rows)


def _transcript(sentences: pd.DataFrame, t: Words) -> Transcript:
    """Return all that was said. The excerpt begins where the teacher asks something in the middle of the run, and stays
    in its lesson."""
    said = [
        Said(
            lesson=str(row["lesson"]),
            step=int(row["step"]),
            speaker=str(row["speaker"]),
            text=str(row["text"]),
            move=t.code(str(row["move"])),
            by_teacher=row["role"] == "T",
            channel=str(row["channel"]),
        )
        for row in sentences.to_dict("records")
    ]
    heard = [place for place, channel in enumerate(sentences["channel"]) if channel == "class"]
    moves = list(sentences["move"])
    asked = [place for place in heard if moves[place] in INITIATING_MOVES]
    if not asked:
        return Transcript(said, ())
    start = asked[len(asked) // 2]
    shown = [place for place in heard if place >= start][:_EXCERPT]
    return Transcript(said, [place for place in shown if said[place].lesson == said[start].lesson])


def _answers(run: RunTables, t: Words) -> Iterator[Section]:
    """Yield how the answers came, the language models that gave them, and what could not be done."""
    counted = [count_outcomes(run.results["outcomes"], t), t("report.wishes", n=len(run.rejections))]
    refused: list[Block] = []
    if len(run.rejections):
        said = run.rejections.assign(reason=[reason_of(str(reason), t) for reason in run.rejections["reason"]])
        refused.append(_table(said, t, folded=t("report.page.refused", n=len(said))))
    yield Section(t("report.page.answers"), [*counted, *refused])
    if "models" in run.results:
        use = run.results["models"]
        reasons: list[Block] = [t("report.page.as_it_came")]
        if use["reasons"]:
            reasons = [t("report.models.reasons"), _table(pd.DataFrame(use["reasons"]), t, most=_REASONS)]
        yield Section(t("report.head.models"), [*use_lines(use, t), *reasons])


def _table(rows: pd.DataFrame, t: Words, folded: str = "", most: int = 0) -> Table:
    """Return the rows as they are, with codes in words; folded where a terminal has none of them."""
    names = [str(column) for column in rows.columns]
    cells = [
        [t.code(str(cell)) if name in _CODES else str(cell) for name, cell in zip(names, row, strict=True)]
        for row in rows.itertuples(index=False, name=None)
    ]
    return Table(columns(*(t[f"report.column.{name}"] for name in names)), cells, most=most, folded=folded)


def count_outcomes(outcomes: dict[str, int], t: Words) -> str:
    """Return the number of answers by status, in words."""
    return t.listed(t(f"report.status.{status}", n=number) for status, number in outcomes.items())


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
    told = t.listed(shown)
    return t("report.models.named", told=told) if told else ""


def _sources(sources: Mapping[str, int], t: Words) -> str:
    """Return the number of answers by source, in words."""
    told = (t("report.models.source", count=count, source=t.code(source)) for source, count in sources.items())
    return t("report.models.sources", told=t.listed(told))


# --- several runs ---

_CLASS = ("bec.", "irf.", "equity.", "network.")
_IN_A_LINE = ("bec.b_offtask", "bec.e_positive", "bec.c_high", "irf.irf")
"""Measures that are told of each single run."""


def seeds_report(scenario: Scenario, measured: Sequence[Measured], warnings: Sequence[str] = ()) -> Report:
    """Return the report of a scenario's runs with several seeds: each of them, then their means."""
    t = words_in(scenario.lessons[0].language)
    say = saying(chart_words(t.language))
    called = spoken(_IN_A_LINE, say)
    shares = ((called[name], SHARE) for name in _IN_A_LINE)
    heads = columns(t("report.fact.run"), t("report.fact.seed"), *shares)
    runs = [(one.run, str(one.seed), *(one.numbers.get(name) for name in _IN_A_LINE)) for one in measured]
    table = summaries([Arm("", tuple(measured))])
    of_class = table["measure"].str.startswith(_CLASS) & ~table["measure"].str.startswith("network.students.")
    said = spoken(table.loc[of_class, "measure"], say)
    means = [
        (said[row["measure"]], row["mean"], Interval(row["mean"], row["low"], row["high"], len(runs)))
        for row in table[of_class].to_dict("records")
    ]
    mean, interval = ((t(f"report.seeds.{name}"), NUMBER) for name in ("mean", "interval"))
    few = told_few(len({one.seed for one in measured}), t)
    sections = [
        Section(t("report.seeds.runs"), [Table(heads, runs)]),
        Section(
            t("report.seeds.means"),
            [t("report.seeds.how"), Table(columns(t("report.seeds.measure"), mean, interval), means), few],
        ),
    ]
    title = t("report.seeds.title", name=title_of("scenario", scenario, t), n=len(measured))
    return Report(title, sections, warnings=warnings, language=t.language)


def told_few(seeds: int, t: Words) -> str:
    """Return the remark beside intervals over so few seeds; empty where there are enough."""
    return t("report.seeds.few", n=seeds, least=FEW) if seeds < FEW else ""


_SHOWN = 12
"""Rows of a table at most in a terminal."""


def fork_report(
    parent: str, fork: str, changes: Sequence[Intervention], difference: pd.DataFrame, warnings: Sequence[str] = ()
) -> Report:
    """Return the change, then what differs: for the student it was made to, for the class, for the others."""
    told = [f"from step {change.step} of lesson {change.lesson} on: {change}" for change in changes]
    facts = {"forked from": parent, **({"changed": "; ".join(told)} if told else {})}
    moved = difference[difference["difference"].abs() > 0]
    names = list(dict.fromkeys(name for change in changes if (name := getattr(change, "student", ""))))
    about = {name: moved["measure"].str.startswith(f"student.{name}.") for name in names}
    of_class = moved["measure"].str.startswith(_CLASS) & ~moved["measure"].str.startswith("network.students.")
    others = moved["measure"].str.startswith("student.")
    for rows in about.values():
        others &= ~rows
    parts = {**about, "The class": of_class, "Other students": others}
    sections = [Section(title, [_difference(moved[rows], f"{title}: ")]) for title, rows in parts.items() if rows.any()]
    last = (
        "Nothing differs: the change made no difference, or changed nothing."
        if moved.empty
        else "One pair of runs is one sample: repeat it over seeds before you believe it."
    )
    return Report(fork, [*sections, Section("", [last])], facts, warnings)


def _difference(rows: pd.DataFrame, prefix: str) -> Table:
    """Return the measures that differ, those that differ most first."""
    order = rows["difference"].abs().sort_values(ascending=False, kind="stable").index
    called = spoken(rows["measure"], saying(None))
    shown = [
        (called[row["measure"]].removeprefix(prefix), row["before"], row["after"], row["difference"])
        for row in rows.loc[order].to_dict("records")
    ]
    heads = columns("measure", ("before", NUMBER), ("after", NUMBER), ("difference", SIGNED))
    return Table(heads, shown, most=_SHOWN)
