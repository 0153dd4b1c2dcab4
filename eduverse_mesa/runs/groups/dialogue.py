"""A dialogue of a group, in a study or in memory: in a study, each message is there before anybody sees it, and the
whole can be built again from there, whenever the program that held it has died.

The adapter of the kernel for groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Unpack

import msgspec

from eduverse_mesa import __version__
from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import StudyError
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.embedded.groups.gentleness import waits_quietly
from eduverse_mesa.policies.llm.calling import Ledger, billed_to
from eduverse_mesa.policies.shared_limit import need_live
from eduverse_mesa.runs import kernel
from eduverse_mesa.runs.kernel import Changes, Chosen, Kind, Part, Played, choose_policy, play_all
from eduverse_mesa.runs.open_runs import refuse_held
from eduverse_mesa.runs.recording import Recording, Until, Writer
from eduverse_mesa.runs.rule_versions import RULES
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.loader import kept_collaboration
from eduverse_mesa.store import MessageRow, PlayedStep, RunRow, RunStatus, TalkRow
from eduverse_mesa.store.classwork import find_talks
from eduverse_mesa.store.dialogues import SESSION, begin_dialogue
from eduverse_mesa.store.steps import now as stamp


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """One problem, who works on it, and where the draws come from."""

    setup: Collaboration
    seed: int
    session: int = 1
    """The number of the session of its student, from 1: with `fading` peers help less from one to the next."""


class _Document(msgspec.Struct):
    """How it is written down. The name stands on top, as in any scenario."""

    name: str
    title: str
    collaboration: dict[str, Any]
    session: int = 1


def document_of(spec: GroupSpec) -> str:
    """The whole of it as JSON, but for the seed."""
    setup = spec.setup
    problem = setup.problems[0]
    document = _Document(problem.name, problem.title, setup.model_dump(mode="json", by_alias=True), spec.session)
    return msgspec.json.encode(document).decode()


def seats_of(document: str) -> tuple[str, ...]:
    """Return the names of the people in it, as they are called there: a student whose name a peer has, has a number
    beside it."""
    return tuple(msgspec.json.decode(document, type=_Document).collaboration.get("seats", ()))


Choose = Callable[[Collaboration], AnyPolicy]
"""Chooser of the policy that answers for the peers of a group."""


@dataclass(slots=True)
class Dialogue(Part[CollaborationModel]):
    """The dialogue of a group as far as it has come; its steps are messages."""

    account: Ledger = field(default_factory=Ledger)
    messages: list[MessageRow] = field(default_factory=list)
    """All that was said, a row a step."""
    coming: MessageRow | None = None
    """The message of the next step, where it was recorded."""
    key: str | None = None
    """The key under which a person says what comes next."""
    _heard: int = 0

    @property
    def known_as(self) -> int:
        """The number of the session of its student."""
        return self.model.session

    def prepare(self, recording: Recording) -> bool:
        """Let the clock go on to the next message, and a person say it who said it then. False where only people can
        go on."""
        model, said = self.model, self.steps
        self.coming = recording.messages[said] if recording.holds(self.number, said + 1) else None
        if self.coming is None:
            return self.wait()
        if self.coming.speaker in model.people:
            model.hear(self.coming.speaker, self.coming.text, self.coming.now)
        else:
            model.tick(self.coming.now)
        return True

    @property
    def quiet(self) -> bool:
        """Somebody has told of harm, and was answered: nobody says more until they do."""
        model = self.model
        return not model.inbox and waits_quietly(model.dialogue, model.people, model.cleared)

    @property
    def due(self) -> float | None:
        """From when on a peer has something to say, by the group's own clock."""
        return None if self.quiet else self.model.due

    def wait(self) -> bool:
        """Let the clock go on until a peer has something to say; False where only people can go on."""
        due = self.due
        if due is not None:
            self.model.tick(max(due, self.model.now))
        return due is not None

    def take(self) -> bool:
        """Let somebody say something; what a language model takes for it is billed to this dialogue."""
        turn = self.model.turn
        with billed_to(self.account):
            self.model.step()
        return self.model.turn != turn

    def note(self) -> int:
        """Note the message of a step: as it was recorded, or as it was said just now."""
        self.messages.append(self.coming or self._row())
        self.coming, self.key, self._heard = None, None, len(self.model.dialogue)
        return Part.note(self)

    def _row(self) -> MessageRow:
        model = self.model
        row = MessageRow(model.turn, "", "", model.stage, model.now, stamp(), self.key)
        if len(model.dialogue) == self._heard:
            return row
        said = model.dialogue[-1]
        return row._replace(speaker=said.speaker, text=said.text, stage=said.stage)

    def digest(self) -> str:
        """A fingerprint of where it stands."""
        return digest_of(self.model)

    def with_more(self, done: PlayedStep) -> PlayedStep:
        """With the message; one that tells of harm raises an alert."""
        said = self.messages[done.step - 1]
        return done._replace(message=said, alarming=is_alarming(said))

    def otherwise(self, step: int) -> str:
        """Say that a message does not come out as it was recorded."""
        return f"the dialogue goes another way than its log at message {step}"


