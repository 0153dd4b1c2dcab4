"""A teacher's outline as a lesson plan: headings are phases, lines are activities, lines with a question mark ask.

What an outline does not say (a likely misconception, an answer) is filled in with plain words of the lesson's language
and listed as made up, so that the plan can be played at once and its author sees what to look through.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.drafting.documents import Mapped
from eduverse_mesa.scenarios.drafting.outlines.lines import Line, read_lines
from eduverse_mesa.scenarios.drafting.outlines.plan import LONGEST, ORDER, Plan
from eduverse_mesa.scenarios.drafting.outlines.words import DOINGS, FILLINGS, GOALS, PHASES, language_of
from eduverse_mesa.scenarios.lesson import PhaseName
from eduverse_mesa.scenarios.plain import Trail

_MINUTES = re.compile(r"[(（\[]?\s*(\d{1,3})\s*(?:minutes?|mins?\b\.?|分钟|分|['′])\s*[)）\]]?", re.IGNORECASE)


class Understood(NamedTuple):
    """What a line of the outline was taken for; `note` is what was done about it, if anything.

    `taken_for` is title, goals (a heading above them), goal, a phase's name with `phase_` before it, one of the
    activities (explain, discuss, read, practise, summarise, manage), question, answer, because or misconception.
    `note` is by_position (a heading that names no phase), joined (a phase that was there already) or shortened.
    """

    number: int
    text: str
    taken_for: str
    note: str = ""


class Outline(NamedTuple):
    """A lesson plan with an account of how it came about."""

    lesson: Mapped
    lines: tuple[Understood, ...]
    made_up: tuple[Trail, ...]
    """Places in the lesson about which the outline says nothing."""


def read_outline(text: str, name: str = "outline") -> Outline:
    """A lesson from an outline in plain text or as a table; ScenarioError where there is nothing to make one of."""
    lines = read_lines(text)
    language = language_of(text)
    reader = _Reader(Plan(FILLINGS[language], language), lines)
    for line in lines:
        reader.take(line)
    plan = reader.plan
    if not (plan.ideas or plan.questions or any(phase["activities"] for phase in plan.phases.values())):
        raise ScenarioError(
            "there is no activity and no question in it.", mend="Write a heading for each phase and lines below it."
        )
    plan.complete()
    return Outline(plan.lesson(name), tuple(reader.understood), tuple(plan.made_up))


class _Reader:
    """Goes through the lines."""

    def __init__(self, plan: Plan, lines: list[Line]) -> None:
        self.plan = plan
        self.understood: list[Understood] = []
        self.phase: PhaseName | None = None
        self.in_goals = False
        self.last: Mapped = {}
        levels = [line.level for line in lines if line.level]
        self.titled = len(levels) > 1 and levels[0] == 1 and levels.count(1) == 1
        """Whether the first heading is above all others."""

    def take(self, line: Line) -> None:
        """Put a line where it belongs."""
        text = line.text[:LONGEST].strip()
        taken, note = self._labelled(line, text), ""
        if not taken and line.level:
            taken, note = self._heading(text, line.level)
        if not taken:
            taken = self._activity(text, line.doing)
        note = note or ("shortened" if len(line.text) > LONGEST else "")
        self.understood.append(Understood(line.number, line.shown, taken, note))

    def _labelled(self, line: Line, text: str) -> str:
        """`Goal: ...`, `Answer: ...` and their like; nothing where the label fits nothing before it."""
        label = line.label
        if label == "title" and not self.plan.title:
            self.plan.title = text
        elif label == "goal":
            self.plan.aim(text)
        elif label == "question":
            self._question(text)
        elif label == "answer" and "ask" in self.last:
            self.last |= {"answer": text, "short_answer": self.plan.shorten(text)}
        elif label in ("because", "misconception") and "keywords" in self.last:
            self.last[label] = text
        else:
            return ""
        return label

    def _heading(self, text: str, level: int) -> tuple[str, str]:
        heading, minutes = _split_minutes(text)
        folded = heading.casefold()
        if any(word in folded for word in GOALS):
            self.in_goals = True
            return "goals", ""
        if self.titled and level == 1 and not self.plan.title:
            self.plan.title = heading
            return "title", ""
        self.in_goals = False
        known = next((phase for phase, words in PHASES.items() if any(word in folded for word in words)), None)
        phase: PhaseName = known or self._next_phase()
        note = "joined" if phase in self.plan.phases else "" if known else "by_position"
        self.phase = phase
        self.plan.enter(phase, heading)
        if minutes:
            self.plan.minutes[phase] = self.plan.minutes.get(phase, 0.0) + minutes
        return f"phase_{phase}", note

    def _next_phase(self) -> PhaseName:
        return next((free for free in ORDER if free not in self.plan.phases), ORDER[-1])

    def _activity(self, text: str, said: str) -> str:
        if self.in_goals:
            self.plan.aim(text)
            return "goal"
        if text.endswith(("?", "？")):
            self._question(text)
            return "question"
        first = (said or text).casefold()
        doing = next((one for one, words in DOINGS.items() if any(_begins(first, word) for word in words)), "explain")
        phase = self._current()
        if doing == "explain":
            self.last = self.plan.tell(text)
            self.plan.act(phase, {"do": "explain", "idea": self.last["id"]})
        else:
            self.last = {}
            self.plan.act(phase, {"do": doing, "text": text})
        return doing

    def _question(self, text: str) -> None:
        phase = self._current()
        self.last = self.plan.ask(text)
        self.plan.act(phase, {"do": "ask", "question": self.last["id"]})

    def _current(self) -> PhaseName:
        if self.phase is None:
            self.phase = "introduction"
            self.plan.enter(self.phase, self.plan.title or self.plan.words.title)
        return self.phase


def _begins(text: str, word: str) -> bool:
    rest = text[len(word) : len(word) + 1]
    return text.startswith(word) and not (word.isascii() and rest.isascii() and rest.isalpha())


def _split_minutes(heading: str) -> tuple[str, float]:
    match = _MINUTES.search(heading)
    if match is None:
        return heading, 0.0
    rest = (heading[: match.start()] + heading[match.end() :]).strip(" ,;:：-–—")
    return rest or heading, float(match[1])
