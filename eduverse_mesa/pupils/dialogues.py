"""The dialogues that are going on: each with its own clock, driven while somebody looks at it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from traceback import extract_tb
from typing import NamedTuple
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from eduverse_mesa.errors import EduverseError, PolicyError, StudyError
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.policies import AnyPolicy, make_policy
from eduverse_mesa.policies.registry import policy_parts, settle
from eduverse_mesa.pupils.setups import has_ended
from eduverse_mesa.runs.groups import Talk, open_talk
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios.groups import Collaboration, CollaborationSettings
from eduverse_mesa.scenarios.scenario import LanguageModel
from eduverse_mesa.store import MessageRow
from eduverse_mesa.store.alerts import adult_in, cleared_in
from eduverse_mesa.web.alerts import inform

EMBEDDED = "embedded"
HERE = "here"
"""A language model reads what is written, and it leaves the school's own machine for nobody."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Minds:
    """The policies that this server offers, and those that it has made."""

    def __init__(self, policy: str = EMBEDDED, llm: LanguageModel | None = None) -> None:
        named = [who for who in policy_parts(policy) if who.startswith("@")]
        if named:
            raise PolicyError(
                f"'{named[0]}' is in one group and not in another.",
                where=f"policy '{policy}'",
                mend="Name kinds of decision, such as peers=llm,rest=embedded.",
            )
        self.policies = (policy, *((EMBEDDED,) if policy != EMBEDDED else ()))
        """Policies that a set may ask for; a new set asks for the first."""
        self._llm = llm or LanguageModel()
        self._made: dict[str, AnyPolicy] = {}
        self._lock = Lock()
        settings = settle(policy, CollaborationSettings(policy=policy, llm=self._llm))
        # Now, and not when the first student comes: a model that is not named, or a key that is not there.
        self._of(settings)
        asked = set(policy_parts(policy).values()) - {EMBEDDED}
        host = urlsplit(settings.llm.base_url or "").hostname
        self.reader = "" if not asked else host if "llm" in asked and host and host not in _LOOPBACK else HERE
        """Place at which a language model reads what students write: a host, HERE, or empty where none reads."""

    def settled(self, setup: Collaboration) -> Collaboration:
        """A group that is about to begin, with the model that its peers have written out."""
        policy = setup.settings.policy
        if policy not in self.policies:
            raise PolicyError(
                f"the peers of this set were to think with '{policy}', which is not served any more.",
                mend="Tell your teacher: the server has to be started with it, or the set be given anew.",
            )
        settings = settle(policy, setup.settings.model_copy(update={"llm": self._llm}))
        return setup.model_copy(update={"settings": settings})

    def of(self, setup: Collaboration) -> AnyPolicy:
        """Return the policy that thinks for the peers of a group, by the group's settings: those of now, or those it
        began with."""
        return self._of(setup.settings)

    def _of(self, settings: CollaborationSettings) -> AnyPolicy:
        asked = settings.model_dump_json(include={"policy", "llm", "parameters"})
        with self._lock:
            if asked not in self._made:
                self._made[asked] = make_policy(settings.policy, settings)
            return self._made[asked]


QUIET = 60.0
"""Seconds without a trouble of its kind after which the next one is a new outage, and worth a line in the log."""
_CAUSES = 4
_log = logging.getLogger(__name__)


class Outages:
    """The troubles of all dialogues: where a language model is gone, it is gone for all of them."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def note(self, error: Exception) -> None:
        """Say what kind of trouble it is, once an outage. The error's own words are left out: they may hold what
        students wrote, or the run of somebody who was erased."""
        kind, now = kind_of(error), time.monotonic()
        before = self._last.get(kind)
        self._last[kind] = now
        if before is None or now - before > QUIET:
            level = logging.WARNING if isinstance(error, EduverseError) else logging.ERROR
            _log.log(level, "the peers of a dialogue could not answer, and will try again: %s", kind)


def kind_of(error: BaseException) -> str:
    """Return the kinds and places of an error and of its causes, without anybody's words."""
    kinds = [_place(error)]
    while (cause := error.__cause__ or error.__context__) is not None and len(kinds) < _CAUSES:
        error = cause
        kinds.append(_place(error))
    return ", after ".join(kinds)


