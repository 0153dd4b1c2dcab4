"""Problems that teachers write, in a form or as text: what is wrong is told while they do."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.pupils.markup import Markup, initial, join, tag
from eduverse_mesa.pupils.request import LONGEST_BODY, LONGEST_HEAD, Ask
from eduverse_mesa.pupils.teacher.outcomes import mistakes, solution
from eduverse_mesa.pupils.teacher.parts import choice, my_problem, my_problems, navigation, sure, table
from eduverse_mesa.pupils.teacher.problem_form import (
    ACTION,
    LONGEST,
    PREFIX,
    Examined,
    Findings,
    Troubles,
    change_list,
    complete,
    examine,
    free_name,
    from_form,
    is_shown,
    problem_fields,
    shown_data,
    write_document,
)
from eduverse_mesa.pupils.typesetting import math
from eduverse_mesa.scenarios.groups import Collaboration, default_peers
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.scenarios.loader import built_in_problems, load_collaboration
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store.classwork import delete_problem, save_problem
from eduverse_mesa.visualization.words import LANGUAGES, run_on

_SEEDS = 1000


def try_page(ask: Ask, problem: WordProblem, document: str, own: str) -> Response:
    """The page. Nothing of it is kept."""
    mistake, seed = _wanted(ask, problem)
    model = CollaborationModel(_group(problem, mistake), seed=seed).run()
    return ask.page(
        ask.teach("try_title", title=problem.title or problem.name),
        navigation(ask),
        tag("section", tag("p", math(problem.statement)), tag("p", tag("b", math(problem.question))), class_="ev-card"),
        tag("section", tag("h2", ask.teach("works_out")), solution(ask, problem), class_="ev-card"),
        tag("section", tag("h2", ask.teach("where_mistakes_lead")), mistakes(ask, problem), class_="ev-card"),
        tag(
            "section",
            tag("h2", ask.teach("heard")),
            tag("p", ask.teach("heard_why"), class_="ev-quiet"),
            _again(ask, problem, document, own, mistake, seed),
            _dialogue(ask, model),
            class_="ev-card",
            id="heard",
        ),
    )


def _wanted(ask: Ask, problem: WordProblem) -> tuple[str, int]:
    known = [one.id for one in problem.misconceptions]
    mistake = ask.one("mistake") if ask.one("mistake") in known else known[0]
    seed = ask.one("seed")
    return mistake, int(seed) % _SEEDS if seed.isascii() and seed.isdecimal() and len(seed) < 9 else 1


def _group(problem: WordProblem, mistake: str) -> Collaboration:
    """The usual peers: the one of limited skill begins with this mistake."""
    whole = load_collaboration()
    usual = default_peers(problem.language)
    first = next(peer for peer in usual if peer.skill == "limited")
    peers = tuple(peer.model_copy(update={"misconception": mistake}) if peer is first else peer for peer in usual)
    return whole.model_copy(update={"problems": (problem,), "peers": peers, "seats": ()})


def _again(ask: Ask, problem: WordProblem, document: str, own: str, mistake: str, seed: int) -> Markup:
    ways = [(one.id, f"{one.thinks[:80]}") for one in problem.misconceptions]
    return ask.form_tag(
        "/problems/edit#heard",
        tag("input", type="hidden", name="document", value=document),
        tag("input", type="hidden", name="own", value=own),
        tag("input", type="hidden", name="seed", value=seed + 1),
        tag("label", ask.teach("begins_with"), choice("mistake", ways, mistake)),
        tag(
            "div",
            tag("button", ask.teach("play_another"), name="do", value="try"),
            tag("button", ask.teach("to_editor"), name="do", value="form", class_="ev-second"),
            class_="ev-doings",
        ),
        class_="ev-form",
        data_careful=careful(ask, document),
    )


def careful(ask: Ask, document: str) -> str:
    """Of a form with a problem in it: whether something that came with a form is kept nowhere yet (`page.js`)."""
    kept = not ask.is_form or any(row.document == document for row in my_problems(ask))
    return "kept" if kept else "changed"


def _dialogue(ask: Ask, model: CollaborationModel) -> Markup:
    parts: list[object] = []
    stage = ""
    for row in model.journal.messages:
        if row.stage != stage:
            stage = row.stage
            parts.append(tag("li", ask.say(f"stage.{stage}"), class_="ev-mark"))
        who = model.names_of_peers.index(row.speaker) % 3
        said = tag("b", row.speaker), tag("p", math(row.text))
        parts.append(tag("li", *said, class_=f"is-peer-{who}", data_initial=initial(row.speaker)))
    end = ask.teach("solved_in", n=model.turn) if model.solved else ask.teach("not_solved_in", n=model.turn)
    return join([tag("ol", *parts, class_="ev-said ev-whole"), tag("p", end, role="status")])


EMPTY: dict[str, Any] = {
    "kind": "problem",
    **{one: [{}] for one in ("givens", "subtasks", "answers", "sense", "reflection")},
    "misconceptions": [{"changes": [{}]}],
}
"""The beginning of a problem that is nobody's copy."""


