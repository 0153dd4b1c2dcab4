"""The smoother, on something that is known: two numbers and what they yield, with noise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.calibration import fit as fit_module
from eduverse_mesa.experiments.calibration.fit import FREE, Fit, Member, Plan, fit, free_parameters, prior_sd
from eduverse_mesa.experiments.calibration.targets import Target
from eduverse_mesa.experiments.folders import alone_in
from eduverse_mesa.randomness import Address, normal
from eduverse_mesa.scenarios.parameters import Parameter, known_parameters, load_parameters

TOY = f"{__name__}:toy"
MANY = f"{__name__}:many"
PLAN = Plan(members=60, assimilations=4, lessons=1, seed=3)
TRUTH = {"a": 0.8, "b": -0.5}
WANTED = (Target("sum", 0.3, 0.05), Target("difference", 1.3, 0.05))


def parameter(value: float = 0.0) -> Parameter:
    return Parameter(value=value, range=(-4, 4), meaning="m", source="s")


FREE_TOY = {"a": parameter(), "b": parameter(), "idle": parameter()}


def toy(payload: bytes) -> bytes:
    """Two sums with noise; what depends on nothing is there, too."""
    member = msgspec.json.decode(payload, type=Member)
    a, b = member.parameters["a"], member.parameters["b"]
    noise = [0.02 * normal(Address(member.seed, 0, 0, "toy"), name) for name in ("sum", "difference")]
    if a > 3.9:
        raise LessonError("nobody can be like that")
    found = {"sum": a + b + noise[0], "difference": a - b + noise[1], "other": 1.0}
    if member.seed // 1000 % 3:  # every third member has no occasion to show it
        found["sometimes"] = a + noise[0]
    return msgspec.json.encode(found)


def many(payload: bytes) -> bytes:
    """Forty sums with noise of their own, of ten parameters out of twelve."""
    member = msgspec.json.decode(payload, type=Member)
    at = Address(member.seed, 0, 0, "toy")
    return msgspec.json.encode(
        {
            f"t{number}": 0.1 * member.parameters[f"p{number % 10}"] + 0.04 * normal(at, f"t{number}")
            for number in range(40)
        }
    )


def otherwise_than(rules: Callable[[bytes], bytes], payload: bytes) -> bytes:
    """The same by other rules."""
    found = msgspec.json.decode(rules(payload), type=dict[str, float])
    return msgspec.json.encode({name: value + 0.01 for name, value in found.items()})


def fitted(folder: Path | None = None, plan: Plan = PLAN) -> Fit:
    return fit(FREE_TOY, WANTED, plan, folder=folder, work=TOY)


def learned(found: Fit) -> dict[str, dict[str, float]]:
    return {str(row.pop("parameter")): row for row in found.spread().to_dict("records")}  # type: ignore[misc]


def test_what_was_planted_is_found_with_its_uncertainty() -> None:
    spread = learned(fitted())
    for name, value in TRUTH.items():
        found = spread[name]
        assert found["mean"] == pytest.approx(value, abs=0.1)
        assert found["low"] < value < found["high"]
        assert found["learned"] > 0.9


@pytest.mark.parametrize("members", [20, 60, 200])
def test_what_does_nothing_is_told_from_what_matters_by_the_floor(members: int) -> None:
    found = fitted(plan=Plan(members, 4, 1, seed=3))
    spread = learned(found)
    assert spread["idle"]["learned"] <= found.floor
    assert [spread[name]["told"] for name in FREE_TOY] == [True, True, False]
    assert found.idle.mean() < found.floor < 0.7


def test_the_floor_is_where_one_in_twenty_that_do_nothing_are_above() -> None:
    free = {**FREE_TOY, **{f"idle_{number}": parameter() for number in range(200)}}
    found = fit(free, WANTED, Plan(40, 4, 1, seed=5), work=TOY)
    nothing = found.spread().query("parameter not in ['a', 'b']")
    assert nothing["told"].mean() == pytest.approx(0.05, abs=0.04)
    assert nothing["learned"].mean() == pytest.approx(found.idle.mean(), abs=0.02)


def test_few_members_for_many_targets_make_up_much_of_what_is_learned() -> None:
    """With 24 of them a parameter that does nothing seems half known."""
    wanted = [Target(f"t{number}", 0.05, 0.04) for number in range(40)]
    free = {f"p{number}": parameter() for number in range(12)}
    floors = [fit(free, wanted, Plan(members, 4, 1, seed=1), work=MANY).floor for members in (24, 200)]
    assert floors[0] > 0.5 > floors[1] + 0.1


def test_what_no_member_could_show_is_not_told_as_met_and_moves_nothing() -> None:
    found = fit(FREE_TOY, (*WANTED, Target("nowhere", 0.4, 0.01)), PLAN, work=TOY)
    assert all(table["nowhere"].isna().all() for table in found.history)
    assert found.history[-1]["sum"].mean() == pytest.approx(0.3, abs=0.05)
    for name, value in TRUTH.items():
        assert found.values[name] == pytest.approx(value, abs=0.1)


def test_who_could_not_show_something_is_left_blank_and_does_not_spoil_the_others() -> None:
    found = fit(FREE_TOY, (*WANTED, Target("sometimes", 0.8, 0.05)), PLAN, work=TOY)
    shown = found.history[0]["sometimes"]
    assert 0 < shown.isna().sum() < len(shown)
    assert found.values["a"] == pytest.approx(0.8, abs=0.1)


def test_the_same_seed_gives_the_same_fit_and_another_another() -> None:
    one, again, other = fitted(), fitted(), fitted(plan=Plan(60, 4, 1, seed=4))
    assert one.values == again.values
    assert one.values != other.values


def test_a_fit_that_was_broken_off_goes_on_to_the_same_end(tmp_path: Path) -> None:
    whole = fitted(tmp_path)
    files = sorted(tmp_path.glob("ensemble-*.jsonl"))
    assert len(files) == PLAN.assimilations + 1
    for file in files[2:]:
        file.unlink()
    lines = files[1].read_bytes().split(b"\n")
    files[1].write_bytes(b"\n".join(lines[:20]) + b"\n" + lines[20][:30])  # killed while it wrote a line
    assert fitted(tmp_path).values == whole.values
    assert [len(file.read_bytes().splitlines()) for file in files] == [60, 61, 60, 60, 60]


def elsewhere(free: Mapping[str, Parameter] = FREE_TOY, wanted: Sequence[Target] = WANTED) -> Callable[[Path], Fit]:
    return lambda folder: fit(dict(free), wanted, Plan(8, 1, 1), folder=folder, work=TOY)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (lambda folder: fitted(folder, Plan(8, 1, 1, seed=9)), "members, assimilations, lessons or seed"),
        (elsewhere(wanted=[Target("sum", 0.3, 0.06), WANTED[1]]), "the targets"),
        (elsewhere(free={**FREE_TOY, "idle": parameter(0.1)}), "the free parameters"),
        (lambda folder: fit(FREE_TOY, WANTED, Plan(8, 1, 1), folder=folder, work=MANY), "what is played"),
    ],
    ids=["plan", "targets", "free", "work"],
)
def test_what_was_kept_of_another_fit_is_not_taken(other: Callable[[Path], Fit], told: str, tmp_path: Path) -> None:
    elsewhere()(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.glob("*.json*")}
    with pytest.raises(EduverseError, match=rf"something else is being fitted there: {told} differ\."):
        other(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.json*")} == before


@pytest.mark.parametrize(
    ("name", "told"),
    [("__version__", "the version of eduverse-mesa"), ("load_parameters", "values of other parameters")],
)
def test_nor_what_another_version_or_other_defaults_have_played(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere()(tmp_path)
    changed = "0.0.0" if name == "__version__" else lambda: {**load_parameters(), "habit.rate": 0.123}
    monkeypatch.setattr(fit_module, name, changed)
    with pytest.raises(EduverseError, match=told):
        elsewhere()(tmp_path)


def test_nor_what_other_rules_of_the_same_name_have_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere()(tmp_path)
    monkeypatch.setattr(sys.modules[__name__], "toy", partial(otherwise_than, toy))
    with pytest.raises(EduverseError, match="other rules"):
        elsewhere()(tmp_path)


def test_two_programs_do_not_fit_in_one_folder(tmp_path: Path) -> None:
    with alone_in(tmp_path), pytest.raises(EduverseError, match="another program is fitting there"):
        elsewhere()(tmp_path)
    elsewhere()(tmp_path)


def test_parameters_stay_in_their_ranges() -> None:
    narrow = {name: Parameter(value=0, range=(-0.1, 0.1), meaning="m", source="s") for name in FREE_TOY}
    found = fit(narrow, WANTED, PLAN, work=TOY)
    assert np.abs(found.posterior).max() <= 0.1


def test_a_member_that_fails_is_told() -> None:
    with pytest.raises(LessonError, match="nobody can be like that"):
        fit({**FREE_TOY, "a": Parameter(value=3.95, range=(-4, 4), meaning="m", source="s")}, WANTED, PLAN, work=TOY)


@pytest.mark.parametrize("plan", [(4, 1, 1), (60, 0, 1), (60, 1, 0)])
def test_too_little_to_fit_anything(plan: tuple[int, int, int]) -> None:
    with pytest.raises(EduverseError, match="too little"):
        Plan(*plan)


def test_free_parameters_exist_and_can_be_named_by_globs() -> None:
    assert len(FREE) == len(set(FREE))
    assert list(free_parameters()) == list(FREE)
    assert set(free_parameters(("attention.*",))) == {n for n in known_parameters() if n.startswith("attention.")}
    with pytest.raises(EduverseError, match=r"nothing\.\*"):
        free_parameters(("nothing.*",))


@pytest.mark.parametrize("name", FREE)
def test_priors_lie_well_within_the_ranges(name: str) -> None:
    found = known_parameters()[name]
    assert 0 < prior_sd(found) <= (found.range[1] - found.range[0]) / 4
