"""The embedded ear: what an utterance meant, by classifiers over what can be seen of it.

The weights are numbers in the package, learned from lines that people have labelled (trainer.py, tools/hearing). There
are two sets of them: with sentence vectors, and with letters and words alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from eduverse_mesa.decisions.hearing import Candidate, Hear, Meant
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.hearing.corpus import MOVES
from eduverse_mesa.hearing.features import (
    SIDES,
    WIDTH,
    Evidence,
    amounts_in,
    choices_in,
    evidence_of,
    lie_of,
    sentences_in,
    shown_amounts,
)
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.hearing.network import TOLD, Network, load_network
from eduverse_mesa.hearing.vectors import Vectors, VectorsMissingError, load_vectors, why_missing
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS

Row = NDArray[np.float64]

VERSION = 2
"""Of the form of the weights."""
DECIMALS = 4
"""Digits of a score that count: more of them differ between processors."""
WITH_VECTORS, BY_LETTERS = "vectors", "letters"
NO_NETWORK = np.zeros(0, dtype=np.float32)
_BESIDE = [at for at, name in enumerate(TOLD) if name.startswith("claim ") or name == "nothing"]
"""What the network tells that no head asks."""
HEADS = len(SPEECH_ACTS) + len(MOVES) + len(MANNERS) + 1
"""Acts, moves, manners, and a reason; behind them stands what the network tells beside."""
_ALL = re.compile(
    r"\b(?:everyone|everybody|you all|you guys|guys|folks|all of you|class|anyone|anybody)\b|大家|同学们|你们"
)
_YOU = re.compile(r"\b(?:you|your|u|ur)\b|你|您")


class Weights(NamedTuple):
    """Everything that an ear has learned."""

    heads: tuple[str, ...]
    """The yes-or-no questions that are answered from the evidence: acts, moves, manners, a reason."""
    pieces: NDArray[np.float32]
    """Weights of letters and words: a row a head."""
    row: NDArray[np.float32]
    """Weights of the numbers of the evidence, for all speakers, for those who teach and for the others: a row a
    head."""
    bias: NDArray[np.float32]
    about: NDArray[np.float32]
    """Weights of how an utterance lies to a candidate, by the kind of matter."""
    nothing: NDArray[np.float32]
    """Weights of the scores of the heads for being about no candidate."""
    right: NDArray[np.float32]
    """Weights for what is claimed: nothing, what is right, what is wrong."""
    doubt: float
    """How much likelier right has to be than wrong, or wrong than right, as a difference of scores, to be heard."""
    sure: NDArray[np.float32]
    """Weights of the confidence."""
    limits: NDArray[np.float32]
    """For each head the score from which on it is a yes."""
    data: str
    """The lines that it was learned from, in a few words."""

    @property
    def uses_vectors(self) -> bool:
        """They were learned with sentence vectors."""
        return int(self.row.shape[1]) > 3 * WIDTH


class Ear:
    """Hears, by some weights."""

    def __init__(self, weights: Weights, network: Network | None, vectors: Vectors | None) -> None:
        self._weights = weights
        self._network = network
        self._vectors = vectors
        self._at = {name: place for place, name in enumerate(weights.heads)}
        self.name = f"{network.name if network is not None else BY_LETTERS}, {weights.data}"
        """Its vectors and its data, for whoever keeps what it heard."""

    def hear(self, decision: Hear) -> Meant:
        """Return the meaning of an utterance."""
        known = own_sentence(decision)
        if known is not None:
            return known
        lie = lie_of(decision, self._vectors)
        told = self._network.read(decision) if self._network is not None else NO_NETWORK
        evidence = evidence_of(decision, lie, told)
        scores = self._scores(evidence, decision)
        meant, chances = self.judged(decision, lie, scores)
        return msgspec.structs.replace(
            meant, trouble=tells_of_harm(decision.text), confidence=self._confidence(scores, chances)
        )

    def judged(self, decision: Hear, lie: NDArray[np.float32], scores: Row) -> tuple[Meant, Row]:
        """Return the meaning by the scores of the heads, and the chance of each candidate."""
        how, move = self._best("how", MANNERS, scores), self._best("move", MOVES, scores)
        at, chances = self._about(decision, lie, scores)
        found = decision.candidates[at] if at is not None else None
        claim = self._claim(decision, lie, at, scores)
        reason = bool(scores[self._at["reason"]] >= self._weights.limits[self._at["reason"]])
        meant = Meant(
            acts=self._acts(scores),
            move=move,
            about=found.id if found is not None else "",
            how=how,
            right={"right": True, "wrong": False}.get(claim),
            value=value_of(decision, found),
            reason=reason,
            reason_for=found.id if reason and found is not None else "",
            to=addressee_of(decision),
        )
        return meant, chances

    def _scores(self, evidence: Evidence, decision: Hear) -> Row:
        weights = self._weights
        found = (
            weights.bias
            + weights.pieces[:, evidence.places] @ evidence.weights
            + weights.row @ spread(evidence.row, teaches=decision.teaches)
        )
        return with_told(chance(np.asarray(found, dtype=np.float64)), evidence.told)

    def _acts(self, scores: Row) -> tuple[str, ...]:
        margins = {
            act: scores[self._at[f"act {act}"]] - self._weights.limits[self._at[f"act {act}"]] for act in SPEECH_ACTS
        }
        ranked = sorted(SPEECH_ACTS, key=lambda act: -margins[act])
        return tuple(act for act in ranked[:3] if margins[act] >= 0) or (ranked[0],)

    def _best(self, kind: str, codes: Sequence[str], scores: Row) -> str:
        return max(codes, key=lambda code: scores[self._at[f"{kind} {code}"]])

    def _about(self, decision: Hear, lie: NDArray[np.float32], scores: Row) -> tuple[int | None, Row]:
        """The place of the candidate that it is about, and the chance of each; the last is that it is none."""
        weights = self._weights
        pulls = pulls_of(lie, decision.candidates, scores) @ weights.about
        nothing = float(nothing_of(scores, lie) @ weights.nothing)
        every = np.append(pulls, nothing).astype(np.float64)
        shares = np.exp(every - every.max())
        chances = np.round(shares / shares.sum(), DECIMALS)
        at = int(chances.argmax())
        return (at if at < len(pulls) else None), chances

    def _claim(self, decision: Hear, lie: NDArray[np.float32], at: int | None, scores: Row) -> str:
        drive = np.asarray(self._weights.right @ claim_of(decision, lie, at, scores), dtype=np.float64)
        return claim_by(drive, float(self._weights.doubt))

    def _confidence(self, scores: Row, chances: Row) -> float:
        drive = float(certainty_of(scores, chances, self._at) @ self._weights.sure)
        return round(float(chance(np.array(drive))), 2)


def chance(drive: Row) -> Row:
    """A chance from a score, in as many digits as count."""
    found: Row = np.round(1.0 / (1.0 + np.exp(-np.clip(drive, -30, 30))), DECIMALS)
    return found


def with_told(scores: Row, told: NDArray[np.float32]) -> Row:
    """The scores of the heads, and behind them what the network tells beside."""
    return np.concatenate([scores, chance(told[_BESIDE].astype(np.float64))]) if len(told) else scores


def spread(row: NDArray[np.float32], *, teaches: bool) -> NDArray[np.float32]:
    """A row for everybody, and once more for those who teach or for the others."""
    none = np.zeros_like(row)
    return np.concatenate([row, row if teaches else none, none if teaches else row])


def pulls_of(lie: NDArray[np.float32], candidates: Sequence[Candidate], scores: Row) -> NDArray[np.float32]:
    """Features that speak for each candidate: how the utterance lies to it, alone, by kind of matter, by its acts."""
    if not candidates:
        return np.zeros((0, _PULLS), dtype=np.float32)
    kinds = {one.kind for one in candidates}
    problem, lesson = "quantity" in kinds, "idea" in kinds and len(candidates) > _UNIT
    blocks = [lie, lie * float(problem), lie * float(lesson)]
    nature = lie[:, _NATURE]
    blocks.extend(nature * float(scores[at]) for at in range(len(SPEECH_ACTS)))
    return np.concatenate(blocks, axis=1).astype(np.float32)


_UNIT = 6
"""A unit has fewer candidates, a lesson more."""
_NATURE = [
    SIDES.index(name)
    for name in (
        "on_table",
        "of_table",
        "table_is_of",
        "idea",
        "question",
        "quantity",
        "mistake",
        "letter",
        "wrong",
        "vector_wrong",
        "says",
    )
]
_PULLS = 3 * len(SIDES) + len(SPEECH_ACTS) * len(_NATURE)


def nothing_of(scores: Row, lie: NDArray[np.float32]) -> NDArray[np.float32]:
    """Features that speak for being about no candidate."""
    most = lie.max(axis=0) if len(lie) else np.zeros(len(SIDES))
    return np.concatenate([[1.0], scores[: len(SPEECH_ACTS)], scores[HEADS:], most]).astype(np.float32)


_CLAIM = [
    SIDES.index(name)
    for name in (
        "says",
        "wrong",
        "asks",
        "vector_says",
        "vector_wrong",
        "value",
        "amiss",
        "value_before",
        "amiss_before",
        "says_before",
        "wrong_before",
        "vector_says_before",
        "letter",
    )
]


def claim_of(decision: Hear, lie: NDArray[np.float32], at: int | None, scores: Row) -> NDArray[np.float32]:
    """Features that speak for a claim, and for its being right: how near the words come to what is rightly and wrongly
    said of the candidate, whether that is denied, and how somebody else's words are taken."""
    row = lie[at] if at is not None else np.zeros(len(SIDES))
    side = dict(zip(SIDES, row, strict=True))
    one = decision.candidates[at] if at is not None else Candidate("", "")
    nearer = side["says"] - side["wrong"], side["vector_says"] - side["vector_wrong"]
    counted = side["value"] - side["amiss"]
    before = side["value_before"] - side["amiss_before"], side["says_before"] - side["wrong_before"]
    figures = float(bool(amounts_in(decision.text)))
    wrong_kind = float(one.kind == "mistake" or not one.right)
    value_known = float(bool(one.values))
    other = figures * value_known * (1.0 - side["value"])
    acts = {act: float(scores[place]) for place, act in enumerate(SPEECH_ACTS)}
    hows = {how: float(scores[len(SPEECH_ACTS) + len(MOVES) + place]) for place, how in enumerate(MANNERS)}
    denied, stands = hows["denied"], hows["asserted"]
    yes, no = acts["praises"] + acts["agrees"], acts["corrects"] + acts["disagrees"]
    signals = [
        *nearer,
        counted,
        *before,
        other,
        wrong_kind,
        side["letter"] * (1.0 if one.right else -1.0),
        side["amiss"],
    ]
    crossed = [
        signal * weight for signal in signals for weight in (1.0, denied, stands, yes, no, float(decision.teaches))
    ]
    return np.array(
        [1.0, float(at is not None), figures, *acts.values(), *hows.values(), *scores[HEADS:], *row[_CLAIM], *crossed],
        dtype=np.float32,
    )


