"""The life of one step: initiate, respond, feedback, regulate (IRF-R; EduVerse 3.2.2), from top to bottom.

Each part is a generator: it yields a round of decisions, receives the answers, and changes the room. The model has made
the changes that were due and put everybody in the step (`start_step`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.agents.teacher import judge
from eduverse_mesa.decisions import (
    Decision,
    FeedbackItem,
    Focus,
    GiveFeedback,
    Heard,
    Line,
    Monitor,
    Pace,
    Paced,
    Plan,
    React,
    Regulate,
    Regulation,
    Round,
    Rounds,
    Said,
    Scene,
    ScoreRequest,
    Scores,
    Spoken,
    TakeTurn,
)
from eduverse_mesa.memory.short_term import SharedState, SocialRequest
from eduverse_mesa.models.classroom.floor import exchange
from eduverse_mesa.models.decision_model import Asked
from eduverse_mesa.vocabulary import (
    ACT_CATEGORY,
    ACTS,
    COGNITION_LEVEL,
    EMOTION_LEVEL,
)

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def take_step(model: ClassroomModel) -> Rounds:
    """Take one step of the lesson."""
    scene = yield from open_step(model)
    perceive(model, scene)
    yield from gate(model)
    yield from (plan(model) if model.thinks else react(model))
    yield from exchange(model, scene)
    if model.thinks:
        yield from monitor(model)
    took_up = yield from feedback(model, scene)
    pace = yield from regulate_and_pace(model)
    end_step(model, scene, took_up, pace)


_ASKING_ACTS = frozenset({"asking_question", "organising_discussion"})
_QUESTION_MARKS = ("?", "？")


def open_step(model: ClassroomModel) -> Asked[Scene]:
    """The teacher acts and speaks; the act is broadcast."""
    state, teacher = model.state, model.teacher
    acts = model.forced_acts or ACTS
    talk = tuple(state.talk)
    decision = TakeTurn(teacher.at, teacher.view(state), acts)
    (answer,) = yield Round("teacher", [decision])
    turn = answer.outcome
    act = turn.act if turn is not None else ""
    if turn is not None and act not in acts:
        model.journal.reject(state.step, teacher.name, act, "", "this act is not open to the teacher now")
        turn, act = None, ""
    state.turn = turn
    called, addressed = _known(model, turn.called if turn else ()), _known(model, turn.addressed if turn else ())
    state.called = called
    state.mode = "discussion" if act == "organising_discussion" else model.layout.mode
    asks = act in _ASKING_ACTS
    teacher.focus = focus = _focus_of_turn(teacher.focus, state.open_question, turn)
    state.acts.append(act)
    if turn is not None:
        _say(model, "T", teacher.name, turn.sentences, "class")
        if ACT_CATEGORY[act] != "management":
            state.covered.append(focus.idea or focus.text)
        if asks and focus.question_id:
            state.asked_questions.add(focus.question_id)
    teacher.behaviour, teacher.emotion = act, turn.tone if turn else ""
    scene = Scene(
        lesson=teacher.lesson,
        phase=state.phases[state.phase].name,
        mode=state.mode,
        focus=focus,
        category=ACT_CATEGORY.get(act, ""),
        act=act,
        tone=turn.tone if turn else "neutral",
        sentences=turn.sentences if turn else (),
        called=called,
        addressed=addressed,
        asked=asks or bool(called),
        checked=not asks and turn is not None and any(said.text.endswith(_QUESTION_MARKS) for said in turn.sentences),
        earlier=state.earlier,
        talk=talk,
        step=state.step,
        teacher=teacher.name,
        names=tuple(model.classmates),
    )
    state.open_question = focus if act == "asking_question" else None
    state.spoken = []
    for name in called:
        model.classmates[name].calls += 1
    return scene


def _known(model: ClassroomModel, names: Sequence[str]) -> tuple[str, ...]:
    known = []
    for name in names:
        if name in model.classmates:
            known.append(name)
        else:
            model.journal.reject(model.state.step, model.teacher.name, f"call {name}", "", "nobody here has this name")
    return tuple(dict.fromkeys(known))


def _focus_of_turn(focus: Focus, waiting: Focus | None, turn: Any) -> Focus:
    """Return the focus with the press that the teacher's words really made; a waiting question stays the focus."""
    if turn is None:
        return focus
    if waiting is not None and turn.act == "asking_question" and turn.called and not focus.question:
        focus = waiting
    for said in reversed(turn.sentences):
        press = {"press-accuracy": "accuracy", "press-reasoning": "reasoning", "get-to-relate": "relate"}.get(said.move)
        if press is not None:
            return focus if focus.press == press else msgspec.structs.replace(focus, press=press)
    return focus


