"""Whom children in trouble can go to, as it is named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.errors import EduverseError, StudyError

if TYPE_CHECKING:
    from eduverse_mesa.store import Study
    from eduverse_mesa.store.alerts import Adult

AdultName = Annotated[
    str | None,
    typer.Option(
        "--adult", metavar="NAME", help="Whom children in trouble are sent to, such as 'Ms Lee, our school nurse'."
    ),
]
AdultReach = Annotated[
    str | None, typer.Option("--adult-at", metavar="WHERE", help="Where or how that adult is found.")
]
HelpLine = Annotated[str | None, typer.Option("--help-line", metavar="NUMBER", help="A help line, if there is one.")]


def adult_of(name: str | None, reach: str | None, line: str | None) -> Adult | None:
    """Return the adult that was named; None where nothing was."""
    from eduverse_mesa.store.alerts import Adult, checked_adult

    if name is None and reach is None and line is None:
        return None
    try:
        return checked_adult(Adult(name or "", reach or "", line or ""))
    except StudyError as error:
        raise EduverseError(error.message, where="--adult, --adult-at, --help-line", mend=error.mend) from None


def remember(study: Study, adult: Adult | None) -> None:
    """Remember with a study the adult that was named for it, if one was."""
    from eduverse_mesa.store.alerts import name_adult

    if adult is not None:
        name_adult(study, adult)
