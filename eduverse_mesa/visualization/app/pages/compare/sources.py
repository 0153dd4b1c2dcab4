"""Where sides come from: arms that are played, runs of a study, a run and its fork.

A source is called with a ticket, in a thread, and gives all sides anew whenever one has got a run more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.classroom import Intervention, NoChange
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.arms import Plan, SeedProgress, fork_seeds, play_arms, watching
from eduverse_mesa.runs.breaking_off import BrokenOffError
from eduverse_mesa.runs.comparing import Arm, first_difference, people_in, same_but_for_the_seed
from eduverse_mesa.runs.forking import refuse_unfinished, refused_moves
from eduverse_mesa.runs.in_memory import fork, run_course
from eduverse_mesa.runs.play import Run, RunSpec, Until, play
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.starting import go_on_from
from eduverse_mesa.runs.studies import OpenStudy, open_study, replay_run
from eduverse_mesa.visualization.app.pages.compare.changing import told_change
from eduverse_mesa.visualization.app.pages.compare.sides import MOST_SIDES, Forked, Side, distinct
from eduverse_mesa.visualization.app.pages.compare.work import Ticket
from eduverse_mesa.visualization.words import Words, load_words
from eduverse_mesa.visualization.words.titles import short_title_of, title_of

Source = Callable[[Ticket], Iterator[list[Side]]]
Parent = Callable[[], Run]

_NAMED = 3
"""People who are named; the others are dots."""

FREE = "embedded"
"""The policy whose runs can be played again at no cost."""


# --- arms that are played ---


def arms(plans: Sequence[Plan], seeds: Sequence[int], study: str | None = None) -> Source:
    """Play some arms over seeds; `study` keeps their runs."""
    names = distinct([plan.name for plan in plans])
    named = [replace(plan, name=name) for plan, name in zip(plans, names, strict=True)]

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        sides = {plan.name: _side_of(plan) for plan in named}
        for plan, run in play_arms(
            named, seeds, study=study, progress=ticket.progress, stop=lambda: not ticket.current
        ):
            sides[plan.name].add(run)
            yield [side for side in sides.values() if side.shown is not None]

    return source


def _side_of(plan: Plan) -> Side:
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
            for run in (run for same in ids.values() for run in same):
                ticket.progress(SeedProgress(done + 1, len(runs), 0, 1))
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
    """What a run is, in a few words, and in so many that any two can be told apart."""
    policy = [t.code(spec.policy)] if spec.policy != FREE else []
    more = [*policy, *(told_change(change, t) for change in spec.changes), *([told_people(sat, t)] if sat else [])]
    if title:
        return " · ".join([title, *more]), " · ".join([title, *more])
    layout = short_title_of("layout", spec.scenario.layout, t)
    lesson = title_of("lesson", spec.scenario.lessons[0], t)
    seed = f"{t('compare.rooms.seed')} {spec.seed}"
    return " · ".join([layout, *more]), " · ".join([lesson, layout, seed, *more])


def told_people(names: Sequence[str], t: Words) -> str:
    """Who was answered for by a person."""
    return t("compare.study.people", names=", ".join(names[:_NAMED]) + ("…" if len(names) > _NAMED else ""))


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
        for pair in fork_seeds(spec, at, [change], todo, progress=ticket.progress, stop=lambda: not ticket.current):
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
        watching(number, runs, run.spec.scenario, ticket.progress, lambda: not ticket.current) for number in range(runs)
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
