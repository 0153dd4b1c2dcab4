"""The life of one step: initiate, respond, feedback, regulate (IRF-R; EduVerse 3.2.2).

Each part is a generator in a file of its own: it yields a round of decisions, receives the answers, and changes the
room. This is the table of contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from math import exp, log
from typing import TYPE_CHECKING, Any

import msgspec

from eduverse_mesa.agents.cognition import NOTHING, recall
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.agents.teacher import judge
from eduverse_mesa.codes import (
    ACT_CATEGORY,
    ACTS,
    COGNITION_LEVEL,
    EMOTION_LEVEL,
    EMOTIONS,
    LEVEL_NAMES,
    PEER_REQUESTS,
    SPOKEN,
    TO_CLASS,
    level_name,
)
from eduverse_mesa.decisions import (
    Answer,
    ClassView,
    Decision,
    Draft,
    Evaluate,
    Focus,
    GiveFeedback,
    Heard,
    Monitor,
    Plan,
    React,
    Regulate,
    Regulation,
    Remembered,
    Round,
    Rounds,
    Scene,
    ScoreRequest,
    Spoken,
    Style,
    Summarise,
    TakeTurn,
)
from eduverse_mesa.memory.long_term import (
    Lesson,
    LessonMemory,
    StudentEvent,
    StudentRecord,
    TeacherEvent,
    live_through,
    remember,
)
from eduverse_mesa.memory.short_term import SocialRequest
from eduverse_mesa.randomness import choose, uniform
from eduverse_mesa.space import Situation, nearest_permitted, permitted, why_not

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.journal import StudentRow
    from eduverse_mesa.models.classroom.model import ClassroomModel

Asking = Generator[Round, Sequence[Answer], Sequence[Answer]]


def ask(model: ClassroomModel, name: str, decisions: Sequence[Decision]) -> Asking:
    """Hand out a round and log its answers. A round with nothing to ask is none."""
    if not decisions:
        return ()
    answers = yield Round(name, decisions)
    model.journal.note(model.state.step, name, decisions, answers)
    return answers


_QUALITY = {"right": 1.0, "partial": 0.5, "wrong": 0.0}


def close_lesson(model: ClassroomModel) -> Rounds:
    """Ask for summaries and evaluations, and leave the lesson's memory with the model."""
    state = model.state
    state.requests.close(state.step)
    rows: dict[str, list[StudentRow]] = {student.name: [] for student in model.students}
    for row in model.journal.students:
        rows[row.student].append(row)
    decisions: list[Decision] = [_summarise(model, student, rows[student.name]) for student in model.students]
    decisions.append(_evaluate(model, rows))
    answers = yield from ask(model, "closing", decisions)
    evaluated = answers[-1].outcome
    evaluations = {item.student: item for item in evaluated.items} if evaluated is not None else {}
    records = []
    for student, answer in zip(model.students, answers[:-1], strict=True):
        said = evaluations.get(student.name)
        remembered = remember(answer.outcome, said.sentence if said else "", said.rating if said else 0.0)
        records.append(_record(model, student, remembered))
    model.memory = LessonMemory(tuple(records), tuple(_student_events(model)), tuple(_teacher_events(model)))


def _summarise(model: ClassroomModel, student: StudentAgent, rows: list[StudentRow]) -> Summarise:
    count = max(1, len(rows))
    levels = Counter(level_name(row.behaviour) for row in rows if row.behaviour)
    emotions = Counter(row.emotion for row in rows if row.emotion)
    strategies = Counter(row.strategy for row in rows if row.strategy)
    feedback = Counter(row.feedback for row in rows if row.feedback)
    return Summarise(
        at=model.address(student.name),
        view=student.seen,
        behaviours={level: levels[level] / count for level in LEVEL_NAMES},
        emotions={emotion: emotions[emotion] / count for emotion in EMOTIONS},
        strategies={strategy: number / count for strategy, number in sorted(strategies.items())},
        high_cognition=sum(COGNITION_LEVEL.get(row.cognition, 0) for row in rows) / count,
        spoke=student.spoke,
        feedback=dict(sorted(feedback.items())),
        started=model.understanding_at_start[student.name],
    )


