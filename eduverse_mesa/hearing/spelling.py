"""One spelling for what is typed in many: letters that are masked, words that are spelled, stretched or misspelled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_UNSEEN = re.compile("[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"'})
_LETTERS = str.maketrans("0134578@$!", "oieastbasi")
_SPACED = re.compile(r"(?<!\S)[^\W\d_](?:[ .*_-][^\W\d_]){2,}(?![^\s.,!?])")
_PARTED = re.compile(r"(?<=[\u4e00-\u9fff])[ *_.·•~|/-](?=[\u4e00-\u9fff])")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_LETTER = re.compile(r"[^\W\d_]")
_MASK = re.compile(r"[\d@$!]")
_KILOMETRES = re.compile(r"(\d|(?:\d|\b(?:how many|in|the|few|more|twenty|thirty|forty|fifty|hundred)) )kms\b")
"""Pattern of kilometres: something that is measured, and not what people say they are about to do to themselves."""
_WORDLIKE = re.compile(r"[\w@$!]+")


def plain(text: str) -> str:
    """A text in small letters of one width, without what cannot be seen, and with one kind of quotation mark."""
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return _KILOMETRES.sub(r"\1kilometres", " ".join(seen.translate(_QUOTES).casefold().split()))


def unmasked(text: str) -> str:
    """A text with letters for the digits and signs that stand for them ("d1e"), and spelled words in one ("d i e")."""
    whole = _PARTED.sub("", _SPACED.sub(lambda match: re.sub(r"[ .*_-]", "", match[0]), text))
    return " ".join(_letters(word) for word in whole.split(" "))


def unstretched(text: str) -> str:
    """A text in which no letter stands more than twice in a row ("noooo" is "noo")."""
    return _STRETCHED.sub(r"\1\1", text)


def shortened(word: str) -> set[str]:
    """A word, and the same with any one letter left out: two words that share one of these are a slip apart."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def slips(words: Iterable[str], least: int) -> dict[str, str]:
    """For each shortening of the words with at least so many letters, the first word that it may come from."""
    found: dict[str, str] = {}
    for word in words:
        if len(word) >= least:
            for short in shortened(word):
                found.setdefault(short, word)
    return found


def _letters(word: str) -> str:
    """A word with its masks off, if it has letters and masks."""
    if not (_MASK.search(word) and _LETTER.search(word)):
        return word
    return _WORDLIKE.sub(lambda match: _one(match[0]), word)


def _one(part: str) -> str:
    bare = part.rstrip("!")
    if not (_MASK.search(part) and _LETTER.search(bare)):
        return part
    return bare.translate(_LETTERS)
