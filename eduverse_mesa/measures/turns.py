"""From sentences to turns.

A *turn* is a maximal run of sentences of one role: what the measures of real classes count. A transcript's own `turn`
column is not used for it: transcribers start a new number within one teacher's talk (after a pause), and give one
number to teacher and student.

The *floor* is finer: it belongs to one holder at a time. It passes from student to student where the speaker changes
within student talk, or, since transcripts call many speakers just "S", where the transcriber began a new turn there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures.codes import MOVES, STUDENT, TEACHER
from eduverse_mesa.measures.language import Language, count_words, detect_language, is_question
from eduverse_mesa.measures.tables import heard_by_all, require_codes, require_columns, texts

# Coders skip a sentence here and there; with more missing, shares of moves would be too low without a word.
CODED_SHARE = 0.8
# What transcribers write for a student, or several, whom they cannot name.
ANONYMOUS = frozenset(
    {
        *("", "s", "ss", "student", "students", "pupil", "pupils", "class", "all", "group", "unknown"),
        *("multiple students", "several students", "unknown student"),
        *("学生", "学生们", "同学", "同学们", "全班", "齐声"),
    }
)


class Holder(NamedTuple):
    """Holder of the floor."""

    role: str
    speaker: str


class Sentence(NamedTuple):
    """A row of a transcript."""

    role: str
    speaker: str
    text: str
    move: str
    turn: str


@dataclass(frozen=True)
class Turn:
    """A maximal run of sentences of one role."""

    role: str
    sentences: tuple[Sentence, ...]

    @cached_property
    def text(self) -> str:
        """All that is said, in one string."""
        return " ".join(sentence.text for sentence in self.sentences)

    @cached_property
    def moves(self) -> frozenset[str]:
        """The coded moves of its sentences."""
        return frozenset(sentence.move for sentence in self.sentences if sentence.move)

    @cached_property
    def words(self) -> float:
        """Its length in words."""
        return count_words(self.text)

    @cached_property
    def asks(self) -> bool:
        """Return True if the turn holds a question mark."""
        return is_question(self.text)

    def does(self, moves: frozenset[str]) -> bool:
        """Return True if the turn holds one of these moves."""
        return not moves.isdisjoint(self.moves)


@dataclass(frozen=True)
class Lesson:
    """One lesson's talk, ready to be measured."""

    turns: tuple[Turn, ...]
    floor: tuple[Holder, ...]
    language: Language | None

    def of(self, role: str) -> list[Turn]:
        """The turns of one role."""
        return [turn for turn in self.turns if turn.role == role]

    def replies(self, role: str) -> Iterator[tuple[Turn, Turn]]:
        """Each turn of one role with the other role's turn after it."""
        return ((one, other) for one, other in zip(self.turns, self.turns[1:], strict=False) if one.role == role)

    def exchanges(self) -> Iterator[tuple[Turn, Turn, Turn]]:
        """Teacher, student, teacher."""
        return (
            three for three in zip(self.turns, self.turns[1:], self.turns[2:], strict=False) if three[0].role == TEACHER
        )

    @cached_property
    def coded_roles(self) -> frozenset[str]:
        """The roles whose sentences carry codes, nearly all of them."""
        said: Counter[str] = Counter()
        coded: Counter[str] = Counter()
        for turn in self.turns:
            said[turn.role] += len(turn.sentences)
            coded[turn.role] += sum(sentence.move != "" for sentence in turn.sentences)
        return frozenset(role for role in said if coded[role] >= CODED_SHARE * said[role])


def is_named(speaker: str) -> bool:
    """Return True if a student can be told from others by this name."""
    return speaker.strip().casefold() not in ANONYMOUS


def sentences_of(table: pd.DataFrame) -> list[Sentence]:
    """The rows of a transcript that the whole class heard, checked."""
    require_columns(table, ["role", "speaker"], name="sentences")
    heard = heard_by_all(table)
    require_codes(heard["role"], MOVES, name="sentences")
    if "move" in heard.columns:
        for role, moves in MOVES.items():
            require_codes(heard.loc[heard["role"] == role, "move"], moves, name=f"sentences of {role}")
    columns = (texts(heard, column) for column in ("role", "speaker", "text", "move", "turn"))
    return [Sentence(*row) for row in zip(*columns, strict=True) if row[0]]


def turns_of(table: pd.DataFrame) -> tuple[Turn, ...]:
    """The turns of one lesson's sentences: together they are the sentences, in order."""
    return _turns(sentences_of(table))


def floor_of(table: pd.DataFrame) -> tuple[Holder, ...]:
    """Return the holders of the floor, one entry for each time it passed on."""
    return _floor(sentences_of(table))


def lesson_of(table: pd.DataFrame, language: Language | None = None) -> Lesson:
    """One lesson, read once for all measures; its language is detected unless given."""
    require_columns(table, ["role", "speaker", "text"], name="sentences")
    if "lesson" in table.columns and table["lesson"].nunique() > 1:
        names = ", ".join(map(str, table["lesson"].unique()[:3]))
        raise TableError(
            f"several lessons in one ({names} ...).",
            where="sentences",
            mend="Measure them one by one, or all at once with measure_lessons.",
        )
    sentences = sentences_of(table)
    turns = _turns(sentences)
    spoken = language or detect_language(" ".join(sentence.text for sentence in sentences))
    return Lesson(turns=turns, floor=_floor(sentences), language=spoken)


def _turns(sentences: list[Sentence]) -> tuple[Turn, ...]:
    return tuple(Turn(role, tuple(run)) for role, run in groupby(sentences, key=lambda sentence: sentence.role))


def _floor(sentences: list[Sentence]) -> tuple[Holder, ...]:
    return tuple(Holder(role, speaker) for (role, speaker, _), _ in groupby(sentences, key=_holder))


def _holder(sentence: Sentence) -> tuple[str, str, str]:
    """Teachers are one; students differ by name, and the nameless by the transcriber's turn."""
    if sentence.role != STUDENT:
        return sentence.role, "", ""
    return STUDENT, sentence.speaker, "" if is_named(sentence.speaker) else sentence.turn
