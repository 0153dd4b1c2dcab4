"""Quantities with units, and formulas over them: what a mathematics problem and its solution are made of.

Everything is exact (fractions), bounded in size, and read from text without anything in it being run.
"""

from eduverse_mesa.formulas.evaluation import holds, work_out
from eduverse_mesa.formulas.formula import Formula, parse
from eduverse_mesa.formulas.latex import quantity_latex, write_latex
from eduverse_mesa.formulas.units import Quantity, Unit, Units, units_for
from eduverse_mesa.formulas.wording import read_quantity, say_number, say_quantity, say_unit

__all__ = [
    "Formula",
    "Quantity",
    "Unit",
    "Units",
    "holds",
    "parse",
    "quantity_latex",
    "read_quantity",
    "say_number",
    "say_quantity",
    "say_unit",
    "units_for",
    "work_out",
    "write_latex",
]
