"""A scripted student in a person's seat, so that groups can be laid beside those of the paper, which had a student.

It thinks as a peer without a mistake does, from a schema of its own, and speaks whenever it may: what it says goes the
way of all that a person writes, as text that the others have to read. What a real student would say it does not know.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from eduverse_mesa.agents.peer import PeerAgent
from eduverse_mesa.decisions import Answer, Decision, Round, Rounds
from eduverse_mesa.decisions.collaboration import PeerView
from eduverse_mesa.models.collaboration import STAGES, CollaborationModel
from eduverse_mesa.models.collaboration.step import think
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.scenarios.collaboration import Peer

SEAT = "Mia"
_PAUSE = 4.0
"""Seconds until it has written something; the peers hold back for longer."""


class ScriptedStudent:
    """Says what a peer of its seat's name would say."""

    def __init__(self, model: CollaborationModel) -> None:
        self._model = model
        who = Peer(name=SEAT, skill="limited")
        self._mind = PeerAgent(model, who, model.problem, model.sheet, None, language=model.problem.language)
        self._text = ""

    @property
    def invited(self) -> bool:
        """Whether it may speak now."""
        return SEAT in self._model.floor.holders and not self._model.inbox

    def speak(self) -> bool:
        """Send a message, if it has something to say."""
        run_waiting(self._think(), self._model.policy)
        if self._text:
            self._model.hear(SEAT, self._text, self._model.now + _PAUSE)
        return bool(self._text)

    def _think(self) -> Rounds:
        """What a peer goes through before it speaks; nobody logs it."""
        model, mind = self._model, self._mind
        thought = yield from think(model.at(SEAT), STAGES[model.stage].acts, self._view, mind.take, _ask)
        self._text = thought.text if thought is not None else ""

    def _view(self) -> PeerView:
        model = self._model
        return self._mind.view(model.stage, model.dialogue, model.record.minutes(), model.members, ())


def _ask(decision: Decision) -> Generator[Round, Sequence[Answer], Answer]:
    answers = yield Round(decision.kind, [decision])
    return answers[0]


def run_with_student(model: CollaborationModel) -> CollaborationModel:
    """Play a dialogue to its end with the student in its seat; it leaves when nobody has anything to say."""
    student = ScriptedStudent(model)
    while model.running and (due := model.due) is not None:
        if not (student.invited and student.speak()):
            model.tick(max(model.now, due))
        model.step()
    if model.running:
        model.leave(SEAT)
    return model
