"""The changes of a fork, as they are written on the command line."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.classroom.interventions import Act, Intervention, NoChange

_ADAPTER: TypeAdapter[Any] = TypeAdapter(Intervention)
_HOW = (
    "Add --move 'Liu Li=r1_1', --trait 'Liu Li.motivation=0.9', --act lecturing or another --policy, "
    "and --at STEP for when."
)
_TRAITS = "openness, conscientiousness, extraversion, agreeableness, neuroticism, motivation, ability"


def read_changes(
    place: tuple[int, int], moves: list[str], traits: list[str], act: str | None, policy: str | None
) -> tuple[Intervention, ...]:
    """Interventions before the step that follows the place of the fork. Another policy needs none."""
    if not moves and not traits and act is None and policy is None:
        raise EduverseError("nothing is changed: the fork would be the same run once more.", mend=_HOW)
    when = {"lesson": place[0], "step": place[1] + 1}
    changes = [_move(text, when) for text in moves] + [_trait(text, when) for text in traits]
    if act is not None:
        if act not in get_args(Act):
            raise EduverseError(f"'{act}' is no act.", where="--act", mend=f"Known: {', '.join(get_args(Act))}.")
        changes.append(_valid({"change": "act", "act": act, **when}, "--act"))
    return tuple(changes) or (NoChange(lesson=when["lesson"], step=when["step"]),)


def _move(text: str, when: dict[str, int]) -> Any:
    name, sign, to = text.rpartition("=")
    if not sign:
        raise EduverseError(
            "is not NAME=SEAT.", where=f"--move {text}", mend="Write e.g. --move 'Liu Li=r1_1' or =12,5."
        )
    x, comma, y = to.partition(",")
    seat: object = to.strip()
    if comma:
        try:
            seat = (int(x), int(y))
        except ValueError:
            raise EduverseError("is no cell.", where=f"--move {text}", mend="Write X,Y in whole numbers.") from None
    return _valid({"change": "move", "student": name.strip(), "to": seat, **when}, f"--move {text}")


def _trait(text: str, when: dict[str, int]) -> Any:
    who, sign, value = text.rpartition("=")
    name, dot, trait = who.rpartition(".")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not sign or not dot or not 0 <= number <= 1:
        raise EduverseError(
            "is not NAME.TRAIT=VALUE with a value from 0 to 1.",
            where=f"--trait {text}",
            mend=f"Write e.g. --trait 'Liu Li.openness=0.8'; traits: {_TRAITS}.",
        )
    return _valid(
        {"change": "trait", "student": name.strip(), "trait": trait.strip(), "value": number, **when}, f"--trait {text}"
    )


def _valid(change: dict[str, object], where: str) -> Any:
    try:
        return _ADAPTER.validate_python(change)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise EduverseError(f"{wrong['loc'][-1]}: {wrong['msg']}.", where=where, mend=f"Traits: {_TRAITS}.") from None
