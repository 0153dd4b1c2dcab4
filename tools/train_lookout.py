"""Learn what the look-out's evidence weighs from the lines in tools/lookout: see the README there.

`python -m tools.train_lookout` writes the weights; `python -m tools.train_lookout check` says how well they would do on
lines and on writers that they have not seen, and writes nothing.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import eduverse_mesa
from eduverse_mesa.hearing import lookout
from eduverse_mesa.hearing.evidence import Evidence, evidence_in
from eduverse_mesa.hearing.lexicon import load_lexicon

_SENTENCE = re.compile(r"^.{3,400}$")
_PATTERN = re.compile(r"\(\?|\\b|\[\^|\||\{\w+\}")

LINES = Path(__file__).with_name("lookout")
LESSONS = Path(__file__).with_name("hearing") / "train"
WEIGHTS = Path(lookout.__file__).with_name("harm") / "weights.tsv"

PENALTY = 0.015
LEAST_LINES = 2
"""The least number of lines in which a piece of evidence must stand: one line alone is no evidence."""
LEAST_WEIGHT = 0.05
FOLDS = 5
ROUNDS = 150
OWN = "own"
MARGIN = -0.75
"""How much more than even odds it takes: of those that `check` prints, the smallest with which, one writer left out in
turn, at most one innocent line in twenty that comes near is a hit. See the README in tools/lookout."""
ORDINARY, OTHERS, PROGRAM, TALK = 2.0, 2.0, 0.5, 1.0
"""How often a line counts: an ordinary one, since most messages are; one by other writers than the builder's; a
sentence of the program's own; one that is said in a lesson, of which there are many."""
LESSON = "lesson"
MARGINS = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""Beside the present margin, those that `check` prints."""
SENTENCES = 3
"""One in so many of the program's own sentences is learned from."""

