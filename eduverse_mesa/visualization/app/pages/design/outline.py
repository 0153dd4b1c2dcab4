"""Importing a lesson plan: a lesson file, or an outline as a teacher would paste it."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.drafting import EditError
from eduverse_mesa.scenarios.drafting.confirmation import unconfirmed
from eduverse_mesa.scenarios.drafting.documents import Mapped, entries
from eduverse_mesa.scenarios.drafting.opening import read_text
from eduverse_mesa.scenarios.drafting.outlines import Outline, read_outline, settled
from eduverse_mesa.scenarios.drafting.outlines.lines import MOST_LETTERS
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.app.kit import Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import buttons, field, head, note, use_seen
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import line_said


@solara.component
def OutlineImport(shop: Workshop) -> None:
    """Paste, look at what was understood, and use it."""
    use_seen()
    t = use_words()

    def hear(field: str, value: Any) -> None:
        if field == "outline":
            shop.renew(outline_text=value)
        elif field == "file":
            take_file(shop, value["name"], value["text"])
        elif value == "read":
            read(shop)
        elif field == "title":
            shop.renew(outline_title=value)
        elif field == "confirmed":
            shop.renew(outline_confirmed=bool(value))
        elif value == "clear":
            shop.renew(outline=None, outline_text="", outline_title="", outline_confirmed=False)
        elif value in ("replace", "add") and shop.outline is not None:
            _use(shop, shop.outline, value)

    shown: list[Field] = [
        head("head", t("design.outline.title")),
        note("note", t("design.outline.note")),
        field(
            "outline",
            "area",
            t("design.outline.text"),
            shop.outline_text,
            rows=6,
            placeholder=t("design.outline.example"),
        ),
        field(
            "file", "file", t("design.outline.file"), "", accept=".txt,.md,.csv,.tsv,.yaml,.yml,.json", max=1_000_000
        ),
        buttons("act", ("read", t("design.outline.read"), "primary"), ("clear", t("design.outline.clear"))),
    ]
    with solara.Div(classes=["ev-part"]):
        Form(shown, hear, label=t("design.outline.title"))
        if shop.outline is not None:
            Reading(_account(shop.outline, t))
            titled = bool(shop.outline_title.strip())
            Form(
                [
                    field(
                        "title",
                        "text",
                        t("design.outline.name"),
                        shop.outline_title,
                        error="" if titled else t("design.outline.no_title"),
                    ),
                    *(
                        [field("confirmed", "check", t("design.outline.confirm"), shop.outline_confirmed)]
                        if shop.outline.made_up
                        else []
                    ),
                    buttons(
                        "act",
                        ("replace", t("design.outline.replace"), "primary", not titled),
                        ("add", t("design.outline.add"), "plain", not titled),
                    ),
                ],
                hear,
                label=t("design.outline.use"),
            )


def take_file(shop: Workshop, name: str, text: str) -> None:
    """A lesson file takes its place at once; anything else is an outline to look at first."""
    if name.lower().endswith((".yaml", ".yml", ".json")):
        shop.do(_take_lesson, shop, text, name[:80])
    else:
        shop.renew(outline_text=text[:MOST_LETTERS])


def read(shop: Workshop) -> None:
    """Understand what was pasted: an outline, or the text of a lesson file."""
    if shop.outline_text.lstrip().startswith("kind:"):
        shop.do(_take_lesson, shop, shop.outline_text, "")
    else:
        shop.do(_understand, shop)


def _understand(shop: Workshop) -> None:
    shop.outline, shop.outline_title, shop.outline_confirmed = None, "", False
    shop.outline = read_outline(shop.outline_text)
    shop.outline_title = str(shop.outline.lesson["title"]) if shop.outline.titled else ""


def _take_lesson(shop: Workshop, text: str, label: str) -> None:
    kind, lesson = read_text(text, label or "the pasted text")
    if kind != "lesson":
        raise EditError("no_lesson_file", f"this is a {kind}, no lesson.", "Open it on the File tab.")
    shop.draft.lessons.replace(shop.lesson, lesson)
    shop.view, shop.part, shop.outline, shop.outline_text = "phases", (), None, ""


def _use(shop: Workshop, outline: Outline, how: str) -> None:
    lessons = shop.draft.lessons
    plan = settled(outline, shop.outline_title.strip(), confirmed=shop.outline_confirmed)
    done = shop.do(lessons.replace, shop.lesson, plan) if how == "replace" else shop.do(lessons.add, plan)
    if done:
        count = len(entries(shop.draft.document, ("lessons",)))
        shop.renew(
            outline=None,
            outline_text="",
            outline_title="",
            outline_confirmed=False,
            part=(),
            view="phases",
            lesson=shop.lesson if how == "replace" else count - 1,
        )


def _account(outline: Outline, t: Words) -> list[Any]:
    """Every line with what it was taken for, and what was filled in."""
    rows = [
        [
            "tr",
            {},
            ["td", {"class": "ev-num"}, str(line.number)],
            ["td", {}, ["bdi", {}, line.text]],
            [
                "td",
                {},
                line_said(line.taken_for, t),
                *([" ", ["span", {"class": "ev-chip is-warn"}, t(f"design.outline.{line.note}")]] if line.note else []),
            ],
        ]
        for line in outline.lines
    ]
    head_row = [
        "tr",
        {},
        *(["th", {"scope": "col"}, t(f"design.outline.{name}")] for name in ("line", "said", "taken")),
    ]
    return [
        "div",
        {"class": "ev-account"},
        ["p", {"role": "status"}, t("design.outline.understood", n=len(outline.lines))],
        ["div", {"class": "ev-scroll"}, ["table", {}, ["thead", {}, head_row], ["tbody", {}, *rows]]],
        *(made_up(outline.lesson, t) if outline.made_up else []),
    ]


def made_up(plan: Mapped, t: Words) -> list[Any]:
    """What was made up or guessed, each with its place and its text; all of it, for it is to be read before it is
    confirmed."""
    empty = ["span", {"class": "ev-chip is-warn"}, t("design.outline.to_fill")]
    rows = [
        ["tr", {}, ["td", {}, part_of(trail, t)], ["td", {}, ["bdi", {}, text] if text else empty]]
        for trail, text in unconfirmed(plan)
    ]
    head_row = ["tr", {}, *(["th", {"scope": "col"}, t(f"design.outline.{name}")] for name in ("place", "text_made"))]
    return [
        ["p", {"class": "ev-note is-warn"}, t("design.outline.filled", n=len(rows))],
        ["div", {"class": "ev-scroll"}, ["table", {}, ["thead", {}, head_row], ["tbody", {}, *rows]]],
    ]


def part_of(trail: Trail, t: Words) -> str:
    """A place of a plan: `Idea 2 · A likely wrong belief`."""
    if len(trail) < 3:
        return t("design.lesson.title")
    part, index, key = str(trail[0]), trail[1], str(trail[2])
    label = t({"text": "design.part.made_text", "ask": "design.part.made_ask"}.get(key, f"design.part.{key}"))
    return f"{t(f'design.lesson.one_{part}')} {int(index) + 1} · {label}"
