"""Where the paper's numbers cannot all be right, or do not say what its text says: found by computing, told in words.

Who compares with a table should know which of its cells no simulation could reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

from eduverse_mesa.experiments.papers.cells import cell
from eduverse_mesa.experiments.papers.designs import SESSIONS
from eduverse_mesa.experiments.papers.published import paper_values, reference
from eduverse_mesa.measures.evolution import STATE_COLUMNS

_ROUNDING = 0.0015


TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "irf_above_i": (
            "In {above} of the {lessons} simulated lessons the share of complete IRF cycles exceeds that of "
            "initiations ({rows}). With one initiation for both this cannot be; here the IRF rate takes an initiation "
            "of any kind (a question, a discussion, a named call, a student's question taken up)."
        ),
        "steps_unknown": ("The steps of {lessons} lessons are not published, nor any response rate of a real one."),
        "real_feedback": (
            "The feedback rate of the real lessons ({low:.3f} to {high:.3f}) is probably the share of steps with "
            "feedback, that of the simulated ones the share of students who get it in a step; they are no measure of "
            "one another."
        ),
        "no_whole": "In {groups} groups the shares do not make 1.",
        "least_interaction": (
            "That the {layout} has the least interaction rests on {least:.3f} against {other_least:.3f} in {other}: "
            "{gap:.3f}, from three lessons each."
        ),
        "density_wrong": "In {rows} rows density or degree do not follow from nodes and edges.",
        "density_of_few": (
            "Density is over the students who talked at all: {genre} in {layout} has the highest, {density:.3f}, with "
            "{edges} pairs, since only {nodes} students took part."
        ),
        "arrows_lost": "{genre} in {layout}: {left} arrows leave and {arrived} arrive.",
        "nodes_differ": "{genre} in {layout}: {size} students are listed, and Table 2 has {nodes}.",
        "arrows_and_pairs": "{genre} in {layout}: {left} arrows cannot be between {pairs} pairs.",
        "no_transitions": (
            "The table is called one of transitions. It gives {students} students 1.000 for emotion, who would have to "
            "rise at every step of a scale of three; so it must be the share of steps in a positive state, as computed "
            "here."
        ),
        "best_session": "The class's best session is number {best}; the gain is session 4 minus session 1.",
        "twice": (
            "Two of the lessons are in Table A9, too, in the same layout: {rows} (A9, then A13). They are {apart:.3f} "
            "apart on average, though the class is the same and the first session has nothing to remember: no model "
            "can meet both, and one lesson of the paper says little about the next."
        ),
        "gains_differ": "The gains printed are not quite those of Table A13: {rows}.",
    }
)
"""What is told, in English; with the places for what was found."""


class Note(NamedTuple):
    """Something about one of the paper's tables."""

    table: str
    id: str
    """Of the text, in TEXTS."""
    given: Mapping[str, str | int | float]
    cells: int = 0
    """How many of the table's cells it concerns; 0: how the whole table has to be read."""

    @property
    def text(self) -> str:
        """In English."""
        return TEXTS[self.id].format_map(self.given)


def notes() -> tuple[Note, ...]:
    """All of them."""
    return (*_irf(), *_bec(), *_networks(), *_centralities(), *_evolution(), *_regulate())


def _irf() -> Iterator[Note]:
    table = reference("irf")
    simulated = table[table["setting"] != "real"]
    above = simulated[simulated["irf"] > simulated["i"]]
    rows = ", ".join(f"{row.lesson} ({row.setting})" for row in above.itertuples())
    yield Note("irf", "irf_above_i", {"above": len(above), "lessons": len(simulated), "rows": rows}, len(above))
    unknown = int(simulated["steps"].isna().sum())
    if unknown:
        yield Note("irf", "steps_unknown", {"lessons": unknown})
    real = table[table["setting"] == "real"]["f"]
    yield Note("irf", "real_feedback", {"low": float(real.min()), "high": float(real.max())})


