"""The life of one step: initiate, respond, feedback, regulate (IRF-R; EduVerse 3.2.2), from top to bottom.

Each part is a generator: it yields a round of decisions, receives the answers, and changes the room. The model has put
everybody in the step (`student.at`) and made the changes that were due.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from eduverse_mesa.agents.cognition import NOTHING, recall
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.agents.teacher import judge
from eduverse_mesa.codes import (
    ACT_CATEGORY,
    ACTS,
    COGNITION_LEVEL,
    EMOTION_LEVEL,
    PEER_REQUESTS,
    TO_CLASS,
)
from eduverse_mesa.decisions import (
    ClassView,
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
    Spoken,
    TakeTurn,
)
from eduverse_mesa.memory.short_term import SocialRequest
from eduverse_mesa.models.classroom.floor import share_the_floor, speak
from eduverse_mesa.models.decision_model import Asked
from eduverse_mesa.randomness import choose
from eduverse_mesa.scenarios.lesson import Idea, Question
from eduverse_mesa.space import Situation, nearest_permitted, permitted, why_not

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

Matter: TypeAlias = tuple[Idea | None, Question | None]
"""The idea of the lesson that a step is about, and the question that could be asked about it."""


def lesson_step(model: ClassroomModel) -> Rounds:
    """One step of the lesson."""
    state, teacher, students = model.state, model.teacher, model.students
    focus, group = teacher.focus(state), teacher.look(students, state)
    for student in students:
        student.start_step()
    scene = yield from open_step(model, focus, group)
    matter = teacher.matter(scene.focus)
    relief = _relief(model, scene)
    for student in students:
        student.perceive(scene, model.classmates, relief, model.parameters)
    yield from gate(model)
    bring_to_mind(model, scene, matter)
    if model.thinks:
        yield from plan(model, scene)
    else:
        yield from react(model, scene)
    share_the_floor(model, scene)
    yield from speak(model)
    if model.thinks:
        yield from monitor(model)
    took_up = yield from feedback(model, scene, group, matter)
    pace = yield from regulate_and_pace(model, scene)
    end_step(model, scene, took_up, pace)


_ASKING_ACTS = frozenset({"asking_question", "organising_discussion"})
_QUESTION_MARKS = ("?", "？")


def open_step(model: ClassroomModel, focus: Focus, group: ClassView) -> Asked[Scene]:
    """The teacher acts and speaks; the act is broadcast."""
    state, teacher = model.state, model.teacher
    acts = model.forced_acts or ACTS
    talk = tuple(state.talk)
    decision = TakeTurn(teacher.at, teacher.view(focus, group, state), acts)
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
    focus = _focus_of_turn(model, focus, turn)
    state.acts.append(act)
    if turn is not None:
        _say_to_class(model, "T", teacher.name, turn.sentences, "class")
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


def _focus_of_turn(model: ClassroomModel, focus: Focus, turn: Any) -> Focus:
    """The focus with the press that the teacher's words really made; a waiting question stays the focus."""
    if turn is None:
        return focus
    waiting = model.state.open_question
    if waiting is not None and turn.act == "asking_question" and turn.called and not focus.question:
        focus = waiting
    for said in reversed(turn.sentences):
        press = {"press-accuracy": "accuracy", "press-reasoning": "reasoning", "get-to-relate": "relate"}.get(said.move)
        if press is not None:
            return focus if focus.press == press else msgspec.structs.replace(focus, press=press)
    return focus


def _relief(model: ClassroomModel, scene: Scene) -> float:
    """A change of activity rests the mind."""
    acts = model.state.acts
    changed = len(acts) > 1 and acts[-1] != acts[-2]
    return model.parameters["fatigue.relief"] if changed and scene.category == "interaction" else 0.0


