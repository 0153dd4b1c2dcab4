"""State of the compare page: sides and where they come from, the step that is looked at, and the work that makes
more."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eduverse_mesa.dashboard.background import Ticket, Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.playback import Film, Roller, Shot
from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.classroom import Intervention, Move, NoChange, SetAct, SetTrait
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.arms import ArmPlan, SeedProgress, fork_seeds, play_arms, watching
from eduverse_mesa.runs.classroom import (
    Run,
    RunSpec,
    fork,
    go_on_from,
    play,
    refuse_unfinished,
    refused_moves,
    replay_run,
    run_course,
)
from eduverse_mesa.runs.comparison import Arm, Measured, first_difference, people_in, same_but_for_the_seed
from eduverse_mesa.runs.open_runs import same_study
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.recording import Until
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.runs.threads import BrokenOffError
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.layout import expand_seats
from eduverse_mesa.scenarios.sampler import BIG_FIVE
from eduverse_mesa.visualization.widgets.fields import document_field, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words, load_words
from eduverse_mesa.visualization.words.labels import short_title_of, title_of
from eduverse_mesa.vocabulary import ACTS

Place = tuple[int, int]
"""Lesson and step."""

MOST_SIDES = 4
_KEPT_RUNS = 6
"""Runs of a side that stay in memory; the others are played again when they are to be seen."""


@dataclass(frozen=True, slots=True)
class Forked:
    """Change of a fork: where it was made, and the first difference in the run that is shown."""

    change: Intervention
    first: tuple[int, int, str, str] | None
    """Lesson, step, agent and kind of the first answer that is not the same."""
    without: int = 0
    """Runs that were over before the change came."""
    people: tuple[str, ...] = ()
    """People who answered in a seat and cannot any more: both runs go on without them."""
    refused: str = ""
    """Why the change was not made in the run that is shown; empty where it was."""
    afresh: bool = False
    """Both were played from the beginning with nobody in a seat."""


@dataclass(eq=False)
class Side:
    """An arm, with the run that is shown of it."""

    arm: Arm
    again: Callable[[int], Run]
    """Plays, or reads, the run of a seed once more."""
    cheap: bool = True
    """Playing again costs nothing but a moment; otherwise every run is kept."""
    runs: dict[int, Run] = field(default_factory=dict)
    shown: Run | None = None
    film: Film = field(default_factory=Film)
    forked: Forked | None = None
    """How it came from the side before it."""

    @property
    def name(self) -> str:
        """How it is called."""
        return self.arm.name

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of all its runs, also of those that are left out of the numbers."""
        return self.arm.with_left_out().seeds

    def add(self, run: Run) -> None:
        """One run more; the first complete one is shown, or the first until there is one."""
        self.arm = self.arm.with_run(Measured.of(run))
        if len(self.runs) < _KEPT_RUNS or not self.cheap:
            self.runs[run.spec.seed] = run
        if self.shown is None or (run.complete and not self.shown.complete):
            self.show(run)

    def run_of(self, seed: int) -> Run | None:
        """The run of a seed; None where this side has none of it."""
        if seed not in self.seeds:
            return None
        return self.runs.get(seed) or self.again(seed)

    def show(self, run: Run) -> None:
        """Show this run."""
        film = Film()
        for lesson in run.lessons:
            film.take(lesson.model)
        self.film, self.shown = film, run

    def shot(self, place: Place) -> Shot | None:
        """Return the shot at a place; if this run was over by then, its end."""
        shots = self.film.shots
        at = bisect_right(shots, place, key=lambda shot: (shot.lesson, shot.step))
        return shots[max(at - 1, 0)] if shots else None


def places_of(sides: Iterable[Side]) -> list[Place]:
    """The steps that any of them has, in order."""
    return sorted({(shot.lesson, shot.step) for side in sides for shot in side.film.shots})


def unlike(one: Shot, other: Shot) -> list[str]:
    """The students of both who do or feel something else."""
    before = {student.name: (student.behaviour, student.emotion) for student in one.frame.students}
    return [
        student.name
        for student in other.frame.students
        if student.name in before and before[student.name] != (student.behaviour, student.emotion)
    ]


def distinct(names: Sequence[str]) -> list[str]:
    """The same names, each with a number where it comes again."""
    made: list[str] = []
    for name in names:
        number, free = 2, name
        while free in made:
            free, number = f"{name} ({number})", number + 1
        made.append(free)
    return made


