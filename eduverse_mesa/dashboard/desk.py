"""State of one browser: all that it has open. It outlives a reload, and is shared by the browser's tabs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.visualization.words import DEFAULT

if TYPE_CHECKING:
    from eduverse_mesa.dashboard.sessions import Office
    from eduverse_mesa.scenarios import Scenario

Drawer = TypeVar("Drawer")
FIRST_SCENARIOS = {"en": "first_lesson", "zh": "chinese_lesson"}
"""By the language of the interface: built-in scenarios that are taught in it."""

_LOG = logging.getLogger(__name__)


class Desk:
    """One browser's things. Each page keeps its own in a drawer, made when it is first opened."""

    def __init__(self, browser: str, office: Office) -> None:
        self.browser = browser
        self.office = office
        self.language = ""
        """Empty: as the browser asks for."""
        self.spoken = DEFAULT
        """The language of the page that was drawn last."""
        self.dark: bool | None = None
        """None: as the system has it."""
        self.policy = "embedded"
        """Policy that answers in lessons that are begun here."""
        self.llm: dict[str, object] = {}
        """Settings of a language model for them, by their names in a scenario: {"llm.model": ...}."""
        self.to_teach: tuple[str, str] | None = None
        """A run of learners that the page Learner is to open: its study, and its id."""
        self.to_meet: tuple[str, str] | None = None
        """A run of a group that the page Mathematics is to open: its study, and its id."""
        self.to_look_at = ""
        """A run of the office's study that the page Studies is to show."""
        self.study = office.study
        """The study that is looked at on the pages Studies and Compare; lessons are kept in the office's."""
        self.to_compare: list[str] = []
        """Runs of it that were chosen to be compared, in the order in which they were."""
        self.changed = Notice()
        self._drawers: dict[type[Any], Any] = {}
        self._door = threading.Lock()

    def drawer(self, kind: type[Drawer], make: Callable[[], Drawer]) -> Drawer:
        """Return the drawer of a page, by its type, made if missing. It may have `busy` (not to be thrown away now),
        `close()`, and `forget(study)`: called when something was taken out of that study."""
        with self._door:
            if kind not in self._drawers:
                self._drawers[kind] = make()
            found: Drawer = self._drawers[kind]
            return found

    @property
    def first_scenario(self) -> str:
        """The scenario that is there before anybody has chosen one: taught in the language that is spoken here."""
        return FIRST_SCENARIOS[self.spoken]

    def open_classroom(self, scenario: Scenario, seed: int = 1) -> None:
        """Lay out a lesson of this scenario on the classroom page; where nobody was chosen here to answer in it, with
        who is named in the scenario."""
        from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson

        policy = None if self.policy == "embedded" else self.policy
        classroom_lesson(self).begin(scenario, seed, policy, self.llm)

    @property
    def busy(self) -> bool:
        """Something here is still going on."""
        with self._door:
            drawers = list(self._drawers.values())
        return any(getattr(drawer, "busy", False) for drawer in drawers)

    def forget(self, study: str) -> None:
        """Let go of what was read of a study."""
        with self._door:
            drawers = list(self._drawers.values())
        for drawer in drawers:
            forget = getattr(drawer, "forget", None)
            if forget is not None:
                forget(study)

    def clear(self) -> None:
        """Close everything; what cannot be closed keeps nothing else from being."""
        with self._door:
            drawers = list(self._drawers.values())
            self._drawers.clear()
        for drawer in drawers:
            close = getattr(drawer, "close", None)
            if close is None:
                continue
            try:
                close()
            except Exception:
                _LOG.exception("what %s keeps could not be closed", type(drawer).__name__)

    def choose_language(self, language: str) -> None:
        """Speak this language from now on."""
        self.language = language
        self.changed.tell()

    def choose_theme(self, dark: bool | None) -> None:
        """Light, dark, or as the system has it."""
        self.dark = dark
        self.changed.tell()
