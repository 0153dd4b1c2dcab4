"""Findings of the dialogues: numbers beside the paper's, and the purpose of stages and schemas as statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf
from typing import Any, Literal, NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers import statements
from eduverse_mesa.experiments.papers.mathvc.dialogues import ARMS, Arm, Tables
from eduverse_mesa.experiments.papers.statements import Basis, Numbers, judged
from eduverse_mesa.measures.groups import NUMBERS, SHARES, dialogue_numbers
from eduverse_mesa.measures.intervals import SHARE, UNBOUNDED, Bounds, Interval
from eduverse_mesa.measures.reference import load_reference
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.models.groups import STAGES
from eduverse_mesa.policies.registry import policy_parts, who_answers

StatementBasis = Literal["by construction", "simulated"]
_FITTED = frozenset({("student", "person share")})
"""By parameters/peer.yaml: `invite.person` was chosen so that people say as much as the paper's did."""
_CANNED = frozenset({"shorter", "flawless", "wordy"})
"""The embedded policy's plain chat says the solution, says it again and closes: these hold before it is played."""


def basis_of(arm: str, measure: str, paper: float | None, policy: str) -> Basis | None:
    """Return "fitted" if a parameter of the embedded policy, where it has a say, was fitted to the paper's number, else
    "predicted"; None if the paper has no number."""
    if paper is None:
        return None
    return "fitted" if (arm, measure) in _FITTED and "embedded" in _asked(policy, "invite") else "predicted"


def basis_of_statement(statement: str, policy: str) -> StatementBasis:
    """Return "by construction" if a statement could not come out in another way, else "simulated"."""
    return "by construction" if statement in _CANNED and "embedded" in _asked(policy, "chat") else "simulated"


def _asked(policy: str, kind: str) -> set[str]:
    """Return the policies that are asked for a kind of decision: agents' own, and the kind's."""
    own = {name for who, name in policy_parts(policy or "embedded").items() if who.startswith("@")}
    return own | {who_answers(policy or "embedded", kind)}


KEY = ("dialogue", "problem", "arm", "seed")


class Cell(NamedTuple):
    """A measure of the dialogues of an arm."""

    arm: Arm
    measure: str


class Cells(Numbers[Cell]):
    """The numbers of a table of dialogues: the mean over the problems of each seed."""

    def __init__(self, by_dialogue: pd.DataFrame) -> None:
        super().__init__()
        by_seed = by_dialogue.groupby(["arm", "seed"])[list(_MEASURES)].mean()
        for (arm, seed), row in zip(by_seed.index.tolist(), by_seed.to_dict("records"), strict=True):
            for name, value in row.items():
                self.add(Cell(arm, str(name)), seed, value)

    def bounds(self, place: Cell) -> Bounds:
        """The least and the most that a number of a cell can be."""
        return SHARE if place.measure in _OF_SHARES else UNBOUNDED


class Published(NamedTuple):
    """A measure, with the paper's number where it reports one, and whether a parameter was fitted to that."""

    cell: Cell
    paper: float | None
    basis: Basis | None


Compared = statements.Compared[Published]
Judged = statements.Judged[Cell]
Statement = statements.Statement[Cell]


def _says(
    name: str, text: str, arm: Arm | Literal["difference"], measure: str, *, least: float = -inf, most: float = inf
) -> Statement:
    """Return the statement that the mean of a measure lies between two bounds; the difference is full minus vanilla."""
    cells = (Cell("full" if arm == "difference" else arm, measure),)
    minus = (Cell("vanilla", measure),) if arm == "difference" else ()
    return Statement(name, 1, text, (statements.Check(f"{measure} ({arm})", cells, minus, least, most),))


_ALL, _NONE = 0.999, 0.001
_LEAST_TURNS, _MOST_TURNS = 10, 22
"""Around the paper's 15.5."""
STATEMENTS = (
    _says("order", "Every dialogue closes all five stages, in order.", "full", "in order", least=_ALL),
    _says("errs", "The peer of limited skill is the first to err.", "full", "limited errs first", least=0.9),
    _says("corrected", "Errors are corrected before the end.", "full", "all corrected", least=0.5),
    _says("turns", "A problem takes 10 to 22 turns.", "full", "turns", least=_LEAST_TURNS, most=_MOST_TURNS),
    _says("fresh", "No message is said twice in a dialogue.", "full", "repeated", most=_NONE),
    _says("solved", "The group agrees on the right answer.", "full", "right", least=0.9),
    _says("shorter", "Without stages and schemas dialogues are shorter.", "difference", "turns", least=1),
    _says("flawless", "Without schemas the limited peer makes no mistake.", "vanilla", "limited errs", most=_NONE),
    _says("wordy", "Without acts messages are longer.", "difference", "words per message", most=-1),
)


