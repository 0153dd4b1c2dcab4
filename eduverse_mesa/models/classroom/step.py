"""The life of one step: initiate, respond, feedback, regulate (IRF-R; spec section 3).

Each part is a generator: it yields a round of decisions, receives the answers, and changes the room. Read
`lesson_step` first; it is the table of contents.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from eduverse_mesa.agents.judgement import judge
from eduverse_mesa.agents.recall import NOTHING, recall
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.codes import (
    ACT_CATEGORY,
    ACTS,
    COGNITION_LEVEL,
    EMOTION_LEVEL,
    PEER_REQUESTS,
    SPOKEN,
)
from eduverse_mesa.decisions import (
    Answer,
    ClassView,
    Decision,
    Draft,
    Focus,
    GiveFeedback,
    Heard,
    Monitor,
    Plan,
    React,
    Regulate,
    Regulation,
    Round,
    Rounds,
    Scene,
    ScoreRequest,
    Spoken,
    Style,
    TakeTurn,
)
from eduverse_mesa.memory.requests import SocialRequest
from eduverse_mesa.models.classroom.closing import close_lesson
from eduverse_mesa.randomness import uniform
from eduverse_mesa.space import Situation, nearest_permitted, permitted, why_not

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

_FLOOR = frozenset({"answer_question", "ask_question", "read_aloud"})
_ASKING_ACTS = frozenset({"asking_question", "organising_discussion"})

Asking = Generator[Round, Sequence[Answer], Sequence[Answer]]


def ask(model: ClassroomModel, name: str, decisions: Sequence[Decision]) -> Asking:
    """Hand out a round and log its answers. A round with nothing to ask is none."""
    if not decisions:
        return ()
    answers = yield Round(name, decisions)
    model.journal.note(model.state.step, name, decisions, answers)
    return answers


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
    if model.thinks:
        yield from plan(model, scene)
    else:
        yield from react(model, scene)
    take_the_floor(model)
    yield from speak(model, scene)
    if model.thinks:
        yield from monitor(model)
    took_up = yield from feedback(model, scene, group)
    yield from regulate_and_pace(model, scene, took_up)
    model.end_step()
    if model.lesson_is_over:
        yield from close_lesson(model)


# --- round 1: initiate ---


def initiate(model: ClassroomModel, focus: Focus, group: ClassView) -> Generator[Round, Sequence[Answer], Scene]:
    """The teacher acts and speaks; the act is broadcast."""
    state, teacher = model.state, model.teacher
    acts = model.forced_acts or ACTS
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
        model.journal.say(state.step, "T", teacher.name, turn.sentences, "class", "class")
        if ACT_CATEGORY[act] != "management":
            state.covered.append(focus.idea or focus.text)
        if asks and focus.question_id:
            state.asked_questions.add(focus.question_id)
    teacher.behaviour, teacher.emotion = act, turn.tone if turn else ""
    scene = Scene(
        teacher.lesson,
        state.phases[state.phase].name,
        state.mode,
        focus,
        ACT_CATEGORY.get(act, ""),
        act,
        turn.tone if turn else "neutral",
        turn.sentences if turn else (),
        called,
        addressed,
        asks or bool(called) or state.open_question is not None,
        state.earlier,
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


# --- round 2: the social gate ---


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


# --- round 3: plan ---


def situation(student: StudentAgent, scene: Scene, model: ClassroomModel) -> Situation:
    """Where the student is and what is going on: what affordances depend on."""
    return Situation(
        called=student.seen.called,
        asked=scene.asked,
        directed_reading=scene.focus.do == "read" or scene.act == "giving_directions",
        mode=scene.mode,
        sees_board=model.sees_board(student, scene),
        partners=student.links,
        group_mates=model.mates(student),
        request_kind=student.request.kind if student.request is not None else None,
    )


def plan(model: ClassroomModel, scene: Scene) -> Rounds:
    """Everybody plans at once; what is not permitted is replaced, and that is logged."""
    situations = [situation(student, scene, model) for student in model.students]
    decisions = [
        Plan(
            model.address(student.name),
            student.seen,
            permitted(where),
            student.links,
            student.request,
            student.refused_by,
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
        React(model.address(student.name), student.seen, permitted(where), student.links, student.request)
        for student, where in zip(model.students, situations, strict=True)
    ]
    answers = yield from ask(model, "react", decisions)
    for student, where, answer in zip(model.students, situations, answers, strict=True):
        if answer.outcome is not None:
            _carry_out(model, student, where, answer.outcome, "")
            _appraise(student, answer.outcome)


def _carry_out(model: ClassroomModel, student: StudentAgent, where: Situation, outcome: Any, sentence: str) -> None:
    behaviour, partner = outcome.behaviour, outcome.partner
    step = model.state.step
    if behaviour not in permitted(where):
        instead = nearest_permitted(behaviour, where)
        model.journal.reject(step, student.name, behaviour, instead, why_not(behaviour, where))
        behaviour = instead
    if student.request is not None:
        partner = student.request.sender
    elif behaviour in PEER_REQUESTS and partner not in student.links:
        if behaviour == "ask_question":
            partner = "teacher"
        else:
            instead = nearest_permitted("side_talk", where._replace(partners=()))
            reason = f"{partner} is not within talking distance" if partner else "there is nobody to talk to"
            model.journal.reject(step, student.name, behaviour, instead, reason)
            behaviour, partner = instead, ""
    student.settle(behaviour, partner, sentence)


def take_the_floor(model: ClassroomModel) -> None:
    """Only so many can be heard by the class at once, and one reads at a time; the others wait for their turn."""
    wanting = [s for s in model.students if s.acted in _FLOOR and s.partner == "teacher" and not s.seen.called]
    if len(wanting) < 2:
        return
    wanting.sort(key=lambda student: uniform(model.address(student.name), "floor"))
    free = model.settings.floor - sum(1 for s in model.students if s.acted in ("stand_answer", "refuse_reply"))
    reading = False
    for student in wanting:
        instead, reason = "", ""
        if student.acted == "read_aloud" and reading:
            instead, reason = "head_up", "somebody else is reading"
        elif free <= 0:
            instead, reason = "hand_raise", "somebody else has the floor"
        if instead:
            model.journal.reject(model.state.step, student.name, student.acted, instead, reason)
            student.settle(instead, "teacher" if instead == "hand_raise" else "", student.planned)
            continue
        reading = reading or student.acted == "read_aloud"
        free -= 1


# --- round 4: words ---


def speak(model: ClassroomModel, scene: Scene) -> Rounds:
    """Those whose behaviour is spoken find their words: content first, then, where style is on, their own way."""
    state, teacher = model.state, model.teacher
    idea, question = teacher.idea(scene.focus), teacher.question(scene.focus)
    for student in model.students:
        student.recalled = recall(
            model.address(student.name), student.mind, scene.focus, idea, question, model.parameters
        )
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
                Style(model.address(student.name), student.seen, student.acted, student.partner or "group", sentences)
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


# --- round 5: monitor ---


def monitor(model: ClassroomModel) -> Rounds:
    """Everybody looks at itself: a sentence, an emotion, a level of cognition."""
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
                model.address(student.name),
                student.seen,
                student.acted,
                student.recalled or NOTHING,
                student.words,
                (*aloud, *to_each.get(student.name, ())),
                model.styles,
            )
            for student in doing
        ],
    )
    for student, answer in zip(doing, answers, strict=True):
        if answer.outcome is not None:
            student.monitored = answer.outcome.sentence
            _appraise(student, answer.outcome)


def _appraise(student: StudentAgent, outcome: Any) -> None:
    # An unknown label is left out like a failed one: it must not pass for a state the student never reported.
    student.felt = outcome.emotion if outcome.emotion in EMOTION_LEVEL else ""
    student.thought = outcome.cognition if outcome.cognition in COGNITION_LEVEL else ""


# --- round 6: feedback ---


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
        model.address(teacher.name), teacher.view(scene.focus, group, state), scene.act, tuple(heard)
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


# --- round 7: regulate, and the teacher's pacing ---


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
