"""A play of SimLearner's studies: a cohort taught in memory and measured, or counted for a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa.decisions import Answer, Round, Rounds
from eduverse_mesa.decisions.tutoring import LabelTraits, Utterance
from eduverse_mesa.experiments.papers.simlearner.designs import (
    DIALOGUES,
    LABEL_GRADE,
    PROFILES,
    Play,
    truth,
    tutoring_of,
)
from eduverse_mesa.measures.learners import (
    answer_kinds,
    concept_alignment,
    coverage,
    leak_rate,
    mastery_map,
    scores_by_unit_grade,
    share_above,
    trait_recovery,
)
from eduverse_mesa.memory.three_levels import EbbinghausLaw, EpisodeLaw, ForgettingLaw
from eduverse_mesa.models.tutoring import Talk, TutoringModel
from eduverse_mesa.models.tutoring.journal import AnswerRow, ConceptRow, EpisodeRow, LineRow
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.randomness import Address
from eduverse_mesa.runs.estimate import Estimate, estimate_tutoring, settled
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters
from eduverse_mesa.scenarios.tutoring import LearnerMemory, Tutoring

WORK = f"{__name__}:work"
_READ = msgspec.json.Decoder(Play)
_EVERY = 5
"""School days between two dialogues of those whose personality is told."""


class Row(NamedTuple):
    """One number of a play."""

    measure: str
    value: float
    learner: str = ""
    """Empty: the mean over all learners."""
    grade: int = 0
    """0: over all grades."""
    key: str = ""
    """A concept, a kind of answer, a trait, or how many dialogues were read at once."""


def work(payload: bytes) -> bytes:
    """A play's numbers: what an engine calls."""
    return msgspec.msgpack.encode(list(measure(_READ.decode(payload))))


def measure(play: Play, policy: AnyPolicy | None = None) -> Iterator[Row]:
    """Teach a cohort, and measure what the studies look at; `policy` is the play's own where none is given."""
    tutoring = tutoring_of(play.tutoring)
    agenda = tuple(Talk(float(_EVERY * number), LABEL_GRADE) for number in range(DIALOGUES))
    model = TutoringModel(
        tutoring,
        policy=policy or play.policy or None,
        seed=play.seed,
        agenda=agenda if play.part == "people" else None,
        tested=play.part == "first_grade",
    ).run()
    if play.part == "first_grade":
        yield from _scores(model)
    elif play.part == "years":
        yield from _years(model)
    else:
        yield from _people(model)
    yield from _answers(model)


def _scores(model: TutoringModel) -> Iterator[Row]:
    tests = pd.DataFrame(model.journal.tests, columns=list(AnswerRow._fields))
    for by in (("unit_grade",), ("learner", "unit_grade")):
        for row in scores_by_unit_grade(tests, by).to_dict("records"):
            yield Row("score", row["score"], str(row.get("learner", "")), int(row["unit_grade"]))
    yield Row("leaks_in_tests", leak_rate(tests))
    for row in answer_kinds(tests, ("unit_grade",)).to_dict("records"):
        yield Row("kind", row["share"], grade=int(row["unit_grade"]), key=str(row["kind"]))


def _years(model: TutoringModel) -> Iterator[Row]:
    journal = model.journal
    concepts = pd.DataFrame(journal.concepts, columns=list(ConceptRow._fields))
    episodes = pd.DataFrame(journal.episodes, columns=list(EpisodeRow._fields))
    lines = pd.DataFrame(journal.lines, columns=list(LineRow._fields))
    covered = coverage(concepts)
    for learner, grade, value in zip(covered["learner"], covered["grade"], covered["coverage"], strict=True):
        yield Row("coverage", value, str(learner), int(grade))
    for grade, part in covered.groupby("grade"):
        yield Row("coverage", float(part["coverage"].mean()), grade=_whole(grade))
    for row in mastery_map(concepts).to_dict("records"):
        yield Row("mastery", row["mastery"], grade=int(row["grade"]), key=str(row["concept"]))
        yield Row("familiar", row["familiar"], grade=int(row["grade"]), key=str(row["concept"]))
        yield Row("expected", float(row["expected"]), grade=int(row["grade"]), key=str(row["concept"]))
    for (learner, grade), part in concepts[concepts["expected"]].groupby(["learner", "grade"], sort=False):
        yield Row("mastery_of_expected", float(part["mastery"].mean()), str(learner), _whole(grade))
    names = set(concepts["learner"])
    if names.issuperset(PROFILES[:2]):
        yield Row("above", share_above(concepts, *PROFILES[:2]))
    yield from _alignment(episodes, 0)
    for grade, part in episodes.groupby("grade"):
        yield from _alignment(part, _whole(grade))
    yield Row("leaks", leak_rate(lines))
    for row in answer_kinds(lines).to_dict("records"):
        yield Row("kind", row["share"], key=str(row["kind"]))


