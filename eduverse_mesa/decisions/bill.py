"""The bill of a run: what model servers told that it took of them, and what nobody told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import msgspec

from eduverse_mesa.decisions.seam import Usage


class Bill(msgspec.Struct):
    """Every request of a run: retries, probes, the greeting, and what came to nothing."""

    requests: int = 0
    """Requests that were sent and have ended."""
    failed: int = 0
    """Of those, the ones that brought no answer."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    """Of `tokens_in`, those that the server did not have to read again. All three as servers told them."""
    usd: float = 0.0
    """The price of what was told."""
    unpriced: int = 0
    """Requests whose tokens were told, and whose model has no price here."""
    untold: int = 0
    """Requests that may be charged, and of which nobody told what they took."""
    lost: int = 0
    """Of those, the ones that were on their way when their program ended. One that is waited for again, in its batch,
    is on its way again."""
    most_tokens: int = 0
    """An estimate: what the untold requests took at most. A budget counts it as spent."""
    most_usd: float = 0.0
    out: int = 0
    """Requests that are on their way, and what they take at most."""
    out_tokens: int = 0
    out_usd: float = 0.0
    names: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """By the model that was asked, the names under which servers said that it answered, the first one first."""

    @property
    def tokens(self) -> int:
        """Tokens read and written, as servers told them."""
        return self.tokens_in + self.tokens_out

    @property
    def cost(self) -> float | None:
        """US dollars for what was told; None where no price is known."""
        return None if self.unpriced and not self.usd else self.usd

    @property
    def renamed(self) -> dict[str, list[str]]:
        """The models that have answered under more than one name."""
        return {asked: names for asked, names in self.names.items() if len(names) > 1}

    def __str__(self) -> str:
        if not self.requests and not self.out:
            return "nothing was asked"
        failed = f" ({self.failed} failed)" if self.failed else ""
        parts = [f"{self.requests:,} requests{failed}, {self.tokens_in:,} tokens read, {self.tokens_out:,} written"]
        if self.unpriced:
            of = "" if self.cost is None else f" of {self.unpriced:,} requests"
            parts.append(f"price{of} unknown (set the model's price in a file that EDUVERSE_PRICES names)")
        if self.tokens and self.cost is not None:
            parts.append(f"{self.cost:.4f} US dollars")
        if self.untold:
            parts.append(f"{self.untold:,} requests of unknown cost, at most {self.most_tokens:,} tokens")
        if self.out:
            parts.append(f"{self.out:,} on their way")
        return "; ".join(parts)

    def add(self, other: Bill) -> None:
        """Add another bill to this one."""
        for name in _NUMBERS:
            if more := getattr(other, name):  # of a call's many numbers most are none
                setattr(self, name, getattr(self, name) + more)
        for asked, names in other.names.items():
            for name in names:
                self.note_name(asked, name)

    def take_lost(self, tokens: int, usd: float) -> None:
        """Take a lost request out of it, whose answer is waited for again, with what it was counted as at most."""
        self.requests, self.untold, self.lost = self.requests - 1, self.untold - 1, self.lost - 1
        self.most_tokens = max(0, self.most_tokens - tokens) if self.untold else 0
        self.most_usd = max(0.0, self.most_usd - usd) if self.untold else 0.0

    def note_name(self, asked: str, name: str) -> None:
        """Note under which name a server answered for a model."""
        if name and name not in self.names.setdefault(asked, []):
            self.names[asked].append(name)

    def closed(self) -> Bill:
        """The bill after its program has ended: what was on its way then is told by nobody."""
        ended = Bill(self.out, untold=self.out, lost=self.out, most_tokens=self.out_tokens, most_usd=self.out_usd)
        ended.add(self)
        ended.out, ended.out_tokens, ended.out_usd = 0, 0, 0.0
        return ended

    @classmethod
    def read(cls, text: str) -> Self:
        """The bill that a study keeps; an empty one where nothing was asked."""
        return msgspec.json.decode(text, type=cls) if text else cls()

    def write(self) -> str:
        """The bill as a study keeps it."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def of(cls, usages: Iterable[Usage]) -> Bill:
        """Return the bill that the answers themselves tell: for runs that no ledger was kept of."""
        made = cls()
        for usage in usages:
            told = usage.tokens_in is not None and usage.tokens_out is not None
            made.add(
                cls(
                    requests=usage.calls,
                    tokens_in=usage.tokens_in or 0,
                    tokens_out=usage.tokens_out or 0,
                    tokens_cached=usage.tokens_cached or 0,
                    usd=usage.cost or 0.0,
                    unpriced=usage.calls if told and usage.cost is None else 0,
                    untold=0 if told else usage.calls,
                )
            )
        return made


_NUMBERS = tuple(name for name in Bill.__struct_fields__ if name != "names")
