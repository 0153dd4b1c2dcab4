"""One dialogue, read by the teacher: step by step, with what each peer held at that moment and why it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
from starlette.responses import Response

from eduverse_mesa.decisions.groups import SERIOUS
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.measures.groups import corrections, talk_shares
from eduverse_mesa.models.groups import STAGES
from eduverse_mesa.models.groups.journal import ErrorRow, RevisionRow
from eduverse_mesa.models.groups.journal import MessageRow as Logged
from eduverse_mesa.models.groups.model import CollaborationModel
from eduverse_mesa.policies.embedded.groups.revision import REASONS
from eduverse_mesa.pupils.alarms import verdict_form
from eduverse_mesa.pupils.markup import Markup, initial, join, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.student import titles_of
from eduverse_mesa.pupils.teacher.counts import said_mistakes, says
from eduverse_mesa.pupils.teacher.outcomes import phrase_of
from eduverse_mesa.pupils.teacher.parts import my_pupils_talk, navigation, table
from eduverse_mesa.pupils.typesetting import math
from eduverse_mesa.runs.groups import UnkeptTalk, read_talk
from eduverse_mesa.scenarios.word_problem import schema_of, work
from eduverse_mesa.store import AssignmentRow, MessageRow, TalkRow
from eduverse_mesa.store.accounts import account
from eduverse_mesa.store.alerts import PupilsAlert, alerts_for
from eduverse_mesa.store.dialogues import messages_of
from eduverse_mesa.web.alerts import verdicts_said

_OF = ("problem",)


def transcript(ask: Ask) -> Response:
    """Show a dialogue up to a message, and what can be counted in it."""
    row, of = my_pupils_talk(ask)
    try:  # a copy of our own: who talks there is not disturbed
        whole = read_talk(ask.site.opened, row.run, policy="embedded")
    except EduverseError:
        return _words_only(ask, row, of)
    last = len(whole.messages)
    step = _step(ask.request.query_params.get("step", ""), last)
    talk = whole if step == last else whole.again(step)
    who = account(ask.study, row.account).name
    return ask.page(
        ask.teach("dialogue_of", name=who, title=talk.model.problem.title or talk.model.problem.name),
        navigation(ask),
        tag("p", tag("a", of.title, href=f"/sets/{of.id}")),
        _timeline(ask, whole),
        tag(
            "div",
            tag(
                "section",
                tag("h2", ask.say("chat")),
                _steps(ask, step, last),
                _said(ask, talk, row.run),
                class_="ev-card",
            ),
            tag(
                "div",
                tag("section", tag("h2", ask.teach("minds")), _minds(ask, talk.model), class_="ev-card", id="minds"),
                _counted(ask, talk.model),
            ),
            class_="ev-two",
        ),
        said_mistakes(ask, talk.model),
        _revisions(ask, talk.model),
        script="teaching.js",
    )


def _words_only(ask: Ask, row: TalkRow, of: AssignmentRow) -> Response:
    """Show the messages of a dialogue as they were kept, where another version would have gone another way: what peers
    held is not known, but nobody's words are lost."""
    said = [one for one in messages_of(ask.study, row.run) if one.speaker]
    people = {one.speaker for one in said if one.key is not None}
    peers = tuple(dict.fromkeys(one.speaker for one in said if one.speaker not in people))
    calls = _calls_in(ask, row.run)
    return ask.page(
        ask.teach("dialogue_of", name=account(ask.study, row.account).name, title=dict(titles_of(of))[row.problem]),
        navigation(ask),
        tag("p", tag("a", of.title, href=f"/sets/{of.id}")),
        tag("p", ask.teach("words_only"), class_="ev-note is-bad", role="status"),
        tag(
            "section",
            tag("h2", ask.say("chat")),
            tag(
                "ol",
                *(part for one in said for part in (_message(one, peers), *_calls(ask, calls.get(one.step, ())))),
                class_="ev-said ev-whole",
                id="transcript",
            ),
            class_="ev-card",
        ),
    )


def _step(given: str, last: int) -> int:
    wanted = int(given) if given.isascii() and given.isdecimal() and len(given) < 6 else last
    return min(max(wanted, min(1, last)), last)


