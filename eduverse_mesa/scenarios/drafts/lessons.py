"""Edits of the lesson plans: phases, activities, goals, ideas and questions, each kept together with what names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from eduverse_mesa.scenarios.drafts.documents import (
    EditError,
    Mapped,
    append,
    drop,
    entries,
    get,
    mapping,
    plain,
    put,
    records,
    said,
)
from eduverse_mesa.scenarios.drafts.origin import read_built_in
from eduverse_mesa.scenarios.plain import Plain, Trail
from eduverse_mesa.vocabulary import PHASES, Doing, PhaseName

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafts.draft import Draft

KEY = "unconfirmed"
_NEEDED = ("answer", "short_answer")
"""Keys that may be empty only as long as they are unconfirmed."""
_PARTS = ("goals", "ideas", "questions")


def unconfirmed(plan: Mapped) -> Iterator[tuple[Trail, str]]:
    """The places of a plan that nobody has confirmed, each with the text that stands there."""
    for mark in entries(plan, (KEY,)):
        if trail := _trail_of(plan, str(mark)):
            yield trail, str(get(plan, trail) or "")


def settle(document: Plain, trail: Trail) -> Plain:
    """The document without the marks that an edit at this trail has settled: what was written anew is confirmed, and of
    what is gone nothing is to be confirmed."""
    if len(trail) < 3 or trail[0] != "lessons":
        return document
    at: Trail = trail[:2]
    plan = mapping(document, at)
    if KEY not in plan:
        return document
    kept = [mark for mark in entries(plan, (KEY,)) if _stays(plan, str(mark), trail[2:])]
    return put(document, at, with_marks(plan, kept))


def without_lost(plan: Mapped) -> Mapped:
    """A plan without marks of parts that are gone."""
    if KEY not in plan:
        return plan
    return with_marks(plan, [mark for mark in entries(plan, (KEY,)) if _trail_of(plan, str(mark))])


def confirm(plan: Mapped) -> Mapped:
    """A plan whose author has read what was made up or guessed. An answer that is still empty stays unconfirmed."""
    empty = {trail for trail, text in unconfirmed(plan) if not text and trail[-1] in _NEEDED}
    return with_marks(plan, [mark for mark in entries(plan, (KEY,)) if _trail_of(plan, str(mark)) in empty])


def with_marks(plan: Mapped, marks: list[Plain]) -> Mapped:
    """A plan in which these places are unconfirmed."""
    rest = {key: value for key, value in plan.items() if key != KEY}
    return {**rest, KEY: marks} if marks else rest


def _stays(plan: Mapped, mark: str, edited: Trail) -> bool:
    trail = _trail_of(plan, mark)
    return trail is not None and trail != edited[: len(trail)]


def _trail_of(plan: Mapped, mark: str) -> Trail | None:
    if mark == "title":
        return ("title",)
    name, _, key = mark.rpartition(".")
    for part in _PARTS:
        for index, record in records(plan, (part,)):
            if said(record, "id") == name:
                return part, index, key
    return None


class LessonEdits:
    """Edits of the lessons of a draft; a lesson is spoken of by its place in the list, from 0.

    New parts begin empty where only the author can say what belongs there, and show in the problems until then.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    # --- which lessons ---

    def add(self, lesson: str | Plain) -> None:
        """A built-in lesson by its name, or one written out, behind the others."""
        data = read_built_in("lesson", lesson) if isinstance(lesson, str) else plain(lesson)
        used = {said(known, "name") for _, known in records(self._draft.document, ("lessons",))}
        name = said(mapping(data), "name")
        if name in used:
            number = next(number for number in range(2, len(used) + 3) if f"{name} ({number})" not in used)
            data = put(data, ("name",), f"{name} ({number})")
        self._draft.change(append(self._draft.document, ("lessons",), data), "add_lesson", name=name)

    def replace(self, lesson: int, data: Plain) -> None:
        """Another plan in the place of one."""
        document = put(self._draft.document, self._at(lesson), plain(data))
        self._draft.change(document, "replace_lesson", number=lesson + 1)

    def remove(self, lesson: int) -> None:
        """Take a lesson out; the last one stays."""
        if len(entries(self._draft.document, ("lessons",))) < 2:
            raise EditError("last_lesson", "this is the only lesson.", "Add another one first.")
        self._draft.change(drop(self._draft.document, self._at(lesson)), "remove_lesson", number=lesson + 1)

    def shift(self, lesson: int, by: int) -> None:
        """Hold a lesson earlier or later."""
        self._shift(self._at(lesson), by, "shift_lesson")

    def set(self, lesson: int, trail: Trail, value: object) -> None:
        """A part of a lesson; None leaves it to the default."""
        self._draft.set((*self._at(lesson), *trail), value)

    # --- phases and activities ---

    def add_phase(self, lesson: int, name: PhaseName | None = None) -> None:
        """A phase in its usual place among the others, which make room for it."""
        at = (*self._at(lesson), "phases")
        used = [said(phase, "name") for _, phase in records(self._draft.document, at)]
        name = name or next((free for free in PHASES if free not in used), None)
        if name is None or name in used:
            raise EditError("phases", "a lesson has each phase once.", "Add activities to one of them.")
        phases = list(entries(self._draft.document, at))
        place = sum(PHASES.index(one) < PHASES.index(name) for one in used if one in PHASES)
        phases.insert(place, {"name": name, "share": 0.0, "summary": "", "activities": [{"do": "manage", "text": ""}]})
        document = put(self._draft.document, at, _balanced(phases, place, 1 / len(phases)))
        self._draft.change(document, "add_phase", name=name)

    def remove_phase(self, lesson: int, phase: int) -> None:
        """Take a phase out; the others take over its time."""
        at = self._phase(lesson, phase)[:-1]
        phases = [known for place, known in enumerate(entries(self._draft.document, at)) if place != phase]
        document = put(self._draft.document, at, _balanced(phases, None, 0.0))
        self._draft.change(document, "remove_phase", number=phase + 1)

    def share(self, lesson: int, phase: int, share: float) -> None:
        """Another share of the time for a phase; the others keep their proportions, and all add up to 1."""
        at = self._phase(lesson, phase)[:-1]
        phases = entries(self._draft.document, at)
        document = put(self._draft.document, at, _balanced(phases, phase, min(1.0, max(0.0, share))))
        self._draft.change(document, "share", merge=(*at, phase, "share"), number=phase + 1)

    def add_activity(self, lesson: int, phase: int, do: Doing) -> None:
        """An activity at the end of a phase, about the first idea or question that none speaks of yet."""
        plan = mapping(self._draft.document, self._at(lesson))
        activity: Mapped = {"do": do}
        if do == "ask":
            activity["question"] = _unused(plan, "questions", "question")
        elif do == "explain":
            activity["idea"] = _unused(plan, "ideas", "idea")
        else:
            activity["text"] = ""
        at = (*self._phase(lesson, phase), "activities")
        self._draft.change(append(self._draft.document, at, activity), "add_activity", do=do)

    def remove_activity(self, lesson: int, phase: int, activity: int) -> None:
        """Take an activity out."""
        at = (*self._phase(lesson, phase), "activities", activity)
        self._draft.change(drop(self._draft.document, at), "remove_activity", number=activity + 1)

    def shift_activity(self, lesson: int, phase: int, activity: int, by: int) -> None:
        """Do something earlier or later; over the edge of a phase it goes into the one beside it."""
        phases = self._phase(lesson, phase)[:-1]
        here = list(entries(self._draft.document, (*phases, phase, "activities")))
        target, beside = activity + by, phase + (1 if by > 0 else -1)
        inside = 0 <= target < len(here) or not 0 <= activity < len(here)
        if inside or not 0 <= beside < len(entries(self._draft.document, phases)):
            self._shift((*phases, phase, "activities", activity), by, "shift_activity")
            return
        moved = here.pop(activity)
        there = list(entries(self._draft.document, (*phases, beside, "activities")))
        there.insert(0 if by > 0 else len(there), moved)
        document = put(self._draft.document, (*phases, phase, "activities"), here)
        document = put(document, (*phases, beside, "activities"), there)
        self._draft.change(document, "shift_activity", number=activity + 1)

    # --- what is taught ---

    def add_goal(self, lesson: int) -> str:
        """A goal; its id."""
        return self._add(lesson, "goals", "goal", {"text": ""})

    def add_idea(self, lesson: int, goal: str = "") -> str:
        """An idea about a goal, or about the last one; its id."""
        goal = goal or self._last(lesson, "goals")
        blank: Mapped = {"goal": goal, "text": "", "because": "", "partial": "", "misconception": "", "keywords": []}
        return self._add(lesson, "ideas", "idea", blank)

    def add_question(self, lesson: int, idea: str = "") -> str:
        """A question about an idea, or about the last one; its id."""
        idea = idea or self._last(lesson, "ideas")
        blank: Mapped = {"idea": idea, "ask": "", "bloom": "understand", "answer": "", "short_answer": ""}
        return self._add(lesson, "questions", "question", blank)

    def remove_goal(self, lesson: int, goal: str) -> None:
        """Take a goal out, with its ideas, their questions, and the activities about those."""
        plan = _without(mapping(self._draft.document, self._at(lesson)), "goals", goal)
        self._take_plan(lesson, plan, "remove_goal")

    def remove_idea(self, lesson: int, idea: str) -> None:
        """Take an idea out, with its questions and the activities about them."""
        plan = _without(mapping(self._draft.document, self._at(lesson)), "ideas", idea)
        self._take_plan(lesson, plan, "remove_idea")

    def remove_question(self, lesson: int, question: str) -> None:
        """Take a question out, with the activities that ask it."""
        plan = _without(mapping(self._draft.document, self._at(lesson)), "questions", question)
        self._take_plan(lesson, plan, "remove_question")

    def confirm(self, lesson: int) -> None:
        """Confirm all that an import made up or guessed, as it stands now: the author has looked through it."""
        plan = confirm(mapping(self._draft.document, self._at(lesson)))
        self._take_plan(lesson, plan, "confirm")

    # --- how ---

    def _at(self, lesson: int) -> Trail:
        if not 0 <= lesson < len(entries(self._draft.document, ("lessons",))):
            raise EditError("no_lesson", "there is no such lesson.", "Choose a lesson of the list.")
        return "lessons", lesson

    def _phase(self, lesson: int, phase: int) -> Trail:
        at = (*self._at(lesson), "phases")
        if not 0 <= phase < len(entries(self._draft.document, at)):
            raise EditError("no_entry", "there is nothing there.", "Choose an entry of the list.")
        return (*at, phase)

    def _take_plan(self, lesson: int, plan: Mapped, code: str) -> None:
        self._draft.change(put(self._draft.document, self._at(lesson), without_lost(plan)), code)

    def _add(self, lesson: int, key: str, what: str, blank: Mapped) -> str:
        at = (*self._at(lesson), key)
        used = {said(known, "id") for _, known in records(self._draft.document, at)}
        name = next(name for number in range(1, len(used) + 2) if (name := f"{what}_{number}") not in used)
        self._draft.change(append(self._draft.document, at, {"id": name, **blank}), f"add_{what}")
        return name

    def _last(self, lesson: int, key: str) -> str:
        known = [said(record, "id") for _, record in records(self._draft.document, (*self._at(lesson), key))]
        return known[-1] if known else ""

    def _shift(self, trail: Trail, by: int, code: str) -> None:
        *around, place = trail
        assert isinstance(place, int)
        row = list(entries(self._draft.document, tuple(around)))
        if not 0 <= place < len(row):
            raise EditError("no_entry", "there is nothing there.", "Choose an entry of the list.")
        row.insert(max(0, place + by), row.pop(place))
        self._draft.change(put(self._draft.document, tuple(around), row), code, number=place + 1)


