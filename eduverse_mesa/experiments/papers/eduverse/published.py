"""The numbers of the paper, each with the cell it stands in, and whether it may have been fitted.

Fitted: the policy's parameters were chosen with these numbers in sight (Chinese lessons in lecture and collab, and the
four sessions). Everything else is predicted: no such number stands among the targets, and none has moved a parameter.
It was no blind prediction, though: who wrote the rules and chose which parameters are free had read the paper
(docs/background/calibration.md says where that mattered).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers.eduverse.designs import ATTEMPTS, CHINESE, FACTORS, LAYOUTS, SESSIONS
from eduverse_mesa.experiments.papers.statements import Basis, Numbers, together
from eduverse_mesa.measures.bec import BEC_COLUMNS, overlap
from eduverse_mesa.measures.evolution import STATE_COLUMNS
from eduverse_mesa.measures.networks import CENTRALITY_COLUMNS, NETWORK_COLUMNS
from eduverse_mesa.measures.reference import load_reference
from eduverse_mesa.measures.tables import require_columns

Profiles = dict[tuple[str, str], dict[str, float]]
DIMENSIONS = {letter: tuple(name for name in BEC_COLUMNS if name.startswith(letter)) for letter in ("b", "e", "c")}
LAST_SESSION = 4


class Cell(NamedTuple):
    """The place of a number in the paper's tables."""

    variant: str
    layout: str
    genre: str
    session: int
    """The number of the lesson in its course; 0: over all sessions."""
    student: str
    """Empty: the whole class."""
    measure: str


def cell(layout: str, genre: str, measure: str, *, variant: str = "full", session: int = 1, student: str = "") -> Cell:
    """A cell, by what it mostly takes."""
    return Cell(variant, layout, genre, session, student, measure)