def told_place(lesson: int, step: int, several: bool, t: Words) -> str:
    """A step, with its lesson where there are several."""
    if several:
        return t("compare.rooms.at_lesson", lesson=lesson, step=step)
    return t("compare.rooms.at", step=step) if step else t("classroom.transport.before")


CHANGES = ("move", "trait", "act", "nothing")
TRAITS = ("motivation", "ability", *BIG_FIVE)


def fields_of(kind: str, given: Mapping[str, Any], scenario: Scenario, t: Words) -> list[Field]:
    """The inputs of one kind of change."""
    if kind == "act":
        return [_select("act", t("compare.change.act.which"), {act: t.code(act) for act in ACTS}, given)]
    if kind not in ("move", "trait"):
        return []
    students = {student.name: student.name for student in scenario.roll.students}
    fields = [_select("student", t("compare.change.student"), students, given)]
    if kind == "move":
        return [*fields, _select("seat", t("compare.change.move.seat"), _seats(scenario), given)]
    traits = {trait: t.code(trait) for trait in TRAITS}
    return [
        *fields,
        _select("trait", t("compare.change.trait.which"), traits, given),
        document_field(SetTrait, "value", given["value"], t, "compare.change.trait", width="quarter"),
    ]


def _select(name: str, label: str, names: Mapping[str, str], given: Mapping[str, Any]) -> Field:
    return select(name, label, names, given[name], width="quarter")


def _seats(scenario: Scenario) -> dict[str, str]:
    """The seats, with who is known to sit there."""
    sits = {student.seat: student.name for student in scenario.roll.students if student.seat}
    return {
        seat.id: f"{seat.id} · {sits[seat.id]}" if seat.id in sits else seat.id
        for seat in expand_seats(scenario.layout)
    }


def filled(given: Mapping[str, Any], scenario: Scenario, student: str) -> dict[str, Any]:
    """Return the values chosen so far, and for the rest some to begin with."""
    names, seats = [one.name for one in scenario.roll.students], list(_seats(scenario))
    first = {"student": student, "seat": "", "trait": TRAITS[0], "value": 0.9, "act": "organising_discussion"}
    made = {**first, **given}
    if made["student"] not in names:
        made["student"] = names[0]
    if made["seat"] not in seats:
        made["seat"] = seats[-1] if seats else ""
    return made


def change_of(kind: str, given: Mapping[str, Any], lesson: int, step: int) -> Intervention:
    """The change that these inputs say."""
    if kind == "move":
        return Move(lesson=lesson, step=step, student=given["student"], to=given["seat"])
    if kind == "trait":
        value = round(float(given["value"]), 3)
        return SetTrait(lesson=lesson, step=step, student=given["student"], trait=given["trait"], value=value)
    if kind == "act":
        return SetAct(lesson=lesson, step=step, act=given["act"])
    return NoChange(lesson=lesson, step=step)


def told_change(change: Intervention, t: Words) -> str:
    """A change in words."""
    if isinstance(change, Move):
        return t("compare.change.move.told", student=change.student, to=str(change.to))
    if isinstance(change, SetTrait):
        value = f"{change.value:g}"
        return t("compare.change.trait.told", student=change.student, trait=t.code(change.trait), value=value)
    if isinstance(change, SetAct):
        return t("compare.change.act.told", act=t.code(change.act))
    return t("compare.change.nothing.told")


Source = Callable[[Ticket], Iterator[list[Side]]]
Parent = Callable[[], Run]

_NAMED = 3
"""People who are named; the others are dots."""

FREE = "embedded"
"""The policy whose runs can be played again at no cost."""


# --- arms that are played ---


def arms(plans: Sequence[ArmPlan], seeds: Sequence[int], study: str | None = None) -> Source:
    """Play some arms over seeds; `study` keeps their runs."""
    names = distinct([plan.name for plan in plans])
    named = [replace(plan, name=name) for plan, name in zip(plans, names, strict=True)]

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        sides = {plan.name: _side_of(plan) for plan in named}
        for plan, run in play_arms(
            named, seeds, study=study, progress=telling(ticket), stop=lambda: not ticket.current
        ):
            sides[plan.name].add(run)
            yield [side for side in sides.values() if side.shown is not None]

    return source


