"""Explanations of a peer who is asked: why, how, which value, and whether they agree."""

from __future__ import annotations

import re
from fractions import Fraction

from eduverse_mesa.decisions.groups import (
    Intended,
    Meaning,
    Message,
    Sum,
    Worked,
)
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases
from eduverse_mesa.policies.embedded.groups.state import CHOICE, Clash
from eduverse_mesa.policies.embedded.groups.turn import Turn

_SAID = ("answer", "second", "reflect")
"""Acts with which something is answered, whatever the stage."""
_A_LOT = 60
"""Characters of a message that asks nothing where no question mark is in it."""
_A_WHILE = 3
"""Messages for which somebody is held to speak of the same thing."""
_SUM = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?([-+*/x×÷]) ?(\d+(?:\.\d+)?)(?![\d.]| ?[-+*/x×÷=])")
_SIGNS = {"x": "*", "×": "*", "÷": "/"}


class Explanation:
    """Explanations that a peer gives, and results of others that a peer takes up before their time."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.view = turn.view
        self.state = turn.state

    # --- what was worked out before its time ---

    def take_up(self, last: Message) -> Intended | None:
        """Take up an early result: if they have shown how, it is checked and counts as done; if not, ask once."""
        to = last.speaker
        about = self._worked_out(last)
        if not about:
            return None
        asked, taken = self._answers_to(to, about)
        if taken:
            return None
        if not self.state.shown_by(to, about):
            return None if asked else self.once("early_result", about, to, f"take up what {to} has, and ask how")
        work = self.state.mine[about]
        if self.state.alike(about, self.state.stated(about)[to], work.value):
            meaning = Meaning(
                act=self.turn.act(*_SAID[1:], "answer"),
                topic=about,
                addressed=to,
                claims=self.turn.claim(work),
                stance="agrees",
            )
            return Intended(meaning, "take_up", f"tell {to} that one has checked it and gets the same: {work.shown}")
        if self.view.stage == "plan" and self.state.sayable(work):
            meaning = Meaning(
                act=self.turn.act("clarify_plan"),
                topic=about,
                addressed=to,
                plans=((about, work.how),),
                stance="disagrees",
            )
            return Intended(meaning, "plan_differs", f"say that one would {work.how}, and try both")
        meaning = Meaning(act=self.turn.act(*_SAID), topic=about, addressed=to)
        return Intended(meaning, "take_up_other", f"tell {to} that one has thought of another way, to be compared")

    def _look_at(self, to: str, about: str) -> Intended | None:
        """Answer "is that right?" before it is calculated: look at it if they have shown how, and ask them if not."""
        if not self.state.shown_by(to, about):
            asked = to in self.state.stated(about) and not self._answers_to(to, about)[0]
            return (
                self.once("early_result", about, to, f"ask {to} how they got it") if asked else self._later(about, to)
            )
        work = self.state.mine[about]
        if self.state.alike(about, self.state.stated(about)[to], work.value):
            return self._compare(work, to)
        return self._say("take_up_other", to, f"tell {to} that one has thought of another way", about)

    def _later(self, about: str, to: str) -> Intended:
        return self._say("not_yet", to, f"tell {to} that it is worked out together later", about)

    def _worked_out(self, last: Message) -> str:
        """The variable that the speaker has told a value of: one that is named now, or that was asked for before."""
        meaning, mine = last.meaning, self.state.mine
        named = [claim.about for claim in meaning.claims if claim.about in mine]
        planned = [name for name, _ in meaning.plans if name in mine]
        about = [*named[::-1], *planned, *((meaning.topic,) if meaning.sums else ())]
        return next((one for one in about if last.speaker in self.state.stated(one)), "")

    def _answers_to(self, to: str, about: str) -> tuple[bool, bool]:
        """Return two flags: one of the others has asked how they came by it; one of the others has taken it up."""
        held = self.state.stated(about)[to]
        dialogue = self.view.dialogue
        first = next(
            one.turn
            for one in dialogue
            if one.speaker == to
            and any(each.about == about and self.state.alike(about, each.value, held) for each in one.meaning.claims)
        )
        since = [
            one.meaning
            for one in dialogue
            if one.turn > first and one.speaker not in self.view.people and one.meaning.topic == about
        ]
        asked = any(one.asks and one.addressed == to for one in since)
        return asked, any(not one.asks and one.addressed == to for one in since)

    def once(self, move: str, topic: str, to: str, intent: str) -> Intended | None:
        """A question that is asked of somebody; not twice in a row."""
        mine = self.state.said_by_me
        if mine and mine[-1].meaning.asks and mine[-1].meaning.addressed == to and mine[-1].stage == self.view.stage:
            return None
        act = self.turn.act("clarify", "reflect", "divide")
        return Intended(Meaning(act=act, topic=topic, addressed=to, asks=True), move, intent)

    # --- what is asked ---

    def to_question(self, last: Message) -> Intended | None:
        """Answer the question that was asked, by its kind."""
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
        return Intended(Meaning(act=self.turn.act(*_SAID), topic=topic, addressed=to), move, intent)

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
        act = self.turn.act("present", *_SAID)
        return Intended(Meaning(act=act, addressed=last.speaker), "say_task", "say what is to be found")

    def _asked_about(self, last: Message) -> Worked | None:
        """The subtask that a question is about."""
        state, meaning = self.state, last.meaning
        named = [claim.about for claim in (*meaning.queried, *meaning.claims)]
        before = next((one.meaning.topic for one in reversed(self.view.dialogue[:-1]) if one.meaning.topic), "")
        if meaning.topic == before and meaning.question == "value":  # nothing new was named: about what they have
            theirs = [one for one in self.view.dialogue if one.speaker == last.speaker][-_A_WHILE:]
            named += [claim.about for one in theirs[::-1] for claim in one.meaning.claims]
        named += [meaning.topic, state.latest_topic()]
        return next((state.mine[one] for one in named if one in state.mine), None)

    def say_next(self, last: Message) -> Intended | None:
        """Answer "what now?": name the next subtask and leave it to the asker, once; else the stage goes on."""
        asks: str = load_phrases(self.view.language).at("asks_next")
        if not last.meaning.asks or last.meaning.claims or not re.search(asks, last.text.casefold()):
            return None
        open_tasks = self.state.open_tasks
        if (
            not self.turn.executing
            or self.state.solved_by_people
            or not open_tasks
            or self.state.left_to(last.speaker, open_tasks[0].variable)
        ):
            return None
        meaning = Meaning(
            act=self.turn.act("agree_result", "reflect"),
            topic=open_tasks[0].variable,
            addressed=last.speaker,
            asks=True,
        )
        return Intended(meaning, "next_step", f"tell {last.speaker} what comes next, and leave it to them")

    def goes_on(self, last: Message) -> bool:
        """Return True if a person only asks how it goes on: the work of the stage is the answer."""
        asks: str = load_phrases(self.view.language).at("asks_next")
        return last.speaker in self.view.people and re.search(asks, last.text.casefold()) is not None

    def _say_why(self, last: Message) -> Intended | None:
        """Say why it is not the value that was asked about, why it is done so, or what it is good for."""
        work, to = self._asked_about(last), last.speaker
        if work is None:
            return None
        queried = next((one.value for one in last.meaning.queried if one.about == work.variable), "")
        act = self.turn.act(*_SAID)
        if queried and not self.state.alike(work.variable, queried, work.value):
            cue = self.state.cue_for(Clash(work.variable, to, queried))
            if cue is not None:
                meaning = Meaning(act=act, topic=work.variable, addressed=to, cues=(cue.id,))
                return Intended(meaning, f"reason_why:{cue.id}", f"tell {to} what speaks against it: {cue.says}")
        meaning = Meaning(act=act, topic=work.variable, addressed=to)
        if self.view.stage == "validate" and not queried and (self.view.means or self.view.checks):
            return Intended(meaning, "why_means", f"tell {to} what the answer means")
        if self.view.belief is not None and self.state.rests_on(work.variable, self.view.belief.touches):
            return Intended(meaning, "say_thinks", f"tell {to} what one thinks: {self.view.belief.thinks}")
        return Intended(meaning, "say_why", f"tell {to} why one does so: {work.why}")

    def _say_how(self, last: Message) -> Intended | None:
        to = last.speaker
        work = self._asked_about(last) or next(iter(self.view.work), None)
        if work is None:
            return None
        if self.turn.executing:
            return self._told_after_trying(work, to) or self.own(work, to, "explain_own")
        if self.view.stage == "plan" and self.state.sayable(work):
            meaning = Meaning(act=self.turn.act("answer"), topic=work.variable, plans=((work.variable, work.how),))
            return Intended(meaning, "plan", f"tell {to} how one would do it: {work.how}")
        first = next((one for one in self.view.work if self.state.sayable(one)), work)
        plans = ((first.variable, first.how),) if self.state.sayable(first) else ()
        meaning = Meaning(act=self.turn.act(*_SAID), topic=first.variable, addressed=to, plans=plans)
        return Intended(meaning, "first_way", f"tell {to} how one would begin: {first.how}")

    def _say_value(self, last: Message) -> Intended | None:
        """The peer's own value, if they have said it or somebody else has one; no result without any work."""
        to = last.speaker
        if len(last.text) > _A_LOT and not re.search(r"[?？]", last.text):
            return None  # "How many feet one step is! So we share ..." tells, and asks nothing
        wanted = reckoned(last.text)
        if wanted is not None:
            meaning = Meaning(act=self.turn.act(*_SAID), topic=last.meaning.topic, addressed=to, sums=(wanted,))
            return Intended(meaning, "say_sum", f"tell {to} what {wanted.text} is")
        if last.meaning.topic == CHOICE:
            return None
        work = self._asked_about(last)
        if work is None:
            return None
        if self.state.voiced(work.variable):
            return self.own(work, to, "own_value")
        if self.turn.executing:
            return self._told_after_trying(work, to) or self.own(work, to, "own_value")
        if to in self.state.stated(work.variable) and self.state.shown_by(to, work.variable):
            return self._compare(work, to)
        return self._later(work.variable, to)

    def _compare(self, work: Worked, to: str) -> Intended:
        """Compare the value that they have shown with the peer's own, which they ask for."""
        if self.state.alike(work.variable, self.state.stated(work.variable)[to], work.value):
            act = self.turn.act(*_SAID[1:], "answer")
            meaning = Meaning(act=act, topic=work.variable, addressed=to, claims=self.turn.claim(work), stance="agrees")
            return Intended(meaning, "take_up", f"tell {to} that one gets the same: {work.shown}")
        return self.own(work, to, "own_value")

    def _told_after_trying(self, work: Worked, to: str) -> Intended | None:
        """Ask somebody who has done nothing on a subtask without any result to try first; once."""
        state = self.state
        if state.stated(work.variable):
            return None
        missing = next((need for need in work.needs if need in state.mine and not state.stated(need)), "")
        if missing:  # what comes first would be given away with how the rest is done
            work = state.mine[missing]
        tried = any(
            one.speaker == to and one.meaning.topic == work.variable and (one.meaning.sums or one.meaning.plans)
            for one in self.view.dialogue
        )
        if tried or state.left_to(to, work.variable):
            return None
        sayable = state.sayable(work)
        plans = ((work.variable, work.how),) if sayable else ()
        act = self.turn.act("answer", "reflect")
        meaning = Meaning(act=act, topic=work.variable, addressed=to, asks=True, plans=plans)
        if sayable:
            return Intended(meaning, "hint", f"tell {to} how one would begin, without the result: {work.how}")
        return Intended(meaning, "encourage", f"encourage {to} to try, without saying how")

    def own(self, work: Worked, to: str, move: str) -> Intended:
        meaning = Meaning(
            act=self.turn.act("answer", "reflect"), topic=work.variable, addressed=to, claims=self.turn.claim(work),
            sums=self.turn.sum(work) if self.turn.executing else (),
        )  # fmt: skip
        return Intended(meaning, move, f"tell {to} what one has and how: {work.shown}, {work.how}")

    def to_consent(self, last: Message) -> Intended | None:
        """Answer "do you agree?", about their own value or about the last value that was said."""
        mine, to = self.state.mine, last.speaker
        said = [one for one in reversed(self.view.dialogue) if one.speaker != self.view.name]
        said.sort(key=lambda one: one.speaker != to)  # what they hold themselves comes first
        held = [claim for one in said for claim in one.meaning.claims if claim.about in mine]
        if held and not self.turn.executing:
            return self._look_at(to, held[0].about)
        if not held or not (self.view.stage == "execute" or last.meaning.addressed):
            return None
        one = next(one for one in said if any(claim.about in mine for claim in one.meaning.claims))
        if any(
            not self.state.alike(each.about, mine[each.about].value, each.value)
            for each in one.meaning.claims
            if each.about in mine
        ):
            return None  # what the stage is for: to speak up
        work = mine[held[0].about]
        act = self.turn.act("second_result", "reflect")
        meaning = Meaning(act=act, topic=work.variable, addressed=to, claims=self.turn.claim(work), stance="agrees")
        return Intended(meaning, "same_value", f"tell {to} that one has the same: {work.shown}")

    # --- explaining ---

    def next_task(self) -> Worked | None:
        """The subtask that comes next, or the one that was talked about last."""
        return self.state.open_tasks[0] if self.state.open_tasks else self.topic()

    def topic(self) -> Worked | None:
        """The subtask that was talked about last, or the one that comes next."""
        state = self.state
        topic = state.last.meaning.topic if state.last else ""
        if topic in state.mine:
            return state.mine[topic]
        if state.latest_topic() in state.mine:
            return state.mine[state.latest_topic()]
        return (state.open_tasks or [*self.view.work])[0] if self.view.work else None

    def help(self, to: str) -> Intended:
        """Give somebody who is lost a hint first, and the step with its result only if that did not help."""
        work = self.topic()
        open_step = work is not None and not self.state.stated(work.variable)
        if work is None or not (self.turn.executing and open_step and self.view.people):
            return self._explain(to, "explain_lost")
        helped = self.state.helped(work.variable, to)
        encourage = not helped and not self.turn.lucky("hint", self.view.fading)
        if helped > (0 if self.turn.lucky("hint", self.view.fading) else 1) or not (
            encourage or self.state.sayable(work)
        ):
            return self._explain(to, "explain_lost")
        meaning = Meaning(act=self.turn.act("answer", "reflect"), topic=work.variable, addressed=to, asks=True)
        if encourage:
            return Intended(meaning, "encourage", f"encourage {to} to try, without saying how")
        return Intended(meaning, "hint", f"tell {to} how one would begin, without the result: {work.how}")

    def _explain(self, to: str, move: str) -> Intended:
        """Explain the peer's own view, from the step that is talked about."""
        work = self.topic()
        if work is None or not self.turn.executing:
            if work is not None and self.view.stage == "plan" and self.state.sayable(work):
                plans = ((work.variable, work.how),)
                meaning = Meaning(act=self.turn.act("answer"), topic=work.variable, plans=plans)
                return Intended(meaning, "plan", f"tell {to} how one would do it: {work.how}")
            # Before anything is planned, it is about the whole question.
            topic = work.variable if work is not None and self.view.stage == "plan" else ""
            meaning = Meaning(act=self.turn.act("answer", "second"), addressed=to, topic=topic)
            return Intended(meaning, "explain_early", f"explain to {to} what it is about")
        meaning = Meaning(
            act=self.turn.act("answer", "reflect"),
            addressed=to if move == "explain_lost" or to in self.view.people else "",
            topic=work.variable,
            claims=self.turn.claim(work),
            sums=self.turn.sum(work),
        )
        return Intended(meaning, move, f"explain to {to}: {work.how}")

    def answer(self, to: str) -> Intended | None:
        """Answer a question: how the peer came by something, or that it is so."""
        last = self.state.last
        assert last is not None
        if last.meaning.topic == CHOICE and self.view.verdicts:
            return self._option_answer(last.meaning.options)
        if last.meaning.stance == "agrees" or (self.view.stage == "validate" and not last.meaning.topic):
            return None  # asked for agreement: what the stage is for gives the answer
        return self._explain(to, "explain_own")

    def _option_answer(self, options: tuple[str, ...]) -> Intended:
        verdict = next((one for one in self.view.verdicts if one.option in options), self.view.verdicts[0])
        meaning = Meaning(act=self.turn.act("answer", "reflect"), topic=CHOICE, options=(verdict.option,))
        return Intended(meaning, "fits" if verdict.right else "fits_not", f"say what one thinks of {verdict.option}")


def reckoned(text: str) -> Sum | None:
    """The one calculation that somebody asks for: "what's 4*15?"; None if there is not exactly one."""
    found = _SUM.findall(text)
    if len(found) != 1:
        return None
    left, sign, right = found[0]
    one, other, sign = Fraction(left), Fraction(right), _SIGNS.get(sign, sign)
    if sign == "/" and not other:
        return None
    result = {"+": one + other, "-": one - other, "*": one * other, "/": one / other if other else one}[sign]
    return Sum(f"{left} {'x' if sign == '*' else sign} {right}", str(result), True)
