"""Words of a peer, in a short sentence or two: the phrases of a move, filled with the peer's own work, and never one
that was said in the dialogue before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from eduverse_mesa.decisions.groups import Claim, Intended, PeerView, Utter, Uttered
from eduverse_mesa.formulas import read_quantity, say_number, say_quantity, units_for
from eduverse_mesa.policies.embedded.groups.gentleness import CARE, care_parts, with_help_line
from eduverse_mesa.policies.embedded.groups.phrases import PeerPhrases, filled, load_phrases, places, sentence
from eduverse_mesa.policies.embedded.groups.state import CHOICE, DialogueState
from eduverse_mesa.randomness import Address, uniform

_TO_SOMEBODY: Mapping[str, str] = MappingProxyType(
    {
        "agree_understanding": "agree_understanding",
        "divide_work": "divide_other",
        "invite_teammate": "agree_plan",
        "clarify_plan": "plan_differs",
        "agree_plan": "agree_plan",
        "clarify_result": "notice",
        "agree_result": "agree_result",
    }
)
"""Moves of acts towards somebody who is called by name."""

_USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "present_understanding": ("present",),
        "clarify_understanding": ("ask_sense", "present"),
        "answer_understanding": ("answer_sense", "second_understanding"),
        "second_understanding": ("second_understanding",),
        "agree_understanding": ("settle_understanding",),
        "divide_work": ("volunteer",),
        "volunteer": ("volunteer",),
        "second_roles": ("second_roles",),
        "agree_roles": ("second_roles",),
        "invite_teammate": ("plan", "second_plan"),
        "state_plan": ("plan", "second_plan"),
        "clarify_plan": ("plan", "see_both"),
        "answer_plan": ("plan", "see_both"),
        "second_plan": ("second_plan",),
        "agree_plan": ("second_plan",),
        "state_result": ("result", "explain_own", "second_result"),
        "clarify_result": ("explain_own", "stuck"),
        "answer_result": ("explain_own", "stuck"),
        "second_result": ("second_result",),
        "agree_result": ("second_result",),
        "reflect": ("means", "agree_check", "agree_end"),
        "summarise": ("sum_up", "agree_end"),
    }
)
_OF_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"state_result": ("choose",), "summarise": ("sum_up_choice",)}
)
_DISAGREES = ("stuck",)


def moves_of(intended: Intended) -> tuple[str, ...]:
    """The ways in which an act may be done, the best first."""
    meaning = intended.meaning
    if intended.move:
        name, _, _ = intended.move.partition(":")
        return ("reason_choice",) if name == "reason" and meaning.topic == CHOICE else (name,)
    called = (_TO_SOMEBODY[meaning.act],) if meaning.addressed and meaning.act in _TO_SOMEBODY else ()
    chosen = _OF_CHOICES.get(meaning.act, ()) if meaning.chosen else ()
    usual = _DISAGREES if meaning.act == "reflect" and meaning.stance == "disagrees" else _USUAL.get(meaning.act, ())
    return (*called, *chosen, *usual)


_WORDS = re.compile(r"\w+")
_LONG = 5
_SEVERAL = re.compile(r"\[([^\]]+)\]")


def utter(decision: Utter) -> Uttered:
    """The words for an intention."""
    view, intended = decision.view, decision.intended
    phrases = load_phrases(view.language)
    parts = parts_of(view, intended, phrases)
    said = {_plain(one.text) for one in view.dialogue}
    # Groups of one seed that work on different problems talk differently
    at = decision.at._replace(agent=f"{decision.at.agent} on {view.sheet.problem}")
    moves = moves_of(intended)
    for move in moves:
        for text in _candidates(phrases, move, parts, at, _used(view)):
            text = with_help_line(text, move, view, phrases)
            if _plain(text) not in said:
                return Uttered(text)
    if moves[0] in CARE:  # all of them were said: the one that was said longest ago is said again
        again = list(_candidates(phrases, moves[0], parts, at, ()))
        text = min(again, key=lambda one: _last_said(one, view))
        return Uttered(with_help_line(text, moves[0], view, phrases))
    # Dozens of phrases are used up only where somebody keeps asking for the same thing; then it is said again.
    # Where nothing fits what one has to say, a few plain words do: no dialogue ends for want of a phrase.
    plain = "anyway_asks" if intended.meaning.asks else "anyway"
    texts = (text for move in (*moves, plain) for text in _candidates(phrases, move, parts, at, ()))
    return Uttered(next(texts))


def _used(view: PeerView) -> tuple[str, ...]:
    return tuple(_plain(one.text) for one in view.dialogue)


def _candidates(
    phrases: PeerPhrases, move: str, parts: Mapping[str, str], at: Address, used: Sequence[str]
) -> Iterator[str]:
    """PeerPhrases of a move in a random order, those whose beginning was heard already last; then with an opener."""
    known = {name for name, part in parts.items() if part}
    fitting = [_varied(phrase, at) for phrase in phrases.at("moves", move) if places(phrase) <= known]
    order = sorted(fitting, key=lambda phrase: (_heard(phrase, used), uniform(at, f"phrase {phrase}")))
    texts = [sentence(filled(phrase, parts, phrases.small, phrases.stop), phrases.stop) for phrase in order]
    yield from texts
    if move in CARE:
        return
    openers = sorted(phrases.at("openers"), key=lambda opener: uniform(at, f"opener {opener}"))
    yield from (f"{opener}{phrases.gap}{text}" for opener in openers for text in texts)


def _last_said(text: str, view: PeerView) -> int:
    """The turn in which a text was said last; 0 if it was not."""
    return max((one.turn for one in view.dialogue if _plain(text) in _plain(one.text)), default=0)


def _varied(phrase: str, at: Address) -> str:
    """A phrase with one of the words at each place that offers several."""

    def one(match: re.Match[str]) -> str:
        words = match[1].split("|")
        return words[int(uniform(at, f"{match.start()} of {phrase}") * len(words))]

    return _SEVERAL.sub(one, phrase)


def _heard(phrase: str, used: Sequence[str]) -> bool:
    """Return True if the longest fixed piece of a phrase was said before."""
    piece = max((_plain(part) for part in re.split(r"\{\w+\}", phrase)), key=len)
    return bool(piece) and any(piece in text for text in used)


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))


def parts_of(view: PeerView, intended: Intended, phrases: PeerPhrases) -> dict[str, str]:
    """Return the parts for a phrase: all from the peer's own work and the words on the table."""
    state = DialogueState(view)
    meaning = intended.meaning
    parts = {
        "to": meaning.addressed,
        **care_parts(view, phrases),
        "question": view.sheet.question,
        "answer": phrases.at("and").join(
            state.mine[goal].says for goal in view.sheet.goals if goal in state.mine
        ),
        "picks": _choices(state.picks, phrases),
        "thinks": _thinks(state, meaning.topic),
        "check": _turn(view.checks, len(view.dialogue)),
        "means": _turn(view.means, len(view.dialogue)),
    }  # fmt: skip
    parts |= _work_parts(state, meaning.topic)
    _choose_reason(parts, state, phrases)
    parts["clueless"] = "" if parts.get("why") or parts.get("next") else meaning.addressed
    parts |= _said_parts(state, meaning.topic)
    if meaning.options:
        verdict = next((one for one in view.verdicts if one.option == meaning.options[0]), None)
        parts["option"] = phrases.at("choice").replace("{}", meaning.options[0])
        parts["reason"] = verdict.why if verdict is not None else ""
    cue = next((one for one in view.cues if one.id in meaning.cues), None)
    parts["cue"] = cue.says if cue is not None else ""
    if meaning.sums:
        parts["sum"] = f"{meaning.sums[0].text}{phrases.at('is')}{say_number(Fraction(meaning.sums[0].result))}"
    parts |= _sense_parts(state) | _asked_parts(state, phrases)
    for sign, written in phrases.signs.items() if "calc" in parts else ():
        parts["calc"] = parts["calc"].replace(sign, written)
    return parts


