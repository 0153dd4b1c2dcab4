"""What the parameters are fitted to, and what is played for it."""

from __future__ import annotations

import math

from eduverse_mesa.experiments.calibration.fit import Member, observe
from eduverse_mesa.experiments.calibration.targets import targets

HELD_BACK = ("round", "world_history", "renaissance", "nolocal", "nocog", "density", "betweenness", "regulate")


def test_every_target_is_observed() -> None:
    found = observe(Member({}, 5, 1))
    missing = {target.name for target in targets()} - set(found)
    assert all(name.startswith("talk.") for name in missing)  # a single lesson may hold no question of a kind
    assert len(missing) < 6
    assert all(math.isfinite(value) for value in found.values())


def test_parameters_make_a_difference() -> None:
    before, after = (observe(Member({"emotion.confused_cut": cut}, 5, 1)) for cut in (0.0, 2.5))
    name = "bec.lecture.lyrical_prose.e_positive"
    assert after[name] < before[name] - 0.1


def test_what_is_to_be_predicted_is_not_fitted_to() -> None:
    names = [target.name for target in targets()]
    assert len(names) == len(set(names))
    assert not [name for name in names if any(word in name for word in HELD_BACK)]
    assert all(target.sd > 0 for target in targets())
