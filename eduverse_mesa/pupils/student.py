"""The pages of a pupil: the problems to solve, the group's chat about each, and the questions at the end."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.models.groups import STAGES
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.pupils.alarms import help_line
from eduverse_mesa.pupils.dialogues import OverError, Snapshot
from eduverse_mesa.pupils.markup import Markup, initial, join, tag
from eduverse_mesa.pupils.request import Ask, is_ours
from eduverse_mesa.pupils.retention import consent_words
from eduverse_mesa.pupils.setups import about, one_problem
from eduverse_mesa.pupils.typesetting import math
from eduverse_mesa.runs.groups import GroupSpec, Talk, begin_talk
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AccountRow, AssignmentRow, MessageRow, TalkRow
from eduverse_mesa.store.accounts import draw_id
from eduverse_mesa.store.alerts import add_alert, alert_at
from eduverse_mesa.store.classwork import (
    assignments_of,
    consent,
    find_talks,
    has_consented,
    how_far,
    save_survey,
    surveys_of,
)
from eduverse_mesa.store.dialogues import SESSION

LONGEST = 2000
"""Characters of a message."""


def chat(ask: Ask, talk: Talk, standing: Snapshot, then: Markup) -> Markup:
    """The whole chat; `then` leads on when it is over."""
    peers, me = talk.model.names_of_peers, talk.model.people[0]
    names = ask.say("and").join(part for part in (ask.t.names(peers[:-1]), peers[-1]) if part)
    return tag(
        "section",
        tag("h2", ask.say("chat_with", names=names), id="with"),
        tag("p", ask.say("programs"), class_="ev-muted"),
        _stages(ask, standing),
        tag(
            "div",
            tag(
                "ol",
                *(message(row, peers, me) for row in standing.messages),
                id="said",
                class_="ev-said",
                aria_live="polite",
                aria_labelledby="with",
                data_empty=ask.say("empty"),
            ),
            tag("ol", id="waiting", class_="ev-said", aria_label=ask.say("unsent_messages"), hidden=True),
            tag("div", id="end"),
            id="scroller",
            class_="ev-scroller",
            tabindex="0",
            role="group",
            aria_labelledby="with",
        ),
        tag("button", ask.say("new_messages"), type="button", id="new", class_="ev-new", hidden=True),
        tag("p", id="trouble", class_="ev-note is-bad", role="status", hidden=True),
        _ending(ask, standing, then),
        _box(ask, talk.run, standing, me),
        help_line(ask),
        class_="ev-chat ev-card",
        data_talk=talk.run,
        data_step=talk.messages[-1].step if talk.messages else 0,
        data_me=me,
        data_peers=msgspec.json.encode(peers).decode(),
        data_typing=ask.say("typing"),
        data_or=ask.say("or"),
        data_waits=ask.say("waits"),
        data_begin=ask.say("begin"),
        data_unsent=ask.say("unsent"),
        data_lost=ask.say("lost"),
        data_away=ask.say("away"),
        data_offline=ask.say("offline"),
        data_refused=ask.say("refused"),
    )


def _ending(ask: Ask, standing: Snapshot, then: Markup) -> Markup:
    """Return the closing words of a dialogue: whether the group has solved the problem, and what comes next."""
    open_yet = standing.stage in STAGES
    return tag(
        "div",
        tag("p", ask.say("solved"), id="solved", class_="ev-ok", hidden=open_yet or not standing.right),
        tag("p", ask.say("agreed"), id="agreed", hidden=open_yet or standing.right),
        tag("p", ask.say("over")),
        then,
        id="over",
        class_="ev-over",
        tabindex="-1",
        hidden=not standing.over,
    )


def message(row: MessageRow, peers: tuple[str, ...], me: str) -> Markup:
    """Something that was said. The browser builds the same of what comes later (`talk.js`)."""
    who = "is-me" if row.speaker == me else f"is-peer-{peers.index(row.speaker) % 3}" if row.speaker in peers else None
    return tag(
        "li",
        tag("b", row.speaker),
        tag("p", math(row.text)),
        class_=who,
        data_initial=initial(row.speaker),
        data_step=row.step,
    )


def _stages(ask: Ask, standing: Snapshot) -> Markup:
    names = list(STAGES)
    now = names.index(standing.stage) if standing.stage in names else len(names)
    items = [
        tag(
            "li",
            tag("span", ask.say(f"stage.{name}")),
            class_="is-done" if place < now else None,
            data_stage=name,
            data_now=ask.say(f"now.{name}"),
            aria_current="step" if place == now else None,
        )
        for place, name in enumerate(names)
    ]
    said = "" if standing.over else ask.say(f"now.{names[now]}")
    return tag(
        "div",
        tag("ol", *items, class_="ev-stages", id="stages", aria_label=ask.say("stages")),
        tag("p", said, id="now", class_="ev-now", aria_live="polite"),
        class_="ev-track",
    )


def _turn(ask: Ask, standing: Snapshot, me: str) -> str:
    """Return the words about whose turn it is: the peer who waits, or an invitation to begin for a student who has said
    nothing yet."""
    if standing.waits:
        return ask.say("waits", name=standing.waits)
    return "" if any(row.speaker == me for row in standing.messages) else ask.say("begin")


def _box(ask: Ask, run: str, standing: Snapshot, me: str) -> Markup:
    field = tag(
        "textarea",
        name="text",
        rows=1,
        maxlength=LONGEST,
        id="text",
        placeholder=ask.say("your_message"),
        aria_describedby="keys",
        autocomplete="off",
        enterkeyhint="send",
    )
    return ask.form_tag(
        f"/talk/{run}/say",
        tag("input", type="hidden", name="key", value=secrets.token_hex(16)),
        tag("p", _turn(ask, standing, me), id="typing", class_="ev-typing", aria_live="off"),
        tag("label", tag("span", ask.say("your_message"), class_="ev-away"), field),
        tag("button", ask.say("send")),
        tag("small", ask.say("keys"), id="keys", class_="ev-keys"),
        id="say",
        hidden=standing.over,
    )


def header(ask: Ask, problem: WordProblem) -> Markup:
    """The problem that is talked about."""
    options: list[object] = []
    if problem.choice is not None:
        options = [tag("li", tag("b", one.id), tag("span", math(one.text))) for one in problem.choice.options]
    return tag(
        "section",
        tag(
            "details",
            tag("summary", tag("h2", ask.say("problem"))),
            tag("p", math(problem.statement)),
            tag("p", tag("b", math(problem.question))),
            tag("ul", *options, class_="ev-options") if options else None,
            open=True,
        ),
        class_="ev-card ev-problem",
        aria_label=ask.say("problem"),
    )


_TO_DO = ("new", "going")
"""States of problems that can still be worked on."""
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
        talk.problem: ask.site.outcome(talk.run) if over[talk.problem] else "going"
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
    live = ask.site.dialogues.live(_run(ask, me, place))
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
    setup = ask.site.dialogues.minds.settled(place.setup.model_copy(update={"seats": (seat,)}))
    session = 1 + len(find_talks(ask.study, account=me.id))
    run = f"math-{draw_id()}"
    try:
        begin_talk(
            ask.site.opened, GroupSpec(setup, secrets.randbelow(2**31), session), run, of=TalkRow(run, **of)
        )  # fmt: skip
    except EduverseError:  # two pages were opened at once: one of the two has begun it
        there = find_talks(ask.study, **of)
        if not there:
            raise
        return there[0].run
    return run


def free_seat(name: str, peers: Sequence[str]) -> str:
    """Return the name of a student in a group: their own, with a number where a peer already has that name."""
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
    """Return the way on when this problem is solved: to the next one that is not done, or to the questions at the end;
    nowhere in a set that the teacher has ended."""
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
    """Note that a student agrees; the words of what they have agreed to are kept."""
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
    """Say something for a student. The answer comes when it is in the study."""
    _, run = my_talk(ask)
    text, key = ask.one("text").strip(), ask.one("key")
    if not clean(text).strip(_STYLES) or len(text) > LONGEST or not 8 <= len(key) <= 64 or not key.isalnum():
        raise HTTPException(400)
    seat = ask.site.dialogues.live(run).talk.model.people[0]
    try:
        row = ask.site.dialogues.say(run, seat, text, key)
    except OverError:  # nothing more is said here, and a call for help is heard all the same
        if tells_of_harm(text):
            last = len(ask.site.dialogues.live(run).talk.messages)
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
    """Note that a student strikes keys: the peers wait."""
    _, run = my_talk(ask)
    ask.site.dialogues.touch(run, ask.site.dialogues.live(run).talk.model.people[0])
    return Response(status_code=204)


SURVEY = ("effective", "constructive", "shared", "contributed", "planned", "real", "like_class")
"""The items, in the paper's order."""
MARKS = ("1", "2", "3", "4", "5")