def claim_by(drive: Row, doubt: float) -> str:
    """Return one of CLAIMS by their scores. Between right and wrong nothing is said unless it is clear."""
    none, right, wrong = np.round(drive, DECIMALS)
    if none >= max(right, wrong) or abs(right - wrong) < doubt:
        return "none"
    return "right" if right > wrong else "wrong"


def certainty_of(scores: Row, chances: Row, at: Mapping[str, int]) -> NDArray[np.float32]:
    """Features that speak for having understood: how clear the acts, the manner and the candidate are."""
    acts = np.sort(scores[: len(SPEECH_ACTS)])[::-1]
    hows = np.sort(np.array([scores[at[f"how {how}"]] for how in MANNERS]))[::-1]
    about = np.sort(chances)[::-1]
    second = about[1] if len(about) > 1 else 0.0
    return np.array(
        [1.0, acts[0], acts[0] - acts[1], acts[0] * acts[0], hows[0], hows[0] - hows[1], about[0], about[0] - second,
         acts[0] * hows[0] * about[0], float(len(chances) > 1)], dtype=np.float32,
    )  # fmt: skip


# --- what rules see ---

CERTAIN = 0.95
"""The confidence in a sentence of the material's own: chosen, short of 1, since it may be said in jest."""
_OWN_KINDS = ("idea", "question")
_LEAST_OWN = 12
"""Letters of a sentence that is known again; a shorter one is said by chance. A Chinese sign counts as three."""
_LED_IN = re.compile(r"^[^:：]{1,24}[:：]\s*")
"""What leads in to a question: "Once more: ..."."""
_QUOTED = re.compile('["“”«»「」『』]')


