"""The embedded policy for groups: it keeps no state, all it uses stands in the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.collaboration import Chat, Intend, Invite, Revise, SeeStage, Understand, Utter
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.collaboration.chatting import chat
from eduverse_mesa.policies.embedded.collaboration.hosting import invite, see_stage
from eduverse_mesa.policies.embedded.collaboration.intending import intend
from eduverse_mesa.policies.embedded.collaboration.revising import revise
from eduverse_mesa.policies.embedded.collaboration.understanding import understand
from eduverse_mesa.policies.embedded.collaboration.wording import utter
from eduverse_mesa.scenarios.parameters import PEER_BOOK, load_parameters


class EmbeddedCollaborationPolicy:
    """Rules for every decision of a group."""

    name = "embedded"

    def __init__(self, parameters: Mapping[str, float] | None = None) -> None:
        p = load_parameters({}, PEER_BOOK) if parameters is None else parameters
        self._handlers: dict[type[Decision], Callable[[Any], Any]] = {
            Understand: understand,
            SeeStage: see_stage,
            Invite: lambda decision: invite(decision, p),
            Revise: lambda decision: revise(decision, p),
            Intend: lambda decision: intend(decision, p),
            Utter: utter,
            Chat: chat,
        }

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """An answer to each decision."""
        answers = []
        for decision in decisions:
            handler = self._handlers.get(type(decision))
            if handler is None:
                raise PolicyError(
                    f"the policy of groups has no answer to {type(decision).__name__}.",
                    mend="Use it with a group's model.",
                )
            answers.append(Answer(handler(decision), "embedded"))
        return answers
