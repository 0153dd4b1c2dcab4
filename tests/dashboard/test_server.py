"""What the server promises whoever runs it: an end that ends everything, room for all, one thread for each page."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest
from solara.server.kernel import Kernel
from solara.server.kernel_context import VirtualKernelContext, current_context

from eduverse_mesa.dashboard import sessions as office_module
from eduverse_mesa.dashboard.guard import Crowd, Visit
from eduverse_mesa.dashboard.notice import _PAINTERS, Notice, Painter, painter_of
from eduverse_mesa.dashboard.sessions import TICKET, Guesses, Office, Rights, TooManyGuessesError
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.threads import wait_for_ending
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.store import Study
from eduverse_mesa.web.addresses import AddressError, host_of, lan_address, public_address
from tests.policies.test_waiting import PATIENCE
from tests.pupils.mathematics import apart


def soon(true: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


# --- rights ---


async def _stays() -> bool:
    return False


async def _wrong(office_module: Guesses, address: str, times: int) -> list[bool]:
    return [await office_module.look(address, lambda: False, _stays) for _ in range(times)]


def test_an_address_is_answered_later_and_later_and_another_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("anyio.sleep", sleep)

    async def go() -> None:
        tries = Guesses()
        assert not any(await _wrong(tries, "10.0.0.66", 14))
        assert slept == [0, 0, 0, 0, 0, 0.5, 1, 2, 4, 8, 16, 30, 30, 30]
        assert await tries.look("10.0.0.66", lambda: True, _stays), "nobody is locked out"
        assert await tries.look("10.0.0.7", lambda: True, _stays)
        assert slept[-2:] == [30, 0]

    apart(lambda: asyncio.run(go()))


def test_tries_of_an_address_wait_for_each_other_and_a_crowd_of_them_is_sent_away() -> None:
    async def go() -> None:
        tries = Guesses()
        await _wrong(tries, "a", office_module.FREE + 1)
        begun = time.monotonic()
        found: list[bool | None] = []

        async def one() -> None:
            try:
                found.append(await tries.look("a", lambda: True, _stays))
            except TooManyGuessesError:
                found.append(None)

        async with asyncio.TaskGroup() as group:
            for _ in range(10):
                group.create_task(one())
        assert sorted(map(str, found)) == ["None"] * 6 + ["True"] * 4
        assert time.monotonic() - begun >= 4, "one after the other"
        assert await tries.look("b", lambda: True, _stays)

    apart(lambda: asyncio.run(go()))


def test_who_does_not_wait_for_the_answer_keeps_nobody_waiting() -> None:
    async def gone() -> bool:
        return True

    async def go() -> None:
        tries = Guesses()
        await _wrong(tries, "a", office_module.FREE)
        begun = time.monotonic()
        assert [await tries.look("a", lambda: True, gone) for _ in range(50)] == [False] * 50
        assert time.monotonic() - begun < office_module.FIRST_WAIT

    apart(lambda: asyncio.run(go()))


def test_tries_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    async def go() -> None:
        tries, now = Guesses(), time.monotonic()
        await _wrong(tries, "a", office_module.FREE + 1)
        monkeypatch.setattr(time, "monotonic", lambda: now + office_module.FORGOTTEN + 60)
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        monkeypatch.setattr("anyio.sleep", sleep)
        await _wrong(tries, "a", office_module.FREE + 1)
        assert slept == [0] * office_module.FREE + [office_module.FIRST_WAIT]

    apart(lambda: asyncio.run(go()))


def test_a_ticket_opens_once_and_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    rights, now = Rights(token="the-right-token"), time.monotonic()
    first, second, third = (rights.new_ticket() for _ in range(3))
    assert rights.take_ticket(first)
    assert not rights.take_ticket(first)
    assert not rights.take_ticket("")
    monkeypatch.setattr(time, "monotonic", lambda: now + TICKET + 5)
    assert not rights.take_ticket(second)
    rights.begin()
    assert rights.take_ticket(third), "a server that was slow to begin"
    assert not rights.take_ticket(second)


# --- addresses ---


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("https://class.school.example", "https://class.school.example"),
        ("https://Class.School.example:443/", "https://class.school.example"),
        ("http://10.1.2.3:80", "http://10.1.2.3"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
    ],
)
def test_an_address_is_tidied_up(given: str, kept: str) -> None:
    assert public_address(given) == kept


@pytest.mark.parametrize(
    "given",
    ["class.school.example", "ftp://a.example", "https://a.example/class", "https://[::1", "https://a:b", "https://"],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(AddressError) as told:
        public_address(given)
    assert "https://class.school.example" in str(told.value)


def test_hosts_that_are_not_well_formed_are_none() -> None:
    assert host_of("//[::1") is None
    assert host_of("//a:b") is None
    assert host_of("//127.0.0.1:80") == "127.0.0.1"


def test_others_are_told_an_address_that_is_not_any() -> None:
    assert lan_address("192.168.1.5") == "192.168.1.5"
    assert lan_address("::1") == "[::1]"
    assert lan_address("0.0.0.0") not in ("0.0.0.0", "127.0.0.1", "")


# --- room for pages ---


class Shelf:
    """Kernels, and the pages that they have drawn."""

    def __init__(self) -> None:
        self.drawn: dict[str, bool] = {}

    def alive(self) -> list[str]:
        return list(self.drawn)

    def is_drawn(self, kernel: str) -> bool:
        return self.drawn.get(kernel, False)

    def has_page(self, kernel: str, page: str) -> bool:
        return page == f"page of {kernel}"

    def end(self, kernel: str) -> None:
        self.drawn.pop(kernel, None)


class Place:
    """A server with room for some pages."""

    def __init__(self, *, of_browser: int = 20, in_all: int = 500, of_researchers: int = 0) -> None:
        self.shelf, self.rights = Shelf(), Rights(token="the-right-token")
        self.ended: list[str] = []
        self.crowd = Crowd(self.shelf, self.rights, of_browser, in_all, of_researchers)
        self.visits: dict[str, Visit] = {}

    def come(self, browser: str, kernel: str, *, draws: bool = True) -> bool:
        visit = self.crowd.come(browser, kernel, lambda: self.ended.append(kernel))
        if visit is not None:
            self.shelf.drawn[kernel] = draws
            self.visits[kernel] = visit
        return visit is not None

    def go(self, kernel: str) -> None:
        self.crowd.go(self.visits.pop(kernel))


def test_a_browser_closes_its_own_pages_only() -> None:
    place = Place()
    assert place.come("Ana", "one")
    assert place.crowd.has_page("Ana", "one", "page of one")
    assert not place.crowd.has_page("Ben", "one", "page of one")
    assert not place.crowd.has_page("Ana", "one", "page of two")
    assert not place.crowd.has_page("Ana", "two", "page of two")


def test_one_browser_cannot_take_all_the_room() -> None:
    place = Place(of_browser=3, in_all=5)
    assert [place.come("a", str(number)) for number in range(4)] == [True, True, True, False]
    assert place.come("b", "x")
    assert place.come("c", "y")
    assert not place.come("d", "z"), "five are open"
    place.go("0")
    assert place.come("d", "z")


def test_kernels_that_nobody_looks_at_take_room_until_they_end() -> None:
    place = Place(of_browser=2, in_all=100)
    for kernel in "1234":
        assert place.come("a", kernel)
        place.go(kernel)
    assert not place.come("a", "5")
    assert place.come("a", "4"), "a page finds its own again"
    assert place.come("b", "6"), "another browser has room"
    place.shelf.end("1")
    assert place.come("a", "5")


def test_what_never_drew_a_page_leaves_nothing_behind() -> None:
    place = Place(of_browser=2, in_all=100)
    for number in range(50):
        assert place.come("a", str(number), draws=False)
        place.go(str(number))
    assert place.shelf.alive() == []


def test_where_all_is_taken_what_never_drew_a_page_is_ended_first() -> None:
    place = Place(in_all=10)
    assert all(place.come(f"page {number}", f"p{number}") for number in range(4))
    assert all(place.come(f"invented {number}", f"i{number}", draws=False) for number in range(40))
    assert place.ended == [f"i{number}" for number in range(34)]
    assert place.come("another", "p4")
    assert not any(one.startswith("p") for one in place.ended)


def test_then_what_nobody_looks_at_of_whoever_has_most() -> None:
    place = Place(in_all=10)
    for number in range(9):
        assert place.come("greedy", f"g{number}")
        place.go(f"g{number}")
    assert place.come("modest", "m")
    place.go("m")
    assert place.come("another", "a")
    assert sorted(place.shelf.alive()) == ["a", *(f"g{number}" for number in range(1, 9)), "m"]


def test_places_are_kept_for_researchers_and_one_for_each_seat() -> None:
    place = Place(in_all=20, of_researchers=3)
    for number in range(10):
        place.rights.seat(f"pupil {number}")
    place.rights.admit("researcher")
    greedy = [place.come("pupil 0", f"g{number}") for number in range(20)]
    assert sum(greedy) == 20 - 3 - 9
    assert all(place.come(f"pupil {number}", f"p{number}") for number in range(1, 10))
    assert [place.come("researcher", f"r{number}") for number in range(5)] == [True, True, True, False, False]
    assert not place.come("pupil 1", "one more")
    assert len(place.shelf.alive()) == 20


def test_a_page_that_came_again_keeps_its_place_when_its_old_connection_ends() -> None:
    place = Place(in_all=2)
    assert place.come("a", "k")
    old = place.visits["k"]
    assert place.come("a", "k")
    place.crowd.go(old)
    assert place.come("b", "l")
    assert not place.come("c", "m")


# --- the thread that draws ---


@pytest.fixture
def page() -> Iterator[VirtualKernelContext]:
    with asyncio.Runner() as runner:
        runner.get_loop()  # where a thread has no loop, Solara opens one for the page and never closes it
        context = VirtualKernelContext(id=str(uuid4()), session_id="s", kernel=Kernel())
        yield context
        shut(context)


def shut(page: VirtualKernelContext) -> None:
    """What a kernel's end does, without closing the widgets of all other tests of this process, too."""
    for told in page._on_close_callbacks:
        told()
    page._on_close_callbacks.clear()
    page.closed_event.set()


