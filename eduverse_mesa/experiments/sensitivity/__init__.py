"""Which numbers matter: Morris' and Sobol's sensitivity of measures to parameters and to the scenario."""

from eduverse_mesa.experiments.sensitivity.inputs import Input, choose_parameters, read_factor
from eduverse_mesa.experiments.sensitivity.methods import Method
from eduverse_mesa.experiments.sensitivity.study import (
    MEASURES,
    Sensitivity,
    Study,
    analyse,
    count_runs,
    find_sensitivity,
    seconds_a_run,
)

__all__ = [
    "MEASURES",
    "Input",
    "Method",
    "Sensitivity",
    "Study",
    "analyse",
    "choose_parameters",
    "count_runs",
    "find_sensitivity",
    "read_factor",
    "seconds_a_run",
]
