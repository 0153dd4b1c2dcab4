"""Claims of a person's message: the numbers that say how much something is, with their variables, and ratios of
amounts. The other numbers are in calculations, name a choice, are asked about, told of another, or denied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

import msgspec

from eduverse_mesa.decisions.groups import Claim, Sheet, Sum, Task, Understand
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, read_quantity
from eduverse_mesa.formulas.wording import alike, amount_of
from eduverse_mesa.hearing.numbers import Found, Shown
from eduverse_mesa.marks import count_words, says, words
from eduverse_mesa.policies.embedded.groups.assertion import ASSERTED, PROPERTY, SUPPOSED, Assertions
from eduverse_mesa.policies.embedded.groups.quantities import (
    QUERIED,
    REFUTED,
    SAID,
    Evidence,
    Locator,
    Roles,
    clause_of,
)
from eduverse_mesa.policies.embedded.groups.vocabulary import Ear, pattern, stance_of

_NUMBERED = re.compile(r"第[\d,和 ]*$")
"""第2步 is one of the steps."""


class Ratios:
    """The amounts of one message that belong together."""

    def __init__(
        self, ear: Ear, text: str, found: Sequence[Found], shown: Sequence[Shown], *, sheet: Sheet, units: Units
    ) -> None:
        self._ear, self._text, self._units = ear, text, units
        self._worked = [(each.start, each.end) for each in shown]
        self._found = [one for one in (*found, *self._halves()) if not self._is_worked(one)]
        self._givens = [read_quantity(one.value, units) for one in sheet.givens]

    def _is_worked(self, one: Found) -> bool:
        return any(start <= one.start < end + 3 for start, end in self._worked)

    def _halves(self) -> list[Found]:
        """Amounts of half a unit, as in "half a yard"."""
        found: list[Found] = []
        for match in pattern(self._ear.patterns("half_of_one")[0]).finditer(self._text):
            unit = self._units.find(match["unit"])
            if unit is not None:
                found.append(Found(match.start(), match.end(), Quantity(Fraction(1, 2), unit), False))
        return found

    def other(self, one: Found) -> Found | None:
        """Return the nearest amount of something else, other than one, that this one is for, or None."""
        if self._is_worked(one) or "/" in one.quantity.unit:
            return None
        every = self._beside(one)
        beside = [
            each
            for each in every
            if each.quantity.value != 1 and self._belongs(one, each) and not self._is_told(each, every)
        ]
        return min(beside, key=lambda each: abs(each.start - one.start), default=None)

    def is_true(self, one: Found, other: Found) -> bool:
        """Return True if the two amounts stand in a ratio that the statement gives."""
        first, second = one.quantity, other.quantity
        for above, below in permutations(self._givens, 2):
            upper, lower = self._in(first, above.unit), self._in(second, below.unit)
            if upper is None or lower is None or above.unit == below.unit:
                continue
            if upper * below.value == lower * above.value:
                return True
        return any(self._is_at(rate, first, second) or self._is_at(rate, second, first) for rate in self._givens)

    def is_conversion(self, one: Found) -> bool:
        """Return True if the amount is only said in another unit: 12 inches are a foot."""
        return any(self._is_same(one.quantity, each.quantity) for each in self._beside(one))

    def _beside(self, one: Found) -> list[Found]:
        start, end = clause_of(self._ear, self._text, one)
        return [each for each in self._found if start <= each.start < end and each is not one]

    def _is_told(self, one: Found, every: Sequence[Found]) -> bool:
        """Return True if the statement gives it and another beside it: 60 feet for 20 steps is 3 feet each."""
        units = [each for each in every if each is not one and each.quantity.unit and one.quantity.unit]
        return any(each.quantity in self._givens and one.quantity in self._givens for each in units)

    def _belongs(self, one: Found, other: Found) -> bool:
        """Return True if this amount may be for the other one, which measures something else and is no rate. A bare
        number may be the other only if it stands in the ratio of the statement."""
        unit = other.quantity.unit
        if not unit:
            return bool(one.quantity.unit) and self.is_true(one, other)
        again = not one.quantity.unit and one.quantity.value == other.quantity.value  # 3 feet because 60/20
        if again or _NUMBERED.search(self._text, 0, other.start):
            return False
        return "/" not in unit and (not one.quantity.unit or self._in(one.quantity, unit) is None)

    def _in(self, said: Quantity, unit: str) -> Fraction | None:
        """Return the amount in a unit, or None if it cannot be converted; a bare number may be of any unit."""
        if not said.unit:
            return said.value
        if not unit:
            return None
        try:
            return self._units.convert(said, unit).value
        except FormulaError:
            return None

    def _is_at(self, rate: Quantity, above: Quantity, below: Quantity) -> bool:
        """Return True if one is the other at a given rate: 50 cents for 5 messages at 10 cents a message."""
        unit, _, each = rate.unit.partition("/")
        upper, lower = self._in(above, unit), self._in(below, each)
        return bool(each) and upper is not None and lower is not None and upper == rate.value * lower

    def _is_same(self, one: Quantity, other: Quantity) -> bool:
        return bool(one.unit) and one.unit != other.unit and self._in(one, other.unit) == other.value


_FEW = 3
"""Words around a number up to which it counts as the whole message."""
_THEIRS = {"yuan": ("dollar", 1), "jiao": ("cent", 10), "fen": ("cent", 1)}
_HALF = "1/2"
_TWO = re.compile(r"(\d+)(?:\s+and\s+|\s*&\s*)(\d+/\d+)")
_PART = re.compile(r"(\d+)\s*/\s*(\d+)")


class Spoken(NamedTuple):
    """The quantities of a message: claimed, asked about, or refuted."""

    claims: tuple[Claim, ...]
    queried: tuple[Claim, ...]
    refuted: tuple[Claim, ...]


def spoken_of(sheet: Sheet, *texts: str) -> list[Task]:
    """Return the subtasks that texts speak of, by their marks."""
    return [task for task in sheet.tasks if any(_spells(mark, text) for mark in task.marks for text in texts)]


def _spells(mark: str, text: str) -> bool:
    """Return True if a mark is in a text, its short words as whole ones: "a step" is not in "all steps"."""
    if not says(mark, text):
        return False
    plain = words(text)
    return any(says(one, text) and pattern(_whole(one)).search(plain) is not None for one in mark.split("|"))


def _whole(mark: str) -> str:
    ends = [r"(?!\S)" if len(word) < _FEW and word.isascii() else r"\S*" for word in mark.split()]
    return " ".join(re.escape(word) + end for word, end in zip(mark.split(), ends, strict=True))


class Claimer:
    """The quantities of one message."""

    def __init__(
        self, decision: Understand, ear: Ear, units: Units, text: str, tasks: Sequence[Task], labels: Sequence[str]
    ) -> None:
        self.decision, self.sheet, self.ear, self.text = decision, decision.sheet, ear, text
        self.tasks = list(tasks)
        self.labels = labels
        """The choices that are spoken of."""
        self.words = text
        """The same without its calculations: the words that may name what a number is."""
        self.locator = Locator(decision, units)
        self.found = self._apart(_in_their_money(ear.numbers.quantities(text, units), self.sheet))
        others = [name for name in decision.members if name != decision.speaker]
        self.unsaid = ear.numbers.unsaid(text, units)
        """The calculations without a stated result."""
        self.roles = Roles(ear, text, others, self._heard()).of(self.found)
        self.assertions = Assertions(ear, text, others, sheet=decision.sheet, units=units)

    def _apart(self, found: list[Found]) -> list[Found]:
        """Split two numbers that are joined like a mixed one if people get each of them, as in "5 and 1/5"."""
        apart: list[Found] = []
        for one in found:
            if any(self._is_doubled(one, other) for other in found):
                continue
            two = _TWO.match(self.text, one.start)
            if two is None or two[2] == _HALF or two.end() > one.end or self._is_likely(one):
                apart.append(one)
                continue
            first = Found(one.start, two.end(1), Quantity(Fraction(two[1]), ""), True)
            second = one._replace(start=two.start(2), quantity=Quantity(Fraction(two[2]), one.quantity.unit))
            both = self._is_likely(first) and self._is_likely(second)
            apart += [first, second] if both else [one]
        return apart

    def _is_doubled(self, one: Found, other: Found) -> bool:
        """Return True if a number only stands twice, as in "3 3", which may be 33 or nothing."""
        first, second = sorted((one, other), key=lambda each: each.start)
        same = first is not second and first.quantity == second.quantity and first.bare
        return same and not self.text[first.end : second.start].strip()

    def _heard(self) -> set[Fraction]:
        """The numbers that somebody else gave last."""
        for one in reversed(self.decision.dialogue):
            if one.speaker != self.decision.speaker and one.meaning.claims:
                return {amount_of(claim.value) for claim in one.meaning.claims}
        return set()

    def spoken(self, shown: Sequence[Shown]) -> Spoken:
        """Return the quantities of the message: claims, which are results of a calculation or stand behind "is", and
        values that are only spoken of."""
        for each in shown:
            self.words = self.words[: each.start] + " " * (each.end - each.start) + self.words[each.end :]
        self.ratios = Ratios(self.ear, self.text, self.found, shown, sheet=self.sheet, units=self.locator.units)
        claims = {claim.about: claim for claim in self._givens()}
        said = [one for one in self.found if self._is_result(one, shown) or self._may_claim(one, shown)]
        agrees = stance_of(self.ear, self.text) == "agrees"
        for group in self._grouped(said):
            evidence = self._evidence(group, shown, len(said) == 1)
            if agrees:  # "yes 5, I agree" is of what the others say to be 5
                evidence.heard = self.locator.heard(group[0].quantity.value)
            claim = self.locator.claim(evidence, tuple(claims))
            if self._is_for_others(claim, group):
                continue
            loose = self._is_loose(claim, group, evidence)
            asserted = not loose and self._is_asserted(claim, group, evidence)
            claim = msgspec.structs.replace(claim, asserted=asserted, loose=loose)
            if claim.about not in claims or self._is_better(claim, claims[claim.about]):
                claims[claim.about] = claim
        if len(claims) > 1:
            claims.pop("", None)  # of nothing that is known, beside what is
        return Spoken(tuple(claims.values()), self._only(QUERIED), self._only(REFUTED))

    def _is_asserted(self, claim: Claim, group: list[Found], evidence: Evidence) -> bool:
        """Return True if it is said plainly each time, and surely of this: "I have 20 dollars" may not be."""
        if not self.locator.is_sure(claim, evidence):
            return False
        if any(each.holds for each in evidence.sums) and not self._is_answer(claim, evidence):
            return False
        owned = any(self.ear.hears("owns", self.text[: one.start]) for one in group if not one.bare)
        if owned and not self.locator.is_usual(claim):
            return False
        return self._done_with(group) - {PROPERTY} == {ASSERTED}

    def _is_loose(self, claim: Claim, group: list[Found], evidence: Evidence) -> bool:
        """Return True if a claim is true, or may be, of something else: of a correct calculation by which nobody gets
        this variable, of an amount that somebody has chosen, or of something that nothing in the message tells."""
        if not claim.about or claim.about in evidence.direct:
            return False
        if any(each.holds for each in evidence.sums) and not any(
            self._is_way(each, claim.about) for each in evidence.sums
        ):
            return True
        for one in group:
            other = self.ratios.other(one)
            apart = other is not None and not self.locator.is_usual(claim)
            if apart or (other is not None and self.ratios.is_true(one, other)) or self.ratios.is_conversion(one):
                return True
        if SUPPOSED in self._done_with(group):
            return True
        return not self.locator.is_usual(claim) and not self.locator.is_sure(claim, evidence)

    def _done_with(self, group: list[Found]) -> set[str]:
        return {self.assertions.of(one, self.found) for one in group}

    def _is_for_others(self, claim: Claim, group: Sequence[Found]) -> bool:
        """Return True if a claim is for more or less than the one unit that is asked about: 3 feet for 2 steps."""
        task = next((task for task in self.sheet.tasks if task.variable == claim.about), None)
        if task is None:
            return False
        paired = [(one, other) for one in group if (other := self.ratios.other(one)) is not None]
        if "/" in task.unit:
            return any(not self.locator.is_usual(claim) or not self._is_claimed(other) for _, other in paired)
        ones = {given.value.partition(" ")[2] for given in self.sheet.givens if given.value.startswith("1 ")}
        return bool(task.unit) and any(
            other.quantity.unit in ones and not self.ratios.is_true(one, other) for one, other in paired
        )

    def _is_claimed(self, one: Found) -> bool:
        """Return True if people get this amount for a subtask with the same unit: 15 bags, with 2 cookies in each."""
        written = str(one.quantity)
        return any(
            task.unit == one.quantity.unit and self.locator.is_likely(written, task) for task in self.sheet.tasks
        )

    def _is_answer(self, claim: Claim, evidence: Evidence) -> bool:
        """Return True if a correct calculation is given for an answer: named, or the only goal it leads to."""
        if claim.about in (*evidence.direct, *evidence.named):
            return True
        return claim.about in self.sheet.goals and any(self._way(each) == claim.about for each in evidence.sums)

    def _is_better(self, claim: Claim, before: Claim) -> bool:
        """Return True if the second value for a variable is one that people get, or the first is not."""
        task = next((task for task in self.sheet.tasks if task.variable == claim.about), None)
        if task is None:
            return True
        return self.locator.is_likely(claim.value, task) or not self.locator.is_likely(before.value, task)

    def _only(self, role: str) -> tuple[Claim, ...]:
        """Values with another role, each once, of what they would be."""
        every = [one for one in self.found if self.roles[one.start] == role and not self._names_choice(one)]
        every.sort(key=lambda one: one.bare)  # with a unit it is clearer what it would be
        groups = self._grouped(every)
        found = [self._evidence(group, (), len(groups) == 1) for group in groups]
        for one, group in zip(found, groups, strict=True):
            one.heard = self.locator.heard(group[0].quantity.value)
        return tuple(dict.fromkeys(claim for one in found if self._is_known(claim := self.locator.claim(one, ()), one)))

    def _is_known(self, claim: Claim, found: Evidence) -> bool:
        """Return True if people get it, or its variable is told: 3 in "why do you divide by 3 yards" is neither."""
        if claim.about in (*found.direct, *found.named, *found.heard):
            return True
        task = next((task for task in self.sheet.tasks if task.variable == claim.about), None)
        return task is not None and self.locator.is_likely(claim.value, task)

    # --- which are claimed ---

    def _is_result(self, one: Found, shown: Sequence[Shown]) -> bool:
        """Return True if a calculation comes to it; one of another's numbers, or back to the statement, only checks."""
        calculated = next((each for each in shown if each.end <= one.start < each.end + 3), None)
        if calculated is None or self.roles[one.start] == REFUTED or self._is_theirs(calculated.sum):
            return False
        if self.labels and not self._is_likely(one):
            return False  # about a choice
        return not self._is_written(one) or self._way(calculated.sum) is not None

    def _may_claim(self, one: Found, shown: Sequence[Shown]) -> bool:
        inside = any(each.start <= one.start < each.end + 3 for each in shown)
        if inside or self.roles[one.start] != SAID or self._names_choice(one):
            return False
        if self._given(one) is not None or self._corrected(one) is not None:
            return False
        if self._is_written(one) and not self._is_meant(one):
            return False
        before = self.text[: one.start]
        if not one.bare and self.ear.hears("chosen_amount", before) and not self._is_likely(one):
            return False  # "A for 100 messages" takes an example
        if self.labels and not self._is_direct(one) and not self._is_likely(one):
            return False  # what is said of a choice
        again = any(alike(str(one.quantity.value), each.sum.result) for each in shown)
        if shown and not again:
            with_unit = not one.bare and (bool(self._named(one)) or not self._beside(one))
            start, _ = clause_of(self.ear, self.text, one)
            stated = self.ear.hears("right_before", f" {self.text[start : one.start]}") and bool(self._is_likely(one))
            likely = stated or (self._is_said(one) and self._is_likely_now(one))
            return self._is_direct(one) or with_unit or likely
        return self._is_said(one)

    def _is_written(self, one: Found) -> bool:
        """Return True if it is only a number of the statement."""
        written = one.quantity.value in {amount_of(given.value) for given in self.sheet.givens}
        return written and (one.bare or not self._is_likely(one))

    def _is_meant(self, one: Found) -> bool:
        """Return True if a number that stands in the statement is nevertheless given for something else."""
        rest, likely = self._beside_all(one), self._is_likely(one)
        if count_words(rest) <= _FEW or self._is_direct(one) or self._is_likely_now(one):
            return True
        start, end = clause_of(self.ear, self.text, one)
        before, clause = self.words[start : one.start], self.text[start:end]
        if any(says(mark, clause) for given in self.sheet.givens for mark in given.marks):
            return False
        behind = self.ear.hears("right_before", f" {before}") and not self.ear.hears("share_of", before)
        return bool(likely) and (behind or any(task in likely for task in self._named(one)))

    def _is_likely(self, one: Found) -> list[Task]:
        """The subtasks for which people get the number."""
        number = str(one.quantity.value)
        return [task for task in self.sheet.tasks if self.locator.is_likely(number, task)]

    def _is_likely_now(self, one: Found) -> bool:
        """Return True if people get the number for the subtask under discussion."""
        task = next((task for task in self.sheet.tasks if task.variable == self.locator.latest), None)
        written = self.locator.in_unit(one.quantity, task) if task is not None else None
        return task is not None and written is not None and self.locator.is_likely(written, task)

    def _is_theirs(self, shown: Sum) -> bool:
        """Return True if it uses another's value where the speaker has a different one: to show what would follow."""
        numbers = {Fraction(word) for word in re.findall(r"\d+(?:\.\d+)?", shown.text)}
        for one in self.decision.dialogue:
            for claim in one.meaning.claims if one.speaker != self.decision.speaker else ():
                own = self.locator.own.get(claim.about)
                changed = own is not None and not self.sheet.alike(claim.about, own, claim.value)
                if changed and amount_of(claim.value) in numbers:
                    return True
        return False

    def _is_way(self, shown: Sum, about: str) -> bool:
        """Return True if a calculation leads to this variable and no other; if the ways are unknown, it may."""
        return not self.locator.ways or self._way(shown) == about

    def _way(self, shown: Sum) -> str | None:
        """Return the variable that a calculation leads to, if it leads to one alone."""
        found = [task.variable for task in self.sheet.tasks if self.locator.is_way(shown, task)]
        return found[0] if len(found) == 1 else None

    def way_to(self, begun: Sum) -> str:
        """Return the variable of a calculation without a stated result, by usual ways and values, or "" if unknown."""
        result = Quantity(Fraction(begun.result), "")
        known = any(
            self.locator.is_way(begun, task) or self.locator.is_likely(begun.result, task) for task in self.sheet.tasks
        )
        return self.locator.claim(Evidence([result], [begun]), ()).about if known else ""

    def _names_choice(self, one: Found) -> bool:
        """Return True if a number is the name of a choice, or stands in the text of one that is spoken of."""
        if one.bare and str(one.quantity.value) in self.labels:
            return True
        texts = [option.text for option in self.sheet.options if option.id in self.labels]
        quoted = {Fraction(number) for text in texts for number in re.findall(r"\d+(?:\.\d+)?", text)}
        return one.quantity.value in quoted and not self._is_direct(one)

    def _corrected(self, one: Found) -> Claim | None:
        """A bare number of the statement that is set against another: "no, it's 20 not 12"."""
        if not one.bare or not any(
            match.start("yes") <= one.start < match.end("yes")
            for kind in ("not_but", "but_not")
            for each in self.ear.patterns(kind)
            for match in pattern(each).finditer(self.text)
        ):
            return None
        same = [given for given in self.sheet.givens if given.value.partition(" ")[0] == str(one.quantity.value)]
        return Claim(same[0].variable, same[0].value) if len(same) == 1 else None

    def _givens(self) -> list[Claim]:
        """Numbers of the statement that are said with their unit, or set against others."""
        every = [one for one in self.found if self.roles[one.start] not in (QUERIED, REFUTED)]
        found = [self._given(one) or self._corrected(one) for one in every]
        return [claim for claim in found if claim is not None]

    def _given(self, one: Found) -> Claim | None:
        if one.bare:
            return None
        for given in self.sheet.givens:
            value, _, unit = given.value.partition(" ")
            if unit == one.quantity.unit and value == str(one.quantity.value) and not self._is_asked(one):
                return Claim(given.variable, given.value)
        return None

    def _is_asked(self, one: Found) -> bool:
        """Return True if a number of the statement may be the result under discussion, which is as much."""
        spoken = [task.variable for task in self._named(one)]
        asked = [task for task in self._is_likely(one) if task.variable in (self.locator.latest, *spoken)]
        return any(task.unit == one.quantity.unit for task in asked)

    def _is_said(self, one: Found) -> bool:
        """A number behind "is" or "get", or one that is all there is."""
        start, end = clause_of(self.ear, self.text, one)
        if pattern(self.ear.patterns("about")[0]).search(self.text[start : one.start]) or (self.tasks and not one.bare):
            return True
        if self.tasks and count_words(self.text[start:end]) <= _FEW + 2:
            return True
        written = [self.locator.in_unit(one.quantity, task) for task in self.sheet.tasks if not one.bare]
        if any(
            value and self.locator.is_likely(value, task)
            for value, task in zip(written, self.sheet.tasks, strict=False)
        ):
            return True
        return self._is_all(one)

    def _is_all(self, one: Found) -> bool:
        """A number that is all there is, or all that its clause says."""
        rest = self._beside_all(one)
        few = count_words(rest) <= _FEW or count_words(self._beside(one)) < _FEW
        return few or self.ear.hears("agree", rest)

    def _beside_all(self, one: Found) -> str:
        return (self.text[: one.start] + self.text[one.end :]).strip(" .!?,")

    def _beside(self, one: Found) -> str:
        """Return the rest of the clause around a number."""
        start, end = clause_of(self.ear, self.text, one)
        return (self.text[start : one.start] + self.text[one.end : end]).strip(" .!?,")

    # --- of what ---

    def _grouped(self, said: Sequence[Found]) -> list[list[Found]]:
        """Numbers that are the same, said again or with a unit: "60/20=3, so 3 feet"."""
        groups: list[list[Found]] = []
        for one in said:
            for group in groups:
                units = {each.quantity.unit for each in (*group, one)} - {""}
                if group[0].quantity.value == one.quantity.value and len(units) <= 1:
                    group.append(one)
                    break
            else:
                groups.append([one])
        return groups

    def _evidence(self, group: list[Found], shown: Sequence[Shown], alone: bool) -> Evidence:
        every = sorted(group, key=lambda one: one.bare)  # the unit first, where one is said
        sums = [each.sum for each in shown for one in group if each.end <= one.start < each.end + 3]
        sums += [quick for one in group if (quick := self._quick(one)) is not None]
        sums += [each for each in self.unsaid if Fraction(each.result) == every[0].quantity.value]
        direct = {task.variable for one in group for task in self.sheet.tasks if self._is_direct(one, task)}
        named = {task.variable for one in group for task in self._named(one)}
        somewhere = {task.variable for task in self.tasks} if alone else set()
        return Evidence([every[0].quantity], sums, direct, named, somewhere)

    def _quick(self, one: Found) -> Sum | None:
        """120/600 alone, which is a calculation as well as a number."""
        match = _PART.fullmatch(self.text[one.start : one.end].strip()) if one.bare else None
        if match is None:
            return None
        found = Sum(f"{match[1]} / {match[2]}", str(one.quantity.value), True)
        return found if any(self.locator.is_way(found, task) for task in self.sheet.tasks) else None

    def _named(self, one: Found) -> list[Task]:
        """The subtasks that are named in the clause of a number."""
        start, end = clause_of(self.ear, self.text, one)
        return spoken_of(self.sheet, self.words[start:end])

    def _is_direct(self, one: Found, task: Task | None = None) -> bool:
        """Return True if a number is said right behind the words for a subtask: "the price is 120"."""
        start, _ = clause_of(self.ear, self.text, one)
        before = self.words[start : one.start]
        match = pattern(self.ear.patterns("right_before")[0]).search(before)
        if match is None or self.ear.hears("share_of", before):
            return False
        near = spoken_of(self.sheet, before[: match.start()])
        return bool(near) if task is None else task in near


def _in_their_money(found: list[Found], sheet: Sheet) -> list[Found]:
    """Read 元 as dollars if the statement has dollars."""
    every = " ".join([*(task.unit for task in sheet.tasks), *(given.value for given in sheet.givens)])
    if not re.search(r"\b(?:dollar|cent)\b", every) or re.search(r"\b(?:yuan|jiao|fen)\b", every):
        return found
    return [one._replace(quantity=_in_dollars(one.quantity)) for one in found]


def _in_dollars(quantity: Quantity) -> Quantity:
    money, slash, rest = quantity.unit.partition("/")
    unit, times = _THEIRS.get(money, (money, 1))
    return Quantity(quantity.value * times, f"{unit}{slash}{rest}")


def strange(text: str) -> str:
    """A text without its signs; empty if nothing was said in letters or digits."""
    return re.sub(r"[\W_]", "", text)
