"""The chat of a group: what was said, the stage and what to do in it, and the box to write in."""

from __future__ import annotations

import secrets

import msgspec

from eduverse_mesa.models.collaboration import STAGES
from eduverse_mesa.runs.collaboration import Talk
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import MessageRow
from eduverse_mesa.visualization.mathematics.alarms import help_line
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.hall import Standing
from eduverse_mesa.visualization.mathematics.markup import Markup, initial, tag
from eduverse_mesa.visualization.mathematics.typesetting import math

LONGEST = 2000
"""Characters of a message."""


def chat(ask: Ask, talk: Talk, standing: Standing, then: Markup) -> Markup:
    """The whole chat; `then` leads on when it is over."""
    peers, me = talk.model.names_of_peers, talk.model.people[0]
    names = ask.say("and").join(part for part in (", ".join(peers[:-1]), peers[-1]) if part)
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


def _ending(ask: Ask, standing: Standing, then: Markup) -> Markup:
    """What is said when it is over: whether the group has solved it, and what comes next."""
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


def _stages(ask: Ask, standing: Standing) -> Markup:
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


def _turn(ask: Ask, standing: Standing, me: str) -> str:
    """What there is to wait for; who has said nothing yet is told that it may."""
    if standing.waits:
        return ask.say("waits", name=standing.waits)
    return "" if any(row.speaker == me for row in standing.messages) else ask.say("begin")


def _box(ask: Ask, run: str, standing: Standing, me: str) -> Markup:
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
