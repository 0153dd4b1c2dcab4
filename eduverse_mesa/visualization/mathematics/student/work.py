"""What a student sees and does: the problems to solve, and the group's chat about each."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.policies.cleaning import clean
from eduverse_mesa.runs.collaboration import GroupSpec, begin_talk
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AccountRow, AssignmentRow, TalkRow
from eduverse_mesa.store.accounts import draw_id
from eduverse_mesa.store.alerts import add_alert, alert_at
from eduverse_mesa.store.classwork import (
    assignments_of,
    consent,
    find_talks,
    has_consented,
    how_far,
    surveys_of,
)
from eduverse_mesa.store.messages import SESSION
from eduverse_mesa.visualization.mathematics.alarms import help_line
from eduverse_mesa.visualization.mathematics.asking import Ask, is_ours
from eduverse_mesa.visualization.mathematics.hall import OverError
from eduverse_mesa.visualization.mathematics.keeping import consent_words
from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.setups import about, one_problem
from eduverse_mesa.visualization.mathematics.student.chat import LONGEST, chat, header

_TO_DO = ("new", "going")
"""What can still be worked on."""
_STYLES = "\ufe0e\ufe0f"
"""They say in which style an emoji is drawn, and show nothing by themselves."""


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
    cards = [_card(ask, me, assignment) for assignment in assignments_of(ask.study, me.id)]
    nothing = tag("p", ask.say("nothing_to_do"), class_="ev-card ev-narrow")
    return ask.page(ask.say("my_work"), *(cards or [nothing]), help_line(ask))


def _card(ask: Ask, me: AccountRow, assignment: AssignmentRow) -> Markup:
    """A set, with how far one is."""
    states, titles = _states(ask, me, assignment), titles_of(assignment)
    rows: list[object] = []
    for place, (name, title) in enumerate(titles):
        link = tag("a", title, href=f"/work/{assignment.id}/{place + 1}")
        rows.append(tag("li", link, " ", _chip(ask, states.get(name, "new"))))
    done = sum(states.get(name) == "done" for name, _ in titles)
    answered = me.id in surveys_of(ask.study, assignment.id)
    ready = all(states.get(name, "new") not in _TO_DO for name, _ in titles) and not answered
    survey = tag(
        "p",
        tag("span", ask.say("set_done"), " ", class_="ev-ok") if done == len(titles) else None,
        tag("a", ask.say("survey.title"), href=f"/survey/{assignment.id}", class_="ev-button" if ready else None),
        tag("span", " ", ask.say("answered"), class_="ev-ok") if answered else None,
        class_="ev-then",
    )
    counted = tag("p", ask.say("done_of", done=done, n=len(titles)), class_="ev-muted")
    ended = tag("p", ask.say("set_ended"), class_="ev-note is-bad") if about(assignment).ended else None
    return tag(
        "section",
        tag("h2", assignment.title),
        counted,
        ended,
        tag("ol", *rows, class_="ev-tasks"),
        survey,
        class_="ev-card",
    )


def _states(ask: Ask, me: AccountRow, assignment: AssignmentRow) -> dict[str, str]:
    """Done is what was solved; what ended otherwise has ended, and whoever agreed on what is wrong is told so."""
    return {
        talk.problem: ask.house.outcome(talk.run) if over[talk.problem] else "going"
        for over in [how_far(ask.study, me.id, assignment.id)]
        for talk in find_talks(ask.study, account=me.id, assignment=assignment.id)
        if talk.problem in over
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
    assignment = my_set(ask, me)
    number = ask.path("number")
    names = titles_of(assignment)
    if not (number.isascii() and number.isdecimal() and len(number) < 5 and 1 <= int(number) <= len(names)):
        raise HTTPException(404)
    setup = one_problem(assignment, int(number))
    return _Place(assignment, int(number), setup, setup.problems[0])


def my_set(ask: Ask, me: AccountRow) -> AssignmentRow:
    """The set in the address, if it is this student's."""
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
    ended = about(place.assignment).ended
    if ended and not find_talks(ask.study, account=me.id, assignment=place.assignment.id, problem=place.problem.name):
        note = tag("p", ask.say("set_ended"), class_="ev-note is-bad")
        return ask.page(place.problem.title, _navigation(ask, place), note, header(ask, place.problem))
    live = ask.house.hall.live(_run(ask, me, place))
    body = tag(
        "div",
        header(ask, place.problem),
        chat(ask, live.talk, live.standing(0), _onward(ask, me, place)),
        class_="ev-solve",
    )
    return ask.page(place.problem.title, _navigation(ask, place), body, script="talk.js")


