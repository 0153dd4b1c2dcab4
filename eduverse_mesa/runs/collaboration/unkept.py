"""A dialogue in memory: played, looked back on, begun again from any message, and kept in a study when somebody wants
it, the same to the bit as if it had been recorded there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import AnyPolicy, Recorded
from eduverse_mesa.policies.llm.calling import Ledger
from eduverse_mesa.runs.collaboration.spec import GroupSpec
from eduverse_mesa.runs.collaboration.talking import (
    Talk,
    account_of,
    choose_group,
    digest_of,
    is_alarming,
    log_of,
    run_row,
)
from eduverse_mesa.runs.recording import answer_row
from eduverse_mesa.runs.rules import Origin, note_rules
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import AnswerRow, MessageRow, RunStatus
from eduverse_mesa.store.messages import SESSION, commit_message, messages_of

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
