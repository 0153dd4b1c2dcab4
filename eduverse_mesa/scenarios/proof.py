"""The proof of a mathematics problem: texts, solution, phrases, mistakes, and answers that could not be told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from keyword import iskeyword
from typing import TypeVar

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import (
    Formula,
    Quantity,
    Unit,
    Units,
    holds,
    parse,
    read_quantity,
    say_quantity,
    say_unit,
    units_for,
    work_out,
)
from eduverse_mesa.formulas.formula import FUNCTIONS
from eduverse_mesa.formulas.wording import NEAR, alike
from eduverse_mesa.marks import says, says_all
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, suggest
from eduverse_mesa.scenarios.word_problem import (
    PLACE,
    Answer,
    Change,
    Misconception,
    Option,
    WordProblem,
    Worked,
    change,
    fill,
    is_answered,
    schema_of,
    slack_of,
    work,
)

__all__ = ["Notes", "check_mistakes", "check_nearness", "check_phrases", "check_solution", "check_texts"]

_SENTENCES = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])|\n")
"""Not at the point of 0.25."""


def echoed(marks: Sequence[str], *texts: str) -> str:
    """The first sentence of these texts in which all marks of a reason stand; nothing where there is none."""
    sentences = (one.strip() for text in texts for one in _SENTENCES.split(text))
    return next((one for one in sentences if marks and says_all(marks, one)), "")


_T = TypeVar("_T")


class Notes:
    """Goes through one problem, and notes what is wrong."""

    def __init__(self, problem: WordProblem, reading: Reading) -> None:
        self.problem, self.reading = problem, reading
        self.found: list[Problem] = []
        self.units: Units = self.attempt(
            ("nouns",), lambda: units_for(problem.nouns, problem.in_fractions)
        ) or units_for({})
        self.givens = tuple(given.name for given in problem.givens)
        self.names = (*self.givens, *(task.variable for task in problem.subtasks))
        """All variables, in the order in which they are known."""
        first = problem.choice.options[0].values if problem.choice else {}
        self.option_names = tuple(sorted(first))

    def note(self, trail: Trail, message: str, mend: str, code: str, **given: object) -> None:
        """Something is wrong at a place."""
        said = tuple((name, self.said(value)) for name, value in given.items())
        self.found.append(Problem(self.reading.spot(trail), trail, message, mend, code, said))

    def said(self, value: object) -> str:
        """Return a value that a message names, in the problem's language."""
        if isinstance(value, Quantity):
            return say_quantity(value, self.units, self.problem.language)
        if isinstance(value, Unit):
            return say_unit(value, self.units, self.problem.language)
        return str(value)

    def attempt(self, trail: Trail, do: Callable[[], _T]) -> _T | None:
        """Return the result of a calculation; note the error and return None if it fails."""
        try:
            return do()
        except FormulaError as error:
            where = f" ({error.where})" if error.where else ""
            self.note(trail, f"{error.message.rstrip('.')}{where}", error.mend, error.code, **error.given)
            return None

    def quantity(self, trail: Trail, text: str) -> Quantity | None:
        """The quantity that stands at a place."""
        return self.attempt(trail, lambda: read_quantity(text, self.units))

    def formula(self, trail: Trail, text: str, known: Sequence[str], later: Sequence[str] = ()) -> Formula | None:
        """The formula of a quantity that stands at a place, over names that are known there."""
        formula = self._parsed(trail, text, known, later)
        if formula is not None and formula.is_condition:
            self.note(
                trail, "this compares, where a quantity is wanted", "Write for example `path / steps`.", "compares"
            )
        return formula

    def condition(self, trail: Trail, text: str, known: Sequence[str]) -> Formula | None:
        """The condition that stands at a place, over names that are known there."""
        formula = self._parsed(trail, text, known, ())
        if formula is not None and not formula.is_condition:
            message, mend = "this is a quantity, where a condition is wanted", "Write for example `width <= limit`."
            self.note(trail, message, mend, "no_condition")
        return formula

    def _parsed(self, trail: Trail, text: str, known: Sequence[str], later: Sequence[str]) -> Formula | None:
        formula = self.attempt(trail, lambda: parse(text))
        for name in sorted(formula.names - set(known)) if formula else ():
            if name in later:
                mend = "Put the subtask that works it out first; if each needs the other, drop one."
                self.note(trail, f"'{name}' is needed before it is worked out", mend, "too_early", name=name)
            else:
                self.unknown(trail, name, known)
        return formula

    def unknown(self, trail: Trail, name: str, known: Sequence[str]) -> None:
        """A name stands where no variable is called so."""
        close, all_known = suggest(name, known), ", ".join(known) or "nothing"
        mend = f"{close}Known here: {all_known}."
        given = {"name": name, "known": all_known, "close": close.partition("'")[2].partition("'")[0]}
        self.note(trail, f"there is no variable '{name}'", mend, "unknown_close" if close else "unknown", **given)


