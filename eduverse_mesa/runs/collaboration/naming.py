"""Members of a group under other names, wherever somebody speaks of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Thai to Burmese, Khmer, kana, Han and Hangul: scripts whose words stand side by side, or with particles at a name.
_SIDE_BY_SIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W{_SIDE_BY_SIDE}]"


def rename(text: str, names: Mapping[str, str]) -> str:
    """The text with other names, whatever its capitals and spaces; of two names that stand there the longer one. A name
    is no part of a longer word, where words have spaces between them: in Chinese there is nothing beside it to see."""
    if not names:
        return text
    ordered = sorted(names, key=len, reverse=True)
    pattern = "|".join(f"({_pattern(name)})" for name in ordered)
    return re.sub(pattern, lambda found: names[ordered[(found.lastindex or 1) - 1]], text, flags=re.IGNORECASE)


def _pattern(name: str) -> str:
    inside = r"\s+".join(re.escape(word) for word in name.split())
    before = f"(?<!{_LETTER})" if re.match(_LETTER, name) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, name[-1:]) else ""
    return f"{before}{inside}{after}"
