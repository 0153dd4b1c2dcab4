"""Work of a desk on the learner page, in a thread, one thing at a time: teaching learners, talking to one, comparing
two ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eduverse_mesa.dashboard.alerts import Alerts
from eduverse_mesa.dashboard.answerers import Answering
from eduverse_mesa.dashboard.background import Ticket, Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.pages.learner.school import (
    LearnerStore,
    School,
    SchoolPlan,
    alone,
    answered,
    open_run,
    open_school,
    read_learner,
    teach,
)
from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import LONGEST, Taught
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Saved, Talk, TutoringModel
from eduverse_mesa.models.tutoring.journal import LineRow
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.policies.mixture import by_kind
from eduverse_mesa.policies.shared_limit import need_live
from eduverse_mesa.runs.open_runs import same_study
from eduverse_mesa.runs.tutoring import Tutored, TutoringSpec
from eduverse_mesa.scenarios.curriculum import Unit

MOST_TURNS = 40
MOST_DAYS = 3650
_SEED = 7919
"""Number added to the seed for dialogues on the side: their luck is not that of the lessons."""


class Typed:
    """Answers what the tutor is asked with what was typed: in the log these are the words of a person."""

    name = SOURCE

    def __init__(self) -> None:
        self.next = Taught("")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Return the text that was typed last."""
        return [Answer(self.next, self.name) for _ in decisions]


class OwnTalk:
    """One dialogue with a learner, on a day of its own, on the side of what is on the agenda."""

    def __init__(self, school: School, name: str, unit: str, days: int, answering: Answering) -> None:
        if unit not in school.setup.curriculum.units:
            raise ScenarioError(f"the curriculum has no unit '{unit[:80]}'.", mend="Choose one of its units.")
        if not 0 <= days <= MOST_DAYS:
            raise ScenarioError(f"{days} days from now is no day.", mend=f"Give a number from 0 to {MOST_DAYS}.")
        learner, kept = school.learner(name), school.keep(name)
        setup = answered(alone(school.setup, name), answering, turns=MOST_TURNS)
        self.school = school
        self.name = name
        self.unit: Unit = setup.curriculum.units[unit]
        self.keeps_out = not answering.llm.told_of_harm
        """True if texts that tell of harm are kept from the learner."""
        self.kept_out = False
        """True if the text typed last told of harm, and was kept from the learner."""
        self._typed = Typed()
        need_live(answering.policy, setup.settings.llm)
        self._rest = rest = make_policy(answering.policy, setup.settings, setup.people)
        self._rules = make_policy("embedded", setup.settings)
        spec = TutoringSpec(
            setup,
            (school.plan.seed + _SEED * (kept.memory.lived + 1)) % 2**31,
            rest.name,
            (Talk(learner.day + days, learner.grade, unit),),
            {name: Saved(kept.name, kept.memory, kept.notes, 1)},
        )
        self._played = Tutored.of(spec.name, spec, by_kind({"teach": self._typed}, rest))
        self._session = self._played.begin(1)
        self.model = self._played.model

    @property
    def lines(self) -> tuple[LineRow, ...]:
        """Lines said so far."""
        return tuple(self.model.journal.lines)

    @property
    def over(self) -> bool:
        """It has ended, and is remembered."""
        return not self.model.running

    @property
    def left(self) -> int:
        """Turns that are left."""
        return MOST_TURNS - sum(line.speaker == "tutor" for line in self.lines)

    @staticmethod
    def check(text: str) -> None:
        """Refuse what cannot be said."""
        if not text.strip():
            raise ScenarioError("nothing was typed.", mend="Type what you say to the learner.")
        if len(text) > LONGEST:
            raise ScenarioError(f"this has {len(text):,} letters.", mend=f"{LONGEST:,} are the most at once.")

    def say(self, text: str, *, last: bool = False) -> None:
        """Say something, and hear the answer; the `last` thing ends the dialogue."""
        self.check(text)
        self._go_on(Taught(text, "other", last))

    def be_gentle(self, gentle: bool) -> None:
        """Say whether somebody has told of harm: no language model reads the rest of the dialogue then, unless it may.
        Where that was a false alarm it goes on as it began."""
        rest = self._rules if gentle and self.keeps_out else self._rest
        self.model.policy = by_kind({"teach": self._typed}, rest)

    def end(self) -> None:
        """End the dialogue without another word."""
        if not self.lines:
            raise ScenarioError(
                "nothing was said yet, so there is nothing to remember.", mend="Say something, or leave the dialogue."
            )
        self._go_on(Taught("", "other", True))

    def _go_on(self, taught: Taught) -> None:
        self._typed.next = taught
        self.model.step()
        self._session.note()

    def remembered(self) -> School:
        """The school after it."""
        return self.school.after(self._played, aside=True)