_FIRST = "steps_and_distance"
_OWN = frozenset({"statement", "question", "givens", "subtasks", "answers", "misconceptions"})
"""Keys that stand in no other kind of file."""


def read_problem(document: str) -> WordProblem | None:
    """The problem that a text holds; None where something is wrong with it."""
    return examine(document).problem


def _built_in() -> dict[str, WordProblem]:
    return {one.name: one for language in LANGUAGES for one in built_in_problems(language)}


# --- all of them ---


def problems(ask: Ask) -> Response:
    """All problems, and where to write another."""
    return _list(ask)


def _list(ask: Ask, trouble: str = "") -> Response:
    """`trouble`: what is wrong with a file that was sent."""
    rows: list[list[object]] = []
    for row in my_problems(ask):
        title = examine(row.document).problem
        edit = tag("a", title.title or row.name if title else row.name, href=f"{ACTION}?own={row.id}")
        links = [
            tag("a", ask.teach("try"), href=f"/problems/try?own={row.id}"),
            tag("a", ask.teach("download"), href=f"/problems/download?own={row.id}"),
            tag("a", ask.teach("delete"), href=f"/problems/{row.id}/delete"),
        ]
        rows.append([edit, row.name, row.updated[:10], tag("div", *links, class_="ev-doings")])
    heads = [ask.say("problem"), ask.say("name"), ask.say("teach.created"), ""]
    upload = ask.form_tag(
        "/problems/upload",
        tag(
            "label",
            ask.teach("upload"),
            tag(
                "input",
                type="file",
                name="file",
                accept=".yaml,.yml",
                required=True,
                data_most=LONGEST_BODY - LONGEST_HEAD,
                data_wrong=ask.t["problem_form.no_file"],
            ),
        ),
        tag("button", ask.teach("open_file")),
        class_="ev-form",
        enctype="multipart/form-data",
    )
    return ask.page(
        ask.say("teach.problems"),
        navigation(ask),
        tag("p", trouble, class_="ev-note is-bad", role="alert") if trouble else None,
        tag(
            "section",
            tag("h2", ask.say("teach.own")),
            table(heads, rows) if rows else tag("p", ask.teach("no_own")),
            tag("p", tag("a", ask.teach("from_empty"), href=f"{ACTION}?from=empty")),
            upload,
            class_="ev-card",
        ),
        _all_built_in(ask),
        script="problems.js",
        status=422 if trouble else 200,
    )


def _all_built_in(ask: Ask) -> Markup:
    rows: list[list[object]] = []
    for name, one in sorted(_built_in().items(), key=lambda pair: pair[1].language != ask.t.language):
        links = [
            tag("a", ask.teach("copy_problem"), href=f"{ACTION}?from={name}"),
            tag("a", ask.teach("try"), href=f"/problems/try?from={name}"),
            tag("a", ask.teach("download"), href=f"/problems/download?from={name}"),
        ]
        rows.append([one.title, one.grade, LANGUAGES[one.language], tag("div", *links, class_="ev-doings")])
    heads = [ask.say("problem"), ask.say("teach.grade"), ask.say("teach.language"), ""]
    intro = tag("p", ask.say("teach.begin_with"))
    return tag("section", tag("h2", ask.say("teach.built_in")), intro, table(heads, rows), class_="ev-card")


# --- writing one ---


@dataclass(frozen=True)
class _Work:
    """A problem that is being written."""

    document: str
    own: str = ""
    """The id of the problem that is written anew."""
    sent: bool = False
    """Somebody has asked whether it holds together: what is still empty is wrong then, too."""
    trouble: str = ""
    """Words for what is wrong with a text."""
    note: str = ""
    opened: str = ""


def edit(ask: Ask) -> Response:
    """A problem in a form or as a text: one's own, or a copy of another."""
    ask.need("teacher")
    if ask.is_form:
        return _sent(ask)
    work = _asked_for(ask)
    as_text = ask.request.query_params.get("as") == "text"
    return _text_editor(ask, work) if as_text else _form_editor(ask, work)


def _asked_for(ask: Ask) -> _Work:
    own, source = ask.request.query_params.get("own", ""), ask.request.query_params.get("from", "")
    if own:
        return _Work(my_problem(ask, own).document, own)
    if source == "empty":
        return _Work(write_document({**EMPTY, "language": ask.t.language}))
    name = source if source in _built_in() else _first(ask)
    text = find("problem", name).file.read_text(encoding="utf-8")
    mine = free_name(f"my_{name}", _taken(ask, ""))
    return _Work(re.sub(rf"^name: {name}$", f"name: {mine}", text, count=1, flags=re.MULTILINE))


