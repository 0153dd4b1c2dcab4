"""Responses of a peer to the last message before the work of the stage: to matters, results, refusals and ways."""

from __future__ import annotations

import msgspec

from eduverse_mesa.decisions.groups import (
    CONCERNS,
    SERIOUS,
    SORROWS,
    Intended,
    Meaning,
    Message,
)
from eduverse_mesa.formulas import units_for
from eduverse_mesa.formulas.wording import alike, counts_as
from eduverse_mesa.policies.embedded.groups.explanation import Explanation, reckoned
from eduverse_mesa.policies.embedded.groups.gentleness import (
    GOES_ON,
    has_mathematics,
    in_trouble,
    is_about_the_problem,
    kind_word,
    move_of,
    speaks_of_the_problem,
)
from eduverse_mesa.policies.embedded.groups.turn import Turn
from eduverse_mesa.policies.embedded.groups.vocabulary import load_ear

MOST_QUESTIONS = 2
"""Times in a row that somebody who is not understood is asked what was meant; then the others go on with the work."""
_TWICE = ("real", "orders", "answer", "insists")
"""Matters that are answered twice in a row; everything else once, and then the work goes on."""
_ABOUT_THE_STEP = ("answer", "unsure", "fed_up")
"""Matters that are only answered while there is a step to be done."""