def telling(ticket: Ticket) -> Callable[[SeedProgress], None]:
    """Return what tells a piece of work how far runs over seeds are."""

    def tell(now: SeedProgress) -> None:
        ticket.progress(now.run - 1, now.runs, min(now.step / max(now.steps, 1), 1))

    return tell


def _side_of(plan: ArmPlan) -> Side:
    policy = plan.policy or plan.scenario.settings.policy
    return Side(
        Arm(plan.name),
        lambda seed: run_course(plan.scenario, seed, plan.policy, changes=plan.changes),
        cheap=policy == FREE,
    )


# --- runs of a study ---


def stored(study: str, runs: Sequence[str], *, grouped: bool = True, words: Words | None = None) -> Source:
    """Runs of a study; those that differ in their seeds only are one side, where `grouped`."""
    t = words or load_words()

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        groups = _groups(study, runs, grouped, t)
        sides: list[Side] = []
        done = 0
        for name, ids in groups.items():
            side = Side(Arm(name), lambda seed, ids=ids: _read(study, ids[seed][0]))  # type: ignore[misc]
            for run in (run for seed in sorted(ids) for run in ids[seed]):
                ticket.progress(done, len(runs))
                side.add(_read(study, run))
                done += 1
                if not ticket.current:
                    return
            sides.append(side)
            yield list(sides)

    return source


def _read(study: str, run: str) -> Run:
    with open_study(study, read_only=True) as opened:
        return replay_run(opened, run)


def ticked(study: str, runs: Sequence[str], *, words: Words | None = None) -> Source:
    """Some runs of a study that were chosen one by one: put together by their seeds, unless one side were left."""

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        grouped = len(runs) > MOST_SIDES or len(_groups(study, runs, True, words or load_words())) > 1
        yield from stored(study, runs, grouped=grouped, words=words)(ticket)

    return source


def _groups(study: str, runs: Sequence[str], grouped: bool, t: Words) -> dict[str, dict[int, list[str]]]:
    """The runs of each side by their seeds, under the side's name."""
    found: dict[object, dict[int, list[str]]] = {}
    titles: dict[object, tuple[str, str]] = {}
    with open_study(study, read_only=True) as opened:
        for run in runs:
            spec, sat = opened.choose(run).spec, _people_of(opened, run)
            key: object = same_but_for_the_seed(spec, sat) if grouped else run
            found.setdefault(key, {}).setdefault(spec.seed, []).append(run)
            if key not in titles:
                titles[key] = _names_of(spec, sat, opened.study.run(run).title, t)
                if not grouped:
                    titles[key] = titles[key][1], titles[key][1]
    if len(found) > MOST_SIDES:
        raise LessonError(
            f"these are {len(found)} different things, and {MOST_SIDES} fit side by side.",
            mend="Choose fewer, or runs that differ in their seeds only.",
        )
    short = [name for name, _ in titles.values()]
    names = short if len(set(short)) == len(short) else [whole for _, whole in titles.values()]
    return dict(zip(distinct(names), found.values(), strict=True))


def _people_of(opened: OpenStudy, run: str) -> tuple[str, ...]:
    return tuple(sorted({row.agent for row in opened.study.answers(run) if row.source == SOURCE}))


def _names_of(spec: RunSpec, sat: Sequence[str], title: str, t: Words) -> tuple[str, str]:
    """Return two names of a run: a short one, and one so long that any two runs can be told apart."""
    policy = [t.code(spec.policy)] if spec.policy != FREE else []
    more = [*policy, *(told_change(change, t) for change in spec.changes), *([told_people(sat, t)] if sat else [])]
    if title:
        return " · ".join([title, *more]), " · ".join([title, *more])
    layout = short_title_of("layout", spec.scenario.layout, t)
    lesson = title_of("lesson", spec.scenario.lessons[0], t)
    seed = f"{t('compare.rooms.seed')} {spec.seed}"
    return " · ".join([layout, *more]), " · ".join([lesson, layout, seed, *more])


def told_people(names: Sequence[str], t: Words) -> str:
    """Return the note that names the students who were played by a person."""
    return t("compare.study.people", names=t.names(names[:_NAMED]) + ("…" if len(names) > _NAMED else ""))


# --- a run and its fork ---


