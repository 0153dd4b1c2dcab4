"""Answers of a peer to the last message before the work of the stage: to questions, results and other matters."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from eduverse_mesa.decisions.groups import CONCERNS, SERIOUS, SORROWS, Intended, Meaning, Message, Sum, Worked
from eduverse_mesa.formulas import units_for
from eduverse_mesa.formulas.wording import alike, counts_as
from eduverse_mesa.policies.embedded.groups.argument import Arguer
from eduverse_mesa.policies.embedded.groups.gentleness import (
    GOES_ON,
    has_mathematics,
    in_trouble,
    is_about_the_problem,
    kind_word,
    move_of,
    speaks_of_the_problem,
)
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases
from eduverse_mesa.policies.embedded.groups.position import CHOICE, Clash
from eduverse_mesa.policies.embedded.groups.vocabulary import load_ear

_SAID = ("answer", "second", "reflect")
"""Acts with which something is answered, whatever the stage."""
_A_LOT = 60
"""Characters of a message that asks nothing where no question mark is in it."""
_A_WHILE = 3
"""Messages for which somebody is held to speak of the same thing."""
_SUM = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?([-+*/x×÷]) ?(\d+(?:\.\d+)?)(?![\d.]| ?[-+*/x×÷=])")
_SIGNS = {"x": "*", "×": "*", "÷": "/"}


class Answerer(Arguer):
    """A peer who is asked."""

    # --- what was worked out before its time ---

    def _take_up(self, last: Message) -> Intended | None:
        """Take up an early result: if they have shown how, it is checked and counts as done; if not, ask once."""
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
        """Answer "is that right?" before it is calculated: look at it if they have shown how, and ask them if not."""
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
        """The variable that the speaker has told a value of: one that is named now, or that was asked for before."""
        meaning, mine = last.meaning, self.standing.mine
        named = [claim.about for claim in meaning.claims if claim.about in mine]
        planned = [name for name, _ in meaning.plans if name in mine]
        about = [*named[::-1], *planned, *((meaning.topic,) if meaning.sums else ())]
        return next((one for one in about if last.speaker in self.standing.stated(one)), "")

    def _answers_to(self, to: str, about: str) -> tuple[bool, bool]:
        """Return two flags: one of the others has asked how they came by it; one of the others has taken it up."""
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
        """Answer "what now?": name the next subtask and leave it to the asker, once; else the stage goes on."""
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
        """Return True if a person only asks how it goes on: the work of the stage is the answer."""
        asks: str = load_phrases(self.view.language).at("asks_next")
        return last.speaker in self.view.people and re.search(asks, last.text.casefold()) is not None

    def _say_why(self, last: Message) -> Intended | None:
        """Say why it is not the value that was asked about, why it is done so, or what it is good for."""
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
        """The peer's own value, if they have said it or somebody else has one; no result without any work."""
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
        """Compare the value that they have shown with the peer's own, which they ask for."""
        if self.standing.alike(work.variable, self.standing.stated(work.variable)[to], work.value):
            act = self.act(*_SAID[1:], "answer")
            meaning = Meaning(act=act, topic=work.variable, addressed=to, claims=self._claim(work), stance="agrees")
            return Intended(meaning, "take_up", f"tell {to} that one gets the same: {work.shown}")
        return self._own(work, to, "own_value")

    def _told_after_trying(self, work: Worked, to: str) -> Intended | None:
        """Ask somebody who has done nothing on a subtask without any result to try first; once."""
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
        """Answer "do you agree?", about their own value or about the last value that was said."""
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


MOST_QUESTIONS = 2
"""Times in a row that somebody who is not understood is asked what was meant; then the others go on with the work."""
_TWICE = ("real", "orders", "answer", "insists")
"""Matters that are answered twice in a row; everything else once, and then the work goes on."""
_ABOUT_THE_STEP = ("answer", "unsure", "fed_up")
"""Matters that are only answered while there is a step to be done."""


