"""What trials and sweeps know of the things that they play."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from eduverse_mesa.experiments.measurers import Measurer
from eduverse_mesa.runs.estimating import Estimate
from eduverse_mesa.scenarios.includes import Written
from eduverse_mesa.scenarios.library import Found, Kind

Whole = TypeVar("Whole")
"""A document with all that a run of it needs besides policy and seed."""


class Exchange(NamedTuple):
    """A factor that exchanges a part of the document, where others are dotted keys into it."""

    fits: Callable[[object], bool]
    wanted: str
    """What a level of it has to be, after "Write"."""
    counts: bool = False
    """It may be a number, and so a range of whole ones."""


class Subject(Protocol[Whole]):
    """A kind of run: what it is made of, how it is played, and what can be measured of it.

    The text of it is its whole document as JSON, with the kind on top: it travels to where it is played, and nothing
    else has to be known there.
    """

    kind: Kind
    exchanges: Mapping[str, Exchange]
    measurers: Mapping[str, Measurer]
    usual: tuple[str, ...]
    """Measurers, where nobody says which."""

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Whole:
        """The document with some of its parts exchanged and dotted keys set; `beside` is the file that names them."""

    def settings(self, whole: Whole) -> Any:
        """Who answers in it, and with which parameters: one of `policies.making.AnySettings`."""

    def with_settings(self, whole: Whole, settings: Any) -> Whole:
        """The same with other settings."""

    def people(self, whole: Whole) -> Collection[str]:
        """Names by which a policy can be given to one of them."""

    def fingerprint(self, whole: Whole) -> str:
        """Sixteen hexadecimal digits that tell such documents apart."""

    def text(self, whole: Whole) -> str:
        """As a trial carries it."""

    def read(self, text: str) -> Whole:
        """Read again. Who sends a text has checked it; here only its form is."""

    def play(self, whole: Whole, seed: int, policy: str | None) -> Any:
        """Play it in memory; what comes is what its measurers take."""

    def estimate(self, whole: Whole, seed: int, policy: str | None) -> Estimate:
        """What a run of it would ask of a language model."""

    def failed(self, run: Any) -> int:
        """How many answers of a run have failed."""


def named(level: object) -> bool:
    """A name or a path."""
    return isinstance(level, str)


def counted(level: object) -> bool:
    """A number of things."""
    return isinstance(level, int) and not isinstance(level, bool)


def own_file(found: Found) -> Path | None:
    """A file of the user's own; what is built in goes by its name."""
    return found.file if type(found) is Found and isinstance(found.file, Path) else None
