"""The room as a widget: a lesson's stage, and one frame of it, seen from above."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import anywidget
import msgspec
import traitlets

from eduverse_mesa.visualization.frames import Frame, Stage, frame, seen_by, stage, stage_seen_by
from eduverse_mesa.visualization.widgets.base import PlainDict, asset, styled
from eduverse_mesa.visualization.words import DEFAULT, load_words
from eduverse_mesa.vocabulary import EMOTIONS, LEVEL_NAMES, emotion_level_name

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel

_CODES = "\n".join(
    (
        f"const LEVELS = {json.dumps(LEVEL_NAMES)};",
        f"const FACES = {json.dumps({emotion: emotion_level_name(emotion) for emotion in reversed(EMOTIONS)})};",
    )
)
"""What the drawing knows of the codes: the levels of behaviour, and the emotion whose face each emotion has."""

OVERLAYS = ("perception", "graph", "arenas", "exchanges", "bubbles", "names", "legend")
"""Layers that can be laid over the room. `arenas` also shows the whole grid instead of where the lesson is."""

USUAL = ("exchanges", "bubbles", "names", "legend")
KINDS = ("student", "teacher", "thing", "seat")

_PARTS = (
    "room_draw.js",
    "room_faces.js",
    "room_people.js",
    "room_plan.js",
    "room_fit.js",
    "room_talk.js",
    "room_edit.js",
    "room.js",
)


@cache
def room_labels(language: str = DEFAULT) -> dict[str, str]:
    """Return the words of the drawing in a language: names of behaviours, things, reasons and the like, by code."""
    words, english = load_words(language), load_words().under("reasons")
    reasons = {f"reason.{english[key]}": said for key, said in words.under("reasons").items() if "{" not in said}
    joint = {f"joint.{name}": words[f"app.joint.{name}"] for name in ("listed", "aside", "told")}
    return {**words.under("codes", "room"), **reasons, **joint}


class RoomWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Draws a frame on its stage; a new frame changes only what is new.

    `selected` is the student (or teacher) that was clicked. In the mode "edit" people, seats and furniture can be
    dragged: `on_event` hears `{"act": "move", "kind": "student" | "teacher" | "thing" | "seat", "name", "to": [x, y]}`
    and answers with a new stage and frame; without one, what was dragged goes back. With `swaps` a student may be
    dragged to where another sits; with `picks` a click on any of them is told: `{"act": "pick", "kind", "name"}`.
    """

    _esm = "\n".join((_CODES, *(asset(name) for name in _PARTS)))
    _css = styled("room.css")

    stage = PlainDict().tag(sync=True)
    frame = PlainDict().tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    overlays = traitlets.List(traitlets.Enum(OVERLAYS), default_value=list(USUAL)).tag(sync=True)
    mode = traitlets.Enum(("view", "edit"), default_value="view").tag(sync=True)
    labels = PlainDict().tag(sync=True)
    compact = traitlets.Bool(False).tag(sync=True)
    swaps = traitlets.Bool(False).tag(sync=True)
    picks = traitlets.Bool(False).tag(sync=True)
    on_event = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        traits.setdefault("labels", room_labels())
        super().__init__(**traits)
        self.on_msg(self._hear)

    @classmethod
    def of(cls, model: ClassroomModel, step: int | None = None, *, seat: str = "", **traits: Any) -> RoomWidget:
        """The room of a model at its last step, or an earlier one; as one seat sees it where a seat is named."""
        widget = cls(**traits)
        widget.show(stage(model), frame(model, step), seat=seat)
        return widget

    def show(self, room: Stage, now: Frame, *, seat: str = "") -> None:
        """Show a frame on a stage."""
        if seat:
            room, now = stage_seen_by(room, seat), seen_by(now, seat)
        with self.hold_sync():
            self.stage, self.frame = plain(room), plain(now)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if self.on_event is not None and self.picks and is_pick(message):
            self.on_event({"act": "pick", "kind": message["kind"], "name": message["name"]})
        elif self.on_event is not None and is_move(message):
            self.on_event({"act": "move", "kind": message["kind"], "name": message["name"], "to": list(message["to"])})


def plain(shown: Stage | Frame) -> dict[str, Any]:
    """A stage or a frame as the widget takes it."""
    made: dict[str, Any] = msgspec.to_builtins(shown)
    return made


def is_pick(message: Any) -> bool:
    """Return True if a message from a browser says that something was picked."""
    known = isinstance(message, dict) and message.get("act") == "pick" and message.get("kind") in KINDS
    return known and isinstance(message.get("name"), str)


def is_move(message: Any) -> bool:
    """Return True if a message from a browser is a move as it should be: anything can come from there."""
    if not isinstance(message, dict) or message.get("act") != "move" or message.get("kind") not in KINDS:
        return False
    to = message.get("to")
    whole = isinstance(to, list) and len(to) == 2 and all(type(cell) is int for cell in to)
    return whole and isinstance(message.get("name"), str)
