"""A dialogue among virtual peers that was broken off: gone on with to its end."""

from __future__ import annotations

from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.making import make_policy
from eduverse_mesa.runs.collaboration.talking import Talk, choose_group, open_talk
from eduverse_mesa.runs.open_runs import refuse_held
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store.classwork import find_talks


def of_a_pupil(where: str, run: str) -> StudyError:
    """Nobody speaks in a pupil's place."""
    return StudyError(
        f"run {run} is a pupil's: it goes on when the pupil says something.",
        where=where,
        mend="On the pupils' pages: eduverse mathvc serve.",
    )


def resume_talk(opened: OpenStudy, run: str, policy: AnyPolicy | str | None = None, *, base_url: str = "") -> Talk:
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
    settings = spec.setup.settings
    if base_url:
        settings = settings.model_copy(update={"llm": settings.llm.model_copy(update={"base_url": base_url})})
    chosen = make_policy(row.policy if policy is None else policy, settings, spec.setup.members)
    talk = open_talk(opened, run, lambda _: chosen)
    while not talk.over and (due := talk.due) is not None:
        talk.advance(due)
    return talk
