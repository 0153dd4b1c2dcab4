"""The seat graph: what each rule means, and what must hold of every rule."""

from __future__ import annotations

import math
from itertools import combinations
from typing import get_args

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import CirclePattern, Layout, Seat, expand_seats, rows_for
from eduverse_mesa.scenarios.layout_rules import RULES, SeatRule
from eduverse_mesa.space import seat_graph, student_graph
from tests.space.rooms import layout

KINDS = get_args(SeatRule.model_fields["rule"].annotation)
GROUPS = ("A", "B", "C")


def rule(kind: str, do: str = "add", **more: object) -> SeatRule:
    return SeatRule.model_validate({"rule": kind, "do": do, **more})


@st.composite
def seatings(draw: st.DrawFn) -> dict[str, Seat]:
    """Some seats with rows, groups and opposites."""
    cells = draw(st.lists(st.tuples(st.integers(0, 29), st.integers(0, 19)), unique=True, max_size=14))
    ids = [f"s{number}" for number in range(len(cells))]
    return {
        name: Seat(
            id=name,
            at=cell,
            row=draw(st.sampled_from([None, 1, 2])),
            group=draw(st.sampled_from([None, *GROUPS])),
            opposite=draw(st.sampled_from([None, *(other for other in ids if other != name)])),
        )
        for name, cell in zip(ids, cells, strict=True)
    }


@st.composite
def rules(draw: st.DrawFn, do: tuple[str, ...] = ("add", "keep", "drop")) -> SeatRule:
    return rule(
        draw(st.sampled_from(KINDS)),
        draw(st.sampled_from(do)),
        within=draw(st.floats(0.5, 40)),
        same_group_bonus=draw(st.sampled_from([0.0, 1.0])),
        groups=draw(st.sampled_from([(), ("A",), ("A", "B")])),
        pairs=draw(st.sampled_from([(), (("s0", "s1"), ("s3", "s1"))])),
    )


def links(seating: dict[str, Seat], *given_rules: SeatRule) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in student_graph(seating, given_rules).edges}


def test_there_is_a_meaning_for_every_rule_of_the_schema() -> None:
    assert set(RULES) == set(KINDS)


@given(seatings(), st.lists(rules(), max_size=5))
def test_the_graph_is_binary_symmetric_and_has_no_loops(seating: dict[str, Seat], given_rules: list[SeatRule]) -> None:
    graph = student_graph(seating, given_rules)
    assert list(graph.nodes) == list(seating)
    matrix = nx.to_numpy_array(graph) if seating else None
    if matrix is not None:
        assert set(matrix.flatten().tolist()) <= {0.0, 1.0}
        assert (matrix == matrix.T).all()
        assert not matrix.diagonal().any()


@given(seatings(), rules(do=("add",)))
def test_a_rule_finds_exactly_the_pairs_it_holds_for(seating: dict[str, Seat], added: SeatRule) -> None:
    holds = RULES[added.rule].holds
    expected = {
        frozenset((one, other)) for one, other in combinations(seating, 2) if holds(added, seating[one], seating[other])
    }
    assert links(seating, added) == expected
    for one, other in combinations(seating.values(), 2):
        assert holds(added, one, other) == holds(added, other, one)


@given(seatings(), st.lists(rules(), max_size=3), rules(do=("add",)))
def test_keep_and_drop_part_the_links(seating: dict[str, Seat], before: list[SeatRule], last: SeatRule) -> None:
    now = links(seating, *before)
    kept = links(seating, *before, last.model_copy(update={"do": "keep"}))
    dropped = links(seating, *before, last.model_copy(update={"do": "drop"}))
    assert kept | dropped == now
    assert not kept & dropped
    assert kept == now & links(seating, last)
    assert links(seating, *before, last) == now | links(seating, last)


@given(seatings(), st.floats(0.5, 30), st.floats(0, 10), st.sampled_from([0.0, 1.0]))
def test_a_larger_distance_links_no_less(seating: dict[str, Seat], within: float, more: float, bonus: float) -> None:
    near = links(seating, rule("distance", within=within, same_group_bonus=bonus))
    assert near <= links(seating, rule("distance", within=within + more, same_group_bonus=bonus))


@given(seatings(), st.integers(-50, 50), st.integers(-50, 50), st.integers(0, 3))
def test_distance_does_not_care_where_the_room_is_or_how_it_is_turned(
    seating: dict[str, Seat], right: int, down: int, quarters: int
) -> None:
    def moved(cell: tuple[int, int]) -> tuple[int, int]:
        x, y = cell
        for _ in range(quarters):
            x, y = -y, x
        return x + right, y + down

    elsewhere = {name: seat.model_copy(update={"at": moved(seat.at)}) for name, seat in seating.items()}
    near = rule("distance", within=4.5, same_group_bonus=1.0)
    assert links(seating, near) == links(elsewhere, near)


