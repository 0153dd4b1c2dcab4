"""The files that prompts are made of: the same in every language, complete for every code, and a scenario's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

from eduverse_mesa import ClassroomModel
from eduverse_mesa.decisions import STRATEGIES
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.policies.llm.answer import Asker
from eduverse_mesa.policies.llm.calls import Sampling
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.prompts.blocks import codes_block
from eduverse_mesa.policies.llm.prompts.templates import CLASSROOM, CODE_LISTS, LANGUAGES, Templates, template_text
from eduverse_mesa.policies.llm.stages import Fused, Staged
from eduverse_mesa.vocabulary import (
    ACT_CATEGORY,
    ACTS,
    BEHAVIOURS,
    BLOOM,
    EMOTIONS,
    LEVEL_NAMES,
    PEER_REQUESTS,
    STUDENT_MOVES,
    TEACHER_MOVES,
    TONES,
    Doing,
    PhaseName,
)
from tests.policies.llm.rehearsal import CHINESE, ENGLISH, Rehearsal

PLACES = CLASSROOM.places
PLACE = re.compile(r"\{\{(\w+)\}\}")
FIELD = re.compile(r"\{(\w*)\}")
HAN = re.compile(r"[\u3400-\u9fff]")


def places(name: str, language: str) -> list[str]:
    return PLACE.findall(template_text(name, language))


def words(language: str) -> Mapping[str, Any]:
    return Templates(language).words


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every word of the file with the keys that lead to it; the titles of code lists are words themselves."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, (*path, str(key)))
    else:
        yield path, str(value)


def fields(language: str) -> dict[tuple[str, ...], list[str]]:
    return {
        path: sorted(FIELD.findall(text)) for path, text in leaves(words(language)) if path[0] not in ("code_lists",)
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_file_for_every_template_and_no_other(language: str) -> None:
    folder = files("eduverse_mesa.policies.llm.prompts") / language
    assert {file.name for file in folder.iterdir()} == {f"{name}.md" for name in PLACES} | {"words.yaml"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PLACES)
def test_a_template_has_each_of_its_places(name: str, language: str) -> None:
    assert set(places(name, language)) == set(PLACES[name])
    assert "{{" not in PLACE.sub("", template_text(name, language))


def test_languages_have_the_same_words_with_the_same_fields() -> None:
    assert fields("zh") == fields("en")
    assert list(words("zh")) == list(words("en"))


def test_languages_list_the_same_codes_in_the_same_order() -> None:
    assert list(words("zh")["code_lists"].values()) == list(words("en")["code_lists"].values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_says_which_language_it_is_in(language: str) -> None:
    assert words(language)["code"] == language
    assert words(language)["language"] == {"en": "English", "zh": "中文"}[language]


def test_the_chinese_files_are_in_chinese() -> None:
    for name in PLACES:
        assert HAN.search(template_text(name, "zh")), name
    for path, text in leaves(words("zh")):
        code = path[0] == "code_lists" or path == ("code",)
        bare = FIELD.sub("", text)
        assert code or HAN.search(bare) or not re.search("[A-Za-z]", bare), path
    for title in words("zh")["code_lists"]:
        assert HAN.search(title), title


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_a_gloss(language: str) -> None:
    known = words(language)["codes"]
    needed = {
        *BEHAVIOURS,
        *EMOTIONS,
        *BLOOM,
        *ACTS,
        *ACT_CATEGORY.values(),
        *TONES,
        *LEVEL_NAMES,
        *STRATEGIES,
        *PEER_REQUESTS,
        *get_args(Doing),
    }
    assert needed - known.keys() == set()
    assert set(words(language)["phases"]) == set(get_args(PhaseName))
    assert tuple(words(language)["student_moves"]) == STUDENT_MOVES
    assert tuple(words(language)["teacher_moves"]) == TEACHER_MOVES


@pytest.mark.parametrize("language", LANGUAGES)
def test_codes_that_are_chosen_from_stand_with_the_rules(language: str) -> None:
    assert sorted(words(language)["code_lists"].values()) == sorted(CODE_LISTS)
    block = codes_block(words(language))
    assert [code for codes in CODE_LISTS.values() for code in codes if code not in block] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_glosses_within_a_list_differ(language: str) -> None:
    codes = words(language)["codes"]
    for group in (BEHAVIOURS, EMOTIONS, BLOOM, ACTS, TONES, LEVEL_NAMES, STRATEGIES):
        assert len({codes[code] for code in group}) == len(group)


def test_a_line_whose_places_are_empty_and_a_heading_with_nothing_below_it_are_left_out() -> None:
    own = {"scene": "# Rules\nbe brief\n# Heard\n{{talk}}\n# Nothing\n"}
    assert Templates("en", own).fill("scene", {"talk": ""}) == "# Rules\nbe brief"
    assert Templates("en", own).fill("scene", {"talk": "a line"}) == "# Rules\nbe brief\n# Heard\na line"


def lesson(scenario: str | None, own: Mapping[str, str], stages: type[Staged], text: str) -> Rehearsal:
    """Two steps of a lesson with these templates, and the calls that were made in it."""
    rehearsal = Rehearsal(text=text)
    asker = Asker(rehearsal, None, "m", Sampling(), reasks=0, send_seed=True)
    policy = LlmPolicy("llm", stages(asker, Prompter(own, 8), None), None)
    model = ClassroomModel(scenario, policy=policy, seed=1, steps=8)
    while model.running:
        model.step()
    assert {entry.answer.status for entry in model.journal.answers} == {"ok"}
    return rehearsal


@pytest.mark.parametrize("stages", [Staged, Fused])
def test_a_whole_lesson_in_chinese_leaves_no_place_open(stages: type[Staged]) -> None:
    calls = lesson("chinese_lesson", {}, stages, CHINESE).calls
    for call in calls:
        system, user = call.messages
        assert system.content.startswith(template_text("frame", "zh").splitlines()[0])
        assert "人物都说中文" in system.content
        assert "# 请你回答" in user.content
        assert not FIELD.search(re.sub("«.*?»", "", system.content + user.content.split("按下面的格式回答")[0]))


@pytest.mark.parametrize("stages", [Staged, Fused])
def test_a_scenarios_own_template_is_used_and_the_others_stay(stages: type[Staged]) -> None:
    name = "plan" if stages is Staged else "student_turn"
    own = {name: "# Now you\nPick one of {{behaviours}}.\n{{form}}\n"}
    calls = lesson(None, own, stages, ENGLISH).calls
    with_own = [call for call in calls if "# Now you\nPick one of " in call.messages[1].content]
    assert with_own == [call for call in calls if call.name == name]
    assert with_own
    assert all(call.messages[0].content.startswith("You take part in a simulation") for call in calls)


def test_a_template_that_does_not_exist_is_refused_when_the_policy_is_made() -> None:
    with pytest.raises(ScenarioError) as refused:
        Prompter({"plann": "{{form}}"}, 8)
    assert refused.value.where == "settings.llm.prompts.plann"
    assert "Did you mean 'plan'?" in refused.value.mend
    assert "student_turn" in refused.value.mend


@pytest.mark.parametrize("place", ["acts", "Form", "no-such", "", "form.text"])
def test_a_place_that_does_not_exist_is_refused_when_the_policy_is_made(place: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        Prompter({"plan": f"{{{{form}}}} {{{{{place}}}}}"}, 8)
    assert refused.value.where == "settings.llm.prompts.plan"
    assert f"'{{{{{place}}}}}'" in refused.value.message
    assert refused.value.mend == "It may use {{request}}, {{refused}}, {{behaviours}}, {{form}}."


def test_single_braces_in_a_template_are_only_text() -> None:
    own = {"tone": 'Like {"tone": {"a": 1}}: {{ form }}'}
    assert Templates("en", own).fill("tone", {"form": "F", "act": "", "words": ""}) == 'Like {"tone": {"a": 1}}: F'


def test_the_guide_lists_every_template_with_its_places() -> None:
    guide = Path(__file__).resolve().parents[3] / "docs" / "guides" / "prompts.md"
    table = re.findall(r"^\| `(\w+)` \| .* \| (`.*`) \|$", guide.read_text(encoding="utf-8"), re.M)
    assert {name: tuple(re.findall(r"`(\w+)`", places)) for name, places in table} == dict(PLACES)
