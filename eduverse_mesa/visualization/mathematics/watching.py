"""What a teacher reads of a set: who is how far, what was said, and what can be counted in it."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from starlette.exceptions import HTTPException
from starlette.responses import Response

from eduverse_mesa.measures.collaboration import corrections, stage_turns, talk_shares
from eduverse_mesa.models.collaboration.journal import ErrorRow
from eduverse_mesa.models.collaboration.journal import MessageRow as Logged
from eduverse_mesa.models.collaboration.model import CollaborationModel
from eduverse_mesa.runs.collaboration import open_talk
from eduverse_mesa.runs.collaboration.tables import said_table
from eduverse_mesa.store import AccountRow, AssignmentRow, TalkRow
from eduverse_mesa.store.accounts import all_accounts
from eduverse_mesa.store.classwork import all_assignments, find_talks, surveys_of
from eduverse_mesa.store.messages import messages_of
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.parts import navigation, table
from eduverse_mesa.visualization.mathematics.student import titles_of
from eduverse_mesa.visualization.mathematics.survey import SURVEY


def _set(ask: Ask) -> tuple[AssignmentRow, list[AccountRow]]:
    ask.need("teacher")
    for row, who in all_assignments(ask.study):
        if row.id == ask.path("assignment"):
            return row, [one for one in all_accounts(ask.study, "student") if one.id in who]
    raise HTTPException(404)


def one_set(ask: Ask) -> Response:
    """Who is how far: it is looked at anew every few seconds."""
    row, students = _set(ask)
    return ask.page(
        row.title,
        navigation(ask),
        tag("section", _progress(ask, row, students), class_="ev-card", id="live", data_live=True),
        tag("section", tag("h2", ask.say("survey.title")), _survey(ask, row), class_="ev-card"),
        tag("p", tag("a", ask.say("teach.export"), href=f"/sets/{row.id}/messages.csv")),
        script="live.js",
    )


def _progress(ask: Ask, row: AssignmentRow, students: list[AccountRow]) -> Markup:
    there = {(talk.account, talk.problem): talk for talk in find_talks(ask.study, assignment=row.id)}
    titles = titles_of(row)
    rows: list[list[object]] = [
        [one.name, *(_cell(ask, there.get((one.id, name))) for name, _ in titles)] for one in students
    ]
    return table([ask.say("name"), *(title for _, title in titles)], rows)


def _cell(ask: Ask, talk: TalkRow | None) -> Markup:
    if talk is None:
        return tag("span", ask.say("state.new"), class_="ev-chip is-new")
    said = [one for one in messages_of(ask.study, talk.run) if one.speaker]
    over = ask.study.run(talk.run).status == "complete"
    stage = ask.say("state.done") if over else ask.say(f"stage.{said[-1].stage}") if said else ask.say("state.going")
    counted = ask.say("teach.messages", n=len(said))
    chip = tag("span", stage, class_=f"ev-chip is-{'done' if over else 'going'}")
    return tag("a", chip, " ", counted, href=f"/transcripts/{talk.run}")


def _survey(ask: Ask, row: AssignmentRow) -> Markup:
    answers = list(surveys_of(ask.study, row.id).values())
    if not answers:
        return tag("p", ask.say("teach.no_survey"))
    rows: list[list[object]] = []
    for item in SURVEY:
        counted = Counter(one[item] for one in answers if item in one)
        mean = sum(mark * n for mark, n in counted.items()) / max(1, counted.total())
        rows.append([ask.say(f"survey.{item}"), *(counted[mark] for mark in range(1, 6)), f"{mean:.1f}"])
    return table([ask.say("teach.item"), *"12345", ask.say("teach.mean")], rows)


# --- one dialogue ---


def transcript(ask: Ask) -> Response:
    """What was said, and what can be counted in it."""
    ask.need("teacher")
    found = find_talks(ask.study, run=ask.path("run"))
    if not found:
        raise HTTPException(404)
    talk = open_talk(ask.house.opened, found[0].run)  # a copy of our own: who talks there is not disturbed
    lines: list[list[object]] = [
        [row.step, row.at[11:19], ask.say(f"stage.{row.stage}"), row.speaker, row.text]
        for row in talk.messages
        if row.speaker
    ]
    heads = ["", ask.say("teach.time"), ask.say("teach.stage"), ask.say("teach.speaker"), ask.say("teach.said")]
    return ask.page(
        talk.model.problem.title,
        navigation(ask),
        tag("p", tag("a", ask.say("back"), href=f"/sets/{found[0].assignment}")),
        tag("section", tag("h2", ask.say("chat")), table(heads, lines, id="transcript"), class_="ev-card"),
        _counted(ask, talk.model),
    )


_OF = ("problem",)


def _counted(ask: Ask, model: CollaborationModel) -> Markup:
    said = pd.DataFrame(model.journal.messages, columns=Logged._fields)
    parts: list[object] = [tag("h2", ask.say("teach.counted"))]
    if len(said):
        shares = talk_shares(said, by=_OF)
        rows: list[list[object]] = [
            [one.speaker, one.messages, f"{one.share:.0%}"] for one in shares.itertuples() if one.messages
        ]
        parts.append(table([ask.say("teach.speaker"), ask.say("teach.count"), ask.say("teach.share")], rows))
        turns: list[list[object]] = [
            [ask.say(f"stage.{one.stage}"), one.turns] for one in stage_turns(said, by=_OF).itertuples()
        ]
        parts.append(table([ask.say("teach.stage"), ask.say("teach.count")], turns))
    errors = pd.DataFrame(model.journal.errors, columns=ErrorRow._fields)
    found: list[list[object]] = (
        [[one.of, one.corrected_by, one.n] for one in corrections(errors).itertuples()] if len(errors) else []
    )
    if found:
        parts.append(tag("h3", ask.say("teach.corrected")))
        parts.append(table([ask.say("teach.error_of"), ask.say("teach.put_right_by"), ask.say("teach.count")], found))
    revised: list[list[object]] = [
        [row.turn, row.peer, row.variable.replace("_", " "), row.before, row.after, row.by, row.reason]
        for row in model.journal.revisions
    ]
    if revised:
        heads = [
            "",
            *(ask.say(f"teach.{name}") for name in ("speaker", "quantity", "was", "is", "put_right_by", "why")),
        ]
        parts += [tag("h3", ask.say("teach.revised")), table(heads, revised, id="revisions")]
    return tag("section", *parts, class_="ev-card")


# --- export ---


def export(ask: Ask) -> Response:
    """Every message of a set as a table, with what students are called here."""
    row, _ = _set(ask)
    text = said_table(ask.study, assignment=row.id).to_csv(index=False)
    headers = {"content-disposition": 'attachment; filename="messages.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
