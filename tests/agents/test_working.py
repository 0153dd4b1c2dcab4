"""What a member of a group may show of its own work: every calculation is one that a pupil can check."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from eduverse_mesa.agents.solution import sheet_of, work_of
from eduverse_mesa.formulas import parse, work_out
from eduverse_mesa.formulas.units import units_for
from eduverse_mesa.scenarios.loader import built_in_problems
from eduverse_mesa.scenarios.word_problem import change, schema_of
from tests.models.groups import problem

_NUMBER = r"\d[\d,]*(?:\.\d+)?"


def typed(text: str) -> Fraction:
    """What somebody gets who types it into a calculator and knows what $, cents and % are."""
    text = text.replace(",", "").removeprefix("about ").removeprefix("约")
    text = re.sub(rf"\$({_NUMBER})|({_NUMBER})美元", lambda one: f"({one[1] or one[2]} * 100)", text)
    text = re.sub(rf"({_NUMBER}) cents?|({_NUMBER})美分", lambda one: one[1] or one[2], text)
    text = re.sub(rf"({_NUMBER})%", r"(\1 / 100)", text)
    text = re.sub(r"(\d+)(?: |又)(\d+)/(\d+)", r"(\1 + \2 / \3)", text)
    return work_out(parse(text.replace(" x ", " * ")), {}, units_for(), "").value


def comes_to(calculation: str, shown: str) -> bool:
    """Whether it does, as far as the result is said exactly."""
    shown = re.sub(r"^每[^\d约]+", "", shown)
    result = re.match(rf"(?:about |约)?(?:\$?{_NUMBER}(?:(?: |又)\d+/\d+|/\d+|%| cents?|美分|美元)?)", shown)
    assert result is not None, shown
    said, found = typed(result[0]), typed(calculation)
    money = "$" in calculation or "美元" in calculation or "cent" in calculation or "美分" in calculation
    if money and not re.search(r"\$|cent|美", result[0]):
        return said == found
    if re.search(r"\$|美元", result[0]) and not money:
        found *= 100
    return abs(said - found) <= (Fraction(1, 2) if "about" in shown or "约" in shown else 0)


EVERY = [one.name for language in ("en", "zh") for one in built_in_problems(language)]


@pytest.mark.parametrize("name", EVERY)
def test_every_calculation_that_anybody_may_show_comes_to_what_is_said(name: str) -> None:
    task = problem(name)
    right = schema_of(task)
    shown = 0
    for schema in (right, *(change(right, one) for one in task.misconceptions)):
        for work in work_of(task, schema):
            if " " in work.calculation:
                shown += 1
                assert comes_to(work.calculation, work.shown), (work.calculation, work.shown)
    assert shown > len(task.misconceptions)


@pytest.mark.parametrize(
    ("name", "variable", "calculation"),
    [
        ("steps_and_distance", "step_length", "60 / 20"),
        ("equal_discounts", "one_percent", "18 / 15"),
        ("equal_discounts", "price", "1.2 x 100"),
        ("equal_discounts", "sale_off", "$120 x 15%"),
        ("equal_discounts_zh", "sale_off", "120美元 x 15%"),
        ("phone_plans", "extra_fee", "49.95 - 29.95"),
        ("phone_plans", "a_to_c", "$20 / 5 cents"),
        ("phone_plans", "c_to_b", "($90.20 - $49.95) / 5 cents"),
        ("phone_plans", "cost_there", "$29.95 + (10 cents x 400)"),
    ],
)
def test_a_unit_is_shown_where_the_numbers_alone_come_to_something_else(
    name: str, variable: str, calculation: str
) -> None:
    task = problem(name)
    found = {one.variable: one.calculation for one in work_of(task, schema_of(task))}
    assert found[variable] == calculation


@pytest.mark.parametrize(
    ("value", "said", "calculated"),
    [("1/4 yard", "1/4 of a yard", "8 / (1/4)"), ("0.25 yards", "0.25 yards", "8 / 0.25")],
)
def test_what_is_typed_as_a_fraction_is_said_as_one(value: str, said: str, calculated: str) -> None:
    built_in = problem("ribbon_bracelets")
    ribbon = built_in.givens[0].model_copy(update={"value": value})
    own = built_in.model_copy(update={"givens": (ribbon, *built_in.givens[1:]), "misconceptions": ()})
    sheet = sheet_of(own)
    assert sheet.fractions is ("/" in value)
    assert sheet.givens[0].shown == said
    work = {one.variable: one for one in work_of(own, schema_of(own))}
    assert work["per_yard"].calculation == calculated
    assert work["ribbon_each"].shown.startswith("1/32" if sheet.fractions else "about 0.031")
