"""Blocks that everybody's prompt begins with: the lesson, the class, and what was said so far.

They hold nothing that differs between agents, so that a server reads them once for all (docs/guides/prompts.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import (
    FeedbackItem,
    Focus,
    Heard,
    Line,
    Lived,
    Pupil,
    Recall,
    Remembered,
    Request,
    StudentView,
    TeacherView,
)
from eduverse_mesa.policies.llm.prompts.templates import CODE_LISTS
from eduverse_mesa.policies.safe_text import name_of, quote
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import Teacher
from eduverse_mesa.vocabulary import ACTS

_MATERIAL = 2000
_UTTERANCE = 500


def frame_blocks(words: Mapping[str, Any], lesson: Lesson, teacher: str, names: Sequence[str]) -> dict[str, str]:
    """The rules' places: what is the same for everybody throughout a lesson."""
    title = quote(lesson.title or lesson.name)
    parts = [
        words["lesson"].format(title=title, subject=quote(lesson.subject)),
        *(words["goal"].format(text=quote(goal.text)) for goal in lesson.goals),
    ]
    if lesson.text:
        parts.append(words["material"].format(text=quote(lesson.text, _MATERIAL)))
    listed = ", ".join(map(name_of, names))
    return {
        "language": words["language"] if words["code"] == lesson.language else quote(lesson.language),
        "lesson": "\n".join(parts),
        "class": words["class"].format(teacher=name_of(teacher), names=listed),
        "codes": codes_block(words),
    }


