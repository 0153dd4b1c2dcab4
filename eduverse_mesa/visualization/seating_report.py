"""Seating advice as text."""

from __future__ import annotations

from eduverse_mesa.experiments.seating import GOALS, Advice
from eduverse_mesa.measures.intervals import Interval

_SAID = {
    "better": "A better plan was found.",
    "not better": "No plan was found to be better than the present one.",
    "as asked": "A plan was found that keeps what was asked. It is not shown to be better otherwise.",
}


def render_advice(advice: Advice) -> str:
    """The verdict, what is gained, and who moves."""
    request = advice.request
    lines = [_SAID[advice.verdict], f"  objective: {request.objective}"]
    lines += [f"  kept: {constraint}" for constraint in request.constraints]
    lines += [f"  the present plan does not keep: {constraint}" for constraint in advice.broken]
    lines += [f"  layout {name} was not tried: {why}" for name, why in advice.left_out.items()]
    lines += ["", f"{'':<14} {'present':>8} {'found':>8} {'gain':>8}   95 % interval"]
    for goal in GOALS:
        before, after = advice.levels[goal]
        lines.append(f"{goal:<14} {before:>8.3f} {after:>8.3f} {_gain(advice.gains[goal])}")
    if len(request.objective.weights) > 1:
        lines.append(f"{'objective':<14} {'':>8} {'':>8} {_gain(advice.gain)}")
    lines += [
        "",
        f"Judged on {request.seeds} pairs of runs of the same luck, which the search had not seen; {advice.played} "
        "runs in all.",
    ]
    if advice.adopted:
        lines += ["", f"Layout {advice.plan.layout}. Who moves:"]
        lines += [f"  {move.student:<24} {move.before!s:<10} -> {move.after}" for move in advice.moves]
    return "\n".join(lines)


def _gain(interval: Interval) -> str:
    return f"{interval.mean:>+8.3f}   {interval.low:+.3f} .. {interval.high:+.3f}"
