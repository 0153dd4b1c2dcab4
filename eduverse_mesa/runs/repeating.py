"""Runs that a study holds already: the same scenario, seed and policy, with nothing changed in it, by today's rules."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.rules import RULES
from eduverse_mesa.runs.starting import begin_run
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.scenarios import Scenario


class Known(NamedTuple):
    """A run that is there, and whether it was played to its end."""

    run: str
    complete: bool


def known_runs(
    study: str, scenario: Scenario, seeds: Collection[int], policy: AnyPolicy | str | None = None
) -> dict[int, Known]:
    """By seed, the run that would be played again; of several a complete one."""
    if "://" not in study and not Path(study).exists():
        return {}
    spec = begin_run(scenario, 0, policy).spec
    names = {replace(spec, seed=seed).name: seed for seed in seeds}
    found: dict[int, Known] = {}
    with open_study(study, create=True) as opened:  # of an earlier format, it is upgraded, as playing would
        for row in opened.study.runs():
            if row.rules != RULES[row.kind]:
                continue
            seed = names.get(row.id, names.get(_NUMBERED.sub("", row.id)))
            if seed is not None and not found.get(seed, _NONE).complete:
                found[seed] = Known(row.id, row.status == "complete")
    return found


_NONE = Known("", complete=False)
_NUMBERED = re.compile(r"-[0-9]+$")
"""What a run's name gets where the name was taken: it is the same run once more."""


def refuse_known(study: str, known: Known) -> None:
    """StudyError for a run that is there."""
    place = f"{quote(study)} {quote(known.run)}"
    read = f"Read it: eduverse replay {place}" if known.complete else f"Go on with it: eduverse resume {place}"
    raise StudyError(
        f"this study already holds this run (same scenario, seed, policy): {known.run}. Nothing was played.",
        where=study,
        mend=f"{read}; play another with --seed, or this one once more, as a run of its own, with --again.",
    )
