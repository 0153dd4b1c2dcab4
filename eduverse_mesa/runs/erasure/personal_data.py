"""All that a study keeps of a participant, as one document: what the person may ask to see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from eduverse_mesa.runs.erasure.redaction import find_runs, gather, said_in, texts_of
from eduverse_mesa.runs.erasure.words import Redactor, TakenSeat, at_desk_of, began_with, wrote
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import AnswerRow
from eduverse_mesa.store.alerts import alerts_of
from eduverse_mesa.store.rewrite import KeptRun, read_run


def participant_document(opened: OpenStudy, participant: str) -> dict[str, Any]:
    """Return a document about a person: who they are, where they sat, all that they answered, what is kept of their
    agents, and where their words are repeated."""
    belongings = gather(opened, participant)
    runs = [read_run(opened.study, run) for run in find_runs(opened, belongings)]
    redactor = belongings.redactor("")
    sittings = opened.study.sittings(participant=participant)
    return {
        "participant": belongings.participant._asdict(),
        "sittings": [sitting._asdict() for sitting in sittings],
        "alerts": [alert._asdict() for alert in alerts_of(opened.study, participant)],
        "runs": [
            {**_of_run(run, seats, redactor), **_in_group(opened, run, seats)}
            for run in runs
            for seats in (belongings.seats.get(run.row.id, ()),)
        ],
    }


def _in_group(opened: OpenStudy, run: KeptRun, seats: Sequence[TakenSeat]) -> dict[str, Any]:
    if run.row.kind != "collaboration":
        return {}
    return {"messages": [message._asdict() for message in said_in(opened.study, run.row.id, seats)]}


def _of_run(run: KeptRun, seats: Sequence[TakenSeat], redactor: Redactor) -> dict[str, Any]:
    row = run.row
    agents = {seat.agent for seat in seats}
    held = redactor.among(texts_of(run))
    own = [answer for answer in run.answers if wrote(answer, seats)]
    others = (answer for answer in run.answers if not wrote(answer, seats))
    learners = began_with(row)
    return {
        "run": row.id,
        "title": row.title,
        "name": row.name,
        "parent": row.parent,
        "answers": [_answer(answer) for answer in own],
        "memory": [
            {"lesson": lesson, **entry._asdict()}
            for lesson, entry in (*run.students, *run.teacher)
            if entry.who in agents or _holds(held, (entry.content,))
        ],
        "summaries": [
            {"lesson": lesson, "student": entry.student, "record": _document(entry.record)}
            for lesson, entry in run.summaries
            if entry.student in agents or _holds(held, (entry.record,))
        ],
        **(
            {}
            if not learners
            else {
                "learners_came_with": {
                    name: memory
                    for name, memory in learners.items()
                    if name in {at_desk_of(agent) for agent in agents} or _holds(held, (_plain(memory),))
                }
            }
        ),
        "repeated_by_others": [
            _answer(answer) for answer in others if _holds(held, (answer.agent, answer.content, answer.reason))
        ],
    }


def _holds(redactor: Redactor | None, texts: Iterable[str]) -> bool:
    return redactor is not None and any(redactor.holds(text) for text in texts)


def _answer(row: AnswerRow) -> dict[str, Any]:
    return {**row._asdict(), "content": _document(row.content)}


def _plain(document: Any) -> str:
    return msgspec.json.encode(document).decode()


def _document(text: str) -> Any:
    """Return the document of a JSON text; a text that is no JSON any more is handed out as it is."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