def is_alarming(row: MessageRow) -> bool:
    """Return whether a person has typed this, and it tells of harm."""
    return row.key is not None and tells_of_harm(row.text)


def digest_of(model: CollaborationModel) -> str:
    """A fingerprint of where a dialogue stands after a step, its clock aside.

    What goes into it is named field by field: dialogues are gone on with by later versions, whose messages and minutes
    may hold more. A version that has to fingerprint more puts its number before what it writes, and goes on reading
    these, which bear none.
    """
    floor = model.floor
    last = [_fields(message, _MESSAGE) for message in model.dialogue[-1:]]
    changed = [(row.turn, row.peer, row.variable, row.after) for row in model.journal.revisions]
    where = model.turn, model.stage, model.in_stage, model.unanswered, model.running
    whole = (where, floor.holders, last, _fields(model.record.minutes(), _MINUTES), changed)
    return blake2b(msgspec.json.encode(whole), digest_size=8).hexdigest()


_Named = dict[str, "_Named | None"]
_CLAIM: _Named = dict.fromkeys(("about", "value"))
_SUM: _Named = dict.fromkeys(("text", "result", "holds"))
_MEANING: _Named = dict.fromkeys(
    (
        "act", "addressed", "topic", "claims", "sums", "stance", "asks", "seeks", "lost", "cues", "options", "chosen",
        "takes", "gives", "plans", "backs", "matter", "stuck", "off_topic", "clear",
    )
) | {"claims": _CLAIM, "sums": _SUM}  # fmt: skip
_MESSAGE: _Named = dict.fromkeys(("turn", "speaker", "text", "stage")) | {"meaning": _MEANING}
_STATED: _Named = dict.fromkeys(("variable", "speaker", "value", "turn"))
_MINUTES: _Named = {"stated": _STATED, **dict.fromkeys(("roles", "planned", "options", "chosen", "agreed"))}


def _fields(value: Any, named: _Named) -> Any:
    """These fields of a struct, or of each of several."""
    if isinstance(value, tuple):
        return [_fields(one, named) for one in value]
    return {
        name: getattr(value, name) if within is None else _fields(getattr(value, name), within)
        for name, within in named.items()
    }


