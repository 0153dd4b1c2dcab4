"""Words of a student: utterances, reasons, self-observations, summaries and personal style; and one-line judgements.

All that is right about the matter comes from the recall, which was drawn from the student's understanding; students
never say more than they can recall. Apart from it they have the matter's keyword, which everybody heard, and use it to
ask or to point, not to claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import Mind, Recall, Said, StudentView
from eduverse_mesa.policies.embedded.classroom.words.grammar import Grammar, Luck, bare, capital, draw_luck, pick
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.scenarios.people import Student
from eduverse_mesa.vocabulary import GROUNDS, OFF_TASK, emotion_level_name, is_brief, share_of_level

if TYPE_CHECKING:
    from eduverse_mesa.decisions import Pace, Summarise

TOPICS = ("game", "lunch", "sport", "music", "weekend", "bus")
"""Topics of thirteen-year-olds when they do not talk about the lesson."""
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
    """The content of an utterance with this move; students with nothing to claim say so instead."""
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
    """The current sentence of the lesson's text: reading goes on from step to step."""
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


Five = tuple[str, str, str, str, str]

_LEARNED = 0.1
"""Growth of understanding from which on a lesson leaves something to name."""


def plan_sentence(grammar: Grammar, at: Address, behaviour: str, partner: str, keyword: str = "") -> str:
    """A student's reason for an act, in the first person; `keyword` is the subject of the step, in a word."""
    if not partner or partner == "group":
        partner = grammar.text("fallback.somebody")
    elif partner == "teacher":
        partner = grammar.text("fallback.the_teacher")
    slots = {"partner": partner, "keyword": keyword or grammar.text("fallback.matter")}
    return grammar.say(f"plan.{behaviour}", uniform(at, "words/plan"), slots)


def monitor_sentence(
    grammar: Grammar, at: Address, emotion: str, cognition: str, behaviour: str = "", keyword: str = ""
) -> str:
    """A student's view of themselves, in the first person: a feeling, and a use of the matter, or being elsewhere."""
    luck = draw_luck(at, "words/monitor")
    feeling = capital(grammar.say(f"monitor.{emotion_level_name(emotion)}", luck[0]))
    key = "monitor.away" if behaviour in OFF_TASK else f"monitor.{cognition}"
    slots = {"keyword": keyword or grammar.text("fallback.matter")}
    return feeling + grammar.clause + grammar.say(key, luck[1], slots)


def regulate_sentence(grammar: Grammar, at: Address, strategy: str, keyword: str = "") -> str:
    """A student's resolution to do something differently, in the first person."""
    slots = {"keyword": keyword or grammar.text("fallback.matter")}
    return grammar.say(f"regulate.{strategy}", uniform(at, "words/regulate"), slots)


def summary_sentences(grammar: Grammar, at: Address, decision: Summarise, strategy: str) -> tuple[str, str, str]:
    """A student's summary of the lesson, self-portrait and resolution for next time, in the first person."""
    luck = draw_luck(at, "words/summary")
    off_task, positive = decision.behaviours.get("off_task", 0.0), share_of_level(decision.emotions, "positive")
    tone = "bad" if off_task > 0.4 else "good" if positive > 0.6 and off_task < 0.15 else "mixed"
    summary = grammar.say(f"summary.{tone}", luck[0])
    goals, understanding = decision.view.scene.lesson.goals, decision.view.mind.understanding
    growth = [now - before for now, before in zip(understanding, decision.started, strict=True)]
    best = max(range(len(growth)), key=growth.__getitem__, default=-1)
    if best >= 0 and growth[best] >= _LEARNED:
        slots = {"tone": summary, "goal": grammar.sentence(goals[best].text)}
        summary = grammar.say("summary.learned", luck[1], slots)
    slots = {
        "level": grammar.text(f"summary.level.{_most(decision.behaviours, 'passive')}"),
        "emotion": grammar.text(f"summary.emotion.{emotion_level_name(_most(decision.emotions, 'confused'))}"),
    }
    portrait = grammar.say("summary.portrait", luck[2], slots)
    return summary, portrait, grammar.say(f"summary.regulation.{strategy}", luck[3])


def _most(shares: dict[str, float], otherwise: str) -> str:
    return max(shares, key=shares.__getitem__, default=otherwise)


def evaluation_sentence(
    grammar: Grammar,
    at: Address,
    student: str,
    rating: float,
    participation: float | None = None,
    quality: float | None = None,
) -> str:
    """The teacher's note about a student; it tells how they took part and spoke if that is known."""
    luck = draw_luck(at, f"words/evaluation/{student}")
    level = "high" if rating > 0.3 else "low" if rating < -0.1 else "middle"
    following = grammar.say(f"evaluation.next.{level}", luck[0])
    if participation is None:
        return grammar.say("evaluation.short", luck[1], {"name": student, "next": following})
    part = "high" if participation >= 0.6 else "middle" if participation >= 0.3 else "low"
    said = "silent" if quality is None else "good" if quality >= 0.65 else "mixed" if quality >= 0.35 else "weak"
    slots = {
        "name": student,
        "part": grammar.text(f"evaluation.part.{part}"),
        "said": grammar.text(f"evaluation.said.{said}"),
        "next": following,
    }
    return grammar.say("evaluation.line", luck[1], slots)


def pace_reason(grammar: Grammar, move: str, decision: Pace, readiness: float, ready: bool) -> str:
    """The teacher's reason to go on or to stay, with the number that decided it."""
    key = "leave" if move == "advance" and decision.completion >= 1 and not ready else move
    return grammar.say(f"pace.{key}", uniform(decision.at, "words/pace"), {"ready": f"{readiness:.2f}"})


