"""Counts of a set, and the mistakes that were said in a group, each with its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from starlette.responses import Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.formulas import read_quantity
from eduverse_mesa.measures.groups import corrections, dialogue_sizes, error_counts, talk_shares
from eduverse_mesa.models.groups.journal import CHOICE, ErrorRow, MessageRow, RevisionRow, StageRow
from eduverse_mesa.models.groups.model import CollaborationModel
from eduverse_mesa.pupils.markup import Markup, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.student import titles_of
from eduverse_mesa.pupils.teacher.journals import Told
from eduverse_mesa.pupils.teacher.outcomes import phrase_of
from eduverse_mesa.pupils.teacher.parts import NOTHING, my_set, navigation, table
from eduverse_mesa.pupils.typesetting import math
from eduverse_mesa.scenarios.word_problem import schema_of
from eduverse_mesa.store import AssignmentRow
from eduverse_mesa.store.classwork import Progress, progress_of

MADE = ("introduced", "adopted")
_HAPPENED = {
    "introduced": "event.introduced",
    "adopted": "event.adopted",
    "noticed": "event.noticed",
    "corrected": "event.corrected",
    "dropped": "event.dropped",
}
"""Words for what happened to a mistake, by event."""


def says(model: CollaborationModel, kept: str) -> str:
    """A quantity of the journal, in words."""
    schema = schema_of(model.problem)
    return schema.says(read_quantity(kept, schema.units), model.problem.language)


def said_mistakes(ask: Ask, model: CollaborationModel) -> Markup | None:
    """Return the table of what happened to mistakes in a dialogue, in turn; None where there were none."""
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


class Journals(NamedTuple):
    """The journals of a set, each dialogue with its run; `unread` of them another version has recorded."""

    talks: list[tuple[Progress, Told]]
    unread: int

    def table(self, kind: str, columns: Sequence[str], problem: str = "") -> pd.DataFrame:
        """Rows of one kind, of all dialogues or those about a problem; `dialogue` tells one from another."""
        rows = [
            (one.talk.run, *row)
            for one, told in self.talks
            for row in getattr(told.journal, kind)
            if not problem or one.talk.problem == problem
        ]
        return pd.DataFrame(rows, columns=["dialogue", *columns])


TABLES: dict[str, Sequence[str]] = {
    "messages": MessageRow._fields,
    "stages": StageRow._fields,
    "errors": ErrorRow._fields,
    "revisions": RevisionRow._fields,
}


HEADS = (
    "problem", "dialogues", "solved", "right", "turns", "own_share", "introduced", "noticed", "by_students", "by_peers",
    "open",
)  # fmt: skip


def journals(ask: Ask, row: AssignmentRow) -> Journals:
    """All that was said in a set, with what it meant."""
    found: list[tuple[Progress, Told]] = []
    unread = 0
    for one in progress_of(ask.study, row.id):
        try:
            found.append((one, ask.site.told(one)))
        except EduverseError:
            unread += 1
    return Journals(found, unread)


def counted(ask: Ask) -> Response:
    """The page."""
    row, _ = my_set(ask)
    all_of_it = journals(ask, row)
    unread = tag("p", ask.teach("unread", n=all_of_it.unread), class_="ev-bad") if all_of_it.unread else None
    heads = [ask.teach(f"count.{one}") for one in HEADS]
    lines = [_line(all_of_it, name, title) for name, title in titles_of(row)]
    return ask.page(
        ask.teach("counted_title", title=row.title),
        navigation(ask),
        tag("p", tag("a", ask.say("back"), href=f"/sets/{row.id}")),
        unread,
        tag("section", tag("h2", ask.teach("per_problem")), tag("p", ask.teach("counted_why"), class_="ev-quiet"),
            table(heads, lines, id="counted"), class_="ev-card"),
        pupils_mistakes(ask, _mistakes(all_of_it, dict(titles_of(row)))),
        tag("section", tag("h2", ask.say("teach.corrected")), _who_corrected(ask, all_of_it), class_="ev-card"),
    )  # fmt: skip


def _line(of: Journals, problem: str, title: str) -> list[object]:
    mine = [(one, told) for one, told in of.talks if one.talk.problem == problem]
    if not mine:
        return [title, 0, *[NOTHING] * (len(HEADS) - 2)]
    messages = of.table("messages", MessageRow._fields, problem)
    errors = of.table("errors", ErrorRow._fields, problem)
    dialogues = pd.DataFrame({"dialogue": [one.talk.run for one, _ in mine]})
    events = error_counts(errors, dialogues)
    people = {(one.talk.run, name) for one, told in mine for name in told.people}
    fixed = errors[errors["event"] == "corrected"]
    by_students = sum((run, who) in people for run, who in zip(fixed["dialogue"], fixed["by"], strict=True))
    turns = dialogue_sizes(messages)["turns"].mean() if len(messages) else 0.0
    made = events["introduced"].sum() + events["adopted"].sum()
    cells: list[Any] = [
        len(mine),
        sum(one.over and told.solved for one, told in mine),
        sum(told.right for _, told in mine),
        f"{turns:.1f}",
        f"{_own_share(messages):.0%}",
        int(made),
        int(events["noticed"].sum()),
        by_students,
        len(fixed) - by_students,
        int(events["open"].clip(lower=0).sum()),
    ]
    return [title, *cells]


def _mistakes(of: Journals, titles: Mapping[str, str]) -> list[tuple[str, str, ErrorRow]]:
    """Those that pupils made."""
    return [
        (titles[one.talk.problem], one.talk.run, row)
        for one, told in of.talks
        for row in told.journal.errors
        if row.event in MADE and row.of in told.people
    ]


def _own_share(messages: pd.DataFrame) -> float:
    if not len(messages):
        return 0.0
    shares = talk_shares(messages)
    return float(shares.loc[shares["role"] == "person", "messages"].sum() / shares["messages"].sum())


def _who_corrected(ask: Ask, of: Journals) -> object:
    """Students are one: who of them it was stands in their dialogues."""
    errors = of.table("errors", ErrorRow._fields)
    if not len(errors):
        return tag("p", ask.teach("no_errors"))
    people = {name for _, told in of.talks for name in told.people}
    peers = {name for _, told in of.talks for name in told.peers}
    for column in ("of", "by"):
        errors[column] = [ask.teach("student") if one in people - peers else one for one in errors[column]]
    rows: list[list[object]] = [[one.of, one.corrected_by, one.n] for one in corrections(errors).itertuples()]
    heads = [ask.say("teach.error_of"), ask.say("teach.put_right_by"), ask.say("teach.count")]
    return table(heads, rows) if rows else tag("p", ask.teach("no_errors"))
