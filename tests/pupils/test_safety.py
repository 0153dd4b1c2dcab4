"""The pages for mathematics, seen by somebody clever who means no good."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote, urlencode

import anyio
import pytest
from sqlalchemy import update
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from eduverse_mesa.pupils import dialogues, request
from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.pupils.request import Site, read_parts
from eduverse_mesa.pupils.server import make_app
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study, TalkRow, logins, schema
from eduverse_mesa.store.accounts import TooManyError, add_account
from eduverse_mesa.store.alerts import all_alerts
from eduverse_mesa.store.classwork import add_group, save_problem
from eduverse_mesa.store.dialogues import messages_of
from tests.models.groups import problem, setup
from tests.pupils.mathematics import PASSWORD, Client, School, Served, apart, served

pytestmark = pytest.mark.xdist_group("mathematics_safety")

KEY = "0123456789abcdef"
NAMES = ("kiwi", "mango", "plum", "fig", "pear")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    made = School(tmp_path_factory.mktemp("school") / "a.study", *NAMES)
    with Study.open(str(made.path)) as study:
        add_account(study, "Mr Wu", "teacher", PASSWORD)
    return made


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Served]:
    with served(school.path) as one:
        yield one


@pytest.fixture(scope="module")
def kiwis(server: Served, school: School) -> dict[str, str]:
    """What belongs to kiwi and to its teacher, by the names that stand in addresses."""
    client = Client(server.port, "kiwi")
    run = client.begin(school.work.id).run
    assert client.say(run, "my own idea is 17 bananas", f"first{KEY}").status == 200
    assert client.say(run, "my stepdad hits me", f"secnd{KEY}").status == 200
    with Study.open(str(school.path)) as study:
        [alert] = all_alerts(study)
        group = add_group(study, "6b", [school.students["kiwi"].id], school.teacher.id).id
        own = save_problem(study, "bananas", "text: 17 bananas", school.teacher.id).id
    kiwi, teacher = school.students["kiwi"].id, school.teacher.id
    given = {"run": run, "assignment": school.work.id, "number": "1", "student": kiwi, "group": group, "own": own}
    return given | {"teacher": teacher, "file": "messages.csv", "alert": alert.id}


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """Every method and address that there is: who adds one does not have to think of this test."""
    with open_study(str(tmp_path_factory.mktemp("routes") / "a.study"), create=True) as opened:
        app = make_app(Site(opened, Dialogues(opened)))
        found = [(method, one.path) for one in app.routes if isinstance(one, Route) for method in one.methods or ()]
    assert len(found) > 40
    return sorted(set(found) - {("HEAD", path) for _, path in found})


def held_by(school: School) -> list[str]:
    """All that the study says of anybody, but for who is logged in."""
    with Study.open(str(school.path), read_only=True) as study, study.driver() as driver:
        return [line for line in driver.iterdump() if not re.match(r'INSERT INTO "?(logins|refusals|meta)', line)]


def filled(path: str, given: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda part: quote(given[part[1]]), path)


def test_no_change_is_made_for_a_form_that_is_not_ours(
    server: Served, school: School, routes: list[tuple[str, str]], kiwis: dict[str, str]
) -> None:
    """Each POST that there is: without the token, with another login's, and sent by another site."""
    kiwi, mango, teacher = (Client(server.port, name) for name in ("kiwi", "mango", "Ms Li"))
    posts = [filled(path, kiwis) for method, path in routes if method == "POST" and path != "/login"]
    assert len(posts) > 15
    fields = {"text": "hi", "key": KEY, "names": "evil", "name": "evil", "sure": "yes", "days": "1", "title": "evil"}
    before = held_by(school)
    for path in posts:
        for client, other in ((kiwi, mango), (teacher, kiwi)):
            for csrf in ("", other.csrf):
                assert client.ask("POST", path, urlencode({**fields, "csrf": csrf})).status == 403, path
            assert client.ask("POST", path, "", X_CSRF=other.csrf).status == 403, path
            good = urlencode({**fields, "csrf": client.csrf})
            for header in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "same-site"}):
                assert client.ask("POST", path, good, **header).status == 403, path
        nobody = Client(server.port)
        assert nobody.ask("POST", path, urlencode(fields)).status == 401, path
    for header in ({"Origin": "https://evil.example"}, {"Sec_Fetch_Site": "cross-site"}):
        body = urlencode({"name": "kiwi", "password": PASSWORD})
        assert Client(server.port).ask("POST", "/login", body, **header).status == 403, "nobody is logged in by another"
    assert held_by(school) == before
    assert kiwi.get("/work").status == 200, "nor logged out"


def test_there_are_no_other_methods_than_those(routes: list[tuple[str, str]]) -> None:
    assert {method for method, _ in routes} == {"GET", "POST"}


