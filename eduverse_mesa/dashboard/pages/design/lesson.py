"""The lesson plans: an overview to read and to choose from, a form for the part that is chosen, and the import of
outlines."""

from __future__ import annotations

from typing import Any, get_args

import solara

from eduverse_mesa.dashboard.elements import Form, Idle, Reading, chip, pick_tree, table_tree, use_words
from eduverse_mesa.dashboard.lessons.draft import VIEWS, Workshop
from eduverse_mesa.dashboard.pages.design.fields import Fields, name_of, say, trail_of, use_seen
from eduverse_mesa.scenarios.drafts import EditError
from eduverse_mesa.scenarios.drafts.documents import Mapped, entries, mapping, records, said
from eduverse_mesa.scenarios.drafts.lessons import confirm, unconfirmed
from eduverse_mesa.scenarios.drafts.origin import read_text
from eduverse_mesa.scenarios.drafts.outlines import Outline, read_outline, settled
from eduverse_mesa.scenarios.drafts.outlines.lines import MOST_LETTERS
from eduverse_mesa.scenarios.plain import Plain, Trail
from eduverse_mesa.visualization.widgets.fields import as_options, buttons, field, head, note, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import LANGUAGES, Words
from eduverse_mesa.visualization.words.labels import line_said, titles
from eduverse_mesa.vocabulary import PHASES, Doing

_NO_OUTLINE: dict[str, Any] = {"outline": None, "outline_text": "", "outline_title": "", "outline_confirmed": False}


@solara.component
def OutlineImport(shop: Workshop) -> None:
    """Paste, look at what was understood, and use it."""
    use_seen()
    t = use_words()

    def hear(field: str, value: Any) -> None:
        if field == "outline":
            shop.renew(outline_text=value)
        elif field == "file":
            take_file(shop, value["name"], value["text"])
        elif value == "read":
            read(shop)
        elif field == "title":
            shop.renew(outline_title=value)
        elif field == "confirmed":
            shop.renew(outline_confirmed=bool(value))
        elif value == "clear":
            shop.renew(**_NO_OUTLINE)
        elif value in ("replace", "add") and shop.outline is not None:
            _use(shop, shop.outline, value)

    with solara.Div(classes=["ev-part"]):
        Form(_pasting(shop, t), hear, label=t("design.outline.title"))
        if shop.outline is not None:
            Reading(_account(shop.outline, t))
            Form(_using(shop, shop.outline, t), hear, label=t("design.outline.use"))


def _pasting(shop: Workshop, t: Words) -> list[Field]:
    example, kinds = t("design.outline.example"), ".txt,.md,.csv,.tsv,.yaml,.yml,.json"
    return [
        head("head", t("design.outline.title")),
        note("note", t("design.outline.note")),
        field("outline", "area", t("design.outline.text"), shop.outline_text, rows=6, placeholder=example),
        field("file", "file", t("design.outline.file"), "", accept=kinds, max=1_000_000),
        buttons("act", ("read", t("design.outline.read"), "primary"), ("clear", t("design.outline.clear"))),
    ]


def _using(shop: Workshop, outline: Outline, t: Words) -> list[Field]:
    titled = bool(shop.outline_title.strip())
    no_title = "" if titled else t("design.outline.no_title")
    confirmed = field("confirmed", "check", t("design.outline.confirm"), shop.outline_confirmed)
    return [
        field("title", "text", t("design.outline.name"), shop.outline_title, error=no_title),
        *([confirmed] if outline.made_up else []),
        buttons(
            "act",
            ("replace", t("design.outline.replace"), "primary", not titled),
            ("add", t("design.outline.add"), "plain", not titled),
        ),
    ]


def take_file(shop: Workshop, name: str, text: str) -> None:
    """A lesson file takes its place at once; anything else is an outline to look at first."""
    if name.lower().endswith((".yaml", ".yml", ".json")):
        shop.do(_take_lesson, shop, text, name[:80])
    else:
        shop.renew(outline_text=text[:MOST_LETTERS])


def read(shop: Workshop) -> None:
    """Understand what was pasted: an outline, or the text of a lesson file."""
    if shop.outline_text.lstrip().startswith("kind:"):
        shop.do(_take_lesson, shop, shop.outline_text, "")
    else:
        shop.do(_understand, shop)


