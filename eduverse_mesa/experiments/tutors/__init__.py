"""How good is a tutor? A cohort of imperfect learners is tested, taught by it, and tested again."""

from eduverse_mesa.experiments.tutors.evaluating import Evaluation, evaluate
from eduverse_mesa.experiments.tutors.findings import Comparison, Findings, compare, find
from eduverse_mesa.experiments.tutors.plan import TutorPlan, make_plan
from eduverse_mesa.experiments.tutors.spacing import SpacingEffect, spacing_effect

__all__ = [
    "Comparison",
    "Evaluation",
    "Findings",
    "SpacingEffect",
    "TutorPlan",
    "compare",
    "evaluate",
    "find",
    "make_plan",
    "spacing_effect",
]
