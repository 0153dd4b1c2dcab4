"""The words of the embedded policy: a grammar over the lesson's ideas and the student's style.

Pure functions of the data of a decision, the chosen form and an address; the policy makes the choices.
"""

from eduverse_mesa.policies.embedded.classroom.words.grammar import Grammar, load_grammar
from eduverse_mesa.policies.embedded.classroom.words.student import (
    draft_sentences,
    evaluation_sentence,
    gate_reasons,
    monitor_sentence,
    pace_reason,
    plan_sentence,
    regulate_sentence,
    style_sentences,
    summary_sentences,
)
from eduverse_mesa.policies.embedded.classroom.words.teacher import feedback_sentences, teacher_sentences

__all__ = [
    "Grammar",
    "draft_sentences",
    "evaluation_sentence",
    "feedback_sentences",
    "gate_reasons",
    "load_grammar",
    "monitor_sentence",
    "pace_reason",
    "plan_sentence",
    "regulate_sentence",
    "style_sentences",
    "summary_sentences",
    "teacher_sentences",
]
