"""A group's dialogue as tidy tables, and what each of their columns holds."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.measures.collaboration import NUMBERS, dialogue_numbers, stage_turns
from eduverse_mesa.models.collaboration import STAGES, CollaborationModel
from eduverse_mesa.models.collaboration.journal import EndRow, ErrorRow, MessageRow, RevisionRow, StageRow

_BY = ("problem", "arm")
_ACTS = ("problem", "arm", "speaker", "role", "act", "n")


class DialogueTables(NamedTuple):
    """What the measures of `eduverse_mesa.measures.collaboration` read, and what they say of it."""

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
