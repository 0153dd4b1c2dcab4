"""What is wrong, with a way to each place."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.app.kit import Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop, tab_of
from eduverse_mesa.visualization.app.pages.design.fields import use_seen
from eduverse_mesa.visualization.app.pages.design.saying import place, say
from eduverse_mesa.visualization.words import Words

_MOST = 6


@solara.component
def ProblemList(shop: Workshop) -> None:
    """A summary; each line leads to the field it is about."""
    use_seen()
    t = use_words()
    problems = shop.draft.problems
    if not problems:
        return

    def hear(number: Any) -> None:
        if isinstance(number, int) and 0 <= number < len(problems):
            shop.go_to(problems[number].trail)

    lines: list[list[Any]] = [
        [
            "li",
            {"key": number},
            [
                "button",
                {"on": number, "class": "ev-problem"},
                ["b", {}, t(f"design.tab.{tab_of(found.trail)}")],
                *_place(t, shop, found.trail),
                " ",
                say(t, found),
            ],
        ]
        for number, found in enumerate(problems[:_MOST])
    ]
    more = len(problems) - _MOST
    rest = [["li", {"class": "ev-muted"}, t("design.problems.more", n=more)]] if more > 0 else []
    Reading(
        [
            "section",
            {"class": "ev-note is-warn ev-problems", "aria-label": t("design.problems.title")},
            ["h2", {}, t("design.problems.title")],
            ["ul", {}, *lines, *rest],
        ],
        on_event=hear,
    )


def _place(t: Words, shop: Workshop, trail: Trail) -> list[Any]:
    where = place(t, shop.draft, trail)
    return [" ", ["span", {"class": "ev-muted"}, ["bdi", {}, where]]] if where else []
