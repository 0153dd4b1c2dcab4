"""Grammar files with lines to choose from for each key, their loading and checking, and the draws that choose lines.

Lines have slots. A language is a file in grammar/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeAlias, TypeVar

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.rule_policy import base_of, languages_in
from eduverse_mesa.randomness import Address, uniform

REFERENCE = "en"
"""The language whose keys and slots every other one has to have."""

_SLOT = re.compile(r"\{(\w+)\}")
_ENDS = ".!?。！？…"
_CLOSING = " \"'”’」』）)"
_NOTHING: Mapping[str, str] = {}


class Grammar:
    """Lines of speech in one language."""

    def __init__(self, language: str, entries: Mapping[str, Any]) -> None:
        self.language = language
        # Every second piece of a line is the name of a slot; what fills it is never read as a template itself.
        self.lines: dict[str, tuple[tuple[str, ...], ...]] = {
            key: tuple(tuple(_SLOT.split(line)) for line in lines) for key, lines in _flatten("", entries)
        }
        plain = self.text
        self.join_names, self.because, self.end = plain("join.names"), plain("join.because"), plain("join.end")
        self.ask, self.cry, self.clause, self.comma = (
            plain(f"join.{name}") for name in ("ask", "cry", "clause", "comma")
        )
        self._lowered = frozenset(plain("inside.lower").split())
        self._kept = frozenset(plain("inside.keep").split())
        leads = _flatten("", entries["style"]["lead"])
        self._leads = tuple(sorted({line.casefold() for _, lines in leads for line in lines}))

    def slots(self, key: str) -> frozenset[str]:
        """The slots that the lines of a key have."""
        return frozenset(piece for line in self.lines[key] for piece in line[1::2])

    def text(self, key: str) -> str:
        """The only line of a key that has no slots and no choice."""
        return self.lines[key][0][0]

    def say(self, key: str, luck: float, slots: Mapping[str, str] = _NOTHING) -> str:
        """One of the key's lines, chosen by a number in [0, 1), with its slots filled."""
        lines = self.lines[key]
        line = lines[int(luck * len(lines))]
        if len(line) == 1:
            return line[0]
        if len(line) == 3:
            return line[0] + slots[line[1]] + line[2]
        return "".join([slots[piece] if place % 2 else piece for place, piece in enumerate(line)])

    def names(self, names: tuple[str, ...]) -> str:
        """Names as they are listed in speech."""
        return self.join_names.join(names)

    def sentence(self, text: str) -> str:
        """The text with a mark at its end."""
        return text if text.rstrip(_CLOSING)[-1:] in _ENDS else text + self.end

    def asks(self, text: str) -> bool:
        """Return True if the text holds a question mark."""
        return self.ask in text or "?" in text

    def inside(self, text: str) -> str | None:
        """The sentence as it goes on after other words, or None where its first word may be a name and has to lead."""
        if not text[:1].isupper():
            return text
        word = text.split(None, 1)[0].replace("’", "'").rstrip(",").split("'")[0]
        if word in self._kept:
            return text
        return text[0].lower() + text[1:] if word.lower() in self._lowered else None

    def has_lead(self, text: str) -> bool:
        """Return True if the text already opens with a filler or a hedge."""
        return text.casefold().startswith(self._leads)

    def without_leads(self, text: str) -> str:
        """Return an utterance without "um" and "I think" before it, as somebody else repeats it."""
        shorter = text
        for _ in range(2):
            low = shorter.casefold()
            lead = next((lead for lead in self._leads if low.startswith(lead)), "")
            rest = shorter[len(lead) :]
            # "Maybe not, ..." is an answer, not a hedge before one.
            if rest.casefold().startswith(("not", ",", "\uff0c")):
                break
            shorter = rest
        return capital(shorter) or text


def bare(text: str) -> str:
    """The text without the mark at its end."""
    return text.rstrip(_ENDS + " ")


def capital(text: str) -> str:
    """The text with a capital at its head."""
    return text[:1].upper() + text[1:]


def _flatten(prefix: str, entries: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for key, value in entries.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _flatten(name, value)
        elif isinstance(value, list) and value:
            yield name, [str(line) for line in value]
        else:
            yield name, ["" if value is None else str(value)]


def list_grammars() -> tuple[str, ...]:
    """The languages that there is a grammar for."""
    folder = files("eduverse_mesa.policies.embedded") / "grammar"
    return tuple(languages_in(folder))


def load_grammar(language: str) -> Grammar:
    """The grammar of a language, parsed once; a region has the words of its language (`zh-CN` is `zh`)."""
    return _load(language)


@lru_cache(maxsize=64)
def _load(language: str) -> Grammar:
    base, known = base_of(language), list_grammars()
    if base not in known:
        raise PolicyError(
            f"the embedded policy has no words in '{language}'.",
            mend=f"It speaks {', '.join(known)}. For another language translate en.yaml into a file named by its code, "
            "in the folder policies/embedded/grammar.",
        )
    return _parse(base)


@lru_cache(maxsize=16)
def _parse(base: str) -> Grammar:
    import yaml

    file = files("eduverse_mesa.policies.embedded") / "grammar" / f"{base}.yaml"
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    where = f"grammar/{base}.yaml"
    if not isinstance(entries, Mapping):
        raise PolicyError("this is not a mapping of keys to lines.", where=where, mend="Start from a copy of en.yaml.")
    if base != REFERENCE:
        compare(where, dict(_flatten("", entries)), _parse(REFERENCE))
    return Grammar(base, entries)


def compare(where: str, lines: Mapping[str, list[str]], reference: Grammar) -> None:
    """Refuse lines whose keys or slots differ from the reference: they would fail in the middle of a lesson."""
    wanted = set(reference.lines)
    for key in sorted(wanted ^ lines.keys()):
        what = "is missing" if key in wanted else "is not used"
        mend = "Translate it from en.yaml." if key in wanted else "Check its spelling against en.yaml, or remove it."
        raise PolicyError(f"the key '{key}' {what}.", where=where, mend=mend)
    for key in sorted(wanted):
        strange = {slot for line in lines[key] for slot in _SLOT.findall(line)} - reference.slots(key)
        if strange:
            has = ", ".join(f"{{{slot}}}" for slot in sorted(reference.slots(key))) or "none"
            raise PolicyError(
                f"a line of '{key}' has the slot {{{min(strange)}}}, which nothing fills.",
                where=where,
                mend=f"Slots of this key: {has}.",
            )


Luck: TypeAlias = tuple[float, float, float, float, float]
Item = TypeVar("Item")

_BITS = 10
_PARTS = 1 << _BITS
_MASK = _PARTS - 1


def draw_luck(at: Address, purpose: str) -> Luck:
    """Five numbers in [0, 1) with a resolution of 1/1024, each from its own ten bits of one addressed draw.

    The use of one number has no effect on the others: a fork that changes a share does not shuffle all words.
    """
    bits = int(uniform(at, purpose) * (1 << 5 * _BITS))
    return (
        (bits & _MASK) / _PARTS,
        (bits >> _BITS & _MASK) / _PARTS,
        (bits >> 2 * _BITS & _MASK) / _PARTS,
        (bits >> 3 * _BITS & _MASK) / _PARTS,
        (bits >> 4 * _BITS) / _PARTS,
    )


def pick(items: Sequence[Item], luck: float) -> Item:
    """One of the items, each as likely as the others."""
    return items[int(luck * len(items))]
