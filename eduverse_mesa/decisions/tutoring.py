"""Decisions of a learner, their tutor and a judge (SimLearner, sections 2 to 4)."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from eduverse_mesa.decisions.seam import Decision, Outcome
from eduverse_mesa.scenarios.curriculum import Concept, Item, Unit
from eduverse_mesa.scenarios.people import Traits
from eduverse_mesa.scenarios.tutoring import Learner

TRAITS: tuple[str, ...] = tuple(Traits.model_fields)
ANSWER_KINDS = ("right", "partial", "misconception", "guess", "dont_know", "follow")
"""Kinds of reply: four ways of answering, not to answer, and to go along with what was said."""
NO_ATTEMPT = ("dont_know", "follow")
"""Replies that try nothing."""
LONGEST = 2000
"""Characters of one thing said: no child would listen to more. A tutor that somebody brings has failed with more, and
is told so; the words of learners and people are cut."""
MOVES = ("question", "explain", "hint", "acknowledge", "recap", "other")


class Utterance(msgspec.Struct, frozen=True, gc=False):
    """One thing said in a dialogue."""

    speaker: str
    """tutor or learner."""
    text: str
    kind: str = ""
    """The tutor's move, or what the learner's reply was; a tutor never sees the latter."""


class Known(msgspec.Struct, frozen=True, gc=False):
    """A learner's mastery of a unit, in numbers from 0 to 1."""

    unit: Unit
    mastery: float
    concept: float
    """Mastery of the concept as a whole, which lends to each of its units."""
    needs: float
    """Mean mastery of what the unit builds on; 1 where it builds on nothing."""
    reach: str
    """learned, open (to be learned in this grade or below), or unknown (above the grade)."""


class Recollection(msgspec.Struct, frozen=True, gc=False):
    """Memories that come up for a dialogue, in words and numbers (psi(M_e, M_c, M_s))."""

    recent: tuple[str, ...] = ()
    """Summaries and insights of the last episodes, oldest first."""
    understood: tuple[tuple[str, float, str], ...] = ()
    """Concepts that are in mind: title, mastery and the understanding in the learner's words."""
    level: str = "beginner"
    """How well the learner knows their own learning in this subject."""
    skills: tuple[str, str, str] = ("", "", "")
    """Forethought, performance and reflection in this subject."""
    learned: tuple[str, ...] = ()
    """K_learned: core ideas that the learner has learned and that belong here."""
    unknown: tuple[str, ...] = ()
    """K_unknown: ideas that the learner must not know yet."""


class LearnerView(msgspec.Struct, gc=False):
    """Knowledge of one learner when they are spoken to."""

    person: Learner
    grade: int
    recollection: Recollection
    dialogue: tuple[Utterance, ...]
    topic: Known | None
    """The topic of the talk, as far as the learner can tell."""
    asked: Item | None
    """The question that the learner was asked, if there was one."""
    grasp: float
    """How far the learner understands the topic by now, from 0 to 1."""
    told: bool
    """The answer was said in this dialogue."""
    related: tuple[Unit, ...] = ()
    """Other units that the learner could bring up."""
    confidence: float = 0.5
    exam: bool = False
    """The learner is tested, not taught: nobody helps."""
    language: str = "en"


class Replied(Outcome, frozen=True, gc=False):
    """The words of a learner, and the kind of answer they are."""

    text: str
    kind: str
    hedged: bool = False
    confidence: float = 0.5


class Reply(Decision, gc=False):
    """Ask a learner for their reply."""

    kind: ClassVar[str] = "reply"
    outcome: ClassVar[type[Outcome]] = Replied

    view: LearnerView


class UnitNote(msgspec.Struct, frozen=True, gc=False):
    """A tutor's note on a unit: how often it was taught, and what was said of it last time without help, from 0 to
    1."""

    unit: Unit
    taught: int
    shown: float
    since: int
    """Dialogues since it was last taught; -1 where it never was."""


class Picked(Outcome, frozen=True, gc=False):
    """The unit of the next dialogue."""

    unit: str


