"""Learners' mastery, answers and retention: measures over the tables of a tutoring journal (SimLearner, section 4).

The tables are those of `eduverse_mesa.models.tutoring.journal`: lines, episodes, answers of tests, and concepts at the
end of each grade. A table may hold more columns than a measure reads, such as a seed or an arm, to be grouped `by`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from eduverse_mesa.measures.tables import NAN, mean, parts, require_columns, share, texts

LEAST_SCORE, MOST_SCORE = 1, 10
LABELS = ("high", "low")
BY_LEARNER = ("learner", "grade")


def coverage(concepts: pd.DataFrame, by: Sequence[str] = BY_LEARNER) -> pd.DataFrame:
    """Coverage of the standard: familiar concepts over expected ones, by learner and grade.

    Every familiar concept counts, also one that the standard has not taught yet: a learner who knows what is taught
    years later covers more than all. `within` counts the expected ones only and never exceeds 1.
    """
    require_columns(concepts, [*by, "familiar", "expected"], name="concepts")
    rows = []
    for key, part in parts(concepts, by):
        familiar, expected = part["familiar"].astype(bool), part["expected"].astype(bool)
        most = int(expected.sum())
        shares = [int(found.sum()) / most if most else NAN for found in (familiar, familiar & expected)]
        rows.append((*key, int(familiar.sum()), most, *shares))
    return pd.DataFrame(rows, columns=[*by, "familiar", "expected", "coverage", "within"])


def mastery_map(concepts: pd.DataFrame, by: Sequence[str] = ("grade", "subject", "concept")) -> pd.DataFrame:
    """Concept by grade: mean mastery, and the share of learners to whom the concept is familiar."""
    require_columns(concepts, [*by, "mastery", "familiar", "expected"], name="concepts")
    rows = [
        (*key, mean(part["mastery"]), share(part["familiar"]), bool(part["expected"].iloc[0]), len(part))
        for key, part in parts(concepts, by)
    ]
    return pd.DataFrame(rows, columns=[*by, "mastery", "familiar", "expected", "n"])


def share_above(concepts: pd.DataFrame, one: str, other: str) -> float:
    """The share of the cells of concept and grade in which learner `one` has more mastery than `other`.

    A cell in which neither has anything says nothing and is left out; a tie counts against `one`.
    """
    require_columns(concepts, ["learner", "grade", "concept", "mastery"], name="concepts")
    mastery = {
        name: concepts[concepts["learner"] == name].set_index(["grade", "concept"])["mastery"] for name in (one, other)
    }
    both = pd.concat(mastery, axis=1).fillna(0.0)
    known = both[(both[one] > 0) | (both[other] > 0)]
    return share(known[one] > known[other])


def scores_by_unit_grade(answers: pd.DataFrame, by: Sequence[str] = ("unit_grade",)) -> pd.DataFrame:
    """The mean judged score of answers, from 1 to 10, by the grade of what was asked. An answer that no judge has
    scored is left out and counted in `unscored`."""
    require_columns(answers, [*by, "score"], name="answers")
    rows = []
    for key, part in parts(answers, by):
        scored = part["score"].dropna().astype(float)
        rows.append((*key, mean(scored), len(scored), len(part) - len(scored)))
    found = pd.DataFrame(rows, columns=[*by, "score", "n", "unscored"])
    return found.sort_values(list(by), kind="stable", ignore_index=True)


# --- what was planned, and what stayed ---


class Alignment(NamedTuple):
    """How well the concepts that episodes recorded fit those that their units were meant for."""

    accuracy: float
    """Mean of |planned and recorded| / |planned or recorded|: what was missed and what was added both count."""
    precision: float
    """Mean share of what was recorded that had been planned; 0 where nothing was recorded."""
    recall: float
    """Mean share of what was planned that was recorded."""
    episodes: int


def concept_alignment(episodes: pd.DataFrame) -> Alignment:
    """How accurately the concepts planned match the concepts recorded.

    SimLearner counts "how accurately the concepts planned by the teacher match the concepts learned by the student",
    and reads a high number both as targets covered and as little drift from the topic. Only a measure that falls with
    either does that: the two sets' intersection over their union. Recall alone cannot see drift, precision alone cannot
    see what was missed.
    """
    require_columns(episodes, ["concepts", "planned"], name="episodes")
    found = [_aligned(*pair) for pair in zip(texts(episodes, "planned"), texts(episodes, "concepts"), strict=True)]
    known = [one for one in found if one is not None]
    accuracy, precision, recall = (mean(one[place] for one in known) for place in range(3))
    return Alignment(accuracy, precision, recall, len(known))


def _aligned(planned_text: str, recorded_text: str) -> tuple[float, float, float] | None:
    planned, recorded = (set(filter(None, text.split(";"))) for text in (planned_text, recorded_text))
    if not planned:
        return None  # nothing was meant to be taught, so that nothing can be missed
    both = len(planned & recorded)
    return both / len(planned | recorded), both / len(recorded) if recorded else 0.0, both / len(planned)


# --- what was said ---


def leak_rate(lines: pd.DataFrame) -> float:
    """Return the share of a learner's replies (or of their answers in tests) that use what the learner must not know
    yet."""
    require_columns(lines, ["leaks"], name="lines")
    return share(bool(leaks) for leaks in texts(_of_learners(lines), "leaks"))


def answer_kinds(lines: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """The share of each kind among a learner's replies that answer something (going along is no answer)."""
    require_columns(lines, [*by, "kind"], name="lines")
    replies = _of_learners(lines)
    rows = []
    for key, part in parts(replies[replies["kind"] != "follow"], by):
        counts = part["kind"].value_counts(sort=False)
        rows += [(*key, str(kind), count / len(part), len(part)) for kind, count in sorted(counts.items())]
    return pd.DataFrame(rows, columns=[*by, "kind", "share", "n"])


