"""A tutor by its name: `module:function`, as Python finds the module."""

from __future__ import annotations

import importlib
import sys
from inspect import getattr_static
from pathlib import Path
from types import ModuleType
from typing import Any

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.cleaning import clean
from eduverse_mesa.policies.tutors.function import Tutor


def find_tutor(name: str) -> Tutor:
    """The function that a name stands for. The module is looked for in the current folder, too."""
    where = f"tutor '{name}'"
    module_name, colon, path = name.strip().partition(":")
    if not colon or not module_name or not path:
        raise PolicyError("this is not MODULE:FUNCTION.", where=where, mend="E.g. my_tutor:tutor for my_tutor.py.")
    found: Any = _module(module_name, where)
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise PolicyError(f"'{module_name}' has no '{path}'.", where=where, mend=_functions(found)) from None
        except Exception as error:  # a module may work out what it has when it is asked
            raise _broken(module_name, where, error) from error
    if not callable(found):
        raise PolicyError(
            f"'{path}' is {type(found).__name__}, and cannot be called.", where=where, mend="Name a function."
        )
    tutor: Tutor = found
    return tutor


def _module(name: str, where: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    if name.endswith(".py") or "/" in name:
        raise PolicyError(
            f"'{name}' is a file, not a module.", where=where, mend="Without .py, from the folder it lies in."
        )
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise PolicyError(
                f"there is no module '{name}'.", where=where, mend=f"It is looked for in {here} and where Python looks."
            ) from None
        raise _broken(name, where, error) from error
    except Exception as error:  # whatever somebody's module does when it is loaded
        raise _broken(name, where, error) from error


def _broken(name: str, where: str, error: Exception) -> PolicyError:
    told = clean(f"{type(error).__name__}: {error}")[:200]
    return PolicyError(f"'{name}' cannot be loaded: {told}.", where=where, mend=f"Try: python -c 'import {name}'")


def _functions(place: Any) -> str:
    """What a module, or a thing in it, has to offer, without running any of it."""
    names = [one for one in dir(place) if not one.startswith("_") and callable(getattr_static(place, one, None))]
    called = "It" if isinstance(place, ModuleType) else f"What is there, {type(place).__name__},"
    return f"{called} has {', '.join(names[:12])}." if names else f"{called} has no function at all."
