"""The seat graph: who can easily turn to whom, by rules that are data (Eq. 1, C.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import dist

import networkx as nx

from eduverse_mesa.scenarios.layout import Layout, Seat, SeatRule
from eduverse_mesa.scenarios.seats import expand_seats

Pair = tuple[str, str]


def seat_graph(layout: Layout) -> nx.Graph[str]:
    """The graph of a layout's seats, by seat id."""
    return student_graph({seat.id: seat for seat in expand_seats(layout)}, layout.seat_graph)


def student_graph(seating: Mapping[str, Seat], rules: Sequence[SeatRule]) -> nx.Graph[str]:
    """The graph of who sits where: rules in their order add links, keep only some, or drop some."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(seating)
    for rule in rules:
        if rule.do == "add":
            graph.add_edges_from(_pairs(rule, seating))
            continue
        holds = _predicate(rule, seating)
        cut = [edge for edge in graph.edges if holds(*edge) != (rule.do == "keep")]
        graph.remove_edges_from(cut)
    return graph


def _pairs(rule: SeatRule, seating: Mapping[str, Seat]) -> Iterator[Pair]:
    """The pairs that a rule speaks of, without looking at all pairs where that is not needed."""
    holds = _predicate(rule, seating)
    if rule.rule == "distance":
        candidates: Iterable[Pair] = _near_pairs(seating, rule.within + rule.same_group_bonus)
    elif rule.rule == "pairs":
        by_seat = {seat.id: name for name, seat in seating.items()}
        named = ((by_seat.get(one), by_seat.get(other)) for one, other in rule.pairs)
        candidates = [(one, other) for one, other in named if one is not None and other is not None]
    else:
        candidates = combinations(seating, 2)
    return (pair for pair in candidates if pair[0] != pair[1] and holds(*pair))


def _near_pairs(seating: Mapping[str, Seat], within: float) -> Iterator[Pair]:
    """Pairs that share a square of this size or neighbouring ones: 600 seats need no 180,000 distances."""
    size = max(1.0, within)
    squares: dict[tuple[int, int], list[str]] = {}
    for name, seat in seating.items():
        squares.setdefault((int(seat.at[0] // size), int(seat.at[1] // size)), []).append(name)
    for (x, y), names in squares.items():
        yield from combinations(names, 2)
        for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for other in squares.get((x + right, y + down), ()):
                for name in names:
                    yield name, other


def _predicate(rule: SeatRule, seating: Mapping[str, Seat]) -> Callable[[str, str], bool]:
    def grouped(seat: Seat) -> bool:
        return seat.group is not None and (not rule.groups or seat.group in rule.groups)

    def distance(one: Seat, other: Seat) -> bool:
        bonus = rule.same_group_bonus if one.group is not None and one.group == other.group else 0.0
        return dist(one.at, other.at) <= rule.within + bonus

    named = {frozenset(pair) for pair in rule.pairs}
    tests: dict[str, Callable[[Seat, Seat], bool]] = {
        "distance": distance,
        "same_row": lambda one, other: one.row is not None and one.row == other.row,
        "same_group": lambda one, other: grouped(one) and one.group == other.group,
        "across_groups": lambda one, other: grouped(one) and grouped(other) and one.group != other.group,
        "opposite": lambda one, other: one.opposite == other.id or other.opposite == one.id,
        "pairs": lambda one, other: frozenset((one.id, other.id)) in named,
    }
    test = tests[rule.rule]
    return lambda one, other: test(seating[one], seating[other])
