"""Accounts: hashed passwords, logins that end, patience that runs out, and students who leave no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import MessageRow, PlayedStep, Study, TalkRow, accounts, logins, schema
from eduverse_mesa.store import classwork as work
from eduverse_mesa.store import logins as doors
from eduverse_mesa.store.accounts import (
    LONGEST,
    account,
    account_named,
    add_account,
    all_accounts,
    hash_password,
    is_password,
    set_password,
)
from eduverse_mesa.store.dialogues import begin_dialogue
from eduverse_mesa.store.purge import purge
from tests.postgres import FILE_ONLY
from tests.store.rows import run_row

PASSWORD = "correct horse"


@pytest.fixture
def study(place: str) -> Iterator[Study]:
    with Study.open(place, create=True) as opened:
        yield opened


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time: of many guesses it is looked at who has to wait."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    nobodys = hasher.hash("nobody has this one")
    monkeypatch.setattr(accounts, "_hasher", lambda: hasher)
    monkeypatch.setattr(accounts, "_nobodys", lambda: nobodys)


@FILE_ONLY
def test_of_a_password_only_its_hash_is_kept(study: Study) -> None:
    made = add_account(study, "  kiwi\n7 ", "student", PASSWORD)
    assert made.name == "kiwi 7"
    found = account_named(study, "kiwi 7")
    assert found is not None
    assert found[0] == made == account(study, made.id)
    assert found[1].startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert PASSWORD not in found[1]
    assert is_password(found[1], PASSWORD)
    assert not is_password(found[1], PASSWORD.title())
    assert not is_password(None, "nobody has this one"), "who is not there has no password"
    assert hash_password(PASSWORD) != found[1], "salted"


@FILE_ONLY
@pytest.mark.parametrize("password", ["short", "x" * (LONGEST + 1)])
def test_passwords_that_are_too_short_or_too_long_are_refused(study: Study, password: str) -> None:
    with pytest.raises(StudyError, match="characters"):
        add_account(study, "kiwi", "student", password)
    assert all_accounts(study) == []


@FILE_ONLY
@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\x00b", "a\u202eb"])
def test_names_that_cannot_be_shown_are_refused(study: Study, name: str) -> None:
    with pytest.raises(StudyError, match="name"):
        add_account(study, name, "student", PASSWORD)


def test_two_accounts_of_one_name_there_are_not(study: Study) -> None:
    add_account(study, "kiwi", "student", PASSWORD)
    with pytest.raises(StudyError, match="already"):
        add_account(study, "kiwi", "teacher", PASSWORD)


def test_a_login_is_known_by_its_token_and_ends(study: Study) -> None:
    made = add_account(study, "kiwi", "student", PASSWORD)
    logged_in = doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", 0.0)
    assert logged_in is not None
    assert logged_in[0] == made
    token = logged_in[1]
    again = doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", 0.0)
    assert again is not None
    assert again[1] != token, "a new one each time"
    assert doors.who_is(study, token, doors.IDLE - 1) == made
    assert doors.who_is(study, token, 2 * doors.IDLE - 2) == made, "a sign of life keeps it"
    assert doors.who_is(study, token, 3 * doors.IDLE) is None
    assert doors.who_is(study, token, doors.IDLE) is None, "what has ended does not come back"
    doors.log_out(study, again[1])
    assert doors.who_is(study, again[1], 1.0) is None
    assert doors.who_is(study, "", 1.0) is None


@FILE_ONLY
def test_no_login_lasts_longer_than_a_day_at_school(study: Study) -> None:
    add_account(study, "kiwi", "student", PASSWORD)
    logged_in = doors.log_in(study, "kiwi", PASSWORD, "", 0.0)
    assert logged_in is not None
    at = 0.0
    while at < doors.LONGEST:
        assert doors.who_is(study, logged_in[1], at) is not None
        at += doors.IDLE / 2
    assert doors.who_is(study, logged_in[1], doors.LONGEST + 1) is None


def test_the_token_is_not_in_the_file(study: Study, held: Callable[[], bytes]) -> None:
    add_account(study, "kiwi", "student", PASSWORD)
    logged_in = doors.log_in(study, "kiwi", PASSWORD, "", 0.0)
    assert logged_in is not None
    kept = held()
    assert b"kiwi" in kept
    assert logged_in[1].encode() not in kept
    assert PASSWORD.encode() not in kept


@pytest.mark.usefixtures("quick")
def test_whoever_guesses_has_to_wait_longer_and_longer(study: Study) -> None:
    add_account(study, "kiwi", "student", PASSWORD)
    for _ in range(accounts.FREE["pair"]):
        assert doors.log_in(study, "kiwi", "wrong", "1.2.3.4", 0.0) is None
    waits = []
    at = 0.0
    for _ in range(4):
        with pytest.raises(accounts.TooManyError) as caught:
            doors.log_in(study, "KIWI", PASSWORD, "1.2.3.4", at)
        waits.append(caught.value.wait)
        at += caught.value.wait
        assert doors.log_in(study, "kiwi", "wrong", "1.2.3.4", at) is None
    assert waits == [2.0, 4.0, 8.0, 16.0]
    at += 1000.0
    assert doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", at) is not None, "the right one after the wait"
    assert doors.log_in(study, "kiwi", "wrong", "1.2.3.4", at) is None, "and it is forgiven"
    assert doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", at) is not None


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_guesses_at_one_name_keep_out_neither_others_there_nor_the_name_elsewhere(study: Study) -> None:
    for name in ("kiwi", "fig"):
        add_account(study, name, "student", PASSWORD)
    for at in range(120):
        with suppress(accounts.TooManyError):
            assert doors.log_in(study, "kiwi", "wrong", "1.2.3.4", float(at)) is None
    with pytest.raises(accounts.TooManyError):
        doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", 120.0)
    assert doors.log_in(study, "fig", PASSWORD, "1.2.3.4", 120.0) is not None
    assert doors.log_in(study, "kiwi", PASSWORD, "5.6.7.8", 120.0) is not None


@FILE_ONLY
@pytest.mark.parametrize("kind", ["address", "name"])
@pytest.mark.usefixtures("quick")
def test_many_names_from_one_address_and_one_name_from_many_are_slowed(
    study: Study, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    free, pace = accounts.FREE[kind], accounts.PACE[kind]
    monkeypatch.setattr(doors, "is_password", lambda _, password: password == PASSWORD)  # it takes time
    add_account(study, "kiwi", "student", PASSWORD)

    def guess(number: int, at: float, password: str = "wrong") -> object:
        one = f"another {number}"
        name, address = (one, "1.2.3.4") if kind == "address" else ("kiwi", one)
        return doors.log_in(study, name, password, address, at)

    for number in range(free):
        assert guess(number, 0.0) is None
    with pytest.raises(accounts.TooManyError) as caught:
        guess(free, 0.0)
    assert caught.value.wait == pace
    looked_at = 0
    for second in range(1, 1201):
        with suppress(accounts.TooManyError):
            guess(free + second, float(second))
            looked_at += 1
    assert looked_at == 1200 // pace
    with pytest.raises(accounts.TooManyError):
        guess(0, 1201.0)
    assert guess(0, 1200.0 + free * pace) is None, "nobody waits longer for what is long ago"


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_right_passwords_take_nobody_elses_turn(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """A school behind one address, where somebody tries many names: whoever comes with the right one costs nothing."""
    monkeypatch.setattr(doors, "is_password", lambda _, password: password == PASSWORD)
    names = [f"pupil {number}" for number in range(20)]
    for name in names:
        add_account(study, name, "student", PASSWORD)
    for number in range(accounts.FREE["address"] - 1):
        assert doors.log_in(study, f"another {number}", "wrong", "1.2.3.4", 0.0) is None
    for name in names:
        assert doors.log_in(study, name, PASSWORD, "1.2.3.4", 0.0) is not None


def test_a_new_password_ends_every_login_with_the_old_one(study: Study) -> None:
    made = add_account(study, "kiwi", "student", PASSWORD)
    logged_in = doors.log_in(study, "kiwi", PASSWORD, "", 0.0)
    assert logged_in is not None
    for address in ("1.2.3.4", "5.6.7.8"):
        for _ in range(accounts.FREE["pair"]):
            assert doors.log_in(study, "kiwi", "wrong", address, 0.0) is None
        with pytest.raises(accounts.TooManyError):
            doors.log_in(study, "kiwi", PASSWORD, address, 0.0)
    set_password(study, made.id, "another horse")
    assert doors.who_is(study, logged_in[1], 1.0) is None
    assert doors.log_in(study, "kiwi", PASSWORD, "", 1.0) is None
    assert doors.log_in(study, "kiwi", "another horse", "", 1.0) is not None


def test_groups_and_assignments_are_of_students(study: Study) -> None:
    teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
    ann, ben = (add_account(study, name, "student", PASSWORD, made_by=teacher.id) for name in ("ann", "ben"))
    assert ann.made_by == teacher.id
    group = work.add_group(study, "6b", [ben.id, ann.id, ann.id], teacher.id)
    assert [(one.id, one.name, one.members) for one in work.all_groups(study)] == [(group.id, "6b", (ann.id, ben.id))]
    with pytest.raises(StudyError, match="no student"):
        work.add_group(study, "mixed", [teacher.id], teacher.id)
    with pytest.raises(StudyError, match="no such account"):
        work.add_assignment(study, "week 1", "{}", ["nobody"], teacher.id)
    given = work.add_assignment(study, "week 1", "{}", [ann.id], teacher.id)
    assert [row.id for row in work.assignments_of(study, ann.id)] == [given.id]
    assert work.assignments_of(study, ben.id) == []
    work.assign(study, given.id, [ann.id, ben.id])
    assert work.all_assignments(study) == [(given, (ann.id, ben.id))]


def test_a_survey_is_answered_from_one_to_five_and_the_later_one_counts(study: Study) -> None:
    teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
    ann = add_account(study, "ann", "student", PASSWORD)
    given = work.add_assignment(study, "week 1", "{}", [ann.id], teacher.id)
    work.save_survey(study, ann.id, given.id, {"fun": 1, "learned": 2})
    with pytest.raises(StudyError):
        work.save_survey(study, ann.id, given.id, {"fun": 6})
    work.save_survey(study, ann.id, given.id, {"fun": 5, "learned": 4})
    assert work.surveys_of(study, given.id) == {ann.id: {"fun": 5, "learned": 4}}


def test_of_a_student_who_is_erased_no_byte_is_left(study: Study, held: Callable[[], bytes]) -> None:
    teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
    ann, ben = (add_account(study, name, "student", PASSWORD) for name in ("annquokka", "benwombat"))
    work.add_group(study, "6b", [ann.id, ben.id], teacher.id)
    given = work.add_assignment(study, "week 1", "{}", [ann.id, ben.id], teacher.id)
    for one in (ann, ben):
        run = f"talk-{one.name}"
        begin_dialogue(study, run_row(run, kind="collaboration"), TalkRow(run, one.id, given.id, "steps"))
        work.consent(study, one.id, "I agree.")
        work.save_survey(study, one.id, given.id, {"fun": 3})
        study.commit(run, PlayedStep(1, 1, "d", message=MessageRow(1, one.name, f"word of {one.name}", "plan", 0.0)))
        assert doors.log_in(study, one.name, PASSWORD, "", 0.0) is not None
    assert b"quokka" in held()
    assert work.erase_student(study, ann.id) == ["talk-annquokka"]
    purge(study)
    kept = held()
    assert b"quokka" not in kept
    assert ann.id.encode() not in kept
    assert b"word of benwombat" in kept
    assert [one.name for one in all_accounts(study, "student")] == ["benwombat"]
    assert work.has_consented(study, ben.id)
    assert not work.has_consented(study, ann.id)
    assert work.surveys_of(study, given.id) == {ben.id: {"fun": 3}}
    with pytest.raises(StudyError, match="no such account"):
        work.erase_student(study, ann.id)
    with pytest.raises(StudyError, match="no student"):
        work.erase_student(study, teacher.id)


@FILE_ONLY
def test_a_page_that_is_only_left_open_does_not_keep_a_login(study: Study) -> None:
    add_account(study, "kiwi", "student", PASSWORD)
    logged_in = doors.log_in(study, "kiwi", PASSWORD, "", 0.0)
    assert logged_in is not None
    for at in range(0, int(doors.IDLE), 600):
        assert doors.is_logged_in(study, logged_in[1], at)
    assert not doors.is_logged_in(study, logged_in[1], doors.IDLE + 1)
    assert doors.who_is(study, logged_in[1], 1.0) is None, "it has ended for good"


@FILE_ONLY
def test_who_logs_out_everywhere_ends_the_logins_of_nobody_else(study: Study) -> None:
    kiwi = add_account(study, "kiwi", "student", PASSWORD)
    add_account(study, "mango", "student", PASSWORD)
    tokens = [doors.log_in(study, name, PASSWORD, "", 0.0) for name in ("kiwi", "kiwi", "mango")]
    doors.log_out_everywhere(study, kiwi.id)
    assert [doors.is_logged_in(study, one[1], 1.0) for one in tokens if one] == [False, False, True]


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_guessing_elsewhere_locks_no_pupil_out_of_its_own_browser(study: Study) -> None:
    made = add_account(study, "kiwi", "student", PASSWORD)
    other = add_account(study, "mango", "student", PASSWORD)
    cookie = logins.remember(study, "", other.id)
    cookie = logins.remember(study, cookie, made.id)
    at = 1.0
    for _ in range(accounts.FREE["pair"]):  # somebody with a script, who never gives up
        assert doors.log_in(study, "kiwi", "wrong", "1.2.3.4", at) is None
    with pytest.raises(accounts.TooManyError):
        doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", at)
    assert doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", at, cookie) is not None
    for _ in range(accounts.FREE["browser"]):
        assert doors.log_in(study, "kiwi", "wrong", "1.2.3.4", at, cookie) is None
    with pytest.raises(accounts.TooManyError):
        doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", at, cookie)
    nobodys = (logins.remember(study, "", other.id), cookie[:-1] + "x", "", "x" * 5000, cookie.replace(".", ".."))
    assert not any(logins.is_known(study, one, made.id) for one in nobodys)


@FILE_ONLY
def test_a_browser_is_known_for_as_many_as_use_a_tablet_and_not_for_all(study: Study) -> None:
    cookie = ""
    for number in range(20):
        cookie = logins.remember(study, cookie, f"id {number}")
    assert len(cookie) < 400
    assert [number for number in range(20) if logins.is_known(study, cookie, f"id {number}")] == list(range(8, 20))


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_a_new_password_ends_the_waiting(study: Study) -> None:
    made = add_account(study, "kiwi", "student", PASSWORD)
    for _ in range(accounts.FREE["pair"]):
        doors.log_in(study, "kiwi", "wrong", "1.2.3.4", 0.0)
    with pytest.raises(accounts.TooManyError):
        doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", 0.0)
    set_password(study, made.id, "another horse")
    assert doors.log_in(study, "kiwi", "another horse", "1.2.3.4", 0.0) is not None


@pytest.mark.usefixtures("quick")
def test_waiting_survives_a_restart_and_has_an_end(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    with Study.open(path, create=True) as study:
        add_account(study, "kiwi", "student", PASSWORD)
        for _ in range(accounts.FREE["pair"]):
            doors.log_in(study, "kiwi", "wrong", "1.2.3.4", 0.0)
    with Study.open(path) as study:
        with pytest.raises(accounts.TooManyError):
            doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", 1.0)
        assert doors.log_in(study, "kiwi", PASSWORD, "1.2.3.4", 301.0) is not None


def test_what_is_kept_of_wrong_passwords_goes_with_the_hour(study: Study) -> None:
    doors.log_in(study, "kiwi", "wrong", "1.2.3.4", 0.0)
    doors.forget_old(study, accounts.FORGOTTEN + 1.0)
    with study.transaction() as connection:
        assert connection.execute(select(schema.refusals)).all() == []


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_made_up_names_keep_no_pupil_out_and_learn_of_no_name(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "is_password", lambda _, password: password == PASSWORD)
    pupils = [f"pupil {number}" for number in range(40)]
    for name in pupils:
        add_account(study, name, "student", PASSWORD)
    for number in range(accounts.FREE["address"]):
        assert doors.log_in(study, f"another {number}", "wrong", "1.2.3.4", 0.0) is None
    told: set[float] = set()
    for number, name in enumerate(pupils):
        for one in (f"yet another {number}", name):
            for _ in range(accounts.FREE["pair"] - 1):
                with pytest.raises(accounts.TooManyError) as caught:
                    doors.log_in(study, one, "wrong", "1.2.3.4", 1.0)
                told.add(caught.value.wait)
        assert doors.log_in(study, name, PASSWORD, "1.2.3.4", 1.0) is not None
    assert told == {1.0}, "those that there are and those that there are not hear the same"


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_a_crowd_at_an_address_covers_no_guessing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """While made-up names hold the address busy, passwords of accounts are tried no faster than else."""
    looked_at: list[str] = []

    def is_password(_: object, password: str) -> bool:
        looked_at.append(password)
        return password == PASSWORD

    monkeypatch.setattr(doors, "is_password", is_password)
    pupils = [f"pupil {number}" for number in range(60)]
    for name in pupils:
        add_account(study, name, "student", PASSWORD)
    at = 0.0
    for number in range(accounts.FREE["address"]):
        assert doors.log_in(study, f"another {number}", "wrong", "1.2.3.4", at) is None
    looked_at.clear()
    for _ in range(accounts.FREE["pair"] + 3):
        with pytest.raises(accounts.TooManyError):
            doors.log_in(study, pupils[0], "wrong", "1.2.3.4", at)
    assert len(looked_at) == accounts.FREE["pair"], "one name has its own patience"
    with pytest.raises(accounts.TooManyError):
        doors.log_in(study, pupils[0], PASSWORD, "1.2.3.4", at)
    for second in range(0, 601, 60):
        at = float(second)
        for name in ("made up", *pupils):
            with suppress(accounts.TooManyError):
                doors.log_in(study, name, "wrong", "1.2.3.4", at)
    # Names that there are and names that there are not each keep to the pace of an address, but for each account's own.
    own = accounts.OWN * len(pupils)
    assert len(looked_at) <= 2 * (accounts.FREE["accounts"] + at / accounts.PACE["accounts"]) + own


@FILE_ONLY
@pytest.mark.usefixtures("quick")
def test_a_spray_of_real_names_keeps_out_nobody_else_of_the_school(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A school of 200 behind one address, where a script goes on with half of the names, ten times a second."""
    looked_at: list[str] = []

    def is_password(_: object, password: str) -> bool:
        looked_at.append(password)
        return password == PASSWORD

    monkeypatch.setattr(doors, "is_password", is_password)
    monkeypatch.setattr("eduverse_mesa.store.accounts.hash_password", lambda _: "a hash")
    pupils = [f"pupil {number}" for number in range(200)]
    made = [add_account(study, name, "student", PASSWORD) for name in pupils]
    sprayed, others = pupils[:100], pupils[100:]
    cookies = {one.name: logins.remember(study, "", one.id) for one in made[:20]}

    def spray(at: float, times: int) -> None:
        for number in range(times):
            with suppress(accounts.TooManyError):
                doors.log_in(study, sprayed[(int(at * 10) + number) % len(sprayed)], "wrong", "1.2.3.4", at)

    for second in range(30):
        spray(float(second), 10)
    guessed, at = len(looked_at), 30.0
    for name in others:
        spray(at, 5)
        with suppress(accounts.TooManyError):  # many mistype at first
            assert doors.log_in(study, name, "mistyped", "1.2.3.4", at) is None
        assert doors.log_in(study, name, PASSWORD, "1.2.3.4", at) is not None, name
        at += 1.0
    for name, cookie in cookies.items():
        spray(at, 5)
        assert doors.log_in(study, name, PASSWORD, "1.2.3.4", at, cookie) is not None
    assert guessed <= accounts.FREE["accounts"] + at / accounts.PACE["accounts"] + accounts.OWN * len(sprayed)
    assert doors.log_in(study, sprayed[0], PASSWORD, "5.6.7.8", at) is not None, "at home"


@FILE_ONLY
def test_names_that_exist_and_names_that_do_not_take_the_same_work(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: whatever the machine does besides, the same hash is worked out once for both."""
    add_account(study, "kiwi", "student", PASSWORD)
    verified: list[str] = []
    real = PasswordHasher.verify

    def verify(self: PasswordHasher, kept: str, password: str) -> bool:
        verified.append(kept.rsplit("$", 2)[0])
        return real(self, kept, password)

    monkeypatch.setattr(PasswordHasher, "verify", verify)
    for name in ("kiwi", "nobody"):
        assert doors.log_in(study, name, "wrong", "1.2.3.4", 0.0) is None
    assert len(verified) == 2
    assert verified[0] == verified[1]
