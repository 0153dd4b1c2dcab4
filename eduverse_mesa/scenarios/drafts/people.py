"""Edits of the class: who is in it, what they are like, and who belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.scenarios.checks import fold
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
from eduverse_mesa.scenarios.drafts.origin import write_out
from eduverse_mesa.scenarios.drafts.placement import Sitting, forget_lost, pin, place_students
from eduverse_mesa.scenarios.people import Sample
from eduverse_mesa.scenarios.plain import Plain, Trail
from eduverse_mesa.scenarios.sampler import find_language, find_mistakes, sample_class

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafts.draft import Draft

_STUDENTS: Trail = ("class", "students")
MOST_SAMPLED = 400
"""Of more students a written-out scenario would be too large to be read back."""


class PeopleEdits:
    """Edits of the class of a draft. Students are spoken of by their place in the list, from 0."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    @property
    def names(self) -> list[str]:
        """The students' names in the order of the class; empty where one has none."""
        return [said(mapping(student), "name") for student in entries(self._draft.document, _STUDENTS)]

    def index(self, name: str) -> int:
        """The place of a student in the list."""
        if name not in self.names:
            raise EditError("no_student", f"there is no student '{name[:80]}'.", "Choose somebody in the class.")
        return self.names.index(name)

    def add(self, name: str = "") -> int:
        """A student of average traits, on the next free seat; the place in the list."""
        document, names = pin(self._draft.document), self.names
        name = name.strip() or self._new_name()
        self._refuse_name(name)
        self._draft.change(append(document, _STUDENTS, {"name": plain(name)}), "add_student", name=name)
        return len(names)

    def remove(self, index: int) -> None:
        """Take somebody out of the class."""
        self._student(index)
        document = drop(pin(self._draft.document), (*_STUDENTS, index))
        self._draft.change(forget_lost(document), "remove_student", name=self.names[index])

    def rename(self, index: int, name: str) -> None:
        """Call a student something else, not like anybody else; the seat stays."""
        old, name = said(self._student(index), "name"), name.strip()
        if name == old:
            return
        self._refuse_name(name, but=index)
        document = put(self._draft.document, (*_STUDENTS, index, "name"), plain(name))
        seating = mapping(document, ("seating",))
        if old in seating:
            moved: Mapped = {name if known == old else known: wish for known, wish in seating.items()}
            document = put(document, ("seating",), moved)
        self._draft.change(document, "rename", name=old, new=name)

    def set(self, index: int, trail: Trail, value: object) -> None:
        """A part of a student's profile; None leaves it to the default. Edits of one part in a row are one step."""
        self._student(index)
        at = (*_STUDENTS, index, *trail)
        document = drop(self._draft.document, at) if value is None else put(self._draft.document, at, plain(value))
        self._draft.change(document, "set_student", merge=at, name=self.names[index], key=str(trail[-1]))

    def swap(self, one: str, other: str) -> None:
        """Two students change places."""
        sitting = place_students(self._draft.document)
        for name in (one, other):
            if name not in sitting:
                raise EditError("no_place", f"'{name[:80]}' has no place.", "Give everybody a seat first.", name=name)
        document = pin(self._draft.document)
        seating = dict(mapping(document, ("seating",)))
        places = {name: _place(sitting[name]) for name in (one, other)}
        seating |= {one: places[other], other: places[one]}
        self._draft.change(put(document, ("seating",), seating), "swap", name=one, other=other)

    # --- groups ---

    def group(self, names: list[str], group: str) -> None:
        """Put students in a group, which counts before that of their seats; an empty name takes them out of theirs."""
        document = self._draft.document
        for name in names:
            at = (*_STUDENTS, self.index(name), "group")
            document = put(document, at, plain(group.strip())) if group.strip() else drop(document, at)
        self._draft.change(document, "group", count=len(names), group=group.strip())

    def group_evenly(self, size: int) -> None:
        """Groups of about one size of those who sit next to one another: along the rows, front to back."""
        sitting = place_students(self._draft.document)
        order = sorted(sitting, key=lambda name: (sitting[name].seat.at[1], sitting[name].seat.at[0]))
        if not 1 <= size <= max(1, len(order)):
            raise EditError("group_size", f"groups of {size} cannot be made.", "Take a number up to the class's size.")
        document, count = self._draft.document, max(1, round(len(order) / size))
        for place, name in enumerate(order):
            letter = _letter(place * count // len(order))
            document = put(document, (*_STUDENTS, self.index(name), "group"), letter)
        self._draft.change(document, "group_evenly", size=size)

    # --- sampled classes ---

    def sample(self, sample: Sample, *, keep_teacher: bool = True) -> None:
        """Students drawn from distributions in the place of those there are: same sample, same class."""
        if sample.size > MOST_SAMPLED:
            message, mend = f"{sample.size} students are too many to be listed.", f"Take up to {MOST_SAMPLED}."
            raise EditError("sample_size", message, mend, most=MOST_SAMPLED)
        for _, message, mend in find_mistakes(sample):
            raise EditError("sample", f"{message}.", mend)
        name = f"sample_{sample.size}"
        drawn = write_out(sample_class(sample, name))
        teacher = get(self._draft.document, ("class", "teacher"))
        if keep_teacher and teacher is not None:
            drawn = put(drawn, ("teacher",), teacher)
        document = put(self._draft.document, ("class",), drawn)
        self._draft.change(forget_lost(document), "sample", count=sample.size, seed=sample.seed)

    # --- the rest ---

    def set_teacher(self, trail: Trail, value: object) -> None:
        """A part of the teacher's profile."""
        at: Trail = ("class", "teacher", *trail)
        document = self._draft.document
        if get(document, ("class", "teacher", "name")) is None:
            document = put(
                document, ("class", "teacher"), {"name": "Teacher", **mapping(document, ("class", "teacher"))}
            )
        document = drop(document, at) if value is None else put(document, at, plain(value))
        self._draft.change(document, "set_teacher", merge=at, key=str(trail[-1]))

    def _student(self, index: int) -> Mapped:
        found = dict(records(self._draft.document, _STUDENTS)).get(index)
        if found is None:
            raise EditError("no_student", "there is no such student.", "Choose somebody in the class.")
        return found

    def _refuse_name(self, name: str, but: int = -1) -> None:
        if not name or len(name) > 80:
            raise EditError("no_name", "a name has 1 to 80 letters.", "Write a name.")
        teacher = said(mapping(self._draft.document, ("class", "teacher")), "name") or "Teacher"
        others = {fold(known) for index, known in enumerate(self.names) if index != but}
        if fold(name) in others | {fold(teacher), "class", "teacher", "group"}:
            raise EditError("name_taken", f"'{name}' is no free name.", "Choose another name.", name=name)

    def _new_name(self) -> str:
        """A given name of the lessons' language that nobody has yet."""
        language = get(self._draft.document, ("lessons", 0, "language"))
        given = find_language("zh" if language == "zh" else "en").given_names
        used = {fold(name) for name in self.names}
        pool = [name for pair in zip(*given.values(), strict=False) for name in pair]
        free = (name for name in pool if fold(name) not in used)
        return next(free, None) or next(
            f"{pool[0]} {number}" for number in range(2, len(used) + 3) if fold(f"{pool[0]} {number}") not in used
        )


def _place(sitting: Sitting) -> Plain:
    return sitting.seat.id if sitting.real else list(sitting.seat.at)


def _letter(number: int) -> str:
    return chr(65 + number) if number < 26 else f"{chr(65 + number % 26)}{number // 26 + 1}"