def _evaluate(model: ClassroomModel, rows: dict[str, list[StudentRow]]) -> Evaluate:
    participation, off_task, quality = {}, {}, {}
    for name, lived in rows.items():
        levels = [level_name(row.behaviour) for row in lived if row.behaviour]
        count = max(1, len(levels))
        participation[name] = sum(1 for level in levels if level in ("active", "interactive")) / count
        off_task[name] = levels.count("off_task") / count
        judged = [_QUALITY[row.quality] for row in lived if row.quality in _QUALITY]
        if judged:
            quality[name] = sum(judged) / len(judged)
    state = model.state
    focus = model.teacher.focus(state)
    view = model.teacher.view(focus, model.teacher.look(model.students, state), state)
    return Evaluate(model.address(model.teacher.name), view, participation, quality, off_task)


def _record(model: ClassroomModel, student: StudentAgent, remembered: Remembered) -> StudentRecord:
    lesson = Lesson(
        model.lesson.name, model.lesson.subject, model.day, {goal.id: goal.text for goal in model.lesson.goals}
    )
    return StudentRecord(
        student.name,
        remembered,
        student.mind,
        live_through(model.memories[student.name], lesson, student.mind, remembered),
        dict(sorted(student.closeness.items())),
        (student.behaviour, student.emotion, student.cognition),
    )


def _student_events(model: ClassroomModel) -> list[StudentEvent]:
    events = []
    for row in model.journal.students:
        for event, content in (
            ("plan", row.plan),
            ("behaviour", row.behaviour),
            ("monitoring", row.monitoring),
            ("regulation", row.regulation),
        ):
            if content:
                events.append(StudentEvent(row.student, event, content, row.step))
    return events


def _teacher_events(model: ClassroomModel) -> list[TeacherEvent]:
    planning = [
        TeacherEvent(row.phase, "planning", f"{row.act}; {row.pacing}: {row.pacing_reason}", row.step)
        for row in model.journal.teacher
    ]
    phases = {row.step: row.phase for row in model.journal.teacher}
    feedback = [
        TeacherEvent(phases[row.step], "feedback", f"{row.student}: {row.feedback}", row.step)
        for row in model.journal.students
        if row.feedback
    ]
    return planning + feedback


def feedback(model: ClassroomModel, scene: Scene, group: ClassView) -> Generator[Round, Sequence[Answer], bool]:
    """The teacher gives some of them individual feedback by name; true when a student's question was taken up."""
    state, teacher = model.state, model.teacher
    idea, question = teacher.idea(scene.focus), teacher.question(scene.focus)
    heard = []
    for student in model.students:
        public = student.partner == "teacher"
        if public and student.words and student.acted in ("stand_answer", "answer_question"):
            student.quality = judge(student.words, idea, question)
        heard.append(
            Heard(
                student.name,
                student.acted or student.behaviour,
                student.felt or student.emotion,
                student.partner,
                student.words if public else (),
                student.quality or "none",
                student.seen.called,
            )
        )
    decision = GiveFeedback(
        model.address(teacher.name), teacher.view(scene.focus, group, state), scene.act, scene.asked, tuple(heard)
    )
    (answer,) = yield from ask(model, "feedback", [decision])
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
    model.write_transcript(items)
    answered = any(spoken.addressee == "teacher" for spoken in state.spoken)
    if answered:
        state.open_question = None
    return any(item.took_up and model.classmates[name].acted == "ask_question" for name, item in items.items())


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
                    model.address(student.name),
                    student.seen,
                    entry.request,
                    student.closeness.get(sender, 0.0),
                    pool.exchanged(student.name, sender),
                    pool.asked[sender, student.name] - 1,
                )
            )
    answers = yield from ask(model, "gate", decisions)
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


_ASKING_ACTS = frozenset({"asking_question", "organising_discussion"})
_QUESTION_MARKS = ("?", "？")


def initiate(model: ClassroomModel, focus: Focus, group: ClassView) -> Generator[Round, Sequence[Answer], Scene]:
    """The teacher acts and speaks; the act is broadcast."""
    state, teacher = model.state, model.teacher
    acts = model.forced_acts or ACTS
    talk = tuple(state.talk)
    decision = TakeTurn(model.address(teacher.name), teacher.view(focus, group, state), acts)
    (answer,) = yield from ask(model, "teacher", [decision])
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
        model.say_to_class("T", teacher.name, turn.sentences, "class")
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


