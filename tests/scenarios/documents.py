"""Tiny documents that the tests of scenarios share."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import ScenarioError

LAYOUT = """\
kind: layout
name: nook
grid: {width: 8, height: 6}
sectors:
  - name: front
    arenas:
      - name: podium
        area: [0, 0, 7, 1]
        objects:
          - {name: board, kind: board, at: [4, 0]}
teacher: [2, 1]
seats:
  - {id: a, at: [2, 3], row: 1, group: west, opposite: b}
  - {id: b, at: [4, 3], row: 1, group: east, opposite: a}
  - {id: c, at: [2, 5], row: 2, group: west}
seat_graph:
  - {rule: distance, within: 4.5}
"""
ROLL = """\
kind: class
name: trio
teacher: {name: Ms Hill}
students:
  - {name: Ann, seat: a}
  - {name: Bob}
  - {name: Cai}
"""
LESSON = """\
kind: lesson
name: tides
subject: science
genre: inquiry
goals:
  - {id: cause, text: Say what makes the tides.}
ideas:
  - id: moon
    goal: cause
    text: The moon pulls the sea.
    because: gravity weakens with distance
    partial: The moon does it.
    misconception: Wind makes the tides.
    keywords: [moon, gravity]
questions:
  - {id: why, idea: moon, ask: What pulls the sea?, bloom: remember, answer: The moon does., short_answer: the moon}
phases:
  - name: introduction
    share: 1.0
    summary: All of it.
    activities:
      - {do: ask, question: why}
"""
SCENARIO = """\
kind: scenario
name: by_the_sea
layout: nook
class: trio
lessons:
  - tides
"""
SUBJECT = """\
kind: subject
name: pond
id: P
concepts:
  - {id: P1, title: Floating, text: Why some things float., marks: [float|swim, sink]}
units:
  - id: cork
    grade: 1
    concept: P1
    idea: Cork floats because it is light for its size.
    because: a cork bobs up when you push it down
    hint: Compare a cork with a stone of the same size.
    outcome: Tell what will float.
    marks: [float, light, size]
    items:
      - {id: a, ask: Does cork float?, right: "It floats, it is light.", partial: It is light., wrong: It sinks.,
         marks: [float, light], slips: [sink]}
      - {id: b, ask: Why does it float?, right: It is light for its size., partial: It is light., wrong: It is dry.,
         marks: [light, size], slips: [dry]}
"""
CURRICULUM = """\
kind: curriculum
name: ponds
subjects: [pond]
"""
COHORT = """\
kind: cohort
name: pair
learners: [{name: Ann}, {name: Bo}]
"""
TUTORING = """\
kind: tutoring
name: by_the_pond
curriculum: ponds
cohort: pair
settings: {grades: [1, 1]}
"""
COLLABORATION = """\
kind: collaboration
name: two_of_us
problems: [steps_and_distance]
peers: [{name: Ann}, {name: Ben, skill: advanced}]
seats: [Mia]
settings: {turns: 30, parameters: {notice.limited: 1}}
"""
PROBLEM = """\
kind: problem
name: pens
title: Pens
grade: 6
difficulty: easy
statement: 12 pens cost $6, and each colour comes in 4 pens. What does one pen cost, and which box is as dear?
question: What does one pen cost?
nouns: {pen: pens}
givens:
  - {name: pens, value: 12 pens, phrase: the pens}
  - {name: paid, value: $6, phrase: the money}
subtasks:
  - variable: price
    phrase: the price of one pen
    marks: [one pen]
    formula: paid / pens
    unit: dollars per pen
    how: divide {paid} by {pens}
    says: one pen costs {price.amount}
    ask: What does one pen cost?
    why: the pens share the money
  - variable: back
    phrase: what all pens cost
    marks: [all the pens]
    formula: price * pens
    unit: dollars
    how: multiply {price} by {pens}
    says: all the pens cost {back}
    ask: What do all the pens cost?
    why: to check it
answers:
  - {variable: price, value: 50 cents per pen}
choice:
  ask: Which box is as dear?
  right_if: box_paid / box_pens == price
  how: divide {box_paid} by {box_pens}
  options:
    - {id: A, text: 4 for $2, values: {box_pens: 4 pens, box_paid: $2}, right: true, why: it is the same}
    - {id: B, text: 4 for $3, values: {box_pens: 4 pens, box_paid: $3}, right: false, why: it is more}
sense:
  - {ask: What do we know?, answer: "{pens} for {paid}"}
reflection:
  - {means: Half a dollar each., check: Multiply back., formula: price * pens == paid}
misconceptions:
  - id: turned
    kind: wrong_model
    thinks: I divide the pens by the dollars.
    changes:
      - of: price
        formula: number(pens) / number(paid)
        how: divide {pens} by {paid}
    cue: Then one pen would cost more than a dollar.
    cue_marks: [more]
    notice: It is too dear.
  - id: unshared
    kind: omitted
    thinks: It costs what it costs.
    changes:
      - {of: price, instead: number(paid)}
    cue: That is for {pens}.
    cue_marks: ["12"]
    notice: It is the price of all.
  - id: misread
    kind: misread
    thinks: It is 21 pens.
    changes:
      - {of: pens, value: 21 pens}
    cue: Read it again.
    cue_marks: [read]
    notice: It says so.
  - id: any_box
    kind: wrong_model
    thinks: Four pens are four pens.
    right_if: box_pens == 4 * (pens / 12)
    how: count {box_pens}
    cue: Look at the price.
    cue_marks: [price]
    notice: One is dearer.
"""


def write_all(folder: Path, **changed: str) -> Path:
    """A scenario with its parts side by side in a folder; the scenario's path."""
    documents = {"nook": LAYOUT, "trio": ROLL, "tides": LESSON, "by_the_sea": SCENARIO} | changed
    for name, text in documents.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / "by_the_sea.yaml"


def inline(**changes: Any) -> dict[str, Any]:
    """The same scenario as one mapping, with other values at dotted keys (`__` for a dot)."""
    from eduverse_mesa.scenarios.yaml_text import parse

    parts = {name: parse(text, name).data for name, text in (("layout", LAYOUT), ("class", ROLL), ("lesson", LESSON))}
    data: dict[str, Any] = {"name": "by_the_sea", "layout": parts["layout"], "class": parts["class"]}
    data["lessons"] = [parts["lesson"]]
    for key, value in changes.items():
        *way, last = key.split("__")
        here: Any = data
        for step in way:
            here = here[int(step)] if isinstance(here, list) else here[step]
        here[int(last) if isinstance(here, list) else last] = deepcopy(value)
    return data


def refusal(act: Callable[..., object], *given: Any, **named: Any) -> ScenarioError:
    """The mistake that a call tells of: it always has a message and a mend."""
    with pytest.raises(ScenarioError) as caught:
        act(*given, **named)
    error = caught.value
    assert error.message
    assert error.mend or hasattr(error, "problems")
    assert error.mend == error.mend.strip()
    return error