def check_mistakes(notes: Notes) -> None:
    """Go through the misconceptions one by one."""
    right = work(schema_of(notes.problem))
    ids: set[str] = set()
    for index, one in enumerate(notes.problem.misconceptions):
        at: Trail = ("misconceptions", index)
        before = len(notes.found)
        if one.id in ids:
            notes.note((*at, "id"), f"there are two misconceptions '{one.id}'", "Rename one of the two.", "two_ids")
        ids.add(one.id)
        _check_changes(notes, at, one)
        if len(notes.found) == before:
            _check_outcome(notes, at, one, right)


def _check_changes(notes: Notes, at: Trail, one: Misconception) -> None:
    if not one.changes and one.right_if is None:
        notes.note(at, f"misconception '{one.id}' changes nothing", "Give it `changes`.", "changes_nothing")
    if one.kind == "omitted" and not any(each.instead for each in one.changes):
        mend = "Say by `instead` what stands for the variable that is not worked out."
        notes.note((*at, "kind"), f"misconception '{one.id}' omits no subtask", mend, "omits_nothing")
    if one.right_if is not None:
        _check_condition(notes, (*at, "right_if"), one.right_if, one)
    for index, each in enumerate(one.changes):
        _check_change(notes, (*at, "changes", index), each, one)


def _check_condition(notes: Notes, trail: Trail, text: str, one: Misconception) -> None:
    if notes.problem.choice is None:
        notes.note(trail, "there are no options to choose from", "Leave `right_if` out.", "no_options")
        return
    notes.condition(trail, text, [*notes.names, *notes.option_names])
    if one.how is None:
        notes.note(trail, "it is not said how options are checked then", "Add `how` beside it.", "no_checking")


def _check_change(notes: Notes, at: Trail, each: Change, one: Misconception) -> None:
    if sum(way is not None for way in (each.value, each.formula, each.instead)) != 1:
        mend = "Give one of `value`, `formula` and `instead`."
        notes.note(at, f"'{each.of}' has to become one thing", mend, "not_one_way")
    elif each.of not in notes.names:
        notes.unknown((*at, "of"), each.of, notes.names)
    elif one.kind == "misread" and (each.of not in notes.givens or each.value is None):
        mend = "Change a given's `value`, or choose another `kind`."
        notes.note(at, "what is misread is a given, with another value", mend, "misread_given")
    elif each.value is not None:
        notes.quantity((*at, "value"), each.value)
    elif each.of in notes.givens:
        message, mend = f"'{each.of}' is given: it is not worked out", "Give it another `value`."
        notes.note((*at, "of"), message, mend, "not_worked_out", name=each.of)
    else:
        _check_other_way(notes, at, each)


def _check_other_way(notes: Notes, at: Trail, each: Change) -> None:
    key, text = ("formula", each.formula) if each.formula is not None else ("instead", each.instead)
    assert text is not None
    cut = notes.names.index(each.of)
    notes.formula((*at, key), text, notes.names[:cut], notes.names[cut:])
    if each.formula is not None and each.how is None:
        notes.note((*at, key), "it is not said how the step is taken then", "Add `how` beside it.", "no_way")


def _check_outcome(notes: Notes, at: Trail, one: Misconception, right: Worked) -> None:
    wrong = notes.attempt(at, lambda: work(change(schema_of(notes.problem), one)))
    if wrong is None or wrong.chosen != right.chosen:
        return
    if all(is_answered(answer, wrong.values[answer.variable], notes.units) for answer in notes.problem.answers):
        mend = "Change what leads to another answer or another choice: nobody would notice this."
        notes.note(at, f"misconception '{one.id}' leads to the right answer", mend, "right_answer")


def check_nearness(notes: Notes) -> None:
    """Compare answers, as people who talk about them would, with what each mistake leads to."""
    for index, answer in enumerate(notes.problem.answers):
        _check_tolerance(notes, ("answers", index, "tolerance"), answer)
    schema = schema_of(notes.problem)
    right = work(schema)
    came = [work(change(schema, one)) for one in notes.problem.misconceptions]
    for index, outcome in enumerate(came):
        _check_answer(notes, ("misconceptions", index), outcome, right)
        _check_distinct(notes, index, came)


