"""Decisions of a group that solves a problem together: a message's meaning, the next speaker, and a peer's mind
(MathVC)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import ClassVar

import msgspec

from eduverse_mesa.decisions.seam import Decision, Outcome
from eduverse_mesa.formulas.wording import alike, counts_as

MATTERS = (
    "", "harm", "private", "loss", "lonely", "belittles", "upset", "rude", "real", "reads", "tells", "person", "angry",
    "blame", "who", "leave", "goes_on", "next", "orders", "answer", "insists", "away", "bye", "hello", "fed_up",
    "unsure", "done",
)  # fmt: skip
"""Matters that a person may raise besides the problem, the gravest first: that somebody is or may be harmed; what is
private; that somebody has died or a family comes apart; that nobody likes them; that they are stupid; that they are ill
or upset; rude words; whether the others are real; who reads this, who will be told, a wish to talk to a person, whether
anybody is angry with them; then, of somebody who has told of harm, whether it is their fault, who or where somebody is,
whether they may stop, whether the others go on with the problem, and what happens now; orders to be somebody else; to
be told the answer; insistence without a reason; being away for a moment; farewell and greeting; having had enough; not
being sure; having finished."""
QUESTIONS = ("", "word", "givens", "task", "why", "how", "value")
"""Things that a question asks for, where words can answer it: what a word or a piece of the statement means; what is
known; what is to be found; why something is so, or is done; how somebody came by something; how much something is."""
AFTER_HARM = ("blame", "who", "leave", "goes_on", "next")
"""Of these, what is only heard from somebody who has told of harm: of anybody else it is about the problem."""
CONCERNS = ("real", "reads", "tells", "person", "angry", "blame", "who", "leave", "next")
"""Of these, what somebody who has told of harm asks about themselves: it is answered truly, before anything else."""
SORROWS = ("loss", "lonely", "belittles", "upset")
"""Of these, ordinary sadness and anger: it is met kindly, and then they go on."""
SERIOUS = ("harm", "private")
"""Of these, what nobody reads on for, and no model may answer as it likes."""


class Claim(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """That a variable has a value."""

    about: str
    """The variable; empty where the words leave open which."""
    value: str
    """A quantity as text, with its unit: "3 foot/step"."""
    asserted: bool = True
    """The speaker says so plainly. Otherwise it may be asked, quoted, supposed, denied or no amount at all: others may
    take it up, but no mistake is booked for it."""
    loose: bool = False
    """The claim may as well be true of something else, as "8 + 4 = 12" is: a person with another value for the variable
    does not contradict it, and it is nobody's answer."""
    sentence: int = 0
    """The sentence of the message that says so, counted from 1; 0 where it was not looked for."""


class Sum(msgspec.Struct, frozen=True, gc=False):
    """A calculation that was shown."""

    text: str
    """The calculation: "60 / 20"."""
    result: str
    """The result that is said to come out, as a number."""
    holds: bool
    """It does come out."""


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """The meaning of a message, as far as it is understood. A peer's is their intent; a person's is read off the
    words."""

    act: str = ""
    """A dialogue act of the stage, where it is one."""
    addressed: str = ""
    """Name of the member who is called."""
    topic: str = ""
    """The variable it is about."""
    claims: tuple[Claim, ...] = ()
    sums: tuple[Sum, ...] = ()
    stance: str = ""
    """agrees or disagrees, with what was said before."""
    asks: bool = False
    question: str = ""
    """The thing that the message asks for; one of QUESTIONS. The topic says of which variable, where that is known."""
    word: str = ""
    """The words whose meaning is asked for: "alike", "same shape"."""
    queried: tuple[Claim, ...] = ()
    """Values that are spoken of and that the speaker does not claim: "why 5?", "Bob, do you have 4 or 12?", "YOU said
    12"."""
    refuted: tuple[Claim, ...] = ()
    """Values that the speaker says it is not: "it can't be 5 gallons", "that would be 1200 feet, way too much"."""
    seeks: bool = False
    """It asks whether the others agree."""
    lost: bool = False
    """Somebody does not get it."""
    cues: tuple[str, ...] = ()
    """The usual mistakes against which it gives a reason."""
    options: tuple[str, ...] = ()
    """Choices that are spoken of."""
    chosen: tuple[str, ...] = ()
    """Choices that are said to be the answer."""
    takes: tuple[str, ...] = ()
    """Subtasks that the speaker takes on."""
    gives: tuple[tuple[str, str], ...] = ()
    """Subtasks that are proposed for others, with their names."""
    plans: tuple[tuple[str, str], ...] = ()
    """Subtasks of which it is said how they are done, each with how, as far as that is known."""
    backs: str = ""
    """Name of the member whose answer is said to be right."""
    matter: str = ""
    """The matter that is raised besides the problem; one of MATTERS."""
    stuck: bool = False
    """The speaker sees no way to agree: somebody else would have to help."""
    retracts: bool = False
    """The speaker takes back what they said just before: "jk", "nvm"."""
    off_topic: bool = False
    clear: bool = True
    """It was understood; otherwise somebody asks again."""


