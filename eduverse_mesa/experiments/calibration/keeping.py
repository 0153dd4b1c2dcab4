"""What a fit keeps in its folder: how it is fitted, and what every set of parameters has yielded.

What was played is taken over only by the same fit: the same options and targets, the same version, the same values of
all other parameters. One program at a time writes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from eduverse_mesa import __version__
from eduverse_mesa.errors import EduverseError, SweepError
from eduverse_mesa.experiments.calibration.observing import Member, Observed
from eduverse_mesa.experiments.calibration.targets import Target
from eduverse_mesa.experiments.sweeps.durable import alone_in, write_whole
from eduverse_mesa.scenarios.parameters import Parameter, load_parameters

PLAN = "plan.json"
_WHAT = {
    "plan": "members, assimilations, lessons or seed",
    "free": "the free parameters",
    "targets": "the targets",
    "parameters": "the values of other parameters",
    "work": "what is played",
    "eduverse": "the version of eduverse-mesa",
}


def digest_of(data: object) -> str:
    """A few letters that are other ones for other data."""
    return blake2b(msgspec.json.encode(data, order="deterministic"), digest_size=8).hexdigest()


def about(plan: object, free: Mapping[str, Parameter], wanted: Sequence[Target], work: str) -> dict[str, Any]:
    """All that decides on what is played, as plain data."""
    return {
        "plan": msgspec.to_builtins(plan),
        "free": {name: [parameter.value, *parameter.range] for name, parameter in free.items()},
        "targets": digest_of(tuple(wanted)),
        "parameters": digest_of(load_parameters()),
        "work": work,
        "eduverse": __version__,
    }


@contextmanager
def alone_with(folder: Path | None, wanted: Mapping[str, Any]) -> Iterator[None]:
    """Fit here, and nobody else meanwhile. A folder in which something else was fitted is left alone."""
    with ExitStack() as stack:
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(alone_in(folder))
                _expect_same(folder, wanted)
                write_whole(folder / PLAN, msgspec.json.format(msgspec.json.encode(wanted), indent=2))
            except SweepError as error:
                raise EduverseError(
                    "another program is fitting there.",
                    where=str(folder),
                    mend="Wait for it, stop it, or take another folder.",
                ) from error
            except OSError as error:
                raise EduverseError(
                    f"nothing can be written there ({error.strerror}).",
                    where=str(folder),
                    mend="Choose another folder.",
                ) from error
        yield


def _expect_same(folder: Path, wanted: Mapping[str, Any]) -> None:
    file = folder / PLAN
    if not file.exists():
        return
    try:
        before = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except msgspec.DecodeError:
        before = {}
    other = [words for key, words in _WHAT.items() if before.get(key) != wanted[key]]
    if other:
        raise EduverseError(
            f"something else is being fitted there: {', '.join(other)} differ.",
            where=str(folder),
            mend="Give the same options to go on, or another folder.",
        )


# --- what was played ---


class Kept(msgspec.Struct):
    """A line: what one member of an ensemble has yielded."""

    key: str
    member: Member
    observed: Observed


class Ensemble:
    """What the members of one ensemble have yielded, a line a member; in memory only, without a file."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._kept = {} if file is None else _read(file)
        self._broken = file is not None and _is_broken(file)

    def find(self, key: str, member: Member) -> Observed | None:
        """What this very member has yielded, where it was played."""
        kept = self._kept.get(key)
        return kept.observed if kept is not None and kept.member == member else None

    def keep(self, entry: Kept) -> None:
        """Write it down at once: whoever is stopped goes on from here."""
        if self._file is None:
            return
        with self._file.open("ab") as out:
            out.write((b"\n" if self._broken else b"") + msgspec.json.encode(entry) + b"\n")
        self._broken = False


def _read(file: Path) -> dict[str, Kept]:
    """What was kept; a line that was being written when the program was killed is not there."""
    if not file.exists():
        return {}
    kept: dict[str, Kept] = {}
    for line in file.read_bytes().split(b"\n")[:-1]:
        try:
            entry = msgspec.json.decode(line, type=Kept)
        except msgspec.DecodeError:
            continue
        kept[entry.key] = entry
    return kept


def _is_broken(file: Path) -> bool:
    """Whether the last line was not written to its end."""
    if not file.exists():
        return False
    with file.open("rb") as lines:
        size = lines.seek(0, 2)
        lines.seek(max(size - 1, 0))
        return lines.read(1) not in (b"", b"\n")
