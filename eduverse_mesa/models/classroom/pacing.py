"""The lesson's pace: stay with the plan, extend a phase, or move on (Algorithm A.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.decisions import Focus, Pace, Paced

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

_QUALITY = {"right": 1.0, "partial": 0.5, "wrong": 0.0}
_UNHEARD = 0.4
"""Understanding assumed while nobody has said anything that shows it."""


class Pacer:
    """Moves the lesson through its phases."""

    def __init__(self, steps: int, stretch: float, adaptive: bool) -> None:
        self.adaptive = adaptive
        self.longest = int(steps * stretch) if adaptive else steps
        self.over = False
        self._shown: list[float] = []

    def decision(self, model: ClassroomModel, focus: Focus) -> Pace | None:
        """What to ask the teacher; nothing when the pace is fixed."""
        self._shown += [_QUALITY[s.quality] for s in model.students if s.quality in _QUALITY]
        if not self.adaptive:
            return None
        state, teacher = model.state, model.teacher
        group = teacher.look(model.students, state)
        return Pace(
            model.address(teacher.name),
            teacher.view(focus, group, state),
            teacher.position(state),
            self._completion(model),
            sum(self._shown) / len(self._shown) if self._shown else _UNHEARD,
            self._may_extend(model),
        )

    def pace(self, model: ClassroomModel, paced: Paced | None, asked: bool) -> tuple[str, str]:
        """Carry the decision out; returns what was done and why."""
        state = model.state
        done = self._completion(model) >= 1.0
        move, reason = (paced.move, paced.reason) if paced is not None else ("stay", "")
        if paced is None:
            reason = "no answer came, so the plan goes on" if asked else "the pace is fixed"
        if move == "extend" and not self._may_extend(model):
            model.journal.reject(state.step, model.teacher.name, "extend", "stay", "the lesson cannot get any longer")
            move = "stay"
        if move == "stay" and done:
            move = "advance"
        state.step_in_phase += 1
        if move == "extend":
            state.extensions += 1
        elif move == "advance":
            self._next_phase(model)
        if state.step >= self.longest:
            self.over = True
        return move, reason

    def _next_phase(self, model: ClassroomModel) -> None:
        state = model.state
        self._shown = []
        if state.phase + 1 == len(state.phases):
            self.over = True
            return
        state.phase += 1
        state.step_in_phase = 0
        state.extensions = 0

    def _completion(self, model: ClassroomModel) -> float:
        state = model.state
        return (state.step_in_phase + 1) / (state.phases[state.phase].steps + state.extensions)

    def _may_extend(self, model: ClassroomModel) -> bool:
        state = model.state
        left = sum(phase.steps for phase in state.phases[state.phase + 1 :])
        longest_phase = 1 + state.phases[state.phase].steps // 3
        return self.adaptive and state.extensions < longest_phase and state.step + left < self.longest
