"""From settings and environment to what a run asks."""

from __future__ import annotations

import pytest

from eduverse_mesa.policies.llm import settle_llm, settle_local
from eduverse_mesa.scenarios.scenario import Deadlines, LanguageModel


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:1", "[::1]:1", "models.example"])
def test_every_address_has_the_deadlines_of_the_guide(host: str) -> None:
    settled = settle_llm(LanguageModel(model="m", base_url=f"http://{host}/v1"), {})
    assert settled.deadlines == Deadlines(connect=10, read=60, attempt=120, total=300)


def test_the_model_in_this_process_has_longer_ones_unless_they_are_named() -> None:
    assert settle_local(LanguageModel()).deadlines.total > Deadlines().total
    own = Deadlines(total=7)
    assert settle_local(LanguageModel(deadlines=own)).deadlines == own
