"""The stages of a dialogue, and notes on what has been said so far, as anybody in the group could have taken them: the
ground for stages and views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eduverse_mesa.decisions.groups import Message, Minutes, Sheet, Stated


class Stage(NamedTuple):
    """A stage, what is done in it with words, and the one legal successor."""

    name: str
    acts: tuple[str, ...]
    then: str
    """The stage that follows; never another."""
    least: int = 1
    """Messages before it may close."""
    most: int | None = None
    """Messages after which it closes, whatever was said."""


SOLVED = "solved"
UNDERSTAND, ORGANISE, PLAN, EXECUTE, VALIDATE = ("understand", "organise", "plan", "execute", "validate")

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage(
            UNDERSTAND,
            (
                "present_understanding",
                "clarify_understanding",
                "answer_understanding",
                "second_understanding",
                "agree_understanding",
            ),
            ORGANISE,
            least=2,
            most=4,
        ),
        Stage(ORGANISE, ("divide_work", "volunteer", "second_roles", "agree_roles"), PLAN, least=2, most=4),
        Stage(
            PLAN,
            ("invite_teammate", "state_plan", "clarify_plan", "answer_plan", "second_plan", "agree_plan"),
            EXECUTE,
        ),
        Stage(EXECUTE, ("state_result", "clarify_result", "answer_result", "second_result", "agree_result"), VALIDATE),
        Stage(VALIDATE, ("reflect", "summarise"), SOLVED),
    )
}
"""The five stages in order. Two of them are short by law: "within 3 or 4 rounds" (MathVC, Figure 5)."""

FIRST = UNDERSTAND
ORDER = (*STAGES, SOLVED)

OTHER_ACT = "other"
"""A person's act that is none of a stage's acts: a joke, a word that nobody understands."""


class Record:
    """Notes on a dialogue. It knows the sheet on the table and no solution."""

    def __init__(self, sheet: Sheet, members: Sequence[str]) -> None:
        self.sheet = sheet
        self.members = tuple(members)
        self.stated: dict[tuple[str, str], Stated] = {}
        """The last statement of each member about each variable."""
        self.roles: dict[str, str] = {}
        self.planned: dict[str, None] = {}
        self.options: dict[str, None] = {}
        self.chosen: dict[str, tuple[str, ...]] = {}
        self.agreed: dict[str, None] = {}
        self.stuck: set[str] = set()
        """Members who see no way to agree, since something new was said last that could make one."""
        self._given: set[tuple[str, str]] = set()
        """Reasons that were given, and by whom."""
        self._before: dict[str, tuple[dict[tuple[str, str], Stated], tuple[str, ...] | None, bool]] = {}
        """The statements, choice and agreement of each member before they spoke last."""
        self._tasks = {task.variable for task in sheet.tasks}

    def note(self, message: Message) -> None:
        """Take one more message in."""
        meaning, speaker = message.meaning, message.speaker
        if meaning.retracts:
            self._take_back(speaker)
        held = {key: one for key, one in self.stated.items() if key[1] == speaker}
        self._before[speaker] = held, self.chosen.get(speaker), speaker in self.agreed
        new = self._is_new(message)
        changed = self._note_values(message) and new
        self._note_roles(message)
        self.planned |= dict.fromkeys(task for task, _ in meaning.plans if task in self._tasks)
        if meaning.chosen:
            changed |= new and any(other != meaning.chosen for name, other in self.chosen.items() if name != speaker)
            self.chosen.pop(speaker, None)  # whoever chose last stands last
            self.chosen[speaker] = meaning.chosen
        if message.stage == VALIDATE:
            self.options |= dict.fromkeys((*meaning.options, *meaning.chosen))
        self._note_agreement(message, changed)
        self._given |= {(speaker, cue) for cue in meaning.cues}
        if meaning.stuck:
            self.stuck.add(speaker)
        elif new:
            self.stuck.clear()
        elif self.stuck and (meaning.claims or meaning.chosen):
            self.stuck.add(speaker)  # who only says the same again moves nobody, and is not moved

    def _note_roles(self, message: Message) -> None:
        for task in message.meaning.takes:
            if task in self._tasks:
                self.roles[task] = message.speaker
        for task, name in message.meaning.gives:
            if task in self._tasks and name in self.members:
                self.roles.setdefault(task, name)

    def _take_back(self, speaker: str) -> None:
        """Everything is as it was before somebody spoke last."""
        if speaker not in self._before:
            return
        held, chosen, agreed = self._before[speaker]
        self.stated = {key: one for key, one in self.stated.items() if key[1] != speaker} | held
        self.chosen.pop(speaker, None)
        if chosen is not None:
            self.chosen[speaker] = chosen
        self.agreed.pop(speaker, None)
        if agreed:
            self.agreed[speaker] = None

    def _is_new(self, message: Message) -> bool:
        """Return True if a message holds a value, a choice or a reason that its speaker has not given before."""
        meaning, speaker = message.meaning, message.speaker
        for claim in meaning.claims:
            if claim.loose:
                continue
            before = self.stated.get((claim.about, speaker))
            if claim.about and before is None:
                return True
            if before is not None and not self.sheet.alike(claim.about, before.value, claim.value):
                return True
        if meaning.chosen and self.chosen.get(speaker) != meaning.chosen:
            return True
        return any((speaker, cue) not in self._given for cue in meaning.cues)

    def _note_values(self, message: Message) -> bool:
        """Note the values of a message. Return True if the answer on the table is another one now."""
        changed = False
        for claim in message.meaning.claims:
            if not claim.about:
                continue
            key = (claim.about, message.speaker)
            if claim.loose:
                before = self.stated.get(key)
                if before is None or before.loose:
                    self.stated[key] = Stated(claim.about, message.speaker, claim.value, message.turn, loose=True)
                continue
            others = [
                one
                for one in self.stated.values()
                if one.variable == claim.about and one.speaker != message.speaker and not one.loose
            ]
            changed |= claim.about in self.sheet.goals and any(
                not self.sheet.alike(claim.about, one.value, claim.value) for one in others
            )
            self.stated[key] = Stated(claim.about, message.speaker, claim.value, message.turn)
        return changed

    def _note_agreement(self, message: Message, changed: bool) -> None:
        meaning, speaker = message.meaning, message.speaker
        if changed:
            self.agreed.clear()
        if message.stage != VALIDATE:
            return
        named = any(claim.about in self.sheet.goals and not claim.loose for claim in meaning.claims)
        names_it = named or bool(meaning.chosen)
        if meaning.stance == "disagrees" or meaning.lost:
            self.agreed.pop(speaker, None)
        elif meaning.stance == "agrees" or names_it:
            self.agreed[speaker] = None

    def values(self, variable: str) -> dict[str, str]:
        """Return the value that each member holds the variable to have, by speaker."""
        return {one.speaker: one.value for one in self.stated.values() if one.variable == variable and not one.loose}

    def final_said(self) -> bool:
        """True if the answer has been named by somebody."""
        if self.sheet.options:
            return bool(self.chosen)
        return all(self.values(goal) for goal in self.sheet.goals)

    def disputed(self) -> bool:
        """True if members hold the answer to be different things."""
        if len(set(self.chosen.values())) > 1:
            return True
        for goal in self.sheet.goals:
            first, *rest = list(self.values(goal).values()) or [""]
            if any(not self.sheet.alike(goal, first, other) for other in rest):
                return True
        return False

    def minutes(self) -> Minutes:
        """The notes as they go into a decision."""
        return Minutes(
            tuple(self.stated.values()),
            tuple(self.roles.items()),
            tuple(self.planned),
            tuple(self.options),
            tuple(self.chosen.items()),
            tuple(self.agreed),
        )


def may_close(stage: str, record: Record) -> bool:
    """Return True if a stage's purpose has been said: the answer before it is validated, everyone's consent at the
    end."""
    if stage == EXECUTE:
        return record.final_said()
    if stage == VALIDATE:
        return (
            record.final_said()
            and not record.disputed()
            and set(record.members) <= set(record.agreed)
            and {one.id for one in record.sheet.options} <= set(record.options)
        )
    return True


def closes(stage: str, turns: int, finished: bool, record: Record) -> bool:
    """Return True if a stage closes after so many messages in it, where the monitor holds it to be finished or not."""
    law = STAGES[stage]
    if law.most is not None and turns >= law.most:
        return True
    return finished and turns >= law.least and may_close(stage, record)
