"""What a run of learners and tutors leaves in a study: each turn, and each session's end, as one transaction."""

from __future__ import annotations

from eduverse_mesa.runs.recording import Writer, answer_row
from eduverse_mesa.runs.tutoring.playing import Tutored
from eduverse_mesa.store import MemoryRow


class TutoringRecorder(Writer):
    """Writes a turn as a step, and a session's end as a lesson's: with the episodes that it leaves."""

    def turn(self, played: Tutored, number: int) -> None:
        """One of its turns is complete."""
        self.note_spending()
        done = played.turns[number]
        session, turn = done.place
        rows = [answer_row(entry)._replace(lesson=session) for entry in played.answers_of(number)]
        if done.last:
            kept = [MemoryRow(row.learner, row.unit, row.summary, turn) for row in played.episodes_of(session)]
            self._study.finish_lesson(self._run, session, turn, done.digest, rows, student_events=kept)
        else:
            self._study.commit_step(self._run, session, turn, done.digest, rows)

    def all_of(self, played: Tutored) -> None:
        """What was played before anybody wanted to keep it."""
        for number in range(len(played.turns)):
            self.turn(played, number)
