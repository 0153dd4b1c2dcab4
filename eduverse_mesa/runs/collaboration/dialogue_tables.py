"""A group's dialogue as tidy tables, and what each of their columns holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
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


CODEBOOK: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "": {
            "run": "id of the run in the study",
            "seed": "where its draws come from: same seed and same answers, same dialogue",
            "group": "name of the collaboration",
            "problem": "name of the problem",
            "arm": "full: with stages and schemas; vanilla: a plain chat without",
        },
        "messages": {
            "turn": "number of the message, from 1",
            "now": "when it was said, in seconds by the group's own clock",
            "stage": "stage of it: understand, organise, plan, execute or validate; empty in a plain chat",
            "speaker": "who said it",
            "role": "person; or a peer's skill, limited or advanced",
            "text": "what was said",
            "act": "dialogue act, one of the stage's; other: none of them",
            "topic": "variable or subtask that it is about",
            "stance": "agrees or disagrees with what was said before; empty: neither",
            "addressed": "who is called by name",
            "asks": "it asks something",
            "lost": "the speaker says that it does not understand",
            "clear": "the reader could make out what was meant",
            "source": "policy that answered; for a person's message the one that read it",
        },
        "turns": {"stage": "stage of the dialogue", "turns": "messages in it"},
        "acts": {
            "speaker": "who used it",
            "role": "person; or a peer's skill, limited or advanced",
            "act": "dialogue act",
            "n": "how often",
        },
        "stages": {
            "turn": "message after which the monitor was asked",
            "stage": "stage at that time",
            "finished": "what the monitor answered",
            "closed": "what the rules of the stages made of it",
            "reason": "the monitor's reason",
            "source": "policy that answered",
        },
        "errors": {
            "turn": "message with which it happened",
            "event": "introduced, adopted (taken over), noticed, corrected, or dropped (for another wrong value, or "
            "taken back as a joke)",
            "variable": "variable of the problem; choice: which options are right",
            "value": "the wrong value, or the one that took its place",
            "of": "whose error it is",
            "by": "who introduced, adopted or noticed it; or who was listened to when it was corrected or dropped",
            "words": "the sentence in which this was said; of a person only values count that are plainly asserted",
        },
        "revisions": {
            "turn": "message before which the peer thought again",
            "peer": "who changed its mind",
            "variable": "variable of its schema",
            "before": "value before, with its unit",
            "after": "value now, with its unit",
            "right": "the value now is the right one; nobody in the group is told",
            "reason": "why",
            "by": "whose words it was",
            "carried": "variables that changed with it, parted by ;",
        },
        "dialogues": {
            "session": "the how-manieth dialogue of these peers with their person",
            "stage": "stage that it has come to; solved: all are closed",
            "answer": "the answer that the group holds",
            "over": "nobody says anything more",
            "turns": "messages",
            "words_per_message": "words in a message, on average",
            "talk_gini": "how unequally members spoke: Gini coefficient of their messages",
            "limited_share": "share of the messages said by peers of limited skill",
            "person_share": "share of the messages said by people",
            "acts": "different dialogue acts used; nothing in a plain chat",
            "entropy": "how evenly acts are used: Shannon's entropy in bits; nothing in a plain chat",
            "stages": "stages that were reached; nothing in a plain chat",
            "in_order": "1: all five stages closed one after the other; nothing in a plain chat",
            "limited_errs": "1: a peer of limited skill has introduced an error",
            "limited_errs_first": "1: the first error was that of such a peer",
            "introduced": "errors introduced",
            "adopted": "errors taken over from somebody",
            "noticed": "errors noticed",
            "corrected": "errors corrected",
            "dropped": "errors given up for other errors",
            "all_corrected": "1: none is left; nothing where nobody has erred",
            "repeated": "share of the messages whose words were said before",
            "solved": "1: all stages are closed; in a plain chat: all have said that they are done",
            "right": "1: the group has agreed, and on the right answer as a whole",
        },
    }
)
"""What each column of a table holds; those under "" stand in all of them."""
