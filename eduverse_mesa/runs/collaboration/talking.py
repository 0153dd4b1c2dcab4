"""A dialogue that is going on: each message is in the study before anybody sees it, and the whole can be built again
from there, whenever the program that held it has died."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from pydantic import ValidationError

from eduverse_mesa import __version__
from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.hearing.lookout import tells_of_harm
from eduverse_mesa.models.collaboration import CollaborationModel
from eduverse_mesa.policies import AnyPolicy, NotRecordedError, Recorded, ReplayPolicy
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.policies.embedded.collaboration.gentleness import waits_quietly
from eduverse_mesa.policies.llm.calling import Ledger, billed_to
from eduverse_mesa.policies.sharing import need_live
from eduverse_mesa.runs.collaboration.spec import GroupSpec, document_of, spec_of
from eduverse_mesa.runs.recording import answer_row
from eduverse_mesa.runs.rules import RULES, Origin, note_rules
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.store import AnswerRow, MessageRow, RunRow, Study, TalkRow
from eduverse_mesa.store.dialogues import begin_dialogue
from eduverse_mesa.store.messages import SESSION, commit_message, messages_of
from eduverse_mesa.store.steps import now as stamp

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
        """Where it is kept; without one it is in memory only (`unkept.py`)."""
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
