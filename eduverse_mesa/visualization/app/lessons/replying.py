"""What was entered in a form as a reply; what is missing is said beside its field, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eduverse_mesa.codes import PEER_REQUESTS, SPOKEN
from eduverse_mesa.policies.cleaning import clean
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
from eduverse_mesa.policies.human.checking import LONGEST, WORDLESS
from eduverse_mesa.visualization.app.lessons.asking import ASK_PEER, ASK_TEACHER, NOTHING, SAY, TONE, behaviour_of
from eduverse_mesa.visualization.widgets.reply import Values
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.errors import bare_text

Errors = dict[str, str]
"""What is wrong, by the names of fields; under "" what is about no field."""


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
    """What a seat has against a reply that looked well: it knows best, and says so in its own words."""
    name = {"behaviour": "behaviour", "items": "", "student": ""}.get(error.field, error.field)
    return {name: f"{t('seat.error.refused')} {bare_text(error, t)}"}


def _requests(question: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    chosen = _one(values, "accept")
    ids = {str(request.id): request.id for request in question.requests}
    errors = {} if chosen == NOTHING or chosen in ids else {"accept": t("seat.error.choose")}
    return Requests(ids.get(chosen)), errors


def _act(question: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
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


def _turn(_: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
    errors: Errors = {}
    act = _one(values, "act")
    if not act:
        errors["act"] = t("seat.error.choose")
    words = _said("words", values, errors, t)
    called, addressed = _several(values, "called"), _several(values, "addressed")
    return Turn(act, words, called, addressed, _one(values, "tone") or "neutral"), errors


def _feedback(question: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
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


def _pace(_: Question, values: Values, t: Words) -> tuple[Reply, Errors]:
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
    "requests": _requests,
    "act": _act,
    "turn": _turn,
    "feedback": _feedback,
    "pace": _pace,
}
