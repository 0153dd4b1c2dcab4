"""Checks of a peer's words against the meaning intended: peers speak from their own work and never from anything else
(MathVC, section 3.2.2), so the words of a model are read as a person's words are, and held against it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from eduverse_mesa.decisions.groups import SERIOUS, Claim, Meaning, PeerView, Understand
from eduverse_mesa.formulas.wording import alike, amount_of
from eduverse_mesa.hearing.numbers import Found
from eduverse_mesa.policies.embedded.groups.claims import spoken_of
from eduverse_mesa.policies.embedded.groups.interpretation import Reader
from eduverse_mesa.policies.embedded.groups.state import DialogueState
from eduverse_mesa.policies.llm.prompts.templates import prompt_language
from eduverse_mesa.policies.llm.shape import UnusableError
from eduverse_mesa.randomness import Address

_YOU = re.compile(r"\byou(?:r|rs)?\b|[你您]", re.IGNORECASE)
_ONE = re.compile(r"\bone\b|一", re.IGNORECASE)
"""English "one" is not read as a number, since it often counts nothing; where a value is 1 it may say it."""


_FORM = re.compile(r"\w_\w")
"""Nobody talks so: the name of a variable, or a piece of the question."""
_MIXED = re.compile(r"(\d)\s*又\s*(\d+/\d+)")


def hold(words: str, view: PeerView, meaning: Meaning, at: Address) -> str:
    """The words, where they fit what is meant; UnusableError with what does not fit otherwise."""
    speech = Speech(words, view, meaning, at)
    speech.check_said()
    speech.check_left_out()
    return words


def hold_chat(words: str, view: PeerView, answer: Meaning, at: Address) -> str:
    """The same for a plain chat, where all of one's own work may be told."""
    picks = tuple(one.option for one in view.verdicts if one.right)
    everything = Meaning(claims=tuple(Claim(one.variable, one.value) for one in view.work), chosen=picks)
    Speech(words, view, everything, at).check_said()
    if picks:  # who has to choose gives the answer by the choice
        answer = Meaning(chosen=answer.chosen)
    Speech(words, view, answer, at).check_left_out()
    return words


