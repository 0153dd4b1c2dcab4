"""A question to a person in a seat as a form, and the reply that was entered in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from eduverse_mesa.decisions import Focus, GiveFeedback, Heard, Pace, TakeTurn
from eduverse_mesa.policies.human import (
    Act,
    Feedback,
    FeedbackWords,
    Pacing,
    Question,
    Reply,
    ReplyError,
    Requests,
    Turn,
)
from eduverse_mesa.policies.human.questions import LONGEST, WORDLESS
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.visualization.widgets.form import Part, Values
from eduverse_mesa.visualization.words import Words, run_on
from eduverse_mesa.visualization.words.errors import bare_text
from eduverse_mesa.vocabulary import ACT_CATEGORY, EMOTIONS, PEER_REQUESTS, SPOKEN, TONES, Doing, emotion_level_name

ASK_TEACHER, ASK_PEER = "ask_teacher", "ask_peer"
"""One behaviour with two doors: a child does not look for whom to ask in another field."""
NOTHING = "none"
SAY = "say "
TONE = "tone "
"""Before a student's name: the fields of feedback to that student."""

_ORDER = (
    "head_up",
    "note_taking",
    "hand_raise",
    "answer_question",
    "stand_answer",
    ASK_TEACHER,
    ASK_PEER,
    "side_talk",
    "group_discussion",
    "read_aloud",
    "chat",
    "head_down",
    "sleep",
    "refuse_reply",
)
_ADDRESSING = ("praising", "criticising", "adopting_input", "expressing_emotion", "giving_directions")
_POLARITIES = ("positive", "neutral", "negative")
_MOVE_ICONS = ("stay", "extend", "advance")
_PLANNED: dict[Doing, tuple[str, tuple[str, ...]]] = {
    "explain": ("lecturing", ("text", "idea")),
    "ask": ("asking_question", ("question",)),
    "discuss": ("organising_discussion", ("text", "question")),
    "read": ("giving_directions", ("text",)),
    "practise": ("giving_directions", ("text",)),
    "summarise": ("lecturing", ("text", "idea")),
    "manage": ("giving_directions", ("text",)),
}
"""For each thing that a plan does: the act, and where its words stand, the first that are there."""


def parts_of(question: Question, t: Words) -> list[Part]:
    """The parts of the form for a question."""
    return _PARTS[question.form](question, t)


# --- a student ---


def _requests(question: Question, t: Words) -> list[Part]:
    options = [
        _option(
            str(one.id),
            t("seat.requests.accept", name=one.sender),
            "yes",
            f"{t('seat.wants.' + one.kind)} “{one.text}”",
        )
        for one in question.requests
    ]
    return [
        _choice("accept", t("seat.requests.label"), [*options, _option(NOTHING, t("seat.requests.none"), "no")], "rows")
    ]


def _act(question: Question, t: Words) -> list[Part]:
    shown = _deeds(question)
    tiles = [_option(deed, t(f"seat.do.{deed}"), deed) for deed in shown]
    spoken = [deed for deed in shown if behaviour_of(deed) in SPOKEN]
    to_peer = [deed for deed in shown if deed == ASK_PEER or deed in PEER_REQUESTS]
    parts: list[Part] = []
    if question.request is not None:
        asked = question.request
        parts.append({"kind": "quote", "by": t("seat.act.you_said_yes", name=asked.sender), "text": asked.text})
    parts.append(_choice("behaviour", t("seat.act.label"), tiles, "tiles"))
    if question.partners and question.request is None and to_peer:
        names = [_option(name, name) for name in question.partners]
        parts.append(_choice("partner", t("seat.act.partner"), names, "chips", when={"behaviour": to_peer}))
    if spoken:
        needed = all(deed not in WORDLESS for deed in spoken)
        parts.append(
            _words("words", t("seat.act.words"), t("seat.act.words_help") if needed else "", when={"behaviour": spoken})
        )
    faces = [_option(mood, t(f"seat.mood.{mood}"), emotion_level_name(mood)) for mood in EMOTIONS[::-1]]
    parts.append(_choice("mood", t("seat.act.mood"), faces, "faces"))
    return parts


def _deeds(question: Question) -> list[str]:
    """The behaviours that can be chosen now, asking twice where a classmate is in reach."""
    open_now = set(question.permitted)
    if "ask_question" in open_now:
        open_now.discard("ask_question")
        if question.request is None:
            open_now.add(ASK_TEACHER)
        if question.partners or question.request is not None:
            open_now.add(ASK_PEER)
    if question.request is None and not question.partners:
        open_now -= {"side_talk", "chat"}
    return [deed for deed in _ORDER if deed in open_now] + sorted(open_now - set(_ORDER))


def behaviour_of(deed: str) -> str:
    """The behaviour behind what was chosen."""
    return "ask_question" if deed in (ASK_TEACHER, ASK_PEER) else deed


# --- the teacher ---