def _thinks(state: DialogueState, topic: str) -> str:
    """Return the peer's own belief in words, if it is about this topic; else empty."""
    belief = state.view.belief
    if belief is None or (topic in state.mine and belief.touches and not state.rests_on(topic, belief.touches)):
        return ""
    return belief.thinks


def _work_parts(state: DialogueState, topic: str) -> dict[str, str]:
    view = state.view
    work = state.mine.get(topic)
    if work is None:
        goal = view.sheet.goals[-1] if view.sheet.goals else ""
        task = next((one for one in view.sheet.tasks if one.variable == goal), None)
        phrase = task.phrase if task is not None else ""
        # One of several is not what is asked.
        return {"phrase": phrase, "whole": phrase if len(view.sheet.goals) == 1 else ""}
    task = next(one for one in view.sheet.tasks if one.variable == topic)
    how = work.how if state.sayable(work) else ""
    return {
        "phrase": task.phrase,
        "whole": task.phrase,
        "ask": task.ask,
        "how": how,
        "bare": "" if how else work.shown,
        "says": work.says,
        "shown": work.shown,
        "why": work.why if state.sayable(work) else "",
        "next": next((one.phrase for one in view.sheet.tasks if topic in _needs(state, one.variable)), ""),
        "calc": work.calculation if " " in work.calculation else "",
        "value": work.shown if " " in work.calculation else "",
    }


