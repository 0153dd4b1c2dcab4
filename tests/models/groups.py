"""Groups for tests: Alice with a mistake of one's choice, Bob, and Mia if she is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.policies.embedded.groups import EmbeddedCollaborationPolicy
from eduverse_mesa.scenarios.groups import Collaboration, Peer
from eduverse_mesa.scenarios.loader import load_collaboration, load_problem
from eduverse_mesa.scenarios.word_problem import WordProblem

STEPS = "steps_and_distance"


@cache
def problem(name: str = STEPS) -> WordProblem:
    """A built-in problem, read once."""
    return load_problem(name)


def setup(misconception: str | None = "multiplies", people: Sequence[str] = (), **rules: Any) -> Collaboration:
    """Alice with a mistake, and Bob."""
    peers = (Peer(name="Alice", misconception=misconception), Peer(name="Bob", skill="advanced"))
    found = load_collaboration()
    settings = found.settings.model_copy(update=rules)
    return found.model_copy(update={"peers": peers, "seats": tuple(people), "settings": settings})


def group(name: str = STEPS, misconception: str | None = "multiplies", **given: Any) -> GroupModel:
    """A group at its beginning."""
    rules = given.pop("rules", {})
    people = given.pop("people", ())
    return GroupModel(
        setup(misconception, people, **rules), problem=problem(name), **{"seed": 1, **given}
    )  # fmt: skip


class Instead:
    """The embedded policy, with some kinds of decision answered by somebody else."""

    name = "embedded"

    def __init__(self, **others: Any) -> None:
        self._policy, self._others = EmbeddedCollaborationPolicy(), others

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [self._one(decision) for decision in decisions]

    def _one(self, decision: Decision) -> Answer:
        if decision.kind not in self._others:
            return self._policy.answer([decision])[0]
        given = self._others[decision.kind]
        return given if isinstance(given, Answer) else Answer(given(decision), "test")


def told(model: GroupModel) -> list[tuple[str, str]]:
    """Who said what."""
    return [(row.speaker, row.text) for row in model.journal.messages]


def with_pupil(
    *texts: str, name: str = STEPS, seed: int = 1, misconception: str | None = None, pupil: str = "Mia"
) -> GroupModel:
    """A built-in group in which a pupil says one thing after another, and one peer answers each; "..." is a silence
    in which a peer goes on."""
    found = load_collaboration(problem=problem(name))
    first, second = found.peers
    first = first.model_copy(update={"misconception": misconception})
    setup = found.model_copy(update={"peers": (first, second), "seats": (pupil,)})
    model = GroupModel(setup, problem=problem(name), seed=seed)
    for text in texts:
        if not model.running:
            break
        if text != "...":
            model.hear(pupil, text, model.now)
            model.step()
        if model.running and model.due is not None:
            model.tick(max(model.now, model.due))
            model.step()
    return model
