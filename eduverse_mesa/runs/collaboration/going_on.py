"""A dialogue among virtual peers that was broken off: gone on with to its end."""

from __future__ import annotations

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.answering import choose_policy, with_model
from eduverse_mesa.runs.collaboration.talking import Talk, choose_group, open_talk
from eduverse_mesa.runs.open_runs import refuse_held
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.store import RunRow
from eduverse_mesa.store.classwork import find_talks


def of_a_pupil(where: str, run: str) -> StudyError:
    """Nobody speaks in a pupil's place."""
    return StudyError(
        f"run {run} is a pupil's: it goes on when the pupil says something.",
        where=where,
        mend="On the pupils' pages: eduverse mathvc serve.",
    )


def choose_again(
    row: RunRow,
    setup: Collaboration,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
) -> AnyPolicy:
    """Who answers for the peers of a run that goes on; what it has taken so far counts towards its budget."""
    changed = with_model(setup, budget=budget, useless=useless, base_url=base_url)
    chosen = choose_policy(changed, row.policy if policy is None else policy)
    if chosen.ledger is not None:
        chosen.ledger.go_on_from(Bill.read(row.spent))
    return chosen.policy


def resume_talk(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
) -> Talk:
    """Let the peers of a run talk on to its end; where people sit in it nobody can go on without them."""
    refuse_held(opened.study.path, run)
    row, spec = choose_group(opened, run)
    if find_talks(opened.study, run=run):
        raise of_a_pupil(opened.study.path, run)
    if spec.setup.seats:
        raise StudyError(
            f"people sit in run {run}: it goes on when they say something.",
            where=opened.study.path,
            mend=f"Go on on the page Mathematics, or with eduverse mathvc play --out STUDY --run {run}",
        )
    chosen = choose_again(row, spec.setup, policy, budget=budget, useless=useless, base_url=base_url)
    talk = open_talk(opened, run, lambda _: chosen)
    try:
        while not talk.over and (due := talk.due) is not None:
            talk.advance(due)
    finally:
        talk.close()
    return talk
