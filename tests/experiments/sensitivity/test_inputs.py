"""What is varied, and from where to where."""

from __future__ import annotations

import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.sensitivity import Input, check_inputs, choose_parameters, read_factor
from eduverse_mesa.scenarios.parameters import known_parameters


def test_parameters_are_varied_by_half_of_their_size_within_their_range() -> None:
    for one in choose_parameters(["*"]):
        parameter = known_parameters()[one.name]
        least, most = parameter.range
        assert least <= one.low < one.high <= most
        assert one.low <= parameter.default <= one.high
        if parameter.default:
            half = abs(parameter.default) / 2
            assert one.low == pytest.approx(max(least, parameter.default - half))
            assert one.high == pytest.approx(min(most, parameter.default + half))
        else:
            assert one.high - one.low <= 0.2 * (most - least) + 1e-9


def test_a_scenarios_own_value_is_varied_around() -> None:
    [one] = choose_parameters(["attention.base"], changed={"attention.base": 2.0})
    assert (one.low, one.high) == (1.0, 3.0)


def test_the_share_can_be_taken_of_the_range() -> None:
    [one] = choose_parameters(["gate.chat"], around="range", spread=1.0)
    assert (one.low, one.high) == known_parameters()["gate.chat"].range


def test_names_are_matched_once_and_in_order() -> None:
    chosen = [one.name for one in choose_parameters(["fatigue.*", "*.rate"])]
    assert len(chosen) == len(set(chosen))
    assert chosen == [name for name in known_parameters() if name in chosen]
    assert {"fatigue.rate", "fatigue.motivation", "learn.rate"} <= set(chosen)


def test_factors() -> None:
    assert read_factor("students=20:30") == Input("students", 20, 30, "factor", whole=True)
    assert read_factor(" interest = .2:0.8 ").key == "lessons.0.interest"
    assert read_factor("gate.threshold=0.4:0.8").whole is False
    assert read_factor("students=20:30").at(24.6) == 25


@pytest.mark.parametrize(
    "text", ["students", "students=20", "students=30:20", "students=2.5:3", "x=1:1", "=1:2", "a=b:c"]
)
def test_what_is_no_factor_is_refused(text: str) -> None:
    with pytest.raises(EduverseError, match=r"^factors"):
        read_factor(text)


def test_mistakes_in_parameters_are_told() -> None:
    with pytest.raises(EduverseError, match="no parameter is called like 'attenton"):
        choose_parameters(["attenton.base"])
    with pytest.raises(EduverseError, match="no share"):
        choose_parameters(["attention.*"], spread=0)
    with pytest.raises(EduverseError, match="vary around"):
        choose_parameters(["attention.*"], around="mean")
    with pytest.raises(EduverseError, match="nothing is varied"):
        check_inputs([])
    with pytest.raises(EduverseError, match="varied twice"):
        check_inputs([read_factor("interest=0:1"), read_factor("lessons.0.interest=0:1")])