class Speech:
    """Words that a peer is about to write, with the intended meaning."""

    def __init__(self, words: str, view: PeerView, meaning: Meaning, at: Address) -> None:
        self.view, self.meaning = view, meaning
        self.words = words = _plain(words)
        self.state = DialogueState(view)
        self.reader = self._reader(words, at)
        self.read = self.reader.read()
        self.found = self.reader.ear.numbers.quantities(self.reader.text, self.reader.units)
        picks = self.state.picks
        self.settled = any(set(chosen) == set(picks) for _, chosen in view.minutes.chosen)

    def _reader(self, words: str, at: Address) -> Reader:
        """Words are expected in the language of the prompts."""
        view = self.view
        said = [(one.variable, (one.value,)) for one in view.minutes.stated]
        own = [(one.variable, (one.value,)) for one in view.work]
        likely: dict[str, tuple[str, ...]] = {}
        for variable, values in (*own, *said):
            likely[variable] = (*likely.get(variable, ()), *values)
        decision = Understand(
            at=at,
            speaker=view.name,
            text=words,
            sheet=view.sheet,
            members=view.members,
            dialogue=view.dialogue,
            stage=view.stage,
            acts=(),
            likely=tuple(likely.items()),
            language=prompt_language(view.language),
        )
        return Reader(decision)

    def check_said(self) -> None:
        """Raise UnusableError where the words say something else than is meant, or are none."""
        if _FORM.search(self.words):
            raise UnusableError("words must be as one talks: no names with a low line in them")
        if self.read.matter in SERIOUS:
            raise UnusableError("words must not speak of what is private, or of harm")
        for claim in self.read.claims:
            self._check_claim(claim)
        own, others = self._known(), self._of_others()
        for one in self.found:
            if one.bare or _among(one.quantity.value, own):
                continue
            if not (_among(one.quantity.value, others) and self._against(self.state.others)):
                raise UnusableError(f"words name {one.quantity}, which is neither in the problem nor in your own work")
        self._check_choice()

    def check_left_out(self) -> None:
        """Raise UnusableError where the words leave out a value or a choice that is meant: nobody could answer it."""
        for claim in self.meaning.claims:
            if not self._says(claim):
                raise UnusableError(f"words must say what comes out: {self._shown(claim)}")
        if any(one not in self.read.options for one in self.meaning.chosen):
            raise UnusableError(f"words must say which choice is right: {', '.join(self.meaning.chosen)}")

    # --- numbers ---

    def _check_claim(self, claim: Claim) -> None:
        if self._is_meant(claim) or self._is_given(claim):
            return
        own = self.state.mine.get(claim.about)
        same = partial(self.state.alike, claim.about)
        if own is not None and same(claim.value, own.value):
            if not any(same(own.value, value) for value in self.state.stated(claim.about).values()):
                raise UnusableError(f"words say that {claim.about} is {own.shown}; that was not what you wanted to say")
            return
        if own is None and _among(amount_of(claim.value), [*self._known(), *self._of_others()]):
            return
        if self._objects(claim):
            return
        has = f", but by your own work it is {own.shown}" if own is not None else ", which is not in your own work"
        raise UnusableError(f"words say that {claim.about or 'it'} is {claim.value}{has}")

    def _is_meant(self, claim: Claim) -> bool:
        """Return True if a claim is what the peer wants to say, or belongs to how that is worked out, or to the reason
        for it."""
        meant = [amount_of(one.value) for one in self.meaning.claims] + self._amounts(self._reasons())
        return _among(amount_of(claim.value), meant)

    def _reasons(self) -> list[str]:
        """Return the reasons for what the peer wants to say: how it is worked out, or why not otherwise."""
        view, meaning = self.view, self.meaning
        told = [how for _, how in meaning.plans]
        if meaning.plans and view.belief is not None:
            told.append(view.belief.thinks)
        shown = {one.about for one in meaning.claims}
        told += [text for one in view.work if one.variable in shown for text in (one.how, one.calculation, one.why)]
        told += [one.says for one in view.cues if one.id in meaning.cues]
        return told + [one.why for one in view.verdicts if one.option in meaning.options]

    def _is_given(self, claim: Claim) -> bool:
        """Return True if a claim names a number of the problem; one that is said without a unit counts as long as it is
        not said to be the result of a subtask."""
        sheet, amount = self.view.sheet, amount_of(claim.value)
        texts = [
            sheet.statement,
            sheet.question,
            *(one.text for one in sheet.options),
            *(one.shown for one in sheet.givens),
        ]
        written = {(one.quantity.value, one.quantity.unit) for text in texts for one in self._quantities(text)}
        said = [one for one in self.found if one.quantity.value == amount]
        if any(given.value == claim.value for given in sheet.givens):
            return True
        if any(not one.bare and (amount, one.quantity.unit) in written for one in said):
            return True
        named = [task.variable for task in spoken_of(sheet, self.words)]
        bare = any(one.bare for one in said) and any(amount == value for value, _ in written)
        return bare and claim.about not in named

    def _objects(self, claim: Claim) -> bool:
        """Return True if a claim is what somebody else holds, named to ask about it or to speak against it."""
        holders = [
            name
            for name, value in self.state.stated(claim.about).items()
            if name != self.view.name and self.state.alike(claim.about, value, claim.value)
        ]
        usual = any(
            one.variable == claim.about and self.state.alike(claim.about, one.wrong, claim.value)
            for one in self.view.cues
            if one.wrong
        )
        return bool(holders or usual) and self._against(holders)

    def _against(self, holders: Iterable[str]) -> bool:
        """Return True if the words ask or object, or only tell what somebody has said."""
        if self.read.stance == "disagrees" or self.read.asks:
            return True
        told = _YOU.search(self.words) is not None or any(name.casefold() in self.words.casefold() for name in holders)
        wants = self.meaning.stance == "disagrees" or self.meaning.asks
        return self.read.stance != "agrees" and (told or wants)

    def _says(self, claim: Claim) -> bool:
        """Return True if the words contain the value of an intended claim."""
        if any(
            one.about == claim.about and self.state.alike(claim.about, one.value, claim.value)
            for one in self.read.claims
        ):
            return True
        amount = amount_of(claim.value)
        said = [one.quantity.value for one in self.found]
        said += [one.quantity.value / 100 for one in self.found if one.quantity.unit == "percent"]
        return _among(amount, said) or (amount == 1 and _ONE.search(self.words) is not None)

    def _shown(self, claim: Claim) -> str:
        own = self.state.mine.get(claim.about)
        return own.shown if own is not None else claim.value

    # --- choices ---

    def _check_choice(self) -> None:
        picks, chosen = set(self.state.picks), set(self.read.chosen)
        strange = chosen - picks
        if strange:
            holders = [name for name, held in self.view.minutes.chosen if strange <= set(held)]
            if not holders or not self._against(holders):
                raise UnusableError(f"words choose {', '.join(sorted(strange))}, which you do not hold to be right")
        elif chosen and not self.meaning.chosen and not self.settled:
            raise UnusableError("words choose an answer; that was not what you wanted to say")

    # --- what is on the table ---

    def _known(self) -> list[Fraction]:
        """Every number of the problem and of the peer's own work."""
        view, sheet = self.view, self.view.sheet
        told = [
            sheet.statement,
            sheet.question,
            *(one.text for one in sheet.options),
            *(says for _, says in sheet.sense),
        ]
        told += [text for one in view.work for text in (one.how, one.shown, one.calculation, one.why, one.says)]
        told += [one.why for one in view.verdicts] + [one.says for one in view.cues]
        told += [*view.means, *view.checks, view.belief.thinks if view.belief is not None else ""]
        values = [one.value for one in view.work] + [one.value for one in sheet.givens]
        return [amount_of(value) for value in values] + self._amounts(told)

    def _of_others(self) -> list[Fraction]:
        """Return the amounts that others have said."""
        lines = [line for line in self.view.dialogue if line.speaker != self.view.name]
        return [amount_of(claim.value) for line in lines for claim in line.meaning.claims]

    def _amounts(self, texts: Iterable[str]) -> list[Fraction]:
        return [one.quantity.value for text in texts for one in self._quantities(text)]

    def _quantities(self, text: str) -> list[Found]:
        ear, units = self.reader.ear, self.reader.units
        return ear.numbers.quantities(ear.plain(_plain(text), units), units)


def _plain(text: str) -> str:
    """Mixed numbers as they are read: "1又2/3" is "1 2/3"."""
    return _MIXED.sub(r"\1 \2", text)


def _among(amount: Fraction, others: Iterable[Fraction]) -> bool:
    return any(alike(str(amount), str(other)) for other in others)
