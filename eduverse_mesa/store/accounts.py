"""Accounts of students and teachers: names, passwords, waits after wrong ones, and the accounts themselves."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import Connection, Row, delete, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.rows import AccountRow, Role
from eduverse_mesa.store.schema import accounts, logins, refusals
from eduverse_mesa.store.steps import now
from eduverse_mesa.store.study import Study
from eduverse_mesa.store.troubles import NotAllowedError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Letters and marks that show nothing, though Unicode calls them printable."""

_EMOJI_STYLE = re.compile("[\ufe0e\ufe0f]")
"""Keyboards put it behind a heart; it only says in which style the heart is drawn."""

_PILED = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4}")
"""Marks on one letter: no language needs four, and a tower of them covers the lines above."""


_TWINS = str.maketrans(
    "абвгеһіјкӏмнорсԛѕтуүхԁԝѵ" + "αβγεζηικμνορτυχω" + "ı",
    "abbrehijklmhopcqstyyxdwv" + "abyezhikmnoptyxw" + "i",
)
"""Small letters of Cyrillic and Greek, and the Latin ones that look the same, small or as capitals."""

_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"))
"""Scripts that one name may hold together."""


def tidy(name: str) -> str:
    """A name in one line, each letter written in one way."""
    return " ".join(_EMOJI_STYLE.sub("", unicodedata.normalize("NFC", name)).split())


def can_be_seen(name: str) -> bool:
    """Return True if every letter of a name shows, in its own place."""
    return name.isprintable() and not _UNSEEN.search(name) and not _PILED.search(unicodedata.normalize("NFD", name))


def is_of_one_script(name: str) -> bool:
    """Return True if the letters of a name are of one alphabet. A name in Chinese, Japanese or Korean may hold several
    scripts, and Latin letters among them."""
    plain = unicodedata.normalize("NFKC", name)
    letters = (one for one in plain if unicodedata.category(one) in ("Lu", "Ll", "Lt", "Lo"))
    scripts = {unicodedata.name(one, "").partition(" ")[0] for one in letters}
    return len(scripts) < 2 or scripts <= _EAST_ASIAN


def alike(name: str) -> str:
    """The same for names that nobody would tell apart: capitals, width, signs unseen, letters of other alphabets that
    look like Latin ones."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    seen = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    latin = unicodedata.normalize("NFD", seen).translate(_TWINS)
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", latin)).split())


SHORTEST, LONGEST = 8, 200
"""Characters. A long one is no safer, and costs the server time."""

_MEMORY_KIB, _PASSES = 19456, 2
"""The least that OWASP's cheat sheet on password storage recommends for Argon2id: a class logs in within seconds."""


_AT_ONCE = BoundedSemaphore(4)
"""Hashes that are worked out at the same moment: each takes 19 MiB, and whoever knocks a thousand times at once must
not take the whole memory."""


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ModuleNotFoundError:
        raise StudyError(
            "logging in needs argon2-cffi, which is not installed.", mend="pip install 'eduverse-mesa[app]'"
        ) from None
    return PasswordHasher(time_cost=_PASSES, memory_cost=_MEMORY_KIB, parallelism=1)