_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\d))+[.!?。！？]*")


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, with their stops."""
    return [one.strip() for one in _SENTENCE.findall(text) if one.strip()]


class Message(msgspec.Struct, frozen=True, gc=False):
    """One thing said in the group."""

    turn: int
    """Counted from 1."""
    speaker: str
    text: str
    stage: str
    meaning: Meaning = Meaning()

    def words_for(self, about: str) -> str:
        """The sentence in which it says how much a variable is; all of it where that is not known."""
        place = next((claim.sentence for claim in self.meaning.claims if claim.about == about), 0)
        several = sentences_of(self.text)
        return several[place - 1] if 0 < place <= len(several) else self.text


class Stated(msgspec.Struct, frozen=True, gc=False):
    """Value that somebody holds a variable to have, as they said last."""

    variable: str
    speaker: str
    value: str
    turn: int
    loose: bool = False
    """It may as well be true of something else."""


class Minutes(msgspec.Struct, frozen=True, gc=False):
    """Minutes that everybody in the group could have taken by now."""

    stated: tuple[Stated, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    """Subtasks and who does them."""
    planned: tuple[str, ...] = ()
    """Subtasks of which it was said how they are done."""
    options: tuple[str, ...] = ()
    """Choices that were spoken of in the last stage."""
    chosen: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Members and the choices that they hold to be right."""
    agreed: tuple[str, ...] = ()
    """Members who agree with the answer, in so many words, since it was last changed."""


class Task(msgspec.Struct, frozen=True, gc=False):
    """A subtask as the wording of the problem shows it: nothing of how it is done or what comes out."""

    variable: str
    """The variable that the subtask works out; a subtask is known by it."""
    phrase: str
    """The same in words: "the length of one step"."""
    unit: str
    ask: str
    """How one asks for it."""
    marks: tuple[str, ...] = ()
    """Beginnings of words by which one knows that it is spoken of, any of them."""


class Known(msgspec.Struct, frozen=True, gc=False):
    """A given: something the statement says outright."""

    variable: str
    value: str
    shown: str
    phrase: str
    marks: tuple[str, ...] = ()


class Choice(msgspec.Struct, frozen=True, gc=False):
    """One of the answers to choose from."""

    id: str
    text: str


