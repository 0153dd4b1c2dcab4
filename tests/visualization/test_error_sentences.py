"""What goes wrong is said in the reader's language: each English sentence that a page may show has its Chinese."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

import eduverse_mesa.visualization.words as words
from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.formulas import parse
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.store import Study
from eduverse_mesa.visualization.words import load_words
from eduverse_mesa.visualization.words.errors import bare_text, error_text, sentence
from tests.sentences import ROOT, imported, sentences

CHINESE, ENGLISH = load_words("zh"), load_words("en")
BOOK = yaml.safe_load((Path(words.__file__).parent / "sentences" / "zh.yaml").read_text(encoding="utf-8"))
GAP = re.compile(r"\{(\d?)\}")
UNSEEN = (
    "agents/",
    "experiments/engines/ray.py",
    "experiments/measurers.py",
    "experiments/sweeps/",
    "measures/",
    "models/decision_model.py",
    "policies/driver.py",
    "policies/embedded/classroom/words/grammar.py",
    "policies/llm/groups/questions.py",
    "policies/llm/prompts/",
    "policies/llm/tutoring/questions.py",
    "policies/policy.py",
    "policies/shared_limit.py",
    "policies/mixture.py",
)
"""What speaks to people who program, translate or start things from the command line: no page can come to it."""


@cache
def shown() -> dict[str, set[str]]:
    """The sentences that pages can come to, with their modules."""
    pages = [*(ROOT / "dashboard").rglob("*.py"), *(ROOT / "pupils").rglob("*.py")]
    found = sentences(imported(pages)).templates
    return {said: seen for said, places in found.items() if (seen := {p for p in places if not p.startswith(UNSEEN)})}


def test_every_sentence_that_a_page_can_show_has_its_chinese() -> None:
    assert len(shown()) > 900, "the source is not read any more"
    assert {said: sorted(places) for said, places in shown().items() if said not in BOOK["sentences"]} == {}


def test_no_chinese_is_kept_of_a_sentence_that_is_gone() -> None:
    assert [said for said in BOOK["sentences"] if said not in shown()] == []


def test_what_is_filled_in_is_filled_in_in_chinese_too() -> None:
    for english, chinese in {**BOOK["sentences"], **BOOK["parts"]}.items():
        gaps, again = english.count("{}"), GAP.findall(chinese)
        assert len(again) == gaps, english
        assert not any(again) or sorted(map(int, again)) == list(range(gaps)), english


def test_no_chinese_sentence_is_an_english_one() -> None:
    commands = ("pip install", "ray start")
    for english, chinese in BOOK["sentences"].items():
        assert re.search(r"[\u4e00-\u9fff]", chinese) or english.startswith(commands), english


def test_each_is_found_again_whatever_stands_in_its_gaps() -> None:
    """Where another fits as well, its words would be shown."""
    wrong = {}
    for english, chinese in BOOK["sentences"].items():
        parts = english.split("{}")
        values = [
            f"x{at}" if part or not at else f": x{at}" for at, part in enumerate(parts[:-1])
        ]  # behind another gap
        text = "".join(part + value for part, value in zip(parts, [*values, ""], strict=True))
        waiting = iter(values)
        filled = GAP.sub(lambda gap: values[int(gap[1])] if gap[1] else next(waiting), chinese)  # noqa: B023
        said = sentence(text, CHINESE)
        if said.removesuffix("。") != filled.removesuffix("。"):
            wrong[english] = said
    assert wrong == {}


def refused(do: object) -> EduverseError:
    with pytest.raises(EduverseError) as caught:
        do()  # type: ignore[operator]
    return caught.value


def test_what_documents_are_refused_for_is_said_in_chinese(tmp_path: Path) -> None:
    said = {
        "nothing": lambda: load_scenario(tmp_path / "none.yaml"),
        "key": lambda: load_scenario({"kind": "scenario", "name": "a", "lesons": []}),
        "choice": lambda: load_scenario("first_lesson", settings={"gate.threshold": 3}),
        "formula": lambda: parse("a +"),
        "study": lambda: Study.open(str(tmp_path / "gone.study")),
        "name": lambda: load_scenario("first_leson"),
    }
    for name, do in said.items():
        text = error_text(refused(do), CHINESE)
        text = re.sub(r"“[^”]*”|`[^`]*`|'[^']*'|\S*\.(yaml|study)\S*|eduverse [\w ]+|--\w+", "", text)
        known = re.sub(r"：[\w, ]+(、|。|；)", "", text)  # names that may be written
        assert not re.search(r"[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{2,}", known), (name, text)


def test_several_mistakes_are_listed_in_chinese_each_with_its_place() -> None:
    document = {"kind": "scenario", "name": "a", "layout": "lecture", "lessons": ["spring_1"], "colour": 1, "class": 3}
    error = refused(lambda: load_scenario(document))
    text = error_text(error, CHINESE)
    assert "处不对" in text
    assert "没有 'colour' 这个键" in text
    assert text.count("\n- ") == len(error.problems)  # type: ignore[attr-defined]


def test_what_somebody_wrote_stays_and_english_stays_as_it_was() -> None:
    error = ScenarioError("there is no student 'text'.", where="seating", mend="Students: Ann, Bo.")
    assert bare_text(error, CHINESE) == "没有“text”这名学生。学生有：Ann, Bo。"
    assert error_text(error, ENGLISH) == str(error)
    assert sentence("A sentence of nobody's.", CHINESE) == "A sentence of nobody's."
