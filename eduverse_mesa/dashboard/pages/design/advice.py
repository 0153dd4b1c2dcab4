"""Seating advice: what the plan is to be good for, what it has to keep, and what was found."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.dashboard.background import Ticket, Worker
from eduverse_mesa.dashboard.elements import Form, Note, Reading, TaskBar, table_tree, use_desk, use_words
from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.design.fields import use_seen
from eduverse_mesa.experiments.engines import make_engine
from eduverse_mesa.experiments.seating import (
    GOALS,
    Advice,
    Constraint,
    ImpossibleError,
    Request,
    advise,
    read_objective,
)
from eduverse_mesa.experiments.seating.plans import Demand
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.runs.threads import BrokenOffError
from eduverse_mesa.scenarios.drafts import Draft
from eduverse_mesa.scenarios.drafts.documents import put
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.visualization.widgets.fields import buttons, head, note, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

EFFORTS = {"quick": (60, 12), "usual": (200, 20), "thorough": (600, 40)}
"""Runs of the search, and seeds of the judgement."""
PAIRS: tuple[Demand, ...] = ("apart", "together")
DEMANDS: tuple[Demand, ...] = (*PAIRS, "front", "fixed")
_PARTS = (("layout",), ("class",), ("seating",), ("lessons",), ("settings",))


class Adviser(Worker):
    """One search at a time. It plays in a process of its own, so that pages stay quick."""

    def __init__(self) -> None:
        super().__init__()
        self.objective = "engagement"
        self.effort = "quick"
        self.constraints: tuple[Constraint, ...] = ()
        self.advice: Advice | None = None
        self._about: tuple[Plain, ...] = ()
        """The parts of the draft that the advice is about."""

    def renew(self, **kept: Any) -> None:
        """Another wish."""
        for name, value in kept.items():
            setattr(self, name, value)
        self.changed.tell()

    def ask(self, demand: Demand, *names: str) -> None:
        """Add a constraint, once."""
        wanted = Constraint(demand, names if demand in PAIRS else names[:1])
        if wanted not in self.constraints:
            self.renew(constraints=(*self.constraints, wanted))

    def drop(self, place: int) -> None:
        """Take a constraint back."""
        self.renew(constraints=(*self.constraints[:place], *self.constraints[place + 1 :]))

    def begin(self, draft: Draft) -> None:
        """Look for a plan for the draft as it is now."""
        scenario = draft.scenario
        if scenario is None or self.busy:
            return
        budget, seeds = EFFORTS[self.effort]
        known = {student.name for student in scenario.roll.students}
        kept = tuple(one for one in self.constraints if known.issuperset(one.students))
        request = Request(scenario, read_objective(self.objective), kept, seeds=seeds, budget=budget)
        self.advice, self._about, self.constraints = None, parts_of(draft), kept

        def work(ticket: Ticket) -> None:
            def watch(done: int) -> None:
                if not ticket.current:
                    raise BrokenOffError
                ticket.progress(done, request.plays)

            watch(0)
            with make_engine("processes", 1) as engine:
                found = advise(request, engine, watch)
            self.advice = found if ticket.current else None

        self.do("seating", work)

    def fits(self, draft: Draft) -> bool:
        """Return True if the advice is about the draft as it is now."""
        return self.advice is not None and self._about == parts_of(draft)

    def use(self, draft: Draft) -> None:
        """Seat the class as advised, as one step."""
        advice = self.advice
        if advice is None or not self.fits(draft):
            return
        seats = advice.plan.of(advice.request.scenario.roll.students)
        seating: dict[str, Plain] = {
            name: seat if isinstance(seat, str) else list(seat) for name, seat in seats.items()
        }
        draft.change(put(draft.document, ("seating",), seating), "seat_plan", moved=len(advice.moves))


def parts_of(draft: Draft) -> tuple[Plain, ...]:
    """The parts of a draft that advice depends on."""
    return tuple(draft.get(*part) for part in _PARTS)


@solara.component
def Advising(shop: Workshop) -> None:
    """The section about seats."""
    use_seen()
    adviser = use_desk().drawer(Adviser, Adviser)
    use_live(adviser.changed)
    t = use_words()
    wish, set_wish = solara.use_state(("apart", "", ""))
    names = shop.draft.people.names

    def hear(name: str, value: Any) -> None:
        if name in ("objective", "effort"):
            adviser.renew(**{name: value})
        elif name in ("demand", "one", "other"):
            place = ("demand", "one", "other").index(name)
            set_wish((*wish[:place], value, *wish[place + 1 :]))
        elif name == "add":
            demand = next(one for one in DEMANDS if one == wish[0])
            adviser.ask(demand, *_chosen(wish, names))
        elif value == "find":
            adviser.begin(shop.draft)

    with solara.Div(classes=["ev-stack", "ev-advice"]):
        Form(_wishes(shop, adviser, wish, t), hear, label=t("advice.title"))
        if adviser.constraints:
            Reading(_constraints(adviser, t), on_event=lambda place: _drop(adviser, place))
        _Found(shop, adviser, t)


@solara.component
def _Found(shop: Workshop, adviser: Adviser, t: Words) -> None:
    """How far it is, what went wrong, or what came out."""
    use_seen()
    use_live(adviser.changed)
    if isinstance(adviser.error, ImpossibleError):
        listed = "; ".join(said(one, t) for one in adviser.error.those)
        Note(t("advice.impossible" if adviser.error.proven else "advice.not_found", those=listed), kind="bad")
    elif adviser.busy or adviser.advice is None:
        TaskBar(adviser, lambda now: t("advice.going", done=now.done, n=now.total))
    else:
        advice, fits = adviser.advice, adviser.fits(shop.draft)
        Note(t(f"advice.verdict.{advice.verdict.replace(' ', '_')}"), kind="ok" if advice.adopted else "info")
        Reading(_table(advice, t))
        if advice.adopted:
            Reading(_moves(advice, t))
            use = buttons("use", ("use", t("advice.use"), "primary", not fits))
            Form([use], lambda *_: shop.do(adviser.use, shop.draft), label=t("advice.use"))
            if not fits:
                Note(t("advice.changed"))


def _wishes(shop: Workshop, adviser: Adviser, wish: tuple[str, str, str], t: Words) -> list[Field]:
    names = shop.draft.people.names
    people = {name: name for name in names}
    pair = wish[0] in PAIRS
    chosen = [*_chosen(wish, names), "", ""][:2]
    ready = shop.draft.scenario is not None
    goals = {goal: t(f"advice.goal.{goal}") for goal in GOALS}
    formula = {"help": t(f"advice.formula.{adviser.objective}")}
    efforts = {one: t(f"advice.effort.{one}", n=sum(EFFORTS[one]) + EFFORTS[one][1]) for one in EFFORTS}
    shown = [
        head("head", t("advice.title")),
        note("note", t("advice.note")),
        select("objective", t("advice.objective"), goals, adviser.objective, width="half", **formula),
        select("effort", t("advice.effort.label"), efforts, adviser.effort, width="half"),
    ]
    if people:
        demands = {one: t(f"advice.demand.{one}") for one in DEMANDS}
        shown += [
            select("demand", t("advice.demand.label"), demands, wish[0], width="third"),
            select("one", t("advice.student"), people, chosen[0], width="third"),
        ]
        if pair:
            shown.append(select("other", t("advice.other"), people, chosen[1], width="third"))
        off = pair and (len(names) < 2 or chosen[0] == chosen[1])
        shown.append(buttons("add", ("add", t("advice.add"), "plain", off)))
    return [*shown, buttons("act", ("find", t("advice.find"), "primary", not ready or adviser.busy))]


def _chosen(wish: tuple[str, str, str], names: list[str]) -> list[str]:
    """The students a constraint would be about: who was chosen, else the first ones."""
    one = wish[1] if wish[1] in names else next(iter(names), "")
    other = wish[2] if wish[2] in names else next((name for name in names if name != one), one)
    return [one, other]


def _drop(adviser: Adviser, place: Any) -> None:
    if isinstance(place, int) and 0 <= place < len(adviser.constraints):
        adviser.drop(place)


def said(constraint: Constraint, t: Words) -> str:
    """A constraint in the page's language."""
    return f"{t(f'advice.demand.{constraint.demand}')}: {', '.join(constraint.students)}"


