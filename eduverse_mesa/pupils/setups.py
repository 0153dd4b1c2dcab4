"""The kept setup of a set of problems: a collaboration, the mistakes with which peers begin in each problem, and its
end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eduverse_mesa.scenarios.groups import Collaboration, default_peers
from eduverse_mesa.scenarios.loader import kept_collaboration
from eduverse_mesa.store import AssignmentRow, Study
from eduverse_mesa.store.classwork import assignment_row, find_talks
from eduverse_mesa.visualization.words import LANGUAGES

_OURS = "set"
"""The key beside those of a collaboration. Sets that were given before there was one hold none."""
SOMEBODY = "–"
"""In the seat of whoever begins."""


class About(msgspec.Struct, frozen=True):
    """Properties of a set besides its collaboration."""

    mistakes: dict[str, str] = {}
    """Problem by problem: the misconception with which the peer begins; one that is missing is drawn."""
    ended: str = ""
    """Time since when nobody works on the set any more; empty while it is open."""


class _Kept(msgspec.Struct):
    set: About = About()


def about(row: AssignmentRow) -> About:
    """Return the properties of a set besides its collaboration."""
    return msgspec.json.decode(row.setup, type=_Kept).set


def document_of(row: AssignmentRow) -> dict[str, Any]:
    """The collaboration of a set, as plain data; with a seat, since one peer and nobody are no group."""
    document: dict[str, Any] = msgspec.json.decode(row.setup)
    document.pop(_OURS, None)
    document["seats"] = [SOMEBODY]
    return document


def write_setup(document: Mapping[str, Any], about: About) -> str:
    """Return the text in which a set is kept: its collaboration with the other properties."""
    return msgspec.json.encode({**document, _OURS: msgspec.to_builtins(about)}).decode()


def with_end(row: AssignmentRow, ended: str) -> str:
    """The same set, ended or, without a time, opened again."""
    return write_setup(document_of(row), About(about(row).mistakes, ended))


def one_problem(row: AssignmentRow, number: int) -> Collaboration:
    """The group that works on the n-th problem of a set.

    The mistake that is chosen for a problem is that of the first peer of limited skill, or of the first one.
    """
    document = document_of(row)
    problem = document["problems"][number - 1]
    document["problems"] = [problem]
    if is_usual(document["peers"]):
        usual = default_peers(problem["language"])
        mistakes = [peer.get("misconception") for peer in document["peers"]]
        document["peers"] = [
            one.model_dump(mode="json") | {"misconception": mistake}
            for one, mistake in zip(usual, mistakes, strict=True)
        ]
    known = {one["id"] for one in problem["misconceptions"]}
    for peer in document["peers"]:  # one that is meant for another problem of the set
        peer["misconception"] = peer.get("misconception") if peer.get("misconception") in known else None
    if mistake := about(row).mistakes.get(problem["name"]):
        limited = [peer for peer in document["peers"] if peer["skill"] == "limited"]
        (limited or document["peers"])[0]["misconception"] = mistake
    return kept_collaboration(document)


def is_usual(peers: list[dict[str, Any]]) -> bool:
    """Return True if these are the peers that nobody has chosen: their names then follow the problem's language."""
    given = [(one["name"], one["skill"], one.get("style", "")) for one in peers]
    return any(given == [(one.name, one.skill, one.style) for one in default_peers(code)] for code in LANGUAGES)


def has_ended(study: Study, run: str) -> bool:
    """Return True if the set of a dialogue has ended."""
    return any(about(assignment_row(study, talk.assignment)).ended for talk in find_talks(study, run=run))
