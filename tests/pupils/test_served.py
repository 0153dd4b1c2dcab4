"""The students' pages as they are served: who gets what, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eduverse_mesa.pupils import student
from eduverse_mesa.store import Study
from eduverse_mesa.store.classwork import surveys_of
from eduverse_mesa.store.dialogues import messages_of
from tests.pupils.mathematics import PASSWORD, Client, School, Served, served

pytestmark = pytest.mark.xdist_group("mathematics_served")

KEY = "0123456789abcdef"


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return School(tmp_path_factory.mktemp("school") / "a.study", "kiwi", "mango", "plum", "fig", "Alice")


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Served]:
    with served(school.path) as one:
        yield one


def test_nobody_sees_anything_who_is_not_logged_in(server: Served, school: School) -> None:
    client = Client(server.port)
    for path in ("/", "/work", f"/work/{school.work.id}/1", f"/survey/{school.work.id}"):
        reply = client.get(path)
        assert (reply.status, reply.headers["location"]) == (303, "/login")
    assert client.get("/talk/x/events").status == 401
    assert client.ask("POST", "/talk/x/say", "text=a&key=12345678").status == 401
    assert client.get("/nowhere").status == 404


def test_every_answer_carries_headers_that_let_nothing_else_in(server: Served) -> None:
    for path in ("/login", "/static/talk.js", "/nowhere"):
        headers = Client(server.port).get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in Client(server.port).get("/login").text


def test_a_login_gets_a_new_cookie_that_scripts_cannot_read_and_ends_on_the_server(server: Served) -> None:
    client = Client(server.port)
    client.cookie = "eduverse_mathematics=chosen-by-somebody-else"
    reply = client.post("/login", name="kiwi", password=PASSWORD)
    cookie = reply.headers["set-cookie"].lower()
    assert "chosen" not in cookie
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    before = client.cookie
    client.csrf = client.get("/work").csrf
    assert client.post("/logout").status == 303
    client.cookie = before
    assert client.get("/work").status == 303


def test_a_wrong_password_is_refused_and_guessing_is_slowed_down(server: Served) -> None:
    client = Client(server.port)
    said = [client.post("/login", name="fig", password=f"guess {n}").status for n in range(7)]
    assert said == [403] * 5 + [429] * 2
    assert client.post("/login", name="fig", password=PASSWORD).status == 429, "also with the right one, by now"
    assert client.post("/login", name="plum", password=PASSWORD).status == 303


def test_a_script_behind_the_schools_address_keeps_no_fresh_tablet_out(server: Served) -> None:
    script = Client(server.port)
    said = {
        script.post("/login", name=name, password=f"guess {n}").status for n in range(12) for name in ("fig", "a b")
    }
    assert said == {403, 429}
    tablet = Client(server.port)
    assert tablet.post("/login", name="plum", password=PASSWORD).status == 303


def test_what_other_sites_send_is_refused(server: Served, school: School) -> None:
    client = Client(server.port, "plum")
    run = client.begin(school.work.id).run
    good, client.csrf = client.csrf, "0" * 64
    for path in (f"/talk/{run}/say", f"/talk/{run}/typing", f"/survey/{school.work.id}", "/consent", "/logout"):
        assert client.post(path, text="hi", key=KEY, fun="1").status == 403
        body = f"csrf={good}&text=hi&key={KEY}"
        assert client.ask("POST", path, body, Origin="https://evil.example").status == 403
        assert client.ask("POST", path, body, Sec_Fetch_Site="cross-site").status == 403
    with Study.open(str(school.path), read_only=True) as study:
        assert all(row.speaker != "plum" for row in messages_of(study, run))


def test_nothing_is_said_before_a_student_has_agreed(server: Served, school: School) -> None:
    client = Client(server.port, "mango")
    page = client.get(f"/work/{school.work.id}/1")
    assert 'action="/consent"' in page.text
    assert "data-talk" not in page.text
    assert client.post("/consent", then="//evil.example").headers["location"] == "/work"
    assert "data-talk" in client.get(f"/work/{school.work.id}/1").text


def test_one_student_cannot_reach_what_is_anothers(server: Served, school: School) -> None:
    kiwi, mango = Client(server.port, "kiwi"), Client(server.port, "mango")
    mango.begin(school.work.id)
    run = kiwi.begin(school.work.id).run
    secret = "my own idea is 17 bananas"
    assert kiwi.say(run, secret, "kiwis0000001").status == 200
    assert kiwi.get(f"/work/{school.work.id}/1").run == run, "opened again it is the same dialogue"
    assert mango.get(f"/talk/{run}/events").status == 404
    assert mango.say(run, "hello", KEY).status == 404
    assert mango.ask("POST", f"/talk/{run}/typing", "", X_CSRF=mango.csrf).status == 404
    own = mango.get(f"/work/{school.work.id}/1")
    assert own.run != run
    assert secret not in own.text
    replayed = mango.ask("POST", f"/talk/{run}/say", f"text=x&key={KEY}", X_CSRF=kiwi.csrf)
    assert replayed.status == 403, "a form of another's login"
    for assignment, number in (("guessed", 1), (school.work.id, 0), (school.work.id, 99)):
        assert mango.get(f"/work/{assignment}/{number}").status == 404
    assert mango.get("/class").status == 404
    with Study.open(str(school.path), read_only=True) as study:
        assert [row.text for row in messages_of(study, run) if row.speaker == "kiwi"] == [secret]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\u202e\u4f60\u597d & \"'", "{{7*7}} ${x}", "x" * 2000])
def test_hostile_words_are_words(server: Served, school: School, text: str) -> None:
    client = Client(server.port, "kiwi")
    run = client.begin(school.work.id, 2).run
    key = f"hostile{abs(hash(text))}"
    assert client.say(run, text, key).status == 200
    assert client.say(run, text, key).status == 200
    page = client.get(f"/work/{school.work.id}/2").text
    assert "<script>alert" not in page
    with Study.open(str(school.path), read_only=True) as study:
        assert len([row for row in messages_of(study, run) if row.key == key]) == 1


@pytest.mark.parametrize(
    "fields", [{"text": "", "key": KEY}, {"text": "x" * 2001, "key": KEY}, {"text": "a", "key": "'"}]
)
def test_what_no_page_of_ours_sends_is_refused(server: Served, school: School, fields: dict[str, str]) -> None:
    client = Client(server.port, "kiwi")
    run = client.begin(school.work.id, 2).run
    assert client.post(f"/talk/{run}/say", **fields).status == 400
    assert client.ask("POST", f"/talk/{run}/say", "x" * 300_000).status == 413


def test_who_is_called_as_a_peer_is_gets_another_name_in_the_group(server: Served, school: School) -> None:
    client = Client(server.port, "Alice")
    run = client.begin(school.work.id).run
    client.say(run, "hello", KEY)
    with Study.open(str(school.path), read_only=True) as study:
        assert "Alice 2" in {row.speaker for row in messages_of(study, run)}


def test_the_survey_wants_all_seven_from_one_to_five(server: Served, school: School) -> None:
    client = Client(server.port, "mango")
    items = student.SURVEY
    path = f"/survey/{school.work.id}"
    assert client.post(path, **dict.fromkeys(items, "6")).status == 422
    assert client.post(path, **dict.fromkeys(items[1:], "3")).status == 422
    assert client.post(path, **dict.fromkeys(items, "4")).status == 303
    assert client.get(path).text.count("checked") == 7
    with Study.open(str(school.path), read_only=True) as study:
        assert surveys_of(study, school.work.id)[school.students["mango"].id] == dict.fromkeys(items, 4)


def test_pages_speak_the_browsers_language(server: Served) -> None:
    assert "登录" in Client(server.port).get("/login", Accept_Language="zh-CN,zh;q=0.9").text
