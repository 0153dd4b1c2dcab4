"""Findings of the dialogues: numbers beside the paper's, and the purpose of stages and schemas as statements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers.eduverse.published import Basis
from eduverse_mesa.experiments.papers.mathvc.dialogues import ARMS, Tables
from eduverse_mesa.experiments.verdicts import Verdict, verdict_of
from eduverse_mesa.measures.groups import NUMBERS, SHARES, dialogue_numbers
from eduverse_mesa.measures.intervals import Interval, mean_interval, share_interval
from eduverse_mesa.measures.reference import load_reference
from eduverse_mesa.models.groups import STAGES
from eduverse_mesa.policies.registry import GROUPS, policy_parts

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
    """Return the policies that are asked for a kind of decision: agents' own, and the kind's or its group's or that of
    the rest."""
    parts = policy_parts(policy or "embedded")
    group = next(name for name, kinds in GROUPS.items() if kind in kinds)
    own = {name for who, name in parts.items() if who.startswith("@")}
    return own | {parts.get(kind, parts.get(group, parts["rest"]))}


KEY = ("dialogue", "problem", "arm", "seed")


class Number(NamedTuple):
    """A measure of ours, with the paper's where it reports one."""

    arm: str
    measure: str
    ours: Interval
    paper: float | None
    basis: Basis | None


class Judged(NamedTuple):
    """A statement, and what our dialogues say to it."""

    id: str
    text: str
    measure: str
    ours: Interval
    least: float
    most: float
    paper: float | None
    verdict: Verdict
    basis: StatementBasis


class Statement(NamedTuple):
    """Something that has to show: the mean of a measure lies between two bounds. The arm "difference" is full minus
    vanilla."""

    id: str
    text: str
    arm: str
    measure: str
    least: float = -math.inf
    most: float = math.inf


_ALL, _NONE = 0.999, 0.001
_LEAST_TURNS, _MOST_TURNS = 10, 22
"""Around the paper's 15.5."""
STATEMENTS = (
    Statement("order", "Every dialogue closes all five stages, in order.", "full", "in order", least=_ALL),
    Statement("errs", "The peer of limited skill is the first to err.", "full", "limited errs first", least=0.9),
    Statement("corrected", "Errors are corrected before the end.", "full", "all corrected", least=0.5),
    Statement("turns", "A problem takes 10 to 22 turns.", "full", "turns", least=_LEAST_TURNS, most=_MOST_TURNS),
    Statement("fresh", "No message is said twice in a dialogue.", "full", "repeated", most=_NONE),
    Statement("solved", "The group agrees on the right answer.", "full", "right", least=0.9),
    Statement("shorter", "Without stages and schemas dialogues are shorter.", "difference", "turns", least=1),
    Statement("flawless", "Without schemas the limited peer makes no mistake.", "vanilla", "limited errs", most=_NONE),
    Statement("wordy", "Without acts messages are longer.", "difference", "words per message", most=-1),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of all dialogues."""

    seeds: int
    policy: str
    by_dialogue: pd.DataFrame
    numbers: list[Number]
    judged: list[Judged]
    answers: dict[str, int]


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
    by_seed = by_dialogue.groupby(["arm", "seed"])[list(_MEASURES)].mean()
    numbers = [
        Number(
            arm,
            name,
            _interval(_by_seed(by_seed, arm, name), arm, name),
            paper := _paper(arm, name),
            basis_of(arm, name, paper, policy),
        )
        for arm in ARMS
        for name in _MEASURES
    ]
    judged = [_judge(one, by_seed, policy) for one in STATEMENTS]
    seeds = int(by_dialogue["seed"].nunique())
    return Findings(seeds, policy, by_dialogue, numbers, judged, tables.answers)


_FITTING = f"{_LEAST_TURNS} to {_MOST_TURNS} turns"
_OF_SHARES = frozenset({_FITTING, *map(_spoken, SHARES)})
_MEASURES = (*(_spoken(name) for name in NUMBERS), _FITTING)


def measure(tables: Tables) -> pd.DataFrame:
    """A row a dialogue with all of its numbers."""
    found = dialogue_numbers(tables.messages, tables.errors, tables.ends, tuple(STAGES), KEY).rename(columns=_spoken)
    found[_FITTING] = found["turns"].between(_LEAST_TURNS, _MOST_TURNS).astype(float)
    return found


def _by_seed(by_seed: pd.DataFrame, arm: str, name: str) -> list[float]:
    values = by_seed[name].unstack("arm")
    column = values["full"] - values["vanilla"] if arm == "difference" else values[arm]
    return [float(value) for value in column.dropna()]


def _interval(values: list[float], arm: str, name: str) -> Interval:
    """A difference of shares is none."""
    return share_interval(values) if name in _OF_SHARES and arm != "difference" else mean_interval(values)


def _paper(arm: str, name: str) -> float | None:
    """The paper's number, beside what is counted in the same way: its groups had a student."""
    known = published()
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


def _judge(one: Statement, by_seed: pd.DataFrame, policy: str) -> Judged:
    ours = _interval(_by_seed(by_seed, one.arm, one.measure), one.arm, one.measure)
    verdict = verdict_of(ours, one.least, one.most)
    called = f"{one.measure} ({one.arm})"
    paper = _paper(one.arm, one.measure)
    basis = basis_of_statement(one.id, policy)
    return Judged(
        id=one.id,
        text=one.text,
        measure=called,
        ours=ours,
        least=one.least,
        most=one.most,
        paper=paper,
        verdict=verdict,
        basis=basis,
    )


def document(found: Findings) -> dict[str, Any]:
    """Return the findings as plain data, for a program to read."""
    return {
        "seeds": found.seeds,
        "policy": found.policy,
        "dialogues": len(found.by_dialogue),
        "answers": found.answers,
        "numbers": [
            {
                "arm": one.arm,
                "measure": one.measure,
                **_plain(one.ours),
                "paper": one.paper,
                "basis": one.basis,
            }
            for one in found.numbers
        ],
        "statements": [
            {
                "id": one.id,
                "text": one.text,
                "measure": one.measure,
                **_plain(one.ours),
                "paper": one.paper,
                "verdict": one.verdict,
                "basis": one.basis,
            }
            for one in found.judged
        ],
    }


def _plain(ours: Interval) -> dict[str, float | int | None]:
    return {name: value if math.isfinite(value) else None for name, value in ours._asdict().items()}


def numbers_table(numbers: Iterable[Number]) -> pd.DataFrame:
    """Return the numbers as a tidy table."""
    rows = [(one.arm, one.measure, *one.ours, one.paper, one.basis) for one in numbers]
    return pd.DataFrame(rows, columns=["arm", "measure", *Interval._fields, "paper", "basis"])


def judged_table(judged: Iterable[Judged]) -> pd.DataFrame:
    """Return the judged statements as a tidy table."""
    rows = [
        (one.id, one.text, one.measure, *one.ours, one.least, one.most, one.paper, one.verdict, one.basis)
        for one in judged
    ]
    columns = ["statement", "text", "measure", *Interval._fields, "least", "most", "paper", "verdict", "basis"]
    return pd.DataFrame(rows, columns=columns)