def test_whoever_asks_for_headers_alone_changes_nothing(
    server: Served, school: School, routes: list[tuple[str, str]], kiwis: dict[str, str]
) -> None:
    """HEAD is sent by another site without a check, and may carry a form: it is GET without the page."""
    teacher, stranger = Client(server.port, "Ms Li"), Client(server.port)
    body = urlencode(
        {"csrf": teacher.csrf, "name": "kiwi", "password": "x", "sure": "yes", "days": "1", "do": "delete"}
    )
    before = held_by(school)
    gets = {filled(path, kiwis) for method, path in routes if method == "GET"}
    for path in sorted({filled(path, kiwis) for _, path in routes}):
        reply = teacher.ask("HEAD", path, body, Origin="http://evil.example", Sec_Fetch_Site="cross-site")
        assert reply.text == ""
        looked = teacher.get(path).status if path in gets and not path.endswith("/events") else 405
        assert path.endswith("/events") or reply.status == looked, path
    with Study.open(str(school.path), read_only=True) as study, study.driver() as driver:
        tries = "select count(*), coalesce(sum(tries), 0) from refusals"
        (counted,) = driver.execute(tries)
        assert stranger.ask("HEAD", "/login", body, Origin="http://evil.example").status == 200
        assert list(driver.execute(tries)) == [counted], "nor is a password looked at"
    assert held_by(school) == before


def test_an_origin_that_is_none_is_refused_like_anothers(server: Served, school: School) -> None:
    for origin in ("http://[", "http://[::1", "http://a:b", "http://\u2100.example", "null", ""):
        for path in ("/login", "/data", "/language"):
            name = origin.encode().decode("latin-1")
            assert Client(server.port).ask("POST", path, "name=a&password=b", Origin=name).status == 403, (origin, path)
    assert "Traceback" not in (school.path.parent / "server.log").read_text()


def test_what_is_anothers_is_nobodys_business(
    server: Served, school: School, routes: list[tuple[str, str]], kiwis: dict[str, str]
) -> None:
    """Every address of kiwi and of its teacher, asked for by another student, by a teacher of another class, and by
    nobody: none gives a byte of it, and none changes anything."""
    Client(server.port, "mango").begin(school.work.id)
    before = held_by(school)
    for name in ("mango", "Mr Wu", ""):
        client = Client(server.port, name)
        if name == "Mr Wu":
            client.csrf = client.get("/class").csrf
        for method, path in routes:
            if "{" not in path or path.startswith("/static"):
                continue
            if (
                name == "mango"
                and set(re.findall(r"\{(\w+)\}", path)) <= {"assignment", "number"}
                and (path.startswith(("/work", "/survey")))
            ):
                continue  # its own, in the set that it shares with kiwi
            fields = {"csrf": client.csrf, "text": "evil", "key": KEY, "sure": "yes", "name": "evil", "title": "evil"}
            reply = client.ask(method, filled(path, kiwis), urlencode(fields) if method == "POST" else None)
            assert reply.status in ((303, 401) if not name else (404,)), (name, method, path, reply.status)
            assert "banana" not in reply.text, path
    assert held_by(school) == before


WORK = "/".join(("", "work", ""))
"""Where students' pages are."""
STRANGE = (
    f"{WORK}../class",
    "/talk/%2e%2e%2fclass/say",
    "/static/../server.py",
    "/static/%2e%2e/%2e%2e/setup",
    "/talk/%00/events",
    "/class/%00/erase",
    f"{WORK}%f0%9f%92%a9/1",
    "/sets/%ff/export/all.zip",
    "/problems/edit?own=%00",
    "/transcripts/'%20or%201=1--",
    f"{WORK}x/9999999999999999",
    "/%0d%0aset-cookie:x=1",
)


def test_strange_addresses_are_not_there(server: Served) -> None:
    for name in ("mango", "Mr Wu"):
        client = Client(server.port, name)
        for path in STRANGE:
            reply = client.get(path)
            assert reply.status in (400, 404), (path, reply.text)
            assert "set-cookie" not in reply.headers


def test_a_form_that_is_too_large_or_no_form_is_refused(server: Served, school: School) -> None:
    client = Client(server.port, "mango")
    run = client.begin(school.work.id).run
    path = f"/talk/{run}/say"
    many = "&".join(f"f{number}=1" for number in range(10_000))
    assert client.ask("POST", path, many, X_CSRF=client.csrf).status == 400
    strange = {
        "text=%FF%FE&key=": 400,
        "text=%00a&key=": 200,
        "=&=&&&=": 400,
        "text[]=a&text[x]=b&key=": 400,
        "{}": 400,
    }
    for number, (body, status) in enumerate(strange.items()):
        whole = f"{body}strange{number:09}" if body.endswith("key=") else body
        got = client.ask("POST", path, whole, X_CSRF=client.csrf).status
        assert got == (200 if body.startswith("text=%FF") else status), body
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        connection.putrequest("POST", path)
        for key, value in {"Cookie": client.cookie, "X-CSRF": client.csrf, "Content-Length": 50 * 2**20}.items():
            connection.putheader(key, str(value))
        connection.endheaders()
        with suppress(BrokenPipeError, ConnectionResetError):  # it does not wait for the rest
            for _ in range(50):
                connection.send(b"x" * 2**20)
        with suppress(BrokenPipeError, ConnectionResetError):
            assert connection.getresponse().status == 413
    with Study.open(str(school.path), read_only=True) as study:
        said = [row.text for row in messages_of(study, run) if row.speaker == "mango"]
    assert said == ["\ufffd\ufffd", "\ufffda"], "letters that are none are shown as such"