MOST_DIALOGUES = 40
MOST_GAP = 60.0


class Way(NamedTuple):
    """So many dialogues about a unit (the tutor picks where none is named), so many days apart."""

    unit: str = ""
    dialogues: int = 3
    gap: float = 1.0


class Difference(NamedTuple):
    """One concept: mastery now, and after each way on the day on which the longer one ends."""

    concept: str
    now: float
    one: float
    other: float


@dataclass(frozen=True)
class Compared:
    """Outcome of two ways for a learner."""

    name: str
    ways: tuple[Way, Way]
    rows: tuple[Difference, ...]


def compare_ways(school: School, name: str, ways: tuple[Way, Way], answering: Answering) -> Compared:
    """Teach two copies of a learner, with the same luck; the learner stays unchanged."""
    for way in ways:
        _check(way, school)
    start = school.learner(name)
    ends = start.day + max(way.dialogues * way.gap for way in ways)
    first, second = (_after(school, name, way, ends, answering) for way in ways)
    rows = [
        Difference(concept.id, start.knowing.mastered(concept.id, start.day), first[concept.id], second[concept.id])
        for concept in school.setup.curriculum.all_concepts()
    ]
    changed = [row for row in rows if max(row[1:]) > 0]
    return Compared(name, ways, tuple(sorted(changed, key=lambda row: -abs(row.one - row.other))))


def _after(school: School, name: str, way: Way, ends: float, answering: Answering) -> dict[str, float]:
    learner, kept = school.learner(name), school.keep(name)
    setup = answered(alone(school.setup, name), answering)
    agenda = tuple(
        Talk(learner.day + (number + 1) * way.gap, learner.grade, way.unit) for number in range(way.dialogues)
    )
    model = TutoringModel(
        setup,
        policy=answering.policy,
        seed=school.plan.seed,
        agenda=agenda,
        saved={name: Saved(kept.name, kept.memory, kept.notes, 1)},
    ).run()
    knowing = model.learners[0].knowing
    return {concept.id: knowing.mastered(concept.id, ends) for concept in setup.curriculum.all_concepts()}


def _check(way: Way, school: School) -> None:
    if way.unit and way.unit not in school.setup.curriculum.units:
        raise ScenarioError(f"the curriculum has no unit '{way.unit[:80]}'.", mend="Choose one of its units.")
    if not 1 <= way.dialogues <= MOST_DIALOGUES or not 0 <= way.gap <= MOST_GAP:
        raise ScenarioError(
            "a way is no way.",
            mend=f"Give 1 to {MOST_DIALOGUES} dialogues, 0 to {MOST_GAP:.0f} days apart.",
        )


TABS = ("memory", "pictures", "dialogues", "talk", "ways")


class Asked(NamedTuple):
    """A file that was chosen to be opened."""

    text: str
    chosen: SchoolPlan
    name: str


