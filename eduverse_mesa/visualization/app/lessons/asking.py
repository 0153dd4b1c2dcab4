"""A question to somebody in a seat as a form: what can be chosen, and what to know for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eduverse_mesa.codes import ACT_CATEGORY, EMOTIONS, PEER_REQUESTS, SPOKEN, TONES
from eduverse_mesa.decisions import Focus, GiveFeedback, Heard, Pace, TakeTurn
from eduverse_mesa.policies.human import Question
from eduverse_mesa.policies.human.checking import LONGEST, WORDLESS
from eduverse_mesa.visualization.widgets.reply import Part
from eduverse_mesa.visualization.words import Words

ASK_TEACHER, ASK_PEER = "ask_teacher", "ask_peer"
"""One behaviour with two doors: a child does not look for whom to ask in another field."""
NOTHING = "none"
SAY = "say "
TONE = "tone "
"""Before a student's name: the fields of feedback to it."""

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
_PLANNED: dict[str, tuple[str, tuple[str, ...]]] = {
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
    faces = [_option(mood, t(f"seat.mood.{mood}"), mood) for mood in EMOTIONS[::-1]]
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
    act, order = _PLANNED[focus.do]
    for name in order:
        if words := getattr(focus, name):
            return act, words
    if focus.idea or focus.question:
        return ("lecturing", focus.idea) if focus.idea else ("asking_question", focus.question)
    return act, focus.text


def _hint(focus: Focus, phase: str, acts: list[str], t: Words) -> Part:
    """What the plan says; its words come with their act, where that is open now."""
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
        f"{t.code(one.behaviour)}, {t('seat.looks.' + one.emotion)}"
        if one.emotion in EMOTIONS
        else t.code(one.behaviour)
    )


def _word_to(one: Heard, t: Words, when: Mapping[str, list[str]] | None = None) -> list[Part]:
    """What was heard of a student, and a word in return."""
    name, said = one.student, " ".join(sentence.text for sentence in one.sentences)
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
    """What is chosen before anything was: as little as can be."""
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
