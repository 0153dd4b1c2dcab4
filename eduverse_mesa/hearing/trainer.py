"""Training of the embedded ear: weights from lines that people have labelled.

Everything is convex and begins at nothing, so that the same lines give the same weights. What is tuned is tuned by
leaving out whole writers in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from eduverse_mesa.decisions.hearing import Hear, Meant
from eduverse_mesa.hearing.corpus import MOVES, Label, Line, decision_of
from eduverse_mesa.hearing.ear import (
    NO_NETWORK,
    Ear,
    Weights,
    certainty_of,
    chance,
    claim_of,
    nothing_of,
    pulls_of,
    spread,
    with_told,
)
from eduverse_mesa.hearing.features import BUCKETS, Evidence, evidence_of, lie_of
from eduverse_mesa.hearing.network import CLAIMS, Network
from eduverse_mesa.hearing.vectors import Vectors
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS

Row = NDArray[np.float64]

HEADS = (
    *(f"act {act}" for act in SPEECH_ACTS),
    *(f"move {move}" for move in MOVES),
    *(f"how {how}" for how in MANNERS),
    "reason",
)
PENALTY, ABOUT_PENALTY, CLAIM_PENALTY = 1.0, 1.0, 2.0
"""How strongly weights are held to nothing: chosen, not tuned."""
PIECES = 3.0
"""How much letters and words count beside the rest before any is weighed."""
ROUNDS = 120
"""Steps of each fit at most: chosen for time, so that a fit may end before its optimum."""
MOST_OPPOSED = 0.015
"""The share of all lines of which the opposite may be heard: right for wrong, or wrong for right."""
_ALSO = 0.2
"""How much of a label goes to what an equally careful listener might have written."""


class Taken(NamedTuple):
    """A line as it is learned from: what can be seen of it, and what two people say it means."""

    decision: Hear
    evidence: Evidence
    lie: NDArray[np.float32]
    labels: tuple[Label, ...]


def take(
    lines: Iterable[Line],
    network: Network | None,
    vectors: Vectors | None,
    unseen: Mapping[str, NDArray[np.float32]] | None = None,
) -> list[Taken]:
    """The labelled lines with all that can be seen of them. `unseen` has, by the ids of lines that the network was
    tuned on, what networks told that were tuned without them."""
    taken = []
    for line in lines:
        if line.labels:
            decision = decision_of(line)
            lie = lie_of(decision, vectors)
            told = NO_NETWORK
            if network is not None:
                known = (unseen or {}).get(line.id)
                told = known if known is not None else network.read(decision)
            taken.append(Taken(decision, evidence_of(decision, lie, told), lie, tuple(line.labels.values())))
    return taken


def is_yes(head: str, label: Label) -> bool:
    """Return True if a label answers a head's question with yes."""
    kind, _, code = head.partition(" ")
    if kind == "act":
        return code in label.acts
    if kind == "move":
        return label.move == code
    if kind == "how":
        return label.how == code
    return label.reason


def train(taken: Sequence[Taken], data: str, folds: Sequence[Sequence[int]]) -> Weights:
    """Weights from lines. `folds` are the places of each writer's lines: what builds on the heads is learned from how
    they answer for a writer whom they have not seen."""
    seen = _seen(taken)
    yes = np.array([[np.mean([is_yes(head, label) for label in one.labels]) for one in taken] for head in HEADS])
    drives = np.zeros((len(taken), len(HEADS)))
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(taken)), fold)
        drives[fold] = seen.of(np.asarray(fold)).drives(_heads(seen.of(rest), yes[:, rest]))
    scores = np.array([with_told(row, one.evidence.told) for row, one in zip(chance(drives), taken, strict=True)])
    heads = _heads(seen, yes)
    limits = _limits(scores, yes)
    about, nothing = _about(taken, scores)
    right, doubt = _claims(taken, scores, folds)
    weights = Weights(
        heads=HEADS,
        pieces=(heads[:, 1 : 1 + BUCKETS] * PIECES).astype(np.float32),
        row=heads[:, 1 + BUCKETS :].astype(np.float32),
        bias=heads[:, 0].astype(np.float32),
        about=about.astype(np.float32),
        nothing=nothing.astype(np.float32),
        right=right.astype(np.float32),
        doubt=doubt,
        sure=np.zeros(10, dtype=np.float32),
        limits=limits.astype(np.float32),
        data=data,
    )
    return weights._replace(sure=_sure(taken, scores, weights).astype(np.float32))


# --- heads ---


class _Seen(NamedTuple):
    """The evidence of all lines: pieces of words, and rows of numbers."""

    pieces: csr_matrix
    rows: Row

    def of(self, places: NDArray[np.int64]) -> _Seen:
        """The evidence of some of the lines."""
        return _Seen(self.pieces[places], self.rows[places])

    def drives(self, heads: Row) -> Row:
        """The score of each line by the weights of each head."""
        weights = heads[:, 1:].T
        found: Row = self.pieces @ weights[:BUCKETS] + self.rows @ weights[BUCKETS:] + heads[:, 0]
        return found


