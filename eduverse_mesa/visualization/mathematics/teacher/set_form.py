"""The form of a set of problems: what stands in it, and the set that comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.collaboration import default_peers
from eduverse_mesa.scenarios.gathering import kept_collaboration, load_collaboration
from eduverse_mesa.scenarios.posing import built_in_problems
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.store import AssignmentRow
from eduverse_mesa.store.accounts import LONGEST_NAME
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.minds import EMBEDDED
from eduverse_mesa.visualization.mathematics.setups import SOMEBODY, About, about, document_of, write_setup
from eduverse_mesa.visualization.mathematics.teacher.outcomes import leads_to, options, reached
from eduverse_mesa.visualization.mathematics.teacher.parts import boxes, choice, whole
from eduverse_mesa.visualization.mathematics.teacher.problems import read_problem
from eduverse_mesa.visualization.mathematics.teacher.rights import WHOLE_CLASS, my_groups, my_problems, my_students
from eduverse_mesa.visualization.mathematics.typesetting import math
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
    """Who thinks for the peers; empty: what the server offers first."""
    students: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    source: str = ""
    """The set of which this one is a copy."""

    @classmethod
    def read(cls, ask: Ask) -> Self:
        """What was sent."""
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
    policy = draft.policy or ask.house.hall.minds.policies[0]
    if policy not in ask.house.hall.minds.policies:
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
    """A peer that is called as a student would be spoken to in its place."""
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
    policies = [(one, ask.teach("embedded") if one == EMBEDDED else one) for one in ask.house.hall.minds.policies]
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
