"""The parameters of the embedded model."""

from __future__ import annotations

import pytest

from eduverse_mesa.scenarios.parameters import known_parameters, load_parameters
from tests.scenarios.documents import refusal

NAMES = tuple(known_parameters())


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_lies_in_its_range_and_can_be_set_to_its_ends(name: str) -> None:
    parameter = known_parameters()[name]
    least, most = parameter.range
    assert least <= parameter.value <= most
    assert least < most
    for value in (least, most):
        assert load_parameters({name: value}) == load_parameters() | {name: value}
    refusal(load_parameters, {name: most + 1})
    refusal(load_parameters, {name: least - 1})


def test_what_is_loaded_is_the_callers_own() -> None:
    load_parameters()[NAMES[0]] = 1e9
    assert load_parameters()[NAMES[0]] == known_parameters()[NAMES[0]].value


def test_mistakes() -> None:
    assert "Did you mean 'attention.base'?" in refusal(load_parameters, {"attention.bas": 1}).mend
    assert "Families of parameters: " in refusal(load_parameters, {"zzz": 1}).mend
    assert "out of range" in refusal(load_parameters, {"attention.base": float("nan")}).message
    assert "2 things are wrong" in refusal(load_parameters, {"zzz": 1, "attention.base": 1e9}).message
