"""Profiles: one parameter moved while all others stay as fitted, and what becomes of the misfit.

A valley says that the targets know where the parameter belongs; a flat line that they do not. It is a slice, not a
likelihood profile: the others are not fitted anew at each point, so a pair that cannot be told apart looks better known
here than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.calibration.fitting import Fit
from eduverse_mesa.experiments.calibration.observing import WORK, Member, Observed
from eduverse_mesa.experiments.calibration.targets import Target
from eduverse_mesa.experiments.engines import Engine, Serial, Task, Work
from eduverse_mesa.scenarios.parameters import Parameter

Watch = Callable[[int], object]
"""Hears how many lessons are done."""

SEEDS = 950_000_000
"""Seeds from here on: neither used to fit nor to judge."""
_WIDE = 2.0
"""Standard deviations of what was expected before the fit, to both sides."""


def best_learned(fit: Fit, count: int) -> tuple[str, ...]:
    """The parameters of which the targets have told most."""
    spread = fit.spread().sort_values("learned", ascending=False, kind="stable")
    return tuple(str(name) for name in spread["parameter"].head(count))


def profile(
    fit: Fit,
    free: dict[str, Parameter],
    wanted: Sequence[Target],
    engine: Engine | None = None,
    *,
    parameters: Sequence[str] = (),
    points: int = 7,
    lessons: int = 4,
    watch: Watch | None = None,
    work: Work = WORK,
) -> pd.DataFrame:
    """Columns parameter, value, misfit and fitted: a row a point, over what was expected of the parameter before.

    The misfit is the mean over targets of the squared distance, in the standard deviations asked for; lessons have the
    same luck at every point, so that only the parameter makes a difference.
    """
    if points < 3 or lessons < 1:
        raise EduverseError(
            "that is too little for a profile.", where="points, lessons", mend="Give 3 points and 1 lesson at least."
        )
    fitted = fit.values
    names = tuple(parameters) or fit.names
    plan = {name: _points(fit, free[name], fit.names.index(name), points) for name in names}
    tasks = [
        Task(
            f"{name}/{place}/{lesson}",
            msgspec.json.encode(Member({**fitted, name: value}, SEEDS + lesson, 1)),
        )
        for name, values in plan.items()
        for place, value in enumerate(values)
        for lesson in range(lessons)
    ]
    played: dict[str, Observed] = {}
    for finished in (engine or Serial()).run(work, tasks):
        if finished.error:
            raise LessonError(f"point {finished.key} of a profile failed: {finished.error}")
        played[finished.key] = msgspec.json.decode(finished.answer, type=Observed)
        if watch is not None:
            watch(len(played))
    return pd.DataFrame(
        [
            {
                "parameter": name,
                "value": value,
                "misfit": _misfit([played[f"{name}/{place}/{lesson}"] for lesson in range(lessons)], wanted),
                "fitted": fitted[name],
            }
            for name, values in plan.items()
            for place, value in enumerate(values)
        ]
    )


def _points(fit: Fit, parameter: Parameter, column: int, points: int) -> list[float]:
    """Evenly over what was expected, and the fitted value itself."""
    before = fit.prior[:, column]
    middle, wide = float(before.mean()), _WIDE * float(before.std(ddof=1))
    least, most = (float(end) for end in np.clip((middle - wide, middle + wide), *parameter.range))
    return sorted({*map(float, np.linspace(least, most, points)), float(fit.posterior[:, column].mean())})


def _misfit(found: Sequence[Observed], wanted: Sequence[Target]) -> float:
    means = pd.DataFrame(found).mean()
    off = [(means[target.name] - target.value) / target.sd for target in wanted if target.name in means.index]
    return float(np.mean(np.square(off)))
