"""Why something was done, or could not be. The model writes its own in English, its teacher in the lesson's language; a
page says them in the language it is read in.

What a teacher or a language model gives as a reason is somebody's words, and stays as it was said.
"""

from __future__ import annotations

import re
from functools import cache

from eduverse_mesa.visualization.words import LANGUAGES, Words, load_words
from eduverse_mesa.visualization.words.errors import phrase


def reason_of(text: str, t: Words) -> str:
    """A reason of the package's own in the page's language; any other text as it is."""
    for key, pattern in _patterns():
        if found := pattern.fullmatch(text):
            given = {name: t.code(value.replace(" ", "_")) if name == "act" else value
                     for name, value in found.groupdict().items()}  # fmt: skip
            return t(key, **given)
    return phrase(text, t)


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (key, _pattern(words[key]))
        for words in map(load_words, LANGUAGES)
        for key in words
        if key.startswith("reasons.")
    ]


def _pattern(phrase: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", phrase)
    return re.compile("".join(f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))