def _check_tolerance(notes: Notes, trail: Trail, answer: Answer) -> None:
    value = read_quantity(answer.value, notes.units)
    most = abs(value.value) * NEAR
    if slack_of(answer, value.unit, notes.units) > most:
        allowed = Quantity(most, value.unit)
        message = f"'{answer.tolerance}' is more than 1 % of the answer: other numbers would count as it"
        notes.note(trail, message, f"Give {notes.said(allowed)} at most.", "large_tolerance", most=allowed)


def _check_answer(notes: Notes, at: Trail, came: Worked, right: Worked) -> None:
    names = [answer.variable for answer in notes.problem.answers]
    differing = [name for name in names if came.values[name] != right.values[name]]
    if came.chosen != right.chosen or not differing:
        return
    if all(_counts_as(notes, name, came.values[name], right.values[name]) for name in differing):
        wrong, meant = came.values[differing[0]], right.values[differing[0]]
        one = notes.problem.misconceptions[int(at[1])]
        message = (
            f"misconception '{one.id}' leads to {notes.said(wrong)}, which counts as the right answer, "
            f"{notes.said(meant)}: the one is the other rounded"
        )
        mend = "Let it lead further away, or nobody would notice it."
        notes.note(at, message, mend, "near_answer", came=wrong, meant=meant)


def _check_distinct(notes: Notes, index: int, came: list[Worked]) -> None:
    """Two ways of thinking may come to the very same; the same change is no second mistake, nor is one that comes to
    the other's values rounded."""
    one = notes.problem.misconceptions[index]
    for other, there in zip(notes.problem.misconceptions[:index], came, strict=False):
        here = came[index]
        rounded = (
            here != there
            and here.chosen == there.chosen
            and all(_counts_as(notes, name, value, there.values[name]) for name, value in here.values.items())
        )
        if rounded or (one.changes, one.right_if) == (other.changes, other.right_if):
            message = f"misconceptions '{other.id}' and '{one.id}' lead to the same and cannot be told apart"
            mend = "Leave one out, or let it change something else."
            notes.note(("misconceptions", index), message, mend, "same_mistake", name=other.id)


def _counts_as(notes: Notes, variable: str, one: Quantity, other: Quantity) -> bool:
    """Return True if two values of a variable count as the same when people talk."""
    answer = next((each for each in notes.problem.answers if each.variable == variable), None)
    return alike(str(one), str(other), slack_of(answer, one.unit, notes.units) if answer else Fraction(0))


def check_phrases(notes: Notes) -> None:
    """Look at everything that is said with quantities in it."""
    for trail, text in _phrases(notes):
        _check_places(notes, trail, text, notes.names)
    for index, sense in enumerate(notes.problem.sense):  # asked before anything is worked out
        _check_places(notes, ("sense", index, "ask"), sense.ask, notes.givens)
        _check_places(notes, ("sense", index, "answer"), sense.answer, notes.givens)
    choice = notes.problem.choice
    own = [*notes.names, *notes.option_names]
    if choice is not None:
        _check_places(notes, ("choice", "how"), choice.how, own)
        for index, option in enumerate(choice.options):
            _check_places(notes, ("choice", "options", index, "why"), option.why, own)
    for index, one in enumerate(notes.problem.misconceptions):
        if one.how is not None:
            _check_places(notes, ("misconceptions", index, "how"), one.how, own)
    for index, task in enumerate(notes.problem.subtasks):
        if not any(says(mark, task.ask) or says(mark, task.says) for mark in task.marks):
            mend = "Choose words that its `ask` or `says` holds."
            notes.note(
                ("subtasks", index, "marks"), f"nobody speaks of '{task.variable}' in these words", mend, "nobody_says"
            )
    if not notes.found:
        _check_cues(notes)


def _check_cues(notes: Notes) -> None:
    """The reason that stands against a misconception has to be one that is heard, with the right numbers in it."""
    values = work(schema_of(notes.problem)).values
    for index, one in enumerate(notes.problem.misconceptions):
        cue = fill(one.cue, values, notes.units, notes.problem.language)
        for mark in one.cue_marks:
            if not says(mark, cue):
                trail: Trail = ("misconceptions", index, "cue_marks")
                notes.note(
                    trail,
                    f"the cue does not say '{mark}'",
                    "Choose words that the cue holds.",
                    "cue_is_silent",
                    mark=mark,
                )


