"""A step of a group as it is seen: what was said, and beside it what no chat shows: everybody's own solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from eduverse_mesa.agents.peer import PeerAgent
from eduverse_mesa.decisions.groups import Message
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.models.groups.journal import ErrorRow
from eduverse_mesa.runs.groups.tables import rename
from eduverse_mesa.scenarios.word_problem import schema_of, work


class Held(msgspec.Struct, frozen=True):
    """A quantity as one peer has it, beside what is true. The choices among options are a quantity here, too."""

    variable: str
    phrase: str
    true: str
    held: str
    right: bool
    since: int
    """After which message it came to be held; 0 from the beginning."""
    changed: bool
    """It came to be held in this very step."""


class PeerFrame(msgspec.Struct, frozen=True):
    """A peer's mind."""

    name: str
    skill: str
    thinks: str
    """The peer's misconception in the peer's own words; empty where there is none, or none any more."""
    held: tuple[Held, ...]


class Said(msgspec.Struct, frozen=True):
    """A message with what was meant by it."""

    step: int
    speaker: str
    person: bool
    text: str
    stage: str
    act: str
    lost: bool
    clear: bool


class GroupFrame(msgspec.Struct, frozen=True):
    """The state of a group after a step; before the first one, too."""

    step: int
    stage: str
    """The stage that the group is in now, or solved; empty in a plain chat."""
    now: float
    said: Said | None
    """None before the first message, and in a step in which a peer had nothing to say."""
    peers: tuple[PeerFrame, ...]
    errors: tuple[ErrorRow, ...]
    """Events of errors so far."""
    roles: tuple[tuple[str, str], ...]
    """Subtasks in words, and who does them."""
    agreed: tuple[str, ...]
    next: tuple[str, ...]
    """Names of those who may speak now."""
    over: bool
    solved: bool
    right: bool


CHOICE = "choice"


def group_frame(model: CollaborationModel, before: GroupFrame | None) -> GroupFrame:
    """The step that the group has just taken; `before` is the frame of the one before it."""
    minutes = model.record.minutes()
    phrases = {task.variable: task.phrase for task in model.sheet.tasks}
    fresh = model.dialogue[-1] if model.dialogue and model.dialogue[-1].turn == model.turn else None
    known = {peer.name: peer.held for peer in before.peers} if before is not None else {}
    return GroupFrame(
        step=model.turn,
        stage=model.stage if model.arm == "full" else "",
        now=model.now,
        said=_said(fresh, model) if fresh is not None else None,
        peers=tuple(_peer(peer, model, known.get(peer.name, ())) for peer in model.peers),
        errors=tuple(model.journal.errors),
        roles=tuple((phrases.get(task, task), name) for task, name in minutes.roles),
        agreed=minutes.agreed,
        next=model.floor.holders if model.running else (),
        over=not model.running,
        solved=model.solved,
        right=model.is_right,
    )


def _said(message: Message, model: CollaborationModel) -> Said:
    meaning = message.meaning
    return Said(
        step=message.turn,
        speaker=message.speaker,
        person=message.speaker in model.people,
        text=message.text,
        stage=message.stage if model.arm == "full" else "",
        act=meaning.act,
        lost=meaning.lost,
        clear=meaning.clear,
    )


def _peer(peer: PeerAgent, model: CollaborationModel, before: Sequence[Held]) -> PeerFrame:
    belief = peer.belief()
    last = {one.variable: one for one in before}
    rows = [
        _dated(row, last.get(row.variable), model.turn) for row in (*_quantities(peer, model), *_choices(peer, model))
    ]
    return PeerFrame(peer.name, peer.role, belief.thinks if belief is not None else "", tuple(rows))


def _dated(row: Held, before: Held | None, step: int) -> Held:
    if before is None or step == 0:
        return row
    if before.held == row.held:
        return msgspec.structs.replace(row, since=before.since)
    return msgspec.structs.replace(row, since=step, changed=True)


def _quantities(peer: PeerAgent, model: CollaborationModel) -> list[Held]:
    """Everything that is given or worked out, in the order in which it is known."""
    schema, language = peer.schema, model.problem.language
    sheet = model.sheet
    phrases = {one.variable: one.phrase for one in sheet.givens} | {one.variable: one.phrase for one in sheet.tasks}
    right = work(schema_of(model.problem)).values
    return [
        Held(
            variable=name,
            phrase=phrases.get(name, name),
            true=schema.says(right[name], language),
            held=schema.says(value, language),
            right=model.ledger.is_right(name, str(value)),
            since=0,
            changed=False,
        )
        for name, value in peer.values.items()
    ]


def _choices(peer: PeerAgent, model: CollaborationModel) -> list[Held]:
    if not model.sheet.options:
        return []
    right = work(schema_of(model.problem)).chosen
    picks = peer.picks
    return [Held(CHOICE, model.sheet.choose, ", ".join(right), ", ".join(picks), set(picks) == set(right), 0, False)]


def under(frame: GroupFrame, aliases: Mapping[str, str]) -> GroupFrame:
    """The same with other names for some members, also where others speak of them."""
    if not aliases:
        return frame

    def called(name: str) -> str:
        return aliases.get(name, name)

    said = frame.said
    if said is not None:
        said = msgspec.structs.replace(said, speaker=called(said.speaker), text=rename(said.text, aliases))
    return msgspec.structs.replace(
        frame,
        said=said,
        errors=tuple(
            row._replace(of=called(row.of), by=called(row.by), words=rename(row.words, aliases)) for row in frame.errors
        ),
        roles=tuple((task, called(name)) for task, name in frame.roles),
        agreed=tuple(map(called, frame.agreed)),
        next=tuple(map(called, frame.next)),
    )
