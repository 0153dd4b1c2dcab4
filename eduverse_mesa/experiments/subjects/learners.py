"""Learners and their tutors: a cohort through the grades of its curriculum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from eduverse_mesa.decisions import STATUSES
from eduverse_mesa.experiments.measurers import Measurer, Row
from eduverse_mesa.experiments.subjects.subject import Exchange, counted, named, own_file
from eduverse_mesa.measures.learning import answer_kinds, concept_alignment, coverage, leak_rate, mastery_map
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.estimating import Estimate, estimate_tutoring
from eduverse_mesa.runs.tutoring import Tutored, begin_tutoring, play_tutoring
from eduverse_mesa.runs.tutoring.tables import taught_tables
from eduverse_mesa.scenarios.includes import Written
from eduverse_mesa.scenarios.library import Kind, find
from eduverse_mesa.scenarios.teaching import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring, TutoringSettings

_KINDS: tuple[Kind, ...] = ("curriculum", "cohort")


class Learners:
    """What `eduverse learner teach` plays."""

    kind: Kind = "tutoring"
    exchanges: Mapping[str, Exchange] = {
        "curriculum": Exchange(named, "the name of a curriculum or a path"),
        "cohort": Exchange(named, "the name of a cohort or a path"),
        "learners": Exchange(counted, "a number of learners", counts=True),
    }
    measurers: Mapping[str, Measurer]
    usual: tuple[str, ...] = ("years",)

    def __init__(self) -> None:
        self.measurers = {"years": years, "concepts": concepts}

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Tutoring:
        """What lies beside the file is meant before what is built in."""
        given = dict(parts)
        for kind in _KINDS:
            if kind in given:
                found = find(kind, given[kind], beside, where=f"{kind} {given[kind]}")
                given[kind] = own_file(found) or given[kind]
        return load_tutoring(base, settings=settings, **given)

    def settings(self, whole: Tutoring) -> TutoringSettings:
        """How they are taught."""
        return whole.settings

    def with_settings(self, whole: Tutoring, settings: TutoringSettings) -> Tutoring:
        """The same cohort taught in another way."""
        return whole.model_copy(update={"settings": settings})

    def people(self, whole: Tutoring) -> Collection[str]:
        """The learners."""
        return whole.people

    def fingerprint(self, whole: Tutoring) -> str:
        """Of all that stands in it."""
        return blake2b(self.text(whole).encode(), digest_size=8).hexdigest()

    def text(self, whole: Tutoring) -> str:
        """The tutoring document, its cohort drawn."""
        return whole.model_dump_json(by_alias=True)

    def read(self, text: str) -> Tutoring:
        """The document again."""
        return _tutoring_of(text)

    def play(self, whole: Tutoring, seed: int, policy: str | None) -> Tutored:
        """All school years."""
        start = begin_tutoring(whole, seed, policy)
        return play_tutoring(start.run, start.spec, policy=start.chosen.policy)

    def estimate(self, whole: Tutoring, seed: int, policy: str | None) -> Estimate:
        """Of all school years."""

        def play(few: Tutoring, counted: AnyPolicy) -> None:
            start = begin_tutoring(few, seed, counted)
            play_tutoring(start.run, start.spec, policy=start.chosen.policy)

        return estimate_tutoring(whole, policy or whole.settings.policy, play)

    def failed(self, run: Tutored) -> int:
        """Of learners and tutors."""
        return _outcomes(run)["failed"]


@lru_cache(maxsize=16)
def _tutoring_of(text: str) -> Tutoring:
    return Tutoring.model_validate_json(text)


def years(run: Tutored) -> Iterator[Row]:
    """Coverage of the standard by grade (in the column of lessons) and learner, and of all: alignment with the
    curriculum, leaks, kinds of answers, and how answers came."""
    made = taught_tables(run)
    covered = coverage(made.concepts)
    for row in covered.to_dict("records"):
        yield Row(int(row["grade"]), 0, str(row["learner"]), "learning.coverage", float(row["coverage"]))
    for grade, part in covered.groupby("grade"):
        yield Row(int(str(grade)), 0, "", "learning.coverage", float(part["coverage"].mean()))
    yield Row(0, 0, "", "learning.coverage", float(covered["coverage"].mean()))
    yield Row(0, 0, "", "learning.alignment", float(concept_alignment(made.episodes).accuracy))
    yield Row(0, 0, "", "learning.leaks", float(leak_rate(made.lines)))
    for row in answer_kinds(made.lines).to_dict("records"):
        yield Row(0, 0, "", f"answers.{row['kind']}", float(row["share"]))
    for status, n in _outcomes(run).items():
        yield Row(0, 0, "", f"outcomes.{status}", float(n))


def concepts(run: Tutored) -> Iterator[Row]:
    """The mean mastery of each concept, by grade."""
    for row in mastery_map(taught_tables(run).concepts).to_dict("records"):
        yield Row(int(row["grade"]), 0, "", f"mastery.{row['concept']}", float(row["mastery"]))


def _outcomes(run: Tutored) -> dict[str, int]:
    found = Counter(entry.answer.status for entry in run.answers())
    return {status: found[status] for status in STATUSES}
