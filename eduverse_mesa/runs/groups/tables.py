"""The messages of a study as one tidy table, students under other names, and the tables of a dialogue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.measures.groups import NUMBERS, dialogue_numbers, stage_turns
from eduverse_mesa.models.groups import STAGES, CollaborationModel
from eduverse_mesa.models.groups.journal import EndRow, ErrorRow, MessageRow, RevisionRow, StageRow
from eduverse_mesa.runs.groups.dialogue import seats_of
from eduverse_mesa.runs.tables import as_text
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import all_accounts
from eduverse_mesa.store.classwork import all_assignments, find_talks
from eduverse_mesa.store.dialogues import messages_of
from eduverse_mesa.store.run_list import plans

# Thai to Burmese, Khmer, kana, Han and Hangul: scripts whose words stand side by side, or with particles at a name.
_SIDE_BY_SIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W{_SIDE_BY_SIDE}]"


def rename(text: str, names: Mapping[str, str]) -> str:
    """The text with other names, whatever its capitals and spaces; of two names that stand there the longer one. A name
    is no part of a longer word, where words have spaces between them: in Chinese there is nothing beside it to see."""
    if not names:
        return text
    ordered = sorted(names, key=len, reverse=True)
    pattern = "|".join(f"({_pattern(name)})" for name in ordered)
    return re.sub(pattern, lambda found: names[ordered[(found.lastindex or 1) - 1]], text, flags=re.IGNORECASE)


def _pattern(name: str) -> str:
    inside = r"\s+".join(re.escape(word) for word in name.split())
    before = f"(?<!{_LETTER})" if re.match(_LETTER, name) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, name[-1:]) else ""
    return f"{before}{inside}{after}"


COLUMNS = ["set", "student", "problem", "run", "step", "at", "stage", "speaker", "text"]


def numbered(study: Study) -> dict[str, str]:
    """Return the names of students where they are not to be known, by their accounts."""
    accounts = dict.fromkeys(talk.account for talk in find_talks(study))
    return {account: f"student {number}" for number, account in enumerate(accounts, 1)}


def said_table(study: Study, hidden: Mapping[str, str]) -> pd.DataFrame:
    """Every message; students whose accounts are among the `hidden` are called so, also where somebody speaks to them.
    No spreadsheet takes a cell for a formula."""
    names = {one.id: one.name for one in all_accounts(study)}
    titles = {row.id: row.title for row, _ in all_assignments(study)}
    talks = find_talks(study)
    people = {run: seats_of(document) for run, _, document in plans(study, [talk.run for talk in talks])}
    rows: list[tuple[object, ...]] = []
    for talk in talks:
        who = hidden.get(talk.account, names[talk.account])
        aliases = dict.fromkeys(people[talk.run], who) if talk.account in hidden else {}
        rows += [
            (titles[talk.assignment], who, talk.problem, talk.run, one.step, one.at, one.stage,
             rename(one.speaker, aliases), rename(one.text, aliases))
            for one in messages_of(study, talk.run)
            if one.speaker
        ]  # fmt: skip
    return as_text(pd.DataFrame(rows, columns=COLUMNS))


_BY = ("problem", "arm")
_ACTS = ("problem", "arm", "speaker", "role", "act", "n")


class DialogueTables(NamedTuple):
    """The tables that the measures of `eduverse_mesa.measures.groups` read, and those that hold their results."""

    messages: pd.DataFrame
    turns: pd.DataFrame
    acts: pd.DataFrame
    stages: pd.DataFrame
    errors: pd.DataFrame
    revisions: pd.DataFrame
    dialogues: pd.DataFrame


def dialogue_tables(model: CollaborationModel) -> DialogueTables:
    """The tables of a dialogue as far as it has come."""
    journal = model.journal
    messages = pd.DataFrame(journal.messages, columns=MessageRow._fields)
    errors = pd.DataFrame(journal.errors, columns=ErrorRow._fields)
    used = Counter((row.speaker, row.role, row.act) for row in journal.messages)
    acts = [(model.problem.name, model.arm, *who, n) for who, n in used.items()]
    return DialogueTables(
        messages,
        stage_turns(messages, _BY),
        pd.DataFrame(acts, columns=list(_ACTS)),
        pd.DataFrame(journal.stages, columns=StageRow._fields),
        errors,
        pd.DataFrame(journal.revisions, columns=RevisionRow._fields),
        _dialogue(model, messages, errors),
    )


def _dialogue(model: CollaborationModel, messages: pd.DataFrame, errors: pd.DataFrame) -> pd.DataFrame:
    """One row: how far it is, and every number of it; without numbers where nothing was said."""
    ends = pd.DataFrame([model.standing], columns=EndRow._fields)
    found = ends[["problem", "arm", "stage", "answer"]].assign(session=model.session, over=not model.running)
    if messages.empty:
        return found.reindex(columns=[*found.columns, *NUMBERS])
    return found.merge(dialogue_numbers(messages, errors, ends, tuple(STAGES), _BY), on=list(_BY))
