"""State of the design page on a desk: a draft, the part of it that is looked at, and the last message."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import DEFAULT_SCENARIO
from eduverse_mesa.scenarios.drafts import Draft, Step
from eduverse_mesa.scenarios.drafts.outlines import Outline
from eduverse_mesa.scenarios.plain import Trail

TABS = ("room", "students", "rules", "lesson", "settings", "file")
VIEWS = ("about", "phases", "goals", "ideas", "questions", "import")
_TAB_OF = {"layout": "room", "class": "students", "lessons": "lesson", "seating": "students", "settings": "settings"}


class Workshop:
    """A draft with everything around it. Edits come through `do`, so that what is refused is said and nothing else."""

    def __init__(self, scenario: str = DEFAULT_SCENARIO) -> None:
        self.draft = Draft.of_name(scenario)
        self.changed = Notice()
        self.tab = "students"
        self.picked: tuple[str, str] = ("student", "")
        """Kind and name of what was clicked in the room."""
        self.moving = "people"
        """Kind of thing that can be dragged: people or seats."""
        self.overlays: tuple[str, ...] = ("graph", "names")
        self.lesson = 0
        self.view = "phases"
        """View of the lesson that is shown."""
        self.part: Trail = ()
        """The part of the lesson that is open: ("phases", 0), ("ideas", 2), ..."""
        self.refused: EduverseError | None = None
        self.done: Step | None = None
        self.outline: Outline | None = None
        self.outline_text = ""
        self.outline_title = ""
        self.outline_confirmed = False
        """Its author has looked through what was made up or guessed."""
        self.sample: dict[str, Any] = {"size": 12, "seed": 1}
        self.listed_seats = False
        """True if the last edit has turned a pattern of seats into seats of their own."""
        self._door = threading.RLock()

    # --- edits ---

    def do(self, act: Callable[..., Any], *given: Any, **more: Any) -> bool:
        """Make an edit; whether it was made."""
        with self._door:
            patterned, before = self.draft.room.is_patterned(), self.draft.document
            try:
                act(*given, **more)
            except EduverseError as error:
                self.refused, self.done, self.listed_seats = error, None, False
            else:
                self.refused = None
                self.done = self.draft.history.last if self.draft.document is not before else None
                self.listed_seats = patterned and not self.draft.room.is_patterned() and self._is_seat_edit()
            self._keep_up()
        self.changed.tell()
        return self.refused is None

    def _is_seat_edit(self) -> bool:
        last = self.draft.history.last
        return last is not None and last.code in ("move_seat", "add_seat", "remove_seat", "set_seat", "add_table")

    def undo(self) -> None:
        """One step back."""
        self._turn(self.draft.undo)

    def redo(self) -> None:
        """One step forward again."""
        self._turn(self.draft.redo)

    def _turn(self, turn: Callable[[], Any]) -> None:
        with self._door:
            turn()
            self.refused, self.done, self.listed_seats = None, None, False
            self._keep_up()
        self.changed.tell()

    def renew(self, **kept: Any) -> None:
        """Look at something else."""
        for name, value in kept.items():
            setattr(self, name, value)
        self.changed.tell()

    def _keep_up(self) -> None:
        """Look at something else if what is looked at is gone."""
        lessons = self.draft.get("lessons")
        count = len(lessons) if isinstance(lessons, list) else 0
        self.lesson = min(self.lesson, max(0, count - 1))
        if self.part and self.draft.get("lessons", self.lesson, *self.part) is None:
            self.part = ()

    # --- looking ---

    @property
    def student(self) -> int | None:
        """The place of the student that is looked at."""
        kind, name = self.picked
        names = self.draft.people.names
        return names.index(name) if kind == "student" and name in names else None

    def open_tab(self, tab: str) -> None:
        """Another tab."""
        self.renew(tab=tab)

    def pick(self, kind: str, name: str) -> None:
        """Look at something in the room."""
        if (kind, name) == self.picked:
            return
        tab = "students" if kind == "teacher" or (kind == "student" and name) else "room" if name else self.tab
        self.renew(picked=(kind, name), tab=tab)

    def let_go(self) -> None:
        """Look at nobody in particular, where somebody was looked at."""
        if self.picked[0] in ("student", "teacher"):
            self.pick("student", "")

    def go_to(self, trail: Trail) -> None:
        """Open what a problem is about."""
        kept: dict[str, Any] = {"tab": tab_of(trail)}
        if trail[:2] == ("class", "students") and len(trail) > 2 and isinstance(trail[2], int):
            names = self.draft.people.names
            kept["picked"] = ("student", names[trail[2]] if trail[2] < len(names) else "")
        if trail[:1] == ("seating",) and len(trail) > 1:
            kept["picked"] = ("student", str(trail[1]))
        if trail[:1] == ("lessons",) and len(trail) > 1 and isinstance(trail[1], int):
            view = str(trail[2]) if len(trail) > 2 else "about"
            kept |= {"lesson": trail[1], "view": view if view in VIEWS else "about"}
            kept["part"] = tuple(trail[2:4]) if len(trail) > 3 and view in VIEWS else ()
        self.renew(**kept)


def tab_of(trail: Trail) -> str:
    """The tab on which a place of the document is."""
    if trail[:2] == ("layout", "seat_graph"):
        return "rules"
    return _TAB_OF.get(str(trail[0]), "file") if trail else "file"


def use_workshop(desk: Desk) -> Workshop:
    """The workshop on this desk."""
    return desk.drawer(Workshop, lambda: Workshop(desk.first_scenario))
