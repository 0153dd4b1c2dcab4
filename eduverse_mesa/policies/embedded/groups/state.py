"""State of a dialogue for one peer: what each has said, asked and shown, and what clashes with the peer's own work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from eduverse_mesa.decisions.groups import Cue, Message, PeerView, Worked
from eduverse_mesa.formulas.wording import alike
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases
from eduverse_mesa.randomness import Address, uniform

MOST_ASKED_BACK = 2
"""Times that somebody who has only consented is asked for something of their own."""


def has_shown(dialogue: Iterable[Message], speaker: str, variable: str) -> bool:
    """Return True if somebody has said what a variable is and, in the same words or others, how they came by it."""
    theirs = [one.meaning for one in dialogue if one.speaker == speaker]
    values = [claim.value for one in theirs for claim in one.claims if claim.about == variable]
    if not values:
        return False
    for one in theirs:
        names = any(claim.about == variable and alike(claim.value, values[-1]) for claim in one.claims)
        reckoned = any(each.holds for each in one.sums)
        if names and (reckoned or one.plans or one.cues):
            return True
        if any(each.holds and alike(each.result, values[-1]) for each in one.sums):
            return True
        if any(name == variable for name, _ in one.plans):
            return True
    return False


def all_shown(dialogue: Sequence[Message], variables: Sequence[str]) -> bool:
    """Return True if each of the variables was worked out by somebody."""
    speakers = {one.speaker for one in dialogue}
    return bool(variables) and all(any(has_shown(dialogue, name, each) for name in speakers) for each in variables)


def idle(dialogue: Sequence[Message], people: Sequence[str]) -> list[str]:
    """The persons who have added nothing to the work, and were not asked often enough for something of their own."""
    return [name for name in people if not _adds(dialogue, name) and asked_back(dialogue, name) < MOST_ASKED_BACK]


def asked_back(dialogue: Iterable[Message], name: str) -> int:
    """Count how often somebody was asked at the end for something of their own."""
    return sum(_asks_back(one, name) for one in dialogue)


def _asks_back(message: Message, name: str) -> bool:
    meaning = message.meaning
    return message.stage == "validate" and meaning.addressed == name and meaning.asks and bool(meaning.question)


def _adds(dialogue: Sequence[Message], name: str) -> bool:
    """Return True for a value, calculation, way, reason or choice; or an answer of more than consent when asked."""
    asked = False
    for one in dialogue:
        meaning = one.meaning
        if one.speaker != name:
            asked = asked or _asks_back(one, name)
            continue
        if meaning.claims or meaning.sums or meaning.plans or meaning.cues or meaning.chosen or meaning.refuted:
            return True
        beside = meaning.stance or meaning.lost or meaning.asks or meaning.matter or meaning.off_topic
        if asked and meaning.clear and not beside:
            return True
    return False


CHOICE = "choice"
"""The topic of messages about the choices, not about a variable."""


_SAID, _ASKED = 0.6, 0.75
"""Share of an answer that has to be in what was said for it to count as given; and of a question, to count as asked."""
_WORDS = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,}")
_STEM = 4
_FEW = 2
"""Words of more than three letters that a question has at least, to be told from others."""


def share(part: str, whole: str) -> float:
    """Return the share of a text's words that stand in another: by beginnings, numbers whole, Chinese two by two."""
    words, known = _content(part), _content(whole)
    return len(words & known) / len(words) if words else 0.0


def _all_numbers(part: str, whole: str) -> bool:
    """Return True if a text tells several numbers, and another tells all of them."""
    numbers, known = ({word for word in _content(text) if word[0].isdigit()} for text in (part, whole))
    return len(numbers) > 1 and numbers <= known


def _content(text: str) -> set[str]:
    small = text.casefold()
    pairs = {run[place : place + 2] for run in _HAN.findall(small) for place in range(len(run) - 1)}
    found = {word for word in _WORDS.findall(_HAN.sub(" ", small)) if word[0].isdigit() or len(word) >= _STEM}
    return pairs | {word if word[0].isdigit() else word[:_STEM] for word in found}


class Clash(NamedTuple):
    """Somebody holds a variable, or the choice, to be something else."""

    about: str
    speaker: str
    value: str
    """The value that the speaker says: a quantity, or options parted by commas."""


