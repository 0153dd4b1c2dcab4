"""The interface speaks both languages completely, and says only what is in its word files."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import eduverse_mesa.visualization as visualization
from eduverse_mesa.visualization.words import LANGUAGES, load_words, preferred, run_on
from eduverse_mesa.visualization.words.labels import agent_name, person_name

HOUSE = Path(visualization.__file__).parent
DASHBOARD = HOUSE.parent / "dashboard"
PAGES = [*sorted(DASHBOARD.rglob("*.py")), HOUSE / "components.py"]


def fields(phrase: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_every_phrase_is_there_with_the_same_gaps(language: str) -> None:
    english, other = load_words("en"), load_words(language)
    assert set(english) == set(other)
    assert [key for key in english if fields(english[key]) != fields(other[key])] == []


def test_chinese_is_chinese() -> None:
    """A phrase without a Chinese character has been forgotten, unless it is a name, a sign or a unit."""
    words = load_words("zh")
    plain = re.compile(r"[\u4e00-\u9fff]")
    named = {
        "EduVerse",
        "Gini",
        "IRF",
        "JSON",
        "CSV",
        "Parquet",
        "xAPI",
        "GraphML",
        "HTML",
        "URL",
        "YAML",
        "Lorenz",
        "Mesa",
    }
    forgotten = [
        key
        for key in words
        if not plain.search(words[key])
        and not named & set(re.findall(r"\w+", words[key]))
        and len(re.sub(r"[\W\d_]+", "", re.sub(r"\{[^}]*\}", "", words[key]))) > 3
    ]
    assert forgotten == []


def spoken_keys(tree: ast.AST) -> Iterator[str]:
    """The literal keys that are asked of words: t("page.key")."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("t", "words")
            and node.args
        ):
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
            elif isinstance(first, ast.IfExp):
                yield from (
                    part.value
                    for part in (first.body, first.orelse)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )


def test_what_pages_say_is_in_the_word_files() -> None:
    known = set(load_words())
    said = {key for path in PAGES for key in spoken_keys(ast.parse(path.read_text(encoding="utf-8")))}
    assert len(said) > 50
    assert said - known == set()


_SPEAKING = {"label", "title", "text", "children", "placeholder", "hint", "messages"}
_WORDS = re.compile(r"[A-Za-z\u4e00-\u9fff]{2,}")


def bare_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts handed to a component as they are: they would be said in one language only."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        if not name[:1].isupper() or name in ("EduverseError", "AppError", "Literal", "TypeVar", "Path", "Answer"):
            continue
        given = [keyword.value for keyword in node.keywords if keyword.arg in _SPEAKING]
        if name in (
            "Button",
            "Text",
            "Select",
            "InputText",
            "Checkbox",
            "Switch",
            "SliderInt",
            "SliderFloat",
            "Card",
            "Note",
        ):
            given += node.args[:1]
        for value in given:
            parts = value.elts if isinstance(value, ast.List) else [value]
            for part in parts:
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and _WORDS.search(part.value):
                    yield part.lineno, part.value


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(HOUSE.parent)))
def test_no_page_has_words_of_its_own(path: Path) -> None:
    assert list(bare_texts(ast.parse(path.read_text(encoding="utf-8")))) == []


_RUNS_MARKUP = re.compile(
    r"solara\.(?:Markdown|HTML|Preformatted|FigureAltair|Image)|lab\.Chat|ipywidgets|unsafe_innerHTML|v_slots.*template"
    r"|component_vue|innerHTML|insertAdjacentHTML|document\.write|outerHTML|CommandConsole"
)


def test_nothing_in_the_dashboard_can_run_what_it_shows() -> None:
    sources = [*DASHBOARD.rglob("*.py"), HOUSE / "components.py", *(HOUSE / "widgets").glob("*.*")]
    assert len(sources) > 50
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sources
        if path.suffix in (".py", ".js")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if _RUNS_MARKUP.search(line)
    ]
    assert found == []


def test_sentences_run_on_as_they_are_written() -> None:
    assert run_on(["It rains.", "", "It is cold."]) == "It rains. It is cold."
    assert run_on(["下雨了。", "很冷。", "Yes.", "好。"]) == "下雨了。很冷。Yes. 好。"
    assert run_on([]) == ""


