"""The last two stages: working out the results, and looking back at the answer."""

from __future__ import annotations

from eduverse_mesa.decisions.groups import (
    Intended,
    Meaning,
    Worked,
)
from eduverse_mesa.policies.embedded.groups.argument import MOST_ARGUMENTS, Argument
from eduverse_mesa.policies.embedded.groups.state import CHOICE, Clash, asked_back, idle
from eduverse_mesa.policies.embedded.groups.turn import Turn

MOST_ASKED = 3
"""Times that somebody is asked whether they agree with the answer."""
MOST_LEFT = 2
"""Times that a subtask is left to somebody before a peer does it after all."""


class Execution:
    """The work of a peer while results are on the table."""

    def __init__(self, turn: Turn, argument: Argument) -> None:
        self.turn = turn
        self.view = turn.view
        self.state = turn.state
        self.argument = argument

    # --- doing it ---

    def execute(self) -> Intended:
        found = self.argument.argue()
        if found is not None:
            return found
        state = self.state
        if state.solved_by_people:
            return self._confirm()
        if self._names_the_answer():
            return self._confirm()
        if state.open_tasks:
            return self._next_result(self._next_open())
        if state.choice_open:
            return self._choose() if state.picks else self._none_fits()
        if state.picks and self.view.name not in dict(self.view.minutes.chosen):
            return self._choose_alike()
        odds = self._at_odds()
        if odds is not None:
            meaning = Meaning(act=self.turn.act("second_result"), topic=odds.about)
            return Intended(meaning, "take_note", "hear it, and not say that one has the same")
        asked = self.turn.ask_person("agree_result", "agree_result")
        if asked is not None:
            return asked
        meaning = Meaning(act=self.turn.act("second_result"), stance="agrees", topic=state.latest_topic())
        return Intended(meaning, "second_result", "agree with the result")

    def _names_the_answer(self) -> bool:
        """Return True if a person has just said all that is asked, and the peer has the same: that is told first."""
        last, goals = self.state.last, self.view.sheet.goals
        if last is None or last.speaker not in self.view.people or not last.meaning.claims or last.meaning.asks:
            return False
        named = any(claim.about in goals for claim in last.meaning.claims)
        return named and all(self.state.agrees_with(last.speaker, goal) for goal in goals)

    def _confirm(self) -> Intended:
        """Say whether the peer has the same as the person who has worked it out already, and do no more."""
        odds = self._at_odds()
        if odds is not None:
            return Intended(Meaning(act=self.turn.act("second_result"), topic=odds.about), "take_note", "hear it")
        goals = self.turn.goals()
        unheard = [
            name
            for name in self.state.others
            if name not in self.view.people and not any(one.speaker == name for one in self.state.here)
        ]
        if unheard and any(one.speaker == self.view.name for one in self.state.here):
            meaning = Meaning(act=self.turn.act("agree_result"), topic=goals[-1].about, addressed=unheard[0], asks=True)
            return Intended(meaning, "agree_result", f"ask {unheard[0]} for what it has")
        to = next(name for name in self.view.people if name in self.state.stated(goals[-1].about))
        meaning = Meaning(
            act=self.turn.act("second_result"), stance="agrees", topic=goals[-1].about, claims=goals, addressed=to
        )
        return Intended(meaning, "same_value", "say that one has the same")

    def _next_open(self) -> Worked:
        """Return the next open subtask; a peer with a belief about one that can be done now does not wait with it."""
        free = self.state.open_tasks
        touches = self.view.belief.touches if self.view.belief is not None and self.view.people else ()
        ready = [
            one for one in free if one.variable in touches and not any(other.variable in one.needs for other in free)
        ]
        return (ready or free)[0]

    def _next_result(self, work: Worked) -> Intended:
        """The next subtask: one's own, or one whose owner leaves it to others; an owner not asked yet is asked."""
        owner = self.state.owner(work.variable)
        left = self._leave_it(work)
        if left is not None:
            return left
        last = self.state.last
        asked = any(one.meaning.act == "agree_result" and one.meaning.topic == work.variable for one in self.state.here)
        somebody_else = owner not in ("", self.view.name) and last is not None and last.speaker != owner
        hand_on = 0.9 if self.view.people else 0.5
        if somebody_else and not asked and self.turn.lucky("hand on", hand_on):
            meaning = Meaning(
                act=self.turn.act("agree_result"), topic=work.variable, addressed=owner, asks=True, stance="agrees"
            )
            return Intended(meaning, "hand_on", f"agree so far, and ask {owner} to go on")
        meaning = Meaning(
            act=self.turn.act("state_result"),
            topic=work.variable,
            claims=self.turn.claim(work),
            sums=self.turn.sum(work),
        )
        return Intended(meaning, "result", f"say the result and how: {work.how}")

    def _leave_it(self, work: Worked) -> Intended | None:
        """Ask a person what comes next, the more often the less the peer helps; after two times the peer goes on."""
        last = self.state.last
        people = self.view.people
        name = next((name for name in people if last is not None and name == last.speaker), people[0] if people else "")
        if not name or (self.turn.lucky("volunteer", self.view.fading) and not self._draw_in(name)):
            return None
        if self.state.left_to(name, work.variable) >= MOST_LEFT:
            return None
        meaning = Meaning(
            act=self.turn.act("agree_result"), topic=work.variable, addressed=name, asks=True, stance="agrees"
        )
        return Intended(meaning, "open_turn", f"ask {name} what comes next, and leave it to them")

    def _draw_in(self, name: str) -> bool:
        """Return True if somebody who has only consented so far has just spoken: they are asked to do a bit, once."""
        last, asked = self.state.last, (one.meaning for one in self.state.here if one.speaker != name)
        here = last is not None and last.speaker == name
        return here and name in idle(self.view.dialogue, [name]) and not any(one.addressed == name for one in asked)

    def _choose(self) -> Intended:
        picks = self.state.picks
        meaning = Meaning(act=self.turn.act("state_result", "summarise"), topic=CHOICE, options=picks, chosen=picks)
        return Intended(meaning, "choose", f"say which choice it is: {', '.join(picks)}")

    def _none_fits(self) -> Intended:
        """Say that by the peer's own numbers no choice fits, so that something has to be wrong."""
        meaning = Meaning(act=self.turn.act("clarify_result"), topic=CHOICE, stuck=True, stance="disagrees")
        return Intended(meaning, "none_fits", "say that none of the choices fits, so that something has to be wrong")

    def _choose_alike(self) -> Intended:
        """Agree with the choice of the others, which is the peer's own as well."""
        picks = self.state.picks
        meaning = Meaning(
            act=self.turn.act("second_result"), topic=CHOICE, options=picks, chosen=picks, stance="agrees"
        )  # fmt: skip
        return Intended(meaning, "choose_alike", f"agree with the choice: {', '.join(picks)}")

    # --- looking back ---

    def validate(self) -> Intended:
        found = self.argument.argue()
        if found is not None:
            return found
        state, view = self.state, self.view
        if not any(one.meaning.act == "summarise" for one in state.here):
            return self._summarise()
        talked = set(view.minutes.options)
        left = [one for one in view.verdicts if one.option not in talked]
        if left:
            meaning = Meaning(act=self.turn.act("reflect"), topic=CHOICE, options=(left[0].option,), stance="agrees")
            move = "fits" if left[0].right else "fits_not"
            return Intended(meaning, move, f"say what one thinks of {left[0].option}")
        odds = self._at_odds()
        if odds is not None and self.state.argued(odds.about) >= MOST_ARGUMENTS:
            return self._stuck(odds)
        if view.name not in view.minutes.agreed:
            move = "agree_check" if view.checks else "agree_end"
            return Intended(
                Meaning(act=self.turn.act("reflect"), stance="agrees"), move, "agree, and check it once more"
            )
        waiting = idle(view.dialogue, view.people)
        if waiting:
            return self._ask_back(waiting[0])
        missing = [name for name in state.others if name not in view.minutes.agreed]
        asked = [one.meaning.addressed for one in state.here if one.speaker == view.name and one.meaning.asks]
        missing = [name for name in missing if asked.count(name) < MOST_ASKED]
        if missing:
            meaning = Meaning(act=self.turn.act("summarise"), addressed=missing[0], asks=True, stance="agrees")
            return Intended(meaning, "ask_end", f"ask {missing[0]} whether the answer is alright")
        open_clash = next(iter(state.clashes()), None)
        if open_clash is not None:
            return self._stuck(open_clash)
        if view.people:
            meaning = Meaning(act=self.turn.act("reflect"), stance="agrees", addressed=view.people[0])
            return Intended(meaning, "closing", "close, and say what the answer means")
        return Intended(Meaning(act=self.turn.act("reflect"), stance="agrees"), "means", "say what the answer means")

    def _ask_back(self, name: str) -> Intended:
        """Ask somebody who has only consented for something of their own: why it is so, then one number."""
        goals = [one for one in self.view.sheet.goals if one in self.state.mine]
        work = self.state.mine[goals[-1]] if goals else self.view.work[-1]
        first = asked_back(self.view.dialogue, name) == 0
        meaning = Meaning(
            act=self.turn.act("reflect"),
            topic=work.variable,
            addressed=name,
            asks=True,
            question="why" if first else "value",
        )
        if first:
            return Intended(meaning, "ask_back", f"ask {name} to say in their own words why it is so")
        return Intended(meaning, "ask_number", f"ask {name} to check one number")

    def _at_odds(self) -> Clash | None:
        """Return the clash over the answer, or over what was named last; None if nobody holds anything else."""
        about = {*self.view.sheet.goals, CHOICE, self.state.latest_topic()}
        return next((clash for clash in self.state.clashes() if clash.about in about), None)

    def _stuck(self, clash: Clash) -> Intended:
        meaning = Meaning(act=self.turn.act("reflect"), topic=clash.about, stance="disagrees", stuck=True)
        return Intended(meaning, "stuck", "say that one cannot agree, and would ask somebody")

    def _summarise(self) -> Intended:
        picks = self.state.picks if self.view.sheet.options else ()
        meaning = Meaning(
            act=self.turn.act("summarise"), topic=CHOICE if picks else "", claims=() if picks else self.turn.goals(),
            chosen=picks, options=picks, stance="agrees",
        )  # fmt: skip
        return Intended(meaning, "sum_up_choice" if picks else "sum_up", "sum up the answer")
