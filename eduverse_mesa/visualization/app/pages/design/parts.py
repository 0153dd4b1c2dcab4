"""A form for one part of a lesson: a phase with its activities, a goal, an idea, or a question."""

from __future__ import annotations

from typing import Any, get_args

import solara

from eduverse_mesa.scenarios.drafting.documents import entries, mapping, records, said
from eduverse_mesa.scenarios.lesson import Doing, PhaseName
from eduverse_mesa.scenarios.people import Cognition
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.app.kit import Form, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import (
    Fields,
    buttons,
    field,
    head,
    name_of,
    note,
    options,
    trail_of,
    use_seen,
)
from eduverse_mesa.visualization.app.pages.design.saying import say
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

_DOINGS: tuple[Doing, ...] = get_args(Doing)
_PRESSES = ("accuracy", "reasoning", "relate")


@solara.component
def PartForm(shop: Workshop) -> None:
    """What is chosen in the overview."""
    use_seen()
    t = use_words()
    key, place = str(shop.part[0]), int(shop.part[1])
    at: Trail = ("lessons", shop.lesson, key, place)
    fields = Fields(shop, t)
    makers = {"phases": _phase, "goals": _goal, "ideas": _idea, "questions": _question}
    shown = makers[key](shop, fields, t, at)
    shown += fields.rest(at, shown)
    shown.append(
        buttons("act", ("close", t("design.lesson.close")), ("remove", t(f"design.lesson.remove_{key}"), "danger"))
    )

    def hear(field: str, value: Any) -> None:
        if field == "act" and value == "close":
            shop.renew(part=())
        elif field == "act":
            _remove(shop, key, place)
        elif field.startswith("activity "):
            _act(shop, place, int(field.split()[1]), value)
        elif field == "add activity":
            if value:
                shop.do(shop.draft.lessons.add_activity, shop.lesson, place, value)
        else:
            _set(shop, trail_of(field), value)

    with solara.Div(classes=["ev-part"]):
        Form([head("head", t(f"design.lesson.one_{key}")), *shown], hear, label=t(f"design.lesson.one_{key}"))


def _set(shop: Workshop, trail: Trail, value: Any) -> None:
    last = trail[-1]
    if last == "share":
        shop.do(shop.draft.lessons.share, shop.lesson, int(trail[3]), round(value, 3))
        return
    if last == "keywords":
        value = [one.strip() for one in value.replace("，", ",").replace("、", ",").split(",") if one.strip()]
    elif last == "do":
        _change_doing(shop, trail, value)
        return
    shop.do(shop.draft.set, trail, None if value == "" and last in ("idea", "question") and len(trail) > 5 else value)


def _change_doing(shop: Workshop, trail: Trail, doing: str) -> None:
    """Another kind of activity, with something that it needs."""
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))
    activity = {**mapping(shop.draft.document, trail[:-1]), "do": doing}
    for name, key, needed in (("question", "questions", "ask"), ("idea", "ideas", "explain")):
        if doing == needed and not activity.get(name):
            activity[name] = next((said(one, "id") for _, one in records(plan, (key,))), "")
    shop.do(shop.draft.set, trail[:-1], activity)


def _remove(shop: Workshop, key: str, place: int) -> None:
    lessons = shop.draft.lessons
    if key == "phases":
        shop.do(lessons.remove_phase, shop.lesson, place)
    else:
        name = said(mapping(shop.draft.document, ("lessons", shop.lesson, key, place)), "id")
        acts = {"goals": lessons.remove_goal, "ideas": lessons.remove_idea, "questions": lessons.remove_question}
        shop.do(acts[key], shop.lesson, name)
    shop.renew(part=())


def _act(shop: Workshop, phase: int, activity: int, what: str) -> None:
    lessons = shop.draft.lessons
    if what == "remove":
        shop.do(lessons.remove_activity, shop.lesson, phase, activity)
    else:
        shop.do(lessons.shift_activity, shop.lesson, phase, activity, -1 if what == "up" else 1)


# --- the forms ---