def talk_block(words: Mapping[str, Any], talk: Sequence[Line], step: int, kept_steps: int) -> str:
    """The talk of the last steps, at least `kept_steps` of them.

    It only grows at its end; its beginning moves in jumps of `kept_steps`, so that most steps find the same beginning.
    """
    start = 1 + max(0, (step - 1) // kept_steps - 1) * kept_steps if kept_steps else step + 1
    lines = [
        words["line"].format(
            step=line.step,
            speaker=name_of(line.speaker),
            to=addressee(words, line.to),
            text=quote(line.text, _UTTERANCE),
        )
        for line in talk
        if line.step >= start and line.text
    ]
    return "\n".join(lines) or str(words["nothing_heard"])


def addressee(words: Mapping[str, Any], to: str) -> str:
    """To whom something is said, in words."""
    return str(words.get(f"to_{to}") or name_of(to))


def ten(value: float, least: float = 0.0, most: float = 1.0) -> int:
    """A number on a scale from 0 to 10."""
    return round(10 * (min(most, max(least, value)) - least) / (most - least))


def codes_block(words: Mapping[str, Any]) -> str:
    """Return the meanings of all codes. They stand with the rules, so that no question has to say them again."""
    lines = []
    for title, of in words["code_lists"].items():
        meanings = words.get(of, words["codes"])
        glosses = {code: meanings[code] for code in CODE_LISTS[of]}
        lines.append(
            f"{title}: " + "; ".join(code if code == gloss else f"{code} = {gloss}" for code, gloss in glosses.items())
        )
    return "\n".join(lines)


def listing(codes: Sequence[str]) -> str:
    """Codes to choose from."""
    return ", ".join(codes)


Lexicon = Mapping[str, Any]

_HIGH, _LOW = 0.62, 0.38
_CLOSE = 0.4
_BRIEF_PORTRAIT = ("language_style", "class_behaviour")


def student_blocks(words: Lexicon, view: StudentView, recall: Recall | None, *, brief: bool = False) -> dict[str, str]:
    """The places of the `student` template; brief: with less of the portrait, the past and the room."""
    lately = [lived for lived in view.lately if lived.behaviour]
    return {
        "now": _now(words, view),
        "person": _person(words, view, _BRIEF_PORTRAIT if brief else tuple(words["portrait"])),
        "state": _state(words, view),
        "remembered": _remembered(words, view.remembered),
        "lately": "\n".join(_lived(words, lived) for lived in (lately[-1:] if brief else lately)),
        "around": _around(words, view, () if brief else view.objects),
        "recall": "" if recall is None else recall_block(words, recall),
    }


def _now(words: Lexicon, view: StudentView) -> str:
    scene, codes = view.scene, words["codes"]
    teacher = name_of(scene.teacher)
    act = codes[scene.act] if scene.act in ACTS else words["unknown"]
    phase = words["phases"][scene.phase]
    parts = [words["now"].format(step=scene.step, phase=phase, teacher=teacher, act=act, tone=codes[scene.tone])]
    if scene.sentences:
        parts.append(
            words["now_says"].format(teacher=teacher, text=quote(" ".join(said.text for said in scene.sentences), 900))
        )
    else:
        parts.append(words["now_silent"].format(teacher=teacher))
    if scene.mode == "discussion":
        parts.append(words["now_discussion"])
    if view.called:
        parts.append(words["now_called"].format(teacher=teacher))
    elif scene.asked:
        parts.append(words["now_asked"])
    elif scene.checked:
        parts.append(words["now_checked"])
    if view.addressed:
        parts.append(words["now_addressed"].format(teacher=teacher))
    return "\n".join(part for part in parts if part)


def _person(words: Lexicon, view: StudentView, portrait: tuple[str, ...]) -> str:
    person, traits = view.person, view.person.traits
    level = "high" if person.ability >= _HIGH else "low" if person.ability <= _LOW else "middle"
    parts = [
        words["person"].format(name=name_of(person.name), age=person.age),
        words["temperament"].format(
            openness=ten(traits.openness),
            conscientiousness=ten(traits.conscientiousness),
            extraversion=ten(traits.extraversion),
            agreeableness=ten(traits.agreeableness),
            neuroticism=ten(traits.neuroticism),
            motivation=ten(person.motivation),
            ability=words["ability"][level],
        ),
    ]
    told = {field: text for field in portrait if (text := getattr(person.portrait, field))}
    parts += [words["portrait"][field].format(text=quote(text)) for field, text in told.items()]
    if person.speech.fillers:
        parts.append(words["speech"].format(fillers=quote(", ".join(person.speech.fillers))))
    return "\n".join(parts)


def _state(words: Lexicon, view: StudentView) -> str:
    mind, codes = view.mind, words["codes"]
    parts = [
        words["state"].format(
            attention=ten(mind.attention),
            confidence=ten(mind.confidence),
            mood=ten(mind.affect, -1.0, 1.0),
            fatigue=ten(mind.fatigue),
            rapport=ten(mind.rapport),
            engagement=ten(mind.engagement),
        ),
        words["before"].format(behaviour=codes[view.behaviour], emotion=codes[view.emotion]),
    ]
    if view.regulation is not None:
        parts.append(words["resolved_now"].format(text=quote(view.regulation.sentence)))
    return "\n".join(parts)


def _remembered(words: Lexicon, remembered: Remembered | None) -> str:
    if remembered is None:
        return ""
    told = (
        ("remembered_summary", remembered.summary),
        ("remembered_portrait", remembered.portrait),
        ("remembered_regulation", remembered.regulation),
        ("remembered_evaluation", remembered.evaluation),
    )
    return "\n".join(words[key].format(text=quote(text)) for key, text in told if text)


def _lived(words: Lexicon, lived: Lived) -> str:
    parts = [words["lived"].format(step=lived.step, behaviour=words["codes"][lived.behaviour])]
    told = (("lived_said", lived.words), ("lived_noticed", lived.monitored), ("lived_feedback", lived.feedback))
    parts += [words[key].format(text=quote(text, 300)) for key, text in told if text]
    for spoken in lived.heard:
        text = " ".join(said.text for said in spoken.sentences)
        parts.append(words["lived_heard"].format(speaker=name_of(spoken.speaker), text=quote(text, 300)))
    return "".join(parts)


def _around(words: Lexicon, view: StudentView, objects: tuple[str, ...]) -> str:
    codes = words["codes"]
    parts = [words["distances"].format(to_teacher=round(view.to_teacher), to_board=round(view.to_board))]
    parts += [
        words["neighbour"].format(
            name=name_of(mate.name),
            distance=round(mate.distance),
            behaviour=codes[mate.behaviour],
            emotion=codes[mate.emotion],
            linked=words["linked"] if mate.linked else "",
            close=words["close"] if mate.closeness >= _CLOSE else "",
        )
        for mate in view.neighbours
    ]
    if objects:
        parts.append(words["objects"].format(names=", ".join(map(name_of, objects))))
    return "\n".join(parts)


def recall_block(words: Lexicon, recall: Recall) -> str:
    """Return the memories that the student can bring up about the matter, with the note that there are no more."""
    forms = words["recall"]
    if recall.level not in ("full", "partial", "misconception") or not recall.text:
        return str(forms["none"])
    parts = [forms[recall.level].format(text=quote(recall.text))]
    if recall.because:
        parts.append(forms["because"].format(text=quote(recall.because)))
    if recall.short and recall.level == "full":
        parts.append(forms["short"].format(text=quote(recall.short)))
    return "\n".join([*parts, forms["more"]])


def accepted_request(words: Lexicon, request: Request | None) -> str:
    """The classmate's request that the student has taken up."""
    if request is None:
        return ""
    return str(
        words["request_accepted"].format(
            sender=name_of(request.sender), kind=words["codes"][request.kind], text=quote(request.text)
        )
    )


def refusals(words: Lexicon, names: tuple[str, ...]) -> str:
    """Return the sentence on those who have turned the student down; empty if nobody has."""
    return words["refused"].format(names=", ".join(map(name_of, names))) if names else ""


def teacher_blocks(words: Lexicon, view: TeacherView) -> dict[str, str]:
    """The places of the `teacher` template."""
    return {"person": teacher_person(words, view.person), "plan": _plan(words, view), "group": _group(words, view)}


def teacher_person(words: Lexicon, person: Teacher) -> str:
    """Return the description of the teacher: name, style and portrait."""
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
    """Return the content of a step: its planned text, idea, reason and question."""
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
    """Return the lines on what the teacher notices of each student after the teacher's act."""
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
