"""Problems that teachers have written."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, insert, select

from eduverse_mesa.store.accounts import draw_id
from eduverse_mesa.store.schema import own_problems
from eduverse_mesa.store.steps import now
from eduverse_mesa.store.study import Study


class ProblemRow(NamedTuple):
    """A problem as its teacher wrote it."""

    id: str
    name: str
    document: str
    made_by: str
    updated: str


_COLUMNS = tuple(own_problems.c[name] for name in ProblemRow._fields)


def save_problem(study: Study, name: str, document: str, made_by: str) -> ProblemRow:
    """Keep a problem; one of the same name by the same teacher is written over."""
    row = ProblemRow(draw_id(), name, document, made_by, now())
    same = (own_problems.c.name == name) & (own_problems.c.made_by == made_by)
    with study.transaction() as connection:
        connection.execute(delete(own_problems).where(same))
        connection.execute(insert(own_problems), row._asdict())
    return row


def all_problems(study: Study, made_by: str | None = None) -> list[ProblemRow]:
    """All of them, or a teacher's own, oldest first."""
    query = select(*_COLUMNS).order_by(own_problems.c.number)
    if made_by is not None:
        query = query.where(own_problems.c.made_by == made_by)
    with study.transaction() as connection:
        return [ProblemRow(*row) for row in connection.execute(query)]


def delete_problem(study: Study, wanted: str) -> None:
    """Take a problem out; sets that were given keep their copy of it."""
    with study.transaction() as connection:
        connection.execute(delete(own_problems).where(own_problems.c.id == wanted))
