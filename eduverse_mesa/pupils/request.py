"""The request of a browser and the person behind it: logins, words in their language, forms that only our pages can
send, and what all pages share."""

from __future__ import annotations

import hmac
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from anyio import Semaphore, WouldBlock, current_time, fail_after, sleep_until
from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from eduverse_mesa.errors import EduverseError, StudyError
from eduverse_mesa.pupils.alarms import banner
from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.pupils.markup import Markup, page, tag
from eduverse_mesa.pupils.teacher.journals import JournalCache, Outcome, Told
from eduverse_mesa.runs.kernel import OtherwiseError
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import AccountRow, Role, Study
from eduverse_mesa.store.accounts import LONGEST_NAME, NameAmissError
from eduverse_mesa.store.classwork import Progress
from eduverse_mesa.store.logins import who_is
from eduverse_mesa.visualization.words import LANGUAGES, Words, load_words, preferred
from eduverse_mesa.visualization.words.errors import bare_text
from eduverse_mesa.web.addresses import is_from, network_of
from eduverse_mesa.web.connections import recognise

SITTING = 2 * 3600.0
"""Seconds after the last of them for which slips are kept: who has gone home has left the page open."""
_MOST = 1000


class Slip(NamedTuple):
    """Account, name and password of a person who logs in."""

    account: str
    name: str
    password: str


@dataclass
class _Sitting:
    """Of one teacher."""

    at: float = 0.0
    """When the last slip was added."""
    slips: dict[str, Slip] = field(default_factory=dict)
    """By the account, the latest first."""
    form: str = ""
    """The form of which the last of them came."""
    refused: dict[str, str] = field(default_factory=dict)
    """Names in that form that have no account, and why."""
    turn: Lock = field(default_factory=Lock)
    """One form after the other."""


class Slips:
    """Passwords that a teacher has made and not printed yet: of a study they cannot be read, since only hashes of them
    are kept there. They never leave memory, but on her pages."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, _Sitting] = {}

    def put(self, teacher: str, made: Mapping[str, tuple[str, str]], now: float) -> None:
        """Name and password by account, beside the earlier ones of her sitting; a new password takes the place of the
        old one."""
        with self._lock:
            self._forget_old(now)
            kept = self._kept.setdefault(teacher, _Sitting())
            kept.at = now
            new = {account: Slip(account, *one) for account, one in made.items()}
            kept.slips = new | {account: one for account, one in kept.slips.items() if account not in new}

    def of(self, teacher: str, now: float, accounts: Callable[[], Collection[str]]) -> list[Slip]:
        """Hers, the latest first; those of no account any more are forgotten."""
        self.tidy(now, accounts)
        with self._lock:
            return list(self._kept[teacher].slips.values()) if teacher in self._kept else []

    def tidy(self, now: float, accounts: Callable[[], Collection[str]]) -> None:
        """Forget what was kept for a sitting, and whoever was erased by another program. Accounts are read after it is
        known whose slips there are: no slip goes whose account is made meanwhile."""
        with self._lock:
            self._forget_old(now)
            known = {account for kept in self._kept.values() for account in kept.slips}
        for account in known.difference(accounts()) if known else ():
            self.take_out(account)

    def _forget_old(self, now: float) -> None:
        for teacher in [one for one, kept in self._kept.items() if now - kept.at > SITTING]:
            del self._kept[teacher]

    def clear(self, teacher: str) -> None:
        """She has them."""
        with self._lock:
            self._kept.pop(teacher, None)

    def take_out(self, account: str) -> None:
        """Remove the slips of an account that is erased."""
        with self._lock:
            for kept in self._kept.values():
                kept.slips.pop(account, None)
                kept.form, kept.refused = "", {}  # the name may stand there

    # --- a form that is sent twice makes its accounts once ---

    def turn(self, teacher: str, now: float) -> Lock:
        """To be held while a form of hers is worked on: two clicks send it twice at once."""
        with self._lock:
            self._forget_old(now)
            return self._kept.setdefault(teacher, _Sitting(now)).turn

    def sent_before(self, teacher: str, form: str) -> dict[str, str] | None:
        """Return the names that were refused when this form was sent, each with the reason; None where the teacher's
        last form was another one, or none."""
        with self._lock:
            kept = self._kept.get(teacher)
            return dict(kept.refused) if kept is not None and kept.form == form else None

    def done(self, teacher: str, form: str, refused: Mapping[str, str]) -> None:
        """This form is worked on."""
        with self._lock:
            if teacher in self._kept:
                self._kept[teacher].form, self._kept[teacher].refused = form, dict(refused)


class Notes:
    """Notes about what was just done, each for the next page that the same login asks for: a page that was sent on says
    so."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[str, str] = OrderedDict()

    def leave(self, login: str, note: str) -> None:
        """For the next page."""
        with self._lock:
            self._notes[login] = note
            while len(self._notes) > _MOST:
                self._notes.popitem(last=False)

    def take(self, login: str) -> str:
        """Return the note and forget it, so that it is said once; empty where there is none."""
        with self._lock:
            return self._notes.pop(login, "")


