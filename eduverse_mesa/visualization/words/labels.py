"""Labels of documents and reasons in the reader's language."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Protocol

from eduverse_mesa.scenarios.library import Kind, find
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


class Titled(Protocol):
    """A layout, class, lesson or scenario, or a row about one."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


def title_of(kind: Kind, document: Titled, t: Words) -> str:
    """Its title, else its name. A title that somebody has written stays, even where the name is a built-in one's."""
    key = f"library.{kind}.{document.name}"
    if key in t and document.title == _own_title(kind, document.name):
        return t[key]
    return document.title or document.name


@cache
def _own_title(kind: Kind, name: str) -> str:
    """Return the title that a built-in file gives itself."""
    data = find(kind, name).read().data
    return str(data["title"]) if isinstance(data, dict) else ""


def short_title_of(kind: Kind, document: Titled, t: Words) -> str:
    """The same without what is said about it: `Lecture: two rows of three` is a lecture."""
    title = title_of(kind, document, t)
    return re.split(r"[:：]", title)[0].strip() or title


def titles(kind: Kind, t: Words) -> dict[str, str]:
    """The built-in documents of a kind: the title of each name."""
    prefix = f"library.{kind}."
    return {key.removeprefix(prefix): t[key] for key in t if key.startswith(prefix)}


def clock(stamp: str) -> str:
    """A point in time, as the server's clocks show it."""
    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M") if stamp else "–"


def person_name(label: str, t: Words) -> str:
    """The name of a person in a study; of a guest, who has given none, in the reader's language."""
    found = re.fullmatch(r"Guest (\d+)", label)
    return t("studies.people.guest", n=found[1]) if found else label


def agent_name(agent: str, t: Words) -> str:
    """The name of an agent of a run; of a tutor, who has none, whom they teach."""
    learner = agent.removeprefix("tutor of ")
    return agent if learner == agent else t("studies.people.tutor_of", name=learner)


def line_said(taken_for: str, t: Words) -> str:
    """Return the words for what a line of an outline was taken for."""
    if taken_for.startswith("phase_"):
        return t("design.outline.as_phase", phase=t(f"room.phase.{taken_for.removeprefix('phase_')}"))
    return t.get(f"design.doing.{taken_for}") or t(f"design.outline.as_{taken_for}")
