"""Forms as widgets: inputs of a page, and the form in which a person in a lesson replies."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.base import asset, styled

Field = dict[str, Any]
"""A field: `id`, `kind`, `label`, `value`, and what its kind knows besides.

Kinds are text, number, area, range, select, check, file, copy (text to be copied), buttons, head and note. Each may
have `help`, `error`, `disabled` and a `width` (half, third, two-thirds, quarter; else the whole). A text that is
`live` is heard while it is typed; one with `enter`, an [id, value], is sent by that key, is empty then, and the change
follows. A range may say what its ends mean (`low`, `high`); a select has `options` of
[value, label], and with `again` goes back to its value until a new one comes; buttons have options of [value, label,
look, off, name], where a look is plain, primary, danger, on or off, and a name is for labels that are signs.
"""

LONGEST = 1_200_000
"""Letters of a text that are taken in: a scenario file is smaller."""

_WRITTEN = ("text", "area")


class FormWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows fields; `on_event` hears (id, value) of what was changed.

    `shortcuts` are keys that stand for such a change: {"ctrl+z": [id, value]}.
    What comes from a browser is anything: only values of known fields, of plain types, get through. A text that is too
    long is said to be, and the field keeps what it held.
    """

    _esm = asset("form.js")
    _css = styled("form.css")

    fields = traitlets.List(traitlets.Dict()).tag(sync=True)
    shortcuts = traitlets.Dict().tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    look = traitlets.Unicode("").tag(sync=True)
    longest = traitlets.Int(LONGEST).tag(sync=True)
    refused = traitlets.Dict().tag(sync=True)
    """The field whose text was too long, and what is said about it."""
    on_event = traitlets.Any(None, allow_none=True)
    too_long = traitlets.Any(None, allow_none=True)
    """Says, for so many letters, that a text is too long."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if self.on_event is None or not isinstance(message, dict):
            return
        field = next((field for field in self.fields if field.get("id") == message.get("id")), None)
        if field is None:
            return
        value = message.get("value")
        letters = len(value) if isinstance(value, str) else message.get("letters")
        if field.get("kind") in _WRITTEN and type(letters) is int and letters > LONGEST:
            self.refused = {"id": field["id"], "text": self.too_long(letters) if self.too_long else f"> {LONGEST}"}
        elif fits(field, value):
            self.refused = {}
            self.on_event(field["id"], value)


def fits(field: Field, value: Any) -> bool:
    """Return True if a value can have come from a field."""
    kind = field.get("kind")
    if kind == "number" and value is None:
        return True
    if kind in ("number", "range"):
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind == "check":
        return isinstance(value, bool)
    if kind in ("select", "buttons"):
        return any(value == option[0] for option in field.get("options", ()))
    if kind == "file":
        return isinstance(value, dict) and all(_is_text(value.get(key)) for key in ("name", "text"))
    return kind in ("text", "area") and _is_text(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


Part: TypeAlias = dict[str, Any]
"""A part of a form. Its `kind` is

- `choice`: one of `options`, or `many` of them; `look` is tiles, faces, chips or rows. An option has a `value` and a
  `label`, and may have a `hint`, an `icon` and a `group`;
- `words`: a text field of so many `rows`; `most` is how long the text may be;
- `quote`: what somebody said (`text`, `by`);
- `hint`: a text; with a `button` that fills parts in as `fill` says, {name: value};
- `head`: a heading with `text` below it.

`when` is {name of a choice: [values]}: the part is there only while one of them is chosen.
"""

Values: TypeAlias = dict[str, Any]
"""Entered values: a text for each field and choice, a list of texts where many can be chosen."""

LONGEST_REPLY = 200_000
"""Letters of a field that are taken in, as reply.js knows; what may be said is less, and whoever asks says so."""
_MOST_CHOSEN = 1000


class ReplyWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Asks; what is typed stays in the browser until another form comes.

    `form` is {"id", "title", "send", "parts", "values", "left", "all"}: `left` are the seconds that are left when it is
    sent, of `all`, or None. An empty one asks nothing. `on_draft` hears (id, values) while somebody writes, `on_reply`
    when it is sent, which is answered with a new `verdict`: {"round", "errors"}, errors by the names of parts.
    Another form scrolls what is around it into view: the nearest element of the class ev-scene.
    """

    _esm = asset("reply.js")
    _css = styled("reply.css")

    form = traitlets.Dict().tag(sync=True)
    verdict = traitlets.Dict({"round": 0, "errors": {}}).tag(sync=True)
    labels = traitlets.Dict().tag(sync=True)
    on_draft = traitlets.Any(None, allow_none=True)
    on_reply = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if not isinstance(message, dict) or type(message.get("id")) is not int:
            return
        values = entered(message.get("values"))
        told = {"draft": self.on_draft, "reply": self.on_reply}.get(str(message.get("do")))
        if told is not None and values is not None:
            told(message["id"], values)


def entered(values: Any) -> Values | None:
    """Return the values that came from a browser; None if they are not values at all: anything can come from there."""
    if not isinstance(values, dict) or len(values) > _MOST_CHOSEN:
        return None
    for name, value in values.items():
        texts = value if isinstance(value, list) else [value]
        if not isinstance(name, str) or len(texts) > _MOST_CHOSEN:
            return None
        if not all(isinstance(text, str) and len(text) <= LONGEST_REPLY for text in texts):
            return None
    return values
