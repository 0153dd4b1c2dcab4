"""The words around a curriculum's contents: a file for each language in phrases/."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from eduverse_mesa.policies.embedded.classroom.words.grammar import pick
from eduverse_mesa.policies.embedded.rule_policy import Phrases, read_language

_FOLDER = files("eduverse_mesa.policies.embedded.tutoring") / "phrases"


class TutoringPhrases(Phrases):
    """Phrases of learners and tutors in one language."""

    def join(self, *parts: str) -> str:
        """Sentences one after the other, with the gap that the language has between two of them."""
        return str(self.at("gap")).join(part for part in parts if part)

    def say(self, luck: float, *keys: str) -> str:
        """One of the phrases of a place."""
        phrases: list[str] = self.at(*keys)
        return pick(phrases, luck)


def around(phrase: str, content: str) -> str:
    """A phrase with its content; what the content holds is never read as a phrase itself."""
    before, _, after = phrase.partition("{}")
    if before and not before.rstrip().endswith((":", ".", "!", "?", "：", "。", "！", "？")):
        content = content[:1].lower() + content[1:] if not content.startswith(("I ", "I'")) else content
    return f"{before}{content}{after}"


@lru_cache(maxsize=16)
def load_phrases(language: str) -> TutoringPhrases:
    """The phrases of a language; a region has those of its language."""
    return TutoringPhrases(read_language(_FOLDER, language, "the embedded learner has no words in", "It speaks"))
