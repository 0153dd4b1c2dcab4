"""Children in trouble, as their teacher and they themselves meet it on the pages for mathematics."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from eduverse_mesa.policies.embedded.groups.gentleness import CARE
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases
from eduverse_mesa.runs.groups.erasure import make_sure, take_out
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import account_named, add_account
from eduverse_mesa.store.alerts import Adult, all_alerts, name_adult
from eduverse_mesa.visualization.words import load_words
from tests.pupils.mathematics import PASSWORD, Client, School, apart, served, serving

pytestmark = pytest.mark.xdist_group("mathematics_alerts")

TOLD = "my stepdad hits me with his zither belt"
KEYS = ("0123456789abcdef", "0123456789abcdeg", "0123456789abcdeh")
T = load_words("en")
PAGES = ("/class", "/sets", "/sets/new", "/problems", "/problems/edit", "/data", "/alerts")


@pytest.fixture
def school(tmp_path: Path) -> School:
    made = School(tmp_path / "a.study", "kiwi", "mango", "fig")
    with Study.open(str(made.path)) as study:
        other = add_account(study, "Mr Wu", "teacher", PASSWORD, made_by=made.teacher.id)
        add_account(study, "pear", "student", PASSWORD, made_by=other.id)
    return made


@pytest.fixture
def port(school: School) -> Iterator[int]:
    with ExitStack() as stack:
        opened = stack.enter_context(open_study(str(school.path)))
        yield stack.enter_context(serving(opened)).port


def tell(port: int, school: School, who: str = "kiwi", text: str = TOLD, key: str = KEYS[0]) -> str:
    """A pupil writes this; gives the run."""
    client = Client(port, who)
    run = client.begin(school.work.id).run
    assert client.say(run, text, key).status == 200
    return run


def alert_in(page: str) -> str:
    found = re.search(r'action="/alerts/([\w-]{16})"', page)
    assert found, page
    return found[1]


def teacher(port: int, name: str = "Ms Li") -> Client:
    client = Client(port, name) if name == "Ms Li" else Client(port)
    if name != "Ms Li":
        assert client.post("/login", name=name, password=PASSWORD).status == 303
        client.csrf = client.get("/class").csrf
    return client


def test_every_page_of_the_teacher_says_who_when_and_where_until_somebody_sees_to_it(school: School, port: int) -> None:
    run = tell(port, school)
    her = teacher(port)
    pages = [*PAGES, f"/sets/{school.work.id}", f"/sets/{school.work.id}/counted", f"/transcripts/{run}"]
    for path in pages:
        page = her.get(path)
        assert page.status == 200
        assert T("alerts.may_need_help", name="kiwi") in page.text
        assert TOLD in page.text
        assert f'href="/transcripts/{run}?step=1"' in page.text
        assert "data-local" in page.text
        assert " · Week 1</p>" in page.text
    alert = alert_in(her.get("/class").text)
    assert her.post(f"/alerts/{alert}", verdict="seen").status == 303
    for path in pages[:-1]:
        assert T("alerts.may_need_help", name="kiwi") not in her.get(path).text
    listed = her.get("/alerts").text
    assert TOLD in listed
    assert re.search(r"Ms Li sees to it \(\d{4}-\d\d-\d\d \d\d:\d\d\)", listed)


def test_a_false_alarm_is_put_away_the_same_way(school: School, port: int) -> None:
    tell(port, school)
    her = teacher(port)
    alert = alert_in(her.get("/sets").text)
    assert her.post(f"/alerts/{alert}", verdict="nonsense").status == 404
    her.post(f"/alerts/{alert}", verdict="false")
    assert T("alerts.may_need_help", name="kiwi") not in her.get("/sets").text
    assert "false alarm, says Ms Li" in her.get("/alerts").text


def test_only_the_teacher_who_is_responsible_sees_it_and_no_pupil_does(school: School, port: int) -> None:
    run = tell(port, school)
    her, his, mango = teacher(port), teacher(port, "Mr Wu"), Client(port, "mango")
    alert = alert_in(her.get("/class").text)
    for path in PAGES:
        page = his.get(path).text
        assert "kiwi" not in page
        assert TOLD not in page
    assert his.get(f"/transcripts/{run}").status == 404
    assert his.post(f"/alerts/{alert}", verdict="seen").status == 404
    for path in ("/alerts", "/class/adult"):
        assert mango.get(path).status in (404, 405)
    assert mango.post(f"/alerts/{alert}", verdict="seen").status == 404
    assert mango.post("/class/adult", name="me").status == 404
    assert TOLD not in mango.get("/work").text
    assert 'id="alerts"' not in mango.get("/work").text
    with Study.open(str(school.path), read_only=True) as study:
        assert [one.verdict for one in all_alerts(study)] == [""]


def test_a_message_sent_twice_is_one_alert_and_many_are_counted(school: School, port: int) -> None:
    client = Client(port, "fig")
    run = client.begin(school.work.id).run
    for text, key in ((TOLD, KEYS[0]), (TOLD, KEYS[0]), ("i want to die", KEYS[1])):
        assert client.say(run, text, key).status == 200
    for number, who in enumerate(("kiwi", "mango")):
        tell(port, school, who, key=KEYS[number])
    page = teacher(port).get("/class").text
    assert page.count('class="ev-alert"') == 3
    assert T("alerts.more", n=1) in page


def test_a_call_that_comes_after_the_end_of_the_set_is_heard(school: School, port: int) -> None:
    her, kiwi = teacher(port), Client(port, "kiwi")
    run = kiwi.begin(school.work.id).run
    her.post(f"/sets/{school.work.id}/end", do="end")
    assert kiwi.say(run, "hello", KEYS[1]).status == 409
    assert TOLD not in her.get("/class").text
    assert kiwi.say(run, TOLD, KEYS[0]).status == 409
    assert TOLD in her.get("/class").text


def test_whom_the_teacher_names_is_what_children_read(school: School, port: int) -> None:
    her, kiwi = teacher(port), Client(port, "kiwi")
    assert T("alerts.help.nobody") in kiwi.get("/work").text
    typed = {"name": "Ms <b>Lee</b> & {name}", "reach": "room 12", "line": "116 111"}
    assert her.post("/class/adult", **typed).status == 303
    run = kiwi.begin(school.work.id).run
    for page in (kiwi.get("/work").text, kiwi.begin(school.work.id).text):
        assert "You can talk to Ms &lt;b&gt;Lee&lt;/b&gt; &amp; {name} (room 12)." in page
        assert "Help line: 116 111" in page
    assert kiwi.say(run, TOLD, KEYS[0]).status == 200
    reply = kiwi.events(run, 1, 1)[0]["text"]
    assert "Ms <b>Lee</b> & {name} (room 12)" in reply
    assert "Help line: 116 111." in reply
    assert "home" not in reply
    refused = her.post("/class/adult", name="", reach="room 12", line="")
    assert refused.status == 422
    assert T("alerts.adult.nobody") in refused.text
    assert her.post("/class/adult", name="x" * 81, reach="", line="").status == 422
    his = teacher(port, "Mr Wu")
    assert "&lt;b&gt;Lee" not in his.get("/class").text


def test_a_crash_loses_no_alert(school: School) -> None:
    with served(school.path) as server:
        run = tell(server.port, school)
        server.kill()
    with served(school.path) as server:
        her = teacher(server.port)
        page = her.get("/data").text
        assert TOLD in page
        assert run in page
        her.post(f"/alerts/{alert_in(page)}", verdict="seen")
        server.kill()
    with served(school.path) as server:
        assert TOLD not in teacher(server.port).get("/data").text


def test_it_is_exported_with_the_set_and_erased_with_the_pupil(school: School, port: int) -> None:
    tell(port, school)
    her = teacher(port)
    her.post(f"/alerts/{alert_in(her.get('/class').text)}", verdict="seen")
    table = her.get(f"/sets/{school.work.id}/export/alerts.csv").text
    [row] = csv.DictReader(io.StringIO(table.removeprefix("\ufeff")))
    assert (row["student"], row["text"], row["verdict"], row["settled_by"]) == ("student 1", TOLD, "seen", "Ms Li")
    [named] = csv.DictReader(
        io.StringIO(her.get(f"/sets/{school.work.id}/export/alerts.csv?names=yes").text.removeprefix("\ufeff"))
    )
    assert named["student"] == "kiwi"
    book = her.get(f"/sets/{school.work.id}/export/codebook.csv").text
    assert "alerts.csv,settled_by" in book
    her.post(f"/class/{school.students['kiwi'].id}/erase", sure="yes")
    assert TOLD not in her.get("/alerts").text
    left = b"".join(path.read_bytes() for path in school.path.parent.glob("a.study*"))
    assert b"zither" not in left


def test_erasing_leaves_no_byte_of_it(school: School, tmp_path: Path) -> None:
    def begin() -> None:
        with served(school.path) as server:
            tell(server.port, school)

    begin()
    with Study.open(str(school.path)) as study:
        found = account_named(study, "kiwi")
        assert found
        assert len(all_alerts(study)) == 1
        make_sure(study, take_out(study, found[0].id))
        assert all_alerts(study) == []
    left = b"".join(path.read_bytes() for path in tmp_path.glob("a.study*"))
    assert b"zither" not in left


def forms_in(page: str) -> list[str]:
    """The alerts that can be settled, each as often as a page has a form for it."""
    return re.findall(r'action="/alerts/([\w-]{16})"', page)


def test_every_waiting_call_has_its_buttons_on_the_list_and_in_its_transcript(school: School, port: int) -> None:
    client = Client(port, "fig")
    run = client.begin(school.work.id).run
    for number in range(5):
        assert client.say(run, f"{TOLD} {number}", f"{number}123456789abcdef").status == 200
    her = teacher(port)
    for path in ("/alerts", f"/transcripts/{run}", f"/transcripts/{run}?step=1"):
        page = her.get(path).text
        own = forms_in(page[page.index("</section>", page.index('id="alerts"')) :])
        assert len(own) == len(set(own)) == (5 if "step" not in path else 1)
    oldest = forms_in(her.get(f"/transcripts/{run}?step=1").text)[-1]
    answer = her.post(f"/alerts/{oldest}", verdict="false", back="talk")
    assert answer.headers["location"].startswith(f"/transcripts/{run}?step=1")


def test_a_verdict_is_taken_back_and_both_stay_in_the_data(school: School, port: int) -> None:
    tell(port, school)
    her = teacher(port)
    alert = alert_in(her.get("/alerts").text)
    her.post(f"/alerts/{alert}", verdict="false")
    assert T("alerts.take_back") in her.get("/alerts").text
    assert T("alerts.may_need_help", name="kiwi") not in her.get("/class").text
    her.post(f"/alerts/{alert}", verdict="open")
    assert T("alerts.may_need_help", name="kiwi") in her.get("/class").text
    her.post(f"/alerts/{alert}", verdict="seen")
    page = her.get("/alerts").text
    for said in ("false alarm, says Ms Li", "taken back by Ms Li", "Ms Li sees to it"):
        assert said in page
    table = her.get(f"/sets/{school.work.id}/export/alerts.csv").text
    [row] = csv.DictReader(io.StringIO(table.removeprefix("\ufeff")))
    assert row["verdict"] == "seen"
    assert [one[:2] for one in json.loads(row["verdicts"])] == [["false", "Ms Li"], ["", "Ms Li"], ["seen", "Ms Li"]]


def test_a_false_alarm_lets_the_dialogue_and_the_page_of_the_set_be_as_before(school: School, port: int) -> None:
    run = tell(port, school)
    kiwi, her = Client(port, "kiwi"), teacher(port)
    kiwi.begin(school.work.id)
    kiwi.events(run, 1, 1)
    flag = f">{T('teaching.serious.harm')}<"
    assert flag in her.get(f"/sets/{school.work.id}").text
    alert = alert_in(her.get("/alerts").text)
    her.post(f"/alerts/{alert}", verdict="false")
    assert flag not in her.get(f"/sets/{school.work.id}").text
    assert kiwi.say(run, "what do we have to find out?", KEYS[1]).status == 200
    reply = kiwi.events(run, 3, 1)[0]["text"]
    phrases = load_phrases("en")
    assert reply not in {one for move in CARE for one in phrases.at("moves", move)}


# --- in real browsers ---


def logged_in(browser: Any, port: int, name: str, locale: str = "en") -> Page:
    page: Page = browser.new_context(locale=locale).new_page()
    page.on("pageerror", lambda error: (_ for _ in ()).throw(AssertionError(error)))
    page.goto(f"http://127.0.0.1:{port}/login")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("main").locator("form button").first.click()
    expect(page.locator("header .ev-who")).to_have_text(name)
    return page


def test_it_comes_up_by_itself_and_is_answered_without_leaving_the_page(
    chromium: Any, school: School, port: int
) -> None:
    her = logged_in(chromium, port, "Ms Li")
    her.goto(f"http://127.0.0.1:{port}/sets/new")
    her.get_by_label("Title").fill("half written")
    banner = her.locator("#alerts article")
    expect(banner).to_have_count(0)
    apart(lambda: tell(port, school))
    expect(banner).to_have_count(1, timeout=30_000)
    expect(banner).to_contain_text("kiwi may need help")
    expect(banner).to_contain_text(TOLD)
    expect(banner.locator("time")).not_to_contain_text("UTC")
    banner.get_by_role("button", name=T("alerts.see_to_it")).click()
    expect(banner).to_have_count(0)
    expect(her.get_by_label("Title")).to_have_value("half written")
    apart(lambda: tell(port, school, "mango"))
    expect(banner).to_have_count(1, timeout=30_000)
    banner.get_by_role("link", name=T("alerts.open_it")).click()
    expect(her.locator("#transcript")).to_contain_text(TOLD)


def test_the_child_reads_kind_words_and_nothing_alarming(chromium: Any, school: School, port: int) -> None:
    def named() -> None:
        with Study.open(str(school.path)) as study:
            name_adult(study, Adult("Ms Lee", "room 12", "116 111"), school.teacher.id)

    apart(named)
    page = logged_in(chromium, port, "kiwi")
    apart(lambda: Client(port, "kiwi").begin(school.work.id))
    page.goto(f"http://127.0.0.1:{port}/work/{school.work.id}/1")
    before = page.locator(".ev-help").inner_text()
    assert "Ms Lee (room 12)" in before
    expect(page.locator("[data-live]")).to_be_attached()
    page.get_by_label("Your message").fill(TOLD)
    page.get_by_label("Your message").press("Enter")
    reply = page.locator("#said li.is-peer-0, #said li.is-peer-1").last
    expect(reply).to_contain_text("Ms Lee")
    expect(page.locator("#typing")).to_have_text("")
    assert page.locator(".ev-help").inner_text() == before
    assert page.locator(".ev-bad:visible, .is-bad:visible, [role=alert]:visible").count() == 0


def test_the_banner_stays_in_view_and_what_is_jumped_to_stops_below_it(
    chromium: Any, school: School, port: int
) -> None:
    def told() -> None:
        for number, who in enumerate(("kiwi", "mango", "fig")):
            tell(port, school, who, key=KEYS[number])

    apart(told)
    page = logged_in(chromium, port, "Ms Li")
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(f"http://127.0.0.1:{port}/class#adult")
    banner, jumped = page.locator("#alerts"), page.locator("#adult h2")
    expect(banner).to_be_in_viewport()
    box = banner.bounding_box()
    assert box is not None
    assert box["y"] == 0
    assert box["height"] <= 640 / 2
    there = jumped.bounding_box()
    assert there is not None
    assert there["y"] >= box["height"]
