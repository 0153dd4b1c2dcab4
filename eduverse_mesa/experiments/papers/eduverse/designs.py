"""The trials of the paper's four experiments (EduVerse, section 4): lists of trials, and nothing else.

The class is the six students of appendix D.1 in every trial. A lesson that two experiments need is one trial: it has
the same factors in both, so that in one folder it is played once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.measurers import Row
from eduverse_mesa.experiments.trials import Level, Trial, trials_over
from eduverse_mesa.measures import peer_graph
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.human_tasks import TASKS
from eduverse_mesa.runs.tables import tables
from eduverse_mesa.scenarios import Scenario, load_scenario

LAYOUTS = ("lecture", "collab", "round")
CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "lyrical_prose": "spring_1",
        "argumentative_essay": "dedication_and_joy_1",
        "foreign_fiction": "emperors_new_clothes",
    }
)
HISTORY: Mapping[str, str] = MappingProxyType({"world_history": "renaissance"})
SESSIONS = "sessions"
"""In the place of the genre: four lessons in a row, two of prose and two of an essay."""
ABLATIONS = ("nolocal", "nocog")
FACTORS = ("variant", "layout", "genre", "task")

EXCHANGES = "eduverse_mesa.experiments.papers.measuring:exchanges"
"""The measurer below, by the name that kept trials have for it (measurers.MOVED)."""

ATTEMPTS = 15
"""Attempts at a task of which the paper gives the share that succeeded (Table A12)."""
SEEDS_A_BATCH = 5
"""For so many seeds, one batch of attempts in each cell: a batch takes about as long as five lessons do."""
DEFAULT_SEEDS = 50

Settings = Mapping[str, object]
Part = tuple[dict[str, Level], Scenario]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One of the four: what it asks, what it plays, and which of the paper's tables it is held against."""

    number: int
    title: str
    question: str
    tables: tuple[str, ...]
    make: Callable[[int, str, Settings], Iterator[Trial]]
    genres: tuple[str, ...]
    """Of these genres' rows; the lessons of others are played for a statement only."""

    def trials(self, seeds: int = DEFAULT_SEEDS, policy: str = "", settings: Settings | None = None) -> list[Trial]:
        """All that it plays: each lesson with the seeds from 1."""
        if seeds < 1:
            raise EduverseError(f"{seeds} seeds are none.", where="seeds", mend="Give 1 or more; an interval needs 2.")
        return list(self.make(seeds, policy, settings or {}))

    def shows(self, row: Any) -> bool:
        """Return True if a number of the paper belongs to it."""
        return row.table in self.tables and row.cell.genre in self.genres


def batches(seeds: int) -> int:
    """Return the number of batches of 15 attempts at each task and layout that go with so many seeds."""
    return max(2, math.ceil(seeds / SEEDS_A_BATCH)) if seeds > 1 else 1


def _lessons(
    genres: Mapping[str, str], layouts: Sequence[str], settings: Settings, variants: Sequence[str] = ("full",)
) -> Iterator[Part]:
    for variant in variants:
        for genre, lesson in genres.items():
            for layout in layouts:
                scenario = load_scenario(
                    None, layout=layout, lessons=[lesson], students="six", settings=_with(variant, settings)
                )
                yield _factors(variant, layout, genre), scenario


def _with(variant: str, settings: Settings) -> Settings:
    return settings if variant == "full" else {**settings, "ablation": [variant]}


def _factors(variant: str, layout: str, genre: str, task: str = "") -> dict[str, Level]:
    return {"variant": variant, "layout": layout, "genre": genre, "task": task}


def _over(parts: Sequence[Part], seeds: int, policy: str) -> Iterator[Trial]:
    return trials_over(parts, range(1, seeds + 1), policy=policy, measure=("lessons", EXCHANGES))


def _environments(seeds: int, policy: str, settings: Settings) -> Iterator[Trial]:
    parts = [
        *_lessons(CHINESE, LAYOUTS, settings),
        *_lessons(CHINESE, ("lecture",), settings, ABLATIONS),
    ]
    return _over(parts, seeds, policy)


def _interaction(seeds: int, policy: str, settings: Settings) -> Iterator[Trial]:
    yield from _over([*_lessons(CHINESE, LAYOUTS, settings), *_lessons(HISTORY, LAYOUTS, settings)], seeds, policy)
    # The paper does not say in which lesson the person sat; here it is the first.
    genre = "lyrical_prose"
    rooms = {
        layout: load_scenario(None, layout=layout, lessons=[CHINESE[genre]], students="six", settings=settings)
        for layout in LAYOUTS
    }
    for task in TASKS:
        parts = [(_factors("full", layout, genre, task), scenario) for layout, scenario in rooms.items()]
        yield from trials_over(parts, range(1, ATTEMPTS * batches(seeds) + 1), policy=policy, task=task)


def _evolution(seeds: int, policy: str, settings: Settings) -> Iterator[Trial]:
    parts = [
        (
            _factors(variant, "lecture", SESSIONS),
            load_scenario("four_sessions", students="six", settings=_with(variant, settings)),
        )
        for variant in ("full", "noregulate")
    ]
    return _over(parts, seeds, policy)


def _history(seeds: int, policy: str, settings: Settings) -> Iterator[Trial]:
    return _over([*_lessons(HISTORY, LAYOUTS, settings), *_lessons(CHINESE, LAYOUTS, settings)], seeds, policy)


EXPERIMENTS: Mapping[int, Experiment] = MappingProxyType(
    {
        1: Experiment(
            1,
            "Environments",
            "What do three layouts do to three genres of lessons, and what do style and thinking in stages do?",
            ("irf", "bec", "ablations"),
            _environments,
            tuple(CHINESE),
        ),
        2: Experiment(
            2,
            "Interaction",
            "Who talks with whom, who is in the middle of it, and does a person who sits in get what it wants?",
            ("networks", "centralities", "tasks"),
            _interaction,
            (*CHINESE, *HISTORY),
        ),
        3: Experiment(
            3,
            "Evolution",
            "How do students change over four lessons in a row, and what does regulating themselves do to it?",
            ("evolution", "sessions", "regulate"),
            _evolution,
            (SESSIONS,),
        ),
        4: Experiment(
            4,
            "Another subject",
            "What becomes of a history lesson, with the same class and nothing retuned?",
            ("irf", "networks"),
            _history,
            tuple(HISTORY),
        ),
    }
)


def experiments(which: str) -> tuple[Experiment, ...]:
    """The experiments that a user names: a number, or all."""
    if which == "all":
        return tuple(EXPERIMENTS.values())
    if which.isdecimal() and int(which) in EXPERIMENTS:
        return (EXPERIMENTS[int(which)],)
    raise EduverseError(f"there is no experiment '{which[:40]}'.", where="experiment", mend="Name 1, 2, 3, 4 or all.")


def all_trials(
    chosen: Sequence[Experiment], seeds: int, policy: str = "", settings: Settings | None = None
) -> list[Trial]:
    """The trials of some experiments, each once."""
    found = (trial for one in chosen for trial in one.trials(seeds, policy, settings))
    return list({trial.key: trial for trial in found}.values())


EXCHANGE = "exchange."


def exchanges(run: Run) -> Iterator[Row]:
    """Of each lesson the accepted exchanges, by who asked whom."""
    for played in run.lessons:
        graph = peer_graph(tables([played.model]).requests)
        for sender, receiver in graph.edges:
            times = float(graph.edges[sender, receiver]["weight"])
            yield Row(played.number, 0, sender, f"{EXCHANGE}{receiver}", times)
