"""Changes of a peer's mind by the words of others: for a reason or a calculation, never for mere insistence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import islice, product

from eduverse_mesa.decisions.groups import Message, PeerView, Revise, Revised
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, parse, units_for, work_out
from eduverse_mesa.formulas.wording import alike, amount_of, counts_as
from eduverse_mesa.policies.embedded.groups.state import CHOICE, Clash, DialogueState
from eduverse_mesa.randomness import uniform

Parameters = Mapping[str, float]
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+|/\d+)?%?")
"""With "1/3" in one, as it is written without gaps; "60 / 20" is divided."""
_SIGNS = str.maketrans({"x": "*", "×": "*", "÷": "/", "−": "-", "–": "-"})
_TRIED = 64
"""Ways to take the numbers of a calculation that are gone through."""


REASONS = {
    "looked_back": "it did not come out",
    "against": "saw what speaks against it",
    "read_again": "read the problem once more",
    "calculation": "the calculation works out",
    "taken_over": "took it over",
}
"""Reasons of a peer to change their mind, as journals keep them; pages say them in their own language."""


def revise(decision: Revise, p: Parameters) -> Revised:
    """The change that one message has made, if there is one; the first reason that convinces counts."""
    state = DialogueState(decision.view)
    for message in state.unheard:
        if message.meaning.asks and message.speaker in decision.view.people:
            continue  # a question is answered, nobody gives way to it
        found = (
            _by_reason(state, message, decision, p)
            or _back_from_taken_over(state, message, decision, p)
            or _by_calculation(state, message, decision, p)
        )
        if found is not None:
            return found
    return _by_looking_back(decision, p) or Revised()


def _by_looking_back(decision: Revise, p: Parameters) -> Revised | None:
    """A peer who sees that a check does not come out, or that no choice fits, finds their own mistake now and then."""
    view = decision.view
    checked = bool(view.failing) and (view.stage == "validate" or DialogueState(view).check_proposed)
    none_fits = view.stage == "execute" and _none_fits(view)
    if view.belief is None or not (checked or none_fits):
        return None
    if uniform(decision.at, "look back") < p["notice.own"]:
        return Revised(understood=view.belief.id, reason=REASONS["looked_back"], by=view.name)
    return None


def _none_fits(view: PeerView) -> bool:
    """Return True if everything is worked out, and by the peer's own numbers none of the choices is right."""
    stated = {one.variable for one in view.minutes.stated}
    done = all(task.variable in stated for task in view.sheet.tasks)
    return done and bool(view.verdicts) and not any(one.right for one in view.verdicts)


def _by_reason(state: DialogueState, message: Message, decision: Revise, p: Parameters) -> Revised | None:
    """A reason against the peer's own mistake is heard; one against another's mistake does not concern them."""
    belief = state.view.belief
    if belief is None or not state.mistake_shown(belief.touches):
        return None
    again = sum(belief.id in one.meaning.cues for one in state.view.dialogue) > 1
    if belief.id in message.meaning.cues and (again or uniform(decision.at, "concede cue") < p["concede.cue"]):
        return Revised(understood=belief.id, reason=REASONS["against"], by=message.speaker)
    reread = _reread(state, message, belief.touches)
    if reread and uniform(decision.at, "concede cue") < p["concede.cue"]:
        return Revised(changes=reread, reason=REASONS["read_again"], by=message.speaker)
    return None


def _back_from_taken_over(state: DialogueState, message: Message, decision: Revise, p: Parameters) -> Revised | None:
    """A peer who has taken a value over and cannot say how it comes about lets go of it when somebody who has another
    value tells what speaks against it."""
    for clash in state.clashes():
        taken = clash.about != CHOICE and clash.about in state.view.revised and not state.mine[clash.about].how
        told = clash.speaker == message.speaker and any(
            one.speaker == message.speaker and one.meaning.topic == clash.about and one.meaning.cues
            for one in state.view.dialogue
        )
        if taken and told and uniform(decision.at, "concede cue") < p["concede.cue"]:
            changes = {clash.about: clash.value}
            return Revised(changes=changes, reason=REASONS["against"], by=message.speaker)
    return None


def _reread(state: DialogueState, message: Message, touches: tuple[str, ...]) -> dict[str, str]:
    """Numbers of the statement that the peer has misread, and that somebody names as they stand there."""
    written = {given.variable: given.value for given in state.view.sheet.givens}
    return {
        claim.about: written[claim.about]
        for claim in message.meaning.claims
        if claim.about in touches and claim.about in written and counts_as(claim.value, written[claim.about])
    }


