"""The one way to write a scenario down: what a study keeps, and what its fingerprint is taken of."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from eduverse_mesa.scenarios.scenario import Scenario


def dump_scenario(scenario: Scenario) -> dict[str, Any]:
    """The whole scenario as plain data, which load_scenario reads again as the same scenario."""
    return scenario.model_dump(mode="json", by_alias=True)


def fingerprint(scenario: Scenario) -> str:
    """Sixteen hexadecimal digits that tell scenarios apart; the order of keys does not matter."""
    text = json.dumps(
        dump_scenario(scenario), sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return blake2b(text.encode("ascii"), digest_size=8).hexdigest()