def perceive(model: ClassroomModel, scene: Scene) -> None:
    """Everybody takes in what the teacher does, each from their own place; a change of activity rests the mind."""
    acts, matter = model.state.acts, model.teacher.matter
    changed = len(acts) > 1 and acts[-1] != acts[-2]
    relief = model.parameters["fatigue.relief"] if changed and scene.category == "interaction" else 0.0
    for student in model.students:
        student.perceive(scene, model.classmates, matter, relief=relief, p=model.parameters)


def gate(model: ClassroomModel) -> Rounds:
    """A teacher's request wins; else a peer's request is taken up when the intention is high enough (Alg. A.1)."""
    scored: list[tuple[StudentAgent, SocialRequest]] = []
    decisions: list[Decision] = []
    for student in model.students:
        for entry, talked, asked in model.state.requests.pending_for(student.name):
            if student.seen.called:
                _refuse(model, entry, "teacher priority")
                continue
            closeness = student.closeness.get(entry.request.sender, 0.0)
            scored.append((student, entry))
            decisions.append(ScoreRequest(student.at, student.seen, entry.request, closeness, talked, asked))
    answers = yield Round("gate", decisions)
    by_student: dict[str, list[tuple[SocialRequest, Any]]] = {}
    for (student, entry), answer in zip(scored, answers, strict=True):
        if answer.outcome is not None:  # a request whose scoring failed goes on waiting
            by_student.setdefault(student.name, []).append((entry, answer.outcome))
    for name, entries in by_student.items():
        _decide(model, model.classmates[name], entries)


def _decide(model: ClassroomModel, student: StudentAgent, entries: list[tuple[SocialRequest, Any]]) -> None:
    state, threshold = model.state, model.settings.gate.threshold
    best = max(entries, key=lambda item: (item[1].intention, -item[0].request.id))
    for entry, scores in entries:
        sender = model.classmates[entry.request.sender]
        if entry is best[0] and scores.intention >= threshold:
            state.requests.settle(entry, state.step, scores=scores)
            student.request = entry.request
            student.befriend(sender.name, model.parameters["closeness.exchange"])
            sender.befriend(student.name, model.parameters["closeness.exchange"])
        else:
            reason = "low intention" if scores.intention < threshold else "busy with another classmate"
            _refuse(model, entry, reason, scores)


def _refuse(model: ClassroomModel, entry: SocialRequest, reason: str, scores: Scores | None = None) -> None:
    model.state.requests.settle(entry, model.state.step, reason, scores)
    sender = model.classmates[entry.request.sender]
    sender.new_refusals = (*sender.new_refusals, entry.request.receiver)
    sender.befriend(entry.request.receiver, -model.parameters["closeness.refusal"])


def plan(model: ClassroomModel) -> Rounds:
    """Everybody plans at once; what is not permitted is replaced, and that is logged."""
    decisions = [
        Plan(
            at=student.at,
            view=student.seen,
            permitted=student.options,
            partners=student.reachable,
            request=student.request,
            refused_by=student.refused_by,
            recall=student.recalled,
        )
        for student in model.students
    ]
    answers = yield Round("plan", decisions)
    for student, answer in zip(model.students, answers, strict=True):
        if answer.outcome is not None:
            _act(model, student, answer.outcome, answer.outcome.sentence)


def react(model: ClassroomModel) -> Rounds:
    """`nocog`: behaviour, emotion and cognition without the loop of plan, monitor and regulate."""
    decisions = [
        React(
            at=student.at,
            view=student.seen,
            permitted=student.options,
            partners=student.reachable,
            request=student.request,
            recall=student.recalled,
        )
        for student in model.students
    ]
    answers = yield Round("react", decisions)
    for student, answer in zip(model.students, answers, strict=True):
        if answer.outcome is not None:
            _act(model, student, answer.outcome, "")
            _appraise(student, answer.outcome)


def _act(model: ClassroomModel, student: StudentAgent, outcome: Any, sentence: str) -> None:
    for replaced in student.act(outcome.behaviour, outcome.partner, sentence):
        model.journal.reject(model.state.step, student.name, *replaced)


