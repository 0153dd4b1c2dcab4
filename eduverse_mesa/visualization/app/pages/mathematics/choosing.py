"""The form: which problem, who is in the group, what each gets wrong, and where whoever is at the page sits."""

from __future__ import annotations

from typing import Any, cast

import solara
from msgspec.structs import replace

from eduverse_mesa.decisions import COLLABORATION
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.collaboration import GroupArm, Skill
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.app.answering import answering_of, policy_here, told_of
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.mathematics.meeting import Meeting
from eduverse_mesa.visualization.app.pages.mathematics.plan import (
    JOIN,
    MORE_NAMES,
    MOST_BYTES,
    MOST_PEERS,
    WATCH,
    PeerPlan,
    Plan,
    first_problem,
    known_problems,
    read_problem,
    usual_peers,
)
from eduverse_mesa.visualization.app.pages.mathematics.problem import problem_tree, short
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import title_of

_OWN = "*"
_MOST_LETTERS = 40


@solara.component
def Choosing(desk: Desk, meeting: Meeting) -> None:
    """A problem and a group for it."""
    t = use_words()
    use_live(meeting.changed)
    plan, show = solara.use_state(meeting.plan or _first(t))
    problem = solara.use_memo(plan.word_problem, [plan.problem, plan.own])

    def set_plan(wanted: Plan) -> None:
        meeting.plan = wanted  # it is still there when somebody comes back to the page
        show(wanted)

    def hear(name: str, value: Any) -> None:
        if name == "file":
            _open(meeting, plan, value, set_plan, t)
        else:
            set_plan(changed(plan, name, value))

    if not meeting.choosing:
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("groups.choose.another"), outlined=True, on_click=lambda: meeting.choose(True))
        return
    shown = meeting.talk.model.problem if meeting.talk is not None else None
    with Card(t("groups.choose.title")):
        solara.Text(t("groups.choose.about"), classes=["ev-quiet"])
        Form(fields_of(plan, problem, t), hear, label=t("groups.choose.title"))
        if problem != shown:
            Reading(problem_tree(problem, t))
        _Answering(desk)
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("groups.choose.begin" if meeting.talk is None else "groups.choose.begin_another"),
                color="primary",
                disabled=not meeting.free,
                on_click=lambda: meeting.begin(plan, answering_of(desk, COLLABORATION)),
            )
            if meeting.talk is not None:
                solara.Button(t("groups.choose.stay"), text=True, on_click=lambda: meeting.choose(False))
            if meeting.talk is not None and not meeting.study and meeting.frames[1:]:
                solara.Text(t("groups.choose.in_place"), classes=["ev-quiet"])


def _first(t: Words) -> Plan:
    """What the form begins with: a problem in the language of the page."""
    return _of_problem(Plan(name=t("groups.choose.me")), replace(Plan(), problem=first_problem(t.language)))


@solara.component
def _Answering(desk: Desk) -> None:
    """Who answers, and what is missing for it."""
    t = use_words()
    told = told_of(desk, here=COLLABORATION)
    policy = policy_here(desk.policy, COLLABORATION)
    with solara.Div(classes=["ev-row"]):
        solara.Text(t("learner.choose.answers", policy=t.code(policy)), classes=["ev-quiet"])
        with solara.Link("/settings"):
            solara.Text(t("learner.choose.settings"))
    if told:
        Note(t("groups.choose.costs" if told == "costs" else f"learner.choose.{told}"), kind="warn")


