"""Blocks of the teacher's prompt: the plan, the class as the teacher sees it, and what it has just noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import FeedbackItem, Focus, Heard, Pupil, TeacherView
from eduverse_mesa.policies.cleaning import name_of, quote
from eduverse_mesa.policies.llm.prompts.scene_blocks import ten
from eduverse_mesa.scenarios.people import Teacher

Lexicon = Mapping[str, Any]


def teacher_blocks(words: Lexicon, view: TeacherView) -> dict[str, str]:
    """The places of the `teacher` template."""
    return {"person": teacher_person(words, view.person), "plan": _plan(words, view), "group": _group(words, view)}


def teacher_person(words: Lexicon, person: Teacher) -> str:
    """Who the teacher is."""
    style = {field: ten(value) for field, value in person.style.model_dump().items()}
    parts = [words["teacher"].format(name=name_of(person.name)), words["teacher_style"].format(**style)]
    if person.portrait:
        parts.append(words["teacher_portrait"].format(text=quote(person.portrait)))
    return "\n".join(parts)


def _plan(words: Lexicon, view: TeacherView) -> str:
    position, focus, codes = view.position, view.focus, words["codes"]
    parts = [
        words["position"].format(
            step=position.step,
            steps=position.steps,
            phase=words["phases"][position.phase],
            step_in_phase=position.step_in_phase + 1,
            steps_of_phase=position.steps_of_phase,
        ),
        words["doing"].format(do=codes[focus.do]),
        hint_block(words, focus),
    ]
    if view.open_question is not None:
        parts.append(words["open_question"].format(text=quote(view.open_question.question)))
    if acts := [codes[act] for act in view.last_acts if act]:
        parts.append(words["last_acts"].format(acts=", ".join(acts)))
    if view.group.feedback:
        parts.append(words["feedback_last"].format(text=quote(view.group.feedback)))
    return "\n".join(part for part in parts if part)


def hint_block(words: Lexicon, focus: Focus) -> str:
    """What the step is about."""
    told = (
        ("planned_text", focus.text),
        ("idea", focus.idea),
        ("because", focus.because),
        ("question", focus.question),
    )
    return "\n".join(words[key].format(text=quote(text)) for key, text in told if text)


def _group(words: Lexicon, view: TeacherView) -> str:
    group, codes = view.group, words["codes"]

    def shares(of: Mapping[str, float]) -> str:
        return ", ".join(f"{codes[code]} {ten(share)}" for code, share in of.items() if share > 0)

    first = words["group"].format(
        behaviour=shares(group.behaviour),
        emotion=shares(group.emotion),
        high=ten(group.high_cognition),
        took_part=ten(group.took_part),
    )
    return "\n".join([first, *(_pupil(words, pupil) for pupil in group.pupils)])


def _pupil(words: Lexicon, pupil: Pupil) -> str:
    codes = words["codes"]
    return str(
        words["pupil"].format(
            name=name_of(pupil.name),
            behaviour=codes[pupil.behaviour],
            emotion=codes[pupil.emotion],
            hand=words["hand"] if pupil.hand_up else "",
            calls=pupil.calls,
            spoke=pupil.spoke,
            resolved=words["pupil_resolved"].format(text=quote(pupil.regulation, 200)) if pupil.regulation else "",
        )
    )


def heard_block(words: Lexicon, heard: Sequence[Heard]) -> str:
    """What the teacher notices of each student after its act."""
    return "\n".join(_heard(words, one) for one in heard)


def _heard(words: Lexicon, one: Heard) -> str:
    codes, said = words["codes"], ""
    if one.sentences:
        text = quote(" ".join(sentence.text for sentence in one.sentences), 400)
        said = words["heard_said"].format(text=text, quality=words["quality"][one.quality])
    return str(
        words["heard"].format(
            name=name_of(one.student),
            behaviour=codes[one.behaviour],
            emotion=codes[one.emotion],
            called=words["heard_called"] if one.called else "",
            said=said,
        )
    )


def items_block(words: Lexicon, items: Sequence[FeedbackItem], heard: Sequence[Heard]) -> str:
    """Feedback that has been decided and waits for its words."""
    known = {one.student: one for one in heard}
    lines = []
    for item in items:
        one = known.get(item.student)
        said = " ".join(sentence.text for sentence in one.sentences) if one else ""
        lines.append(
            words["feedback_item"].format(
                name=name_of(item.student),
                polarity=item.polarity,
                behaviour=words["codes"][one.behaviour] if one else "",
                said=words["heard_said"].format(text=quote(said, 300), quality=words["quality"][one.quality])
                if one and said
                else "",
                text=quote(" ".join(sentence.text for sentence in item.sentences), 300),
            )
        )
    return "\n".join(lines)