class Talk(Played[GroupSpec, Dialogue]):
    """A group's run as far as it has come. One at a time may use it: whoever serves many sees to that."""

    def __init__(
        self,
        run: str,
        spec: GroupSpec,
        policy: AnyPolicy | str | None = None,
        *,
        account: Ledger | None = None,
        opened: OpenStudy | None = None,
    ) -> None:
        self.account = account or Ledger()
        """The ledger of language models for this dialogue, whoever shares their budget."""
        super().__init__(run, spec, ledger=self.account)
        self.model = CollaborationModel(spec.setup, seed=spec.seed, session=spec.session, policy=policy)
        self.dialogue = Dialogue(SESSION, self.model, account=self.account)
        self.parts.append(self.dialogue)
        self._study = None if opened is None else opened.study
        """The study in which each message is kept; without one it is in memory only (`UnkeptTalk`)."""
        self._writer = None if opened is None else Writer(opened.study, run, self.account)
        self.broken = False
        """A step was broken off, or could not be written: what is in memory is not what was kept. Open it again."""
        self._pending = False

    @property
    def run(self) -> str:
        """Its id."""
        return self.id

    @property
    def planned(self) -> int:
        """It is one dialogue."""
        return 1

    def begin(self, _: int, __: AnyPolicy | None = None) -> Dialogue:
        """The dialogue, in which everybody is already."""
        return self.dialogue

    @property
    def messages(self) -> list[MessageRow]:
        """All that was said, a row a step; in a study, nobody sees a message before it is there."""
        return self.dialogue.messages[:-1] if self._pending else self.dialogue.messages

    @property
    def over(self) -> bool:
        """Nobody says anything more."""
        return not self.model.running

    @property
    def complete(self) -> bool:
        """It has come to its end."""
        return self.over

    @property
    def bill(self) -> Bill:
        """The bill of language models so far."""
        return self.account.bill

    def close(self) -> None:
        """Write no more: the study is going to be closed."""
        if self._writer is not None:
            self._writer.note_bill()
            self._writer.close()

    @property
    def due(self) -> float | None:
        """From when on a peer has something to say, by the group's own clock."""
        return None if self.broken else self.dialogue.due

    @property
    def quiet(self) -> bool:
        """Somebody has told of harm, and was answered: nobody says more until they do."""
        return self.dialogue.quiet

    def expect_people(self) -> None:
        """Refuse settings by which people in it would wait for a day."""
        if self.spec.setup.seats:
            need_live(self.model.policy.name, self.spec.setup.settings.llm)

    def touch(self, name: str, now: float) -> None:
        """A key was struck: the peers hold back."""
        self.model.type(name, max(now, self.model.now))

    def said(self, key: str) -> MessageRow | None:
        """The message that came with this key, if it has come before."""
        return next((row for row in self.messages if row.key == key), None)

    def say(self, name: str, text: str, now: float, key: str) -> MessageRow:
        """A person says something. What was sent twice is taken once: the key tells."""
        before = self.said(key)
        if before is not None:
            return before
        self._refuse_broken()
        self.model.hear(name, text, max(now, self.model.now))
        self.dialogue.key = key
        row = self._step()
        if row is None:
            raise RuntimeError("what a person says is a step")
        return row

    def advance(self, now: float) -> MessageRow | None:
        """A peer goes on, if it is time; gives what they said."""
        self._refuse_broken()
        self.model.tick(max(now, self.model.now))
        return self._step()

    def _refuse_broken(self) -> None:
        if self.broken:
            raise StudyError(
                f"run {self.run} was broken off in memory.",
                where=self.where,
                mend="Open it again from the study.",
            )

    def _step(self) -> MessageRow | None:
        try:
            if not self.dialogue.take():
                return None
            self._pending = self._writer is not None
            self.dialogue.note()
            self._write()
        except BaseException:
            self.broken = True
            raise
        self._pending = False
        return self.messages[-1]

    def _write(self) -> None:
        """Keep the message that was said."""
        if self._writer is not None and self._study is not None:
            self._writer.note(self.dialogue, self.dialogue.steps)
            if self.over:
                self._study.set_status(self.run, "complete")

    @property
    def where(self) -> str:
        """The study in which it is kept; empty where it is in none."""
        return self._study.path if self._study is not None else ""


