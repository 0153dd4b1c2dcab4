"""Blocks of a student's prompt: what this student sees, is and remembers, as its view holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eduverse_mesa.codes import ACTS
from eduverse_mesa.decisions import Lived, Recall, Remembered, Request, StudentView
from eduverse_mesa.policies.cleaning import name_of, quote
from eduverse_mesa.policies.llm.prompts.scene_blocks import ten

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
    """What the student can bring up about the matter, and that there is no more."""
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
    """Who has turned the student down."""
    return words["refused"].format(names=", ".join(map(name_of, names))) if names else ""
