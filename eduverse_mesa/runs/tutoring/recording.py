"""What a run of learners and tutors leaves in a study: each turn, and each session's end, as one transaction."""

from __future__ import annotations

from eduverse_mesa.runs.recording import Writer, answer_row
from eduverse_mesa.runs.tutoring.playing import Tutored
from eduverse_mesa.store import MemoryRow, PlayedStep


class TutoringRecorder(Writer):
    """Writes a turn as a step, and a session's end as a lesson's: with the episodes that it leaves."""

    def turn(self, played: Tutored, number: int) -> None:
        """One of its turns is complete."""
        self.note_bill()
        self.note_rules()
        one = step_of(played, number)
        if one.last:
            self._study.finish_lesson(
                self._run, one.lesson, one.step, one.digest, one.answers, student_events=one.student_events
            )
        else:
            self._study.commit_step(self._run, one.lesson, one.step, one.digest, one.answers)


def step_of(played: Tutored, number: int) -> PlayedStep:
    """One of the turns as a study keeps it."""
    done = played.turns[number]
    session, turn = done.place
    rows = [answer_row(entry)._replace(lesson=session) for entry in played.answers_of(number)]
    kept = [MemoryRow(row.learner, row.unit, row.summary, turn) for row in played.episodes_of(session)]
    return PlayedStep(session, turn, done.digest, rows, done.last, kept if done.last else ())
