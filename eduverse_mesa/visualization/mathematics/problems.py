"""Problems that teachers write: what is wrong is told while they do."""

from __future__ import annotations

from starlette.responses import JSONResponse, RedirectResponse, Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.scenarios.posing import built_in_problems
from eduverse_mesa.scenarios.problems import refuse
from eduverse_mesa.scenarios.proving import check_word_problem
from eduverse_mesa.scenarios.reading import read_bytes
from eduverse_mesa.scenarios.validating import validate
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store.own_problems import all_problems, own_problem, save_problem
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.parts import navigation, table

LONGEST = 100_000
_LABEL = "problem"


def read_problem(document: str) -> tuple[WordProblem | None, str]:
    """The problem that a text holds, or what is wrong with it."""
    try:
        reading = read_bytes(document.encode("utf-8"), _LABEL)
        problem: WordProblem = validate("problem", reading, _LABEL)
        refuse(check_word_problem(problem, reading), _LABEL)
    except UnicodeEncodeError:
        return None, "This is no text."
    except EduverseError as error:
        return None, str(error)
    return problem, ""


def problems(ask: Ask) -> Response:
    """All problems, and where to write another."""
    ask.need("teacher")
    own: list[list[object]] = [
        [tag("a", row.name, href=f"/problems/edit?own={row.id}"), row.updated[:10]] for row in all_problems(ask.study)
    ]
    built_in: list[list[object]] = [
        [tag("a", one.title, href=f"/problems/edit?from={one.name}"), f"{one.grade}", one.language]
        for language in ("en", "zh")
        for one in built_in_problems(language)
    ]
    heads = [ask.say("problem"), ask.say("teach.created")]
    return ask.page(
        ask.say("teach.problems"),
        navigation(ask),
        tag("section", tag("h2", ask.say("teach.own")), table(heads, own), class_="ev-card") if own else None,
        tag(
            "section",
            tag("h2", ask.say("teach.built_in")),
            tag("p", ask.say("teach.begin_with")),
            table([ask.say("problem"), ask.say("teach.grade"), ask.say("teach.language")], built_in),
            class_="ev-card",
        ),
    )


def edit(ask: Ask) -> Response:
    """A problem in an editor: one's own, or a copy of another."""
    me = ask.need("teacher")
    if ask.request.method == "POST":
        document = ask.one("document").replace("\r\n", "\n")
        problem, trouble = read_problem(document[: LONGEST + 1])
        if problem is None or len(document) > LONGEST:
            return _editor(ask, document[:LONGEST], trouble)
        save_problem(ask.study, problem.name, document, me.id)
        return RedirectResponse("/problems", 303)
    own, source = ask.request.query_params.get("own"), ask.request.query_params.get("from")
    if own:
        return _editor(ask, own_problem(ask.study, own).document, "")
    known = {one.name for language in ("en", "zh") for one in built_in_problems(language)}
    start = source if source in known else "steps_and_distance"
    return _editor(ask, find("problem", start).file.read_text(encoding="utf-8"), "")


def _editor(ask: Ask, document: str, trouble: str) -> Response:
    said: Markup = tag("pre", trouble, id="verdict", role="status", class_="ev-bad" if trouble else None)
    form = ask.form_tag(
        "/problems/edit",
        tag("p", ask.say("teach.write")),
        tag(
            "label",
            ask.say("problem"),
            tag("textarea", document, name="document", id="document", rows=30, spellcheck="false", maxlength=LONGEST),
        ),
        said,
        tag("button", ask.say("teach.save")),
        class_="ev-card",
        data_good=ask.say("teach.good"),
    )
    return ask.page(ask.say("teach.edit"), navigation(ask), form, script="editor.js", status=422 if trouble else 200)


def check(ask: Ask) -> Response:
    """What is wrong with a problem, while it is written."""
    ask.need("teacher")
    _, trouble = read_problem(ask.one("document")[:LONGEST])
    return JSONResponse({"trouble": trouble})