def _unused(plan: Mapped, key: str, name: str) -> str:
    """The first idea or question that no activity names, else the first."""
    known = [said(record, "id") for _, record in records(plan, (key,))]
    named = {
        said(activity, name)
        for place, _ in records(plan, ("phases",))
        for _, activity in records(plan, ("phases", place, "activities"))
    }
    return next((one for one in known if one not in named), known[0] if known else "")


def _balanced(phases: list[Plain], fixed: int | None, share: float) -> list[Plain]:
    """Phases whose shares add up to 1: a fixed one, the others in their proportions."""
    shares = [_number(mapping(phase).get("share")) for phase in phases]
    others = [place for place in range(len(phases)) if place != fixed]
    left = 1.0 if fixed is None else 1.0 - share if others else 0.0
    total = sum(shares[place] for place in others)
    for place in others:
        shares[place] = round(left * (shares[place] / total if total else 1 / len(others)), 3)
    if fixed is not None:
        shares[fixed] = round(share, 3) if others else 1.0
    if others:  # what rounding has lost goes to the longest of the others
        longest = max(others, key=lambda place: shares[place])
        shares[longest] = round(max(0.0, shares[longest] + 1.0 - sum(shares)), 3)
    return [{**mapping(phase), "share": shares[place]} for place, phase in enumerate(phases)]


def _number(value: Plain) -> float:
    return max(0.0, float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _without(plan: Mapped, key: str, name: str) -> Mapped:
    """A plan without a goal, idea or question and without what is about it."""
    below = {"goals": ("ideas", "goal"), "ideas": ("questions", "idea")}
    gone = {name}
    keep: Callable[[Plain, str], bool] = lambda entry, part: said(mapping(entry), part) not in gone  # noqa: E731
    plan = {**plan, key: [entry for entry in entries(plan, (key,)) if keep(entry, "id")]}
    if key == "goals":
        for place, goal in records(plan, ("goals",)):
            if name in entries(goal, ("needs",)):
                needs = [need for need in entries(goal, ("needs",)) if need != name]
                plan = mapping(put(plan, ("goals", place, "needs"), needs))
    if key in below:
        child, part = below[key]
        for _, record in list(records(plan, (child,))):
            if said(record, part) == name:
                plan = _without(plan, child, said(record, "id"))
    word = {"ideas": "idea", "questions": "question"}.get(key)
    if word is not None:
        for place, _ in records(plan, ("phases",)):
            kept = [one for one in entries(plan, ("phases", place, "activities")) if keep(one, word)]
            plan = mapping(put(plan, ("phases", place, "activities"), kept))
    return plan
