"""Shares of the lesson among students: speaking turns, the teacher's attention, and what the seat has to do with it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from eduverse_mesa.measures.codes import (
    DISCUSSION_ACT,
    FEEDBACK_POLARITIES,
    QUESTION_BEHAVIOUR,
    STUDENT,
    TEACHER_ADDRESSEES,
)
from eduverse_mesa.measures.irf import responds
from eduverse_mesa.measures.tables import NAN, parts, require_codes, require_columns, share, texts
from eduverse_mesa.measures.turns import Lesson, floor_of, is_named

Point = tuple[float, float]
DEPTHS = ("front", "middle", "back")
SIDES = ("centre", "side")


def gini(values: Iterable[float]) -> float:
    """Gini's coefficient: 0 when all have the same, (n-1)/n when one has all; NaN when there is nothing to share."""
    ordered = sorted(values)
    if ordered and ordered[0] < 0:
        raise ValueError("a share cannot be negative")
    total = math.fsum(ordered)
    if total <= 0:
        return NAN
    count = len(ordered)
    spread = math.fsum((2 * rank - count - 1) * value for rank, value in enumerate(ordered, start=1))
    return min(max(spread / (count * total), 0.0), 1.0)  # rounding may leave the interval by a hair


def speaking_turns(sentences: pd.DataFrame, students: Sequence[str] = ()) -> dict[str, int]:
    """Times each student took the floor of the class; `students` names those too who never did."""
    require_columns(sentences, ["lesson", "role", "speaker"], name="sentences")
    turns = Counter(dict.fromkeys(students, 0))
    for _, part in parts(sentences, ["lesson"]):
        turns.update(holder.speaker for holder in floor_of(part) if holder.role == STUDENT)
    return dict(turns)


def gini_speaking_turns(sentences: pd.DataFrame, students: Sequence[str] = ()) -> float:
    """Inequality of speaking turns. Give all `students`: without them the silent are invisible, and this is a lower
    bound."""
    return gini(speaking_turns(sentences, students).values())


def teacher_attention(student_steps: pd.DataFrame) -> dict[str, int]:
    """Return how often the teacher called each student by name and gave the student feedback, added up."""
    require_columns(student_steps, ["student", "called", "feedback"], name="student_steps")
    require_codes(student_steps["feedback"], FEEDBACK_POLARITIES, name="student_steps")
    given: Counter[str] = Counter()
    columns = zip(
        texts(student_steps, "student"), student_steps["called"].tolist(), texts(student_steps, "feedback"), strict=True
    )
    for student, called, feedback in columns:
        given[student] += (called == 1) + (feedback != "")
    return dict(given)


def gini_teacher_attention(student_steps: pd.DataFrame) -> float:
    """Inequality of the teacher's calls and feedback over all students of the class."""
    return gini(teacher_attention(student_steps).values())


def seats_of(student_steps: pd.DataFrame) -> dict[str, Point]:
    """Return the seat of each student at the first step that knows it."""
    require_columns(student_steps, ["student", "x", "y"], name="student_steps")
    seats: dict[str, Point] = {}
    for student, x, y in zip(
        texts(student_steps, "student"), student_steps["x"].tolist(), student_steps["y"].tolist(), strict=True
    ):
        if student not in seats and x == x and y == y and x is not None and y is not None:
            seats[student] = (float(x), float(y))
    return seats


def seat_zones(seats: dict[str, Point], board: Point) -> pd.DataFrame:
    """A row a student: depth and side of the seat, as seen from the board.

    Depth cuts the range of distances to the board into three equal bands. Side looks along the line from the board to
    the middle of the class: the inner half of the width is the centre. Where all seats lie alike, they are "front"
    and "centre".
    """
    if not seats:
        return pd.DataFrame(columns=["student", "depth", "side"])
    distances = {student: math.dist(seat, board) for student, seat in seats.items()}
    nearest, furthest = min(distances.values()), max(distances.values())
    band = (furthest - nearest) / len(DEPTHS)
    offsets = _offsets(seats, board)
    half = max(offsets.values()) / 2
    rows = []
    for student, distance in distances.items():
        depth = 0 if band == 0 else min(int((distance - nearest) / band + 1e-9), len(DEPTHS) - 1)
        side = SIDES[0] if offsets[student] <= half + 1e-9 else SIDES[1]
        rows.append({"student": student, "depth": DEPTHS[depth], "side": side})
    return pd.DataFrame(rows, columns=["student", "depth", "side"])