def painters() -> int:
    return sum(thread.name == "eduverse-page" for thread in threading.enumerate())


def test_a_page_has_one_thread_that_draws_and_none_when_it_is_closed(page: VirtualKernelContext) -> None:
    notice, drawn, before = Notice(), Counter[int](), painters()
    for number in range(12):
        ask, _ = painter_of(page).join(partial(drawn.update, [number]), 0)
        notice.listen(ask)
    assert painters() == before + 1
    notice.tell()
    assert soon(lambda: len(drawn) == 12)
    shut(page)
    notice.tell()
    assert soon(lambda: painters() == before)
    assert set(drawn.values()) == {1}
    assert page.id not in _PAINTERS


def test_the_thread_ends_with_the_last_component_and_comes_again_with_the_next(page: VirtualKernelContext) -> None:
    before = painters()
    ends = [painter_of(page).join(lambda: None, 0)[1] for _ in range(3)]
    for end in ends:
        assert painters() == before + 1
        end()
    assert soon(lambda: painters() == before)
    drawn = threading.Event()
    ask, end = painter_of(page).join(drawn.set, 0)
    ask()
    assert drawn.wait(PATIENCE)
    end()


def test_what_fails_to_draw_keeps_nothing_else_from_being_drawn(page: VirtualKernelContext) -> None:
    def fail() -> None:
        raise RuntimeError("not this time")

    painter, drawn = Painter(page), threading.Event()
    ask_bad, end_bad = painter.join(fail, 0)
    ask_good, end_good = painter.join(drawn.set, 0)
    ask_bad()
    ask_good()
    assert drawn.wait(PATIENCE)
    drawn.clear()
    ask_good()
    assert drawn.wait(PATIENCE)
    end_bad()
    end_good()


