"""A teacher's outline becomes a lesson that can be played, with an account of every line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios import load_document, load_scenario
from eduverse_mesa.scenarios.drafts import Draft
from eduverse_mesa.scenarios.drafts.documents import Mapped, entries, mapping, said, write_yaml
from eduverse_mesa.scenarios.drafts.lessons import confirm, unconfirmed
from eduverse_mesa.scenarios.drafts.outlines import Outline, read_outline, settled
from eduverse_mesa.scenarios.drafts.outlines.lines import FILLINGS, language_of
from eduverse_mesa.scenarios.drafts.outlines.sentences import Piece, read_sentences
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from eduverse_mesa.visualization.words.labels import line_said
from eduverse_mesa.vocabulary import PhaseName

MARKDOWN = """\
# Why we have seasons
## Objectives
- Explain why summer is warmer than winter
## Warm-up (5 min)
- What month is the hottest here?
- Answer: July is the hottest month.
## New content (15 min)
- The earth's axis is tilted by 23 degrees.
- Misconception: In summer we are closer to the sun.
- Why are days longer in summer?
## Something of our own
- Discuss in pairs what a planet without tilt is like
## Wrap-up (5 min)
- Summarise the three causes
"""
CHINESE = """\
课题：春
一、导入（5分钟）
  你最喜欢哪个季节？
二、新授
  朗读课文第一段
  作者用拟人的手法写出了春风的温柔
三、小结
  总结全文
