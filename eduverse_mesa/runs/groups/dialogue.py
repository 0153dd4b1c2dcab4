"""A dialogue that is going on: each message is in the study before anybody sees it, and the whole can be built again
from there, whenever the program that held it has died."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import Any

import msgspec
from pydantic import ValidationError

from eduverse_mesa import __version__
from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.policies import AnyPolicy, NotRecordedError, Recorded, ReplayPolicy
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.policies.embedded.groups.gentleness import waits_quietly
from eduverse_mesa.policies.llm.calling import Ledger, billed_to
from eduverse_mesa.policies.shared_limit import need_live
from eduverse_mesa.runs.open_runs import refuse_held
from eduverse_mesa.runs.recording import answer_row
from eduverse_mesa.runs.rules import RULES, Origin, note_rules
from eduverse_mesa.runs.start import choose_policy, with_model
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.loader import kept_collaboration
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.store import AnswerRow, MessageRow, RunRow, RunStatus, Study, TalkRow
from eduverse_mesa.store.classwork import find_talks
from eduverse_mesa.store.dialogues import SESSION, begin_dialogue, commit_message, messages_of
from eduverse_mesa.store.steps import now as stamp


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """One problem, who works on it, and where the draws come from."""

    setup: Collaboration
    seed: int
    session: int = 1
    """The how-manieth of its student: with `fading` peers help less from one to the next."""


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
    """What the people in it are called there: a student whose name a peer has, has a number beside it."""
    return tuple(msgspec.json.decode(document, type=_Document).collaboration.get("seats", ()))


def spec_of(document: str, seed: int) -> GroupSpec:
    """What was written down; what is no such document raises as msgspec does, or a ScenarioError."""
    read = msgspec.json.decode(document, type=_Document)
    return GroupSpec(kept_collaboration(read.collaboration), seed, read.session)


Choose = Callable[[Collaboration], AnyPolicy]
"""Who answers for the peers of a group."""


class OtherwiseError(StudyError):
    """What is kept of a dialogue does not come out again: it was recorded by another version."""


class Talk:
    """A group's run as far as it has come. One at a time may use it: whoever serves many sees to that."""

    def __init__(
        self,
        study: Study | None,
        run: str,
        spec: GroupSpec,
        policy: AnyPolicy | str | None = None,
        account: Ledger | None = None,
    ) -> None:
        self.run, self.spec = run, spec
        self._study = study
        """Where it is kept; without one it is in memory only (`UnkeptTalk`)."""
        self.account = account or Ledger()
        """What language models take for this dialogue, whoever shares their budget."""
        if study is not None:
            self.account.keep(lambda bill: study.set_spent(run, bill))
        self.model = CollaborationModel(spec.setup, seed=spec.seed, session=spec.session, policy=policy)
        self.messages: list[MessageRow] = []
        """All that was said, a row a step."""
        self.origin = Origin.here("collaboration")
        """By which rules that was recorded which is replayed."""
        self.broken = False
        """A step was broken off, or could not be written: what is in memory is not what was kept. Open it again."""
        self._logged = 0

    @property
    def over(self) -> bool:
        """Nobody says anything more."""
        return not self.model.running

    @property
    def bill(self) -> Bill:
        """What language models have taken so far."""
        return self.account.bill

    def close(self) -> None:
        """Write no more: the study is going to be closed."""
        self.account.write_down()
        self.account.stop_keeping()

    @property
    def due(self) -> float | None:
        """From when on a peer has something to say, by the group's own clock."""
        return None if self.broken or self.quiet else self.model.due

    @property
    def quiet(self) -> bool:
        """Somebody has told of harm, and was answered: nobody says more until they do."""
        model = self.model
        return not model.inbox and waits_quietly(model.dialogue, model.people, model.cleared)

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
        row = self._step(key)
        if row is None:
            raise RuntimeError("what a person says is a step")
        return row

    def advance(self, now: float) -> MessageRow | None:
        """A peer goes on, if it is time; gives what it said."""
        self._refuse_broken()
        self.model.tick(max(now, self.model.now))
        return self._step(None)

    def _refuse_broken(self) -> None:
        if self.broken:
            raise StudyError(
                f"run {self.run} was broken off in memory.",
                where=self.where,
                mend="Open it again from the study.",
            )

    def _step(self, key: str | None) -> MessageRow | None:
        try:
            return self._stepped(key)
        except BaseException:
            self.broken = True
            raise

    def _stepped(self, key: str | None) -> MessageRow | None:
        turn, said = self.model.turn, len(self.model.dialogue)
        with billed_to(self.account):
            self.model.step()
        if self.model.turn == turn:
            return None
        entries = self.model.journal.answers[self._logged :]
        rows = [answer_row(entry)._replace(lesson=SESSION) for entry in entries]
        row = self._write(digest_of(self.model), rows, _row_of(self.model, said, key))
        self._take(row)
        return row

    def _write(self, digest: str, answers: list[AnswerRow], row: MessageRow) -> MessageRow:
        """Keep a step, and give its message as it was kept."""
        if self._study is None:
            return row._replace(at=row.at or stamp())
        alarming = is_alarming(row)
        self.account.write_down()
        row = commit_message(self._study, self.run, digest, answers, row, last=self.over, alarming=alarming)
        here = Origin.here("collaboration")
        if self.origin != here:
            note_rules(self._study, self.run)
            self.origin = here
        if self.over:
            self._study.set_status(self.run, "complete")
        return row

    def _take(self, row: MessageRow) -> None:
        self._logged = len(self.model.journal.answers)
        self.messages.append(row)

    @property
    def where(self) -> str:
        """The study in which it is kept; empty where it is in none."""
        return self._study.path if self._study is not None else ""

    def replay(self, log: list[Recorded], kept: list[MessageRow], digests: dict[tuple[int, int], str]) -> None:
        """Bring it to where the log ends. It has to come out as it did then, step by step."""
        answers = ReplayPolicy(log)
        model = self.model
        for row in kept:
            if row.speaker in model.people:
                model.hear(row.speaker, row.text, row.now)
            else:
                model.tick(row.now)
            if model.running:
                try:
                    run_waiting(model.rounds(), answers)
                except NotRecordedError as error:
                    raise self._otherwise(row.step, f": {error.message}") from error
                model.finish_driven_step()
            if model.turn != row.step or digest_of(model) != digests.get((SESSION, row.step)):
                raise self._otherwise(row.step, ".")
            self._take(row)

    def _otherwise(self, step: int, how: str) -> OtherwiseError:
        told = f"run {self.run} goes another way than its log at message {step}{how}"
        return OtherwiseError(told, where=self.where, mend=self.origin.mend)