class Responder(Answerer):
    """A peer who listens."""

    def _serious(self) -> Intended | None:
        """Answer a serious matter before everything else, no matter who was called."""
        last = self.standing.last
        if last is None or last.speaker == self.view.name or last.meaning.matter not in SERIOUS:
            return None
        return self._to_matter(last.meaning.matter, last.speaker)

    def _gently(self) -> Intended | None:
        """Speak kindly to somebody who has told of harm; not of the work, unless they go on with it themselves."""
        last = self.standing.last
        if last is None or not self.troubled:
            return None
        to = last.speaker if last.speaker in self.troubled else min(self.troubled)
        act = self.act("answer", "second", "reflect")
        of_people = load_ear(self.view.language).hears("of_people", last.text.casefold())
        follows = speaks_of_the_problem(self.view.dialogue, to) and (not of_people or is_about_the_problem(last))
        if last.speaker == to and follows:
            return self._mildly(last, act)
        matter = last.meaning.matter
        if last.speaker == to and matter in (*CONCERNS, *SORROWS):
            return kind_word(to, act, move_of(matter))
        return kind_word(to, act)

    def _mildly(self, last: Message, act: str) -> Intended:
        """Answer words about the problem of somebody who has told of harm; nothing is asked of them."""
        meaning, to = last.meaning, last.speaker
        wanted = reckoned(self._in_signs(last.text)) if meaning.asks and not meaning.claims else None
        if wanted is not None:
            found = Meaning(act=act, topic=meaning.topic, addressed=to, sums=(wanted,))
            return Intended(found, "sum_gently", f"tell {to} what {wanted.text} is")
        theirs = [one.meaning for one in self.view.dialogue if one.speaker == to and one.meaning.claims]
        before = theirs[-1].claims if theirs and meaning.seeks else ()
        spoken = [one for one in (*before, *meaning.claims, *meaning.queried) if one.about in self.standing.mine]
        if spoken:
            work = self.standing.mine[spoken[-1].about]
            same = self.standing.alike(work.variable, spoken[-1].value, work.value)
            if not (same or meaning.asks or meaning.seeks):
                return Intended(Meaning(act=act, addressed=to), "note_gently", f"tell {to} that one has noted it")
            found = Meaning(act=act, topic=work.variable, addressed=to, claims=self._claim(work))
            found = msgspec.structs.replace(found, stance="agrees") if same else found
            told = f"tell {to} in a friendly way what one has: {work.shown}"
            return Intended(found, "same_gently" if same else "own_gently", told)
        topic = self._topic()
        if topic is not None and (meaning.lost or meaning.question in ("why", "how")):
            return self._own(topic, to, "explain_gently")
        asks = meaning.matter in (GOES_ON, "next") or meaning.asks or meaning.stance == "agrees"
        if not asks:
            return Intended(Meaning(act=act, addressed=to), "note_gently", f"tell {to} that one has noted it")
        if not self.standing.open_tasks:
            found = Meaning(act=act, addressed=to, stance="agrees")
            return Intended(found, "done_gently", f"tell {to} the answer as one has it")
        first = self.standing.open_tasks[0]
        found = Meaning(act=act, topic=first.variable, addressed=to)
        return Intended(found, "next_gently", f"say what one would do: {first.how}")

    def _in_signs(self, text: str) -> str:
        """A text with its numbers in digits, and "divided by" as a sign."""
        return load_ear(self.view.language).plain(text, units_for(self.view.sheet.nouns))

    @property
    def troubled(self) -> frozenset[str]:
        """The people who have told of harm here."""
        return in_trouble(self.view.dialogue, self.view.people, self.view.cleared)

    def _respond(self) -> Intended | None:
        last = self.standing.last
        if last is None or last.speaker == self.view.name or last.meaning.addressed not in ("", self.view.name):
            return None
        return self._to_words(last) or self._to_work(last)

    def _to_words(self, last: Message) -> Intended | None:
        """Answer words that come before the work: other matters, and speakers who are not understood or lost."""
        meaning, to = last.meaning, last.speaker
        if meaning.matter:
            return self._to_matter(meaning.matter, to)
        if meaning.retracts and not (meaning.claims or meaning.chosen):
            return self._forget(to)
        if not meaning.clear:
            return self._not_understood(last)
        if meaning.off_topic:
            return self._back(to)
        if meaning.lost and meaning.question and to in self.view.people:
            found = self._to_question(last)
            if found is not None:
                return found
        return self._help(to) if meaning.lost else None

    def _to_work(self, last: Message) -> Intended | None:
        meaning, to = last.meaning, last.speaker
        if self._goes_on(last) and not (meaning.matter or meaning.claims or meaning.queried):
            return self._say_next(last)
        if to in self.view.people and meaning.question and not meaning.matter and not self.standing.restates(last):
            found = self._to_question(last)
            if found is not None:
                return found
        found = self._to_person(last) if to in self.view.people and not meaning.matter else None
        if found is None and to in self.view.people and meaning.seeks:
            found = self._to_consent(last)
        if found is not None or (meaning.seeks and self.executing):
            return found  # who asks for agreement gets what the stage is for: to agree, or to contradict
        if (
            meaning.asks
            and self.view.stage in ("plan", "execute", "validate")
            and not (meaning.claims or meaning.matter)
        ):
            return self._answer(to)
        return None

    # --- what has nothing to do with the stage ---

    def _to_matter(self, matter: str, to: str) -> Intended | None:
        """Truthful and kind; what is serious goes to a grown-up, and nothing is made of it here."""
        if matter not in (*SERIOUS, *SORROWS, *CONCERNS[1:]) and self._in_a_row(to, matter) > 1 + (matter in _TWICE):
            return None  # it was answered; the work goes on
        work = self.standing.open_tasks[0] if self.standing.open_tasks else None
        if matter in _ABOUT_THE_STEP and work is None:
            return None
        # Who comes is told what is asked; anybody else, what comes next.
        topic = work.variable if work is not None and matter != "hello" else ""
        act = self.act("invite", "clarify", "reflect", "divide")
        asks = matter not in (*SERIOUS, *CONCERNS, *SORROWS, "bye", "hello", "away") or matter == "real"
        meaning = Meaning(act=act, topic=topic, addressed=to, asks=asks)
        early = matter == "fed_up" and self.view.stage in ("understand", "organise")
        move = f"to_{matter}_early" if early else f"to_{matter}"
        return Intended(meaning, move, _SAYS[matter].format(to=to))

    def _in_a_row(self, to: str, matter: str) -> int:
        """Count the last messages of somebody that raise the same matter."""
        count = 0
        for one in reversed([one for one in self.view.dialogue if one.speaker == to]):
            if one.meaning.matter != matter:
                break
            count += 1
        return count

    def _forget(self, to: str) -> Intended:
        """Leave alone what somebody has taken back."""
        work = self._next() if self.executing else None
        topic = work.variable if work is not None else ""
        meaning = Meaning(act=self.act("invite", "clarify", "reflect", "divide"), topic=topic, addressed=to)
        return Intended(meaning, "forget_it", f"tell {to} in a friendly way that what was taken back does not count")

    def _back(self, to: str) -> Intended:
        work = self._next()
        topic = work.variable if work is not None else ""
        back = Meaning(act=self.act("invite", "clarify", "reflect", "divide"), topic=topic, addressed=to, asks=True)
        return Intended(back, "back_to_work", f"bring {to} back to the problem in a friendly way")

    def _not_understood(self, last: Message) -> Intended | None:
        """Ask somebody who is not understood what was meant: for numbers only if the message has mathematics in it."""
        to = last.speaker
        theirs = [one for one in self.view.dialogue if one.speaker == to][-MOST_QUESTIONS - 1 :]
        if len(theirs) > MOST_QUESTIONS and not any(one.meaning.clear for one in theirs):
            return None
        counts = has_mathematics(last)
        work = self._next() if self.executing and counts else None
        topic = work.variable if work is not None else ""
        asked = Meaning(act=self.act("clarify", "reflect", "divide"), topic=topic, addressed=to, asks=True)
        if not counts:
            intent = f"tell {to} kindly that one did not understand; {to} may say more, or they go on"
            return Intended(asked, "not_understood", intent)
        intent = f"tell {to} that one did not understand, and ask something that can be answered"
        return Intended(asked, "ask_instead" if topic else "not_followed", intent)

    # --- what a person says about the work ---

    def _to_person(self, last: Message) -> Intended | None:
        meaning, to = last.meaning, last.speaker
        if self.executing:
            return (
                self._to_given(last)
                or self._to_spoken(last)
                or self._to_change(last)
                or self._to_which(last)
                or self._to_refusal(last)
                or self._to_way(last)
                or self._to_taking(last)
            )
        found = self._take_up(last)
        if found is not None:
            return found
        if meaning.stance == "disagrees" and not (meaning.plans or meaning.cues or meaning.sums):
            return self._once("see_otherwise", self._at_hand(), to, f"ask {to} how it should be instead")
        return None

    def _at_hand(self) -> str:
        work = self._next()
        return work.variable if work is not None else ""

    def _to_given(self, last: Message) -> Intended | None:
        """Agree with somebody who corrects a number of the statement that the peer has read as well."""
        claims = last.meaning.claims
        written = {given.variable: given.value for given in self.view.sheet.givens}
        if last.meaning.stance != "disagrees" or not claims or not all(one.about in written for one in claims):
            return None
        if not all(counts_as(one.value, written[one.about]) for one in claims) or self.standing.clashes():
            return None
        found = Meaning(act=self.act("second", "reflect"), addressed=last.speaker, stance="agrees")
        return Intended(found, "given_too", f"tell {last.speaker} that one has read it like that, too")

    def _to_spoken(self, last: Message) -> Intended | None:
        """Believe somebody who denies having said a value, and hear somebody who says what it cannot be."""
        meaning, to = last.meaning, last.speaker
        if meaning.claims or meaning.asks:
            return None
        if meaning.queried and meaning.stance == "disagrees":
            found = Meaning(act=self.act("answer", "reflect"), topic=meaning.queried[0].about, addressed=to)
            return Intended(found, "mixed_up", f"tell {to} that it was not them who said it")
        for one in meaning.refuted:
            work = self.standing.mine.get(one.about)
            if work is None or meaning.cues:
                continue
            if self.standing.alike(one.about, work.value, one.value):
                return self._own(work, to, "explain_own")
            found = Meaning(act=self.act("second", "reflect"), topic=one.about, addressed=to, stance="agrees")
            return Intended(found, "agrees_not", f"agree with {to} that it cannot be that")
        return None

    def _to_change(self, last: Message) -> Intended | None:
        """Ask somebody who had another value before what has changed, if no reason was given."""
        meaning, to = last.meaning, last.speaker
        if meaning.cues or meaning.sums or meaning.stance == "agrees" or meaning.asks:
            return None  # who asks about a value does not say that it is one's own
        for claim in meaning.claims:
            work = self.standing.mine.get(claim.about)
            before = self.standing.said_before(to, claim.about)
            if work is None or not before or self.standing.alike(claim.about, before, claim.value):
                continue
            if self.standing.alike(claim.about, work.value, claim.value):
                found = Meaning(act=self.act("second", "reflect"), topic=claim.about, addressed=to, stance="agrees")
                return Intended(found, "same_now", f"tell {to} that it is the same now")
            if self.standing.alike(claim.about, work.value, before):
                return self._once("what_changed", claim.about, to, f"ask {to} why it is another value now")
        return None

    def _to_which(self, last: Message) -> Intended | None:
        """Ask about a number of an unknown variable; a calculation that comes out is not doubted with it."""
        claims, to = last.meaning.claims, last.speaker
        if not claims or any(claim.about for claim in claims):
            return None
        shown = [one for one in last.meaning.sums if one.holds and alike(one.result, claims[0].value)]
        if shown:
            told = f"tell {to} that {shown[0].text} is right, and ask what it says"
            found = self._once("which_sum", self._at_hand(), to, told)
            if found is not None:
                signs = msgspec.structs.replace(shown[0], text=shown[0].text.replace("*", "x"))
                meaning = msgspec.structs.replace(found.meaning, sums=(signs,))
                return msgspec.structs.replace(found, meaning=meaning)
        return self._once("which_number", self._at_hand(), last.speaker, f"ask {last.speaker} what the number is")

    def _to_refusal(self, last: Message) -> Intended | None:
        """Ask somebody who only says that it is wrong for the reason; no more comes of it."""
        meaning = last.meaning
        if meaning.stance != "disagrees" or meaning.claims or meaning.sums or meaning.cues or meaning.chosen:
            return None
        if meaning.plans:
            return None
        work = self._topic()
        topic = work.variable if work is not None else ""
        return self._once("ask_why", topic, last.speaker, f"ask {last.speaker} what is wrong about it")

    def _to_way(self, last: Message) -> Intended | None:
        """Ask somebody who says how, but not the result, for the result."""
        meaning = last.meaning
        if not meaning.plans or meaning.claims or meaning.cues or meaning.asks:
            return None
        topic = meaning.plans[0][0]
        return self._once("try_way", topic, last.speaker, f"ask {last.speaker} what comes out of it")

    def _to_taking(self, last: Message) -> Intended | None:
        """Let somebody who says "ok" to a subtask that was handed on do it, and wait for it."""
        asked = self.standing.asked_of(last.speaker)
        meaning = last.meaning
        takes = bool(meaning.takes) or meaning.stance == "agrees"
        if asked is None or not takes or meaning.claims or meaning.chosen or not asked.meaning.topic:
            return None
        topic = asked.meaning.topic
        if self.standing.stated(topic) or not asked.meaning.act.startswith("agree_result"):
            return None
        if self.standing.left_to(last.speaker, topic) > MOST_QUESTIONS - 1:
            return None  # they have said twice that they will
        found = Meaning(act=self.act("agree_result"), topic=asked.meaning.topic, addressed=last.speaker, asks=True)
        return Intended(found, "go_ahead", f"let {last.speaker} do it, and wait for what comes out")

    # --- explaining ---

    def _next(self) -> Worked | None:
        """The subtask that comes next, or the one that was talked about last."""
        return self.standing.open_tasks[0] if self.standing.open_tasks else self._topic()

    def _topic(self) -> Worked | None:
        """The subtask that was talked about last, or the one that comes next."""
        standing = self.standing
        topic = standing.last.meaning.topic if standing.last else ""
        if topic in standing.mine:
            return standing.mine[topic]
        if standing.latest_topic() in standing.mine:
            return standing.mine[standing.latest_topic()]
        return (standing.open_tasks or [*self.view.work])[0] if self.view.work else None

    def _help(self, to: str) -> Intended:
        """Give somebody who is lost a hint first, and the step with its result only if that did not help."""
        work = self._topic()
        open_step = work is not None and not self.standing.stated(work.variable)
        if work is None or not (self.executing and open_step and self.view.people):
            return self._explain(to, "explain_lost")
        helped = self.standing.helped(work.variable, to)
        encourage = not helped and not self.lucky("hint", self.view.fading)
        if helped > (0 if self.lucky("hint", self.view.fading) else 1) or not (
            encourage or self.standing.sayable(work)
        ):
            return self._explain(to, "explain_lost")
        meaning = Meaning(act=self.act("answer", "reflect"), topic=work.variable, addressed=to, asks=True)
        if encourage:
            return Intended(meaning, "encourage", f"encourage {to} to try, without saying how")
        return Intended(meaning, "hint", f"tell {to} how one would begin, without the result: {work.how}")

    def _explain(self, to: str, move: str) -> Intended:
        """Explain the peer's own view, from the step that is talked about."""
        work = self._topic()
        if work is None or not self.executing:
            if work is not None and self.view.stage == "plan" and self.standing.sayable(work):
                plans = ((work.variable, work.how),)
                meaning = Meaning(act=self.act("answer"), topic=work.variable, plans=plans)
                return Intended(meaning, "plan", f"tell {to} how one would do it: {work.how}")
            # Before anything is planned, it is about the whole question.
            topic = work.variable if work is not None and self.view.stage == "plan" else ""
            meaning = Meaning(act=self.act("answer", "second"), addressed=to, topic=topic)
            return Intended(meaning, "explain_early", f"explain to {to} what it is about")
        meaning = Meaning(
            act=self.act("answer", "reflect"),
            addressed=to if move == "explain_lost" or to in self.view.people else "",
            topic=work.variable,
            claims=self._claim(work),
            sums=self._sum(work),
        )
        return Intended(meaning, move, f"explain to {to}: {work.how}")

    def _answer(self, to: str) -> Intended | None:
        """Answer a question: how the peer came by something, or that it is so."""
        last = self.standing.last
        assert last is not None
        if last.meaning.topic == CHOICE and self.view.verdicts:
            return self._option_answer(last.meaning.options)
        if last.meaning.stance == "agrees" or (self.view.stage == "validate" and not last.meaning.topic):
            return None  # asked for agreement: what the stage is for gives the answer
        return self._explain(to, "explain_own")

    def _option_answer(self, options: tuple[str, ...]) -> Intended:
        verdict = next((one for one in self.view.verdicts if one.option in options), self.view.verdicts[0])
        meaning = Meaning(act=self.act("answer", "reflect"), topic=CHOICE, options=(verdict.option,))
        return Intended(meaning, "fits" if verdict.right else "fits_not", f"say what one thinks of {verdict.option}")