def _timeline(ask: Ask, whole: UnkeptTalk) -> Markup:
    """Stages in order, each with its messages; one goes there by a click."""
    counts = Counter(row.stage for row in whole.messages if row.speaker)
    first = {row.stage: row.step for row in reversed(whole.messages) if row.speaker}
    parts = []
    for stage in STAGES:
        said = [ask.say(f"stage.{stage}"), " ", tag("small", counts[stage])]
        inside = tag("a", *said, href=f"?step={first[stage]}") if stage in first else tag("span", *said)
        parts.append(tag("li", inside, class_="is-reached" if stage in first else None))
    end = ask.teach("solved") if whole.model.solved else ask.teach("not_solved")
    parts.append(tag("li", tag("span", end), class_="is-reached" if whole.model.solved else None))
    return tag("ol", *parts, class_="ev-timeline", aria_label=ask.say("stages"))


def _steps(ask: Ask, step: int, last: int) -> Markup:
    ways = [("first", 1), ("back_one", step - 1), ("on_one", step + 1), ("last", last)]
    links = [
        tag("a", ask.teach(f"replay.{name}"), href=f"?step={to}", data_replay=name)
        if 1 <= to <= last and to != step
        else tag("span", ask.teach(f"replay.{name}"), class_="ev-quiet")
        for name, to in ways
    ]
    here = tag("span", ask.teach("replay.here", step=step, n=last))
    return tag("nav", *links[:2], here, *links[2:], aria_label=ask.teach("replay.name"), class_="ev-replay")


def _said(ask: Ask, talk: UnkeptTalk, run: str) -> Markup:
    """Messages with marks between them: where a stage begins, and where a peer has changed its mind."""
    revised: dict[int, list[RevisionRow]] = {}
    for one in talk.model.journal.revisions:
        revised.setdefault(one.turn, []).append(one)
    acts = {one.turn: one.act for one in talk.model.journal.messages if one.role == "person"}
    calls = _calls_in(ask, run)
    parts: list[object] = []
    stage = ""
    for row in talk.messages:
        thoughts = (_revision(ask, talk.model, one) for one in revised.get(row.step, ()))  # it thinks before it speaks
        parts += [tag("li", one, class_="ev-mark is-mind") for one in thoughts]
        if not row.speaker:
            continue
        if row.stage != stage:
            stage = row.stage
            parts.append(tag("li", ask.say(f"stage.{stage}"), class_="ev-mark"))
        parts.append(_message(row, talk.model.names_of_peers))
        there = calls.get(row.step, ())
        parts += _calls(ask, there)
        if (act := acts.get(row.step, "")) in SERIOUS and not there:
            parts.append(tag("li", ask.teach(f"serious.{act}"), class_="ev-mark is-serious"))
    return tag("ol", *parts, class_="ev-said ev-whole", id="transcript")


def _calls_in(ask: Ask, run: str) -> dict[int, list[PupilsAlert]]:
    """The calls for help in a dialogue, by their messages."""
    found: dict[int, list[PupilsAlert]] = {}
    for one in alerts_for(ask.study, ask.need("teacher").id):
        if one.alert.run == run:
            found.setdefault(one.alert.step, []).append(one)
    return found


def _calls(ask: Ask, several: Sequence[PupilsAlert]) -> list[Markup]:
    """A call for help, what was made of it, and what can be made of it now."""
    return [
        tag(
            "li",
            ask.teach("serious.harm") if one.alert.verdict != "false" else None,
            *(tag("p", said) for said in verdicts_said(ask.t, one.alert)),
            verdict_form(ask, one, tag("input", type="hidden", name="back", value="talk")),
            class_="ev-mark is-serious" if one.alert.verdict != "false" else "ev-mark",
        )
        for one in several
    ]


def _message(row: MessageRow, peers: tuple[str, ...]) -> Markup:
    """Return a message as the student sees it, with the time at which it was said."""
    who = f"is-peer-{peers.index(row.speaker) % 3}" if row.speaker in peers else "is-me is-named"
    head = tag("b", row.speaker, " ", tag("small", tag("time", row.at[11:16], datetime=row.at)))
    return tag("li", head, tag("p", math(row.text)), class_=who, data_initial=initial(row.speaker), data_step=row.step)


