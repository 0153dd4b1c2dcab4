"""Reading of a person's message by rules: its choices, questions and meaning; in doubt the peers ask, not guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from eduverse_mesa.decisions.groups import (
    CONCERNS,
    QUESTIONS,
    SERIOUS,
    Claim,
    Meaning,
    Sheet,
    Sum,
    Task,
    Understand,
    Understood,
    sentences_of,
)
from eduverse_mesa.formulas import Units, units_for
from eduverse_mesa.formulas.wording import amount_of
from eduverse_mesa.hearing.lookout import is_sure, tells_of_harm, unmasked
from eduverse_mesa.hearing.notation import straight
from eduverse_mesa.marks import share_said
from eduverse_mesa.policies.embedded.groups.assertion import ASSERTED, Assertions
from eduverse_mesa.policies.embedded.groups.claims import Claimer, Spoken, spoken_of, strange
from eduverse_mesa.policies.embedded.groups.state import CHOICE
from eduverse_mesa.policies.embedded.groups.vocabulary import (
    Ear,
    backed,
    called,
    load_ear,
    pattern,
    stance_of,
)

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SENTENCE = re.compile(r"[!;]|\.(?!\d)|(?<=\?)")
_FURTHEST = 24
"""Signs at most between the numbers of a choice that is named by them: "20 cups of blue and 12"."""


class _Mention(NamedTuple):
    """The place where a choice is named."""

    start: int
    end: int
    label: str


class Chooser:
    """The choices in one message."""

    def __init__(self, decision: Understand, ear: Ear, original: str, text: str) -> None:
        self.decision, self.sheet, self.ear, self.text = decision, decision.sheet, ear, text
        self.labels = {option.id.upper(): option.id for option in self.sheet.options}
        self.digits = any(label.isdigit() for label in self.labels)
        # Where capitals tell a choice from an article they are looked at; numbers may be written in words.
        self.line = self._with_places(text if ear.han or self.digits else original)
        others = [name for name in decision.members if name != decision.speaker]
        units = units_for(decision.sheet.nouns)
        self.assertions = Assertions(ear, self.line.casefold(), others, sheet=decision.sheet, units=units)

    def options(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The choices that are spoken of, and those that are said to be right."""
        if not self.labels:
            return (), ()
        mentions = self._mentions()
        named = tuple(dict.fromkeys(one.label for one in mentions))
        chosen: dict[str, bool] = {}
        for place, one in enumerate(mentions):
            chosen[one.label] = chosen.get(one.label, False) or self._is_picked(mentions, place, chosen)
        return named, tuple(label for label in named if chosen[label])

    def _with_places(self, text: str) -> str:
        """The text with names for choices that are only counted: "the second one" of A and B is option B."""
        labels = list(self.labels.values())
        word = self.ear.patterns("option_words")[0]
        ordinals = self.ear.patterns("ordinals")[: len(labels)]
        words = "|".join(self.ear.patterns("option_words"))
        places = [
            *zip(ordinals, labels, strict=False),
            *((last, labels[-1]) for last in self.ear.patterns("last") if labels),
        ]
        for spelled, label in places:
            for form in self.ear.patterns("ordinal_forms"):
                found = form.replace("{ordinal}", f"(?:{spelled})").replace("{words}", words)
                text = re.sub(found, f" {word} {label} ", text, flags=re.IGNORECASE)
        return text

    # --- which are spoken of ---

    def _mentions(self) -> list[_Mention]:
        found = [one for label, option in self.labels.items() for one in self._of(label, option)]
        found += self._by_numbers()
        found.sort(key=lambda one: (one.start, -one.end))
        kept: list[_Mention] = []
        for one in found:
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
        return kept

    def _of(self, label: str, option: str) -> list[_Mention]:
        spelled, words = re.escape(label), "|".join(self.ear.patterns("option_words"))
        forms = [one.replace("{label}", spelled).replace("{words}", words) for one in self.ear.patterns("option_forms")]
        found = [match for form in forms for match in re.finditer(form, self.line, re.IGNORECASE)]
        bare = re.compile(rf"(?<![\w'.,/$:-]){spelled}(?![\w']|[.,/:]\d|\s?[-+*/=]\s?\d)", re.IGNORECASE)
        if self.ear.han:
            bare = re.compile(rf"(?<![a-z\d.]){spelled}(?![a-z\d]|[./:]\d|\s?[-+*/=])", re.IGNORECASE)
        found += [match for match in bare.finditer(self.line) if self._stands_alone(match)]
        return [_Mention(match.start(), match.end(), option) for match in found]

    def _stands_alone(self, match: re.Match[str]) -> bool:
        """Return True if a letter or digit without a word for choices names one: by its place, or when choices are
        asked for; "A" before two small words is an article, and 2 may be a number of something."""
        label, before, after = match[0], self.line[: match.start()], self.line[match.end() :]
        if label.isdigit() and not self._may_be_choice(label):
            return False
        if label.isupper() and label.upper() != "A":
            return True
        if label == "A" and not re.match(r"\s+[a-z]+\s+[a-z]", after):
            return True
        if self._is_all():
            return True
        small = before.casefold(), after.casefold()
        return self.ear.hears("label_behind", small[0]) and self.ear.hears("label_before", small[1])

    def _may_be_choice(self, label: str) -> bool:
        """Return True if a digit may name a choice; not if people get this value for the variable discussed."""
        dialogue = self.decision.dialogue
        latest = next((one.meaning.topic for one in reversed(dialogue) if one.meaning.topic), CHOICE)
        if latest == CHOICE or self.decision.stage == "validate":
            return True
        likely = dict(self.decision.likely).get(latest, ())
        return self._is_all() and not any(amount_of(value) == Fraction(label) for value in likely)

    def _is_all(self) -> bool:
        """Return True if the message says nothing besides labels: "B and C", "yes, 2"."""
        rest = self.line.casefold()
        for label in self.labels:
            rest = re.sub(rf"(?<![a-z\d]){re.escape(label.casefold())}(?![a-z\d])", " ", rest)
        return not self._beside(rest)

    def _beside(self, text: str) -> str:
        """Return the rest of a text about a choice, without the words that anybody says with one."""
        return re.sub(r"[\W_]", "", pattern(self.ear.patterns("beside_choices")[0]).sub(" ", text))

    def _by_numbers(self) -> list[_Mention]:
        """Choices that are named by their numbers: "the one with 20 and 12"; not where they are values of something."""
        values = {amount_of(value) for _, many in self.decision.likely for value in many}
        values |= {amount_of(given.value) for given in self.sheet.givens}
        found = []
        for option in self.sheet.options:
            numbers = _NUMBER.findall(option.text)
            if len(numbers) < 2 or all(Fraction(number) in values for number in numbers):
                continue
            gap = rf"(?!\d)[^\d.!?;]{{1,{_FURTHEST}}}?(?<![\d.])"
            match = re.search(rf"(?<![\d.]){gap.join(re.escape(number) for number in numbers)}(?![\d]|\.\d)", self.line)
            found += [_Mention(match.start(), match.end(), option.id)] if match else []
        return found

    # --- which are said to be right ---

    def _is_picked(self, mentions: Sequence[_Mention], place: int, chosen: dict[str, bool]) -> bool:
        one = mentions[place]
        start = mentions[place - 1].end if place else 0
        end = mentions[place + 1].start if place + 1 < len(mentions) else len(self.line)
        between, behind = self.line[start : one.start].casefold(), self.line[one.end : end].casefold()
        if place and pattern(self.ear.patterns("choice_joined")[0]).fullmatch(between):
            return chosen[mentions[place - 1].label]
        if self._is_asked(one) or self.assertions.of_choice(one.start, one.end) != ASSERTED:
            return False
        edge = pattern(self.ear.patterns("choice_clauses")[0])
        before = (edge.split(between) or [""])[-1]
        after = edge.split(behind)[0]
        if self.ear.hears("rejects", after) or self.ear.hears("rejects", before):
            return False
        if not self._beside(before) and not self._beside(after):
            return True  # "option 2, because it is half of both"
        if _NUMBER.fullmatch(self.line[one.start : one.end]) is None and _NUMBER.match(self.line[one.start :]):
            return self.ear.hears("fits", after)  # named by its numbers, which are only quoted elsewhere
        before += self.line[one.start : one.end].casefold()
        return self._is_all() or self.ear.hears("chooses", before) or self.ear.hears("chooses", after)

    def _is_asked(self, one: _Mention) -> bool:
        """Return True if the sentence of a mention asks."""
        end = next((match.start() for match in _SENTENCE.finditer(self.line, one.end)), len(self.line))
        start = max((match.end() for match in _SENTENCE.finditer(self.line, 0, one.start)), default=0)
        sentence = self.line[start:end].strip().casefold()
        return self.ear.hears("asks", sentence) and not self.ear.hears("seeks", sentence)