def _seen(taken: Sequence[Taken]) -> _Seen:
    lengths = [len(one.evidence.places) for one in taken]
    pieces = csr_matrix(
        (
            np.concatenate([one.evidence.weights for one in taken]).astype(np.float64) * PIECES,
            np.concatenate([one.evidence.places for one in taken]),
            np.concatenate([[0], np.cumsum(lengths)]),
        ),
        shape=(len(taken), BUCKETS),
    )
    rows = np.array([spread(one.evidence.row, teaches=one.decision.teaches) for one in taken], dtype=np.float64)
    return _Seen(pieces, rows)


def _heads(seen: _Seen, yes: Row) -> Row:
    """Weights of all heads, each with its own first; rare answers count as much as usual ones."""
    share = np.clip(yes.mean(axis=1, keepdims=True), 1e-6, 1 - 1e-6)
    counts = (yes / share * 0.5 + (1 - yes) / (1 - share) * 0.5).T
    truth, turned = yes.T, seen.pieces.T.tocsr()
    shape = (len(yes), 1 + BUCKETS + seen.rows.shape[1])

    def cost(flat: Row) -> tuple[float, Row]:
        heads = flat.reshape(shape)
        drive = seen.drives(heads)
        gap = counts * (1.0 / (1.0 + np.exp(-drive)) - truth)
        slope = np.concatenate([gap.sum(axis=0)[None], turned @ gap, seen.rows.T @ gap]).T
        slope[:, 1:] += PENALTY * heads[:, 1:]
        loss = np.sum(counts * (np.logaddexp(0.0, drive) - truth * drive)) + PENALTY / 2 * np.sum(heads[:, 1:] ** 2)
        return float(loss), slope.ravel()

    found = minimize(cost, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x
    return np.asarray(found.reshape(shape))


def _limits(scores: Row, yes: Row) -> Row:
    """For each head the score from which on a yes does best (F1) for writers it has not seen."""
    tried = np.round(np.arange(0.2, 0.9, 0.02), 2)
    found = []
    for at in range(len(HEADS)):
        truth = yes[at] >= 0.5
        found.append(tried[int(np.argmax([f1(truth, scores[:, at] >= limit) for limit in tried]))])
    return np.array(found)


def f1(truth: NDArray[np.bool_], said: NDArray[np.bool_]) -> float:
    """The harmonic mean of precision and recall."""
    both = float(np.sum(truth & said))
    return 2 * both / float(np.sum(truth) + np.sum(said)) if both else 0.0


# --- what it is about ---


def _about(taken: Sequence[Taken], scores: Row) -> tuple[Row, Row]:
    """Weights of a choice among the candidates and none of them."""
    sides = [pulls_of(one.lie, one.decision.candidates, scores[at]) for at, one in enumerate(taken)]
    none = [nothing_of(scores[at], one.lie) for at, one in enumerate(taken)]
    wanted = [_wanted(one) for one in taken]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in sides])])
    every, nothing = np.concatenate(sides).astype(np.float64), np.array(none, dtype=np.float64)
    width = every.shape[1]

    def cost(weights: Row) -> tuple[float, Row]:
        pulls, empty = every @ weights[:width], nothing @ weights[width:]
        total, slope_pulls, slope_empty = 0.0, np.zeros_like(pulls), np.zeros_like(empty)
        for at, want in enumerate(wanted):
            own = np.append(pulls[starts[at] : starts[at + 1]], empty[at])
            top = own.max()
            shares = np.exp(own - top)
            whole = shares.sum()
            total += np.log(whole) + top - float(want @ own)
            gap = shares / whole - want
            slope_pulls[starts[at] : starts[at + 1]], slope_empty[at] = gap[:-1], gap[-1]
        slope = np.concatenate([every.T @ slope_pulls, nothing.T @ slope_empty]) + ABOUT_PENALTY * weights
        return float(total + ABOUT_PENALTY / 2 * np.sum(weights**2)), slope

    found = minimize(
        cost, np.zeros(width + nothing.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}
    ).x
    return found[:width], found[width:]


def _wanted(one: Taken) -> Row:
    """The share of the labels that each candidate has, and none of them; what somebody also might have written has a
    little."""
    ids = {candidate.id: at for at, candidate in enumerate(one.decision.candidates)}
    found: Row = np.zeros(len(ids) + 1)
    for label in one.labels:
        others = [ids[other] for other in label.also if other in ids]
        found[ids.get(label.about or "", len(ids))] += 1.0 - _ALSO * bool(others)
        for other in others:
            found[other] += _ALSO / len(others)
    return np.asarray(found / found.sum())


