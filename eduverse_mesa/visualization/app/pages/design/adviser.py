"""What the design page asks about seats on a desk: the wishes, the search behind the page, and what it found."""

from __future__ import annotations

import logging
import threading
from typing import Any

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.engines import make_engine
from eduverse_mesa.experiments.seating import Advice, Constraint, Request, advise, read_objective
from eduverse_mesa.experiments.seating.constraints import Demand
from eduverse_mesa.scenarios.drafting import Draft
from eduverse_mesa.scenarios.drafting.documents import put
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.visualization.app.notice import Notice

_LOG = logging.getLogger(__name__)
EFFORTS = {"quick": (60, 12), "usual": (200, 20), "thorough": (600, 40)}
"""Runs of the search, and seeds of the judgement."""
PAIRS: tuple[Demand, ...] = ("apart", "together")
DEMANDS: tuple[Demand, ...] = (*PAIRS, "front", "fixed")
_PARTS = (("layout",), ("class",), ("seating",), ("lessons",), ("settings",))


class _StoppedError(Exception):
    """The search is not wanted any more."""


class Adviser:
    """One search at a time. It plays in a process of its own, so that pages stay quick."""

    def __init__(self) -> None:
        self.told = Notice()
        self.objective = "engagement"
        self.effort = "quick"
        self.constraints: tuple[Constraint, ...] = ()
        self.advice: Advice | None = None
        self.error: EduverseError | None = None
        self.done, self.total = 0, 0
        self._about: tuple[Plain, ...] = ()
        """The parts of the draft that the advice is about."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """A search is going on."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    def renew(self, **kept: Any) -> None:
        """Another wish."""
        for name, value in kept.items():
            setattr(self, name, value)
        self.told.tell()

    def ask(self, demand: Demand, *names: str) -> None:
        """Add a constraint, once."""
        wanted = Constraint(demand, names if demand in PAIRS else names[:1])
        if wanted not in self.constraints:
            self.renew(constraints=(*self.constraints, wanted))

    def drop(self, place: int) -> None:
        """Take a constraint back."""
        self.renew(constraints=(*self.constraints[:place], *self.constraints[place + 1 :]))

    def begin(self, draft: Draft) -> None:
        """Look for a plan for the draft as it is now."""
        scenario = draft.scenario
        if scenario is None or self.busy:
            return
        budget, seeds = EFFORTS[self.effort]
        known = {student.name for student in scenario.roll.students}
        kept = tuple(one for one in self.constraints if known.issuperset(one.students))
        request = Request(scenario, read_objective(self.objective), kept, seeds=seeds, budget=budget)
        stop = self._stop = threading.Event()
        self.advice, self.error, self.done, self.total = None, None, 0, request.plays
        self._about, self.constraints = parts_of(draft), kept
        self._thread = threading.Thread(target=self._work, args=(request, stop), name="eduverse-seating", daemon=True)
        self._thread.start()
        self.told.tell()

    def stop(self) -> None:
        """Break it off; nothing is kept of it."""
        self._stop.set()
        self.told.tell()

    close = stop  # the desk is cleared

    def fits(self, draft: Draft) -> bool:
        """Whether the advice is about the draft as it is now."""
        return self.advice is not None and self._about == parts_of(draft)

    def use(self, draft: Draft) -> None:
        """Seat the class as advised, as one step."""
        advice = self.advice
        if advice is None or not self.fits(draft):
            return
        seats = advice.plan.of(advice.request.scenario.roll.students)
        seating: dict[str, Plain] = {
            name: seat if isinstance(seat, str) else list(seat) for name, seat in seats.items()
        }
        draft.change(put(draft.document, ("seating",), seating), "seat_plan", moved=len(advice.moves))

    def _work(self, request: Request, stop: threading.Event) -> None:
        def watch(done: int) -> None:
            if stop.is_set():
                raise _StoppedError
            self.done = done
            self.told.tell()

        try:
            with make_engine("processes", 1) as engine:
                advice = advise(request, engine, watch)
            if not stop.is_set():
                self.advice = advice
        except _StoppedError:
            pass
        except EduverseError as error:
            self._fail(error, stop)
        except Exception as error:
            _LOG.exception("the search for seats broke off")
            self._fail(LessonError(f"the search broke off ({type(error).__name__}).", mend="Try again."), stop)
        finally:
            if self._stop is stop:
                self._thread = None
            self.told.tell()

    def _fail(self, error: EduverseError, stop: threading.Event) -> None:
        if not stop.is_set():
            self.error = error


def parts_of(draft: Draft) -> tuple[Plain, ...]:
    """The parts of a draft that advice depends on."""
    return tuple(draft.get(*part) for part in _PARTS)
