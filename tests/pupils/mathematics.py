"""The pages for mathematics, really served, and a browser without a screen: what it is sent, and what it sends."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec

from eduverse_mesa.pupils.dialogues import Dialogues, Minds
from eduverse_mesa.pupils.request import BROWSER, Site
from eduverse_mesa.pupils.server import make_app
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import AccountRow, AssignmentRow, Study
from eduverse_mesa.store.accounts import add_account
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.web.connections import make_server
from tests.models.groups import STEPS, problem, setup

PASSWORD = "correct horse"


def apart(do: Callable[[], object]) -> None:
    """Done in a thread of its own: where browsers are driven, a loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(do).result()


class School:
    """A study with a teacher, students and a set of two problems."""

    def __init__(self, path: Path, *students: str, **rules: Any) -> None:
        self.path = path
        with Study.open(str(path), create=True) as study:
            self.teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
            self.students: dict[str, AccountRow] = {
                name: add_account(study, name, "student", PASSWORD, made_by=self.teacher.id) for name in students
            }
            rules = {"wait_alone": 0.5, "wait_shared": 0.1, "goes_on": 1} | rules
            plan = setup("multiplies", (), **rules).model_copy(
                update={"problems": (problem(STEPS), problem("race_fuel"))}
            )
            text = msgspec.json.encode(plan.model_dump(mode="json", by_alias=True)).decode()
            ids = [one.id for one in self.students.values()]
            self.work: AssignmentRow = add_assignment(study, "Week 1", text, ids, self.teacher.id)


class Served:
    """A process that serves a study; it can be killed, and started again at the same port."""

    def __init__(self, study: Path, *options: str, port: int = 0, before: tuple[str, ...] = ()) -> None:
        command = [*before, sys.executable, "-m", "eduverse_mesa", "mathvc", "serve", "--study", str(study)]
        command += ["--typing", "0"]
        with (study.parent / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(port), *options], stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()
        found = re.search(r"http://[\w.]+(?::(\d+))?/", self.greeting)
        assert found, (study.parent / "server.log").read_text()
        self.port = int(found[1] or 80)
        self.address = f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def served(study: Path, *options: str, before: tuple[str, ...] = ()) -> Iterator[Served]:
    """`before`: what the command is begun by."""
    one = Served(study, *options, before=before)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.kill()


class Here(NamedTuple):
    """Where browsers find it."""

    port: int
    address: str


@contextmanager
def serving(opened: OpenStudy, minds: Minds | None = None) -> Iterator[Here]:
    """The real server in a thread, for what depends on no process of its own: to start one takes two seconds."""
    sock = socket.create_server(("127.0.0.1", 0))
    port = sock.getsockname()[1]
    app = make_app(Site(opened, Dialogues(opened, typing=0, minds=minds or Minds())))
    server = make_server(app, proxied=False, grace=1)
    thread = Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        yield Here(port, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join(90)


class Reply:
    """An answer, read."""

    def __init__(self, answer: HTTPResponse) -> None:
        self.status = answer.status
        self.headers = answer.headers
        self.text = answer.read().decode()

    @property
    def csrf(self) -> str:
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.text)
        assert found, self.text
        return found[1]

    @property
    def run(self) -> str:
        found = re.search(r'data-talk="([^"]+)"', self.text)
        assert found, self.text
        return found[1]


class Client:
    """A browser without a screen."""

    def __init__(self, port: int, name: str = "") -> None:
        self.port, self.cookie, self.browser, self.csrf = port, "", "", ""
        if name:
            assert self.post("/login", name=name, password=PASSWORD).status == 303
            self.csrf = self.get("/class").csrf if name == "Ms Li" else self.get("/work").csrf

    def ask(self, method: str, path: str, body: str | bytes | None = None, **headers: str) -> Reply:
        shown = "; ".join(one for one in (self.cookie, self.browser) if one)
        given = {"Cookie": shown} if shown else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(method, path, body, given)
            reply = Reply(connection.getresponse())
        for cookie in reply.headers.get_all("set-cookie", []):
            pair = cookie.partition(";")[0]
            if pair.startswith(BROWSER):
                self.browser = pair
            else:
                self.cookie = pair
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, **headers)

    def post(self, path: str, **fields: str) -> Reply:
        return self.ask("POST", path, urlencode({"csrf": self.csrf, **fields}))

    def upload(self, path: str, content: bytes) -> Reply:
        """A form with a file."""
        parts = {"csrf": ("", self.csrf.encode()), "file": ('; filename="../../a.yaml"', content)}
        body = b"".join(
            b'--line\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
            % (name.encode(), file.encode(), held)
            for name, (file, held) in parts.items()
        )
        return self.ask("POST", path, body + b"--line--\r\n", Content_Type="multipart/form-data; boundary=line")

    def raw(self, path: str) -> bytes:
        """What is no text."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request("GET", path, headers={"Cookie": self.cookie})
            return connection.getresponse().read()

    def say(self, run: str, text: str, key: str) -> Reply:
        return self.ask("POST", f"/talk/{run}/say", urlencode({"text": text, "key": key}), X_CSRF=self.csrf)

    def begin(self, work: str, number: int = 1) -> Reply:
        """Agree, and open a problem."""
        self.post("/consent", then=f"/work/{work}/{number}")
        return self.get(f"/work/{work}/{number}")

    def events(self, run: str, after: int, enough: int) -> list[dict[str, Any]]:
        """What comes by itself, until so many messages have come or the dialogue is over."""
        found: list[dict[str, Any]] = []
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request("GET", f"/talk/{run}/events?after={after}", headers={"Cookie": self.cookie})
            answer = connection.getresponse()
            assert answer.status == 200
            while line := answer.readline():
                if line.startswith(b"data: "):
                    event = msgspec.json.decode(line[6:])
                    found += event["messages"]
                    if len(found) >= enough or event["over"]:
                        break
        return found
