"""Asserted values, told from those that are asked, quoted, denied, supposed or taken back, and from numbers that are no
amount: a mistake is booked only on a pupil's own plain words. In doubt nothing is asserted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from eduverse_mesa.decisions.groups import Sheet
from eduverse_mesa.formulas import Quantity, Units
from eduverse_mesa.hearing.numbers import Found
from eduverse_mesa.policies.embedded.groups.vocabulary import Ear, pattern

ASSERTED, ASKED, QUOTED, DENIED, SUPPOSED, TAKEN_BACK, NO_AMOUNT, PROPERTY, UNKNOWN = (
    "", "asked", "quoted", "denied", "supposed", "taken_back", "no_amount", "property", "unknown",
)  # fmt: skip
"""Uses of a value: property, if it is only told of a number, as that it is a common factor; unknown, if words stand
beside it whose effect nobody knows."""
_STOP = re.compile(r"[!?;\n]+|\.(?![\d.])")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ENDING = re.compile(r"(?:'s|ing|es|ed|s|d)$")
_LISTED = re.compile(r"\s*1[.)]\s.*\s2[.)]\s", re.DOTALL)
_BEHIND_LABEL = re.compile(r"[.)](?:\s|$)")
_COUNTED = re.compile(r"\d[\d.,]*\s?[^\W\d_]+")
_BETWEEN = re.compile(r"\s*(?:,|and|&|和|与|,\s*and)\s*")
_MARKS = ('"', "\u201c", "\u201d", "\u300c", "\u300d")
_SHORT, _STRANGE_SIGNS, _MANY = 3, 1, 2


class Sentence:
    """The sentence of a number and the clause in it."""

    def __init__(self, ear: Ear, text: str, one: Found) -> None:
        before = [match.end() for match in _STOP.finditer(text, 0, one.start)]
        stop = _STOP.search(text, max(one.end - 1, one.start + 1))
        self.start, self.end = (before or [0])[-1], stop.start() if stop else len(text)
        self.whole = text[self.start : self.end].strip()
        self.before, self.behind = text[self.start : one.start], text[one.end : self.end]
        self.is_question = stop is not None and "?" in stop[0]
        edges = list(pattern(ear.patterns("clauses")[0]).finditer(text, self.start, self.end))
        self._left = [match.end() for match in edges if match.end() <= one.start]
        right = [match.start() for match in edges if match.start() >= one.end - 1]
        self._from, self._to = (self._left or [self.start])[-1], (right or [self.end])[0]
        self.clause = text[self._from : self._to].strip()
        self.clause_before = text[self._from : one.start]
        self.next = text[self._to : self.end]
        """The rest of the sentence behind the clause, with the word that joins it."""

    def since(self, text: str, ear: Ear) -> str:
        """Return the text before the number, from its clause on if that has a subject of its own."""
        if self._left and ear.hears("own_subject", text[self._from : self._to].lstrip()):
            return self.clause_before
        return self.before


@lru_cache(maxsize=256)
def _in_digits(table: str, ear: Ear, units: Units) -> str:
    """A problem's text with its numbers in digits: the same for every message of a group."""
    return ear.plain(table, units)


