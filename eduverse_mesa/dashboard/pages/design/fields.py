"""Fields of forms about places in the draft: what stands there, and what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import solara

from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.drafts import Draft, EditError, Finding
from eduverse_mesa.scenarios.drafts.documents import mapping, said
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.errors import error_text, problem_text

_SENTENCES = {
    "empty": r"this is empty\b",
    "too_long": r"this has (?P<size>\d+) (?:characters|entries)\b.*?(?P<most>\d+) is the most",
    "missing": r"the key '(?P<key>[^']*)' is missing",
    "range": r"expected a (?:whole )?number from (?P<low>\S+) to (?P<high>[\d.]*\d)",
    "seats": r"the layout '.*' has (?P<seats>\d+) seats for (?P<students>\d+) students",
    "off_grid": r"this is off the grid",
    "cell_taken": r"(?P<what>.*) is in cell \[.*\], where (?P<other>.*) is already",
    "same_name": r"the name '(?P<name>.*)' cannot be told from",
    "same_id": r"a second (?:seat|object) is called '(?P<name>.*)'",
    "lost_seat": r"the layout '.*' has no seat '(?P<name>.*)'",
    "lost_student": r"there is no student '(?P<name>.*)'",
    "one_seat": r"(?P<name>.*) would sit where (?P<other>.*) sits",
    "furniture": r"in cell \[.*\] is (?P<what>.*)",
    "no_seats": r"there are no seats",
    "lost_group": r"no seat and no student is of a group '(?P<name>.*)'",
    "lost_opposite": r"there is no other seat '(?P<name>.*)'",
    "first_rule": r"the first rule says",
    "pairs_rule": r"a rule `pairs` lists pairs",
    "outside_area": r"the object '(?P<name>.*)' is outside the area",
    "area": r"\[.*\] is no part of the grid",
    "same_lesson": r"lesson (?P<n>\d+) is called '.*' like lesson (?P<other>\d+)",
    "lost_need": r"goal '.*' needs '(?P<name>.*)', which is no goal",
    "circle": r"goals need one another in a circle",
    "same_phase": r"a phase is given twice",
    "shares": r"the phases' shares add up to (?P<total>[\d.]+)",
    "lost_part": r".* names (?:goal|idea|question) '.*', which does not exist",
    "no_question": r"an 'ask' activity of phase '.*' names no question",
    "no_idea": r"an 'explain' activity of phase '.*' names no idea",
    "unconfirmed": r"this was made up or guessed when .* nobody has confirmed it: (?P<text>.*)\. Read it",
    "no_class": r"the class is empty",
}
_PATTERNS = {key: re.compile(f"^{pattern}", re.DOTALL) for key, pattern in _SENTENCES.items()}
_PARTS = {"goals": "goal_text", "ideas": "idea_text", "questions": "ask"}


def say(t: Words, found: Finding | EduverseError) -> str:
    """A problem or a refusal: in words of this page's own, or in the validator's."""
    if isinstance(found, EditError) and f"design.refused.{found.code}" in t:
        return t(f"design.refused.{found.code}", **found.values)
    if isinstance(found, EduverseError):
        return error_text(found, t)
    whole = f"{found.message}. {found.mend}".strip()
    for key, pattern in _PATTERNS.items():
        if match := pattern.match(whole):
            return t(f"design.wrong.{key}", **match.groupdict())
    return problem_text(found, t)


def place(t: Words, draft: Draft, trail: Trail) -> str:
    """Return a place in the draft as a person would say it: 'Ann · Openness'."""
    head, *rest = trail or ("",)
    if head == "class" and rest[:1] == ["students"] and len(rest) > 1:
        name = said(mapping(draft.document, tuple(trail[:3])), "name") or f"{t('design.tab.students')} {_n(rest[1])}"
        return _join(name, _label(t, rest[2:]))
    if head == "seating":
        return _join(*map(str, rest[:1]))
    if head == "lessons" and len(rest) > 1:
        return _lesson_place(t, draft, trail)
    if head == "layout" and rest[:1] == ["seat_graph"] and len(rest) > 1:
        return t("design.rules.number", n=_n(rest[1]))
    if head == "layout" and rest[:1] == ["seats"] and len(rest) > 1:
        return t("design.room.seat", name=said(mapping(draft.document, tuple(trail[:3])), "id") or _n(rest[1]))
    if head == "layout" and "objects" in rest[:-1]:
        cut = trail.index("objects") + 2
        return said(mapping(draft.document, trail[:cut]), "name")
    return _label(t, rest)


def _lesson_place(t: Words, draft: Draft, trail: Trail) -> str:
    lessons = draft.get("lessons")
    which = f"{t('design.tab.lesson')} {_n(trail[1])}" if isinstance(lessons, list) and len(lessons) > 1 else ""
    part = str(trail[2])
    if len(trail) < 4 or f"design.lesson.one_{part}" not in t:
        return _join(which, t.get(f"design.lesson.{part}", part))
    shown = f"{t(f'design.lesson.one_{part}')} {_n(trail[3])}"
    if part == "phases":
        name = said(mapping(draft.document, trail[:4]), "name")
        shown = t.get(f"room.phase.{name}") or shown
        if trail[4:5] == ("activities",) and len(trail) > 5:
            return _join(which, shown, t("design.part.number", n=_n(trail[5])))
    key = str(trail[4]) if len(trail) > 4 else ""
    label = _PARTS.get(part) if key in ("text", "ask") else key
    return _join(which, shown, t.get(f"design.part.{label}", key) if key else "")


def _label(t: Words, rest: list[Any]) -> str:
    if not rest:
        return ""
    key = str(rest[-1])
    dotted = ".".join(map(str, rest))
    for known in (
        f"design.traits.{key}.name",
        f"design.student.{key}",
        f"design.settings.{dotted}",
        f"design.room.{key}",
    ):
        if known in t:
            return t[known]
    return key.replace("_", " ") if isinstance(rest[-1], str) else ""


def _n(step: Any) -> int:
    return step + 1 if isinstance(step, int) else 0


def _join(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


Heard = Callable[[str, Any], None]


SEEN: Any = solara.create_context(0)
"""How often the workshop has changed: given by the page, and asked for by every component that shows some of it."""


def use_seen() -> int:
    """Draw this component again whenever the workshop has changed; components are given the same workshop each time."""
    count: int = solara.use_context(SEEN)
    return count


def name_of(trail: Trail) -> str:
    """A place as the id of a field."""
    return json.dumps(trail)


def trail_of(name: str) -> Trail:
    """And back. Ids are checked against the fields that were sent, so only our own come back."""
    return tuple(json.loads(name))


class Fields:
    """Makes fields about a draft; their ids are places in it."""

    def __init__(self, shop: Workshop, t: Words) -> None:
        self.shop = shop
        self.t = t

    def at(self, trail: Trail, label: str, kind: str = "text", usual: Any = "", **more: Any) -> Field:
        """A field about one place; `usual` is what holds where nothing stands."""
        value = self.shop.draft.get(*trail)
        if not isinstance(value, str | int | float | bool) or (
            kind in ("range", "number") and (isinstance(value, str | bool))
        ):
            value = usual
        problems = [found for found in self.shop.draft.problems if _is_about(found, trail)]
        error = " ".join(dict.fromkeys(say(self.t, found) for found in problems))
        return {"id": name_of(trail), "kind": kind, "label": label, "value": value, "error": error, **more}

    def rest(self, trail: Trail, shown: Iterable[Field]) -> list[Field]:
        """A note on problems at a place that no field shows."""
        names = {field["id"] for field in shown}
        left = [
            found
            for found in self.shop.draft.problems_at(*trail)
            if not any(name_of(found.trail[:cut]) in names for cut in range(len(found.trail) + 1))
            and f"wrong {name_of(found.trail)}" not in names
            and not any(_is_about(found, trail_of(name)) for name in names if name.startswith("["))
        ]
        text = " ".join(dict.fromkeys(say(self.t, found) for found in left))
        return [{"id": f"rest {name_of(trail)}", "kind": "note", "tone": "bad", "label": text}] if left else []


def _is_about(found: Finding, trail: Trail) -> bool:
    """A missing key is told of at the mapping around it; the field of that key shows it."""
    if found.trail[: len(trail)] == trail:
        return True
    return found.trail == trail[:-1] and found.message == f"the key '{trail[-1]}' is missing"


def options(names: Iterable[str], label: Callable[[str], str] = str) -> list[list[str]]:
    """Options of a select."""
    return [[name, label(name)] for name in names]


def buttons(name: str, *choices: tuple[Any, ...], label: str = "", width: str = "") -> Field:
    """A row of buttons: (value, label, look, off)."""
    return {
        "id": name,
        "kind": "buttons",
        "options": [list(choice) for choice in choices],
        "label": label,
        "width": width,
    }


def note(name: str, text: str, tone: str = "") -> Field:
    """A line of text."""
    return {"id": name, "kind": "note", "label": text, "tone": tone or None}


def head(name: str, text: str) -> Field:
    """A heading."""
    return {"id": name, "kind": "head", "label": text}


def field(name: str, kind: str, label: str, value: Any, **more: Any) -> Field:
    """A field about something that is no place in the draft."""
    return {"id": name, "kind": kind, "label": label, "value": value, **more}
