"""Sittings that nobody has ended: of a program that was killed while people sat in its lesson."""

from __future__ import annotations

from eduverse_mesa.store import Study

LEFT_OPEN = "the program that played the run has ended"


def end_left_open(study: Study, run: str) -> list[str]:
    """End what is open of a run that nobody plays: with its last complete step. Gives the agents."""
    last = max(study.digests(run), default=(1, 0))
    agents = [row.agent for row in study.sittings(run) if row.until is None]
    for agent in agents:
        study.stand_up(run, agent, last, LEFT_OPEN)
    return agents
