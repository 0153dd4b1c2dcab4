"""Sets of problems: given, changed until somebody has begun, copied, ended, and deleted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from starlette.responses import Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.pupils.dialogues import EMBEDDED
from eduverse_mesa.pupils.markup import Markup, join, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.retention import erase_set
from eduverse_mesa.pupils.setups import SOMEBODY, About, about, document_of, with_end, write_setup
from eduverse_mesa.pupils.teacher.outcomes import leads_to, options, reached
from eduverse_mesa.pupils.teacher.parts import (
    WHOLE_CLASS,
    boxes,
    choice,
    chosen_students,
    my_groups,
    my_problems,
    my_set,
    my_sets,
    my_students,
    navigation,
    sure,
    table,
    whole,
)
from eduverse_mesa.pupils.teacher.problems import read_problem
from eduverse_mesa.pupils.typesetting import math
from eduverse_mesa.scenarios.groups import default_peers
from eduverse_mesa.scenarios.loader import built_in_problems, kept_collaboration, load_collaboration
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AccountRow, AssignmentRow
from eduverse_mesa.store.accounts import LONGEST_NAME
from eduverse_mesa.store.classwork import add_assignment, assign, change_assignment, find_talks, progress_of, withdraw
from eduverse_mesa.store.steps import now
from eduverse_mesa.visualization.words import DEFAULT, LANGUAGES

MOST_PEERS = 3
LONGEST_WAIT = 600
FADES = 0.2
"""Share of their help that peers withdraw with each dialogue, where a teacher wants it to decrease."""

PeerFields = tuple[str, str, str]
"""Name, skill and style, as they stand in the form."""


def usual_peers(language: str) -> list[PeerFields]:
    """Those that are there where nobody chooses others."""
    return [(one.name, one.skill, one.style) for one in default_peers(language)]


@dataclass
class Draft:
    """A set as it stands in the form."""

    title: str = ""
    problems: list[str] = field(default_factory=list)
    """Keys of those that are offered."""
    mistakes: dict[str, str] = field(default_factory=dict)
    """Key of a problem: misconception."""
    peers: list[PeerFields] = field(default_factory=lambda: usual_peers(DEFAULT))
    wait: str = "10"
    """Seconds for which peers wait where one of them may go on as well."""
    alone: str = "60"
    """The same where the student is waited for."""
    fading: bool = False
    policy: str = ""
    """Policy that thinks for the peers; empty for the one that the server offers first."""
    students: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    source: str = ""
    """The set of which this one is a copy."""

    @classmethod
    def read(cls, ask: Ask) -> Self:
        """Return the draft that was sent."""
        made = cls(title=ask.one("title"), problems=ask.form.get("problem", []), fading=ask.one("fading") == "on")
        made.mistakes = {key: ask.one(f"mistake-{key}") for key in made.problems if ask.one(f"mistake-{key}")}
        if "peer-1-name" in ask.form:
            rows = [[ask.one(f"peer-{n}-{part}").strip() for part in ("name", "skill", "style")] for n in _numbers()]
            made.peers = [(name, skill, style) for name, skill, style in rows if name]
        made.wait = ask.one("wait") or made.wait
        made.alone = ask.one("alone") or made.alone
        made.source = ask.one("source")
        made.policy = ask.one("policy") or made.policy
        made.students, made.groups = ask.form.get("student", []), ask.form.get("group", [])
        return made

    @classmethod
    def of(cls, row: AssignmentRow, offered: dict[str, WordProblem], students: list[str]) -> Self:
        """A set that was given."""
        document = document_of(row)
        problems = kept_collaboration(document).problems
        keys = {one.name: next(key for key, other in offered.items() if other == one) for one in problems}
        settings = document["settings"]
        return cls(
            title=row.title,
            problems=list(keys.values()),
            mistakes={keys[name]: mistake for name, mistake in about(row).mistakes.items()},
            peers=[(one["name"], one["skill"], one.get("style", "")) for one in document["peers"]],
            wait=f"{settings['wait_shared']:.0f}",
            alone=f"{settings['wait_alone']:.0f}",
            fading=settings["fading"] > 0,
            policy=settings["policy"],
            students=students,
            source=row.id,
        )


def offered(ask: Ask, row: AssignmentRow | None = None) -> dict[str, WordProblem]:
    """Problems to choose from: one's own, the built-in ones, and those of a set as they were when it was given."""
    found: dict[str, WordProblem] = {}
    for one in my_problems(ask):
        problem = read_problem(one.document)
        if problem is not None:
            found[f"own-{one.id}"] = problem
    found |= {one.name: one for language in LANGUAGES for one in built_in_problems(language)}
    if row is not None:
        for number, kept in enumerate(kept_collaboration(document_of(row)).problems):
            if kept not in found.values():
                found[f"kept-{number}"] = kept
    return found


