"""A walk through one step of a lesson: the files that somebody who follows it has to open, and how often they jump.

`python -m tests.models.walk` prints the walk of a step in the middle of a lesson.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import eduverse_mesa
from eduverse_mesa import ClassroomModel
from eduverse_mesa.decisions import Round

HOUSE = Path(eduverse_mesa.__file__).parent
ROOMS = ("models", "agents", "memory", "space")
"""The model's side of the seam. Policies, drivers and what stands below are not walked through."""
_INSIDE = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")


class Jump(NamedTuple):
    """A place in one file from which a function of another file is entered, and returned from."""

    at: str
    line: int
    to: str
    function: str


class Walk(NamedTuple):
    """The files on the model's side that a step enters, and its jumps, each place once."""

    way: frozenset[str]
    """The files on the way from `step()` to where a round is handed out, and back: those that a reader is in."""
    files: frozenset[str]
    """All files that are entered, also by what the step calls: a reader who trusts a name does not open them."""
    jumps: frozenset[Jump]

    @property
    def returns(self) -> frozenset[tuple[str, str]]:
        """Functions beside the way that are called from it, and come back: each is opened once, if at all."""
        beside = (jump for jump in self.jumps if jump.at in self.way and jump.to not in self.way)
        return frozenset((jump.to, jump.function) for jump in beside)

    @property
    def into_the_model(self) -> int:
        """Jumps from the step back into the model's own file."""
        return sum(jump.to == "models/classroom/model.py" for jump in self.jumps)


def walk(step: Callable[[], Any]) -> Walk:
    """Take a step and note every jump from one file of the model's side to another.

    Two kinds of call are no jump, since nobody who reads follows them: a generator that goes on (it was entered where
    it was made), and a property of one line, which reads like an attribute.
    """
    places: dict[CodeType, str] = {}
    jumps: set[Jump] = set()
    files: set[str] = set()
    way: set[str] = set()
    going: set[FrameType] = set()

    def place(code: CodeType) -> str:
        if code not in places:
            path = Path(code.co_filename)
            inside = path.is_relative_to(HOUSE) and path.relative_to(HOUSE).parts[0] in ROOMS
            places[code] = path.relative_to(HOUSE).as_posix() if inside else ""
        return places[code]

    def note(frame: FrameType, event: str, given: Any) -> None:
        if event == "return" and isinstance(given, Round):
            way.update(filter(None, (place(one.f_code) for one in callers(frame))))
        if event != "call" or not (to := place(frame.f_code)):
            return
        files.add(to)
        goes_on = frame in going
        if frame.f_code.co_flags & CO_GENERATOR:
            going.add(frame)
        caller = next((one for one in callers(frame.f_back) if place(one.f_code)), None)
        # A driver, Mesa or a dataclass in between is no place of ours.
        if caller is None or goes_on or frame.f_code.co_name in _INSIDE or is_short_property(frame.f_code):
            return
        if (at := place(caller.f_code)) != to:
            jumps.add(Jump(at, caller.f_lineno, to, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return Walk(frozenset(way), frozenset(files), frozenset(jumps))


def callers(frame: FrameType | None) -> Iterator[FrameType]:
    """Go through a frame and all that have called it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


@cache
def is_short_property(code: CodeType) -> bool:
    """Return True if a function is a property whose body is one line."""
    tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
            continue
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        if first == code.co_firstlineno and [ast.unparse(one) for one in node.decorator_list] == ["property"]:
            body = node.body[1:] if ast.get_docstring(node) else node.body
            return len(body) == 1 and body[0].lineno == body[0].end_lineno
    return False


def usual_step(seed: int = 1) -> Walk:
    """Return the walk through a step in the middle of the built-in lesson."""
    model = ClassroomModel(seed=seed, steps=12)
    for _ in range(6):
        model.step()
    return walk(model.step)


if __name__ == "__main__":
    found = usual_step()
    for jump in sorted(found.jumps):
        sys.stdout.write(f"{jump.at}:{jump.line} -> {jump.to} {jump.function}\n")
    sys.stdout.write(f"{len(found.files)} files, {len(found.jumps)} jumps, {found.into_the_model} into the model\n")
    sys.stdout.write(f"on the way to the answers: {len(found.way)} files, {len(found.returns)} returns\n")
