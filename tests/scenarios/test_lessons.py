"""What the built-in lessons must be like for the simulation to speak well: every sentence in them is said aloud."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
import yaml

import eduverse_mesa
from eduverse_mesa.scenarios.lesson import Activity, Lesson
from eduverse_mesa.vocabulary import PHASES, Cognition, Doing
from eduverse_mesa.vocabulary.labels import LOADER

FOLDER = Path(eduverse_mesa.__file__).parent / "scenarios" / "lessons"
LESSONS = {
    path.stem: Lesson.model_validate(yaml.load(path.read_text(encoding="utf-8"), LOADER))
    for path in sorted(FOLDER.glob("*.yaml"))
}
# What the experiments and the built-in courses ask for by name.
EXPECTED = {"spring_1", "spring_2", "spring_1_zh", "dedication_and_joy_1", "dedication_and_joy_2"}
EXPECTED |= {"emperors_new_clothes", "renaissance", "mathematics", "science"}
# One subject, taught in different ways: real teachers differ, and the realism report draws among these.
STYLES = {"mathematics_area", "mathematics_chance", "mathematics_fractions", "mathematics_functions"}
STYLES |= {"mathematics_integers"}
# Shortest and longest sentence of each sort: in words, and in characters for Chinese.
BOUNDS = {
    "en": {"idea": (8, 25), "because": (5, 20), "student": (5, 14), "ask": (5, 25), "prompt": (5, 30), "short": (1, 3)},
    "zh": {
        "idea": (15, 45),
        "because": (8, 30),
        "student": (6, 24),
        "ask": (6, 40),
        "prompt": (8, 50),
        "short": (1, 6),
    },
}
# From the fewest questions to the most (EduVerse, Table A7: history is asked about half as often as the essays).
GENRES = ("world_history", "foreign_fiction", "lyrical_prose", "argumentative_essay")
FEWEST, MOST = 24, 40
PHASE_SLACK = 0.03
FEWEST_PHASES = 5
"""How far a phase's part of the activities may be from its part of the steps: about one activity of thirty."""

every_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS.keys())


