"""Colours: Okabe and Ito's set, which the colour-blind can tell apart; one colour for one meaning everywhere."""

from __future__ import annotations

ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#8A8A8A"

# Colours of levels, by their names among the measures.
BEHAVIOUR = {"offtask": VERMILION, "passive": GREY, "active": SKY, "interactive": BLUE}
EMOTION = {"positive": GREEN, "confused": ORANGE, "negative": VERMILION}
COGNITION = {"low": GREY, "high": PURPLE}
LEVEL = {"behaviour": BEHAVIOUR, "emotion": EMOTION, "cognition": COGNITION}

PHASE = {
    "introduction": SKY,
    "instruction": BLUE,
    "consolidation": GREEN,
    "practice": ORANGE,
    "summary": PURPLE,
}
DISCOURSE = {"initiation": BLUE, "response": GREEN, "feedback": ORANGE}
ROLE = {"teacher": PURPLE, "student": BLUE}
EXCHANGE = ORANGE

# One colour a student, as long as there are enough. The set's black and yellow are left out: one is lost on a dark
# page, the other on a light one.
SERIES = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, GREY)
