"""The plays of each of SimLearner's five studies (SimLearner, Experimental Results).

A play is one cohort with one seed in one arm. What several studies look at is played once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, Literal

import msgspec

from eduverse_mesa.decisions.tutoring import TRAITS
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Arm, Tutoring

Part = Literal["first_grade", "years", "people"]
ARMS: tuple[Arm, ...] = ("full", "base")
GRADES = (1, 2, 3, 4, 5)
PROFILES = ("P1", "P2", "P3")
DEFAULT_SEEDS = 20
LABEL_GRADE = 3
"""The grade of the dialogues by which personalities are told: the middle one."""
DIALOGUES = 4
"""Of each learner whose personality is told."""
_HIGH, _LOW = 0.8, 0.2


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """One cohort to be taught and measured."""

    part: Part
    arm: Arm
    seed: int
    policy: str = ""
    """The policy that answers; empty: as the document says."""
    tutoring: str
    """The whole document, as JSON: it can be played on any machine."""

    @property
    def key(self) -> str:
        """A name for it."""
        return f"{self.part}-{self.arm}-s{self.seed}"


@dataclass(frozen=True, slots=True)
class Study:
    """One of the five."""

    number: int
    title: str
    question: str
    plays: tuple[tuple[Part, Arm], ...]

    @property
    def name(self) -> str:
        """Name by which the study is asked for."""
        return f"simlearner-{self.number}"

    def shows(self, row: Any) -> bool:
        """Return True if a number of the paper belongs to it."""
        return bool(row.study == self.number)


STUDIES: tuple[Study, ...] = (
    Study(
        1,
        "Mastery consistency",
        "A learner at the end of grade 1 is asked about grades 1 to 5. How much mastery do the answers show?",
        (("first_grade", "full"), ("first_grade", "base")),
    ),
    Study(
        2,
        "Coverage of the standard",
        "How many concepts are familiar at the end of each grade, against those that the standard has taught by then?",
        (("years", "full"), ("years", "base")),
    ),
    Study(
        3,
        "Trajectories of three profiles",
        "Who is open, outgoing and agreeable should remember more. Is P1 above P2, concept by concept?",
        (("years", "full"),),
    ),
    Study(
        4,
        "Recovery of personality",
        "A judge reads what learners say, and labels each of the Big Five high or low. How often is it right?",
        (("people", "full"), ("people", "base")),
    ),
    Study(
        5,
        "Concept alignment",
        "Do episodes leave behind the concepts that were planned, or others?",
        (("years", "full"), ("years", "base")),
    ),
)


def studies(which: str) -> tuple[Study, ...]:
    """By `simlearner-1` to `simlearner-5`, or `simlearner-all`."""
    if which == "simlearner-all":
        return STUDIES
    found = tuple(study for study in STUDIES if study.name == which)
    if not found:
        names = ", ".join([*(study.name for study in STUDIES), "simlearner-all"])
        raise EduverseError(f"there is no experiment '{which}'.", where="experiment", mend=f"Known: {names}.")
    return found


def plays_of(
    wanted: Iterable[Study], seeds: int, policy: str = "", settings: Mapping[str, object] | None = None
) -> list[Play]:
    """All plays of some studies with seeds from 1, each once."""
    kinds = list(dict.fromkeys(kind for study in wanted for kind in study.plays))
    written = {kind: _document(*kind, settings or {}).model_dump_json(by_alias=True) for kind in kinds}
    return [
        Play(part=part, arm=arm, seed=seed, policy=policy, tutoring=written[part, arm])
        for seed in range(1, seeds + 1)
        for part, arm in kinds
    ]


@lru_cache(maxsize=16)
def tutoring_of(text: str) -> Tutoring:
    """The document of a play. Who sends a play has checked it; here only its form is."""
    return Tutoring.model_validate_json(text)


def _document(part: Part, arm: Arm, settings: Mapping[str, object]) -> Tutoring:
    own: dict[str, object] = {"arm": arm}
    if part == "first_grade":
        own["grades"] = [GRADES[0], GRADES[0]]
    refused = sorted({"arm", "grades", "settings.arm", "settings.grades"}.intersection(settings))
    if refused:
        raise EduverseError("is what the studies compare.", where=", ".join(refused), mend="Leave it out.")
    cohort = {"name": "personalities", "learners": list(_personalities())} if part == "people" else None
    return load_tutoring("growing_up", cohort=cohort, settings={**settings, **own})


def _personalities() -> Iterator[dict[str, object]]:
    """Sixteen people, half of all that there are: each trait is high in eight of them, and no trait or pair of traits
    tells anything of another (a half fraction, 2^(5-1)). In the three profiles some traits always go together, and who
    has read one of them off would get the other for nothing."""
    for number, signs in enumerate(product((1, -1), repeat=len(TRAITS) - 1), start=1):
        levels = (*signs, prod(signs))
        traits = {trait: _HIGH if level > 0 else _LOW for trait, level in zip(TRAITS, levels, strict=True)}
        yield {"name": f"L{number}", "traits": traits}


def truth(traits: object, names: Sequence[str] = TRAITS) -> dict[str, str]:
    """The label that is right for each trait."""
    return {name: "high" if getattr(traits, name) > 0.5 else "low" for name in names}
