"""How a run is told on a page: by its title, else by what was taught in it; and how it stands."""

from __future__ import annotations

from datetime import UTC, datetime

from eduverse_mesa.runs.managing import RunCard
from eduverse_mesa.store.managing import QUIET
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import short_title_of, title_of

STANDINGS = ("running", "complete", "interrupted", "failed", "left")
"""How a run stands. `left`: it is said to be running, and nothing was written to it for long."""
_CHIPS = {"running": "is-run", "complete": "is-ok", "interrupted": "is-warn", "failed": "is-bad", "left": "is-warn"}


def run_name(card: RunCard, t: Words) -> str:
    """The title that somebody gave it, else that of its lesson, or of its course."""
    plan = card.plan
    if card.row.title:
        return card.row.title
    if card.row.kind == "tutoring":
        return title_of("curriculum", plan.curriculum, t) or card.id
    if len(plan.lessons) == 1:
        return title_of("lesson", plan.lessons[0], t) or card.id
    return title_of("scenario", plan.scenario, t) or card.id


def run_place(card: RunCard, t: Words) -> str:
    """The layout in which it was played, for short; of learners with their tutors, who they are."""
    if card.row.kind == "tutoring":
        return title_of("cohort", card.plan.cohort, t)
    return short_title_of("layout", card.plan.layout, t)


def standing(card: RunCard, now: datetime | None = None) -> str:
    """How a run stands: one of STANDINGS."""
    if card.row.status != "running":
        return card.row.status
    quiet = (now or datetime.now(UTC)) - datetime.fromisoformat(card.row.updated)
    return "left" if quiet >= QUIET else "running"


def standing_chip(card: RunCard, t: Words) -> Tree:
    """How a run stands, in a word."""
    stands = standing(card)
    return ["span", {"class": f"ev-chip {_CHIPS[stands]}"}, t(f"studies.standing.{stands}")]


def clock(stamp: str) -> str:
    """A point in time, as the server's clocks show it."""
    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M") if stamp else "–"