def _phase(shop: Workshop, fields: Fields, t: Words, at: Trail) -> list[Field]:
    names = options(get_args(PhaseName), lambda one: t(f"room.phase.{one}"))
    shown = [
        fields.at((*at, "name"), t("design.part.phase"), "select", "introduction", options=names, width="half"),
        fields.at((*at, "share"), t("design.part.share"), "range", 0.0, min=0, max=1, step=0.01, width="half"),
        fields.at((*at, "summary"), t("design.part.summary")),
        head("activities", t("design.part.activities")),
    ]
    for place in range(len(entries(shop.draft.document, (*at, "activities")))):
        shown += _activity(shop, fields, t, (*at, "activities", place))
    doings = [["", "–"], *options(_DOINGS, lambda one: t(f"design.doing.{one}"))]
    shown.append(
        field("add activity", "select", t("design.part.add_activity"), "", again=True, options=doings, width="half")
    )
    return shown


def _activity(shop: Workshop, fields: Fields, t: Words, at: Trail) -> list[Field]:
    place = int(at[-1])
    activity = mapping(shop.draft.document, at)
    do = said(activity, "do")
    number = t("design.part.number", n=place + 1)
    shown = [
        fields.at(
            (*at, "do"),
            number,
            "select",
            "explain",
            width="quarter",
            options=options(_DOINGS, lambda one: t(f"design.doing.{one}")),
        )
    ]
    if do == "ask":
        shown.append(
            fields.at(
                (*at, "question"),
                t("design.part.question"),
                "select",
                "",
                width="half",
                options=_choices(shop, "questions", "ask"),
            )
        )
    elif do == "explain":
        shown.append(
            fields.at(
                (*at, "idea"),
                t("design.part.idea"),
                "select",
                "",
                width="half",
                options=_choices(shop, "ideas", "text"),
            )
        )
    else:
        shown.append(fields.at((*at, "text"), t("design.part.words"), width="half"))
    if said(activity, "note"):
        shown.append(fields.at((*at, "note"), t("design.part.note"), width="half"))
    shown.append(
        buttons(
            f"activity {place}",
            ("up", "↑", "plain", False, t("design.rules.up")),
            ("down", "↓", "plain", False, t("design.rules.down")),
            ("remove", "✕", "danger", False, t("design.rules.remove")),
            label=number,
            width="quarter",
        )
    )
    about = [found for found in shop.draft.problems_at(*at) if len(found.trail) == len(at)]
    if about:
        shown.append(note(f"wrong {name_of(at)}", " ".join(say(t, one) for one in about), "bad"))
    return shown


def _choices(shop: Workshop, key: str, text: str) -> list[list[str]]:
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))
    return [["", "–"], *([said(one, "id"), (said(one, text) or "…")[:90]] for _, one in records(plan, (key,)))]


def _goal(_: Workshop, fields: Fields, t: Words, at: Trail) -> list[Field]:
    return [fields.at((*at, "text"), t("design.part.goal_text"), "area", rows=2)]


def _idea(shop: Workshop, fields: Fields, t: Words, at: Trail) -> list[Field]:
    keywords = ", ".join(map(str, entries(shop.draft.document, (*at, "keywords"))))
    return [
        fields.at((*at, "text"), t("design.part.idea_text"), "area", rows=2),
        fields.at((*at, "goal"), t("design.part.goal"), "select", "", options=_choices(shop, "goals", "text")),
        fields.at((*at, "because"), t("design.part.because"), "area", rows=2),
        fields.at((*at, "partial"), t("design.part.partial"), "area", rows=2),
        fields.at((*at, "misconception"), t("design.part.misconception"), "area", rows=2),
        fields.at((*at, "keywords"), t("design.part.keywords"), help=t("design.part.keywords_help"))
        | {"value": keywords},
    ]


def _question(shop: Workshop, fields: Fields, t: Words, at: Trail) -> list[Field]:
    return [
        fields.at((*at, "ask"), t("design.part.ask"), "area", rows=2),
        fields.at((*at, "idea"), t("design.part.about"), "select", "", options=_choices(shop, "ideas", "text")),
        fields.at(
            (*at, "bloom"),
            t("design.part.bloom"),
            "select",
            "understand",
            width="half",
            options=options(get_args(Cognition), t.code),
        ),
        fields.at(
            (*at, "press"),
            t("design.part.press"),
            "select",
            "accuracy",
            width="half",
            options=options(_PRESSES, lambda one: t(f"design.press.{one}")),
        ),
        fields.at((*at, "answer"), t("design.part.answer"), "area", rows=2),
        fields.at((*at, "short_answer"), t("design.part.short_answer")),
    ]
