"""Errors that a user can cause or meet, each with the place and the mend: every message is meant for a person."""

from __future__ import annotations


class EduverseError(Exception):
    """A mistake a user can cause and mend: what is wrong, where, and what to do about it."""

    exit_code = 2

    def __init__(self, message: str, *, where: str = "", mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.mend = mend

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        mend = f" {self.mend}" if self.mend else ""
        return f"{place}{self.message}{mend}"


class EngineGoneError(EduverseError):
    """The engine is gone, or cannot play any task: no task is to blame, and those that are not done stay undone."""

    exit_code = 1


class ScenarioError(EduverseError):
    """A scenario document, or something it names, is not valid."""


class FormulaError(EduverseError):
    """A quantity or a formula cannot be read or worked out. `code` and what is `given` with it name the cause: a page
    that speaks of its own fields, or in another language, says it in its own words."""

    def __init__(self, message: str, *, where: str = "", mend: str = "", code: str = "", **given: object) -> None:
        super().__init__(message, where=where, mend=mend)
        self.code = code
        self.given = given


class TableError(EduverseError):
    """A transcript or table cannot be read as what it claims to be."""


class StudyError(EduverseError):
    """A study cannot be opened, read or written."""

    exit_code = 3


class PolicyError(EduverseError):
    """A policy was asked for, or answered, in a way that cannot be used."""

    exit_code = 4


class NoModelError(PolicyError):
    """A language model is to answer, and nobody has said which."""


class BudgetError(PolicyError):
    """The budget, ours or the account's, does not allow for the next call: the step is not taken."""


class LessonError(EduverseError):
    """A lesson that is being played cannot go on, or not in the way it was told to."""


class SweepError(EduverseError):
    """A sweep's folder cannot be opened, read or written."""

    exit_code = 3