class Bench(Worker):
    """Learners of a desk, and what is done with them."""

    def __init__(self, alerts: Alerts | None = None) -> None:
        super().__init__()
        self._alerts = alerts
        self.school: School | None = None
        self.name = ""
        """The learner that is looked at."""
        self.tab = TABS[0]
        self.talk: OwnTalk | None = None
        """The dialogue in which somebody here is the tutor."""
        self.compared: Compared | None = None
        self.typed = ""
        """Text that is being typed to the learner: it stays when what is around it is drawn anew."""
        self.asked: Asked | None = None
        """A file that waits for a word, since it takes the place of everybody who is here."""
        self.store: LearnerStore | None = None
        """Study that keeps these learners, once somebody wanted it."""

    # --- teaching ---

    def begin(self, plan: SchoolPlan, answering: Answering) -> None:
        """Teach a cohort from the beginning."""

        def work(ticket: Ticket) -> None:
            school = teach(open_school(plan), answering, ticket.progress, ticket.stop.is_set)
            self.store = None
            self._show(school)

        self._do(work)

    def go_on(self, last: int, answering: Answering) -> None:
        """Teach the learners that are here further, up to a grade."""
        school = self.school
        if school is not None:
            self._do(lambda ticket: self._teach(school.up_to(last), answering, ticket))

    def keep(self, study: str) -> None:
        """Keep these learners in a study, and what they are taught from now on, too."""
        school = self.school

        def work(_: Ticket) -> None:
            if school is not None:
                store = LearnerStore(study)
                self.school = store.keep(school)
                self.store = store

        self._do(work)

    def open_run(self, study: str, run: str) -> None:
        """Open the learners of a run of a study as they were after it; what they are taught goes there, too."""

        def work(_: Ticket) -> None:
            school = open_run(study, run)
            self.store = LearnerStore(study)
            self._show(school)

        if self.busy:
            self.refuse("Learners are being taught on this page. Stop that first, or wait for its end.")
        else:
            self._do(work)

    def forget(self, study: str) -> None:
        """Something was taken out of a study: learners who are kept there may still have it in mind, and go."""
        if self.store is not None and same_study(self.store.study, study) and not self.busy:
            self.school = self.store = self.talk = self.compared = None
            self.changed.tell()

    def open(self, text: str, chosen: SchoolPlan, where: str) -> None:
        """Open a learner from a file."""

        def work(_: Ticket) -> None:
            school = read_learner(text, chosen, where)
            self.store = None
            self._show(school)

        self._do(work)

    def ask_to_open(self, asked: Asked | None) -> None:
        """Ask whether to open a file in place of everybody who is here; none takes the question back."""
        if not self.busy:
            self.asked = asked
            self.changed.tell()

    # --- what somebody does oneself ---

    def sit_down(self, unit: str, days: int, answering: Answering) -> None:
        """Begin a dialogue with the learner that is looked at."""
        school, name = self.school, self.name

        def work(_: Ticket) -> None:
            if school is not None:
                self.talk, self.typed = OwnTalk(school, name, unit, days, answering), ""

        self._do(work, at="talk")

    def say(self, *, last: bool = False) -> None:
        """Say what was typed; the last thing ends the dialogue, which the learner then remembers."""
        talk, text = self.talk, self.typed

        def work(_: Ticket) -> None:
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

        def work(_: Ticket) -> None:
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
            if self.store is not None and self.school is not None:
                self.school = self.store.keep(self.school)

    def leave(self) -> None:
        """Go away from a dialogue as if it had never been; one that is over stays in the memory."""
        if not self.busy:
            self.talk = None
            self.changed.tell()

    def compare(self, ways: tuple[Way, Way], answering: Answering) -> None:
        """Teach two copies of the learner that is looked at, each in its way."""
        school, name = self.school, self.name

        def work(_: Ticket) -> None:
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

    def _teach(self, school: School, answering: Answering, ticket: Ticket) -> None:
        study = ""
        if self.store is not None:
            self.store.check(school)
            study = self.store.study
        self._show(teach(school, answering, ticket.progress, ticket.stop.is_set, study))

    def _show(self, school: School, *, keep: bool = False) -> None:
        self.school = school
        if not keep:
            self.talk = None
        self.compared = None
        if self.name not in school.names:
            self.name = school.names[0]

    def _do(self, work: Callable[[Ticket], None], at: str = "") -> None:
        if not self.busy:
            self.asked = None
        self.do("learner", work, at=at)


def bench_of(desk: Desk) -> Bench:
    """This desk's."""
    return desk.drawer(Bench, lambda: Bench(desk.office.alerts))
