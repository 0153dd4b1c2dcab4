"""The data of a report: a run's tables and room, with its warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from eduverse_mesa.visualization.words import DEFAULT, Words, load_words


@dataclass(frozen=True)
class Room:
    """The room as it is drawn: things and seats with x, y, kind and name; edges of the seat graph."""

    width: int
    height: int
    things: list[dict[str, Any]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class RunTables:
    """A run, ready to be shown."""

    title: str
    facts: dict[str, str]
    results: dict[str, Any]
    sentences: pd.DataFrame
    student_steps: pd.DataFrame
    teacher_steps: pd.DataFrame
    requests: pd.DataFrame
    rejections: pd.DataFrame
    room: Room
    command: str = ""
    """The command line that makes the same run again."""
    language: str = DEFAULT
    """In which language it is told of."""

    @property
    def warnings(self) -> list[str]:
        """Why what follows is to be read with care: answers that did not come, wishes that gave way too often."""
        outcomes = self.results["outcomes"]
        failed, fallback = outcomes.get("failed", 0), outcomes.get("fallback", 0)
        t = load_words(self.language)
        answers = t("report.unsure", failed=failed, fallback=fallback)
        return [
            *([answers] if failed or fallback else []),
            *wish_warnings(self.results, t),
            *name_warnings(self.results, t),
        ]


def wish_warnings(results: Mapping[str, Any], t: Words) -> list[str]:
    """The warnings of a run's document about policies whose wishes gave way."""
    return [_gave_way(one, t) for one in results["wishes"] if one["warning"]]


def name_warnings(results: Mapping[str, Any], t: Words) -> list[str]:
    """The warnings of a run's document about models that have answered under several names."""
    use = results.get("models", {})
    first = {one["model"]: one["first"] for one in use.get("named", ())}
    return [
        t(
            "report.renamed",
            asked=asked,
            names=t.listed(
                t("report.name_from", name=name, place=first[name]) if name in first else name for name in names
            ),
        )
        for asked, names in use.get("renamed", {}).items()
    ]


def _gave_way(one: Mapping[str, Any], t: Words) -> str:
    """Return a warning about a policy whose wishes gave way: how many, and to what most often."""
    (most, *_) = one["reasons"]
    return t(
        "report.gave_way",
        policy=one["policy"],
        n=one["gave_way"],
        wishes=one["wishes"],
        share=f"{one['share']:.0%}",
        wanted=t.code(most["wanted"]),
        instead=t.code(most["replaced_by"]),
        count=most["count"],
    )
