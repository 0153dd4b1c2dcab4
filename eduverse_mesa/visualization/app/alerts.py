"""Calls for help of whoever types into the dashboard: those that a study keeps, and those of what is kept nowhere."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.calls import calls_for_help
from eduverse_mesa.store import AlertRow, Study, Verdict
from eduverse_mesa.store.alerts import Adult, alert_at, alerts_of_lessons, name_adult, read_adult, settle_alert
from eduverse_mesa.visualization.app.notice import Notice

_LOG = logging.getLogger(__name__)
HOST = "host"
"""Who settles alerts here: everybody who is let in as one has the same rights, and no name."""
_MOST = 200
"""Alerts that are kept in memory; the oldest goes first."""


class Alarm(NamedTuple):
    """An alert, and what it is about where no run says that."""

    alert: AlertRow
    place: str
    """A word of `alerts` for where it was typed: lesson, learner or group."""
    about: str
    """Whose seat, which learner, which problem."""


class Alerts:
    """What nobody has looked at yet. Its methods can be called from any thread."""

    def __init__(self, where: Callable[[], str], unwritten: Callable[[], Iterable[AlertRow]]) -> None:
        self.changed = Notice()
        self._where = where
        self._unwritten = unwritten
        self._turn = threading.Lock()
        self._unkept: dict[str, tuple[Alarm, object]] = {}
        """By id, with what they belong to."""
        self._settled: set[str] = set()
        """Of those that could not be written."""
        self._adult: Adult | None = None

    # --- raising ---

    def listen_in(self, text: str, place: str, about: str, *, of: object) -> bool:
        """Raise an alert where this tells of harm and is kept in no study; `of` is what it was typed into. Whether it
        does."""
        if not calls_for_help(text):
            return False
        alarm = Alarm(alert_at("", (0, 0), about, text), place, about)
        with self._turn:
            self._unkept[alarm.alert.id] = alarm, of
            for old in list(self._unkept)[:-_MOST]:
                del self._unkept[old]
        self.changed.tell()
        return True

    def now_kept(self, of: object) -> None:
        """What was typed into this is in a study from now on, and its alerts are there, too."""
        with self._turn:
            self._unkept = {key: one for key, one in self._unkept.items() if one[1] is not of}
        self.changed.tell()

    # --- looking ---

    def waiting(self) -> list[Alarm]:
        """Those that nobody has looked at, the newest first."""
        with self._turn:
            unkept = [alarm for alarm, _ in self._unkept.values()]
            settled = set(self._settled)
        lost = [one for one in self._unwritten() if one.id not in settled]
        kept = [one for one in self._kept() if not one.verdict]
        found = [*unkept, *(Alarm(one, "lesson", one.speaker) for one in (*lost, *kept))]
        return sorted(found, key=lambda alarm: alarm.alert.at, reverse=True)

    def _kept(self) -> list[AlertRow]:
        study = self._where()
        if "://" not in study and not Path(study).exists():
            return []
        try:
            with Study.open(study, read_only=True) as opened:
                return alerts_of_lessons(opened)
        except EduverseError as error:  # an older study has none; what else is wrong is said where runs are listed
            _LOG.warning("alerts of %s could not be read: %s", study, error)
            return []

    def settle(self, alert: str, verdict: Verdict) -> None:
        """Note that somebody sees to it, or that it was a false alarm."""
        with self._turn:
            unkept = self._unkept.pop(alert, None) is not None
            unwritten = any(one.id == alert for one in self._unwritten())
            if unwritten:
                self._settled.add(alert)
        if not (unkept or unwritten):
            with Study.open(self._where()) as study:
                settle_alert(study, alert, verdict, HOST)
        self.changed.tell()

    # --- the adult who is named ---

    @property
    def adult(self) -> Adult:
        """Whom people who take part can go to."""
        if self._adult is None:
            study = self._where()
            try:
                with Study.open(study, read_only=True) as opened:
                    self._adult = read_adult(opened)
            except EduverseError:  # there is no study yet
                self._adult = Adult()
        return self._adult

    def name_adult(self, adult: Adult) -> None:
        """Name them; it is remembered with the study."""
        with Study.open(self._where(), create=True) as study:
            self._adult = name_adult(study, adult)
        self.changed.tell()
