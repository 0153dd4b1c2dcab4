"""How many tokens a text is, without anybody's tokenizer, and how much of a prompt was there before."""

from __future__ import annotations

from bisect import bisect_left, insort

from eduverse_mesa.policies.llm.calls import Call

_LETTERS_A_TOKEN = 4.2
"""Of European text, with the tokenizers of today's models; between 3.8 and 4.6 as far as we have seen."""
_TOKENS_A_SIGN = 0.9
"""Of Chinese, Japanese and Korean, and of signs outside of ASCII."""


def count_tokens(text: str) -> int:
    """An estimate, within a fifth or so."""
    foreign = sum(1 for character in text if ord(character) > 0x2E7F)
    return round((len(text) - foreign) / _LETTERS_A_TOKEN + foreign * _TOKENS_A_SIGN)


class Prefixes:
    """How much of each prompt had stood at the beginning of an earlier one: what a server can find in its cache."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._all = self._shared = 0

    @property
    def repeated(self) -> float:
        """Share of all prompts so far that no server had to read again."""
        return self._shared / self._all if self._all else 0.0

    def watch(self, call: Call) -> None:
        """Add the prompt of a call."""
        self.add("\n".join(message.content for message in call.messages))

    def add(self, prompt: str) -> int:
        """Characters that this prompt shares with the beginning of an earlier one."""
        # Of sorted texts, those with the longest common beginning are neighbours.
        place = bisect_left(self._seen, prompt)
        near = self._seen[max(0, place - 1) : place + 1]
        shared = max((_shared(prompt, other) for other in near), default=0)
        insort(self._seen, prompt)
        self._all += len(prompt)
        self._shared += shared
        return shared


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike, by halving: comparing slices is fast, characters are not."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least
