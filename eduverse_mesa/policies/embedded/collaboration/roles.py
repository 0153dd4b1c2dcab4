"""What a number does in a message: most that people write claim nothing. They calculate with it, ask why it is so,
tell what another said, or show that it cannot be."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction

from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern
from eduverse_mesa.policies.embedded.collaboration.numbers import Found

REFUTED, QUERIED, WORKED, SAID = "refuted", "queried", "worked", ""
"""It is said not to be it; it is spoken of, not claimed; it is part of something else; it may be claimed."""
_SENTENCE = re.compile(r"[!?;]|\.(?!\d)")
_WORKED_WITH = re.compile(r"\s*(?:[-+*]|\s/)\s*[$(]*\d|\s*(?:[^\W\d_]+\s){1,2}[-+*]\s*[$(]*\d|\s?:\s?\d")
_MADE_OF = re.compile(r"\s*=\s*[$(]*\d[\d.]*\s*[-+*/x]\s*[$(]*\d")
"""30 = 2*15."""
_WORKED_BEFORE = re.compile(r"\d\s?:\s?$|\d[^\d.,;:!?]{0,10}?(?:[-+*]|/\s)\s*[$(]*$")
"""Beside a number: it is calculated with, and is no result."""
_DOUBTED = re.compile(r"\W*\?\s*\?")
_ASKED = re.compile(r"\W*\?")


def clause_of(ear: Ear, text: str, one: Found) -> tuple[int, int]:
    """Where the clause begins and ends in which a number stands."""
    start, end = 0, len(text)
    for match in pattern(ear.patterns("clauses")[0]).finditer(text):
        if match.end() <= one.start:
            start = match.end()
        elif match.start() >= one.end - 1:  # a unit may end with the space behind it
            return start, match.start()
    return start, end


class Roles:
    """The numbers of one message."""

    def __init__(self, ear: Ear, text: str, others: Sequence[str], heard: Collection[Fraction]) -> None:
        self.ear, self.text, self.heard = ear, text, heard
        """`heard` are the numbers that somebody else has given last: 5? is a question where they said 5."""
        self.names = "|".join(re.escape(name.casefold()) for name in others) or "(?!)"

    def of(self, every: Sequence[Found]) -> dict[int, str]:
        """What each does, by where it begins. What is refuted once is not claimed in the same breath."""
        found = {one.start: self._one(one, every) for one in every}
        out = [one for one in every if found[one.start] == REFUTED]
        for one in every:
            same = [other for other in out if other.quantity.value == one.quantity.value]
            if found[one.start] == SAID and any(one.bare or other.quantity == one.quantity for other in same):
                found[one.start] = REFUTED
        return found

    def _one(self, one: Found, every: Sequence[Found]) -> str:
        start, end = clause_of(self.ear, self.text, one)
        before, after = self.text[start : one.start], self.text[one.end : end]
        if self.ear.hears("mocks", self.text[start:end]) or self._is_corrected(one, every):
            return WORKED
        if self._hears("quoted", before) or self.ear.hears("why", before):
            return QUERIED
        if _is_one_of(one) and (self.ear.hears("for_one", before) or self._in_clause(every, start, end) > 1):
            return WORKED  # 1 mile takes 5 gallons
        if not one.bare and self.ear.hears("refers", before) and self._in_clause(every, start, one.start) > 0:
            return WORKED  # 12 is for 3 yards
        made = _MADE_OF.match(self.text[one.end :]) is not None and one.quantity.value != 1
        if made or _WORKED_WITH.match(self.text[one.end :]) or _WORKED_BEFORE.search(self.text[: one.start]):
            return WORKED
        if self._is_refuted(one, before, after, end):
            return REFUTED
        supposed = self.ear.hears("hypothesis", before) or self.ear.hears("supposes", self._sentence(one))
        if self._is_asked(one, every, before, after) or supposed:
            return QUERIED
        part = self._is_part(one) and not self._is_affirmed(before, after)
        return WORKED if part or self._is_wanted(one) else SAID

    def _sentence(self, one: Found) -> str:
        """What stands before it in its sentence."""
        return _SENTENCE.split(self.text[: one.start])[-1]

    def _in_clause(self, every: Sequence[Found], start: int, end: int) -> int:
        return sum(start <= one.start < end for one in every)

    def _hears(self, kind: str, text: str) -> bool:
        """Whether a pattern is in the text that has the others' names in it."""
        return any(pattern(one.replace("{names}", self.names)).search(text) for one in self.ear.patterns(kind))

    def _is_refuted(self, one: Found, before: str, after: str, end: int) -> bool:
        inside = any(
            match.start("no") <= one.start < match.end("no")
            for kind in ("not_but", "but_not")
            for each in self.ear.patterns(kind)
            for match in pattern(each).finditer(self.text)
        )
        if inside or self.ear.hears("rejected", self.text[: one.start]):
            return True
        if self.ear.hears("compared_before", before) or self._is_affirmed(before, after):
            return False
        if self.ear.hears("impossible_before", before):
            return True
        following = self.text[end:].lstrip("?!.,; ")
        rest = _SENTENCE.split(following)[0] if self.ear.hears("takes_up", following) else ""
        return self.ear.hears("impossible_behind", after + rest)

    def _is_affirmed(self, before: str, after: str) -> bool:
        """Whether it is said that it cannot be wrong, or that it can be nothing else."""
        denied = self.ear.hears("impossible_before", before) and self.ear.hears("wrong_behind", after)
        return denied or self.ear.hears("not_wrong_behind", after) or self.ear.hears("nothing_else", before)

    def _is_asked(self, one: Found, every: Sequence[Found], before: str, after: str) -> bool:
        """Whether it is asked about: as one of two, as what another has, or as what has just been said."""
        if self._hears("asks_others", before) and not self.ear.hears("mine_too", after):
            return True
        for other in every:
            first, second = sorted((one, other), key=lambda each: each.start)
            if first is not second and self.ear.hears("one_or_other", self.text[first.end : second.start]):
                return True
        rest = self.text[one.end :]
        return one.quantity.value in self.heard and (
            _DOUBTED.match(rest) is not None
            or (_ASKED.match(rest) is not None and not re.sub(r"[\W_]", "", self.text[: one.start]))
        )

    def _is_corrected(self, one: Found, every: Sequence[Found]) -> bool:
        """Whether its speaker takes it back at once: "5 too, no wait, 120/600"."""
        for each in self.ear.patterns("corrects"):
            for match in pattern(each).finditer(self.text):
                if one.end <= match.start() and any(other.start >= match.end() for other in every):
                    return True
        return False

    def _is_wanted(self, one: Found) -> bool:
        """Whether it stands in a question for how much something is: "what is 60 divided by 20"."""
        return any(
            match.start() <= one.start < match.end()
            for each in self.ear.patterns("wanted")
            for match in pattern(each).finditer(self.text)
        )

    def _is_part(self, one: Found) -> bool:
        """Whether it is calculated with, and nobody says what comes out."""
        after, before = self.text[one.end :], self.text[: one.start]
        return self.ear.hears("worked_behind", after) or self.ear.hears("worked_before", before)


def _is_one_of(one: Found) -> bool:
    """One gallon, one mile: what a rate is for."""
    return one.quantity.value == 1 and not one.bare
