"""Calls for help in words: as much of each as a page shows, its verdicts, and whom people can go to."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from eduverse_mesa.store import AlertRow
from eduverse_mesa.store.alerts import Adult, verdicts_on
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import clock

if TYPE_CHECKING:
    from eduverse_mesa.models.groups.model import CollaborationModel

SHOWN = 3
"""Alerts that stand over a page; the others are counted."""
_LONGEST = 240
HOST = "host"
"""Name under which alerts are settled on the dashboard: all hosts have the same rights, and no name."""


def cut(text: str) -> str:
    """Return as much of a text as a page shows."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def verdicts_said(t: Words, alert: AlertRow) -> list[str]:
    """Return the verdicts on an alert in words, the oldest first."""
    return [
        t(f"alerts.settled.{verdict or 'open'}", name=t("alerts.host") if by == HOST else by, at=clock(at))
        for verdict, by, at in verdicts_on(alert)
    ]


def inform(model: CollaborationModel, adult: Adult, cleared: Collection[int]) -> None:
    """Tell the peers of a dialogue how it is today: whom they send somebody to, and what was a false alarm."""
    model.name_adult(adult.name, adult.reach, adult.line)
    model.cleared = frozenset(cleared)


def help_words(t: Words, adult: Adult) -> list[str]:
    """Return the words on whom people can go to, and the help line if there is one."""
    return _said(t, adult, ("nobody", "somebody", "somebody_at"))


def kind_words(t: Words, adult: Adult) -> list[str]:
    """The same for somebody who has just told of harm."""
    return [t("alerts.help.thanks"), *_said(t, adult, ("please_somebody", "please", "please_at"))]


def _said(t: Words, adult: Adult, keys: tuple[str, str, str]) -> list[str]:
    key = keys[0] if not adult.name else keys[2] if adult.reach else keys[1]
    said = t(f"alerts.help.{key}", name=adult.name, reach=adult.reach)
    return [said, *([t("alerts.help.line", line=adult.line)] if adult.line else [])]
