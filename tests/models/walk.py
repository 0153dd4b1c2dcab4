"""A walk through one step of a lesson: the files that somebody who follows it has to open, and how often they jump.

`python -m tests.models.walk` prints the walk of a step in the middle of a lesson.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import eduverse_mesa
from eduverse_mesa import ClassroomModel

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

    files: frozenset[str]
    jumps: frozenset[Jump]

    @property
    def into_the_model(self) -> int:
        """Jumps from the step back into the model's own file."""
        return sum(jump.to == "models/classroom/model.py" for jump in self.jumps)


def walk(step: Callable[[], Any]) -> Walk:
    """Take a step and note every jump from one file of the model's side to another."""
    places: dict[CodeType, str] = {}
    jumps: set[Jump] = set()
    files: set[str] = set()

    def place(code: CodeType) -> str:
        if code not in places:
            path = Path(code.co_filename)
            inside = path.is_relative_to(HOUSE) and path.relative_to(HOUSE).parts[0] in ROOMS
            places[code] = path.relative_to(HOUSE).as_posix() if inside else ""
        return places[code]

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not (to := place(frame.f_code)):
            return
        files.add(to)
        caller = frame.f_back
        while caller is not None and not place(caller.f_code):
            caller = caller.f_back  # a driver, Mesa or a dataclass in between is no place of ours
        if caller is not None and (at := place(caller.f_code)) != to and frame.f_code.co_name not in _INSIDE:
            jumps.add(Jump(at, caller.f_lineno, to, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return Walk(frozenset(files), frozenset(jumps))


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
