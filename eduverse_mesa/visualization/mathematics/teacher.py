"""What a teacher sees of the class: accounts, groups, and the sets of problems."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.gathering import load_collaboration
from eduverse_mesa.scenarios.posing import built_in_problems
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AccountRow, GroupRow
from eduverse_mesa.store.accounts import account, add_account, all_accounts, draw_password, set_password
from eduverse_mesa.store.classwork import (
    add_assignment,
    add_group,
    all_assignments,
    all_groups,
    erase_student,
    has_consented,
)
from eduverse_mesa.store.own_problems import all_problems
from eduverse_mesa.store.purging import purge
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.parts import boxes, navigation, table
from eduverse_mesa.visualization.mathematics.problems import read_problem
from eduverse_mesa.visualization.words import LANGUAGES

MOST_AT_ONCE = 200
"""Accounts that one form makes."""


# --- accounts ---


def class_(ask: Ask, new: list[tuple[str, str]] | None = None, trouble: str = "") -> Response:
    """Students, and groups of them."""
    ask.need("teacher")
    students = all_accounts(ask.study, "student")
    groups = all_groups(ask.study)
    return ask.page(
        ask.say("teach.class"),
        navigation(ask),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        _passwords(ask, new) if new else None,
        tag("section", tag("h2", ask.say("teach.students")), _students(ask, students, groups), class_="ev-card"),
        _new_students(ask),
        _new_group(ask, students),
    )


def _passwords(ask: Ask, new: list[tuple[str, str]]) -> Markup:
    heads = [ask.say("name"), ask.say("password")]
    return tag(
        "section",
        tag("h2", ask.say("teach.passwords")),
        tag("p", ask.say("teach.shown_once")),
        table(heads, [[name, tag("code", password)] for name, password in new], id="passwords"),
        class_="ev-card",
    )


def _students(ask: Ask, students: list[AccountRow], groups: list[GroupRow]) -> Markup:
    rows: list[list[object]] = []
    for one in students:
        of = ", ".join(group.name for group in groups if one.id in group.members)
        agreed = ask.say("teach.has_agreed") if has_consented(ask.study, one.id) else "–"
        anew = ask.form_tag(
            f"/class/{one.id}/password", tag("button", ask.say("teach.new_password"), class_="ev-plain")
        )
        erase = tag("a", ask.say("teach.erase"), href=f"/class/{one.id}/erase")
        rows.append([one.name, of, agreed, anew, erase])
    heads = [ask.say("name"), ask.say("teach.groups"), ask.say("teach.agreed"), "", ""]
    return table(heads, rows) if rows else tag("p", ask.say("teach.no_students"))


def _new_students(ask: Ask) -> Markup:
    languages = [tag("option", name, value=code, selected=code == ask.t.language) for code, name in LANGUAGES.items()]
    return ask.form_tag(
        "/class",
        tag("h2", ask.say("teach.add_students")),
        tag("label", ask.say("teach.names"), tag("textarea", name="names", rows=5, required=True)),
        tag("label", ask.say("teach.language"), tag("select", *languages, name="language")),
        tag("button", ask.say("teach.add")),
        class_="ev-card",
    )


def _new_group(ask: Ask, students: list[AccountRow]) -> Markup:
    return ask.form_tag(
        "/groups",
        tag("h2", ask.say("teach.add_group")),
        tag("label", ask.say("name"), tag("input", name="name", required=True, maxlength=40)),
        boxes("student", [(one.id, one.name) for one in students], ask.say("teach.students")),
        tag("button", ask.say("teach.add")),
        class_="ev-card",
    )


def add_students(ask: Ask) -> Response:
    """Accounts for these names, each with a password that is drawn."""
    me = ask.need("teacher")
    names = [" ".join(line.split()) for line in ask.one("names").splitlines() if line.strip()]
    language = ask.one("language") if ask.one("language") in LANGUAGES else "en"
    if len(names) > MOST_AT_ONCE:
        return class_(ask, trouble=ask.say("teach.too_many", n=MOST_AT_ONCE))
    made: list[tuple[str, str]] = []
    trouble = ""
    for name in names:
        password = draw_password()
        try:
            add_account(ask.study, name, "student", password, made_by=me.id, language=language)
        except EduverseError as error:  # those before it are there, and their passwords have to be shown
            trouble = f"{name}: {error.message} {error.mend}"
            break
        made.append((name, password))
    return class_(ask, made, trouble)


def new_password(ask: Ask) -> Response:
    """Another password, where one was forgotten."""
    student = _student(ask)
    password = draw_password()
    set_password(ask.study, student.id, password)
    return class_(ask, [(student.name, password)])


def _student(ask: Ask) -> AccountRow:
    ask.need("teacher")
    try:
        found = account(ask.study, ask.path("student"))
    except EduverseError:
        raise HTTPException(404) from None
    if found.role != "student":
        raise HTTPException(404)
    return found


def add_the_group(ask: Ask) -> Response:
    """Students put together."""
    me = ask.need("teacher")
    add_group(ask.study, ask.one("name"), ask.form.get("student", []), me.id)
    return RedirectResponse("/class", 303)


def erase(ask: Ask) -> Response:
    """A student and all that is theirs, for good; asked for twice."""
    student = _student(ask)
    if ask.request.method == "GET" or ask.one("sure") != "yes":
        sure = ask.form_tag(
            f"/class/{student.id}/erase",
            tag("input", type="hidden", name="sure", value="yes"),
            tag("p", ask.say("teach.erase_sure", name=student.name)),
            tag("button", ask.say("teach.erase"), class_="ev-danger"),
            class_="ev-card",
        )
        return ask.page(ask.say("teach.erase"), navigation(ask), sure)
    ask.house.hall.forget(erase_student(ask.study, student.id))
    if ask.study.kind == "sqlite":
        purge(ask.study)
    return RedirectResponse("/class", 303)


# --- sets of problems ---


def sets(ask: Ask, trouble: str = "") -> Response:
    """All sets, and a form for another."""
    ask.need("teacher")
    rows: list[list[object]] = [
        [tag("a", row.title, href=f"/sets/{row.id}"), len(who), row.created[:10]]
        for row, who in all_assignments(ask.study)
    ]
    heads = [ask.say("teach.set"), ask.say("teach.students"), ask.say("teach.created")]
    return ask.page(
        ask.say("teach.sets"),
        navigation(ask),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        tag("section", table(heads, rows), class_="ev-card") if rows else None,
        _new_set(ask),
        status=422 if trouble else 200,
    )


def _offered(ask: Ask) -> dict[str, WordProblem]:
    """Problems to choose from: the built-in ones, then those that teachers wrote."""
    found = {one.name: one for language in LANGUAGES for one in built_in_problems(language)}
    for row in all_problems(ask.study):
        problem, _ = read_problem(row.document)
        if problem is not None:
            found[f"own-{row.id}"] = problem
    return found


def _new_set(ask: Ask) -> Markup:
    offered = _offered(ask)
    problems = [(key, ask.say("teach.offered", title=one.title, grade=one.grade)) for key, one in offered.items()]
    mistakes = [
        tag("option", f"{one.name}: {mistake.thinks}", value=mistake.id)
        for one in offered.values()
        for mistake in one.misconceptions
    ]
    drawn = tag("option", ask.say("teach.drawn"), value="")
    groups = [(one.id, one.name) for one in all_groups(ask.study)]
    students = [(one.id, one.name) for one in all_accounts(ask.study, "student")]
    return ask.form_tag(
        "/sets",
        tag("h2", ask.say("teach.add_set")),
        tag("label", ask.say("teach.title"), tag("input", name="title", required=True, maxlength=40)),
        boxes("problem", problems, ask.say("problems")),
        tag("label", ask.say("teach.mistake"), tag("select", drawn, *mistakes, name="mistake")),
        tag("label", ask.say("teach.wait"), tag("input", name="wait", type="number", min=0, max=600, value=10)),
        boxes("group", groups, ask.say("teach.groups")),
        boxes("student", students, ask.say("teach.students")),
        tag("button", ask.say("teach.give")),
        class_="ev-card",
    )


def add_set(ask: Ask) -> Response:
    """A set of problems for students."""
    me = ask.need("teacher")
    offered = _offered(ask)
    chosen = [offered[key] for key in ask.form.get("problem", []) if key in offered]
    wanted = set(ask.form.get("group", []))
    who = [*ask.form.get("student", []), *(m for one in all_groups(ask.study) if one.id in wanted for m in one.members)]
    wait = ask.one("wait") or "10"
    if not chosen or not who:
        return sets(ask, ask.say("teach.choose"))
    if not (wait.isascii() and wait.isdecimal() and int(wait) <= 600):
        return sets(ask, ask.say("teach.whole_seconds"))
    document: dict[str, Any] = load_collaboration().model_dump(mode="json", by_alias=True)
    document["problems"] = [one.model_dump(mode="json", by_alias=True) for one in chosen]
    document["settings"]["wait_shared"] = int(wait)
    if mistake := ask.one("mistake"):
        document["peers"][0]["misconception"] = mistake
    setup = load_collaboration(document)  # whatever came with the form: it has to hold together
    text = msgspec.json.encode(setup.model_dump(mode="json", by_alias=True)).decode()
    row = add_assignment(ask.study, ask.one("title"), text, who, me.id)
    return RedirectResponse(f"/sets/{row.id}", 303)