class DialogueState:
    """The state of a dialogue in one peer's view."""

    def __init__(self, view: PeerView) -> None:
        self.view = view
        self.me = view.name
        self.mine: dict[str, Worked] = {one.variable: one for one in view.work}
        self.picks = tuple(one.option for one in view.verdicts if one.right)
        self.here = [one for one in view.dialogue if one.stage == view.stage]
        """The messages of this stage."""
        self.last: Message | None = view.dialogue[-1] if view.dialogue else None

    @property
    def others(self) -> tuple[str, ...]:
        """Everybody else."""
        return tuple(name for name in self.view.members if name != self.me)

    @cached_property
    def unheard(self) -> list[Message]:
        """The messages of others since the peer last spoke."""
        found: list[Message] = []
        for message in reversed(self.view.dialogue):
            if message.speaker == self.me:
                break
            found.append(message)
        return found[::-1]

    @cached_property
    def said_by_me(self) -> list[Message]:
        """The peer's own messages."""
        return [one for one in self.view.dialogue if one.speaker == self.me]

    def stated(self, variable: str) -> dict[str, str]:
        """The value that each speaker holds for a variable."""
        return {one.speaker: one.value for one in self.view.minutes.stated if one.variable == variable}

    def alike(self, variable: str, one: str, other: str) -> bool:
        """Return True if two values of a variable count as the same: the peer's own worked-out value is exact."""
        work = self.mine.get(variable)
        if work is not None and work.value in (one, other):
            said = other if one == work.value else one
            return self.view.sheet.counts_as(variable, said, work.value)
        return self.view.sheet.alike(variable, one, other)

    def agrees_with(self, name: str, variable: str) -> bool:
        """Return True if somebody holds the same value of a variable as the peer."""
        held = self.stated(variable).get(name, "")
        return bool(held) and self.alike(variable, held, self.mine[variable].value)

    def shown_by(self, name: str, variable: str) -> bool:
        """Return True if somebody has said what a variable is and how they came by it."""
        return has_shown(self.view.dialogue, name, variable)

    @cached_property
    def done_by_people(self) -> set[str]:
        """The subtasks that a person has worked out before everybody's eyes."""
        stated = {one.variable for one in self.view.minutes.stated if one.speaker in self.view.people}
        return {each for each in stated for name in self.view.people if self.shown_by(name, each)}

    @cached_property
    def solved_by_people(self) -> bool:
        """True if persons have worked out all that is asked."""
        goals = self.view.sheet.goals
        return bool(goals) and not self.view.sheet.options and set(goals) <= self.done_by_people

    @cached_property
    def open_tasks(self) -> list[Worked]:
        """The subtasks of which nobody has said a result, in order."""
        return [one for one in self.view.work if not self.stated(one.variable)]

    @cached_property
    def choice_open(self) -> bool:
        """True if there are choices, and nobody has chosen."""
        return bool(self.view.sheet.options) and not self.view.minutes.chosen

    @cached_property
    def sense_open(self) -> list[tuple[str, str]]:
        """Questions about the statement that nobody has asked, and that nothing said so far has answered."""
        said = " ".join(one.text for one in self.view.dialogue)
        told = any(one.meaning.act.startswith("present") for one in self.view.dialogue)
        task: str = load_phrases(self.view.language).at("task_ask")
        return [
            (ask, answer)
            for ask, answer in self.view.sheet.sense
            if share(ask, said) < 1
            and share(answer, said) < _SAID
            and not _all_numbers(answer, said)
            and not (told and re.search(task, ask.casefold()))
        ]

    def restates(self, message: Message) -> bool:
        """Return True if a message says in whole what is asked, with a question mark or without."""
        wanted = self.view.sheet.question
        return (
            message.stage == "understand" and share(wanted, message.text) >= _SAID and len(message.text) > len(wanted)
        )

    @cached_property
    def sense_asked(self) -> tuple[str, str] | None:
        """The question about the statement that was asked last, with what the statement says to it."""
        text = self.last.text if self.last is not None else ""
        if len(_content(text)) < _FEW:
            return None  # "how many did you get?" is in every question
        asked = max(self.view.sheet.sense, key=lambda pair: share(text, " ".join(pair)), default=None)
        return asked if asked is not None and share(text, " ".join(asked)) >= _ASKED else None

    def voiced(self, about: str) -> bool:
        """Return True if the peer has said what something is; nobody can take back what was never said."""
        return self.me in (dict(self.view.minutes.chosen) if about == CHOICE else self.stated(about))

    def rests_on(self, variable: str, touches: tuple[str, ...]) -> bool:
        """Return True if a variable is one of those given, or is worked out from one."""
        if variable in touches:
            return True
        work = self.mine.get(variable)
        return work is not None and any(self.rests_on(need, touches) for need in work.needs if need != variable)

    def mistake_shown(self, touches: tuple[str, ...]) -> bool:
        """Return True if the peer has let the others see a result of their own way, or has proposed it."""
        if self.voiced(CHOICE) or any(self.voiced(name) for name in self.mine if self.rests_on(name, touches)):
            return True
        plans = (name for one in self.said_by_me for name, _ in one.meaning.plans)
        return any(self.rests_on(name, touches) for name in plans)

    def clashes(self) -> list[Clash]:
        """Everything in which somebody else holds something different now, in the order of the work."""
        found = [
            Clash(variable, speaker, value)
            for variable, work in self.mine.items()
            for speaker, value in self.stated(variable).items()
            if speaker != self.me and not self.alike(variable, value, work.value)
        ]
        found += [
            Clash(CHOICE, speaker, ",".join(chosen))
            for speaker, chosen in self.view.minutes.chosen
            if speaker != self.me and self.picks and set(chosen) != set(self.picks)
        ]
        return found

    def noticed(self, at: Address, chance: float) -> list[Clash]:
        """The clashes that this peer notices. The peer overlooks the others for good: the draw has no turn in it."""
        return [
            clash
            for clash in self.clashes()
            if self._told(clash)
            or uniform(at._replace(step=0), f"notice {clash.about} {clash.speaker} {clash.value}") < chance
        ]

    def _told(self, clash: Clash) -> bool:
        """Return True if the others have said themselves that it does not fit: nobody overlooks that."""
        return any(
            one.speaker == clash.speaker and one.meaning.topic == clash.about and one.meaning.stance == "disagrees"
            for one in self.view.dialogue
            if one.stage in ("execute", "validate")
        )

    def said_before(self, speaker: str, variable: str) -> str:
        """Return the value that somebody held for a variable before the last message."""
        values = [
            claim.value
            for one in self.view.dialogue[:-1]
            if one.speaker == speaker
            for claim in one.meaning.claims
            if claim.about == variable
        ]
        return values[-1] if values else ""

    def asked_of(self, name: str) -> Message | None:
        """Return the question to somebody just before the last message, or None if there was none."""
        before = self.view.dialogue[-2] if len(self.view.dialogue) > 1 else None
        return before if before is not None and before.meaning.asks and before.meaning.addressed == name else None

    def helped(self, variable: str, name: str) -> int:
        """Count how often somebody was asked or given a hint about a subtask because they were lost."""
        dialogue = self.view.dialogue
        return sum(
            after.meaning.addressed == name and after.meaning.topic == variable and after.meaning.asks
            for one, after in pairwise(dialogue)
            if one.speaker == name and one.meaning.lost
        )

    def wondered(self, clash: Clash) -> bool:
        """Return True if the peer has already spoken up about something, in whatever way."""
        return any(
            one.meaning.topic == clash.about and one.meaning.addressed == clash.speaker and one.meaning.stance
            for one in self.said_by_me
        )

    def left_to(self, name: str, variable: str) -> int:
        """Count how often somebody was asked to do a subtask."""
        return sum(
            one.meaning.topic == variable and one.meaning.addressed == name and one.meaning.asks for one in self.here
        )

    def told(self, cue: str, name: str) -> bool:
        """Return True if the peer has already given somebody this reason."""
        return any(cue in one.meaning.cues and one.meaning.addressed == name for one in self.said_by_me)

    def argued(self, about: str) -> int:
        """Count how often the peer has already spoken against something with a value or choice of their own."""
        return sum(
            one.meaning.topic == about
            and one.meaning.stance == "disagrees"
            and bool(one.meaning.claims or one.meaning.chosen)
            for one in self.said_by_me
        )

    def answered(self, clash: Clash) -> bool:
        """Return True if they have said anything since the peer last spoke against it: silence is not argued with."""
        mine = [one.turn for one in self.said_by_me if one.meaning.topic == clash.about and one.meaning.stance]
        theirs = [one.turn for one in self.view.dialogue if one.speaker == clash.speaker]
        return not mine or max(theirs, default=0) > mine[-1]

    @cached_property
    def check_proposed(self) -> bool:
        """True if somebody has named a check of the numbers while the group did not agree."""
        said = [one.text.casefold() for one in self.view.dialogue if one.meaning.stance == "disagrees"]
        return any(check.casefold().rstrip(".。") in text for check in self.view.checks for text in said)

    def cue_for(self, clash: Clash) -> Cue | None:
        """The usual mistake that somebody seems to make."""
        for cue in self.view.cues:
            if clash.about == CHOICE:
                if cue.chosen and set(cue.chosen) == set(clash.value.split(",")) and set(cue.chosen) != set(self.picks):
                    return cue
            elif cue.variable == clash.about and self.alike(clash.about, cue.wrong, clash.value):
                return cue
        return None

    def sayable(self, work: Worked) -> bool:
        """Return True if the peer can say how it is done; before it is worked out, only with the problem's numbers."""
        if not work.how or work.omitted:
            return False
        return self.view.stage in ("execute", "validate") or not any(need in self.mine for need in work.needs)

    def owner(self, variable: str) -> str:
        """Return the member who has taken a subtask on; empty if nobody has."""
        return dict(self.view.minutes.roles).get(variable, "")

    def latest_topic(self) -> str:
        """Return the topic of the last message that has one."""
        return next((one.meaning.topic for one in reversed(self.view.dialogue) if one.meaning.topic), "")
