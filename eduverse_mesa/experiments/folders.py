"""A folder in which an experiment is kept, so that the same command goes on with it.

about.json         what is played, by which version, of which paper
results.parquet    every number that there is so far, tidy
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.errors import SweepError

FORMAT = 1
ABOUT, RESULTS = "about.json", "results.parquet"

About = TypeVar("About")


def make_folder(folder: Path) -> None:
    """A folder that is there; one that holds other things is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SweepError(
            f"the folder cannot be made ({error.strerror}).", where=str(folder), mend="Choose another place."
        ) from error
    strange = sorted(file.name for file in folder.iterdir() if file.name[0] != ".")
    if strange and not (folder / ABOUT).exists():
        raise SweepError(
            f"this folder holds other things ({', '.join(strange[:3])}).",
            where=str(folder),
            mend="Name a folder that is new or empty.",
        )


def read_about(folder: Path, kind: type[About], paper: str) -> About | None:
    """What a folder says of itself; None where it says nothing."""
    file = folder / ABOUT
    if not file.exists():
        return None
    try:
        content = file.read_bytes()
        said = msgspec.json.decode(content)
        said = said if isinstance(said, Mapping) else {}
        if said.get("format") != FORMAT:
            raise SweepError(
                f"the folder has format {said.get('format')}, this version reads {FORMAT}.",
                where=str(file),
                mend="Use the version that made it, or another folder.",
            )
        if (there := said.get("paper", EDUVERSE)) != paper:
            raise SweepError(
                f"experiments of another paper are kept here ({there}).", where=str(folder), mend="Name another folder."
            )
        return msgspec.json.decode(content, type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise SweepError(f"this cannot be read ({error}).", where=str(file), mend="Name another folder.") from None


EDUVERSE, SIMLEARNER, MATHVC = "EduVerse", "SimLearner", "MathVC"
"""Papers whose experiments are kept; folders that name none are older, and of the first."""


def read_results(folder: Path) -> pd.DataFrame:
    """The numbers that a folder holds."""
    file = folder / RESULTS
    if not file.exists():
        return pd.DataFrame()
    try:
        return pd.read_parquet(file)
    except (OSError, ValueError) as error:  # what Arrow says of a file that is none is a ValueError
        raise SweepError(f"this cannot be read ({error}).", where=str(file), mend="Name another folder.") from error


def expect_version(folder: Path, version: str) -> None:
    """Numbers of two versions are not mixed."""
    if version != __version__:
        raise SweepError(
            f"this was begun with eduverse-mesa {version}, and this is {__version__}.",
            where=str(folder),
            mend="Numbers of two versions do not belong together: name another folder.",
        )


def played_otherwise(folder: Path, policy: str, settings: object) -> SweepError:
    """Other seeds and experiments may be added to a folder, not another policy."""
    return SweepError(
        f"policy '{policy or 'of the scenario'}' with settings {settings or 'as they are'} was played here.",
        where=str(folder),
        mend="Give the same policy and settings, or name another folder.",
    )


def comes_out_differently(folder: Path | None) -> SweepError:
    """What is done, played again, has to give what it gave: else the rules have changed since."""
    return SweepError(
        "what was played here comes out differently now: the rules or lessons have changed.",
        where=str(folder),
        mend="Name another folder.",
    )
