"""Measures of simulated lessons, of the same turns in any order, and distances between distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import correlation, fmean
from types import MappingProxyType
from typing import Final

import pandas as pd

from eduverse_mesa.experiments.measurers import Row, talk_of
from eduverse_mesa.measures import Lesson, Turn, contingency, lesson_of, participation_by_seat
from eduverse_mesa.measures.codes import QUESTION_BEHAVIOUR, STUDENT, TEACHER, TEACHER_ADDRESSEES
from eduverse_mesa.measures.discourse import Measure
from eduverse_mesa.measures.equity import Point, speaking_turns
from eduverse_mesa.measures.tables import NAN, share, texts
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.tables import Tables, tables
from eduverse_mesa.vocabulary import OFF_TASK

GAPS: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "gap_substantive_reply_I_vs_not": contingency.gap_substantive_reply_i_vs_not,
        "gap_restate_after_claim_vs_other": contingency.gap_restate_after_claim_vs_other,
        "gap_evidence_reasoning_vs_accuracy": contingency.gap_evidence_reasoning_vs_accuracy,
        "gap_relate_get_relate_vs_none": contingency.gap_relate_get_relate_vs_none,
    }
)
SHUFFLES = 10


def shuffled_gaps(lesson: Lesson, seed: int = 0) -> dict[str, float]:
    """The mean of each gap over a few orders of the turns; NaN where no order could tell."""
    found: dict[str, list[float]] = {name: [] for name in GAPS}
    for number in range(SHUFFLES):
        mixed = shuffle_turns(lesson, Address(seed, 0, number, "realism"))
        for name, measure in GAPS.items():
            value = measure(mixed)
            if value == value:
                found[name].append(value)
    return {name: fmean(values) if values else float("nan") for name, values in found.items()}


def shuffle_turns(lesson: Lesson, at: Address) -> Lesson:
    """The lesson with its turns in another order: teacher's and students' in turn, as before."""
    mixed = {role: iter(_mixed(lesson.of(role), at, role)) for role in (TEACHER, STUDENT)}
    return replace(lesson, turns=tuple(next(mixed[turn.role]) for turn in lesson.turns))


def _mixed(turns: list[Turn], at: Address, role: str) -> list[Turn]:
    keys = [uniform(at, f"{role}{number}") for number in range(len(turns))]
    return [turns[place] for place in sorted(range(len(turns)), key=keys.__getitem__)]


OF_LESSON = f"{__name__}:of_lesson"
"""The name by which a trial asks for these measures."""

WORK_ACT = "giving_directions"
"""The teacher's act while everybody works alone: reading, writing, practising."""
TOP = 0.15
TRAITS = ("conscientiousness", "openness", "agreeableness")
"""Those whose correlation with achievement is published."""


def of_lesson(run: Run) -> Iterator[Row]:
    """One row a measure for each lesson of a run."""
    for played in run.lessons:
        made = tables([played.model])
        yield from talk_of(played.number, made)
        lesson = lesson_of(made.sentences)
        for name, value in shuffled_gaps(lesson, run.spec.seed).items():
            yield Row(played.number, 0, "", f"shuffled.{name}", value)
        yield Row(played.number, 0, "", "teacher_turns", float(len(lesson.of(TEACHER))))
        for name, value in class_facts(made, played.model.placing.room.board).items():
            yield Row(played.number, 0, "", name, value)
        for trait in TRAITS:
            yield Row(played.number, 0, "", f"achievement.{trait}", achievement(played.model, trait))


def class_facts(made: Tables, board: Point | None) -> dict[str, float]:
    """Return the facts that observers of real classes have counted: time on task, whose turns, from which seats, and
    questions."""
    steps = made.student_steps
    behaviours, addressees = texts(steps, "behaviour"), texts(steps, "addressee")
    decided = [(behaviour, to) for behaviour, to in zip(behaviours, addressees, strict=True) if behaviour]
    students = set(texts(steps, "student"))
    facts = {
        "on_task": share(behaviour not in OFF_TASK for behaviour, _ in decided),
        "off_task_with_peers": share(to in students for behaviour, to in decided if behaviour in OFF_TASK),
        "on_task_in_work": _on_task_in_work(steps, made.teacher_steps),
        "top_share": top_share(speaking_turns(made.sentences, sorted(students))),
        "questions": float(
            sum(behaviour == QUESTION_BEHAVIOUR and to in TEACHER_ADDRESSEES for behaviour, to in decided)
        ),
    }
    if board is not None:
        by_seat = participation_by_seat(steps, board, made.teacher_steps)
        facts["front_minus_back"] = by_seat["front"] - by_seat["back"]
        facts["centre_minus_side"] = by_seat["centre"] - by_seat["side"]
    return facts


def achievement(model: ClassroomModel, trait: str) -> float:
    """The correlation, over the class, of a trait with the understanding at the end of the lesson."""
    traits = [float(getattr(student.person.traits, trait)) for student in model.students]
    known = [fmean(student.mind.understanding) for student in model.students]
    if len(set(traits)) < 2 or len(set(known)) < 2:
        return NAN
    return correlation(traits, known)