Weights = dict[str, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A message with what it is."""

    text: str
    label: str
    kind: str
    lang: str
    writer: str


def read_lines(folder: Path = LINES) -> list[Line]:
    """All lines, by writer."""
    return [
        Line(**{name: one[name] for name in ("text", "label", "kind", "lang")}, writer=file.stem)
        for file in sorted(folder.glob("*.jsonl"))
        for one in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    ]


def program_lines() -> list[Line]:
    """Ordinary sentences that the program itself says or shows, from its own files; not its patterns."""
    package = Path(eduverse_mesa.__file__).parent
    files = (file for file in sorted(package.rglob("*.yaml")) if "hearing" not in file.parts)
    texts = {" ".join(text.split()) for file in files for text in _strings(yaml.safe_load(file.read_text("utf-8")))}
    return [
        Line(text, "ordinary", "program", "zh" if re.search("[\u4e00-\u9fff]", text) else "en", "program")
        for text in sorted(texts)
        if _SENTENCE.search(text) and not _PATTERN.search(text)
    ]


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _strings(one)
    elif isinstance(data, str):
        yield data


def lesson_lines(folder: Path = LESSONS) -> list[Line]:
    """What people say in lessons: ordinary lines, and a child in trouble here and there, as two people have it."""
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        for one in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            labels = [label["trouble"] for label in one["labels"].values()]
            if labels and (all(labels) or not any(labels)):
                label = "trouble" if labels[0] else "ordinary"
                found.append(Line(one["text"], label, LESSON, one["language"], file.stem))
    return found


def learnable() -> list[Line]:
    """The lines of all writers, what is said in lessons, and some of the program's own."""
    program = (line for line in program_lines() if zlib.crc32(line.text.encode()) % SENTENCES == 0)
    return [*read_lines(), *lesson_lines(), *program]


def evidence_of(lines: Sequence[Line]) -> list[Evidence]:
    """The evidence in each line."""
    lexicon = load_lexicon()
    return [evidence_in(next(lookout.pieces(lexicon.words(line.text)), []), lexicon) for line in lines]


def fit(lines: Sequence[Line], evidence: Sequence[Evidence]) -> Weights:
    """Weights by logistic regression with a ridge penalty."""
    counts = Counter(name for one in evidence for name in one)
    names = sorted(name for name, count in counts.items() if count >= LEAST_LINES)
    place = {name: at for at, name in enumerate(names)}
    table = _table(evidence, place)
    sign = np.where([line.label == "trouble" for line in lines], 1.0, -1.0)
    turned = table.T.tocsr()
    counts_as = np.array([_count(line) for line in lines])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The penalised loss, and how it changes with each weight; the last one is the bias."""
        margin = sign * (table @ weights[:-1] + weights[-1])
        pull = -counts_as * sign / (1.0 + np.exp(np.clip(margin, -30.0, 30.0)))
        slope = np.append(turned @ pull + PENALTY * weights[:-1], pull.sum())
        return float((counts_as * np.logaddexp(0.0, -margin)).sum() + PENALTY / 2 * weights[:-1] @ weights[:-1]), slope

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x
    kept = {
        name: round(float(weight), 2) for name, weight in zip(names, found, strict=False) if abs(weight) >= LEAST_WEIGHT
    }
    return {lookout.BIAS: round(float(found[-1]) - MARGIN, 2), **kept}


def _count(line: Line) -> float:
    if line.writer == "program":
        return PROGRAM
    if line.kind == LESSON and line.label == "ordinary":
        return TALK
    return (ORDINARY if line.label == "ordinary" else 1.0) * (1.0 if line.writer == OWN else OTHERS)


def _table(evidence: Sequence[Evidence], place: dict[str, int]) -> csr_matrix:
    """The evidence as rows, with a column for each name."""
    found = [
        (row, place[name], share) for row, one in enumerate(evidence) for name, share in one.items() if name in place
    ]
    rows, columns, shares = zip(*found, strict=False)
    return csr_matrix((shares, (rows, columns)), shape=(len(evidence), len(place)))


def write(weights: Weights, path: Path = WEIGHTS) -> None:
    """The weights, a line each."""
    path.write_text("".join(f"{name}\t{weight:g}\n" for name, weight in weights.items()), encoding="utf-8")


def unseen(lines: Sequence[Line], evidence: Sequence[Evidence], part: Callable[[int], Any]) -> np.ndarray:
    """The score of each line by weights that were learned without its part."""
    found = np.zeros(len(lines))
    for one in sorted({part(at) for at in range(len(lines))}):
        learned = [at for at in range(len(lines)) if part(at) != one]
        weights = fit([lines[at] for at in learned], [evidence[at] for at in learned])
        for at in range(len(lines)):
            if part(at) == one:
                found[at] = lookout.weighed(evidence[at], weights)
    return found


def report(lines: Sequence[Line], hits: Iterable[bool]) -> None:
    """Print the number of hits among the lines of each sort."""
    sorts: dict[tuple[str, str, str], list[bool]] = {}
    for line, hit in zip(lines, hits, strict=False):
        for kind in ("", line.kind) if line.label == "trouble" else ("",):
            sorts.setdefault((line.writer, line.lang, f"{line.label} {kind}"), []).append(hit)
    for (writer, lang, sort), found in sorted(sorts.items()):
        print(f"{writer:10} {lang:6} {sort:24} {sum(found):5} of {len(found):5}  {sum(found) / len(found):6.1%}")


def check() -> None:
    """Print what becomes of lines and writers that are left out of the learning."""
    lines = learnable()
    evidence = evidence_of(lines)
    sure = np.array([lookout.is_sure(line.text) for line in lines])
    sorts = {sort: np.array([line.label == sort for line in lines]) for sort in ("trouble", "near", "ordinary")}
    others = np.array([line.writer not in (OWN, "program") for line in lines])
    parts: dict[str, Callable[[int], Any]] = {
        "Lines left out": lambda at: zlib.crc32(lines[at].text.encode()) % FOLDS,
        "Writers left out": lambda at: lines[at].writer,
    }
    for title, part in parts.items():
        scores = unseen(lines, evidence, part)
        print(f"\n{title}: hits by writer, language and kind")
        report(lines, (scores > 0) | sure)
        print(f"\n{title}: hits among the lines of others than the builder, by the margin")
        for more in MARGINS:
            hits = (scores > more) | sure
            shares = (f"{sort} {hits[which & others].mean():.2%}" for sort, which in sorts.items())
            print(f"{MARGIN + more:5.2f}  {', '.join(shares)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check()
    elif not sys.argv[1:]:
        learned = learnable()
        write(fit(learned, evidence_of(learned)))
        print(f"{len(learned)} lines read; weights written to {WEIGHTS.name}")
    else:
        sys.exit(__doc__)
