"""The door before the doors: connections that only hold a place, over real sockets, at both servers."""

from __future__ import annotations

import http.client
import selectors
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

import pytest
from sqlalchemy import insert

from eduverse_mesa.pupils.request import COOKIE
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study, schema
from eduverse_mesa.store.accounts import hash_password, hashed
from eduverse_mesa.web import connections
from eduverse_mesa.web.addresses import network_of, refused_host
from eduverse_mesa.web.connections import Connection, Connections, raise_file_limit
from tests.browser import Dashboard
from tests.policies.test_waiting import PATIENCE
from tests.pupils.mathematics import PASSWORD, Client, School, Served, served, serving

pytestmark = pytest.mark.xdist_group("connections")

HALF = b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
WHOLE = b"GET /%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
MANY = 1100
FEW_FILES = ("sh", "-c", 'ulimit -Sn 256 && ulimit -Hn 1024 && exec "$@"', "sh")
"""A server that may open as many files as most systems let a program open, and is given fewer."""


class Running(NamedTuple):
    """A server that runs."""

    name: str
    process: int
    port: int
    log: Path


@pytest.fixture(scope="module", params=["mathematics", "dashboard"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "mathematics":
        one = Served(School(folder / "a.study", "kiwi").path, before=FEW_FILES)
        yield Running(request.param, one.process.pid, one.port, folder / "server.log")
        one.kill()
    else:
        other = Dashboard(folder, before=FEW_FILES)
        port = int(other.address.rpartition(":")[2])
        yield Running(request.param, other.process.pid, port, folder / "server.log")
        other.close()


def half_open(port: int, sent: bytes = HALF) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), 30)
    one.sendall(sent)
    return one


def status_of(port: int, path: str = "/login") -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


@contextmanager
def flood(port: int) -> Iterator[list[int]]:
    """More than a thousand half requests from this address, opened anew as soon as they are ended, until the end."""
    raise_file_limit()
    over, counted = Event(), [0]

    def open_all() -> None:
        with ExitStack() as stack, selectors.DefaultSelector() as selector:

            def one_more() -> None:
                try:
                    made = half_open(port)
                except OSError:  # ended before it could say anything
                    return
                counted[0] += 1
                selector.register(made, selectors.EVENT_READ)

            while not over.is_set():
                while len(selector.get_map()) < MANY and not over.is_set():
                    one_more()
                for key, _ in selector.select(0.05):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
            for key in list(selector.get_map().values()):
                stack.callback(key.fileobj.close)  # type: ignore[union-attr]

    thread = Thread(target=open_all)
    thread.start()
    try:
        yield counted
    finally:
        over.set()
        thread.join(60)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the limits of another process")
def test_a_server_opens_as_many_files_as_it_may(server: Running) -> None:
    import resource

    assert resource.prlimit(server.process, resource.RLIMIT_NOFILE) == (1024, 1024)


def test_half_requests_keep_nobody_out(server: Running) -> None:
    path = "/login" if server.name == "mathematics" else "/enter"
    with flood(server.port) as opened:
        while opened[0] < MANY:
            time.sleep(0.05)
        for _ in range(8):
            assert status_of(server.port, path) == 200
    assert opened[0] >= MANY
    log = server.log.read_text()
    assert "out of system resource" not in log
    assert len(log.splitlines()) < 10, log[:2000]


def test_whoever_sends_the_header_and_keeps_the_rest_keeps_nobody_out(server: Running) -> None:
    path = "/login" if server.name == "mathematics" else "/enter"
    sent = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n" % path.encode()
    raise_file_limit()
    with ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(half_open(server.port, sent))
        for _ in range(20):
            assert status_of(server.port, path) == 200


def test_requests_that_are_sent_ahead_of_their_answers_are_soon_left(server: Running) -> None:
    path = b"login" if server.name == "mathematics" else b"enter"
    with ExitStack() as stack:
        ahead = [stack.enter_context(closing(half_open(server.port, WHOLE % path * 200))) for _ in range(50)]
        assert status_of(server.port, f"/{path.decode()}") == 200
        for one in ahead:
            came = bytearray()
            with suppress(ConnectionResetError):
                while piece := one.recv(2**16):
                    came += piece
            assert 1 <= came.count(b"HTTP/1.1 200 ") <= 2
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as patient:
        for _ in range(20):
            patient.request("GET", f"/{path.decode()}")
            answer = patient.getresponse()
            assert answer.status == 200
            answer.read()
            assert patient.sock is not None, "who waits for the answers keeps the connection"