def test_changes_are_drawn_as_one_while_a_component_rests(page: VirtualKernelContext) -> None:
    times: list[float] = []
    painter, rest = painter_of(page), 1.0
    ask, end = painter.join(lambda: times.append(time.monotonic()), rest)
    ask()
    assert soon(lambda: len(times) == 1)
    for _ in range(20):
        ask()
    asked = time.monotonic()  # on a busy machine the asking itself may take longer than a rest
    assert soon(lambda: times[-1] >= asked or len(times) == 2)
    assert all(later - earlier >= rest for earlier, later in pairwise(times))
    later = threading.Event()  # whatever else was asked for is drawn before this
    ask_other, end_other = painter.join(later.set, 0)
    ask_other()
    assert later.wait(PATIENCE)
    assert len(times) <= 2 + (asked - times[0]) // rest
    end()
    end_other()


def test_what_a_browser_says_is_heard_when_the_page_is_drawn(page: VirtualKernelContext) -> None:
    """Solara takes this lock for each message. A button knows what was typed before it only once that is drawn."""
    drawing, go_on = threading.Event(), threading.Event()

    def draw() -> None:
        drawing.set()
        assert go_on.wait(PATIENCE)

    ask, end = painter_of(page).join(draw, 0)
    ask()
    assert drawing.wait(PATIENCE)
    heard = page.lock.acquire(blocking=False)
    go_on.set()
    assert not heard
    assert page.lock.acquire(timeout=PATIENCE)
    page.lock.release()
    end()


