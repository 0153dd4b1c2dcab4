"""A Python function as a tutor. It may crash, hang or talk nonsense: that is counted, and the others go on."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import threading
import time
from collections.abc import Callable, Sequence
from inspect import getattr_static
from pathlib import Path
from types import ModuleType
from typing import Any

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import Teach
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.mixture import by_kind
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.policies.tutors.brief import history_of, read_said, task_of

Tutor = Callable[..., Any]
"""(history) -> text, or (history, task) -> text; it may be an async function."""

DEADLINE = 60.0
"""Seconds for one thing to say."""
_HUNG = 3
"""Deadlines missed in a row after which it is not asked any more: each costs its seconds and leaves a thread behind."""
_LONGEST_REASON = 160


class FunctionTutor:
    """Answers `Teach` by a function. It is called in a thread of its own, so that it can be left behind."""

    def __init__(self, tutor: Tutor, name: str = "", *, deadline: float = DEADLINE, at_once: int = 1) -> None:
        if not callable(tutor):
            raise PolicyError(
                f"a tutor is a function, and this is {type(tutor).__name__}.", mend="Give (history) -> str."
            )
        if deadline <= 0 or at_once < 1:
            raise PolicyError("a tutor needs a deadline above 0, and to be asked by one at least.")
        self.name = name or getattr(tutor, "__name__", type(tutor).__name__)
        self._tutor = tutor
        self._briefed = takes_task(tutor)
        self._deadline = deadline
        self._at_once = at_once
        self._hung = 0

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Return the tutor's answer to each learner, `at_once` of them at a time."""
        answers: list[Answer] = []
        for start in range(0, len(decisions), self._at_once):
            answers += self._ask(decisions[start : start + self._at_once])
        return answers

    def _ask(self, decisions: Sequence[Decision]) -> list[Answer]:
        if self._hung >= _HUNG:
            reason = f"it did not answer {_HUNG} times in a row, and is not asked any more"
            return [Answer.failed(self.name, reason, 0) for _ in decisions]
        calls = [_Call(self._tutor, self._given(decision)) for decision in decisions]
        until = time.monotonic() + self._deadline
        return [self._read(call, until) for call in calls]

    def _given(self, decision: Decision) -> tuple[Any, ...]:
        if not isinstance(decision, Teach):
            raise PolicyError(
                f"a tutor only teaches, and has no answer to {type(decision).__name__}.", mend="Use with_tutor()."
            )
        return (history_of(decision), task_of(decision)) if self._briefed else (history_of(decision),)

    def _read(self, call: _Call, until: float) -> Answer:
        if not call.ended.wait(max(0.0, until - time.monotonic())):
            self._hung += 1
            return Answer.failed(self.name, f"it did not answer within {self._deadline:g} s")
        self._hung = 0
        return Answer.failed(self.name, call.fault) if call.fault else read_said(call.said, self.name)


class _Call:
    """One call, in a thread that keeps nobody from leaving. Only plain strings come out of it: methods of a tutor's own
    kinds of text and of exception are not run by anybody else."""

    def __init__(self, tutor: Tutor, given: tuple[Any, ...]) -> None:
        self.ended = threading.Event()
        self.said = ""
        self.fault = ""
        """Reason why there is nothing to be heard."""
        self._work = (tutor, given)
        threading.Thread(target=self._run, name="eduverse-tutor", daemon=True).start()

    def _run(self) -> None:
        tutor, given = self._work
        try:
            said = tutor(*given)
            said = asyncio.run(said) if inspect.iscoroutine(said) else said
            if issubclass(type(said), str):
                self.said = str.__str__(said)
            else:
                self.fault = f"it gave {type(said).__name__}, not text"
        except BaseException as error:  # also sys.exit() in somebody's function is only a tutor that has crashed
            self.fault = f"it crashed: {_told(error)}"
        finally:
            self.ended.set()


def _told(error: BaseException) -> str:
    try:
        return clean(f"{type(error).__name__}: {error}")[:_LONGEST_REASON]
    except BaseException:  # its own text is somebody's code, too
        return "with an exception that cannot be read"


def takes_task(tutor: Tutor) -> bool:
    """Return True if a function wants the task, too: its second parameter has no default, or is called `task`."""
    try:
        parameters = inspect.signature(tutor).parameters.values()
    except (TypeError, ValueError):  # written in C, and it does not say
        return False
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in places if one.default is one.empty]
    forced = [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    open_ended = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    if len(needed) > 2 or forced or not (places or open_ended):
        raise PolicyError(
            f"the tutor takes {inspect.signature(tutor)}.", mend="It has to take (history) or (history, task)."
        )
    return len(needed) == 2 or (len(places) > 1 and places[1].name == "task")


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
    except (Exception, SystemExit) as error:  # whatever somebody's module does when it is loaded
        raise _broken(name, where, error) from error


def _broken(name: str, where: str, error: BaseException) -> PolicyError:
    told = clean(f"{type(error).__name__}: {error}")[:200]
    return PolicyError(f"'{name}' cannot be loaded: {told}.", where=where, mend=f"Try: python -c 'import {name}'")


def _functions(place: Any) -> str:
    """List the functions of a module, or of a thing in it, without running any of it."""
    names = [one for one in dir(place) if not one.startswith("_") and callable(getattr_static(place, one, None))]
    called = "It" if isinstance(place, ModuleType) else f"What is there, {type(place).__name__},"
    return f"{called} has {', '.join(names[:12])}." if names else f"{called} has no function at all."


def with_tutor(tutor: AnyPolicy, rest: AnyPolicy) -> AnyPolicy:
    """The tutor teaches; learners, judges and the choice of units stay with `rest`. If the tutor fails nobody speaks in
    the tutor's place: the learner hears nothing."""
    return by_kind({"teach": tutor}, rest)