_TRIM = " \t\"'.,!?:;„“”‘’《》「」"
_MOST_WORDS = 5
_PIECES = re.compile(r"(?:[^.!?]|\.(?=\d))+[.!?]*")


class Question(NamedTuple):
    """The kind of a question, one of QUESTIONS, and the words that are asked about."""

    kind: str
    word: str = ""


def question_of(ear: Ear, text: str, typed: str) -> Question:
    """The question in a text that can be answered in words, if there is one; a word is looked for as it was typed."""
    for kind in QUESTIONS:
        if kind == "word":
            word = _word(ear, typed)
            if word:
                return Question("word", word)
        elif kind and ear.hears(f"asks_{kind}", text):
            return Question(kind)
    return Question("")


def stated(ear: Ear, text: str) -> str:
    """A text without its questions: a why gives no reason."""
    pieces = _PIECES.findall(text)
    return " ".join(one for one in pieces if not question_of(ear, one.strip().casefold(), one.strip().casefold()).kind)


def _word(ear: Ear, text: str) -> str:
    """The words whose meaning is asked for; not what somebody meant, nor how much something is."""
    for each in ear.patterns("asks_word"):
        for match in pattern(each).finditer(text):
            word = match["word"].strip(_TRIM)
            known = "terms" not in match.re.groupindex or ear.hears("terms", f" {word} ")
            if word and known and not ear.hears("no_words", word) and len(word.split()) <= _MOST_WORDS:
                return re.sub(r"\s+", " ", word)
    return ""


