"""Seat rules: sentences about pairs of seats that say who may easily turn to whom, and their meaning (EduVerse C.1.3).

A new rule is a word of `SeatRuleKind` and a line of `RULES`, and has a label in each language (`vocabulary/en.yaml`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from pydantic import Field

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Name, Part

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.layout import Layout, Seat

SeatRuleKind: TypeAlias = Literal["distance", "same_row", "same_group", "across_groups", "opposite", "pairs"]
SEAT_RULES: tuple[SeatRuleKind, ...] = get_args(SeatRuleKind)

_ROUNDING = 1e-9  # a distance given as 2.8284 is a rounded one; one given as 4.5 is met exactly or not at all

Pair = tuple[int, int]
"""Two places in the list of seats, the smaller first."""


class SeatRule(Part):
    """A sentence about pairs of seats: which pairs it speaks of, and whether they are linked.

    Rules are read in order. `add` links the pairs of the rule, `keep` cuts every link that is not one of them,
    `drop` cuts those that are.
    """

    rule: SeatRuleKind
    do: Literal["add", "keep", "drop"] = "add"
    within: float = Field(4.5, gt=0, description="for rule distance: the largest distance in cells (tau_d, Table A3)")
    same_group_bonus: float = Field(0.0, ge=0, description="for rule distance: added to `within` inside one group")
    pairs: tuple[tuple[Name, Name], ...] = Field((), description="for rule pairs: pairs of seat ids")
    groups: tuple[Name, ...] = Field((), description="for rules on groups: only these groups (empty: all)")


class Links(NamedTuple):
    """Meaning of a rule: a test for the pairs it speaks of, and a search for them among many seats."""

    holds: Callable[[SeatRule, Seat, Seat], bool]
    find: Callable[[SeatRule, Sequence[Seat]], Iterator[Pair]]


def linked_pairs(rules: Sequence[SeatRule], seats: Sequence[Seat]) -> list[Pair]:
    """Read the rules in order: `add` links pairs, `keep` cuts all but the rule's, `drop` cuts the rule's."""
    linked: set[Pair] = set()
    for rule in rules:
        links = RULES[rule.rule]
        if rule.do == "add":
            linked.update(links.find(rule, seats))
        else:
            keep = rule.do == "keep"
            linked = {pair for pair in linked if links.holds(rule, seats[pair[0]], seats[pair[1]]) is keep}
    return sorted(linked)


# --- what the rules mean ---


def _near(rule: SeatRule, one: Seat, other: Seat) -> bool:
    within = rule.within + (rule.same_group_bonus if _together(one, other) else 0.0)
    return math.dist(one.at, other.at) <= within + _ROUNDING


def _together(one: Seat, other: Seat) -> bool:
    return one.group is not None and one.group == other.group


def _named(rule: SeatRule, seat: Seat) -> bool:
    """Return True if a rule on groups speaks of this seat's group."""
    return seat.group is not None and (not rule.groups or seat.group in rule.groups)


def _same_row(_rule: SeatRule, one: Seat, other: Seat) -> bool:
    return one.row is not None and one.row == other.row


def _same_group(rule: SeatRule, one: Seat, other: Seat) -> bool:
    return _together(one, other) and _named(rule, one)


def _across_groups(rule: SeatRule, one: Seat, other: Seat) -> bool:
    return _named(rule, one) and _named(rule, other) and one.group != other.group


def _opposite(_rule: SeatRule, one: Seat, other: Seat) -> bool:
    return one.opposite == other.id or other.opposite == one.id


def _listed(rule: SeatRule, one: Seat, other: Seat) -> bool:
    return (one.id, other.id) in rule.pairs or (other.id, one.id) in rule.pairs


# --- how their pairs are found: never by looking at every pair of a large class where few can be linked ---


