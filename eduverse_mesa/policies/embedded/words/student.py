"""What a student says: content only, and never more than it can bring up.

All that is right about the matter comes from the recall, which was drawn from the student's understanding. Apart from
it a student has the matter's keyword, which everybody heard, and uses it to ask or to point, not to claim.
"""

from __future__ import annotations

from functools import lru_cache

from eduverse_mesa.decisions import Recall, Said, StudentView
from eduverse_mesa.policies.embedded.words.grammar import Grammar, bare, capital
from eduverse_mesa.policies.embedded.words.luck import Luck, draw_luck, pick
from eduverse_mesa.randomness import Address

TOPICS = ("game", "lunch", "sport", "music", "weekend", "bus")
"""What thirteen-year-olds talk about when they do not talk about the lesson."""
_ALONE = 0.5
"""Share of reasons that are given without the claim they are for."""
_STOPS = ".!?。！？…"


def draft_sentences(
    grammar: Grammar,
    at: Address,
    view: StudentView,
    behaviour: str,
    addressee: str,
    recall: Recall,
    move: str,
    brief: bool,
    replying_to: str = "",
) -> tuple[Said, ...]:
    """The content of what is said, making this move; who has nothing to claim says so instead."""
    luck = draw_luck(at, "words/draft")
    if behaviour == "refuse_reply":
        return (Said(grammar.say("student.refuse", luck[0])),)
    if behaviour == "chat":
        return (Said(_chat(grammar, luck, replying_to)),)
    if behaviour == "read_aloud":
        return (Said(grammar.say("student.read", luck[0], {"text": _passage(view, at.step)})),)
    if behaviour == "ask_question" or move == "ask":
        return (Said(_question(grammar, view, behaviour, addressee, recall, luck), "ask"),)
    if behaviour == "side_talk" and (not recall.text or luck[4] < 0.3):
        return (_point(grammar, view, recall, move, replying_to, luck),)
    if move == "relate":
        return _relate(grammar, view, recall, luck)
    asked = view.scene.asked or (behaviour == "answer_question" and addressee != "teacher")
    return _answer(grammar, asked, recall, move, brief, luck)


def _answer(grammar: Grammar, asked: bool, recall: Recall, move: str, brief: bool, luck: Luck) -> tuple[Said, ...]:
    if move == "none" and (recall.text or not asked):
        return (Said(grammar.say("student.okay", luck[0])),)
    if not recall.text:
        return (Said(grammar.say("student.lost" if brief else "student.lost_long", luck[0])),)
    if move == "evidence" and recall.because:
        because = bare(recall.because)
        if luck[1] < _ALONE:
            return (Said(grammar.say("student.because", luck[0], {"because": because}), "evidence"),)
        return (Said(bare(recall.text) + grammar.because + because + grammar.end, "evidence"),)
    if brief and recall.short:
        return (Said(capital(bare(recall.short)) + grammar.end, "claim"),)
    return (Said(grammar.sentence(recall.text), "claim"),)


def _relate(grammar: Grammar, view: StudentView, recall: Recall, luck: Luck) -> tuple[Said, ...]:
    me = view.person.name
    others = [spoken.speaker for spoken in view.scene.earlier if spoken.speaker != me and spoken.claims]
    if not others:
        first = Said(grammar.say("student.relate_nobody", luck[0]), "relate")
    else:
        other = pick(others, luck[1])
        agrees = luck[2] < 0.6 + 0.6 * (view.person.traits.agreeableness - 0.5)
        if agrees and recall.because and luck[3] < _ALONE:
            slots = {"other": other, "because": bare(recall.because)}
            return (Said(grammar.say("student.agree_because", luck[0], slots), "relate"),)
        key = "student.agree" if agrees else "student.differ"
        first = Said(grammar.say(key, luck[0], {"other": other}), "relate")
    return (first, Said(grammar.sentence(recall.text), "relate")) if recall.text else (first,)


def _question(grammar: Grammar, view: StudentView, behaviour: str, addressee: str, recall: Recall, luck: Luck) -> str:
    keyword = {"keyword": view.scene.focus.keyword}
    if not keyword["keyword"]:
        return grammar.say("student.ask_any", luck[0])
    if behaviour != "ask_question" and addressee == "teacher":
        return grammar.say("student.ask_back", luck[0], keyword)
    if addressee != "teacher":
        return grammar.say("student.ask_peer", luck[0], keyword)
    if recall.level in ("partial", "misconception") and luck[1] < 0.5:
        return grammar.say("student.ask_check", luck[0], {"said": bare(recall.text)})
    depth = {"full": "much", "partial": "some"}.get(recall.level, "none")
    return grammar.say(f"student.ask_{depth}", luck[0], keyword)


def _point(grammar: Grammar, view: StudentView, recall: Recall, move: str, replying_to: str, luck: Luck) -> Said:
    """Talk beside the lesson about the lesson without claiming anything."""
    relating = "relate" if move in ("relate", "claim", "evidence") else "none"
    if replying_to:
        return Said(grammar.say("student.side_reply" if recall.text else "student.lost_peer", luck[0]), relating)
    keyword = view.scene.focus.keyword
    if not keyword:
        return Said(grammar.say("student.relate_nobody", luck[0]), relating)
    return Said(grammar.say("student.side_talk", luck[0], {"keyword": keyword}), relating)


def _chat(grammar: Grammar, luck: Luck, replying_to: str) -> str:
    if not replying_to:
        return grammar.say(f"student.chat.{pick(TOPICS, luck[1])}", luck[0])
    for topic in TOPICS:
        if grammar.text(f"student.topic.{topic}") in replying_to:
            return grammar.say(f"student.chat_reply.{topic}", luck[0])
    return grammar.say("student.chat_reply.other", luck[0])


def _passage(view: StudentView, step: int) -> str:
    """The sentence of the lesson's text that is up: reading goes on from step to step."""
    passages = split_passages(view.scene.lesson.text)
    return passages[step % len(passages)] if passages else view.scene.focus.idea or view.scene.lesson.ideas[0].text


@lru_cache(maxsize=64)
def split_passages(text: str) -> tuple[str, ...]:
    """The sentences of a text. A full stop within a number or an abbreviation without a space ends none."""
    passages, start = [], 0
    for place, mark in enumerate(text):
        follows = text[place + 1 : place + 2]
        if mark in _STOPS and (mark in "。！？" or not follows or follows.isspace()):
            passages.append(" ".join(text[start : place + 1].split()))
            start = place + 1
    passages.append(" ".join(text[start:].split()))
    return tuple(passage for passage in passages if passage)
