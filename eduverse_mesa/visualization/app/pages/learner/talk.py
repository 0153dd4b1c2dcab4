"""Somebody at the page is the tutor of one dialogue: what is typed is what the tutor says, the learner answers."""

from __future__ import annotations

from collections.abc import Sequence

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import LONGEST, Taught
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Saved, Talk
from eduverse_mesa.models.tutoring.journal import LineRow
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.combine import by_kind
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.policies.sharing import need_live
from eduverse_mesa.runs.tutoring.playing import make_played, note_turn
from eduverse_mesa.runs.tutoring.spec import TutoringSpec
from eduverse_mesa.scenarios.curriculum import Unit
from eduverse_mesa.visualization.app.answering import Answering
from eduverse_mesa.visualization.app.pages.learner.school import School, alone, answered

MOST_TURNS = 40
MOST_DAYS = 3650
_SEED = 7919
"""What is added to the seed for dialogues on the side: their luck is not that of the lessons."""


class Typed:
    """Answers what the tutor is asked with what was typed: in the log these are the words of a person."""

    name = SOURCE

    def __init__(self) -> None:
        self.next = Taught("")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """What was typed last."""
        return [Answer(self.next, self.name) for _ in decisions]


class OwnTalk:
    """One dialogue with a learner, on a day of its own, on the side of what is on the agenda."""

    def __init__(self, school: School, name: str, unit: str, days: int, answering: Answering) -> None:
        if unit not in school.setup.curriculum.units:
            raise ScenarioError(f"the curriculum has no unit '{unit[:80]}'.", mend="Choose one of its units.")
        if not 0 <= days <= MOST_DAYS:
            raise ScenarioError(f"{days} days from now is no day.", mend=f"Give a number from 0 to {MOST_DAYS}.")
        learner, kept = school.learner(name), school.keep(name)
        setup = answered(alone(school.setup, name), answering, turns=MOST_TURNS)
        self.school = school
        self.name = name
        self.unit: Unit = setup.curriculum.units[unit]
        self.keeps_out = not answering.llm.told_of_harm
        """What tells of harm is not said to the learner."""
        self.kept_out = False
        """What was typed last told of harm, and was not said to the learner."""
        self._typed = Typed()
        need_live(answering.policy, setup.settings.llm)
        self._rest = rest = make_policy(answering.policy, setup.settings, setup.people)
        self._rules = make_policy("embedded", setup.settings)
        spec = TutoringSpec(
            setup,
            (school.plan.seed + _SEED * (kept.memory.lived + 1)) % 2**31,
            rest.name,
            (Talk(learner.day + days, learner.grade, unit),),
            {name: Saved(kept.name, kept.memory, kept.notes, 1)},
        )
        self._played = make_played(spec.name, spec, by_kind({"teach": self._typed}, rest))
        self.model = self._played.model

    @property
    def lines(self) -> tuple[LineRow, ...]:
        """What was said so far."""
        return tuple(self.model.journal.lines)

    @property
    def over(self) -> bool:
        """It has ended, and is remembered."""
        return not self.model.running

    @property
    def left(self) -> int:
        """Turns that are left."""
        return MOST_TURNS - sum(line.speaker == "tutor" for line in self.lines)

    @staticmethod
    def check(text: str) -> None:
        """Refuse what cannot be said."""
        if not text.strip():
            raise ScenarioError("nothing was typed.", mend="Type what you say to the learner.")
        if len(text) > LONGEST:
            raise ScenarioError(f"this has {len(text):,} letters.", mend=f"{LONGEST:,} are the most at once.")

    def say(self, text: str, *, last: bool = False) -> None:
        """Say something, and hear the answer; the `last` thing ends the dialogue."""
        self.check(text)
        self._go_on(Taught(text, "other", last))

    def be_gentle(self, gentle: bool) -> None:
        """Say whether somebody has told of harm: no language model reads the rest of the dialogue then, unless it may.
        Where that was a false alarm it goes on as it began."""
        rest = self._rules if gentle and self.keeps_out else self._rest
        self.model.policy = by_kind({"teach": self._typed}, rest)

    def end(self) -> None:
        """End the dialogue without another word."""
        if not self.lines:
            raise ScenarioError(
                "nothing was said yet, so there is nothing to remember.", mend="Say something, or leave the dialogue."
            )
        self._go_on(Taught("", "other", True))

    def _go_on(self, taught: Taught) -> None:
        self._typed.next = taught
        self.model.step()
        note_turn(self._played, (1, len(self._played.turns) + 1))

    def remembered(self) -> School:
        """The school after it."""
        return self.school.after(self._played, aside=True)
