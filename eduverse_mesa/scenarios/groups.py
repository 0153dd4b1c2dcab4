"""The collaboration document: who solves which problems together, and by which rules (MathVC, sections 1 and 2)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from eduverse_mesa.scenarios.base import Document, Name, Part, Share, Text
from eduverse_mesa.scenarios.scenario import LanguageModel, Waiting
from eduverse_mesa.scenarios.word_problem import WordProblem

Skill = Literal["limited", "advanced"]
GroupArm = Literal["full", "vanilla"]


class Peer(Part):
    """A virtual classmate."""

    name: Name
    skill: Skill = Field("limited", description="limited: begins with one of the problem's misconceptions")
    style: Text = Field("", description="how it talks, in words, for a language model and for readers")
    misconception: Name | None = Field(
        None, description="id of the misconception it begins with; without one, the seed draws it for limited skill"
    )


DEFAULT_PEERS = (
    Peer(name="Alice", skill="limited", style="Friendly and quick to begin; thinks aloud and asks when lost."),
    Peer(name="Bob", skill="advanced", style="Calm; likes to see why something works and explains with an example."),
)
"""The two of the paper's study (section 4.2): one of limited skill, one advanced."""
_PEERS = {
    "zh": (
        Peer(name="小雨", skill="limited", style="热心，上手快；想到什么说什么，不懂就问。"),
        Peer(name="小航", skill="advanced", style="沉稳；喜欢弄清楚为什么，讲解时会举例子。"),
    )
}


def default_peers(language: str) -> tuple[Peer, ...]:
    """The two with names and manners of a language."""
    return _PEERS.get(language.replace("_", "-").split("-")[0].casefold(), DEFAULT_PEERS)


class CollaborationSettings(Part):
    """The rules of a group."""

    arm: GroupArm = Field("full", description="vanilla: a plain chat without stages and schemas, to compare with")
    turns: int = Field(60, ge=4, le=500, description="messages after which a dialogue ends, solved or not")
    wait_alone: float = Field(60, ge=0, le=3600, description="seconds without a key before a peer goes on for a person")
    wait_shared: float = Field(10, ge=0, le=3600, description="the same where person and peers may go on")
    goes_on: int = Field(
        8, ge=1, le=100, description="messages that peers say in a row for a silent person; then the group waits"
    )
    fading: Share = Field(0, description="share of the peers' help that is withdrawn with each session")
    policy: Name = "embedded"
    parameters: dict[Name, float] = Field(default_factory=dict, description="parameters of the peers to change")
    llm: LanguageModel = LanguageModel()
    people: Waiting = Waiting()


class Collaboration(Document):
    """Everything that a group needs besides a seed and answers: problems, peers, seats for people, and rules."""

    kind: Literal["collaboration"] = "collaboration"
    eduverse: Literal[1] = Field(1, description="version of the collaboration format")
    problems: tuple[WordProblem, ...] = Field(min_length=1, max_length=50)
    peers: tuple[Peer, ...] = Field(DEFAULT_PEERS, min_length=1, max_length=6)
    seats: tuple[Name, ...] = Field((), max_length=6, description="names of the people in the group; none: all virtual")
    settings: CollaborationSettings = CollaborationSettings()

    @model_validator(mode="after")
    def _a_group_of_different_names(self) -> Self:
        names = [name.casefold() for name in self.members]
        twice = sorted({name for name in self.members if names.count(name.casefold()) > 1})
        if twice:
            raise ValueError(f"two members are called '{twice[0]}'; they are spoken to by their names, so rename one")
        if len(names) < 2:
            raise ValueError("there is one member; a group needs two, so add a peer or a seat")
        return self

    @property
    def members(self) -> tuple[str, ...]:
        """Everybody's name: people first, then peers."""
        return (*self.seats, *(peer.name for peer in self.peers))
