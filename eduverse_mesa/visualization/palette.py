"""Colours: Okabe and Ito's set, which the colour-blind can tell apart; one colour for one meaning everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eduverse_mesa.vocabulary import PHASES

ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#8A8A8A"

BEHAVIOUR = {"offtask": VERMILION, "passive": GREY, "active": SKY, "interactive": BLUE}
EMOTION = {"positive": GREEN, "confused": ORANGE, "negative": VERMILION}
COGNITION = {"low": GREY, "high": PURPLE}
DISCOURSE = {"I": BLUE, "R": GREEN, "F": ORANGE}
REQUEST = {"accepted": GREEN, "rejected": VERMILION, "pending": GREY}
ROOM = {"student": BLUE, "teacher": VERMILION}
SERIES = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, YELLOW, GREY)
ARMS = ("#2B87C8", ORANGE, GREEN, PURPLE)
"""Runs, or groups of runs, that are compared. The blue is one that can be seen on a dark page as well."""


def in_turn(names: Iterable[str], colours: Sequence[str] = ARMS) -> dict[str, str]:
    """A colour for each name; where names are more than colours, they begin anew."""
    return {name: colours[place % len(colours)] for place, name in enumerate(names)}


PHASE = in_turn(PHASES, (SKY, BLUE, GREEN, ORANGE, PURPLE, YELLOW, VERMILION, GREY))
