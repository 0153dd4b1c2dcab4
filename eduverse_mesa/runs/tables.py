"""A run as tidy tables, and as the one document that `eduverse run --json` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from eduverse_mesa.decisions import STATUSES, Bill
from eduverse_mesa.measures import measure_run
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.floor import TURNS
from eduverse_mesa.models.classroom.journal import RejectionRow, RequestRow, SentenceRow, StudentRow, TeacherRow
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.recording import Until

OFTEN = 0.05
"""The share of its wishes from which on what a policy wants and what its students do are two things: reports warn."""
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
        f"{number} of {wishes} actions that policy {source} chose ({number / wishes:.0%}) were not possible at that "
        f"moment and became others: {'; '.join(told)}{more}. So what its students do is not what it decides: choose "
        "from Plan.permitted and Plan.partners."
    )


_DOLLARS = 9
"""Decimals: the last digits of a sum depend on the order in which answers came."""
_NOT_SCORED = float("nan")


class Tables(NamedTuple):
    """The tidy tables of a run or of a lesson."""

    sentences: pd.DataFrame
    student_steps: pd.DataFrame
    teacher_steps: pd.DataFrame
    requests: pd.DataFrame
    rejections: pd.DataFrame


def tables(models: Iterable[ClassroomModel]) -> Tables:
    """The tables of some lessons, one below the other."""
    played = list(models)
    return Tables(
        _frame(SentenceRow, (row for model in played for row in model.journal.sentences)),
        _frame(StudentRow, (row for model in played for row in model.journal.students)),
        _frame(TeacherRow, (row for model in played for row in model.journal.teacher)),
        _frame(RequestRow, (row for model in played for row in _request_rows(model))),
        _frame(RejectionRow, (row for model in played for row in model.journal.rejections)),
    )


def run_tables(run: Run) -> Tables:
    """The tables of a whole run."""
    return tables(lesson.model for lesson in run.lessons)


def _frame(row: type[Any], rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=row._fields)


def _request_rows(model: ClassroomModel) -> Iterator[RequestRow]:
    for entry in model.state.requests.all:
        request, scores = entry.request, entry.scores
        given = scores.scores if scores is not None else (_NOT_SCORED,) * 5
        personality, confidence, relevance, history, closeness = given
        yield RequestRow(
            lesson=model.lesson.name,
            made=request.step,
            settled=entry.settled,
            sender=request.sender,
            receiver=request.receiver,
            kind=request.kind,
            status=entry.status,
            reason=entry.reason,
            intention=scores.intention if scores is not None else _NOT_SCORED,
            personality=personality,
            confidence=confidence,
            relevance=relevance,
            history=history,
            closeness=closeness,
        )


def count_outcomes(run: Run) -> dict[str, int]:
    """How the answers of a run came: ok, repaired, fallback, failed."""
    counted = Counter(entry.answer.status for entry in run.answers())
    return {status: counted[status] for status in STATUSES}


def model_use(run: Run) -> dict[str, Any] | None:
    """Return what language models took, and why some of their answers were not used; None where none was asked."""
    counted: Counter[tuple[str, str, str, str]] = Counter()
    for entry in run.answers():
        answer = entry.answer
        if answer.status != "ok":
            counted[answer.source, answer.status, entry.kind, answer.reason] += 1
    bill = bill_of(run)
    sources = Counter(entry.answer.source for entry in run.answers())
    if not bill.requests and not counted and set(sources) <= {"embedded"}:
        return None
    llm = run.spec.scenario.settings.llm
    return {
        "model": llm.model,
        "endpoint": llm.base_url,
        "fidelity": llm.fidelity,
        "sources": dict(sorted(sources.items())),
        "answered": _answered(run),
        "named": _named(run),
        "renamed": bill.renamed,
        **bill_document(bill),
        "reasons": [
            {"source": source, "status": status, "kind": kind, "reason": reason, "count": count}
            for (source, status, kind, reason), count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        ],
    }


def bill_of(run: Run) -> Bill:
    """Return the bill of model servers for a run: that of its ledger, or where none was kept, what its answers tell."""
    if run.bill is not None:
        return run.bill
    return Bill.of(entry.answer.usage for entry in run.answers() if entry.answer.usage is not None)


def bill_document(bill: Bill) -> dict[str, Any]:
    """A bill as documents have it: what was told, and how much nobody told."""
    told = bill.requests > bill.untold and bill.tokens > 0
    bill = bill.closed()
    return {
        "calls": bill.requests,
        "failed_calls": bill.failed,
        "tokens_in": bill.tokens_in if told or not bill.untold else None,
        "tokens_out": bill.tokens_out if told or not bill.untold else None,
        "prefix_hits": bill.tokens_cached / bill.tokens_in if bill.tokens_in else None,
        "cost_usd": None if bill.cost is None else round(bill.cost, _DOLLARS),
        **({"unpriced_calls": bill.unpriced} if bill.unpriced and bill.cost is not None else {}),
        "untold": {
            "calls": bill.untold,
            "broken_off": bill.lost,
            "tokens_at_most": bill.most_tokens,
            "usd_at_most": round(bill.most_usd, _DOLLARS),
        },
    }


def _named(run: Run) -> list[dict[str, Any]]:
    """The models that have answered, as their servers name them, and where each was met first and last."""
    spans: dict[str, tuple[Until, Until]] = {}
    answers: Counter[str] = Counter()
    for entry in run.answers():
        place = entry.lesson, max(1, entry.step)
        for name in entry.answer.usage.models if entry.answer.usage is not None else ():
            spans[name] = spans.get(name, (place, place))[0], place
            answers[name] += 1
    return [
        {"model": name, "first": f"{first[0]}:{first[1]}", "last": f"{last[0]}:{last[1]}", "answers": answers[name]}
        for name, (first, last) in spans.items()
    ]


def _answered(run: Run) -> dict[str, list[str]]:
    """The first and the last step in which each source has answered. A run that was resumed with another policy bears
    the name of the one that it was begun with: here it says who answered from where on."""
    spans: dict[str, tuple[Until, Until]] = {}
    for entry in run.answers():
        place = entry.lesson, max(1, entry.step)  # what is asked before the first step belongs to it
        spans[entry.answer.source] = spans.get(entry.answer.source, (place, place))[0], place
    return {source: [f"{lesson}:{step}" for lesson, step in span] for source, span in sorted(spans.items())}


def results(run: Run, made: Tables | None = None) -> dict[str, Any]:
    """The document of a run: run, seed, steps, bec, irf, network, equity, outcomes, wishes (docs/reference/json.md)."""
    made = made or run_tables(run)
    board = run.lessons[0].model.placing.room.board if run.lessons else None
    measured = measure_run(made.student_steps, made.teacher_steps, made.requests, made.sentences, board)
    use = model_use(run)
    return {
        "run": run.id,
        "seed": run.spec.seed,
        "steps": run.steps,
        **measured,
        "outcomes": count_outcomes(run),
        "wishes": wishes_of(run),
        **({} if use is None else {"models": use}),
    }


_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Signs with which a formula starts. Where Chinese is written, spreadsheets take the wide signs for the narrow ones."""


def as_csv(table: pd.DataFrame) -> bytes:
    """The bytes of a file: UTF-8 with the mark by which spreadsheets know it, and the same lines on every machine."""
    return _lines(table).encode("utf-8-sig")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table to a new file."""
    path.write_bytes(as_csv(table))


def append_csv(table: pd.DataFrame, path: Path) -> None:
    """Put more rows below those of a file that `write_csv` has begun."""
    with path.open("ab") as file:
        file.write(_lines(table, header=False).encode())


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """The table with no cell that a spreadsheet would take for a formula: such texts get an apostrophe in front."""
    safe = table.copy()
    for column in safe.columns:
        if safe[column].dtype == object:
            safe[column] = [no_formula(cell) if isinstance(cell, str) else cell for cell in safe[column]]
    return safe


def no_formula(cell: str) -> str:
    """The text as a spreadsheet takes it for a text."""
    return f"'{cell}" if cell.startswith(_STARTS_A_FORMULA) else cell


def _lines(table: pd.DataFrame, *, header: bool = True) -> str:
    text: str = as_text(table).to_csv(index=False, header=header, lineterminator="\n")
    return text
