"""One message of a group: a person's is read, a peer thinks again, decides and speaks; then who goes on, and in which
stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from eduverse_mesa.agents.peer import PeerAgent
from eduverse_mesa.decisions import Round, Rounds
from eduverse_mesa.decisions.groups import (
    Chat,
    Claim,
    Intend,
    Invite,
    Meaning,
    Message,
    PeerView,
    Revise,
    Revised,
    SeeStage,
    Understand,
    Utter,
)
from eduverse_mesa.errors import LessonError
from eduverse_mesa.marks import count_words
from eduverse_mesa.models.decision_model import Asked
from eduverse_mesa.models.groups.record import SOLVED, STAGES, VALIDATE, closes
from eduverse_mesa.policies.embedded.groups.gentleness import in_trouble
from eduverse_mesa.policies.safe_text import clean, lines_of
from eduverse_mesa.randomness import Address, choose

if TYPE_CHECKING:
    from eduverse_mesa.models.groups.model import GroupModel, Heard

LONGEST = 2000
"""Characters of one message; what is longer is cut."""
MONITOR, HOST, READER = "monitor", "host", "reader of {}"


def take_step(model: GroupModel) -> Rounds:
    """Take one message, if there is one now: a person's that has come, or a peer's whose turn it is."""
    if model.inbox:
        model.turn += 1
        model.unanswered = 0
        yield from understand(model, model.inbox.popleft())
    else:
        last = model.dialogue[-1].speaker if model.dialogue else ""
        candidates = () if model.due is None else model.floor.candidates(model.names_of_peers, last, model.now)
        if not candidates:
            return
        model.turn += 1
        model.unanswered += bool(set(model.floor.holders) & set(model.people))
        peer = model.peer(choose(model.at(HOST), "speaker", candidates))
        yield from (chat(model, peer) if model.arm == "vanilla" else speak(model, peer))
    if model.running and model.arm == "full":
        yield from see_stage(model)
    if model.running:
        yield from invite(model)
    if model.running and model.turn >= model.settings.turns:
        model.finish()


def understand(model: GroupModel, heard: Heard) -> Rounds:
    """Read what a person has sent."""
    said = lines_of(heard.text)[:LONGEST]
    text = clean(said)
    question = Understand(
        at=model.at(READER.format(heard.name)),
        speaker=heard.name,
        text=text,
        sheet=model.sheet,
        members=model.members,
        dialogue=tuple(model.dialogue),
        stage=model.stage,
        acts=STAGES[model.stage].acts,
        marks=tuple((one.id, one.cue_marks) for one in model.problem.misconceptions),
        likely=model.likely,
        language=model.problem.language,
        ways=model.ways,
        gently=heard.name in in_trouble(model.dialogue, model.people, model.cleared),
    )
    (answer,) = yield Round.of(question)
    # What nobody could read stays a message: the group sees it, and asks what was meant.
    meaning = answer.outcome.meaning if answer.outcome is not None else Meaning(clear=False)
    meaning = _with_what_is_agreed(model, heard.name, text, meaning)
    _say(model, heard.name, "person", said, meaning, answer.source)


def speak(model: GroupModel, peer: PeerAgent) -> Rounds:
    """A peer thinks, and says what has come of it."""
    acts = STAGES[model.stage].acts
    thought = yield from think(model.at(peer.name), acts, partial(model.view, peer), partial(_revise, model, peer))
    if thought is not None:
        _say(model, peer.name, peer.role, thought.text, thought.meaning, thought.source, thought.listened_to)


class Thought(NamedTuple):
    """The words that somebody has come to say."""

    text: str
    meaning: Meaning
    source: str
    listened_to: str


def think(
    at: Address, acts: tuple[str, ...], see: Callable[[], PeerView], take: Callable[[Revised], object]
) -> Asked[Thought | None]:
    """Look again at what one thinks, decide what to do with one's words, and find them (MathVC, 3.2.2); None where
    there is nothing to say."""
    (answer,) = yield Round.of(Revise(at, see()))
    revised = answer.outcome if answer.outcome is not None else Revised()
    if revised.changes or revised.chosen or revised.understood:
        take(revised)
    (answer,) = yield Round.of(Intend(at, see(), acts, revised))
    intended = answer.outcome
    if intended is None:  # somebody else goes on
        return None
    (answer,) = yield Round.of(Utter(at, see(), intended))
    text = clean(answer.outcome.text)[:LONGEST] if answer.outcome is not None else ""
    if not text:  # what is not said is not meant by anybody
        return None
    return Thought(text, intended.meaning, answer.source, revised.by)


def _revise(model: GroupModel, peer: PeerAgent, revised: Revised) -> None:
    for shift in peer.take(revised):
        right = model.ledger.is_right(shift.variable, shift.after)
        model.journal.revise(model.turn, peer.name, shift, right=right, reason=revised.reason, by=revised.by)


def chat(model: GroupModel, peer: PeerAgent) -> Rounds:
    """The baseline: one says something in a plain chat, from the right solution, until somebody calls it done."""
    (answer,) = yield Round.of(Chat(model.at(peer.name), model.view(peer)))
    chatted = answer.outcome
    if chatted is None:
        return
    text = clean(chatted.text)[:LONGEST]
    if text:
        _say(model, peer.name, peer.role, text, chatted.meaning, answer.source)
    if chatted.done:
        model.stage = SOLVED if model.record.final_said() else model.stage
        model.finish()


def _say(
    model: GroupModel, speaker: str, role: str, text: str, meaning: Meaning, source: str, listened_to: str = ""
) -> None:
    message = Message(model.turn, speaker, text, model.stage, meaning)
    model.dialogue.append(message)
    model.in_stage += 1
    model.record.note(message)
    model.ledger.note(message, listened_to)
    model.journal.say(message, role, now=model.now, source=source)


def see_stage(model: GroupModel) -> Rounds:
    """Decide if the stage is finished; the dialogue ends with the last, or where nobody sees a way to agree."""
    question = SeeStage(
        at=model.at(MONITOR),
        stage=model.stage,
        turns=model.in_stage,
        sheet=model.sheet,
        members=model.members,
        dialogue=tuple(model.dialogue),
        minutes=model.record.minutes(),
        language=model.problem.language,
        people=model.people,
    )
    (answer,) = yield Round.of(question)
    seen = answer.outcome
    finished = seen is not None and seen.finished
    closed = closes(model.stage, model.in_stage, finished, model.record)
    if model.stage == VALIDATE and _unanswered(model):
        closed = False  # the peers have the last word, whoever sees the stage as finished
    reason = seen.reason if seen is not None else answer.reason
    model.journal.see_stage(
        model.turn, model.stage, finished=finished, closed=closed, reason=reason, source=answer.source
    )
    if closed:
        model.stage, model.in_stage = STAGES[model.stage].then, 0
    if model.stage == SOLVED or _at_odds_for_good(model):
        model.finish()


def _unanswered(model: GroupModel) -> bool:
    """Return True if a person has spoken last, and there are peers to answer."""
    return bool(model.peers and model.dialogue) and model.dialogue[-1].speaker in model.people


def _at_odds_for_good(model: GroupModel) -> bool:
    """Return True if all who talk in this stage see no way to agree: whoever keeps out of it could not bring it
    about."""
    talking = {line.speaker for line in model.dialogue if line.stage == model.stage}
    return len(talking) > 1 and talking <= model.record.stuck and not _unanswered(model)


def invite(model: GroupModel) -> Rounds:
    """Decide who goes on: the floor of the next step."""
    question = Invite(
        at=model.at(HOST),
        stage=model.stage,
        sheet=model.sheet,
        peers=model.names_of_peers,
        people=model.people,
        dialogue=tuple(model.dialogue),
        minutes=model.record.minutes(),
        language=model.problem.language,
    )
    (answer,) = yield Round.of(question)
    suggested = answer.outcome.names if answer.outcome is not None else ()
    last = model.dialogue[-1] if model.dialogue else None
    holders = bound_speakers(
        suggested, model.members, last.speaker if last else "", last.meaning.addressed if last else ""
    )
    model.floor = Floor(holders, frozenset(model.people), model.now, model.floor.patience)


def _with_what_is_agreed(model: GroupModel, name: str, text: str, meaning: Meaning) -> Meaning:
    """Return the meaning of a message with what its speaker agrees to. Somebody who agrees, and had said something
    else, now holds what was just said ("okay, you're right"); somebody who says that another is right by name holds
    what that other said. Somebody who says no more than yes, speaks of a number or asks meanwhile has not plainly said
    so."""
    backed = next((one for one in reversed(model.dialogue) if one.speaker == meaning.backs and _holds(one)), None)
    last = backed or (model.dialogue[-1] if model.dialogue else None)
    if meaning.stance != "agrees" or meaning.claims or meaning.chosen or last is None:
        return meaning
    if meaning.seeks and backed is None:
        return meaning  # "do you agree?" asks for what the others hold
    if backed is not None:
        every = _disputed(model, meaning.backs) or last.meaning.claims
        backing = tuple(Claim(one.about, one.value, asserted=not meaning.asks) for one in every)
        return msgspec.structs.replace(meaning, claims=backing, chosen=last.meaning.chosen)
    own = {
        claim.about: held
        for claim in last.meaning.claims
        if (held := model.record.values(claim.about).get(name)) is not None
    }
    bare = count_words(text) <= 1  # "yes" may be to anything that was said
    plain = not (bare or meaning.asks or meaning.options or re.search(r"\d", text))
    taken = tuple(
        Claim(claim.about, claim.value, asserted=plain)
        for claim in last.meaning.claims
        if claim.about in own and own[claim.about] != claim.value
    )
    chosen = last.meaning.chosen if name in model.record.chosen else ()
    return msgspec.structs.replace(meaning, claims=taken, chosen=chosen)


def _disputed(model: GroupModel, name: str) -> tuple[Claim, ...]:
    """Return the claims of somebody that others hold to be something else."""
    stated = [one for one in model.record.stated.values() if not one.loose]
    return tuple(
        Claim(one.variable, one.value)
        for one in stated
        if one.speaker == name
        and any(
            other.variable == one.variable and not model.sheet.alike(one.variable, other.value, one.value)
            for other in stated
        )
    )


def _holds(message: Message) -> bool:
    return bool(message.meaning.claims or message.meaning.chosen)


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds since the last keystroke after which a peer goes on."""

    alone: float = 60.0
    """Only people may speak."""
    shared: float = 10.0
    """People or peers may."""


