"""The numbers of the paper, each with the cell it stands in, and whether it may have been fitted.

Fitted: the policy's parameters were chosen with these numbers in sight (Chinese lessons in lecture and collab, and the
four sessions). Everything else is predicted: no such number stands among the targets, and none has moved a parameter.
It was no blind prediction, though: who wrote the rules and chose which parameters are free had read the paper
(docs/background/calibration.md says where that mattered).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers.cells import Cell, cell
from eduverse_mesa.experiments.papers.designs import CHINESE, LAYOUTS, SESSIONS
from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.evolution import STATE_COLUMNS
from eduverse_mesa.measures.networks import CENTRALITY_COLUMNS, NETWORK_COLUMNS
from eduverse_mesa.measures.reference import load_reference

Basis = Literal["fitted", "predicted"]
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
    """What is known of the real lessons, by genre: steps, i, f and irf."""
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
