"""Who sat where in a live lesson, written into its study: which answers are whose is known by that alone."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Self

from eduverse_mesa.runs.play import Until
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.sittings import end_left_open
from eduverse_mesa.store import AlertRow, Study
from eduverse_mesa.store.alerts import add_alert

if TYPE_CHECKING:
    from eduverse_mesa.runs.place import Place


class Attendance:
    """The register of a live lesson. A person is entered when it first sits down, by its pseudonym."""

    def __init__(self, study: Study, player: LessonPlayer) -> None:
        self._study = study
        self._player = player
        self._turn = Lock()
        self._closed = False
        end_left_open(study, player.run.id)  # nobody of then sits here now

    @classmethod
    def open(cls, path: str, player: LessonPlayer) -> Self:
        """The register in the study at a path."""
        study = Study.open(path)
        try:
            return cls(study, player)
        except BaseException:
            study.close()
            raise

    def sit_down(self, place: Place) -> None:
        """From the next step on, or from the one that is being taken."""
        with self._turn:
            if place.agent is None or place.role == "researcher":
                return
            if place.participant is None:
                place.participant = self._study.add_participant(place.label, place.role).id
            self._study.sit_down(place.participant, self._player.run.id, place.agent, self._coming())

    def stand_up(self, place: Place, head: Until) -> None:
        """After the last step that was complete, or in the midst of one in which the person has answered."""
        with self._turn:
            if place.seat is None or place.participant is None:
                return
            until = head if place.replied is None else max(head, place.replied)
            self._study.stand_up(self._player.run.id, place.seat.agent, until)

    def keep_alert(self, alert: AlertRow) -> None:
        """Keep what somebody typed that tells of harm."""
        with self._turn:
            add_alert(self._study, alert)

    def note_open(self) -> None:
        """Say to other programs that the lesson is open, however long it rests: nobody is erased from it meanwhile."""
        from eduverse_mesa.store.managing import note_played

        with self._turn:
            if not self._closed:
                note_played(self._study, self._player.run.id)

    def _coming(self) -> Until:
        lesson, step = max(self._player.head, self._player.known)  # what is played again was answered by others
        complete = {one.number for one in tuple(self._player.run.lessons) if one.complete}
        return (lesson + 1, 1) if lesson in complete else (lesson, step + 1)

    def close(self) -> None:
        """Close the register."""
        with self._turn:
            self._closed = True
            self._study.close()
