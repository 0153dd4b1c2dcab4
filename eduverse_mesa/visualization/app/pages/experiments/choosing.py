"""The form: which experiment, how many seeds, who answers, and where it is kept; or what is kept already."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.experiments.papers import EXPERIMENTS
from eduverse_mesa.experiments.papers.running import Plan
from eduverse_mesa.policies.making import MAKERS
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.experiments.bench import Bench
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

MOST_SEEDS = 1000
_ALL = "all"


@solara.component
def Choosing(desk: Desk, bench: Bench) -> None:
    """What is to be played, or opened."""
    t = use_words()
    use_live(bench.changed)
    given, set_given = solara.use_state(
        {"which": "1", "seeds": 10, "policy": desk.policy if desk.policy in MAKERS else "embedded", "name": ""}
    )
    kept = bench.folders()
    seeds = given["seeds"]
    count = seeds if isinstance(seeds, int | float) and seeds == int(seeds) and 1 <= seeds <= MOST_SEEDS else None
    name = given["name"].strip() or default_name(given["which"], given["policy"])

    def put(field: str, value: Any) -> None:
        set_given({**given, field: value})

    def begin() -> None:
        free = given["policy"] == "embedded"
        policy, settings = ("", {}) if free else (given["policy"], dict(desk.llm))
        bench.begin(Plan(which=given["which"], seeds=int(count or 1), policy=policy, settings=settings), name)

    with Card(t("experiments.choose.title")):
        solara.Text(t("experiments.choose.about"), classes=["ev-quiet"])
        Form(_fields(given, t), hear=put)
        if given["policy"] != "embedded":
            Note(t("experiments.choose.model"), kind="warn")
        if count is None:
            Note(t("experiments.choose.bad_seeds", most=MOST_SEEDS), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("experiments.choose.go_on" if name in kept else "experiments.choose.play"),
                color="primary",
                on_click=begin,
                disabled=count is None or bench.busy,
            )
            for folder in kept[:_SHOWN]:
                solara.Button(
                    t("experiments.choose.open", name=folder),
                    outlined=True,
                    disabled=bench.busy,
                    on_click=lambda folder=folder: bench.open(folder),
                )


_SHOWN = 6
"""Folders that can be opened by a button: the newest."""


def default_name(which: str, policy: str) -> str:
    """A folder's name, where none is given."""
    return f"experiment_{which}" + ("" if policy == "embedded" else f"_{policy}")


def _fields(given: dict[str, Any], t: Words) -> list[Field]:
    which = [
        [str(number), t("experiments.number", number=number, title=t(f"experiments.name.{number}"))]
        for number in EXPERIMENTS
    ]
    policies = [[policy, t.code(policy)] for policy in MAKERS]
    return [
        {
            "id": "which",
            "kind": "select",
            "label": t("experiments.choose.which"),
            "options": [*which, [_ALL, t("experiments.all")]],
            "value": given["which"],
            "width": "half",
        },
        {
            "id": "seeds",
            "kind": "number",
            "label": t("experiments.choose.seeds"),
            "value": given["seeds"],
            "min": 1,
            "max": MOST_SEEDS,
            "width": "quarter",
        },
        {
            "id": "policy",
            "kind": "select",
            "label": t("experiments.choose.policy"),
            "options": policies,
            "value": given["policy"],
            "width": "quarter",
        },
        {
            "id": "name",
            "kind": "text",
            "label": t("experiments.choose.name"),
            "value": given["name"],
            "placeholder": default_name(given["which"], given["policy"]),
            "help": t("experiments.choose.name_help", name=default_name(given["which"], given["policy"])),
        },
    ]
