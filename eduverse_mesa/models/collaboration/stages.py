"""The stages of solving a problem together, their dialogue acts and who may follow whom, as data.

Stages and acts are those of MathVC (section 3.2.1, Table 1), which took the stages from PISA 2015's framework for
collaborative problem solving.
"""

from __future__ import annotations

from typing import NamedTuple


class Stage(NamedTuple):
    """A stage, what is done in it with words, and the one legal successor."""

    name: str
    acts: tuple[str, ...]
    then: str
    """The stage that follows; never another."""
    least: int = 1
    """Messages before it may close."""
    most: int | None = None
    """Messages after which it closes, whatever was said."""


SOLVED = "solved"
UNDERSTAND, ORGANISE, PLAN, EXECUTE, VALIDATE = ("understand", "organise", "plan", "execute", "validate")

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage(
            UNDERSTAND,
            (
                "present_understanding",
                "clarify_understanding",
                "answer_understanding",
                "second_understanding",
                "agree_understanding",
            ),
            ORGANISE,
            least=2,
            most=4,
        ),
        Stage(ORGANISE, ("divide_work", "volunteer", "second_roles", "agree_roles"), PLAN, least=2, most=4),
        Stage(
            PLAN,
            ("invite_teammate", "state_plan", "clarify_plan", "answer_plan", "second_plan", "agree_plan"),
            EXECUTE,
        ),
        Stage(EXECUTE, ("state_result", "clarify_result", "answer_result", "second_result", "agree_result"), VALIDATE),
        Stage(VALIDATE, ("reflect", "summarise"), SOLVED),
    )
}
"""The five stages in order. Two of them are short by law: "within 3 or 4 rounds" (MathVC, Figure 5)."""

FIRST = UNDERSTAND
ORDER = (*STAGES, SOLVED)

OTHER_ACT = "other"
"""What a person says that is none of a stage's acts: a joke, a word that nobody understands."""
