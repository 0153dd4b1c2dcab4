"""How groups solve problems together: measures over the tables of a group's journal.

Dialogues are counted as in MathVC's study with students (its section 5): messages, turns a problem, who says how much.

The tables are those of `eduverse_mesa.models.groups.journal`: messages, stages, revisions, errors and ends. A
table may hold more columns than a measure reads, such as a seed; the columns in `by` tell one dialogue from another.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from eduverse_mesa.measures.equity import gini
from eduverse_mesa.measures.language import count_words
from eduverse_mesa.measures.tables import NAN, mean, parts, require_columns, share, texts

DIALOGUE = ("dialogue",)
EVENTS = ("introduced", "adopted", "noticed", "corrected", "dropped")
OTHER = "other"
LIMITED, PERSON = "limited", "person"
"""Roles: of a peer that begins with a mistake, and of people."""
NUMBERS = (
    *("turns", "words_per_message", "talk_gini", "limited_share", "person_share", "acts", "entropy"),
    *("stages", "in_order", "limited_errs", "limited_errs_first", *EVENTS),
    *("all_corrected", "repeated", "solved", "right"),
)
"""Names of the numbers that `dialogue_numbers` tells of each dialogue."""
SHARES = frozenset(
    (
        *("talk_gini", "limited_share", "person_share", "in_order", "limited_errs", "limited_errs_first"),
        *("all_corrected", "repeated", "solved", "right"),
    )
)
"""Those that lie between 0 and 1."""


def dialogue_sizes(messages: pd.DataFrame, by: Sequence[str] = DIALOGUE) -> pd.DataFrame:
    """Turns of each dialogue, words in it and in a message, members who spoke, and how unequally they did (Gini)."""
    require_columns(messages, [*by, "speaker", "text"], name="messages")
    rows = []
    for key, part in parts(messages, by):
        words = [count_words(text) for text in texts(part, "text")]
        counts = Counter(texts(part, "speaker"))
        rows.append((*key, len(part), sum(words), mean(words), len(counts), gini(counts.values())))
    return pd.DataFrame(rows, columns=[*by, "turns", "words", "words_per_message", "speakers", "talk_gini"])


def talk_shares(messages: pd.DataFrame, by: Sequence[str] = DIALOGUE) -> pd.DataFrame:
    """Messages and words of each speaker, and the share of all messages."""
    require_columns(messages, [*by, "speaker", "role", "text"], name="messages")
    rows = []
    for key, part in parts(messages, by):
        for (speaker, role), own in part.groupby(["speaker", "role"], sort=False):
            words = sum(map(count_words, texts(own, "text")))
            rows.append((*key, speaker, role, len(own), words, len(own) / len(part)))
    return pd.DataFrame(rows, columns=[*by, "speaker", "role", "messages", "words", "share"])


def stage_turns(messages: pd.DataFrame, by: Sequence[str] = DIALOGUE) -> pd.DataFrame:
    """Messages in each stage that was reached, in the order in which they were."""
    require_columns(messages, [*by, "stage"], name="messages")
    rows = [
        (*key, stage, count)
        for key, part in parts(messages, by)
        for stage, count in Counter(texts(part, "stage")).items()
        if stage
    ]
    return pd.DataFrame(rows, columns=[*by, "stage", "turns"])


def stages_in_order(messages: pd.DataFrame, order: Sequence[str], by: Sequence[str] = DIALOGUE) -> pd.DataFrame:
    """Return the number of stages of each dialogue, and whether it went through every stage, one after the other, never
    back."""
    require_columns(messages, [*by, "stage"], name="messages")
    rows = []
    for key, part in parts(messages, by):
        seen = texts(part, "stage")
        way = [stage for place, stage in enumerate(seen) if place == 0 or seen[place - 1] != stage]
        rows.append((*key, len(set(way) & set(order)), way == list(order)))
    return pd.DataFrame(rows, columns=[*by, "stages", "in_order"])


def act_variety(messages: pd.DataFrame, by: Sequence[str] = DIALOGUE) -> pd.DataFrame:
    """Return how many different acts are used, how evenly (Shannon's entropy in bits), and the share of messages that
    are no act.

    The entropy is 0 where one act is all there is, and log2(n) where n acts come equally often.
    """
    require_columns(messages, [*by, "act"], name="messages")
    rows = []
    for key, part in parts(messages, by):
        acts = texts(part, "act")
        counts = Counter(act for act in acts if act and act != OTHER)
        total = sum(counts.values())
        bits = -sum(count / total * math.log2(count / total) for count in counts.values()) if total else NAN
        rows.append((*key, len(counts), abs(bits), share(act in ("", OTHER) for act in acts)))
    return pd.DataFrame(rows, columns=[*by, "acts", "entropy", "other"])


def messages_repeated(messages: pd.DataFrame, by: Sequence[str] = DIALOGUE) -> float:
    """The share of messages whose words were said before in the same dialogue, small letters and signs aside."""
    require_columns(messages, [*by, "text"], name="messages")
    found: list[bool] = []
    for _, part in parts(messages, by):
        said: set[str] = set()
        for text in texts(part, "text"):
            plain = "".join(sign for sign in text.casefold() if sign.isalnum() or sign.isspace())
            found.append(plain in said)
            said.add(plain)
    return share(found)


def dialogue_numbers(
    messages: pd.DataFrame,
    errors: pd.DataFrame,
    ends: pd.DataFrame,
    order: Sequence[str],
    by: Sequence[str] = DIALOGUE,
) -> pd.DataFrame:
    """A row a dialogue with every number of it; `order` names the stages as they follow one another.

    Columns: NUMBERS; limited_share and person_share are shares of what was said.
    A chat without stages has no acts to be counted either: those columns are NaN then, as is all_corrected where
    nobody has erred.
    """
    require_columns(messages, [*by, "speaker", "role", "stage"], name="messages")
    require_columns(ends, [*by, "solved", "right"], name="ends")
    key = list(by)
    counts = error_counts(errors, ends, by)
    counts["all_corrected"] = [
        left == 0 if made else NAN for left, made in zip(counts["open"], counts["first"] != "", strict=True)
    ]
    found = ends[[*key, "solved", "right"]]
    for table in (
        dialogue_sizes(messages, by),
        act_variety(messages, by),
        stages_in_order(messages, order, by),
        _of_the_limited(messages, errors, by),
        counts,
    ):
        found = found.merge(table, on=key, how="left")
    # What was named last and never agreed on is no answer of the group, and a stage that never closed not gone through.
    for name in ("right", "in_order"):
        found[name] = found[name].fillna(False).astype(bool) & found["solved"].astype(bool)
    found[list(NUMBERS)] = found[list(NUMBERS)].astype(float)
    found.loc[~found["staged"].fillna(False).astype(bool), list(_OF_STAGES)] = NAN
    return found[[*key, *NUMBERS]]


_OF_STAGES = ("acts", "entropy", "stages", "in_order")


def _of_the_limited(messages: pd.DataFrame, errors: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the words and errors of a dialogue's peers of limited skill, and other numbers that need its messages one
    by one."""
    made = errors[errors["event"] == "introduced"]
    known = {key: texts(part, "of") for key, part in parts(made, by)} if len(made) else {}
    rows = []
    for key, part in parts(messages, by):
        roles = texts(part, "role")
        said = [role == LIMITED for role in roles]
        by_people = share(role == PERSON for role in roles)
        names = {name for name, own in zip(texts(part, "speaker"), said, strict=True) if own}
        erred = [name in names for name in known.get(key, [])]
        staged = any(texts(part, "stage"))
        told = messages_repeated(part, by)
        rows.append((*key, share(said), by_people, any(erred), erred[:1] == [True], told, staged))
    columns = ["limited_share", "person_share", "limited_errs", "limited_errs_first", "repeated", "staged"]
    return pd.DataFrame(rows, columns=[*by, *columns])


def error_counts(errors: pd.DataFrame, dialogues: pd.DataFrame, by: Sequence[str] = DIALOGUE) -> pd.DataFrame:
    """Errors of each dialogue by what happened to them, whose the first was, and how many stay open.

    `dialogues` (such as the table of ends) holds a row for each dialogue: one without an error is in no table of
    errors.
    """
    require_columns(errors, [*by, "event", "of"], name="errors")
    require_columns(dialogues, list(by), name="dialogues")
    known = dict(parts(errors, by)) if len(errors) else {}
    rows = []
    for key, _ in parts(dialogues, by):
        part = known.get(key)
        events = Counter(texts(part, "event")) if part is not None else Counter[str]()
        made = events["introduced"] + events["adopted"]
        first = _first_maker(part) if part is not None else ""
        rows.append((*key, *(events[event] for event in EVENTS), made - events["corrected"] - events["dropped"], first))
    return pd.DataFrame(rows, columns=[*by, *EVENTS, "open", "first"])


def _first_maker(errors: pd.DataFrame) -> str:
    made = errors[errors["event"] == "introduced"]
    return str(made["of"].iloc[0]) if len(made) else ""


def corrections(errors: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Count the corrections by the member who had erred and the member who corrected; a member who found their own
    mistake alone is both."""
    require_columns(errors, [*by, "event", "of", "by"], name="errors")
    rows = [
        (*key, whose, who, len(own))
        for key, part in parts(errors[errors["event"] == "corrected"], by)
        for (whose, who), own in part.groupby(["of", "by"], sort=True)
    ]
    return pd.DataFrame(rows, columns=[*by, "of", "corrected_by", "n"])