def _bec() -> Iterator[Note]:
    table = reference("bec")
    groups = {letter: [name for name in table.columns if name.startswith(f"{letter}_")] for letter in "bec"}
    off = sum(int(((table[names].sum(axis=1) - 1).abs() > 2 * _ROUNDING).sum()) for names in groups.values())
    if off:
        yield Note("bec", "no_whole", {"groups": off}, off)
    full = table[table["variant"] == "full"].groupby("layout")["b_interactive"].mean()
    (layout, least), (other, second), *_ = sorted(full.items(), key=lambda item: float(item[1]))
    given = {"layout": str(layout), "least": least, "other": str(other), "other_least": second, "gap": second - least}
    yield Note("bec", "least_interaction", given)


def _networks() -> Iterator[Note]:
    table = reference("networks")
    nodes, edges = table["nodes"], table["edges"]
    wrong = ((table["density"] - 2 * edges / (nodes * (nodes - 1))).abs() > _ROUNDING) | (
        (table["average_degree"] - 2 * edges / nodes).abs() > _ROUNDING
    )
    if wrong.any():
        yield Note("networks", "density_wrong", {"rows": int(wrong.sum())}, int(wrong.sum()))
    top = max(table.to_dict("records"), key=lambda row: row["density"])
    yield Note("networks", "density_of_few", {str(name): value for name, value in top.items()})


def _centralities() -> Iterator[Note]:
    """Arrows that leave are arrows that arrive; and pairs with an exchange have one arrow or two."""
    graphs = {(row["genre"], row["layout"]): row for row in reference("networks").to_dict("records")}
    listed = reference("centrality")
    for (genre, layout), graph in graphs.items():
        part = listed[(listed["genre"] == genre) & (listed["layout"] == layout)]
        size, pairs = len(part), int(graph["edges"])
        if not size:
            continue  # the history lesson's are not published
        arrived, left = (round(float(part[name].sum()) * (size - 1)) for name in ("in", "out"))
        given = {"genre": genre, "layout": layout, "size": size, "left": left, "arrived": arrived}
        given |= {"nodes": int(graph["nodes"]), "pairs": pairs}
        wrong = {
            "arrows_lost": arrived != left,
            "nodes_differ": graph["nodes"] != size,
            "arrows_and_pairs": not pairs <= left <= 2 * pairs,
        }
        for name, found in wrong.items():
            if found:
                yield Note("centralities", name, given, 4 * size)


def _evolution() -> Iterator[Note]:
    table = reference("evolution")
    yield Note("evolution", "no_transitions", {"students": int((table["e_pos"] == 1).sum())})
    best = table.groupby("session")["overall"].mean().idxmax()
    yield Note("evolution", "best_session", {"best": int(str(best))})
    found = repeats()
    apart = fmean(abs(row.alone - row.in_course) for row in found)
    rows = "; ".join(f"{row.lesson} {row.share} {row.alone:.3f}, {row.in_course:.3f}" for row in found)
    yield Note("sessions", "twice", {"rows": rows, "apart": apart}, len(found))


class Repeat(NamedTuple):
    """A share that the paper has twice: of a lesson by itself, and of the same lesson in a course."""

    lesson: str
    share: str
    alone: float
    in_course: float


def repeats() -> tuple[Repeat, ...]:
    """Sessions 1 and 3 are the lessons of Table A9 in the lecture layout."""
    states = {"b_pos": "b_interactive", "e_pos": "e_positive", "c_pos": "c_high"}
    lessons = {1: "lyrical_prose", 3: "argumentative_essay"}
    papers = paper_values()
    return tuple(
        Repeat(
            *(genre, share),
            papers[cell("lecture", genre, f"bec.{share}")],
            papers[cell("lecture", SESSIONS, f"evolution.{state}", session=session)],
        )
        for session, genre in lessons.items()
        for state, share in states.items()
    )


def _regulate() -> Iterator[Note]:
    # By session, in order.
    means = {name: reference("evolution").groupby("session")[name].mean().tolist() for name in STATE_COLUMNS}
    [printed] = [row for row in reference("regulate_ablation").to_dict("records") if row["variant"] == "full"]
    wrong = []
    for name, key in zip(STATE_COLUMNS, ("delta_b_pos", "delta_e_pos", "delta_c_pos", "delta_all"), strict=True):
        gain = means[name][-1] - means[name][0]
        if abs(gain - printed[key]) > _ROUNDING:
            wrong.append(f"{name} {printed[key]:.3f}, {gain:.3f}")
    if wrong:
        yield Note("regulate", "gains_differ", {"rows": ", ".join(wrong)}, len(wrong))