class Sheet(msgspec.Struct, frozen=True, gc=False):
    """The problem as it lies on the table before everybody."""

    problem: str
    grade: int
    statement: str
    question: str
    """The question of the problem, in short."""
    tasks: tuple[Task, ...]
    givens: tuple[Known, ...]
    goals: tuple[str, ...]
    """Variables whose values are the answer."""
    sense: tuple[tuple[str, str], ...] = ()
    """Questions by which one makes sure that it is understood, with what the statement says to them."""
    choose: str = ""
    """The question about the choices."""
    options: tuple[Choice, ...] = ()
    nouns: tuple[tuple[str, str], ...] = ()
    """Words for the things that are counted, singular and plural."""
    fractions: bool = False
    """Parts are said as fractions."""
    slack: tuple[tuple[str, str], ...] = ()
    """By how much an answer may be off, in the unit of its variable."""

    def counts_as(self, variable: str, said: str, exact: str) -> bool:
        """Return True if a person who says this gives a value that was worked out."""
        return counts_as(said, exact, self._off(variable))

    def alike(self, variable: str, one: str, other: str) -> bool:
        """Return True if two values of a variable count as the same."""
        return alike(one, other, self._off(variable))

    def _off(self, variable: str) -> Fraction:
        return next((Fraction(slack) for name, slack in self.slack if name == variable), Fraction(0))


# --- the group ---


class Understood(Outcome, frozen=True, gc=False):
    """A person's words, read."""

    meaning: Meaning


class Understand(Decision, gc=False):
    """Ask for the meaning of a person's message. Words are read here, not judged: nothing says which of the values is
    the right one."""

    kind: ClassVar[str] = "understand"
    outcome: ClassVar[type[Outcome]] = Understood

    speaker: str
    text: str
    sheet: Sheet
    members: tuple[str, ...]
    dialogue: tuple[Message, ...]
    stage: str
    acts: tuple[str, ...]
    marks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Usual mistakes, each with the marks of what speaks against it."""
    likely: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Variables with the values that people come to, the right one and those of usual mistakes: "it's 3" alone does not
    say what is 3."""
    language: str = "en"
    ways: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Variables with the calculations by which people come to them, in mere numbers: 120/600 is of another one than
    600/120."""
    gently: bool = False
    """The speaker has told of harm before, and is spoken to gently."""


class StageSeen(Outcome, frozen=True, gc=False):
    """Verdict on whether a stage is finished."""

    finished: bool
    reason: str


class SeeStage(Decision, gc=False):
    """Ask whether this stage is finished."""

    kind: ClassVar[str] = "see_stage"
    outcome: ClassVar[type[Outcome]] = StageSeen

    stage: str
    turns: int
    """Messages in this stage so far."""
    sheet: Sheet
    members: tuple[str, ...]
    dialogue: tuple[Message, ...]
    minutes: Minutes
    language: str = "en"
    people: tuple[str, ...] = ()
    """Of the members, those who are persons."""


class Invited(Outcome, frozen=True, gc=False):
    """The members who may speak next: one or more."""

    names: tuple[str, ...]
    reason: str = ""


class Invite(Decision, gc=False):
    """Ask for the members who speak next."""

    kind: ClassVar[str] = "invite"
    outcome: ClassVar[type[Outcome]] = Invited

    stage: str
    sheet: Sheet
    peers: tuple[str, ...]
    people: tuple[str, ...]
    dialogue: tuple[Message, ...]
    minutes: Minutes
    language: str = "en"


# --- a peer ---


class Worked(msgspec.Struct, frozen=True, gc=False):
    """A subtask as one peer has it: right or wrong, the peer does not know."""

    variable: str
    how: str
    """The peer's step, in short: "divide 60 feet by 20 steps"."""
    value: str
    """The peer's result, as a quantity."""
    shown: str
    """The same as one would say it: "3 feet"."""
    says: str
    """In a sentence: "one step is 3 feet long"."""
    calculation: str = ""
    """In numbers: "60 / 20"."""
    why: str = ""
    """Why the peer does so, where they could say."""
    needs: tuple[str, ...] = ()
    """Variables that go into it."""
    omitted: bool = False
    """The peer left the subtask out and took something else in its place."""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """One of the choices as a peer sees it."""

    option: str
    right: bool
    why: str


class Belief(msgspec.Struct, frozen=True, gc=False):
    """A mistake that a peer makes, as the peer sees it: as none."""

    id: str
    thinks: str
    """The peer's thought, in their own words."""
    touches: tuple[str, ...]
    """The variables that it changes first; none where it is only about the choices."""