def own_sentence(decision: Hear) -> Meant | None:
    """The meaning of a sentence that stands in the material itself; None for any other. It needs no guess. A statement
    after somebody's name, or between quotation marks, may be somebody else's."""
    text = decision.text.strip()
    own = _own_of(decision.candidates)
    led_in = [each for each in own.get(_bare(_LED_IN.sub("", text)), ()) if each[1] == "asks"]
    found = own.get(_bare(text)) or led_in
    if not found or _QUOTED.search(text):
        return None
    one, says = next((each for each in found if each[0].id == decision.on_table), found[0])
    asked = says == "asks" or text.endswith(("?", "？"))
    if asked:
        act = "hints" if decision.teaches and says != "asks" else "asks"
        move = "press-accuracy" if decision.teaches else "ask"
    else:
        act = "answers" if one.id == decision.on_table and not decision.teaches else "explains"
        move = "none" if decision.teaches else "claim"
    return Meant(
        acts=(act,),
        move=move,
        about=one.id,
        how="asked" if asked else "asserted",
        right=None if asked else says == "says",
        value=value_of(decision, one),
        to=addressee_of(decision),
        trouble=tells_of_harm(text),
        confidence=CERTAIN,
    )


@lru_cache(maxsize=64)
def _own_of(candidates: tuple[Candidate, ...]) -> Mapping[str, Sequence[tuple[Candidate, str]]]:
    """The sentences of the ideas and questions of some material: of whose texts each is one, and of which."""
    found: dict[str, list[tuple[Candidate, str]]] = {}
    for one in candidates:
        for says in ("asks", "says", "wrong") if one.kind in _OWN_KINDS else ():
            for text in getattr(one, says):
                for sentence in dict.fromkeys((_bare(text), *map(_bare, sentences_in(text)))):
                    if sum(3 if sign > "\u3400" else 1 for sign in sentence) >= _LEAST_OWN:
                        found.setdefault(sentence, []).append((one, says))
    return found