Plans = tuple[tuple[str, str], ...]
_LONG_WORD = 4
_UNFINISHED = re.compile(r"\d[^\d.,;!?]{0,6} [-+*/] [$(]*\d")
"""A calculation without a stated result."""


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
        """Return the gravest matter besides the problem, in whatever spelling it stands: as it was typed, with digits
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
        """The same with its act, and with a flag for a message that was understood at all."""
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
        """Return the stance: a mere refutation disagrees; a why has not agreed, even if it begins with yes."""
        found = stance_of(self.ear, self.text)
        if not spoken.claims and found != "disagrees" and (spoken.refuted or question in _OPEN):
            return "disagrees" if spoken.refuted else ""
        return found

    def _question(self) -> Question:
        """Return the question; one about the words for a subtask asks for its value, not for their meaning."""
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
        """Return the variable that a way is for: the one the calculation comes to, or the one spoken of."""
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
        """Return True if people get one of these values."""
        likely = dict(self.decision.likely)
        return any(
            self.sheet.counts_as(claim.about, claim.value, value)
            for claim in claims
            for value in likely.get(claim.about, ())
        )

    def _table(self) -> str:
        """The statement, the question and the names of the subtasks, in small letters."""
        phrases = [task.phrase for task in self.sheet.tasks]
        return " ".join([self.sheet.statement, self.sheet.question, *phrases]).casefold()

    def _about_problem(self) -> bool:
        """Return True if the message uses words of the problem."""
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
"""Questions of people who have not made up their mind."""
_BESIDE = ("goes_on", "insists", "answer", "hello", "unsure", "fed_up", "away", "done")
"""Matters that do not count if somebody does some work in the same message."""
