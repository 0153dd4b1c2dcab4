"""The mathematics page: a group of virtual peers solves a problem; it is watched with what nobody says, or joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import solara
from msgspec.structs import replace

from eduverse_mesa.dashboard.answerers import AnsweredBy, answering_of
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    Headline,
    Note,
    PlayBar,
    Reading,
    StyleSheet,
    TaskEnd,
    chip,
    stretches,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.groups.dialogue import (
    JOIN,
    MORE_NAMES,
    MOST_BYTES,
    MOST_PEERS,
    PACES,
    WATCH,
    Drawn,
    GroupPlan,
    Meeting,
    PeerPlan,
    first_problem,
    known_problems,
    meeting_of,
    read_problem,
    usual_peers,
)
from eduverse_mesa.dashboard.pages.groups.minds import Minds, problem_tree, short
from eduverse_mesa.decisions import COLLABORATION
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.groups.record import SOLVED
from eduverse_mesa.scenarios.groups import CollaborationSettings, GroupArm, Peer, Skill
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.frames.group import GroupFrame, Said
from eduverse_mesa.visualization.widgets.fields import as_options, buttons, document_field, field, filled_in, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import title_of

_LONGEST = 2000


@solara.component
def Chat(meeting: Meeting) -> None:
    """The dialogue up to the message that is looked at."""
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    frames = meeting.frames
    with Card(t("groups.chat.title"), classes=["ev-group-chat"]):
        if not frames:
            return
        if frames[: meeting.at + 1][1:]:
            Reading(chat_tree(frames[: meeting.at + 1], t))
        else:
            Note(t("groups.chat.nothing"))
        ending = ending_of(frames[-1], t)
        if ending and meeting.at == meeting.last:
            Note(ending, kind="ok" if frames[-1].right else "warn")
        if meeting.of_pupil:
            Note(t("groups.chat.of_pupil"))
        elif meeting.seat:
            _Speaking(meeting)


@solara.component
def _Speaking(meeting: Meeting) -> None:
    """Form to say something; looking back, the button to go on in another way."""
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    if meeting.at < meeting.last:
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("groups.chat.go_back"), outlined=True, disabled=not meeting.free, on_click=meeting.go_back)
            key = "go_back_kept" if meeting.study else "go_back_why"
            solara.Text(t(f"groups.chat.{key}"), classes=["ev-quiet"])
        return
    if meeting.over:
        return

    def hear(name: str, value: Any) -> None:
        if name == "typed":
            meeting.type(value)
        elif value == "say":
            meeting.say()
        else:
            meeting.step()

    Form(speaking_fields(meeting, t), hear, label=t("groups.chat.you", name=meeting.seat))


def speaking_fields(meeting: Meeting, t: Words) -> list[Field]:
    """A line to type, and what can be done with it."""
    frame = meeting.frames[-1]
    silent = meeting.talk is not None and meeting.talk.due is None
    if silent:
        told = t("groups.chat.silent")
    else:
        told = t("groups.chat.your_turn" if meeting.seat in frame.next else "groups.chat.their_turn")
    stepping = meeting.busy and not meeting.playing
    typing = {"help": told, "live": True, "maxlength": _LONGEST, "enter": ["do", "say"]}
    return [
        field("typed", "text", t("groups.chat.you", name=meeting.seat), meeting.typed, **typing),
        buttons(
            "do",
            ("say", t("groups.chat.say"), "primary", stepping),
            ("step", t("groups.chat.let_them"), "plain", stepping or silent),
        ),
    ]


def ending_of(frame: GroupFrame, t: Words) -> str:
    """How it ended; empty while it goes on."""
    if not frame.over:
        return ""
    if not frame.solved:
        return t("groups.chat.ended")
    return t("groups.chat.right" if frame.right else "groups.chat.wrong", n=frame.step)


def chat_tree(frames: Sequence[GroupFrame], t: Words) -> Tree:
    """Messages, oldest first; what each stage is called stands before its first message."""
    lines: list[Tree] = []
    stage = ""
    for frame in frames:
        said = frame.said
        if said is None:
            continue
        if said.stage and said.stage != stage:
            stage = said.stage
            mark: Tree = ["li", {"key": f"stage-{stage}", "class": "ev-stage-mark"}, t(f"mathematics.stage.{stage}")]
            lines.append(mark)
        lines.append(_line(said, here=frame is frames[-1], t=t))
    if frames[-1].stage == SOLVED:
        lines.append(["li", {"key": "solved", "class": "ev-stage-mark is-ok"}, t("groups.stage.solved")])
    region = {
        "class": "ev-talk",
        "tabindex": "0",
        "role": "log",
        "aria-label": t("groups.chat.title"),
        "data-follow": True,
    }
    return ["div", region, ["ol", {}, *lines]]


def _line(said: Said, *, here: bool, t: Words) -> Tree:
    labels: list[Tree] = [chip(t(f"groups.act.{said.act}"))] if _is_act(said.act, t) else []
    if said.lost:
        labels.append(chip(t("groups.chat.lost"), "is-warn"))
    if not said.clear:
        labels.append(chip(t("groups.chat.unclear"), "is-warn"))
    look = "ev-line teacher" if said.person else "ev-line student"
    return [
        "li",
        {"key": str(said.step), "class": f"{look} is-new" if here else look},
        ["span", {"class": "ev-step"}, str(said.step)],
        [
            "div",
            {},
            ["b", {"dir": "auto"}, said.speaker],
            ["p", {"dir": "auto"}, said.text],
            ["span", {"class": "ev-labels"}, *labels],
        ],
    ]


def _is_act(act: str, t: Words) -> bool:
    return f"groups.act.{act}" in t


_OWN = "*"


@solara.component
def Choosing(desk: Desk, meeting: Meeting) -> None:
    """A problem and a group for it."""
    t = use_words()
    use_live(meeting.changed)
    plan, show = solara.use_state(meeting.plan or _first(t))
    problem = solara.use_memo(plan.word_problem, [plan.problem, plan.own])

    def set_plan(wanted: GroupPlan) -> None:
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
        AnsweredBy(desk, COLLABORATION, "groups.choose.costs")
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


def _first(t: Words) -> GroupPlan:
    """Return the plan that the form begins with: a problem in the language of the page."""
    return _of_problem(GroupPlan(name=t("groups.choose.me")), replace(GroupPlan(), problem=first_problem(t.language)))


def _open(meeting: Meeting, plan: GroupPlan, given: dict[str, Any], set_plan: Any, t: Words) -> None:
    size = given.get("size")
    if isinstance(size, int | float) and size > MOST_BYTES:
        meeting.refuse(t("groups.choose.too_large", most=MOST_BYTES // 1000))
        return
    try:
        own = read_problem(given["text"], str(given["name"])[:80])
    except EduverseError as error:
        meeting.refuse(error)
        return
    meeting.error = None
    set_plan(_of_problem(plan, replace(plan, own=own)))


def changed(plan: GroupPlan, name: str, value: Any) -> GroupPlan:
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
        drawn = filled_in(Drawn, {"seed": value})
        return plan if drawn is None else replace(plan, seed=drawn.seed)
    if name == "arm":
        return replace(plan, arm=cast(GroupArm, value))
    return replace(plan, **{name: value})


def _of_problem(plan: GroupPlan, other: GroupPlan) -> GroupPlan:
    """The same group on another problem, without mistakes of its own yet. The usual two speak its language."""
    peers = tuple(replace(one, misconception="") for one in plan.peers)
    if peers == usual_peers(plan.word_problem().language):
        peers = usual_peers(other.word_problem().language)
    return replace(plan, problem=other.problem, own=other.own, peers=peers)


def _changed_peer(peer: PeerPlan, what: str, value: str) -> PeerPlan:
    if what == "skill":
        return replace(peer, skill=cast(Skill, value), misconception="")
    return replace(peer, **{what: value})


def _with_crew(plan: GroupPlan, what: str) -> GroupPlan:
    if what == "less":
        fewer = replace(plan, peers=plan.peers[:-1])
        return replace(fewer, place=WATCH) if plan.place.isdigit() and fewer.replaced is None else fewer
    names = MORE_NAMES.get(plan.word_problem().language, MORE_NAMES["en"])
    free = (name for name in names if name not in {one.name for one in plan.peers})
    return replace(plan, peers=(*plan.peers, PeerPlan(next(free, ""))))


# --- fields ---


def fields_of(plan: GroupPlan, problem: WordProblem, t: Words) -> list[Field]:
    """The whole form."""
    problems = {name: title_of("problem", one, t) for name, one in known_problems().items()}
    if plan.own is not None:
        problems[_OWN] = plan.own.title or plan.own.name
    file = {"max": MOST_BYTES, "accept": ".yaml,.yml", "width": "third"}
    chosen = plan.problem if plan.own is None else _OWN
    return [
        select("problem", t("groups.choose.problem"), problems, chosen, width="two-thirds"),
        field("file", "file", t("groups.choose.file"), "", **file),
        *(one for number, peer in enumerate(plan.peers) for one in _peer(number, peer, plan, problem, t)),
        buttons(
            "crew",
            ("more", t("groups.choose.more"), "plain", len(plan.peers) >= MOST_PEERS),
            ("less", t("groups.choose.less"), "plain", len(plan.peers) <= 1),
            label=t("groups.choose.crew"),
        ),
        *_own_place(plan, t),
        document_field(CollaborationSettings, "arm", plan.arm, t, "groups.choose", width="half"),
        document_field(Drawn, "seed", plan.seed, t, "learner.choose", width="quarter"),
    ]


def _own_place(plan: GroupPlan, t: Words) -> list[Field]:
    places = {WATCH: t("groups.place.watch"), JOIN: t("groups.place.join")}
    if len(plan.peers) > 1:
        places |= {str(number): t("groups.place.take", name=one.name) for number, one in enumerate(plan.peers)}
    fields = [select("place", t("groups.choose.place"), places, plan.place, width="half")]
    if plan.place == JOIN:
        fields.append(field("name", "text", t("groups.choose.name"), plan.name, width="half"))
    return fields


def _peer(number: int, peer: PeerPlan, plan: GroupPlan, problem: WordProblem, t: Words) -> list[Field]:
    taken = plan.replaced == number
    drawn = t("groups.choose.drawn" if peer.skill == "limited" else "groups.choose.none")
    mistakes = {"": drawn, **{one.id: short(one.thinks) for one in problem.misconceptions}}
    begins = {"kind": "select", "options": as_options(mistakes), "disabled": taken or plan.arm == "vanilla"}
    looks: dict[str, dict[str, Any]] = {
        "name": {"label": t("groups.choose.peer", n=number + 1), "width": "quarter"},
        "skill": {"disabled": taken, "width": "quarter"},
        "misconception": {**begins, "width": "half"},
    }
    return [
        document_field(Peer, name, getattr(peer, name), t, "groups.choose", id=f"peer-{number}-{name}", **look)
        for name, look in looks.items()
    ]


@solara.component
def MathematicsPage(desk: Desk) -> None:
    """Groups that solve a problem together."""
    meeting = meeting_of(desk)
    use_live(meeting.changed)
    t = use_words()

    def open_asked() -> None:
        asked, desk.to_meet = desk.to_meet, None
        if asked is not None:
            meeting.open_run(*asked, answering_of(desk, COLLABORATION))

    solara.use_effect(open_asked, [])
    with solara.Div(classes=["ev-stack", "ev-mathematics"]):
        StyleSheet("groups/mathematics.css")
        Headline(t("groups.title"), t("groups.lead"))
        Choosing(desk, meeting)
        TaskEnd(meeting)
        if meeting.talk is not None:
            _Dialogue(desk, meeting)
        Reading(["p", {"class": "ev-muted"}, t("groups.pupils"), " ", ["kbd", {"dir": "ltr"}, "eduverse mathvc serve"]])


@solara.component
def _Dialogue(desk: Desk, meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.changed)
    talk = meeting.talk
    if talk is None:
        return
    problem = talk.model.problem
    with solara.Div(classes=["ev-stack"]):
        with Card(title_of("problem", problem, t), classes=["ev-group-bar"]):
            _Members(meeting)
            Reading(problem_tree(problem, t))
            _Playing(meeting)
            _Keeping(desk, meeting)
        with solara.Div(classes=["ev-split"]):
            Chat(meeting)
            with solara.Div(classes=["ev-stack"]):
                Minds(meeting)


@solara.component
def _Members(meeting: Meeting) -> None:
    """Line on who is in the group."""
    t = use_words()
    use_live(meeting.changed)
    talk, frame = meeting.talk, meeting.frame
    if talk is None or frame is None:
        return
    names = [t("groups.member", name=one.name, skill=t(f"groups.skill.{one.skill}")) for one in frame.peers]
    if meeting.seat:
        names.append(t("groups.you", name=meeting.seat))
    elif meeting.of_pupil:
        names.append(t("groups.pupil", name=meeting.pupil))
    told = t("groups.facts", arm=t(f"groups.arm.{talk.model.arm}"), seed=talk.spec.seed)
    Reading(["p", {"class": "ev-muted", "dir": "auto"}, f"{', '.join(names)} · {told}"])


@solara.component
def _Playing(meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.moved)
    use_live(meeting.changed)
    frames = meeting.frames

    with solara.Div(classes=["ev-group-playing"]):
        PlayBar(
            meeting,
            [name_of(frame, meeting.last, t) for frame in frames],
            stages(frames, t),
            over=meeting.over,
            plays=not meeting.of_pupil,
            scrub=t("groups.scrub"),
        )
        _Pace(meeting)


@solara.component
def _Pace(meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.changed)
    shown = {name: t(f"groups.pace.{name}") for name in PACES}

    def choose(name: str) -> None:
        meeting.set_pace(name)

    with solara.Div(classes=["ev-inline"]):
        Choice(t("groups.pace.label"), shown, meeting.pace, choose)


@solara.component
def _Keeping(desk: Desk, meeting: Meeting) -> None:
    t = use_words()
    use_live(meeting.changed)
    use_live(meeting.moved)
    talk = meeting.talk
    with solara.Div(classes=["ev-row"]):
        if meeting.of_pupil and talk is not None:
            again = meeting.study, talk.run
            solara.Button(
                t("groups.keep.again"),
                outlined=True,
                disabled=meeting.busy,
                on_click=lambda: meeting.open_run(*again, answering_of(desk, COLLABORATION)),
            )
            solara.Text(t("groups.keep.of_pupil"), classes=["ev-quiet"])
        elif meeting.study and talk is not None and talk.run:
            solara.Text(t("groups.keep.kept", run=talk.run), classes=["ev-quiet"])
        elif meeting.study:
            solara.Text(t("groups.keep.keeping"), classes=["ev-quiet"])
        else:
            solara.Button(
                t("learner.show.keep"),
                outlined=True,
                disabled=not meeting.free or not meeting.frames[1:],
                on_click=lambda: meeting.keep(desk.office.study),
            )
            solara.Text(t("groups.keep.why"), classes=["ev-quiet"])


def name_of(frame: GroupFrame, last: int, t: Words) -> str:
    """Return the name of a place under the slider."""
    return t("groups.at", step=frame.step, steps=last) if frame.step else t("groups.before")


def stages(frames: list[GroupFrame], t: Words) -> list[list[Any]]:
    """Stages under the slider: [name, from, to, kind]."""
    kinds = [frame.said.stage if frame.said is not None else "" for frame in frames]
    return stretches(kinds, lambda stage: t(f"mathematics.stage.{stage}"))