def monitor(model: ClassroomModel) -> Rounds:
    """Everybody looks at themselves: a sentence, an emotion, a level of cognition."""
    doing = [student for student in model.students if student.now.behaviour]
    aloud = tuple(spoken for spoken in model.state.spoken if spoken.addressee == "teacher")
    to_each: dict[str, list[Spoken]] = {}
    for spoken in model.state.spoken:
        to_each.setdefault(spoken.addressee, []).append(spoken)
    answers = yield Round(
        "monitor",
        [
            Monitor(
                at=student.at,
                view=student.seen,
                behaviour=student.now.behaviour,
                recall=student.recalled,
                words=student.words,
                heard=(*aloud, *to_each.get(student.name, ())),
                styled=model.styles,
                plan=student.planned,
            )
            for student in doing
        ],
    )
    for student, answer in zip(doing, answers, strict=True):
        if answer.outcome is not None:
            student.monitored = answer.outcome.sentence
            _appraise(student, answer.outcome)


def _appraise(student: StudentAgent, outcome: Any) -> None:
    """Take what was reported."""
    # An unknown label is left out like a failed one: it must not pass for a state the student never reported.
    student.now.emotion = outcome.emotion if outcome.emotion in EMOTION_LEVEL else ""
    student.now.cognition = outcome.cognition if outcome.cognition in COGNITION_LEVEL else ""


def feedback(model: ClassroomModel, scene: Scene) -> Asked[bool]:
    """The teacher gives some of them individual feedback by name; true when a student's question was taken up."""
    state, teacher = model.state, model.teacher
    heard = []
    for student in model.students:
        public = student.partner == "teacher"
        if public and student.words and student.now.behaviour in ("stand_answer", "answer_question"):
            student.quality = judge(student.words, *teacher.matter)
        shown = student.shown
        heard.append(
            Heard(
                student.name,
                shown.behaviour,
                shown.emotion,
                student.partner,
                student.words if public else (),
                student.quality or "none",
                student.seen.called,
            )
        )
    decision = GiveFeedback(teacher.at, teacher.view(state), scene.act, scene.asked, tuple(heard))
    (answer,) = yield Round("feedback", [decision])
    items = {}
    for item in answer.outcome.items if answer.outcome is not None else ():
        if item.student in model.classmates and item.student not in items:
            items[item.student] = item
        else:
            model.journal.reject(
                state.step, teacher.name, f"feedback to {item.student}", "", "no such student, or twice"
            )
    for name, item in items.items():
        model.classmates[name].receive(item.polarity, " ".join(said.text for said in item.sentences))
        state.last_feedback = item.sentences[0].text if item.sentences else state.last_feedback
    _put_in_order(model, items)
    answered = any(spoken.addressee == "teacher" for spoken in state.spoken)
    if answered:
        state.open_question = None
    return any(item.took_up and model.classmates[name].now.behaviour == "ask_question" for name, item in items.items())


def _put_in_order(model: ClassroomModel, feedback: Mapping[str, FeedbackItem]) -> None:
    """Put the talk of a step in order: those who were called, then who spoke up, each with what came back to it;
    then the teacher's words to others, and talk aside."""
    teacher = model.teacher.name
    talking = [student for student in model.students if student.words]
    aloud = [student for student in talking if student.partner == "teacher"]
    aloud.sort(key=lambda student: not student.seen.called)
    answered = dict(feedback)
    for student in aloud:
        _say(model, "S", student.name, student.words, "teacher")
        if student.name in answered:
            _say(model, "T", teacher, answered.pop(student.name).sentences, student.name)
    for name, item in answered.items():
        _say(model, "T", teacher, item.sentences, name)
    for student in talking:
        if student.partner != "teacher":
            channel = "peer" if student.partner else "group"
            _say(model, "S", student.name, student.words, student.partner or "group", channel)


def _say(
    model: ClassroomModel, role: str, speaker: str, sentences: Sequence[Said], to: str, channel: str = "class"
) -> None:
    """Record sentences; those to the class are heard by everybody in the room."""
    state = model.state
    model.journal.say(state.step, role, speaker, sentences, to, channel)
    if channel == "class":
        state.talk.append(Line(state.step, speaker, to, " ".join([said.text for said in sentences])))