def is_alarming(row: MessageRow) -> bool:
    """Return whether a person has typed this, and it tells of harm."""
    return row.key is not None and tells_of_harm(row.text)


def _row_of(model: CollaborationModel, said: int, key: str | None) -> MessageRow:
    if len(model.dialogue) == said:
        return MessageRow(model.turn, "", "", model.stage, model.now, key=key)
    message = model.dialogue[-1]
    return MessageRow(model.turn, message.speaker, message.text, message.stage, model.now, key=key)


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


def run_row(spec: GroupSpec, run: str, policy: str) -> RunRow:
    """A group's run as a study enters it. How many messages it will have, nobody knows."""
    return RunRow(
        id=run,
        name=spec.setup.problems[0].name,
        seed=spec.seed,
        scenario=document_of(spec),
        policy=policy,
        version=__version__,
        rules=RULES["collaboration"],
        kind="collaboration",
    )


def begin_talk(
    opened: OpenStudy, spec: GroupSpec, run: str, policy: AnyPolicy | None = None, *, of: TalkRow | None = None
) -> Talk:
    """Enter a new run of a group; with the student whose dialogue it is, where it is one's."""
    talk = Talk(opened.study, run, spec, policy)
    talk.expect_people()
    row = run_row(spec, run, talk.model.policy.name)
    if of is None:
        opened.study.add_run(row)
    else:
        begin_dialogue(opened.study, row, of)
    return talk


def choose_group(opened: OpenStudy, run: str) -> tuple[RunRow, GroupSpec]:
    """A group's run as it was entered, and what it is of."""
    row = opened.study.run(run)
    if row.kind != "collaboration":
        raise StudyError(f"run {run} is not of a group.", where=opened.study.path, mend="Name one of MathVC.")
    try:
        return row, spec_of(row.scenario, row.seed)
    except (ScenarioError, ValidationError, msgspec.DecodeError) as error:
        raise opened.unreadable(run, Origin.of(row), "problem and peers", error) from None


def log_of(opened: OpenStudy, run: str, spec: GroupSpec) -> tuple[list[Recorded], dict[tuple[int, int], str]]:
    """What was answered in a group's run, and the fingerprints of its steps."""
    recording = opened.recording(run)
    return [entry._replace(lesson=spec.session) for entry in recording.answers], recording.digests


def account_of(row: RunRow) -> Ledger:
    """The ledger of a group's run, with what it has taken before."""
    account = Ledger()
    account.go_on_from(Bill.read(row.spent))
    return account


def open_talk(opened: OpenStudy, run: str, choose: Choose | None = None, *, account: Ledger | None = None) -> Talk:
    """A run of a group, as far as the study has it; it goes on from there, with the policy of its setup or the one that
    `choose` gives for it. `account` is its ledger where it has one in memory."""
    row, spec = choose_group(opened, run)
    chosen = choose(spec.setup) if choose is not None else None
    talk = Talk(opened.study, run, spec, chosen, account or account_of(row))
    if choose is not None:  # to go on with it, and not only to look
        talk.expect_people()
    talk.origin = Origin.of(row)
    kept = messages_of(opened.study, run)  # first: another program may add to both while they are read
    log, digests = log_of(opened, run, spec)
    talk.replay(log, kept, digests)
    if talk.over and row.status == "running":  # it was killed between the last message and this word
        opened.study.set_status(run, "complete")
    return talk


def of_a_pupil(where: str, run: str) -> StudyError:
    """Nobody speaks in a pupil's place."""
    return StudyError(
        f"run {run} is a pupil's: it goes on when the pupil says something.",
        where=where,
        mend="On the pupils' pages: eduverse mathvc serve.",
    )