def _first(ask: Ask) -> str:
    """The problem that a form begins with: of the built-in ones in the reader's language."""
    return next(one.name for one in built_in_problems(ask.t.language) if one.name.startswith(_FIRST))


def _sent(ask: Ask) -> Response:
    in_form = any(name.startswith(PREFIX) for name in ask.form)
    do = ask.one("do") or "save"
    own = my_problem(ask, ask.one("own")).id if ask.one("own") else _kept_just_now(ask) if do == "save" else ""
    data = complete(from_form(ask.form), _taken(ask, own)) if in_form else {}
    document = write_document(data) if in_form else _text_of(ask)
    work = _Work(document, own)
    if in_form and do.partition(":")[0] in ("add", "remove", "up"):
        change_list(data, do)
        opened = do.partition(":")[2]
        return _form_editor(ask, replace(work, document=write_document(data), opened=opened))
    if do in ("form", "text"):
        return _form_editor(ask, work) if do == "form" else _text_editor(ask, work)
    examined = examine(document)
    if examined.problem is not None and do == "try":
        return try_page(ask, examined.problem, document, own)
    if examined.problem is not None and do == "save":
        return _save(ask, examined.problem, work)
    work = replace(work, trouble=examined.trouble(ask.t), sent=True)
    if examined.problem is not None:
        work = replace(work, note=ask.say("teach.good"))
    return _form_editor(ask, work) if in_form else _text_editor(ask, work)


def _text_of(ask: Ask) -> str:
    return ask.one("document").replace("\r\n", "\n")[: LONGEST + 1]


def _kept_just_now(ask: Ask) -> str:
    """The problem that is all that was sent, where two clicks on Save send it twice; a name is made up as it was."""
    if not any(name.startswith(PREFIX) for name in ask.form):
        return next((row.id for row in my_problems(ask) if row.document == _text_of(ask)), "")
    data = from_form(ask.form)
    for row in my_problems(ask):
        if row.document == write_document(complete(data, _taken(ask, row.id))):
            return row.id
    return ""


def _save(ask: Ask, problem: WordProblem, work: _Work) -> Response:
    if problem.name in _taken(ask, work.own):
        return _form_editor(ask, replace(work, sent=True))
    save_problem(ask.study, problem.name, work.document, ask.need("teacher").id)
    if work.own and any(row.id == work.own for row in my_problems(ask)):  # it has another name now
        delete_problem(ask.study, work.own)
    return ask.on("/problems", ask.teach("done.saved"))


def _taken(ask: Ask, own: str) -> frozenset[str]:
    """Names of other problems: the built-in ones, and those of the same teacher."""
    return frozenset([*_built_in(), *(row.name for row in my_problems(ask) if row.id != own)])


def _findings(ask: Ask, examined: Examined, own: str) -> Findings:
    """Return the findings that a form tells."""
    found = examined.findings(ask.t)
    name = shown_data(examined).get("name")
    if isinstance(name, str) and name in _taken(ask, own):
        built_in = name in _built_in()
        found.wrong["name"] = ask.teach("built_in_name") if built_in else ask.t["problem_form.own_name"]
    return found


def _form_editor(ask: Ask, work: _Work) -> Response:
    examined = examine(work.document)
    if not is_shown(examined.data):
        trouble = work.trouble or examined.trouble(ask.t) or ask.teach("no_form")
        return _text_editor(ask, replace(work, trouble=f"{ask.teach('not_in_form')}\n{trouble}"))
    found = _findings(ask, examined, work.own)
    troubles = Troubles(found.wrong, found.empty, found.doubts, work.sent)
    fields = problem_fields(ask, shown_data(examined), troubles, work.opened)
    bad = bool(found.wrong or (found.empty and work.sent))
    counted = [("filled", len(found.empty)), ("mended", len(found.wrong))]
    todo = run_on(ask.t(f"problem_form.{key}", n=n) for key, n in counted if n)
    colour = "ev-bad" if bad else "ev-quiet" if todo else "ev-ok"
    verdict = tag("p", todo if found.wrong else work.note or todo, id="verdict", role="status", class_=colour)
    return _editor(ask, work, "form", join([verdict, fields]), bad=bad and work.sent)


def _text_editor(ask: Ask, work: _Work) -> Response:
    area = tag(
        "textarea", "\n", work.document[:LONGEST], name="document", id="document", rows=30, spellcheck="false",
        maxlength=LONGEST,
    )  # fmt: skip
    said = tag(
        "pre", work.trouble or work.note, id="verdict", role="status", class_="ev-bad" if work.trouble else "ev-ok"
    )
    return _editor(ask, work, "text", join([said, tag("label", ask.say("problem"), area)]), bad=bool(work.trouble))


