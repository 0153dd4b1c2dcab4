"""Where sides come from: arms that are played, runs of a study, a run and its fork.

A source is called with a ticket, in a thread, and gives all sides anew whenever one has got a run more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.classroom import Intervention
from eduverse_mesa.runs.arms import Plan, SeedProgress, fork_seeds, play_arms, watching
from eduverse_mesa.runs.breaking_off import BrokenOffError
from eduverse_mesa.runs.comparing import Arm, first_difference, same_but_for_the_seed
from eduverse_mesa.runs.in_memory import fork, run_course
from eduverse_mesa.runs.play import Run, RunSpec, Until, play
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.starting import go_on_from
from eduverse_mesa.runs.studies import open_study, replay_run
from eduverse_mesa.visualization.app.pages.compare.sides import MOST_SIDES, Forked, Side, distinct, short_title
from eduverse_mesa.visualization.app.pages.compare.work import Ticket

Source = Callable[[Ticket], Iterator[list[Side]]]
Parent = Callable[[], Run]

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


def stored(study: str, runs: Sequence[str], *, grouped: bool = True) -> Source:
    """Runs of a study; those that differ in their seeds only are one side, where `grouped`."""

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        groups = _groups(study, runs, grouped)
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


def _groups(study: str, runs: Sequence[str], grouped: bool) -> dict[str, dict[int, list[str]]]:
    """The runs of each side by their seeds, under the side's name."""
    found: dict[object, dict[int, list[str]]] = {}
    titles: dict[object, str] = {}
    with open_study(study, read_only=True) as opened:
        for run in runs:
            spec = opened.choose(run).spec
            key: object = same_but_for_the_seed(spec) if grouped else run
            found.setdefault(key, {}).setdefault(spec.seed, []).append(run)
            titles.setdefault(key, opened.study.run(run).title or (called(spec) if grouped else run))
    if len(found) > MOST_SIDES:
        raise LessonError(
            f"these are {len(found)} different things, and {MOST_SIDES} fit side by side.",
            mend="Choose fewer, or runs that differ in their seeds only.",
        )
    return dict(zip(distinct(list(titles.values())), found.values(), strict=True))


def called(spec: RunSpec) -> str:
    """What a run is, in a few words: its layout, who answers, what was changed."""
    parts = [short_title(spec.scenario), *([spec.policy] if spec.policy != FREE else [])]
    return " · ".join([*parts, *(str(change) for change in spec.changes)])


# --- a run and its fork ---


def forked(
    parent: Parent, at: Until, change: Intervention, names: tuple[str, str], seeds: Sequence[int] = ()
) -> Source:
    """A run and its fork after step `at`; then the same with other seeds."""

    def source(ticket: Ticket) -> Iterator[list[Side]]:
        run = parent()
        spec, runs = run.spec, 1 + 2 * len(seeds)
        watch = watching(0, runs, spec.scenario, ticket.progress, lambda: not ticket.current)
        try:
            child = fork(run, at, [change], progress=watch)
        except BrokenOffError:
            return
        cheap = spec.policy == FREE
        before = Side(Arm(names[0]), lambda seed: _again(spec, seed), cheap)
        after = Side(Arm(names[1]), lambda seed: fork(_again(spec, seed), at, [change]), cheap)
        after.forked = Forked(change, first_difference(run, child))
        before.add(run)
        after.add(child)
        yield [before, after]
        others = [seed for seed in seeds if seed != spec.seed]
        if not others:
            return
        for pair in fork_seeds(spec, at, [change], others, progress=ticket.progress, stop=lambda: not ticket.current):
            if pair.fork is None:
                after.forked = replace(after.forked, without=after.forked.without + 1)
                continue
            before.add(pair.parent)
            after.add(pair.fork)
            yield [before, after]

    return source


def _again(spec: RunSpec, seed: int) -> Run:
    return run_course(spec.scenario, seed, spec.policy, changes=spec.changes)


def whole(player: LessonPlayer) -> Run:
    """The run of a player, played to its end: the player itself stays where it is."""
    with player.still() as run:
        start = go_on_from(run)
    return play(start.run, start.spec, policy=start.chosen.policy, recording=start.recording)
