from __future__ import annotations

import math
from importlib.resources import files

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import centralities, density, load_reference, mean_degree, networks, peer_graph
from tests.measures.tables import cells, requests

REFERENCE = files("eduverse_mesa").joinpath("scenarios", "reference")
# Arrows that give the paper's own rows: found from its degrees, checked against its betweenness.
FOREIGN_LECTURE = [
    ("Wang Fang", "Zhang Tao"),
    ("Zhang Tao", "Wang Fang"),
    ("Zhang Tao", "Zhang Jie"),
    ("Zhang Jie", "Zhang Yan"),
    ("Zhang Yan", "Zhang Jie"),
    ("Zhang Yan", "Liu Li"),
    ("Liu Li", "Zhang Yan"),
    ("Liu Li", "Li Wei"),
    ("Li Wei", "Liu Li"),
]
ESSAY_LECTURE = [
    ("Li Wei", "Liu Li"),
    ("Liu Li", "Li Wei"),
    ("Zhang Tao", "Zhang Jie"),
    ("Zhang Yan", "Zhang Jie"),
]


@pytest.mark.parametrize(
    ("genre", "pairs"), [("foreign_fiction", FOREIGN_LECTURE), ("argumentative_essay", ESSAY_LECTURE)]
)
def test_the_papers_rows_come_back(genre, pairs):
    graph = peer_graph(requests(*pairs))
    table = load_reference(REFERENCE / "networks.csv").query("genre == @genre and layout == 'lecture'").iloc[0]
    assert cells(networks(requests(*pairs)), 0, ["nodes", "edges"]) == [table["nodes"], table["edges"]]
    assert density(graph) == pytest.approx(table["density"], abs=5e-4)
    assert mean_degree(graph) == pytest.approx(table["average_degree"], abs=5e-4)
    published = load_reference(REFERENCE / "centrality.csv").query("genre == @genre and layout == 'lecture'")
    columns = ["in", "out", "degree", "betweenness"]
    ours = centralities(graph).set_index("student")[columns].sort_index()
    pd.testing.assert_frame_equal(
        ours, published.set_index("student")[columns].sort_index(), atol=5e-4, check_dtype=False, rtol=0
    )


def test_only_accepted_exchanges_between_peers_count():
    table = pd.concat(
        [
            requests(("Ana", "Bo"), ("Ana", "Bo"), ("Cy", "teacher"), ("Di", "Di")),
            requests(("Ana", "Cy"), status="rejected"),
            requests(("Bo", "Cy"), status="pending"),
        ]
    )
    graph = peer_graph(table)
    assert set(graph.nodes) == {"Ana", "Bo"}
    assert graph.edges["Ana", "Bo"]["weight"] == 2


def test_no_exchange_is_no_density():
    graph = peer_graph(requests())
    assert math.isnan(density(graph))
    assert math.isnan(mean_degree(graph))
    assert centralities(graph).empty


def test_an_unknown_status_is_an_error():
    with pytest.raises(TableError, match="maybe"):
        peer_graph(requests(("Ana", "Bo"), status="maybe"))


names = st.sampled_from(["Ana", "Bo", "Cy", "Di", "Ed"])


@given(st.lists(st.tuples(names, names)))
def test_bounds_and_renaming(pairs):
    graph = peer_graph(requests(*pairs))
    renamed = peer_graph(requests(*((sender[::-1], receiver[::-1]) for sender, receiver in pairs)))
    assert density(renamed) == pytest.approx(density(graph), nan_ok=True)
    if len(graph):
        assert 0 < density(graph) <= 1
        assert mean_degree(graph) == pytest.approx(density(graph) * (len(graph) - 1))
        assert centralities(graph)["in"].sum() == pytest.approx(centralities(graph)["out"].sum())