_SAYS = {
    "harm": "tell {to} kindly that this is serious, and to talk to the teacher or another grown-up about it now",
    "private": "ask {to} kindly to keep what is private out of the chat, and give and ask for nothing private",
    "rude": "ask {to} to stay friendly, without being rude",
    "real": "tell {to} truthfully that one is a virtual classmate, a program, and go on",
    "loss": "tell {to} that one is sorry, and that there is time",
    "lonely": "tell {to} kindly that one is glad to work with them, and that one listens",
    "belittles": "tell {to} kindly that they are not stupid",
    "upset": "tell {to} that one is sorry that they feel like that",
    "reads": "tell {to} truthfully who can read this: their teacher",
    "tells": "tell {to} truthfully that nobody here tells their family, and that their teacher can read it",
    "person": "tell {to} whom they can talk to, and that one is a program",
    "angry": "tell {to} that nobody is angry with them",
    "orders": "tell {to} that one is only here for the problem, and go on",
    "answer": "tell {to} that it has to be worked out together, and ask for the next bit",
    "insists": "tell {to} that this is no reason, and ask for one",
    "bye": "say goodbye to {to}",
    "hello": "greet {to}, and go on",
    "fed_up": "say something kind to {to} who has had enough, and propose one small bit",
    "unsure": "give {to} time, and ask something small",
    "away": "tell {to} kindly that one waits, or that the others go on till then",
    "done": "ask {to} what came out, and how",
}
"""The intent of the answer to each matter, in words."""
