"""What a person has written, as far as rules can read it; where they cannot, the peers ask instead of guessing."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec

from eduverse_mesa.decisions.collaboration import Claim, Meaning, Sheet, Task, Understand, Understood
from eduverse_mesa.errors import FormulaError, PolicyError
from eduverse_mesa.formulas import Quantity, Units, units_for
from eduverse_mesa.formulas.comparing import alike
from eduverse_mesa.marks import says, share_said
from eduverse_mesa.policies.embedded.collaboration.numbers import Found, Numbers, Shown
from eduverse_mesa.policies.embedded.collaboration.standing import CHOICE
from eduverse_mesa.scenarios.reading import read_resource

_FOLDER = files("eduverse_mesa.policies.embedded.collaboration") / "listening"
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "−": "-", "–": "-", "÷": "/", "×": "*"})
_LONG_WORD = 4


def understand(decision: Understand) -> Understood:
    """Read a message."""
    return Understood(Reader(decision).read())


class Ear:
    """What is listened for in one language."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self.numbers = Numbers(data)

    def hears(self, kind: str, text: str) -> bool:
        """Whether one of the patterns of a kind is in the text."""
        return any(_pattern(one).search(text) for one in self.patterns(kind))

    def patterns(self, kind: str) -> list[str]:
        """The patterns of a kind."""
        found = self._data[kind]
        return [found] if isinstance(found, str) else list(found)


@lru_cache(maxsize=16)
def load_ear(language: str) -> Ear:
    """What is listened for in a language."""
    base = language.replace("_", "-").split("-")[0].casefold()
    known = sorted(file.name.removesuffix(".yaml") for file in _FOLDER.iterdir() if file.name.endswith(".yaml"))
    if base not in known:
        raise PolicyError(
            f"the embedded peers do not understand '{language}'.",
            mend=f"They understand {', '.join(known)}. Translate listening/en.yaml, or use a language model.",
        )
    data = read_resource(_FOLDER / f"{base}.yaml", f"built-in listening/{base}.yaml").data
    assert isinstance(data, dict)
    return Ear(data)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


