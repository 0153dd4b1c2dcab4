"""Mistakes are booked on pupils for what they claim, and for nothing else: lines by problem, written without a look at
the words that read them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from eduverse_mesa.agents.solution import likely_values, sheet_of, ways_of
from eduverse_mesa.decisions.groups import Claim, Meaning, Message, Understand
from eduverse_mesa.formulas.wording import amount_of
from eduverse_mesa.models.groups.journal import ErrorRow, Ledger
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.policies.embedded.groups.interpretation import understand
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.groups import default_peers
from eduverse_mesa.scenarios.word_problem import schema_of, work
from tests.models.groups import group, problem

LINES = Path(__file__).parent / "lines"
TABLE = {
    "steps_and_distance": ("step_length", "1200 foot/step"),
    "race_fuel": ("gallons_per_mile", "5 gallon/mile"),
    "paint_mixture": ("part", "2 cup"),
    "ribbon_bracelets": ("per_yard", "12 bracelet/yard"),
    "treat_bags": ("bags", "5 bag"),
    "poster_frame": ("ratio", "5/4"),
    "desert_growth": ("growth", "15/4 mile^2"),
    "equal_discounts": ("price", "33 dollar"),
    "phone_plans": ("a_to_c", "400/3 message"),
}
"""What is talked about, and what Alice holds it to be."""


class Line(NamedTuple):
    """A line of a pupil, where it is said, and what is in it."""

    problem: str
    group: str
    says: str
    after: str
    claims: dict[str, str]


def lines_that_claim_nothing_wrong() -> list[Line]:
    by_problem = yaml.safe_load((LINES / "no_mistake.yaml").read_text(encoding="utf-8"))
    return [
        Line(name, group, says, TABLE[name.removesuffix("_zh")][0], {})
        for name, groups in by_problem.items()
        for group, several in groups.items()
        for says in several
    ]


def lines_that_claim() -> list[Line]:
    by_problem = yaml.safe_load((LINES / "asserted.yaml").read_text(encoding="utf-8"))
    return [
        Line(name, "claimed", one["says"], one.get("after", ""), one["claims"])
        for name, several in by_problem.items()
        for one in several
    ]


@cache
def asked_of(name: str) -> dict[str, Any]:
    """What a reader is told of a problem."""
    task = problem(name)
    return {
        "task": task,
        "sheet": sheet_of(task),
        "marks": tuple((one.id, one.cue_marks) for one in task.misconceptions),
        "likely": likely_values(task),
        "ways": ways_of(task),
        "right": work(schema_of(task)),
        "peers": tuple(peer.name for peer in default_peers(task.language)),
    }


def read(line: Line, dialogue: tuple[Message, ...]) -> Meaning:
    of = asked_of(line.problem)
    stage = "validate" if "choice" in line.claims else "execute"
    question = Understand(
        Address(1, 1, 1, "reader"), "Mia", line.says, of["sheet"], ("Mia", *of["peers"]), dialogue, stage,
        STAGES[stage].acts, of["marks"], of["likely"], of["task"].language, of["ways"],
    )  # fmt: skip
    return understand(question).meaning


def booked(line: Line, dialogue: tuple[Message, ...]) -> list[ErrorRow]:
    """The mistakes that are booked on Mia for saying this."""
    of = asked_of(line.problem)
    rows: list[ErrorRow] = []
    right = {name: str(value) for name, value in of["right"].values.items()}
    ledger = Ledger(of["sheet"], "full", right, of["right"].chosen, rows)
    for message in dialogue:
        ledger.note(message)
    ledger.note(Message(len(dialogue) + 1, "Mia", line.says, "execute", read(line, dialogue)))
    return [row for row in rows if row.of == "Mia" and row.event in {"introduced", "adopted"}]


def before(line: Line) -> Iterator[tuple[Message, ...]]:
    """What may have been said just before: nothing, a question, or a wrong value."""
    of = asked_of(line.problem)
    alice, bob = of["peers"]
    about, wrong = TABLE[line.problem.removesuffix("_zh")]
    if of["task"].language == "zh":
        wrong = next(value for name, several in of["likely"] for value in several
                     if name == about and amount_of(value) == amount_of(wrong))  # fmt: skip
    topic = line.after or about
    yield ()
    yield (Message(1, bob, "...", "execute", Meaning(topic=topic, asks=True, question="value")),)
    yield (Message(1, alice, "...", "execute", Meaning(topic=about, claims=(Claim(about, wrong),))),)


NOTHING = lines_that_claim_nothing_wrong()
CLAIMED = lines_that_claim()


@pytest.mark.parametrize(("name", "group"), sorted({(line.problem, line.group) for line in NOTHING}))
def test_nobody_is_booked_for_what_they_quote_deny_ask_suppose_or_take_back(name: str, group: str) -> None:
    lines = [line for line in NOTHING if (line.problem, line.group) == (name, group)]
    found = {line.says: rows for line in lines for dialogue in before(line) if (rows := booked(line, dialogue))}
    assert not found


def test_what_is_asserted_is_heard_and_booked_where_it_is_wrong() -> None:
    """The bounds stand a little below what was reached, 193 of 209 and 110 of 121."""
    heard = [line for line in CLAIMED if _said(line).items() >= _wanted(line).items()]
    wrong = [line for line in CLAIMED if _wrong(line)]
    caught = [line for line in wrong if _wrong(line) <= {row.variable for row in booked(line, asked_before(line))}]
    assert len(NOTHING) >= 600
    assert len(CLAIMED) >= 200
    assert len(heard) / len(CLAIMED) >= 0.92
    assert len(caught) / len(wrong) >= 0.9


def asked_before(line: Line) -> tuple[Message, ...]:
    bob = asked_of(line.problem)["peers"][1]
    asked = Meaning(topic=line.after, asks=True, question="value")
    return (Message(1, bob, "...", "execute", asked),) if line.after else ()


def _said(line: Line) -> dict[str, str]:
    meaning = read(line, asked_before(line))
    said = {claim.about: str(amount_of(claim.value)) for claim in meaning.claims}
    return {**said, "choice": ",".join(sorted(meaning.chosen))} if meaning.chosen else said


def _wanted(line: Line) -> dict[str, str]:
    return {name: str(value) if name == "choice" else str(amount_of(str(value))) for name, value in line.claims.items()}


def _wrong(line: Line) -> set[str]:
    solved = asked_of(line.problem)["right"]
    right = {name: str(amount_of(str(value))) for name, value in solved.values.items()}
    right["choice"] = ",".join(sorted(solved.chosen))
    return {name for name, value in _wanted(line).items() if right[name] != value}


def lines_of(file: str) -> list[tuple[str, Any]]:
    """The lines of a file, each with its problem."""
    found = yaml.safe_load((LINES / file).read_text(encoding="utf-8"))
    return [(name, one) for name, several in found.items() for one in several]


@pytest.mark.parametrize("name", sorted({name for name, _ in lines_of("true.yaml")}))
def test_nobody_is_booked_for_what_is_true(name: str) -> None:
    """Whatever was asked before, and also where something wrong was said once."""
    found = {}
    for _, says in [one for one in lines_of("true.yaml") if one[0] == name]:
        line = Line(name, "true", says, "", {})
        rows = [row for dialogue in (*before(line), *asked(name)) for row in booked(line, dialogue)]
        found[says] = [row for row in rows if row.words == says]
    assert not {says: rows for says, rows in found.items() if rows}


def asked(name: str) -> Iterator[tuple[Message, ...]]:
    """Each question that may have been asked, before anything was said and after Mia has said what is wrong."""
    of = asked_of(name)
    likely = dict(of["likely"])
    for task in of["sheet"].tasks:
        wrong = tuple(
            Message(1, "Mia", "...", "execute", Meaning(topic=goal, claims=(Claim(goal, likely[goal][0]),)))
            for goal in of["sheet"].goals
        )
        question = Message(
            2, of["peers"][1], "...", "execute", Meaning(topic=task.variable, asks=True, question="value")
        )
        yield (question,)
        yield (*wrong, question)


@pytest.mark.parametrize(("name", "one"), lines_of("amounts.yaml"))
def test_an_amount_is_read_as_the_one_value_that_it_is(name: str, one: dict[str, Any]) -> None:
    line = Line(name, "claimed", one["says"], one.get("after", ""), one["claims"])
    rows = booked(line, asked_before(line))
    assert _said(line) == _wanted(line)
    assert {row.variable for row in rows} == _wrong(line)


def lines_by_subtask(file: str) -> list[Line]:
    return [
        Line(name, file, says, about, {})
        for name, groups in yaml.safe_load((LINES / file).read_text(encoding="utf-8")).items()
        for about, several in groups.items()
        for says in several
    ]


@pytest.mark.parametrize("line", lines_by_subtask("not_right.yaml"), ids=lambda line: f"{line.problem}-{line.says}")
def test_what_only_comes_near_is_not_right(line: Line) -> None:
    assert not counting(line, ())
    assert not counting(line, asked_before(line))


@pytest.mark.parametrize("line", lines_by_subtask("right.yaml"), ids=lambda line: f"{line.problem}-{line.says}")
def test_what_is_right_counts_and_books_nothing(line: Line) -> None:
    assert counting(line, asked_before(line))
    assert not booked(line, asked_before(line))


def counting(line: Line, dialogue: tuple[Message, ...]) -> list[str]:
    """The values that are claimed and count as the right one of what was asked."""
    of = asked_of(line.problem)
    right = str(of["right"].values[line.after])
    said = [claim.value for claim in read(line, dialogue).claims if claim.about == line.after]
    return [value for value in said if of["sheet"].counts_as(line.after, value, right)]


def test_a_mistake_is_booked_with_the_sentence_in_which_it_stands() -> None:
    line = Line("treat_bags", "", "I drew it. He can make thirty bags, one for each cookie! Now you, Bob?", "bags", {})
    [row] = booked(line, ())
    assert (row.value, row.words) == ("30 bag", "He can make thirty bags, one for each cookie!")
    line = Line("poster_frame", "", "I choose A", "choice", {"choice": "A"})
    [row] = booked(line, ())
    assert (row.variable, row.words) == ("choice", "I choose A")


@pytest.mark.parametrize(
    ("says", "events"),
    [
        ("ok, you're right", ["adopted"]),
        ("yes", []),
        ("Ok!", []),
        ("ok so Bob has 3 and you have 1200", []),
        ("okay, is Alice right?", []),
        ("Alice is right", ["adopted"]),
        ("yeah, 1200 is what Alice has", []),
        ("no, one step is 40 feet", ["introduced"]),
    ],
)
def test_who_gives_an_own_value_up_takes_the_others_only_plainly(says: str, events: list[str]) -> None:
    model = group(people=("Mia",))
    for turn, (speaker, value) in enumerate((("Mia", "3"), ("Alice", "1200")), start=1):
        meaning = Meaning(topic="step_length", claims=(Claim("step_length", f"{value} foot/step"),))
        message = Message(turn, speaker, "...", "execute", meaning)
        model.dialogue.append(message)
        model.record.note(message)
        model.ledger.note(message)
    model.hear("Mia", says)
    model.step()
    mine = [row for row in model.journal.errors if row.of == "Mia"]
    assert [row.event for row in mine] == events
    assert [row.words for row in mine] == [says] * len(events)
