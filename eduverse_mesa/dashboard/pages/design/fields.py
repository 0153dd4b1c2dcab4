"""Fields of forms about places in the draft: what stands there, and what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import solara

from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.drafts import Draft, EditError, Finding
from eduverse_mesa.scenarios.drafts.documents import mapping, said
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.visualization.widgets.fields import choice_name, control, help_of, kind_at
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
_SECTIONS = {
    "class.students.traits": "traits",
    "class.students.portrait": "portrait",
    "class.students.initial": "initial",
    "class.students": "student",
    "class.teacher.style": "teacher",
    "class.teacher": "student",
    "layout.seat_graph": "rules",
    "layout": "room",
    "lessons.phases.activities": "part",
    "lessons.phases": "part",
    "lessons.goals": "part",
    "lessons.ideas": "part",
    "lessons.questions": "part",
    "lessons": "lesson",
    "settings": "settings",
    "": "settings",
}
"""By the beginning of a place: the part of the page's words that has the labels of what is in it."""
_LABELS = {
    "class.students.cognitive_style": "student.style",
    "class.students.motivation": "traits.motivation",
    "class.students.ability": "traits.ability",
    "lessons.goals.text": "part.goal_text",
    "lessons.ideas.text": "part.idea_text",
    "lessons.questions.idea": "part.about",
    "lessons.phases.name": "part.phase",
    "lessons.phases.activities.text": "part.words",
    "layout.grid.width": "room.width",
    "layout.grid.height": "room.height",
    "layout.seat_graph.do": "rules.does",
    "layout.seat_graph.rule": "rules.which",
    "layout.seat_graph.same_group_bonus": "rules.bonus",
}
"""By a place: its label, where that has another name than the place."""
_CHOICES = {
    "class.students.cognitive_style": "design.style",
    "lessons.phases.name": "room.phase",
    "lessons.phases.activities.do": "design.doing",
    "layout.seat_graph.rule": "design.rules.what",
    "settings.pacing.mode": "design.settings.pacing",
}
"""By a place: what its choices are called, where that stands elsewhere."""


def label_key(trail: Trail) -> str:
    """The key of the words for a place in a draft, whatever its number in a list."""
    at = _plain(trail)
    if at in _LABELS:
        return f"design.{_LABELS[at]}"
    section = next(one for one in _SECTIONS if not one or at.startswith(f"{one}."))
    return f"design.{_SECTIONS[section]}.{at.removeprefix(section).removeprefix('.')}"


def label(t: Words, trail: Trail) -> str:
    """Return the words for a place in a draft; its own name where the page has none."""
    key, name = label_key(trail), str(trail[-1])
    known = next((one for one in (f"{key}.name", key) if one in t), "")
    if known:
        return t[known]
    return t.code(name) if isinstance(trail[-1], str) else ""


def _plain(trail: Trail) -> str:
    return ".".join(step for step in trail if isinstance(step, str))


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
        return _join(name, label(t, trail) if rest[2:] else "")
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
    return label(t, trail) if rest else ""


def _lesson_place(t: Words, draft: Draft, trail: Trail) -> str:
    lessons = draft.get("lessons")
    which = f"{t('design.tab.lesson')} {_n(trail[1])}" if isinstance(lessons, list) and len(lessons) > 1 else ""
    part = str(trail[2])
    if len(trail) < 4 or f"design.lesson.one_{part}" not in t:
        return _join(which, label(t, trail))
    shown = f"{t(f'design.lesson.one_{part}')} {_n(trail[3])}"
    if part == "phases":
        name = said(mapping(draft.document, trail[:4]), "name")
        shown = t.get(f"room.phase.{name}") or shown
        if trail[4:5] == ("activities",) and len(trail) > 5:
            return _join(which, shown, t("design.part.number", n=_n(trail[5])))
    return _join(which, shown, label(t, trail) if len(trail) > 4 else "")


def _n(step: Any) -> int:
    return step + 1 if isinstance(step, int) else 0


def _join(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


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

    def at(self, trail: Trail, **more: Any) -> Field:
        """A field about one place, as the document says what may stand there; `more` says how it looks. What has rows
        is a text of several lines."""
        kind, key = kind_at(Scenario, trail), label_key(trail)
        words, name = key.rpartition(".")[0], str(trail[-1])
        prefix = _CHOICES.get(_plain(trail))
        made = control(kind, lambda one: self.t(f"{prefix}.{one}") if prefix else choice_name(one, self.t, words, name))
        made = {**made, **({"kind": "area"} if "rows" in more else {}), **help_of(self.t, key), **more}
        usual = made.pop("usual", kind.usual)
        value = self.shop.draft.get(*trail)
        if not isinstance(value, str | int | float | bool) or (
            made["kind"] in ("range", "number") and isinstance(value, str | bool)
        ):
            value = "" if usual is None else usual
        problems = [found for found in self.shop.draft.problems if _is_about(found, trail)]
        error = " ".join(dict.fromkeys(say(self.t, found) for found in problems))
        return {"id": name_of(trail), "label": label(self.t, trail), "value": value, "error": error, **made}

    def of(self, trail: Trail, **widths: str) -> list[Field]:
        """Fields about parts of one place, in the order in which their widths are given."""
        return [self.at((*trail, name), width=width) for name, width in widths.items()]

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