def _offsets(seats: dict[str, Point], board: Point) -> dict[str, float]:
    """Distances from the line through the board and the middle of the class."""
    axis_x = sum(x for x, _ in seats.values()) / len(seats) - board[0]
    axis_y = sum(y for _, y in seats.values()) / len(seats) - board[1]
    length = math.hypot(axis_x, axis_y)
    if length == 0:  # the board stands amid the class (a ring): no side is to the side
        return dict.fromkeys(seats, 0.0)
    return {
        student: abs((x - board[0]) * axis_y - (y - board[1]) * axis_x) / length for student, (x, y) in seats.items()
    }


def takes_part(behaviour: str, addressee: str, act: str) -> bool:
    """A response to the teacher, or a question to the teacher."""
    asks = behaviour == QUESTION_BEHAVIOUR and addressee in TEACHER_ADDRESSEES
    return asks or responds(behaviour, addressee, act)


def participation(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame | None = None) -> dict[str, float]:
    """Return the share of each student's steps in which the student takes part in the teacher's lesson. With
    `teacher_steps`, a group's discussion counts in the steps in which the teacher has organised one; without, never."""
    require_columns(student_steps, ["lesson", "step", "student", "behaviour", "addressee"], name="student_steps")
    organised: set[tuple[Any, Any]] = set()
    if teacher_steps is not None:
        require_columns(teacher_steps, ["lesson", "step", "act"], name="teacher_steps")
        open_steps = teacher_steps[teacher_steps["act"] == DISCUSSION_ACT]
        organised = set(zip(open_steps["lesson"].tolist(), open_steps["step"].tolist(), strict=True))
    taken: dict[str, list[bool]] = defaultdict(list)
    steps = zip(student_steps["lesson"].tolist(), student_steps["step"].tolist(), strict=True)
    columns = (texts(student_steps, column) for column in ("student", "behaviour", "addressee"))
    for step, student, behaviour, addressee in zip(steps, *columns, strict=True):
        if behaviour:
            taken[student].append(takes_part(behaviour, addressee, DISCUSSION_ACT if step in organised else ""))
    return {student: share(found) for student, found in taken.items()}


def participation_by_seat(
    student_steps: pd.DataFrame, board: Point, teacher_steps: pd.DataFrame | None = None
) -> dict[str, float]:
    """The mean participation in front, middle, back, centre and side; NaN where nobody sits. The action zone of rows
    shows as front above back and centre above side (Adams & Biddle 1970)."""
    rates = participation(student_steps, teacher_steps)
    zones = seat_zones(seats_of(student_steps), board)
    zones["rate"] = [rates.get(student, NAN) for student in zones["student"]]
    return {
        zone: float(zones.loc[zones[column] == zone, "rate"].mean()) if len(zones) else NAN
        for column, names in (("depth", DEPTHS), ("side", SIDES))
        for zone in names
    }


# Inequality among fewer is no property of a class.
MIN_NAMED = 5
TOP_SHARE = 0.2


def p_s_to_s_turn(lesson: Lesson) -> float:
    """Of the times a student gives up the floor, the share in which another student takes it."""
    passes = zip(lesson.floor, lesson.floor[1:], strict=False)
    return share(taker.role == STUDENT for giver, taker in passes if giver.role == STUDENT)


def named_sentences(lesson: Lesson) -> dict[str, int]:
    """Sentences of each student whom the transcript names."""
    said = Counter(sentence.speaker for turn in lesson.of(STUDENT) for sentence in turn.sentences)
    return {speaker: count for speaker, count in said.items() if is_named(speaker)}


def gini_named_sentences(lesson: Lesson) -> float:
    """Gini over named students who spoke: a lower bound, since the silent are invisible; NaN with fewer than five."""
    said = named_sentences(lesson)
    return gini(said.values()) if len(said) >= MIN_NAMED else NAN


def top20_share(lesson: Lesson) -> float:
    """The share of named sentences that the most talkative fifth says (a fifth of the names, rounded); NaN with fewer
    than five."""
    said = sorted(named_sentences(lesson).values(), reverse=True)
    if len(said) < MIN_NAMED:
        return NAN
    top = math.floor(TOP_SHARE * len(said) + 0.5)
    return sum(said[:top]) / sum(said)