def top_share(turns: Mapping[str, int]) -> float:
    """The share of all turns that the most active 15 % of the class take; the silent belong to the class."""
    ordered = sorted(turns.values(), reverse=True)
    total = sum(ordered)
    # Not rounded to whole students: in a class of twenty, 15 % are three, in one of twenty-three three and a half.
    whole, part = divmod(TOP * len(ordered), 1)
    taken = math.fsum(ordered[: int(whole)]) + (part * ordered[int(whole)] if part > 0 else 0.0)
    return taken / total if total else NAN


def _on_task_in_work(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> float:
    """On-task share in the steps in which everybody works alone."""
    working = set(teacher_steps.loc[teacher_steps["act"] == WORK_ACT, "step"].tolist())
    part = student_steps[student_steps["step"].isin(working)]
    return share(behaviour not in OFF_TASK for behaviour in texts(part, "behaviour") if behaviour)


Quantiles = Mapping[float, float]
"""Values of a distribution by the share that lies below."""


def ks_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest difference between the distribution functions of two samples (Kolmogorov and Smirnov)."""
    if not one or not other:
        return NAN
    points = sorted({*one, *other})
    return max(abs(_at_most(one, point) - _at_most(other, point)) for point in points)


def ks_to_quantiles(values: Sequence[float], quantiles: Quantiles) -> float:
    """The same between a sample and a distribution of which only some quantiles are known.

    Between two known quantiles its distribution function is taken as a straight line: an estimate, since it may run
    anywhere between the two shares (ks_bounds). Outside of them nothing is known but that it lies below the lowest or
    above the highest share: there a difference counts only as far as it is certain.
    """
    if not values:
        return NAN
    return max(max(0.0, low - ours, ours - high) for ours, low, high in _beside(values, quantiles, _on_the_line))


def ks_bounds(values: Sequence[float], quantiles: Quantiles) -> tuple[float, float]:
    """The least and the largest that the distance can be, whatever runs through these quantiles.

    All that is known between two quantiles is that the distribution function lies between their shares. With 10, 25,
    50, 75 and 90 % a sample of the very distribution may so be 0.25 away from it, for all that anybody can tell: the
    upper bound is never much less, and may be 0.25 more than the estimate.
    """
    if not values:
        return NAN, NAN
    bands = list(_beside(values, quantiles, _anywhere))
    least = max(max(0.0, low - ours, ours - high) for ours, low, high in bands)
    return least, max(max(ours - low, high - ours) for ours, low, high in bands)


def share_between(groups: Sequence[Sequence[float]]) -> float:
    """The share of the variance that lies between groups: the intraclass correlation of a one-way analysis of
    variance, for groups of unequal size (Donner 1986). Below 0 where groups differ less than chance would have it; NaN
    with less than two groups, or one value a group."""
    filled = [group for group in groups if group]
    total = sum(len(group) for group in filled)
    number = len(filled)
    if number < 2 or total <= number:
        return NAN
    grand = math.fsum(value for group in filled for value in group) / total
    means = [math.fsum(group) / len(group) for group in filled]
    between = math.fsum(len(group) * (mean - grand) ** 2 for group, mean in zip(filled, means, strict=True))
    within = math.fsum((value - mean) ** 2 for group, mean in zip(filled, means, strict=True) for value in group)
    between, within = between / (number - 1), within / (total - number)
    size = (total - math.fsum(len(group) ** 2 for group in filled) / total) / (number - 1)
    spread = between + (size - 1) * within
    return (between - within) / spread if spread > 0 else NAN


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share lies, between two values in proportion."""
    if not values:
        return NAN
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


Known = list[tuple[float, float]]
"""Value and share of each quantile, in order."""
Between = Callable[[Known, Known, float], tuple[float, float]]
"""Least and most that a distribution function can be at a point, by the quantiles below and above it."""


def _beside(values: Sequence[float], quantiles: Quantiles, between: Between) -> Iterator[tuple[float, float, float]]:
    """Our distribution function, and least and most of the other, wherever one of them rises: just before and there."""
    ordered = sorted(values)
    known = sorted((value, share) for share, value in quantiles.items())
    count = len(ordered)
    for point in sorted({*ordered, *(value for value, _ in known)}):
        before = [pair for pair in known if pair[0] < point]
        after = [pair for pair in known if pair[0] > point]
        below = sum(value < point for value in ordered) / count
        upto = sum(value <= point for value in ordered) / count
        yield (below, *between(before, known[len(before) :], point))
        yield (upto, *between(known[: len(known) - len(after)], after, point))


def _on_the_line(lower: Known, upper: Known, point: float) -> tuple[float, float]:
    if not lower or not upper:
        return _anywhere(lower, upper, point)
    (left, low), (right, high) = lower[-1], upper[0]
    value = low + (high - low) * (point - left) / (right - left)
    return value, value


def _anywhere(lower: Known, upper: Known, _: float) -> tuple[float, float]:
    return lower[-1][1] if lower else 0.0, upper[0][1] if upper else 1.0


def _at_most(values: Sequence[float], point: float) -> float:
    return sum(value <= point for value in values) / len(values)
