"""A person's words as sentences with their discourse moves, by a rule that can be read at once.

The moves are those of the TalkMoves corpus. What was done decides first, then signs in the sentence itself: a question
mark asks, "because" gives evidence, a classmate's name relates. Whoever wants finer codes codes the transcript.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from eduverse_mesa.codes import ACT_CATEGORY, is_brief
from eduverse_mesa.decisions import Said
from eduverse_mesa.policies.embedded.words.student import split_passages

_QUESTION = ("?", "？")
_BECAUSE = re.compile(r"\b(because|since|so that|therefore|that's why|due to)\b|因为|所以|由于", re.IGNORECASE)
_RELATING = re.compile(r"\b(i (dis)?agree|like (he|she|they) said|adding to)\b|同意|补充", re.IGNORECASE)
_WHY = re.compile(r"\b(why|how do you know|how come|explain|reason)\b|为什么|怎么知道|理由|原因", re.IGNORECASE)
_RELATE = re.compile(
    r"\b(agree|disagree|add to|in your own words|what (do|does) .* think of)\b|同意|补充|怎么看", re.IGNORECASE
)
_LOST = re.compile(r"\b(i (don't|do not) know|no idea|not sure)\b|不知道|不清楚", re.IGNORECASE)
_TALK = frozenset({"stand_answer", "answer_question", "group_discussion", "side_talk", "ask_question"})
_ASKING = frozenset({"asking_question", "organising_discussion", "adopting_input", "expressing_emotion", "praising"})
_REPEATED = 12
"""Characters that a teacher repeats of what was said before it counts as repeating (5 in Chinese)."""
_CJK = re.compile("[\u3400-\u9fff]")


def student_words(text: str, behaviour: str, classmates: Collection[str]) -> tuple[Said, ...]:
    """What a student says: ask, evidence, relate, claim, or none of these."""
    sentences = split_passages(text)
    said = [Said(sentence, _student_move(sentence, behaviour, classmates)) for sentence in sentences]
    if behaviour == "ask_question" and said and all(one.move != "ask" for one in said):
        said[-1] = Said(said[-1].text, "ask")  # not everybody types question marks
    return tuple(said)


def _student_move(sentence: str, behaviour: str, classmates: Collection[str]) -> str:
    if behaviour not in _TALK:
        return "none"
    if sentence.endswith(_QUESTION):
        return "ask"
    if _BECAUSE.search(sentence):
        return "evidence"
    if _RELATING.search(sentence) or any(name in sentence for name in classmates):
        return "relate"
    if behaviour == "ask_question" or _LOST.search(sentence):
        return "none"
    # A word or two answer a question; beside the lesson they are noises of agreement.
    return "claim" if behaviour in ("stand_answer", "answer_question") or not is_brief(sentence) else "none"


def teacher_words(text: str, act: str, heard: Collection[str]) -> tuple[Said, ...]:
    """What the teacher says: pressing, getting to relate, restating, revoicing, keeping together, or none of these."""
    return tuple(Said(sentence, _teacher_move(sentence, act, heard)) for sentence in split_passages(text))


def _teacher_move(sentence: str, act: str, heard: Collection[str]) -> str:
    asks = sentence.endswith(_QUESTION)
    if asks and act in _ASKING:
        return _press(sentence)
    if repeats(sentence, heard):
        return "restate"
    if act == "adopting_input":
        return "revoice"
    if asks or act == "giving_directions" or ACT_CATEGORY[act] == "management" or act == "organising_discussion":
        return "keep-together"
    return "none"


def feedback_words(text: str, heard: Collection[str]) -> tuple[Said, ...]:
    """What the teacher says to one student."""
    return tuple(
        Said(
            sentence,
            _press(sentence) if sentence.endswith(_QUESTION) else "restate" if repeats(sentence, heard) else "none",
        )
        for sentence in split_passages(text)
    )


def _press(sentence: str) -> str:
    if _RELATE.search(sentence):
        return "get-to-relate"
    return "press-reasoning" if _WHY.search(sentence) else "press-accuracy"


def repeats(sentence: str, heard: Collection[str]) -> bool:
    """Whether a good piece of what was said stands in it again."""
    mine = sentence.casefold()
    for theirs in heard:
        bare = theirs.casefold().strip(" .!?。！？…")
        length = len(bare)
        if length >= (_REPEATED if not _CJK.search(bare) else 5) and bare in mine:
            return True
    return False
