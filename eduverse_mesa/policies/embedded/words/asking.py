"""How the teacher asks: for a fact, for a reason, or to relate to what others said; of somebody, or of everybody."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eduverse_mesa.decisions import Focus, Said
from eduverse_mesa.policies.embedded.words.turn import Turn

_MOVE: Mapping[str, str] = MappingProxyType(
    {"accuracy": "press-accuracy", "reasoning": "press-reasoning", "relate": "get-to-relate"}
)


def ask(turn: Turn, press: str) -> list[Said]:
    """A question, what leads up to it, and whom it goes to. The last sentence makes the move that was asked for."""
    said = _lead_up(turn)
    by_name_first = bool(turn.called) and turn.luck[2] < 0.5
    if by_name_first:
        said.append(Said(turn.name("call_first", turn.more[2])))
    view = turn.view
    waits = bool(turn.called) and view.open_question is not None and not view.focus.question
    focus = view.open_question if waits and view.open_question is not None else view.focus
    if press == "relate" and not (focus.question and focus.press == "relate"):
        said.append(Said(_relate(turn), "get-to-relate"))
    else:
        asked = focus.press if focus.question else "accuracy"
        question = _question(turn, focus)
        said.append(
            Said(turn.say("ask_again", turn.more[3], {"question": question}) if waits else question, _MOVE[asked])
        )
        if press == "reasoning" and asked != "reasoning":
            said.append(Said(turn.say("reason", turn.more[4]), "press-reasoning"))
    if turn.called and not by_name_first:
        # A name after the question belongs to it and makes the same move.
        said.append(Said(turn.name("call", turn.more[2]), said[-1].move))
    return said


def _lead_up(turn: Turn) -> list[Said]:
    focus, luck, said = turn.view.focus, turn.luck, []
    if focus.do == "practise" and focus.text:
        said.append(Said(turn.grammar.sentence(focus.text), "keep-together"))
    elif focus.idea and not focus.question and focus.idea not in turn.view.covered:
        said.append(Said(turn.grammar.sentence(focus.idea)))
    if luck[0] < 0.05 + 0.4 * turn.talkative:
        said.append(Said(turn.say("preface", turn.more[0])))
    if luck[1] < 0.2 * turn.talkative:
        said.append(Said(turn.say(f"tone.{turn.tone}", turn.more[1])))
    return said[:2]


def _question(turn: Turn, focus: Focus) -> str:
    if focus.question:
        return focus.question
    if focus.keyword:
        return turn.say("ask_open", turn.more[3], {"keyword": focus.keyword})
    return turn.say("ask_summary", turn.more[3])


def _relate(turn: Turn) -> str:
    # Nobody is asked to relate to itself.
    others = [spoken.speaker for spoken in turn.view.heard if spoken.claims and spoken.speaker not in turn.called]
    if not others:
        return turn.say("relate", turn.more[3])
    return turn.say("relate_to", turn.more[3], {"names": others[-1]})
