"""What is to be taught, to whom and how, as it was chosen on the page."""

from __future__ import annotations

from functools import cache

import msgspec

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.scenarios.teaching import load_tutoring
from eduverse_mesa.scenarios.tutoring import Arm, Law, Tutoring

MOST_LEARNERS = 30
"""Learners that are taught at once from a page; a command teaches as many as there are."""
MOST_VISITS = 12
SAMPLED = ""
"""No cohort by its name: learners are drawn."""


class Plan(msgspec.Struct, frozen=True):
    """A cohort and how it is taught."""

    cohort: str = "three_profiles"
    learners: int = 6
    """How many are drawn, where the cohort is none of the built-in ones."""
    curriculum: str = "ngss_1_5"
    first: int = 1
    last: int = 2
    visits: int = 5
    law: Law = "episodes"
    arm: Arm = "full"
    seed: int = 1

    def load(self) -> Tutoring:
        """The document of it. Only what is built in can be named: a page, or a file from a browser, reads no others."""
        self._check()
        drawn = self.cohort == SAMPLED
        settings: dict[str, object] = {
            "grades": f"[{self.first}, {self.last}]",
            "visits": self.visits,
            "memory.law": self.law,
            "arm": self.arm,
            **({"cohort.sample.seed": self.seed} if drawn else {}),
        }
        return load_tutoring(
            curriculum=self.curriculum,
            cohort=None if drawn else self.cohort,
            learners=self.learners if drawn else None,
            settings=settings,
        )

    def _check(self) -> None:
        for kind, name, known in (
            ("curriculum", self.curriculum, list_names("curriculum")),
            ("cohort", self.cohort, (*list_names("cohort"), SAMPLED)),
        ):
            if name not in known:
                raise ScenarioError(
                    f"there is no built-in {kind} '{name[:80]}'.", mend=f"Known: {', '.join(filter(None, known))}."
                )
        for what, number, least, most in (
            ("the number of learners", self.learners, 1, MOST_LEARNERS),
            ("the number of dialogues a unit", self.visits, 1, MOST_VISITS),
            ("the seed", self.seed, 0, 2**31 - 1),
        ):
            if not least <= number <= most:
                raise ScenarioError(f"{what} is {number}.", mend=f"Give a whole number from {least} to {most}.")


@cache
def usual(language: str = "en") -> Plan:
    """What the form begins with: two grades of what the built-in document in this language says, else in English."""
    known = [load_tutoring(name) for name in list_names("tutoring")]
    setup = next((one for one in known if one.curriculum.language == language), known[0])
    settings = setup.settings
    first = settings.grades[0]
    return Plan(
        curriculum=setup.curriculum.name,
        first=first,
        last=first + 1,
        visits=settings.visits,
        law=settings.memory.law,
        arm=settings.arm,
    )
