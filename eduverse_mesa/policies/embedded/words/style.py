"""How a student says it: hedges, fillers, backtracking, short or long, from traits or from its own numbers."""

from __future__ import annotations

from eduverse_mesa.codes import is_brief
from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import Mind, Said
from eduverse_mesa.policies.embedded.words.grammar import Grammar
from eduverse_mesa.randomness import Address, choose, uniform
from eduverse_mesa.scenarios.people import Student


def style_sentences(
    grammar: Grammar, at: Address, person: Student, mind: Mind, sentences: tuple[Said, ...]
) -> tuple[Said, ...]:
    """The same sentences and moves in the student's own way; a brief answer stays brief."""
    traits, speech = person.traits, person.speech
    hedging = speech.hedging
    if hedging is None:
        hedging = clamp(0.15 + 0.9 * (traits.neuroticism - 0.5) + 0.5 * (0.5 - mind.confidence))
    filling = speech.filling
    if filling is None:
        filling = clamp(0.15 + 0.3 * (person.thinking == "impulsive") + 0.3 * (traits.neuroticism - 0.5))
    verbosity = speech.verbosity
    if verbosity is None:
        verbosity = clamp(0.5 + traits.extraversion - 0.5 + 0.3 * (person.motivation - 0.5))
    # A person of few words leaves the second sentence out.
    kept = sentences[:1] if len(sentences) > 1 and verbosity < 0.3 else sentences
    first = kept[0] if kept else None
    if first is None or is_brief(first.text):
        return kept
    text = first.text
    if uniform(at, "style/hedge") < hedging and first.move in ("claim", "evidence"):
        text = grammar.say(at, "style.hedge") + _inside(text)
        if uniform(at, "style/backtrack") < hedging * 0.4:
            text = grammar.say(at, "style.backtrack") + text
    elif verbosity > 0.7 and first.move == "claim" and uniform(at, "style/tail") < verbosity - 0.5:
        eager = traits.extraversion >= traits.agreeableness
        tail = grammar.say(at, "style.tail_eager" if eager else "style.tail_agreeable")
        text = text.rstrip(" .!。！") + tail + grammar.sentence_end
    if uniform(at, "style/filler") < filling:
        filler = choose(at, "style/own", speech.fillers) + ", " if speech.fillers else grammar.say(at, "style.filler")
        text = filler + _inside(text)
    return (Said(text[:1].upper() + text[1:], first.move), *kept[1:])


def _inside(text: str) -> str:
    """The sentence as it goes on after other words: its capital goes, unless it is a word of its own like I."""
    if len(text) > 1 and text[1].islower():
        return text[0].lower() + text[1:]
    return text
