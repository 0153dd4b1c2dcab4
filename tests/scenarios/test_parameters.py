"""The parameters of the embedded model."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.scenarios.parameters import calibration, known_parameters, load_parameters, read_parameters
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
    assert load_parameters()[NAMES[0]] == known_parameters()[NAMES[0]].default


def test_mistakes() -> None:
    assert "Did you mean 'attention.base'?" in refusal(load_parameters, {"attention.bas": 1}).mend
    assert "Families of parameters: " in refusal(load_parameters, {"zzz": 1}).mend
    assert "out of range" in refusal(load_parameters, {"attention.base": float("nan")}).message
    assert "2 things are wrong" in refusal(load_parameters, {"zzz": 1, "attention.base": 1e9}).message


def test_what_was_fitted_is_the_default() -> None:
    fitted = calibration().values
    assert fitted
    values = load_parameters()
    for name, parameter in known_parameters().items():
        assert values[name] == parameter.default == fitted.get(name, parameter.value)


def test_a_file_of_parameters_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("kind: parameters\nvalues:\n  attention.base: 1\n")
    assert read_parameters(file).values == {"attention.base": 1.0}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: parameters\nvalues:\n  attention.bas: 1\n", "mine.yaml:3"),
        ("kind: parameters\nvalues:\n  attention.base: 1000\n", "out of range"),
        ("kind: parameters\nvalues:\n  attention.base: much\n", "no file of parameters"),
        ("kind: scenario\nvalues: {}\n", "no file of parameters"),
        ("- a\n", "no file of parameters"),
    ],
)
def test_mistakes_in_a_file_of_parameters(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    assert told in str(refusal(read_parameters, file))
