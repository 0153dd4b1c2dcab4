"""A dialogue among virtual peers that was broken off: gone on with to its end."""

from __future__ import annotations

from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.making import make_policy
from eduverse_mesa.runs.collaboration.talking import Talk, choose_group, open_talk
from eduverse_mesa.runs.open_runs import refuse_held
from eduverse_mesa.runs.studies import OpenStudy


def resume_talk(opened: OpenStudy, run: str, policy: AnyPolicy | str | None = None, *, base_url: str = "") -> Talk:
    """Let the peers of a run talk on to its end; where people sit in it nobody can go on without them."""
    refuse_held(opened.study.path, run)
    row, spec = choose_group(opened, run)
    if spec.setup.seats:
        raise StudyError(
            f"people sit in run {run}: it goes on when they say something.",
            where=opened.study.path,
            mend="A pupil goes on on the pupils' pages (eduverse mathvc serve), anybody else on the page Mathematics "
            f"or with eduverse mathvc play --out STUDY --run {run}",
        )
    settings = spec.setup.settings
    if base_url:
        settings = settings.model_copy(update={"llm": settings.llm.model_copy(update={"base_url": base_url})})
    chosen = make_policy(row.policy if policy is None else policy, settings, spec.setup.members)
    talk = open_talk(opened, run, lambda _: chosen)
    while not talk.over and (due := talk.due) is not None:
        talk.advance(due)
    return talk