@pytest.mark.parametrize(("language", "told"), [("en", "A, B; C (2): x"), ("zh", "A、B；C（2）：x")])
def test_parts_of_a_sentence_stand_beside_each_other_with_the_language_s_own_signs(language: str, told: str) -> None:
    t = load_words(language)
    assert t.told(t.clauses([t.names(["A", "B"]), f"C{t.aside(2)}"]), "x") == told


def test_guests_and_tutors_are_named_in_the_reader_s_language() -> None:
    t = load_words("zh")
    assert [person_name(one, t) for one in ("Guest 3", "Guest house", "小明")] == ["访客 3", "Guest house", "小明"]
    assert [agent_name(one, t) for one in ("tutor of P1", "P1")] == ["P1的导师", "P1"]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("de-DE,en;q=0.5", "en"),
        ("", "en"),
        ("fr", "en"),
        ("ZH-tw", "zh"),
        (";;,=", "en"),
    ],
)
def test_the_browser_says_which_language(accepted: str, language: str) -> None:
    assert preferred(accepted) == language


def test_a_word_called_other_is_no_plural() -> None:
    """Kinds of furniture have one that is called so."""
    words = load_words("en")
    assert words("room.piece.other") == "object"
    assert words("room.piece.desk") == "desk"
    assert words("design.problems.count", n=1) != words("design.problems.count", n=2)


# --- one thing, one name ---

ZH = [
    *sorted((HOUSE / "words" / "zh").glob("*.yaml")),
    *sorted((HOUSE.parent / "policies" / "llm").rglob("prompts/zh/*")),
    HOUSE.parent / "policies" / "embedded" / "tutoring" / "phrases" / "zh.yaml",
]
GLOSSARY = {
    "虚拟同学": ("同伴", "其他成员"),
    "导师": ("辅导者",),
    "代答": ("替补", "备用方案", "替代"),
    "彻底删除": ("永久删除", "抹除", "清除"),
    "方案": ("场景", "情境"),
    "课桌": ("书桌",),
    "走神": ("脱离任务", "离题"),
    "识记": (),
    "节奏": ("步调",),
    "课程大纲": ("课程标准",),
    "格": ("离你 {distance} 步", "离老师 {to_teacher} 步"),
}
"""What a thing is called in Chinese, and what it is not called besides."""


@pytest.mark.parametrize("name", GLOSSARY)
def test_a_thing_has_one_name_in_chinese(name: str) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in ZH}
    assert len(texts) > 50
    assert any(name in text for text in texts.values()), "the name is in use"
    others = [(path.name, other) for path, text in texts.items() for other in GLOSSARY[name] if other in text]
    assert others == []


def test_codes_have_one_name_on_pages_in_charts_and_in_prompts() -> None:
    t = load_words("zh")
    prompts = yaml.safe_load((HOUSE.parent / "policies/llm/prompts/zh/words.yaml").read_text(encoding="utf-8"))["codes"]
    for code in ("off_task", "remember", "understand", "create", "critical", "passive", "interactive"):
        assert t.code(code) == prompts[code]
    assert t["room.level.off_task"] == t["charts.b_offtask"] == t["report.measure.b_offtask"] == t.code("off_task")
    assert t["room.cognition.remember"] == t.code("remember")


def test_chinese_speaks_to_teachers_and_of_learners_as_one_does() -> None:
    """Pages about learners are a teacher's; whoever is invited is addressed politely; a learner is a person."""
    for key, said in load_words("zh").items():
        if key.startswith(("learner.", "app.join.")):
            assert "你" not in said, key
    for path in sorted((HOUSE.parent / "policies" / "llm" / "tutoring" / "prompts" / "zh").iterdir()):
        text = path.read_text(encoding="utf-8").replace("它的基础", "")
        assert "它" not in text, path.name


@pytest.mark.parametrize(
    ("number", "said"), [(1, "一"), (6, "六"), (10, "十"), (12, "十二"), (20, "二十"), (35, "三十五"), (120, "120")]
)
def test_a_grade_is_a_word_in_chinese(number: int, said: str) -> None:
    zh, en = load_words("zh"), load_words("en")
    assert zh.ordinal(number) == said
    assert en.ordinal(number) == str(number)
    assert zh("groups.problem.about", grade=zh.ordinal(number), difficulty="难").startswith(f"{said}年级")
    assert not any("{grade} 年级" in phrase for phrase in zh.values())
