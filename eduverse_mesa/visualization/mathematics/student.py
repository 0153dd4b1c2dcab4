"""What a student sees: the problems to solve, the group's chat, and a few questions at the end."""

from __future__ import annotations

import secrets
from typing import NamedTuple

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.collaboration import STAGES
from eduverse_mesa.runs.collaboration import GroupSpec, begin_talk
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AccountRow, AssignmentRow, MessageRow, TalkRow
from eduverse_mesa.store.accounts import draw_id
from eduverse_mesa.store.classwork import (
    add_talk,
    assignments_of,
    consent,
    find_talks,
    has_consented,
    save_survey,
    surveys_of,
)
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.setups import one_problem

SURVEY = ("fun", "understood", "real", "easy", "own_words", "mistakes", "again")
"""The items of the exit survey."""

LONGEST = 2000


class _Titled(msgspec.Struct):
    name: str
    title: str = ""


class _Set(msgspec.Struct):
    problems: list[_Titled]


def titles_of(assignment: AssignmentRow) -> list[tuple[str, str]]:
    """Names and titles of a set's problems, without reading all of them."""
    read = msgspec.json.decode(assignment.setup, type=_Set)
    return [(one.name, one.title or one.name) for one in read.problems]


# --- what there is to do ---


def work(ask: Ask) -> Response:
    """All that a student has to do."""
    me = ask.need("student")
    cards: list[object] = []
    for assignment in assignments_of(ask.study, me.id):
        states = _states(ask, me, assignment)
        rows: list[object] = []
        for place, (name, title) in enumerate(titles_of(assignment)):
            link = tag("a", title, href=f"/work/{assignment.id}/{place + 1}")
            rows.append(tag("li", link, " ", _chip(ask, states.get(name, "new"))))
        survey = tag("a", ask.say("survey.title"), href=f"/survey/{assignment.id}")
        cards.append(tag("section", tag("h2", assignment.title), tag("ol", *rows), tag("p", survey), class_="ev-card"))
    return ask.page(ask.say("my_work"), *(cards or [tag("p", ask.say("nothing_to_do"))]))


def _states(ask: Ask, me: AccountRow, assignment: AssignmentRow) -> dict[str, str]:
    return {
        talk.problem: "done" if ask.study.run(talk.run).status == "complete" else "going"
        for talk in find_talks(ask.study, account=me.id, assignment=assignment.id)
    }


def _chip(ask: Ask, state: str) -> Markup:
    return tag("span", ask.say(f"state.{state}"), class_=f"ev-chip is-{state}")


# --- the chat ---


class _Place(NamedTuple):
    """A problem of a set."""

    assignment: AssignmentRow
    number: int
    setup: Collaboration
    problem: WordProblem


def _place(ask: Ask, me: AccountRow) -> _Place:
    assignment = _mine(ask, me)
    number = ask.path("number")
    names = titles_of(assignment)
    if not (number.isascii() and number.isdecimal() and len(number) < 5 and 1 <= int(number) <= len(names)):
        raise HTTPException(404)
    setup = one_problem(assignment, int(number))
    return _Place(assignment, int(number), setup, setup.problems[0])


def _mine(ask: Ask, me: AccountRow) -> AssignmentRow:
    wanted = ask.path("assignment")
    found = next((one for one in assignments_of(ask.study, me.id) if one.id == wanted), None)
    if found is None:
        raise HTTPException(404)
    return found


