"""The end report of a run for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import pandas as pd
from rich.cells import cell_len

from eduverse_mesa.measures.codes import INITIATING_MOVES, LEVEL_NAMES, LEVELS
from eduverse_mesa.visualization.columns import left
from eduverse_mesa.visualization.tables import RunTables
from eduverse_mesa.visualization.words import Words, load_words
from eduverse_mesa.visualization.words.reasons import reason_of

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
    """Who did what, states, discourse, network, equity, and how the answers came; in the run's language."""
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
    counted = f"{count_outcomes(outcomes, t)}; {t('report.wishes', n=rejections)}"
    return [t("report.answers", counted=counted)]


def count_outcomes(outcomes: dict[str, int], t: Words) -> str:
    """How many answers came how."""
    return t("report.comma").join(t(f"report.status.{status}", n=number) for status, number in outcomes.items())


def _number(value: float | None) -> str:
    return "    -" if value is None or value != value else f"{value:5.3f}"


_REASONS = 8


def _models(use: dict[str, Any], t: Words) -> list[str]:
    """What language models took, and what was wrong with their answers."""
    lines = [t("report.head.models"), f"  {t('report.models.sources', told=count_sources(use['sources'], t))}"]
    lines += [f"  {line}" for line in bill_lines(use, t)]
    if names := count_names(use, t):
        lines.append(f"  {names}")
    lines += [f"  {t('report.models.reason', **reason)}" for reason in use["reasons"][:_REASONS]]
    if len(use["reasons"]) > _REASONS:
        lines.append(f"  {t('report.models.more', n=len(use['reasons']) - _REASONS)}")
    return lines


def bill_lines(use: Mapping[str, Any], t: Words) -> list[str]:
    """What language models took, and how much of it nobody told."""
    read, written, hits, cost = use["tokens_in"], use["tokens_out"], use["prefix_hits"], use["cost_usd"]
    tokens = t("report.models.untold") if read is None else t("report.models.tokens", read=read, written=written)
    taken = (
        t("report.models.calls", calls=use["calls"])
        + (t("report.models.failed", n=use["failed_calls"]) if use["failed_calls"] else "")
        + f", {tokens}"
        + (f"; {t('report.models.hits', share=f'{hits:.0%}')}" if hits is not None else "")
        + (f"; {cost:.4f} USD" if cost is not None else "")
    )
    return [taken, *told_of_untold(use, t)]


def told_of_untold(use: Mapping[str, Any], t: Words) -> list[str]:
    """How many calls did not tell what they took; what they took at most is an estimate, and told as one."""
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
    """Which models have answered, as their servers name them; empty where none did."""
    shown = (t("report.models.name", model=one["model"], n=one["answers"]) for one in use["named"])
    told = t("report.comma").join(shown)
    return t("report.models.named", told=told) if told else ""


def count_sources(sources: dict[str, int], t: Words) -> str:
    """How many answers came from whom."""
    told = (t("report.models.source", count=count, source=t.code(source)) for source, count in sources.items())
    return t("report.comma").join(told)