class PickUnit(Decision, gc=False):
    """Ask a tutor for the unit to teach next."""

    kind: ClassVar[str] = "pick_unit"
    outcome: ClassVar[type[Outcome]] = Picked

    learner: str
    grade: int
    notes: tuple[UnitNote, ...]
    """The units that fit the grade, each after what it builds on; then those of lower grades that were taught and are
    still built on."""
    language: str = "en"


class Taught(Outcome, frozen=True, gc=False):
    """The words of a tutor."""

    text: str
    move: str = "other"
    done: bool = False
    """The dialogue is over with this."""


class Teach(Decision, gc=False):
    """Ask a tutor what to say to the learner. A tutor knows the unit and the words that were said, and nothing
    hidden."""

    kind: ClassVar[str] = "teach"
    outcome: ClassVar[type[Outcome]] = Taught

    learner: str
    grade: int
    unit: Unit
    needs: tuple[Unit, ...]
    """Units that this unit builds on: prior knowledge to begin from."""
    dialogue: tuple[Utterance, ...]
    turn: int
    """Counted from 1."""
    turns: int
    language: str = "en"
    before: int = 0
    """Dialogues on the unit that the tutor has had with this learner."""


class Consolidated(Outcome, frozen=True, gc=False):
    """An episode as it will be remembered."""

    summary: str
    insights: str
    emotion: float
    mastery: dict[str, int]
    """Concepts that were touched, with the mastery shown of each from 1 to 10."""
    understanding: dict[str, str] = msgspec.field(default_factory=dict)
    """Concepts whose understanding changed, in the learner's words."""


class Consolidate(Decision, gc=False):
    """Ask what stays of this dialogue with the learner."""

    kind: ClassVar[str] = "consolidate"
    outcome: ClassVar[type[Outcome]] = Consolidated

    person: Learner
    grade: int
    dialogue: tuple[Utterance, ...]
    concepts: tuple[Concept, ...]
    """All concepts of the curriculum."""
    units: tuple[Unit, ...]
    """Units that may have been spoken of: that of the dialogue, and what the learner could bring up."""
    language: str = "en"


class Glimpse(msgspec.Struct, frozen=True, gc=False):
    """One episode as it is looked back on."""

    summary: str
    mastery: float
    """Mean mastery shown, 0 to 1."""
    answers: tuple[str, ...]
    """Kinds of the replies."""
    tried: int
    """Questions that the learner tried to answer."""


class Reflected(Outcome, frozen=True, gc=False):
    """How a learner goes about a subject."""

    level: str
    forethought: str
    performance: str
    reflection: str


class Reflect(Decision, gc=False):
    """Ask what the last episodes say about how the learner learns this subject."""

    kind: ClassVar[str] = "reflect"
    outcome: ClassVar[type[Outcome]] = Reflected

    person: Learner
    grade: int
    subject: str
    before: str
    """The level so far."""
    glimpses: tuple[Glimpse, ...]
    language: str = "en"


class Judged(Outcome, frozen=True, gc=False):
    """How much mastery an answer shows, from 1 (none) to 10 (full)."""

    score: int
    reason: str = ""


class Judge(Decision, gc=False):
    """Ask a judge how much this answer shows that the learner has understood."""

    kind: ClassVar[str] = "judge_answer"
    outcome: ClassVar[type[Outcome]] = Judged

    unit: Unit
    item: Item
    answer: str
    language: str = "en"


class Labelled(Outcome, frozen=True, gc=False):
    """The Big Five as they show in a dialogue, each high or low."""

    openness: str
    conscientiousness: str
    extraversion: str
    agreeableness: str
    neuroticism: str


class LabelTraits(Decision, gc=False):
    """Ask for the personality of the learner as this dialogue shows it."""

    kind: ClassVar[str] = "label_traits"
    outcome: ClassVar[type[Outcome]] = Labelled

    dialogue: tuple[Utterance, ...]
    language: str = "en"
