"""A set as files: tables that any spreadsheet opens, one by one or all in a zip.

Students are numbered; the names by which they log in stand in them only where a teacher asks for that. What students
answered in the survey is in an order of its own: no number leads from a dialogue to it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from urllib.parse import quote

import pandas as pd
from starlette.exceptions import HTTPException
from starlette.responses import Response

from eduverse_mesa.pupils.markup import Markup, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.student import SURVEY
from eduverse_mesa.pupils.teacher.counts import TABLES, Journals, journals
from eduverse_mesa.pupils.teacher.parts import my_set
from eduverse_mesa.runs.exports import meanings
from eduverse_mesa.runs.groups.tables import rename
from eduverse_mesa.runs.tables import as_csv
from eduverse_mesa.store import AssignmentRow
from eduverse_mesa.store.accounts import all_accounts
from eduverse_mesa.store.alerts import alerts_for
from eduverse_mesa.store.classwork import surveys_of
from eduverse_mesa.store.dialogues import messages_of

FILES = ("messages", "stages", "mistakes", "corrections", "revisions", "alerts", "surveys")
ALL, CODEBOOK_FILE = "all.zip", "codebook.csv"
_SOURCE = {"mistakes": "errors", "corrections": "errors"}
"""Table of the journal from which a file takes its rows, where the file is no whole table."""
_ALERTS = ("student", "run", "step", "at", "text", "verdict", "settled_by", "settled_at", "verdicts")
"""Columns of the calls for help."""
_SPEAKS_OF_PEOPLE = frozenset(("speaker", "text", "addressed", "peer", "of", "by", "words", "reason"))
"""Columns in which a pupil may be named. A problem about apples keeps its name where a pupil is called so, too."""
_NAMED = "names=yes"


def downloads(ask: Ask, row: AssignmentRow) -> Markup:
    """Links to all files."""

    def links(named: bool) -> list[Markup]:
        files = [(f"{one}.csv", ask.teach(f"file.{one}")) for one in FILES]
        return [
            _link(row, name, said, named=named)
            for name, said in ((ALL, ask.teach("file.all")), *files, (CODEBOOK_FILE, ask.teach("file.codebook")))
        ]

    return tag(
        "section",
        tag("h2", ask.teach("downloads")),
        tag("p", ask.teach("downloads_why"), class_="ev-quiet"),
        tag("div", *links(False), class_="ev-doings"),
        tag(
            "details",
            tag("summary", ask.teach("with_names")),
            tag("p", ask.teach("with_names_why"), class_="ev-quiet"),
            tag("div", *links(True), class_="ev-doings"),
        ),
        class_="ev-card",
    )


def _link(row: AssignmentRow, name: str, said: str, *, named: bool) -> Markup:
    query = f"?{_NAMED}" if named else ""
    return tag("a", said, href=f"/sets/{row.id}/export/{name}{query}", download=file_name(row.title, name, named=named))


def file_name(title: str, name: str, *, named: bool) -> str:
    """Return the name of a file that may lie beside those of other sets; a file with names of people stands out."""
    kept = re.sub(r"[\W_]+", "-", title).strip("-") or "set"
    return f"{kept}-{'with-names' if named else 'numbered'}-{name}"


def export(ask: Ask) -> Response:
    """One of the files."""
    row, _ = my_set(ask)
    name = ask.path("file")
    wanted = FILES if name == ALL else tuple(one for one in FILES if name == f"{one}.csv")
    if not wanted and name != CODEBOOK_FILE:
        raise HTTPException(404)
    saved = file_name(row.title, name, named=_is_named(ask))
    plain = (
        saved if saved.isascii() else file_name("", name, named=_is_named(ask))
    )  # for whoever reads no other letters
    headers = {"content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(saved)}"}
    if name == CODEBOOK_FILE:
        return Response(as_csv(codebook(ask)), media_type="text/csv; charset=utf-8", headers=headers)
    made = _tables(ask, row, wanted)
    if name != ALL:
        return Response(as_csv(made[wanted[0]]), media_type="text/csv; charset=utf-8", headers=headers)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for one, table in made.items():
            file.writestr(f"{one}.csv", as_csv(table))
        file.writestr(CODEBOOK_FILE, as_csv(codebook(ask)))
    return Response(whole.getvalue(), media_type="application/zip", headers=headers)


def codebook(ask: Ask) -> pd.DataFrame:
    """Return the meaning of each column of each file, in the reader's language."""
    ours = {one: ask.teach(f"column.{one}") for one in ("student", "at")}
    rows: list[tuple[str, str, str]] = []
    for one in FILES[:-2]:
        source = _SOURCE.get(one, one)
        known = {**meanings("collaboration", source, ask.t.language), **ours}
        first = ("student", "run", "at") if one == "messages" else ("student", "run")
        rows += [(f"{one}.csv", column, known[column]) for column in (*first, *TABLES[source])]
    rows += [("alerts.csv", column, ours.get(column) or ask.teach(f"column.alert.{column}")) for column in _ALERTS]
    rows.append(("surveys.csv", "student", ask.teach("column.student_named")))
    rows += [("surveys.csv", item, ask.teach("column.item", said=ask.say(f"survey.{item}"))) for item in SURVEY]
    return pd.DataFrame(rows, columns=["file", "column", "meaning"])


