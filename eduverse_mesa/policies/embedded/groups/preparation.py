"""The first three stages: understanding the problem, dividing the work, and planning."""

from __future__ import annotations

from eduverse_mesa.decisions.groups import (
    Intended,
    Meaning,
    Worked,
)
from eduverse_mesa.policies.embedded.groups.turn import Turn


class Preparation:
    """The work of a peer before anything is worked out."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.view = turn.view
        self.state = turn.state

    # --- understanding, and dividing the work ---

    def understand(self) -> Intended:
        here = self.state.here
        restated = any(one.speaker in self.view.people and self.state.restates(one) for one in here)
        if not restated and not any(one.meaning.act.startswith("present") for one in here):
            meaning = Meaning(act=self.turn.act("present"))
            return Intended(meaning, "present", "say in own words what is asked")
        last = here[-1].meaning
        if here[-1].speaker in self.view.people and last.asks and self.state.restates(here[-1]):
            meaning = Meaning(act=self.turn.act("second"), stance="agrees")
            return Intended(meaning, "second_understanding", "say that one reads it like that, too")
        if last.asks and self.state.sense_asked is not None:
            return Intended(
                Meaning(act=self.turn.act("answer"), stance="agrees"), "answer_sense", "answer from the statement"
            )
        if last.asks and here[-1].speaker in self.view.people:
            meaning = Meaning(act=self.turn.act("answer"), addressed=here[-1].speaker)
            return Intended(meaning, "see_later", "say that one does not know yet, and that it will be seen")
        asked = any(one.meaning.act == "clarify_understanding" for one in here)
        if (
            not asked
            and self.state.sense_open
            and self.turn.lucky("clarify", 0.6 if self.view.skill == "limited" else 0.3)
        ):
            return Intended(Meaning(act=self.turn.act("clarify"), asks=True), "ask_sense", "ask what is not clear yet")
        if any(one.speaker == self.view.name and one.meaning.act.startswith("present") for one in here):
            return self.turn.ask_person("agree", "agree_understanding") or Intended(
                Meaning(act=self.turn.act("agree"), stance="agrees"),
                "settle_understanding",
                "say that all see it alike",
            )
        return Intended(
            Meaning(act=self.turn.act("second"), stance="agrees"), "second_understanding", "say that one agrees"
        )

    def organise(self) -> Intended:
        view, minutes = self.view, self.view.minutes
        roles = dict(minutes.roles)
        done = self.state.done_by_people
        free = [one.variable for one in view.work if one.variable not in roles and one.variable not in done]
        if free and not roles:
            return self._divide(free)
        if free:
            mine = self._first(free)
            return Intended(
                Meaning(act=self.turn.act("volunteer"), topic=mine, takes=(mine,)), "volunteer", "take one on"
            )
        return Intended(Meaning(act=self.turn.act("second"), stance="agrees"), "second_roles", "agree to the roles")

    def _first(self, free: list[str]) -> str:
        """Return the subtask to take on: the first, or, with people in the group, one the peer has a belief about."""
        touches = self.view.belief.touches if self.view.belief is not None and self.view.people else ()
        return next((one for one in free if one in touches), free[0])

    def _divide(self, free: list[str]) -> Intended:
        """A peer of limited skill takes on the first subtask; an advanced one proposes who does what."""
        view = self.view
        if view.skill == "limited" or len(free) == 1:
            own = self._first(free)
            if view.skill == "limited":
                meaning = Meaning(act=self.turn.act("volunteer"), topic=own, takes=(own,))
                return Intended(meaning, "volunteer", "take the first part on")
        peers = [name for name in self.state.others if name not in view.people]
        # Who has worked out something already is not given the rest first.
        order = [*peers, view.name, *view.people] if self.state.done_by_people else [*view.people, *peers, view.name]
        gives = tuple((task, order[place % len(order)]) for place, task in enumerate(free))
        takes = tuple(task for task, name in gives if name == view.name)
        given = tuple((task, name) for task, name in gives if name != view.name)
        first = given[0] if given else ("", "")
        meaning = Meaning(act=self.turn.act("divide"), topic=first[0], takes=takes, gives=given, addressed=first[1])
        return Intended(meaning, "divide" if takes else "divide_other", "propose who does what")

    # --- planning ---

    def plan(self) -> Intended:
        state, here = self.state, self.state.here
        proposals = [(one, variable, how) for one in here for variable, how in one.meaning.plans]
        theirs = [entry for entry in proposals if entry[0].speaker != self.view.name]
        mine = {variable for one, variable, _ in proposals if one.speaker == self.view.name}
        for message, variable, how in theirs[-1:]:
            work = state.mine.get(variable)
            if work is not None and how and how != work.how and variable not in mine:
                meaning = Meaning(
                    act=self.turn.act("clarify_plan"),
                    topic=variable,
                    addressed=message.speaker,
                    plans=((variable, work.how),),
                    stance="disagrees",
                )
                return Intended(meaning, "plan_differs", "say that one would do it otherwise, and try both")
        if here and here[-1].meaning.stance == "disagrees" and proposals:
            return Intended(
                Meaning(act=self.turn.act("answer_plan"), stance="agrees"), "see_both", "leave it to the doing"
            )
        other = self._other_way()
        if other is not None:
            return other
        planned = {variable for variable, _ in self._plans_made()}
        planned |= state.done_by_people
        to_do = [one for one in self.view.work if one.variable not in planned and state.sayable(one)]
        if (
            to_do
            and not state.solved_by_people
            and (not proposals or (len(here) < 2 and self.turn.lucky("plan on", 0.5)))
        ):
            return self._state_plan(to_do)
        asked = self.turn.ask_person("agree_plan", "agree_plan")
        if asked is not None:
            return asked
        return Intended(Meaning(act=self.turn.act("second_plan"), stance="agrees"), "second_plan", "agree to the plan")

    def _other_way(self) -> Intended | None:
        """Name the peer's own way, once, if a person has shown another."""
        state = self.state
        for clash in state.clashes():
            about, to = clash.about, clash.speaker
            if to not in self.view.people or not state.shown_by(to, about):
                continue
            mine = [one.meaning for one in state.here if one.speaker == self.view.name]
            if any(one.topic == about and one.addressed == to for one in mine):
                continue
            if not state.sayable(state.mine[about]):
                meaning = Meaning(act=self.turn.act("answer_plan"), topic=about, addressed=to)
                return Intended(meaning, "take_up_other", f"tell {to} that one has thought of another way")
            how = state.mine[about].how
            meaning = Meaning(
                act=self.turn.act("clarify_plan"), topic=about, addressed=to, plans=((about, how),), stance="disagrees"
            )
            return Intended(meaning, "plan_differs", f"say that one would {how}, and try both")
        return None

    def _plans_made(self) -> list[tuple[str, str]]:
        return [plan for one in self.view.dialogue for plan in one.meaning.plans]

    def _state_plan(self, to_do: list[Worked]) -> Intended:
        own = [one for one in to_do if self.state.owner(one.variable) == self.view.name]
        work = (own or to_do)[0]
        meaning = Meaning(act=self.turn.act("state_plan"), topic=work.variable, plans=((work.variable, work.how),))
        return Intended(meaning, "plan", f"say how one would do it: {work.how}")
