"""Which problem a group is to solve, who is in it and what they get wrong, as it was chosen on the page."""

from __future__ import annotations

from typing import Any

import msgspec

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.runs.collaboration import GroupSpec
from eduverse_mesa.scenarios.collaboration import Collaboration, GroupArm, Skill, default_peers
from eduverse_mesa.scenarios.gathering import load_collaboration
from eduverse_mesa.scenarios.posing import built_in_problems
from eduverse_mesa.scenarios.problems import refuse
from eduverse_mesa.scenarios.proving import check_word_problem
from eduverse_mesa.scenarios.reading import read_bytes
from eduverse_mesa.scenarios.validating import validate
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.app.answering import Answering

MOST_PEERS = 4
MOST_BYTES = 100_000
WATCH, JOIN = "watch", "join"
MORE_NAMES = {"en": ("Cleo", "Dan", "Emma", "Finn"), "zh": ("小静", "小峰", "小月", "小东")}
"""By the language of the problem: what one peer more is called."""
PLACES: tuple[str, ...] = (WATCH, JOIN, *(str(place) for place in range(MOST_PEERS)))
"""Where somebody at the page sits: nowhere, beside the peers, or in the place of one of them."""


class PeerPlan(msgspec.Struct, frozen=True):
    """A peer as the form has it."""

    name: str
    skill: Skill = "limited"
    misconception: str = ""
    """Empty: drawn by the seed for a peer of limited skill; none for an advanced one."""
    style: str = ""


def usual_peers(language: str) -> tuple[PeerPlan, ...]:
    """The two who solve problems of a language, where nobody else was chosen."""
    return tuple(PeerPlan(one.name, one.skill, "", one.style) for one in default_peers(language))


class Plan(msgspec.Struct, frozen=True):
    """All that the form says."""

    problem: str = "steps_and_distance"
    own: WordProblem | None = None
    """A problem from a file, in place of a built-in one."""
    peers: tuple[PeerPlan, ...] = usual_peers("en")
    place: str = WATCH
    name: str = ""
    """What the peers call who joins them."""
    arm: GroupArm = "full"
    seed: int = 1

    def word_problem(self) -> WordProblem:
        """The problem itself. Only what is built in can be named: a page reads no other files."""
        if self.own is not None:
            return self.own
        found = known_problems().get(self.problem)
        if found is None:
            raise ScenarioError(f"there is no built-in problem '{self.problem[:80]}'.", mend="Choose one of the list.")
        return found

    @property
    def replaced(self) -> int | None:
        """The number of the peer whose place is taken."""
        return int(self.place) if self.place.isdigit() and int(self.place) < len(self.peers) else None

    def seats(self) -> tuple[str, ...]:
        """Who of flesh and blood is in the group."""
        if self.replaced is not None:
            return (self.peers[self.replaced].name,)
        return (self.name.strip(),) if self.place == JOIN else ()

    def setup(self, answering: Answering) -> Collaboration:
        """The document of it; a ScenarioError says what is wrong with it."""
        problem = self.word_problem()
        kept = [one for number, one in enumerate(self.peers) if number != self.replaced]
        known = {one.id for one in problem.misconceptions}
        document: dict[str, Any] = {
            "kind": "collaboration",
            "name": "from_the_page",
            "problems": [problem.model_dump(mode="json", by_alias=True, exclude_none=True)],
            "peers": [
                {
                    "name": one.name.strip(),
                    "skill": one.skill,
                    "style": one.style,
                    **({"misconception": one.misconception} if one.misconception in known else {}),
                }
                for one in kept
            ],
            "seats": list(self.seats()),
            "settings": {"arm": self.arm},
        }
        setup = load_collaboration(document)
        settings = setup.settings.model_copy(update={"llm": answering.llm})
        return setup.model_copy(update={"settings": settings})

    def spec(self, answering: Answering) -> GroupSpec:
        """The run of it."""
        return GroupSpec(self.setup(answering), self.seed)


def known_problems() -> dict[str, WordProblem]:
    """The built-in problems of both languages, by grade and difficulty, under their names."""
    return {one.name: one for language in ("en", "zh") for one in built_in_problems(language)}


def first_problem(language: str) -> str:
    """The problem that is there before anybody has chosen one."""
    return next(iter(built_in_problems(language)), built_in_problems()[0]).name


def read_problem(text: str, where: str) -> WordProblem:
    """A problem from a file that was opened in a browser; a ScenarioError says what is wrong with it, and where."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ScenarioError("this is no text.", where=where, mend="Save the problem as UTF-8.") from None
    reading = read_bytes(content, where)
    problem: WordProblem = validate("problem", reading, where)
    refuse(check_word_problem(problem, reading), where)
    return problem