def _alignment(episodes: pd.DataFrame, grade: int) -> Iterator[Row]:
    found = concept_alignment(episodes)
    yield Row("alignment", found.accuracy, grade=grade)
    yield Row("alignment_precision", found.precision, grade=grade)
    yield Row("alignment_recall", found.recall, grade=grade)


def _people(model: TutoringModel) -> Iterator[Row]:
    """Labels by single dialogues, and by all of a learner's read together."""
    dialogues: dict[str, dict[int, list[Utterance]]] = {}
    for line in model.journal.lines:
        # A judge reads the words: neither what the tutor meant by them nor what kind of answer it was.
        said = dialogues.setdefault(line.learner, {}).setdefault(line.session, [])
        said.append(Utterance(line.speaker, line.text))
    for together in (1, DIALOGUES):
        labels = _labels(model, dialogues, together)
        found = trait_recovery(labels)
        for name in ("recall", "precision", "f1"):
            yield Row(name, getattr(found, name), key=str(together))
        for trait, part in labels.groupby("trait", sort=False):
            yield Row(f"f1_{trait}", trait_recovery(part).f1, key=str(together))


def _labels(model: TutoringModel, dialogues: dict[str, dict[int, list[Utterance]]], together: int) -> pd.DataFrame:
    asked, truths = [], []
    for learner in model.learners:
        spoken = list(dialogues.get(learner.name, {}).values())
        for place in range(0, len(spoken) - together + 1, together):
            read = tuple(line for dialogue in spoken[place : place + together] for line in dialogue)
            at = Address(model.seed, place + 1, together, f"judge of {learner.name}")
            asked.append(LabelTraits(at, read, learner.language))
            truths.append(truth(learner.person.traits))
    rows = [
        (trait, right, getattr(answer.outcome, trait))
        for answer, labels in zip(_ask(model, asked), truths, strict=True)
        if answer.outcome is not None
        for trait, right in labels.items()
    ]
    return pd.DataFrame(rows, columns=["trait", "truth", "found"])


def _ask(model: TutoringModel, decisions: Sequence[LabelTraits]) -> list[Answer]:
    given: list[Answer] = []

    def rounds() -> Rounds:
        answers = yield Round("label", decisions)
        model.journal.note("label", decisions, answers)
        given.extend(answers)

    run_waiting(rounds(), model.policy)
    return given


def _answers(model: TutoringModel) -> Iterable[Row]:
    """How the answers came: a number that rests on fallbacks says so."""
    counted = Counter(logged.answer.status for logged in model.journal.answers)
    return [Row("answers", float(number), key=status) for status, number in sorted(counted.items())]


def _whole(grade: object) -> int:
    return int(str(grade))


_LEARNERS = 1
"""Of each cohort: a life of five grades has thousands of prompts, and writing them takes seconds."""


def estimate_plays(plays: Sequence[Play], policy: str) -> Estimate:
    """All plays, from the first of each kind: with another seed the same is asked about other luck."""
    kinds: dict[tuple[str, str], list[Play]] = {}
    for play in plays:
        kinds.setdefault((play.part, play.arm), []).append(play)
    return reduce(Estimate.beside, (_estimate_play(same[0], policy).times(len(same)) for same in kinds.values()))


def _estimate_play(play: Play, policy: str) -> Estimate:
    def teach(few: Tutoring, counted: AnyPolicy) -> None:
        for _ in measure(msgspec.structs.replace(play, tutoring=few.model_dump_json(by_alias=True)), counted):
            pass

    return estimate_tutoring(settled(tutoring_of(play.tutoring), policy), policy, teach, _LEARNERS)


TRACES: Mapping[str, tuple[float, float, bool]] = {
    "new": (0.25, 1.0, False),
    "brought back, strength 2": (0.5, 2.0, False),
    "brought back often, strength 4": (0.9, 4.0, False),
    "new, above the grade": (0.25, 1.0, True),
}
"""Traces by mastery, strength and whether they were out of reach."""
DAYS = 365
EPISODES_A_DAY = 0.25
"""A dialogue every four days, about what a grade with its fifteen units has."""


def laws(settings: LearnerMemory | None = None) -> dict[str, ForgettingLaw]:
    """Both laws, of an average learner."""
    settings, p = settings or LearnerMemory(), load_parameters({}, LEARNER_BOOK)
    return {
        "by episodes (SimLearner)": EpisodeLaw(settings.alpha, p["forget.mastery"], p["forget.above_grade"]),
        "by days (Ebbinghaus)": EbbinghausLaw(p["forget.stability"], p["forget.above_grade"]),
    }


def curves(settings: LearnerMemory | None = None, every: int = 5) -> pd.DataFrame:
    """Return the share that is left of each trace under each law: columns law, trace, days, kept."""
    rows = [
        (name, trace, day, law.kept(float(day), round(day * EPISODES_A_DAY), mastery, strength, above))
        for name, law in laws(settings).items()
        for trace, (mastery, strength, above) in TRACES.items()
        for day in range(0, DAYS + 1, every)
    ]
    return pd.DataFrame(rows, columns=["law", "trace", "days", "kept"])
