"""What a student says: content only, never more than it can bring up."""

from __future__ import annotations

from eduverse_mesa.decisions import Recall, Said, StudentView
from eduverse_mesa.policies.embedded.words.grammar import Grammar
from eduverse_mesa.randomness import Address, uniform


def draft_sentences(
    grammar: Grammar,
    at: Address,
    view: StudentView,
    behaviour: str,
    addressee: str,
    recall: Recall,
    move: str,
    brief: bool,
) -> tuple[Said, ...]:
    """The content of what is said, making this move."""
    if behaviour == "refuse_reply":
        return (Said(grammar.say(at, "student.refuse")),)
    if behaviour == "chat":
        return (Said(grammar.say(at, "student.chat")),)
    if behaviour == "read_aloud":
        text = view.scene.focus.idea or view.scene.lesson.ideas[0].text
        return (Said(grammar.say(at, "student.read_idea", {"idea": text})),)
    if behaviour == "ask_question":
        return (Said(_question(grammar, at, view, addressee, recall), "ask"),)
    if behaviour == "side_talk" and not recall.text:
        return (_small_talk(grammar, at, view, move),)
    return _answer(grammar, at, view, addressee, recall, move, brief)


def _answer(
    grammar: Grammar, at: Address, view: StudentView, addressee: str, recall: Recall, move: str, brief: bool
) -> tuple[Said, ...]:
    if move == "ask":
        return (Said(_ask_back(grammar, at, view), "ask"),)
    if move == "relate":
        return _relate(grammar, at, view, addressee, recall)
    if move == "none":
        if recall.text or not view.scene.asked:
            return (Said(grammar.say(at, "student.okay")),)
        return (Said(grammar.say(at, "student.lost" if brief else "student.lost_long")),)
    if not recall.text:
        return (Said(grammar.say(at, "student.lost")),)
    if move == "evidence" and recall.because:
        text = _bare(recall.text) + grammar.because + _bare(recall.because) + grammar.sentence_end
        return (Said(text, "evidence"),)
    if brief and recall.short:
        return (Said(_capital(recall.short) + grammar.sentence_end, "claim"),)
    return (Said(recall.text, "claim"),)


def _relate(grammar: Grammar, at: Address, view: StudentView, addressee: str, recall: Recall) -> tuple[Said, ...]:
    here = (view.person.name, addressee)
    others = [spoken.speaker for spoken in view.scene.earlier if spoken.speaker not in here]
    if not others:
        first = grammar.say(at, "student.relate_nobody")
    else:
        agree = uniform(at, "agree") < 0.5 + 0.4 * (view.person.traits.agreeableness - 0.5)
        first = grammar.say(at, f"student.relate_{'agree' if agree else 'differ'}", {"other": others[-1]})
    return (Said(first, "relate"), *((Said(recall.text, "relate"),) if recall.text else ()))


def _small_talk(grammar: Grammar, at: Address, view: StudentView, move: str) -> Said:
    keyword = view.scene.focus.keyword
    if not keyword:
        return Said(grammar.say(at, "student.relate_nobody"), "relate")
    key = "student.ask_peer" if move == "ask" else "student.side_talk"
    return Said(grammar.say(at, key, {"keyword": keyword}), move)


def _question(grammar: Grammar, at: Address, view: StudentView, addressee: str, recall: Recall) -> str:
    keyword = view.scene.focus.keyword
    if not keyword:
        return grammar.say(at, "teacher.ask_summary")
    if addressee != "teacher":
        return grammar.say(at, "student.ask_peer", {"keyword": keyword})
    depth = {"full": "much", "partial": "some"}.get(recall.level, "none")
    return grammar.say(at, f"student.ask_teacher_{depth}", {"keyword": keyword})


def _ask_back(grammar: Grammar, at: Address, view: StudentView) -> str:
    keyword = view.scene.focus.keyword
    return grammar.say(at, "student.ask_back", {"keyword": keyword}) if keyword else grammar.say(at, "teacher.check")


def _bare(text: str) -> str:
    return text.rstrip(" .!?。！？…")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
