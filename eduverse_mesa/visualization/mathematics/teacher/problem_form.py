"""A problem as a form: a field for everything that a document may hold, each with what is wrong with it beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.plain import Plain, Trail, dotted
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.teacher.parts import choice
from eduverse_mesa.visualization.mathematics.teacher.problem_data import PREFIX, Kind, fields_of
from eduverse_mesa.visualization.words import LANGUAGES

ACTION = "/problems/edit"
_LONG = frozenset({"statement"})
_TITLES = ("phrase", "thinks", "variable", "name", "ask", "means", "text", "of")
"""Fields by which one knows an entry again, the best first."""


@dataclass
class Troubles:
    """What is wrong, by place."""

    at: Mapping[str, str] = field(default_factory=dict)
    """Dotted trail: what is wrong there; an empty trail is the whole."""

    def under(self, trail: Trail) -> bool:
        """Whether something in there is wrong."""
        name = dotted(trail)
        return any(one == name or one.startswith(f"{name}.") for one in self.at)


def places(data: Mapping[str, Plain], part: type[Part] = WordProblem, trail: Trail = ()) -> Iterator[str]:
    """All places at which a form can show what is wrong."""
    yield dotted(trail)
    for name, kind in fields_of(part).items():
        at = (*trail, name)
        yield dotted(at)
        value: Any = data.get(name)
        if kind.part is None or value is None:
            continue
        for place, one in [(at, value)] if kind.shape == "part" else [((*at, n), v) for n, v in enumerate(value)]:
            yield from places(one, kind.part, place)


def problem_fields(ask: Ask, data: Mapping[str, Plain], troubles: Troubles, opened: str = "") -> Markup:
    """All fields of a problem. `opened`: the entry that was just added, or stands elsewhere now."""
    return _Form(ask, troubles, opened).part(data, WordProblem, ())


@dataclass
class _Form:
    ask: Ask
    troubles: Troubles
    opened: str

    def part(self, data: Mapping[str, Plain], part: type[Part], trail: Trail) -> Markup:
        rows = [self.field(name, kind, data.get(name), part, (*trail, name)) for name, kind in fields_of(part).items()]
        return tag("div", self.said(trail), *rows, class_="ev-fields")

    def said(self, trail: Trail) -> Markup:
        at = dotted(trail)
        return tag("span", self.troubles.at.get(at, ""), class_="ev-bad ev-at", data_at=at, id=f"at-{at}")

    def field(self, name: str, kind: Kind, value: Any, part: type[Part], trail: Trail) -> Markup:
        if kind.shape == "parts":
            return self.entries(name, kind, value or [], part, trail)
        if kind.shape == "part":
            return self.whole(name, kind, value, part, trail)
        at = dotted(trail)
        control = self.control(name, kind, value, trail)
        label = tag("label", self.label(part, name), control)
        hint = self.hint(part, name)
        return tag(
            "div", label, tag("small", hint) if hint else None, self.said(trail), class_="ev-field", id=f"f.{at}"
        )

    def control(self, name: str, kind: Kind, value: Any, trail: Trail) -> Markup:
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
        return tag("input", name=called, value=text, autocomplete="off", **described)

    def invalid(self, trail: Trail) -> str | None:
        return "true" if dotted(trail) in self.troubles.at else None

    def word(self, name: str, one: str) -> str:
        return f"{'hard' if name == 'difficulty' else 'flaw'}.{one}"

    def entries(self, name: str, kind: Kind, value: list[Any], part: type[Part], trail: Trail) -> Markup:
        at = dotted(trail)
        hint = self.hint(part, name)
        return tag(
            "fieldset",
            tag("legend", self.label(part, name)),
            tag("small", hint) if hint else None,
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
        is_open = not value or at == self.opened or self.troubles.under(trail)
        return tag(
            "details",
            tag("summary", f"{number + 1}. {title}"),
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

    def whole(self, name: str, kind: Kind, value: Any, part: type[Part], trail: Trail) -> Markup:
        at = dotted(trail)
        assert kind.part is not None
        inside: list[object] = [self.button(f"add:{at}", self.ask.teach("add_entry"), at)]
        if value is not None:
            remove = self.button(f"remove:{at}", self.ask.teach("remove"), at)
            inside = [self.part(value, kind.part, trail), remove]
        hint = self.hint(part, name)
        legend = tag("legend", self.label(part, name))
        small = tag("small", hint) if hint else None
        return tag("fieldset", legend, small, *inside, class_="ev-entries", id=f"f.{at}")

    def button(self, do: str, said: str, goes_to: str) -> Markup:
        return tag(
            "button", said, name="do", value=do, formaction=f"{ACTION}#f.{goes_to}", formnovalidate=True,
            class_="ev-plain",
        )  # fmt: skip

    def label(self, part: type[Part], name: str) -> str:
        """What a field is called in its part, or everywhere."""
        own = f"field_of.{part.__name__.lower()}.{name}"
        return self.ask.teach(own if f"teaching.{own}" in self.ask.t else f"field.{name}")

    def hint(self, part: type[Part], name: str) -> str:
        """What may stand there; nothing where that needs no words."""
        known = f"teaching.hint.{name}" in self.ask.t and (name != "name" or part is WordProblem)
        return self.ask.teach(f"hint.{name}") if known else ""


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, dict):
        return "\n".join(f"{key}: {one}" for key, one in value.items())
    return str(value)