def _run(ask: Ask, me: AccountRow, place: _Place) -> str:
    """The run of this student's dialogue, begun where there is none."""
    of = {"account": me.id, "assignment": place.assignment.id, "problem": place.problem.name}
    there = find_talks(ask.study, **of)
    if there:
        return there[0].run
    if about(place.assignment).ended:
        raise EduverseError(ask.say("set_ended"))
    seat = free_seat(me.name, [peer.name for peer in place.setup.peers])
    setup = ask.house.hall.minds.settled(place.setup.model_copy(update={"seats": (seat,)}))
    session = 1 + len(find_talks(ask.study, account=me.id))
    run = f"math-{draw_id()}"
    try:
        begin_talk(
            ask.house.opened, GroupSpec(setup, secrets.randbelow(2**31), session), run, of=TalkRow(run, **of)
        )  # fmt: skip
    except EduverseError:  # two pages were opened at once: one of the two has begun it
        there = find_talks(ask.study, **of)
        if not there:
            raise
        return there[0].run
    return run


def free_seat(name: str, peers: Sequence[str]) -> str:
    """What a student is called in a group: by its name, with a number where a peer is called so already."""
    taken = {peer.casefold() for peer in peers}
    called = (name, *(f"{name} {number}" for number in range(2, len(peers) + 3)))
    return next(one for one in called if one.casefold() not in taken)


def _navigation(ask: Ask, place: _Place) -> Markup:
    names = titles_of(place.assignment)
    base = f"/work/{place.assignment.id}"
    before = tag("a", ask.say("before"), href=f"{base}/{place.number - 1}") if place.number > 1 else None
    after = tag("a", ask.say("next"), href=f"{base}/{place.number + 1}") if place.number < len(names) else None
    survey = tag("a", ask.say("survey.title"), href=f"/survey/{place.assignment.id}")
    counted = tag("span", ask.say("problem_of", number=place.number, n=len(names)))
    parts = [one for one in (tag("a", ask.say("my_work"), href="/work"), before, counted, after, survey) if one]
    return tag("nav", *parts, aria_label=ask.say("problems"))


def _onward(ask: Ask, me: AccountRow, place: _Place) -> Markup:
    """Where to when this problem is solved: to the next that is not done, or to the questions at the end; nowhere in a
    set that the teacher has ended."""
    if about(place.assignment).ended:
        return tag("p", ask.say("set_ended"), " ", tag("a", ask.say("my_work"), href="/work"))
    states, titles = _states(ask, me, place.assignment), titles_of(place.assignment)
    numbers = [*range(place.number + 1, len(titles) + 1), *range(1, place.number)]
    number = next((one for one in numbers if states.get(titles[one - 1][0], "new") in _TO_DO), None)
    if number is None:
        said, href = ask.say("survey.title"), f"/survey/{place.assignment.id}"
    else:
        said, href = ask.say("go_on", title=titles[number - 1][1]), f"/work/{place.assignment.id}/{number}"
    return tag("p", tag("a", said, href=href, class_="ev-button"), " ", tag("a", ask.say("my_work"), href="/work"))


def _ask_consent(ask: Ask) -> Response:
    here = ask.request.url.path
    said = join([tag("p", one) for one in consent_words(ask)])
    agree = tag("button", ask.say("consent.agree"), class_="ev-big")
    form = ask.form_tag("/consent", tag("input", type="hidden", name="then", value=here), agree)
    later = tag("p", tag("a", ask.say("consent.later"), href="/work"))
    return ask.page(ask.say("consent.title"), tag("section", said, form, later, class_="ev-card ev-narrow"))


def agree(ask: Ask) -> Response:
    """A student agrees; what it has agreed to is kept in its words."""
    me = ask.need("student")
    consent(ask.study, me.id, "\n".join(consent_words(ask)))
    then = ask.one("then")
    return RedirectResponse(then if then.startswith("/work/") and is_ours(then) else "/work", 303)


def my_talk(ask: Ask) -> tuple[AccountRow, str]:
    """The dialogue in the address, if it is this student's own."""
    me = ask.need("student")
    run = ask.path("run")
    if not find_talks(ask.study, run=run, account=me.id):
        raise HTTPException(404)
    if not has_consented(ask.study, me.id):
        raise HTTPException(403)  # the page is loaded anew, and asks
    return me, run


def say(ask: Ask) -> Response:
    """A student says something. Answered when it is in the study."""
    _, run = my_talk(ask)
    text, key = ask.one("text").strip(), ask.one("key")
    if not clean(text).strip(_STYLES) or len(text) > LONGEST or not 8 <= len(key) <= 64 or not key.isalnum():
        raise HTTPException(400)
    seat = ask.house.hall.live(run).talk.model.people[0]
    try:
        row = ask.house.hall.say(run, seat, text, key)
    except OverError:  # nothing more is said here, and a call for help is heard all the same
        if tells_of_harm(text):
            last = len(ask.house.hall.live(run).talk.messages)
            add_alert(ask.study, alert_at(run, (SESSION, last), seat, text))
        return Response(status_code=409)
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