def _constraints(adviser: Adviser, t: Words) -> Tree:
    return [
        "ul",
        {"class": "ev-picks", "aria-label": t("advice.kept")},
        *(
            [
                "li",
                {"key": f"{place} {one}"},
                ["bdi", {}, said(one, t)],
                " ",
                ["button", {"on": place, "aria-label": t("advice.take_back", what=said(one, t))}, "✕"],
            ]
            for place, one in enumerate(adviser.constraints)
        ),
    ]


def _table(advice: Advice, t: Words) -> Tree:
    heads = ("goal_head", "present", "found", "gain", "interval")
    rows = [_row(goal, advice, t) for goal in GOALS]
    judged = t("advice.judged", pairs=advice.request.seeds, n=advice.played)
    columns = [t(f"advice.{name}") for name in heads]
    table = table_tree(columns, rows, t("advice.title"), numbers=range(1, len(columns)))
    return ["div", {}, table, ["p", {"class": "ev-muted ev-small"}, judged]]


def _row(goal: str, advice: Advice, t: Words) -> Tree:
    before, after = advice.levels[goal]
    gain: Interval = advice.gains[goal]
    cells = [f"{before:.3f}", f"{after:.3f}", f"{gain.mean:+.3f}", f"{gain.low:+.3f} … {gain.high:+.3f}"]
    style = {"class": "ev-num"}
    shown = [["td", style, cell.replace("-", "−")] for cell in cells]
    mark = "chosen" if goal in advice.request.objective.weights else ""
    return ["tr", {"key": goal, "class": mark}, ["th", {"scope": "row"}, t(f"advice.goal.{goal}")], *shown]


def _moves(advice: Advice, t: Words) -> Tree:
    moves = [
        ["li", {"key": move.student}, ["bdi", {}, move.student], f": {move.before} → {move.after}"]
        for move in advice.moves
    ]
    return ["details", {}, ["summary", {}, t("advice.moves", n=len(moves))], ["ul", {}, *moves]]
