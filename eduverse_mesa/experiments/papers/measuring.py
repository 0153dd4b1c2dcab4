"""What the paper's figures show and no measure of a lesson says: who talked with whom."""

from __future__ import annotations

from collections.abc import Iterator

from eduverse_mesa.experiments.measurers import Row
from eduverse_mesa.measures import peer_graph
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import tables

EXCHANGE = "exchange."


def exchanges(run: Run) -> Iterator[Row]:
    """Of each lesson the accepted exchanges, by who asked whom."""
    for played in run.lessons:
        graph = peer_graph(tables([played.model]).requests)
        for sender, receiver in graph.edges:
            times = float(graph.edges[sender, receiver]["weight"])
            yield Row(played.number, 0, sender, f"{EXCHANGE}{receiver}", times)