def _spoken(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Every sentence that somebody may say, with its sort."""
    for idea in lesson.ideas:
        yield "idea", idea.text
        yield "because", idea.because
        yield "student", idea.partial
        yield "student", idea.misconception
    for question in lesson.questions:
        yield "ask", question.ask
        yield "student", question.answer
    for activity in _plan(lesson):
        if activity.text:
            yield "prompt", activity.text


def _plan(lesson: Lesson) -> list[Activity]:
    return [activity for phase in lesson.phases for activity in phase.activities]


def _length(lesson: Lesson, text: str) -> int:
    if lesson.language == "zh":
        return sum(character.isalnum() for character in text)
    return len(text.split())


def _doings(lesson: Lesson) -> Counter[Doing]:
    return Counter(activity.do for activity in _plan(lesson))


def _share(lesson: Lesson, do: Doing) -> float:
    doings = _doings(lesson)
    return doings[do] / doings.total()


def _asked_share(lesson: Lesson) -> float:
    return _share(lesson, "ask")


def _pressed_share(lesson: Lesson) -> float:
    """Of the questions in the plan, those that ask for more than a fact."""
    press = {question.id: question.press for question in lesson.questions}
    asked = [press[activity.question] for activity in _plan(lesson) if activity.question]
    return sum(one != "accuracy" for one in asked) / len(asked)


def _touched(lesson: Lesson) -> set[str]:
    """The ideas that the plan comes to, by themselves or through a question."""
    of_question = {question.id: question.idea for question in lesson.questions}
    ideas = {activity.idea for activity in _plan(lesson) if activity.idea}
    return ideas | {of_question[activity.question] for activity in _plan(lesson) if activity.question}


def test_every_lesson_that_is_named_elsewhere_is_here() -> None:
    assert set(LESSONS) == EXPECTED | STYLES


@every_lesson
def test_a_lesson_is_called_like_its_file(lesson: Lesson) -> None:
    assert LESSONS[lesson.name] is lesson


@every_lesson
def test_there_is_enough_and_not_too_much(lesson: Lesson) -> None:
    assert 3 <= len(lesson.goals) <= 4
    assert 8 <= len(lesson.ideas) <= 12
    assert 12 <= len(lesson.questions) <= 18
    assert FEWEST <= _doings(lesson).total() <= MOST


@every_lesson
def test_goals_have_ideas_and_ideas_have_questions(lesson: Lesson) -> None:
    assert {idea.goal for idea in lesson.ideas} == {goal.id for goal in lesson.goals}
    assert {question.idea for question in lesson.questions} == {idea.id for idea in lesson.ideas}


@every_lesson
def test_questions_are_of_every_level_and_press(lesson: Lesson) -> None:
    assert {question.bloom for question in lesson.questions} == set(get_args(Cognition))
    assert {question.press for question in lesson.questions} == {"accuracy", "reasoning", "relate"}


@every_lesson
def test_the_plan_has_its_phases_in_proportion(lesson: Lesson) -> None:
    names = [phase.name for phase in lesson.phases]
    assert names == [name for name in PHASES if name in names]
    assert len(names) >= FEWEST_PHASES
    total = _doings(lesson).total()
    for phase in lesson.phases:
        assert len(phase.activities) / total == pytest.approx(phase.share, abs=PHASE_SLACK), phase.name


@every_lesson
def test_the_plan_comes_to_every_idea(lesson: Lesson) -> None:
    assert _touched(lesson) == {idea.id for idea in lesson.ideas}


@every_lesson
def test_no_question_is_planned_twice(lesson: Lesson) -> None:
    planned = Counter(activity.question for activity in _plan(lesson) if activity.question)
    assert [question for question, times in planned.items() if times > 1] == []


@every_lesson
def test_activities_bring_their_words(lesson: Lesson) -> None:
    assert [activity for activity in _plan(lesson) if activity.do not in ("ask", "explain") and not activity.text] == []


@every_lesson
def test_no_sentence_comes_twice(lesson: Lesson) -> None:
    times = Counter(text.casefold() for _, text in _spoken(lesson))
    assert [text for text, count in times.items() if count > 1] == []


@every_lesson
def test_sentences_can_be_said_in_one_breath(lesson: Lesson) -> None:
    bounds = BOUNDS[lesson.language]
    lengths = [(sort, _length(lesson, text), text) for sort, text in _spoken(lesson)]
    shorts = [question.short_answer for question in lesson.questions]
    lengths += [("short", _length(lesson, short), short) for short in shorts]
    assert [said for said in lengths if not bounds[said[0]][0] <= said[1] <= bounds[said[0]][1]] == []


@every_lesson
def test_sentences_end_as_they_should(lesson: Lesson) -> None:
    stops = (".", "。")
    endings = {"ask": ("?", "？"), "because": ("",), "prompt": (*stops, "?", "？")}
    assert [text for sort, text in _spoken(lesson) if not text.endswith(endings.get(sort, (*stops, "?", "？")))] == []


@every_lesson
def test_reasons_can_follow_because(lesson: Lesson) -> None:
    for idea in lesson.ideas:
        assert not idea.because.endswith((".", "。", "!", "！", "?", "？")), idea.id
        assert not idea.because.casefold().startswith(("because", "since", "因为", "由于")), idea.id
        assert idea.because[0] == idea.because[0].lower() or idea.because.split()[0] in _proper(lesson), idea.id


@every_lesson
def test_answers_leave_the_reason_to_the_idea(lesson: Lesson) -> None:
    """A student who gives evidence says the answer, "because", and the idea's reason: one because is enough."""
    answers = [question.answer for question in lesson.questions]
    assert [answer for answer in answers if "because" in answer or "因为" in answer] == []


def _proper(lesson: Lesson) -> set[str]:
    """Words with a capital inside the lesson's account are names, which keep it anywhere."""
    return {word for before, word in pairwise(lesson.text.split()) if word[:1].isupper() and not before.endswith(".")}


@every_lesson
def test_keywords_are_single_words_that_carry_content(lesson: Lesson) -> None:
    """The teacher listens for keywords among words of four letters and more, or pairs of Chinese characters."""
    keywords = [keyword for idea in lesson.ideas for keyword in idea.keywords]
    if lesson.language == "zh":
        assert [keyword for keyword in keywords if len(keyword) != 2] == []
    else:
        assert [keyword for keyword in keywords if not keyword.isalpha() or len(keyword) < 4] == []
    firsts = Counter(idea.keywords[0] for idea in lesson.ideas)
    assert max(firsts.values()) == 1


@every_lesson
def test_questions_do_not_all_begin_alike(lesson: Lesson) -> None:
    size = 2 if lesson.language == "zh" else 1
    openings = Counter(
        question.ask[:size] if lesson.language == "zh" else question.ask.split()[0] for question in lesson.questions
    )
    assert max(openings.values()) <= len(lesson.questions) / 2


def test_genres_differ_in_how_much_is_asked() -> None:
    shares: dict[str, list[float]] = {genre: [] for genre in GENRES}
    for lesson in LESSONS.values():
        if lesson.genre in shares:
            shares[lesson.genre].append(_asked_share(lesson))
    history, fiction, lyrical, essay = (sum(shares[genre]) / len(shares[genre]) for genre in GENRES)
    assert history < fiction < lyrical <= essay
    assert 0.35 <= history / lyrical <= 0.6


def test_mathematics_is_practised_most() -> None:
    practised = {name: _doings(lesson)["practise"] for name, lesson in LESSONS.items()}
    assert LESSONS[max(practised, key=lambda name: practised[name])].subject == "mathematics"


def test_plans_of_mathematics_are_different_ways_of_teaching() -> None:
    most = {do: max(STYLES, key=lambda name: _share(LESSONS[name], do)) for do in ("explain", "discuss")}
    assert most == {"explain": "mathematics_integers", "discuss": "mathematics_area"}
    assert _asked_share(LESSONS["mathematics_functions"]) > 2 * _asked_share(LESSONS["mathematics_integers"])
    pressed = {name: _pressed_share(LESSONS[name]) for name in STYLES}
    assert pressed["mathematics_functions"] < 0.3 < 0.45 < pressed["mathematics_chance"]


def test_a_story_is_discussed_more_than_a_proof() -> None:
    assert _doings(LESSONS["emperors_new_clothes"])["discuss"] > _doings(LESSONS["mathematics"])["discuss"]


@pytest.mark.parametrize("series", ["spring", "dedication_and_joy"])
def test_a_second_session_builds_on_the_first(series: str) -> None:
    earlier, later = LESSONS[f"{series}_1"], LESSONS[f"{series}_2"]
    known = {goal.id for goal in earlier.goals} | {goal.id for goal in later.goals}
    needs = {need for goal in later.goals for need in goal.needs}
    assert earlier.series == later.series == series
    assert needs <= known
    assert needs & {goal.id for goal in earlier.goals}


@every_lesson
def test_what_a_goal_needs_is_taught_somewhere(lesson: Lesson) -> None:
    taught = {goal.id for other in LESSONS.values() if other.series == lesson.series for goal in other.goals}
    assert {need for goal in lesson.goals for need in goal.needs} <= taught


def test_the_chinese_lesson_is_the_english_one() -> None:
    english, chinese = LESSONS["spring_1"], LESSONS["spring_1_zh"]
    for part in ("goals", "ideas", "questions"):
        assert [item.id for item in getattr(chinese, part)] == [item.id for item in getattr(english, part)]
    assert [_outline(activity) for activity in _plan(chinese)] == [_outline(activity) for activity in _plan(english)]


def _outline(activity: Activity) -> tuple[str, str | None, str | None]:
    return activity.do, activity.idea, activity.question