# --- what is claimed ---


def claim_in(label: Label) -> str:
    """Nothing, what is right, or what is wrong."""
    return "none" if label.right is None else "right" if label.right else "wrong"


def _claims(taken: Sequence[Taken], scores: Row, folds: Sequence[Sequence[int]]) -> tuple[Row, float]:
    """Weights for what is claimed, and how clear right and wrong must be: so clear that for writers who are left out
    hardly ever the opposite is heard."""
    rows, wanted, lines = [], [], []
    for at, one in enumerate(taken):
        ids = [candidate.id for candidate in one.decision.candidates]
        for label in one.labels:
            place = ids.index(label.about) if label.about in ids else None
            rows.append(claim_of(one.decision, one.lie, place, scores[at]))
            wanted.append(CLAIMS.index(claim_in(label)))
            lines.append(at)
    matrix, truth, of_line = np.array(rows, dtype=np.float64), np.array(wanted), np.array(lines)
    drives = np.zeros((len(truth), len(CLAIMS)))
    for fold in folds:
        held = np.isin(of_line, fold)
        drives[held] = matrix[held] @ _claim_weights(matrix[~held], truth[~held]).T
    gap = drives[:, 1] - drives[:, 2]
    claimed = np.maximum(drives[:, 1], drives[:, 2]) > drives[:, 0]
    opposed = claimed & (truth > 0) & ((gap > 0) != (truth == 1))
    doubt = next(
        (limit for limit in np.arange(0.0, 5.0, 0.1) if np.mean(opposed & (np.abs(gap) >= limit)) <= MOST_OPPOSED), 5.0
    )
    return _claim_weights(matrix, truth), round(float(doubt), 2)


def _claim_weights(matrix: Row, wanted: NDArray[np.int64]) -> Row:
    truth = np.eye(len(CLAIMS))[wanted]
    shares = truth.mean(axis=0)
    counts: Row = truth @ (shares.clip(1e-6) ** -0.5)
    counts /= counts.mean()

    def cost(flat: Row) -> tuple[float, Row]:
        weights = flat.reshape(len(CLAIMS), -1)
        drive = matrix @ weights.T
        top = drive.max(axis=1, keepdims=True)
        shares = np.exp(drive - top)
        whole = shares.sum(axis=1, keepdims=True)
        total = np.sum(counts * (np.log(whole[:, 0]) + top[:, 0] - np.sum(truth * drive, axis=1)))
        slope = (counts[:, None] * (shares / whole - truth)).T @ matrix + CLAIM_PENALTY * weights
        return float(total + CLAIM_PENALTY / 2 * np.sum(flat**2)), slope.ravel()

    begin = np.zeros(len(CLAIMS) * matrix.shape[1])
    found = minimize(cost, begin, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x
    return np.asarray(found.reshape(len(CLAIMS), -1))


# --- confidence ---


def is_understood(meant: Meant, labels: Sequence[Label], *, named: bool) -> bool:
    """Return True if one of the labels agrees in what is done, in what way, and about what."""
    return any(
        meant.acts[0] in label.acts
        and meant.how == label.how
        and (not named or (meant.about or None) in (label.about, *label.also))
        for label in labels
    )


def _sure(taken: Sequence[Taken], scores: Row, weights: Weights) -> Row:
    ear = Ear(weights, None, None)
    at = {name: place for place, name in enumerate(HEADS)}
    rows, right = [], []
    for place, one in enumerate(taken):
        meant, chances = ear.judged(one.decision, one.lie, scores[place])
        rows.append(certainty_of(scores[place], chances, at))
        right.append(is_understood(meant, one.labels, named=bool(one.decision.candidates)))
    matrix, truth = np.array(rows, dtype=np.float64), np.array(right, dtype=np.float64)

    def cost(own: Row) -> tuple[float, Row]:
        drive = matrix @ own
        gap = 1.0 / (1.0 + np.exp(-drive)) - truth
        return float(np.sum(np.logaddexp(0.0, drive) - truth * drive) + own @ own / 2), matrix.T @ gap + own

    return np.asarray(minimize(cost, np.zeros(matrix.shape[1]), jac=True, method="L-BFGS-B").x)


FOLDS = 4
"""Groups of writers that are left out in turn."""


def folds_of(writers: Sequence[str]) -> list[list[int]]:
    """The places of the lines of each group of writers: no writer stands in two."""
    names = sorted(set(writers))
    groups = [set(names[at::FOLDS]) for at in range(min(FOLDS, len(names)))]
    return [[at for at, one in enumerate(writers) if one in group] for group in groups]


def digest_of(lines: Sequence[Line]) -> str:
    """A fingerprint of lines and labels."""
    written = "\n".join(line.model_dump_json() for line in lines)
    return blake2b(written.encode(), digest_size=4).hexdigest()