KIND = "multipart/form-data"
PAGES = ("/problems/upload",)
"""Addresses that a file may be sent to; elsewhere no form of this kind is read."""
MOST, LONGEST_HEAD = 4, 1024
"""Fields and files that one form may hold, and bytes that say what one of them is."""

_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))')
_DISPOSITION = re.compile(r"content-disposition:\s*form-data\s*;(.*)", re.IGNORECASE)
_PARAMETER = re.compile(r';?\s*(name|filename|filename\*)=(?:"([^"]*)"|([^\s";]*))\s*', re.IGNORECASE)


def read_parts(content_type: str, body: bytes) -> dict[str, list[str]]:
    """The fields of a form; ValueError where it is none, or a file in it is no text."""
    found: dict[str, list[str]] = {}
    for part in _pieces(content_type, body):
        head, gap, content = part.partition(b"\r\n\r\n")
        if not gap or len(head) > LONGEST_HEAD:
            raise ValueError("this is no field")
        name, is_file = _named(head.decode("utf-8"))
        # What is no text is told to whoever chose the file: it is kept so that this can be seen.
        text = content.decode("utf-8", "surrogateescape" if is_file else "strict")
        found.setdefault(name, []).append(text)
    return found


def _pieces(content_type: str, body: bytes) -> list[bytes]:
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        raise ValueError("this is no form")
    mark = b"\r\n--" + (boundary[1] or boundary[2]).encode("ascii")
    _, *parts = (b"\r\n" + body).split(mark, MOST + 1)
    if len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise ValueError("this form holds too much, or has no end")
    return parts[:-1]


def _named(head: str) -> tuple[str, bool]:
    """Return the name of a field, and whether the field is a file."""
    lines = [found[1] for line in head.split("\r\n") if (found := _DISPOSITION.fullmatch(line))]
    given = dict(_parameters(lines[0])) if len(lines) == 1 else {}
    if "name" not in given:
        raise ValueError("this is no field")
    return given["name"], "filename" in given or "filename*" in given