def _choose_reason(parts: dict[str, str], state: DialogueState, phrases: PeerPhrases) -> None:
    """Keep one of two reasons: what something is needed for, if that was asked; otherwise why it is done so."""
    needed: str = phrases.at("asks_need")
    asked = state.last is not None and re.search(needed, state.last.text.casefold()) is not None
    first, second = ("next", "why") if asked else ("why", "next")
    if parts.get(first):
        parts[second] = ""


def _needs(state: DialogueState, variable: str) -> tuple[str, ...]:
    return state.mine[variable].needs if variable in state.mine else ()


def _asked_parts(state: DialogueState, phrases: PeerPhrases) -> dict[str, str]:
    """Return the parts that answer questions: the numbers of the statement as the peer has read them, and the place and
    meaning of a word that was asked about."""
    view, word = state.view, state.last.meaning.word if state.last is not None else ""
    misread = view.belief.touches if view.belief is not None else ()
    known = [one for one in view.sheet.givens if one.variable not in misread] or list(view.sheet.givens)
    is_: str = phrases.at("is")
    joint: str = phrases.at("and")
    parts = {"known": joint.join(f"{one.phrase}{is_}{one.shown}" for one in known)}
    if word:
        parts |= {"word": word, "meant": _meant(state, word), "line": _line(view.sheet.statement, word)}
        parts["place"] = "" if parts["meant"] else parts["line"]
        parts["unknown"] = "" if parts["meant"] or parts["line"] else word
    return parts


def _line(statement: str, word: str) -> str:
    """The sentence of the statement that holds a word."""
    lines = re.split(r"(?<=[.?!])\s+|(?<=[。？！])", statement)
    return next((line.strip() for line in lines if _stem(word) in line.casefold()), "")


def _meant(state: DialogueState, word: str) -> str:
    """Return the explanation of a word in the problem itself; empty if there is none."""
    pairs = state.view.sheet.sense
    return next((answer for ask, answer in pairs if _stem(word) in ask.casefold()), "")


def _stem(word: str) -> str:
    """The longest of some words without its ending."""
    longest: str = max(_WORDS.findall(word.casefold()) or [word.casefold()], key=len)
    return longest if len(longest) < _LONG else longest[:-1].rstrip("e")


def _said_parts(state: DialogueState, topic: str) -> dict[str, str]:
    """The value that the last message gives, or what its speaker has said before; and the one that they had earlier."""
    last = state.last
    if last is None:
        return {}
    claims = last.meaning.claims
    claim = next((one for one in claims if one.about == topic), claims[0] if claims else None)
    held = state.stated(topic).get(last.speaker, "") if claim is None else ""
    claim = claim or (Claim(topic, held) if held else None)
    if claim is None:
        return {}
    view = state.view
    units = units_for(view.sheet.nouns, view.sheet.fractions)
    before = state.said_before(last.speaker, claim.about)
    return {
        name: say_quantity(units.amount(read_quantity(value, units)), units, view.language)
        for name, value in (("said", claim.value), ("before", before))
        if value
    }


def _sense_parts(state: DialogueState) -> dict[str, str]:
    """The question that was asked last, with its answer; or else the next that nobody has asked."""
    sense = state.view.sheet.sense
    if not sense:
        return {}
    asked = state.sense_asked or sense[0]
    return {"sense_ask": (state.sense_open or [*sense])[0][0], "sense_answer": asked[1]}


def _choices(picks: Sequence[str], phrases: PeerPhrases) -> str:
    joint: str = phrases.at("and")
    return joint.join(phrases.at("choice").replace("{}", option) for option in picks)


def _turn(several: Sequence[str], place: int) -> str:
    return several[place % len(several)] if several else ""
