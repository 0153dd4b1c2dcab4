"""Students and teachers who log in."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.naming import alike, can_be_seen, is_of_one_script, tidy
from eduverse_mesa.store.passwords import hash_password
from eduverse_mesa.store.refusals import forgive_name
from eduverse_mesa.store.rows import AccountRow, Role
from eduverse_mesa.store.schema import accounts, logins
from eduverse_mesa.store.steps import now
from eduverse_mesa.store.study import Study
from eduverse_mesa.store.troubles import NotAllowedError

LONGEST_NAME = 40
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are taken for others."""
_OTHER_NAME = "Give another name, or take it out."
_COLUMNS = tuple(accounts.c[name] for name in AccountRow._fields)


class NameAmissError(StudyError):
    """A name that cannot be. `code` says why: a page tells it in its reader's language."""

    def __init__(
        self, message: str, *, where: str = "", mend: str = "", code: Literal["unseen", "mixed", "taken", "title"]
    ) -> None:
        super().__init__(message, where=where, mend=mend)
        self.code = code


def draw_id() -> str:
    """An id that nobody guesses."""
    return secrets.token_urlsafe(12)


def draw_password() -> str:
    """A password that a child can type, and nobody guesses: 59 bits."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def checked_name(name: str, where: str) -> str:
    """A name as it is kept: one line, no longer than it can be shown."""
    kept = tidy(name)
    if not _can_be_shown(kept):
        raise NameAmissError(
            f"a name has 1 to {LONGEST_NAME} characters that can be seen.",
            where=where,
            mend="A pseudonym will do.",
            code="unseen",
        )
    return kept


def checked_title(title: str, where: str) -> str:
    """A title as it is kept, as long as a name at most."""
    kept = tidy(title)
    if not _can_be_shown(kept):
        raise NameAmissError(
            f"a title has 1 to {LONGEST_NAME} characters that can be seen.",
            where=where,
            mend="Shorten it.",
            code="title",
        )
    return kept


def _can_be_shown(text: str) -> bool:
    return 0 < len(text) <= LONGEST_NAME and can_be_seen(text)


def _login_name(name: str, where: str) -> str:
    """A name with which one logs in: one that is taken for no other."""
    kept = checked_name(name, where)
    if not is_of_one_script(kept):
        raise NameAmissError(
            f"the name '{kept}' mixes the letters of several alphabets, of which some look the same.",
            where=where,
            mend="Write it in one alphabet.",
            code="mixed",
        )
    return kept


def names_amiss(study: Study, names: Sequence[str], where: str) -> Iterator[NameAmissError]:
    """Why some of these names, a line each, cannot become accounts; `where` names the file they are from."""
    there = {alike(row.name): row.name for row in all_accounts(study)}
    lines: dict[str, int] = {}
    for line, name in enumerate(names, start=1):
        place = f"{where}, line {line}"
        if not name.strip():
            continue
        try:
            kept = _login_name(name, place)
        except NameAmissError as error:
            yield error
            continue
        if alike(kept) in there:
            yield _taken(there[alike(kept)], place)
        elif lines.setdefault(alike(kept), line) != line:
            message = f"'{kept}': line {lines[alike(kept)]} has this name already."
            yield NameAmissError(message, where=place, mend=_OTHER_NAME, code="taken")


def add_account(
    study: Study, name: str, role: Role, password: str, *, made_by: str | None = None, language: str = "en"
) -> AccountRow:
    """Enter somebody who may log in."""
    row = AccountRow(draw_id(), _login_name(name, study.path), role, language, made_by, now())
    kept = hash_password(password)
    try:
        with study.transaction() as connection:
            for name in connection.execute(select(accounts.c.name)).scalars():
                if alike(name) == alike(row.name):
                    raise _taken(name, study.path)
            connection.execute(insert(accounts), {**row._asdict(), "password": kept})
    except NotAllowedError:
        raise _taken(row.name, study.path) from None
    return row


def _taken(name: str, where: str) -> NameAmissError:
    message = f"there is an account '{name}' already."
    return NameAmissError(message, where=where, mend=_OTHER_NAME, code="taken")


def all_accounts(study: Study, role: Role | None = None) -> list[AccountRow]:
    """All of them, or those of a role, in the order in which they were made."""
    query = select(*_COLUMNS).order_by(accounts.c.number)
    if role is not None:
        query = query.where(accounts.c.role == role)
    with study.transaction() as connection:
        return [AccountRow(*row) for row in connection.execute(query)]


def students_of(study: Study, teacher: str) -> list[AccountRow]:
    """A teacher's class, in the order in which it was made."""
    return classes_of(study).get(teacher, [])


def classes_of(study: Study) -> dict[str, list[AccountRow]]:
    """All students by their teacher. Students whom nobody made (they were imported before there was a teacher) are the
    first teacher's; where there is none, they stand under no name."""
    everybody = all_accounts(study)
    first = next((one.id for one in everybody if one.role == "teacher"), "")
    found: dict[str, list[AccountRow]] = {}
    for one in everybody:
        if one.role == "student":
            found.setdefault(one.made_by or first, []).append(one)
    return found


def teacher_of(study: Study, pupil: AccountRow) -> str:
    """The account of the teacher in whose class a pupil is; empty where there is no teacher."""
    return pupil.made_by or next((one.id for one in all_accounts(study, "teacher")), "")


def account(study: Study, wanted: str) -> AccountRow:
    """One of them, by its id."""
    with study.transaction() as connection:
        return check_account(connection, wanted, study.path)


def check_account(connection: Connection, wanted: str, where: str) -> AccountRow:
    """The same within a transaction; one that is not there is refused."""
    row = connection.execute(select(*_COLUMNS).where(accounts.c.id == wanted)).first()
    if row is None:
        raise StudyError("there is no such account.", where=where, mend="It may have been erased.")
    return AccountRow(*row)


def account_named(study: Study, name: str) -> tuple[AccountRow, str] | None:
    """The account of this name, and the hash of its password; capitals do not matter where only one is meant."""
    with study.transaction() as connection:
        row = _found(connection, tidy(name))
    return None if row is None else (AccountRow(*row[:-1]), row.password)


def _found(connection: Connection, name: str) -> Any:
    """The one of this name, or else the only one that looks like it. All are looked at: the time tells nobody which
    names exist."""
    there = connection.execute(select(*_COLUMNS, accounts.c.password).order_by(accounts.c.number)).all()
    twins = [row for row in there if alike(row.name) == alike(name)]
    exactly = [row for row in twins if row.name == name]
    return exactly[0] if exactly else twins[0] if len(twins) == 1 else None


def set_language(study: Study, wanted: str, language: str) -> None:
    """In which language somebody reads the pages; empty: as the browser wishes."""
    with study.transaction() as connection:
        check_account(connection, wanted, study.path)
        connection.execute(update(accounts).where(accounts.c.id == wanted).values(language=language))


def set_password(study: Study, wanted: str, password: str) -> None:
    """Give an account another password; whoever is logged in with the old one is no more."""
    kept = hash_password(password)
    with study.transaction() as connection:
        row = check_account(connection, wanted, study.path)
        connection.execute(update(accounts).where(accounts.c.id == wanted).values(password=kept))
        connection.execute(delete(logins).where(logins.c.account == wanted))
        forgive_name(connection, row.name)
