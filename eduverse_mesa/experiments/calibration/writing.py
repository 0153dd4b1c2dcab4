"""The file of parameters that a fit leaves: values, and all that it takes to come by them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from eduverse_mesa import __version__
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.calibration.fitting import Fit
from eduverse_mesa.experiments.calibration.keeping import digest_of
from eduverse_mesa.experiments.calibration.targets import Target

_DIGITS = 4


def parameters_text(fit: Fit, wanted: Sequence[Target]) -> str:
    """The file as text: YAML, which `eduverse run --parameters FILE` takes."""
    plan = fit.plan
    document = {
        "kind": "parameters",
        "title": "Fitted by eduverse calibrate",
        "provenance": {
            "method": "ensemble smoother with multiple data assimilation (Emerick and Reynolds 2013); posterior means",
            "eduverse": __version__,
            "seed": plan.seed,
            "members": plan.members,
            "assimilations": plan.assimilations,
            "lessons": plan.lessons,
            "targets": len(wanted),
            "targets_digest": digest_of(tuple(wanted)),
        },
        "values": {name: round(value, _DIGITS) for name, value in sorted(fit.values.items())},
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def write_parameters(fit: Fit, wanted: Sequence[Target], path: Path) -> None:
    """Write the file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(parameters_text(fit, wanted), encoding="utf-8")
    except OSError as error:
        raise EduverseError(
            f"the parameters cannot be written ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error
