"""What models cost, from a file that people can correct."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from eduverse_mesa.errors import PolicyError, ScenarioError
from eduverse_mesa.scenarios.parsing import parse

_MILLION = 1_000_000
_PARTS = ("in", "cached", "out")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float
    tokens_cached: float | None = None
    """For prompt tokens that the server still had; None: as much as the others."""

    def cost(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """US dollars; `tokens_cached` of `tokens_in` were cached."""
        cached = self.tokens_in if self.tokens_cached is None else self.tokens_cached
        tokens_cached = min(tokens_cached, tokens_in)
        total = (tokens_in - tokens_cached) * self.tokens_in + tokens_cached * cached + tokens_out * self.tokens_out
        return total / _MILLION

    def times(self, share: float) -> Price:
        """So much of it."""
        cached = None if self.tokens_cached is None else share * self.tokens_cached
        return Price(share * self.tokens_in, share * self.tokens_out, cached)


class PriceList:
    """Prices by model; a name that ends in `*` stands for all models that begin so, the longest beginning counts."""

    def __init__(self, prices: dict[str, Price], as_of: str = "", batch: float = 1.0) -> None:
        self._exact = {name: price for name, price in prices.items() if not name.endswith("*")}
        prefixes = [(name[:-1], price) for name, price in prices.items() if name.endswith("*")]
        self._prefixes = sorted(prefixes, key=lambda pair: -len(pair[0]))
        self.as_of = as_of
        """When somebody last looked."""
        self.batch = batch
        """What a call in a batch costs of these prices."""

    def of(self, model: str) -> Price | None:
        """The price, also where a gateway puts the maker's name before the model's (`openai/...`)."""
        for name in (model, model.rsplit("/", 1)[-1]):
            if name in self._exact:
                return self._exact[name]
            for prefix, price in self._prefixes:
                if name.startswith(prefix):
                    return price
        return None

    def in_batches(self) -> PriceList:
        """The prices of calls that go out in batches."""
        made = PriceList({}, self.as_of)
        made._exact = {name: price.times(self.batch) for name, price in self._exact.items()}
        made._prefixes = [(name, price.times(self.batch)) for name, price in self._prefixes]
        return made

    @classmethod
    def packaged(cls) -> PriceList:
        """The list that comes with the package."""
        return cls.parse((files(__package__) / "prices.yaml").read_text("utf-8"), "prices.yaml")

    @classmethod
    def load(cls, path: Path | None = None) -> PriceList:
        """The packaged list, and over it that of a user."""
        base = cls.packaged()
        if path is None:
            return base
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            raise PolicyError("the price list cannot be read.", where=str(path), mend="Check the path.") from None
        own = cls.parse(text, str(path), base.batch)
        merged = cls({}, own.as_of or base.as_of, own.batch)
        merged._exact = base._exact | own._exact
        kept = [pair for pair in base._prefixes if pair[0] not in dict(own._prefixes)]
        merged._prefixes = sorted(own._prefixes + kept, key=lambda pair: -len(pair[0]))
        return merged

    @classmethod
    def parse(cls, text: str, where: str, batch: float = 1.0) -> PriceList:
        """Read a list: `as_of`, `batch` (left out: as given), and under `models` the prices `in`, `cached`, `out`."""
        try:
            document = parse(text, where).data
        except ScenarioError as error:
            raise PolicyError(error.message, where=error.where, mend=error.mend) from None
        if not isinstance(document, dict) or not isinstance(models := document.get("models"), dict):
            raise PolicyError("the price list names no `models`.", where=where, mend=_FORM)
        prices = {name: _price(name, entry, where) for name, entry in models.items()}
        share = document.get("batch", batch)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise PolicyError("`batch` is no share from 0 to 1.", where=where, mend="Write for example `batch: 0.5`.")
        return cls(prices, str(document.get("as_of", "")), share)


_FORM = "It must look like `models: {my-model: {in: 0.15, cached: 0.075, out: 0.60}}`: US dollars for a million tokens."


def _price(name: str, entry: Any, where: str) -> Price:
    if not isinstance(entry, dict) or not {"in", "out"} <= entry.keys() <= set(_PARTS):
        raise PolicyError(f"the price of {name} needs `in` and `out`, and may have `cached`.", where=where, mend=_FORM)
    for part, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise PolicyError(f"the price {part} of {name} is no amount.", where=where, mend=_FORM)
    return Price(entry["in"], entry["out"], entry.get("cached"))
