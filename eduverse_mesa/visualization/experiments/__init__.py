"""The paper's experiments as text, as a page, and as pictures; in the reader's language."""

from eduverse_mesa.visualization.experiments.figures import Figure, figures_of
from eduverse_mesa.visualization.experiments.grids import errors_grid, real_grid, statements_grid, table_grid
from eduverse_mesa.visualization.experiments.report import render_report
from eduverse_mesa.visualization.experiments.text import render_text

__all__ = [
    "Figure",
    "errors_grid",
    "figures_of",
    "real_grid",
    "render_report",
    "render_text",
    "statements_grid",
    "table_grid",
]
