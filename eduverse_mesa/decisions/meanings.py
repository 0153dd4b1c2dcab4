"""What was said in a group, as it is understood: what a message means, and what everybody could have noted by now."""

from __future__ import annotations

import re

import msgspec

STANCES = ("", "agrees", "disagrees")
MATTERS = (
    "", "harm", "private", "loss", "lonely", "belittles", "upset", "rude", "real", "reads", "tells", "person", "angry",
    "blame", "who", "leave", "goes_on", "next", "orders", "answer", "insists", "away", "bye", "hello", "fed_up",
    "unsure", "done",
)  # fmt: skip
"""What a person may raise besides the problem, the gravest first: that somebody is or may be harmed; what is private;
that somebody has died or a family comes apart; that nobody likes them; that they are stupid; that they are ill or
upset; rude words; whether the others are real; who reads this, who will be told, a wish to talk to a person, whether
anybody is angry with them; then, of somebody who has told of harm, whether it is their fault, who or where somebody is,
whether they may stop, whether the others go on with the problem, and what happens now; orders to be somebody else; to
be told the answer; insistence without a reason; being away for a moment; farewell and greeting; having had enough; not
being sure; having finished."""
QUESTIONS = ("", "word", "givens", "task", "why", "how", "value")
"""What a question asks for, where words can answer it: what a word or a piece of the statement means; what is known;
what is to be found; why something is so, or is done; how somebody came by something; how much something is."""
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
    """Its speaker says so plainly. Otherwise it may be asked, quoted, supposed, denied or no amount at all: others may
    take it up, but no mistake is booked for it."""
    loose: bool = False
    """It may as well be true of something else, as "8 + 4 = 12" is: who has another value for the variable does not
    contradict it, and it is nobody's answer."""
    sentence: int = 0
    """Which sentence of the message says so, counted from 1; 0 where it was not looked for."""


class Sum(msgspec.Struct, frozen=True, gc=False):
    """A calculation that was shown."""

    text: str
    """What is calculated: "60 / 20"."""
    result: str
    """What is said to come out, as a number."""
    holds: bool
    """It does come out."""


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """What a message says, as far as it is understood. A peer's is its intent; a person's is read off the words."""

    act: str = ""
    """A dialogue act of the stage, where it is one."""
    addressed: str = ""
    """Who is called by name."""
    topic: str = ""
    """The variable it is about."""
    claims: tuple[Claim, ...] = ()
    sums: tuple[Sum, ...] = ()
    stance: str = ""
    """agrees or disagrees, with what was said before."""
    asks: bool = False
    question: str = ""
    """What it asks for; one of QUESTIONS. The topic says of which variable, where that is known."""
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
    """Whose answer is said to be right, by name."""
    matter: str = ""
    """What is raised besides the problem; one of MATTERS."""
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
    """What somebody holds a variable to be, as they said last."""

    variable: str
    speaker: str
    value: str
    turn: int
    loose: bool = False
    """It may as well be true of something else."""


class Minutes(msgspec.Struct, frozen=True, gc=False):
    """What everybody in the group could have noted by now."""

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