def _is_named(ask: Ask) -> bool:
    return ask.request.query_params.get("names") == "yes"


def _tables(ask: Ask, row: AssignmentRow, wanted: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    by_name = _is_named(ask)
    names = {one.id: one.name for one in all_accounts(ask.study, "student")}
    read = journals(ask, row) if set(wanted) - {"surveys"} else Journals([], 0)
    students = list(dict.fromkeys(one.talk.account for one, _ in read.talks))
    hidden = {} if by_name else {one: f"student {number}" for number, one in enumerate(students, 1)}
    made: dict[str, pd.DataFrame] = {}
    for one in wanted:
        if one == "surveys":
            made[one] = _survey(ask, row, names if by_name else None)
        elif one == "alerts":
            made[one] = _alerts(ask, row, hidden)
        else:
            made[one] = _rows(ask, one, read, names, hidden)
    return made


def _rows(ask: Ask, kind: str, read: Journals, names: Mapping[str, str], hidden: Mapping[str, str]) -> pd.DataFrame:
    """Return rows of all dialogues, each with its student; students who are hidden do not appear under the names they
    log in with."""
    source = _SOURCE.get(kind, kind)
    columns = list(TABLES[source])
    rows: list[tuple[object, ...]] = []
    for one, told in read.talks:
        who = hidden.get(one.talk.account, names[one.talk.account])
        aliases = dict.fromkeys(told.people, who) if one.talk.account in hidden else {}
        at = {row.step: row.at for row in messages_of(ask.study, one.talk.run)} if kind == "messages" else {}
        for row in getattr(told.journal, source):
            if kind == "corrections" and row.event != "corrected":
                continue
            cells = [
                rename(cell, aliases) if column in _SPEAKS_OF_PEOPLE else cell
                for column, cell in zip(columns, row, strict=True)
            ]
            rows.append((who, one.talk.run, at.get(row.turn, ""), *cells) if at else (who, one.talk.run, *cells))
    first = ["student", "run", "at"] if kind == "messages" and rows else ["student", "run"]
    return pd.DataFrame(rows, columns=[*first, *columns])


def _alerts(ask: Ask, row: AssignmentRow, hidden: Mapping[str, str]) -> pd.DataFrame:
    """Calls for help in dialogues of the set, the oldest first."""
    found = [one for one in alerts_for(ask.study, ask.need("teacher").id) if one.talk.assignment == row.id]
    rows = []
    for one in reversed(found):
        alert, who = one.alert, hidden.get(one.talk.account, one.name)
        text = rename(alert.text, {alert.speaker: who}) if one.talk.account in hidden else alert.text
        settled = (alert.verdict, alert.settled_by, alert.settled_at, alert.verdicts)
        rows.append((who, alert.run, alert.step, alert.at, text, *settled))
    return pd.DataFrame(rows, columns=list(_ALERTS))


def _survey(ask: Ask, row: AssignmentRow, names: Mapping[str, str] | None) -> pd.DataFrame:
    """One row for each who answered; without names in the order of the answers."""
    given = surveys_of(ask.study, row.id)
    lines = [(names[one] if names else "", *(answers.get(item) for item in SURVEY)) for one, answers in given.items()]
    if names is None:
        lines = [("", *line[1:]) for line in sorted(lines, key=lambda line: [mark or 0 for mark in line[1:]])]
        return pd.DataFrame([line[1:] for line in lines], columns=list(SURVEY))
    return pd.DataFrame(lines, columns=["student", *SURVEY])
