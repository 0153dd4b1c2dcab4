"""Whether somebody agrees: a word of agreement counts for nothing where anything in its clause denies or doubts it."""

from __future__ import annotations

import re

from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern


def stance_of(ear: Ear, text: str) -> str:
    """ "agrees", "disagrees" or neither. A stage closes on what is read here: what is mixed is no agreement."""
    for kind in ("concedes", "beside_agreeing"):
        to = "agree" if kind == "concedes" and not ear.han else "同意" if kind == "concedes" else " "
        for one in ear.patterns(kind):
            text = pattern(one).sub(to, text)
    if ear.hears("disagree", text):
        return "disagrees"
    if ear.hears("proposes", text):
        return "agrees"
    # "is that right?" asks, it does not agree
    statement = re.sub(r"[^.!?]*\?", " ", text)
    clauses = [one.strip() for one in pattern(ear.patterns("clauses")[0]).split(statement) if one and one.strip()]
    read = [_clause(ear, one) for one in clauses]
    if "denied" in read:
        return "disagrees"
    return "agrees" if "agreed" in read and not ear.hears("conditions", statement) else ""


def _clause(ear: Ear, clause: str) -> str:
    """ "agreed", "denied", or empty where it says neither or only asks."""
    if ear.hears("refuses", clause):
        return "denied"
    found = [match for one in ear.patterns("agree") for match in pattern(one).finditer(clause)]
    if not found:
        return ""
    before = clause[: max(match.start() for match in found)]
    if ear.hears("denies", before) or ear.hears("denies_behind", clause):
        return "denied"
    return "" if ear.hears("withholds", clause) else "agreed"