def _find_near(rule: SeatRule, seats: Sequence[Seat]) -> Iterator[Pair]:
    """Seats lie in square tiles as wide as the rule reaches, so only a tile and those around it need a look."""
    reach = rule.within + rule.same_group_bonus + _ROUNDING
    tiles: dict[tuple[int, int], list[int]] = {}
    for place, seat in enumerate(seats):
        tiles.setdefault((int(seat.at[0] // reach), int(seat.at[1] // reach)), []).append(place)
    for (x, y), here in tiles.items():
        for dx, dy in ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):  # each pair of tiles once
            there = tiles.get((x + dx, y + dy), ())
            pairs = combinations(here, 2) if (dx, dy) == (0, 0) else ((one, other) for one in here for other in there)
            for one, other in pairs:
                if _near(rule, seats[one], seats[other]):
                    yield _ordered(one, other)


def _find_by(part: Callable[[Seat], object]) -> Callable[[SeatRule, Sequence[Seat]], Iterator[Pair]]:
    """All pairs of seats that agree in something."""

    def find(rule: SeatRule, seats: Sequence[Seat]) -> Iterator[Pair]:
        alike: dict[object, list[int]] = {}
        for place, seat in enumerate(seats):
            if part(seat) is not None:
                alike.setdefault(part(seat), []).append(place)
        holds = RULES[rule.rule].holds
        for places in alike.values():
            yield from (pair for pair in combinations(places, 2) if holds(rule, seats[pair[0]], seats[pair[1]]))

    return find


def _find_across(rule: SeatRule, seats: Sequence[Seat]) -> Iterator[Pair]:
    """Every pair of two groups: there are as many as that."""
    spoken_of = [place for place, seat in enumerate(seats) if _named(rule, seat)]
    return (pair for pair in combinations(spoken_of, 2) if seats[pair[0]].group != seats[pair[1]].group)


def _find_opposite(_rule: SeatRule, seats: Sequence[Seat]) -> Iterator[Pair]:
    places = {seat.id: place for place, seat in enumerate(seats)}
    for place, seat in enumerate(seats):
        if seat.opposite in places:
            yield _ordered(place, places[seat.opposite])


def _find_listed(rule: SeatRule, seats: Sequence[Seat]) -> Iterator[Pair]:
    places = {seat.id: place for place, seat in enumerate(seats)}
    for one, other in rule.pairs:
        if one in places and other in places:
            yield _ordered(places[one], places[other])


def _ordered(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


RULES: dict[SeatRuleKind, Links] = {
    "distance": Links(_near, _find_near),
    "same_row": Links(_same_row, _find_by(lambda seat: seat.row)),
    "same_group": Links(_same_group, _find_by(lambda seat: seat.group)),
    "across_groups": Links(_across_groups, _find_across),
    "opposite": Links(_opposite, _find_opposite),
    "pairs": Links(_listed, _find_listed),
}
"""The meaning of every kind."""


def check_rules(layout: Layout, ids: set[str]) -> None:
    """Refuse rules that say nothing of this layout's seats."""
    for number, rule in enumerate(layout.seat_graph, start=1):
        where = f"layout '{layout.name}', seat_graph, rule {number}"
        if number == 1 and rule.do != "add":
            raise ScenarioError(
                f"the first rule says `do: {rule.do}`, but no seats are linked yet.",
                where=where,
                mend="Start with a rule that adds links.",
            )
        if bool(rule.pairs) != (rule.rule == "pairs"):
            raise ScenarioError(
                "a rule `pairs` lists pairs of seats, and no other rule does.",
                where=where,
                mend="Write `rule: pairs` with `pairs: [[seat, seat], ...]`.",
            )
        for pair in rule.pairs:
            unknown = [seat for seat in pair if seat not in ids]
            if unknown or pair[0] == pair[1]:
                what = f"there is no seat '{unknown[0]}'" if unknown else f"seat '{pair[0]}' is paired with itself"
                raise ScenarioError(f"{what}.", where=where, mend="Give ids of two seats of this layout.")