def test_who_sends_slowly_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's own patience, shortened."""
    monkeypatch.setattr(request, "SLOWEST_BODY", 0.05)

    async def drop_by_drop() -> dict[str, object]:
        await anyio.sleep(0.02)
        return {"type": "http.request", "body": b"a", "more_body": True}

    async def ask() -> None:
        await request.read_body(Request({"type": "http", "method": "POST", "headers": []}, drop_by_drop))

    with pytest.raises(HTTPException) as refused:
        apart(lambda: anyio.run(ask))
    assert refused.value.status_code == 408


def test_a_login_that_was_planted_is_worth_nothing(server: Served) -> None:
    """Whoever knows a token from before knows none afterwards; and each cookie carries its flags."""
    before = Client(server.port, "plum")
    planted = before.cookie
    victim = Client(server.port)
    victim.cookie = planted
    reply = victim.post("/login", name="mango", password=PASSWORD)
    assert reply.status == 303
    assert victim.cookie != planted
    assert before.get("/work").status == 303, "the planted login has ended"
    for cookie in reply.headers.get_all("set-cookie", []):
        flags = {part.strip().lower().partition("=")[0] for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite", "path", "max-age"} <= flags
        assert "domain" not in flags
        assert PASSWORD not in cookie
        assert "mango" not in cookie
    chosen = Client(server.port)
    chosen.cookie = "eduverse_mathematics=chosen-by-an-attacker"
    assert chosen.get("/work").status == 303
    assert chosen.post("/logout").status == 401


def test_by_https_cookies_are_bound_to_the_server(tmp_path: Path) -> None:
    School(tmp_path / "a.study", "kiwi")
    body = urlencode({"name": "kiwi", "password": PASSWORD}).encode()
    sent: list[Any] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def ask(app: Any) -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/login",
            "query_string": b"",
            "headers": [],
            "scheme": "https",
        }
        await app(
            {**scope, "scheme": "https", "server": ("maths.school.example", 443), "client": ("1.2.3.4", 5)},
            receive,
            send,
        )

    with open_study(str(tmp_path / "a.study")) as opened:
        app = make_app(Site(opened, Dialogues(opened), secure=True))
        apart(lambda: anyio.run(ask, app))
    cookies = [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]
    assert len(cookies) == 2
    for cookie in cookies:
        assert cookie.startswith("__Host-")
        assert "; secure" in cookie.lower()
        assert "path=/;" in cookie.lower()


def test_logging_out_ends_every_login_and_every_open_page(server: Served, school: School) -> None:
    here, there, friend = Client(server.port, "plum"), Client(server.port, "plum"), Client(server.port, "mango")
    run = there.begin(school.work.id).run
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        connection.request("GET", f"/talk/{run}/events", headers={"Cookie": there.cookie})
        answer = connection.getresponse()
        assert answer.readline().startswith((b"data", b"id"))
        assert here.post("/logout").status == 303
        while answer.readline():  # it ends: more than the rest of what was under way does not come
            pass
    assert there.get("/work").status == 303
    assert there.say(run, "still me?", KEY).status == 401
    assert friend.get("/work").status == 200


def test_names_are_not_told_by_words_or_status(server: Served) -> None:
    said = []
    for name in ("pear", "nobody at all"):
        replies = [Client(server.port).post("/login", name=name, password=f"guess {n}") for n in range(6)]
        said.append([(one.status, re.sub(r"\d+", "n", one.text).replace(name, "")) for one in replies])
    assert said[0] == said[1]
    assert [status for status, _ in said[0]] == [403] * 5 + [429]


def test_a_pupil_whose_name_others_guess_at_logs_in_with_its_own_browser(server: Served) -> None:
    own = Client(server.port, "fig")
    own.post("/logout")
    other = Client(server.port)
    for number in range(7):
        other.post("/login", name="fig", password=f"guess {number}")
    assert other.post("/login", name="fig", password=PASSWORD).status == 429
    assert own.post("/login", name="Fig", password=PASSWORD).status == 303