def _understand(shop: Workshop) -> None:
    shop.outline, shop.outline_title, shop.outline_confirmed = None, "", False
    shop.outline = read_outline(shop.outline_text)
    shop.outline_title = str(shop.outline.lesson["title"]) if shop.outline.titled else ""


def _take_lesson(shop: Workshop, text: str, label: str) -> None:
    kind, lesson = read_text(text, label or "the pasted text")
    if kind != "lesson":
        raise EditError("no_lesson_file", f"this is a {kind}, no lesson.", "Open it on the File tab.")
    shop.draft.lessons.replace(shop.lesson, lesson)
    shop.view, shop.part, shop.outline, shop.outline_text = "phases", (), None, ""


def _use(shop: Workshop, outline: Outline, how: str) -> None:
    lessons = shop.draft.lessons
    plan = settled(outline, shop.outline_title.strip(), confirmed=shop.outline_confirmed)
    done = shop.do(lessons.replace, shop.lesson, plan) if how == "replace" else shop.do(lessons.add, plan)
    if done:
        count = len(entries(shop.draft.document, ("lessons",)))
        lesson = shop.lesson if how == "replace" else count - 1
        shop.renew(**_NO_OUTLINE, part=(), view="phases", lesson=lesson)


def _account(outline: Outline, t: Words) -> list[Any]:
    """Every line with what it was taken for, and what was filled in."""
    rows = [
        [
            "tr",
            {},
            ["td", {"class": "ev-num"}, str(line.number)],
            ["td", {}, ["bdi", {}, line.text]],
            [
                "td",
                {},
                line_said(line.taken_for, t),
                *([" ", chip(t(f"design.outline.{line.note}"), "is-warn")] if line.note else []),
            ],
        ]
        for line in outline.lines
    ]
    heads = [t(f"design.outline.{name}") for name in ("line", "said", "taken")]
    return [
        "div",
        {"class": "ev-account"},
        ["p", {"role": "status"}, t("design.outline.understood", n=len(outline.lines))],
        table_tree(heads, rows, t("design.outline.title")),
        *(made_up(outline.lesson, t) if outline.made_up else []),
    ]


def made_up(plan: Mapped, t: Words) -> list[Any]:
    """Return the tree of all that was made up or guessed, each with its place and its text: to be read before it is
    confirmed."""
    empty = chip(t("design.outline.to_fill"), "is-warn")
    rows = [
        ["tr", {}, ["td", {}, part_of(trail, t)], ["td", {}, ["bdi", {}, text] if text else empty]]
        for trail, text in unconfirmed(plan)
    ]
    told, heads = t("design.outline.filled", n=len(rows)), [t("design.outline.place"), t("design.outline.text_made")]
    return [["p", {"class": "ev-note is-warn"}, told], table_tree(heads, rows, t("design.outline.text_made"))]


def part_of(trail: Trail, t: Words) -> str:
    """A place of a plan: `Idea 2 · A likely wrong belief`."""
    if len(trail) < 3:
        return t("design.lesson.title")
    part, index, key = str(trail[0]), trail[1], str(trail[2])
    label = t({"text": "design.part.made_text", "ask": "design.part.made_ask"}.get(key, f"design.part.{key}"))
    return f"{t(f'design.lesson.one_{part}')} {int(index) + 1} · {label}"


@solara.component
def PartForm(shop: Workshop) -> None:
    """Form of the part that is chosen in the overview."""
    use_seen()
    t = use_words()
    key, place = str(shop.part[0]), int(shop.part[1])
    at: Trail = ("lessons", shop.lesson, key, place)
    fields = Fields(shop, t)
    makers = {"phases": _parts_phase, "goals": _goal, "ideas": _idea, "questions": _question}
    shown = makers[key](shop, fields, at)
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


def _parts_phase(shop: Workshop, fields: Fields, at: Trail) -> list[Field]:
    t = fields.t
    shown = [
        *fields.of(at, name="half", share="half", summary=""),
        head("activities", t("design.part.activities")),
    ]
    for place in range(len(entries(shop.draft.document, (*at, "activities")))):
        shown += _activity(shop, fields, (*at, "activities", place))
    doings = {"": "–", **{one: t(f"design.doing.{one}") for one in get_args(Doing)}}
    return [*shown, select("add activity", t("design.part.add_activity"), doings, "", again=True, width="half")]