class Cells(Numbers[Cell]):
    """The numbers of a table of trials, by cell and seed; those of a task by batch of attempts."""

    def __init__(self, table: pd.DataFrame) -> None:
        super().__init__()
        if table.empty:
            return
        require_columns(table, [*FACTORS, "seed", "lesson", "step", "student", "measure", "value"], name="trials")
        tried = table["task"] != ""
        self._read_lessons(table[~tried & (table["lesson"] > 0) & (table["step"] == 0)])
        self._read_tasks(table[tried & (table["measure"] == "done")])
        self._add_gains()
        self._add_stability()

    def _read_lessons(self, rows: pd.DataFrame) -> None:
        names = ("variant", "layout", "genre", "lesson", "student", "measure", "seed", "value")
        for *place, seed, value in zip(*(rows[name].tolist() for name in names), strict=True):
            self.add(Cell(*place), seed, value)

    def _read_tasks(self, rows: pd.DataFrame) -> None:
        """Attempts in batches as large as the paper's. One that was broken off is none."""
        made: dict[tuple[Cell, int], list[float]] = {}
        names = ("variant", "layout", "genre", "task", "seed", "value")
        for variant, layout, genre, task, seed, value in zip(*(rows[name].tolist() for name in names), strict=True):
            place = Cell(variant, layout, genre, 0, "", f"task.{task}")
            made.setdefault((place, (seed - 1) // ATTEMPTS + 1), []).append(value)
        for (place, batch), done in made.items():
            if len(done) == ATTEMPTS:
                self.add(place, batch, fmean(done))

    def _add_gains(self) -> None:
        """Over four sessions: the class's mean share of positive states in the last, minus that in the first."""
        variants = dict.fromkeys(place.variant for place in self._found if place.genre == SESSIONS)
        for variant in variants:
            for state in STATE_COLUMNS:
                means: dict[int, dict[int, float]] = {}
                for session in range(1, LAST_SESSION + 1):
                    means[session] = self._class_mean(variant, session, f"evolution.{state}")
                    self._found[Cell(variant, "lecture", SESSIONS, session, "", f"evolution.{state}")] = means[session]
                first, last = means[1], means[LAST_SESSION]
                gained = {seed: last[seed] - first[seed] for seed in first if seed in last}
                self._found[Cell(variant, "lecture", SESSIONS, 0, "", f"delta_{state}")] = gained

    def _class_mean(self, variant: str, session: int, measure: str) -> dict[int, float]:
        parts = [
            values
            for place, values in self._found.items()
            if place.student
            and (place.variant, place.genre, place.session, place.measure) == (variant, SESSIONS, session, measure)
        ]
        return together(parts)

    def _add_stability(self) -> None:
        for layout in LAYOUTS:
            for letter, shares in DIMENSIONS.items():
                for seed, profiles in self._profiles(layout, shares).items():
                    for student, (own, others) in stability(profiles).items():
                        for value, suffix in ((own, ""), (others, "_others")):
                            place = Cell("full", layout, "", 0, student, f"stability.{letter}{suffix}")
                            self.add(place, seed, value)

    def _profiles(self, layout: str, shares: Sequence[str]) -> dict[int, Profiles]:
        """The shares of one dimension, by seed, genre and student."""
        found: dict[int, Profiles] = {}
        for place, values in self._found.items():
            share = place.measure.removeprefix("bec.")
            if not place.student or share not in shares or (place.variant, place.layout) != ("full", layout):
                continue
            if place.genre in CHINESE:
                for seed, value in values.items():
                    found.setdefault(seed, {}).setdefault((place.genre, place.student), {})[share] = value
        return found


def stability(profiles: Profiles) -> dict[str, tuple[float, float]]:
    """Return for each student how alike he or she stays in lessons of other genres, and how like the others in them.

    As measures.student_stability, which needs the steps: the shares that two profiles have in common, over all pairs.
    """
    own: dict[str, list[float]] = {}
    others: dict[str, list[float]] = {}
    for ((genre, student), one), ((other_genre, other_student), other) in combinations(profiles.items(), 2):
        if genre == other_genre:
            continue
        alike = overlap(one, other)
        for name in {student, other_student}:
            (own if student == other_student else others).setdefault(name, []).append(alike)
    return {name: (fmean(own[name]), fmean(others[name])) for name in own if name in others}


IRF = ("i", "r", "f", "irf")
COUNTS = frozenset({"steps", "network.nodes", "network.edges", "network.average_degree"})
"""Numbers that are no shares: their errors are not to be averaged with those of shares."""
FITTED_LAYOUTS = frozenset({"lecture", "collab"})

TABLES: Mapping[str, str] = MappingProxyType(
    {
        "irf": "Discourse (Tables A7 and 5)",
        "bec": "Behaviour, emotion, cognition (Table A9)",
        "ablations": "Without style, without stages (Table A10)",
        "networks": "Who talked with whom (Tables 2 and 6)",
        "centralities": "Who was in the middle (Tables 3 and A11)",
        "tasks": "A person in the class (Table A12)",
        "evolution": "Four sessions (Table A13)",
        "sessions": "Four sessions, class means (of Table A13)",
        "regulate": "Without regulation (Table 4)",
    }
)
TASKS: Mapping[str, str] = MappingProxyType(
    {
        "peer_chat": "chat_with_peer",
        "peer_academic_response": "ask_peer",
        "teacher_answering": "ask_teacher",
        "teacher_intervention": "be_noticed",
    }
)
"""The paper's four tasks by the names they have here."""
_GAINS = {"delta_b_pos": "delta_b_pos", "delta_e_pos": "delta_e_pos", "delta_c_pos": "delta_c_pos"} | {
    "delta_all": "delta_overall"
}


DERIVED = frozenset({"sessions"})
"""Tables that are means of another one: their cells are not counted once more."""


class Published(NamedTuple):
    """One number of the paper, and of the real class that it was laid beside where there is one."""

    table: str
    basis: Basis
    cell: Cell
    paper: float
    real: float = math.nan


@cache
def published() -> tuple[Published, ...]:
    """Every number of the paper's tables."""
    return tuple(
        row
        for read in (_irf, _bec, _networks, _centralities, _tasks, _evolution, _sessions, _regulate)
        for row in read()
    )


def reference(name: str) -> pd.DataFrame:
    """A table of the paper as it is printed."""
    return load_reference(files("eduverse_mesa.scenarios") / "reference" / f"{name}.csv")


@cache
def paper_values() -> Mapping[Cell, float]:
    """The paper's numbers by their cells."""
    return {row.cell: row.paper for row in published()}


def students() -> tuple[str, ...]:
    """The six, in the paper's order."""
    return tuple(dict.fromkeys(reference("evolution")["student"].tolist()))


@cache
def real_lessons() -> Mapping[str, Mapping[str, float]]:
    """Return the known numbers of the real lessons, by genre: steps, i, f and irf."""
    table = reference("irf")
    real = table[table["setting"] == "real"].set_index("genre")
    return {str(genre): {name: float(row[name]) for name in ("steps", *IRF)} for genre, row in real.iterrows()}


def _basis(layout: str, genre: str) -> Basis:
    return "fitted" if layout in FITTED_LAYOUTS and genre in CHINESE else "predicted"


def _irf() -> Iterator[Published]:
    real = real_lessons()
    for row in reference("irf").to_dict("records"):
        layout, genre = row["setting"], row["genre"]
        if layout == "real":
            continue
        for name in ("steps", *IRF):
            if math.isfinite(row[name]):
                place = cell(layout, genre, name if name == "steps" else f"irf.{name}")
                yield Published("irf", _basis(layout, genre), place, row[name], real[genre][name])


def _bec() -> Iterator[Published]:
    for row in reference("bec").to_dict("records"):
        variant, layout, genre = row["variant"], row["layout"], row["genre"]
        full = variant == "full"
        basis = _basis(layout, genre) if full else "predicted"
        for name in BEC_COLUMNS:
            place = cell(layout, genre, f"bec.{name}", variant=variant)
            yield Published("bec" if full else "ablations", basis, place, row[name])


def _networks() -> Iterator[Published]:
    for row in reference("networks").to_dict("records"):
        for name in NETWORK_COLUMNS:
            place = cell(row["layout"], row["genre"], f"network.{name}")
            yield Published("networks", "predicted", place, float(row[name]))


def _centralities() -> Iterator[Published]:
    for row in reference("centrality").to_dict("records"):
        for name in CENTRALITY_COLUMNS[1:]:
            place = cell(row["layout"], row["genre"], f"network.{name}", student=row["student"])
            yield Published("centralities", "predicted", place, float(row[name]))


def _tasks() -> Iterator[Published]:
    for row in reference("human_agent").to_dict("records"):
        for layout in LAYOUTS:
            place = cell(layout, "lyrical_prose", f"task.{TASKS[row['task']]}", session=0)
            yield Published("tasks", "predicted", place, row[layout])


def _evolution() -> Iterator[Published]:
    for row in reference("evolution").to_dict("records"):
        for name in STATE_COLUMNS:
            place = cell("lecture", SESSIONS, f"evolution.{name}", session=int(row["session"]), student=row["student"])
            yield Published("evolution", "fitted", place, row[name])


def _sessions() -> Iterator[Published]:
    for session, part in reference("evolution").groupby("session"):
        for name in STATE_COLUMNS:
            place = cell("lecture", SESSIONS, f"evolution.{name}", session=int(str(session)))
            yield Published("sessions", "fitted", place, float(part[name].mean()))


def _regulate() -> Iterator[Published]:
    for row in reference("regulate_ablation").to_dict("records"):
        full = row["variant"] == "full"
        for theirs, ours in _GAINS.items():
            place = cell("lecture", SESSIONS, ours, variant="full" if full else "noregulate", session=0)
            yield Published("regulate", "fitted" if full else "predicted", place, row[theirs])
