"""Calls for help of whoever types into the dashboard: those that a study keeps, and those of what is kept nowhere."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.links import calls_for_help
from eduverse_mesa.runs.studies import RunCard, open_study, run_cards
from eduverse_mesa.store import AlertRow, Study, Verdict
from eduverse_mesa.store.alerts import (
    Adult,
    alert_at,
    alerts_of_lessons,
    cleared_by,
    cleared_in,
    name_adult,
    read_adult,
    settle_alert,
    settled,
)
from eduverse_mesa.store.rows import Place
from eduverse_mesa.web.alerts import HOST, inform

if TYPE_CHECKING:
    from eduverse_mesa.models.groups.model import CollaborationModel

_LOG = logging.getLogger(__name__)
_MOST = 200
"""Alerts that are kept in memory; the oldest goes first."""


class Alarm(NamedTuple):
    """An alert, who typed it and where."""

    alert: AlertRow
    place: str
    """A word of `alerts` for where it was typed: lesson, learner or group."""
    name: str = ""
    """Name of the person who typed it, as far as given; empty if nobody knows."""
    about: str = ""
    """The seat, learner or problem that the alert is about."""
    card: RunCard | None = None
    """The run in which it was typed, where a study keeps it."""


class Alerts:
    """Alerts of the dashboard, in a study or kept nowhere. The methods can be called from any thread."""

    def __init__(self, where: Callable[[], str], unwritten: Callable[[], Iterable[AlertRow]]) -> None:
        self.changed = Notice()
        self._where = where
        self._unwritten = unwritten
        self._turn = threading.Lock()
        self._unkept: dict[str, tuple[Alarm, object]] = {}
        """Those that no study keeps by id, with what they were typed into."""
        self._made_of: dict[str, AlertRow] = {}
        """Alerts with verdicts that could not be written, by id."""
        self._adult: Adult | None = None

    # --- raising ---

    def listen_in(self, text: str, place: str, about: str, *, of: object, name: str = "", at: Place = (0, 0)) -> bool:
        """Raise an alert where this tells of harm and is kept in no study; `of` is what it was typed into, and `at` the
        message. Whether it does."""
        if not calls_for_help(text):
            return False
        alarm = Alarm(alert_at("", at, name or about, text), place, name, about)
        with self._turn:
            self._unkept[alarm.alert.id] = alarm, of
            for old in list(self._unkept)[:-_MOST]:
                del self._unkept[old]
        self.changed.tell()
        return True

    def now_kept(self, of: object, study: str, run: str) -> None:
        """Let go of the alerts on what was typed into `of`: a run keeps it from now on, with its alerts, which get the
        verdicts."""
        theirs = self._typed_into(of)
        if not theirs:
            self.changed.tell()
            return
        with Study.open(study) as opened:
            kept = [one for one in alerts_of_lessons(opened) if one.run == run]
            for one in theirs:
                same = next((other for other in kept if other.step == one.step and _alike(other.text, one.text)), None)
                if same is None:  # it was typed before the dialogue was gone back in, or into another one
                    continue
                if one.verdict:
                    settle_alert(opened, same.id, one.verdict, HOST)
                with self._turn:
                    self._unkept.pop(one.id, None)
        self.changed.tell()

    def _typed_into(self, of: object) -> list[AlertRow]:
        with self._turn:
            return [alarm.alert for alarm, belongs in self._unkept.values() if belongs is of]

    # --- looking ---

    def all(self) -> list[Alarm]:
        """All there are, the newest first."""
        with self._turn:
            unkept = [alarm for alarm, _ in self._unkept.values()]
            lost = [self._made_of.get(one.id, one) for one in self._unwritten()]
        return sorted([*unkept, *self._kept(lost)], key=lambda alarm: alarm.alert.at, reverse=True)

    def waiting(self) -> list[Alarm]:
        """Those that nobody has looked at, the newest first."""
        return [one for one in self.all() if not one.alert.verdict]

    def _kept(self, lost: list[AlertRow]) -> list[Alarm]:
        """Those of runs; `lost` are not in the study, which may be full."""
        study = self._where()
        if "://" not in study and not Path(study).exists():
            return [_alarm(one, {}, {}) for one in lost]
        try:
            with open_study(study, read_only=True) as opened:
                found = [*lost, *alerts_of_lessons(opened.study)]
                cards = {one.id: one for one in run_cards(opened)} if found else {}
                names = {one.id: one.label for one in opened.study.participants()} if found else {}
        except EduverseError as error:  # an older study has none; what else is wrong is said where runs are listed
            _LOG.warning("alerts of %s could not be read: %s", study, error)
            return [_alarm(one, {}, {}) for one in lost]
        return [_alarm(one, cards, names) for one in found]

    # --- what is made of them ---

    def settle(self, alert: str, verdict: Verdict) -> None:
        """Note that somebody sees to it, that it was a false alarm, or, with an empty verdict, neither after all."""
        with self._turn:
            held, of = self._unkept.get(alert, (None, None))
            lost = next((one for one in self._unwritten() if one.id == alert), None)
            if held is not None and (new := settled(held.alert, verdict, HOST)) is not None:
                self._unkept[alert] = held._replace(alert=new), of
            if lost is not None and (new := settled(self._made_of.get(alert, lost), verdict, HOST)) is not None:
                self._made_of[alert] = new
        if held is None and lost is None:
            with Study.open(self._where()) as study:
                settle_alert(study, alert, verdict, HOST)
        self.changed.tell()

    def stands(self, calls: Collection[str]) -> bool:
        """Return True if any of these alerts has not been called a false one."""
        if not calls:
            return False
        return bool(set(calls) - {one.alert.id for one in self.all() if one.alert.verdict == "false"})

    def told_in(self, of: object) -> bool:
        """Return True if harm was told of in something that no study keeps, and the alert was not called a false
        one."""
        return any(one.verdict != "false" for one in self._typed_into(of))

    def inform(self, model: CollaborationModel, of: object, study: str = "", run: str = "") -> None:
        """Tell the peers of a dialogue whom they send somebody to and what was a false alarm; `study` and `run` where
        it is kept."""
        said = {one.turn: one.text for one in model.dialogue}
        # A dialogue may have gone back behind a message, and another one stands there now.
        cleared = cleared_by(one for one in self._typed_into(of) if _alike(said.get(one.step, ""), one.text))
        if study:
            with Study.open(study, read_only=True) as opened:
                cleared |= cleared_in(opened, run)
        inform(model, self.adult, cleared)

    # --- the adult who is named ---

    @property
    def adult(self) -> Adult:
        """The adult whom people who take part can go to."""
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


def _alike(one: str, other: str) -> bool:
    """Return whether two texts are the same but for spaces, and for what is cut of the longer one."""
    short, long = sorted((" ".join(one.split()), " ".join(other.split())), key=len)
    return bool(short) and long.startswith(short)


def _alarm(alert: AlertRow, cards: dict[str, RunCard], names: dict[str, str]) -> Alarm:
    """Return an alert of a run with who typed it: the person in a seat has a name of their own, a group's only one."""
    card = cards.get(alert.run)
    name = names.get(alert.participant or "", "")
    if card is not None and card.row.kind == "collaboration":
        return Alarm(alert, "group", alert.speaker, card=card)
    return Alarm(alert, "lesson", name or alert.speaker, alert.speaker, card)
