"""Mathematics in what people and models write, drawn by the browser itself."""

from eduverse_mesa.visualization.mathematics.typesetting.finding import math, typeset

__all__ = ["math", "typeset"]