def choose_again(
    row: RunRow,
    setup: Collaboration,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
) -> AnyPolicy:
    """Who answers for the peers of a run that goes on; what it has taken so far counts towards its budget."""
    changed = with_model(setup, budget=budget, useless=useless, base_url=base_url)
    chosen = choose_policy(changed, row.policy if policy is None else policy)
    if chosen.ledger is not None:
        chosen.ledger.go_on_from(Bill.read(row.spent))
    return chosen.policy


def resume_talk(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
) -> Talk:
    """Let the peers of a run talk on to its end; where people sit in it nobody can go on without them."""
    refuse_held(opened.study.path, run)
    row, spec = choose_group(opened, run)
    if find_talks(opened.study, run=run):
        raise of_a_pupil(opened.study.path, run)
    if spec.setup.seats:
        raise StudyError(
            f"people sit in run {run}: it goes on when they say something.",
            where=opened.study.path,
            mend=f"Go on on the page Mathematics, or with eduverse mathvc play --out STUDY --run {run}",
        )
    chosen = choose_again(row, spec.setup, policy, budget=budget, useless=useless, base_url=base_url)
    talk = open_talk(opened, run, lambda _: chosen)
    try:
        while not talk.over and (due := talk.due) is not None:
            talk.advance(due)
    finally:
        talk.close()
    return talk


Watch = Callable[["UnkeptTalk"], None]


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
        super().__init__(None, run, spec, policy, account)
        self.expect_people()
        self.parent: tuple[str, int] | None = None
        """The run that it goes on from in its own way, and after which message."""
        self.kept = 0
        """Steps of it that are in a study."""
        self._digests: dict[tuple[int, int], str] = {}
        self._watch = watch

    def _take(self, row: MessageRow) -> None:
        super()._take(row)
        self._digests[SESSION, row.step] = digest_of(self.model)
        self._watch(self)

    def digest(self, step: int) -> str:
        """The fingerprint after a step."""
        return self._digests[SESSION, step]

    def again(self, upto: int | None = None, watch: Watch = _nobody) -> UnkeptTalk:
        """The same dialogue built anew, to its end or up to a message from where it goes on in its own way."""
        last = len(self.messages) if upto is None else upto
        whole = last == len(self.messages)
        other = UnkeptTalk(self.spec, self.model.policy, account=self.account if whole else None, watch=watch)
        log = [
            Recorded(entry.lesson, entry.step, entry.agent, entry.kind, entry.answer)
            for entry in self.model.journal.answers
            if entry.step <= last
        ]
        other.replay(log, self.messages[:last], self._digests)
        if whole:
            other.run, other.kept, other.parent = self.run, self.kept, self.parent
        elif self.run:
            other.parent = self.run, last
        return other

    def steps(self) -> dict[int, list[AnswerRow]]:
        """What was answered in each step, as a study keeps it."""
        entries = self.model.journal.answers
        return {
            step: [answer_row(entry)._replace(lesson=SESSION) for entry in of]
            for step, of in groupby(entries, key=lambda entry: entry.step)
        }


def keep_talk(
    opened: OpenStudy, talk: UnkeptTalk, *, standing: RunStatus = "interrupted", participant: str = ""
) -> str:
    """Write what is not in the study yet; gives the run. Each step is written whole or not at all, so that whatever
    stops this leaves a dialogue that can be gone on with.

    `standing` is how it stands until it is over; `participant` is who of the study sits in it.
    """
    if not talk.run:
        entry = run_row(talk.spec, f"{talk.model.problem.name}-{talk.spec.seed}", talk.model.policy.name)
        if talk.parent is not None:
            parent, at = talk.parent
            entry = entry._replace(parent=parent, forked_at=(SESSION, at))
        talk.run = opened.enter(entry)
        for name in talk.model.people if participant else ():
            opened.study.sit_down(participant, talk.run, name, (SESSION, 1))
    answers = talk.steps() if talk.kept < len(talk.messages) else {}
    if answers:
        note_rules(opened.study, talk.run)
    for row in talk.messages[talk.kept :]:
        last = talk.over and row.step == len(talk.messages)
        digest = talk.digest(row.step)
        given = answers.get(row.step, ())
        commit_message(opened.study, talk.run, digest, given, row, last=last, alarming=is_alarming(row))
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
    row, spec = choose_group(opened, run)
    log, digests = log_of(opened, run, spec)
    kept = messages_of(opened.study, run)
    if upto is not None and upto > len(kept):
        raise StudyError(
            f"run {run} has {len(kept)} messages, and none {upto}.",
            where=opened.study.path,
            mend="Go back to a message that was recorded.",
        )
    kept = kept[:upto]
    talk = UnkeptTalk(spec, policy, run=run, account=account_of(row), watch=watch)
    talk.origin = Origin.of(row)
    talk.replay([entry for entry in log if entry.step <= len(kept)], kept, digests)
    talk.kept = len(kept)
    talk.parent = (row.parent, row.forked_at[1]) if row.parent is not None and row.forked_at is not None else None
    return talk
