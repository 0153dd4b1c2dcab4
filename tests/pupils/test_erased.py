"""What has to go, goes: students who are erased while their chat is open, and dialogues that were kept long enough."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from eduverse_mesa.cli import main
from eduverse_mesa.runs.erasure.participant import Needle, search_files
from eduverse_mesa.store import Study, schema
from eduverse_mesa.store.accounts import account_named, add_account
from eduverse_mesa.store.alerts import alerts_for, settle_alert
from eduverse_mesa.store.classwork import assign, find_talks, has_consented, save_survey
from eduverse_mesa.store.dialogues import keep_days
from eduverse_mesa.store.purge import Due, put_back, set_aside, settle
from tests.pupils.mathematics import PASSWORD, Client, School, Served, served
from tests.pupils.test_in_browser import log_in

pytestmark = pytest.mark.xdist_group("mathematics_erased")

NAMES = ("quokka", "wombat", "kiwi")
SECRETS = {
    "quokka": "my zebra lives at Elm Street",
    "wombat": "鸭嘴兽 sleeps in a teapot",
    "kiwi": "17 bananas are mine",
}
ITEMS = ("fun", "understood", "real", "easy", "own_words", "mistakes", "again")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return School(tmp_path_factory.mktemp("school") / "a.study", *NAMES)


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Served]:
    with served(school.path, "--keep-days", "30") as one:
        yield one


def of(study: Study, name: str) -> str:
    found = account_named(study, name)
    assert found is not None
    return found[0].id


def all_of_kiwi(school: School) -> list[str]:
    """Every row in which kiwi, its dialogue or its answers are named."""
    with Study.open(str(school.path), read_only=True) as study, study.driver() as driver:
        kiwi = school.students["kiwi"].id
        runs = [run for (run,) in driver.execute("select run from talks where account = ?", (kiwi,))]
        lines = [line for line in driver.iterdump() if line.startswith("INSERT") and "logins" not in line[:20]]
    return [line for line in lines if any(one in line for one in (kiwi, *runs))]


def test_who_is_erased_with_the_chat_open_leaves_no_byte(
    chromium: Any, server: Served, school: School, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One on the page, one from the command line, while a server runs and browsers show their dialogues."""
    folder = school.path.parent
    monkeypatch.chdir(folder)
    pages = {name: log_in(chromium, server, name, PASSWORD) for name in NAMES[:2]}
    for name, page in pages.items():
        page.get_by_role("link", name=re.compile("Steps and distance")).click()
        expect(page.get_by_text("30 days after the last message")).to_be_visible()
        page.get_by_role("button", name="I have understood this and agree").click()
        expect(page.locator("#said")).to_have_count(1)
        page.wait_for_load_state()  # keys that are struck before the page's script has run are no message
        page.get_by_label("Your message").fill(SECRETS[name])
        page.get_by_label("Your message").press("Enter")
        expect(page.locator("#said li.is-me")).to_contain_text(SECRETS[name])
        with Study.open(str(school.path)) as study:
            save_survey(study, of(study, name), school.work.id, dict.fromkeys(ITEMS, 4))
    kiwi = Client(server.port, "kiwi")
    run = kiwi.begin(school.work.id).run
    assert kiwi.say(run, SECRETS["kiwi"], "kiwisays0001").status == 200
    assert main(["mathvc", "export", str(school.path), "--names", "--out", "before.csv"]) == 0
    with Study.open(str(school.path)) as study:
        needles = [
            Needle(text, False)
            for name in NAMES[:2]
            if (account := account_named(study, name)) is not None
            for text in (
                name,
                SECRETS[name],
                account[0].id,
                account[1],
                find_talks(study, account=account[0].id)[0].run,
            )
        ]
    assert len(needles) == 10
    teacher = Client(server.port, "Ms Li")
    assert teacher.post(f"/class/{school.students['quokka'].id}/erase", sure="yes").status == 303
    capsys.readouterr()
    assert main(["mathvc", "erase", str(school.path), "Wombat", "--yes"]) == 0
    told = capsys.readouterr().out
    assert "before.csv still holds the name" in told
    (folder / "before.csv").unlink()
    for page in pages.values():
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
    before = all_of_kiwi(school)
    assert main(["mathvc", "export", str(school.path), "--out", "after.csv"]) == 0
    shown = "".join(teacher.get(path).text for path in ("/class", "/sets", f"/sets/{school.work.id}"))
    assert not [name for name in NAMES[:2] if name in shown]
    assert kiwi.say(run, "and what about you?", "kiwisays0002").status == 200
    searched, found = search_files(sorted(path for path in folder.iterdir() if path.is_file()), needles)
    assert {"a.study", "server.log", "after.csv"} <= {one.name for one in searched}
    assert found == []
    assert SECRETS["kiwi"] in (folder / "after.csv").read_text("utf-8")
    assert set(before) - set(all_of_kiwi(school)) <= {line for line in before if "runs" in line or "lessons" in line}
    assert not [line for line in (folder / "server.log").read_text().splitlines() if "Traceback" in line]


