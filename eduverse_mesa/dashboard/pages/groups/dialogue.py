"""A group's dialogue on a desk: played by a thread, joined, looked back on, begun again from a message, kept."""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from eduverse_mesa.dashboard.alerts import Alerts
from eduverse_mesa.dashboard.answerers import Answering
from eduverse_mesa.dashboard.background import Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.playback import Playhead
from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.experiments.sweeps.document import Seed
from eduverse_mesa.policies.registry import make_policy
from eduverse_mesa.runs.groups import GroupSpec, UnkeptTalk, keep_talk, read_talk
from eduverse_mesa.runs.open_runs import same_study
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.files import read_bytes
from eduverse_mesa.scenarios.groups import Collaboration, GroupArm, Skill, default_peers
from eduverse_mesa.scenarios.loader import built_in_problems, load_collaboration, validate
from eduverse_mesa.scenarios.problems import refuse
from eduverse_mesa.scenarios.proof import check_word_problem
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import RunStatus, Study
from eduverse_mesa.store.classwork import find_talks
from eduverse_mesa.store.dialogues import SESSION
from eduverse_mesa.visualization.frames.group import GroupFrame, group_frame, under
from eduverse_mesa.visualization.widgets.fields import kind_of

MOST_PEERS = kind_of(Collaboration.model_fields["peers"]).most or 1
MOST_BYTES = 100_000
WATCH, JOIN = "watch", "join"
MORE_NAMES = {"en": ("Cleo", "Dan", "Emma", "Finn"), "zh": ("小静", "小峰", "小月", "小东")}
"""By the language of the problem: what one peer more is called."""
PLACES: tuple[str, ...] = (WATCH, JOIN, *(str(place) for place in range(MOST_PEERS)))
"""Places of a person at the page: nowhere, beside the peers, or in the place of one of them."""


class Drawn(Part):
    """Numbers of the form: the seed by which everything is drawn."""

    seed: Seed = 1


class PeerPlan(msgspec.Struct, frozen=True):
    """A peer as the form has it."""

    name: str
    skill: Skill = "limited"
    misconception: str = ""
    """Empty: drawn by the seed for a peer of limited skill; none for an advanced one."""
    style: str = ""


def usual_peers(language: str) -> tuple[PeerPlan, ...]:
    """The two who solve problems of a language, where nobody else was chosen."""
    return tuple(PeerPlan(one.name, one.skill, "", one.style) for one in default_peers(language))


class GroupPlan(msgspec.Struct, frozen=True):
    """All that the form says."""

    problem: str = "steps_and_distance"
    own: WordProblem | None = None
    """A problem from a file, in place of a built-in one."""
    peers: tuple[PeerPlan, ...] = usual_peers("en")
    place: str = WATCH
    name: str = ""
    """Name by which the peers call a person who joins them."""
    arm: GroupArm = "full"
    seed: int = 1

    def word_problem(self) -> WordProblem:
        """The problem itself. Only what is built in can be named: a page reads no other files."""
        if self.own is not None:
            return self.own
        found = known_problems().get(self.problem)
        if found is None:
            raise ScenarioError(f"there is no built-in problem '{self.problem[:80]}'.", mend="Choose one of the list.")
        return found

    @property
    def replaced(self) -> int | None:
        """The number of the peer whose place is taken."""
        return int(self.place) if self.place.isdigit() and int(self.place) < len(self.peers) else None

    def seats(self) -> tuple[str, ...]:
        """Names of the people of flesh and blood in the group."""
        if self.replaced is not None:
            return (self.peers[self.replaced].name,)
        return (self.name.strip(),) if self.place == JOIN else ()

    def setup(self, answering: Answering) -> Collaboration:
        """The document of it; a ScenarioError says what is wrong with it."""
        problem = self.word_problem()
        kept = [one for number, one in enumerate(self.peers) if number != self.replaced]
        known = {one.id for one in problem.misconceptions}
        document: dict[str, Any] = {
            "kind": "collaboration",
            "name": "from_the_page",
            "problems": [problem.model_dump(mode="json", by_alias=True, exclude_none=True)],
            "peers": [
                {
                    "name": one.name.strip(),
                    "skill": one.skill,
                    "style": one.style,
                    **({"misconception": one.misconception} if one.misconception in known else {}),
                }
                for one in kept
            ],
            "seats": list(self.seats()),
            "settings": {"arm": self.arm},
        }
        setup = load_collaboration(document)
        settings = setup.settings.model_copy(update={"llm": answering.llm})
        return setup.model_copy(update={"settings": settings})

    def spec(self, answering: Answering) -> GroupSpec:
        """The run of it."""
        return GroupSpec(self.setup(answering), self.seed)


