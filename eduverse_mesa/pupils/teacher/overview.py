"""A set while a class works on it: who is where, what was said last, who is silent, and who may need help."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from starlette.responses import Response

from eduverse_mesa.decisions.groups import SERIOUS
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.embedded.groups.gentleness import HARM
from eduverse_mesa.pupils.markup import Markup, join, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.setups import about
from eduverse_mesa.pupils.student import SURVEY, titles_of
from eduverse_mesa.pupils.teacher.downloads import downloads
from eduverse_mesa.pupils.teacher.parts import my_set, navigation, table
from eduverse_mesa.pupils.teacher.sets import doings
from eduverse_mesa.store import AccountRow, AssignmentRow
from eduverse_mesa.store.alerts import cleared_in
from eduverse_mesa.store.classwork import Progress, progress_of, surveys_of

SILENT = 3
"""Minutes without a word from a student after which the page says so."""
AWAY = 45
"""Minutes after which nobody sits there any more: a lesson is over."""
_SHOWN = 80


def one_set(ask: Ask) -> Response:
    """Show the progress of all students in a set; the page asks for it anew every few seconds."""
    row, students = my_set(ask)
    talks = progress_of(ask.study, row.id)
    ended = tag("p", ask.teach("has_ended"), class_="ev-bad", role="status") if about(row).ended else None
    overview = tag(
        "div", _summary(ask, row, students, talks), _progress(ask, row, students, talks), id="live", data_live=True
    )
    return ask.page(
        row.title,
        navigation(ask),
        ended,
        tag("section", tag("h2", ask.teach("now")), overview, class_="ev-card"),
        tag("p", tag("a", ask.teach("counted"), href=f"/sets/{row.id}/counted", class_="ev-button")),
        tag("section", tag("h2", ask.say("survey.title")), _survey(ask, row), class_="ev-card"),
        downloads(ask, row),
        doings(ask, row, students),
        script="live.js",
    )


def _summary(ask: Ask, row: AssignmentRow, students: list[AccountRow], talks: list[Progress]) -> Markup:
    begun = len({one.talk.account for one in talks})
    done = sum(one.over and ask.site.outcome(one.talk.run) == "done" for one in talks)
    problems = len(titles_of(row))
    whole = len(students) * problems
    numbers = {"begun": begun, "students": len(students), "done": done, "whole": whole, "problems": problems}
    return tag("p", ask.teach("summary", **numbers))


def _progress(ask: Ask, row: AssignmentRow, students: list[AccountRow], talks: list[Progress]) -> Markup:
    there = {(one.talk.account, one.talk.problem): one for one in talks}
    titles = titles_of(row)
    rows: list[list[object]] = [
        [tag("b", one.name), *(_cell(ask, there.get((one.id, name))) for name, _ in titles)] for one in students
    ]
    return table([ask.say("name"), *(title for _, title in titles)], rows, class_="ev-live")


def _cell(ask: Ask, progress: Progress | None) -> Markup:
    if progress is None:
        return tag("span", ask.say("state.new"), class_="ev-chip is-new")
    over = progress.over
    state = ask.site.outcome(progress.talk.run) if over else "going"
    stage = ask.say(f"state.{state}") if over else _stage(ask, progress)
    counted = ask.say("teach.messages", n=progress.messages)
    chip = tag("span", stage, class_=f"ev-chip is-{state}")
    parts: list[object] = [tag("a", chip, " ", counted, href=f"/transcripts/{progress.talk.run}")]
    parts += [tag("div", said, class_=f"ev-flag {kind}") for kind, said in _flags(ask, progress)]
    if progress.text and not over:
        cut = progress.text if len(progress.text) <= _SHOWN else progress.text[: _SHOWN - 1] + "…"
        parts.append(tag("div", tag("b", progress.speaker), ask.t.told(""), cut, class_="ev-last"))
    return join(parts)


def _stage(ask: Ask, progress: Progress) -> str:
    """The stage that the pupil sees: a message may have been the last of the one that it was said in."""
    try:
        stage = ask.site.told(progress).stage
    except EduverseError:  # of another version; the messages themselves can be read
        stage = progress.stage
    return ask.say(f"stage.{stage}") if stage and stage != "solved" else ask.say("state.going")


def _flags(ask: Ask, progress: Progress) -> list[tuple[str, str]]:
    """Why a teacher may want to go there. What is serious stays, also when the dialogue is over."""
    try:
        told = ask.site.told(progress)
    except EduverseError:
        return [("", ask.teach("unreadable"))]
    own = [row for row in told.journal.messages if row.role == "person"]
    acts = {row.act for row in own}
    if HARM in acts:  # a false alarm is none
        cleared = cleared_in(ask.study, progress.talk.run)
        acts = {row.act for row in own if row.turn not in cleared}
    found = [("is-serious", ask.teach(f"serious.{one}")) for one in SERIOUS if one in acts]
    if progress.over:
        return [*found, *([] if told.outcome == "done" else [("", ask.teach(f"outcome.{told.outcome}"))])]
    silent = _minutes(ask, progress.spoke or progress.at)
    if SILENT <= silent < AWAY:
        found.append(("", ask.teach("silent", n=silent)))
    if own and own[-1].lost:
        found.append(("", ask.teach("is_lost")))
    elif own and not own[-1].clear:
        found.append(("", ask.teach("not_understood")))
    return found


def _minutes(ask: Ask, at: str) -> int:
    if not at:
        return 0
    since = datetime.fromtimestamp(ask.site.clock(), UTC) - datetime.fromisoformat(at)
    return max(0, int(since.total_seconds() // 60))


def _survey(ask: Ask, row: AssignmentRow) -> Markup:
    """Nobody's own answers: how many chose which, and the mean."""
    answers = list(surveys_of(ask.study, row.id).values())
    if not answers:
        return tag("p", ask.say("teach.no_survey"))
    rows: list[list[object]] = []
    for item in SURVEY:
        counted = Counter(one[item] for one in answers if item in one)
        mean = sum(mark * n for mark, n in counted.items()) / max(1, counted.total())
        meter = tag("meter", f"{mean:.1f}", min=1, max=5, value=f"{mean:.2f}", aria_label=f"{mean:.1f}")
        rows.append(
            [ask.say(f"survey.{item}"), *(counted[mark] or "" for mark in range(1, 6)), join([f"{mean:.1f} ", meter])]
        )
    said = tag("p", ask.teach("answered", n=len(answers)), class_="ev-quiet")
    return join(
        [said, table([ask.say("teach.item"), *"12345", ask.say("teach.mean")], rows, class_="ev-grid ev-tally")]
    )