def forked(
    parent: Parent, at: Until, change: Intervention, names: tuple[str, str], seeds: Sequence[int] = ()
) -> Source:
    """A run and its fork after step `at`; then the same with other seeds.

    Whoever sat in the run cannot be asked again. The run is then gone on with from the same step, too, with nothing
    changed, so that the change is all that differs; over seeds nobody sits in any.
    """

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        run = parent()
        check_parent(run)
        spec, people = run.spec, people_in(run)
        cheap = spec.policy == FREE
        before = Side(Arm(names[0]), lambda seed: _again(spec, seed), cheap)
        after = Side(Arm(names[1]), lambda seed: fork(_again(spec, seed), at, [change]), cheap)
        others = [seed for seed in seeds if seed != spec.seed]
        afresh = bool(people and others)
        after.forked = Forked(change, None, people=people if afresh else people_in(run, at), afresh=afresh)
        todo = [spec.seed, *others] if afresh else others
        if not afresh:
            try:
                _put_pair(before, after, *_own_pair(run, at, after.forked, ticket))
            except BrokenOffError:
                return
            yield [before, after]
        if not todo:
            return
        for pair in fork_seeds(spec, at, [change], todo, progress=telling(ticket), stop=lambda: not ticket.current):
            if pair.fork is None:
                after.forked = replace(after.forked, without=after.forked.without + 1)
                continue
            _put_pair(before, after, pair.parent, pair.fork)
            yield [before, after]

    return source


def check_parent(run: Run) -> None:
    """Refuse a run that was broken off; a lesson that is still going on is played to its end first."""
    if not run.complete:
        refuse_unfinished(run.id, [place for lesson in run.lessons for place in lesson.digests])


def _own_pair(run: Run, at: Until, forked: Forked, ticket: Ticket) -> tuple[Run, Run]:
    """A run and its fork; where people sat after the step, two forks, one of them with nothing changed."""
    runs = 2 if forked.people else 1
    watches = [
        watching(number, runs, run.spec.scenario, telling(ticket), lambda: not ticket.current) for number in range(runs)
    ]
    if forked.people:
        nothing = NoChange(lesson=forked.change.lesson, step=forked.change.step)
        return fork(run, at, [nothing], progress=watches[1]), fork(run, at, [forked.change], progress=watches[0])
    return run, fork(run, at, [forked.change], progress=watches[0])


def _put_pair(before: Side, after: Side, run: Run, child: Run) -> None:
    """A pair more; what differs first is told of the pair that is shown."""
    if after.forked is not None and after.shown is None:
        refused = next((move.reason for move in refused_moves(child)), "")
        after.forked = replace(after.forked, first=first_difference(run, child), refused=refused)
    before.add(run)
    after.add(child)


def _again(spec: RunSpec, seed: int) -> Run:
    return run_course(spec.scenario, seed, spec.policy, changes=spec.changes)


def whole(player: LessonPlayer) -> Run:
    """The run of a player, played to its end: the player itself stays where it is."""
    with player.still() as run:
        start = go_on_from(run)
    return play(start.run, start.spec, policy=start.chosen.policy, recording=start.recording)


PACES: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)


class Comparison:
    """Up to four sides, played together."""

    def __init__(self) -> None:
        self.changed = Notice()
        """Other sides, or more runs of them."""
        self.moved = Notice()
        """Another step."""
        self.work = Worker()
        self.sides: tuple[Side, ...] = ()
        self.places: list[Place] = []
        self.place: Place = (1, 0)
        self.pace = PACES[1]
        self.seed = 0
        """Seed of the runs that are shown."""
        self.forked: Forked | None = None
        self.repeat: Callable[[int], Source] | None = None
        self.study = ""
        """Study in which the runs that are compared were kept before; empty if they were played here."""
        self.student = ""
        """Student who was clicked in a room: the form of a fork begins with that student."""
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
        self.work.replace("compare", work)

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
        """Return the place at which looking begins: at the change of a fork, else before the lesson."""
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
            self.work.do("compare", work)

    @property
    def seeds(self) -> list[int]:
        """The seeds of all sides."""
        return sorted({seed for side in self.sides for seed in side.seeds})

    @property
    def arms(self) -> list[Arm]:
        """Arms that the numbers are about: complete runs, or all if that was asked for."""
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
        """Let go of the runs that were read in a study, since something was taken out of it."""
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
    """Return the comparison on this desk."""
    return desk.drawer(Comparison, Comparison)
