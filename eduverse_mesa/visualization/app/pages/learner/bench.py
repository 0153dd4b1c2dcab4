"""What a desk teaches and looks at on the learner page: in a thread, one thing at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.open_runs import same_study
from eduverse_mesa.visualization.app.alerts import Alerts
from eduverse_mesa.visualization.app.answering import Answering
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.errands import Outcome, run_errand
from eduverse_mesa.visualization.app.notice import Notice
from eduverse_mesa.visualization.app.pages.learner.files import read_learner
from eduverse_mesa.visualization.app.pages.learner.keeping import Shelf, open_run
from eduverse_mesa.visualization.app.pages.learner.plan import Plan
from eduverse_mesa.visualization.app.pages.learner.school import School, open_school, teach
from eduverse_mesa.visualization.app.pages.learner.talk import OwnTalk
from eduverse_mesa.visualization.app.pages.learner.ways import Compared, Way, compare_ways

TABS = ("memory", "pictures", "dialogues", "talk", "ways")


class Asked(NamedTuple):
    """A file that was chosen to be opened."""

    text: str
    chosen: Plan
    name: str


class Bench:
    """Learners of a desk, and what is done with them."""

    def __init__(self, alerts: Alerts | None = None) -> None:
        self._alerts = alerts
        self.changed = Notice()
        """Something was begun, is over, or is looked at."""
        self.told = Notice()
        """A turn more."""
        self.school: School | None = None
        self.name = ""
        """The learner that is looked at."""
        self.tab = TABS[0]
        self.talk: OwnTalk | None = None
        """The dialogue in which somebody here is the tutor."""
        self.compared: Compared | None = None
        self.typed = ""
        """What is being typed to the learner: it stays when what is around it is drawn anew."""
        self.progress: tuple[int, int] | None = None
        self.error: EduverseError | None = None
        self.error_at = ""
        """Where on the page it went wrong: in the talk, or else above everything."""
        self.asked: Asked | None = None
        """A file that waits for a word, since it takes the place of everybody who is here."""
        self.busy = False
        self.shelf: Shelf | None = None
        """Where these learners are kept, once somebody wanted it."""
        self._stop = threading.Event()

    # --- teaching ---

    def begin(self, plan: Plan, answering: Answering) -> None:
        """Teach a cohort from the beginning."""

        def work(stop: threading.Event) -> None:
            school = teach(open_school(plan), answering, self._hear, stop.is_set)
            self.shelf = None
            self._show(school)

        self._do(work)

    def go_on(self, last: int, answering: Answering) -> None:
        """Teach the learners that are here further, up to a grade."""
        school = self.school
        if school is not None:
            self._do(lambda stop: self._teach(school.up_to(last), answering, stop))

    def stop(self) -> None:
        """End it after the dialogues that have begun; what was taught stays."""
        self._stop.set()
        self.told.tell()

    @property
    def stopping(self) -> bool:
        """It was asked to stop, and has not yet."""
        return self.busy and self._stop.is_set()

    def keep(self, study: str) -> None:
        """Keep these learners in a study, and what they are taught from now on, too."""
        school = self.school

        def work(_: threading.Event) -> None:
            if school is not None:
                shelf = Shelf(study)
                self.school = shelf.keep(school)
                self.shelf = shelf

        self._do(work)

    def open_run(self, study: str, run: str) -> None:
        """Open the learners of a run of a study as they were after it; what they are taught goes there, too."""

        def work(_: threading.Event) -> None:
            school = open_run(study, run)
            self.shelf = Shelf(study)
            self._show(school)

        if self.busy:
            self.decline("Learners are being taught on this page. Stop that first, or wait for its end.")
        else:
            self._do(work)

    def forget(self, study: str) -> None:
        """Something was taken out of a study: learners who are kept there may still have it in mind, and go."""
        if self.shelf is not None and same_study(self.shelf.study, study) and not self.busy:
            self.school = self.shelf = self.talk = self.compared = None
            self.changed.tell()

    def open(self, text: str, chosen: Plan, where: str) -> None:
        """Open a learner from a file."""

        def work(_: threading.Event) -> None:
            school = read_learner(text, chosen, where)
            self.shelf = None
            self._show(school)

        self._do(work)

    def ask_to_open(self, asked: Asked | None) -> None:
        """Ask whether to open a file in place of everybody who is here; none takes the question back."""
        if not self.busy:
            self.asked = asked
            self.changed.tell()

    def decline(self, message: str) -> None:
        """Say why something was not even begun."""
        self.error, self.error_at = EduverseError(message), ""
        self.changed.tell()

    def close(self) -> None:
        """The desk is cleared."""
        self.stop()

    # --- what somebody does oneself ---

    def sit_down(self, unit: str, days: int, answering: Answering) -> None:
        """Begin a dialogue with the learner that is looked at."""
        school, name = self.school, self.name

        def work(_: threading.Event) -> None:
            if school is not None:
                self.talk, self.typed = OwnTalk(school, name, unit, days, answering), ""

        self._do(work, at="talk")

    def say(self, *, last: bool = False) -> None:
        """Say what was typed; the last thing ends the dialogue, which the learner then remembers."""
        talk, text = self.talk, self.typed

        def work(_: threading.Event) -> None:
            if talk is None or talk.over:
                return
            talk.check(text)
            if self._alerts is not None:
                told = self._alerts.listen_in(text, "learner", talk.name, of=talk)
                talk.be_gentle(self._alerts.told_in(talk))
                talk.kept_out = told and talk.keeps_out
                if talk.kept_out:
                    self.typed = ""
                    return
            self._turn(talk, lambda: talk.say(text, last=last))
            self.typed = ""

        self._do(work, at="talk")

    def end(self) -> None:
        """End the dialogue without another word; the learner remembers it."""
        talk = self.talk

        def work(_: threading.Event) -> None:
            if talk is not None and talk.lines and not talk.over:
                self._turn(talk, talk.end)

        self._do(work, at="talk")

    def _turn(self, talk: OwnTalk, go: Callable[[], None]) -> None:
        try:
            go()
        except Exception:
            self.talk = None  # what breaks off in the middle of a turn cannot go on
            raise
        self._remember(talk)

    def _remember(self, talk: OwnTalk) -> None:
        if talk.over:
            self._show(talk.remembered(), keep=True)
            if self.shelf is not None and self.school is not None:
                self.school = self.shelf.keep(self.school)

    def leave(self) -> None:
        """Go away from a dialogue as if it had never been; one that is over stays in the memory."""
        if not self.busy:
            self.talk = None
            self.changed.tell()

    def compare(self, ways: tuple[Way, Way], answering: Answering) -> None:
        """Teach two copies of the learner that is looked at, each in its way."""
        school, name = self.school, self.name

        def work(_: threading.Event) -> None:
            if school is not None:
                self.compared = compare_ways(school, name, ways, answering)

        self._do(work)

    # --- what is looked at ---

    def look_at(self, name: str) -> None:
        """Another learner."""
        if self.school is not None and name in self.school.names and not self.busy:
            self.name, self.talk, self.compared = name, None, None
            self.changed.tell()

    def open_tab(self, tab: str) -> None:
        """Another part of what is shown."""
        if tab in TABS:
            self.tab = tab
            self.changed.tell()

    # ---

    def _teach(self, school: School, answering: Answering, stop: threading.Event) -> None:
        study = ""
        if self.shelf is not None:
            self.shelf.check(school)
            study = self.shelf.study
        self._show(teach(school, answering, self._hear, stop.is_set, study))

    def _hear(self, done: int, total: int) -> None:
        self.progress = done, total
        self.told.tell()

    def _show(self, school: School, *, keep: bool = False) -> None:
        self.school = school
        if not keep:
            self.talk = None
        self.compared = None
        if self.name not in school.names:
            self.name = school.names[0]

    def _do(self, work: Callable[[threading.Event], None], at: str = "") -> None:
        if self.busy:
            return
        stop = self._stop = threading.Event()
        self.busy, self.error, self.progress = True, None, None
        self.error_at, self.asked = at, None

        def done(outcome: Outcome[None]) -> None:
            self.busy, self.error = False, outcome.error
            self.told.tell()
            self.changed.tell()

        run_errand("learner", lambda: work(stop), done)
        self.changed.tell()


def bench_of(desk: Desk) -> Bench:
    """This desk's."""
    return desk.drawer(Bench, lambda: Bench(desk.office.alerts))