def written(ask: Ask, draft: Draft, known: dict[str, WordProblem], who: list[str]) -> str:
    """The set as it is kept; EduverseError where it cannot be given so."""
    chosen = {key: known[key] for key in draft.problems if key in known}
    if not chosen or not who:
        raise EduverseError(ask.say("teach.choose"))
    wait, alone = (whole(one, 0, LONGEST_WAIT) for one in (draft.wait, draft.alone))
    if wait is None or alone is None:
        raise EduverseError(ask.say("teach.whole_seconds"))
    policy = draft.policy or ask.site.dialogues.minds.policies[0]
    if policy not in ask.site.dialogues.minds.policies:
        raise EduverseError(ask.teach("no_policy"))
    _refuse_names(ask, draft, who)
    _refuse_twins(ask, list(chosen.values()))
    document: dict[str, Any] = load_collaboration().model_dump(mode="json", by_alias=True)
    document["problems"] = [one.model_dump(mode="json", by_alias=True) for one in chosen.values()]
    document["peers"] = [{"name": name, "skill": skill, "style": style} for name, skill, style in draft.peers]
    document["settings"] |= {
        "wait_shared": wait,
        "wait_alone": alone,
        "fading": FADES if draft.fading else 0,
        "policy": policy,
    }
    mistakes = {known[key].name: mistake for key, mistake in draft.mistakes.items() if key in chosen}
    for key, mistake in draft.mistakes.items():
        if key in chosen and mistake not in {one.id for one in chosen[key].misconceptions}:
            raise EduverseError(ask.teach("no_mistake"))
    try:  # whatever came with the form: it has to hold together, with a person in it
        checked = load_collaboration({**document, "seats": [SOMEBODY]})
    except EduverseError:  # in the words of files; what our form can hold is told above
        raise EduverseError(ask.teach("set_amiss")) from None
    return write_setup(checked.model_dump(mode="json", by_alias=True), About(mistakes))


def _refuse_names(ask: Ask, draft: Draft, who: list[str]) -> None:
    """Refuse peers with the name of a student: such a peer would be spoken to in the student's place."""
    if not draft.peers:
        raise EduverseError(ask.teach("no_peers"))
    names = {one.name.casefold() for one in my_students(ask) if one.id in who}
    peers = [name for name, _, _ in draft.peers]
    if any(draft.peers == usual_peers(code) for code in LANGUAGES):  # each problem has those of its language
        peers = [name for code in LANGUAGES for name, _, _ in usual_peers(code)]
    keys = [name.casefold() for name, _, _ in draft.peers]
    twice = [name for name, _, _ in draft.peers if keys.count(name.casefold()) > 1]
    if twice:
        raise EduverseError(ask.teach("peers_alike", name=twice[0]))
    taken = [name for name in peers if name.casefold() in names]
    if taken:
        raise EduverseError(ask.teach("peer_is_student", name=taken[0]))


def _refuse_twins(ask: Ask, chosen: list[WordProblem]) -> None:
    """One of a copied set beside the same one as it is now."""
    names = [one.name for one in chosen]
    twin = next((one for one in chosen if names.count(one.name) > 1), None)
    if twin is not None:
        raise EduverseError(ask.teach("problems_alike", title=twin.title or twin.name))


def _numbers() -> range:
    return range(1, MOST_PEERS + 1)


# --- how it looks ---


def set_form(ask: Ask, draft: Draft, known: dict[str, WordProblem], action: str, button: str) -> Markup:
    """The form, filled in."""
    own = {key: one for key, one in known.items() if key.startswith(("own-", "kept-"))}
    near = {key: one for key, one in known.items() if key not in own and one.language == ask.t.language}
    far = {key: one for key, one in known.items() if key not in own and key not in near}
    return ask.form_tag(
        action,
        tag("input", type="hidden", name="source", value=draft.source),
        tag(
            "section",
            tag("label", ask.say("teach.title"), tag("input", name="title", value=draft.title, required=True,
                                                     maxlength=LONGEST_NAME)),
            class_="ev-card ev-form",
        ),
        tag("section", tag("h2", ask.say("problems")), tag("p", ask.teach("pick_why"), class_="ev-quiet"),
            _cards(ask, draft, own, ask.say("teach.own"), True),
            _cards(ask, draft, near, ask.say("teach.built_in"), True),
            _cards(ask, draft, far, ask.teach("other_languages"), any(key in draft.problems for key in far)),
            class_="ev-card"),
        tag("section", tag("h2", ask.teach("peers")), _peers(ask, draft), _rules(ask, draft), class_="ev-card ev-form"),
        tag("section", tag("h2", ask.teach("for_whom")), _whom(ask, draft), class_="ev-card ev-form"),
        tag("button", button),
        class_="ev-set",
    )  # fmt: skip


def _cards(ask: Ask, draft: Draft, some: dict[str, WordProblem], title: str, open_: bool) -> Markup | None:
    if not some:
        return None
    cards = [_card(ask, draft, key, one) for key, one in some.items()]
    return tag("details", tag("summary", title), tag("div", *cards, class_="ev-cards"), open=open_)


