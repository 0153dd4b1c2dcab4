"""Each vocabulary of the house is declared once, and every code is labelled and coloured wherever it is shown."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast, get_args

import pytest
import yaml

import eduverse_mesa
from eduverse_mesa import vocabulary
from eduverse_mesa.policies.llm.prompts.templates import CODE_LISTS
from eduverse_mesa.scenarios import layout_rules
from eduverse_mesa.visualization import palette
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from eduverse_mesa.vocabulary.labels import complete, load_labels

HOUSE = Path(eduverse_mesa.__file__).parent
VOCABULARIES: Mapping[str, tuple[str, ...]] = {
    "Behaviour": vocabulary.BEHAVIOURS,
    "Emotion": vocabulary.EMOTIONS,
    "Cognition": vocabulary.BLOOM,
    "Strategy": vocabulary.STRATEGIES,
    "Ground": vocabulary.GROUNDS,
    "Act": vocabulary.ACTS,
    "Tone": vocabulary.TONES,
    "Polarity": vocabulary.POLARITIES,
    "PaceMove": vocabulary.PACE_MOVES,
    "PhaseName": vocabulary.PHASES,
    "Doing": vocabulary.DOINGS,
    "SeatRuleKind": layout_rules.SEAT_RULES,
    "TeacherMove": vocabulary.TEACHER_MOVES,
    "StudentMove": vocabulary.STUDENT_MOVES,
}
LABELS = {"Doing": "design.doing"}
"""Pages that label a vocabulary; all others are labelled with the codes."""
ELSEWHERE = {"SeatRuleKind": layout_rules}
"""Vocabularies that are declared beside what they mean."""
SHORTEST = 4
"""Sets of fewer words are too common to be told from other lists of the same words."""


def texts(nodes: list[ast.expr | None]) -> frozenset[str]:
    """The strings of a listing; empty if anything else is in it."""
    found = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return frozenset(found) if len(found) == len(nodes) else frozenset()


def listings(tree: ast.AST) -> Iterator[tuple[int, frozenset[str]]]:
    """Sets, tuples, lists, Literals and keys of dicts that consist of strings.

    A dict whose annotation names the vocabulary's type says something about each code and declares none: mypy holds its
    keys to the type.
    """
    typed = {
        node.value: ast.unparse(node.annotation)
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            yield node.lineno, texts(list(node.elts))
        elif isinstance(node, ast.Dict):
            keys = texts(node.keys)
            if not any(f"[{name}, " in typed.get(node, "") for name, of in VOCABULARIES.items() if keys == set(of)):
                yield node.lineno, keys


def copies(tree: ast.AST) -> list[tuple[int, str]]:
    """The lines at which a declared vocabulary is listed, with its name."""
    return [
        (line, name)
        for line, found in listings(tree)
        for name, of in VOCABULARIES.items()
        if len(of) >= SHORTEST and found == set(of)
    ]


def test_no_vocabulary_is_listed_a_second_time() -> None:
    found = [
        (name, path.relative_to(HOUSE).as_posix())
        for path in sorted(HOUSE.rglob("*.py"))
        for _, name in copies(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert [name for name, count in Counter(name for name, _ in found).items() if count > 1] == []
    places = {path for name, path in found if name not in ELSEWHERE}
    assert {path.partition("/")[0] for path in places} == {"vocabulary"}


@pytest.mark.parametrize("name", [name for name, of in VOCABULARIES.items() if len(of) >= SHORTEST])
def test_a_second_listing_is_found(name: str) -> None:
    of = VOCABULARIES[name]
    weights = dict.fromkeys(reversed(of), 1)
    for copy in (set(of), of[::-1], list(of), weights):
        assert [found for _, found in copies(ast.parse(f"X = {copy!r}"))] == [name]
    assert copies(ast.parse(f"X = Literal{list(of)!r}")) == [(1, name)]
    assert copies(ast.parse(f"X: dict[str, int] = {weights!r}")) == [(1, name)]
    assert copies(ast.parse(f"X: dict[{name}, int] = {weights!r}")) == [], "this says something about each code"
    assert copies(ast.parse(f"X = {of[1:]!r}")) == []


def test_every_vocabulary_is_declared_by_its_type() -> None:
    declared = {name: get_args(getattr(ELSEWHERE.get(name, vocabulary), name)) for name in VOCABULARIES}
    assert declared == VOCABULARIES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_code_has_a_label(name: str, language: str) -> None:
    words, page = load_words(language), LABELS.get(name, "codes")
    assert [code for code in VOCABULARIES[name] if f"{page}.{code}" not in words] == []
    assert [code for code in VOCABULARIES[name] if not words[f"{page}.{code}"].strip()] == []


def test_labels_of_a_code_are_written_once() -> None:
    for language in LANGUAGES:
        text = (HOUSE / "vocabulary" / f"{language}.yaml").read_text(encoding="utf-8")
        keys = [str(key.value) for key, _ in cast(yaml.MappingNode, yaml.compose(text)).value]
        assert len(keys) == len(set(keys))
        assert set(keys) == set(load_labels("en"))


def test_a_code_without_words_of_its_own_has_its_label() -> None:
    own = complete({"chat": "plaudert"}, ("chat", "sleep"), "en")
    assert own == {"chat": "plaudert", "sleep": load_labels("en")["sleep"]}


def test_every_level_and_phase_has_its_colour() -> None:
    assert tuple(palette.PHASE) == vocabulary.PHASES
    assert len(set(palette.PHASE.values())) == len(vocabulary.PHASES)
    assert set(palette.EMOTION) == set(vocabulary.EMOTION_LEVEL_NAMES)
    assert {name.replace("_", "") for name in vocabulary.LEVEL_NAMES} == set(palette.BEHAVIOUR)


def test_levels_are_those_of_the_types() -> None:
    assert {vocabulary.emotion_level_name(emotion) for emotion in vocabulary.EMOTIONS} == set(
        vocabulary.EMOTION_LEVEL_NAMES
    )
    assert {vocabulary.level_name(behaviour) for behaviour in vocabulary.BEHAVIOURS} == set(vocabulary.LEVEL_NAMES)
    assert vocabulary.emotion_level_name("") == ""
    assert vocabulary.share_of_level({"positive": 0.25, "confused": 0.5}, "confused") == 0.5


def test_rules_of_a_prompt_name_whole_vocabularies() -> None:
    known = [set(of) for of in VOCABULARIES.values()]
    assert all(set(codes_of) in known for codes_of in CODE_LISTS.values())
