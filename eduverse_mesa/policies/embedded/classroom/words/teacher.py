"""Words of the teacher: one function for each kind of act, and one for each form of feedback.

Real teacher turns are about 43 words long, 74 % hold a question mark and 51 % initiate (real_classes): many questions
only check or carry the talk along, so every act may end in one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import Focus, Heard, Said, Spoken, TeacherView
from eduverse_mesa.policies.embedded.classroom.words.grammar import Grammar, Luck, bare, draw_luck
from eduverse_mesa.randomness import Address

SUBSTANTIVE = ("evidence", "claim", "relate")
_NO_SLOTS: Mapping[str, str] = {}


_CONTRAST = 2.6
"""Ratio of the differences between teachers in what they say to those in how they describe themselves."""


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
        """Talkativeness of this teacher, from 0 to 1. Real teachers' turns differ by half of their length."""
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
    """The sentence that says most, or an empty one if there is nothing to take up."""
    for move in (*SUBSTANTIVE, "ask"):
        for said in spoken.sentences:
            if said.move == move:
                return said
    return Said("")


_MOVE: Mapping[str, str] = MappingProxyType(
    {"accuracy": "press-accuracy", "reasoning": "press-reasoning", "relate": "get-to-relate"}
)


def ask(turn: Turn, press: str) -> list[Said]:
    """A question with its lead-up and the names called. The last sentence makes the move that was asked for."""
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

    Adopting input takes up what `view.heard` holds, and explains if nothing in it can be taken up.
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


_FIRST_A_VERDICT = 0.3
"""Share of restating, revoicing and pressing that follows an evaluating word (a third of all follow-ups evaluate:
real_classes)."""
_REASON = 0.2
"""Share of praise for a right answer that adds the reason."""
_ASKS_AGAIN = {"reasoning": "press-reasoning", "relate": "get-to-relate"}
"""Moves of a question that is passed on: the same as before."""
_NOTICED: Mapping[str, str] = MappingProxyType(
    {
        "chat": "off_task",
        "sleep": "off_task",
        "hand_raise": "hand",
        "note_taking": "notes",
        "head_down": "head_down",
        "side_talk": "talking",
        "group_discussion": "talking",
    }
)


def feedback_sentences(
    grammar: Grammar, at: Address, heard: Heard, polarity: str, form: str, focus: Focus, passes_on: bool = False
) -> tuple[Said, ...]:
    """Feedback in one of the forms of `_FORMS`, always with the student's name.

    A form that lacks what it needs (a keyword to revoice with, a short answer to correct by) only evaluates. With
    `passes_on`, the question that was asked goes to the next speaker.
    """
    word = _Word(grammar, heard, polarity, focus, draw_luck(at, f"words/feedback/{heard.student}"))
    said = _FORMS[form](word)
    if not passes_on or form == "press":
        return said
    return *said, Said(grammar.say("feedback.pass", word.luck[0]), _ASKS_AGAIN.get(focus.press, "press-accuracy"))


class _Word(NamedTuple):
    """A word to one student."""

    grammar: Grammar
    heard: Heard
    polarity: str
    focus: Focus
    luck: Luck

    def say(self, key: str, luck: float, **slots: str) -> str:
        return self.grammar.say(f"feedback.{key}", luck, {"name": self.heard.student, **slots})

    def verdict(self) -> Said:
        quality = self.heard.quality
        if quality not in ("right", "partial"):
            quality = "cold" if self.polarity == "negative" else "wrong"
        return Said(self.say(quality, self.luck[1]))

    def after_verdict(self, said: Said) -> tuple[Said, ...]:
        return (self.verdict(), said) if self.luck[3] < _FIRST_A_VERDICT else (said,)


def _evaluate(word: _Word) -> tuple[Said, ...]:
    because = word.focus.because
    if word.heard.quality == "right" and because and word.luck[3] < _REASON:
        return word.verdict(), Said(word.say("because", word.luck[2], because=bare(because)))
    return (word.verdict(),)


def _restate(word: _Word) -> tuple[Said, ...]:
    sentences, grammar = word.heard.sentences, word.grammar
    if not sentences:
        return _notice(word)
    best = next((said for said in sentences if said.move in ("claim", "evidence")), sentences[-1])
    repeated = grammar.sentence(grammar.without_leads(best.text))
    return word.after_verdict(Said(word.say("restate", word.luck[2], said=repeated), "restate"))


def _revoice(word: _Word) -> tuple[Said, ...]:
    focus = word.focus
    if not focus.keyword:
        return _evaluate(word)
    idea = word.grammar.sentence(focus.idea)
    return word.after_verdict(Said(word.say("revoice", word.luck[2], keyword=focus.keyword, idea=idea), "revoice"))


def _press(word: _Word) -> tuple[Said, ...]:
    return word.after_verdict(Said(word.say("press", word.luck[2]), "press-reasoning"))


def _correct(word: _Word) -> tuple[Said, ...]:
    if not word.focus.short:
        return _evaluate(word)
    return word.after_verdict(Said(word.say("correct", word.luck[2], short=bare(word.focus.short))))


def _answer(word: _Word) -> tuple[Said, ...]:
    if not word.focus.idea:
        return (Said(word.say("answer_open", word.luck[0])),)
    return (Said(word.say("answer", word.luck[0], idea=word.grammar.sentence(word.focus.idea))),)


def _take_up(word: _Word) -> tuple[Said, ...]:
    sentences, grammar = word.heard.sentences, word.grammar
    if not sentences:
        return _answer(word)
    asked = grammar.sentence(grammar.without_leads(sentences[-1].text))
    return Said(word.say("take_up", word.luck[2], said=asked), "restate"), *_answer(word)


def _reading(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("reading", word.luck[0])),)


def _acknowledge(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("acknowledge", word.luck[0])),)


def _thank(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("none_cold" if word.polarity == "negative" else "none", word.luck[0])),)


def _nod(word: _Word) -> tuple[Said, ...]:
    return (Said(word.say("nod", word.luck[0])),)


def _notice(word: _Word) -> tuple[Said, ...]:
    key = _NOTICED.get(word.heard.behaviour, "working")
    if word.polarity == "negative" and key == "off_task":
        key = "off_task_cold"
    return (Said(word.say(key, word.luck[0]), "keep-together"),)


_FORMS: Mapping[str, Callable[[_Word], tuple[Said, ...]]] = MappingProxyType(
    {
        "evaluate": _evaluate,
        "restate": _restate,
        "revoice": _revoice,
        "press": _press,
        "correct": _correct,
        "answer_question": _answer,
        "take_up": _take_up,
        "reading": _reading,
        "acknowledge": _acknowledge,
        "thank": _thank,
        "nod": _nod,
        "notice": _notice,
    }
)