def _card(ask: Ask, draft: Draft, key: str, problem: WordProblem) -> Markup:
    picked = key in draft.problems
    tick = tag("input", type="checkbox", name="problem", value=key, checked=picked)
    facts = ask.teach(
        "grade_and_difficulty", grade=ask.t.ordinal(problem.grade), difficulty=ask.teach(f"hard.{problem.difficulty}")
    )
    look = tag(
        "details",
        tag("summary", ask.teach("look")),
        tag("p", math(problem.statement)),
        options(ask, problem),
        _choose_mistake(ask, problem, key, draft.mistakes.get(key, "")),
        _hear(ask, key),
    )
    return tag(
        "div",
        tag("label", tick, " ", tag("b", problem.title or problem.name)),
        tag("p", facts, class_="ev-quiet"),
        look,
        class_="ev-pick",
        lang=problem.language,
    )


def _hear(ask: Ask, key: str) -> Markup | None:
    """The way to where its peers are heard; not for one that stands only in a set by now."""
    if key.startswith("kept-"):
        return None
    query = f"own={key.removeprefix('own-')}" if key.startswith("own-") else f"from={key}"
    return tag("p", tag("a", ask.teach("hear"), href=f"/problems/try?{query}", target="_blank"))


def _choose_mistake(ask: Ask, problem: WordProblem, key: str, chosen: str) -> Markup:
    name = f"mistake-{key}"
    drawn = tag("input", type="radio", name=name, value="", checked=not chosen)
    ways = [tag("label", drawn, f" {ask.say('teach.drawn')}")]
    for mistake, one in reached(problem).items():
        mark = tag("input", type="radio", name=name, value=mistake, checked=mistake == chosen)
        comes = tag("span", f"→ {leads_to(ask, problem, one)}", class_="ev-quiet")
        ways.append(tag("label", mark, " ", tag("q", one.thinks), " ", comes))
    return tag("fieldset", tag("legend", ask.teach("begins_with")), *ways, class_="ev-ways")


def _peers(ask: Ask, draft: Draft) -> Markup:
    rows = []
    for number in _numbers():
        name, skill, style = draft.peers[number - 1] if number <= len(draft.peers) else ("", "advanced", "")
        skills = [(one, ask.teach(f"skill.{one}")) for one in ("limited", "advanced")]
        rows.append(
            tag(
                "fieldset",
                tag("legend", ask.teach("peer_number", number=number)),
                tag(
                    "label",
                    ask.say("name"),
                    tag("input", name=f"peer-{number}-name", value=name, maxlength=LONGEST_NAME),
                ),
                tag("label", ask.teach("skill_of"), choice(f"peer-{number}-skill", skills, skill)),
                tag(
                    "label",
                    ask.teach("style"),
                    tag("textarea", style, name=f"peer-{number}-style", rows=2, maxlength=400),
                ),
                class_="ev-row",
            )
        )
    return join([tag("p", ask.teach("peers_why"), class_="ev-quiet"), *rows])


def _rules(ask: Ask, draft: Draft) -> Markup:
    fading = tag("input", type="checkbox", name="fading", value="on", checked=draft.fading)
    policies = [(one, ask.teach("embedded") if one == EMBEDDED else one) for one in ask.site.dialogues.minds.policies]
    return join(
        [
            tag("fieldset",
                tag("legend", ask.teach("waiting")),
                tag("p", ask.teach("waiting_why"), class_="ev-quiet"),
                tag("label", ask.teach("wait_shared"), _seconds("wait", draft.wait)),
                tag("label", ask.teach("wait_alone"), _seconds("alone", draft.alone)),
                class_="ev-row is-waiting"),
            tag("label", fading, f" {ask.teach('fading')}"),
            tag("label", ask.teach("who_answers"), choice("policy", policies, draft.policy)) if policies[1:] else None,
        ]
    )  # fmt: skip


def _seconds(name: str, value: str) -> Markup:
    return tag("input", name=name, type="number", min=0, max=LONGEST_WAIT, value=value, required=True)


def _whom(ask: Ask, draft: Draft) -> Markup:
    students = [(one.id, one.name) for one in my_students(ask)]
    if not students:
        return tag("p", ask.say("teach.no_students"), " ", tag("a", ask.say("teach.add_students"), href="/class"))
    groups = [(WHOLE_CLASS, ask.teach("whole_class")), *((one.id, one.name) for one in my_groups(ask))]
    return join(
        [
            boxes("group", groups, ask.say("teach.groups"), draft.groups),
            boxes("student", students, ask.say("teach.students"), draft.students),
        ]
    )


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
    done = sum(one.over and ask.site.outcome(one.talk.run) == "done" for one in talks)
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
    ask.site.dialogues.close([one.run for one in find_talks(ask.study, assignment=row.id)], bool(ended))
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
    erase_set(ask.site, row.id)
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
