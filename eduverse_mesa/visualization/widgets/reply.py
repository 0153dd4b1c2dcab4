"""What somebody who sits in a lesson is asked, as one form: large choices, words, and the time that is left."""

from __future__ import annotations

from typing import Any, TypeAlias

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.asset import asset, styled

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
"""What is entered: a text for each field and choice, a list of texts where many can be chosen."""

LONGEST = 200_000
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
    """What came from a browser, if it is values at all: anything can come from there."""
    if not isinstance(values, dict) or len(values) > _MOST_CHOSEN:
        return None
    for name, value in values.items():
        texts = value if isinstance(value, list) else [value]
        if not isinstance(name, str) or len(texts) > _MOST_CHOSEN:
            return None
        if not all(isinstance(text, str) and len(text) <= LONGEST for text in texts):
            return None
    return values
