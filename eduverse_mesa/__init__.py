"""EduVerse-Mesa: simulated school lessons on Mesa."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.models.groups import CollaborationModel, GroupModel
    from eduverse_mesa.models.tutoring import TutoringModel
    from eduverse_mesa.runs import fork, open_study, results, run_course, run_tables
    from eduverse_mesa.scenarios import load_scenario

# Heavy libraries are loaded with the first use: `import eduverse_mesa` itself stays light.
_PUBLIC = {
    "ClassroomModel": "eduverse_mesa.models.classroom",
    "TutoringModel": "eduverse_mesa.models.tutoring",
    "GroupModel": "eduverse_mesa.models.groups",
    "CollaborationModel": "eduverse_mesa.models.groups",
    "load_scenario": "eduverse_mesa.scenarios",
    "run_course": "eduverse_mesa.runs",
    "results": "eduverse_mesa.runs",
    "run_tables": "eduverse_mesa.runs",
    "open_study": "eduverse_mesa.runs",
    "fork": "eduverse_mesa.runs",
}

__all__ = [
    "ClassroomModel",
    "CollaborationModel",
    "GroupModel",
    "TutoringModel",
    "__version__",
    "fork",
    "load_scenario",
    "open_study",
    "results",
    "run_course",
    "run_tables",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'eduverse_mesa' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
