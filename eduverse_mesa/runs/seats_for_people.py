"""Seats for people in the lessons of a course: one for the teacher and each student, and the register of who sits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Self

from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.embedded import EmbeddedPolicy
from eduverse_mesa.policies.human import HumanPolicy, LiveSeat
from eduverse_mesa.policies.human import Role as PolicyRole
from eduverse_mesa.policies.shared_limit import need_live
from eduverse_mesa.runs.open_runs import end_left_open
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.recording import Until
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.scenarios.people import teacher_of
from eduverse_mesa.store import AlertRow, Study
from eduverse_mesa.store.alerts import add_alert

if TYPE_CHECKING:
    from eduverse_mesa.runs.live_lessons import Place


class Attendance:
    """The register of a live lesson. A person is entered when they first sit down, by their pseudonym."""

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
        from eduverse_mesa.store.run_list import note_played

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


def seats_of(scenario: Scenario, changed: Callable[[LiveSeat], None] | None = None) -> dict[str, LiveSeat]:
    """A seat for the teacher and for every student, by name; nobody sits in them yet."""
    teacher = teacher_of(scenario.roll)
    roles: dict[str, PolicyRole] = {teacher.name: "teacher"}
    roles |= {one.name: "student" for one in scenario.roll.students}
    told = scenario.settings.llm.told_of_harm
    return {name: LiveSeat(name, role, changed, told_of_harm=told) for name, role in roles.items()}


def with_people(scenario: Scenario, seats: Mapping[str, LiveSeat]) -> Callable[[AnyPolicy], AnyPolicy]:
    """Return a function that makes of a run's policy one that asks the people first."""
    own = EmbeddedPolicy(load_parameters(dict(scenario.settings.parameters)))

    def wrap(rest: AnyPolicy) -> AnyPolicy:
        need_live(rest.name, scenario.settings.llm)
        return HumanPolicy(rest, seats, own, scenario.settings.people.wait)

    return wrap