def gate_reasons(grammar: Grammar, scores: Sequence[float] = (), weights: Sequence[float] = ()) -> Five:
    """A reason for each of the five scores, the weightiest marked; without scores, the meaning of each of them."""
    if not scores:
        return _reasons(grammar, ("any",) * 5, -1)
    bands = tuple("high" if score >= 66 else "low" if score < 33 else "middle" for score in scores)
    return _reasons(grammar, bands, max(range(5), key=weights.__getitem__))


@lru_cache(maxsize=4096)
def _reasons(grammar: Grammar, bands: tuple[str, ...], most: int) -> Five:
    said = [grammar.text(f"gate.{factor}.{band}") for factor, band in zip(GROUNDS, bands, strict=True)]
    if most >= 0:
        said[most] = grammar.say("gate.most", 0.0, {"reason": said[most]})
    first, second, third, fourth, fifth = said
    return first, second, third, fourth, fifth


_HIGH = 0.65
"""Value from which on a trait shows in the way of speaking."""
_FEW_WORDS = 0.3
"""Verbosity below which a second sentence is left out."""


def style_sentences(
    grammar: Grammar, at: Address, person: Student, mind: Mind, sentences: tuple[Said, ...]
) -> tuple[Said, ...]:
    """The same content and moves in the student's own way; a brief answer stays brief."""
    if not sentences:
        return sentences
    luck = draw_luck(at, "words/style")
    verbosity = _verbosity(person)
    kept = sentences
    if verbosity < _FEW_WORDS and len({said.move for said in sentences}) == 1:
        # Only where the move has been made all the same.
        kept = sentences[:1]
    first = kept[0]
    if is_brief(first.text):
        text = _brief(grammar, person, mind, first, luck)
    else:
        text = _filled(grammar, person, _toned(grammar, person, mind, first, verbosity, luck), luck)
    return (Said(capital(text), first.move), *kept[1:])


def _hedging(person: Student, mind: Mind) -> float:
    own = person.speech.hedging
    if own is not None:
        return own
    return clamp(0.15 + 0.9 * (person.traits.neuroticism - 0.5) + 0.5 * (0.5 - mind.confidence))


def _filling(person: Student) -> float:
    own = person.speech.filling
    if own is not None:
        return own
    return clamp(0.15 + 0.2 * (person.thinking == "impulsive") + 0.4 * (person.traits.neuroticism - 0.5))


def _verbosity(person: Student) -> float:
    own = person.speech.verbosity
    if own is not None:
        return own
    return clamp(0.5 + person.traits.extraversion - 0.5 + 0.3 * (person.motivation - 0.5))


def _brief(grammar: Grammar, person: Student, mind: Mind, said: Said, luck: Luck) -> str:
    """A few words stay a few: only a rising voice, or a filler that fits in."""
    text = said.text
    if said.move == "claim" and luck[0] < 0.6 * _hedging(person, mind):
        text = bare(text) + grammar.ask
    inside = grammar.inside(text)
    if luck[2] >= _filling(person) or inside is None or grammar.has_lead(text):
        return text
    longer = _filler(grammar, person, luck) + inside
    return longer if is_brief(longer) else text


def _toned(grammar: Grammar, person: Student, mind: Mind, said: Said, verbosity: float, luck: Luck) -> str:
    """Unsure, polite, eager or plain."""
    text, traits = said.text, person.traits
    inside = grammar.inside(text)
    if said.move == "ask":
        if inside is not None and traits.agreeableness > _HIGH and luck[0] < 0.4:
            return grammar.say("style.lead.sorry", luck[1]) + inside
        return text
    if said.move not in ("claim", "evidence"):
        return _loud(grammar, text, traits.extraversion, luck)
    if luck[0] < _hedging(person, mind) and not grammar.has_lead(text):
        if inside is None:
            return bare(text) + grammar.say("style.hedge_end", luck[1]) + grammar.end
        backtracks = traits.neuroticism > _HIGH and luck[4] < 0.35
        return grammar.say("style.lead.backtrack" if backtracks else "style.lead.hedge", luck[1]) + inside
    if verbosity > _HIGH and luck[4] < verbosity - 0.4:
        eager = traits.extraversion >= traits.agreeableness
        tail = grammar.say("style.tail_eager" if eager else "style.tail_agreeable", luck[1])
        return bare(text) + tail + (grammar.end if eager else grammar.ask)
    return _loud(grammar, text, traits.extraversion, luck)


def _loud(grammar: Grammar, text: str, extraversion: float, luck: Luck) -> str:
    if extraversion > _HIGH and luck[4] > 0.7 and text.endswith(grammar.end):
        return bare(text) + grammar.cry
    return text


def _filled(grammar: Grammar, person: Student, text: str, luck: Luck) -> str:
    if luck[2] >= _filling(person) or grammar.has_lead(text):
        return text
    filler, inside = _filler(grammar, person, luck), grammar.inside(text)
    if inside is not None:
        return filler + inside
    # Before what may be a name the capital stays, and a pause makes it fit.
    return grammar.say("style.pause", 0.0, {"filler": capital(filler.rstrip(grammar.comma))}) + text


def _filler(grammar: Grammar, person: Student, luck: Luck) -> str:
    if person.speech.fillers:
        return grammar.say("style.own", 0.0, {"filler": pick(person.speech.fillers, luck[3])})
    if person.traits.neuroticism > _HIGH:
        return grammar.say("style.lead.anxious", luck[3])
    return grammar.say("style.lead.quick" if person.thinking == "impulsive" else "style.lead.calm", luck[3])