def _parameters(line: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(line):
        one = _PARAMETER.match(line, at)
        if one is None:
            raise ValueError("this is no field")
        found.append((one[1].lower(), one[2] or one[3] or ""))
        at = one.end()
    return found


COOKIE, BROWSER = "eduverse_mathematics", "eduverse_browser"
"""The login, and what the browser shows of earlier ones."""

LONGEST_BODY, SLOWEST_BODY = 256 * 1024, 30.0
"""Bytes, and seconds, for what a form holds."""
MOST_FIELDS = 2000


LATE, MOST_LATE = 2.0, 100
"""Seconds after which it is told that there were too many wrong passwords, so that nobody can measure whether this one
was looked at, and whoever guesses waits for it; and how many may wait so, each of which holds a connection."""


@dataclass(slots=True)
class Site:
    """State that all pages share."""

    opened: OpenStudy
    dialogues: Dialogues
    secure: bool = False
    """Browsers come by HTTPS."""
    clock: Callable[[], float] = time.time
    journals: JournalCache = field(default_factory=JournalCache)
    """Journals of dialogues, for teachers."""
    slips: Slips = field(default_factory=Slips)
    notes: Notes = field(default_factory=Notes)
    late: Semaphore = field(default_factory=lambda: Semaphore(MOST_LATE))
    """Refusals that are told later."""

    @property
    def study(self) -> Study:
        """The study."""
        return self.opened.study

    def told(self, progress: Progress) -> Told:
        """Return the journal of a dialogue: the messages and their meaning."""
        return self.journals.told(self.opened, self.dialogues, progress.talk.run, progress.messages)

    def outcome(self, run: str) -> Outcome:
        """How a dialogue that is over ended."""
        return self.journals.outcome(self.opened, self.dialogues, run)

    def forget(self, runs: list[str]) -> None:
        """These dialogues were taken out of the study: nothing of them stays in memory."""
        self.dialogues.forget(runs)
        self.journals.forget(runs)

    def cookie(self, name: str) -> str:
        """Return the name of a cookie: by HTTPS one that no other site of the school can plant."""
        return f"__Host-{name}" if self.secure else name


@dataclass
class Ask:
    """One request, with its form read."""

    request: Request
    site: Site
    form: dict[str, list[str]] = field(default_factory=dict)
    upload: bytes = b""
    """A form with a file, as it came: it is read when the sender is known."""
    is_late: bool = False
    """True if the answer is told late."""

    @property
    def study(self) -> Study:
        """The study."""
        return self.site.study

    @property
    def is_form(self) -> bool:
        """Return True if a form was sent. Only a form may change something: its origin and its login are checked. Any
        other request only looks, also one that asks for nothing but the headers (HEAD)."""
        return self.request.method == "POST"

    @property
    def token(self) -> str:
        """The login that the browser shows."""
        return self.request.cookies.get(self.site.cookie(COOKIE), "")

    @property
    def browser(self) -> str:
        """Return the browser's mark of earlier logins; empty where it shows none."""
        return self.request.cookies.get(self.site.cookie(BROWSER), "")

    @cached_property
    def account(self) -> AccountRow | None:
        """Return the account that is logged in; None where there is none."""
        return who_is(self.study, self.token, self.site.clock())

    @property
    def chosen(self) -> str:
        """The language that somebody has chosen at the door."""
        wanted = self.request.query_params.get("language", "")
        return wanted if wanted in LANGUAGES else ""

    @cached_property
    def t(self) -> Words:
        """Words in the reader's language."""
        wanted = self.chosen or (self.account.language if self.account else "")
        if wanted not in LANGUAGES:
            wanted = preferred(self.request.headers.get("accept-language", ""))
        return load_words(wanted)

    def say(self, key: str, /, **given: Any) -> str:
        """Words of these pages."""
        return self.t(f"mathematics.{key}", **given)

    def teach(self, key: str, /, **given: Any) -> str:
        """Words of the teacher's pages."""
        return self.t(f"teaching.{key}", **given)

    @property
    def address(self) -> str:
        """From where it comes."""
        return network_of(self.request.client.host) if self.request.client else ""

    @property
    def csrf(self) -> str:
        """Return the secret that only pages of this login know; other sites cannot read it."""
        return hmac.digest(self.token.encode(), b"forms of this login", "sha256").hex() if self.token else ""

    def one(self, name: str) -> str:
        """A field of the form."""
        return self.form.get(name, [""])[0]

    def path(self, name: str) -> str:
        """A part of the address."""
        return str(self.request.path_params[name])

    def need(self, role: Role) -> AccountRow:
        """Return the account that is logged in, if it has this role; others do not learn that the page exists."""
        if self.account is None:
            raise NotLoggedInError
        if self.account.role != role:
            raise HTTPException(404)
        return self.account

    def form_tag(self, action: str, *children: object, **attributes: object) -> Markup:
        """A form that this login may send."""
        hidden = tag("input", type="hidden", name="csrf", value=self.csrf) if self.csrf else None
        return tag("form", hidden, *children, method="post", action=action, **attributes)

    def page(self, title: str, *body: object, script: str = "", status: int = 200) -> Response:
        """A page with its head line."""
        made = page(
            f"{title} – EduVerse",
            self._head(),
            banner(self),
            tag("main", tag("h1", title), self._note(), *body, id="main"),
            language=self.t.language,
            csrf=self.csrf,
            script=script,
        )
        return HTMLResponse(made, status)

    def told(self, error: EduverseError) -> str:
        """Return the text of an error and its mend; in the reader's language, where the error has a code."""
        if isinstance(error, NameAmissError) and error.code in ("unseen", "mixed", "taken", "title"):
            return self.teach(f"name_amiss.{error.code}", n=LONGEST_NAME)
        return bare_text(error, self.t)

    def on(self, address: str, note: str) -> Response:
        """On to another page, which says what was done."""
        if note:
            self.site.notes.leave(self.csrf, note)
        return RedirectResponse(address, 303)

    def _note(self) -> Markup | None:
        """Return the note about what was just done. A script that looks for news in the open page does not take it
        away."""
        looks = self.request.method != "GET" or self.request.headers.get("sec-fetch-dest") == "empty"
        note = "" if looks or not self.csrf else self.site.notes.take(self.csrf)
        return tag("p", note, class_="ev-note is-ok", role="status") if note else None

    def _head(self) -> Markup:
        parts: list[object] = [tag("a", "EduVerse", href="/", class_="ev-brand")]
        if self.account is not None:
            parts.append(tag("span", self.account.name, class_="ev-who"))
            parts.append(self._switch())
            parts.append(self.form_tag("/logout", tag("button", self.say("log_out"), class_="ev-plain")))
        return tag("header", *parts)

    def _switch(self) -> Markup:
        """The pages in another language, and this one again; a page that came of a form leads to the start."""
        url = self.request.url.remove_query_params("language")
        then = f"{url.path}?{url.query}" if url.query else url.path
        ways = [
            tag("span", _SHORT[code], lang=code, aria_current="true")
            if code == self.t.language
            else tag("button", _SHORT[code], name="language", value=code, lang=code, title=name, class_="ev-plain")
            for code, name in LANGUAGES.items()
        ]
        back = tag("input", type="hidden", name="then", value="/" if self.is_form else then)
        return self.form_tag("/language", back, *ways, class_="ev-languages")


_SHORT = {"en": "EN", "zh": "中文"}
"""Languages, as they stand in the head line."""


def is_ours(address: str) -> bool:
    """Return True if an address that a form names leads to a page of ours: a form may name anything."""
    return address.startswith("/") and "//" not in address and "\\" not in address and address.isprintable()


class NotLoggedInError(Exception):
    """Somebody has to log in first."""


Answer = Callable[[Ask], Response]


Turn = Callable[[Request], AbstractAsyncContextManager[object]]
"""Context that an endpoint waits to enter before it answers a request."""


def _at_once(_: Request) -> AbstractAsyncContextManager[object]:
    return nullcontext()


def answering(site: Site, answer: Answer, turn: Turn = _at_once) -> Callable[[Request], Any]:
    """An endpoint: the form is read and checked, and the answer made where it may wait for the database. What may be
    longer in coming is waited for before, in `turn`, where no thread is held."""

    async def endpoint(request: Request) -> Response:
        refuse_zeros(request)
        ask = Ask(request, site)
        came = current_time()
        if ask.is_form:
            _check_origin(request)
            body = await read_body(request)
            if not _kind(request).startswith(KIND):
                ask.form = read_form(body)
            elif request.scope["path"] in PAGES:
                ask.upload = body
            else:
                raise HTTPException(400)
        async with turn(request):
            made = await run_sync(_made, ask, answer)
        if ask.is_late:
            await _tell_late(site, came)
        if ask.account is not None:
            recognise(request.scope)
        return made

    return endpoint


async def _tell_late(site: Site, came: float) -> None:
    try:
        site.late.acquire_nowait()
    except WouldBlock:
        return
    try:
        await sleep_until(came + LATE)
    finally:
        site.late.release()


def refuse_zeros(request: Request) -> None:
    """No database holds a zero byte, and no page of ours asks for one."""
    if "\0" in request.scope["path"] or b"%00" in request.scope["query_string"]:
        raise HTTPException(400)


def _made(ask: Ask, answer: Answer) -> Response:
    try:
        if ask.is_form:
            _read_upload(ask)
            _check_csrf(ask)
        return answer(ask)
    except NotLoggedInError:
        if ask.is_form or "x-csrf" in ask.request.headers:
            return Response(status_code=401)
        return RedirectResponse("/login", 303)
    except OtherwiseError:
        raise  # it has a page of its own
    except EduverseError as error:
        back = tag("p", tag("a", ask.say("back"), href="/"))
        said = tag("p", _told(ask, error), class_="ev-bad", role="alert")
        return ask.page(ask.say("went_wrong"), said, back, status=422)


def _told(ask: Ask, error: EduverseError) -> str:
    """Return the text of an error. Only a teacher learns of the study, and of the runs of others in it."""
    if isinstance(error, StudyError) and (ask.account is None or ask.account.role != "teacher"):
        return ask.say("try_again")
    return bare_text(error, ask.t)


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "")