class Reader:
    """One message, looked at from all sides."""

    def __init__(self, decision: Understand) -> None:
        self.decision = decision
        self.sheet: Sheet = decision.sheet
        self.ear = load_ear(decision.language)
        self.units: Units = units_for(decision.sheet.nouns)
        self.original = decision.text.translate(_QUOTES)
        plain = " ".join(self.original.casefold().split())
        self.text = self.ear.numbers.signs(self.ear.numbers.digits(plain))

    def read(self) -> Meaning:
        """Everything that is found, with the act that it is in this stage."""
        ear, text = self.ear, self.text
        shown = ear.numbers.sums(text, self.units)
        options, chosen = self._options()
        claims = self._claims(shown)
        lost = ear.hears("lost", text)
        stance = "" if lost else self._stance()
        asks = ear.hears("asks", text)
        topics = self._tasks()
        takes = tuple(self._whose(topics)) if ear.hears("takes", text) and not asks else ()
        plans = self._plans(topics) if not claims and ear.hears("operations", text) else ()
        cues = tuple(name for name, marks in self.decision.marks if share_said(marks, self.original) >= 1.0)
        found = Meaning(
            addressed=self._addressed(),
            topic=self._topic(topics, claims, bool(options)),
            claims=claims,
            sums=tuple(one.sum for one in shown),
            stance=stance,
            asks=asks,
            lost=lost,
            cues=cues,
            options=options,
            chosen=chosen,
            takes=takes,
            plans=plans,
        )
        return self._finished(found, bool(topics))

    def _finished(self, found: Meaning, on_task: bool) -> Meaning:
        """The same with its act; and whether it was understood at all."""
        said = found.claims or found.sums or found.stance or found.lost or found.options or found.takes or found.plans
        known = bool(said or found.cues or on_task or self._about_problem())
        off = not (found.claims or found.sums or on_task) and self.ear.hears("off_topic", self.text)
        friendly = self.ear.hears("greeting", self.text) or not re.search(r"\w", self.text)
        clear = known or off or friendly or (found.asks and bool(self.text))
        act = "" if off or not clear else self._act(found)
        return msgspec.structs.replace(found, act=act, off_topic=off, clear=clear)

    # --- who ---

    def _addressed(self) -> str:
        """Who is called: by a name that stands alone, not one that is told about."""
        others = [name for name in self.decision.members if name != self.decision.speaker]
        for name in others:
            for match in re.finditer(rf"@?\b{re.escape(name.casefold())}\b", self.text):
                after = self.text[match.end() :].lstrip()
                told = any(_pattern(one).match(after) for one in self.ear.patterns("quotes")) or after.startswith("'s")
                if not told:
                    return name
        return ""

    def _stance(self) -> str:
        if self.ear.hears("disagree", self.text):
            return "disagrees"
        # "is that right?" asks, it does not agree
        statement = re.sub(r"[^.!?]*\?", " ", self.text)
        return "agrees" if self.ear.hears("agree", statement) else ""

    # --- about what ---

    def _tasks(self) -> list[Task]:
        """The subtasks that are spoken of, by their marks."""
        return [
            task
            for task in self.sheet.tasks
            if any(says(mark, self.text) or says(mark, self.original) for mark in task.marks)
        ]

    def _whose(self, topics: list[Task]) -> list[str]:
        if topics:
            return [task.variable for task in topics]
        roles = self._roles()
        free = [task.variable for task in self.sheet.tasks if task.variable not in roles]
        return free[:1] or [self.sheet.tasks[0].variable]

    def _roles(self) -> set[str]:
        taken = {task for one in self.decision.dialogue for task in one.meaning.takes}
        return taken | {task for one in self.decision.dialogue for task, _ in one.meaning.gives}

    def _plans(self, topics: list[Task]) -> tuple[tuple[str, str], ...]:
        variables = [task.variable for task in topics] or [self._latest()]
        known = {task.variable for task in self.sheet.tasks}
        variable = variables[0] if variables[0] in known else self.sheet.goals[0]
        return ((variable, ""),)

    def _latest(self) -> str:
        return next((one.meaning.topic for one in reversed(self.decision.dialogue) if one.meaning.topic), "")

    def _asked_for(self) -> str:
        """The subtask whose result is on the table: one that somebody asks for, or has just said."""
        for one in reversed(self.decision.dialogue):
            if one.meaning.topic and (one.meaning.asks or one.meaning.claims or one.stage in _RESULTS):
                return one.meaning.topic
        return ""

    def _topic(self, topics: list[Task], claims: tuple[Claim, ...], chosen: bool) -> str:
        variables = {task.variable for task in self.sheet.tasks}
        claimed = [claim.about for claim in claims if claim.about in variables]
        if claimed:
            return claimed[-1]
        if topics:
            return topics[0].variable
        return CHOICE if chosen else self._latest()

    def _about_problem(self) -> bool:
        """Whether it uses words of the problem."""
        table = " ".join(
            [self.sheet.statement, self.sheet.question, *(task.phrase for task in self.sheet.tasks)]
        ).casefold()  # fmt: skip
        words = {word for word in re.findall(r"[^\W\d_]+", self.text) if len(word) >= _LONG_WORD}
        return any(re.search(rf"\b{re.escape(word)}", table) for word in words)

    # --- numbers ---

    def _claims(self, shown: list[Shown]) -> tuple[Claim, ...]:
        """What is said to be how much: the result of a calculation, or what stands behind "is"."""
        found = self.ear.numbers.quantities(self.text, self.units)
        inside = {one.start for one in found if any(each.start <= one.start < each.end for each in shown)}
        claims: dict[str, Claim] = {}
        for one in found:
            given = self._given(one)
            if given is not None:
                claims[given.about] = given
        results = [one for one in found if any(one.start >= each.end and one.start - each.end < 3 for each in shown)]
        results = results or [one for one in found if one.start not in inside and self._is_said(one)]
        for one in results:
            if self._given(one) is None and not self._checks(one, shown) and not self._is_label(one):
                claim = self._claim(one)
                claims[claim.about] = claim
        return tuple(claims.values())

    def _checks(self, one: Found, shown: list[Shown]) -> bool:
        """Whether a calculation only comes back to a number of the statement: it checks, it claims nothing."""
        if not shown or not one.bare:
            return False
        return any(given.value.partition(" ")[0] == str(one.quantity.value) for given in self.sheet.givens)

    def _is_label(self, one: Found) -> bool:
        """Whether a number names a choice: "option 2"."""
        label = str(one.quantity.value)
        return one.bare and label in self._options()[0]

    def _is_said(self, one: Found) -> bool:
        """A number behind "is" or "get", or one that is all there is."""
        before = self.text[: one.start]
        if _pattern(self.ear.patterns("about")[0]).search(before):
            return True
        if self._tasks():
            return True
        rest = (before + self.text[one.end :]).strip(" .!?,")
        return not rest or self.ear.hears("agree", rest) or len(rest.split()) <= _FEW

    def _given(self, one: Found) -> Claim | None:
        """A number of the statement, said with its unit."""
        if one.bare:
            return None
        for given in self.sheet.givens:
            value, _, unit = given.value.partition(" ")
            if unit == one.quantity.unit and value == str(one.quantity.value):
                return Claim(given.variable, given.value)
        return None

    def _claim(self, one: Found) -> Claim:
        named = self._tasks()
        latest = [task for task in self.sheet.tasks if task.variable == self._asked_for()]
        by_unit = [task for task in self.sheet.tasks if not one.bare and task.unit == one.quantity.unit]
        goals = [task for task in self.sheet.tasks if task.variable in self.sheet.goals]
        goals = goals if len(goals) == 1 or not one.bare else []
        likely = [task for task in (*latest, *goals, *self.sheet.tasks) if self._is_likely(one, task)]
        for task in (*named, *likely, *(by_unit if len(by_unit) == 1 else ()), *latest, *goals, *by_unit):
            value = self._in_unit(one, task)
            if value is not None:
                return Claim(task.variable, value)
        return Claim("", str(one.quantity))

    def _is_likely(self, one: Found, task: Task) -> bool:
        """Whether somebody could come to this value for the subtask."""
        value = self._in_unit(one, task)
        likely = dict(self.decision.likely).get(task.variable, ())
        return value is not None and any(alike(value, other) for other in likely)

    def _in_unit(self, one: Found, task: Task) -> str | None:
        """The quantity in the unit of a subtask; who says feet where it is feet per step is understood, too."""
        if one.bare:
            return str(Quantity(one.quantity.value, task.unit))
        try:
            return str(self.units.convert(one.quantity, task.unit))
        except FormulaError:
            pass
        above = task.unit.partition("/")[0]
        try:
            return str(Quantity(self.units.convert(one.quantity, above).value, task.unit)) if above else None
        except FormulaError:
            return None

    # --- choices ---

    def _options(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The choices that are spoken of, and those that are said to be right."""
        named: list[str] = []
        chosen: list[str] = []
        bare = re.sub(r"(?i)\b(?:and|or|both)\b|[\W_]", " ", self.original).split()
        labels = [option.id for option in self.sheet.options]
        if bare and all(word in labels for word in bare):
            return tuple(dict.fromkeys(bare)), () if "?" in self.original else tuple(dict.fromkeys(bare))
        words = "|".join(self.ear.patterns("option_words"))
        for option in self.sheet.options:
            match = self._option(option.id, words)
            if match is None:
                continue
            named.append(option.id)
            clause = re.split(r"[.!?;,]|\bbut\b|\bbecause\b|\bsince\b", self.original[match.start() :].casefold())[0]
            before = re.split(r"[.!?;]|\bbut\b", self.original[: match.start()].casefold())[-1]
            if self.ear.hears("rejects", clause) or self.ear.hears("rejects", before):
                continue
            alone = not re.sub(r"[\W_]", "", self.original[: match.start()] + self.original[match.end() :])
            joined = bool(chosen) and re.fullmatch(r"\s*(?:and|&|,)\s*(?:\w+\s*)?\(?", before[-12:]) is not None
            picked = alone or joined or self.ear.hears("chooses", before) or self.ear.hears("chooses", clause)
            if picked and not self.ear.hears("asks", self.text):
                chosen.append(option.id)
        return tuple(named), tuple(chosen)

    def _option(self, label: str, words: str) -> re.Match[str] | None:
        spelled = re.escape(label)
        with_word = re.search(rf"\b(?:{words})s?\s*\(?{spelled}\b\)?", self.original, re.IGNORECASE)
        if with_word or label.isdigit():
            return with_word or re.search(rf"^\s*\(?{spelled}\)?\s*[.!]?\s*$|\({spelled}\)", self.original)
        # A capital letter alone; "A" before two small words is an article
        article = r"(?!\s+[a-z]+\s+[a-z])" if label == "A" else ""
        loose = re.search(rf"(?<![\w']){spelled}(?![\w']){article}", self.original)
        return loose or re.search(rf"^\s*{spelled}\s*[.!?]*\s*$", self.original, re.IGNORECASE)

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


_RESULTS = ("execute", "validate")
_FEW = 3
"""With so few words around it, a number is the message."""