def _place(error: BaseException) -> str:
    where = extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + "".join(f" ({Path(one.filename).name}:{one.lineno})" for one in where)


LOOK = 0.1
"""Seconds between two looks at the clocks."""
TYPING = 1.2
"""Seconds for which a peer is seen typing."""
STAYS = 120.0
"""Seconds for which a dialogue stays in memory when nobody looks at it any more."""
AGAIN = 10.0
"""Seconds after which peers whose language model gave no answer try once more."""
PEERS = 256
"""Dialogues in which a peer thinks at the same time. Each holds a thread for as long as its language model takes; they
are none of those that pages are made in."""
MOST = 6
"""Pages that one person may have open, over all dialogues: with one more, the one that was opened first is let go. A
browser opens no more to one server either."""


class Snapshot(NamedTuple):
    """How a dialogue stands, for whoever has seen some of it."""

    messages: list[MessageRow]
    stage: str
    typing: tuple[str, ...]
    over: bool
    failed: bool = False
    """The peers cannot answer at present; they try again by themselves."""
    right: bool = False
    """It is over, and the answer is right."""
    waits: str = ""
    """The peer who waits for the person who is meant, and for nobody else."""


class Watcher:
    """A page that is told what happens in a dialogue."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.gone = False
        """It is told nothing more."""

    def leave(self) -> None:
        """Let it go."""
        self.gone = True
        self.changed.set()


@dataclass(eq=False)
class Live:
    """A dialogue in memory."""

    talk: Talk
    began: float
    lock: Lock = field(default_factory=Lock)
    watchers: set[Watcher] = field(default_factory=set)
    typing_since: float | None = None
    driven: bool = False
    """A peer thinks."""
    rested: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the peer has thought."""
    touched: str = ""
    """Name of the person who was typing while a peer thought."""
    left: float = 0.0
    closed: bool = False
    """Its teacher has ended the set."""
    forgotten: bool = False
    """It was taken out of the study: nothing of it may come into a log."""
    failed: float | None = None
    """When the peers could not answer, until they can."""

    @property
    def over(self) -> bool:
        """Nobody says anything more in it."""
        return self.closed or self.talk.over

    def now(self) -> float:
        """Its own clock: it goes on from where the dialogue stood when it was opened."""
        return time.monotonic() - self.began

    def standing(self, after: int) -> Snapshot:
        """Return the messages after a step, and the state of the dialogue."""
        model = self.talk.model
        new = [row for row in self.talk.messages[after:] if row.speaker]
        typing: tuple[str, ...] = ()
        if self.typing_since is not None:
            peers = model.names_of_peers
            typing = tuple(name for name in model.floor.holders if name in peers) or peers
        right = self.over and model.solved and model.is_right
        return Snapshot(new, model.stage, typing, self.over, self.failed is not None, right, self._waits())

    def _waits(self) -> str:
        """Return the peer who spoke last, where a person has the floor alone or peers have said enough without an
        answer; otherwise an empty text. Nobody is said to wait for somebody who has told of harm."""
        if self.talk.quiet:
            return ""
        model = self.talk.model
        last = next((row.speaker for row in reversed(self.talk.messages) if row.speaker), "")
        alone = set(model.floor.holders) <= set(model.people) or self.talk.due is None
        return last if alone and last in model.names_of_peers and not self.over else ""


class OverError(EduverseError):
    """Nothing more can be said in a dialogue."""


