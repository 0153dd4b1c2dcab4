"""Lines to be heard, one JSON object a line, and what people say that they mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from eduverse_mesa.decisions.hearing import Before, Candidate, Hear
from eduverse_mesa.errors import EduverseError, TableError
from eduverse_mesa.hearing.candidates import of_lesson, of_problem, of_unit
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Subject, Unit
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.scenarios.loader import load_document, load_problem
from eduverse_mesa.vocabulary import STUDENT_MOVES, TEACHER_MOVES, Listener, Manner, SpeechAct

ANYTHING = ""
"""The matter of a line that names none: there are no candidates."""
_TEACHERS = ("teacher", "tutor", "老师", "教师")
Move = Literal[
    "none", "keep-together", "get-to-relate", "restate", "revoice", "press-accuracy", "press-reasoning",
    "relate", "ask", "claim", "evidence",
]  # fmt: skip
MOVES: tuple[str, ...] = (*TEACHER_MOVES, *(move for move in STUDENT_MOVES if move not in TEACHER_MOVES))


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SaidBefore(_Part):
    """One line that was said before."""

    speaker: str = ""
    text: str


class Label(_Part):
    """The meaning of a line, by somebody who has read it: the guide is tools/hearing/guide.md."""

    acts: tuple[SpeechAct, ...] = Field(min_length=1)
    move: Move = "none"
    about: str | None = None
    also: tuple[str, ...] = ()
    how: Manner = "asserted"
    right: StrictBool | None = None
    value: str | None = None
    reason: StrictBool = False
    reason_for: str | None = None
    to: str | None = None
    trouble: StrictBool = False


class Line(_Part):
    """One line: the words, and as much of what was around them as is known."""

    id: str = ""
    text: Annotated[str, Field(max_length=20_000)]
    before: tuple[SaidBefore | str, ...] = ()
    speaker: str = ""
    on_table: str | None = None
    listener: Listener | None = None
    problem: str | None = None
    unit: str | None = None
    lesson: str | None = None
    language: str | None = None
    labels: Mapping[str, Label] = {}
    place: str = Field("", exclude=True, description="the file and its line, for messages")

    @property
    def matter(self) -> tuple[str, str]:
        """The unit, problem or lesson, as its kind and its name; both empty where nothing is named."""
        named = (("problem", self.problem), ("unit", self.unit), ("lesson", self.lesson))
        return next(((kind, name) for kind, name in named if name), ("", ""))


def read_lines(file: Path) -> list[Line]:
    """The lines of a file. TableError names the file, the line and the field that cannot be read."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise TableError(f"the file cannot be read: {told}.", where=str(file), mend="Check the path.") from None
    return [read_line(one, f"{file}, line {number}") for number, one in _numbered(text)]


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    return ((number, one) for number, one in enumerate(text.split("\n"), 1) if one.strip())


def read_line(written: str, where: str) -> Line:
    """One line of a file."""
    mend = 'Each line is a JSON object such as {"text": "so it is 12?", "speaker": "Mia"}.'
    try:
        return Line.model_validate(json.loads(written)).model_copy(update={"place": where})
    except json.JSONDecodeError as error:
        raise TableError(f"this is no JSON: {error.msg}.", where=where, mend=mend) from None
    except RecursionError:
        raise TableError("this is nested too deeply.", where=where, mend=mend) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "the line"
        raise TableError(f"{field}: {first['msg']}.", where=where, mend=mend) from None


# --- the matter ---


@cache
def _units() -> dict[tuple[str, str], Unit]:
    found = {}
    for name in list_names("subject"):
        subject = load_document("subject", name)
        assert isinstance(subject, Subject)
        found.update({(unit.id, subject.language): unit for unit in subject.units})
    return found


@cache
def candidates_of(kind: str, name: str, language: str = "en") -> tuple[tuple[Candidate, ...], str]:
    """The candidates of a unit, a problem or a lesson, and what it is about in a sentence.

    Names are those of built-in documents or paths of files; of a unit, its id.
    """
    if kind == "problem":
        problem = load_problem(name)
        return of_problem(problem), problem.statement
    if kind == "lesson":
        lesson = load_document("lesson", name)
        assert isinstance(lesson, Lesson)
        return of_lesson(lesson), lesson.title
    if kind == "unit":
        unit = _units().get((name, language)) or next((one for (id_, _), one in _units().items() if id_ == name), None)
        if unit is None:
            raise TableError(f"there is no unit '{name}'.", mend="`eduverse show subject NAME` lists the units of one.")
        return of_unit(unit), unit.idea
    return (), ""


def decision_of(line: Line, listener: Listener | None = None, *, at: Address | None = None) -> Hear:
    """The question what a line means, to whom it is said; a line's own listener goes before the one that is given."""
    heard_by = line.listener or listener
    if heard_by is None:
        raise TableError(
            "nobody hears this line.", where=line.place, mend="Give --listener, or `listener` in the line."
        )
    kind, name = line.matter
    language = line.language or ("zh" if any("\u3400" <= sign <= "\u9fff" for sign in line.text) else "en")
    try:
        candidates, about = candidates_of(kind, name, language)
    except EduverseError as error:
        if line.place and not error.where:
            error.where = line.place
        raise
    before = tuple(_before(one) for one in line.before)
    return Hear(
        at=at or Address(0, 0, 0, line.speaker),
        listener=heard_by,
        speaker=line.speaker,
        text=line.text,
        teaches=heard_by == "learner" or (heard_by == "pupil" and is_teacher(line.speaker)),
        before=before,
        on_table=line.on_table or "",
        candidates=candidates,
        members=tuple(dict.fromkeys(one.speaker for one in before if one.speaker)),
        matter=about,
        language=language,
    )


def _before(said: SaidBefore | str) -> Before:
    if isinstance(said, str):
        return Before("", said)
    return Before(said.speaker, said.text, is_teacher(said.speaker))


def is_teacher(speaker: str) -> bool:
    """Return True if a speaker's name is that of a teacher or a tutor, such as Tutor, 王老师 or Ms Hall."""
    small = speaker.strip().lower()
    return any(word in small for word in _TEACHERS) or small.split(" ")[0].rstrip(".") in ("mr", "ms", "mrs", "miss")


def labelled(lines: Iterable[Line], who: str) -> list[tuple[Line, Label]]:
    """The lines that somebody has labelled, each with their label."""
    return [(line, line.labels[who]) for line in lines if who in line.labels]


def as_json(line: Line, meant: Any) -> dict[str, object]:
    """A heard line as it is printed: its words and what they meant."""
    return {
        **({"id": line.id} if line.id else {}),
        "text": line.text,
        "acts": list(meant.acts),
        "move": meant.move,
        "about": meant.about or None,
        "how": meant.how,
        "right": meant.right,
        "value": meant.value or None,
        "reason_for": meant.reason_for or None,
        "to": meant.to or None,
        "trouble": meant.trouble,
        "confidence": meant.confidence,
    }
