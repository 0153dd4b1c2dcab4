"""The four tasks of a human agent in a class (EduVerse, study II), tried by a scripted person.

The person sits in a seat and replies to its questions like anybody at a page. The success of an attempt is read from
what the lesson left on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from eduverse_mesa.decisions import StudentView, Turned
from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.human import Act, LiveSeat, Question, Reply, Requests
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.seats_for_people import seats_of, with_people
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.vocabulary import OFF_TASK

Task = Literal["chat_with_peer", "ask_peer", "ask_teacher", "be_noticed"]

PATIENCE = 10
"""Steps that an attempt may take: a third of a lesson, and time for five tries at a classmate."""
_REPROOFS = frozenset({"addressing_sleepers", "addressing_chatters", "criticising"})

_EN = {
    "chat": "Did you see the game last night?",
    "ask": "Can you explain to me what the last part means?",
    "called": "I am not sure about that.",
    "accepted": "Yes, I think so too.",
}
_ZH = {
    "chat": "你昨天晚上看比赛了吗？",
    "ask": "你能给我讲讲刚才那部分是什么意思吗？",
    "called": "这个我不太确定。",
    "accepted": "嗯，我也这么想。",
}


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How an attempt went."""

    task: Task
    agent: str
    """The agent in whose seat the person sat."""
    done: bool
    steps: int
    what_happened: tuple[str, ...]
    """In the order of the lesson; the last line of a success is what made it one."""


class _Person:
    """Wants one thing, and is otherwise polite: answers when called, and has no time for others' requests."""

    def __init__(self, task: Task, words: Mapping[str, str]) -> None:
        self._task = task
        self._words = words
        self._tried: list[str] = []
        self._waits = False
        self.diary: list[str] = []

    def answer(self, seat: LiveSeat) -> None:
        """Reply to what the seat is asked."""
        question = seat.question
        if question is not None and seat.occupant is not None:
            seat.reply(self._reply(question), question.id)

    def _reply(self, question: Question) -> Reply:
        if question.form == "requests":
            return Requests(None, "I want something else now")
        act = self._act(question)
        said = f' and says "{act.words}"' if act.words else ""
        to = f" to {act.partner}" if act.partner else ""
        self.diary.append(f"step {question.place[1]}: wants to {act.behaviour.replace('_', ' ')}{to}{said}")
        return act

    def _act(self, question: Question) -> Act:
        if "stand_answer" in question.permitted:
            # Who is called has the floor, and can as well ask what it wanted to know.
            return Act("stand_answer", words=self._words["ask" if self._task == "ask_teacher" else "called"])
        if question.request is not None:
            return Act(question.permitted[0], question.request.sender, self._words["accepted"])
        if self._task == "be_noticed":
            return Act("sleep")
        if self._task == "ask_teacher":
            return Act("ask_question", "teacher", self._words["ask"])
        return self._turn_to_somebody(question)

    def _turn_to_somebody(self, question: Question) -> Act:
        """Ask, wait a step for what comes, then try the next one, those the person is closest to first."""
        self._waits = not self._waits
        if not self._waits or not question.partners:
            return Act("head_up")
        view: StudentView = question.decision.view  # type: ignore[attr-defined]
        closeness = {neighbour.name: neighbour.closeness for neighbour in view.neighbours}
        order = sorted(question.partners, key=lambda name: (self._tried.count(name), -closeness.get(name, 0.0), name))
        self._tried.append(order[0])
        if self._task == "ask_peer":
            return Act("ask_question", order[0], self._words["ask"])
        # Who was refused an open chat whispers: hardly anybody drops the lesson altogether for a chat.
        return Act("chat" if len(self._tried) == 1 else "side_talk", order[0], self._words["chat"])


def attempt(
    task: Task,
    scenario: Scenario,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    agent: str | None = None,
    patience: int = PATIENCE,
) -> TaskResult:
    """Try a task from the beginning of a lesson. Without `agent` the seat goes round the class with the seed."""
    if task not in _CHECKS:
        raise LessonError(f"there is no task '{task}'.", mend=f"There are {', '.join(_CHECKS)}.")
    students = [student.name for student in scenario.roll.students]
    name = students[seed % len(students)] if agent is None else agent
    person = _Person(task, _ZH if scenario.lessons[0].language == "zh" else _EN)
    seats = seats_of(scenario, person.answer)
    if name not in students:
        raise LessonError(f"there is no student '{name}'.", mend=f"There are {', '.join(students)}.")
    seats[name].sit("scripted person")
    player = LessonPlayer(scenario, seed, policy, wrap=with_people(scenario, seats))
    try:
        proof, steps = _play(player, _CHECKS[task], name, patience)
    finally:
        player.stop()
        player.wait()
    return TaskResult(task, name, bool(proof), steps, (*person.diary, *([proof] if proof else ())))


def _play(player: LessonPlayer, check: Check, name: str, patience: int) -> tuple[str, int]:
    for step in range(1, patience + 1):
        player.step()
        status = player.wait()
        if player.error is not None:
            raise player.error
        with player.still() as run:
            proof = _proof(run, check, name)
        if proof or status == "complete":
            return proof, step
    return "", patience


def _proof(run: Run, check: Check, name: str) -> str:
    return next((proof for lesson in run.lessons if (proof := check(lesson.model, name))), "")


# --- what counts as done ---

Check = Callable[[ClassroomModel, str], str]


def _exchanged(*kinds: str) -> Check:
    """A classmate took a request of one of these kinds up, and talked with the person."""

    def check(model: ClassroomModel, name: str) -> str:
        for entry in model.state.requests.all:
            request = entry.request
            if request.sender != name or request.kind not in kinds or entry.status != "accepted":
                continue
            for row in model.journal.sentences:
                if (row.speaker, row.addressee) == (request.receiver, name) and row.step >= entry.settled:
                    return f'step {row.step}: {row.speaker} takes it up and says "{row.text}"'
        return ""

    return check


def _answered(model: ClassroomModel, name: str) -> str:
    """The person's question was heard by the class, and the teacher turned to the person in return."""
    asked = [row.step for row in model.journal.sentences if row.speaker == name and row.move == "ask"]
    for row in model.journal.sentences:
        if row.role == "T" and row.addressee == name and row.step in asked:
            return f'step {row.step}: the teacher answers {name}: "{row.text}"'
    return ""


def _noticed(model: ClassroomModel, name: str) -> str:
    """The teacher spoke to the person by name because the person was off task: at once, or in the teacher's next
    turn."""
    off = {row.step for row in model.journal.students if row.student == name and row.behaviour in OFF_TASK}
    for row in model.journal.sentences:
        if row.role == "T" and row.addressee == name and row.step in off:
            return f'step {row.step}: the teacher notices {name}: "{row.text}"'
    for entry in model.journal.answers:
        turn = entry.answer.outcome
        if isinstance(turn, Turned) and turn.act in _REPROOFS and name in turn.addressed and entry.step - 1 in off:
            return f'step {entry.step}: the teacher turns to {name}: "{turn.sentences[0].text}"'
    return ""


_CHECKS: Mapping[Task, Check] = MappingProxyType(
    {
        "chat_with_peer": _exchanged("chat", "side_talk"),
        "ask_peer": _exchanged("ask_question"),
        "ask_teacher": _answered,
        "be_noticed": _noticed,
    }
)
TASKS: tuple[Task, ...] = tuple(_CHECKS)
