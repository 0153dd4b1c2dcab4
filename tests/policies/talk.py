"""A lesson about ice in two languages, and everything that can be said in it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

from eduverse_mesa.decisions import (
    STRATEGIES,
    ClassView,
    Focus,
    Heard,
    Mind,
    Neighbour,
    Pace,
    Position,
    Recall,
    Said,
    Scene,
    Spoken,
    StudentView,
    Summarise,
    TeacherView,
)
from eduverse_mesa.policies.embedded.classroom import words
from eduverse_mesa.policies.embedded.classroom.words.grammar import Grammar
from eduverse_mesa.policies.embedded.classroom.words.student import TOPICS
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.lesson import Activity, Goal, Idea, Lesson, Phase, Question
from eduverse_mesa.scenarios.people import Speech, Student, Teacher, TeacherStyle, Traits
from eduverse_mesa.vocabulary import ACTS, BEHAVIOURS, BLOOM, EMOTIONS, SPOKEN, TONES

FORMS = (
    "evaluate",
    "restate",
    "revoice",
    "press",
    "correct",
    "answer_question",
    "take_up",
    "nod",
    "reading",
    "acknowledge",
    "thank",
    "notice",
)
MOVES = ("none", "relate", "ask", "claim", "evidence")
PRESS_MOVE = {"accuracy": "press-accuracy", "reasoning": "press-reasoning", "relate": "get-to-relate"}
EN = {
    "goal": "Say why ice floats.",
    "idea": "Ice is lighter than the same amount of water.",
    "because": "its particles stand further apart",
    "partial": "Ice swims on top.",
    "misconception": "Cold things always rise.",
    "keyword": "density",
    "ask": "Why does ice float?",
    "answer": "The same volume weighs less when frozen.",
    "short": "lower weight",
    "text": "A pond freezes from above. At 3.5 degrees nothing happens! Fish stay alive below.",
    "prompt": "Put the ice into the glass",
    "name": "Ann",
    "other": "Ben",
}
ZH = {
    "goal": "说出冰为什么浮在水上。",
    "idea": "同样大小的冰比水轻。",
    "because": "冰里的微粒离得更远",
    "partial": "冰在上面漂着。",
    "misconception": "冷的东西总会往上走。",
    "keyword": "密度",
    "ask": "冰为什么会浮起来？",
    "answer": "结冰以后同样体积更轻了。",
    "short": "变轻了",
    "text": "池塘从上面开始结冰。下面的鱼还活着！",
    "prompt": "把冰块放进杯子里",
    "name": "小安",
    "other": "小本",
}
LANGUAGES = {"en": EN, "zh": ZH}


# --- a lesson, a class and what they see ---


def lesson_of(texts: dict[str, str], language: str) -> Lesson:
    return Lesson(
        name="ice",
        language=language,
        subject="science",
        genre="explanation",
        text=texts["text"],
        goals=(Goal(id="g", text=texts["goal"]),),
        ideas=(
            Idea(
                id="i",
                goal="g",
                text=texts["idea"],
                because=texts["because"],
                partial=texts["partial"],
                misconception=texts["misconception"],
                keywords=(texts["keyword"],),
            ),
        ),
        questions=(
            Question(
                id="q",
                idea="i",
                ask=texts["ask"],
                bloom="understand",
                answer=texts["answer"],
                short_answer=texts["short"],
            ),
        ),
        phases=(Phase(name="instruction", share=1, summary="ice", activities=(Activity(do="ask", question="q"),)),),
    )


def focus_of(texts: dict[str, str], **more: Any) -> Focus:
    known = {key: texts[key] for key in ("idea", "because", "keyword", "short")}
    return Focus(**{"do": "ask", "goal": 0, **known, "question": texts["ask"], "press": "accuracy", **more})


def recall_of(texts: dict[str, str], level: str) -> Recall:
    return {
        "full": Recall("full", texts["answer"], texts["because"], texts["short"]),
        "partial": Recall("partial", texts["partial"], "", texts["keyword"]),
        "misconception": Recall("misconception", texts["misconception"]),
        "none": Recall("none"),
    }[level]


def student_view(
    texts: dict[str, str], language: str = "en", *, alone: bool = False, asked: bool = True, **focus: Any
) -> StudentView:
    earlier = () if alone else (Spoken(texts["other"], "teacher", (Said(texts["answer"], "claim"),)),)
    near = () if alone else (Neighbour(texts["other"], 1.0, "head_up", "positive", True, 0.5),)
    lesson, looking_at = lesson_of(texts, language), focus_of(texts, **focus)
    scene = Scene(lesson, "instruction", "lecture", looking_at, asked=asked, earlier=earlier)
    return StudentView(Student(name=texts["name"]), Mind(understanding=[0.5]), scene, 5.0, 5.0, near)


def teacher_view(
    texts: dict[str, str], language: str = "en", *, heard: tuple[Spoken, ...] = (), talk: float = 0.5, **focus: Any
) -> TeacherView:
    return TeacherView(
        Teacher(name="T", style=TeacherStyle(talkativeness=talk)),
        lesson_of(texts, language),
        Position("instruction", 0, 0, 5, 1, 5),
        focus_of(texts, **focus),
        "lecture",
        ClassView((), {}, {}, 0.5, 0.5, ""),
        heard=heard,
    )


def at(step: int, agent: str = "Ann", seed: int = 1) -> Address:
    return Address(seed, 1, step, agent)


def entries(language: str) -> dict[str, Any]:
    file = files("eduverse_mesa.policies.embedded") / "grammar" / f"{language}.yaml"
    loaded: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return loaded


def spoken(sentences: tuple[Said, ...]) -> str:
    return "\n".join(said.text for said in sentences)


# --- everything that can be said ---


def teacher_talk(grammar: Grammar, texts: dict[str, str], steps: range) -> list[str]:
    language, other = grammar.language, texts["other"]
    heards = [
        (),
        (Spoken(other, "teacher", (Said(texts["answer"], "claim"),)),),
        (Spoken(other, "teacher", (Said(texts["misconception"], "claim"),)),),
        (Spoken(other, "teacher", (Said(texts["ask"], "ask"),)),),
    ]
    focuses: list[dict[str, Any]] = [
        {},
        {"question": ""},
        {"do": "practise", "text": texts["prompt"]},
        {"question": "", "idea": "", "because": "", "keyword": "", "text": texts["prompt"]},
        {"question": "", "idea": "", "because": "", "keyword": ""},
    ]
    said = []
    for step in steps:
        view = teacher_view(
            texts, language, heard=heards[step % len(heards)], talk=(step % 7) / 6, **focuses[step % len(focuses)]
        )
        if step % 4 == 0:
            view.open_question, view.covered = focus_of(texts), (texts["idea"],)
        called = ((), (texts["name"],), (texts["name"], other))[step % 3]
        for act in ACTS:
            for press, tone in zip(PRESS_MOVE, TONES, strict=True):
                said.append(spoken(words.teacher_sentences(grammar, at(step), view, act, called, press, tone)))
    return said


def feedback_talk(grammar: Grammar, texts: dict[str, str], steps: range) -> list[str]:
    said = []
    for step in steps:
        for form in FORMS:
            for behaviour in ("stand_answer", "chat", "hand_raise", "note_taking", "head_down", "side_talk", "head_up"):
                quality = ("right", "partial", "wrong", "none")[step % 4]
                polarity = ("positive", "neutral", "negative")[step % 3]
                sentences = (Said(texts["answer"], "claim"),)
                heard = Heard(texts["name"], behaviour, "positive", "teacher", sentences, quality, True)
                focus = focus_of(texts, **({"idea": "", "keyword": "", "short": ""} if step % 5 == 0 else {}))
                passes_on = behaviour == "stand_answer" and step % 2 == 0
                item = words.feedback_sentences(grammar, at(step), heard, polarity, form, focus, passes_on)
                said.append(spoken(item))
    return said


def person_of(texts: dict[str, str], step: int) -> Student:
    high = Traits(extraversion=0.9, agreeableness=0.7, neuroticism=0.2)
    kind = Traits(extraversion=0.7, agreeableness=0.95, neuroticism=0.4)
    anxious = Traits(extraversion=0.2, agreeableness=0.4, neuroticism=0.9)
    return Student(
        name=texts["name"],
        traits=(high, kind, anxious)[step % 3],
        thinking="impulsive" if step % 2 else "reflective",
        motivation=0.9,
        speech=Speech(filling=0.9, fillers=("呢",)) if step % 11 == 0 else Speech(filling=0.6),
    )


def student_talk(grammar: Grammar, texts: dict[str, str], steps: range) -> list[str]:
    said = []
    for step in steps:
        keyword = "" if step % 5 == 0 else texts["keyword"]
        view = student_view(texts, grammar.language, alone=step % 4 == 0, asked=step % 3 > 0, keyword=keyword)
        person = person_of(texts, step)
        view.person = person
        for behaviour in sorted(SPOKEN):
            for level in ("full", "partial", "misconception", "none"):
                topic = grammar.text(f"student.topic.{TOPICS[step % len(TOPICS)]}")
                answering = ("", topic, "?")[step // 6 % 3]
                to = ("teacher", texts["other"])[step % 2]
                move, brief = MOVES[step % len(MOVES)], step % 7 < 3
                draft = words.draft_sentences(
                    grammar, at(step, level), view, behaviour, to, recall_of(texts, level), move, brief, answering
                )
                said.append(spoken(words.style_sentences(grammar, at(step, level), person, view.mind, draft)))
    return said


def thoughts(grammar: Grammar, texts: dict[str, str], steps: range) -> list[str]:
    keyword = texts["keyword"]
    said = [*words.gate_reasons(grammar)]
    for score in (10.0, 50.0, 90.0):
        said += words.gate_reasons(grammar, (score,) * 5, (0.1, 0.1, 0.1, 0.1, 0.6))
    for place in map(at, steps):
        said += [
            words.plan_sentence(grammar, place, b, p, keyword) for b in BEHAVIOURS for p in ("", "teacher", keyword)
        ]
        for emotion in EMOTIONS:
            said += [words.monitor_sentence(grammar, place, emotion, level) for level in BLOOM]
            said.append(words.monitor_sentence(grammar, place, emotion, "create", "chat", keyword))
        said += [words.regulate_sentence(grammar, place, strategy) for strategy in STRATEGIES]
        said += looking_back(grammar, place, texts)
    return said


def looking_back(grammar: Grammar, place: Address, texts: dict[str, str]) -> list[str]:
    view, strategy = student_view(texts, grammar.language), STRATEGIES[place.step % len(STRATEGIES)]
    said: list[str] = []
    for level in ("off_task", "passive", "active", "interactive"):
        for emotion in EMOTIONS:
            for started in (0.1, 0.5):
                done = Summarise(place, view, {level: 0.8, "other": 0.1}, {emotion: 0.8}, {}, 0, 0, {}, (started,))
                said += words.summary_sentences(grammar, place, done, strategy)
    for rating in (-0.5, 0.0, 0.5):
        said.append(words.evaluation_sentence(grammar, place, texts["name"], rating))
        for part in (0.1, 0.4, 0.8):
            for quality in (None, 0.1, 0.5, 0.9):
                said.append(words.evaluation_sentence(grammar, place, texts["name"], rating, part, quality))
    here = Position("instruction", 0, 0, 5, 1, 5)
    for completion in (0.5, 1.0):
        pace = Pace(place, teacher_view(texts, grammar.language), here, completion, 0.5, True)
        said += [words.pace_reason(grammar, move, pace, 0.4, False) for move in ("stay", "extend", "advance")]
    return said


def everything(grammar: Grammar, texts: dict[str, str], steps: range) -> list[str]:
    return [
        *teacher_talk(grammar, texts, steps),
        *feedback_talk(grammar, texts, steps),
        *student_talk(grammar, texts, steps),
        *thoughts(grammar, texts, steps),
    ]