def bound_speakers(suggested: Sequence[str], members: Sequence[str], last: str, called: str) -> tuple[str, ...]:
    """Return those who may speak, of those who were suggested: the one who is called by name, and never the last
    speaker.
    Where nobody legal was suggested, everybody else may.
    """
    others = tuple(name for name in members if name != last)
    if called in others:
        return (called,)
    allowed = tuple(name for name in others if name in suggested)
    return allowed or others or tuple(members)


@dataclass(frozen=True, slots=True)
class Floor:
    """The holders of the floor, and since when. Time is what the driver says it is: nothing here looks at a clock."""

    holders: tuple[str, ...]
    people: frozenset[str]
    since: float
    """The time when the last message was said or the last key was struck."""
    patience: Patience = Patience()

    @property
    def wait(self) -> float:
        """How long peers hold back."""
        held_by = [name in self.people for name in self.holders]
        if not any(held_by):
            return 0.0
        return self.patience.alone if all(held_by) else self.patience.shared

    @property
    def due(self) -> float:
        """The time from which on a peer may go on."""
        return self.since + self.wait

    def candidates(self, peers: Collection[str], last: str, now: float) -> tuple[str, ...]:
        """The peers of whom one speaks now; none while a person is waited for."""
        if now < self.due:
            return ()
        invited = tuple(name for name in self.holders if name in peers)
        # Nobody but people was invited, and they are silent: any peer goes on (section 3.2.1), the last one only
        # where there is no other.
        return invited or tuple(name for name in peers if name != last) or tuple(peers)

    def touch(self, now: float) -> Floor:
        """A key was struck: the waiting begins anew."""
        if now < self.since:
            raise LessonError(
                f"the time given is {now}, and it was {self.since} already.", mend="Give times that do not run back."
            )
        return Floor(self.holders, self.people, now, self.patience)
