"""Speaking up where somebody has something else: ask first, then give a reason, then show the calculation."""

from __future__ import annotations

from eduverse_mesa.decisions.collaboration import Intended
from eduverse_mesa.decisions.meanings import Meaning
from eduverse_mesa.policies.embedded.collaboration.acting import Actor
from eduverse_mesa.policies.embedded.collaboration.standing import CHOICE, Clash

MOST_ARGUMENTS = 4
"""So often is one thing argued about before the group goes on with it open."""


class Arguer(Actor):
    """A peer that may have to contradict."""

    def _argue(self) -> Intended | None:
        """Speak up where somebody has something else; ask, then give a reason, then show the calculation."""
        chance = self.p[f"notice.{self.view.skill}"] * self.view.fading
        for clash in self.standing.noticed(self.at, chance):
            times = self.standing.argued(clash.about)
            if times < MOST_ARGUMENTS and self.standing.answered(clash):
                return self._against_choice(clash, times) if clash.about == CHOICE else self._against(clash, times)
        return None

    def _against(self, clash: Clash, times: int) -> Intended:
        work = self.standing.mine[clash.about]
        cue = self.standing.cue_for(clash)
        first = times == 0 and (self.view.skill == "limited" or self.lucky("ask first", self.p["defend.first"]))
        claims, to = self._claim(work), clash.speaker
        if to in self.view.people and not self.standing.wondered(clash) and not self.lucky("wonder", self.view.fading):
            meaning = Meaning(
                act=self.act("clarify_result", "reflect"), topic=clash.about, addressed=to, asks=True,
                stance="disagrees",
            )  # fmt: skip
            return Intended(meaning, "wonder", f"ask {to} to look at it again, without what one has oneself")
        if first:
            meaning = Meaning(
                act=self.act("clarify_result", "reflect"), topic=clash.about, addressed=to, claims=claims,
                stance="disagrees",
            )  # fmt: skip
            own_way = self.view.belief is not None and clash.about in self.view.belief.touches
            return Intended(
                meaning, "defend" if own_way else "notice", f"say that one has {work.shown}, and ask {to} how it went"
            )
        if cue is not None and times <= 1 and not self.standing.told(cue.id, to):
            meaning = Meaning(
                act=self.act("answer_result", "reflect"), topic=clash.about, addressed=to, claims=claims,
                stance="disagrees", cues=(cue.id,),
            )  # fmt: skip
            return Intended(meaning, f"reason:{cue.id}", f"tell {to} what speaks against it: {cue.says}")
        meaning = Meaning(
            act=self.act("answer_result", "reflect"), topic=clash.about, addressed=to, claims=claims,
            sums=self._sum(work), stance="disagrees",
        )  # fmt: skip
        move = "show" if times < MOST_ARGUMENTS - 1 else "leave_open"
        return Intended(meaning, move, f"show {to} the calculation: {work.how}")

    def _against_choice(self, clash: Clash, times: int) -> Intended:
        standing, to = self.standing, clash.speaker
        cue = standing.cue_for(clash)
        wrong = [option for option in clash.value.split(",") if option not in standing.picks]
        option = (wrong or list(standing.picks))[0]
        cues = (cue.id,) if cue is not None and times <= 1 else ()  # no calculation could be shown instead
        meaning = Meaning(
            act=self.act("answer_result" if times else "clarify_result", "reflect"), topic=CHOICE, addressed=to,
            options=(option,), chosen=standing.picks, stance="disagrees", cues=cues,
        )  # fmt: skip
        move = f"reason:{cues[0]}" if cues else ("against_option" if wrong else "for_option")
        return Intended(meaning, move, f"tell {to} why {option} {'does not fit' if wrong else 'fits'}")
