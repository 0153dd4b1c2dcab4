"""Sets of problems: given, changed until somebody has begun, copied, ended, and deleted."""

from __future__ import annotations

from starlette.responses import Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AccountRow, AssignmentRow
from eduverse_mesa.store.accounts import LONGEST_NAME
from eduverse_mesa.store.classwork import (
    add_assignment,
    assign,
    change_assignment,
    find_talks,
    progress_of,
    withdraw,
)
from eduverse_mesa.store.steps import now
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.keeping import erase_set
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.setups import about, document_of, with_end
from eduverse_mesa.visualization.mathematics.teacher.parts import boxes, navigation, sure, table
from eduverse_mesa.visualization.mathematics.teacher.rights import (
    WHOLE_CLASS,
    chosen_students,
    my_set,
    my_sets,
    my_students,
)
from eduverse_mesa.visualization.mathematics.teacher.set_form import Draft, offered, set_form, usual_peers, written


def sets(ask: Ask) -> Response:
    """All sets of a teacher, and the way to another."""
    rows = [_line(ask, row, len(who)) for row, who in my_sets(ask)]
    heads = [
        *(ask.say(f"teach.{one}") for one in ("set", "students")),
        *(ask.teach(one) for one in ("dialogues", "finished", "state")),
        ask.say("teach.created"),
    ]
    return ask.page(
        ask.say("teach.sets"),
        navigation(ask),
        tag("p", tag("a", ask.say("teach.add_set"), href="/sets/new", class_="ev-button")),
        tag("section", table(heads, rows[::-1]), class_="ev-card") if rows else tag("p", ask.teach("no_sets")),
    )


def _line(ask: Ask, row: AssignmentRow, students: int) -> list[object]:
    talks = progress_of(ask.study, row.id)
    done = sum(one.over and ask.house.outcome(one.talk.run) == "done" for one in talks)
    state = ask.teach("ended") if about(row).ended else ask.teach("open")
    return [tag("a", row.title, href=f"/sets/{row.id}"), students, len(talks), done, state, row.created[:10]]


def new_set(ask: Ask) -> Response:
    """An empty form, or that of another set."""
    row = _source(ask, ask.request.query_params.get("copy", ""))
    known = offered(ask, row)
    draft = Draft(peers=usual_peers(ask.t.language))
    if row is not None:
        draft = Draft.of(row, known, [])
        draft.title = ask.teach("copy_of", title=row.title)[:LONGEST_NAME]
    return _form_page(ask, draft, known)


def _source(ask: Ask, wanted: str) -> AssignmentRow | None:
    """The set of which another is made, with its problems as they were when it was given."""
    return next((one for one, _ in my_sets(ask) if one.id == wanted), None)


def _form_page(
    ask: Ask, draft: Draft, known: dict[str, WordProblem], trouble: str = "", row: AssignmentRow | None = None
) -> Response:
    title, button = (
        (ask.say("teach.add_set"), ask.say("teach.give")) if row is None else (row.title, ask.say("teach.save"))
    )
    action = "/sets" if row is None else f"/sets/{row.id}/edit"
    return ask.page(
        title,
        navigation(ask),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        set_form(ask, draft, known, action, button),
        status=422 if trouble else 200,
    )


def add_set(ask: Ask) -> Response:
    """A set of problems for students."""
    me = ask.need("teacher")
    draft = Draft.read(ask)
    known = offered(ask, _source(ask, draft.source))
    try:
        who = chosen_students(ask)
        row = add_assignment(ask.study, draft.title, written(ask, draft, known, who), who, me.id)
    except EduverseError as error:
        return _form_page(ask, draft, known, ask.told(error))
    return ask.on(f"/sets/{row.id}", ask.teach("done.given"))


