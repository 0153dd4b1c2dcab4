"""A run of a study to be looked at: from its recording alone, with no key, no model and nobody in a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import LessonError
from eduverse_mesa.runs.answering import Chosen
from eduverse_mesa.runs.play import Progress
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.starting import Start
from eduverse_mesa.runs.studies import open_study


class _NothingMore:
    """Answers nothing: what a run has no recording of cannot be looked at."""

    def __init__(self, name: str) -> None:
        self.name = name

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:  # noqa: ARG002 - as policies have it
        """No answer."""
        raise LessonError(
            "the recording of this run ends here.",
            mend="To have its next steps, go on with the run: then who answered before is asked again.",
        )


def view_run(study: str, run: str, *, progress: Progress | None = None) -> LessonPlayer:
    """A player of what was recorded of a run. The study is read and not written, whoever else plays the run."""
    with open_study(study, read_only=True) as opened:
        stored, recording = opened.choose(run), opened.recording(run)
    chosen = Chosen(stored.scenario, _NothingMore(stored.spec.policy))
    # As if it were another run's recording: so the player can write it down elsewhere, too.
    return LessonPlayer.of(Start(stored.id, stored.spec, chosen, replace(recording, own=False)), progress=progress)
