"""Does practice that is spread out last longer here than practice at one stretch, as it does with people?

Cepeda et al. 2006 compare the two at a test that is as far from the last practice in both. So each learner practises
a unit as often, lives through as many other episodes, and has the last practice on the same day; only what lies
between the practices differs. This is done for several units, each in a life of its own, with the same luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eduverse_mesa.measures.intervals import Interval, paired_interval, standardised
from eduverse_mesa.models.tutoring import Exam, Pause, Question, Session, Talk, TutoringModel
from eduverse_mesa.scenarios.curriculum import Unit
from eduverse_mesa.scenarios.tutoring import Tutoring

_EXAM = "delayed"


class SpacingEffect(NamedTuple):
    """The delayed test, massed and spaced, as shares of full marks."""

    law: str
    massed: float
    spaced: float
    difference: Interval
    effect: float
    """In standard deviations of learners (Cohen's d with Hedges' correction)."""


class Practice(NamedTuple):
    """How a unit is practised, and what else the learner lives through: by one law of forgetting it is the days that
    count, by the other these episodes."""

    times: int = 4
    days: float = 7.0
    """Between two spaced practices; massed ones follow on each other on one day."""
    delay: float = 30.0
    """Days from the last practice to the test."""
    episodes_a_day: float = 1.0
    """Other episodes in the meantime."""


def practice_agenda(target: Unit, grade: int, how: Practice, days: float) -> tuple[Session, ...]:
    """Practices of a unit, `days` apart. The first day, the last practice and the test are the same whatever the days:
    who practises at one stretch lives through the same before."""
    last = (how.times - 1) * how.days
    sessions: list[Session] = []
    now = 0.0
    for place in range(how.times):
        day = last - (how.times - 1 - place) * days
        sessions += [_pause(now, day, grade, how), Talk(day, grade, target.id)]
        now = day
    asked = tuple(Question(target.id, item.id) for item in target.items)
    return (*sessions, _pause(now, now + how.delay, grade, how), Exam(now + how.delay, grade, _EXAM, asked))


def _pause(now: float, day: float, grade: int, how: Practice) -> Pause:
    return Pause(day, grade, round((day - now) * how.episodes_a_day))


def spacing_effect(
    setup: Tutoring, grade: int, units: Sequence[str], how: Practice | None = None, *, seed: int = 1
) -> SpacingEffect:
    """Massed against spaced practice of these units by this cohort, under the law of the setup."""
    how = how or Practice()
    massed, spaced = (_scores(setup, grade, units, how, days, seed) for days in (0.0, how.days))
    people = list(massed)
    pairs = [(massed[name], spaced[name]) for name in people]
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    return SpacingEffect(
        setup.settings.memory.law,
        sum(ones) / len(ones),
        sum(others) / len(others),
        paired_interval(pairs),
        standardised(ones, others),
    )


def _scores(
    setup: Tutoring, grade: int, units: Sequence[str], how: Practice, days: float, seed: int
) -> dict[str, float]:
    """Each learner's delayed test, over all units."""
    scores: dict[str, list[float]] = {name: [] for name in setup.people}
    for unit in units:
        agenda = practice_agenda(setup.curriculum.units[unit], grade, how, days)
        model = TutoringModel(setup, agenda=agenda, seed=seed).run()
        for row in model.journal.tests:
            if row.score is not None:
                scores[row.learner].append((row.score - 1.0) / 9.0)
    return {name: sum(found) / len(found) for name, found in scores.items() if found}
