"""Fields of forms about places in the draft: what stands there, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import solara

from eduverse_mesa.scenarios.drafting import Finding
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.saying import say
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

Heard = Callable[[str, Any], None]


SEEN: Any = solara.create_context(0)
"""How often the workshop has changed: given by the page, and asked for by every component that shows some of it."""


def use_seen() -> int:
    """Draw this component again whenever the workshop has changed; components are given the same workshop each time."""
    count: int = solara.use_context(SEEN)
    return count


def name_of(trail: Trail) -> str:
    """A place as the id of a field."""
    return json.dumps(trail)


def trail_of(name: str) -> Trail:
    """And back. Ids are checked against the fields that were sent, so only our own come back."""
    return tuple(json.loads(name))


class Fields:
    """Makes fields about a draft; their ids are places in it."""

    def __init__(self, shop: Workshop, t: Words) -> None:
        self.shop = shop
        self.t = t

    def at(self, trail: Trail, label: str, kind: str = "text", usual: Any = "", **more: Any) -> Field:
        """A field about one place; `usual` is what holds where nothing stands."""
        value = self.shop.draft.get(*trail)
        if not isinstance(value, str | int | float | bool) or (
            kind in ("range", "number") and (isinstance(value, str | bool))
        ):
            value = usual
        problems = [found for found in self.shop.draft.problems if _is_about(found, trail)]
        error = " ".join(dict.fromkeys(say(self.t, found) for found in problems))
        return {"id": name_of(trail), "kind": kind, "label": label, "value": value, "error": error, **more}

    def rest(self, trail: Trail, shown: Iterable[Field]) -> list[Field]:
        """A note on problems at a place that no field shows."""
        names = {field["id"] for field in shown}
        left = [
            found
            for found in self.shop.draft.problems_at(*trail)
            if not any(name_of(found.trail[:cut]) in names for cut in range(len(found.trail) + 1))
            and f"wrong {name_of(found.trail)}" not in names
            and not any(_is_about(found, trail_of(name)) for name in names if name.startswith("["))
        ]
        text = " ".join(dict.fromkeys(say(self.t, found) for found in left))
        return [{"id": f"rest {name_of(trail)}", "kind": "note", "tone": "bad", "label": text}] if left else []


def _is_about(found: Finding, trail: Trail) -> bool:
    """A missing key is told of at the mapping around it; the field of that key shows it."""
    if found.trail[: len(trail)] == trail:
        return True
    return found.trail == trail[:-1] and found.message == f"the key '{trail[-1]}' is missing"


def options(names: Iterable[str], label: Callable[[str], str] = str) -> list[list[str]]:
    """Options of a select."""
    return [[name, label(name)] for name in names]


def buttons(name: str, *choices: tuple[Any, ...], label: str = "", width: str = "") -> Field:
    """A row of buttons: (value, label, look, off)."""
    return {
        "id": name,
        "kind": "buttons",
        "options": [list(choice) for choice in choices],
        "label": label,
        "width": width,
    }


def note(name: str, text: str, tone: str = "") -> Field:
    """A line of text."""
    return {"id": name, "kind": "note", "label": text, "tone": tone or None}


def head(name: str, text: str) -> Field:
    """A heading."""
    return {"id": name, "kind": "head", "label": text}


def field(name: str, kind: str, label: str, value: Any, **more: Any) -> Field:
    """A field about something that is no place in the draft."""
    return {"id": name, "kind": kind, "label": label, "value": value, **more}