def _bare(text: str) -> str:
    """A text without signs, blanks and capitals in which two of the same sentence may differ."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def value_of(decision: Hear, found: Candidate | None) -> str:
    """The amount or the choice that is spoken of: of several, the one that is the candidate's or else the last."""
    if found is not None and found.kind == "choice":
        return found.id
    letters = choices_in(decision.text)
    shown = shown_amounts(decision.text)
    if not shown:
        return (
            next(iter(sorted(letters)), "")
            if letters and any(one.kind == "choice" for one in decision.candidates)
            else ""
        )
    wanted = [amounts_in(text) for text in (*found.values, *found.amiss)] if found is not None else []
    own = [text for amount, text in shown if any(amount in amounts for amounts in wanted)]
    return own[-1] if own else shown[-1][1]


def addressee_of(decision: Hear) -> str:
    """Return whoever is spoken to: somebody who is named, all, or whoever spoke before where it says "you"."""
    text = decision.text
    others = [
        name
        for name in dict.fromkeys([*decision.members, *(one.speaker for one in decision.before)])
        if name and name != decision.speaker
    ]
    small = text.lower()
    for name in others:
        place = small.find(name.lower())
        if place == 0 or (
            place > 0
            and (place + len(name) >= len(small.rstrip("?!.。！？ ")) or (small[place - 1] in ",，@ 、" and place < 8))
        ):
            return name
    if _ALL.search(small):
        return "all"
    last = decision.before[-1].speaker if decision.before else ""
    return last if last and last != decision.speaker and _YOU.search(small) else ""


# --- weights on disk ---

_FOLDER = files("eduverse_mesa.hearing") / "weights"


def write_weights(weights: Weights, file: Path) -> None:
    """Keep weights as numbers: no code is in the file."""
    scale = np.abs(weights.pieces).max(axis=1, keepdims=True) / 127 + 1e-12
    with file.open("wb") as out:  # numpy would put an end to the name
        _write(weights, scale, out)


def _write(weights: Weights, scale: NDArray[np.float32], out: BinaryIO) -> None:
    np.savez_compressed(
        out,
        version=np.array(VERSION),
        heads=np.array(weights.heads),
        pieces=np.round(weights.pieces / scale).astype(np.int8),
        scale=scale.astype(np.float32),
        row=weights.row.astype(np.float16),
        bias=weights.bias,
        about=weights.about,
        nothing=weights.nothing,
        right=weights.right,
        doubt=np.array(weights.doubt),
        sure=weights.sure,
        limits=weights.limits,
        data=np.array(weights.data),
    )


def read_weights(file: Path) -> Weights:
    """Weights from a file; EduverseError where it holds none that fit."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
            if int(kept["version"]) != VERSION:
                raise EduverseError("these weights are of another version.", where=str(file), mend="Train them again.")
            return Weights(
                heads=tuple(map(str, kept["heads"])),
                pieces=kept["pieces"].astype(np.float32) * kept["scale"],
                row=kept["row"].astype(np.float32),
                bias=kept["bias"],
                about=kept["about"],
                nothing=kept["nothing"],
                right=kept["right"],
                doubt=float(kept["doubt"]),
                sure=kept["sure"],
                limits=kept["limits"],
                data=str(kept["data"]),
            )
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise EduverseError(
            f"there are no weights of an ear in it: {error}.", where=str(file), mend="Give a file that training wrote."
        ) from None


@cache
def load_ear(*, by_letters: bool = False) -> Ear:
    """The ear of this machine: with sentence vectors where there are any, else by letters and words alone."""
    network, vectors = (None, None) if by_letters else _models()
    with as_file(_FOLDER / f"{BY_LETTERS if network is None else WITH_VECTORS}.npz") as file:
        return Ear(read_weights(file), network, vectors)


def _models() -> tuple[Network | None, Vectors | None]:
    try:
        return load_network(), load_vectors()
    except VectorsMissingError:
        return None, None


def _why_by_letters() -> str:
    """Why there is no network or no vectors here; empty where there are both."""
    try:
        load_network()
    except VectorsMissingError as reason:
        return str(reason)
    return why_missing()


def what_is_lost() -> str:
    """Say what hearing goes without on this machine; empty where nothing is lost."""
    reason = _why_by_letters()
    return f"Hearing goes by letters and words alone, and misses more: {reason}." if reason else ""
