"""How playing a run can end before its end: somebody stopped it, or something went wrong."""

from __future__ import annotations

import logging

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.runs.play import Until

_LOG = logging.getLogger(__name__)


class BrokenOffError(Exception):
    """The lesson was stopped: the step it was in is not taken."""


def explain(error: BaseException, run: str, head: Until) -> EduverseError:
    """What a person is told; what nobody has foreseen is written to the log as a whole."""
    if isinstance(error, EduverseError):
        return error
    lesson, step = head
    _LOG.error("run %s broke off after lesson %d, step %d", run, lesson, step, exc_info=error)
    broken = LessonError(
        f"the lesson broke off after step {step} of lesson {lesson} ({type(error).__name__}: {error}).",
        mend="This is a mistake of the program; its log says more. The steps before it are complete: go on from them.",
    )
    broken.__cause__ = error
    return broken
