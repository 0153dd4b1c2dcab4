"""The embedded policy for groups."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.collaboration import Chat, Intend, Invite, Revise, SeeStage, Understand, Utter
from eduverse_mesa.policies.embedded.collaboration.chatting import chat
from eduverse_mesa.policies.embedded.collaboration.hosting import invite, see_stage
from eduverse_mesa.policies.embedded.collaboration.intending import intend
from eduverse_mesa.policies.embedded.collaboration.revising import revise
from eduverse_mesa.policies.embedded.collaboration.understanding import understand
from eduverse_mesa.policies.embedded.collaboration.wording import utter
from eduverse_mesa.policies.embedded.rules import RulePolicy, Rules
from eduverse_mesa.scenarios.parameters import PEER_BOOK, load_parameters


class EmbeddedCollaborationPolicy(RulePolicy):
    """Rules for every decision of a group."""

    subject = "a group"

    def __init__(self, parameters: Mapping[str, float] | None = None) -> None:
        p = load_parameters({}, PEER_BOOK) if parameters is None else parameters
        rules: Rules = {
            Understand: understand,
            SeeStage: see_stage,
            Invite: lambda decision: invite(decision, p),
            Revise: lambda decision: revise(decision, p),
            Intend: lambda decision: intend(decision, p),
            Utter: utter,
            Chat: chat,
        }
        super().__init__(rules)
