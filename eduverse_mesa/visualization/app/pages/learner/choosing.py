"""The form: who is taught what and how, and who answers."""

from __future__ import annotations

from typing import Any

import msgspec
import solara

from eduverse_mesa.visualization.app.answering import answering_of, policy_here, told_of
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.learner.bench import Asked, Bench
from eduverse_mesa.visualization.app.pages.learner.files import MOST_BYTES
from eduverse_mesa.visualization.app.pages.learner.plan import MOST_LEARNERS, MOST_VISITS, SAMPLED, Plan, usual
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import titles

_GRADES = (0, 13)
_NUMBERS = ("learners", "first", "last", "visits", "seed")


@solara.component
def Choosing(desk: Desk, bench: Bench) -> None:
    """What is to be taught, or opened."""
    t = use_words()
    use_live(bench.changed)
    given, set_given = solara.use_state(msgspec.structs.asdict(usual(t.language)))
    plan = plan_of(given)

    def hear(name: str, value: Any) -> None:
        if name == "file":
            _open(bench, value, plan or usual(t.language), t)
        else:
            set_given({**given, name: value})

    with Card(t("learner.choose.title")):
        solara.Text(t("learner.choose.about"), classes=["ev-quiet"])
        Form(_fields(given, t), hear, label=t("learner.choose.title"))
        _Answering(desk)
        _InPlace(bench)
        if plan is None:
            Note(t("learner.choose.wrong"), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("learner.choose.teach"),
                color="primary",
                disabled=plan is None or bench.busy,
                on_click=lambda: bench.begin(plan or usual(t.language), answering_of(desk)),
            )


@solara.component
def _InPlace(bench: Bench) -> None:
    """Whether the learner of a file shall take the place of everybody who is here."""
    t = use_words()
    use_live(bench.changed)
    asked = bench.asked
    if asked is None:
        solara.Div(classes=["ev-idle"])
        return
    talking = bench.talk is not None and not bench.talk.over
    lost = "talking" if talking else "unkept" if bench.shelf is None else "kept"
    with solara.Div(classes=["ev-stack"]):
        Note(t(f"learner.choose.in_place.{lost}", file=asked.name), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("learner.choose.in_place.open"), color="primary", on_click=lambda: bench.open(*asked))
            solara.Button(t("learner.choose.in_place.stay"), outlined=True, on_click=lambda: bench.ask_to_open(None))


def plan_of(given: dict[str, Any]) -> Plan | None:
    """What the form says as a plan; none where a number is missing or is not whole."""
    numbers = {name: given[name] for name in _NUMBERS}
    if not all(isinstance(value, int | float) and value == int(value) for value in numbers.values()):
        return None
    said = {name: given[name] for name in ("cohort", "curriculum", "law", "arm")}
    plan: Plan = msgspec.convert({**said, **{name: int(value) for name, value in numbers.items()}}, Plan)
    fits = (
        1 <= plan.learners <= MOST_LEARNERS
        and _GRADES[0] <= plan.first <= plan.last <= _GRADES[1]
        and 1 <= plan.visits <= MOST_VISITS
        and 0 <= plan.seed < 2**31
    )
    return plan if fits else None


@solara.component
def _Answering(desk: Desk) -> None:
    """Who answers, and what is missing for it."""
    t = use_words()
    told = told_of(desk)
    with solara.Div(classes=["ev-row"]):
        solara.Text(t("learner.choose.answers", policy=t.code(policy_here(desk.policy))), classes=["ev-quiet"])
        with solara.Link("/settings"):
            solara.Text(t("learner.choose.settings"))
    if told:
        Note(t(f"learner.choose.{told}"), kind="warn")


def _open(bench: Bench, given: dict[str, Any], chosen: Plan, t: Words) -> None:
    size = given.get("size")
    if isinstance(size, int | float) and size > MOST_BYTES:
        bench.decline(t("learner.choose.too_large", most=f"{MOST_BYTES / 1e6:.0f}"))
    else:
        asked = Asked(given["text"], chosen, str(given["name"])[:80])
        if bench.school is None:
            bench.open(*asked)
        else:
            bench.ask_to_open(asked)


def _fields(given: dict[str, Any], t: Words) -> list[Field]:
    def select(name: str, options: list[list[str]], width: str = "third") -> Field:
        label = t(f"learner.choose.{name}")
        return {
            "id": name, "kind": "select", "label": label, "options": options, "value": given[name], "width": width,
        }  # fmt: skip

    def number(name: str, least: int, most: int) -> Field:
        label = t(f"learner.choose.{name}")
        return {
            "id": name, "kind": "number", "label": label, "value": given[name], "min": least, "max": most,
            "width": "quarter",
        }  # fmt: skip

    cohorts = [list(named) for named in titles("cohort", t).items()]
    curricula = [list(named) for named in titles("curriculum", t).items()]
    drawn = given["cohort"] == SAMPLED
    return [
        select("cohort", [*cohorts, [SAMPLED, t("learner.cohort.sampled")]]),
        select("curriculum", curricula, "two-thirds"),
        *([number("learners", 1, MOST_LEARNERS)] if drawn else []),
        number("first", *_GRADES),
        number("last", *_GRADES),
        number("visits", 1, MOST_VISITS),
        number("seed", 0, 2**31 - 1),
        select("law", [[name, t(f"learner.law.{name}")] for name in ("episodes", "ebbinghaus")], "half"),
        select("arm", [[name, t(f"learner.arm.{name}")] for name in ("full", "base")], "half"),
        {
            "id": "file",
            "kind": "file",
            "label": t("learner.choose.file"),
            "help": t("learner.choose.file_help"),
            "value": "",
            "max": MOST_BYTES,
            "accept": ".json",
        },
    ]
