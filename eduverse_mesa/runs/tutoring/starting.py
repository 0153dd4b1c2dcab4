"""Where learners and tutors begin: with nothing behind them, or with what was saved of another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Saved, Session
from eduverse_mesa.models.tutoring.agenda import school_years
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.answering import Chosen, choose_policy
from eduverse_mesa.runs.play import EMPTY, Recording, Until
from eduverse_mesa.runs.tutoring.spec import TutoringSpec
from eduverse_mesa.scenarios.tutoring import Tutoring


@dataclass(frozen=True, slots=True)
class TutoringStart:
    """All that it takes to play a run from here on."""

    run: str
    spec: TutoringSpec
    chosen: Chosen[Tutoring]
    recording: Recording = EMPTY


def begin_tutoring(
    setup: Tutoring,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    agenda: Sequence[Session] | None = None,
    began: Mapping[str, Saved] | None = None,
    parent: str | None = None,
    forked_at: Until | None = None,
) -> TutoringStart:
    """A run from its beginning: the school years of the settings, where no other agenda is given."""
    strangers = sorted(set(began or {}) - set(setup.people))
    if strangers:
        raise ScenarioError(
            f"'{strangers[0]}' is none of the cohort.",
            where=setup.cohort.name,
            mend=f"It has {', '.join(setup.people)}.",
        )
    chosen = choose_policy(setup, policy)
    plan = tuple(agenda) if agenda is not None else school_years(setup.curriculum, setup.settings)
    copies = {name: saved.copy() for name, saved in (began or {}).items()}
    spec = TutoringSpec(chosen.scenario, seed, chosen.policy.name, plan, copies, parent, forked_at)
    return TutoringStart(spec.name, spec, chosen)
