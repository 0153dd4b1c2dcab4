"""The host of a conversation: sees if a stage is finished, and chooses who goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eduverse_mesa.decisions.groups import Invite, Invited, Message, SeeStage, StageSeen
from eduverse_mesa.policies.embedded.groups.state import all_shown, idle
from eduverse_mesa.randomness import uniform

Parameters = Mapping[str, float]
MOST_PLANNING = 8
"""Messages in the third stage after which the group begins, even with open points."""
MOST_DISPUTE = 16
"""Messages in the fourth stage after which the group looks back at the answer with a dispute still open."""

MOST_ROUNDS = 2
"""Times that peers speak against a person before one who has not is asked in."""


def see_stage(decision: SeeStage) -> StageSeen:
    """Judge if the purpose of a stage has been achieved in it."""
    here = [one for one in decision.dialogue if one.stage == decision.stage]
    if not here:
        return StageSeen(False, "nothing has been said yet")
    waiting = _is_open(here[-1])
    if waiting:
        return StageSeen(False, waiting)
    finished, reason = _SEEN[decision.stage](decision, here)
    return StageSeen(finished, reason)


def _is_open(last: Message) -> str:
    """Return what has to be answered first, in words; empty if nothing is open."""
    if last.meaning.lost:
        return f"{last.speaker} does not get it yet"
    if last.meaning.asks and not last.meaning.stance:
        return "a question is open"
    if not last.meaning.clear:
        return "nobody knows what was meant"
    return ""


def _understood(_: SeeStage, here: Sequence[Message]) -> tuple[bool, str]:
    told = [one.speaker for one in here if one.meaning.act == "present_understanding"]
    seconded = [one for one in here if one.meaning.stance == "agrees" and one.speaker not in told[:1]]
    if told and seconded:
        return True, "somebody has said what is asked, and another agrees"
    return False, "it was not said yet what is asked" if not told else "nobody has agreed yet"


def _organised(decision: SeeStage, here: Sequence[Message]) -> tuple[bool, str]:
    taken = {*dict(decision.minutes.roles), *(one.variable for one in decision.minutes.stated)}
    free = [task.variable for task in decision.sheet.tasks if task.variable not in taken]
    heard = {one.speaker for one in here}
    if not free and len(heard) > 1:
        return True, "every part has somebody who does it"
    return False, f"nobody does {free[0]} yet" if free else "only one has spoken"


def _planned(decision: SeeStage, here: Sequence[Message]) -> tuple[bool, str]:
    plans = [one for one in here if one.meaning.plans or (one.meaning.sums and one.meaning.claims)]
    shown = all_shown(decision.dialogue, decision.sheet.goals)
    if shown and here[-1].meaning.stance != "disagrees" and len({one.speaker for one in here}) > 1:
        return True, "somebody has shown how it is done"
    answered = [one for one in here if plans and one.turn > plans[0].turn and one.speaker != plans[0].speaker]
    if plans and answered and here[-1].meaning.stance != "disagrees":
        return True, "a way was proposed, and another has said something to it"
    if plans and len(plans) > 1 and len({one.speaker for one in plans}) > 1 and len(here) >= 3:
        return True, "there are two ways; doing it will show"
    if len(here) >= MOST_PLANNING:
        return True, "they have talked long enough about how; doing it will show"
    return False, "nobody has answered the plan yet" if plans else "there is no plan yet"


def _executed(decision: SeeStage, here: Sequence[Message]) -> tuple[bool, str]:
    minutes = decision.minutes
    missing = [goal for goal in decision.sheet.goals if not any(one.variable == goal for one in minutes.stated)]
    if decision.sheet.options:
        if not minutes.chosen:
            return False, "nobody has chosen yet"
    elif missing:
        return False, f"{missing[0]} was not said yet"
    if _disputed(decision) and len(here) < MOST_DISPUTE:
        return False, "there are two answers"
    unheard = set(decision.members) - set(decision.people) - {one.speaker for one in here}
    if decision.people and unheard and len(here) < MOST_DISPUTE:
        return False, f"{min(unheard)} has not said yet what it has"
    held = {one.speaker for one in minutes.stated if one.variable in decision.sheet.goals}
    if here[-1].speaker in decision.people and held == {here[-1].speaker} and len(here) < MOST_DISPUTE:
        return False, "nobody else has said yet whether it is right"
    if here[-1].meaning.stance != "agrees" and len(here) < MOST_DISPUTE:
        return False, "nobody has said yet whether it is right"
    return True, "the answer is on the table, and another agrees"


def _disputed(decision: SeeStage) -> bool:
    if len({frozenset(chosen) for _, chosen in decision.minutes.chosen}) > 1:
        return True
    held: dict[str, str] = {}
    # What a person has said of something else on the way is no other answer.
    goals, every = decision.sheet.goals, decision.minutes.stated
    stated = [one for one in every if one.variable in goals] if decision.people else every
    return any(
        not decision.sheet.alike(one.variable, held.setdefault(one.variable, one.value), one.value) for one in stated
    )


def _validated(decision: SeeStage, _: Sequence[Message]) -> tuple[bool, str]:
    silent = [name for name in decision.members if name not in decision.minutes.agreed]
    if silent:
        return False, f"{silent[0]} has not agreed yet"
    left = [one.id for one in decision.sheet.options if one.id not in decision.minutes.options]
    if left:
        return False, f"choice {left[0]} was not talked about"
    waiting = idle(decision.dialogue, decision.people)
    if waiting:
        return False, f"{waiting[0]} has only consented so far"
    return True, "everybody agrees with the answer"


_SEEN = {
    "understand": _understood,
    "organise": _organised,
    "plan": _planned,
    "execute": _executed,
    "validate": _validated,
}


def invite(decision: Invite, p: Parameters) -> Invited:
    """Choose who goes on: people before peers, then those the last message concerns, then those who said least."""
    last = decision.dialogue[-1] if decision.dialogue else None
    if last is None:
        return Invited(decision.peers or decision.people, "somebody begins")
    peers = tuple(name for name in decision.peers if name != last.speaker)
    people = tuple(name for name in decision.people if name != last.speaker)
    if people and last.speaker in decision.peers:
        if uniform(decision.at, "invite") < p["invite.person"]:
            return Invited(people, "a person has not spoken for a while")
        return Invited((*people, *peers), "anybody may")
    return Invited(_concerned(decision, last, peers) or people, "answers what was said")


def _speaks_in(message: Message, name: str, stage: str) -> bool:
    return message.speaker == name and message.stage == stage


def _concerned(decision: Invite, last: Message, peers: tuple[str, ...]) -> tuple[str, ...]:
    """Of the peers, those who hold something else; or else those who have said least."""
    if len(peers) < 2:
        return peers
    before = next((one for one in reversed(decision.dialogue) if one.speaker in decision.peers), None)
    if before is not None and last.speaker in decision.people and before.meaning.addressed in peers:
        return (before.meaning.addressed,)  # whose turn it was before a person said something in between
    said = {claim.about: claim.value for claim in last.meaning.claims}
    against = tuple(
        name
        for name in peers
        if any(
            one.speaker == name
            and one.variable in said
            and not decision.sheet.alike(one.variable, one.value, said[one.variable])
            for one in decision.minutes.stated
        )
    )
    rounds = sum(
        one.speaker in against and one.meaning.stance == "disagrees" and one.meaning.topic in said
        for one in decision.dialogue
    )
    others = tuple(name for name in peers if name not in against)
    if against:
        return others if others and decision.people and rounds >= MOST_ROUNDS else against
    silent = tuple(
        name for name in peers if not any(_speaks_in(one, name, decision.stage) for one in decision.dialogue)
    )
    if silent and decision.people and decision.stage == "execute":
        return silent
    count = {name: sum(one.speaker == name for one in decision.dialogue) for name in peers}
    least = min(count.values())
    return tuple(name for name in peers if count[name] == least)
