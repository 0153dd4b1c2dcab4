"""What was said in a study, as one tidy table."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from eduverse_mesa.runs.collaboration.naming import rename
from eduverse_mesa.runs.collaboration.spec import seats_of
from eduverse_mesa.runs.csv_tables import as_text
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import all_accounts
from eduverse_mesa.store.classwork import all_assignments, find_talks
from eduverse_mesa.store.managing import plans
from eduverse_mesa.store.messages import messages_of

COLUMNS = ["set", "student", "problem", "run", "step", "at", "stage", "speaker", "text"]


def numbered(study: Study) -> dict[str, str]:
    """What students are called where they are not to be known, by their accounts."""
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