def test_a_school_says_how_long_dialogues_are_kept_and_asks_again_when_it_keeps_them_longer(
    server: Served, school: School
) -> None:
    kiwi, teacher = Client(server.port, "kiwi"), Client(server.port, "Ms Li")
    run = kiwi.begin(school.work.id).run
    assert 'value="30"' in teacher.get("/data").text, "as the command said"
    for wrong in ("0", "-1", "3651", "a week", "1.5", "9" * 50):
        assert teacher.post("/data", days=wrong).status == 422
    assert teacher.post("/data", days="10").status == 303
    assert kiwi.get(f"/work/{school.work.id}/1").run == run, "a shorter time needs no new consent"
    assert teacher.post("/data", days="60").status == 303
    page = kiwi.get(f"/work/{school.work.id}/1").text
    assert "60 days after the last message" in page
    assert "data-talk" not in page
    assert kiwi.say(run, "hello?", "kiwisays0003").status == 403, "and the page asks, before anything more is kept"
    kiwi.begin(school.work.id)
    assert teacher.post("/data", days="").status == 303
    assert "days after" not in kiwi.get(f"/work/{school.work.id}/1").text
    with Study.open(str(school.path)) as study:
        put_back(study, Due((school.students["kiwi"].id,)))  # it is still there: what seeks it holds erasing up
        answer = teacher.post("/data", days="90")
        assert "It is saved. Deleting is held up" in answer.text
        assert 'value="90"' in answer.text
        set_aside(study, Due((school.students["kiwi"].id,)))
        settle(study)
        assert keep_days(study, school.teacher.id) == 90
    assert teacher.post("/data", days="").status == 303
    with Study.open(str(school.path), read_only=True) as study:
        assert keep_days(study, school.teacher.id) is None
        assert keep_days(study) == 30, "other classes keep it as the server was told"
        assert not has_consented(study, school.students["kiwi"].id)


def test_a_teacher_erases_nothing_of_other_classes_and_no_call_for_help(server: Served, school: School) -> None:
    with Study.open(str(school.path)) as study:
        wu = add_account(study, "Mr Wu", "teacher", PASSWORD).id
        guava = add_account(study, "guava", "student", PASSWORD, made_by=wu).id
        assign(study, school.work.id, [guava])
    talks = {}
    for name, said in (("kiwi", "hello"), ("guava", "my stepdad hits me")):
        pupil = Client(server.port, name)
        talks[name] = pupil.begin(school.work.id).run
        assert pupil.say(talks[name], said, f"{name}says0009").status == 200
    with Study.open(str(school.path)) as study, study.transaction() as connection:
        for table, column in ((schema.messages, "at"), (schema.runs, "created")):
            connection.execute(update(table).values({column: "2020-01-01T00:00:00+00:00"}))
    other, teacher = Client(server.port), Client(server.port, "Ms Li")
    other.post("/login", name="Mr Wu", password=PASSWORD)
    other.csrf = other.get("/class").csrf
    page = other.post("/data", days="1", sure="yes").text
    page += other.get("/data").text
    assert "Dialogues of guava are old enough" in page
    with Study.open(str(school.path)) as study:
        assert {one.run for one in find_talks(study)} >= set(talks.values())
        [alert] = [one.alert for one in alerts_for(study, wu)]
        settle_alert(study, alert.id, "seen", "Mr Wu")
    page = other.post("/data", days="1").text
    assert "one dialogue is older than that, and is deleted for good at once; it is of guava" in page
    assert "With them goes one call for help" in page
    assert "kiwi" not in page
    assert other.post("/data", days="1", sure="yes").status == 303
    with Study.open(str(school.path)) as study:
        assert [one.run for one in find_talks(study, account=guava)] == []
        assert talks["kiwi"] in {one.run for one in find_talks(study)}
    assert "kiwi" in teacher.post("/data", days="1").text


# --- without a server: the clock is turned by hand ---
