"""What is compared on a desk: sides, the step that is looked at, and the work that makes more of them."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence

from eduverse_mesa.runs.comparing import Arm
from eduverse_mesa.runs.open_runs import same_study
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.notice import Notice
from eduverse_mesa.visualization.app.pages.compare.sides import Forked, Place, Side, places_of
from eduverse_mesa.visualization.app.pages.compare.sources import Source
from eduverse_mesa.visualization.app.pages.compare.work import Ticket, Work
from eduverse_mesa.visualization.app.rolling import Roller

PACES: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)


class Comparison:
    """Up to four sides, played together."""

    def __init__(self) -> None:
        self.changed = Notice()
        """Other sides, or more runs of them."""
        self.moved = Notice()
        """Another step."""
        self.work = Work()
        self.sides: tuple[Side, ...] = ()
        self.places: list[Place] = []
        self.place: Place = (1, 0)
        self.pace = PACES[1]
        self.seed = 0
        """Whose runs are shown."""
        self.forked: Forked | None = None
        self.repeat: Callable[[int], Source] | None = None
        self.study = ""
        """Where the runs that are compared were kept before; empty where they were played here."""
        self.student = ""
        """Who was clicked in a room: the form of a fork begins with it."""
        self.counts_all = False
        """Interrupted runs go into the numbers, too."""
        self.version = 0
        """Counts changes, for what is made of the sides."""
        self._roller = Roller("eduverse-together")
        self._door = threading.RLock()

    # --- what is compared ---

    def begin(self, source: Source, repeat: Callable[[int], Source] | None = None, *, study: str = "") -> None:
        """Compare what a source makes, in place of what was compared before; `repeat` makes it over so many seeds, and
        `study` is where its runs were kept already."""

        def work(ticket: Ticket) -> None:
            first = True
            for sides in source(ticket):
                if not ticket.current:
                    return
                self._put(sides, anew=first)
                first = False

        self.pause()
        self.repeat, self.study = repeat, study
        self.work.begin(work)

    def _put(self, sides: Sequence[Side], *, anew: bool) -> None:
        with self._door:
            self.sides = tuple(sides)
            self.places = places_of(sides)
            self.forked = next((side.forked for side in sides if side.forked is not None), None)
            shown = next((side.shown for side in sides if side.shown is not None), None)
            if anew:
                self.student = ""
                self.counts_all = False
                self.place = self._beginning()
                self.seed = shown.spec.seed if shown is not None else 0
            self.version += 1
        self.changed.tell()
        self.moved.tell()

    def _beginning(self) -> Place:
        """Where looking begins: at the change of a fork, else before the lesson."""
        if self.forked is not None:
            return self.forked.change.lesson, self.forked.change.step
        return self.places[0] if self.places else (1, 0)

    def show_seed(self, seed: int) -> None:
        """Show the runs of another seed, where a side has one."""
        sides = self.sides

        def work(ticket: Ticket) -> None:
            for side in sides:
                run = side.run_of(seed)
                if not ticket.current:
                    return
                if run is not None:
                    side.show(run)
            self.seed = seed
            self._put(sides, anew=False)

        if seed in self.seeds and not self.work.busy:
            self.work.begin(work)

    @property
    def seeds(self) -> list[int]:
        """The seeds of all sides."""
        return sorted({seed for side in self.sides for seed in side.seeds})

    @property
    def arms(self) -> list[Arm]:
        """What the numbers are of: complete runs, or all where that was asked for."""
        return [side.arm.with_left_out() if self.counts_all else side.arm for side in self.sides]

    @property
    def left_out(self) -> int:
        """Runs that were interrupted."""
        return sum(len(side.arm.left_out) for side in self.sides)

    def count_all(self, counts_all: bool) -> None:
        """Say whether interrupted runs go into the numbers, too."""
        self.counts_all = counts_all
        self.version += 1
        self.changed.tell()

    # --- which step is looked at ---

    @property
    def at(self) -> int:
        """The number of the place that is looked at."""
        return max(bisect_right(self.places, self.place) - 1, 0)

    @property
    def last(self) -> int:
        """The number of the last place."""
        return max(len(self.places) - 1, 0)

    @property
    def playing(self) -> bool:
        """It goes on by itself."""
        return self._roller.going

    def seek(self, at: int) -> None:
        """Look at another place."""
        self.pause()
        self._go(at)

    def step(self) -> None:
        """One step on."""
        self.seek(self.at + 1)

    def play(self) -> None:
        """Go on by itself, from the beginning where it is at the end."""
        if self._roller.going or not self.places:
            return
        if self.at >= self.last:
            self._go(0)
        self._roller.start(self._roll, lambda: 1 / self.pace, self.moved.tell)
        self.moved.tell()

    def _roll(self) -> bool:
        if self.at < self.last:
            self._go(self.at + 1)
        return self.at < self.last

    def pause(self) -> None:
        """Rest."""
        self._roller.stop()
        self.moved.tell()

    def set_pace(self, pace: float) -> None:
        """So many steps a second."""
        self.pace = pace
        self.moved.tell()

    def _go(self, at: int) -> None:
        with self._door:
            if self.places:
                self.place = self.places[max(0, min(at, self.last))]
        self.moved.tell()

    def select(self, student: str) -> None:
        """Look at a student."""
        if student != self.student:
            self.student = student
            self.moved.tell()

    # --- what a desk asks ---

    def forget(self, study: str) -> None:
        """What a study keeps is not what it was: let go of what was read there."""
        if not self.study or not same_study(self.study, study):
            return
        self.pause()
        self.work.stop()
        self.repeat, self.study = None, ""
        self._put((), anew=True)

    @property
    def busy(self) -> bool:
        """Something is being played."""
        return self.work.busy or self.playing

    def close(self) -> None:
        """End it."""
        self.pause()
        self.work.stop()


def comparison_of(desk: Desk) -> Comparison:
    """What is compared on this desk."""
    return desk.drawer(Comparison, Comparison)