def _by_calculation(state: DialogueState, message: Message, decision: Revise, p: Parameters) -> Revised | None:
    for clash in state.clashes():
        if clash.speaker != message.speaker or not _names(message, clash) or not _has_spoken(state, clash.about):
            continue
        shown = _shown(state, message, clash)
        fits = shown and _fits(state, message, clash)
        chance = _readiness(state, clash, fits, p) if shown else p["concede.bare"]
        # Who is right, and follows somebody who is not, does so at once or never: the same again is no better reason.
        own = state.view.belief is None and clash.about not in state.view.revised
        at = decision.at._replace(step=0) if own else decision.at
        if uniform(at, f"concede {clash.about} {clash.value if own else ''}".strip()) < chance:
            reason = REASONS["calculation" if shown else "taken_over"]
            if clash.about == CHOICE:
                return Revised(chosen=tuple(clash.value.split(",")), reason=reason, by=message.speaker)
            return Revised(changes={clash.about: clash.value}, reason=reason, by=message.speaker)
    return None


def _has_spoken(state: DialogueState, about: str) -> bool:
    """Return True if the peer has spoken up: nobody gives way before that, or others could not put it right."""
    return state.voiced(about) or state.argued(about) > 0


def _names(message: Message, clash: Clash) -> bool:
    if clash.about == CHOICE:
        return ",".join(message.meaning.chosen) == clash.value
    return any(claim.about == clash.about and claim.value == clash.value for claim in message.meaning.claims)


def _shown(state: DialogueState, message: Message, clash: Clash) -> bool:
    """Return True if there are calculations, all right and all made of numbers that are on the table."""
    sums = message.meaning.sums
    if not sums or not all(one.holds for one in sums):
        return False
    if clash.about == CHOICE:
        return True
    if not any(alike(one.result, clash.value) for one in sums):
        return False
    return all(_on_the_table(state, one.text) for one in sums)


def _on_the_table(state: DialogueState, text: str) -> bool:
    view = state.view
    known = {amount_of(given.value) for given in view.sheet.givens} | {Fraction(1), Fraction(100)}
    known |= {amount_of(one.value) for one in view.minutes.stated} | {amount_of(one.value) for one in view.work}
    known |= {amount / 100 for amount in known}
    numbers = [amount for word in _NUMBER.findall(text) if (amount := _amount(word)) is not None]
    return bool(numbers) and all(number in known for number in numbers)


def _amount(word: str) -> Fraction | None:
    """A number as it is written, without its percent sign; none where a fraction has no bottom."""
    try:
        return Fraction(word.replace(",", "").rstrip("%"))
    except (ValueError, ZeroDivisionError):
        return None


def _fits(state: DialogueState, message: Message, clash: Clash) -> bool:
    """Return True if the calculation comes to the kind of thing asked for: steps taken from feet do not."""
    task = next((one for one in state.view.sheet.tasks if one.variable == clash.about), None)
    if task is None:
        return True
    units = units_for(state.view.sheet.nouns)
    shown = [one.text for one in message.meaning.sums if alike(one.result, clash.value)]
    return any(_comes_to(state, text, task.unit, units) for text in shown)


def _comes_to(state: DialogueState, text: str, unit: str, units: Units) -> bool:
    """Return True if the numbers, with their meanings on the table, can come to this unit."""
    view = state.view
    written = [one.value for one in view.sheet.givens]
    written += [one.value for one in view.minutes.stated] + [one.value for one in view.work]
    words = list(dict.fromkeys(_NUMBER.findall(text)))
    names = {word: f"n{place}" for place, word in enumerate(words)}
    signs = _NUMBER.sub(lambda match: names[match[0]], text).translate(_SIGNS)
    try:
        formula = parse(signs)
    except FormulaError:
        return False  # no calculation that one could follow
    meant = [_meant(word, written) for word in words]
    for kinds in islice(product(*meant), _TRIED):
        try:
            work_out(formula, dict(zip(names.values(), kinds, strict=True)), units, unit)
        except FormulaError:
            continue
        return True
    return False


def _meant(word: str, written: Iterable[str]) -> list[Quantity]:
    """Return the possible meanings of a number: each quantity on the table with this number; else a bare number."""
    number = _amount(word)
    if number is None:
        return []
    if word.endswith("%"):
        return [Quantity(number, "percent")]
    kinds = dict.fromkeys(one.partition(" ")[2] for one in written if amount_of(one) == number)
    return [Quantity(number, kind) for kind in kinds] or [Quantity(number, "")]


def _readiness(state: DialogueState, clash: Clash, fits: bool, p: Parameters) -> float:
    """Chance to give way to a calculation: a mistake yields if units fit, a right value only with limited skill."""
    belief = state.view.belief
    if belief is not None and (clash.about == CHOICE or state.rests_on(clash.about, belief.touches)):
        return p["concede.sum"] if fits else 0.0
    if clash.about in state.view.revised:  # it was wrong about this before, or has taken it over
        return p["concede.sum"] if fits else 0.0
    return p["adopt.wrong"] if state.view.skill == "limited" else 0.0
