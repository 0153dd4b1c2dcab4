"""The runs of a study as a person manages them: how each stands, by which name, and which are to go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from eduverse_mesa.decisions import Bill
from eduverse_mesa.runs.open_runs import refuse_open
from eduverse_mesa.runs.outlines import NOTHING, Named, Outline
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import HeadlineRow


@dataclass(frozen=True, slots=True)
class Plan:
    """What was played, where, and by which luck: by this, runs can be told apart. It never changes."""

    scenario: Named = NOTHING
    layout: Named = NOTHING
    lessons: tuple[Named, ...] = ()
    seed: int = 0
    curriculum: Named = NOTHING
    cohort: Named = NOTHING
    """Of learners with their tutors: what they are taught, and who they are."""
    problem: Named = NOTHING
    peers: tuple[str, ...] = ()
    """Of a group: what it solves, and who of it is virtual."""


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run as a list shows it."""

    row: HeadlineRow
    bill: Bill
    """What it has taken of language models."""
    plan: Plan = Plan()

    @property
    def id(self) -> str:
        """Its id, which stays."""
        return self.row.id

    @property
    def called(self) -> str:
        """Its title, or its id where it was given none."""
        return self.row.title or self.row.id


def run_cards(opened: OpenStudy, known: Mapping[str, Plan] = {}) -> list[RunCard]:
    """All runs, oldest first.

    Answers are not read, nor the scenarios of runs whose plan is `known`: this may be asked every second.
    """
    from eduverse_mesa.store.managing import headlines, plans

    rows = headlines(opened.study)
    found = dict(known)
    for run, seed, scenario in plans(opened.study, [row.id for row in rows if row.id not in known]):
        read = msgspec.json.decode(scenario, type=Outline)
        taught, group = read.tutoring, read.collaboration
        named = Named(read.name, read.title)
        found[run] = Plan(
            named,
            read.layout,
            read.lessons,
            seed,
            taught.curriculum,
            taught.cohort,
            problem=group.problems[0] if group.problems else NOTHING,
            peers=tuple(peer.name for peer in group.peers),
        )
    return [RunCard(row, Bill.read(row.spent).closed(), found.get(row.id, Plan())) for row in rows]


def rename_run(opened: OpenStudy, run: str, title: str) -> str:
    """Give a run a title, on one line; an empty one takes it away. Its id stays, since forks name it."""
    opened.study.set_title(run, title := " ".join(title.split()))
    return title


def delete_run(opened: OpenStudy, run: str, *, with_forks: bool = False, abandoned: bool = False) -> list[str]:
    """Take a run out of its study with all that belongs to it; gives the runs that went.

    A run that has forks goes only with them. A run that is being played stays, except where whoever asks knows that it
    is `abandoned`; one that this very program has open stays in any case.
    """
    from eduverse_mesa.store.managing import delete_run as delete
    from eduverse_mesa.store.managing import forks_of

    with opened.study.transaction() as connection:
        forks = forks_of(connection, run) if with_forks else []
    refuse_open(opened.study.path, [run, *forks])
    return delete(opened.study, run, with_forks=with_forks, abandoned=abandoned)
