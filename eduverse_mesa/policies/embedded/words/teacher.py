"""What the teacher says."""

from __future__ import annotations

from eduverse_mesa.decisions import Focus, Heard, Said, TeacherView
from eduverse_mesa.policies.embedded.words.grammar import Grammar
from eduverse_mesa.randomness import Address, uniform

_MOVE = {"accuracy": "press-accuracy", "reasoning": "press-reasoning", "relate": "get-to-relate"}
_CHECKING = 0.5
"""Share of explanations that end in a checking question: 74 % of real turns hold a question, only 51 % initiate."""

_UNJUDGED = 0.6
"""Share of restated, revoiced and pressed answers that are taken without a verdict."""


def teacher_sentences(
    grammar: Grammar, at: Address, view: TeacherView, act: str, called: tuple[str, ...], press: str
) -> tuple[Said, ...]:
    """The words of an act; `called` are the students it names."""
    if act == "asking_question":
        return _ask(grammar, at, view, called, press)
    if act == "lecturing":
        return _explain(grammar, at, view)
    if act == "giving_directions":
        return _direct(grammar, at, view)
    if act == "organising_discussion":
        return _discuss(grammar, at, view)
    if act == "adopting_input":
        return _adopt(grammar, at, view)
    key = _NAMING[act]
    names = {"names": grammar.name(called)}
    line = grammar.say(at, key[0], names) if called else grammar.say(at, key[1])
    move = "none" if act in ("praising", "expressing_emotion") else "keep-together"
    remark = Said(line, move)
    return (remark, *_explain(grammar, at, view)[:2]) if move == "none" else (remark,)


_NAMING = {
    "praising": ("teacher.praise_name", "teacher.praise"),
    "expressing_emotion": ("teacher.emotion", "teacher.emotion"),
    "criticising": ("teacher.criticise_name", "teacher.criticise"),
    "addressing_sleepers": ("teacher.sleepers", "teacher.nobody"),
    "addressing_chatters": ("teacher.chatters", "teacher.nobody"),
}


def _explain(grammar: Grammar, at: Address, view: TeacherView) -> tuple[Said, ...]:
    focus, talkative = view.focus, view.person.style.talkativeness
    said = []
    if uniform(at, "open") < 0.3 + 0.5 * talkative:
        said.append(grammar.say(at, "teacher.open"))
    if focus.text:
        said.append(focus.text)
    if focus.idea:
        repeated = focus.idea in view.covered
        if not repeated:
            said.append(focus.idea)
        if repeated or uniform(at, "because") < 0.4 + 0.5 * talkative:
            said.append(grammar.say(at, "teacher.because", {"because": focus.because}))
    if focus.idea and focus.keyword and uniform(at, "keyword") < 0.2 + 0.4 * talkative:
        said.append(grammar.say(at, "teacher.keyword", {"keyword": focus.keyword}))
    elif uniform(at, "goal") < 0.25:
        said.append(grammar.say(at, "teacher.goal", {"goal": view.lesson.goals[focus.goal].text}))
    if uniform(at, "check") < _CHECKING:
        said.append(grammar.say(at, "teacher.check"))
    return tuple(Said(text) for text in said[:5]) or (Said(grammar.say(at, "teacher.open")),)


def _direct(grammar: Grammar, at: Address, view: TeacherView) -> tuple[Said, ...]:
    first = view.focus.text or grammar.say(at, "teacher.directions")
    said = [Said(first, "keep-together")]
    if view.focus.text and uniform(at, "directions/more") < view.person.style.talkativeness:
        said.append(Said(grammar.say(at, "teacher.directions"), "keep-together"))
    if uniform(at, "check") < _CHECKING / 2:
        said.append(Said(grammar.say(at, "teacher.check"), "keep-together"))
    return tuple(said)


def _discuss(grammar: Grammar, at: Address, view: TeacherView) -> tuple[Said, ...]:
    prompt = view.focus.text or view.focus.question or grammar.say(at, "teacher.ask_summary")
    return (Said(grammar.say(at, "teacher.discuss"), "keep-together"), Said(prompt, "get-to-relate"))


def _adopt(grammar: Grammar, at: Address, view: TeacherView) -> tuple[Said, ...]:
    if not view.heard:
        return _explain(grammar, at, view)
    spoken = view.heard[-1]
    first = Said(grammar.say(at, "teacher.adopt", {"names": spoken.speaker}))
    quoted = Said(_bare(spoken.sentences[0].text) + grammar.sentence_end, "restate")
    return (first, quoted, *_explain(grammar, at, view)[:2])


