"""Seating advice: plans and constraints, the search among them, and the plan that serves a class best."""

from eduverse_mesa.experiments.seating.advice import Advice, Move, Request, advise
from eduverse_mesa.experiments.seating.plans import (
    Constraint,
    ImpossibleError,
    SeatingPlan,
    present_plan,
    read_constraint,
)
from eduverse_mesa.experiments.seating.search import GOALS, Objective, read_objective

__all__ = [
    "GOALS",
    "Advice",
    "Constraint",
    "ImpossibleError",
    "Move",
    "Objective",
    "Request",
    "SeatingPlan",
    "advise",
    "present_plan",
    "read_constraint",
    "read_objective",
]
