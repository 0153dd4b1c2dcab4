"""The embedded policy is a model of cognition: what should matter, matters, in the direction it should."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

import pandas as pd
import pytest

import eduverse_mesa
from eduverse_mesa.decisions import Heard, Said
from eduverse_mesa.measures import class_shares, irf_measures, measure_lessons
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies.embedded import EmbeddedPolicy
from eduverse_mesa.policies.embedded.classroom.teacher import Responder
from eduverse_mesa.policies.embedded.classroom.words import load_grammar
from eduverse_mesa.randomness import Address
from eduverse_mesa.runs.tables import Tables, tables
from eduverse_mesa.scenarios import list_names, load_scenario
from eduverse_mesa.scenarios.groups import Skill
from eduverse_mesa.scenarios.parameters import (
    CLASSROOM_BOOK,
    LEARNER_BOOK,
    PEER_BOOK,
    known_parameters,
    load_parameters,
)
from eduverse_mesa.scenarios.people import TeacherStyle

SEEDS = 6
PACKAGE = Path(eduverse_mesa.__file__).parent


@cache
def lessons(seeds: int = SEEDS, **scenario: Any) -> Tables:
    """Lessons of several seeds as one table; the lesson's name tells them apart."""
    scenario["settings"] = dict(scenario.pop("settings", ()))
    loaded = load_scenario(**scenario)
    parts = []
    for seed in range(seeds):
        model = ClassroomModel(loaded, seed=seed)
        while model.running:
            model.step()
        parts.append(tables([model]))
    for number, part in enumerate(parts):
        for table in part:
            table["lesson"] = str(number)
    return Tables(*(pd.concat(group, ignore_index=True) for group in zip(*parts, strict=True)))


def share(table: pd.DataFrame, student: str, column: str, values: set[str]) -> float:
    return float(table.loc[table["student"] == student, column].isin(values).mean())


OFF_TASK = {"chat", "sleep"}
HIGH = {"apply", "analyse", "evaluate", "create"}


def test_every_parameter_is_used_and_every_used_one_exists() -> None:
    known = {name for book in (CLASSROOM_BOOK, LEARNER_BOOK, PEER_BOOK) for name in known_parameters(book)}
    used: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                table = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                if table not in ("p", "_p", "parameters"):
                    continue
                name = node.slice.value
                if isinstance(name, str) and re.fullmatch(r"[a-z]+\.[a-z_.]+", name):
                    used.add(name)
    assert used - known == set()
    in_tables = {
        name for name in known if name.startswith(("plan.", "regulate.", "teach.", "tone.", "memory.", "notice."))
    }
    assert known - used - in_tables == set()
    from eduverse_mesa.decisions import STRATEGIES
    from eduverse_mesa.decisions.tutoring import TRAITS
    from eduverse_mesa.policies.embedded.classroom import student as student_module
    from eduverse_mesa.policies.embedded.classroom import teacher
    from eduverse_mesa.vocabulary import ACTS, BEHAVIOURS

    options = {
        "plan": (BEHAVIOURS, student_module.PLAN_FEATURES),
        "regulate": (STRATEGIES, student_module.REGULATION_FEATURES),
        "teach": (ACTS, teacher.FEATURES),
        "tone": (("encouraging", "neutral", "critical"), teacher.FEATURES),
    }
    assert {name for name in in_tables if name.startswith("memory.")} == {f"memory.{trait}" for trait in TRAITS}
    skills = {f"notice.{skill}" for skill in get_args(Skill)}
    assert {name for name in in_tables - used if name.startswith("notice.")} == skills
    for name in in_tables - used:
        if name.startswith(("memory.", "notice.")):
            continue
        table, option, feature = name.split(".")
        assert option in options[table][0], name
        assert feature == "base" or feature in options[table][1], name


def test_every_parameter_has_a_range_a_meaning_and_a_source() -> None:
    for name, parameter in known_parameters().items():
        low, high = parameter.range
        assert low <= parameter.value <= high, name
        assert low < high, name
        assert parameter.meaning, name
        assert parameter.source, name


def test_a_parameter_changes_what_it_says() -> None:
    base = lessons(layout="lecture")
    sleepy = lessons(layout="lecture", settings=(("parameters.plan.chat.base", 3.0),))
    assert (
        base.student_steps["behaviour"].isin(OFF_TASK).mean() + 0.1
        < sleepy.student_steps["behaviour"].isin(OFF_TASK).mean()
    )


