"""A problem as a form: a field for everything that a document may hold, each with what is wrong with it beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.plain import Plain, Trail, dotted
from eduverse_mesa.scenarios.word_problem import Change, Misconception, WordProblem
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.teacher.field_words import hint, is_optional, label
from eduverse_mesa.visualization.mathematics.teacher.parts import choice
from eduverse_mesa.visualization.mathematics.teacher.problem_data import PREFIX, Kind, fields_of
from eduverse_mesa.visualization.words import LANGUAGES

ACTION = "/problems/edit"
_LONG = frozenset({"statement"})
_TITLES = ("phrase", "thinks", "variable", "name", "ask", "means", "text", "of")
"""Fields by which one knows an entry again, the best first."""
_OF_OPTIONS = frozenset({"right_if", "how"})
"""What a mistake has only where there are options to choose from."""
_NAMES = "known-names"


@dataclass(frozen=True)
class Troubles:
    """What is to be told, by place: dotted trails; an empty one is the whole."""

    wrong: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, str] = field(default_factory=dict)
    """What is still to fill in. It is counted; it is told in red only of a form that was sent."""
    doubts: Mapping[str, str] = field(default_factory=dict)
    sent: bool = False

    def told(self, at: str) -> str:
        """What is told in red at a place."""
        return self.wrong.get(at, "") or (self.empty.get(at, "") if self.sent else "")

    def count(self, trail: Trail) -> tuple[int, int, int]:
        """How much in there is to fill in, to mend, and to look at."""
        empty, wrong, doubts = (_within(found, dotted(trail)) for found in (self.empty, self.wrong, self.doubts))
        return empty, wrong, doubts

    def under(self, trail: Trail) -> bool:
        """Whether something is told in there."""
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
    """What formulas may name: it is offered where one of them is wanted."""
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
    """Whether nobody has written anything in there; what an entry is called may be made up."""
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
