"""What a peer says to a person's question, and to what a person has worked out: what was asked is answered, and what
was shown is taken up."""

from __future__ import annotations

import re
from fractions import Fraction

from eduverse_mesa.decisions.collaboration import Intended, Worked
from eduverse_mesa.decisions.meanings import Meaning, Message, Sum
from eduverse_mesa.policies.embedded.collaboration.arguing import Arguer
from eduverse_mesa.policies.embedded.collaboration.phrases import load_phrases
from eduverse_mesa.policies.embedded.collaboration.standing import CHOICE, Clash

_SAID = ("answer", "second", "reflect")
"""Acts with which something is answered, whatever the stage."""
_A_LOT = 60
"""Characters of a message that asks nothing where no question mark is in it."""
_A_WHILE = 3
"""Messages for which somebody is held to speak of the same thing."""
_SUM = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?([-+*/x×÷]) ?(\d+(?:\.\d+)?)(?![\d.]| ?[-+*/x×÷=])")
_SIGNS = {"x": "*", "×": "*", "÷": "/"}


class Answerer(Arguer):
    """A peer that is asked."""

    # --- what was worked out before its time ---

    def _take_up(self, last: Message) -> Intended | None:
        """Who has shown how is not asked how: it is looked at, and counts as done. Who has not is asked once."""
        to = last.speaker
        about = self._worked_out(last)
        if not about:
            return None
        asked, taken = self._answers_to(to, about)
        if taken:
            return None
        if not self.standing.shown_by(to, about):
            return None if asked else self._once("early_result", about, to, f"take up what {to} has, and ask how")
        work = self.standing.mine[about]
        if self.standing.alike(about, self.standing.stated(about)[to], work.value):
            meaning = Meaning(
                act=self.act(*_SAID[1:], "answer"), topic=about, addressed=to, claims=self._claim(work), stance="agrees"
            )
            return Intended(meaning, "take_up", f"tell {to} that one has checked it and gets the same: {work.shown}")
        if self.view.stage == "plan" and self.standing.sayable(work):
            meaning = Meaning(
                act=self.act("clarify_plan"), topic=about, addressed=to, plans=((about, work.how),), stance="disagrees"
            )
            return Intended(meaning, "plan_differs", f"say that one would {work.how}, and try both")
        meaning = Meaning(act=self.act(*_SAID), topic=about, addressed=to)
        return Intended(meaning, "take_up_other", f"tell {to} that one has thought of another way, to be compared")

    def _look_at(self, to: str, about: str) -> Intended | None:
        """ "Is that right?" before it is calculated: one looks at it where they have shown how, and asks else."""
        if not self.standing.shown_by(to, about):
            asked = to in self.standing.stated(about) and not self._answers_to(to, about)[0]
            return (
                self._once("early_result", about, to, f"ask {to} how they got it") if asked else self._later(about, to)
            )
        work = self.standing.mine[about]
        if self.standing.alike(about, self.standing.stated(about)[to], work.value):
            return self._compare(work, to)
        return self._say("take_up_other", to, f"tell {to} that one has thought of another way", about)

    def _later(self, about: str, to: str) -> Intended:
        return self._say("not_yet", to, f"tell {to} that it is worked out together later", about)

    def _worked_out(self, last: Message) -> str:
        """Of what they have told what it is: what is named now, or asked for before."""
        meaning, mine = last.meaning, self.standing.mine
        named = [claim.about for claim in meaning.claims if claim.about in mine]
        planned = [name for name, _ in meaning.plans if name in mine]
        about = [*named[::-1], *planned, *((meaning.topic,) if meaning.sums else ())]
        return next((one for one in about if last.speaker in self.standing.stated(one)), "")

    def _answers_to(self, to: str, about: str) -> tuple[bool, bool]:
        """Whether any of the others has asked how they came by it, and whether any has taken it up."""
        held = self.standing.stated(about)[to]
        dialogue = self.view.dialogue
        first = next(
            one.turn
            for one in dialogue
            if one.speaker == to
            and any(each.about == about and self.standing.alike(about, each.value, held) for each in one.meaning.claims)
        )
        since = [
            one.meaning
            for one in dialogue
            if one.turn > first and one.speaker not in self.view.people and one.meaning.topic == about
        ]
        asked = any(one.asks and one.addressed == to for one in since)
        return asked, any(not one.asks and one.addressed == to for one in since)

    def _once(self, move: str, topic: str, to: str, intent: str) -> Intended | None:
        """A question that is asked of somebody; not twice in a row."""
        mine = self.standing.said_by_me
        if mine and mine[-1].meaning.asks and mine[-1].meaning.addressed == to and mine[-1].stage == self.view.stage:
            return None
        act = self.act("clarify", "reflect", "divide")
        return Intended(Meaning(act=act, topic=topic, addressed=to, asks=True), move, intent)

    # --- what is asked ---

    def _to_question(self, last: Message) -> Intended | None:
        """What was asked is what is answered."""
        answers = {
            "word": self._say_word,
            "givens": self._say_givens,
            "task": self._say_task,
            "why": self._say_why,
            "how": self._say_how,
            "value": self._say_value,
        }
        answer = answers.get(last.meaning.question)
        return answer(last) if answer is not None else None

    def _say(self, move: str, to: str, intent: str, topic: str = "") -> Intended:
        return Intended(Meaning(act=self.act(*_SAID), topic=topic, addressed=to), move, intent)

    def _say_word(self, last: Message) -> Intended | None:
        if not last.meaning.word:
            return None
        whole: str = load_phrases(self.view.language).at("whole_task")
        if re.search(whole, last.meaning.word.casefold()):
            return self._say_task(last)
        return self._say("say_word", last.speaker, f"say what {last.meaning.word} means, from the text")

    def _say_givens(self, last: Message) -> Intended:
        return self._say("say_givens", last.speaker, "say what the statement tells")

    def _say_task(self, last: Message) -> Intended:
        act = self.act("present", *_SAID)
        return Intended(Meaning(act=act, addressed=last.speaker), "say_task", "say what is to be found")

    def _asked_about(self, last: Message) -> Worked | None:
        """The subtask that a question is about."""
        standing, meaning = self.standing, last.meaning
        named = [claim.about for claim in (*meaning.queried, *meaning.claims)]
        before = next((one.meaning.topic for one in reversed(self.view.dialogue[:-1]) if one.meaning.topic), "")
        if meaning.topic == before and meaning.question == "value":  # nothing new was named: about what they have
            theirs = [one for one in self.view.dialogue if one.speaker == last.speaker][-_A_WHILE:]
            named += [claim.about for one in theirs[::-1] for claim in one.meaning.claims]
        named += [meaning.topic, standing.latest_topic()]
        return next((standing.mine[one] for one in named if one in standing.mine), None)

    def _say_next(self, last: Message) -> Intended | None:
        """ "What now?": the next subtask is named and left to who asks, once; else the stage goes on."""
        asks: str = load_phrases(self.view.language).at("asks_next")
        if not last.meaning.asks or last.meaning.claims or not re.search(asks, last.text.casefold()):
            return None
        open_tasks = self.standing.open_tasks
        if (
            not self.executing
            or self.standing.solved_by_people
            or not open_tasks
            or self.standing.left_to(last.speaker, open_tasks[0].variable)
        ):
            return None
        meaning = Meaning(
            act=self.act("agree_result", "reflect"), topic=open_tasks[0].variable, addressed=last.speaker, asks=True
        )
        return Intended(meaning, "next_step", f"tell {last.speaker} what comes next, and leave it to them")

    def _goes_on(self, last: Message) -> bool:
        """Whether somebody only asks how it goes on: what the stage is for is the answer."""
        asks: str = load_phrases(self.view.language).at("asks_next")
        return last.speaker in self.view.people and re.search(asks, last.text.casefold()) is not None

    def _say_why(self, last: Message) -> Intended | None:
        """Why it is not what was asked about; why one does so; or what it is good for."""
        work, to = self._asked_about(last), last.speaker
        if work is None:
            return None
        queried = next((one.value for one in last.meaning.queried if one.about == work.variable), "")
        act = self.act(*_SAID)
        if queried and not self.standing.alike(work.variable, queried, work.value):
            cue = self.standing.cue_for(Clash(work.variable, to, queried))
            if cue is not None:
                meaning = Meaning(act=act, topic=work.variable, addressed=to, cues=(cue.id,))
                return Intended(meaning, f"reason_why:{cue.id}", f"tell {to} what speaks against it: {cue.says}")
        meaning = Meaning(act=act, topic=work.variable, addressed=to)
        if self.view.stage == "validate" and not queried and (self.view.means or self.view.checks):
            return Intended(meaning, "why_means", f"tell {to} what the answer means")
        if self.view.belief is not None and self.standing.rests_on(work.variable, self.view.belief.touches):
            return Intended(meaning, "say_thinks", f"tell {to} what one thinks: {self.view.belief.thinks}")
        return Intended(meaning, "say_why", f"tell {to} why one does so: {work.why}")

    def _say_how(self, last: Message) -> Intended | None:
        to = last.speaker
        work = self._asked_about(last) or next(iter(self.view.work), None)
        if work is None:
            return None
        if self.executing:
            return self._told_after_trying(work, to) or self._own(work, to, "explain_own")
        if self.view.stage == "plan" and self.standing.sayable(work):
            meaning = Meaning(act=self.act("answer"), topic=work.variable, plans=((work.variable, work.how),))
            return Intended(meaning, "plan", f"tell {to} how one would do it: {work.how}")
        first = next((one for one in self.view.work if self.standing.sayable(one)), work)
        plans = ((first.variable, first.how),) if self.standing.sayable(first) else ()
        meaning = Meaning(act=self.act(*_SAID), topic=first.variable, addressed=to, plans=plans)
        return Intended(meaning, "first_way", f"tell {to} how one would begin: {first.how}")

    def _say_value(self, last: Message) -> Intended | None:
        """One's value, where one has said it or somebody else has one; no result without any work."""
        to = last.speaker
        if len(last.text) > _A_LOT and not re.search(r"[?？]", last.text):
            return None  # "How many feet one step is! So we share ..." tells, and asks nothing
        wanted = reckoned(last.text)
        if wanted is not None:
            meaning = Meaning(act=self.act(*_SAID), topic=last.meaning.topic, addressed=to, sums=(wanted,))
            return Intended(meaning, "say_sum", f"tell {to} what {wanted.text} is")
        if last.meaning.topic == CHOICE:
            return None
        work = self._asked_about(last)
        if work is None:
            return None
        if self.standing.voiced(work.variable):
            return self._own(work, to, "own_value")
        if self.executing:
            return self._told_after_trying(work, to) or self._own(work, to, "own_value")
        if to in self.standing.stated(work.variable) and self.standing.shown_by(to, work.variable):
            return self._compare(work, to)
        return self._later(work.variable, to)

    def _compare(self, work: Worked, to: str) -> Intended:
        """They have shown theirs, and ask for one's own."""
        if self.standing.alike(work.variable, self.standing.stated(work.variable)[to], work.value):
            act = self.act(*_SAID[1:], "answer")
            meaning = Meaning(act=act, topic=work.variable, addressed=to, claims=self._claim(work), stance="agrees")
            return Intended(meaning, "take_up", f"tell {to} that one gets the same: {work.shown}")
        return self._own(work, to, "own_value")

    def _told_after_trying(self, work: Worked, to: str) -> Intended | None:
        """Who has done nothing on a subtask of which nobody has a result is first asked to try; once."""
        standing = self.standing
        if standing.stated(work.variable):
            return None
        missing = next((need for need in work.needs if need in standing.mine and not standing.stated(need)), "")
        if missing:  # what comes first would be given away with how the rest is done
            work = standing.mine[missing]
        tried = any(
            one.speaker == to and one.meaning.topic == work.variable and (one.meaning.sums or one.meaning.plans)
            for one in self.view.dialogue
        )
        if tried or standing.left_to(to, work.variable):
            return None
        sayable = standing.sayable(work)
        plans = ((work.variable, work.how),) if sayable else ()
        act = self.act("answer", "reflect")
        meaning = Meaning(act=act, topic=work.variable, addressed=to, asks=True, plans=plans)
        if sayable:
            return Intended(meaning, "hint", f"tell {to} how one would begin, without the result: {work.how}")
        return Intended(meaning, "encourage", f"encourage {to} to try, without saying how")

    def _own(self, work: Worked, to: str, move: str) -> Intended:
        meaning = Meaning(
            act=self.act("answer", "reflect"), topic=work.variable, addressed=to, claims=self._claim(work),
            sums=self._sum(work) if self.executing else (),
        )  # fmt: skip
        return Intended(meaning, move, f"tell {to} what one has and how: {work.shown}, {work.how}")

    def _to_consent(self, last: Message) -> Intended | None:
        """ "Do you agree?": with what they hold themselves, or with what was said last."""
        mine, to = self.standing.mine, last.speaker
        said = [one for one in reversed(self.view.dialogue) if one.speaker != self.view.name]
        said.sort(key=lambda one: one.speaker != to)  # what they hold themselves comes first
        held = [claim for one in said for claim in one.meaning.claims if claim.about in mine]
        if held and not self.executing:
            return self._look_at(to, held[0].about)
        if not held or not (self.view.stage == "execute" or last.meaning.addressed):
            return None
        one = next(one for one in said if any(claim.about in mine for claim in one.meaning.claims))
        if any(
            not self.standing.alike(each.about, mine[each.about].value, each.value)
            for each in one.meaning.claims
            if each.about in mine
        ):
            return None  # what the stage is for: to speak up
        work = mine[held[0].about]
        act = self.act("second_result", "reflect")
        meaning = Meaning(act=act, topic=work.variable, addressed=to, claims=self._claim(work), stance="agrees")
        return Intended(meaning, "same_value", f"tell {to} that one has the same: {work.shown}")


def reckoned(text: str) -> Sum | None:
    """The one calculation that somebody asks for: "what's 4*15?"; none where it is not said what to reckon."""
    found = _SUM.findall(text)
    if len(found) != 1:
        return None
    left, sign, right = found[0]
    one, other, sign = Fraction(left), Fraction(right), _SIGNS.get(sign, sign)
    if sign == "/" and not other:
        return None
    result = {"+": one + other, "-": one - other, "*": one * other, "/": one / other if other else one}[sign]
    return Sum(f"{left} {'x' if sign == '*' else sign} {right}", str(result), True)
