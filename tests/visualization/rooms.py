"""Rooms as they are drawn in a real browser: alone in a page, under a content policy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.visualization.widgets.room import RoomWidget

PAGE = """<!doctype html><meta charset="utf-8"><title>Room</title><link rel="stylesheet" href="/room.css">
<script type="module" src="/host.js"></script><div id="host"></div>"""
HOST = """
import room from "/room.js";
const data = await (await fetch("/data.json")).json();
const hearing = {};
window.sent = [];
window.model = {
  get: (key) => data[key],
  set(key, value) {
    if (data[key] === value) return;
    data[key] = value;
    (hearing["change:" + key] || []).forEach((f) => f());
  },
  on(event, f) { (hearing[event] ??= []).push(f); },
  off(event, f) { hearing[event] = (hearing[event] || []).filter((other) => other !== f); },
  save_changes() { window.sent.push({ selected: data.selected }); },
  send(message) { window.sent.push(message); },
};
window.leave = room.render({ model: window.model, el: document.getElementById("host") });
window.heard = () => Object.values(hearing).flat().length;
const drawn = () => new Promise((done) => requestAnimationFrame(done));
await drawn(); // the room hears how wide it is ...
await drawn(); // ... and has been drawn so
document.documentElement.dataset.ready = "yes";
"""
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"
Open = Callable[..., Any]


@cache
def played(scenario: str = "first_lesson", layout: str | None = None) -> ClassroomModel:
    model = ClassroomModel(scenario, layout=layout, seed=3, steps=14)
    while model.running:
        model.step()
    return model


def drawing(model: ClassroomModel, step: int | None = None, **traits: Any) -> dict[str, Any]:
    """The widget's traits, as they reach the browser."""
    widget = RoomWidget.of(model, step, **traits)
    names = ("stage", "frame", "selected", "overlays", "mode", "labels", "compact")
    return {name: json.loads(json.dumps(getattr(widget, name))) for name in names}


def draw_rooms(chromium: Any) -> Iterator[Open]:
    """Draw traits in a page of their own. Fails where the console complains, a dialog opens or a host is asked."""
    trouble: list[str] = []
    pages: list[Any] = []

    def open_page(traits: dict[str, Any], *, width: int = 960, **context: Any) -> Any:
        opened = chromium.new_context(viewport={"width": width, "height": 900}, **context)
        page = opened.new_page()
        pages.append(opened)
        served = {
            "/": ("text/html", PAGE),
            "/host.js": ("text/javascript", HOST),
            "/room.js": ("text/javascript", RoomWidget._esm),
            "/room.css": ("text/css", RoomWidget._css),
            "/data.json": ("application/json", json.dumps(traits)),
        }

        def answer(route: Any) -> None:
            path = route.request.url.removeprefix("http://room.test")
            if path not in served:
                trouble.append(f"asked for {route.request.url}")
                return route.abort()
            kind, body = served[path]
            return route.fulfill(body=body, content_type=kind, headers={"Content-Security-Policy": POLICY})

        def refuse(dialog: Any) -> None:
            trouble.append("a dialog")
            dialog.dismiss()

        page.route("**/*", answer)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", refuse)
        page.goto("http://room.test/")
        page.wait_for_selector("[data-ready] .ev-r-person", state="attached")
        return page

    yield open_page
    for opened in pages:
        opened.close()
    assert trouble == []


def person(page: Any, name: str) -> Any:
    return page.locator(".ev-r-person").filter(has=page.locator(f'.ev-r-name:text-is("{name}")'))