def test_nothing_is_drawn_on_a_page_that_was_closed_meanwhile(page: VirtualKernelContext) -> None:
    drawn, before = threading.Event(), painters()
    ask, _ = painter_of(page).join(drawn.set, 0)
    with page.lock:  # as while it is being closed
        ask()
        assert not drawn.wait(0.2)
        page.closed_event.set()
    assert soon(lambda: painters() == before)
    assert not drawn.is_set()


def test_solara_does_not_take_the_thread_that_draws_for_the_page_s_own(page: VirtualKernelContext) -> None:
    """When it closes a page it forgets the threads of that page, one after the other; this one ends meanwhile."""
    import_module("solara.server.app")  # from now on it looks after all threads
    drawn = threading.Event()
    with page:
        ask, end = painter_of(page).join(drawn.set, 0)
        ask()
        assert drawn.wait(PATIENCE)
        assert soon(lambda: not [key for key, of in current_context.items() if "eduverse-page" in key and of is page])
        end()


# --- the end ---


def test_a_desk_can_be_asked_while_something_is_put_into_it() -> None:
    desk = Office().desk("a")

    class Other:
        busy = False

    class Opens:
        @property
        def busy(self) -> bool:
            desk.drawer(Other, Other)
            return False

    desk.drawer(Opens, Opens)
    assert not desk.busy


def test_the_end_does_not_wait_for_a_player_that_was_not_told_to_end() -> None:
    player = LessonPlayer(load_scenario(), 1)
    assert player.wait(PATIENCE) == "ready"
    begun = time.monotonic()
    Office().close(seconds=3 * PATIENCE)
    assert time.monotonic() - begun < 2 * PATIENCE
    player.stop()
    wait_for_ending(PATIENCE)
    assert player.status == "stopped"


def test_the_end_closes_lessons_and_desks_and_opens_nothing(tmp_path: Path) -> None:
    office = Office()
    office.close()
    assert "lessons" not in office.__dict__, "no lesson was live"
    study = str(tmp_path / "a.study")
    lesson = office.lessons.add(LiveLesson(study, load_scenario(), 1))
    lesson.player.play()
    assert soon(lambda: lesson.player.status == "playing")

    class Fails:
        def close(self) -> None:
            raise OSError("no")

    class Closes:
        closed = False

        def close(self) -> None:
            self.closed = True

    desk = office.desk("a")
    desk.drawer(Fails, Fails)
    kept = desk.drawer(Closes, Closes)
    office.close()
    assert lesson.closed
    assert kept.closed
    with Study.open(study) as kept_study:
        assert [run.status for run in kept_study.runs()] == ["interrupted"]
