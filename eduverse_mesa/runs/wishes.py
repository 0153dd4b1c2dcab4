"""How many of a policy's wishes gave way to something else, to what, and why."""

from __future__ import annotations

from collections import Counter
from typing import Any

from eduverse_mesa.models.classroom.plan import TURNS
from eduverse_mesa.runs.play import Run

OFTEN = 0.05
"""From this share of its wishes on, what a policy wants and what its students do are two things: reports warn."""
_WISHING = ("plan", "react")
_TOLD = 3


def wishes_of(run: Run) -> list[dict[str, Any]]:
    """For each source of answers its wishes, how many of them gave way, and to what and why, the most frequent first.

    To wait for one's turn is no wish that gave way: it was open, and somebody else was quicker.
    """
    wished: Counter[str] = Counter()
    gone: dict[str, Counter[tuple[str, str, str]]] = {}
    for lesson in run.lessons:
        journal = lesson.model.journal
        refused = {(row.step, row.agent): row for row in reversed(journal.rejections) if row.reason not in TURNS}
        for entry in journal.answers:
            if entry.kind not in _WISHING or entry.answer.outcome is None:
                continue
            source = entry.answer.source
            wished[source] += 1
            row = refused.get((entry.step, entry.agent))
            if row is not None and row.wanted == entry.answer.outcome.behaviour:
                gone.setdefault(source, Counter())[row.wanted, row.replaced_by, row.reason] += 1
    return [_told(source, wishes, gone.get(source, Counter())) for source, wishes in sorted(wished.items())]


def _told(source: str, wishes: int, gone: Counter[tuple[str, str, str]]) -> dict[str, Any]:
    number = gone.total()
    reasons = [
        {"wanted": wanted, "replaced_by": instead, "reason": reason, "count": count}
        for (wanted, instead, reason), count in sorted(gone.items(), key=lambda item: (-item[1], item[0]))
    ]
    share = number / wishes
    return {
        "policy": source,
        "wishes": wishes,
        "gave_way": number,
        "share": share,
        "warning": _warning(source, wishes, number, reasons) if share > OFTEN else None,
        "reasons": reasons,
    }


def _warning(source: str, wishes: int, number: int, reasons: list[dict[str, Any]]) -> str:
    told = [
        f"{one['count']} x {one['wanted']} became {one['replaced_by']} ({one['reason']})"
        if one["wanted"] != one["replaced_by"]
        else f"{one['count']} x {one['wanted']} to another ({one['reason']})"
        for one in reasons[:_TOLD]
    ]
    more = f"; and {len(reasons) - _TOLD} other reasons" if len(reasons) > _TOLD else ""
    return (
        f"{number} of {wishes} wishes of policy {source} gave way ({number / wishes:.0%}): {'; '.join(told)}{more}. "
        "What its students do is not what it decides: choose from Plan.permitted and Plan.partners."
    )
