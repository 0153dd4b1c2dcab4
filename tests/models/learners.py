"""A small curriculum and cohort: tutoring that is played in a moment."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import SUBJECT

UPPER = """\
  - id: raft
    grade: 2
    concept: P1
    needs: [cork]
    idea: A raft carries more when it pushes more water aside.
    because: an empty barrel holds up a person
    hint: Push an empty bottle under water and feel what happens.
    outcome: Build something that floats and carries.
    marks: [raft|barrel, more, water]
    items:
      - {id: a, ask: What makes a raft carry more?, right: It has to push aside more water., partial: It is bigger.,
         wrong: It has to be dry., marks: [push|aside, water|bigger], slips: [dry]}
      - {id: b, ask: Why does a barrel help?, right: It is big and full of air., partial: It is big.,
         wrong: It is round., marks: [big, air], slips: [round]}
"""


def document(**settings: Any) -> dict[str, Any]:
    """Two learners, two units, as plain data."""
    subject = parse(SUBJECT + UPPER, "pond").data
    return {
        "name": "by_the_pond",
        "curriculum": {"name": "ponds", "subjects": [subject]},
        "cohort": {"name": "pair", "learners": [{"name": "Ann"}, {"name": "Bo", "traits": {"neuroticism": 0.9}}]},
        "settings": {"grades": [1, 2], "visits": 2, **settings},
    }


def taught(**given: Any) -> TutoringModel:
    """The small cohort, taught to the end."""
    settings = given.pop("settings", {})
    return TutoringModel(document(**settings), **{"seed": 1, **given}).run()