"""
TABLE = """\
phase,activity,minutes,question
Starter,Look at the picture,5,What do you see?
Main part,Photosynthesis turns light into sugar,20,"Where does the sugar go, and why?"
,Plants need water and light,,
Plenary,Sum up,5,
"""


def filled(plan: Any) -> Any:
    """The plan as its author has confirmed it, with the answers that only the author knows."""
    questions: list[Any] = [
        {**one, "answer": one["answer"] or "I know", "short_answer": one["short_answer"] or "I know"}
        for one in plan["questions"]
    ]
    return confirm({**plan, "questions": questions})


def activities(lesson: Any) -> list[list[str]]:
    return [[activity["do"] for activity in phase["activities"]] for phase in lesson["phases"]]


def test_headings_are_phases_and_lines_are_activities() -> None:
    outline = read_outline(MARKDOWN, "seasons")
    lesson: Any = outline.lesson
    assert lesson["title"] == "Why we have seasons"
    assert [goal["text"] for goal in lesson["goals"]] == ["Explain why summer is warmer than winter"]
    assert [phase["name"] for phase in lesson["phases"]] == ["introduction", "instruction", "consolidation", "summary"]
    assert activities(lesson) == [["ask"], ["explain", "ask"], ["discuss"], ["summarise"]]
    assert lesson["questions"][0]["answer"] == "July is the hottest month."
    assert lesson["questions"][1]["press"] == "reasoning"
    assert lesson["ideas"][0]["misconception"] == "In summer we are closer to the sun."
    assert [phase["share"] for phase in lesson["phases"]] == pytest.approx([0.15, 0.45, 0.25, 0.15], abs=0.01)


def test_every_line_says_what_it_was_taken_for() -> None:
    lines = read_outline(MARKDOWN).lines
    assert [line.number for line in lines] == list(range(1, 15))
    taken = {line.number: (line.taken_for, line.note) for line in lines}
    assert taken[1] == ("title", "")
    assert taken[2] == ("goals", "")
    assert taken[6] == ("answer", "")
    assert taken[11] == ("phase_consolidation", "by_position")
    assert taken[12] == ("discuss", "")


def test_what_was_not_said_is_listed() -> None:
    made_up = read_outline(MARKDOWN).made_up
    assert ("ideas", 0, "because") in made_up
    assert ("ideas", 0, "misconception") not in made_up
    assert ("questions", 0, "answer") not in made_up
    assert ("questions", 1, "answer") in made_up


def test_a_chinese_outline() -> None:
    lesson: Any = read_outline(CHINESE).lesson
    assert (lesson["language"], lesson["title"]) == ("zh", "春")
    assert [phase["name"] for phase in lesson["phases"]] == ["introduction", "instruction", "summary"]
    assert activities(lesson) == [["ask"], ["read", "explain"], ["summarise"]]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table(separator: str) -> None:
    text = (
        TABLE
        if separator == ","
        else TABLE.replace('"Where does the sugar go, and why?"', "Why?").replace(",", separator)
    )
    lesson: Any = read_outline(text).lesson
    assert activities(lesson) == [["read", "ask"], ["explain", "ask", "explain"], ["summarise"]]
    assert [phase["share"] for phase in lesson["phases"]] == pytest.approx([1 / 6, 4 / 6, 1 / 6], abs=0.01)


@pytest.mark.parametrize("text", ["", " \n\n", "## Practice\n## Summary\n", "Goal: learn something"])
def test_nothing_to_do_is_said(text: str) -> None:
    with pytest.raises(ScenarioError, match="no activity"):
        read_outline(text)


def test_an_endless_outline_is_refused() -> None:
    with pytest.raises(ScenarioError, match="shorten"):
        read_outline("a line\n" * 401)
    with pytest.raises(ScenarioError, match="shorten"):
        read_outline("x" * 100_001)


pieces = st.sampled_from(
    [
        "# ",
        "## ",
        "- ",
        "1. ",
        "Goal: ",
        "Answer: ",
        "目标：",
        "because: ",
        "?",
        "\n",
        "  ",
        "（",
        "phase,activity\n",
        ":",
    ]
)


@given(
    st.lists(
        pieces | st.text(max_size=30) | st.sampled_from(["Warm-up", "小结", "read page 3", "x" * 700]), max_size=30
    )
)
def test_any_outline_becomes_a_lesson_or_is_refused(parts: list[str]) -> None:
    try:
        outline = read_outline("".join(parts))
    except ScenarioError:
        return
    lesson = filled(outline.lesson)
    assert load_document("lesson", lesson).name == "outline"
    draft = Draft.of_name()
    draft.lessons.replace(0, lesson)
    assert draft.scenario is not None
    draft.lessons.replace(0, outline.lesson)
    assert bool(outline.made_up) is (draft.scenario is None)
    assert [trail for trail, _ in unconfirmed(outline.lesson)] == list(outline.made_up)
    for trail in outline.made_up:
        assert isinstance(draft.get("lessons", 0, *trail), str)


# --- acts, statements and questions ---

ACTS = [
    # what a line says; its kind; what is said to the class, or told
    ("Show two leaves and ask what is different.", "teacher", ""),
    ("Explain that chlorophyll is what makes leaves green.", "told", "Chlorophyll is what makes leaves green."),
    ("Explains that the past simple tells of actions", "told", "The past simple tells of actions"),
    ("Tell the class that lying destroys trust", "told", "Lying destroys trust"),
    ("Remind them that the sum is 180 degrees.", "told", "The sum is 180 degrees."),
    ("Explain photosynthesis", "teacher", ""),
    ("Work in pairs and draw a leaf with its parts.", "practise", "Work in pairs and draw a leaf with its parts."),
    ("Students work in pairs", "practise", "Work in pairs"),
    ("The class discusses what makes a good friend", "discuss", "Discuss what makes a good friend"),
    ("Ask the students to write a summary", "practise", "Write a summary"),
    ("Have each group present its results", "practise", "Present its results"),
    ("In groups, students label the diagram", "practise", "In groups, label the diagram"),
    ("Then, read page 34.", "read", "Read page 34."),
    ("Reading the text aloud", "read", "Read the text aloud"),
    ("Write the title on the board", "teacher", ""),
    ("Explain to your partner how you did it", "practise", "Explain to your partner how you did it"),
    ("Play the video", "teacher", ""),
    ("Play 3 v 3", "practise", "Play 3 v 3"),
    ("Quiz on symbols", "practise", "Quiz on symbols"),
    ("Think-pair-share about the rules", "discuss", "Think-pair-share about the rules"),
    ("Your partner guesses the word.", "practise", "Your partner guesses the word."),
    ("Tell your partner where you live", "practise", "Tell your partner where you live"),
    ("Correct two mistakes on the board.", "teacher", ""),
    ("学生分组练习，教师巡回指导", "practise", "分组练习"),
    ("Plants need water and light.", "idea", ""),
    ("Work is force times distance.", "idea", ""),
    ("Exercise makes the heart stronger.", "idea", ""),
    ("Children need eight hours of sleep.", "idea", ""),
    ("Sound travels through air.", "idea", ""),
    ("States of matter", "guess", ""),
    ("Parts of a leaf", "guess", ""),
    ("Where does rain come from?", "question", ""),
    ("Show a torch and ask: What is inside?", "teacher question", ""),
    ('Ask the class "Why do leaves fall?"', "question", ""),
    ("讲解：叶绿素使叶子呈绿色。", "told", "叶绿素使叶子呈绿色。"),
    ("教师讲解：三角形的内角和是180度", "told", "三角形的内角和是180度"),
    ("讲解光合作用的过程", "teacher", ""),
    ("出示两片叶子", "teacher", ""),
    ("教师范读第三段。", "teacher", ""),
    ("学生自由朗读课文，圈出生字词。", "read", "自由朗读课文，圈出生字词"),
    ("让学生任意画一个三角形", "practise", "任意画一个三角形"),
    ("请同学们小组讨论诚实的意义", "discuss", "小组讨论诚实的意义"),
    ("分组讨论", "discuss", "分组讨论"),
    ("完成课本第67页第1、2题。", "practise", "完成课本第67页第1、2题"),
    ("慢跑两圈", "practise", "慢跑两圈"),
    ("师生共同总结写作手法。", "summarise", "总结写作手法"),
    ("播放春天的视频，提问：你看到了什么？", "teacher question", ""),
    ("小组交流：你们发现了什么？", "discuss question", "小组交流"),
    ("植物生长需要水和阳光。", "idea", ""),
    ("作者用拟人的手法写出了春风的温柔", "idea", ""),
    ("数是对事物多少的抽象。", "idea", ""),
    ("三角形的分类", "guess", ""),
]


def kind_of(piece: Piece) -> str:
    if piece.kind == "idea":
        return "idea" if piece.sure else "guess"
    return piece.kind if piece.act is None else piece.act.doing if piece.act.said else "teacher"


@pytest.mark.parametrize(("line", "kind", "said"), ACTS, ids=[one[0] for one in ACTS])
def test_what_a_line_does(line: str, kind: str, said: str) -> None:
    pieces = read_sentences(line, language_of(line))
    found = " ".join(map(kind_of, pieces))
    assert found == ("idea" if kind == "told" else kind)
    if kind == "told":
        assert pieces[0].text == said
    elif said and pieces[0].act is not None:
        assert pieces[0].act.said == said


# --- outlines as teachers write them ---

FOLDER = Path(__file__).parent / "outlines"
# Title, phases, and what is done in each: e explain, a ask, d discuss, r read, p practise, s summarise, m manage.
EXPECTED = {
    "leaves": ("Lesson", "introduction am, instruction ea, practice p, summary a"),
    "water_cycle": ("The water cycle", "introduction a, instruction mr, consolidation me, practice p, summary a"),
    "past_simple": ("Lesson", "introduction mp, instruction er, practice mp, consolidation ad, summary mp"),
    "basketball": ("Basketball: dribbling", "introduction p, instruction p, consolidation p, practice p, summary m"),
    "lying": ("Is it ever right to lie?", "introduction ma, instruction eedp, consolidation aa, summary p"),
    "spring_zh": ("春", "introduction mam, instruction ra, consolidation mea, summary sp"),
    "triangles_zh": ("三角形的内角和", "introduction a, instruction pdae, practice p, summary a"),
    "circuits": ("Electric circuits", "introduction map, instruction ppee, consolidation p, practice p"),
    "fractions": ("Fractions", "introduction memapdad"),
    "magnets": ("Lesson", "introduction mr, instruction mp, consolidation a, practice mp"),
    "long_jump_zh": ("体育课：立定跳远", "introduction mp, practice mpep, summary m"),
    "prepositions": (
        "Lesson 4: Prepositions of place",
        "instruction aep, practice rppp, consolidation mm",
    ),
    "wall": ("The Berlin Wall", "introduction ra, instruction eeea, consolidation rp, summary sm"),
}


def outline_of(name: str) -> Outline:
    return read_outline((FOLDER / f"{name}.txt").read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("name", EXPECTED)
def test_outlines_as_teachers_write_them(name: str) -> None:
    lesson: Any = outline_of(name).lesson
    phases = [
        f"{phase['name']} {''.join(done)}" for phase, done in zip(lesson["phases"], initials(lesson), strict=True)
    ]
    assert (lesson["title"], ", ".join(phases)) == EXPECTED[name]
    assert sum(phase["share"] for phase in lesson["phases"]) == pytest.approx(1.0)


def initials(lesson: Any) -> list[list[str]]:
    return [[doing[0] for doing in phase] for phase in activities(lesson)]


@pytest.mark.parametrize("name", EXPECTED)
def test_pupils_say_no_tasks_and_teachers_say_no_notes(name: str) -> None:
    plan: Any = filled(outline_of(name).lesson)
    done = [activity for phase in plan["phases"] for activity in phase["activities"]]
    tasks = [activity["text"].rstrip(".。") for activity in done if activity.get("text")]
    notes = [activity["note"].rstrip(".。") for activity in done if activity.get("note")]
    model = ClassroomModel(load_scenario(lesson=plan, steps=25), seed=2)
    while model.running:
        model.step()
    said = model.journal.sentences
    assert len(said) > 50
    assert not [one.text for one in said if one.role == "S" and any(task in one.text for task in tasks)]
    assert not [one.text for one in said if any(note in one.text for note in notes)]
    assert any(task in one.text for one in said if one.role == "T" for task in tasks)
    for idea in plan["ideas"]:
        assert kind_of(read_sentences(idea["text"], plan["language"])[0]) in ("idea", "guess", "question"), idea["text"]


def test_the_outline_of_the_leaves() -> None:
    outline = outline_of("leaves")
    lesson: Any = outline.lesson
    assert not outline.titled
    assert "title" in lesson["unconfirmed"]
    asked = next(one for one in lesson["questions"] if one["ask"].startswith("What does a leaf need"))
    of_answer = next(one for one in lesson["ideas"] if one["id"] == asked["idea"])
    assert (asked["answer"], of_answer["because"]) == ("to make sugar", "chlorophyll catches the light")
    assert of_answer["misconception"] == "leaves eat earth"
    taken = {line.number: line.taken_for for line in outline.lines}
    assert (taken[3], taken[5], taken[8], taken[11]) == ("teacher", "explain", "because", "practise")


# --- what was made up is confirmed before it is played ---


def test_the_title_is_asked_for() -> None:
    text = "## Introduction\nShow two leaves.\n## Main part\nLeaves are green.\n"
    assert "title" in read_outline(text).lesson["unconfirmed"]  # type: ignore[operator]
    named: Any = read_outline(text, title="Leaves").lesson
    assert named["title"] == "Leaves"
    assert "title" not in named["unconfirmed"]
    guessed: Any = read_outline("Leaves in autumn\n\n" + text).lesson
    assert guessed["title"] == "Leaves in autumn"
    assert "title" in guessed["unconfirmed"]


@pytest.mark.parametrize("name", ["leaves", "spring_zh"])
def test_what_was_made_up_is_not_played_unconfirmed(name: str, tmp_path: Path) -> None:
    outline = outline_of(name)
    path = tmp_path / "lesson.yaml"
    path.write_text(write_yaml(outline.lesson), encoding="utf-8")
    assert "unconfirmed:" in path.read_text(encoding="utf-8")
    for way in (lambda: check_file(path), lambda: load_scenario(lesson=path), lambda: ClassroomModel(lesson=str(path))):
        with pytest.raises(ScenarioError, match="nobody has confirmed it") as refused:
            way()
        assert "unconfirmed" in str(refused.value)
    path.write_text(write_yaml(settled(outline, "Leaves", confirmed=True)), encoding="utf-8")
    with pytest.raises(ScenarioError, match="it is empty"):  # an answer is written, not confirmed
        check_file(path)
    path.write_text(write_yaml(filled(settled(outline, "Leaves"))), encoding="utf-8")
    assert "unconfirmed" not in path.read_text(encoding="utf-8")
    assert check_file(path)
    load_scenario(lesson=path)


def test_a_mark_of_nothing_is_refused() -> None:
    plan = filled(outline_of("leaves").lesson)
    for mark in ("idea_9.text", "idea_1.colour", "nothing", "goal_1"):
        with pytest.raises(ScenarioError, match="there is no such place"):
            load_document("lesson", {**plan, "unconfirmed": [mark]})


def test_an_edit_confirms_what_it_changes_and_what_is_removed_needs_no_confirmation() -> None:
    draft = Draft.of_name()
    draft.lessons.replace(0, outline_of("leaves").lesson)

    def marks() -> list[str]:
        return [str(mark) for mark in entries(mapping(draft.document, ("lessons", 0)), ("unconfirmed",))]

    before = marks()
    assert {"title", "idea_1.because", "idea_1.partial"} <= set(before)
    assert draft.problems
    assert [found.trail for found in draft.problems_at("lessons", 0, "ideas", 0, "because")]
    draft.lessons.set(0, ("title",), "Leaves")
    draft.set(("lessons", 0, "ideas", 0, "because"), "it takes in red and blue light")
    assert set(before) - set(marks()) == {"title", "idea_1.because"}
    draft.lessons.remove_question(0, "question_1")
    assert not [mark for mark in marks() if mark.startswith("question_1.")]
    draft.undo()
    assert [mark for mark in marks() if mark.startswith("question_1.")]
    draft.lessons.confirm(0)
    empty = marks()
    assert empty
    assert all(mark.endswith("answer") for mark in empty)
    for place, question in enumerate(entries(draft.document, ("lessons", 0, "questions"))):
        for key in ("answer", "short_answer"):
            if not mapping(question)[key]:
                draft.set(("lessons", 0, "questions", place, key), "sugar")
    assert marks() == []
    assert draft.problems == ()
    assert "unconfirmed" not in draft.dump()


# --- what belongs to what, and what is no part of the lesson ---

AUTUMN = """\
Why leaves fall - grade 5, 45 min