def gate(model: ClassroomModel) -> Rounds:
    """A teacher's request wins; else a peer's request is taken up when the intention is high enough (Alg. A.1)."""
    state, pool = model.state, model.state.requests
    scored: list[tuple[StudentAgent, SocialRequest]] = []
    decisions: list[Decision] = []
    for student in model.students:
        for entry in list(pool.pending_for(student.name)):
            if student.seen.called:
                pool.reject(entry, state.step, "teacher priority")
                _refused(model, entry)
                continue
            sender = entry.request.sender
            scored.append((student, entry))
            decisions.append(
                ScoreRequest(
                    student.at,
                    student.seen,
                    entry.request,
                    student.closeness.get(sender, 0.0),
                    pool.exchanged(student.name, sender),
                    pool.asked[sender, student.name] - 1,
                )
            )
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
            state.requests.accept(entry, state.step, scores)
            student.request = entry.request
            student.befriend(sender.name, model.parameters["closeness.exchange"])
            sender.befriend(student.name, model.parameters["closeness.exchange"])
        else:
            reason = "low intention" if scores.intention < threshold else "busy with another classmate"
            state.requests.reject(entry, state.step, reason, scores)
            _refused(model, entry)


def _refused(model: ClassroomModel, entry: SocialRequest) -> None:
    sender = model.classmates[entry.request.sender]
    sender.new_refusals = (*sender.new_refusals, entry.request.receiver)
    sender.befriend(entry.request.receiver, -model.parameters["closeness.refusal"])


_READABLE = 10.0
"""Cells from which what is on the board can still be read."""


def situation(student: StudentAgent, scene: Scene) -> Situation:
    """Return the place of the student and what is going on: what affordances depend on."""
    return Situation(
        called=student.seen.called,
        asked=scene.asked or scene.checked,
        directed_reading=scene.focus.do == "read" and scene.act == "giving_directions",
        mode=scene.mode,
        sees_board=student.before_board or (scene.mode != "presentation" and student.to_board <= _READABLE),
        partners=student.reachable,
        group_mates=student.mates,
        request_kind=student.request.kind if student.request is not None else None,
    )


def bring_to_mind(model: ClassroomModel, scene: Scene, matter: Matter) -> None:
    """Draw what each student could bring up about the matter, before anybody is asked what to do or say."""
    for student in model.students:
        student.recalled = recall(student.at, student.mind, scene.focus, *matter, model.parameters)


