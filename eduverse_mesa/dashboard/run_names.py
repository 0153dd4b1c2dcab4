"""How a run is told on a page: by its title, else by what was taught in it; and how it stands."""

from __future__ import annotations

from datetime import UTC, datetime

from eduverse_mesa.dashboard.elements import chip
from eduverse_mesa.runs.studies import RunCard
from eduverse_mesa.store.run_list import QUIET
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import short_title_of, title_of

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
    if card.row.kind == "collaboration":
        return title_of("problem", plan.problem, t) or card.id
    if len(plan.lessons) == 1:
        return title_of("lesson", plan.lessons[0], t) or card.id
    return title_of("scenario", plan.scenario, t) or card.id


def run_place(card: RunCard, t: Words) -> str:
    """The layout in which it was played, for short; of learners with their tutors, and of a group, who they are."""
    if card.row.kind == "tutoring":
        return title_of("cohort", card.plan.cohort, t)
    if card.row.kind == "collaboration":
        return t.names(card.plan.peers)
    return short_title_of("layout", card.plan.layout, t)


def told_origin(card: RunCard, t: Words) -> str:
    """Return the origin of a run in words for its kind; empty if it comes from no other."""
    row = card.row
    if row.parent is None or row.forked_at is None:
        return ""
    lesson, step = row.forked_at
    key = {"tutoring": "goes_on", "collaboration": "fork_said"}.get(row.kind, "fork")
    return t(f"studies.list.{key}", run=row.parent, lesson=lesson, step=step)


def standing(card: RunCard, now: datetime | None = None) -> str:
    """How a run stands: one of STANDINGS."""
    if card.row.status != "running":
        return card.row.status
    quiet = (now or datetime.now(UTC)) - datetime.fromisoformat(card.row.updated)
    return "left" if quiet >= QUIET else "running"


def standing_chip(card: RunCard, t: Words) -> Tree:
    """How a run stands, in a word."""
    stands = standing(card)
    return chip(t(f"studies.standing.{stands}"), _CHIPS[stands])