def _ask(grammar: Grammar, at: Address, view: TeacherView, called: tuple[str, ...], press: str) -> tuple[Said, ...]:
    focus, names = view.focus, grammar.name(called)
    said = []
    if uniform(at, "preface") < 0.2 + 0.5 * view.person.style.talkativeness:
        said.append(_preface(grammar, at, focus))
    if press == "relate" and focus.press != "relate":
        said.append(Said(_relating(grammar, at, view), "get-to-relate"))
    else:
        asked = focus.press if focus.question else "accuracy"
        said.append(Said(_question(grammar, at, focus), _MOVE.get(asked, "press-accuracy")))
        if press == "reasoning" and asked != "reasoning":
            said.append(Said(grammar.say(at, "teacher.reason"), "press-reasoning"))
    if called:
        # The name comes last and belongs to the question: it has the question's move.
        said.append(Said(grammar.say(at, "teacher.call", {"names": names}), said[-1].move))
    return tuple(said)


def _preface(grammar: Grammar, at: Address, focus: Focus) -> Said:
    if focus.do == "practise" and focus.text:
        return Said(focus.text, "keep-together")
    return Said(grammar.say(at, "teacher.ask_preface"))


def _question(grammar: Grammar, at: Address, focus: Focus) -> str:
    if focus.question:
        return focus.question
    if focus.keyword:
        return grammar.say(at, "teacher.ask_open", {"keyword": focus.keyword})
    return grammar.say(at, "teacher.ask_summary")


def _relating(grammar: Grammar, at: Address, view: TeacherView) -> str:
    if not view.heard:
        return grammar.say(at, "teacher.relate")
    return grammar.say(at, "teacher.relate_to", {"names": view.heard[-1].speaker})


def feedback_sentences(
    grammar: Grammar, at: Address, heard: Heard, polarity: str, form: str, focus: Focus
) -> tuple[Said, ...]:
    """Individual feedback, always with the student's name."""
    name = {"name": heard.student}
    place = at._replace(agent=f"{at.agent}>{heard.student}")
    if form == "notice":
        return (_notice(grammar, place, heard, polarity),)
    if form in _PLAIN:
        return (Said(grammar.say(place, _PLAIN[form], name)),)
    if form == "answer_question":
        key = "feedback.answer" if focus.idea else "feedback.answer_open"
        return (Said(grammar.say(place, key, {**name, "idea": focus.idea})),)
    return (_opening(grammar, place, heard, polarity, form), *_follow_up(grammar, place, heard, form, focus))


_PLAIN = {"thank": "feedback.none", "reading": "feedback.reading", "acknowledge": "feedback.acknowledge"}


def _opening(grammar: Grammar, at: Address, heard: Heard, polarity: str, form: str) -> Said:
    if form in ("restate", "revoice", "press") and uniform(at, "verdict") < _UNJUDGED:
        return Said(grammar.say(at, "feedback.acknowledge", {"name": heard.student}))
    return Said(_verdict(grammar, at, heard, polarity))


def _follow_up(grammar: Grammar, at: Address, heard: Heard, form: str, focus: Focus) -> tuple[Said, ...]:
    slots = {"name": heard.student, "keyword": focus.keyword, "idea": focus.idea, "short": focus.short}
    if form == "restate":
        slots["said"] = _bare(heard.sentences[-1].text) + grammar.sentence_end
        return (Said(grammar.say(at, "feedback.restate", slots), "restate"),)
    if form == "revoice" and focus.keyword:
        return (Said(grammar.say(at, "feedback.revoice", slots), "revoice"),)
    if form == "press":
        return (Said(grammar.say(at, "feedback.press", slots), "press-reasoning"),)
    if form == "correct" and focus.short:
        return (Said(grammar.say(at, "feedback.correct", slots)),)
    return ()


def _verdict(grammar: Grammar, at: Address, heard: Heard, polarity: str) -> str:
    key = {"right": "right", "partial": "partial"}.get(heard.quality, "cold" if polarity == "negative" else "wrong")
    return grammar.say(at, f"feedback.{key}", {"name": heard.student})


def _notice(grammar: Grammar, at: Address, heard: Heard, polarity: str) -> Said:
    if heard.behaviour in ("chat", "sleep"):
        key = "off_task_cold" if polarity == "negative" else "off_task"
    elif heard.behaviour == "hand_raise":
        key = "hand"
    else:
        key = "talking" if heard.behaviour in ("side_talk", "group_discussion") else "working"
    return Said(grammar.say(at, f"feedback.{key}", {"name": heard.student}), "keep-together")


def _bare(text: str) -> str:
    return text.rstrip(" .!?。！？…")
