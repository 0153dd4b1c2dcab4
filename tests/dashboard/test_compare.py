"""What the compare page is made of, without a browser: sources, sides, the table, the form of a fork."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.dashboard.background import Ticket, Worker
from eduverse_mesa.dashboard.pages.compare.comparison import (
    CHANGES,
    Comparison,
    Side,
    arms,
    change_of,
    distinct,
    filled,
    forked,
    places_of,
    stored,
    told_change,
    unlike,
)
from eduverse_mesa.dashboard.pages.compare.forms import Seeds, Wish
from eduverse_mesa.dashboard.pages.compare.page import (
    FOLLOWED,
    Row,
    chosen_rows,
    notes_of,
    number,
    rows_of,
    series_of,
    tree,
)
from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.measures.intervals import FEW
from eduverse_mesa.models.classroom import Move, NoChange
from eduverse_mesa.runs import open_study, record_course, replay_run, run_course
from eduverse_mesa.runs.arms import ArmPlan
from eduverse_mesa.runs.comparison import first_difference, summaries
from eduverse_mesa.runs.threads import BrokenOffError
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.visualization.reports.run import told_few
from eduverse_mesa.visualization.widgets.fields import filled_in
from eduverse_mesa.visualization.words import LANGUAGES, Words, load_words
from eduverse_mesa.visualization.words.labels import reason_of
from tests.policies.test_waiting import PATIENCE
from tests.visualization.test_reports import HOSTILE, renamed


def lesson(layout: str = "lecture") -> Scenario:
    return load_scenario(steps=6, layout=layout)


def ticket() -> Ticket:
    return Ticket(Worker())


def last(source: Iterator[list[Side]]) -> list[Side]:
    *_, sides = source
    return sides


def plans() -> list[ArmPlan]:
    return [ArmPlan(name, lesson(name), "embedded") for name in ("lecture", "round")]


# --- where sides come from ---


def test_a_run_that_was_broken_off_is_not_held_against_its_fork(tmp_path: Path) -> None:
    path = str(tmp_path / "stub.study")
    whole = record_course(path, lesson(), 1, "embedded")
    with open_study(path, read_only=True) as opened:
        parent = replay_run(opened, whole.id, until=(1, 4))
    with pytest.raises(EduverseError, match=r"it was interrupted after step 4 of lesson 1.*Resume it first"):
        list(forked(lambda: parent, (1, 2), NoChange(step=3), ("before", "after"))(ticket()))


def kept(path: str, seeds: range, interrupted: tuple[int, ...]) -> list[str]:
    """Runs of a study, some of which were broken off in their third step."""
    found = []
    for seed in seeds:

        def stop(model: Any, seed: int = seed) -> None:
            if seed in interrupted and model.state.step >= 3:
                raise BrokenOffError

        with suppress(BrokenOffError):
            record_course(path, lesson(), seed, "embedded", progress=stop)
        with open_study(path, read_only=True) as opened:
            found.append(opened.study.runs()[-1].id)
    return found


def test_runs_that_were_interrupted_are_told_and_left_out_of_the_numbers(tmp_path: Path) -> None:
    path = str(tmp_path / "half.study")
    runs = kept(path, range(1, 6), interrupted=(2, 4))
    sides = last(stored(path, runs)(ticket()))
    [side] = sides
    assert side.arm.seeds == (1, 3, 5)
    assert [one.seed for one in side.arm.left_out] == [2, 4]
    assert side.seeds == (1, 2, 3, 4, 5), "they can be looked at all the same"
    assert side.run_of(2) is not None
    comparison = Comparison()
    comparison.begin(lambda _: iter([sides]))
    wait(comparison)
    assert comparison.left_out == 2
    whole = [one.numbers["steps"] for one in side.arm.runs]
    cut = [one.numbers["steps"] for one in side.arm.left_out]
    assert max(cut) < min(whole)
    n, mean = steps_of(comparison)
    assert n == 3
    assert mean == pytest.approx(fmean(whole))
    comparison.count_all(True)
    n, mean = steps_of(comparison)
    assert n == 5
    assert mean == pytest.approx(fmean([*whole, *cut]))
    for language in LANGUAGES:
        t = load_words(language)
        assert all("2" in t(f"compare.note.{key}", n=2) for key in ("left_out", "counted_in"))


def test_the_first_run_that_is_shown_is_complete(tmp_path: Path) -> None:
    """A fork of what is shown goes on from it, and an interrupted run cannot be forked."""
    path = str(tmp_path / "shown.study")
    runs = kept(path, range(1, 4), interrupted=(1, 3))
    [side] = last(stored(path, runs[::-1])(ticket()))
    assert side.shown is not None
    assert side.shown.spec.seed == 2


def steps_of(comparison: Comparison) -> tuple[int, float]:
    """Over how many runs the steps are told, and their mean."""
    table = summaries(comparison.arms)
    [row] = table[table["measure"] == "steps"].to_dict("records")
    return row["n"], row["mean"]


def test_a_side_with_nothing_but_interrupted_runs_has_no_numbers(tmp_path: Path) -> None:
    path = str(tmp_path / "none.study")
    [side] = last(stored(path, kept(path, range(1, 3), interrupted=(1, 2)))(ticket()))
    whole = last(arms(plans()[:1], [1])(ticket()))[0]
    assert rows_of(whole.arm, side.arm, str) == []
    assert side.shown is not None


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_too_few_seeds_are_told_in_the_same_words_everywhere(language: str) -> None:
    t = load_words(language)
    assert [bool(told_few(n, t)) for n in (1, 2, FEW - 1, FEW, 40)] == [True, True, True, False, False]
    assert told_few(3, t) in told_of(plans(), range(3), t)
    assert told_few(5, t) not in told_of(plans(), range(5), t) or not told_few(5, t)


def told_of(wanted: list[ArmPlan], seeds: range, t: Words) -> str:
    """What is said above the table."""
    one, other = (side.arm for side in last(arms(wanted, seeds)(ticket())))
    return " ".join(notes_of((one, other), rows_of(one, other, str), t))


def test_arms_grow_pair_by_pair() -> None:
    seen = [[len(side.arm.runs) for side in sides] for sides in arms(plans(), [1, 2])(ticket())]
    assert seen == [[1], [1, 1], [2, 1], [2, 2]]


def test_any_seed_of_an_arm_can_be_shown_again() -> None:
    lecture, round_ = last(arms(plans(), range(8))(ticket()))
    assert len(round_.runs) < 8
    again = round_.run_of(7)
    assert again is not None
    assert first_difference(again, run_course(lesson("round"), 7)) is None
    assert lecture.run_of(8) is None


def test_work_that_was_stopped_makes_no_more_runs() -> None:
    mine = ticket()
    seen = []
    for sides in arms(plans(), range(50))(mine):
        seen.append(sides)
        mine.stop.set()
    assert len(seen) == 1


def test_runs_of_a_study_are_put_together_by_their_seeds(tmp_path: Path) -> None:
    study = str(tmp_path / "class.study")
    runs = [record_course(study, lesson(name), seed).id for seed in (1, 2) for name in ("lecture", "round")]
    sides = last(stored(study, runs)(ticket()))
    assert [(side.name, side.arm.seeds) for side in sides] == [("Lecture", (1, 2)), ("Round table", (1, 2))]
    assert sides[1].run_of(2) is not None
    alone = last(stored(study, runs, grouped=False)(ticket()))
    told = [f"{layout} · seed {seed}" for seed in (1, 2) for layout in ("Lecture", "Round table")]
    assert [side.name.partition(" · ")[2] for side in alone] == told


def test_more_than_four_things_are_refused_before_any_is_read(tmp_path: Path) -> None:
    study = str(tmp_path / "class.study")
    runs = [record_course(study, lesson(), seed).id for seed in range(5)]
    with pytest.raises(LessonError, match="5 different"):
        last(stored(study, runs, grouped=False)(ticket()))
    assert len(last(stored(study, runs)(ticket()))) == 1


def test_a_fork_stands_beside_its_parent_and_grows_over_seeds() -> None:
    parent = run_course(lesson(), 3)
    change = Move(step=4, student="Liu Li", to="r2_3")
    made = list(forked(lambda: parent, (1, 3), change, ("before", "after"), [1, 2, 3])(ticket()))
    before, after = made[0]
    assert before.shown is parent
    assert after.forked is not None
    assert after.forked.first is not None
    assert after.forked.first[:2] >= (1, 4)
    assert before.arm.seeds == after.arm.seeds == (1, 2, 3)
    again = after.run_of(2)
    assert again is not None
    assert [str(one) for one in again.spec.changes] == [str(change)]


def test_a_fork_of_nothing_says_that_nothing_differs() -> None:
    parent = run_course(lesson(), 3)
    (_, after) = last(forked(lambda: parent, (1, 3), NoChange(step=4), ("a", "b"))(ticket()))
    assert after.forked is not None
    assert after.forked.first is None


def test_a_move_that_did_not_take_place_is_told_with_its_reason() -> None:
    parent = run_course(lesson(), 3)
    row = next(row for row in parent.lessons[0].model.journal.students if row.student == "Liu Li" and row.step == 3)
    change = Move(step=4, student="Liu Li", to=(row.x, row.y))
    (_, after) = last(forked(lambda: parent, (1, 3), change, ("a", "b"))(ticket()))
    assert after.forked is not None
    assert after.forked.refused == "Liu Li sits there already"
    assert reason_of(after.forked.refused, load_words("zh")) == "Liu Li本来就坐在那里"


# --- in step ---


def test_sides_of_different_lengths_share_their_steps() -> None:
    short, long = (Side(plan_arm, lambda _: run_course(lesson(), 1)) for plan_arm in _arms_of("short", "long"))
    short.add(run_course(load_scenario(steps=6, settings={"pacing.mode": "fixed"}), 1))
    long.add(run_course(load_scenario(steps=9, settings={"pacing.mode": "fixed"}), 1))
    places = places_of([short, long])
    assert places == [(1, step) for step in range(10)]
    for place in places:
        shots = [side.shot(place) for side in (short, long)]
        assert all(shot is not None for shot in shots)
        assert [shot.step for shot in shots if shot] == [min(place[1], 6), place[1]]


def _arms_of(*names: str) -> list[Any]:
    from eduverse_mesa.runs.comparison import Arm

    return [Arm(name) for name in names]


def test_who_is_unlike_does_or_feels_something_else() -> None:
    lecture, round_ = last(arms(plans(), [1])(ticket()))
    for place in places_of([lecture, round_])[1:]:
        one, other = lecture.shot(place), round_.shot(place)
        assert one is not None
        assert other is not None
        assert unlike(one, one) == []
        for name in unlike(one, other):
            mine, theirs = one.frame.student(name), other.frame.student(name)
            assert (mine.behaviour, mine.emotion) != (theirs.behaviour, theirs.emotion)


@pytest.mark.parametrize("what", FOLLOWED)
def test_a_series_is_the_mean_of_the_class(what: str) -> None:
    sides = last(arms(plans(), [1])(ticket()))
    places = places_of(sides)
    series = series_of(sides, places, what)
    assert set(series["run"]) == {"lecture", "round"}
    assert series["value"].between(-1, 1).all()
    for side in sides:
        own = series[series["run"] == side.name]
        assert side.shown is not None
        assert own["step"].tolist() == list(range(1, side.shown.steps + 1))
    shot = sides[0].shot((1, 3))
    assert shot is not None
    by_hand = {
        "off_task": [student.level == "off_task" for student in shot.frame.students],
        "interactive": [student.level == "interactive" for student in shot.frame.students],
        "positive": [student.emotion == "positive" for student in shot.frame.students],
        "high": [student.high for student in shot.frame.students],
    }.get(what) or [getattr(student, what) for student in shot.frame.students]
    found = series[(series["run"] == "lecture") & (series["step"] == 3)]["value"].item()
    assert found == pytest.approx(sum(by_hand) / len(by_hand))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def wait(comparison: Comparison) -> None:
    until(lambda: not comparison.work.busy)


def test_a_comparison_is_played_together_and_can_be_paused() -> None:
    comparison = Comparison()
    comparison.begin(arms(plans(), [1, 2]))
    wait(comparison)
    assert comparison.work.error is None
    assert [side.arm.seeds for side in comparison.sides] == [(1, 2), (1, 2)]
    comparison.set_pace(1000)
    comparison.play()
    until(lambda: comparison.at == comparison.last and not comparison.playing)
    comparison.seek(2)
    assert comparison.place == (1, 2)
    comparison.seek(10**6)
    assert comparison.at == comparison.last
    comparison.seek(-5)
    assert comparison.at == 0
    comparison.show_seed(2)
    wait(comparison)
    assert [side.shown.spec.seed for side in comparison.sides if side.shown] == [2, 2]
    comparison.close()


def test_what_goes_wrong_is_told_and_leaves_what_was_there() -> None:
    comparison = Comparison()
    comparison.begin(arms(plans(), [1]))
    wait(comparison)
    comparison.begin(stored("/nowhere/at/all.study", ["x"]))
    wait(comparison)
    assert isinstance(comparison.work.error, EduverseError)
    assert len(comparison.sides) == 2


def test_newer_work_replaces_older_work() -> None:
    before = threading.active_count()
    comparison = Comparison()
    comparison.begin(arms(plans(), range(200)))
    comparison.begin(arms(plans()[:1], [9]))
    wait(comparison)
    until(lambda: threading.active_count() <= before)  # the older work ends, too
    assert [side.arm.seeds for side in comparison.sides] == [(9,)]


# --- the table ---


def row(measure: str, difference: float, low: float = math.nan, effect: float = math.nan) -> Row:
    high = 2 * difference - low
    return Row(measure, measure, "bec", 0.1, 0.1 + difference, difference, low, high, 5, effect)


def texts(part: Any) -> list[str]:
    if isinstance(part, list):
        return [text for child in part[2:] for text in texts(child)]
    return [str(part)]


def test_rows_are_searched_grouped_and_sorted() -> None:
    lecture, round_ = last(arms(plans(), [1, 2, 3])(ticket()))
    rows = rows_of(lecture.arm, round_.arm, str)
    assert {row.group for row in rows} >= {"bec", "irf", "network", "equity", "student", "answers"}
    assert {row.group for row in chosen_rows(rows, "class", "", "order")} == {"bec", "irf", "network", "equity"}
    found = chosen_rows(rows, "all", "LIU li", "order")
    assert found
    assert all("Liu Li" in row.measure for row in found)
    whole = chosen_rows(rows, "all", "", "order")
    assert sorted(whole) == sorted(rows)
    looks: dict[str, Any] = {"sort": "order", "down": True, "chosen": "", "intervals": True}
    keys = [line[1]["key"] for line in tree(whole, [(0, "A"), (1, "B")], load_words(), **looks)[3][2:]]
    assert len(set(keys)) == len(keys), "each group stands once: rows are found again by their keys"
    effects = [abs(row.effect) for row in chosen_rows(rows, "bec", "", "effect") if math.isfinite(row.effect)]
    assert effects == sorted(effects, reverse=True)
    steps = [row.difference for row in chosen_rows(rows, "bec", "", "difference", down=False)]
    assert steps == sorted(steps)


def test_a_row_is_clear_where_its_interval_leaves_out_zero() -> None:
    t = load_words()
    rows = [row("a", 0.2, low=0.1, effect=1.0), row("b", 0.2, low=-0.1, effect=1.0), row("c", -0.3, low=-0.4)]
    shown = tree(rows, [(0, "x"), (1, "y")], t, sort="effect", down=True, chosen="b", intervals=True)
    lines = {line[1]["key"]: line[1]["class"] for line in shown[3][2:]}
    assert lines == {"a": "clear", "b": "chosen", "c": "clear"}


def test_hostile_names_are_texts_of_the_table() -> None:
    run = run_course(renamed(lesson(), HOSTILE), 1)
    side = Side(_arms_of(HOSTILE)[0], lambda _: run)
    side.add(run)
    rows = rows_of(side.arm, side.arm, str)
    shown = tree(rows, [(0, HOSTILE), (1, HOSTILE)], load_words(), sort="order", down=True, chosen="", intervals=False)
    assert HOSTILE in texts(shown)
    assert any(HOSTILE in text and "attention" in text for text in texts(shown))


@given(st.floats(allow_nan=True, allow_infinity=True), st.booleans())
def test_numbers_are_short_and_have_no_sign_of_nothing(value: float, sign: bool) -> None:
    shown = number(value, sign=sign)
    if not math.isfinite(value):
        assert shown == "–"
    elif abs(value) < 0.0005:
        assert shown == "0.000"
    elif abs(value) < 1000:
        assert float(shown.replace("−", "-")) == pytest.approx(value, abs=0.0005001)
        assert shown[0] in "+−" or not sign


def test_names_that_come_again_get_numbers() -> None:
    assert distinct(["a", "b", "a", "a (2)", "a"]) == ["a", "b", "a (2)", "a (2) (2)", "a (3)"]


@pytest.mark.parametrize(
    ("value", "number"),
    [(5, 5), (7.0, 7), (0, None), (-1, None), (2.5, None), (201, None), (None, None), ("five", None)],
)
def test_only_whole_numbers_are_taken(value: Any, number: int | None) -> None:
    seeds, wish = filled_in(Seeds, {"seeds": value, "first": 1}), Wish("here", 5, seeds=value)
    assert (seeds.seeds if seeds else None) == wish.count == number
    assert wish.before == 5
    assert Wish("here", 0).before is None


# --- the form of a fork ---


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_change_can_be_made_and_told(kind: str, language: str) -> None:
    scenario = lesson()
    given = filled({}, scenario, "Liu Li")
    change = change_of(kind, given, 1, 3)
    assert change.change == kind
    told = told_change(change, load_words(language))
    assert told
    if kind in ("move", "trait"):
        assert "Liu Li" in told


def test_what_was_chosen_for_another_class_is_forgotten() -> None:
    given = filled({"student": "Nobody", "seat": "nowhere"}, lesson("round"), "Nobody")
    assert given["student"] in [student.name for student in lesson("round").roll.students]
    change = change_of("move", given, 1, 2)
    run = run_course(lesson("round"), 1, changes=[change])
    assert run.complete
