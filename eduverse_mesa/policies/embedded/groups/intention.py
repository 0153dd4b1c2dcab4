"""Intentions of a peer: first an answer to the last message if it needs one, then the work of the stage."""

from __future__ import annotations

from eduverse_mesa.decisions.groups import Claim, Intend, Intended, Meaning, Worked
from eduverse_mesa.policies.embedded.groups.argument import MOST_ARGUMENTS, Parameters
from eduverse_mesa.policies.embedded.groups.position import CHOICE, Clash, asked_back, idle
from eduverse_mesa.policies.embedded.groups.response import Responder


class Preparer(Responder):
    """A peer in the first three stages."""

    # --- understanding, and dividing the work ---

    def _understand(self) -> Intended:
        here = self.standing.here
        restated = any(one.speaker in self.view.people and self.standing.restates(one) for one in here)
        if not restated and not any(one.meaning.act.startswith("present") for one in here):
            meaning = Meaning(act=self.act("present"))
            return Intended(meaning, "present", "say in own words what is asked")
        last = here[-1].meaning
        if here[-1].speaker in self.view.people and last.asks and self.standing.restates(here[-1]):
            meaning = Meaning(act=self.act("second"), stance="agrees")
            return Intended(meaning, "second_understanding", "say that one reads it like that, too")
        if last.asks and self.standing.sense_asked is not None:
            return Intended(
                Meaning(act=self.act("answer"), stance="agrees"), "answer_sense", "answer from the statement"
            )
        if last.asks and here[-1].speaker in self.view.people:
            meaning = Meaning(act=self.act("answer"), addressed=here[-1].speaker)
            return Intended(meaning, "see_later", "say that one does not know yet, and that it will be seen")
        asked = any(one.meaning.act == "clarify_understanding" for one in here)
        if (
            not asked
            and self.standing.sense_open
            and self.lucky("clarify", 0.6 if self.view.skill == "limited" else 0.3)
        ):
            return Intended(Meaning(act=self.act("clarify"), asks=True), "ask_sense", "ask what is not clear yet")
        if any(one.speaker == self.view.name and one.meaning.act.startswith("present") for one in here):
            return self._ask_person("agree", "agree_understanding") or Intended(
                Meaning(act=self.act("agree"), stance="agrees"), "settle_understanding", "say that all see it alike"
            )
        return Intended(Meaning(act=self.act("second"), stance="agrees"), "second_understanding", "say that one agrees")

    def _ask_person(self, act: str, move: str) -> Intended | None:
        """If people sit in the group, ask a silent one by name now and then."""
        silent = [name for name in self.view.people if not any(one.speaker == name for one in self.standing.here)]
        if not silent or not self.lucky("ask person", self.p["ask.agreement"]):
            return None
        meaning = Meaning(act=self.act(act), addressed=silent[0], asks=True, stance="agrees")
        return Intended(meaning, move, f"ask {silent[0]} whether it is alright")

    def _organise(self) -> Intended:
        view, minutes = self.view, self.view.minutes
        roles = dict(minutes.roles)
        done = self.standing.done_by_people
        free = [one.variable for one in view.work if one.variable not in roles and one.variable not in done]
        if free and not roles:
            return self._divide(free)
        if free:
            mine = self._first(free)
            return Intended(Meaning(act=self.act("volunteer"), topic=mine, takes=(mine,)), "volunteer", "take one on")
        return Intended(Meaning(act=self.act("second"), stance="agrees"), "second_roles", "agree to the roles")

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
                meaning = Meaning(act=self.act("volunteer"), topic=own, takes=(own,))
                return Intended(meaning, "volunteer", "take the first part on")
        peers = [name for name in self.standing.others if name not in view.people]
        # Who has worked out something already is not given the rest first.
        order = [*peers, view.name, *view.people] if self.standing.done_by_people else [*view.people, *peers, view.name]
        gives = tuple((task, order[place % len(order)]) for place, task in enumerate(free))
        takes = tuple(task for task, name in gives if name == view.name)
        given = tuple((task, name) for task, name in gives if name != view.name)
        first = given[0] if given else ("", "")
        meaning = Meaning(act=self.act("divide"), topic=first[0], takes=takes, gives=given, addressed=first[1])
        return Intended(meaning, "divide" if takes else "divide_other", "propose who does what")

    # --- planning ---

    def _plan(self) -> Intended:
        standing, here = self.standing, self.standing.here
        proposals = [(one, variable, how) for one in here for variable, how in one.meaning.plans]
        theirs = [entry for entry in proposals if entry[0].speaker != self.view.name]
        mine = {variable for one, variable, _ in proposals if one.speaker == self.view.name}
        for message, variable, how in theirs[-1:]:
            work = standing.mine.get(variable)
            if work is not None and how and how != work.how and variable not in mine:
                meaning = Meaning(
                    act=self.act("clarify_plan"),
                    topic=variable,
                    addressed=message.speaker,
                    plans=((variable, work.how),),
                    stance="disagrees",
                )
                return Intended(meaning, "plan_differs", "say that one would do it otherwise, and try both")
        if here and here[-1].meaning.stance == "disagrees" and proposals:
            return Intended(Meaning(act=self.act("answer_plan"), stance="agrees"), "see_both", "leave it to the doing")
        other = self._other_way()
        if other is not None:
            return other
        planned = {variable for variable, _ in self._plans_made()}
        planned |= standing.done_by_people
        to_do = [one for one in self.view.work if one.variable not in planned and standing.sayable(one)]
        if (
            to_do
            and not standing.solved_by_people
            and (not proposals or (len(here) < 2 and self.lucky("plan on", 0.5)))
        ):
            return self._state_plan(to_do)
        asked = self._ask_person("agree_plan", "agree_plan")
        if asked is not None:
            return asked
        return Intended(Meaning(act=self.act("second_plan"), stance="agrees"), "second_plan", "agree to the plan")

    def _other_way(self) -> Intended | None:
        """Name the peer's own way, once, if a person has shown another."""
        standing = self.standing
        for clash in standing.clashes():
            about, to = clash.about, clash.speaker
            if to not in self.view.people or not standing.shown_by(to, about):
                continue
            mine = [one.meaning for one in standing.here if one.speaker == self.view.name]
            if any(one.topic == about and one.addressed == to for one in mine):
                continue
            if not standing.sayable(standing.mine[about]):
                meaning = Meaning(act=self.act("answer_plan"), topic=about, addressed=to)
                return Intended(meaning, "take_up_other", f"tell {to} that one has thought of another way")
            how = standing.mine[about].how
            meaning = Meaning(
                act=self.act("clarify_plan"), topic=about, addressed=to, plans=((about, how),), stance="disagrees"
            )
            return Intended(meaning, "plan_differs", f"say that one would {how}, and try both")
        return None

    def _plans_made(self) -> list[tuple[str, str]]:
        return [plan for one in self.view.dialogue for plan in one.meaning.plans]

    def _state_plan(self, to_do: list[Worked]) -> Intended:
        own = [one for one in to_do if self.standing.owner(one.variable) == self.view.name]
        work = (own or to_do)[0]
        meaning = Meaning(act=self.act("state_plan"), topic=work.variable, plans=((work.variable, work.how),))
        return Intended(meaning, "plan", f"say how one would do it: {work.how}")


