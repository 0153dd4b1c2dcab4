"""What a run is called on a page: by its title, else by what was taught in it."""

from __future__ import annotations

from eduverse_mesa.runs.managing import RunCard
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import short_title_of, title_of


def run_name(card: RunCard, t: Words) -> str:
    """The title that somebody gave it, else that of its lesson, or of its course."""
    plan = card.plan
    if card.row.title:
        return card.row.title
    if len(plan.lessons) == 1:
        return title_of("lesson", plan.lessons[0], t) or card.id
    return title_of("scenario", plan.scenario, t) or card.id


def run_place(card: RunCard, t: Words) -> str:
    """The layout in which it was played, for short."""
    return short_title_of("layout", card.plan.layout, t)