def _editor(ask: Ask, work: _Work, tab: str, body: Markup, *, bad: bool) -> Response:
    tabs = [
        tag("button", ask.teach(f"as.{one}"), name="do", value=one, aria_current="page" if one == tab else None)
        for one in ("form", "text")
    ]
    doings = [
        tag("button", ask.teach("check"), name="do", value="check", class_="ev-second"),
        tag("button", ask.teach("try"), name="do", value="try", class_="ev-second"),
        tag("button", ask.say("teach.save"), name="do", value="save"),
    ]
    form = ask.form_tag(
        ACTION,
        # What Enter does in a field: nothing but a look at it.
        tag(
            "button",
            ask.teach("check"),
            name="do",
            value="check",
            class_="ev-unseen",
            tabindex="-1",
            aria_hidden="true",
        ),
        tag("input", type="hidden", name="own", value=work.own),
        tag("div", *tabs, class_="ev-tabs"),
        tag("p", ask.say("teach.write"), class_="ev-quiet"),
        body,
        tag("div", *doings, class_="ev-doings ev-bar"),
        class_="ev-card ev-form",
        id="editor",
        data_good=ask.say("teach.good"),
        data_sent=work.sent,
        data_careful=careful(ask, work.document),
        **{
            f"data_{key}": ask.t[f"problem_form.{key}"] for key in ("filled", "mended", "to_fill", "to_mend", "to_look")
        },
    )
    return ask.page(ask.say("teach.edit"), navigation(ask), form, script="editor.js", status=422 if bad else 200)


def check(ask: Ask) -> Response:
    """Tell what is wrong with a problem while it is written: all of it, and field by field."""
    ask.need("teacher")
    own = ask.one("own")
    data = complete(from_form(ask.form), _taken(ask, own)) if any(one.startswith(PREFIX) for one in ask.form) else {}
    examined = examine(write_document(data) if data else ask.one("document"))
    found = _findings(ask, examined, own)
    told = {"trouble": examined.trouble(ask.t), "fields": found.wrong, "empty": found.empty, "doubts": found.doubts}
    return JSONResponse({**told, "name": data.get("name", "")})


# --- files ---


def upload(ask: Ask) -> Response:
    """A file, opened in the editor: it is kept when it is saved there."""
    ask.need("teacher")
    document = ask.one("file").removeprefix("\ufeff").replace("\r\n", "\n")
    if any("\ud800" <= sign <= "\udfff" for sign in document):
        return _list(ask, ask.t["problem_form.no_file"])
    examined = examine(document)
    if not _is_problem(document, examined):
        return _list(ask, ask.t["problem_form.no_file"])
    work = _Work(document[:LONGEST], trouble=examined.trouble(ask.t), sent=True)
    return _form_editor(ask, replace(work, note=ask.teach("not_kept_yet")) if examined.problem else work)


def _is_problem(document: str, examined: Examined) -> bool:
    """Return True if a text was meant to be a problem, however much is wrong with it."""
    if examined.data is not None:
        data = shown_data(examined)
        return data.get("kind") == "problem" or bool(_OWN & data.keys())
    return re.search(rf"^({'|'.join(sorted(_OWN))}):", document, re.MULTILINE) is not None


def download(ask: Ask) -> Response:
    """The file of a problem, as it was written."""
    ask.need("teacher")
    own, source = (ask.request.query_params.get(one, "") for one in ("own", "from"))
    if own:
        row = my_problem(ask, own)
        name, document = row.name, row.document
    elif source in _built_in():
        name, document = source, find("problem", source).file.read_text(encoding="utf-8")
    else:
        raise HTTPException(404)
    safe = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60] or "problem"
    headers = {"content-disposition": f'attachment; filename="{safe}.yaml"'}
    return Response(document, media_type="application/yaml; charset=utf-8", headers=headers)


def delete(ask: Ask) -> Response:
    """A problem of one's own, for good; asked for twice."""
    row = my_problem(ask, ask.path("own"))
    if ask.is_form and ask.one("sure") == "yes":
        delete_problem(ask.study, row.id)
        return ask.on("/problems", ask.teach("done.deleted"))
    question = ask.teach("delete_problem_sure", name=row.name)
    form = sure(ask, f"/problems/{row.id}/delete", question, ask.teach("delete"), "/problems", class_="ev-danger")
    return ask.page(ask.teach("delete"), navigation(ask), form)


def try_it(ask: Ask) -> Response:
    """A problem that is kept, tried."""
    ask.need("teacher")
    work = _asked_for(ask)
    examined = examine(work.document)
    if examined.problem is None:
        assert examined.error is not None
        raise examined.error
    return try_page(ask, examined.problem, work.document, work.own)
