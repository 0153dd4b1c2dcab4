"""A problem as a form: a field for everything that a document may hold, each with what is wrong with it beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.pupils.markup import Markup, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.teacher.parts import choice
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.files import read_bytes
from eduverse_mesa.scenarios.plain import Plain, Trail, dotted, exists, value_at
from eduverse_mesa.scenarios.problems import Problem, as_error, explain
from eduverse_mesa.scenarios.proof import check_word_problem, echoed
from eduverse_mesa.scenarios.word_problem import Change, Choice, Misconception, Option, Subtask, WordProblem
from eduverse_mesa.visualization.widgets.fields import Kind, kind_of
from eduverse_mesa.visualization.words import LANGUAGES, Words
from eduverse_mesa.visualization.words.errors import error_text, problem_text

_FIELD = re.compile(r"\[(\w+)\.(\w+)\]")
"""In words: where the name of a field stands."""
_MADE_UP: dict[type[Part], frozenset[str]] = {
    WordProblem: frozenset({"name"}),
    Misconception: frozenset({"id"}),
    Option: frozenset({"id"}),
}
"""Fields that the form makes up where they are left empty."""
_TOLD = {
    Change: frozenset({"value", "formula", "instead", "how"}),
    Misconception: frozenset({"changes", "right_if", "how"}),
    Subtask: frozenset({"unit"}),
    WordProblem: frozenset({"title", "choice", "language"}),
}
"""Of which a hint says when they are needed."""


def label(t: Words, part: str, name: str) -> str:
    """Return the label of a field: the one for its part, or else the one for every part."""
    own = f"teaching.field_of.{part}.{name}"
    return t[own if own in t else f"teaching.field.{name}"]


def hint(t: Words, part: str, name: str) -> str:
    """Return the hint about what may stand in a field; empty where that needs no words."""
    own = f"teaching.hint_of.{part}.{name}"
    known = own if own in t else f"teaching.hint.{name}"
    return t.get(known, "")


def is_optional(part: type[Part], name: str) -> bool:
    """Return True if a field may stay empty, and nothing else says so."""
    if name in _MADE_UP.get(part, ()):
        return True
    return not part.model_fields[name].is_required() and name not in _TOLD.get(part, ())


def said(t: Words, problem: Problem, value: Plain = None) -> str:
    """Return the words for what is wrong with a value: those of the form, or else those of files."""
    key = f"problem_form.wrong.{_code(problem)}"
    if not problem.code or key not in t:
        return problem_text(problem, t)
    given = dict(problem.given)
    if problem.code == "no_variable":
        given["example"] = short_name(str(value)) or "path_length"
    named = _FIELD.sub(lambda found: f"“{label(t, found[1], found[2])}”", t[key])
    return named.format_map(given) if given else named


def _code(problem: Problem) -> str:
    if problem.code == "other_unit":
        given = dict(problem.given)
        return "other_unit_plain" if not given["has"] else "other_unit" if given["wanted"] else "other_unit_bare"
    return problem.code


def short_name(text: str) -> str:
    """A name for formulas, made of whatever letters and digits a text has: `Mia eats` becomes `mia_eats`."""
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_0123456789")[:40].strip("_")


_PAIR = re.compile(r"[:：]|\s*[,，]\s*")
"""Separators between the two halves of a pair, best a colon."""
MOST_MISTAKES = 20
FIRST: dict[type[Part], dict[str, Plain]] = {
    Misconception: {"changes": [{}]},
    Choice: {"options": [{}, {}]},
}
"""With what an entry begins that is added."""
PREFIX = "f."
"""With which names of fields begin."""
_HIDDEN = {"kind": "problem"}
"""Fields at the top of each problem that nobody chooses."""


def fields_of(part: type[Part]) -> dict[str, Kind]:
    """The fields of a part, in the order of the document."""
    return {
        name: kind_of(info)
        for name, info in part.model_fields.items()
        if not (part is WordProblem and name in _HIDDEN)
    }  # fmt: skip


def is_shown(data: Plain, part: type[Part] = WordProblem) -> bool:
    """Return True if a form can show all that is in a document: no field that it lacks, nothing in another shape."""
    if not isinstance(data, dict):
        return False
    known = fields_of(part)
    hidden = _HIDDEN if part is WordProblem else {}
    return all(
        data[name] == hidden[name] if name in hidden else name in known and _fits(value, known[name])
        for name, value in data.items()
    )


def _fits(value: Plain, kind: Kind) -> bool:
    if kind.shape == "parts":
        assert kind.part is not None
        return isinstance(value, list) and all(is_shown(one, kind.part) for one in value)
    if kind.shape == "part":
        assert kind.part is not None
        return value is None or is_shown(value, kind.part)
    if kind.shape == "lines":
        return isinstance(value, list) and all(isinstance(one, str) and "\n" not in one for one in value)
    if kind.shape == "pairs":
        return isinstance(value, dict) and all(
            isinstance(one, str) and "\n" not in f"{key}{one}" and not _PAIR.search(key) for key, one in value.items()
        )
    return not isinstance(value, list | dict)


def places(
    data: Mapping[str, Plain], part: type[Part] = WordProblem, trail: Trail = ()
) -> Iterator[tuple[str, Kind | None]]:
    """All places at which a form can show what is wrong, and what may stand there; None for a part as a whole."""
    yield dotted(trail), None
    for name, kind in fields_of(part).items():
        at = (*trail, name)
        value: Any = data.get(name)
        if kind.part is not None and value is not None:
            for place, one in [(at, value)] if kind.shape == "part" else [((*at, n), v) for n, v in enumerate(value)]:
                yield from places(one, kind.part, place)
        yield dotted(at), kind


# --- from a form ---


def from_form(form: Mapping[str, list[str]]) -> dict[str, Plain]:
    """The document that a form holds. What is left empty is left out."""
    found = _part({name: values[0] for name, values in form.items() if name.startswith(PREFIX)}, WordProblem, ())
    return {**_HIDDEN, **found}


def _part(form: Mapping[str, str], part: type[Part], trail: Trail) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for name, kind in fields_of(part).items():
        value = _value(form, kind, (*trail, name))
        if value is not None:
            found[name] = value
    return found


def _value(form: Mapping[str, str], kind: Kind, trail: Trail) -> Plain:
    name = PREFIX + dotted(trail)
    if kind.shape == "parts":
        assert kind.part is not None
        numbers = {rest.partition(".")[0] for key in form if (rest := key.removeprefix(f"{name}.")) != key}
        entries = sorted(int(one) for one in numbers if one.isascii() and one.isdecimal() and len(one) < 4)
        return [_part(form, kind.part, (*trail, number)) for number in entries] or None
    if kind.shape == "part":
        assert kind.part is not None
        there = any(key.startswith(f"{name}.") for key in form)
        return _part(form, kind.part, trail) if there else None
    text = form.get(name, "").replace("\r\n", "\n").strip()
    if not text:
        return None
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if kind.shape == "lines":
        return list(lines)
    if kind.shape == "pairs":
        halves = [_PAIR.split(line, maxsplit=1) for line in lines]
        return {key.strip(): "".join(value).strip() for key, *value in halves}
    if kind.shape == "yes_no":
        return text == "yes"
    if kind.shape == "number" and text.isdecimal() and len(text) < 9:
        return int(text)
    return text


def complete(data: dict[str, Any], taken: Collection[str] = ()) -> dict[str, Any]:
    """The same with what the form makes up where it is left empty: the name, of the title, and what mistakes and
    options are called. `taken`: the names of other problems."""
    named = dict(data)
    if not data.get("name") and (slug := re.sub(r"\W+", "_", str(data.get("title") or "").casefold()).strip("_")[:60]):
        named["name"] = free_name(slug, taken)
    if data.get("language") == "zh" and data.get("nouns"):  # words have no plural there
        named["nouns"] = {one: many or one for one, many in data["nouns"].items()}
    mistakes = named.get("misconceptions")
    if mistakes:
        named["misconceptions"] = _called(mistakes, [f"mistake_{number + 1}" for number in range(MOST_MISTAKES)])
    choice = named.get("choice")
    if choice and choice.get("options"):
        named["choice"] = {**choice, "options": _called(choice["options"], ascii_uppercase)}
    order = {**dict.fromkeys(_HIDDEN), "name": None, **named}
    return {key: named[key] for key in order if key in named}


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that no other problem has, as near to this one as can be."""
    tries = (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(one for one in tries if one not in taken)


def _called(entries: list[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Entries that all have an id; one that is made up is free, as long as there are such names."""
    known = {one.get("id") for one in entries}
    free = iter([one for one in names if one not in known])
    return [one if one.get("id") else {"id": next(free, ""), **one} for one in entries]


# --- to a text, and in it ---


def write_document(data: Mapping[str, Plain]) -> str:
    """The document as a file holds it."""
    return yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False, width=110)


def change_list(data: dict[str, Any], wish: str) -> None:
    """Add an entry (`add:givens`), take one out (`remove:givens.2`) or move it up (`up:givens.2`). What no form of ours
    asks for changes nothing."""
    what, _, place = wish.partition(":")
    names = place.split(".")
    here: Any = data
    part: type[Part] = WordProblem
    kind: Kind | None = None
    for depth, name in enumerate(names):
        if kind is not None and kind.shape == "parts":  # this is the number of an entry
            if not (name.isascii() and name.isdecimal() and isinstance(here, list) and int(name) < len(here)):
                return
            if depth == len(names) - 1:
                _move(here, int(name), what)
                return
            here, kind = here[int(name)], None
            continue
        kind = fields_of(part).get(name)
        if kind is None or kind.part is None:
            return
        part = kind.part
        if depth == len(names) - 1:
            _add(here, name, kind, what)
            return
        here = here.get(name)
        if here is None:
            return
        kind = kind if kind.shape == "parts" else None


def _move(entries: list[Any], number: int, what: str) -> None:
    if what == "remove":
        del entries[number]
    elif what == "up" and number:
        entries[number - 1 : number + 1] = [entries[number], entries[number - 1]]


def _add(here: dict[str, Any], name: str, kind: Kind, what: str) -> None:
    if what == "remove":
        here.pop(name, None)
    elif what == "add" and kind.shape == "parts":
        here.setdefault(name, []).append(deepcopy(FIRST.get(kind.part or Part, {})))
    elif what == "add":
        here[name] = deepcopy(FIRST.get(kind.part or Part, {}))


ACTION = "/problems/edit"
_LONG = frozenset({"statement"})
_TITLES = ("phrase", "thinks", "variable", "name", "ask", "means", "text", "of")
"""Fields by which one knows an entry again, the best first."""
_OF_OPTIONS = frozenset({"right_if", "how"})
"""Fields that a mistake has only where there are options to choose from."""
_NAMES = "known-names"


@dataclass(frozen=True)
class Troubles:
    """Troubles to be told, by place: dotted trails; an empty one is the whole."""

    wrong: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, str] = field(default_factory=dict)
    """Places that are still to fill in. They are counted; they are told in red only of a form that was sent."""
    doubts: Mapping[str, str] = field(default_factory=dict)
    sent: bool = False

    def told(self, at: str) -> str:
        """Return the text that is told in red at a place."""
        return self.wrong.get(at, "") or (self.empty.get(at, "") if self.sent else "")

    def count(self, trail: Trail) -> tuple[int, int, int]:
        """How much in there is to fill in, to mend, and to look at."""
        empty, wrong, doubts = (_within(found, dotted(trail)) for found in (self.empty, self.wrong, self.doubts))
        return empty, wrong, doubts

    def under(self, trail: Trail) -> bool:
        """Return True if something is told in red under a place."""
        empty, wrong, _ = self.count(trail)
        return bool(wrong or (empty and self.sent))


def _within(found: Mapping[str, str], name: str) -> int:
    return sum(one == name or one.startswith(f"{name}.") for one in found)


def problem_fields(ask: Ask, data: Mapping[str, Plain], troubles: Troubles, opened: str = "") -> Markup:
    """All fields of a problem. `opened`: the entry that was just added, or stands elsewhere now."""
    form = _Form(ask, troubles, opened, data.get("choice") is not None)
    names = [tag("option", value=name) for name in _short_names(data)]
    return tag("div", form.part(data, WordProblem, ()), tag("datalist", *names, id=_NAMES))


def _short_names(data: Mapping[str, Any]) -> list[str]:
    """Return the names that formulas may use; they are offered where a formula is wanted."""
    entries = [*(data.get("givens") or ()), *(data.get("subtasks") or ())]
    return [str(name) for one in entries if (name := one.get("name") or one.get("variable"))]


@dataclass
class _Form:
    ask: Ask
    troubles: Troubles
    opened: str
    has_options: bool

    def part(self, data: Mapping[str, Plain], part: type[Part], trail: Trail) -> Markup:
        fields = fields_of(part)
        if part is WordProblem:  # the name is made of the title
            fields = {"title": fields["title"], **fields}
        rows = [
            self.field(name, kind, data.get(name), part, (*trail, name))
            for name, kind in fields.items()
            if self.has_options or part is not Misconception or name not in _OF_OPTIONS or data.get(name) is not None
        ]
        return tag("div", self.said(trail), *rows, class_="ev-fields")

    def said(self, trail: Trail) -> Markup:
        at = dotted(trail)
        doubt = self.troubles.doubts.get(at, "")
        told = tag("span", self.troubles.told(at), class_="ev-bad ev-at", data_at=at, id=f"at-{at}")
        if trail[-1:] != ("cue_marks",):
            return told
        return tag("span", told, tag("span", doubt, class_="ev-doubt ev-at", data_doubt=at), class_="ev-told")

    def field(self, name: str, kind: Kind, value: Any, part: type[Part], trail: Trail) -> Markup:
        if kind.shape == "parts":
            return self.entries(name, kind, value or [], part, trail)
        if kind.shape == "part":
            return self.whole(name, kind, value, part, trail)
        at = dotted(trail)
        optional = tag("small", self.ask.t["problem_form.optional"]) if is_optional(part, name) else None
        control = self.control(name, kind, value, trail, part)
        labelled = tag("label", self.label(part, name), " ", optional, control)
        explained = self.hint(part, name)
        small = tag("small", explained) if explained else None
        return tag("div", labelled, small, self.said(trail), class_="ev-field", id=f"f.{at}")

    def control(self, name: str, kind: Kind, value: Any, trail: Trail, part: type[Part]) -> Markup:
        called = PREFIX + dotted(trail)
        described = {"aria_describedby": f"at-{dotted(trail)}", "aria_invalid": self.invalid(trail)}
        if kind.shape == "choice":
            given = [("", "–"), *((one, self.ask.teach(self.word(name, one))) for one in kind.choices)]
            return choice(called, given, str(value or ""), **described)
        if name == "language" and (value is None or value in LANGUAGES):
            return choice(called, list(LANGUAGES.items()), str(value or "en"), **described)
        if kind.shape == "yes_no":
            given = [("yes", self.ask.teach("right")), ("no", self.ask.teach("wrong"))]
            return choice(called, given, "yes" if value is True else "no", **described)
        text = _as_text(value)
        if kind.shape in ("lines", "pairs") or name in _LONG or "\n" in text:
            rows = 4 if name in _LONG else min(8, 1 + text.count("\n"))
            return tag("textarea", "\n", text, name=called, rows=rows, **described)
        names = _NAMES if (part.__name__, name) in (("Answer", "variable"), ("Change", "of")) else None
        digits = "numeric" if kind.shape == "number" else None
        return tag("input", name=called, value=text, autocomplete="off", list=names, inputmode=digits, **described)

    def invalid(self, trail: Trail) -> str | None:
        return "true" if self.troubles.told(dotted(trail)) else None

    def word(self, name: str, one: str) -> str:
        return f"{'hard' if name == 'difficulty' else 'flaw'}.{one}"

    def entries(self, name: str, kind: Kind, value: list[Any], part: type[Part], trail: Trail) -> Markup:
        at = dotted(trail)
        explained = self.hint(part, name)
        return tag(
            "fieldset",
            tag("legend", self.label(part, name), " ", self.counted(trail)),
            tag("small", explained) if explained else None,
            self.said(trail),
            *(self.entry(kind, one, (*trail, number), number) for number, one in enumerate(value)),
            self.button(f"add:{at}", self.ask.teach("add_entry"), f"{at}.{len(value)}"),
            class_="ev-entries",
            id=f"f.{at}",
        )

    def entry(self, kind: Kind, value: Mapping[str, Plain], trail: Trail, number: int) -> Markup:
        at = dotted(trail)
        assert kind.part is not None
        title = next((str(value[one]) for one in _TITLES if value.get(one)), self.ask.teach("new_entry"))
        is_open = kind.part is Change or _is_blank(value) or at == self.opened or self.troubles.under(trail)
        return tag(
            "details",
            tag("summary", f"{number + 1}. {title} ", self.counted(trail)),
            self.part(value, kind.part, trail),
            tag(
                "div",
                self.button(f"up:{at}", self.ask.teach("up"), at) if number else None,
                self.button(f"remove:{at}", self.ask.teach("remove"), dotted(trail[:-1])),
                class_="ev-doings",
            ),
            open=is_open,
            id=f"f.{at}",
        )

    def counted(self, trail: Trail) -> Markup:
        """How much is still to do in there; the script keeps it up to date."""
        words = zip(("to_fill", "to_mend", "to_look"), self.troubles.count(trail), strict=True)
        said = [self.ask.t(f"problem_form.{key}", n=n) for key, n in words if n]
        colour = " ev-bad" if self.troubles.count(trail)[1] else ""
        return tag("span", " · ".join(said), class_=f"ev-count{colour}", data_count=dotted(trail))

    def whole(self, name: str, kind: Kind, value: Any, part: type[Part], trail: Trail) -> Markup:
        at = dotted(trail)
        assert kind.part is not None
        inside: list[object] = [self.button(f"add:{at}", self.ask.teach("add_entry"), at)]
        if value is not None:
            remove = self.button(f"remove:{at}", self.ask.teach("remove"), at)
            inside = [self.part(value, kind.part, trail), remove]
        explained = self.hint(part, name)
        legend = tag("legend", self.label(part, name), " ", self.counted(trail))
        small = tag("small", explained) if explained else None
        return tag("fieldset", legend, small, *inside, class_="ev-entries", id=f"f.{at}")

    def button(self, do: str, said: str, goes_to: str) -> Markup:
        return tag(
            "button", said, name="do", value=do, formaction=f"{ACTION}#f.{goes_to}", formnovalidate=True,
            class_="ev-plain",
        )  # fmt: skip

    def label(self, part: type[Part], name: str) -> str:
        return label(self.ask.t, part.__name__.lower(), name)

    def hint(self, part: type[Part], name: str) -> str:
        return hint(self.ask.t, part.__name__.lower(), name)


def _is_blank(value: Any) -> bool:
    """Return True if nobody has written anything in a value; names of entries may be made up."""
    if isinstance(value, Mapping):
        return all(_is_blank(one) for name, one in value.items() if name not in ("id", "right"))
    return all(map(_is_blank, value)) if isinstance(value, list) else value is None or value == ""


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, dict):
        return "\n".join(f"{key}: {one}" for key, one in value.items())
    return str(value)


LONGEST = 100_000
_LABEL = "problem"
_LONGEST_TASK = 4000
"""Characters of a statement; what is beyond is told as too long, and not looked at."""
_BESIDE = {"no_way": "how", "no_checking": "how"}
"""Mistakes that are told where what is missing belongs."""


class Findings(NamedTuple):
    """Findings about a form, by the place at which it can show them."""

    wrong: dict[str, str]
    empty: dict[str, str]
    doubts: dict[str, str]
    """Places that are no mistake, and yet may not be meant."""


@dataclass(frozen=True)
class Examined:
    """A text that may be a problem."""

    problem: WordProblem | None = None
    data: Plain = None
    """Data that the text holds; None where it cannot be read at all."""
    error: EduverseError | None = None
    """Everything that is wrong, with lines."""
    problems: tuple[Problem, ...] = ()

    def trouble(self, t: Words) -> str:
        """Everything that is wrong, with lines, in the reader's language; nothing where all is right."""
        return error_text(self.error, t) if self.error is not None else ""

    def findings(self, t: Words) -> Findings:
        """All of it in the form's words."""
        if not isinstance(self.data, dict) or not is_shown(self.data):
            return Findings({"": self.trouble(t)}, {}, {})
        shown = dict(places(self.data))
        wrong: dict[str, str] = {}
        empty: dict[str, str] = {}
        for one in self.problems:
            trail, kind = _place(one, shown)
            at = dotted(trail)
            if one.code == "missing" or (one.code == "empty" and kind and kind.shape != "pairs"):
                empty[at] = t[f"problem_form.is_empty.{_emptiness(kind)}"]
            else:
                value = value_at(self.data, one.trail) if exists(self.data, one.trail) else None
                told = _pair(t, trail) if one.code in ("empty", "no_name") else said(t, one, value)
                wrong[at] = f"{wrong[at]} {told}" if at in wrong and told not in wrong[at] else told
        return Findings(wrong, empty, dict(_doubts(self.data, t)))


def _place(one: Problem, shown: Mapping[str, Kind | None]) -> tuple[Trail, Kind | None]:
    """The place nearest to a mistake that the form can show, and what stands there."""
    trail = one.trail
    if one.code == "missing":
        key = dict(one.given)["key"]
        trail = (*trail, key if trail or key != "name" else "title")  # of which the name is made
    elif one.code in _BESIDE:
        trail = (*trail[:-1], _BESIDE[one.code])
    while trail and dotted(trail) not in shown:
        trail = trail[:-1]
    return trail, shown[dotted(trail)]


def _emptiness(kind: Kind | None) -> str:
    shape = kind.shape if kind else "text"
    return shape if shape in ("choice", "part", "parts") else "text"


def _pair(t: Words, trail: Trail) -> str:
    return t["problem_form.wrong.no_pair_values" if trail[-1:] == ("values",) else "problem_form.wrong.no_pair_nouns"]


def _doubts(data: Mapping[str, Plain], t: Words) -> Iterator[tuple[str, str]]:
    """Reasons that are in the task itself. What was misread is put right by reading it out, so there it is meant."""
    texts = [str(data[one])[:_LONGEST_TASK] for one in ("statement", "question") if data.get(one)]
    mistakes = data.get("misconceptions")
    for number, one in enumerate(mistakes[:MOST_MISTAKES] if isinstance(mistakes, list) else ()):
        marks = one.get("cue_marks") if isinstance(one, dict) else None
        if isinstance(one, dict) and isinstance(marks, list) and one.get("kind") != "misread":
            sentence = echoed([str(mark) for mark in marks], *texts)
            if sentence:
                yield f"misconceptions.{number}.cue_marks", t("problem_form.doubt.cue", sentence=sentence)


def examine(document: str) -> Examined:
    """Read a text, and prove that it holds together."""
    if len(document) > LONGEST:
        return Examined(error=ScenarioError(f"a problem has at most {LONGEST} characters.", mend="Shorten it."))
    try:
        reading = read_bytes(document.encode("utf-8"), _LABEL)
    except UnicodeEncodeError:
        return Examined(error=ScenarioError("this is no text."))
    except EduverseError as error:
        return Examined(error=error)
    problem: WordProblem | None = None
    try:
        problem = WordProblem.model_validate_json(json.dumps(reading.data), strict=True)
        found = check_word_problem(problem, reading)
    except ValidationError as error:
        found = explain(error, "problem", reading)
    if not found:
        return Examined(problem, reading.data)
    return Examined(None, reading.data, as_error(found, _LABEL), tuple(dict.fromkeys(found)))


def shown_data(examined: Examined) -> Mapping[str, Plain]:
    """Return the data of a text as a mapping; empty where it is none."""
    return examined.data if isinstance(examined.data, dict) else {}