def test_students_keep_their_own_profile_across_lessons() -> None:
    for lesson in ("spring_1", "dedication_and_joy_1", "renaissance"):
        steps = lessons(lesson=lesson).student_steps
        assert share(steps, "Zhang Tao", "behaviour", OFF_TASK) > 0.3
        for academic in ("Zhang Jie", "Zhang Yan", "Wang Fang"):
            assert share(steps, academic, "behaviour", OFF_TASK) < 0.15
            assert share(steps, academic, "cognition", HIGH) > share(steps, "Liu Li", "cognition", HIGH)
        assert share(steps, "Zhang Jie", "emotion", {"positive"}) > share(steps, "Liu Li", "emotion", {"positive"})


def test_without_style_negative_emotion_rises() -> None:
    full = class_shares(lessons().student_steps)
    blunt = class_shares(lessons(settings=(("ablation", ("nolocal",)),)).student_steps)
    assert blunt["e_negative"] > full["e_negative"] + 0.03


def test_without_plan_monitor_regulate_thinking_and_activity_are_inflated() -> None:
    full = class_shares(lessons().student_steps)
    reflex = class_shares(lessons(settings=(("ablation", ("nocog",)),)).student_steps)
    assert reflex["c_high"] > full["c_high"] + 0.05
    assert reflex["b_active"] > full["b_active"] + 0.05


def test_without_regulate_there_is_more_off_task() -> None:
    full = class_shares(lessons(12).student_steps)
    loose = class_shares(lessons(12, settings=(("ablation", ("noregulate",)),)).student_steps)
    assert loose["b_offtask"] > full["b_offtask"]


def test_history_is_told_and_literature_is_asked() -> None:
    def rate(lesson: str) -> float:
        made = lessons(12, lesson=lesson)
        return irf_measures(made.student_steps, made.teacher_steps)["irf"]

    assert rate("renaissance") < fmean([rate("spring_1"), rate("dedication_and_joy_1")]) - 0.03


def test_discourse_is_within_the_range_of_the_papers_lessons() -> None:
    made = lessons()
    rates = irf_measures(made.student_steps, made.teacher_steps)
    assert 0.25 < rates["i"] < 0.6
    assert 0.1 < rates["r"] < 0.3
    assert 0.2 < rates["f"] < 0.5
    assert 0.25 < rates["irf"] < 0.65


def test_front_seats_take_part_more_than_back_seats() -> None:
    # The same thirty students, seated in order and in reverse: what differs is the seat, not the student.
    front: list[float] = []
    back: list[float] = []
    for order in (1, -1):
        loaded = load_scenario(layout="rows_30", students="thirty", lesson="mathematics", steps=20)
        students = loaded.roll.students[::order]
        turned = loaded.model_copy(update={"roll": loaded.roll.model_copy(update={"students": students})})
        for seed in range(3):
            model = ClassroomModel(turned, seed=seed)
            while model.running:
                model.step()
            for row in model.journal.students:
                (front if row.y <= 5 else back if row.y >= 17 else []).append(row.attention)
    assert fmean(front) > fmean(back) + 0.03


def test_moves_cause_responses() -> None:
    made = lessons(8, layout="rows_30", students="thirty", lesson="mathematics")
    measured = measure_lessons(made.sentences).mean(numeric_only=True)
    assert measured["gap_substantive_reply_I_vs_not"] > 0.15
    assert measured["gap_restate_after_claim_vs_other"] > 0.1
    assert measured["gap_evidence_reasoning_vs_accuracy"] > 0.15
    assert measured["ratio_answer_length_reasoning_vs_accuracy"] > 1.2


def test_an_answer_is_judged_as_often_as_the_teacher_judges_and_a_nod_is_no_answer() -> None:
    def forms(quality: str, **changed: float) -> set[str]:
        responder = Responder({**load_parameters({}), **changed, "feedback.revoice": 0.0, "feedback.press": 0.0})
        said = Heard("Ann", "answer_question", "positive", "teacher", (Said("Seven.", "claim"),), quality, False)
        return {responder.form(Address(seed, 0, 1, "Teacher"), TeacherStyle(), said) for seed in range(40)}

    assert forms("right", **{"feedback.evaluate_right": 1.0}) == {"evaluate"}
    assert forms("right", **{"feedback.evaluate_right": 0.0, "feedback.evaluate": 1.0}) == {"acknowledge"}
    assert forms("partial", **{"feedback.evaluate_right": 1.0, "feedback.evaluate": 0.0}) == {"acknowledge"}
    assert forms("right") == {"evaluate", "acknowledge"}


