"""How a student says it: hedges, fillers, backtracking, short or long, from traits or from its own numbers.

The anxious hedge and take back, the impulsive fill, the extraverted say more (Mehl, Gosling and Pennebaker 2006).
"""

from __future__ import annotations

from eduverse_mesa.codes import is_brief
from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import Mind, Said
from eduverse_mesa.policies.embedded.words.grammar import Grammar, bare, capital
from eduverse_mesa.policies.embedded.words.luck import Luck, draw_luck, pick
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.people import Student

_HIGH = 0.65
"""From where on a trait shows in the way of speaking."""
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