def _check_places(notes: Notes, trail: Trail, text: str, known: Sequence[str]) -> None:
    for name in PLACE.findall(text):
        if name not in known:
            notes.unknown(trail, name, known)
    if set(PLACE.sub("", text)) & set("{}"):
        notes.note(trail, "a brace stands alone", "Write `{name}` for a quantity.", "lone_brace")


def _phrases(notes: Notes) -> Iterator[tuple[Trail, str]]:
    problem = notes.problem
    for index, task in enumerate(problem.subtasks):
        for key, text in (("how", task.how), ("says", task.says), ("why", task.why), ("ask", task.ask)):
            yield ("subtasks", index, key), text
    for index, reflection in enumerate(problem.reflection):
        yield ("reflection", index, "means"), reflection.means
        yield ("reflection", index, "check"), reflection.check
    for index, one in enumerate(problem.misconceptions):
        for key, text in (("thinks", one.thinks), ("cue", one.cue), ("notice", one.notice)):
            yield ("misconceptions", index, key), text
        for place, each in enumerate(one.changes):
            for key, own in (("how", each.how), ("says", each.says)):
                if own is not None:
                    yield ("misconceptions", index, "changes", place, key), own


def check_solution(notes: Notes) -> None:
    """Work the right solution out, and compare it with what the teacher holds to be right."""
    schema = schema_of(notes.problem)
    values = dict(schema.givens)
    for index, step in enumerate(schema.steps):
        solve = partial(work_out, step.formula, values, notes.units, step.unit)
        result = notes.attempt(("subtasks", index, "formula"), solve)
        if result is None:
            return
        values[step.variable] = result
    for index, answer in enumerate(notes.problem.answers):
        _solution_check_answer(notes, ("answers", index, "value"), answer, values[answer.variable])
        _check_other_words(notes, ("answers", index, "also"), answer)
    _check_options(notes)
    for index, reflection in enumerate(notes.problem.reflection):
        if reflection.formula is not None:
            check = partial(holds, parse(reflection.formula), values, notes.units)
            trail: Trail = ("reflection", index, "formula")
            if notes.attempt(trail, check) is False:
                mend = "It is to tell right from wrong."
                notes.note(trail, "this check fails for the right solution", mend, "check_fails")


def _solution_check_answer(notes: Notes, trail: Trail, answer: Answer, worked: Quantity) -> None:
    comes = f"the subtasks come to {say_quantity(worked, notes.units, notes.problem.language)}"
    if not notes.units.fits(worked.unit, read_quantity(answer.value, notes.units).unit):
        mend = "Give the answer's unit, or the step's."
        message = f"{comes}, which has another unit than '{answer.value}'"
        notes.note(trail, message, mend, "answer_of_other_unit", worked=worked, value=answer.value)
    elif not is_answered(answer, worked, notes.units):
        message, mend = f"{comes}, not '{answer.value}'", "Correct the answer, or the step that is wrong."
        notes.note(trail, message, mend, "other_answer", worked=worked, value=answer.value)


def _check_other_words(notes: Notes, at: Trail, answer: Answer) -> None:
    """Other words for an answer may leave its unit out, or what a rate is per, but not name another number."""
    wanted = read_quantity(answer.value, notes.units)
    for index, text in enumerate(answer.also):
        try:
            said = read_quantity(text, notes.units)
        except FormulaError:  # words, such as "three feet"
            continue
        short = Quantity(wanted.value), notes.units.amount(wanted)
        if not is_answered(answer, said, notes.units) and not any(notes.units.same(one, said) for one in short):
            mend = f"Leave it out, or write what means '{answer.value}' too."
            message = f"'{text}' is another quantity than '{answer.value}'"
            notes.note((*at, index), message, mend, "other_quantity", text=text, value=answer.value)


def _check_options(notes: Notes) -> None:
    choice = notes.problem.choice
    worked = notes.attempt(("choice", "right_if"), lambda: work(schema_of(notes.problem)))
    if choice is None or worked is None:
        return
    for index, option in enumerate(choice.options):
        if option.right != (option.id in worked.chosen):
            said = "right, and by `right_if` it is not" if option.right else "wrong, and by `right_if` it is right"
            mend = "Correct `right`, the option's values or the condition."
            code = "option_is_wrong" if option.right else "option_is_right"
            at: Trail = ("choice", "options", index, "right")
            notes.note(at, f"option '{option.id}' is said to be {said}", mend, code)
    if not any(option.right for option in choice.options):
        notes.note(("choice", "options"), "no option is right", "Add one that is.", "none_right")