@dataclass(frozen=True)
class Findings(statements.Findings[Any, Cells, Compared]):
    """The results of all dialogues."""

    @property
    def numbers(self) -> dict[Cell, Compared]:
        """Every measure of every arm."""
        return {one.published.cell: one for one in self.compared}


@cache
def published() -> Mapping[str, float]:
    """The paper's numbers by name."""
    table = load_reference(files("eduverse_mesa.scenarios") / "reference" / "mathvc.csv")
    return dict(zip(table["metric"], table["value"].astype(float), strict=True))


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def find(tables: Tables, policy: str = "embedded") -> Findings:
    """Return the findings from the tables."""
    by_dialogue = measure(tables)
    cells = Cells(by_dialogue)
    places = [Cell(arm, name) for arm in ARMS for name in _MEASURES]
    return Findings(
        experiments=(),
        policy=policy,
        table=by_dialogue,
        cells=cells,
        compared=[Compared(_published(place, policy), cells.of(place), cells.interval(place)) for place in places],
        judged=[judged(statement, cells) for statement in STATEMENTS],
        answers=tables.answers,
    )


def _published(place: Cell, policy: str) -> Published:
    paper = _paper(place)
    return Published(place, paper, basis_of(*place, paper, policy))


_FITTING = f"{_LEAST_TURNS} to {_MOST_TURNS} turns"
_OF_SHARES = frozenset({_FITTING, *map(_spoken, SHARES)})
_MEASURES = (*(_spoken(name) for name in NUMBERS), _FITTING)


def measure(tables: Tables) -> pd.DataFrame:
    """A row a dialogue with all of its numbers."""
    found = dialogue_numbers(tables.messages, tables.errors, tables.ends, tuple(STAGES), KEY).rename(columns=_spoken)
    found[_FITTING] = found["turns"].between(_LEAST_TURNS, _MOST_TURNS).astype(float)
    return found


def _paper(place: Cell) -> float | None:
    """The paper's number, beside what is counted in the same way: its groups had a student."""
    known, (arm, name) = published(), place
    if arm == "student":
        return {
            "turns": known["turns_per_problem"],
            "person share": known["student_messages"] / known["messages"],
            "limited share": known["alice_messages"] / known["messages"],
        }.get(name)
    if arm == "full":
        peers = known["alice_messages"] + known["bob_messages"]
        return {"turns": known["turns_per_problem"], "limited share": known["alice_messages"] / peers}.get(name)
    return None


def document(found: Findings) -> dict[str, Any]:
    """Return the findings as plain data, for a program to read."""
    numbers, told = numbers_table(found.compared), judged_table(found)
    made: dict[str, Any] = plain(
        {
            "seeds": found.seeds,
            "policy": found.policy,
            "dialogues": len(found.table),
            "answers": found.answers,
            "numbers": numbers.to_dict("records"),
            "statements": told.drop(columns=["least", "most"]).rename(columns={"statement": "id"}).to_dict("records"),
        }
    )
    return made


def numbers_table(numbers: Iterable[Compared]) -> pd.DataFrame:
    """Return the numbers as a tidy table."""
    rows = [(*one.published.cell, *one.value, one.published.paper, one.published.basis) for one in numbers]
    return pd.DataFrame(rows, columns=["arm", "measure", *Interval._fields, "paper", "basis"])


def judged_table(found: Findings) -> pd.DataFrame:
    """Return the judged statements as a tidy table."""
    rows = []
    for one in found.judged:
        [part] = one.found
        check = part.check
        numbers = (*part.value, check.least, check.most, paper_of(check))
        told = (one.verdict, basis_of_statement(one.statement.id, found.policy))
        rows.append((one.statement.id, one.statement.text, check.name, *numbers, *told))
    columns = ["statement", "text", "measure", *Interval._fields, "least", "most", "paper", "verdict", "basis"]
    return pd.DataFrame(rows, columns=columns)


def paper_of(check: statements.Check[Cell]) -> float | None:
    """Return the paper's number beside a check; None of a difference, since it had no such arms."""
    return None if check.minus else _paper(check.cells[0])
