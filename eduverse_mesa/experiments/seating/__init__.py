"""Which seating plan serves a class best."""

from eduverse_mesa.experiments.seating.advice import Advice, Move, Request, advise
from eduverse_mesa.experiments.seating.constraints import Constraint, ImpossibleError, read_constraint
from eduverse_mesa.experiments.seating.objective import GOALS, Objective, read_objective
from eduverse_mesa.experiments.seating.plans import Plan, present_plan

__all__ = [
    "GOALS",
    "Advice",
    "Constraint",
    "ImpossibleError",
    "Move",
    "Objective",
    "Plan",
    "Request",
    "advise",
    "present_plan",
    "read_constraint",
    "read_objective",
]
