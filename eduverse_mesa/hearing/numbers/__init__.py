"""Numbers, quantities and calculations in what people write: a module and a file of words for each way."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

import yaml

from eduverse_mesa.hearing.numbers.chinese import HanNumbers
from eduverse_mesa.hearing.numbers.english import MOST, Found, Numbers, Shown, without_units
from eduverse_mesa.vocabulary.labels import LOADER

__all__ = ["MOST", "Found", "HanNumbers", "Numbers", "Shown", "load_numbers", "without_units"]


@lru_cache(maxsize=2)
def load_numbers(*, chinese: bool) -> Numbers:
    """How numbers are written in Chinese, or else in English and in digits everywhere."""
    name = "zh" if chinese else "en"
    text = (files("eduverse_mesa.hearing.numbers") / f"{name}.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=LOADER)  # noqa: S506 - a safe one
    return (HanNumbers if chinese else Numbers)(data)
