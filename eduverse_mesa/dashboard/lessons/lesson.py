"""The lesson on the classroom page: it is played, and looked at, which need not be the same step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.playback import Film, Playhead, Roller, Shot
from eduverse_mesa.dashboard.notice import Notice, Stop
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.comparison import people_in
from eduverse_mesa.runs.events import ENDED, Event
from eduverse_mesa.runs.open_runs import same_study
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.tables import Tables, tables
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario

PACES: tuple[float | None, ...] = (0.5, 1.0, 2.0, 4.0, None)
_REPLAY_PACE = 12.0
"""Steps a second at which what was seen before is shown where the pace is as fast as it goes."""


class ClassroomLesson(Playhead):
    """A player, the film of what it has played, and the place of the film that is looked at."""

    begins = "begin"
    """How it is begun, as classroom.now says it."""
    has_play = True
    """True if the bar under the room plays it."""

    def __init__(self) -> None:
        self.begun = Notice()
        """Another lesson."""
        self.moved = Notice()
        """Another step, status or place."""
        self.passed = Notice()
        """Another place, on the way to one that will be looked at: nothing but the room needs to go along."""
        self.chosen = Notice()
        """Another student."""
        self.film = Film()
        self.selected = ""
        self.pace: float | None = 1.0
        self.error: EduverseError | None = None
        self.kept = ""
        self.barred = False
        """True if the lesson that was asked for could not be begun. The one that is here instead is not played on in
        its place."""
        self.player: LessonPlayer
        self._looked_up = ""
        """The study of a run that is only looked at."""
        self._given: Scenario | None = None
        """Scenario as it was begun, before the policy that answers has been written into it."""
        self._asked: tuple[str, dict[str, object]] = ("embedded", {})
        """Policy that was to answer in it, and its settings."""
        self._wanted: tuple[Scenario, int] | None = None
        """Scenario that could not be begun, and its seed."""
        self._roller = Roller("eduverse-film")
        self._stop_hearing: Stop = lambda: None
        self._turn = threading.RLock()
        self._counted: tuple[tuple[int, int], Tables] | None = None

    # --- which lesson ---

    def begin(
        self, scenario: Scenario, seed: int, policy: str | None = None, settings: Mapping[str, object] | None = None
    ) -> None:
        """Put another lesson, or the same once more, at its beginning; `settings` change the scenario."""

        def make(film: Film) -> LessonPlayer:
            changed = load_scenario(dump_scenario(scenario), settings=settings) if settings else scenario
            return LessonPlayer(changed, seed, policy, progress=film.take)

        if self.open(make):
            self._given, self._asked = scenario, (policy or "embedded", dict(settings or {}))
        elif hasattr(self, "player"):
            self.barred, self._wanted = True, (scenario, seed)
            if self.playing:
                self.pause()

    def follow(self, policy: str, settings: Mapping[str, object]) -> None:
        """Use the policy that has been chosen meanwhile: a lesson that could not be begun is tried again, and one of
        which nothing was played is begun anew with it."""
        if self._wanted is not None and self.barred:
            self.begin(*self._wanted, policy, settings)
        elif self._untouched and self._asked != (policy, dict(settings)):
            self.begin_anew(policy, settings)

    @property
    def _untouched(self) -> bool:
        """It was begun here, and nothing of it was played or kept."""
        bare = not (self.kept or self.study or self._given is None) and max(self.player.head, self.player.known) == (
            1,
            0,
        )
        return bare and self.player.status in ("loading", "ready")  # where the machine is busy it is not there at once

    def keep_to_it(self) -> None:
        """Play what is here, though something else was asked for."""
        self.barred, self._wanted, self.error = False, None, None
        self.moved.tell()

    def begin_anew(self, policy: str, settings: Mapping[str, object]) -> None:
        """The same lesson from its beginning, by who is to answer now."""
        self.begin(self.scenario, self.player.run.spec.seed, policy, settings)

    @property
    def scenario(self) -> Scenario:
        """Scenario that is played, as it was before the policy that answers was written into it."""
        return self._given or self.player.run.spec.scenario

    def open(
        self, make: Callable[[Film], LessonPlayer], *, kept: str = "", study: str = "", film: Film | None = None
    ) -> bool:
        """Put what `make` plays on the page; where it cannot be made, what was there stays.

        `kept`: it is a run of a study, of this one, that is only looked at. `film`: it is on a film already.
        """
        film = Film() if film is None else film
        try:
            player = make(film)
        except EduverseError as error:
            self.error = error
            self.moved.tell()
            return False
        with self._turn:
            old = getattr(self, "player", None)
            self._roller.stop()
            self._stop_hearing()
            self.film, self.player, self.error, self.kept = film, player, None, kept
            self.look_at_end()
            self._counted, self.selected, self._given, self._looked_up = None, "", None, study
            self.barred, self._wanted = False, None
            self._stop_hearing = player.listen(lambda event: self._heard(player, event))
        if old is not None:
            old.stop()
        self._heard(player, None)
        self.begun.tell()
        return True

    def _heard(self, player: LessonPlayer, event: Event | None) -> None:
        if player is not self.player:
            return
        if not self.film.shots or (event is not None and event.kind == "status" and event.status != "loading"):
            with player.still() as run:
                for lesson in run.lessons:
                    self.film.take(lesson.model)
        self.error = player.error or self.error
        self.moved.tell()

    # --- commands ---

    @property
    def last(self) -> int:
        """The place of the last shot."""
        return max(0, len(self.film) - 1)

    @property
    def playing(self) -> bool:
        """It goes on by itself."""
        return self._roller.going or self.player.status in ("playing", "thinking")

    @property
    def over(self) -> bool:
        """Nothing will follow the last shot."""
        return self.player.status in ENDED

    def ends(self, place: int) -> bool:
        """Return True if a lesson came to its end with this shot."""
        shots = self.film.shots
        if not 0 < place < len(shots) or not shots[place].step:
            return False
        if place == self.last:
            return self.player.status == "complete"
        return shots[place + 1].lesson != shots[place].lesson

    @property
    def shot(self) -> Shot | None:
        """The shot that is looked at."""
        shots = self.film.shots
        return shots[min(self.at, len(shots) - 1)] if shots else None

    def play(self) -> None:
        """Show what was seen already, then play on."""
        if self.at < self.last:
            self._roll()
        elif not self.over and not self.barred:
            self.player.play(self.pace)
        self.moved.tell()

    def _roll(self) -> None:
        film = self.film

        def step() -> bool:
            if film is self.film and self.at < self.last:
                self.look_at(self.at + 1)
                self.moved.tell()
            return film is self.film and self.at < self.last

        def ended() -> None:
            if film is self.film and not self.over and not self.barred:
                self.player.play(self.pace)
            self.moved.tell()

        self._roller.start(step, lambda: 1 / (self.pace or _REPLAY_PACE), ended)

    def pause(self) -> None:
        """Rest."""
        self._roller.stop()
        if not self.over:
            self.player.pause()
        self.moved.tell()

    def step(self) -> None:
        """One step on."""
        if self.at < self.last:
            self.seek(self.at + 1)
        elif not self.over and not self.barred:
            self.player.step()

    def seek(self, place: int) -> None:
        """Look at another step."""
        self._go_to(place)
        self.moved.tell()

    def glance(self, place: int) -> None:
        """Pass by a step: see the room as it was, and nothing more until one rests."""
        self._go_to(place)
        self.passed.tell()

    def rest(self) -> None:
        """Look at the step that was come to."""
        self.moved.tell()

    def _go_to(self, place: int) -> None:
        self._stop_for_a_look()
        self.look_at(place)

    def _stop_for_a_look(self) -> None:
        """Who looks at another step is not led on."""
        if self.playing:
            self.pause()

    def set_pace(self, pace: float | None) -> None:
        """So many steps a second."""
        self.pace = pace
        self.player.set_pace(pace)
        self.moved.tell()

    def select(self, student: str) -> None:
        """Look at a student; at nobody where the name is empty."""
        if student != self.selected:
            self.selected = student
            self.chosen.tell()

    def keep(self, study: str) -> None:
        """Keep the run in a study, and record there what follows."""
        try:
            self.kept = self.player.keep(study)
        except EduverseError as error:
            self.error = error
        self.moved.tell()

    @property
    def broken(self) -> bool:
        """It came to its end by trouble, and can be tried again from its last complete step."""
        return self.player.status == "failed"

    def go_on(self) -> None:
        """Go on after trouble, where it was kept so far; where that cannot be, say why."""
        broken, given = self.player, self._given

        def make(film: Film) -> LessonPlayer:
            if broken.study is not None:
                return LessonPlayer.resume(broken.study, broken.run.id, progress=film.take)
            return LessonPlayer.go_on(broken.run, progress=film.take)

        if self.broken and self.open(make):
            self._given = given

    # --- what there is to read ---

    def counted(self) -> Tables | None:
        """The tables of the lesson that is looked at, as far as it was played."""
        shot = self.shot
        if shot is None:
            return None
        with self.player.still() as run:
            key = (shot.lesson, len(self.film))
            if self._counted is None or self._counted[0] != key:
                self._counted = key, tables([run.lessons[shot.lesson - 1].model])
            return self._counted[1]

    @property
    def study(self) -> str:
        """The study in which the run is kept; empty if nobody keeps it."""
        return self.player.study or self._looked_up

    def forget(self, study: str) -> None:
        """Let go of what was taken out of a study: if a run of it with people in it is shown, the first lesson is laid
        out in its place."""
        if not self.study or not same_study(self.study, study):
            return
        with self.player.still() as run:
            people = people_in(run)
        if people:
            self.begin(load_scenario(), 1)

    @property
    def busy(self) -> bool:
        """It is being played."""
        return self.playing

    def close(self) -> None:
        """End it."""
        self._roller.stop()
        self._stop_hearing()
        self.player.stop()


def classroom_lesson(desk: Desk) -> ClassroomLesson:
    """The lesson on this desk; the first one is there already."""

    def make() -> ClassroomLesson:
        lesson = ClassroomLesson()
        lesson.begin(load_scenario(desk.first_scenario), 1)
        return lesson

    return desk.drawer(ClassroomLesson, make)