def test_nothing_says_which_server_it_is(server: Running) -> None:
    for path in ("/login", "/nowhere", "/static/../x"):
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.getheader("server") is None
            assert "uvicorn" not in str(answer.getheaders())


def test_a_name_that_was_made_to_point_here_is_refused(server: Running) -> None:
    for host, status in (("evil.example", 421), (f"localhost:{server.port}", 200), ("[::1", 400)):
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as connection:
            connection.request("GET", "/login" if server.name == "mathematics" else "/enter", headers={"Host": host})
            assert connection.getresponse().status == status, host


# --- in time ---


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[int]:
    """A server with little patience."""
    monkeypatch.setattr(connections, "HEADER", 0.6)
    monkeypatch.setattr(connections, "REQUEST", 0.9)
    with open_study(str(School(tmp_path / "a.study").path)) as opened, serving(opened) as here:
        yield here.port


def ends_within(one: socket.socket, seconds: float, drops: bytes = b"") -> bool:
    """Whether the server ends a connection on which a letter comes now and then."""
    one.settimeout(0.1)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if drops:
                one.sendall(drops)
            if not one.recv(65536):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        HALF,
        WHOLE % b"login" + HALF,
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000\r\n\r\n",
        b"POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000\r\n\r\n",
    ],
    ids=["silent", "half", "half of the second", "no body", "nobody waits for the body"],
)
def test_a_request_that_is_not_whole_in_time_is_ended(hasty: int, begun: bytes) -> None:
    with half_open(hasty, begun) as one:
        assert ends_within(one, 20, b"a" if begun else b"")
    assert status_of(hasty) == 200


def test_whoever_is_slow_but_in_time_is_answered(hasty: int) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", hasty, timeout=PATIENCE)) as connection:
        for _ in range(3):
            connection.connect()
            for part in (WHOLE % b"login")[:20], (WHOLE % b"login")[20:]:
                connection.send(part)
                time.sleep(0.2)
            answer = http.client.HTTPResponse(connection.sock)
            answer.begin()
            assert answer.status == 200
            answer.read()
            connection.close()


# --- for everybody ---


class _Socket:
    """A connection without a server."""

    def __init__(self, address: str) -> None:
        self.address, self.ended = address, False

    def cut(self) -> None:
        self.ended = True


def come(guard: Connections, address: str, taken: int = 0) -> _Socket:
    one = _Socket(address)
    guard.wait(one, taken)  # type: ignore[arg-type]
    return one


def test_the_newest_gets_in_and_the_longest_waiting_makes_room() -> None:
    guard = Connections(1024)
    ones = [come(guard, "10.0.0.1") for _ in range(guard.of_address)]
    other = come(guard, "10.0.0.2")
    guard.leave(ones[1])  # type: ignore[arg-type]
    ones += [come(guard, "10.0.0.1") for _ in range(3)]
    assert [number for number, one in enumerate(ones) if one.ended] == [0, 2]
    assert not other.ended


def test_where_all_files_are_taken_the_address_with_most_makes_room() -> None:
    guard = Connections(1024)
    many, few = [come(guard, "10.0.0.1") for _ in range(5)], [come(guard, "10.0.0.2") for _ in range(2)]
    newest = come(guard, "10.0.0.3", guard.in_all + 1)
    assert [one.ended for one in (*many, *few, newest)] == [True, *[False] * 7]


def test_where_nobody_waits_the_newest_has_to_go() -> None:
    guard = Connections(1024)
    assert come(guard, "10.0.0.1", guard.in_all + 1).ended


def test_a_proxy_may_have_any_number_of_connections() -> None:
    for proxied, ended in ((True, 0), (False, 10)):
        guard = Connections(1024, proxied=proxied)
        ones = [come(guard, "127.0.0.1") for _ in range(guard.of_address + 10)]
        assert sum(one.ended for one in ones) == ended


