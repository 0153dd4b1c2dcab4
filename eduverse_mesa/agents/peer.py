"""A virtual classmate: a way of solving the problem that may be wrong, and a mind that can be changed (MathVC, 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import mesa
import msgspec

from eduverse_mesa.agents.solution import comes_out, cues_of, touched_by, verdicts_of, work_of
from eduverse_mesa.decisions.groups import Belief, Claim, Cue, Message, Minutes, PeerView, Revised, Sheet
from eduverse_mesa.errors import FormulaError, PolicyError
from eduverse_mesa.formulas import Quantity, read_quantity
from eduverse_mesa.scenarios.groups import Peer
from eduverse_mesa.scenarios.word_problem import (
    Misconception,
    TaskSchema,
    WordProblem,
    change,
    dependents,
    fill,
    restore,
    restore_choice,
    revise,
    schema_of,
    work,
)


class Shift(NamedTuple):
    """A variable of a schema that came to be another value."""

    variable: str
    before: str
    after: str
    carried: tuple[str, ...]
    """Variables that changed with it, since they are worked out from it."""


class PeerAgent(mesa.Agent):  # type: ignore[misc, unused-ignore]
    """One peer. All they say comes from their own schema; the right one they never see, unless it is their own."""

    def __init__(
        self,
        model: Any,
        peer: Peer,
        problem: WordProblem,
        sheet: Sheet,
        misconception: Misconception | None,
        *,
        language: str = "en",
        help_left: float = 1.0,
    ) -> None:
        super().__init__(model)
        self.peer = peer
        self.name = peer.name
        self.role = peer.skill
        self.problem = problem
        self.sheet = sheet
        self.language = language
        self.help_left = help_left
        self.misconception = misconception
        """The peer's present misconception; none once the peer has seen through it."""
        self.schema: TaskSchema = schema_of(problem)
        if misconception is not None:
            self.schema = change(self.schema, misconception)
        self.chosen: tuple[str, ...] = ()
        """Choices that the peer has taken over from somebody."""
        self.revised: dict[str, None] = {}
        self._cues: tuple[Cue, ...] = ()
        if peer.skill == "advanced":
            without = misconception.id if misconception is not None else ""
            self._cues = cues_of(problem, self.schema, without)
        self._work_anew()

    def _work_anew(self) -> None:
        values = work(self.schema)
        self.values: dict[str, Quantity] = values.values
        self.work = work_of(self.problem, self.schema)
        self.verdicts = verdicts_of(self.problem, self.schema, self.chosen)
        reflection = self.problem.reflection
        units = self.schema.units
        self.means = tuple(fill(one.means, values.values, units, self.language) for one in reflection)
        self.checks = tuple(fill(one.check, values.values, units, self.language) for one in reflection)
        self.failing = tuple(
            said
            for said, one in zip(self.checks, reflection, strict=True)
            if one.formula is not None and not comes_out(one.formula, values.values, units)
        )

    @property
    def picks(self) -> tuple[str, ...]:
        """The choices that the peer holds to be right."""
        return tuple(one.option for one in self.verdicts if one.right)

    def belief(self) -> Belief | None:
        """The peer's misconception as the peer sees it."""
        one = self.misconception
        if one is None:
            return None
        thinks = fill(one.thinks, self.values, self.schema.units, self.language)
        return Belief(one.id, thinks, touched_by(self.problem, one))

    def view(
        self,
        stage: str,
        dialogue: Sequence[Message],
        minutes: Minutes,
        members: tuple[str, ...],
        people: tuple[str, ...],
    ) -> PeerView:
        """All that the peer knows now."""
        return PeerView(
            name=self.name,
            skill=self.peer.skill,
            style=self.peer.style,
            stage=stage,
            sheet=self.sheet,
            work=self.work,
            dialogue=tuple(self._taken(one) for one in dialogue),
            minutes=self._noted(minutes),
            members=members,
            people=people,
            belief=self.belief(),
            cues=self._cues,
            verdicts=self.verdicts,
            means=self.means,
            checks=self.checks,
            failing=self.failing,
            revised=tuple(self.revised),
            fading=self.help_left,
            language=self.language,
        )

    def _taken(self, message: Message) -> Message:
        """A message as this peer takes it: what may be true of something else is a value of the variable only where the
        peer has the same; else it is a number of which nobody knows what it says."""
        claims = message.meaning.claims
        if not any(claim.loose for claim in claims):
            return message
        taken = tuple(
            Claim("", claim.value.partition(" ")[0], asserted=False)
            if claim.loose and not self._has(claim.about, claim.value)
            else claim
            for claim in claims
        )
        known = tuple(claim for claim in taken if claim.about) or taken[:1]
        return msgspec.structs.replace(message, meaning=msgspec.structs.replace(message.meaning, claims=known))

    def _noted(self, minutes: Minutes) -> Minutes:
        """The minutes without what the peer does not take for a value."""
        kept = tuple(one for one in minutes.stated if not one.loose or self._has(one.variable, one.value))
        return minutes if len(kept) == len(minutes.stated) else msgspec.structs.replace(minutes, stated=kept)

    def _has(self, variable: str, value: str) -> bool:
        """Return True if the peer has worked out the same."""
        return any(one.variable == variable and self.sheet.counts_as(variable, value, one.value) for one in self.work)

    def take(self, revised: Revised) -> list[Shift]:
        """Change the schema as was decided, and everything that is worked out from what changed.

        A change with which the rest cannot be worked out any more (nothing can be divided by no steps at all) is not
        made: the peer cannot think it through, and stays with what they have.
        """
        before = dict(self.values)
        schema = self.schema
        if revised.understood:
            schema = self._see_through(revised.understood)
        if revised.changes:
            schema = self._revise(schema, revised.changes)
        if revised.chosen:
            known = {one.id for one in self.sheet.options}
            if not set(revised.chosen) <= known:
                raise PolicyError(
                    f"{self.name} is to choose {', '.join(revised.chosen)[:80]}, which is no choice.",
                    mend=f"Choose among {', '.join(sorted(known)) or 'none: this problem has no choices'}.",
                )
            self.chosen = revised.chosen
        try:
            work(schema)
        except FormulaError:
            return []
        self.schema = schema
        self._work_anew()
        shifts = self._shifts(before, tuple(revised.changes))
        self._let_go()
        return shifts

    def _see_through(self, name: str) -> TaskSchema:
        one = self.misconception
        if one is None or one.id != name:
            raise PolicyError(
                f"{self.name} is to see through '{name[:80]}', which is no mistake of its own.",
                mend="Name the mistake that stands in its view, or none.",
            )
        touched = touched_by(self.problem, one)
        schema = restore(self.schema, self.problem, touched)
        # What was held on the ground of the mistake is worked out anew, too.
        held = {name: value for name, value in schema.held.items() if name not in dependents(schema, touched)}
        schema = replace(schema, held=held)
        if one.right_if is not None:
            schema = restore_choice(schema, self.problem)
        self.misconception, self.chosen = None, ()
        return schema

    def _revise(self, schema: TaskSchema, changes: Mapping[str, str]) -> TaskSchema:
        try:
            return revise(schema, {name: read_quantity(text, schema.units) for name, text in changes.items()})
        except FormulaError as error:
            wanted = ", ".join(f"{name[:40]} = {text[:40]}" for name, text in changes.items())
            raise PolicyError(
                f"{self.name} cannot hold that {wanted}: {error.message}",
                mend="Give variables and quantities as they stand in the view.",
            ) from None

    def _let_go(self) -> None:
        """A mistake of which nothing is left is none any more."""
        one = self.misconception
        if one is None or one.right_if is not None:
            return
        touched = set(touched_by(self.problem, one))
        if touched <= set(self.schema.held) & set(self.revised):
            self.misconception = None

    def _shifts(self, before: dict[str, Quantity], named: tuple[str, ...]) -> list[Shift]:
        other = [name for name, value in self.values.items() if value != before[name]]
        first = [name for name in named if name in other] or other[:1]
        self.revised |= dict.fromkeys(other)
        carried = tuple(name for name in other if name not in first)
        return [Shift(name, str(before[name]), str(self.values[name]), carried) for name in first]
