"""Documents that a user writes (scenarios with their layouts, classes and lessons, curricula, tutoring, problems and
collaborations), read from YAML and checked.

`load_scenario` turns the name of a scenario, a path or a mapping into one validated Scenario; every mistake is told
with its file, line and mend.
"""

from eduverse_mesa.scenarios.catalogue import Row, describe, load_file
from eduverse_mesa.scenarios.layout import Layout, expand_seats, rows_for
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import KINDS, Kind, list_names
from eduverse_mesa.scenarios.loader import DEFAULT_SCENARIO, load_document, load_scenario
from eduverse_mesa.scenarios.parameters import Parameter, known_parameters, load_parameters, read_parameters
from eduverse_mesa.scenarios.people import ClassRoll, Sample
from eduverse_mesa.scenarios.problems import Problem, ScenarioProblemsError
from eduverse_mesa.scenarios.sampler import sample_class
from eduverse_mesa.scenarios.scenario import Scenario, dump_scenario, fingerprint
from eduverse_mesa.scenarios.schema import schema

__all__ = [
    "DEFAULT_SCENARIO",
    "KINDS",
    "ClassRoll",
    "Kind",
    "Layout",
    "Lesson",
    "Parameter",
    "Problem",
    "Row",
    "Sample",
    "Scenario",
    "ScenarioProblemsError",
    "describe",
    "dump_scenario",
    "expand_seats",
    "fingerprint",
    "known_parameters",
    "list_names",
    "load_document",
    "load_file",
    "load_parameters",
    "load_scenario",
    "read_parameters",
    "rows_for",
    "sample_class",
    "schema",
]