class Cue(msgspec.Struct, frozen=True, gc=False):
    """A usual mistake that a peer knows on sight."""

    id: str
    variable: str
    """The variable at which the mistake shows; empty where only the choice differs."""
    wrong: str
    """The value by which it shows."""
    chosen: tuple[str, ...]
    """The choices by which it shows."""
    says: str
    """The reason that speaks against the mistake."""
    notice: str
    """The observation that does not fit the mistake."""


class PeerView(msgspec.Struct, gc=False):
    """Knowledge of one peer when they think: their own work, and what was said."""

    name: str
    skill: str
    """limited or advanced."""
    style: str
    stage: str
    sheet: Sheet
    work: tuple[Worked, ...]
    dialogue: tuple[Message, ...]
    minutes: Minutes
    members: tuple[str, ...]
    people: tuple[str, ...]
    belief: Belief | None = None
    cues: tuple[Cue, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    """The choices by the peer's own work."""
    means: tuple[str, ...] = ()
    """The meaning of the answer for the world of the problem, and how it can be checked; with the peer's own
    numbers."""
    checks: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    """Those of the checks that do not come out with the peer's own numbers; the peer knows after trying them."""
    revised: tuple[str, ...] = ()
    """Variables that the peer has changed their mind about."""
    fading: float = 1.0
    """How much the peer helps of their own accord, from 1 (as they can) to 0: hints, corrections, next steps."""
    language: str = "en"
    adult: str = ""
    """Adult whom somebody in trouble is sent to, as their teacher has named them; empty where nobody is named."""
    reach: str = ""
    """The place or the way in which that adult is found."""
    help_line: str = ""
    cleared: frozenset[int] = frozenset()
    """Messages that tell of harm, and of which a teacher has said that they were a false alarm."""


class Revised(Outcome, frozen=True, gc=False):
    """Variables with new values: a correction taken, or a wrong value taken over."""

    changes: dict[str, str] = msgspec.field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    """Choices that the peer holds to be right now; none where that is left to their work."""
    understood: str = ""
    """The mistake of their own that the peer has seen through: they work that part out anew."""
    reason: str = ""
    by: str = ""
    """Name of the member who said so."""


class Revise(Decision, gc=False):
    """Ask a peer whether what was said has changed what they think."""

    kind: ClassVar[str] = "revise"
    outcome: ClassVar[type[Outcome]] = Revised

    view: PeerView


class Intended(Outcome, frozen=True, gc=False):
    """The peer's intent for their next words."""

    meaning: Meaning
    move: str = ""
    """The way in which the act is done: a name among the phrases of the policy that words it."""
    intent: str = ""
    """The same in words, for a policy that can make more of it: "ask Bob why he divides"."""


class Intend(Decision, gc=False):
    """Ask a peer for the intent of their next words."""

    kind: ClassVar[str] = "intend"
    outcome: ClassVar[type[Outcome]] = Intended

    view: PeerView
    acts: tuple[str, ...]
    revision: Revised = Revised()
    """The change of mind that the peer has just had."""


class Uttered(Outcome, frozen=True, gc=False):
    """The words of a peer."""

    text: str


class Utter(Decision, gc=False):
    """Ask a peer to say it, in one short sentence."""

    kind: ClassVar[str] = "utter"
    outcome: ClassVar[type[Outcome]] = Uttered

    view: PeerView
    intended: Intended


# --- the baseline without stages and schemas ---


class Chatted(Outcome, frozen=True, gc=False):
    """The words of a peer in a plain chat."""

    text: str
    meaning: Meaning = Meaning()
    done: bool = False
    """The speaker holds the problem to be solved."""


class Chat(Decision, gc=False):
    """Ask a peer to say something in the chat about this problem. They are asked with the right solution, and with no
    stage."""

    kind: ClassVar[str] = "chat"
    outcome: ClassVar[type[Outcome]] = Chatted

    view: PeerView