def edit_set(ask: Ask) -> Response:
    """Another form of a set that nobody has begun."""
    row, students = my_set(ask)
    if find_talks(ask.study, assignment=row.id):
        copy = tag("a", ask.teach("copy"), href=f"/sets/new?copy={row.id}", class_="ev-button")
        back = tag("a", ask.say("back"), href=f"/sets/{row.id}")
        said = tag("p", ask.teach("begun"), role="status")
        return ask.page(row.title, navigation(ask), said, tag("p", copy, " ", back), status=_CONFLICT)
    known = offered(ask, row)
    had = [one.id for one in students]
    if not ask.is_form:
        return _form_page(ask, Draft.of(row, known, had), known, row=row)
    draft = Draft.read(ask)
    try:
        who = chosen_students(ask)
        change_assignment(ask.study, row.id, draft.title, written(ask, draft, known, who))
        assign(ask.study, row.id, who)
        withdraw(ask.study, row.id, set(had) - set(who))
    except EduverseError as error:
        return _form_page(ask, draft, known, ask.told(error), row)
    return ask.on(f"/sets/{row.id}", ask.teach("done.saved"))


_CONFLICT = 409


def end_set(ask: Ask) -> Response:
    """Nobody works on it any more; or one does again."""
    row, _ = my_set(ask)
    ended = "" if ask.one("do") == "open" else now()
    change_assignment(ask.study, row.id, row.title, with_end(row, ended))
    ask.house.hall.close([one.run for one in find_talks(ask.study, assignment=row.id)], bool(ended))
    return ask.on(f"/sets/{row.id}", "" if ended else ask.teach("done.opened"))


def delete_set(ask: Ask) -> Response:
    """A set with all its dialogues, for good; asked for twice."""
    row, _ = my_set(ask)
    if not ask.is_form or ask.one("sure") != "yes":
        count = len(find_talks(ask.study, assignment=row.id))
        form = sure(
            ask,
            f"/sets/{row.id}/delete",
            ask.teach("delete_sure", n=count, title=row.title),
            ask.teach("delete_set"),
            f"/sets/{row.id}",
            class_="ev-danger",
        )
        return ask.page(ask.teach("delete_set"), navigation(ask), form)
    erase_set(ask.house, row.id)
    return ask.on("/sets", ask.teach("done.deleted"))


def add_to_set(ask: Ask) -> Response:
    """Students who came later."""
    row, _ = my_set(ask)
    who = chosen_students(ask)
    peers = {peer["name"].casefold() for peer in document_of(row)["peers"]}
    taken = [one.name for one in my_students(ask) if one.id in who and one.name.casefold() in peers]
    if taken:
        raise EduverseError(ask.teach("peer_is_student", name=taken[0]))
    assign(ask.study, row.id, who)
    return ask.on(f"/sets/{row.id}", ask.teach("done.added"))


# --- what can be done with a set, on its page ---


def doings(ask: Ask, row: AssignmentRow, students: list[AccountRow]) -> Markup:
    """Change, copy, end, delete, and give it to more students."""
    ended = bool(about(row).ended)
    end = ask.form_tag(
        f"/sets/{row.id}/end",
        tag("input", type="hidden", name="do", value="open" if ended else "end"),
        tag("button", ask.teach("open_again") if ended else ask.teach("end"), class_="ev-plain"),
    )
    links = [
        tag("a", ask.teach("change"), href=f"/sets/{row.id}/edit"),
        tag("a", ask.teach("copy"), href=f"/sets/new?copy={row.id}"),
        end,
        tag("a", ask.teach("delete_set"), href=f"/sets/{row.id}/delete"),
    ]
    return tag("section", tag("div", *links, class_="ev-doings"), _more(ask, row, students), class_="ev-card")


def _more(ask: Ask, row: AssignmentRow, students: list[AccountRow]) -> Markup | None:
    have = {one.id for one in students}
    others = [(one.id, one.name) for one in my_students(ask) if one.id not in have]
    if not others:
        return None
    form = ask.form_tag(
        f"/sets/{row.id}/students",
        boxes("group", [(WHOLE_CLASS, ask.teach("whole_class"))], ask.say("teach.groups")),
        boxes("student", others, ask.say("teach.students")),
        tag("button", ask.say("teach.add")),
        class_="ev-form",
    )
    return tag("details", tag("summary", ask.teach("more_students")), form)