def test_a_spray_of_made_up_names_keeps_no_pupil_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that goes on meanwhile, and pupils with right passwords in browsers that were never there."""
    school, over = School(tmp_path / "a.study", *NAMES), Event()
    said: list[int] = []
    with Study.open(str(school.path)) as study, monkeypatch.context() as patch:
        patch.setattr(logins, "is_password", lambda *_: False)  # it takes time
        with suppress(TooManyError):
            for number in count():
                logins.log_in(study, f"made up {number}", "wrong", "127.0.0.1", time.time())

    def spray(port: int, script: int) -> None:
        for number in count():
            if over.is_set():
                return
            said.append(Client(port).post("/login", name=f"{script} {number}", password="x").status)

    with served(school.path) as one, ThreadPoolExecutor(4) as pool:
        scripts = [pool.submit(spray, one.port, script) for script in range(4)]
        try:
            first = [Client(one.port).post("/login", name=name, password=PASSWORD).status for name in NAMES]
        finally:
            over.set()
        for script in scripts:
            script.result()
    assert first == [303] * len(NAMES), "each at the first try"
    assert 429 in said


def test_one_pupil_holds_no_more_pages_open_than_a_browser_does(server: Served, school: School) -> None:
    """A script that opens the stream again and again: the first are let go, and the newest works."""
    client = Client(server.port, "mango")
    run = client.begin(school.work.id).run
    opened: list[http.client.HTTPConnection] = []
    answers = []
    try:
        for _ in range(dialogues.MOST + 4):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
            connection.request("GET", f"/talk/{run}/events", headers={"Cookie": client.cookie})
            opened.append(connection)
            answers.append(connection.getresponse())
            assert answers[-1].readline()
        for answer in answers[:4]:
            while answer.readline():
                pass
        assert client.say(run, "is anybody there?", f"many{KEY}").status == 200
        heard = b""
        while b"anybody there" not in heard:
            line = answers[-1].readline()
            assert line, "the newest is told"
            heard += line
    finally:
        for connection in opened:
            connection.close()


def test_an_error_tells_a_student_nothing_of_the_study(server: Served, school: School) -> None:
    with open_study(str(school.path)) as opened:
        spec = GroupSpec(setup("swaps_rates", ("kiwi",)).model_copy(update={"problems": (problem("race_fuel"),)}), 1)
        talk = TalkRow("math-not-to-be-told", school.students["kiwi"].id, school.work.id, "race_fuel")
        begin_talk(opened, spec, talk.run, of=talk)
        with opened.study.transaction() as connection:
            connection.execute(update(schema.runs).where(schema.runs.c.id == talk.run).values(scenario="{}"))
    client = Client(server.port, "kiwi")
    client.begin(school.work.id)
    reply = client.get(f"/work/{school.work.id}/2")
    assert reply.status == 422
    assert "tell your teacher" in reply.text
    assert "not-to-be-told" not in reply.text
    assert school.path.name not in reply.text


def _part(head: str, content: str = "x") -> str:
    return f"--l\r\n{head}\r\n\r\n{content}\r\n"


UPLOADS = {
    "a head without end": _part('Content-Disposition: form-data; name="a"; ' + 'a*0="x";' * 32000),
    "brackets": _part("Content-Disposition: " + "(" * 4000),
    "forms in forms": "".join(
        f"--{'l' if n == 0 else f'b{n}'}\r\nContent-Type: multipart/mixed; boundary=b{n + 1}\r\n\r\n"
        for n in range(4000)
    ),
    "no name": _part("Content-Disposition: form-data"),
    "two names": _part('Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"'),
    "nothing": "",
    "too many": _part('Content-Disposition: form-data; name="a"') * 5,
}


@pytest.mark.parametrize("body", UPLOADS.values(), ids=UPLOADS)
def test_a_form_that_is_none_is_refused_at_once(body: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match="this"):
        read_parts("multipart/form-data; boundary=l", (body + "--l--\r\n").encode())
    assert time.process_time() - began < 5, "a quarter of a megabyte once took it a minute"


def test_a_form_with_a_file_is_read_as_it_was_sent() -> None:
    body = _part('Content-Disposition: form-data; name="csrf"', "12") + _part(
        'Content-Disposition: form-data; name="file"; filename="a;(b).yaml"\r\nContent-Type: text/yaml', "é\r\n--k\r\n"
    )
    read = read_parts('multipart/form-data; boundary="l"', (body + "--l--\r\n").encode())
    assert read == {"csrf": ["12"], "file": ["é\r\n--k\r\n"]}


def test_a_form_with_a_file_is_read_only_where_one_is_awaited_and_for_teachers(server: Served) -> None:
    assert Client(server.port).upload("/login", b"x").status == 400
    assert Client(server.port).upload("/problems/upload", b"x").status == 401
    assert Client(server.port, "kiwi").upload("/problems/upload", b"x").status == 404
