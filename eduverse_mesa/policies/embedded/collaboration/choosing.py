"""Which of a problem's choices a person speaks of, and which are said to be right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from eduverse_mesa.decisions.collaboration import Understand
from eduverse_mesa.formulas import units_for
from eduverse_mesa.formulas.comparing import amount_of
from eduverse_mesa.policies.embedded.collaboration.assertion import ASSERTED, Assertions
from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern
from eduverse_mesa.policies.embedded.collaboration.standing import CHOICE

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SENTENCE = re.compile(r"[!;]|\.(?!\d)|(?<=\?)")
_FURTHEST = 24
"""So many signs stand at most between the numbers of a choice that is named by them: "20 cups of blue and 12"."""


class _Mention(NamedTuple):
    """Where a choice is spoken of."""

    start: int
    end: int
    label: str


class Chooser:
    """The choices in one message."""

    def __init__(self, decision: Understand, ear: Ear, original: str, text: str) -> None:
        self.decision, self.sheet, self.ear, self.text = decision, decision.sheet, ear, text
        self.labels = {option.id.upper(): option.id for option in self.sheet.options}
        self.digits = any(label.isdigit() for label in self.labels)
        # Where capitals tell a choice from an article they are looked at; numbers may be written in words.
        self.line = self._with_places(text if ear.han or self.digits else original)
        others = [name for name in decision.members if name != decision.speaker]
        units = units_for(decision.sheet.nouns)
        self.assertions = Assertions(ear, self.line.casefold(), others, sheet=decision.sheet, units=units)

    def options(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The choices that are spoken of, and those that are said to be right."""
        if not self.labels:
            return (), ()
        mentions = self._mentions()
        named = tuple(dict.fromkeys(one.label for one in mentions))
        chosen: dict[str, bool] = {}
        for place, one in enumerate(mentions):
            chosen[one.label] = chosen.get(one.label, False) or self._is_picked(mentions, place, chosen)
        return named, tuple(label for label in named if chosen[label])

    def _with_places(self, text: str) -> str:
        """The text with names for what is only counted: "the second one" of A and B is option B."""
        labels = list(self.labels.values())
        word = self.ear.patterns("option_words")[0]
        ordinals = self.ear.patterns("ordinals")[: len(labels)]
        words = "|".join(self.ear.patterns("option_words"))
        places = [
            *zip(ordinals, labels, strict=False),
            *((last, labels[-1]) for last in self.ear.patterns("last") if labels),
        ]
        for spelled, label in places:
            for form in self.ear.patterns("ordinal_forms"):
                found = form.replace("{ordinal}", f"(?:{spelled})").replace("{words}", words)
                text = re.sub(found, f" {word} {label} ", text, flags=re.IGNORECASE)
        return text

    # --- which are spoken of ---

    def _mentions(self) -> list[_Mention]:
        found = [one for label, option in self.labels.items() for one in self._of(label, option)]
        found += self._by_numbers()
        found.sort(key=lambda one: (one.start, -one.end))
        kept: list[_Mention] = []
        for one in found:
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
        return kept

    def _of(self, label: str, option: str) -> list[_Mention]:
        spelled, words = re.escape(label), "|".join(self.ear.patterns("option_words"))
        forms = [one.replace("{label}", spelled).replace("{words}", words) for one in self.ear.patterns("option_forms")]
        found = [match for form in forms for match in re.finditer(form, self.line, re.IGNORECASE)]
        bare = re.compile(rf"(?<![\w'.,/$:-]){spelled}(?![\w']|[.,/:]\d|\s?[-+*/=]\s?\d)", re.IGNORECASE)
        if self.ear.han:
            bare = re.compile(rf"(?<![a-z\d.]){spelled}(?![a-z\d]|[./:]\d|\s?[-+*/=])", re.IGNORECASE)
        found += [match for match in bare.finditer(self.line) if self._stands_alone(match)]
        return [_Mention(match.start(), match.end(), option) for match in found]

    def _stands_alone(self, match: re.Match[str]) -> bool:
        """Whether a letter or digit without a word for choices names one: by its place, or where choices are asked
        for; "A" before two small words is an article, and 2 may be a number of something."""
        label, before, after = match[0], self.line[: match.start()], self.line[match.end() :]
        if label.isdigit() and not self._may_be_choice(label):
            return False
        if label.isupper() and label.upper() != "A":
            return True
        if label == "A" and not re.match(r"\s+[a-z]+\s+[a-z]", after):
            return True
        if self._is_all():
            return True
        small = before.casefold(), after.casefold()
        return self.ear.hears("label_behind", small[0]) and self.ear.hears("label_before", small[1])

    def _may_be_choice(self, label: str) -> bool:
        """Where a value is asked for to which people come so, a number is that."""
        dialogue = self.decision.dialogue
        latest = next((one.meaning.topic for one in reversed(dialogue) if one.meaning.topic), CHOICE)
        if latest == CHOICE or self.decision.stage == "validate":
            return True
        likely = dict(self.decision.likely).get(latest, ())
        return self._is_all() and not any(amount_of(value) == Fraction(label) for value in likely)

    def _is_all(self) -> bool:
        """Whether the message says nothing besides labels: "B and C", "yes, 2"."""
        rest = self.line.casefold()
        for label in self.labels:
            rest = re.sub(rf"(?<![a-z\d]){re.escape(label.casefold())}(?![a-z\d])", " ", rest)
        return not self._beside(rest)

    def _beside(self, text: str) -> str:
        """What is said besides a choice, without the words that anybody says with one."""
        return re.sub(r"[\W_]", "", pattern(self.ear.patterns("beside_choices")[0]).sub(" ", text))

    def _by_numbers(self) -> list[_Mention]:
        """Choices that are named by their numbers: "the one with 20 and 12"; not where they are values of something."""
        values = {amount_of(value) for _, many in self.decision.likely for value in many}
        values |= {amount_of(given.value) for given in self.sheet.givens}
        found = []
        for option in self.sheet.options:
            numbers = _NUMBER.findall(option.text)
            if len(numbers) < 2 or all(Fraction(number) in values for number in numbers):
                continue
            gap = rf"(?!\d)[^\d.!?;]{{1,{_FURTHEST}}}?(?<![\d.])"
            match = re.search(rf"(?<![\d.]){gap.join(re.escape(number) for number in numbers)}(?![\d]|\.\d)", self.line)
            found += [_Mention(match.start(), match.end(), option.id)] if match else []
        return found

    # --- which are said to be right ---

    def _is_picked(self, mentions: Sequence[_Mention], place: int, chosen: dict[str, bool]) -> bool:
        one = mentions[place]
        start = mentions[place - 1].end if place else 0
        end = mentions[place + 1].start if place + 1 < len(mentions) else len(self.line)
        between, behind = self.line[start : one.start].casefold(), self.line[one.end : end].casefold()
        if place and pattern(self.ear.patterns("choice_joined")[0]).fullmatch(between):
            return chosen[mentions[place - 1].label]
        if self._is_asked(one) or self.assertions.of_choice(one.start, one.end) != ASSERTED:
            return False
        edge = pattern(self.ear.patterns("choice_clauses")[0])
        before = (edge.split(between) or [""])[-1]
        after = edge.split(behind)[0]
        if self.ear.hears("rejects", after) or self.ear.hears("rejects", before):
            return False
        if not self._beside(before) and not self._beside(after):
            return True  # "option 2, because it is half of both"
        if _NUMBER.fullmatch(self.line[one.start : one.end]) is None and _NUMBER.match(self.line[one.start :]):
            return self.ear.hears("fits", after)  # named by its numbers, which are only quoted elsewhere
        before += self.line[one.start : one.end].casefold()
        return self._is_all() or self.ear.hears("chooses", before) or self.ear.hears("chooses", after)

    def _is_asked(self, one: _Mention) -> bool:
        """Whether its sentence asks."""
        end = next((match.start() for match in _SENTENCE.finditer(self.line, one.end)), len(self.line))
        start = max((match.end() for match in _SENTENCE.finditer(self.line, 0, one.start)), default=0)
        sentence = self.line[start:end].strip().casefold()
        return self.ear.hears("asks", sentence) and not self.ear.hears("seeks", sentence)
