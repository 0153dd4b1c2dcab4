"""What the teacher says to one student after it has acted, always by name (F of IRF)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from eduverse_mesa.decisions import Focus, Heard, Said
from eduverse_mesa.policies.embedded.words.grammar import Grammar, bare
from eduverse_mesa.policies.embedded.words.luck import Luck, draw_luck
from eduverse_mesa.randomness import Address

_FIRST_A_VERDICT = 0.3
"""Share of restating, revoicing and pressing that follows an evaluating word (a third of all follow-ups evaluate:
real_classes)."""
_REASON = 0.2
"""Share of praise for a right answer that adds the reason."""
_ASKS_AGAIN = {"reasoning": "press-reasoning", "relate": "get-to-relate"}
"""What a question that is passed on asks for: what it asked for before."""
_NOTICED: Mapping[str, str] = MappingProxyType(
    {
        "chat": "off_task",
        "sleep": "off_task",
        "hand_raise": "hand",
        "note_taking": "notes",
        "head_down": "head_down",
        "side_talk": "talking",
        "group_discussion": "talking",
    }
)


def feedback_sentences(
    grammar: Grammar, at: Address, heard: Heard, polarity: str, form: str, focus: Focus, passes_on: bool = False
) -> tuple[Said, ...]:
    """Feedback in one of the forms of `_FORMS`, always with the student's name.

    A form that lacks what it needs (a keyword to revoice with, a short answer to correct by) only evaluates. Where it
    passes on, the question that was asked goes to whoever speaks next.
    """
    word = _Word(grammar, heard, polarity, focus, draw_luck(at, f"words/feedback/{heard.student}"))
    said = _FORMS[form](word)
    if not passes_on or form == "press":
        return said
    return *said, Said(grammar.say("feedback.pass", word.luck[0]), _ASKS_AGAIN.get(focus.press, "press-accuracy"))


class _Word(NamedTuple):
    """A word to one student."""

    grammar: Grammar
    heard: Heard
    polarity: str
    focus: Focus
    luck: Luck

    def say(self, key: str, luck: float, **slots: str) -> str:
        return self.grammar.say(f"feedback.{key}", luck, {"name": self.heard.student, **slots})

    def verdict(self) -> Said:
        quality = self.heard.quality
        if quality not in ("right", "partial"):
            quality = "cold" if self.polarity == "negative" else "wrong"
        return Said(self.say(quality, self.luck[1]))

    def after_verdict(self, said: Said) -> tuple[Said, ...]:
        return (self.verdict(), said) if self.luck[3] < _FIRST_A_VERDICT else (said,)


def _evaluate(word: _Word) -> tuple[Said, ...]:
    because = word.focus.because
    if word.heard.quality == "right" and because and word.luck[3] < _REASON:
        return word.verdict(), Said(word.say("because", word.luck[2], because=bare(because)))
    return (word.verdict(),)


def _restate(word: _Word) -> tuple[Said, ...]:
    sentences, grammar = word.heard.sentences, word.grammar
    if not sentences:
        return _notice(word)
    best = next((said for said in sentences if said.move in ("claim", "evidence")), sentences[-1])
    repeated = grammar.sentence(grammar.without_leads(best.text))
    return word.after_verdict(Said(word.say("restate", word.luck[2], said=repeated), "restate"))


def _revoice(word: _Word) -> tuple[Said, ...]:
    focus = word.focus
    if not focus.keyword:
        return _evaluate(word)
    idea = word.grammar.sentence(focus.idea)
    return word.after_verdict(Said(word.say("revoice", word.luck[2], keyword=focus.keyword, idea=idea), "revoice"))


def _press(word: _Word) -> tuple[Said, ...]:
    return word.after_verdict(Said(word.say("press", word.luck[2]), "press-reasoning"))


def _correct(word: _Word) -> tuple[Said, ...]:
    if not word.focus.short:
        return _evaluate(word)
    return word.after_verdict(Said(word.say("correct", word.luck[2], short=bare(word.focus.short))))


def _answer(word: _Word) -> tuple[Said, ...]:
    if not word.focus.idea:
        return (Said(word.say("answer_open", word.luck[0])),)
    return (Said(word.say("answer", word.luck[0], idea=word.grammar.sentence(word.focus.idea))),)


def _take_up(word: _Word) -> tuple[Said, ...]:
    sentences, grammar = word.heard.sentences, word.grammar
    if not sentences:
        return _answer(word)
    asked = grammar.sentence(grammar.without_leads(sentences[-1].text))
    return Said(word.say("take_up", word.luck[2], said=asked), "restate"), *_answer(word)


def _reading(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("reading", word.luck[0])),)


def _acknowledge(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("acknowledge", word.luck[0])),)


def _thank(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("none_cold" if word.polarity == "negative" else "none", word.luck[0])),)


def _nod(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("nod", word.luck[0])),)


def _notice(word: _Word) -> tuple[Said, ...]:
    key = _NOTICED.get(word.heard.behaviour, "working")
    if word.polarity == "negative" and key == "off_task":
        key = "off_task_cold"
    return (Said(word.say(key, word.luck[0]), "keep-together"),)


_FORMS: Mapping[str, Callable[[_Word], tuple[Said, ...]]] = MappingProxyType(
    {
        "evaluate": _evaluate,
        "restate": _restate,
        "revoice": _revoice,
        "press": _press,
        "correct": _correct,
        "answer_question": _answer,
        "take_up": _take_up,
        "reading": _reading,
        "acknowledge": _acknowledge,
        "thank": _thank,
        "nod": _nod,
        "notice": _notice,
    }
)
