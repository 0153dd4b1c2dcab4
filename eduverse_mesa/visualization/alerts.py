"""How calls for help are told: as much of each as a page shows, and whom people can go to."""

from __future__ import annotations

from eduverse_mesa.store.alerts import Adult
from eduverse_mesa.visualization.words import Words

SHOWN = 3
"""Alerts that stand over a page; the others are counted."""
_LONGEST = 240


def cut(text: str) -> str:
    """As much of it as stands over a page."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def help_words(t: Words, adult: Adult) -> list[str]:
    """Whom people can go to, and the help line where there is one."""
    return _said(t, adult, ("nobody", "somebody", "somebody_at"))


def kind_words(t: Words, adult: Adult) -> list[str]:
    """The same for somebody who has just told of harm."""
    return [t("alerts.help.thanks"), *_said(t, adult, ("please_somebody", "please", "please_at"))]


def _said(t: Words, adult: Adult, keys: tuple[str, str, str]) -> list[str]:
    key = keys[0] if not adult.name else keys[2] if adult.reach else keys[1]
    said = t(f"alerts.help.{key}", name=adult.name, reach=adult.reach)
    return [said, *([t("alerts.help.line", line=adult.line)] if adult.line else [])]