@given(seatings())
def test_no_link_across_groups_means_none(seating: dict[str, Seat]) -> None:
    for one, other in links(seating, rule("distance", within=40), rule("across_groups", "drop")):
        groups = {seating[one].group, seating[other].group}
        assert len(groups) == 1 or None in groups


@given(seatings())
def test_a_group_is_complete(seating: dict[str, Seat]) -> None:
    together = links(seating, rule("same_group"))
    for one, other in combinations(seating.values(), 2):
        assert (frozenset((one.id, other.id)) in together) == (one.group is not None and one.group == other.group)


def seat(name: str, x: int, y: int = 0, **more: object) -> Seat:
    return Seat.model_validate({"id": name, "at": (x, y), **more})


def test_the_distance_of_the_paper() -> None:
    seats = {s.id: s for s in (seat("a", 0), seat("b", 4), seat("c", 0, 5), seat("d", 9, group="A"))}
    assert links(seats, rule("distance")) == {frozenset("ab")}
    grouped = {**seats, "b": seat("b", 4, group="A")}
    assert frozenset("bd") not in links(grouped, rule("distance", within=4.5))
    assert frozenset("bd") in links(grouped, rule("distance", within=4.5, same_group_bonus=1.0))


def test_a_distance_that_is_met_exactly_counts() -> None:
    seats = {s.id: s for s in (seat("a", 0), seat("b", 2, 2))}
    assert links(seats, rule("distance", within=math.sqrt(8)))
    assert not links(seats, rule("distance", within=2.82))


def test_rules_on_groups_may_name_groups() -> None:
    seats = {name: seat(name, x, group=name[0]) for x, name in enumerate(("A1", "A2", "B1", "B2", "C1"))}
    assert links(seats, rule("same_group", groups=("B",))) == {frozenset(("B1", "B2"))}
    across = links(seats, rule("across_groups", groups=("A", "C")))
    assert across == {frozenset(("A1", "C1")), frozenset(("A2", "C1"))}


def test_students_bring_their_own_group_and_place() -> None:
    seats = [seat("r1", 0, group="A"), seat("r2", 2, group="A"), seat("r3", 20, group="A")]
    seating = dict(zip(("Li", "Liu", "Wang"), seats, strict=True))
    together = rule("same_group")
    assert len(links(seating, together)) == 3
    seating["Liu"] = seats[1].model_copy(update={"group": "B"})
    assert links(seating, together) == {frozenset(("Li", "Wang"))}
    near = rule("distance")
    seating["Wang"] = seat("cell 3,0", 3)
    assert frozenset(("Liu", "Wang")) in links(seating, near)


def test_pairs_with_an_empty_seat_link_nobody() -> None:
    listed = rule("pairs", pairs=(("r1", "r2"), ("r1", "r9")))
    seating = {"Li": seat("r1", 0), "Liu": seat("r2", 25)}
    assert links(seating, listed) == {frozenset(("Li", "Liu"))}


def ring(*given_rules: SeatRule) -> Layout:
    circle = CirclePattern(pattern="circle", centre=(14, 9), seats=6)
    return layout(patterns=(circle,), seat_graph=given_rules)


def test_the_round_table() -> None:
    graph = seat_graph(ring(rule("distance", same_group_bonus=1.0), rule("opposite")))
    expected = {frozenset((f"c{n}", f"c{n % 6 + 1}")) for n in range(1, 7)} | {
        frozenset((f"c{n}", f"c{n + 3}")) for n in (1, 2, 3)
    }
    assert {frozenset(edge) for edge in graph.edges} == expected
    assert graph.nodes["c1"] == {"x": 17, "y": 9, "row": None, "group": None}


@pytest.mark.parametrize(
    ("given_rules", "message"),
    [
        ((rule("same_row", "keep"),), "rule 1: the first rule says `do: keep`"),
        ((rule("distance"), rule("pairs")), "rule 2: a rule `pairs` lists pairs"),
        ((rule("distance", pairs=(("c1", "c2"),)),), "rule 1: a rule `pairs` lists pairs"),
        ((rule("pairs", pairs=(("c1", "c9"),)),), "there is no seat 'c9'"),
        ((rule("pairs", pairs=(("c1", "c1"),)),), "seat 'c1' is paired with itself"),
    ],
    ids=["first", "no pairs", "pairs elsewhere", "unknown seat", "itself"],
)
def test_rules_that_mean_nothing_are_refused(given_rules: tuple[SeatRule, ...], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        seat_graph(ring(*given_rules))


def test_600_seats_do_not_mean_180_000_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    made = rows_for(600)
    looks = 0
    plain = math.dist

    def counted(one: tuple[int, int], other: tuple[int, int]) -> float:
        nonlocal looks
        looks += 1
        return plain(one, other)

    monkeypatch.setattr(math, "dist", counted)
    graph = seat_graph(made)
    assert graph.number_of_nodes() == len(expand_seats(made)) == 600
    assert 0 < looks < 600 * 40