def solve(ask: Ask) -> Response:
    """A problem, and the group that works on it."""
    me = ask.need("student")
    place = _place(ask, me)
    if not has_consented(ask.study, me.id):
        return _ask_consent(ask)
    live = ask.house.hall.live(_run(ask, me, place))
    standing, talk = live.standing(0), live.talk
    said = [_message(row, me_called=talk.model.people[0]) for row in standing.messages]
    step = talk.messages[-1].step if talk.messages else 0
    sent = f"/talk/{talk.run}"
    chat = tag(
        "section",
        _stages(ask, standing.stage),
        tag("ol", *said, id="said", class_="ev-said", aria_live="polite", aria_label=ask.say("chat")),
        tag("p", id="typing", class_="ev-typing", aria_live="off"),
        tag("p", ask.say("over"), id="over", class_="ev-ok", hidden=not standing.over),
        tag("p", id="trouble", class_="ev-bad", role="status"),
        ask.form_tag(
            f"{sent}/say",
            tag("input", type="hidden", name="key", value=secrets.token_hex(16)),
            tag("label", ask.say("your_message"), tag("textarea", name="text", rows=2, maxlength=LONGEST, id="text")),
            tag("button", ask.say("send")),
            id="say",
            hidden=standing.over,
        ),
        class_="ev-chat ev-card",
        data_talk=talk.run,
        data_step=step,
        data_me=talk.model.people[0],
        data_typing=ask.say("typing"),
        data_typing_some=ask.say("typing_some"),
        data_unsent=ask.say("unsent"),
        data_lost=ask.say("lost"),
    )
    return ask.page(place.problem.title, _navigation(ask, place), _header(ask, place.problem), chat, script="talk.js")


def _run(ask: Ask, me: AccountRow, place: _Place) -> str:
    """The run of this student's dialogue, begun where there is none."""
    of = {"account": me.id, "assignment": place.assignment.id, "problem": place.problem.name}
    there = find_talks(ask.study, **of)
    if there:
        return there[0].run
    seat = me.name if me.name.casefold() not in {peer.name.casefold() for peer in place.setup.peers} else f"{me.name} 2"
    setup = place.setup.model_copy(update={"seats": (seat,)})
    session = 1 + len(find_talks(ask.study, account=me.id))
    run = f"math-{draw_id()}"
    begin_talk(ask.house.opened, GroupSpec(setup, secrets.randbelow(2**31), session), run)
    try:
        add_talk(ask.study, TalkRow(run, **of))
    except EduverseError:  # two pages were opened at once: one of the two has begun it
        there = find_talks(ask.study, **of)
        if not there:
            raise
        return there[0].run
    return run


def _message(row: MessageRow, me_called: str) -> Markup:
    mine = row.speaker == me_called
    return tag(
        "li", tag("b", row.speaker), tag("p", row.text), class_="is-me" if mine else None, data_step=row.step
    )  # fmt: skip


def _stages(ask: Ask, now: str) -> Markup:
    items = [
        tag("li", ask.say(f"stage.{name}"), data_stage=name, aria_current="step" if name == now else None)
        for name in STAGES
    ]
    return tag("ol", *items, class_="ev-stages", id="stages", aria_label=ask.say("stages"))


def _header(ask: Ask, problem: WordProblem) -> Markup:
    options: list[object] = []
    if problem.choice is not None:
        options = [tag("li", tag("b", one.id), " ", one.text) for one in problem.choice.options]
    return tag(
        "section",
        tag("p", problem.statement),
        tag("p", tag("b", problem.question)),
        tag("ul", *options) if options else None,
        class_="ev-card ev-problem",
        aria_label=ask.say("problem"),
    )


def _navigation(ask: Ask, place: _Place) -> Markup:
    names = titles_of(place.assignment)
    base = f"/work/{place.assignment.id}"
    before = tag("a", ask.say("before"), href=f"{base}/{place.number - 1}") if place.number > 1 else None
    after = tag("a", ask.say("next"), href=f"{base}/{place.number + 1}") if place.number < len(names) else None
    survey = tag("a", ask.say("survey.title"), href=f"/survey/{place.assignment.id}")
    counted = tag("span", ask.say("problem_of", number=place.number, n=len(names)))
    parts = [one for one in (tag("a", ask.say("my_work"), href="/work"), before, counted, after, survey) if one]
    return tag("nav", *parts, aria_label=ask.say("problems"))