def _of_learners(lines: pd.DataFrame) -> pd.DataFrame:
    return lines[lines["speaker"] == "learner"] if "speaker" in lines.columns else lines


# --- who it seems to be ---


class Recovery(NamedTuple):
    """How well labels were found, averaged over traits and over high and low."""

    recall: float
    precision: float
    f1: float
    labels: int


def trait_recovery(labels: pd.DataFrame) -> Recovery:
    """Macro recall, precision and F1 of labels (columns trait, truth and found; high or low).

    Averaged over the two labels of each trait and over the traits, so that whoever always says "high" gains nothing
    where most are. A label that is never given has precision 0, and one that is never true is left out.
    """
    require_columns(labels, ["trait", "truth", "found"], name="labels")
    scores = [
        _score(part["truth"].tolist(), part["found"].tolist(), label)
        for _, part in parts(labels, ["trait"])
        for label in LABELS
    ]
    known = [one for one in scores if one is not None]
    recall, precision, f1 = (mean(one[place] for one in known) for place in range(3))
    return Recovery(recall, precision, f1, len(labels))


def _score(truth: Sequence[str], found: Sequence[str], label: str) -> tuple[float, float, float] | None:
    true, given = truth.count(label), found.count(label)
    if not true:
        return None
    right = sum(one == other == label for one, other in zip(truth, found, strict=True))
    recall, precision = right / true, right / given if given else 0.0
    return recall, precision, 2 * recall * precision / (recall + precision) if right else 0.0


# --- what was gained, and what is left ---


def scored_alike(answers: pd.DataFrame, exams: Sequence[str], by: Sequence[str] = ("learner",)) -> pd.DataFrame:
    """The answers to those items that were scored in each of these tests: tests are compared on the same items, or a
    learner whose bad answers nobody could score would seem to have learned. A test of which no answer was scored leaves
    the others to be compared."""
    require_columns(answers, [*by, "exam", "unit", "item", "score"], name="answers")
    scored = answers[answers["exam"].isin(exams)].dropna(subset=["score"])
    taken = scored.groupby(list(by))["exam"].transform("nunique")
    answered = scored.groupby([*by, "unit", "item"])["exam"].transform("nunique")
    return scored[answered == taken]


def exam_means(answers: pd.DataFrame, by: Sequence[str] = ("learner",)) -> pd.DataFrame:
    """Mean score of each test on a scale from 0 to 1, a row a learner, a column a test."""
    require_columns(answers, [*by, "exam", "score"], name="answers")
    scored = answers.dropna(subset=["score"])
    shares = (scored["score"].astype(float) - LEAST_SCORE) / (MOST_SCORE - LEAST_SCORE)
    return scored.assign(share=shares).groupby([*by, "exam"], sort=False)["share"].mean().unstack("exam")


def learning_gain(answers: pd.DataFrame, before: str, after: str, by: Sequence[str] = ("learner",)) -> pd.DataFrame:
    """Test after minus test before, of each learner; `normalised` is the share of what was missing that was gained
    (Hake 1998), and of what was there that was lost where there was a loss (Marx and Cummings 2007)."""
    tests = _tests(answers, (before, after), by)
    rows = [(*_key(key), one, two, two - one, normalised_gain(one, two)) for key, (one, two) in tests.items()]
    return pd.DataFrame(rows, columns=[*by, "before", "after", "gain", "normalised"])


def gain_kept(
    answers: pd.DataFrame, before: str, after: str, later: str, by: Sequence[str] = ("learner",)
) -> pd.DataFrame:
    """The share of the gain that is left in a delayed test; NaN where nothing had been gained."""
    tests = _tests(answers, (before, after, later), by)
    rows = [
        (*_key(key), two - one, three - one, (three - one) / (two - one) if two > one else NAN)
        for key, (one, two, three) in tests.items()
    ]
    return pd.DataFrame(rows, columns=[*by, "gain", "left", "kept"])


def _tests(answers: pd.DataFrame, exams: Sequence[str], by: Sequence[str]) -> Mapping[Any, tuple[float, ...]]:
    table = exam_means(scored_alike(answers, exams, by), by)
    require_columns(table, exams, name="tests")
    return {key: tuple(float(table.at[key, name]) for name in exams) for key in table.index}  # type: ignore[arg-type]


def _key(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def normalised_gain(before: float, after: float) -> float:
    """NaN where there was nothing to gain or to lose, or where a test is missing."""
    room = 1.0 - before if after >= before else before
    return (after - before) / room if room > 0 else NAN
