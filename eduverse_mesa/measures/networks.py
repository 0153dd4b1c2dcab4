"""The peer graph of a lesson: who had an accepted exchange with whom (EduVerse Tables 2, 3, 6 and A11)."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pandas as pd

from eduverse_mesa.measures.tables import NAN, parts, require_codes, require_columns, texts

ACCEPTED = "accepted"
STATUSES = frozenset({ACCEPTED, "rejected", "pending"})
# Requests may go to those as well; an exchange with them is none between two peers.
NOT_PEERS = frozenset({"", "teacher", "class", "group"})
NETWORK_COLUMNS = ("nodes", "edges", "density", "average_degree")
CENTRALITY_COLUMNS = ("student", "in", "out", "degree", "betweenness")


def peer_graph(requests: pd.DataFrame) -> nx.DiGraph[str]:
    """Accepted exchanges as arrows from the one who asked; `weight` counts them. Who had none is no node, as in the
    paper."""
    require_columns(requests, ["sender", "receiver", "status"], name="requests")
    require_codes(requests["status"], STATUSES, name="requests")
    graph: nx.DiGraph[str] = nx.DiGraph()
    columns = (texts(requests, column) for column in ("sender", "receiver", "status"))
    for sender, receiver, status in zip(*columns, strict=True):
        if status != ACCEPTED or sender == receiver or sender in NOT_PEERS or receiver in NOT_PEERS:
            continue
        weight = graph.edges[sender, receiver]["weight"] if graph.has_edge(sender, receiver) else 0
        graph.add_edge(sender, receiver, weight=weight + 1)
    return graph


def edge_count(graph: nx.DiGraph[str]) -> int:
    """Pairs of students with an exchange, whichever of them asked."""
    return len({frozenset(edge) for edge in graph.edges})


def density(graph: nx.DiGraph[str]) -> float:
    """Undirected: 2E / N(N-1) over students with at least one exchange (EduVerse 4.2); NaN without any exchange."""
    nodes = len(graph)
    return 2 * edge_count(graph) / (nodes * (nodes - 1)) if nodes else NAN


def mean_degree(graph: nx.DiGraph[str]) -> float:
    """Undirected: 2E / N over students with at least one exchange (EduVerse 4.2); NaN without any exchange."""
    return 2 * edge_count(graph) / len(graph) if len(graph) else NAN


def centralities(graph: nx.DiGraph[str]) -> pd.DataFrame:
    """A row a student: in, out and total degree over n-1, and betweenness, directed, by networkx's defaults (Table
    A11)."""
    received = nx.in_degree_centrality(graph)
    sent = nx.out_degree_centrality(graph)
    total = nx.degree_centrality(graph)
    between = nx.betweenness_centrality(graph)
    rows = [
        {
            "student": student,
            "in": received[student],
            "out": sent[student],
            "degree": total[student],
            "betweenness": between[student],
        }
        for student in graph
    ]
    return pd.DataFrame(rows, columns=list(CENTRALITY_COLUMNS))


def network_measures(graph: nx.DiGraph[str]) -> dict[str, float]:
    """The four numbers of the paper's Table 2, of one graph."""
    return {
        "nodes": len(graph),
        "edges": edge_count(graph),
        "density": density(graph),
        "average_degree": mean_degree(graph),
    }


def networks(requests: pd.DataFrame) -> pd.DataFrame:
    """A row a lesson that has any request: lesson, nodes, edges, density, average_degree."""
    require_columns(requests, ["lesson"], name="requests")
    rows: list[dict[str, Any]] = [
        {"lesson": lesson} | network_measures(peer_graph(part)) for (lesson,), part in parts(requests, ["lesson"])
    ]
    return pd.DataFrame(rows, columns=["lesson", *NETWORK_COLUMNS])