_ABOUT = {"ask": "question", "explain": "idea"}
"""What an activity names: a question, or an idea; any other has words."""


def _activity(shop: Workshop, fields: Fields, at: Trail) -> list[Field]:
    t = fields.t
    place = int(at[-1])
    activity = mapping(shop.draft.document, at)
    number = t("design.part.number", n=place + 1)
    about = _ABOUT.get(said(activity, "do"), "text")
    named = {} if about == "text" else {"kind": "select", "options": _choices(shop, f"{about}s")}
    turns = [("up", "↑", "plain", False, t("design.rules.up")), ("down", "↓", "plain", False, t("design.rules.down"))]
    wrong = [found for found in shop.draft.problems_at(*at) if len(found.trail) == len(at)]
    return [
        fields.at((*at, "do"), label=number, width="quarter"),
        fields.at((*at, about), width="half", **named),
        *(fields.of(at, note="half") if said(activity, "note") else []),
        buttons(
            f"activity {place}",
            *turns,
            ("remove", "✕", "danger", False, t("design.rules.remove")),
            label=number,
            width="quarter",
        ),
        *([note(f"wrong {name_of(at)}", " ".join(say(t, one) for one in wrong), "bad")] if wrong else []),
    ]


def _choices(shop: Workshop, key: str) -> list[list[str]]:
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))
    return [["", "–"], *([said(one, "id"), (said(one, _TEXTS[key]) or "…")[:90]] for _, one in records(plan, (key,)))]


def _goal(_: Workshop, fields: Fields, at: Trail) -> list[Field]:
    return [fields.at((*at, "text"), rows=2)]


def _idea(shop: Workshop, fields: Fields, at: Trail) -> list[Field]:
    keywords = ", ".join(map(str, entries(shop.draft.document, (*at, "keywords"))))
    return [
        fields.at((*at, "text"), rows=2),
        fields.at((*at, "goal"), kind="select", options=_choices(shop, "goals")),
        *(fields.at((*at, name), rows=2) for name in ("because", "partial", "misconception")),
        fields.at((*at, "keywords")) | {"value": keywords},
    ]


def _question(shop: Workshop, fields: Fields, at: Trail) -> list[Field]:
    return [
        fields.at((*at, "ask"), rows=2),
        fields.at((*at, "idea"), kind="select", options=_choices(shop, "ideas")),
        *fields.of(at, bloom="half", press="half"),
        fields.at((*at, "answer"), rows=2),
        fields.at((*at, "short_answer")),
    ]


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
    """Note on all that an import made up or guessed: the lesson is not played before it is confirmed."""
    use_seen()
    plan = mapping(shop.draft.document, ("lessons", shop.lesson))
    if not any(unconfirmed(plan)):
        Idle()
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

    library = {"": t("design.file.choose"), **titles("lesson", t)}
    many = len(known) > 1
    shown: list[Field] = [
        select("change", t("design.lesson.change"), library, "", again=True, width="half"),
        select("add", t("design.lesson.add"), library, "", again=True, width="half"),
    ]
    if many:
        numbered = {str(place): f"{place + 1}. {title[:80]}" for place, title in enumerate(called)}
        shown += [
            select("lesson", t("design.lesson.which"), numbered, str(shop.lesson)),
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
    """Form about the lesson as a whole."""
    use_seen()
    at = ("lessons", shop.lesson)
    fields = Fields(shop, t)
    shown = [
        *fields.of(at, title="", subject="third", genre="third"),
        fields.at((*at, "language"), kind="select", options=as_options(LANGUAGES), width="third"),
        fields.at((*at, "interest"), width="half", low=t("design.lesson.dull"), high=t("design.lesson.gripping")),
        fields.at((*at, "demand"), width="half", low=t("design.lesson.easy"), high=t("design.lesson.hard")),
        fields.at((*at, "text"), rows=3),
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


def _pick(shop: Workshop, key: str, place: int, wrong: set[Any], *inside: Any) -> Tree:
    return pick_tree([key, place], shop.part == (key, place), *inside, bad=(key, place) in wrong)


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