def _turn(question: Question, t: Words) -> list[Part]:
    decision = question.decision
    assert isinstance(decision, TakeTurn)
    view = decision.view
    acts = [act for act in ACT_CATEGORY if act in question.permitted]
    tiles = [_option(act, t(f"seat.teach.{act}"), group=t(f"seat.category.{ACT_CATEGORY[act]}")) for act in acts]
    parts: list[Part] = []
    parts.append(_hint(view.focus, view.position.phase, acts, t))
    parts.append(_choice("act", t("seat.teach.label"), tiles, "tiles"))
    parts.append(_words("words", t("seat.teach.words"), ""))
    names = [
        _option(pupil.name, pupil.name, hint=t("seat.teach.hand") if pupil.hand_up else "")
        for pupil in view.group.pupils
    ]
    parts.append(_choice("called", t("seat.teach.called"), names, "chips", many=True, help=t("seat.teach.called_help")))
    to = [act for act in acts if act in _ADDRESSING or ACT_CATEGORY[act] == "management"]
    bare = [_option(pupil.name, pupil.name) for pupil in view.group.pupils]
    if to:
        parts.append(_choice("addressed", t("seat.teach.addressed"), bare, "chips", many=True, when={"act": to}))
    parts.append(_choice("tone", t("seat.teach.tone"), [_option(one, t(f"seat.tone.{one}")) for one in TONES], "chips"))
    return parts


def plan_of(focus: Focus) -> tuple[str, str]:
    """The act that the plan has for a step, and its words; no words where it has none."""
    act, order = _PLANNED[cast(Doing, focus.do)]
    for name in order:
        if words := getattr(focus, name):
            return act, words
    if focus.idea or focus.question:
        return ("lecturing", focus.idea) if focus.idea else ("asking_question", focus.question)
    return act, focus.text


def _hint(focus: Focus, phase: str, acts: list[str], t: Words) -> Part:
    """Return the hint from the plan, with its words if their act is permitted now."""
    act, words = plan_of(focus)
    hint: Part = {"kind": "hint", "label": t("seat.teach.plan", phase=t.code(phase))}
    if not words:
        return hint | {"text": t(f"design.doing.{focus.do}")}
    fill = {"words": words, "act": act} if act in acts else {"words": words}
    return hint | {"text": words, "fill": fill, "button": t("seat.teach.use")}


def _feedback(question: Question, t: Words) -> list[Part]:
    decision = question.decision
    assert isinstance(decision, GiveFeedback)
    spoke = [one for one in decision.heard if one.sentences]
    others = [one for one in decision.heard if not one.sentences]
    parts: list[Part] = []
    for one in spoke:
        parts += _word_to(one, t)
    if others:
        options = [_option(one.student, one.student, hint=_seen(one, t)) for one in others]
        label = t("seat.feedback.others" if spoke else "seat.feedback.anybody")
        parts.append(_choice("others", label, options, "chips", many=True))
        for one in others:
            parts += _word_to(one, t, when={"others": [one.student]})
    return parts


def _seen(one: Heard, t: Words) -> str:
    return (
        t.listed([t.code(one.behaviour), t(f"seat.looks.{one.emotion}")])
        if one.emotion in EMOTIONS
        else t.code(one.behaviour)
    )


def _word_to(one: Heard, t: Words, when: Mapping[str, list[str]] | None = None) -> list[Part]:
    """Return the fields for feedback to a student, under what was heard of that student."""
    name, said = one.student, run_on(sentence.text for sentence in one.sentences)
    polarities = [_option(NOTHING, t("seat.feedback.none"))] if when is None else []
    polarities += [_option(polarity, t(f"seat.polarity.{polarity}")) for polarity in _POLARITIES]
    seen = _seen(one, t) + (
        f" · {t('seat.quality.' + one.quality)}" if one.quality in ("right", "partial", "wrong") else ""
    )
    heading: Part = {"kind": "head", "label": name, "text": seen, "when": when}
    quote: list[Part] = [{"kind": "quote", "text": said, "when": when}] if said else []
    given = {**(when or {}), TONE + name: list(_POLARITIES)}
    return [
        heading,
        *quote,
        _choice(TONE + name, t("seat.feedback.label", name=name), polarities, "chips", when=when),
        _words(SAY + name, t("seat.feedback.words", name=name), "", when=given, rows=2),
    ]


def _pace(question: Question, t: Words) -> list[Part]:
    decision = question.decision
    assert isinstance(decision, Pace)
    position = decision.position
    told = t(
        "seat.pace.standing",
        phase=t.code(position.phase),
        step=position.step_in_phase + 1,
        steps=position.steps_of_phase,
        understood=round(100 * decision.understanding),
    )
    moves = [move for move in _MOVE_ICONS if move != "extend" or decision.may_extend]
    options = [_option(move, t(f"seat.pace.{move}"), move) for move in moves]
    return [{"kind": "quote", "text": told}, _choice("move", t("seat.pace.label"), options, "rows")]


# --- parts ---