def known_problems() -> dict[str, WordProblem]:
    """The built-in problems of both languages, by grade and difficulty, under their names."""
    return {one.name: one for language in ("en", "zh") for one in built_in_problems(language)}


def first_problem(language: str) -> str:
    """The problem that is there before anybody has chosen one."""
    return next(iter(built_in_problems(language)), built_in_problems()[0]).name


def read_problem(text: str, where: str) -> WordProblem:
    """A problem from a file that was opened in a browser; a ScenarioError says what is wrong with it, and where."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ScenarioError("this is no text.", where=where, mend="Save the problem as UTF-8.") from None
    reading = read_bytes(content, where)
    problem: WordProblem = validate("problem", reading, where)
    refuse(check_word_problem(problem, reading), where)
    return problem


PACES = {"slow": 0.5, "calm": 1.0, "quick": 2.0, "fast": 5.0}
"""Messages a second; a person is waited for besides."""
NOBODY = "embedded"
"""Policy while a recording is built again: nobody is asked."""
_LOOK = 0.5
"""Seconds after which it is looked whether somebody who is waited for has let enough time pass."""


class Meeting(Playhead, Worker):
    """A group, and who watches it or sits in it here."""

    def __init__(self, alerts: Alerts | None = None) -> None:
        super().__init__()
        self._alerts = alerts
        self.moved = Notice()
        """A message more, or another one is looked at."""
        self.plan: GroupPlan | None = None
        """Plan that was last chosen in the form."""
        self.choosing = True
        """The form is open."""
        self.talk: UnkeptTalk | None = None
        self.frames: list[GroupFrame] = []
        self.of_pupil = False
        """It is a pupil's, and can be read here only."""
        self.pace = "calm"
        self.playing = False
        self.typed = ""
        """Text that is being typed: it stays when what is around it is drawn anew."""
        self.study = ""
        """Study in which it is kept."""
        self._person = "", ""
        """The study, and who of its participants sits at this desk."""
        self._answering = Answering()
        self._answered = True
        self._aliases: Mapping[str, str] = {}
        self._said: deque[str] = deque()
        self._touched = False
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._hurry = False
        self._clock = 0.0, 0.0
        self._after: Callable[[], None] | None = None
        """Function that waits for the playing to stop."""

    # --- what there is ---

    @property
    def last(self) -> int:
        """The last step."""
        return max(len(self.frames) - 1, 0)

    @property
    def frame(self) -> GroupFrame | None:
        """How it stood then."""
        frames = self.frames
        return frames[min(self.at, len(frames) - 1)] if frames else None

    @property
    def seat(self) -> str:
        """The name of who of flesh and blood is in the group; empty where nobody is, or not here."""
        talk = self.talk
        return talk.model.people[0] if talk is not None and talk.model.people and not self.of_pupil else ""

    @property
    def pupil(self) -> str:
        """The alias of the pupil whose dialogue it is; empty if it is nobody's."""
        return next(iter(self._aliases.values()), "")

    @property
    def over(self) -> bool:
        """Nobody says anything more, here."""
        return self.talk is None or self.of_pupil or self.talk.over

    # --- another dialogue ---

    def begin(self, plan: GroupPlan, answering: Answering) -> None:
        """Bring a group together."""

        def work() -> None:
            frames: list[GroupFrame] = []
            spec = plan.spec(answering)
            talk = UnkeptTalk(spec, answering.policy, watch=self._filming(frames))
            frames.insert(0, group_frame(talk.model, None))
            self._show(talk, frames, answering)

        self._do("opening", work)

    def open_run(self, study: str, run: str, answering: Answering) -> None:
        """Open a group's run of a study; a pupil's is only read, under another name than the pupil's."""

        def work() -> None:
            frames: list[GroupFrame] = []
            with open_study(study, read_only=True) as opened:
                theirs = find_talks(opened.study, run=run)
                blank, aliases = read_talk(opened, run, upto=0, policy=NOBODY), {}
                if theirs:
                    aliases = dict.fromkeys(blank.model.people, f"#{theirs[0].account[:6]}")
                frames.append(under(group_frame(blank.model, None), aliases))
                talk = read_talk(opened, run, policy=NOBODY, watch=self._filming(frames, aliases))
            self._show(talk, frames, answering)
            self._aliases, self.of_pupil, self.study, self._answered = aliases, bool(theirs), study, False

        self._do("opening", work)

    def go_back(self) -> None:
        """Take the message that is looked at for the last one: from there it goes on in another way."""
        talk, at = self.talk, self.at
        if talk is None or self.of_pupil:
            return

        def work() -> None:
            frames = self.frames[:1]
            answered = self._answered
            self._show(talk.again(at, self._filming(frames)), frames, self._answering)
            self._answered = answered

        self._do("going_back", work)

    def _show(self, talk: UnkeptTalk, frames: list[GroupFrame], answering: Answering) -> None:
        self.talk, self.frames, self._answering, self._answered = talk, frames, answering, True
        self.look_at_end()
        self.typed, self.study, self.choosing = "", "", False
        self._aliases, self.of_pupil = {}, False
        self._said.clear()

    def _filming(
        self, frames: list[GroupFrame], aliases: Mapping[str, str] | None = None
    ) -> Callable[[UnkeptTalk], None]:
        def watch(talk: UnkeptTalk) -> None:
            frames.append(under(group_frame(talk.model, frames[-1] if frames else None), aliases or {}))

        return watch

    # --- playing ---

    def play(self) -> None:
        """Go on until it is over, or somebody stops it."""
        self.look_at_end()
        self._roll(once=False)

    def step(self) -> None:
        """The next message: one that was seen before, or one more. Who is silent is waited for no longer."""
        if self.at < self.last:
            self.seek(self.at + 1)
        elif self.playing:
            self._hurry = True
            self._wake.set()
        else:
            self._roll(once=True)

    def pause(self) -> None:
        """Stop after the message that has begun."""
        self._stop.set()
        self._wake.set()

    def say(self) -> None:
        """Say what was typed; the others answer."""
        text = self.typed.strip()
        if not text or self.over or not self.seat:
            return
        self.typed = ""
        self.look_at_end()
        self._said.append(text)
        self._wake.set()
        self.changed.tell()
        self._roll(once=False)

    def type(self, text: str) -> None:
        """Somebody types: the peers hold back."""
        self._touched = self._touched or text != self.typed
        self.typed = text

    def _play_on(self) -> None:
        self._roll(once=False)

    def _roll(self, *, once: bool) -> None:
        talk = self.talk
        if talk is None or self.over or self.busy:
            return
        self.look_at_end()
        self._clock = talk.model.now, time.monotonic()
        if once:
            self._do("step", lambda: self._one(talk))
        else:
            self._do("playing", lambda: self._go_on(talk), playing=True)

    def _go_on(self, talk: UnkeptTalk) -> None:
        try:
            self._talk_on(talk)
        finally:
            self.playing = False
            if self.study and self.talk is not None:  # nobody plays it any more
                self._write(self.talk)

    def _talk_on(self, talk: UnkeptTalk) -> None:
        self._inform(talk)
        while not self._stop.is_set() and not talk.over:
            if self._hear(talk):
                self._rest(1 / PACES[self.pace])
                continue
            due = talk.due
            if due is None:  # nobody says more until the person does
                return
            if due > self._now() and not self._hurry:
                self._rest(min(due - self._now(), _LOOK))
                continue
            self._advance(talk, max(due, self._now()))
            self._hurry, self._clock = False, (talk.model.now, time.monotonic())
            self._rest(1 / PACES[self.pace])

    def _one(self, talk: UnkeptTalk) -> None:
        self._inform(talk)
        if not self._hear(talk) and talk.due is not None:
            self._advance(talk, talk.due)

    def _hear(self, talk: UnkeptTalk) -> bool:
        """Take in what was typed and said here; True where something was said."""
        if self._touched and self.seat:
            self._touched = False
            talk.touch(self.seat, self._now())
        if not self._said:
            return False
        text = self._said.popleft()
        if self._alerts is not None and not self.study:
            problem, at = talk.model.problem.title, (SESSION, talk.model.turn + 1)
            self._alerts.listen_in(text, "group", problem, of=self, name=self.seat, at=at)
        self._take_step(talk, lambda: talk.say(self.seat, text, self._now(), secrets.token_hex(8)))
        return True

    def _advance(self, talk: UnkeptTalk, now: float) -> None:
        self._take_step(talk, lambda: talk.advance(now))

    def _inform(self, talk: UnkeptTalk) -> None:
        """Tell the peers what has changed meanwhile: a verdict may have come while nobody said anything."""
        if self._alerts is not None:
            self._alerts.inform(talk.model, self, self.study, talk.run)

    def _take_step(self, talk: UnkeptTalk, step: Callable[[], object]) -> None:
        if not self._answered:  # it was read from a study, for which nobody has to answer
            settings = talk.spec.setup.settings.model_copy(update={"llm": self._answering.llm})
            talk.model.policy = make_policy(self._answering.policy, settings, talk.model.members)
            self._answered = True
        self._inform(talk)
        try:
            step()
        except Exception:
            frames = self.frames[:1]  # what breaks off in the middle of a step is as if it had not begun
            self.talk = talk.again(watch=self._filming(frames))
            self.frames = frames
            raise
        if self.study:
            self._write(talk)
        self.moved.tell()

    def _now(self) -> float:
        group, since = self._clock
        return group + time.monotonic() - since

    def _rest(self, seconds: float) -> None:
        self._wake.wait(seconds)
        self._wake.clear()

    # --- looking back ---

    def seek(self, place: int) -> None:
        """Look at another message."""
        self.look_at(place)
        self.moved.tell()

    def set_pace(self, pace: str) -> None:
        """Another pace."""
        self.pace = pace

    # --- keeping ---

    def keep(self, study: str) -> None:
        """Keep it in a study, and what is said from now on, too."""
        talk = self.talk

        def work() -> None:
            if talk is not None and not self.of_pupil:
                self.study = study
                try:
                    self._write(talk)
                except EduverseError:
                    self.study = ""
                    raise

        played = self.playing
        self._do("keeping", work, play_on=played)

    def _write(self, talk: UnkeptTalk) -> None:
        with open_study(self.study, create=True) as opened:
            somebody = self._somebody(opened.study) if self.seat and not talk.run else ""
            standing: RunStatus = "running" if self.playing else "interrupted"
            keep_talk(opened, talk, standing=standing, participant=somebody)
        if self._alerts is not None:
            self._alerts.now_kept(self, self.study, talk.run)

    def _somebody(self, study: Study) -> str:
        """Return the participant for the person who types here, so that the words can be handed out and erased."""
        people = study.participants()
        if self._person not in {(study.path, row.id) for row in people if row.state == "present"}:
            self._person = study.path, study.add_participant(f"Guest {len(people) + 1}", "student").id
        return self._person[1]

    def forget(self, study: str) -> None:
        """Something was taken out of a study: a dialogue that is kept there no longer goes."""
        talk = self.talk
        if talk is None or self.busy or not self.study or not same_study(self.study, study):
            return
        with open_study(study, read_only=True) as opened:
            there = talk.run in opened.runs()
        if not there:
            self._show(talk, [], self._answering)
            self.talk, self.choosing = None, True
            self.changed.tell()

    # ---

    def choose(self, choosing: bool) -> None:
        """Open the form, or fold it."""
        self.choosing = choosing
        self.changed.tell()

    def close(self) -> None:
        """The desk is cleared."""
        self.pause()

    @property
    def free(self) -> bool:
        """Something else can be begun; what is played is stopped for it."""
        return not self.busy or self.playing

    def _do(self, name: str, work: Callable[[], None], *, playing: bool = False, play_on: bool = False) -> None:
        if self.playing:
            self._after = lambda: self._do(name, work, play_on=play_on)
            self.pause()
            return
        if self.busy:
            self.refuse("Something is still being worked out here. Try again in a moment.")
            return
        self._stop.clear()
        self._wake.clear()
        self.playing, self._hurry = playing, False

        def then() -> None:
            self.moved.tell()
            after, self._after = self._after, None
            if after is not None:
                after()
            elif self.error is None and (play_on or self._said):  # it was said while the last message was taken in
                self._play_on()

        self.do(f"group-{name}", lambda _: work(), then=then)


def meeting_of(desk: Desk) -> Meeting:
    """This desk's."""
    return desk.drawer(Meeting, lambda: Meeting(desk.office.alerts))