class Response:
    """Responses to what was said last."""

    def __init__(self, turn: Turn, explanation: Explanation) -> None:
        self.turn = turn
        self.view = turn.view
        self.state = turn.state
        self.explanation = explanation

    def serious(self) -> Intended | None:
        """Answer a serious matter before everything else, no matter who was called."""
        last = self.state.last
        if last is None or last.speaker == self.view.name or last.meaning.matter not in SERIOUS:
            return None
        return self._to_matter(last.meaning.matter, last.speaker)

    def gently(self) -> Intended | None:
        """Speak kindly to somebody who has told of harm; not of the work, unless they go on with it themselves."""
        last = self.state.last
        if last is None or not self.troubled:
            return None
        to = last.speaker if last.speaker in self.troubled else min(self.troubled)
        act = self.turn.act("answer", "second", "reflect")
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
        spoken = [one for one in (*before, *meaning.claims, *meaning.queried) if one.about in self.state.mine]
        if spoken:
            work = self.state.mine[spoken[-1].about]
            same = self.state.alike(work.variable, spoken[-1].value, work.value)
            if not (same or meaning.asks or meaning.seeks):
                return Intended(Meaning(act=act, addressed=to), "note_gently", f"tell {to} that one has noted it")
            found = Meaning(act=act, topic=work.variable, addressed=to, claims=self.turn.claim(work))
            found = msgspec.structs.replace(found, stance="agrees") if same else found
            told = f"tell {to} in a friendly way what one has: {work.shown}"
            return Intended(found, "same_gently" if same else "own_gently", told)
        topic = self.explanation.topic()
        if topic is not None and (meaning.lost or meaning.question in ("why", "how")):
            return self.explanation.own(topic, to, "explain_gently")
        asks = meaning.matter in (GOES_ON, "next") or meaning.asks or meaning.stance == "agrees"
        if not asks:
            return Intended(Meaning(act=act, addressed=to), "note_gently", f"tell {to} that one has noted it")
        if not self.state.open_tasks:
            found = Meaning(act=act, addressed=to, stance="agrees")
            return Intended(found, "done_gently", f"tell {to} the answer as one has it")
        first = self.state.open_tasks[0]
        found = Meaning(act=act, topic=first.variable, addressed=to)
        return Intended(found, "next_gently", f"say what one would do: {first.how}")

    def _in_signs(self, text: str) -> str:
        """A text with its numbers in digits, and "divided by" as a sign."""
        return load_ear(self.view.language).plain(text, units_for(self.view.sheet.nouns))

    @property
    def troubled(self) -> frozenset[str]:
        """The people who have told of harm here."""
        return in_trouble(self.view.dialogue, self.view.people, self.view.cleared)

    def respond(self) -> Intended | None:
        last = self.state.last
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
            found = self.explanation.to_question(last)
            if found is not None:
                return found
        return self.explanation.help(to) if meaning.lost else None

    def _to_work(self, last: Message) -> Intended | None:
        meaning, to = last.meaning, last.speaker
        if self.explanation.goes_on(last) and not (meaning.matter or meaning.claims or meaning.queried):
            return self.explanation.say_next(last)
        if to in self.view.people and meaning.question and not meaning.matter and not self.state.restates(last):
            found = self.explanation.to_question(last)
            if found is not None:
                return found
        found = self._to_person(last) if to in self.view.people and not meaning.matter else None
        if found is None and to in self.view.people and meaning.seeks:
            found = self.explanation.to_consent(last)
        if found is not None or (meaning.seeks and self.turn.executing):
            return found  # who asks for agreement gets what the stage is for: to agree, or to contradict
        if (
            meaning.asks
            and self.view.stage in ("plan", "execute", "validate")
            and not (meaning.claims or meaning.matter)
        ):
            return self.explanation.answer(to)
        return None

    # --- what has nothing to do with the stage ---

    def _to_matter(self, matter: str, to: str) -> Intended | None:
        """Truthful and kind; what is serious goes to a grown-up, and nothing is made of it here."""
        if matter not in (*SERIOUS, *SORROWS, *CONCERNS[1:]) and self._in_a_row(to, matter) > 1 + (matter in _TWICE):
            return None  # it was answered; the work goes on
        work = self.state.open_tasks[0] if self.state.open_tasks else None
        if matter in _ABOUT_THE_STEP and work is None:
            return None
        # Who comes is told what is asked; anybody else, what comes next.
        topic = work.variable if work is not None and matter != "hello" else ""
        act = self.turn.act("invite", "clarify", "reflect", "divide")
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
        work = self.explanation.next_task() if self.turn.executing else None
        topic = work.variable if work is not None else ""
        meaning = Meaning(act=self.turn.act("invite", "clarify", "reflect", "divide"), topic=topic, addressed=to)
        return Intended(meaning, "forget_it", f"tell {to} in a friendly way that what was taken back does not count")

    def _back(self, to: str) -> Intended:
        work = self.explanation.next_task()
        topic = work.variable if work is not None else ""
        back = Meaning(
            act=self.turn.act("invite", "clarify", "reflect", "divide"), topic=topic, addressed=to, asks=True
        )
        return Intended(back, "back_to_work", f"bring {to} back to the problem in a friendly way")

    def _not_understood(self, last: Message) -> Intended | None:
        """Ask somebody who is not understood what was meant: for numbers only if the message has mathematics in it."""
        to = last.speaker
        theirs = [one for one in self.view.dialogue if one.speaker == to][-MOST_QUESTIONS - 1 :]
        if len(theirs) > MOST_QUESTIONS and not any(one.meaning.clear for one in theirs):
            return None
        counts = has_mathematics(last)
        work = self.explanation.next_task() if self.turn.executing and counts else None
        topic = work.variable if work is not None else ""
        asked = Meaning(act=self.turn.act("clarify", "reflect", "divide"), topic=topic, addressed=to, asks=True)
        if not counts:
            intent = f"tell {to} kindly that one did not understand; {to} may say more, or they go on"
            return Intended(asked, "not_understood", intent)
        intent = f"tell {to} that one did not understand, and ask something that can be answered"
        return Intended(asked, "ask_instead" if topic else "not_followed", intent)

    # --- what a person says about the work ---

    def _to_person(self, last: Message) -> Intended | None:
        meaning, to = last.meaning, last.speaker
        if self.turn.executing:
            return (
                self._to_given(last)
                or self._to_spoken(last)
                or self._to_change(last)
                or self._to_which(last)
                or self._to_refusal(last)
                or self._to_way(last)
                or self._to_taking(last)
            )
        found = self.explanation.take_up(last)
        if found is not None:
            return found
        if meaning.stance == "disagrees" and not (meaning.plans or meaning.cues or meaning.sums):
            return self.explanation.once("see_otherwise", self._at_hand(), to, f"ask {to} how it should be instead")
        return None

    def _at_hand(self) -> str:
        work = self.explanation.next_task()
        return work.variable if work is not None else ""

    def _to_given(self, last: Message) -> Intended | None:
        """Agree with somebody who corrects a number of the statement that the peer has read as well."""
        claims = last.meaning.claims
        written = {given.variable: given.value for given in self.view.sheet.givens}
        if last.meaning.stance != "disagrees" or not claims or not all(one.about in written for one in claims):
            return None
        if not all(counts_as(one.value, written[one.about]) for one in claims) or self.state.clashes():
            return None
        found = Meaning(act=self.turn.act("second", "reflect"), addressed=last.speaker, stance="agrees")
        return Intended(found, "given_too", f"tell {last.speaker} that one has read it like that, too")

    def _to_spoken(self, last: Message) -> Intended | None:
        """Believe somebody who denies having said a value, and hear somebody who says what it cannot be."""
        meaning, to = last.meaning, last.speaker
        if meaning.claims or meaning.asks:
            return None
        if meaning.queried and meaning.stance == "disagrees":
            found = Meaning(act=self.turn.act("answer", "reflect"), topic=meaning.queried[0].about, addressed=to)
            return Intended(found, "mixed_up", f"tell {to} that it was not them who said it")
        for one in meaning.refuted:
            work = self.state.mine.get(one.about)
            if work is None or meaning.cues:
                continue
            if self.state.alike(one.about, work.value, one.value):
                return self.explanation.own(work, to, "explain_own")
            found = Meaning(act=self.turn.act("second", "reflect"), topic=one.about, addressed=to, stance="agrees")
            return Intended(found, "agrees_not", f"agree with {to} that it cannot be that")
        return None

    def _to_change(self, last: Message) -> Intended | None:
        """Ask somebody who had another value before what has changed, if no reason was given."""
        meaning, to = last.meaning, last.speaker
        if meaning.cues or meaning.sums or meaning.stance == "agrees" or meaning.asks:
            return None  # who asks about a value does not say that it is one's own
        for claim in meaning.claims:
            work = self.state.mine.get(claim.about)
            before = self.state.said_before(to, claim.about)
            if work is None or not before or self.state.alike(claim.about, before, claim.value):
                continue
            if self.state.alike(claim.about, work.value, claim.value):
                found = Meaning(
                    act=self.turn.act("second", "reflect"), topic=claim.about, addressed=to, stance="agrees"
                )
                return Intended(found, "same_now", f"tell {to} that it is the same now")
            if self.state.alike(claim.about, work.value, before):
                return self.explanation.once("what_changed", claim.about, to, f"ask {to} why it is another value now")
        return None

    def _to_which(self, last: Message) -> Intended | None:
        """Ask about a number of an unknown variable; a calculation that comes out is not doubted with it."""
        claims, to = last.meaning.claims, last.speaker
        if not claims or any(claim.about for claim in claims):
            return None
        shown = [one for one in last.meaning.sums if one.holds and alike(one.result, claims[0].value)]
        if shown:
            told = f"tell {to} that {shown[0].text} is right, and ask what it says"
            found = self.explanation.once("which_sum", self._at_hand(), to, told)
            if found is not None:
                signs = msgspec.structs.replace(shown[0], text=shown[0].text.replace("*", "x"))
                meaning = msgspec.structs.replace(found.meaning, sums=(signs,))
                return msgspec.structs.replace(found, meaning=meaning)
        return self.explanation.once(
            "which_number", self._at_hand(), last.speaker, f"ask {last.speaker} what the number is"
        )

    def _to_refusal(self, last: Message) -> Intended | None:
        """Ask somebody who only says that it is wrong for the reason; no more comes of it."""
        meaning = last.meaning
        if meaning.stance != "disagrees" or meaning.claims or meaning.sums or meaning.cues or meaning.chosen:
            return None
        if meaning.plans:
            return None
        work = self.explanation.topic()
        topic = work.variable if work is not None else ""
        return self.explanation.once("ask_why", topic, last.speaker, f"ask {last.speaker} what is wrong about it")

    def _to_way(self, last: Message) -> Intended | None:
        """Ask somebody who says how, but not the result, for the result."""
        meaning = last.meaning
        if not meaning.plans or meaning.claims or meaning.cues or meaning.asks:
            return None
        topic = meaning.plans[0][0]
        return self.explanation.once("try_way", topic, last.speaker, f"ask {last.speaker} what comes out of it")

    def _to_taking(self, last: Message) -> Intended | None:
        """Let somebody who says "ok" to a subtask that was handed on do it, and wait for it."""
        asked = self.state.asked_of(last.speaker)
        meaning = last.meaning
        takes = bool(meaning.takes) or meaning.stance == "agrees"
        if asked is None or not takes or meaning.claims or meaning.chosen or not asked.meaning.topic:
            return None
        topic = asked.meaning.topic
        if self.state.stated(topic) or not asked.meaning.act.startswith("agree_result"):
            return None
        if self.state.left_to(last.speaker, topic) > MOST_QUESTIONS - 1:
            return None  # they have said twice that they will
        found = Meaning(act=self.turn.act("agree_result"), topic=asked.meaning.topic, addressed=last.speaker, asks=True)
        return Intended(found, "go_ahead", f"let {last.speaker} do it, and wait for what comes out")


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
