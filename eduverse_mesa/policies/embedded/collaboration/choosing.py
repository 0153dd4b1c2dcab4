"""Which of a problem's choices a person speaks of, and which are said to be right."""

from __future__ import annotations

import re

from eduverse_mesa.decisions.collaboration import Sheet
from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern


class Chooser:
    """The choices in one message."""

    def __init__(self, sheet: Sheet, ear: Ear, original: str, text: str) -> None:
        self.sheet, self.ear, self.text = sheet, ear, text
        self.original = text if ear.han else original
        """Where capitals tell a choice from an article they are looked at; numbers in Chinese are read in digits."""

    def options(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The choices that are spoken of, and those that are said to be right."""
        bare = pattern(self.ear.patterns("joined")[0]).sub(" ", self.original).upper().split()
        labels = {option.id.upper(): option.id for option in self.sheet.options}
        if bare and all(word in labels for word in bare) and (len(bare) > 1 or self.ear.han or self._alone(bare[0])):
            found = tuple(dict.fromkeys(labels[word] for word in bare))
            return found, () if "?" in self.original else found
        named: list[str] = []
        chosen: list[str] = []
        for option in self.sheet.options:
            match = self._option(option.id)
            if match is None:
                continue
            named.append(option.id)
            if self._picked(match, bool(chosen)):
                chosen.append(option.id)
        return tuple(named), tuple(chosen)

    def _alone(self, label: str) -> bool:
        """ "A?" and "b" are choices; a longer text that only holds such letters is looked at more closely."""
        return len(re.sub(r"[\W_]", "", self.original)) == len(label)

    def _picked(self, match: re.Match[str], more: bool) -> bool:
        edge = pattern(self.ear.patterns("choice_clauses")[0])
        after = edge.split(self.original[match.start() :].casefold())[0]
        before = pattern(self.ear.patterns("choice_before")[0]).split(self.original[: match.start()].casefold())[-1]
        if self.ear.hears("rejects", after) or self.ear.hears("rejects", before):
            return False
        alone = not re.sub(r"[\W_]", "", self.original[: match.start()] + self.original[match.end() :])
        joined = more and pattern(self.ear.patterns("choice_joined")[0]).fullmatch(before[-12:]) is not None
        picked = alone or joined or self.ear.hears("chooses", before) or self.ear.hears("chooses", after)
        return picked and not self.ear.hears("asks", self.text)

    def _option(self, label: str) -> re.Match[str] | None:
        spelled = re.escape(label)
        words = "|".join(self.ear.patterns("option_words"))
        forms = [one.replace("{label}", spelled).replace("{words}", words) for one in self.ear.patterns("option_forms")]
        with_word = next((found for one in forms if (found := re.search(one, self.original, re.IGNORECASE))), None)
        if with_word or label.isdigit():
            return with_word
        if self.ear.han:
            return re.search(rf"(?<![a-z\d]){spelled}(?![a-z\d])", self.original, re.IGNORECASE)
        # A capital letter alone; "A" before two small words is an article
        article = r"(?!\s+[a-z]+\s+[a-z])" if label == "A" else ""
        loose = re.search(rf"(?<![\w']){spelled}(?![\w']){article}", self.original)
        return loose or re.search(rf"^\s*{spelled}\s*[.!?]*\s*$", self.original, re.IGNORECASE)