@pytest.mark.parametrize(("proxied", "seen"), [(True, "10.1.2.3"), (False, "127.0.0.1")])
def test_whom_a_proxy_names_is_believed_where_one_was_named(proxied: bool, seen: str) -> None:
    async def tell(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["client"][0].encode()})

    sock = socket.create_server(("127.0.0.1", 0))
    running = connections.make_server(tell, proxied=proxied, grace=1, lifespan="off")
    thread = Thread(target=running.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", sock.getsockname()[1], timeout=PATIENCE)) as connection:
            connection.request("GET", "/", headers={"X-Forwarded-For": "10.1.2.3"})
            assert connection.getresponse().read().decode() == seen
    finally:
        running.should_exit = True
        thread.join(30)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("", ""),
        ("somewhere", "somewhere"),
    ],
)
def test_a_machine_has_one_address_however_many_it_uses(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("host", "loopback", "address", "status"),
    [
        ("127.0.0.1:8770", True, "", None),
        ("[::1]:8770", True, "", None),
        ("localhost", True, "", None),
        ("maths.school.example", True, "https://maths.school.example", None),
        ("maths.school.example", True, "", 421),
        ("", True, "", 421),
        ("localhost.evil.example", True, "", 421),
        ("anything", False, "", None),
        ("a:b", False, "", 400),
    ],
)
def test_which_hosts_are_served(host: str, loopback: bool, address: str, status: int | None) -> None:
    refused = refused_host(host, loopback=loopback, address=address)
    assert (refused and refused[0]) == status


def test_connections_are_numbered_by_what_uvicorn_calls_them() -> None:
    """What ours stands on, so that another version of it does not pass over us in silence."""
    for name in ("connection_made", "connection_lost", "handle_events", "on_response_complete", "pause_writing"):
        assert name in vars(Connection)
        assert hasattr(Connection.__mro__[1], name)


# --- a school behind one address ---


def log_all_in(school: School) -> list[Client]:
    """Browsers in which all pupils are logged in; to hash so many passwords takes longer than all the rest."""
    clients = []
    with Study.open(str(school.path)) as study, study.transaction() as connection:
        now = time.time()
        for name, row in school.students.items():
            client = Client(0)
            client.cookie = f"{COOKIE}=token of {name}"
            one = {"token": hashed(f"token of {name}"), "account": row.id, "began": now, "seen": now}
            connection.execute(insert(schema.logins), one)
            clients.append(client)
    return clients


@pytest.mark.parametrize("pupils", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_a_school_behind_one_address_goes_on_while_that_address_is_flooded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pupils: int
) -> None:
    """Each pupil has a dialogue open, with its stream; each says something while half requests come without end."""
    kept = hash_password(PASSWORD)
    monkeypatch.setattr("eduverse_mesa.store.accounts.hash_password", lambda _: kept)
    names = [f"pupil {number}" for number in range(pupils)]
    school = School(tmp_path / "a.study", *names, wait_alone=60, wait_shared=60)
    clients = log_all_in(school)
    with served(school.path, before=FEW_FILES) as server, ExitStack() as streams:
        runs, answers = [], []
        for client in clients:
            client.port = server.port
            client.csrf = client.get("/work").csrf
            runs.append(client.begin(school.work.id).run)
            stream = streams.enter_context(closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)))
            stream.request("GET", f"/talk/{runs[-1]}/events?after=0", headers={"Cookie": client.cookie})
            answers.append(stream.getresponse())
        assert [answer.status for answer in answers] == [200] * pupils
        with flood(server.port) as opened:
            while opened[0] < MANY:
                time.sleep(0.05)

            def say(number: int) -> int:
                key = f"flooded{number:09}"
                return clients[number].say(runs[number], f"the number {number} is mine", key).status

            with ThreadPoolExecutor(40) as pool:
                assert list(pool.map(say, range(pupils))) == [200] * pupils
        for number, answer in enumerate(answers):
            said = ""
            while f"the number {number} is mine" not in said:
                line = answer.readline().decode()
                assert line, f"the stream of pupil {number} has ended"
                said += line
        assert (tmp_path / "server.log").read_text() == ""
