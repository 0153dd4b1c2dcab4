"""Location of the variable that a number is of, and the role of each number in a message: told by the words and the
unit beside it, by calculations, by the values that people get, and by the topic under discussion. None of it says
whether it is right."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product

from eduverse_mesa.decisions.groups import Claim, Sum, Task, Understand
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, parse, read_quantity, units_for, work_out
from eduverse_mesa.formulas.wording import amount_of
from eduverse_mesa.hearing.numbers import Found
from eduverse_mesa.policies.embedded.groups.vocabulary import Ear, pattern

_PERCENT = "percent"
_NUMBERS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SIGN = re.compile(r"[-+*/]")
_TRIED = 24
"""Ways to take the numbers of a calculation that are gone through."""
RATE, UNIT, EXACT = 9, 3, 2
DIRECT, NAMED, SOMEWHERE = 11, 4, 1
WAY, FITTING_WAY, FITTING = 4, 11, 3
LIKELY, LATEST, GOAL = 6, 3, 1
HEARD, TAKEN, HELD = 7, -6, -4
"""Weights of the pieces of evidence: a unit such as miles per gallon, one that may stand for it, one that is just it
with a value that people get; "the price is", its words in the same clause, or elsewhere in the message; a calculation
that people use for it, one whose units fit as well, or only that; a value that people get; the topic under discussion;
a goal of the problem; that others say so, if it is asked about. Against it: another value in this message, or one that
its speaker had."""


class Evidence:
    """The evidence beside one number for the variables that it may be of."""

    def __init__(
        self,
        quantities: Sequence[Quantity],
        sums: Sequence[Sum] = (),
        direct: Collection[str] = (),
        named: Collection[str] = (),
        somewhere: Collection[str] = (),
        heard: Collection[str] = (),
    ) -> None:
        self.quantities, self.sums = quantities, sums
        self.direct, self.named, self.somewhere = direct, named, somewhere
        self.heard = heard


class Locator:
    """Finds variables for the numbers of one message."""

    def __init__(self, decision: Understand, units: Units) -> None:
        self.decision, self.sheet, self.units = decision, decision.sheet, units
        self.likely = {
            name: tuple(read_quantity(value, units) for value in values) for name, values in decision.likely
        }  # fmt: skip
        self.ways = dict(decision.ways)
        self.latest = _asked_for(decision)
        self.own = {
            claim.about: claim.value
            for one in decision.dialogue
            if one.speaker == decision.speaker
            for claim in one.meaning.claims
        }

    def heard(self, amount: Fraction) -> set[str]:
        """The variables that somebody else says to be so much, while the speaker does not."""
        said = {
            (one.speaker, claim.about): claim.value
            for one in self.decision.dialogue
            if one.speaker != self.decision.speaker
            for claim in one.meaning.claims
        }
        theirs = {about: value for (_, about), value in said.items() if amount_of(value) == amount}
        return {
            about
            for about, value in theirs.items()
            if about not in self.own or not self.sheet.alike(about, self.own[about], value)
        }

    def claim(self, found: Evidence, taken: Collection[str]) -> Claim:
        """The claim of the variable with most evidence, the value in its unit; of none if the unit fits none."""
        best, claim = 0, Claim("", str(found.quantities[0]))
        for task in self.sheet.tasks:
            values = [self.in_unit(each, task) for each in found.quantities]
            written = next((value for value in values if value is not None), None)
            if written is None or None in values:
                continue
            weight = 10 + self._weight(found, task, written) + TAKEN * (task.variable in taken)
            if weight > best:
                best, claim = weight, Claim(task.variable, written)
        return claim

    def is_usual(self, claim: Claim) -> bool:
        """Return True if people get this value for its variable."""
        return any(self.is_likely(claim.value, task) for task in self.sheet.tasks if task.variable == claim.about)

    def is_sure(self, claim: Claim, found: Evidence) -> bool:
        """Return True if something says that the claim is of this variable, and not only that it is of no other."""
        task = next((task for task in self.sheet.tasks if task.variable == claim.about), None)
        if task is None:
            return False
        if claim.about in (*found.direct, *found.named):
            return True
        if not task.unit and any(one.unit for one in found.quantities):
            return False  # 24 hours are no number of times
        if self._is_of_more(task, found):
            return False
        talked_about = claim.about in (self.latest, *found.somewhere)
        told = {given.value.partition(" ")[2] for given in self.sheet.givens}
        own_unit = any(one.unit and one.unit not in told for one in found.quantities)  # 64 cups may be of anything
        return talked_about or own_unit or self.is_likely(claim.value, task)

    def _is_of_more(self, task: Task, found: Evidence) -> bool:
        """Return True if the number may as well be of something else: a rate of which only the amount fits, a bare
        number that people get for that and not for this, or for several answers."""
        units = {one.unit for one in found.quantities}
        likely = [each.variable for each in self.sheet.tasks if self._comes_to(found.quantities[0], each)]
        if task.variable not in likely:
            return bool(likely) or any("/" in unit and "/" not in task.unit for unit in units)
        several = task.variable in self.sheet.goals and len(set(likely) & set(self.sheet.goals)) > 1
        return several and not units - {"", _PERCENT}

    def _comes_to(self, said: Quantity, task: Task) -> bool:
        """Return True if people get this quantity for a subtask."""
        written = self.in_unit(said, task)
        return written is not None and self.is_likely(written, task)

    def _weight(self, found: Evidence, task: Task, written: str) -> int:
        weight = max(_by_unit(each, task) for each in found.quantities)
        if task.variable in found.direct:
            weight += DIRECT
        elif task.variable in found.named:
            weight += NAMED
        elif task.variable in found.somewhere:
            weight += SOMEWHERE
        weight += max((self._by_sum(each, task) for each in found.sums), default=0)
        weight += HEARD * (task.variable in found.heard)
        if self.is_likely(written, task):
            weight += LIKELY + EXACT * any(each.unit == task.unit != "" for each in found.quantities)
        weight += LATEST * (task.variable == self.latest)
        before = self.own.get(task.variable)
        changed = before is not None and not self.sheet.alike(task.variable, before, written)
        weight += HELD * (changed and task.variable not in {*found.direct, *found.named})
        return weight + GOAL * (task.variable in self.sheet.goals)

    def _by_sum(self, shown: Sum, task: Task) -> int:
        way = self.is_way(shown, task)
        fits = self.comes_to(shown.text, task.unit)
        return FITTING_WAY if way and fits else WAY if way else FITTING * fits

    def is_way(self, shown: Sum, task: Task) -> bool:
        """Return True if people get the result of the subtask by this calculation."""
        found = _shape(shown.text)
        return any(_shape(way) == found for way in self.ways.get(task.variable, ()))

    def is_likely(self, written: str, task: Task) -> bool:
        """Return True if somebody could get this value for the subtask."""
        every = self.likely.get(task.variable, ())
        return any(self.sheet.counts_as(task.variable, written, str(other)) for other in every)

    def in_unit(self, said: Quantity, task: Task) -> str | None:
        """The quantity in the unit of a subtask; feet are understood, too, if the unit is feet per step."""
        if not said.unit:
            return str(Quantity(said.value, task.unit))
        above, _, below = said.unit.partition("/")
        if not above:  # "0.2 for one mile", "3.75 in a day"
            fits = task.unit.endswith(said.unit) or ("/" not in task.unit and self._is_told_for_one(below))
            return str(Quantity(said.value, task.unit)) if fits else None
        for quantity, unit in self._readings(said, task):
            try:
                return str(Quantity(self.units.convert(quantity, unit).value, task.unit))
            except FormulaError:
                continue
        if not task.unit and self.is_likely(str(said.value), task):
            return str(said.value)  # "for each cup of yellow 1 2/3 cups of blue", where it is asked for a number
        part = str(Quantity(said.value / 100, task.unit))
        if said.unit == _PERCENT and said.value < 100 and task.unit and self.is_likely(part, task):  # "37.5% of a yard"
            return part
        return None

    def _readings(self, said: Quantity, task: Task) -> Iterator[tuple[Quantity, str]]:
        """Yield the possible readings of a quantity, each with its unit. "60 square miles a day" is meant if it is
        asked for one day, and 2.5 square miles an hour is another way to say so; 3 feet a mile is no step."""
        yield said, task.unit
        above, _, below = task.unit.partition("/")
        if above and below and "/" not in said.unit:
            yield said, above
        if "/" not in said.unit or below:
            return
        for given in self.sheet.givens:
            value, _, unit = given.value.partition(" ")
            if value == "1" and unit:
                yield said, f"{task.unit}/{unit}"
        if self._is_told_for_one(said.unit.partition("/")[2]):
            yield self.units.amount(said), task.unit

    def _is_told_for_one(self, unit: str) -> bool:
        """Return True if the statement speaks of one such unit, of time or the like, so that one is meant."""
        told = f"{self.sheet.statement} {self.sheet.question}".casefold()
        words = [word for word, name in self.units.spellings().items() if name == unit]
        one = [rf"\b(?:an?|per|each|every|one|1) {re.escape(word)}\b" for word in words if word.isascii()]
        one += [rf"[一每1]\s?个?{re.escape(word.removeprefix('个'))}" for word in words if not word.isascii()]
        return any(re.search(each, told) for each in one)

    def comes_to(self, text: str, unit: str) -> bool:
        """Return True if the numbers of a calculation, with their meanings on the table, can come to this unit."""
        words = list(dict.fromkeys(_NUMBERS.findall(text)))
        names = {word: f"n{place}" for place, word in enumerate(words)}
        try:
            formula = parse(_NUMBERS.sub(lambda match: names[match[0]], text.replace("%", "")))
        except FormulaError:
            return False
        for kinds in islice(product(*(self._meant(word) for word in words)), _TRIED):
            try:
                work_out(formula, dict(zip(names.values(), kinds, strict=True)), self.units, unit)
            except FormulaError:
                continue
            return True
        return False

    def _meant(self, word: str) -> list[Quantity]:
        """Return what a number can mean: quantities of the statement, else values people get, else a mere number."""
        number = Fraction(word.replace(",", ""))
        given = [read_quantity(one.value, self.units) for one in self.sheet.givens]
        worked = [one for values in self.likely.values() for one in values]
        for every in (given, worked):
            kinds = dict.fromkeys(one.unit for one in every if one.value == number)
            if kinds:
                return [Quantity(number, "" if kind == _PERCENT else kind) for kind in kinds]
        return [Quantity(number, "")]


def _by_unit(said: Quantity, task: Task) -> int:
    if not said.unit:
        return 0
    exact = said.unit == task.unit or said.unit.startswith("/")
    return RATE if exact and "/" in said.unit else UNIT


@lru_cache(maxsize=4096)
def _shape(text: str) -> tuple[tuple[Fraction, ...], tuple[str, ...], Fraction | None]:
    """Return the identity of a calculation: its numbers, its signs, and its result, which tells the order."""
    plain = text.replace(" x ", " * ").replace("%", "").replace(",", "")
    numbers = [Fraction(word) for word in _NUMBERS.findall(plain)]
    try:
        result = work_out(parse(plain), {}, units_for(), "").value if numbers else None
    except (FormulaError, ZeroDivisionError):
        result = None
    return tuple(sorted(numbers)), tuple(sorted(_SIGN.findall(plain))), result


def _asked_for(decision: Understand) -> str:
    """The subtask whose result is on the table: one that somebody asks for, or has just said."""
    for one in reversed(decision.dialogue):
        if one.meaning.topic and (one.meaning.asks or one.meaning.claims or one.stage in ("execute", "validate")):
            return one.meaning.topic
    return ""


REFUTED, QUERIED, WORKED, SAID = "refuted", "queried", "worked", ""
"""Roles of a number: said not to be the value; spoken of, not claimed; part of something else; perhaps claimed."""
_SENTENCE = re.compile(r"[!?;]|\.(?!\d)")
_WORKED_WITH = re.compile(r"\s*(?:[-+*]|\s/)\s*[$(]*\d|\s*(?:[^\W\d_]+\s){1,2}[-+*]\s*[$(]*\d|\s?:\s?\d")
_MADE_OF = re.compile(r"\s*=\s*[$(]*\d[\d.]*\s*[-+*/x]\s*[$(]*\d")
"""30 = 2*15."""
_WORKED_BEFORE = re.compile(r"\d\s?:\s?$|\d[^\d.,;:!?]{0,10}?(?:[-+*]|/\s)\s*[$(]*$")
"""Beside a number: it is calculated with, and is no result."""
_DOUBTED = re.compile(r"\W*\?\s*\?")
_ASKED = re.compile(r"\W*\?")


def clause_of(ear: Ear, text: str, one: Found) -> tuple[int, int]:
    """Return the beginning and the end of the clause that holds a number."""
    start, end = 0, len(text)
    for match in pattern(ear.patterns("clauses")[0]).finditer(text):
        if match.end() <= one.start:
            start = match.end()
        elif match.start() >= one.end - 1:  # a unit may end with the space behind it
            return start, match.start()
    return start, end


class Roles:
    """The roles of the numbers of one message."""

    def __init__(self, ear: Ear, text: str, others: Sequence[str], heard: Collection[Fraction]) -> None:
        self.ear, self.text, self.heard = ear, text, heard
        """`heard` are the numbers that somebody else has given last: 5? is a question where they said 5."""
        self.names = "|".join(re.escape(name.casefold()) for name in others) or "(?!)"

    def of(self, every: Sequence[Found]) -> dict[int, str]:
        """Return each number's role, by where it begins. A value refuted once is not claimed in the same message."""
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
        """Return the text before the number in its sentence."""
        return _SENTENCE.split(self.text[: one.start])[-1]

    def _in_clause(self, every: Sequence[Found], start: int, end: int) -> int:
        return sum(start <= one.start < end for one in every)

    def _hears(self, kind: str, text: str) -> bool:
        """Return True if a pattern with the others' names is in the text."""
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
        """Return True if the message says that the number cannot be wrong, or that it can be nothing else."""
        denied = self.ear.hears("impossible_before", before) and self.ear.hears("wrong_behind", after)
        return denied or self.ear.hears("not_wrong_behind", after) or self.ear.hears("nothing_else", before)

    def _is_asked(self, one: Found, every: Sequence[Found], before: str, after: str) -> bool:
        """Return True if it is asked about: as one of two, as another's value, or as one that was just said."""
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
        """Return True if the speaker takes the number back at once: "5 too, no wait, 120/600"."""
        for each in self.ear.patterns("corrects"):
            for match in pattern(each).finditer(self.text):
                if one.end <= match.start() and any(other.start >= match.end() for other in every):
                    return True
        return False

    def _is_wanted(self, one: Found) -> bool:
        """Return True if the number stands in a question for an amount: "what is 60 divided by 20"."""
        return any(
            match.start() <= one.start < match.end()
            for each in self.ear.patterns("wanted")
            for match in pattern(each).finditer(self.text)
        )

    def _is_part(self, one: Found) -> bool:
        """Return True if the number is calculated with, and nobody says the result."""
        after, before = self.text[one.end :], self.text[: one.start]
        return self.ear.hears("worked_behind", after) or self.ear.hears("worked_before", before)


def _is_one_of(one: Found) -> bool:
    """Return True for one gallon or one mile: the unit that a rate is for."""
    return one.quantity.value == 1 and not one.bare
