"""What an edit that cannot be made says."""

from __future__ import annotations

from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError


class EditError(ScenarioError):
    """An edit that leaves the draft as it was; `code` and `values` let a page say it in another language."""

    def __init__(self, code: str, message: str, mend: str = "", **values: object) -> None:
        super().__init__(message, mend=mend)
        self.code = code
        self.values = values


class Step(NamedTuple):
    """What an edit did: a word for it and what it was about."""

    code: str
    values: dict[str, object]
