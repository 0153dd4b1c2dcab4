"""The end report of a run for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pandas as pd

from eduverse_mesa.measures.codes import INITIATING_MOVES, LEVEL_NAMES, LEVELS
from eduverse_mesa.visualization.tables import RunTables

_BAR = 24
_EXCERPT = 12
_WORDS = {
    "b_offtask": "off task",
    "b_passive": "passive",
    "b_active": "active",
    "b_interactive": "interactive",
    "e_positive": "positive",
    "e_confused": "confused",
    "e_negative": "negative",
    "c_low": "lower order",
    "c_high": "higher order",
}
_IRF = {
    "i": "the teacher asked or opened a discussion in this share of steps",
    "r": "of the class responded, on average over steps",
    "f": "of the class got individual feedback, on average over steps",
    "irf": "of steps had initiation, response and feedback",
}


def render_text(run: RunTables, width: int = 100) -> str:
    """Who did what, states, discourse, network, equity, and how the answers came."""
    parts = [_head(run)]
    if run.student_steps.empty:
        parts.append(["Nothing has happened yet."])
    else:
        parts += [
            _warning(run.results["outcomes"]),
            _states(run.results["bec"]),
            _discourse(run.results["irf"]),
            ["WHO DID WHAT", *_students(run, width)],
            _network(run),
            _equity(run.results["equity"]),
            _phases(run.teacher_steps),
            _excerpt(run.sentences, width),
        ]
    parts.append(_outcomes(run.results["outcomes"], len(run.rejections)))
    if "models" in run.results:
        parts.append(_models(run.results["models"]))
    return "\n".join("\n".join(part) + "\n" for part in parts if part).rstrip("\n")


def _head(run: RunTables) -> list[str]:
    longest = max((len(name) for name in run.facts), default=0)
    return [run.title, "=" * len(run.title), *(f"{name:<{longest}}  {value}" for name, value in run.facts.items())]


def _warning(outcomes: dict[str, int]) -> list[str]:
    if not outcomes.get("failed") and not outcomes.get("fallback"):
        return []
    return [
        f"!! {outcomes.get('failed', 0)} answers failed and {outcomes.get('fallback', 0)} came from a fallback: "
        "read what follows with that in mind."
    ]


def _bar(share: float) -> str:
    return "#" * round(share * _BAR)


def _states(bec: dict[str, Any]) -> list[str]:
    lines = ["STATES (share of all student-steps)"]
    for code, words in _WORDS.items():
        share = bec.get(code)
        if code in ("e_positive", "c_low"):
            lines.append("")
        lines.append(f"  {words:<13} {_number(share)} {_bar(share or 0.0)}")
    return lines


def _discourse(irf: dict[str, Any]) -> list[str]:
    return ["DISCOURSE", *(f"  {code:<4} {_number(irf.get(code))}  {words}" for code, words in _IRF.items())]


def _students(run: RunTables, width: int) -> list[str]:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1))
    columns = (
        "student",
        "off task",
        "passive",
        "active",
        "interact.",
        "positive",
        "higher",
        "spoke",
        "called",
        "feedback",
    )
    for name in columns:
        table.add_column(name, justify="left" if name == "student" else "right", no_wrap=True)
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


def _network(run: RunTables) -> list[str]:
    network = run.results["network"]
    accepted = run.requests[run.requests["status"] == "accepted"]
    lines = [
        "WHO TALKED WITH WHOM (requests that were taken up)",
        f"  {len(accepted)} of {len(run.requests)} requests taken up; {network.get('nodes', 0)} students, "
        f"{network.get('edges', 0)} pairs, density {_number(network.get('density'))}, "
        f"mean degree {_number(network.get('average_degree'))}",
    ]
    counts = Counter(zip(accepted["sender"], accepted["receiver"], strict=True))
    lines += [f"  {sender} -> {receiver}  {'*' * times}" for (sender, receiver), times in counts.most_common()]
    return lines


def _equity(equity: dict[str, Any]) -> list[str]:
    lines = [
        "EQUITY",
        f"  Gini of speaking turns {_number(equity.get('gini_speaking_turns'))}, "
        f"of the teacher's attention {_number(equity.get('gini_teacher_attention'))} (0 even, 1 all to one)",
    ]
    seats = equity.get("participation_by_seat") or {}
    shown = [f"{zone} {_number(share)}" for zone, share in seats.items() if isinstance(share, (int, float))]
    if shown:
        lines.append(f"  participation by seat: {', '.join(shown)}")
    return lines


def _phases(teacher: pd.DataFrame) -> list[str]:
    lines = ["THE LESSON"]
    for (lesson, phase), rows in teacher.groupby(["lesson", "phase"], sort=False):
        acts = rows.loc[rows["act"] != "", "act"].value_counts()
        shown = ", ".join(f"{str(act).replace('_', ' ')} {times}" for act, times in acts.items())
        lines.append(f"  {lesson} {phase} ({len(rows)} steps): {shown}")
        lines.append(f"      {rows['pacing_reason'].iloc[-1]}")
    return lines


def _excerpt(sentences: pd.DataFrame, width: int) -> list[str]:
    heard = sentences[sentences["channel"] == "class"]
    asked = [place for place, move in enumerate(heard["move"]) if move in INITIATING_MOVES]
    if not asked:
        return []
    start = asked[len(asked) // 2]
    lines = ["FROM THE TRANSCRIPT"]
    for row in heard.iloc[start : start + _EXCERPT].itertuples():
        line = f"  {row.step:>3} {row.speaker}: {' '.join(str(row.text).split())}"
        lines.append(line if len(line) <= width else line[: width - 3] + "...")
    return lines


def _outcomes(outcomes: dict[str, int], rejections: int) -> list[str]:
    counted = ", ".join(f"{number} {status}" for status, number in outcomes.items())
    wishes = "1 wish" if rejections == 1 else f"{rejections} wishes"
    return [f"ANSWERS  {counted}; {wishes} could not be and had to give way"]


def _number(value: float | None) -> str:
    return "    -" if value is None or value != value else f"{value:5.3f}"


_REASONS = 8


def _models(use: dict[str, Any]) -> list[str]:
    """What language models took, and what was wrong with their answers."""
    told = ", ".join(f"{count} from {source}" for source, count in use["sources"].items())
    lines = ["LANGUAGE MODELS", f"  answers: {told}"]
    read, written, hits, cost = use["tokens_in"], use["tokens_out"], use["prefix_hits"], use["cost_usd"]
    lines.append(
        f"  {use['calls']} calls"
        + (f", {read} tokens read, {written} written" if read is not None else ", tokens not told")
        + (f"; the server still had {hits:.0%} of what it read" if hits is not None else "")
        + (f"; {cost:.4f} USD" if cost is not None else "")
    )
    lines += [
        f"  {reason['count']} x {reason['kind']} {reason['status']}: {reason['reason']}"
        for reason in use["reasons"][:_REASONS]
    ]
    if len(use["reasons"]) > _REASONS:
        lines.append(f"  and {len(use['reasons']) - _REASONS} other reasons (--json lists them)")
    return lines