def _option(value: str, label: str, icon: str = "", hint: str = "", group: str = "") -> dict[str, Any]:
    filled = {"icon": icon, "hint": hint, "group": group}
    return {"value": value, "label": label, **{name: text for name, text in filled.items() if text}}


def _choice(name: str, label: str, options: Iterable[dict[str, Any]], look: str, **more: Any) -> Part:
    return {"kind": "choice", "name": name, "label": label, "options": list(options), "look": look, **more}


def _words(name: str, label: str, help_text: str, **more: Any) -> Part:
    return {"kind": "words", "name": name, "label": label, "help": help_text, "most": LONGEST, **more}


_PARTS: dict[str, Callable[[Question, Words], list[Part]]] = {
    "requests": _requests,
    "act": _act,
    "turn": _turn,
    "feedback": _feedback,
    "pace": _pace,
}


def usual(question: Question) -> dict[str, Any]:
    """Return the values of a form before anything is chosen: as little as can be."""
    if question.form == "act":
        deeds = _deeds(question)
        return {"behaviour": deeds[0]} if len(deeds) == 1 else {}
    if question.form == "turn":
        return {"tone": "neutral"} | ({"act": question.permitted[0]} if len(question.permitted) == 1 else {})
    if question.form == "pace":
        return {"move": "stay"}
    if question.form == "feedback" and isinstance(question.decision, GiveFeedback):
        return {TONE + one.student: NOTHING if one.sentences else "neutral" for one in question.decision.heard}
    return {}


Errors = dict[str, str]
"""Errors by the names of fields; under "" those that are about no field."""


class Unfinished(Exception):  # noqa: N818 - nothing has gone wrong: somebody has not filled in everything
    """A form that cannot be sent yet."""

    def __init__(self, errors: Errors) -> None:
        super().__init__("not everything is filled in")
        self.errors = errors


def reply_of(question: Question, values: Values, t: Words) -> Reply:
    """The reply; Unfinished where something is missing or too long."""
    reply, errors = _READ[question.form](question, values, t)
    if errors:
        raise Unfinished(errors)
    return reply


def told(error: ReplyError, t: Words) -> Errors:
    """Return the objection of a seat to a reply that looked well, in the seat's own words."""
    name = {"behaviour": "behaviour", "items": "", "student": ""}.get(error.field, error.field)
    return {name: f"{t('seat.error.refused')} {bare_text(error, t)}"}


def _reply_requests(question: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    chosen = _one(values, "accept")
    ids = {str(request.id): request.id for request in question.requests}
    errors = {} if chosen == NOTHING or chosen in ids else {"accept": t("seat.error.choose")}
    return Requests(ids.get(chosen)), errors


def _reply_act(question: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    deed, errors = _one(values, "behaviour"), {}
    behaviour = behaviour_of(deed)
    partner = "teacher" if deed == ASK_TEACHER else ""
    if not deed:
        errors["behaviour"] = t("seat.error.choose")
    elif question.request is None and (deed == ASK_PEER or deed in PEER_REQUESTS):
        partner = _one(values, "partner")
        if partner not in question.partners:
            errors["partner"] = t("seat.error.partner")
    words = ""
    if behaviour in SPOKEN:
        words = _said("words", values, errors, t, needed=behaviour not in WORDLESS)
    return Act(behaviour, partner, words, _one(values, "mood")), errors


def _reply_turn(_: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    errors: Errors = {}
    act = _one(values, "act")
    if not act:
        errors["act"] = t("seat.error.choose")
    words = _said("words", values, errors, t)
    called, addressed = _several(values, "called"), _several(values, "addressed")
    return Turn(act, words, called, addressed, _one(values, "tone") or "neutral"), errors


def _reply_feedback(question: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    errors: Errors = {}
    heard = {one.student: bool(one.sentences) for one in getattr(question.decision, "heard", ())}
    chosen = _several(values, "others")
    items = []
    for name, spoke in heard.items():
        polarity = _one(values, TONE + name)
        if polarity in ("", NOTHING) or not (spoke or name in chosen):
            continue
        items.append(FeedbackWords(name, polarity, _said(SAY + name, values, errors, t)))
    return Feedback(tuple(items)), errors


def _reply_pace(_: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    move = _one(values, "move")
    return Pacing(move), {} if move else {"move": t("seat.error.choose")}


def _said(name: str, values: Values, errors: Errors, t: Words, *, needed: bool = True) -> str:
    text = _one(values, name)
    if len(text) > LONGEST:
        errors[name] = t("seat.error.too_long", length=len(text), most=LONGEST)
    elif needed and not clean(text):
        errors[name] = t("seat.error.no_words")
    return text


def _one(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name, "")
    return value if isinstance(value, str) else ""


def _several(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = values.get(name, [])
    return tuple(value) if isinstance(value, list) else ()


_READ: dict[str, Callable[[Question, Values, Words], tuple[Reply, Errors]]] = {
    "requests": _reply_requests,
    "act": _reply_act,
    "turn": _reply_turn,
    "feedback": _reply_feedback,
    "pace": _reply_pace,
}