async def read_body(request: Request) -> bytes:
    """Return the body of a request, as far as it keeps to what a form may be."""
    body = bytearray()
    try:
        with fail_after(SLOWEST_BODY):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LONGEST_BODY:
                    raise HTTPException(413)
    except TimeoutError:
        raise HTTPException(408) from None
    except ClientDisconnect:
        raise HTTPException(400) from None
    return bytes(body)


def read_form(body: bytes) -> dict[str, list[str]]:
    """The fields of a form without a file."""
    try:
        return _without_zeros(parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise HTTPException(400) from None


def _read_upload(ask: Ask) -> None:
    """A form with a file is read for teachers only, and where the server goes on meanwhile."""
    if ask.upload:
        ask.need("teacher")
        try:
            ask.form = _without_zeros(read_parts(_kind(ask.request), ask.upload))
        except ValueError:
            raise HTTPException(400) from None


def _without_zeros(fields: dict[str, list[str]]) -> dict[str, list[str]]:
    """No database holds a zero; to be seen, it becomes what stands for letters that are none."""
    return {name: [one.replace("\0", "\ufffd") for one in values] for name, values in fields.items()}


def _check_origin(request: Request) -> None:
    """Another site's page sends its own name with a form; programs that are no browsers send none."""
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403)
    if origin is not None and not is_from(origin, request.headers.get("host", "")):
        raise HTTPException(403)


def _check_csrf(ask: Ask) -> None:
    if ask.request.url.path == "/login":  # it may come from a page that was open before; its origin is checked
        return
    if ask.account is None:
        raise NotLoggedInError
    shown = ask.request.headers.get("x-csrf") or ask.one("csrf")
    if not hmac.compare_digest(shown.encode(), ask.csrf.encode()):
        raise HTTPException(403)
