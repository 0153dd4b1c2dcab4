"""What all charts share."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

WIDTH = 720
"""Fits a notebook cell; a report scales it down to what a phone can show."""


def nothing(message: str) -> Any:
    """A chart that says why it is empty."""
    return (
        alt.Chart(pd.DataFrame({"message": [message]}), width=WIDTH, height=60)
        .mark_text(size=14, color="#8A8A8A")
        .encode(text="message:N")
    )
