"""Disagreement: ask first, then give a reason, then show the calculation."""

from __future__ import annotations

from eduverse_mesa.decisions.groups import (
    Cue,
    Intended,
    Meaning,
)
from eduverse_mesa.policies.embedded.groups.state import CHOICE, Clash
from eduverse_mesa.policies.embedded.groups.turn import Turn

MOST_ARGUMENTS = 4
"""Arguments about one thing before the group goes on with it open."""
_JUST = 3
"""Messages in which a reason is not given again to anybody."""


class Argument:
    """Contradiction of somebody who holds something else."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.view = turn.view
        self.state = turn.state

    def argue(self) -> Intended | None:
        """Speak up against a different value or choice; ask, then give a reason, then show the calculation."""
        chance = self.turn.p[f"notice.{self.view.skill}"] * self.view.fading
        for clash in self.state.noticed(self.turn.at, chance):
            times = self.state.argued(clash.about)
            if self._is_beside(clash):
                continue
            if times < MOST_ARGUMENTS and self.state.answered(clash):
                return self._against_choice(clash, times) if clash.about == CHOICE else self._against(clash, times)
        return None

    def _is_beside(self, clash: Clash) -> bool:
        """Return True for an earlier clash about another quantity with a person who has the same answer as the peer:
        nobody comes back to that."""
        goals, last = self.view.sheet.goals, self.state.last
        if clash.speaker not in self.view.people or clash.about in (*goals, CHOICE):
            return False
        if last is not None and any(one.about == clash.about for one in last.meaning.claims):
            return False
        if self.view.stage == "validate":
            return True
        if self.view.sheet.options:
            chosen = dict(self.view.minutes.chosen).get(clash.speaker, ())
            return bool(chosen) and set(chosen) == set(self.state.picks)
        return all(self.state.agrees_with(clash.speaker, goal) for goal in goals)

    def _against(self, clash: Clash, times: int) -> Intended:
        gently = self._ask_person_first(clash)
        if gently is not None:
            return gently
        work = self.state.mine[clash.about]
        cue = self.state.cue_for(clash)
        first = times == 0 and (
            self.view.skill == "limited" or self.turn.lucky("ask first", self.turn.p["defend.first"])
        )
        claims, to = self.turn.claim(work), clash.speaker
        if first:
            meaning = Meaning(
                act=self.turn.act("clarify_result", "reflect"), topic=clash.about, addressed=to, claims=claims,
                stance="disagrees",
            )  # fmt: skip
            own_way = self.view.belief is not None and clash.about in self.view.belief.touches
            move = "defend" if own_way else self._named("notice", clash.about)
            return Intended(meaning, move, f"say that one has {work.shown}, and ask {to} how it went")
        just = cue is not None and any(cue.id in one.meaning.cues for one in self.view.dialogue[-_JUST:])
        if cue is not None and times <= 1 and not just and not self.state.told(cue.id, to):
            meaning = Meaning(
                act=self.turn.act("answer_result", "reflect"), topic=clash.about, addressed=to, claims=claims,
                stance="disagrees", cues=(cue.id,),
            )  # fmt: skip
            return Intended(meaning, f"reason:{cue.id}", f"tell {to} what speaks against it: {cue.says}")
        meaning = Meaning(
            act=self.turn.act("answer_result", "reflect"), topic=clash.about, addressed=to, claims=claims,
            sums=self.turn.sum(work), stance="disagrees",
        )  # fmt: skip
        if times >= MOST_ARGUMENTS - 1:
            return Intended(meaning, "leave_open", f"tell {to} that one stays with {work.shown} for now")
        if times > 1 and self.view.checks and not self.state.check_proposed:
            return Intended(meaning, "check_numbers", f"propose to {to} to check both with the numbers of the problem")
        return Intended(meaning, self._named("show", clash.about), f"show {to} the calculation: {work.how}")

    def _ask_person_first(self, clash: Clash) -> Intended | None:
        """Ask a person to look again, and tell them the reason against it, before the peer's own value is named; a peer
        with a belief of their own about it says that at once."""
        to, state, belief = clash.speaker, self.state, self.view.belief
        if to not in self.view.people or (belief is not None and state.rests_on(clash.about, belief.touches)):
            return None
        cue = state.cue_for(clash)
        if not state.wondered(clash) and not state.voiced(clash.about):
            helps = self.turn.lucky("wonder", self.view.fading)
            if cue is not None and helps and state.shown_by(to, clash.about):
                return self._hint_at(clash, cue)
            if not helps or not state.shown_by(to, clash.about):
                meaning = Meaning(
                    act=self.turn.act("clarify_result", "reflect"), topic=clash.about, addressed=to, asks=True,
                    stance="disagrees",
                )  # fmt: skip
                return Intended(meaning, "wonder", f"ask {to} to look at it again, without what one has oneself")
        if cue is not None and not state.told(cue.id, to) and not state.voiced(clash.about):
            return self._hint_at(clash, cue)
        return None

    def _hint_at(self, clash: Clash, cue: Cue) -> Intended:
        meaning = Meaning(
            act=self.turn.act("answer_result", "reflect"), topic=clash.about, addressed=clash.speaker, asks=True,
            stance="disagrees", cues=(cue.id,),
        )  # fmt: skip
        return Intended(meaning, f"reason_first:{cue.id}", f"tell {clash.speaker} what speaks against it: {cue.says}")

    def _named(self, move: str, about: str) -> str:
        """The same move with the name of the quantity, if the others have just spoken of something else."""
        last = self.state.last
        spoken = {claim.about for claim in last.meaning.claims} | {last.meaning.topic} if last is not None else set()
        return f"{move}_which" if about not in spoken else move

    def _against_choice(self, clash: Clash, times: int) -> Intended:
        state, to = self.state, clash.speaker
        cue = state.cue_for(clash)
        wrong = [option for option in clash.value.split(",") if option not in state.picks]
        option = (wrong or list(state.picks))[0]
        cues = (cue.id,) if cue is not None and times <= 1 else ()  # no calculation could be shown instead
        meaning = Meaning(
            act=self.turn.act("answer_result" if times else "clarify_result", "reflect"), topic=CHOICE, addressed=to,
            options=(option,), chosen=state.picks, stance="disagrees", cues=cues,
        )  # fmt: skip
        move = f"reason:{cues[0]}" if cues else ("against_option" if wrong else "for_option")
        return Intended(meaning, move, f"tell {to} why {option} {'does not fit' if wrong else 'fits'}")
