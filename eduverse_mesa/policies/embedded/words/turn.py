"""What the words of one teacher's turn depend on, and the pieces that several acts share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import Said, Spoken, TeacherView
from eduverse_mesa.policies.embedded.words.grammar import Grammar, bare
from eduverse_mesa.policies.embedded.words.luck import Luck

SUBSTANTIVE = ("evidence", "claim", "relate")
_NO_SLOTS: Mapping[str, str] = {}


_CONTRAST = 2.6
"""How much further apart teachers are in what they say than in how they describe themselves."""


class Turn(NamedTuple):
    """One turn of the teacher: `luck` decides which sentences there are, `more` in which words."""

    grammar: Grammar
    view: TeacherView
    tone: str
    called: tuple[str, ...]
    luck: Luck
    more: Luck

    @property
    def talkative(self) -> float:
        """How much this teacher likes to talk, 0 to 1. Real teachers' turns differ by half of their length."""
        return clamp(0.5 + _CONTRAST * (self.view.person.style.talkativeness - 0.5))

    def say(self, key: str, luck: float, slots: Mapping[str, str] = _NO_SLOTS) -> str:
        """A line of the teacher's."""
        return self.grammar.say(f"teacher.{key}", luck, slots)

    def name(self, key: str, luck: float) -> str:
        """A line with the names of those who are called."""
        return self.say(key, luck, {"names": self.grammar.names(self.called)})

    def idea(self, luck: float) -> str:
        """The idea, announced as a repetition where it is one."""
        focus = self.view.focus
        idea = self.grammar.sentence(focus.idea)
        return self.say("again", luck, {"idea": idea}) if focus.idea in self.view.covered else idea

    def because(self, luck: float) -> str:
        """The reason for the idea."""
        return self.say("because", luck, {"because": bare(self.view.focus.because)})

    def keyword(self, key: str, luck: float) -> str:
        """A line with the keyword."""
        return self.say(key, luck, {"keyword": self.view.focus.keyword})


def weightiest(spoken: Spoken) -> Said:
    """The sentence that says most, or an empty one where nothing is to be taken up."""
    for move in (*SUBSTANTIVE, "ask"):
        for said in spoken.sentences:
            if said.move == move:
                return said
    return Said("")
