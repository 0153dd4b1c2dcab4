"""Courses: one or more lessons of a class."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from eduverse_mesa.experiments.measurers import Measurer, lessons, steps, talk
from eduverse_mesa.experiments.subjects.subject import Exchange, counted, named, own_file
from eduverse_mesa.runs.estimating import Estimate, estimate_run
from eduverse_mesa.runs.in_memory import run_course
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import count_outcomes
from eduverse_mesa.scenarios import Scenario, fingerprint
from eduverse_mesa.scenarios.includes import Written
from eduverse_mesa.scenarios.library import Kind, find
from eduverse_mesa.scenarios.loading import load_scenario
from eduverse_mesa.scenarios.scenario import Settings

_KINDS: dict[str, Kind] = {"layout": "layout", "lesson": "lesson", "students": "class"}


def _lesson(level: object) -> bool:
    return named(level) or (isinstance(level, list) and bool(level) and all(map(named, level)))


class Courses:
    """What the built-in scenarios are."""

    kind: Kind = "scenario"
    exchanges: Mapping[str, Exchange] = {
        "layout": Exchange(named, "the name of a layout or a path"),
        "lesson": Exchange(_lesson, "the name of a lesson or a path, or a list of them"),
        "students": Exchange(
            lambda level: counted(level) or named(level), "the name of a class, a path, or a number", counts=True
        ),
        "sessions": Exchange(counted, "a number of lessons", counts=True),
    }
    measurers: Mapping[str, Measurer] = {"lessons": lessons, "talk": talk, "steps": steps}
    usual: tuple[str, ...] = ("lessons",)

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Scenario:
        """What lies beside the file is meant before what is built in."""
        options = {name: _part(name, level, beside) for name, level in parts.items() if name != "lesson"}
        if "lesson" in parts:
            several = parts["lesson"] if isinstance(parts["lesson"], list) else [parts["lesson"]]
            options["lessons"] = [_part("lesson", one, beside) for one in several]
        return load_scenario(base, settings=settings, **options)

    def settings(self, whole: Scenario) -> Settings:
        """Those of its lessons."""
        return whole.settings

    def with_settings(self, whole: Scenario, settings: Settings) -> Scenario:
        """The same class with other rules."""
        return whole.model_copy(update={"settings": settings})

    def people(self, whole: Scenario) -> Collection[str]:
        """Teacher and students."""
        return whole.people

    def fingerprint(self, whole: Scenario) -> str:
        """That of studies."""
        return fingerprint(whole)

    def text(self, whole: Scenario) -> str:
        """The scenario."""
        return scenario_text(whole)

    def read(self, text: str) -> Scenario:
        """The scenario again."""
        return scenario_of(text)

    def play(self, whole: Scenario, seed: int, policy: str | None) -> Run:
        """All its lessons."""
        return run_course(whole, seed, policy)

    def estimate(self, whole: Scenario, seed: int, policy: str | None) -> Estimate:
        """Of all its lessons."""
        return estimate_run(whole, seed, policy or whole.settings.policy, whole.settings.llm.fidelity)

    def failed(self, run: Run) -> int:
        """Of teacher and students."""
        return count_outcomes(run)["failed"]


def _part(name: str, level: Any, beside: Path) -> Any:
    if not isinstance(level, str):
        return level
    found = find(_KINDS[name], level, beside, where=f"{name} {level}")
    return own_file(found) or level


def scenario_text(scenario: Scenario) -> str:
    """A scenario as a trial carries it."""
    return scenario.model_dump_json(by_alias=True)


@lru_cache(maxsize=64)
def scenario_of(text: str) -> Scenario:
    """The scenario of a trial. Who sends a trial has checked it; here only its form is."""
    return Scenario.model_validate_json(text)