def plan(model: ClassroomModel, scene: Scene) -> Rounds:
    """Everybody plans at once; what is not permitted is replaced, and that is logged."""
    situations = [situation(student, scene) for student in model.students]
    decisions = [
        Plan(
            student.at,
            student.seen,
            permitted(where),
            student.reachable,
            student.request,
            student.refused_by,
            student.recalled or NOTHING,
        )
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield Round("plan", decisions)
    for student, where, answer in zip(model.students, situations, answers, strict=True):
        if answer.outcome is not None:
            _carry_out(model, student, where, answer.outcome, answer.outcome.sentence)


def react(model: ClassroomModel, scene: Scene) -> Rounds:
    """`nocog`: behaviour, emotion and cognition without the loop of plan, monitor and regulate."""
    situations = [situation(student, scene) for student in model.students]
    decisions = [
        React(
            student.at,
            student.seen,
            permitted(where),
            student.reachable,
            student.request,
            student.recalled or NOTHING,
        )
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield Round("react", decisions)
    for student, where, answer in zip(model.students, situations, answers, strict=True):
        if answer.outcome is not None:
            _carry_out(model, student, where, answer.outcome, "")
            appraise(student, answer.outcome)


def _carry_out(model: ClassroomModel, student: StudentAgent, where: Situation, outcome: Any, sentence: str) -> None:
    wanted = outcome.behaviour
    behaviour = nearest_permitted(wanted, where)
    if behaviour != wanted:
        model.journal.reject(model.state.step, student.name, wanted, behaviour, why_not(wanted, where))
    student.settle(behaviour, _partner(model, student, behaviour, outcome.partner), sentence)


def _partner(model: ClassroomModel, student: StudentAgent, behaviour: str, named: str) -> str:
    """The person a behaviour goes to. Most behaviours leave no choice; where one does and the policy has named nobody,
    or somebody out of reach, the model chooses, and the behaviour stays what was wished for."""
    if student.request is not None:
        return student.request.sender
    if behaviour in TO_CLASS:
        return "teacher"
    if behaviour not in PEER_REQUESTS:
        return ""
    if named in student.reachable:
        return named
    asks_teacher = behaviour == "ask_question"
    if asks_teacher and named in ("", "teacher", model.teacher.name):
        return "teacher"
    chosen = "teacher" if asks_teacher else _somebody(student)
    if named:
        other = model.teacher.name if chosen == "teacher" else chosen
        reason = f"{named} is not within talking distance (partner), so it goes to {other}"
        model.journal.reject(model.state.step, student.name, behaviour, behaviour, reason)
    return chosen


def _somebody(student: StudentAgent) -> str:
    """One of those a student can turn to, by luck; who has just refused is asked last."""
    willing = [name for name in student.reachable if name not in student.refused_by]
    return choose(student.at, "partner/unnamed", willing or student.reachable)


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
                recall=student.recalled or NOTHING,
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
            appraise(student, answer.outcome)


def appraise(student: StudentAgent, outcome: Any) -> None:
    """Take what was reported."""
    # An unknown label is left out like a failed one: it must not pass for a state the student never reported.
    student.now.emotion = outcome.emotion if outcome.emotion in EMOTION_LEVEL else ""
    student.now.cognition = outcome.cognition if outcome.cognition in COGNITION_LEVEL else ""


def feedback(model: ClassroomModel, scene: Scene, group: ClassView, matter: Matter) -> Asked[bool]:
    """The teacher gives some of them individual feedback by name; true when a student's question was taken up."""
    state, teacher = model.state, model.teacher
    heard = []
    for student in model.students:
        public = student.partner == "teacher"
        if public and student.words and student.now.behaviour in ("stand_answer", "answer_question"):
            student.quality = judge(student.words, *matter)
        shown = student.now.after(student.before)
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
    decision = GiveFeedback(teacher.at, teacher.view(scene.focus, group, state), scene.act, scene.asked, tuple(heard))
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
    journal, step, teacher = model.journal, model.state.step, model.teacher.name
    talking = [student for student in model.students if student.words]
    aloud = [student for student in talking if student.partner == "teacher"]
    aloud.sort(key=lambda student: not student.seen.called)
    answered = dict(feedback)
    for student in aloud:
        _say_to_class(model, "S", student.name, student.words, "teacher")
        if student.name in answered:
            _say_to_class(model, "T", teacher, answered.pop(student.name).sentences, student.name)
    for name, item in answered.items():
        _say_to_class(model, "T", teacher, item.sentences, name)
    for student in talking:
        if student.partner != "teacher":
            channel = "peer" if student.partner else "group"
            journal.say(step, "S", student.name, student.words, student.partner or "group", channel)


def _say_to_class(model: ClassroomModel, role: str, speaker: str, sentences: Sequence[Said], to: str) -> None:
    """Record sentences that everybody in the room hears."""
    state = model.state
    model.journal.say(state.step, role, speaker, sentences, to, "class")
    state.talk.append(Line(state.step, speaker, to, " ".join([said.text for said in sentences])))


def regulate_and_pace(model: ClassroomModel, scene: Scene) -> Asked[tuple[str, str]]:
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
    pacing = model.pacer.decision(model, scene.focus)
    if pacing is not None:
        decisions.append(pacing)
    answers = yield Round("regulate", decisions)
    for student in model.students:
        student.regulation = None
    for student, answer in zip(students, answers, strict=False):
        if answer.outcome is not None:
            student.regulation = Regulation(answer.outcome.strategy, answer.outcome.sentence)
    paced = answers[-1].outcome if pacing is not None else None
    return model.pacer.pace(model, paced, pacing is not None)


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

    def decision(self, model: ClassroomModel, focus: Focus) -> Pace | None:
        """Return the question for the teacher; None when the pace is fixed."""
        self._shown += [QUALITY[s.quality] for s in model.students if s.quality in QUALITY]
        if not self.adaptive:
            return None
        state, teacher = model.state, model.teacher
        group = teacher.look(model.students, state)
        return Pace(
            teacher.at,
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