def survey(ask: Ask) -> Response:
    """Seven questions, from 1 to 5; they can be answered at any time, and again."""
    me = ask.need("student")
    assignment = my_set(ask, me)
    given = {item: str(mark) for item, mark in surveys_of(ask.study, assignment.id).get(me.id, {}).items()}
    note: object = tag("p", ask.say("survey.saved"), class_="ev-note is-ok", role="status") if given else None
    status = 200
    if ask.is_form:
        given = {item: ask.one(item) for item in SURVEY}
        if all(value in MARKS for value in given.values()):
            answers = {item: int(value) for item, value in given.items()}
            save_survey(ask.study, me.id, assignment.id, answers)
            return RedirectResponse(f"/survey/{assignment.id}", 303)
        note, status = tag("p", ask.say("survey.all"), class_="ev-note is-bad", role="alert"), 422
    items = [_item(ask, item, given.get(item, "")) for item in SURVEY]
    form = ask.form_tag(
        f"/survey/{assignment.id}", *items, tag("button", ask.say("survey.save")), class_="ev-card ev-survey"
    )
    back = tag("nav", tag("a", ask.say("my_work"), href="/work"), aria_label=ask.say("problems"))
    about = tag("p", ask.say("survey.about", title=assignment.title))
    return ask.page(ask.say("survey.title"), back, note, about, form, status=status)


def _item(ask: Ask, item: str, given: str) -> Markup:
    marks = [
        tag(
            "label",
            tag("input", type="radio", name=item, value=mark, required=True, checked=mark == given),
            tag("span", mark),
            tag("span", ask.say(f"survey.{end}"), class_="ev-away") if (end := _ENDS.get(mark)) else None,
        )
        for mark in MARKS
    ]
    ends = [tag("span", ask.say(f"survey.{end}"), aria_hidden="true") for end in _ENDS.values()]
    return tag(
        "fieldset", tag("legend", ask.say(f"survey.{item}")), tag("div", ends[0], *marks, ends[1], class_="ev-marks")
    )


_ENDS = {"1": "low", "5": "high"}
"""Words for the ends of the scale."""