def check_texts(notes: Notes) -> None:
    """Read all texts of the right solution once; what cannot be read is noted."""
    _check_givens(notes)
    _check_subtasks(notes)
    _check_answers(notes)
    _check_choice(notes)
    for index, reflection in enumerate(notes.problem.reflection):
        if reflection.formula is not None:
            notes.condition(("reflection", index, "formula"), reflection.formula, notes.names)


def _check_givens(notes: Notes) -> None:
    taken: set[str] = set()
    for index, given in enumerate(notes.problem.givens):
        _declare(notes, ("givens", index, "name"), given.name, taken)
        notes.quantity(("givens", index, "value"), given.value)
    for index, task in enumerate(notes.problem.subtasks):
        _declare(notes, ("subtasks", index, "variable"), task.variable, taken)


def _declare(notes: Notes, trail: Trail, name: str, taken: set[str]) -> None:
    if name in FUNCTIONS:
        notes.note(trail, f"'{name}' is a function of formulas", "Take another name.", "function_name", name=name)
    elif iskeyword(name):
        mend = f"Call it for example '{name}_size'."
        notes.note(trail, f"'{name}' means something else in a formula", mend, "reserved_name", name=name)
    elif name in taken:
        notes.note(trail, f"there are two of the name '{name}'", "Rename one of the two.", "two_names", name=name)
    taken.add(name)


def _check_subtasks(notes: Notes) -> None:
    for index, task in enumerate(notes.problem.subtasks):
        at: Trail = ("subtasks", index)
        cut = len(notes.givens) + index
        formula = notes.formula((*at, "formula"), task.formula, notes.names[:cut], notes.names[cut:])
        if formula is not None and formula.drops_units:
            mend = "Keep the units here; `number(...)` is for pupils who lose them, in a misconception."
            notes.note((*at, "formula"), "the right solution may not forget its units", mend, "drops_units")
        _check_unit(notes, (*at, "unit"), task.unit)


def _check_unit(notes: Notes, trail: Trail, unit: str) -> None:
    notes.attempt(trail, lambda: notes.units.canonical(unit))


def _check_answers(notes: Notes) -> None:
    for index, answer in enumerate(notes.problem.answers):
        at: Trail = ("answers", index)
        if answer.variable not in notes.names:
            notes.unknown((*at, "variable"), answer.variable, notes.names)
        value = notes.quantity((*at, "value"), answer.value)
        off = None if answer.tolerance is None else notes.quantity((*at, "tolerance"), answer.tolerance)
        if value and off and not notes.units.fits(value.unit, off.unit):
            message, mend = f"'{answer.tolerance}' has another unit than the answer", "Give it the same."
            notes.note((*at, "tolerance"), message, mend, "other_tolerance")


def _check_choice(notes: Notes) -> None:
    choice = notes.problem.choice
    if choice is None:
        return
    ids: set[str] = set()
    for index, option in enumerate(choice.options):
        at: Trail = ("choice", "options", index)
        _declare(notes, (*at, "id"), option.id, ids)
        _check_option(notes, at, option)
    notes.condition(("choice", "right_if"), choice.right_if, [*notes.names, *notes.option_names])


def _check_option(notes: Notes, at: Trail, option: Option) -> None:
    if tuple(sorted(option.values)) != notes.option_names:
        wanted = ", ".join(notes.option_names) or "no values"
        message, mend = f"option '{option.id}' has other values than the first one", f"Give each option: {wanted}."
        notes.note(at, message, mend, "other_values" if notes.option_names else "extra_values", known=wanted)
    for name, text in option.values.items():
        notes.quantity((*at, "values", name), text)
        if name in notes.names or name in FUNCTIONS or iskeyword(name):
            notes.note(
                (*at, "values", name),
                f"the name '{name}' is already taken",
                "Take another name.",
                "name_taken",
                name=name,
            )


_PARTS = (check_texts, check_solution, check_mistakes, check_phrases)
"""Each can rely on what those before it have found in order."""


def check_word_problem(problem: WordProblem, reading: Reading) -> list[Problem]:
    """All that is wrong with a problem whose values are valid one by one."""
    return _found(problem, reading, (*_PARTS, check_nearness))


def check_kept_problem(problem: WordProblem, reading: Reading) -> list[Problem]:
    """The same for one that a study keeps: what was given once can still be read and played."""
    return _found(problem, reading, _PARTS)


def _found(problem: WordProblem, reading: Reading, parts: Sequence[Callable[[Notes], None]]) -> list[Problem]:
    notes = Notes(problem, reading)
    for check in parts:
        if not notes.found:
            check(notes)
    return notes.found
