"""Importing a lesson plan: a lesson file, or an outline as a teacher would paste it."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.drafting import EditError
from eduverse_mesa.scenarios.drafting.documents import entries
from eduverse_mesa.scenarios.drafting.opening import read_text
from eduverse_mesa.scenarios.drafting.outlines import Outline, read_outline
from eduverse_mesa.scenarios.drafting.outlines.lines import MOST_LETTERS
from eduverse_mesa.visualization.app.kit import Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import buttons, field, head, note, use_seen
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words


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
        elif value == "clear":
            shop.renew(outline=None, outline_text="")
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
            Form(
                [buttons("act", ("replace", t("design.outline.replace"), "primary"), ("add", t("design.outline.add")))],
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
    shop.outline = None
    shop.outline = read_outline(shop.outline_text)


def _take_lesson(shop: Workshop, text: str, label: str) -> None:
    kind, lesson = read_text(text, label or "the pasted text")
    if kind != "lesson":
        raise EditError("no_lesson_file", f"this is a {kind}, no lesson.", "Open it on the File tab.")
    shop.draft.lessons.replace(shop.lesson, lesson)
    shop.view, shop.part, shop.outline, shop.outline_text = "phases", (), None, ""


def _use(shop: Workshop, outline: Outline, how: str) -> None:
    lessons = shop.draft.lessons
    if how == "replace":
        done = shop.do(lessons.replace, shop.lesson, {**outline.lesson})
    else:
        done = shop.do(lessons.add, {**outline.lesson})
    if done:
        count = len(entries(shop.draft.document, ("lessons",)))
        shop.renew(
            outline=None, outline_text="", part=(), view="phases", lesson=shop.lesson if how == "replace" else count - 1
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
                _taken(line.taken_for, t),
                *([" ", ["span", {"class": "ev-chip is-warn"}, t(f"design.outline.{line.note}")]] if line.note else []),
            ],
        ]
        for line in outline.lines
    ]
    kinds: dict[str, int] = {}
    for trail in outline.made_up:
        kinds[str(trail[-1])] = kinds.get(str(trail[-1]), 0) + 1
    filled = ", ".join(
        f"{t(f'design.part.{kind}' if kind not in ('text', 'ask') else f'design.part.made_{kind}')} ({n})"
        for kind, n in kinds.items()
    )
    head_row = [
        "tr",
        {},
        *(["th", {"scope": "col"}, t(f"design.outline.{name}")] for name in ("line", "said", "taken")),
    ]
    filled_note = ["p", {"class": "ev-note is-warn"}, t("design.outline.filled", what=filled)]
    return [
        "div",
        {"class": "ev-account"},
        ["p", {"role": "status"}, t("design.outline.understood", n=len(outline.lines))],
        ["div", {"class": "ev-scroll"}, ["table", {}, ["thead", {}, head_row], ["tbody", {}, *rows]]],
        *([filled_note] if outline.made_up else []),
    ]


def _taken(what: str, t: Words) -> str:
    if what.startswith("phase_"):
        return t("design.outline.as_phase", phase=t(f"room.phase.{what.removeprefix('phase_')}"))
    return t.get(f"design.doing.{what}") or t(f"design.outline.as_{what}")