class Dialogues:
    """All dialogues that somebody looks at."""

    def __init__(self, opened: OpenStudy, typing: float = TYPING, minds: Minds | None = None) -> None:
        self._opened, self._typing = opened, typing
        self.minds = minds or Minds()
        self._lives: dict[str, Live] = {}
        self._doors = [Lock() for _ in range(_DOORS)]
        self._looking: dict[str, list[Watcher]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads: CapacityLimiter | None = None
        self._speaking: Counter[str] = Counter()
        """Dialogues in which people want to say something: no peer begins to think there."""
        self._outages = Outages()

    @property
    def in_memory(self) -> tuple[str, ...]:
        """The runs that are at hand."""
        return tuple(self._lives)

    @property
    def watching(self) -> tuple[str, ...]:
        """The accounts that have pages open."""
        return tuple(self._looking)

    # --- from any thread ---

    def live(self, run: str) -> Live:
        """The dialogue of a run, built from the study where it is not in memory, or no longer what was kept."""
        with self._door(run):
            there = self._lives.get(run)
            if there is None or there.talk.broken:
                account = there.talk.account if there is not None else None
                talk = open_talk(self._opened, run, self.minds.of, account=account)
                self._inform(run, talk.model)
                made = Live(talk, time.monotonic() - talk.model.now, left=time.monotonic())
                made.closed = has_ended(self._opened.study, run)
                if there is not None:
                    made.watchers, made.failed = there.watchers, there.failed
                self._lives[run] = there = made
            there.left = time.monotonic()
            return there

    @contextmanager
    def glance(self, run: str) -> Iterator[CollaborationModel | None]:
        """The model of a dialogue in memory, while nobody changes it; for this it is neither kept nor awaited."""
        live = self._lives.get(run)
        if live is None or live.talk.broken or not live.lock.acquire(blocking=False):
            yield None
            return
        try:
            yield live.talk.model
        finally:
            live.lock.release()

    def _inform(self, run: str, model: CollaborationModel) -> None:
        study = self._opened.study
        inform(model, adult_in(study, run), cleared_in(study, run))

    def _door(self, run: str) -> Lock:
        """One opens a dialogue at a time; whoever wants another one does not wait for that."""
        return self._doors[hash(run) % _DOORS]

    def say(self, run: str, name: str, text: str, key: str) -> MessageRow:
        """Say something for a person; it is in the study when this returns."""
        try:
            return self._say(run, name, text, key)
        except StudyError:
            # Somebody else has written to it, or a step was broken off: it is built anew, and the key tells whether the
            # message is there already.
            return self._say(run, name, text, key)

    def _say(self, run: str, name: str, text: str, key: str) -> MessageRow:
        live = self.live(run)
        try:
            with live.lock:
                if live.over and live.talk.said(key) is None:  # it ended while this was on its way
                    raise OverError("this dialogue is over.", mend="Go on with another problem.")
                self._inform(run, live.talk.model)
                row = live.talk.say(name, text, live.now(), key)
                live.typing_since = None
        finally:
            self._wake(live)
        return row

    def touch(self, run: str, name: str) -> None:
        """Note that a person is typing. A person who types does not wait for a peer who thinks: that is told when the
        peer has thought."""
        live = self.live(run)
        if not live.lock.acquire(blocking=False):
            live.touched = name
            return
        try:
            _touch(live, name)
        finally:
            live.lock.release()

    def forget(self, runs: list[str]) -> None:
        """These are gone."""
        for run in runs:
            with self._door(run):
                live = self._lives.pop(run, None)
            if live is not None:
                live.forgotten = live.talk.broken = True
                self._wake(live)

    def close(self, runs: list[str], closed: bool) -> None:
        """The set of these dialogues has ended, or is open again: pages that show them are told."""
        for run in runs:
            with self._door(run):
                live = self._lives.get(run)
            if live is not None:
                live.closed = closed
                self._wake(live)

    def leave(self, account: str) -> None:
        """Close the pages of an account that has logged out: they are told nothing more."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._leave, account)

    def _leave(self, account: str) -> None:
        for watcher in self._looking.get(account, ()):
            watcher.leave()

    def _wake(self, live: Live) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(_set_all, live)

    # --- in the loop ---

    async def drive(self) -> None:
        """Let peers speak when it is time, until this task is cancelled."""
        self._loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK)
            for run, live in list(self._lives.items()):
                if live.watchers:
                    self._look_safely(run, live)
                elif not live.driven and time.monotonic() - live.left > STAYS:
                    self._lives.pop(run, None)

    @asynccontextmanager
    async def turn(self, run: str) -> AsyncIterator[None]:
        """A person's turn: whoever wants to say something waits here until no peer thinks, and holds no thread
        meanwhile. No peer begins to think before it was said."""
        self._speaking[run] += 1
        try:
            while (live := self._lives.get(run)) is not None and live.driven:
                await live.rested.wait()
            yield
        finally:
            self._speaking[run] -= 1
            if not self._speaking[run]:
                del self._speaking[run]

    def _look_safely(self, run: str, live: Live) -> None:
        """A fault in one dialogue silences no other."""
        try:
            self._look(run, live)
        except Exception as error:
            self._note(live, error)

    def _note(self, live: Live, error: Exception) -> None:
        """The peers of a dialogue stand still, and try again after a while."""
        live.failed = time.monotonic()
        if not live.forgotten:
            self._outages.note(error)

    def _look(self, run: str, live: Live) -> None:
        if live.over or live.driven or live.lock.locked() or run in self._speaking:
            return
        due = live.talk.due
        if due is None or live.now() < due:
            return
        if live.failed is not None and time.monotonic() - live.failed < AGAIN:
            return
        if live.typing_since is None:
            live.typing_since = time.monotonic()
            _set_all(live)
        if time.monotonic() - live.typing_since < self._typing:
            return
        live.driven = True
        live.rested.clear()
        task = asyncio.create_task(self._advance(live))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _advance(self, live: Live) -> None:
        if self._threads is None:
            self._threads = CapacityLimiter(PEERS)
        try:
            await run_sync(self._one, live, limiter=self._threads)
            live.failed = None
        except Exception as error:  # what was said is kept; whoever watches comes again, and it is built anew
            self._note(live, error)
        finally:
            live.driven = False
            live.typing_since = None
            live.rested.set()
            _set_all(live)

    def _one(self, live: Live) -> None:
        with live.lock:
            if not live.talk.broken and not live.over:
                live.talk.advance(live.now())
                if live.touched:
                    _touch(live, live.touched)
            live.touched = ""

    async def watch(
        self, run: str, after: int, still: Callable[[], bool], whose: str = ""
    ) -> AsyncIterator[Snapshot | None]:
        """How a dialogue stands, whenever something of it has changed; None now and then, as a sign of life. It ends
        with the login: `still` says whether that holds. `whose`: the account, which may look at so much and no more."""
        live = await run_sync(self.live, run)
        watcher = Watcher()
        if not live.watchers and not live.over:  # the peers have waited, too
            await run_sync(self.touch, run, live.talk.model.people[0])
        self._enter(whose, watcher)
        live.watchers.add(watcher)
        looked = time.monotonic()
        try:
            standing: Snapshot | None = live.standing(after)
            while True:
                after = standing.messages[-1].step if standing and standing.messages else after
                yield standing
                with suppress(TimeoutError):
                    await asyncio.wait_for(watcher.changed.wait(), _SIGN)
                if time.monotonic() - looked >= _SIGN:
                    if not await run_sync(still):
                        return
                    looked = time.monotonic()
                if watcher.gone or live.talk.broken or self._lives.get(run) is not live:
                    return  # the browser comes again, and finds it as it was kept
                changed = watcher.changed.is_set()
                watcher.changed.clear()  # first: what comes while we look is not overlooked
                standing = live.standing(after) if changed else None
        finally:
            live.watchers.discard(watcher)
            live.left = time.monotonic()
            self._go(whose, watcher)

    def _enter(self, whose: str, watcher: Watcher) -> None:
        there = self._looking.setdefault(whose, [])
        there.append(watcher)
        if whose and len(there) > MOST:
            there.pop(0).leave()

    def _go(self, whose: str, watcher: Watcher) -> None:
        there = self._looking.get(whose, [])
        if watcher in there:
            there.remove(watcher)
        if not there:
            self._looking.pop(whose, None)


_DOORS = 64

_SIGN = 15.0
"""Seconds without anything new after which a sign of life is sent."""


def _set_all(live: Live) -> None:
    for one in tuple(live.watchers):
        one.changed.set()


def _touch(live: Live, name: str) -> None:
    if not live.over and not live.talk.broken:
        live.talk.touch(name, live.now())
        live.typing_since = None