def hash_password(password: str) -> str:
    """Return the hash that is kept of a password."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise StudyError(
            f"a password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}.",
            mend="Three words are easy to remember.",
        )
    with _AT_ONCE:
        return _hasher().hash(password)


def is_password(kept: str | None, password: str) -> bool:
    """Return True if the password is the right one. Where there is none to compare with it takes as long, so that the
    time tells nobody which names exist."""
    from argon2.exceptions import InvalidHashError, VerifyMismatchError

    hasher, nobodys = _hasher(), _nobodys()
    try:
        with _AT_ONCE:
            hasher.verify(kept or nobodys, password[:LONGEST])
    except (VerifyMismatchError, InvalidHashError):
        return False
    return kept is not None


@lru_cache(maxsize=1)
def _nobodys() -> str:
    return _hasher().hash("nobody has this one")


FREE = {"pair": 5, "browser": 8, "name": 50, "address": 200, "accounts": 200}
"""Wrong passwords before one has to wait. A class shares the address of its school, and many have typing mistakes."""

FIRST_WAIT = 2.0
LONGEST_WAIT = {"pair": 300.0, "browser": 60.0}
"""Seconds. Each wrong password doubles the wait."""

PACE = {"name": 60.0, "address": 2.0, "accounts": 2.0}
"""Seconds in which one wrong password is forgotten. They are counted whoever sends them, so nobody waits longer."""

OWN = 2
"""Tries at a crowded address that every account has for itself: whoever guesses at some of a school takes nothing from
the others. With those, guesses at an address are at most so many more for each of its accounts in an hour."""

FORGOTTEN = 3600.0
"""Seconds after which wrong passwords count no more."""


class TooManyError(StudyError):
    """Wrong passwords have come too often."""

    def __init__(self, wait: float, *, crowded: bool = False) -> None:
        self.wait, self.crowded = wait, crowded
        super().__init__("too many wrong passwords.", mend=f"Try again in {wait:.0f} seconds.")


class Try(NamedTuple):
    """A password that is to be looked at, or not."""

    keys: dict[str, str]
    """The keys by which the try is counted, and what each of them counts."""
    is_looked_at: bool
    crowded: float
    """Seconds that whoever is wrong is told to wait, since others at the address were; 0: it is not crowded."""


def begin_try(connection: Connection, name: str, address: str, known: str, *, exists: bool, now: float) -> Try:
    """Count a try before its password is looked at: many that come at once cannot all be the first. TooManyError where
    it has to wait by itself. `known`: the browser, where it is known for the account; `exists`: whether there is an
    account of the name, of which a crowded address gives no sign."""
    if known:
        return _counted(connection, {hashed(f"browser {known} {alike(name)}"): "browser"}, now)
    by_name, by_address = _key_of_name(name), hashed(f"guesses from {address}")
    usual = {f"{by_name}.{by_address}": "pair", by_name: "name", by_address: "address"}
    accounts = {hashed(f"guesses at accounts from {address}"): "accounts"} if exists else {}
    crowded = _wait_of(connection, {by_address: "address"}, now)
    if crowded <= 0:
        return _counted(connection, usual | accounts, now)
    # Counted apart from the usual tries, or else their waits would tell later which of the names exist.
    pair = f"{by_name}.crowd.{by_address}"
    quiet = {pair: "pair", f"{by_name}.crowd": "name"}
    if _tries(connection, pair) >= OWN:
        quiet |= accounts
    del usual[by_address]
    if not exists or _wait_of(connection, usual | quiet, now) > 0:
        return Try({}, False, crowded)
    return _counted(connection, quiet, now)._replace(crowded=crowded)


def _counted(connection: Connection, keys: dict[str, str], now: float) -> Try:
    wait = _wait_of(connection, keys, now)
    if wait > 0:
        raise TooManyError(wait)
    for key, kind in keys.items():
        _count(connection, key, kind, now)
    return Try(keys, True, 0.0)


def _key_of_name(name: str) -> str:
    return hashed(f"guesses at {alike(name)}")


def _wait_of(connection: Connection, keys: dict[str, str], now: float) -> float:
    """How long somebody has to wait who has tried too often; none where that is over."""
    for key, kind in keys.items():
        row = _row(connection, key)
        wait = 0.0 if row is None else _wait(kind, row.tries, row.last, now)
        if wait > 0:
            return wait
    return 0.0


def _wait(kind: str, tries: int, last: float, now: float) -> float:
    """Seconds until another password is looked at. Where there is a pace, `last` is such that all of them are forgotten
    when it is too long ago."""
    if kind in PACE:
        # Never longer than one pace: a clock that is set back keeps nobody out.
        return min(PACE[kind], last + FORGOTTEN - (FREE[kind] - 1) * PACE[kind] - now)
    if tries < FREE[kind]:
        return 0.0
    return min(LONGEST_WAIT[kind], FIRST_WAIT * 2.0 ** min(tries - FREE[kind], 20)) - (now - last)


def _count(connection: Connection, key: str, kind: str, now: float) -> None:
    """One try more."""
    row = _row(connection, key)
    before, since = (0, now - FORGOTTEN) if row is None or now - row.last > FORGOTTEN else (row.tries, row.last)
    tries, last = before + 1, since + PACE[kind] if kind in PACE else now
    if row is None:
        connection.execute(insert(refusals), {"key": key, "tries": tries, "last": last})
    else:
        connection.execute(update(refusals).where(refusals.c.key == key).values(tries=tries, last=last))


def _tries(connection: Connection, key: str) -> int:
    row = _row(connection, key)
    return 0 if row is None else row.tries


def _row(connection: Connection, key: str) -> Row[tuple[str, int, float]] | None:
    return connection.execute(select(refusals).where(refusals.c.key == key)).first()


def forgive(connection: Connection, keys: dict[str, str]) -> None:
    """A right password: what was wrong before is forgiven; what others count, too, gets back what this try has cost."""
    for key, kind in keys.items():
        mine = refusals.c.key == key
        if kind in PACE:
            back = {"tries": refusals.c.tries - 1, "last": refusals.c.last - PACE[kind]}
            connection.execute(update(refusals).where(mine).values(back))
        else:
            connection.execute(delete(refusals).where(mine))


def forgive_name(connection: Connection, name: str) -> None:
    """Wrong passwords for this name count no more: it has a new one, or nobody has it any longer."""
    key = _key_of_name(name)
    connection.execute(delete(refusals).where((refusals.c.key == key) | refusals.c.key.startswith(f"{key}.")))


def drop_forgotten(connection: Connection, now: float) -> None:
    """Take out those that count no more."""
    connection.execute(delete(refusals).where(refusals.c.last < now - FORGOTTEN))


def hashed(text: str) -> str:
    """Return the hash that is kept of a name, an address or a token."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()


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
    told = f"a name has 1 to {LONGEST_NAME} characters that can be seen."
    return _shown(name, NameAmissError(told, where=where, mend="A pseudonym will do.", code="unseen"))


def checked_title(title: str, where: str) -> str:
    """A title as it is kept, as long as a name at most."""
    told = f"a title has 1 to {LONGEST_NAME} characters that can be seen."
    return _shown(title, NameAmissError(told, where=where, mend="Shorten it.", code="title"))


def _shown(text: str, amiss: NameAmissError) -> str:
    """Return a text tidied; raise `amiss` where it cannot be shown."""
    kept = tidy(text)
    if not (0 < len(kept) <= LONGEST_NAME and can_be_seen(kept)):
        raise amiss
    return kept


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
