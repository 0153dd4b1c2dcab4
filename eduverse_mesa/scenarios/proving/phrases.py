"""Phrases name no quantity that there is not, and steps can be told by their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eduverse_mesa.marks import says
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.task_schema import PLACE, fill, schema_of, work


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
        for change, each in enumerate(one.changes):
            for key, own in (("how", each.how), ("says", each.says)):
                if own is not None:
                    yield ("misconceptions", index, "changes", change, key), own