def _ask_consent(ask: Ask) -> Response:
    here = ask.request.url.path
    said = join([tag("p", ask.say(f"consent.{part}")) for part in ("what", "who", "kept", "free")])
    agree = tag("button", ask.say("consent.agree"))
    form = ask.form_tag("/consent", tag("input", type="hidden", name="then", value=here), agree)
    return ask.page(ask.say("consent.title"), tag("section", said, form, class_="ev-card"))


def agree(ask: Ask) -> Response:
    """A student agrees; what it has agreed to is kept in its words."""
    me = ask.need("student")
    wording = "\n".join(ask.say(f"consent.{part}") for part in ("what", "who", "kept", "free"))
    consent(ask.study, me.id, wording)
    then = ask.one("then")
    # Only to a page of ours: what a form names may be anything.
    safe = then.startswith("/work/") and "//" not in then and "\\" not in then and then.isprintable()
    return RedirectResponse(then if safe else "/work", 303)


def my_talk(ask: Ask) -> tuple[AccountRow, str]:
    """The dialogue in the address, if it is this student's own."""
    me = ask.need("student")
    run = ask.path("run")
    if not find_talks(ask.study, run=run, account=me.id) or not has_consented(ask.study, me.id):
        raise HTTPException(404)
    return me, run


def say(ask: Ask) -> Response:
    """A student says something. Answered when it is in the study."""
    _, run = my_talk(ask)
    text, key = ask.one("text").strip(), ask.one("key")
    if not text or len(text) > LONGEST or not 8 <= len(key) <= 64 or not key.isalnum():
        raise HTTPException(400)
    talk = ask.house.hall.live(run).talk
    if talk.over and talk.said(key) is None:
        return Response(status_code=409)
    seat = talk.model.people[0]
    row = ask.house.hall.say(run, seat, text, key)
    if "x-csrf" in ask.request.headers:
        return JSONResponse({"step": row.step})
    return RedirectResponse(_page_of(ask, run), 303)


def _page_of(ask: Ask, run: str) -> str:
    talk = find_talks(ask.study, run=run)[0]
    found = next(one for one in assignments_of(ask.study, talk.account) if one.id == talk.assignment)
    number = [name for name, _ in titles_of(found)].index(talk.problem) + 1
    return f"/work/{talk.assignment}/{number}"


def typing(ask: Ask) -> Response:
    """A student strikes keys: the peers wait."""
    _, run = my_talk(ask)
    ask.house.hall.touch(run, ask.house.hall.live(run).talk.model.people[0])
    return Response(status_code=204)


# --- the exit survey ---


def survey(ask: Ask) -> Response:
    """Seven questions, from 1 to 5."""
    me = ask.need("student")
    assignment = _mine(ask, me)
    given = surveys_of(ask.study, assignment.id).get(me.id, {})
    note: object = tag("p", ask.say("survey.saved"), class_="ev-ok", role="status") if given else None
    status = 200
    if ask.request.method == "POST":
        answers = {item: ask.one(item) for item in SURVEY}
        if all(value in {"1", "2", "3", "4", "5"} for value in answers.values()):
            save_survey(ask.study, me.id, assignment.id, {item: int(value) for item, value in answers.items()})
            return RedirectResponse(f"/survey/{assignment.id}", 303)
        note, status = tag("p", ask.say("survey.all"), class_="ev-bad", role="alert"), 422
    items = [_item(ask, item, given.get(item)) for item in SURVEY]
    form = ask.form_tag(f"/survey/{assignment.id}", *items, tag("button", ask.say("survey.save")), class_="ev-card")
    back = tag("p", tag("a", ask.say("my_work"), href="/work"))
    return ask.page(ask.say("survey.title"), note, tag("p", ask.say("survey.scale")), form, back, status=status)


def _item(ask: Ask, item: str, given: int | None) -> Markup:
    marks = [
        tag(
            "label", tag("input", type="radio", name=item, value=mark, required=True, checked=mark == given), f" {mark}"
        )
        for mark in range(1, 6)
    ]
    return tag("fieldset", tag("legend", ask.say(f"survey.{item}")), *marks)
