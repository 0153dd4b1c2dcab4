"""Mistakes that were said in a group, each with the sentence on which it rests: a reader sees whether it is one."""

from __future__ import annotations

from collections.abc import Sequence

from eduverse_mesa.formulas import read_quantity
from eduverse_mesa.models.collaboration.journal import ErrorRow
from eduverse_mesa.models.collaboration.ledger import CHOICE
from eduverse_mesa.models.collaboration.model import CollaborationModel
from eduverse_mesa.scenarios.task_schema import schema_of
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.teacher.outcomes import phrase_of
from eduverse_mesa.visualization.mathematics.teacher.parts import table
from eduverse_mesa.visualization.mathematics.typesetting import math

MADE = ("introduced", "adopted")
_HAPPENED = {
    "introduced": "event.introduced",
    "adopted": "event.adopted",
    "noticed": "event.noticed",
    "corrected": "event.corrected",
    "dropped": "event.dropped",
}
"""What it is called on a page."""


def says(model: CollaborationModel, kept: str) -> str:
    """A quantity of the journal, in words."""
    schema = schema_of(model.problem)
    return schema.says(read_quantity(kept, schema.units), model.problem.language)


def said_mistakes(ask: Ask, model: CollaborationModel) -> Markup | None:
    """What happened to mistakes in a dialogue, in turn."""
    rows: list[list[object]] = [
        [
            tag("a", row.turn, href=f"?step={row.turn}"),
            _happened(ask, row),
            ask.teach("the_choice") if row.variable == CHOICE else phrase_of(model.problem, row.variable),
            row.value if row.variable == CHOICE else says(model, row.value),
            tag("q", math(row.words)),
        ]
        for row in model.journal.errors
    ]
    if not rows:
        return None
    heads = [
        ask.teach("message"), ask.teach("happened"), ask.say("teach.quantity"), ask.teach("value"), ask.teach("words"),
    ]  # fmt: skip
    why = tag("p", ask.teach("mistakes_why"), class_="ev-quiet")
    return tag("section", tag("h2", ask.teach("mistakes")), why, table(heads, rows, id="mistakes"), class_="ev-card")


def _happened(ask: Ask, row: ErrorRow) -> str:
    if row.event == "corrected" and row.of == row.by:
        return ask.teach("event.corrected_alone", of=row.of)
    return ask.teach(_HAPPENED[row.event], of=row.of, by=row.by)


def pupils_mistakes(ask: Ask, found: Sequence[tuple[str, str, ErrorRow]]) -> Markup | None:
    """The mistakes that pupils made in a set: the problem's title, the run and the row of each."""
    rows: list[list[object]] = [
        [title, tag("a", row.turn, href=f"/transcripts/{run}?step={row.turn}"), tag("q", math(row.words))]
        for title, run, row in found
    ]
    if not rows:
        return None
    heads = [ask.teach("count.problem"), ask.teach("message"), ask.teach("words")]
    why = tag("p", ask.teach("mistakes_why"), class_="ev-quiet")
    title = tag("h2", ask.teach("pupils_mistakes"))
    return tag("section", title, why, table(heads, rows, id="mistakes"), class_="ev-card")
