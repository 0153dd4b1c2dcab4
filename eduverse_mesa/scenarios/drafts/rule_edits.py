"""Edits of the rules that say who may easily turn to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from eduverse_mesa.scenarios.drafts.documents import EditError, append, drop, entries, mapping, plain, put
from eduverse_mesa.scenarios.drafts.placement import place_students
from eduverse_mesa.scenarios.layout_rules import SeatRuleKind
from eduverse_mesa.scenarios.plain import Plain, Trail

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafts.draft import Draft

Do = Literal["add", "keep", "drop"]
_AT: Trail = ("layout", "seat_graph")

PRESETS: dict[str, list[dict[str, Plain]]] = {
    "neighbours": [{"rule": "distance", "within": 4.5}],
    "rows": [{"rule": "distance", "within": 4.5}, {"rule": "same_row", "do": "keep"}],
    "groups": [{"rule": "same_group"}, {"rule": "across_groups", "do": "drop"}],
    "groups_and_neighbours": [{"rule": "distance", "within": 4.5}, {"rule": "same_group"}],
    "round": [{"rule": "distance", "within": 4.5}, {"rule": "opposite"}],
    "nobody": [],
}
"""Sets of rules that rooms often have; the first five are those of the layouts of EduVerse C.1.3 and their like."""


class RuleEdits:
    """Edits of the rules of a draft's seat graph; they are read in order."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def use(self, preset: str) -> None:
        """One of the ready sets of rules in the place of all rules."""
        if preset not in PRESETS:
            raise EditError("no_preset", f"there is no set of rules '{preset[:40]}'.", f"Known: {', '.join(PRESETS)}.")
        self._draft.change(put(self._draft.document, _AT, list(PRESETS[preset])), "use_rules", preset=preset)

    def add(self, rule: SeatRuleKind, do: Do = "add", **more: object) -> None:
        """A rule behind the others."""
        entry: dict[str, object] = {"rule": rule, **({} if do == "add" else {"do": do}), **more}
        self._draft.change(append(self._draft.document, _AT, plain(entry)), "add_rule", rule=rule)

    def set(self, place: int, key: str, value: object) -> None:
        """A part of a rule; one that a rule of its kind does not have goes with the kind."""
        document = put(self._draft.document, (*_AT, self._place(place), key), plain(value))
        if key == "rule":
            for other, owners in (
                ("within", ("distance",)),
                ("same_group_bonus", ("distance",)),
                ("pairs", ("pairs",)),
            ):
                if value not in owners:
                    document = drop(document, (*_AT, place, other))
        self._draft.change(document, "set_rule", merge=("rule", place, key), number=place + 1)

    def remove(self, place: int) -> None:
        """Take a rule out."""
        document = drop(self._draft.document, (*_AT, self._place(place)))
        self._draft.change(document, "remove_rule", number=place + 1)

    def shift(self, place: int, by: int) -> None:
        """Read a rule earlier or later."""
        rules = list(entries(self._draft.document, _AT))
        rule = rules.pop(self._place(place))
        rules.insert(max(0, min(len(rules), place + by)), rule)
        self._draft.change(put(self._draft.document, _AT, rules), "shift_rule", number=place + 1)

    # --- single pairs ---

    def link(self, one: str, other: str) -> None:
        """Link the seats of two students, whatever the other rules say."""
        self._say_of_pair(one, other, "add", "drop")

    def unlink(self, one: str, other: str) -> None:
        """Cut the link between the seats of two students."""
        self._say_of_pair(one, other, "drop", "add")

    def _say_of_pair(self, one: str, other: str, do: Do, against: Do) -> None:
        pair = self._seats_of(one, other)
        rules: list[Plain] = []
        for rule in entries(self._draft.document, _AT):
            mapped = mapping(rule)
            if mapped.get("rule") == "pairs" and mapped.get("do", "add") in (do, against):
                pairs = [known for known in entries(rule, ("pairs",)) if not _same(known, pair)]
                if pairs:
                    rules.append({**mapped, "pairs": pairs})
            else:
                rules.append(rule)
        last = mapping(rules[-1]) if rules else {}
        if last.get("rule") == "pairs" and last.get("do", "add") == do:
            rules[-1] = {**last, "pairs": [*entries(last, ("pairs",)), list(pair)]}
        elif rules or do == "add":
            rules.append({"rule": "pairs", **({"do": "drop"} if do == "drop" else {}), "pairs": [list(pair)]})
        document = put(self._draft.document, _AT, rules)
        self._draft.change(document, "link" if do == "add" else "unlink", name=one, other=other)

    def _seats_of(self, one: str, other: str) -> tuple[str, str]:
        sitting = place_students(self._draft.document)
        if one == other:
            raise EditError("same_student", "this is one student.", "Choose two.")
        for name in (one, other):
            if name not in sitting or not sitting[name].real:
                raise EditError(
                    "not_on_seat", f"'{name[:80]}' is not on a seat.", "Rules link seats: bring both to one.", name=name
                )
        return sitting[one].seat.id, sitting[other].seat.id

    def _place(self, place: int) -> int:
        if not 0 <= place < len(entries(self._draft.document, _AT)):
            raise EditError("no_rule", "there is no such rule.", "Choose a rule of the list.")
        return place


def _same(known: Plain, pair: tuple[str, str]) -> bool:
    return isinstance(known, list) and set(map(str, known)) == set(pair)