class Groups(Kind[GroupSpec, Talk]):
    """The adapter for runs of groups."""

    code = "collaboration"
    document = "problem and peers"

    def read(self, row: RunRow) -> GroupSpec:
        """The spec that was written down."""
        read = msgspec.json.decode(row.scenario, type=_Document)
        return GroupSpec(kept_collaboration(read.collaboration), row.seed, read.session)

    def row(self, spec: GroupSpec) -> RunRow:
        """A group's run as a study enters it. How many messages it will have, nobody knows."""
        name = spec.setup.problems[0].name
        return RunRow(
            id=f"{name}-{spec.seed}",
            name=name,
            seed=spec.seed,
            scenario=document_of(spec),
            policy=spec.setup.settings.policy,
            version=__version__,
            rules=RULES["collaboration"],
            kind="collaboration",
        )

    def make(self, run: str, spec: GroupSpec, chosen: Chosen[Any] | None, bill: Bill) -> Talk:
        """A dialogue in which nothing was said yet, with an account of its own."""
        return Talk(run, spec, "embedded" if chosen is None else chosen.policy, account=_account(bill))

    def wrong(self, run: RunRow, where: str) -> StudyError:
        """The error for a run of another kind."""
        return StudyError(f"run {run.id} is not of a group.", where=where, mend="Name one of MathVC.")

    def unknown(self, run: str, until: Until, recording: Recording) -> StudyError:
        """The error for a message that was not recorded."""
        return StudyError(
            f"run {run} has {len(recording.messages)} messages, and none {until[1]}.",
            where=recording.where,
            mend="Go back to a message that was recorded.",
        )


GROUPS = Groups()


def _account(bill: Bill) -> Ledger:
    account = Ledger()
    account.go_on_from(bill)
    return account


def begin_talk(
    opened: OpenStudy, spec: GroupSpec, run: str, policy: AnyPolicy | None = None, *, of: TalkRow | None = None
) -> Talk:
    """Enter a new run of a group; with the student whose dialogue it is, where it is one's."""
    talk = Talk(run, spec, policy, opened=opened)
    talk.expect_people()
    row = GROUPS.row(spec)._replace(id=run, policy=talk.model.policy.name)
    if of is None:
        opened.study.add_run(row)
    else:
        begin_dialogue(opened.study, row, of)
    return talk


def open_talk(opened: OpenStudy, run: str, choose: Choose | None = None, *, account: Ledger | None = None) -> Talk:
    """A run of a group, as far as the study has it; it goes on from there, with the policy of its setup or the one that
    `choose` gives for it. `account` is its ledger where it has one in memory."""
    stored = kernel.choose(GROUPS, opened, run)
    chosen = choose(stored.spec.setup) if choose is not None else None
    account = account or _account(Bill.read(stored.row.spent))
    talk = Talk(run, stored.spec, chosen, account=account, opened=opened)
    if choose is not None:  # to go on with it, and not only to look
        talk.expect_people()
    play_all(talk, recording=opened.recording(run))
    if talk.over and stored.status == "running":  # it was killed between the last message and this word
        opened.study.set_status(run, "complete")
    return talk


def choose_again(opened: OpenStudy, run: str) -> AnyPolicy:
    """Return the policy that answers for the peers of a run that goes on; what the run has taken so far counts towards
    its budget."""
    stored = kernel.choose(GROUPS, opened, run)
    if find_talks(opened.study, run=run):
        raise of_a_pupil(opened.study.path, run)
    chosen = choose_policy(stored.spec.setup, stored.row.policy)
    if chosen.ledger is not None:
        chosen.ledger.go_on_from(Bill.read(stored.row.spent))
    return chosen.policy


def of_a_pupil(where: str, run: str) -> StudyError:
    """Nobody speaks in a pupil's place."""
    return StudyError(
        f"run {run} is a pupil's: it goes on when the pupil says something.",
        where=where,
        mend="On the pupils' pages: eduverse mathvc serve.",
    )


def resume_talk(opened: OpenStudy, run: str, policy: AnyPolicy | str | None = None, **llm: Unpack[Changes]) -> Talk:
    """Let the peers of a run talk on to its end; where people sit in it nobody can go on without them."""
    refuse_held(opened.study.path, run)
    spec = kernel.choose(GROUPS, opened, run).spec
    if find_talks(opened.study, run=run):
        raise of_a_pupil(opened.study.path, run)
    if spec.setup.seats:
        raise StudyError(
            f"people sit in run {run}: it goes on when they say something.",
            where=opened.study.path,
            mend=f"Go on on the page Mathematics, or with eduverse mathvc play --out STUDY --run {run}",
        )
    return kernel.resume(GROUPS, opened, run, policy, **llm)