def _revision(ask: Ask, model: CollaborationModel, one: RevisionRow) -> str:
    what = phrase_of(model.problem, one.variable)
    by = ask.teach("after_words_of", name=one.by) if one.by and one.by != one.peer else ask.teach("by_itself")
    return ask.teach(
        "now_holds", peer=one.peer, what=what, before=says(model, one.before), after=says(model, one.after), by=by
    )


def _minds(ask: Ask, model: CollaborationModel) -> Markup:
    """Return the table of what each peer holds now, beside what is right; wrong values are marked, and not by their
    colour alone."""
    problem = model.problem
    schema = schema_of(problem)
    right = work(schema).values
    rows: list[list[object]] = []
    for name, value in right.items():
        cells: list[object] = [phrase_of(problem, name), schema.says(value, problem.language)]
        for peer in model.peers:
            held = peer.values[name]
            said = peer.schema.says(held, problem.language)
            wrong = not schema.units.same(held, value)
            cells.append(tag("b", f"✗ {said}", class_="ev-bad") if wrong else said)
        rows.append(cells)
    beliefs = [
        tag("p", tag("b", ask.t.told(peer.name)), tag("q", belief.thinks), class_="ev-bad")
        for peer in model.peers
        if (belief := peer.belief()) is not None
    ]
    heads = [ask.say("teach.quantity"), ask.teach("right"), *model.names_of_peers]
    return join([*beliefs, table(heads, rows, class_="ev-grid")])


def _counted(ask: Ask, model: CollaborationModel) -> Markup:
    parts: list[object] = [tag("h2", ask.say("teach.counted"))]
    said = pd.DataFrame(model.journal.messages, columns=Logged._fields)
    if len(said):
        rows: list[list[object]] = [
            [one.speaker, one.messages, join([f"{one.share:.0%} ", _meter(float(str(one.share)))])]
            for one in talk_shares(said, by=_OF).itertuples()
            if one.messages
        ]
        parts.append(
            table(
                [ask.say("teach.speaker"), ask.say("teach.count"), ask.say("teach.share")],
                rows,
                id="shares",
                class_="ev-grid",
            )
        )
    parts += _corrections(ask, model.journal.errors)
    return tag("section", *parts, class_="ev-card")


def _meter(share: float) -> Markup:
    return tag("meter", f"{share:.0%}", min=0, max=1, value=f"{share:.3f}", aria_label=f"{share:.0%}")


def _corrections(ask: Ask, errors: Sequence[ErrorRow]) -> list[object]:
    if not errors:
        return []
    found = corrections(pd.DataFrame(errors, columns=ErrorRow._fields))
    rows: list[list[object]] = [[one.of, one.corrected_by, one.n] for one in found.itertuples()]
    if not rows:
        return []
    heads = [ask.say("teach.error_of"), ask.say("teach.put_right_by"), ask.say("teach.count")]
    return [tag("h3", ask.say("teach.corrected")), table(heads, rows, id="corrected", class_="ev-grid")]


_KNOWN = {text: name for name, text in REASONS.items()}


def _reason(ask: Ask, reason: str) -> str:
    """Why, in the page's language; a language model's reason is in its own words."""
    return ask.teach(f"reason.{_KNOWN[reason]}") if reason in _KNOWN else reason


def _revisions(ask: Ask, model: CollaborationModel) -> Markup | None:
    rows: list[list[object]] = [
        [
            tag("a", row.turn, href=f"?step={row.turn}"),
            row.peer,
            phrase_of(model.problem, row.variable),
            says(model, row.before),
            says(model, row.after),
            row.by,
            _reason(ask, row.reason),
        ]
        for row in model.journal.revisions
    ]
    if not rows:
        return None
    names = ("speaker", "quantity", "was", "is", "put_right_by", "why")
    heads = [ask.teach("message"), *(ask.say(f"teach.{name}") for name in names)]
    title = tag("h2", ask.say("teach.revised"))
    return tag("section", title, table(heads, rows, id="revisions"), class_="ev-card")