def monitor(model: ClassroomModel) -> Rounds:
    """Everybody looks at themselves: a sentence, an emotion, a level of cognition."""
    doing = [student for student in model.students if student.acted]
    aloud = tuple(spoken for spoken in model.state.spoken if spoken.addressee == "teacher")
    to_each: dict[str, list[Spoken]] = {}
    for spoken in model.state.spoken:
        to_each.setdefault(spoken.addressee, []).append(spoken)
    answers = yield from ask(
        model,
        "monitor",
        [
            Monitor(
                at=model.address(student.name),
                view=student.seen,
                behaviour=student.acted,
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
    student.felt = outcome.emotion if outcome.emotion in EMOTION_LEVEL else ""
    student.thought = outcome.cognition if outcome.cognition in COGNITION_LEVEL else ""


def regulate_and_pace(model: ClassroomModel, scene: Scene, took_up: bool) -> Rounds:
    """Students resolve what to do differently while the teacher decides whether to go on."""
    students = [s for s in model.students if s.acted] if model.regulates else []
    decisions: list[Decision] = [
        Regulate(
            model.address(student.name),
            student.seen,
            student.acted,
            student.felt,
            student.thought,
            student.new_refusals,
            student.monitored,
        )
        for student in students
    ]
    pacing = model.pacer.decision(model, scene.focus)
    if pacing is not None:
        decisions.append(pacing)
    answers = yield from ask(model, "regulate", decisions)
    for student in model.students:
        student.regulation = None
    for student, answer in zip(students, answers, strict=False):
        if answer.outcome is not None:
            student.regulation = Regulation(answer.outcome.strategy, answer.outcome.sentence)
    paced = answers[-1].outcome if pacing is not None else None
    move, reason = model.pacer.pace(model, paced, pacing is not None)
    model.write_teacher(scene, took_up, move, reason)


_FLOOR = frozenset({"answer_question", "ask_question", "read_aloud"})
_READING = "somebody else is reading"
_NO_QUESTIONS = "the teacher is not taking questions now"
_TAKEN = "somebody else has the floor"
_ANSWERED = "somebody else has answered"
TURNS = frozenset({_READING, _NO_QUESTIONS, _TAKEN, _ANSWERED})
"""Reasons of those who wished for something open to them and only have to wait for their turn."""


def situation(student: StudentAgent, scene: Scene, model: ClassroomModel) -> Situation:
    """Return the place of the student and what is going on: what affordances depend on."""
    return Situation(
        called=student.seen.called,
        asked=scene.asked or scene.checked,
        directed_reading=scene.focus.do == "read" and scene.act == "giving_directions",
        mode=scene.mode,
        sees_board=model.sees_board(student, scene),
        partners=student.reachable,
        group_mates=model.mates(student),
        request_kind=student.request.kind if student.request is not None else None,
    )


def bring_to_mind(model: ClassroomModel, scene: Scene) -> None:
    """Draw what each student could bring up about the matter, before anybody is asked what to do or say."""
    idea, question = model.teacher.idea(scene.focus), model.teacher.question(scene.focus)
    for student in model.students:
        student.recalled = recall(
            model.address(student.name), student.mind, scene.focus, idea, question, model.parameters
        )


def plan(model: ClassroomModel, scene: Scene) -> Rounds:
    """Everybody plans at once; what is not permitted is replaced, and that is logged."""
    situations = [situation(student, scene, model) for student in model.students]
    decisions = [
        Plan(
            model.address(student.name),
            student.seen,
            permitted(where),
            student.reachable,
            student.request,
            student.refused_by,
            student.recalled or NOTHING,
        )
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield from ask(model, "plan", decisions)
    for student, where, answer in zip(model.students, situations, answers, strict=True):
        if answer.outcome is not None:
            _carry_out(model, student, where, answer.outcome, answer.outcome.sentence)


def react(model: ClassroomModel, scene: Scene) -> Rounds:
    """`nocog`: behaviour, emotion and cognition without the loop of plan, monitor and regulate."""
    situations = [situation(student, scene, model) for student in model.students]
    decisions = [
        React(
            model.address(student.name),
            student.seen,
            permitted(where),
            student.reachable,
            student.request,
            student.recalled or NOTHING,
        )
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield from ask(model, "react", decisions)
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
    chosen = "teacher" if asks_teacher else _somebody(model, student)
    if named:
        other = model.teacher.name if chosen == "teacher" else chosen
        reason = f"{named} is not within talking distance (partner), so it goes to {other}"
        model.journal.reject(model.state.step, student.name, behaviour, behaviour, reason)
    return chosen


def _somebody(model: ClassroomModel, student: StudentAgent) -> str:
    """One of those a student can turn to, by luck; who has just refused is asked last."""
    willing = [name for name in student.reachable if name not in student.refused_by]
    return choose(model.address(student.name), "partner/unnamed", willing or student.reachable)


def take_the_floor(model: ClassroomModel, scene: Scene) -> None:
    """Only so many can be heard by the class at once, and one reads at a time; the others wait for their turn."""
    wanting = [s for s in model.students if s.acted in _FLOOR and s.partner == "teacher" and not s.seen.called]
    wanting.sort(key=lambda student: _haste(model, student))
    free = model.settings.floor - sum(1 for s in model.students if s.acted in ("stand_answer", "refuse_reply"))
    reading = False
    # Questions nobody asked for come in where the teacher lets them, one at a time.
    teacher = model.address(model.teacher.name)
    questions = uniform(teacher, "floor") < model.parameters["floor.question"]
    # Where somebody was called by name, or one "okay" will do, another who calls out is heard only now and then.
    one_will_do = bool(scene.called) or scene.checked
    others = not one_will_do or uniform(teacher, "floor/others") < model.parameters["floor.others"]
    answered = bool(scene.called)
    for student in wanting:
        instead, reason = "", ""
        if student.acted == "read_aloud" and reading:
            instead, reason = "head_up", _READING
        elif student.acted == "ask_question" and not questions:
            instead, reason = "hand_raise", _NO_QUESTIONS
        elif free <= 0:
            instead, reason = "hand_raise", _TAKEN
        elif student.acted == "answer_question" and answered and not others:
            instead, reason = "hand_raise", _ANSWERED
        if instead:
            model.journal.reject(model.state.step, student.name, student.acted, instead, reason)
            student.settle(instead, "teacher" if instead == "hand_raise" else "", student.planned)
            continue
        reading = reading or student.acted == "read_aloud"
        questions = questions and student.acted != "ask_question"
        answered = answered or student.acted == "answer_question"
        free -= 1


def _haste(model: ClassroomModel, student: StudentAgent) -> float:
    """When a student gets a word in, by chance: the outgoing and sure of themselves call out first, so that a few take
    many of the turns (Sadker, Sadker and Zittleman 2009)."""
    lead = student.person.traits.extraversion + student.mind.confidence - 1.0
    luck = max(uniform(model.address(student.name), "floor"), 1e-12)
    return -log(luck) * exp(-model.parameters["floor.dominance"] * lead)


def speak(model: ClassroomModel) -> Rounds:
    """Those whose behaviour is spoken find their words: content first, then, where style is on, their own way."""
    state = model.state
    speakers = [student for student in model.students if student.acted in SPOKEN]
    answers = yield from ask(
        model,
        "draft",
        [
            Draft(
                model.address(student.name),
                student.seen,
                student.acted,
                student.partner or "group",
                student.recalled or NOTHING,
                student.request.text if student.request is not None else "",
            )
            for student in speakers
        ],
    )
    drafted = [(s, a.outcome.sentences) for s, a in zip(speakers, answers, strict=True) if a.outcome is not None]
    if model.styles:
        answers = yield from ask(
            model,
            "style",
            [
                Style(
                    model.address(student.name),
                    student.seen,
                    student.acted,
                    student.partner or "group",
                    sentences,
                    student.planned,
                )
                for student, sentences in drafted
            ],
        )
        styled = zip(drafted, answers, strict=True)
        drafted = [(student, a.outcome.sentences) for (student, _), a in styled if a.outcome is not None]
    for student, sentences in drafted:
        student.words = tuple(sentences)
        student.spoke += student.partner == "teacher"
        state.spoken.append(Spoken(student.name, student.partner or "group", student.words))
    _enter_requests(model)


def _enter_requests(model: ClassroomModel) -> None:
    """Turning to a classmate is a request, unless it takes one up."""
    state = model.state
    for student in model.students:
        if student.acted in PEER_REQUESTS and student.partner in model.classmates and student.request is None:
            text = " ".join(said.text for said in student.words)
            state.requests.ask(student.name, student.partner, student.acted, text, state.step)


def lesson_step(model: ClassroomModel) -> Rounds:
    """One step of the lesson."""
    state = model.state
    state.step += 1
    model.apply_interventions()
    focus = model.teacher.focus(state)
    group = model.teacher.look(model.students, state)
    for student in model.students:
        student.start_step_afresh()
    scene = yield from initiate(model, focus, group)
    for student in model.students:
        student.perceive(scene, model.percepts(student), model.classmates)
        student.attend(model.relief(scene), model.parameters)
    yield from gate(model)
    bring_to_mind(model, scene)
    if model.thinks:
        yield from plan(model, scene)
    else:
        yield from react(model, scene)
    take_the_floor(model, scene)
    yield from speak(model)
    if model.thinks:
        yield from monitor(model)
    took_up = yield from feedback(model, scene, group)
    yield from regulate_and_pace(model, scene, took_up)
    model.end_step()
    if model.over:
        yield from close_lesson(model)