# 1. Warm-up (5 min)
- Why do leaves turn yellow in autumn?
    - because the green dye breaks down
- Who has seen a red leaf?
See http://example.org/leaves
| 10 | table |
|----|-------|
TODO: find video!!
# 2. Main part
Leaves are bigger in the shade.
because they need more light there
What does a tree save in winter?
  Water.
  Some heat, too
"""
HERBST = """\
为什么树叶会落——五年级，45分钟

一、导入（5分钟）
秋天的树叶为什么会变黄？
    因为绿色的色素分解了
谁见过红色的树叶？
见 http://example.org/leaves
| 10 | 桌子 |
待办：找视频！！
二、新授
树荫里的叶子更大。
因为那里需要更多的光
冬天的树节省什么？
  水。
  还有热量
"""


@pytest.mark.parametrize(
    ("text", "title", "answer", "idea", "reason", "joined", "todo"),
    [
        (
            AUTUMN,
            "Why leaves fall",
            "because the green dye breaks down",
            "Leaves are bigger in the shade.",
            "They need more light there",
            "Water.; Some heat, too",
            "TODO: find video!!",
        ),
        (
            HERBST,
            "为什么树叶会落",
            "因为绿色的色素分解了",
            "树荫里的叶子更大。",
            "那里需要更多的光",
            "水。；还有热量",
            "待办：找视频！！",
        ),
    ],
    ids=["en", "zh"],
)
def test_an_answer_stands_below_its_question(
    text: str, title: str, answer: str, idea: str, reason: str, joined: str, todo: str
) -> None:
    outline = read_outline(text)
    lesson: Any = outline.lesson
    assert lesson["title"] == title
    assert "title" not in lesson["unconfirmed"]
    assert [question["answer"] for question in lesson["questions"]] == [answer, "", joined]
    assert "question_1.answer" not in lesson["unconfirmed"]
    assert {"question_2.answer", "question_2.short_answer"} <= set(lesson["unconfirmed"])
    told = next(one for one in lesson["ideas"] if one["text"] == idea)
    assert told["because"] == reason
    assert initials(lesson) == [["a", "a"], ["e", "a"]]
    assert [phase["share"] for phase in lesson["phases"]] == pytest.approx([5 / 45, 40 / 45], abs=0.001)
    note = lesson["phases"][0]["activities"][1]["note"]
    assert todo in note
    assert "http://example.org/leaves" in note
    taken = [line.taken_for for line in outline.lines]
    assert taken[:2] == ["title", "aside"]
    assert [one for one in taken if one in ("material", "note")] == ["material", "material", "note"]
    said = str([lesson["ideas"], lesson["questions"]])
    assert not [word for word in ("example.org", "table", "桌子", "TODO", "待办") if word in said]


def test_a_question_without_an_answer_stays_empty() -> None:
    lesson: Any = read_outline(
        "Why do leaves turn yellow in autumn?\n\nhttp://example.org/leaves\n| 10 | table |\nLeaves are green.\n"
    ).lesson
    assert [(one["answer"], one["short_answer"]) for one in lesson["questions"]] == [("", "")]
    assert {"question_1.answer", "question_1.short_answer"} <= set(lesson["unconfirmed"])


@pytest.mark.parametrize(
    ("below", "answer"),
    [
        ("- because the green dye breaks down", "because the green dye breaks down"),
        ("Because of the cold", "Because of the cold"),
        ("    because: the dye breaks down", "the dye breaks down"),
        ("    the dye breaks down", "the dye breaks down"),
        ("    - Answer: the dye breaks down", "the dye breaks down"),
        ("    - Discuss in pairs", ""),
        ("    - Why else?", ""),
        ("The dye breaks down.", ""),
    ],
)
def test_which_line_is_the_answer(below: str, answer: str) -> None:
    lesson: Any = read_outline(f"Start:\nWhy do leaves turn yellow in autumn?\n{below}\nEnd:\nWrite it down\n").lesson
    assert lesson["questions"][0]["answer"] == answer


def test_an_answer_that_could_be_a_task_is_to_be_confirmed() -> None:
    outline = read_outline("What do roots do?\n    collect water\nRoots are thin.\n")
    lesson: Any = outline.lesson
    assert lesson["questions"][0]["answer"] == "collect water"
    assert "question_1.answer" in lesson["unconfirmed"]
    assert outline.lines[1].note == "guessed"


COUNTED = [
    ("1. Start\nWhat is a leaf?\n2) Group work\nDraw a leaf\n3. End\nSum up\n", "introduction practice summary"),
    ("1. Start\n- What is a leaf?\n2) Group work\n- Draw a leaf\n3. End\n", "introduction practice summary"),
    ("# 1. Warm-up (5 min)\nWhat is a leaf?\n## Leaves\nLeaves are green.\n", "introduction instruction"),
    ("# 1. Start\nWhat is a leaf?\n# 2) Group work\nDraw a leaf\n3. End\nSum up\n", "introduction practice summary"),
    ("Warm-up\nWhat is a leaf?\n3. End\n", "introduction summary"),
    ("一、导入\n叶子是什么？\n二、结束\n总结全文\n", "introduction summary"),
    ("1. 开始\n叶子是什么？\n2. 小组讨论\n画一片叶子\n3. 结束\n", "introduction consolidation summary"),
    ("Warm-up\n1. Draw a leaf\n2. Label it\n3. Compare it with a partner\n", "introduction"),
    ("1. What is a leaf?\n  a plant's lung\n2. What is a root?\n  a straw\n", "introduction"),
]


@pytest.mark.parametrize(("text", "phases"), COUNTED)
def test_counted_headings_are_phases(text: str, phases: str) -> None:
    outline = read_outline(text)
    lesson: Any = outline.lesson
    assert " ".join(phase["name"] for phase in lesson["phases"]) == phases
    assert not [idea for idea in lesson["ideas"] if "End" in idea["text"] or "结束" in idea["text"]]
    assert "5" not in lesson["title"]
    assert "Warm-up" not in lesson["title"]


@pytest.mark.parametrize(
    ("first", "title", "sure"),
    [
        ("Why leaves fall - grade 5, 45 min", "Why leaves fall", True),
        ("# Why leaves fall (5th grade, 45 minutes)", "Why leaves fall", True),
        ("Title: Why leaves fall, year 5", "Why leaves fall", True),
        ("Why leaves fall, 45 min", "Why leaves fall", True),
        ("Why the leaves fall in autumn, 45 min", "Why the leaves fall in autumn", False),
        ("《春》教案（三年级上册，40分钟）", "春", True),
        ("课题：春 五年级", "春", True),
    ],
)
def test_grade_and_minutes_are_no_part_of_the_title(first: str, title: str, sure: bool) -> None:
    zh = language_of(first) == "zh"
    lesson: Any = read_outline(f"{first}\n\n" + ("## 导入\n朗读课文\n" if zh else "## Warm-up\nRead the text\n")).lesson
    assert lesson["title"] == title
    assert ("title" not in lesson["unconfirmed"]) is sure
    assert [phase["name"] for phase in lesson["phases"]] == ["introduction"]


def test_no_wrong_belief_is_made_up() -> None:
    lesson: Any = read_outline("Leaves are bigger in the shade.\n叶子是绿色的。\n").lesson
    assert [idea["misconception"] for idea in lesson["ideas"]] == [""] * len(lesson["ideas"])
    assert "idea_1.misconception" in lesson["unconfirmed"]


def test_an_idea_without_a_likely_wrong_belief_is_played() -> None:
    plan: Any = filled(outline_of("leaves").lesson)
    plan = {**plan, "ideas": [{**idea, "misconception": ""} for idea in plan["ideas"]]}
    model = ClassroomModel(load_scenario(lesson=plan, steps=15), seed=2)
    while model.running:
        model.step()
    assert all(one.text.strip() for one in model.journal.sentences)


SAID = {
    "en": (
        "Bigger magnets are not always stronger.", "Usually rivers carry sand.", "Suddenly the ice breaks.",
        "Heavier things do not fall faster.", "Everything that floats pushes water aside.",
        "Although whales live in the sea, they breathe air.", "Compared with 3/4, 2/3 is smaller.",
    ),
    "zh": ("越大的磁铁不一定越强。", "特别重的东西不会落得更快。", "虽然鲸鱼住在海里，但它们用肺呼吸。"),
}  # fmt: skip


@pytest.mark.parametrize("language", list(SAID))
def test_what_is_filled_in_guesses_at_no_word_of_the_idea(language: str) -> None:
    """Nobody but the author knows which word matters: "It has something to do with Bigger." is nonsense."""
    heading = "# Lesson\n\n## New content\n" if language == "en" else "# 一节课\n\n## 新授\n"
    for text in SAID[language]:
        outline = read_outline(f"{heading}- {text}")
        [idea] = [one for one in mappings(outline.lesson, "ideas") if said(one, "text") == text]
        before, _, after = FILLINGS[language].partial.partition("{beginning}")
        half = said(idea, "partial").removeprefix(before).removesuffix(after)
        assert half
        assert text.startswith(half), "its own words, in their order"
        assert len(half) < len(text) * 0.75
        assert said(idea, "because") == FILLINGS[language].because
        assert said(idea, "misconception") == ""
        [question] = mappings(outline.lesson, "questions")
        assert said(question, "ask") == FILLINGS[language].question
        assert said(question, "short_answer") == ""
        known = {said(idea, "id"): said(idea, "text") for idea in mappings(outline.lesson, "ideas")}
        assert said(question, "answer") in known.values()
        assert {"partial", "because", "misconception"} <= {trail[-1] for trail in outline.made_up}


def mappings(lesson: Mapped, key: str) -> list[Mapped]:
    return [mapping(one) for one in entries(lesson, (key,))]


@pytest.mark.parametrize("heading", ["Lesson plan", "Procedure:", "**Activities**"])
def test_a_heading_above_the_phases_is_no_goal_also_where_nothing_marks_it(heading: str) -> None:
    outline = read_outline(f"# Magnets\nObjectives\n- Say what a magnet attracts.\n{heading}\nWarm-up\n- What is iron?")
    assert [said(one, "text") for one in mappings(outline.lesson, "goals")] == ["Say what a magnet attracts."]
    assert "container" in {line.taken_for for line in outline.lines}


@pytest.mark.parametrize(
    "text",
    [
        "课题：平行四边形的性质\n教学目标\n1. 掌握对边相等的性质\n一、导入（5分钟）\n什么是平行四边形？\n"
        "二、新授（20分钟）\n平行四边形的对边相等。\n备注：关注学困生",
        "Title: Parallelograms\nObjectives\n1. Know that opposite sides are equal\n# Introduction (5 min)\n"
        "What is a parallelogram?\n# Explanation (20 min)\nOpposite sides of it are equal.\nNote: mind the slow ones",
    ],
    ids=["zh", "en"],
)
def test_a_line_that_only_says_goals_is_their_heading_and_a_remark_is_not_taught(text: str) -> None:
    taken = [line.taken_for for line in read_outline(text).lines]
    assert taken[1:3] == ["goals", "goal"]
    assert taken[-1] == "aside"


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_whatever_a_line_may_be_taken_for_has_a_name_of_its_own(language: str) -> None:
    t = load_words(language)
    doings = ("explain", "discuss", "read", "practise", "summarise", "manage")
    others = (
        "title", "goals", "goal", "question", "answer", "because", "misconception", "teacher", "aside", "note",
        "material", "container",
    )  # fmt: skip
    names = [line_said(what, t) for what in (*doings, *others, *(f"phase_{name}" for name in get_args(PhaseName)))]
    assert len(set(names)) == len(names)
    assert all("design." not in name for name in names)
    assert any(word in line_said("read", t) for word in ("listening", "听"))