def test_nobody_says_more_than_they_understand() -> None:
    made = lessons()
    knowing = made.student_steps
    judged = knowing[knowing["quality"] == "right"]
    assert len(judged) > 10
    assert set(judged["recall"]) <= {"full", "partial"}
    assert (judged["recall"] == "full").mean() > 0.9
    lost = knowing[(knowing["recall"] == "none") & (knowing["quality"] != "")]
    assert len(lost) > 3
    assert "right" not in set(lost["quality"])


@pytest.mark.parametrize("lesson", list_names("lesson"))
def test_every_lesson_is_played_in_its_own_language(lesson: str) -> None:
    model = ClassroomModel(lesson=lesson, students="six_zh" if lesson.endswith("_zh") else "six", steps=30, seed=5)
    while model.running:
        model.step()
    latin = [s.text for s in model.journal.sentences if re.search(r"[A-Za-z]{3,}", s.text)]
    if model.lesson.language == "zh":
        assert latin == []
    else:
        assert len(latin) == len(model.journal.sentences)


def test_teachers_differ() -> None:
    def rate(questioning: float) -> float:
        made = lessons(6, settings=(("class.teacher.style.questioning", questioning),))
        return irf_measures(made.student_steps, made.teacher_steps)["i"]

    assert rate(0.9) > rate(0.1) + 0.1


def test_grammars_have_the_same_keys_and_slots() -> None:
    english, chinese = load_grammar("en"), load_grammar("zh-CN")
    assert english.lines.keys() == chinese.lines.keys()
    for key in english.lines:
        assert english.slots(key) == chinese.slots(key), key


def test_the_code_asks_for_every_key_of_the_grammar_and_no_other() -> None:
    asked = set()
    for path in (PACKAGE / "policies" / "embedded" / "classroom" / "words").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts_of = {id(piece) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for piece in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts_of:
                asked.add(re.escape(node.value))
            if isinstance(node, ast.JoinedStr):
                pieces = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"[a-z_.]+" for p in node.values]
                asked.add("".join(pieces))
    sections = {key.partition(".")[0] for key in load_grammar("en").lines}
    asked = {pattern for pattern in asked if pattern.partition(r"\.")[0] in sections and r"\." in pattern}
    for key in load_grammar("en").lines:
        assert any(re.fullmatch(pattern, key) for pattern in asked), f"nobody says {key}"
    for pattern in asked:
        assert any(re.fullmatch(pattern, key) for key in load_grammar("en").lines), f"there are no lines for {pattern}"


def test_what_comes_from_a_lesson_is_never_a_template() -> None:
    hostile = "{name} {0} {idea} <b>&amp;</b> %s"
    loaded = load_scenario(steps=12)
    lesson = loaded.lessons[0]
    ideas = tuple(idea.model_copy(update={"text": hostile, "because": hostile}) for idea in lesson.ideas)
    students = tuple(s.model_copy(update={"name": f"{hostile} {n}"}) for n, s in enumerate(loaded.roll.students))
    changed = loaded.model_copy(
        update={
            "lessons": (lesson.model_copy(update={"ideas": ideas}),),
            "roll": loaded.roll.model_copy(update={"students": students}),
        }
    )
    model = ClassroomModel(changed, seed=2)
    while model.running:
        model.step()
    assert any(hostile in sentence.text for sentence in model.journal.sentences)


def test_parameters_out_of_range_are_refused() -> None:
    from eduverse_mesa.errors import EduverseError

    with pytest.raises(EduverseError, match="attention"):
        load_parameters({"attention.rat": 0.5})
    with pytest.raises(EduverseError, match=r"0\.05"):
        load_parameters({"attention.rate": 7.0})


def test_it_keeps_no_state() -> None:
    policy = EmbeddedPolicy()
    before = repr(sorted(vars(policy)))
    model = ClassroomModel(steps=5, seed=1, policy=policy)
    while model.running:
        model.step()
    again = ClassroomModel(steps=5, seed=1, policy=policy)
    while again.running:
        again.step()
    assert model.journal.answers == again.journal.answers
    assert repr(sorted(vars(policy))) == before
    assert (files("eduverse_mesa.scenarios") / "parameters" / "embedded.yaml").is_file()
