"""The lesson plans: an overview to read and to choose from, and a form for the part that is chosen."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.drafting.confirmation import confirm, unconfirmed
from eduverse_mesa.scenarios.drafting.documents import entries, mapping, records, said
from eduverse_mesa.scenarios.drafting.lessons import PHASES
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.visualization.app.kit import Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import VIEWS, Workshop
from eduverse_mesa.visualization.app.pages.design.fields import Fields, buttons, field, options, trail_of, use_seen
from eduverse_mesa.visualization.app.pages.design.outline import OutlineImport, made_up
from eduverse_mesa.visualization.app.pages.design.parts import PartForm
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import titles

_LISTS = ("goals", "ideas", "questions")
_TEXTS = {"goals": "text", "ideas": "text", "questions": "ask"}


@solara.component
def LessonPanel(shop: Workshop) -> None:
    """The lesson that is chosen; import below."""
    use_seen()
    t = use_words()
    with solara.Div(classes=["ev-stack"]):
        _Lessons(shop, t)
        _Views(shop, t)
        if shop.view != "import":
            _Unconfirmed(shop, t)
        if shop.view == "about":
            _About(shop, t)
        elif shop.view == "import":
            OutlineImport(shop)
        else:
            if shop.part and shop.part[0] == shop.view:
                PartForm(shop).key(f"part {shop.lesson} {shop.part}")
            _Overview(shop, t)


@solara.component
def _Unconfirmed(shop: Workshop, t: Words) -> None:
    """What an import made up or guessed: the lesson is not played before it is confirmed."""
    use_seen()
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))
    if not any(unconfirmed(plan)):
        solara.Div(classes=["ev-idle"])
        return
    with solara.Div(classes=["ev-part"]):
        Reading(["div", {"class": "ev-account"}, *made_up(plan, t)])
        if confirm(plan) != plan:
            Form(
                [buttons("act", ("confirm", t("design.outline.confirm_now"), "primary"))],
                lambda *_: shop.do(shop.draft.lessons.confirm, shop.lesson),
                label=t("design.outline.confirm_now"),
            )


@solara.component
def _Views(shop: Workshop, t: Words) -> None:
    use_seen()
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))

    def name(view: str) -> str:
        count = len(entries(plan, (view,)))
        return f"{t(f'design.lesson.{view}')} ({count})" if view in _LISTS else t(f"design.lesson.{view}")

    choices = [(view, name(view), "on" if view == shop.view else "off") for view in VIEWS]
    Form(
        [buttons("view", *choices, label=t("design.lesson.views"))],
        lambda _, view: shop.renew(view=view, part=()),
        look="bar",
    )


@solara.component
def _Lessons(shop: Workshop, t: Words) -> None:
    use_seen()
    lessons = shop.draft.lessons
    known = entries(shop.draft.document, ("lessons",))
    called = [said(mapping(one), "title") or said(mapping(one), "name") or "?" for one in known]

    def hear(field: str, value: Any) -> None:
        if field == "lesson":
            shop.renew(lesson=int(value), part=())
        elif field == "add" and value:
            if shop.do(lessons.add, value):
                shop.renew(lesson=len(entries(shop.draft.document, ("lessons",))) - 1, part=())
        elif field == "change" and value:
            if shop.do(shop.draft.choose, "lesson", value):
                shop.renew(lesson=0, part=())
        elif value == "remove":
            shop.do(lessons.remove, shop.lesson)
        elif value in ("earlier", "later") and shop.do(lessons.shift, shop.lesson, -1 if value == "earlier" else 1):
            shop.renew(lesson=max(0, min(len(known) - 1, shop.lesson + (-1 if value == "earlier" else 1))))

    library = [["", t("design.file.choose")], *map(list, titles("lesson", t).items())]
    many = len(known) > 1
    shown: list[Field] = [
        field("change", "select", t("design.lesson.change"), "", options=library, again=True, width="half"),
        field("add", "select", t("design.lesson.add"), "", options=library, again=True, width="half"),
    ]
    if many:
        numbered = [[str(place), f"{place + 1}. {title[:80]}"] for place, title in enumerate(called)]
        shown += [
            field("lesson", "select", t("design.lesson.which"), str(shop.lesson), options=numbered),
            buttons(
                "act",
                ("earlier", t("design.lesson.earlier"), "plain", shop.lesson == 0),
                ("later", t("design.lesson.later"), "plain", shop.lesson == len(known) - 1),
                ("remove", t("design.lesson.remove"), "danger"),
            ),
        ]
    Form(shown, hear, label=t("design.tab.lesson"))


@solara.component
def _About(shop: Workshop, t: Words) -> None:
    """What the lesson is."""
    use_seen()
    at = ("lessons", shop.lesson)
    fields = Fields(shop, t)
    languages = options(("en", "zh"), lambda one: {"en": "English", "zh": "中文"}[one])
    shown = [
        fields.at((*at, "title"), t("design.lesson.title")),
        fields.at((*at, "subject"), t("design.lesson.subject"), width="third"),
        fields.at((*at, "genre"), t("design.lesson.genre"), width="third"),
        fields.at((*at, "language"), t("design.lesson.language"), "select", "en", options=languages, width="third"),
        fields.at(
            (*at, "interest"),
            t("design.lesson.interest"),
            "range",
            0.5,
            min=0,
            max=1,
            step=0.01,
            width="half",
            low=t("design.lesson.dull"),
            high=t("design.lesson.gripping"),
        ),
        fields.at(
            (*at, "demand"),
            t("design.lesson.demand"),
            "range",
            0.5,
            min=0,
            max=1,
            step=0.01,
            width="half",
            low=t("design.lesson.easy"),
            high=t("design.lesson.hard"),
        ),
        fields.at((*at, "text"), t("design.lesson.text"), "area", rows=3, help=t("design.lesson.text_help")),
    ]
    inner = [found for found in fields.rest(at, shown) if not shop.draft.problems_at(*at, "phases")]
    shown += inner

    def hear(field: str, value: Any) -> None:
        shop.do(shop.draft.set, trail_of(field), round(value, 4) if isinstance(value, float) else value)

    Form(shown, hear, label=t("design.lesson.about"))


# --- the overview ---


@solara.component
def _Overview(shop: Workshop, t: Words) -> None:
    use_seen()
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))
    wrong = {
        tuple(found.trail[2:4]) for found in shop.draft.problems_at("lessons", shop.lesson) if len(found.trail) > 3
    }

    def hear(what: Any) -> None:
        if isinstance(what, list) and len(what) == 2 and isinstance(what[1], int):
            shop.renew(part=(str(what[0]), what[1]) if what[0] in ("phases", *_LISTS) else ())
        elif isinstance(what, str) and what.startswith("add "):
            _add(shop, what.removeprefix("add "))

    if shop.view == "phases":
        phases = [_phase(shop, plan, place, phase, wrong, t) for place, phase in records(plan, ("phases",))]
        full = len(entries(plan, ("phases",))) >= len(PHASES)
        shown = [["ol", {"class": "ev-phases"}, *phases], _adder("phases", t, off=full)]
    else:
        shown = _list(shop, plan, shop.view, wrong, t)
    Reading(["div", {"class": "ev-plan"}, *shown], on_event=hear)


def _adder(key: str, t: Words, *, off: bool = False) -> Any:
    return [
        "button",
        {"class": "ev-adder", "on": f"add {key}", "key": f"add {key}", "disabled": off},
        t(f"design.lesson.add_{key}"),
    ]


def _add(shop: Workshop, key: str) -> None:
    lessons = shop.draft.lessons
    acts: dict[str, Any] = {
        "phases": lessons.add_phase,
        "goals": lessons.add_goal,
        "ideas": lessons.add_idea,
        "questions": lessons.add_question,
    }
    if key in acts and shop.do(acts[key], shop.lesson):
        count = len(entries(shop.draft.document, ("lessons", shop.lesson, key)))
        if key != "phases":
            shop.renew(part=(key, count - 1))


def _pick(shop: Workshop, key: str, place: int, wrong: set[Any], *inside: Any) -> list[Any]:
    here, bad = shop.part == (key, place), (key, place) in wrong
    look = " ".join(["ev-pick", *(["here"] if here else []), *(["bad"] if bad else [])])
    return ["button", {"class": look, "on": [key, place], "aria-pressed": str(here).lower()}, *inside]


def _phase(
    shop: Workshop, plan: dict[str, Plain], place: int, phase: dict[str, Plain], wrong: set[Any], t: Words
) -> list[Any]:
    share = phase.get("share")
    number = float(share) if isinstance(share, int | float) and not isinstance(share, bool) else 0.0
    name = said(phase, "name")
    lines = [["li", {}, _line(plan, activity, t)] for _, activity in records(phase, ("activities",))]
    return [
        "li",
        {"key": f"phase {place}"},
        _pick(
            shop,
            "phases",
            place,
            wrong,
            ["b", {}, t.get(f"room.phase.{name}", name or "?")],
            ["span", {"class": "ev-muted"}, t("design.lesson.share", percent=round(100 * number))],
            ["span", {"class": "ev-bar", "v": max(0.0, min(1.0, number))}, ["span", {}]],
        ),
        ["ul", {"class": "ev-acts"}, *lines],
    ]


def _line(plan: dict[str, Plain], activity: dict[str, Plain], t: Words) -> list[Any]:
    do = said(activity, "do")
    text = said(activity, "text") or said(activity, "note")
    for key, name, shown in (("questions", "question", "ask"), ("ideas", "idea", "text")):
        wanted = said(activity, name)
        found = next((said(one, shown) for _, one in records(plan, (key,)) if wanted and said(one, "id") == wanted), "")
        text = text or found
    return [
        "span",
        {},
        ["span", {"class": "ev-do"}, t.get(f"design.doing.{do}", do or "?")],
        " ",
        ["bdi", {}, text or "…"],
    ]


def _list(shop: Workshop, plan: dict[str, Plain], key: str, wrong: set[Any], t: Words) -> list[Any]:
    rows = [
        ["li", {"key": f"{key} {place}"}, _pick(shop, key, place, wrong, ["bdi", {}, said(record, _TEXTS[key]) or "…"])]
        for place, record in records(plan, (key,))
    ]
    return [["ul", {"class": "ev-picks"}, *rows], _adder(key, t)]