Watch = Callable[["UnkeptTalk"], object]


def _nobody(_: UnkeptTalk) -> None:
    """Nobody watches."""


class UnkeptTalk(Talk):
    """A group's run in memory. `watch` is told after every step, also while it is built again from a log."""

    def __init__(
        self,
        spec: GroupSpec,
        policy: AnyPolicy | str | None = None,
        *,
        run: str = "",
        account: Ledger | None = None,
        watch: Watch = _nobody,
    ) -> None:
        super().__init__(run, spec, policy, account=account)
        self.expect_people()
        self.parent: tuple[str, int] | None = None
        """The run that it goes on from in its own way, and after which message."""
        self.kept = 0
        """Steps of it that are in a study."""
        self._watch = watch

    def _write(self) -> None:
        self._watch(self)

    def build(self, recording: Recording, upto: int) -> None:
        """Bring it to where a recording has a message."""
        play_all(self, recording=recording, until=(SESSION, upto), progress=lambda _: self._watch(self))

    def again(self, upto: int | None = None, watch: Watch = _nobody) -> UnkeptTalk:
        """The same dialogue built anew, to its end or up to a message from where it goes on in its own way."""
        last = len(self.messages) if upto is None else upto
        whole = last == len(self.messages)
        other = UnkeptTalk(self.spec, self.model.policy, account=self.account if whole else None, watch=watch)
        recording = kernel.recording_of(self, "collaboration", (SESSION, last))
        other.build(replace(recording, messages=tuple(self.messages)), last)
        if whole:
            other.id, other.kept, other.parent = self.run, self.kept, self.parent
        elif self.run:
            other.parent = self.run, last
        return other


def keep_talk(
    opened: OpenStudy, talk: UnkeptTalk, *, standing: RunStatus = "interrupted", participant: str = ""
) -> str:
    """Write what is not in the study yet; gives the run. Each step is written whole or not at all, so that whatever
    stops this leaves a dialogue that can be gone on with.

    `standing` is how it stands until it is over; `participant` is who of the study sits in it.
    """
    if not talk.run:
        entry = GROUPS.row(talk.spec)._replace(policy=talk.model.policy.name)
        if talk.parent is not None:
            parent, at = talk.parent
            entry = entry._replace(parent=parent, forked_at=(SESSION, at))
        talk.id = opened.enter(entry)
        for name in talk.model.people if participant else ():
            opened.study.sit_down(participant, talk.run, name, (SESSION, 1))
    writer = Writer(opened.study, talk.run)
    while talk.kept < talk.dialogue.steps:
        writer.note(talk.dialogue, talk.kept + 1)
        talk.kept += 1
    opened.study.set_spent(talk.run, talk.bill.write())
    if talk.over:
        _stand_up(opened, talk)
    opened.study.set_status(talk.run, "complete" if talk.over else standing)
    return talk.run


def _stand_up(opened: OpenStudy, talk: UnkeptTalk) -> None:
    for sitting in opened.study.sittings(talk.run):
        if sitting.until is None:
            opened.study.stand_up(talk.run, sitting.agent, (SESSION, len(talk.messages)))


def read_talk(
    opened: OpenStudy,
    run: str,
    *,
    upto: int | None = None,
    policy: AnyPolicy | str | None = None,
    watch: Watch = _nobody,
) -> UnkeptTalk:
    """A copy of a group's run, to its end or up to a message: whoever talks there is not disturbed by it."""
    stored, recording = kernel.choose(GROUPS, opened, run), opened.recording(run)
    row, said = stored.row, len(recording.messages)
    if upto is not None and upto > said:
        raise GROUPS.unknown(run, (SESSION, upto), recording)
    talk = UnkeptTalk(stored.spec, policy, run=run, account=_account(Bill.read(row.spent)), watch=watch)
    talk.kept = said if upto is None else upto
    talk.build(recording, talk.kept)
    talk.parent = (row.parent, row.forked_at[1]) if row.parent is not None and row.forked_at is not None else None
    return talk
