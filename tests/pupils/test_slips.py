"""Slips with passwords: whose they are, for how long, and that nobody goes without one unnoticed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.pupils import retention
from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.pupils.request import SITTING, Site, Slips
from eduverse_mesa.pupils.teacher import classes
from eduverse_mesa.runs.groups import erasure
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import all_accounts, set_password
from eduverse_mesa.store.logins import log_in
from tests.pupils.mathematics import PASSWORD, Client, Here, School, serving

pytestmark = pytest.mark.xdist_group("mathematics_slips")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return School(tmp_path_factory.mktemp("school") / "a.study", "kiwi", "mango")


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Here]:
    with open_study(str(school.path)) as opened, serving(opened) as here:
        yield here


@pytest.fixture
def teacher(server: Here) -> Client:
    client = Client(server.port, "Ms Li")
    client.post("/class/slips")
    return client


def passwords_on(page: str) -> dict[str, str]:
    """What the slips say."""
    return dict(re.findall(r"<dd><b>([^<]+)</b></dd>.*?<code>([\w-]+)</code>", page))


def form_on(page: str) -> str:
    """The key of the form for accounts."""
    found = re.search(r'action="/class".*?name="form" value="([^"]+)"', page)
    assert found
    return found[1]


def id_of(school: School, name: str) -> str:
    with Study.open(str(school.path), read_only=True) as study:
        return next(row.id for row in all_accounts(study) if row.name == name)


# --- two pupils of one name ---


def test_two_of_one_name_are_told_at_once_and_later_and_the_same_form_makes_nothing_twice(teacher: Client) -> None:
    form = form_on(teacher.get("/class").text)
    first = teacher.post("/class", names="pear\npear\nfig", form=form)
    assert list(passwords_on(first.text)) == ["pear", "fig"], "in the order in which they were typed"
    assert "<b>pear</b>: " in first.text, "the second one has no account"
    again = teacher.post("/class", names="pear\npear\nfig", form=form)
    assert passwords_on(again.text) == passwords_on(first.text)
    assert "<b>pear</b>: " in again.text, "loaded again it says the same"
    assert "<b>fig</b>: " not in again.text
    later = teacher.post("/class", names="pear", form=form_on(teacher.get("/class").text))
    assert later.status == 422
    assert "<b>pear</b>: " in later.text
    back = teacher.post("/class", names="pear\nlime", form=form)
    assert "<b>pear</b>: " in back.text, "another list, typed into the same page"
    assert "lime" in passwords_on(back.text)


def test_two_clicks_make_each_account_once_and_refuse_nobody(teacher: Client) -> None:
    form, names = form_on(teacher.get("/class").text), "\n".join(f"guava {n}" for n in range(4))
    with ThreadPoolExecutor(2) as pool:
        pages = list(pool.map(lambda _: teacher.post("/class", names=names, form=form).text, range(2)))
    assert passwords_on(pages[0]) == passwords_on(pages[1])
    assert len(passwords_on(pages[0])) == 4
    assert not any('role="alert"' in one for one in pages)


# --- whoever is erased ---


def test_a_slip_goes_with_its_account_also_where_erasing_is_held_up_or_done_by_another_program(
    school: School, teacher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = passwords_on(teacher.post("/class", names="quince\nmedlar\nsloe").text)
    assert made.keys() == {"quince", "medlar", "sloe"}

    def held_up(*_: object) -> None:
        raise StudyError("another program reads the study.")

    with monkeypatch.context() as patched:
        patched.setattr(retention, "make_sure", held_up)
        assert teacher.post(f"/class/{id_of(school, 'quince')}/erase", sure="yes").status == 422
    assert passwords_on(teacher.get("/class/slips").text).keys() == {"medlar", "sloe"}
    with Study.open(str(school.path)) as study:
        erasure.take_out(study, id_of(school, "medlar"))
    assert passwords_on(teacher.get("/class/slips").text).keys() == {"sloe"}
    assert "One slip" in teacher.get("/class").text


# --- new passwords ---


def test_who_has_a_new_password_has_a_slip_also_where_the_next_one_fails(
    teacher: Client, server: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[str]()

    def fails_then(study: Study, wanted: str, password: str) -> None:
        if given:
            raise StudyError("another program writes to the study.")
        given.append(password)
        set_password(study, wanted, password)

    with monkeypatch.context() as patched:
        patched.setattr(classes, "set_password", fails_then)
        assert teacher.post("/class/passwords", sure="yes").status == 422
    assert list(passwords_on(teacher.get("/class/slips").text).values()) == given


def test_who_takes_a_new_password_for_oneself_is_shown_it_alone_and_led_to_the_door(tmp_path: Path) -> None:
    school = School(tmp_path / "own.study", "kiwi")
    with open_study(str(school.path)) as opened, serving(opened) as here:
        teacher = Client(here.port, "Ms Li")
        teacher.post("/class", names="pear")
        page = teacher.post(f"/teachers/{school.teacher.id}/password")
        assert page.status == 200
        (found,) = passwords_on(page.text).items()
        assert found[0] == "Ms Li"
        assert 'href="/login"' in page.text
        assert "<form" not in page.text, "no form of a login that is over"
        again = Client(here.port)
        assert again.post("/login", name="Ms Li", password=PASSWORD).status == 403
        assert again.post("/login", name="Ms Li", password=found[1]).status == 303
        assert passwords_on(again.get("/class/slips").text).keys() == {"pear"}, "hers is not among them"
        with Study.open(str(school.path)) as study:
            assert log_in(study, "Ms Li", found[1], "", time.time()) is not None


# --- for how long ---


def test_slips_are_forgotten_by_who_logs_out(server: Here) -> None:
    teacher = Client(server.port, "Ms Li")
    assert "damson" in passwords_on(teacher.post("/class", names="damson").text)
    assert teacher.post("/logout").status == 303
    again = Client(server.port, "Ms Li")
    assert again.get("/class/slips").status == 303
    assert "/class/slips" not in again.get("/class").text


def test_slips_are_the_latest_first_and_stay_for_a_sitting() -> None:
    slips = Slips()
    slips.put("li", {"1": ("pear", "a"), "2": ("plum", "b")}, now=0)
    slips.put("li", {"1": ("pear", "c")}, now=SITTING)
    assert slips.of("li", SITTING + 1, lambda: {"1", "2"}) == [("1", "pear", "c"), ("2", "plum", "b")], (
        "the old one is gone"
    )
    assert slips.of("ba", SITTING + 1, lambda: {"1", "2"}) == []
    assert slips.of("li", 2 * SITTING + 1, lambda: {"1", "2"}) == []


def test_passwords_are_out_of_memory_when_their_time_is_over_though_nobody_asks(tmp_path: Path) -> None:
    school = School(tmp_path / "old.study", "kiwi")
    with open_study(str(school.path)) as opened:
        site = Site(opened, Dialogues(opened), clock=lambda: SITTING + 1)
        site.slips.put("li", {school.students["kiwi"].id: ("kiwi", "abcd-efgh")}, now=0)
        site.slips.put("ba", {"erased": ("plum", "ijkl-mnop")}, now=SITTING)
        retention.tidy(site)
        assert "abcd-efgh" not in repr(vars(site.slips)), "too old"
        assert "ijkl-mnop" not in repr(vars(site.slips)), "of nobody any more"


def test_a_slip_is_in_the_language_of_its_pupil(teacher: Client, school: School) -> None:
    key = form_on(teacher.get("/class").text)
    teacher.post("/class", names="\u6797\u96e8", language="zh", form=key)
    key = form_on(teacher.get("/class").text)
    teacher.post("/class", names="guava", language="en", form=key)
    slips = re.findall(r'<li lang="(\w+)"><dl>(.*?)</dl>', teacher.get("/class/slips").text)
    assert [(language, re.findall(r"<dt>([^<]+)</dt>", slip)) for language, slip in slips] == [
        ("en", ["Address", "Name", "Password"]),
        ("zh", ["\u7f51\u5740", "\u540d\u5b57", "\u5bc6\u7801"]),
    ]
    teacher.post("/class/slips")