def regulate_and_pace(model: ClassroomModel) -> Asked[tuple[str, str]]:
    """Students resolve what to do differently while the teacher decides whether to go on; returns how, and why."""
    students = [s for s in model.students if s.now.behaviour] if model.regulates else []
    decisions: list[Decision] = [
        Regulate(
            student.at,
            student.seen,
            student.now.behaviour,
            student.now.emotion,
            student.now.cognition,
            student.new_refusals,
            student.monitored,
        )
        for student in students
    ]
    state, teacher, pacer = model.state, model.teacher, model.pacer
    pacer.note([student.quality for student in model.students])
    if pacer.adaptive:
        teacher.look(model.students, state)
        view, done = teacher.view(state), pacer.completion(state)
        decisions.append(Pace(teacher.at, view, view.position, done, pacer.understanding, pacer.may_extend(state)))
    answers = yield Round("regulate", decisions)
    for student in model.students:
        student.regulation = None
    for student, answer in zip(students, answers, strict=False):
        if answer.outcome is not None:
            student.regulation = Regulation(answer.outcome.strategy, answer.outcome.sentence)
    return _go_on(model, answers[-1].outcome if pacer.adaptive else None)


def _go_on(model: ClassroomModel, paced: Paced | None) -> tuple[str, str]:
    state, pacer = model.state, model.pacer
    if paced is not None:
        move, reason = paced.move, paced.reason
    else:
        move, reason = "stay", "no answer came, so the plan goes on" if pacer.adaptive else "the pace is fixed"
    if move == "extend" and not pacer.may_extend(state):
        model.journal.reject(state.step, model.teacher.name, "extend", "stay", "the lesson cannot get any longer")
        move = "stay"
    return pacer.go_on(state, move), reason


def end_step(model: ClassroomModel, scene: Scene, took_up: bool, pace: tuple[str, str]) -> None:
    """Update every state, write the rows of the step, and let it become the past."""
    state = model.state
    to_each: dict[str, list[Spoken]] = {}
    for spoken in state.spoken:
        if spoken.addressee == "group":
            for mate in model.classmates[spoken.speaker].mates:
                to_each.setdefault(mate, []).append(spoken)
        elif spoken.addressee != "teacher":
            to_each.setdefault(spoken.addressee, []).append(spoken)
    for student in model.students:
        student.end_step(tuple(to_each.get(student.name, ())), model.lesson.demand, model.parameters)
    model.journal.write_step(scene, took_up, pace, model.students)
    state.earlier = tuple(spoken for spoken in state.spoken if spoken.addressee == "teacher")


QUALITY = {"right": 1.0, "partial": 0.5, "wrong": 0.0}
_UNHEARD = 0.4
"""Understanding assumed while nobody has said anything that shows it."""


class Pacer:
    """Moves the lesson through its phases."""

    def __init__(self, steps: int, stretch: float, adaptive: bool) -> None:
        self.adaptive = adaptive
        self.longest = int(steps * stretch) if adaptive else steps
        self.over = False
        self._shown: list[float] = []

    def note(self, qualities: Sequence[str]) -> None:
        """Take in how good the answers of a step were."""
        self._shown += [QUALITY[quality] for quality in qualities if quality in QUALITY]

    @property
    def understanding(self) -> float:
        """Understanding that the class has shown in this phase."""
        return sum(self._shown) / len(self._shown) if self._shown else _UNHEARD

    def completion(self, state: SharedState) -> float:
        """Return the share of the phase's steps that are done with this one."""
        return (state.step_in_phase + 1) / (state.phases[state.phase].steps + state.extensions)

    def may_extend(self, state: SharedState) -> bool:
        """Return True if there is time for the phase to get a step longer."""
        left = sum(phase.steps for phase in state.phases[state.phase + 1 :])
        longest_phase = 1 + state.phases[state.phase].steps // 3
        return self.adaptive and state.extensions < longest_phase and state.step + left < self.longest

    def go_on(self, state: SharedState, move: str) -> str:
        """Go on in the plan; returns how. A phase whose steps are all done is not stayed in."""
        if move == "stay" and self.completion(state) >= 1.0:
            move = "advance"
        state.step_in_phase += 1
        if move == "extend":
            state.extensions += 1
        elif move == "advance":
            self._next_phase(state)
        if state.step >= self.longest:
            self.over = True
        return move

    def _next_phase(self, state: SharedState) -> None:
        self._shown = []
        if state.phase + 1 == len(state.phases):
            self.over = True
            return
        state.phase += 1
        state.step_in_phase = 0
        state.extensions = 0