class Assertions:
    """The values of one message."""

    def __init__(self, ear: Ear, text: str, others: Sequence[str], *, sheet: Sheet, units: Units) -> None:
        self.ear, self.text, self.units = ear, text, units
        self.names = "|".join(re.escape(name.casefold()) for name in others) or "(?!)"
        self._others = {name.casefold() for name in others}
        told = [sheet.statement, sheet.question, *(one.text for one in sheet.options)]
        asked = [f"{task.phrase} {task.unit} {' '.join(task.marks)}" for task in sheet.tasks]
        given = [f"{one.phrase} {' '.join(one.marks)}" for one in sheet.givens]
        self.table = " ".join((*told, *asked, *given)).casefold()
        self.counted = _in_digits(self.table, ear, units)
        """The same with its numbers in digits."""
        self.givens = {one.value for one in sheet.givens}
        self.phrases = [task.phrase.casefold() for task in sheet.tasks]

    def of(self, one: Found, every: Sequence[Found]) -> str:
        """Return the use of a value; `every` holds all values of the message."""
        there = Sentence(self.ear, self.text, one)
        if self._is_no_amount(one, there):
            return NO_AMOUNT
        if self._hears("share_behind", there.behind):
            return PROPERTY
        if one.bare and (self._is_property(there) or self._is_listed(one, every)):
            return PROPERTY
        if self._is_conditional(one, every, there):
            return SUPPOSED
        found = self._done_with(one, there)
        return UNKNOWN if found == ASSERTED and self._is_strange(there) else found

    def of_choice(self, start: int, end: int) -> str:
        """Return the use of a choice that is named here."""
        one = Found(start, end, Quantity(Fraction(0), ""), True)
        return self._done_with(one, Sentence(self.ear, self.text, one))

    def _done_with(self, one: Found, there: Sentence) -> str:
        if there.is_question or self._hears("only_asked", there.clause, there.whole):
            return ASKED
        if self._hears("only_supposed", there.whole):
            return SUPPOSED
        if self._hears("takes_back", there.whole):
            return TAKEN_BACK
        if self._is_quoted(one, there):
            return QUOTED
        if self._is_denied(there, self.text[one.start : one.end]):
            return DENIED
        return ASSERTED

    def _hears(self, kind: str, *texts: str) -> bool:
        every = [pattern(one.replace("{names}", self.names)) for one in self.ear.patterns(kind)]
        return any(one.search(text) for one in every for text in texts)

    def _is_no_amount(self, one: Found, there: Sentence) -> bool:
        """Return True for a grade, an age, a time or the number of a line."""
        if _LISTED.match(self.text) and _BEHIND_LABEL.match(self.text[one.end :]):
            return True
        if self._hears("own_things", there.before):
            return True
        beside = self._hears("no_amount_before", there.before) or self._hears("no_amount_behind", there.behind)
        return one.bare and beside

    def _is_property(self, there: Sentence) -> bool:
        """Return True if a number is only said to be a factor or a multiple."""
        return self._hears("property_before", there.clause_before) or self._hears("property_behind", there.behind)

    def _is_listed(self, one: Found, every: Sequence[Found]) -> bool:
        """Return True for one of three or more bare numbers with nothing but commas between them."""
        run: list[Found] = []
        for each in every:
            if run and (not each.bare or not _BETWEEN.fullmatch(self.text, run[-1].end, each.start)):
                if one in run:
                    break
                run = []
            run += [each] if each.bare else []
        return one in run and len(run) > _MANY

    def _is_conditional(self, one: Found, every: Sequence[Found], there: Sentence) -> bool:
        """Return True if a value is said of an amount that somebody has only chosen: "at 500 messages A is $79.95"."""
        for each in self.ear.patterns("own_condition"):
            by = pattern(each).search(there.before)
            if by is not None and not any(phrase.startswith(f"{by['by']} ") for phrase in self.phrases):
                return True
        return any(self._is_condition(other, there) for other in every if other.quantity.value != one.quantity.value)

    def _is_condition(self, other: Found, there: Sentence) -> bool:
        if (
            not there.start <= other.start < there.end
            or other.quantity.value == 1
            or str(other.quantity) in self.givens
        ):
            return False
        said = _COUNTED.match(self.text, other.start)
        if said is not None and re.search(rf"(?<![\d.]){re.escape(said[0])}", self.counted):
            return False  # as the statement says it: "after 2 years"
        before = self.text[there.start : other.start]
        return self._hears("condition", before) or (not other.bare and self._hears("condition_of", before))

    def _is_quoted(self, one: Found, there: Sentence) -> bool:
        """Return True if another says or has the value, or if it stands between quotation marks."""
        marked = self.text[: one.start].rstrip("$ ").endswith(_MARKS)
        said = self._hears("another_says", there.since(self.text, self.ear))
        return marked or said or self._hears("another_has", there.behind)

    def _is_denied(self, there: Sentence, number: str) -> bool:
        """Return True if the clause denies the value, or the next one begins to: "3, not 40" denies the other."""
        rest = there.clause
        for each in self.ear.patterns("denies_other"):
            rest = pattern(each.replace("{own}", re.escape(number.strip()))).sub(" ", rest)
        return self._hears("denies_value", rest) or self._hears("limits", there.next)

    def _is_strange(self, there: Sentence) -> bool:
        """Return True if the clause has words that neither stand on the table nor are said with any value."""
        rest = pattern(self.ear.patterns("beside_values")[0]).sub(" ", there.clause)
        if self.ear.han:
            strange = [sign for sign in _HAN.findall(rest) if sign not in self.table]
            return len(strange) > _STRANGE_SIGNS
        return any(not self._is_known(word) for word in _WORD.findall(rest))

    def _is_known(self, word: str) -> bool:
        stem = _ENDING.sub("", word) if len(word) > _SHORT + 1 else word
        edge = "" if len(stem) >= _SHORT else r"\b"
        known = word in self._others or word in self.units.nouns or self.units.find(word) is not None
        return known or re.search(rf"\b{re.escape(stem)}{edge}", self.table) is not None
