"""The time after somebody has told of harm: all words to them are kind, nothing is asked of them any more, and the
problem is only spoken of if they speak of it themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from eduverse_mesa.decisions.groups import CONCERNS, SORROWS, Intended, Meaning, Message, PeerView
from eduverse_mesa.policies.embedded.classroom.words.grammar import pick
from eduverse_mesa.policies.embedded.groups.phrases import PeerPhrases, filled, places, sentence

HARM, GOES_ON = "harm", "goes_on"
CARE = frozenset(
    {"stay_gentle", *(f"to_{matter}" for matter in (HARM, *CONCERNS, *SORROWS) if matter != "real")}
    | {"to_real_gently"}
)
"""The moves that care for somebody: nothing is put before them, and nobody is called by a nickname in them."""
_WITH_LINE = frozenset({"to_harm", "to_person", "to_who"})
"""Those that also say the help line."""
_FIGURES = re.compile(r"\d|[=+×÷%$€£¥]")


def in_trouble(
    dialogue: Sequence[Message], people: Sequence[str], cleared: Collection[int] = frozenset()
) -> frozenset[str]:
    """Return the people of a dialogue who have told of harm, however long ago; what a teacher has called a false alarm
    does not count."""
    return frozenset(
        one.speaker
        for one in dialogue
        if one.meaning.matter == HARM and one.speaker in people and one.turn not in cleared
    )


def is_about_the_problem(message: Message) -> bool:
    """Return whether a message gives something of the problem, asks for a value of it, or wants to go on with it. A way
    to do it does not count: "three times" may be one, or how often somebody was hit."""
    meaning = message.meaning
    if meaning.matter and meaning.matter != GOES_ON:
        return False
    given = (meaning.sums, meaning.options, meaning.chosen, meaning.takes, meaning.queried, meaning.matter)
    asks_for_sum = meaning.question == "value" and _FIGURES.search(message.text) is not None
    return any(given) or asks_for_sum or any(one.about for one in meaning.claims)


def has_mathematics(message: Message) -> bool:
    """Return whether there is a number or a sign of arithmetic in a message, or something of the problem."""
    return is_about_the_problem(message) or _FIGURES.search(message.text) is not None


def speaks_of_the_problem(dialogue: Sequence[Message], name: str) -> bool:
    """Return whether somebody who has told of harm speaks of the problem with their last message: by what is in it, or
    by a yes, a question or a "what now" that follows on something about it."""
    for one in reversed([one for one in dialogue if one.speaker == name]):
        if is_about_the_problem(one):
            return True
        if not _follows(one.meaning):
            return False
    return False


def _follows(meaning: Meaning) -> bool:
    """Return whether words take up what was said before, and nothing besides."""
    if meaning.matter:
        return meaning.matter == "next"
    return meaning.stance == "agrees" or meaning.seeks or meaning.lost or bool(meaning.question)


def waits_quietly(dialogue: Sequence[Message], people: Sequence[str], cleared: Collection[int] = frozenset()) -> bool:
    """Return whether the next word is left to somebody who has told of harm: they were answered, and nobody goes on
    over their head."""
    return bool(in_trouble(dialogue, people, cleared)) and dialogue[-1].speaker not in people


def move_of(matter: str) -> str:
    """The move that answers a matter of somebody who has told of harm."""
    return "to_real_gently" if matter == "real" else f"to_{matter}"


def kind_word(to: str, act: str, move: str = "stay_gentle") -> Intended:
    """A kind sentence that asks nothing."""
    return Intended(Meaning(act=act, addressed=to), move, f"say something kind to {to}, and ask for nothing")


def care_parts(view: PeerView, phrases: PeerPhrases) -> dict[str, str]:
    """Return the parts that name the adult somebody is sent to and where they are; `named` only if a teacher has named
    somebody, else `unnamed`."""
    before, after = phrases.at("reach")
    adult = view.adult or phrases.at("grown_up")
    adult = f"{adult}{before}{view.reach}{after}" if view.reach else adult
    return {"adult": adult, "named": adult if view.adult else "", "unnamed": "" if view.adult else adult}


def with_help_line(text: str, move: str, view: PeerView, phrases: PeerPhrases) -> str:
    """A caring sentence, and the help line after it where one is set."""
    if not view.help_line or move not in _WITH_LINE:
        return text
    line = filled(phrases.at("help_line"), {"line": view.help_line}, phrases.small, phrases.stop)
    return f"{text}{phrases.gap}{sentence(line, phrases.stop)}"


def care_line(phrases: PeerPhrases, move: str, luck: float, view: PeerView) -> str:
    """One of the phrases of a caring move, whole."""
    parts = {name: part for name, part in care_parts(view, phrases).items() if part}
    fitting = [one for one in phrases.at("moves", move) if places(one) <= set(parts)]
    text = sentence(filled(pick(fitting, luck), parts, phrases.small, phrases.stop), phrases.stop)
    return with_help_line(text, move, view, phrases)
