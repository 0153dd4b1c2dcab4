"""What a person has written, as far as rules can read it; where they cannot, the peers ask instead of guessing."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from eduverse_mesa.decisions.collaboration import Sheet, Task, Understand, Understood
from eduverse_mesa.decisions.meanings import CONCERNS, SERIOUS, Claim, Meaning, Sum, sentences_of
from eduverse_mesa.formulas import Units, units_for
from eduverse_mesa.formulas.comparing import amount_of
from eduverse_mesa.hearing.lookout import is_sure, tells_of_harm, unmasked
from eduverse_mesa.marks import share_said
from eduverse_mesa.policies.embedded.collaboration.agreeing import stance_of
from eduverse_mesa.policies.embedded.collaboration.choosing import Chooser
from eduverse_mesa.policies.embedded.collaboration.claiming import Claimer, Spoken, spoken_of, strange
from eduverse_mesa.policies.embedded.collaboration.hearing import backed, called, load_ear
from eduverse_mesa.policies.embedded.collaboration.notation import straight
from eduverse_mesa.policies.embedded.collaboration.questioning import Question, question_of, stated
from eduverse_mesa.policies.embedded.collaboration.standing import CHOICE

Plans = tuple[tuple[str, str], ...]
_LONG_WORD = 4
_UNFINISHED = re.compile(r"\d[^\d.,;!?]{0,6} [-+*/] [$(]*\d")
"""A calculation of which it is not said what comes out."""


def understand(decision: Understand) -> Understood:
    """Read a message."""
    return Understood(Reader(decision).read())


class Reader:
    """One message, looked at from all sides."""

    def __init__(self, decision: Understand) -> None:
        self.decision = decision
        self.sheet: Sheet = decision.sheet
        self.ear = load_ear(decision.language)
        self.units: Units = units_for(decision.sheet.nouns)
        self.original = straight(decision.text, self.units.spellings())
        self.text = self.ear.plain(self.original, self.units)
        self.others = [name for name in decision.members if name != decision.speaker]

    def read(self) -> Meaning:
        """Everything that is found, with the act that it is in this stage."""
        matter = self._matter()
        if matter in SERIOUS:  # nothing else in such a message is read: it agrees with nothing, and claims nothing
            return Meaning(
                addressed=called(self.ear, self.text, self.others, self._table()), topic=self._latest(), matter=matter
            )
        ear, text = self.ear, self.text
        shown = ear.numbers.sums(text, self.units)
        options, chosen = Chooser(self.decision, ear, self.original, text).options()
        topics = spoken_of(self.sheet, self.text, self.original)
        claimer = Claimer(self.decision, ear, self.units, text, topics, options)
        spoken = claimer.spoken(shown)
        question = self._question()
        claims = self._placed(spoken.claims) if question.kind != "word" else ()
        offers = ear.hears("takes", text) and ear.hears("offers", text)
        asks = (ear.hears("asks", text) or question.kind in _OPEN) and not offers
        lost = ear.hears("lost", text) and not (claims and ear.hears("guess", text))
        takes = tuple(self._whose(topics)) if ear.hears("takes", text) and not asks else ()
        given = {one.variable for one in self.sheet.givens}
        results = any(claim.about not in given for claim in claims)
        plans = self._plans(topics, claimer) if not results and not (asks and question.kind) else ()
        reasons = () if lost else self.decision.marks
        statement = stated(ear, self.original) if asks else self.original
        cues = tuple(name for name, marks in reasons if share_said(marks, statement) >= 1.0)
        found = Meaning(
            addressed=called(ear, text, self.others, self._table()),
            topic=self._topic(topics, (*claims, *spoken.queried, *spoken.refuted), bool(options), plans),
            claims=claims,
            sums=(*(one.sum for one in shown), *_beside(claims, claimer)),
            stance="" if lost else self._stance(spoken, question.kind),
            asks=asks,
            question=question.kind if asks else "",
            word=question.word,
            seeks=ear.hears("seeks", text) and not claims,
            lost=lost,
            cues=cues,
            options=options,
            chosen=chosen,
            takes=takes,
            plans=plans,
            queried=spoken.queried,
            refuted=spoken.refuted,
            backs=backed(ear, text, self.others),
            matter=matter,
            stuck=ear.hears("stuck", text),
            retracts=ear.hears("retracts", text) or ear.hears("ends_in_joke", text),
        )
        if ear.hears("ends_in_joke", text):  # "1200 jk"
            found = msgspec.structs.replace(found, claims=(), chosen=(), sums=(), plans=(), stance="")
        return self._finished(found, bool(topics))

    def _matter(self) -> str:
        """What is raised besides the problem, the gravest in whatever spelling it stands: as it was typed, with digits
        for letters, or letter by letter."""
        gently = self.decision.gently
        plain = self.ear.matter(self.text, gently=gently)
        # "will he tell my mum", of somebody who has told of harm already, is answered; an alert it is all the same.
        if tells_of_harm(self.original) and not (gently and plain in CONCERNS and not is_sure(self.original)):
            return "harm"
        typed = " ".join(self.original.casefold().split())
        found = (plain, self.ear.matter(typed), self.ear.matter(unmasked(typed)))
        return next((kind for kind in (*SERIOUS, "rude") if kind in found), plain)

    def _finished(self, found: Meaning, on_task: bool) -> Meaning:
        """The same with its act; and whether it was understood at all."""
        said = found.claims or found.sums or found.stance or found.lost or found.options or found.takes or found.plans
        said = said or found.queried or found.refuted
        matter = "" if (found.claims or found.sums or found.cues) and found.matter in _BESIDE else found.matter
        known = bool(said or found.retracts or matter or found.cues or on_task or self._about_problem())
        joke = self.ear.hears("jokes", self.text) and not self._is_likely(found.claims)
        found = msgspec.structs.replace(found, claims=()) if joke else found
        off = joke or (not (found.claims or found.sums or on_task or matter) and self.ear.hears("off_topic", self.text))
        friendly = self.ear.hears("greeting", self.text) or self.ear.hears("hands_back", self.text)
        clear = known or off or friendly or not strange(self.text) or (found.asks and bool(self.text))
        act = "" if off or matter or not clear else self._act(found)
        return msgspec.structs.replace(found, act=act, off_topic=off, clear=clear, matter=matter)

    def _placed(self, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """The claims, each with the sentence in which its number stands."""
        spellings = self.units.spellings()
        every = [self.ear.plain(straight(one, spellings), self.units) for one in sentences_of(self.decision.text)]
        if len(every) < 2 or not claims:
            return claims
        said = [{each.quantity.value for each in self.ear.numbers.quantities(one, self.units)} for one in every]
        return tuple(
            msgspec.structs.replace(claim, sentence=_last_with(amount_of(claim.value), said)) for claim in claims
        )

    def _stance(self, spoken: Spoken, question: str) -> str:
        """Who only refutes contradicts; who asks why has not agreed, whatever yes it begins with."""
        found = stance_of(self.ear, self.text)
        if not spoken.claims and found != "disagrees" and (spoken.refuted or question in _OPEN):
            return "disagrees" if spoken.refuted else ""
        return found

    def _question(self) -> Question:
        """What is asked for; the words for a subtask are asked for what comes out, and not for what they mean."""
        found = question_of(self.ear, self.text, self.ear.spelled(self.original))
        phrases = [task.phrase.removeprefix("the ").casefold() for task in self.sheet.tasks]
        return Question("value") if found.word and any(phrase in found.word for phrase in phrases) else found

    # --- about what ---

    def _whose(self, topics: list[Task]) -> list[str]:
        if topics:
            return [task.variable for task in topics]
        roles = self._roles()
        free = [task.variable for task in self.sheet.tasks if task.variable not in roles]
        return free[:1] or [self.sheet.tasks[0].variable]

    def _roles(self) -> set[str]:
        taken = {task for one in self.decision.dialogue for task in one.meaning.takes}
        return taken | {task for one in self.decision.dialogue for task, _ in one.meaning.gives}

    def _plans(self, topics: list[Task], claimer: Claimer) -> Plans:
        """What it is said to be the way to: what the calculation comes to, or what is spoken of."""
        begun = self.ear.numbers.begun(self.text, self.units)
        way = claimer.way_to(begun) if begun is not None else ""
        if way:
            return ((way, ""),)
        if begun is None and not self.ear.hears("operations", self.text) and not _UNFINISHED.search(self.text):
            return ()
        variables = [task.variable for task in topics] or [self._latest()]
        known = {task.variable for task in self.sheet.tasks}
        variable = variables[0] if variables[0] in known else self.sheet.goals[0]
        return ((variable, ""),)

    def _latest(self) -> str:
        return next((one.meaning.topic for one in reversed(self.decision.dialogue) if one.meaning.topic), "")

    def _topic(self, topics: list[Task], claims: tuple[Claim, ...], chosen: bool, plans: Plans) -> str:
        variables = {task.variable for task in self.sheet.tasks}
        claimed = [claim.about for claim in claims if claim.about in variables]
        if claimed:
            return next((about for about in reversed(claimed) if about in self.sheet.goals), claimed[-1])
        if topics:
            return topics[0].variable
        if plans and not chosen:
            return plans[0][0]
        return CHOICE if chosen else self._latest()

    def _is_likely(self, claims: tuple[Claim, ...]) -> bool:
        """Whether people come to one of these values."""
        likely = dict(self.decision.likely)
        return any(
            self.sheet.counts_as(claim.about, claim.value, value)
            for claim in claims
            for value in likely.get(claim.about, ())
        )

    def _table(self) -> str:
        """What lies on the table, in words."""
        phrases = [task.phrase for task in self.sheet.tasks]
        return " ".join([self.sheet.statement, self.sheet.question, *phrases]).casefold()

    def _about_problem(self) -> bool:
        """Whether it uses words of the problem."""
        table = self._table()
        if self.ear.han:
            return any(pair in table for pair in self.ear.pairs(self.text))
        words = {word for word in re.findall(r"[^\W\d_]+", self.text) if len(word) >= _LONG_WORD}
        return any(re.search(rf"\b{re.escape(word)}", table) for word in words)

    # --- the act ---

    def _act(self, found: Meaning) -> str:
        """The act of the stage that the message is, if it is one of them."""
        acts = {act.partition("_")[0]: act for act in self.decision.acts}
        for kind in self._kinds(found):
            if kind in acts:
                return acts[kind]
        return ""

    def _kinds(self, found: Meaning) -> list[str]:
        if found.takes:
            return ["volunteer", "state", "answer", "reflect"]
        if found.asks or found.lost:
            return ["clarify", "reflect"]
        if found.claims or found.chosen or found.plans:
            return ["state", "present", "summarise"]
        if found.stance:
            return ["second" if found.stance == "agrees" else "clarify", "second", "reflect"]
        return ["present", "reflect"] if found.cues or found.sums or self._about_problem() else []


def _last_with(amount: Fraction, said: list[set[Fraction]]) -> int:
    """The last sentence with an amount, from 1; 0 where none has it, in the unit of its variable."""
    return max((place for place, values in enumerate(said, start=1) if amount in values), default=0)


def _beside(claims: tuple[Claim, ...], claimer: Claimer) -> list[Sum]:
    """The calculations beside a claim that come to it: 0.2 because 120/600 shows how."""
    values = {amount_of(claim.value) for claim in claims}
    return [one for one in claimer.unsaid if Fraction(one.result) in values]


_OPEN = ("word", "givens", "task", "why")
"""Who asks for these has not made up their mind."""
_BESIDE = ("goes_on", "insists", "answer", "hello", "unsure", "fed_up", "away", "done")
"""What does not count where somebody does some work in the same breath."""