def intend(decision: Intend, p: Parameters) -> Intended:
    """One act of the stage, and the way it is done."""
    return Mind(decision, p).intend()


MOST_ASKED = 3
"""Times that somebody is asked whether they agree with the answer."""


MOST_LEFT = 2
"""Times that a subtask is left to somebody before a peer does it after all."""


class Mind(Preparer):
    """A peer who decides what to do."""

    def intend(self) -> Intended:
        """Return the next intention."""
        flows = {
            "understand": self._understand,
            "organise": self._organise,
            "plan": self._plan,
            "execute": self._execute,
            "validate": self._validate,
        }
        found = self._serious() or self._gently()
        return found or self._take_back() or self._respond() or flows[self.view.stage]()

    # --- what the last message asks for ---

    def _take_back(self) -> Intended | None:
        """Admit a change of mind and say the present value; None if there is nothing to take back."""
        revision, standing = self.revision, self.standing
        if not (revision.changes or revision.understood or revision.chosen):
            return None
        if not self.executing:
            if not any(one.meaning.plans or one.meaning.claims for one in standing.said_by_me):
                return None
            return Intended(
                Meaning(act=self.act("answer", "second"), stance="agrees", addressed=""),
                "see_it",
                "say what one sees now",
            )
        about = self._taken_back()
        if not about:
            return None  # nobody has heard anything that could be taken back
        if about == CHOICE:
            meaning = Meaning(
                act=self.act("state_result", "summarise"),
                topic=CHOICE,
                stance="agrees",
                chosen=standing.picks,
                options=standing.picks,
            )
            return Intended(meaning, "concede_choice", f"admit that it has to be {', '.join(standing.picks)}")
        work = standing.mine[about]
        stale = self._stale()
        claims = (*self._claim(work), *(Claim(name, value) for name, value in stale.items() if name != about))
        meaning = Meaning(act=self.act("state_result", "summarise"), topic=about, claims=claims, stance="agrees")
        move = "concede" if len(claims) == 1 else "concede_more"
        return Intended(meaning, move, f"admit the mistake and say what comes out now: {work.shown}")

    def _stale(self) -> dict[str, str]:
        """Present values of the variables of which the peer has stated another value before."""
        stated = {one.variable: one.value for one in self.view.minutes.stated if one.speaker == self.view.name}
        return {
            name: work.value for name, work in self.standing.mine.items() if stated.get(name, work.value) != work.value
        }

    def _taken_back(self) -> str:
        """Return the result, or the choice, that the peer has said wrongly; empty if they had only thought it."""
        for name in self.revision.changes:
            if name in self.standing.mine and (self.standing.voiced(name) or self.standing.argued(name)):
                return name
        if self.revision.chosen:
            return CHOICE
        stale = self._stale()
        if stale:
            return next(iter(stale))
        mistaken = dict(self.view.minutes.chosen).get(self.view.name)
        if mistaken is not None and set(mistaken) != set(self.standing.picks):
            return CHOICE
        return ""

    # --- doing it ---

    def _execute(self) -> Intended:
        found = self._argue()
        if found is not None:
            return found
        standing = self.standing
        if standing.solved_by_people:
            return self._confirm()
        if self._names_the_answer():
            return self._confirm()
        if standing.open_tasks:
            return self._next_result(self._next_open())
        if standing.choice_open:
            return self._choose() if standing.picks else self._none_fits()
        if standing.picks and self.view.name not in dict(self.view.minutes.chosen):
            return self._choose_alike()
        odds = self._at_odds()
        if odds is not None:
            meaning = Meaning(act=self.act("second_result"), topic=odds.about)
            return Intended(meaning, "take_note", "hear it, and not say that one has the same")
        asked = self._ask_person("agree_result", "agree_result")
        if asked is not None:
            return asked
        meaning = Meaning(act=self.act("second_result"), stance="agrees", topic=standing.latest_topic())
        return Intended(meaning, "second_result", "agree with the result")

    def _names_the_answer(self) -> bool:
        """Return True if a person has just said all that is asked, and the peer has the same: that is told first."""
        last, goals = self.standing.last, self.view.sheet.goals
        if last is None or last.speaker not in self.view.people or not last.meaning.claims or last.meaning.asks:
            return False
        named = any(claim.about in goals for claim in last.meaning.claims)
        return named and all(self.standing.agrees_with(last.speaker, goal) for goal in goals)

    def _confirm(self) -> Intended:
        """Say whether the peer has the same as the person who has worked it out already, and do no more."""
        odds = self._at_odds()
        if odds is not None:
            return Intended(Meaning(act=self.act("second_result"), topic=odds.about), "take_note", "hear it")
        goals = self._goals()
        unheard = [
            name
            for name in self.standing.others
            if name not in self.view.people and not any(one.speaker == name for one in self.standing.here)
        ]
        if unheard and any(one.speaker == self.view.name for one in self.standing.here):
            meaning = Meaning(act=self.act("agree_result"), topic=goals[-1].about, addressed=unheard[0], asks=True)
            return Intended(meaning, "agree_result", f"ask {unheard[0]} for what it has")
        to = next(name for name in self.view.people if name in self.standing.stated(goals[-1].about))
        meaning = Meaning(
            act=self.act("second_result"), stance="agrees", topic=goals[-1].about, claims=goals, addressed=to
        )
        return Intended(meaning, "same_value", "say that one has the same")

    def _next_open(self) -> Worked:
        """Return the next open subtask; a peer with a belief about one that can be done now does not wait with it."""
        free = self.standing.open_tasks
        touches = self.view.belief.touches if self.view.belief is not None and self.view.people else ()
        ready = [
            one for one in free if one.variable in touches and not any(other.variable in one.needs for other in free)
        ]
        return (ready or free)[0]

    def _next_result(self, work: Worked) -> Intended:
        """The next subtask: one's own, or one whose owner leaves it to others; an owner not asked yet is asked."""
        owner = self.standing.owner(work.variable)
        left = self._leave_it(work)
        if left is not None:
            return left
        last = self.standing.last
        asked = any(
            one.meaning.act == "agree_result" and one.meaning.topic == work.variable for one in self.standing.here
        )
        somebody_else = owner not in ("", self.view.name) and last is not None and last.speaker != owner
        hand_on = 0.9 if self.view.people else 0.5
        if somebody_else and not asked and self.lucky("hand on", hand_on):
            meaning = Meaning(
                act=self.act("agree_result"), topic=work.variable, addressed=owner, asks=True, stance="agrees"
            )
            return Intended(meaning, "hand_on", f"agree so far, and ask {owner} to go on")
        meaning = Meaning(
            act=self.act("state_result"), topic=work.variable, claims=self._claim(work), sums=self._sum(work)
        )
        return Intended(meaning, "result", f"say the result and how: {work.how}")

    def _leave_it(self, work: Worked) -> Intended | None:
        """Ask a person what comes next, the more often the less the peer helps; after two times the peer goes on."""
        last = self.standing.last
        people = self.view.people
        name = next((name for name in people if last is not None and name == last.speaker), people[0] if people else "")
        if not name or (self.lucky("volunteer", self.view.fading) and not self._draw_in(name)):
            return None
        if self.standing.left_to(name, work.variable) >= MOST_LEFT:
            return None
        meaning = Meaning(act=self.act("agree_result"), topic=work.variable, addressed=name, asks=True, stance="agrees")
        return Intended(meaning, "open_turn", f"ask {name} what comes next, and leave it to them")

    def _draw_in(self, name: str) -> bool:
        """Return True if somebody who has only consented so far has just spoken: they are asked to do a bit, once."""
        last, asked = self.standing.last, (one.meaning for one in self.standing.here if one.speaker != name)
        here = last is not None and last.speaker == name
        return here and name in idle(self.view.dialogue, [name]) and not any(one.addressed == name for one in asked)

    def _choose(self) -> Intended:
        picks = self.standing.picks
        meaning = Meaning(act=self.act("state_result", "summarise"), topic=CHOICE, options=picks, chosen=picks)
        return Intended(meaning, "choose", f"say which choice it is: {', '.join(picks)}")

    def _none_fits(self) -> Intended:
        """Say that by the peer's own numbers no choice fits, so that something has to be wrong."""
        meaning = Meaning(act=self.act("clarify_result"), topic=CHOICE, stuck=True, stance="disagrees")
        return Intended(meaning, "none_fits", "say that none of the choices fits, so that something has to be wrong")

    def _choose_alike(self) -> Intended:
        """Agree with the choice of the others, which is the peer's own as well."""
        picks = self.standing.picks
        meaning = Meaning(
            act=self.act("second_result"), topic=CHOICE, options=picks, chosen=picks, stance="agrees"
        )  # fmt: skip
        return Intended(meaning, "choose_alike", f"agree with the choice: {', '.join(picks)}")

    # --- looking back ---

    def _validate(self) -> Intended:
        found = self._argue()
        if found is not None:
            return found
        standing, view = self.standing, self.view
        if not any(one.meaning.act == "summarise" for one in standing.here):
            return self._summarise()
        talked = set(view.minutes.options)
        left = [one for one in view.verdicts if one.option not in talked]
        if left:
            meaning = Meaning(act=self.act("reflect"), topic=CHOICE, options=(left[0].option,), stance="agrees")
            move = "fits" if left[0].right else "fits_not"
            return Intended(meaning, move, f"say what one thinks of {left[0].option}")
        odds = self._at_odds()
        if odds is not None and self.standing.argued(odds.about) >= MOST_ARGUMENTS:
            return self._stuck(odds)
        if view.name not in view.minutes.agreed:
            move = "agree_check" if view.checks else "agree_end"
            return Intended(Meaning(act=self.act("reflect"), stance="agrees"), move, "agree, and check it once more")
        waiting = idle(view.dialogue, view.people)
        if waiting:
            return self._ask_back(waiting[0])
        missing = [name for name in standing.others if name not in view.minutes.agreed]
        asked = [one.meaning.addressed for one in standing.here if one.speaker == view.name and one.meaning.asks]
        missing = [name for name in missing if asked.count(name) < MOST_ASKED]
        if missing:
            meaning = Meaning(act=self.act("summarise"), addressed=missing[0], asks=True, stance="agrees")
            return Intended(meaning, "ask_end", f"ask {missing[0]} whether the answer is alright")
        open_clash = next(iter(standing.clashes()), None)
        if open_clash is not None:
            return self._stuck(open_clash)
        if view.people:
            meaning = Meaning(act=self.act("reflect"), stance="agrees", addressed=view.people[0])
            return Intended(meaning, "closing", "close, and say what the answer means")
        return Intended(Meaning(act=self.act("reflect"), stance="agrees"), "means", "say what the answer means")

    def _ask_back(self, name: str) -> Intended:
        """Ask somebody who has only consented for something of their own: why it is so, then one number."""
        goals = [one for one in self.view.sheet.goals if one in self.standing.mine]
        work = self.standing.mine[goals[-1]] if goals else self.view.work[-1]
        first = asked_back(self.view.dialogue, name) == 0
        meaning = Meaning(
            act=self.act("reflect"),
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
        about = {*self.view.sheet.goals, CHOICE, self.standing.latest_topic()}
        return next((clash for clash in self.standing.clashes() if clash.about in about), None)

    def _stuck(self, clash: Clash) -> Intended:
        meaning = Meaning(act=self.act("reflect"), topic=clash.about, stance="disagrees", stuck=True)
        return Intended(meaning, "stuck", "say that one cannot agree, and would ask somebody")

    def _summarise(self) -> Intended:
        picks = self.standing.picks if self.view.sheet.options else ()
        meaning = Meaning(
            act=self.act("summarise"), topic=CHOICE if picks else "", claims=() if picks else self._goals(),
            chosen=picks, options=picks, stance="agrees",
        )  # fmt: skip
        return Intended(meaning, "sum_up_choice" if picks else "sum_up", "sum up the answer")
