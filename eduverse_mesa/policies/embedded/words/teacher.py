"""What the teacher says to the class: one function for each kind of act.

Real teacher turns are about 43 words long, 74 % hold a question mark and 51 % initiate (real_classes): many questions
only check or carry the talk along, so every act may end in one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from eduverse_mesa.decisions import Said, TeacherView
from eduverse_mesa.policies.embedded.words.asking import ask
from eduverse_mesa.policies.embedded.words.grammar import Grammar, bare
from eduverse_mesa.policies.embedded.words.luck import draw_luck
from eduverse_mesa.policies.embedded.words.turn import SUBSTANTIVE, Turn, weightiest
from eduverse_mesa.randomness import Address

_LONGEST = 5
"""Sentences of an explanation."""


def teacher_sentences(
    grammar: Grammar,
    at: Address,
    view: TeacherView,
    act: str,
    called: tuple[str, ...],
    press: str,
    tone: str = "neutral",
    checking: float = 0.6,
) -> tuple[Said, ...]:
    """The words of an act; `called` are the students it names, `press` is what a question asks for.

    `checking` is the share of other turns that end in a question for form's sake, times how much the teacher likes to
    ask.

    Adopting input takes up what `view.heard` holds, and explains where nothing in it can be taken up.
    """
    turn = Turn(grammar, view, tone, called, draw_luck(at, "words/act"), draw_luck(at, "words/more"))
    if act == "asking_question":
        return tuple(ask(turn, press))
    said = _ACTS[act](turn)
    # Questions for form's sake: the more a teacher likes to ask, the more of them.
    asks = any(grammar.asks(one.text) for one in said)
    if not asks and turn.luck[4] < checking * view.person.style.questioning:
        key = "ready" if said[-1].move == "keep-together" else "check"
        said[_LONGEST - 1 :] = [Said(turn.say(key, turn.more[4]), said[-1].move)]
    return tuple(said)


def _explain(turn: Turn) -> list[Said]:
    focus, luck, more = turn.view.focus, turn.luck, turn.more
    said = []
    if luck[0] < 0.1 + 0.5 * turn.talkative:
        said.append(turn.say("open", more[0]))
    if focus.text and (focus.do in ("explain", "summarise") or not focus.idea):
        said.append(turn.grammar.sentence(focus.text))
    if focus.idea:
        said.append(turn.idea(more[1]))
    if focus.because and luck[0] < 0.5 + 0.5 * turn.talkative:
        said.append(turn.because(luck[1]))
    if focus.keyword and luck[2] < 0.4 * turn.talkative:
        said.append(turn.keyword("keyword", more[2]))
    if not said or luck[3] < 0.2 * turn.talkative:
        goal = turn.grammar.sentence(turn.view.lesson.goals[focus.goal].text)
        said.append(turn.say("goal", more[3], {"goal": goal}))
    if luck[3] > 0.9:
        said.append(turn.say(f"tone.{turn.tone}", more[0]))
    return [Said(text) for text in said[:_LONGEST]]


def _direct(turn: Turn) -> list[Said]:
    focus, luck, more = turn.view.focus, turn.luck, turn.more
    said = [turn.grammar.sentence(focus.text)] if focus.text else []
    if not said or luck[0] < 0.6 * turn.talkative:
        said.append(turn.say("directions", luck[1]))
    if focus.keyword and luck[2] < 0.2:
        said.append(turn.keyword("back_to", more[2]))
    if luck[3] < 0.15:
        said.append(turn.say(f"tone.{turn.tone}", more[3]))
    return [Said(text, "keep-together") for text in said]


def _discuss(turn: Turn) -> list[Said]:
    focus, luck, more = turn.view.focus, turn.luck, turn.more
    prompt = focus.text or focus.question or turn.say("ask_summary", more[0])
    said = [Said(turn.say("discuss", luck[0]), "keep-together")]
    if luck[1] < 0.15:
        said.append(Said(turn.say(f"tone.{turn.tone}", more[1])))
    # The prompt comes last or first: some get the class moving before they say about what.
    said.insert(len(said) if luck[2] < 0.5 else 0, Said(turn.grammar.sentence(prompt), "get-to-relate"))
    return said


def _feel(turn: Turn) -> list[Said]:
    return [Said(turn.say(f"emotion.{turn.tone}", turn.luck[1])), *_matter(turn)]


def _praise(turn: Turn) -> list[Said]:
    names = turn.called
    if not names:
        names = tuple(one.speaker for one in turn.view.heard if weightiest(one).move in SUBSTANTIVE)[:1]
    if names and turn.luck[1] < 0.7:
        first = turn._replace(called=names).name("praise_name", turn.more[1])
    else:
        first = turn.say("praise", turn.more[1])
    return [Said(first), *_matter(turn)]


def _adopt(turn: Turn) -> list[Said]:
    spoken = next((one for one in reversed(turn.view.heard) if weightiest(one).move != "none"), None)
    if spoken is None:
        return _explain(turn)
    best, luck, keyword = weightiest(spoken), turn.luck, turn.view.focus.keyword
    grammar = turn.grammar
    slots = {
        "names": spoken.speaker,
        "said": grammar.sentence(grammar.without_leads(best.text)),
        "keyword": keyword,
    }
    if best.move == "ask":
        said = Said(turn.say("adopt_question", luck[1], slots))
    elif _is_misconception(turn.view, best.text):
        said = Said(turn.say("adopt_doubt", luck[1], slots), "restate")
    elif keyword and luck[0] < 0.5:
        said = Said(turn.say("adopt_revoice", luck[1], slots), "revoice")
    else:
        said = Said(turn.say("adopt", luck[1], slots), "restate")
    return [said, *_matter(turn)]


def _criticise(turn: Turn) -> list[Said]:
    return _together(turn, turn.name("criticise_name" if turn.called else "criticise", turn.luck[0]))


def _wake(turn: Turn) -> list[Said]:
    return _together(turn, turn.name("sleepers" if turn.called else "nobody", turn.luck[0]))


def _hush(turn: Turn) -> list[Said]:
    return _together(turn, turn.name("chatters" if turn.called else "nobody", turn.luck[0]))


_ACTS: Mapping[str, Callable[[Turn], list[Said]]] = MappingProxyType(
    {
        "lecturing": _explain,
        "giving_directions": _direct,
        "organising_discussion": _discuss,
        "expressing_emotion": _feel,
        "praising": _praise,
        "adopting_input": _adopt,
        "criticising": _criticise,
        "addressing_sleepers": _wake,
        "addressing_chatters": _hush,
    }
)


def _together(turn: Turn, first: str) -> list[Said]:
    """A remark that keeps the class together, and the way back to the matter."""
    said = [first]
    if turn.view.focus.keyword and turn.luck[1] < 0.3:
        said.append(turn.keyword("back_to", turn.more[1]))
    if turn.luck[2] < 0.6 * turn.talkative:
        said.append(turn.say("expect", turn.more[2]))
    return [Said(text, "keep-together") for text in said]


def _matter(turn: Turn) -> list[Said]:
    """A sentence or two about the matter, after something else."""
    focus, said = turn.view.focus, []
    if focus.idea and turn.luck[2] < 0.2 + 0.5 * turn.talkative:
        said.append(turn.idea(turn.more[2]))
    if focus.because and turn.luck[3] < 0.5 * turn.talkative:
        said.append(turn.because(turn.more[3]))
    return [Said(text) for text in said]


def _is_misconception(view: TeacherView, text: str) -> bool:
    # The first letter may have lost its capital, and the end mark may be gone.
    return any(idea.misconception and bare(idea.misconception)[1:] in text for idea in view.lesson.ideas)