def _open(meeting: Meeting, plan: Plan, given: dict[str, Any], set_plan: Any, t: Words) -> None:
    size = given.get("size")
    if isinstance(size, int | float) and size > MOST_BYTES:
        meeting.decline(t("groups.choose.too_large", most=MOST_BYTES // 1000))
        return
    try:
        own = read_problem(given["text"], str(given["name"])[:80])
    except EduverseError as error:
        meeting.error = error
        meeting.changed.tell()
        return
    meeting.error = None
    set_plan(_of_problem(plan, replace(plan, own=own)))


def changed(plan: Plan, name: str, value: Any) -> Plan:
    """The plan after a field was changed."""
    if name == "problem":
        return plan if value == _OWN else _of_problem(plan, replace(plan, problem=value, own=None))
    if name == "crew":
        return _with_crew(plan, value)
    if name.startswith("peer-"):
        _, number, what = name.split("-", 2)
        peers = list(plan.peers)
        peers[int(number)] = _changed_peer(peers[int(number)], what, value)
        return replace(plan, peers=tuple(peers))
    if name == "seed":
        return replace(plan, seed=int(value)) if isinstance(value, int | float) and 0 <= value < 2**31 else plan
    if name == "arm":
        return replace(plan, arm=cast(GroupArm, value))
    return replace(plan, **{name: value[:_MOST_LETTERS]})


def _of_problem(plan: Plan, other: Plan) -> Plan:
    """The same group on another problem, without mistakes of its own yet. The usual two speak its language."""
    peers = tuple(replace(one, misconception="") for one in plan.peers)
    if peers == usual_peers(plan.word_problem().language):
        peers = usual_peers(other.word_problem().language)
    return replace(plan, problem=other.problem, own=other.own, peers=peers)


def _changed_peer(peer: PeerPlan, what: str, value: str) -> PeerPlan:
    if what == "skill":
        return replace(peer, skill=cast(Skill, value), misconception="")
    return replace(peer, **{what: value[:_MOST_LETTERS]})


def _with_crew(plan: Plan, what: str) -> Plan:
    if what == "less":
        fewer = replace(plan, peers=plan.peers[:-1])
        return replace(fewer, place=WATCH) if plan.place.isdigit() and fewer.replaced is None else fewer
    names = MORE_NAMES.get(plan.word_problem().language, MORE_NAMES["en"])
    free = (name for name in names if name not in {one.name for one in plan.peers})
    return replace(plan, peers=(*plan.peers, PeerPlan(next(free, ""))))


# --- fields ---


def fields_of(plan: Plan, problem: WordProblem, t: Words) -> list[Field]:
    """The whole form."""
    problems = [[name, title_of("problem", one, t)] for name, one in known_problems().items()]
    if plan.own is not None:
        problems.append([_OWN, plan.own.title or plan.own.name])
    return [
        _select("problem", problems, _OWN if plan.own is not None else plan.problem, t, "two-thirds"),
        {
            "id": "file", "kind": "file", "label": t("groups.choose.file"), "value": "", "max": MOST_BYTES,
            "accept": ".yaml,.yml", "width": "third",
        },
        *(field for number, peer in enumerate(plan.peers) for field in _peer(number, peer, plan, problem, t)),
        {
            "id": "crew", "kind": "buttons", "label": t("groups.choose.crew"),
            "options": [
                ["more", t("groups.choose.more"), "plain", len(plan.peers) >= MOST_PEERS],
                ["less", t("groups.choose.less"), "plain", len(plan.peers) <= 1],
            ],
        },
        *_own_place(plan, t),
        _select("arm", [[one, t(f"groups.arm.{one}")] for one in ("full", "vanilla")], plan.arm, t, "half"),
        {
            "id": "seed", "kind": "number", "label": t("learner.choose.seed"), "value": plan.seed, "min": 0,
            "max": 2**31 - 1, "width": "quarter",
        },
    ]  # fmt: skip


def _own_place(plan: Plan, t: Words) -> list[Field]:
    places = [[WATCH, t("groups.place.watch")], [JOIN, t("groups.place.join")]]
    if len(plan.peers) > 1:
        places += [[str(number), t("groups.place.take", name=one.name)] for number, one in enumerate(plan.peers)]
    fields = [_select("place", places, plan.place, t, "half")]
    if plan.place == JOIN:
        label = t("groups.choose.name")
        fields.append({"id": "name", "kind": "text", "label": label, "value": plan.name, "width": "half"})
    return fields


def _peer(number: int, peer: PeerPlan, plan: Plan, problem: WordProblem, t: Words) -> list[Field]:
    taken = plan.replaced == number
    drawn = t("groups.choose.drawn" if peer.skill == "limited" else "groups.choose.none")
    mistakes = [["", drawn], *([one.id, short(one.thinks)] for one in problem.misconceptions)]
    skills = [[one, t(f"groups.skill.{one}")] for one in ("limited", "advanced")]
    start = f"peer-{number}-"
    return [
        {
            "id": f"{start}name", "kind": "text", "label": t("groups.choose.peer", n=number + 1), "value": peer.name,
            "width": "quarter",
        },
        {**_select("skill", skills, peer.skill, t, "quarter"), "id": f"{start}skill", "disabled": taken},
        {
            **_select("misconception", mistakes, peer.misconception, t, "half"), "id": f"{start}misconception",
            "disabled": taken or plan.arm == "vanilla",
        },
    ]  # fmt: skip


def _select(name: str, options: list[list[str]], value: str, t: Words, width: str) -> Field:
    label = t(f"groups.choose.{name}")
    return {"id": name, "kind": "select", "label": label, "options": options, "value": value, "width": width}
