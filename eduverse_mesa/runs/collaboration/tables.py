"""What was said in a study, as one tidy table."""

from __future__ import annotations

import pandas as pd

from eduverse_mesa.runs.exports import as_text
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import all_accounts
from eduverse_mesa.store.classwork import all_assignments, find_talks
from eduverse_mesa.store.messages import messages_of

COLUMNS = ["set", "student", "problem", "run", "step", "at", "stage", "speaker", "text"]


def said_table(study: Study, **of: str) -> pd.DataFrame:
    """Every message, all or those of an `assignment` or an `account`; no spreadsheet takes a cell for a formula."""
    names = {one.id: one.name for one in all_accounts(study)}
    titles = {row.id: row.title for row, _ in all_assignments(study)}
    rows = [
        (titles[talk.assignment], names[talk.account], talk.problem, talk.run, one.step, one.at, one.stage, one.speaker,
         one.text)
        for talk in find_talks(study, **of)
        for one in messages_of(study, talk.run)
        if one.speaker
    ]  # fmt: skip
    return as_text(pd.DataFrame(rows, columns=COLUMNS))
