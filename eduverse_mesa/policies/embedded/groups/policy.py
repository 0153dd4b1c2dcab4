"""The embedded policy for groups."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.groups import (
    CONCERNS,
    Chat,
    Chatted,
    Claim,
    Intend,
    Invite,
    Meaning,
    Revise,
    SeeStage,
    Sum,
    Understand,
    Utter,
)
from eduverse_mesa.formulas.wording import amount_of
from eduverse_mesa.hearing.numbers import without_units
from eduverse_mesa.policies.embedded.groups.gentleness import HARM, care_line, in_trouble, move_of
from eduverse_mesa.policies.embedded.groups.host import invite, see_stage
from eduverse_mesa.policies.embedded.groups.intention import intend
from eduverse_mesa.policies.embedded.groups.interpretation import understand
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases, sentence
from eduverse_mesa.policies.embedded.groups.revision import revise
from eduverse_mesa.policies.embedded.groups.state import CHOICE, DialogueState
from eduverse_mesa.policies.embedded.groups.wording import utter
from eduverse_mesa.policies.embedded.rule_policy import RulePolicy, Rules
from eduverse_mesa.randomness import uniform
from eduverse_mesa.scenarios.parameters import PEER_BOOK, load_parameters


def chat(decision: Chat) -> Chatted:
    """The first to speak gives the whole solution, the others say it again, and the last one closes."""
    view = decision.view
    state = DialogueState(view)
    phrases = load_phrases(view.language)
    luck = uniform(decision.at, "chat")
    troubled = in_trouble(view.dialogue, view.people, view.cleared)
    if troubled:
        last = view.dialogue[-1]
        matter = last.meaning.matter if last.speaker in troubled else ""
        move = move_of(matter) if matter in (HARM, *CONCERNS) else "stay_gentle"
        return Chatted(care_line(phrases, move, luck, view))
    spoken = {one.speaker for one in view.dialogue}
    goals = [one for one in view.work if one.variable in view.sheet.goals]
    claims = tuple(Claim(one.variable, one.value) for one in view.work)
    sums = tuple(
        Sum(without_units(one.calculation), str(amount_of(one.value)), True) for one in view.work if one.calculation
    )
    meaning = Meaning(
        topic=CHOICE if state.picks else goals[0].variable,
        claims=claims,
        sums=sums,
        chosen=state.picks,
        stance="agrees" if spoken else "",
    )
    missing = [name for name in view.members if name not in spoken and name != view.name]
    steps = phrases.gap.join(
        sentence(phrases.fill("chat", "step", luck, {"how": one.how, "says": one.says}), phrases.stop)
        for one in view.work
    )
    answer = ", ".join(state.picks) if state.picks else "; ".join(one.says for one in goals)
    key = "first" if not spoken else ("other" if view.name not in spoken else "end")
    if key == "end":
        return Chatted(sentence(phrases.fill("chat", "end", luck, {"answer": answer}), phrases.stop), meaning, True)
    text = sentence(phrases.fill("chat", key, luck, {"steps": steps, "answer": answer}), phrases.stop)
    return Chatted(text, meaning, not missing and bool(spoken) and luck < _CLOSE)


_CLOSE = 0.5
"""Chance that the last one to speak also closes; otherwise somebody says once more that it is done."""


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
