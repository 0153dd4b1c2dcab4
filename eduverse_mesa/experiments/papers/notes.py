"""Where the paper's numbers cannot all be right, or do not say what its text says: found by computing, told in words.

Who compares with a table should know which of its cells no simulation could reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

from eduverse_mesa.experiments.papers.cells import cell
from eduverse_mesa.experiments.papers.designs import SESSIONS
from eduverse_mesa.experiments.papers.published import paper_values, reference
from eduverse_mesa.measures.evolution import STATE_COLUMNS

_ROUNDING = 0.0015


class Note(NamedTuple):
    """Something about one of the paper's tables."""

    table: str
    text: str
    cells: int
    """How many of the table's cells it concerns; 0: how the whole table has to be read."""


def notes() -> tuple[Note, ...]:
    """All of them."""
    return (*_irf(), *_bec(), *_networks(), *_centralities(), *_evolution(), *_regulate())


def _irf() -> Iterator[Note]:
    table = reference("irf")
    simulated = table[table["setting"] != "real"]
    above = simulated[simulated["irf"] > simulated["i"]]
    rows = ", ".join(f"{row.lesson} {row.setting}" for row in above.itertuples())
    yield Note(
        "irf",
        f"In {len(above)} of the {len(simulated)} simulated lessons the share of complete IRF cycles exceeds that of "
        f"initiations ({rows}). With one initiation for both this cannot be; here the IRF rate takes an initiation of "
        "any kind (a question, a discussion, a named call, a student's question taken up).",
        len(above),
    )
    unknown = int(simulated["steps"].isna().sum())
    if unknown:
        yield Note("irf", f"The steps of {unknown} lessons are not published, nor any response rate of a real one.", 0)
    real = table[table["setting"] == "real"]["f"]
    yield Note(
        "irf",
        f"The feedback rate of the real lessons ({real.min():.3f} to {real.max():.3f}) is probably the share of steps "
        "with feedback, that of the simulated ones the share of students who get it in a step; they are no measure of "
        "one another.",
        0,
    )


def _bec() -> Iterator[Note]:
    table = reference("bec")
    groups = {letter: [name for name in table.columns if name.startswith(f"{letter}_")] for letter in "bec"}
    off = sum(int(((table[names].sum(axis=1) - 1).abs() > 0.003).sum()) for names in groups.values())
    if off:
        yield Note("bec", f"In {off} groups the shares do not make 1.", off)
    full = table[table["variant"] == "full"].groupby("layout")["b_interactive"].mean()
    least = sorted(full.items(), key=lambda item: float(item[1]))
    gap = float(least[1][1] - least[0][1])
    yield Note(
        "bec",
        f"That the {least[0][0]} has the least interaction rests on {least[0][1]:.3f} against {least[1][1]:.3f} in "
        f"{least[1][0]}: {gap:.3f}, from three lessons each.",
        0,
    )


def _networks() -> Iterator[Note]:
    table = reference("networks")
    nodes, edges = table["nodes"], table["edges"]
    wrong = ((table["density"] - 2 * edges / (nodes * (nodes - 1))).abs() > _ROUNDING) | (
        (table["average_degree"] - 2 * edges / nodes).abs() > _ROUNDING
    )
    if wrong.any():
        yield Note("networks", f"In {int(wrong.sum())} rows density or degree do not follow.", int(wrong.sum()))
    top = table.loc[table["density"].idxmax()]
    yield Note(
        "networks",
        f"Density is over the students who talked at all: {top['genre']} in {top['layout']} has the highest, "
        f"{top['density']:.3f}, with {top['edges']} pairs, since only {top['nodes']} students took part.",
        0,
    )


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
        wrong = []
        if arrived != left:
            wrong.append(f"{left} arrows leave and {arrived} arrive")
        if graph["nodes"] != size:
            wrong.append(f"{size} students are listed, and Table 2 has {graph['nodes']}")
        if not pairs <= left <= 2 * pairs:
            wrong.append(f"{left} arrows cannot be between {pairs} pairs")
        if wrong:
            yield Note("centralities", f"{genre} in {layout}: {'; '.join(wrong)}.", 4 * size)


def _evolution() -> Iterator[Note]:
    table = reference("evolution")
    steady = int((table["e_pos"] == 1).sum())
    yield Note(
        "evolution",
        f"The table is called one of transitions. It gives {steady} students 1.000 for emotion, who would have to rise "
        "at every step of a scale of three; so it must be the share of steps in a positive state, as computed here.",
        0,
    )
    best = table.groupby("session")["overall"].mean().idxmax()
    yield Note("evolution", f"The class's best session is number {best}; the gain is session 4 minus session 1.", 0)
    found = repeats()
    apart = fmean(abs(row.alone - row.in_course) for row in found)
    told = "; ".join(f"{row.lesson} {row.share} {row.alone:.3f} and {row.in_course:.3f}" for row in found)
    yield Note(
        "sessions",
        f"Two of the lessons are in Table A9, too, in the same layout: {told} (A9, then A13). They are {apart:.3f} "
        "apart on average, though the class is the same and the first session has nothing to remember: no model can "
        "meet both, and one lesson of the paper says little about the next.",
        len(found),
    )


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
            wrong.append(f"{name} {printed[key]:.3f} for {gain:.3f}")
    if wrong:
        told = ", ".join(wrong)
        yield Note("regulate", f"The gains printed are not quite those of Table A13: {told}.", len(wrong))
