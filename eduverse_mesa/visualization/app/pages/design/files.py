"""Opening, keeping and sharing: one file that holds the whole scenario."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import solara

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.reading import MAX_BYTES
from eduverse_mesa.visualization.app.kit import Form, Trouble, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import buttons, field, head, note, use_seen
from eduverse_mesa.visualization.app.pages.design.saying import say
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import titles


@solara.component
def FilePanel(shop: Workshop) -> None:
    """Begin with something built in, open a file, take the scenario away as one."""
    use_seen()
    t = use_words()
    with solara.Div(classes=["ev-stack"]):
        _Open(shop, t)
        _Keep(shop, t)


@solara.component
def _Open(shop: Workshop, t: Words) -> None:
    use_seen()
    pasted = solara.use_ref("")  # what was typed last is sent just before the button's own click
    kept, keep = solara.use_state("")  # what the box shows when it is drawn anew, as where a longer text is refused
    wrong, set_wrong = solara.use_state(("", ""))

    def type_in(text: str) -> None:
        pasted.current = text
        keep(text)

    def take(place: str, act: Callable[..., Any], *given: Any) -> bool:
        """Open something; what is refused of it is said where it was given."""
        done = shop.do(act, *given)
        set_wrong(("", "") if shop.refused is None else (place, say(t, shop.refused)))
        if not done:
            shop.renew(refused=None)
        return done

    def hear(field: str, value: Any) -> None:
        if field in ("scenario", "class") and value:
            take(field, shop.draft.choose, field, value)
        elif field == "file":
            take("file", open_file, shop, value)
        elif field == "pasted":
            type_in(value)
        elif field == "paste" and not pasted.current.strip():
            set_wrong(("pasted", t("design.file.nothing_pasted")))
        elif field == "paste" and take("pasted", shop.draft.open, pasted.current, t("design.file.pasted")):
            type_in("")

    Form(_ways(t, kept, *wrong), hear, label=t("design.file.open"))


def _ways(t: Words, pasted: str, place: str, refused: str) -> list[Field]:
    """What can be opened: something built in, a file, a text. `refused` is said at its place."""
    choose = [["", t("design.file.choose")]]
    shown: list[Field] = [head("open", t("design.file.open"))]
    kinds: tuple[Kind, ...] = ("scenario", "class")
    for kind in kinds:
        names = [*choose, *map(list, titles(kind, t).items())]
        shown.append(field(kind, "select", t(f"design.file.{kind}"), "", again=True, width="half", options=names))
    more = {"help": t("design.file.file_help"), "max": MAX_BYTES, "accept": ".yaml,.yml,.json,.txt"}
    shown += [
        field("file", "file", t("design.file.file"), "", **more),
        field("pasted", "area", t("design.file.paste"), pasted, rows=3),
        buttons("paste", ("paste", t("design.file.paste_open"), "plain")),
    ]
    return [one | {"refused": refused} if one["id"] == place else one for one in shown]


def open_file(shop: Workshop, given: dict[str, Any]) -> None:
    """Take in a file that came from the browser."""
    size = given.get("size")
    if isinstance(size, int | float) and size > MAX_BYTES:
        raise ScenarioError(
            f"the file has {size / 1e6:.1f} MB; {MAX_BYTES / 1e6:.0f} MB is the most.", mend="Shorten it."
        )
    shop.draft.open(given["text"], str(given["name"])[:80])


@solara.component
def _Keep(shop: Workshop, t: Words) -> None:
    use_seen()
    try:
        text = shop.draft.dump()
    except EduverseError as error:
        Trouble(error)
        return
    name = file_name(shop)
    shown: list[Field] = [
        head("keep", t("design.file.keep")),
        note("note", t("design.file.keep_note", name=name)),
        *([] if shop.draft.scenario else [note("wrong", t("design.file.wrong"), "warn")]),
    ]
    Form(shown, lambda *_: None, label=t("design.file.keep"))
    with solara.FileDownload(text.encode(), filename=name, mime_type="application/yaml"):
        solara.Button(t("design.file.download"), color="primary", classes=["ev-download"])
    copy: Field = field(
        "copy", "copy", t("design.file.text"), text, rows=14, words=[t("design.file.copy"), t("design.file.copied")]
    )
    Form([copy], lambda *_: None, label=t("design.file.text"))


def file_name(shop: Workshop) -> str:
    """A name for the file, of letters that any system takes."""
    name = shop.draft.get("name")
    safe = re.sub(r"[^\w-]+", "_", name if isinstance(name, str) else "", flags=re.ASCII).strip("_")[:60]
    return f"{safe or 'scenario'}.yaml"
