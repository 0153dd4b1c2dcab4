"""Questions in words to students and the teacher, and the meaning of the answers: a pair of functions for each
stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import (
    Draft,
    Drafted,
    Evaluate,
    Evaluation,
    FedBack,
    FeedbackItem,
    GiveFeedback,
    Monitor,
    Monitored,
    Pace,
    Paced,
    Plan,
    Planned,
    PlannedPhase,
    Prepare,
    Prepared,
    React,
    Reacted,
    Regulate,
    Regulated,
    Said,
    ScoreRequest,
    Scores,
    Style,
    Styled,
    Summarise,
    Summarised,
    TakeTurn,
    Turned,
    WordFeedback,
    WordTurn,
)
from eduverse_mesa.policies.llm.answer import Question
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.prompts.blocks import (
    accepted_request,
    addressee,
    heard_block,
    hint_block,
    items_block,
    listing,
    refusals,
    ten,
)
from eduverse_mesa.policies.llm.shape import Many, Number, OneOf, Record, Shape, UnusableError, Words, YesNo, names
from eduverse_mesa.policies.safe_text import name_of, quote
from eduverse_mesa.vocabulary import (
    ACT_CATEGORY,
    BLOOM,
    EMOTIONS,
    GROUNDS,
    PACE_MOVES,
    PEER_REQUESTS,
    POLARITIES,
    SPOKEN,
    STRATEGIES,
    STUDENT_MOVES,
    TEACHER_MOVES,
    TO_CLASS,
    TONES,
)

_THOUGHT = Words(140)
_REASON = Words(60)
_SPOKEN = Words(160)
_EMOTION = OneOf(EMOTIONS)
_COGNITION = OneOf(BLOOM)
_STRATEGY = OneOf(STRATEGIES)
_GROUND = Record({"reason": _REASON, "score": Number(0, 100), "weight": Number(0, 10)})
_SENTENCE = Record({"text": _SPOKEN, "move": OneOf(STUDENT_MOVES)})


def said(sentences: Sequence[Mapping[str, Any]]) -> tuple[Said, ...]:
    """Sentences of an answer as they are spoken; who writes the same one twice has said it once."""
    once = {sentence["text"]: sentence["move"] for sentence in reversed(sentences)}
    return tuple(Said(text, once[text]) for text in dict.fromkeys(sentence["text"] for sentence in sentences))


def _spoken(sentences: Sequence[Said]) -> str:
    return quote(" ".join(sentence.text for sentence in sentences))


def ask_score(prompter: Prompter, decision: ScoreRequest) -> Question:
    """How willing are you to take up this request?"""
    view, request = decision.view, decision.request
    words = prompter.words(view.scene.lesson)
    blocks = {
        "sender": name_of(request.sender),
        "request": f"{words['codes'][request.kind]}. {quote(request.text)}",
        "history": words["history"].format(
            exchanges=decision.exchanges, asked=decision.asked_before, closeness=ten(decision.closeness)
        ),
    }
    fields: dict[str, Shape] = dict.fromkeys(GROUNDS, _GROUND)
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks)


def read_score(value: Mapping[str, Any], _: ScoreRequest) -> Scores:
    """Scores, and the weights as shares of their sum (Eq. 4)."""
    grounds = [value[ground] for ground in GROUNDS]
    total = sum(ground["weight"] for ground in grounds)
    weights = [ground["weight"] / total if total else 1 / len(GROUNDS) for ground in grounds]
    scores: Any = tuple(float(ground["score"]) for ground in grounds)
    reasons: Any = tuple(ground["reason"] for ground in grounds)
    shares: Any = tuple(weights)
    return Scores(scores, shares, reasons)


def _options(decision: Plan | React) -> dict[str, tuple[str, str]]:
    """Return the options open to the student now, behaviour and partner in one: no answer can name one that needs the
    other."""
    request = decision.request
    options: dict[str, tuple[str, str]] = {}
    for behaviour in decision.permitted:
        if behaviour in TO_CLASS:
            options[behaviour] = behaviour, "teacher"
        elif behaviour not in PEER_REQUESTS:
            options[behaviour] = behaviour, ""
        elif request is not None:
            options[behaviour] = behaviour, request.sender
        else:
            teacher = ("teacher",) if behaviour == "ask_question" else ()
            options |= {f"{behaviour}:{name}": (behaviour, name) for name in (*teacher, *decision.partners)}
    return options


def _choice_blocks(prompter: Prompter, decision: Plan | React) -> dict[str, str]:
    words = prompter.words(decision.view.scene.lesson)
    return {
        "behaviours": ", ".join(map(name_of, _options(decision))),
        "request": accepted_request(words, decision.request),
    }


def ask_plan(prompter: Prompter, decision: Plan) -> Question:
    """Return the question of what the student does."""
    words = prompter.words(decision.view.scene.lesson)
    blocks = {**_choice_blocks(prompter, decision), "refused": refusals(words, decision.refused_by)}
    fields: dict[str, Shape] = {"thought": _THOUGHT, "behaviour": OneOf(tuple(_options(decision)))}
    return prompter.to_student(decision.kind, decision.at, decision.view, decision.recall, fields, blocks)


def behaviour_of(value: Mapping[str, Any]) -> str:
    """The behaviour of an answer without the partner."""
    return str(value["behaviour"]).partition(":")[0]


def read_plan(value: Mapping[str, Any], decision: Plan) -> Planned:
    """One sentence, one behaviour, towards somebody."""
    return Planned(value["thought"], *_options(decision)[value["behaviour"]])


def ask_react(prompter: Prompter, decision: React) -> Question:
    """Return the question of what the student does without thinking."""
    blocks = _choice_blocks(prompter, decision)
    fields: dict[str, Shape] = {
        "behaviour": OneOf(tuple(_options(decision))),
        "emotion": _EMOTION,
        "cognition": _COGNITION,
    }
    return prompter.to_student(decision.kind, decision.at, decision.view, decision.recall, fields, blocks)


def read_react(value: Mapping[str, Any], decision: React) -> Reacted:
    """Behaviour, emotion, cognition."""
    behaviour, partner = _options(decision)[value["behaviour"]]
    return Reacted(behaviour, value["emotion"], value["cognition"], partner)


def ask_words(prompter: Prompter, decision: Draft, template: str) -> Question:
    """Return the question of what the student says: as `draft` the content, as `say` the very words."""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    blocks = {
        "behaviour": words["codes"][decision.behaviour],
        "addressee": addressee(words, decision.addressee),
        "replying": words["replying"].format(text=quote(decision.replying_to)) if decision.replying_to else "",
    }
    fields: dict[str, Shape] = {"sentences": Many(_SENTENCE, 1, 3)}
    return prompter.to_student(template, decision.at, view, decision.recall, fields, blocks)


def read_words(value: Mapping[str, Any], _: Draft) -> Drafted:
    """Sentences with their moves."""
    return Drafted(said(value["sentences"]))


def ask_style(prompter: Prompter, decision: Style, model: str) -> Question:
    """Return the request to say a draft in the student's own way."""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    blocks = {
        "plan": quote(decision.plan),
        "addressee": addressee(words, decision.addressee),
        "sentences": "\n".join(f"{place}. {quote(one.text)}" for place, one in enumerate(decision.sentences, 1)),
    }
    count = len(decision.sentences)
    fields: dict[str, Shape] = {"sentences": Many(_SPOKEN, count, count)}
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks, model)


def read_style(value: Mapping[str, Any], decision: Style) -> Styled:
    """The same sentences, the moves kept."""
    pairs = zip(value["sentences"], decision.sentences, strict=True)
    return Styled(tuple(Said(text, meant.move) for text, meant in pairs))


def ask_monitor(prompter: Prompter, decision: Monitor) -> Question:
    """Return the question of how it is going for the student."""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    heard = [
        words["heard_aloud"].format(speaker=name_of(spoken.speaker), text=_spoken(spoken.sentences))
        for spoken in decision.heard
        if spoken.speaker != view.person.name
    ]
    blocks = {
        "plan": quote(decision.plan),
        "behaviour": words["codes"][decision.behaviour],
        "words": words["you_said"].format(text=_spoken(decision.words)) if decision.words else "",
        "heard": "\n".join(heard),
    }
    fields: dict[str, Shape] = {"noticed": _THOUGHT, "emotion": _EMOTION, "cognition": _COGNITION}
    return prompter.to_student(decision.kind, decision.at, view, decision.recall, fields, blocks)


def read_monitor(value: Mapping[str, Any], _: Monitor) -> Monitored:
    """A sentence, an emotion, a level."""
    return Monitored(value["noticed"], value["emotion"], value["cognition"])


def ask_regulate(prompter: Prompter, decision: Regulate) -> Question:
    """Return the question of what the student will do differently."""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    codes = words["codes"]
    feedback = words["regulate_feedback"].format(text=quote(view.feedback.text)) if view.feedback is not None else ""
    blocks = {
        "behaviour": codes[decision.behaviour],
        "emotion": codes.get(decision.emotion, words["unknown"]),
        "monitored": quote(decision.monitored),
        "feedback": feedback,
        "refused": refusals(words, decision.refused_by),
    }
    fields: dict[str, Shape] = {"resolution": _THOUGHT, "strategy": _STRATEGY}
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks)


def read_regulate(value: Mapping[str, Any], _: Regulate) -> Regulated:
    """A resolution and its strategy."""
    return Regulated(value["resolution"], value["strategy"])


def ask_turn(prompter: Prompter, decision: Plan) -> Question:
    """A whole step in one answer."""
    words = prompter.words(decision.view.scene.lesson)
    blocks = {
        **_choice_blocks(prompter, decision),
        "refused": refusals(words, decision.refused_by),
    }
    speaks = bool(SPOKEN.intersection(decision.permitted))
    must_speak = SPOKEN.issuperset(decision.permitted)
    fields: dict[str, Shape] = {"thought": _THOUGHT, "behaviour": OneOf(tuple(_options(decision)))}
    if speaks:
        fields["words"] = Many(_SENTENCE, int(must_speak), 3)
    fields |= {
        "noticed": _THOUGHT,
        "emotion": _EMOTION,
        "cognition": _COGNITION,
        "resolution": _THOUGHT,
        "strategy": _STRATEGY,
    }
    return prompter.to_student("student_turn", decision.at, decision.view, decision.recall, fields, blocks)


def ask_summary(prompter: Prompter, decision: Summarise) -> Question:
    """How was this lesson for you?"""
    view = decision.view
    words = prompter.words(view.scene.lesson)

    def shares(of: Mapping[str, float]) -> str:
        return ", ".join(f"{words['codes'][code]} {share:.0%}" for code, share in of.items() if share)

    feedback = ", ".join(f"{words['codes'][code]} {count}" for code, count in decision.feedback.items())
    blocks = {
        "record": words["record"].format(
            behaviours=shares(decision.behaviours),
            emotions=shares(decision.emotions),
            spoke=decision.spoke,
            feedback=feedback or words["unknown"],
        ),
    }
    fields: dict[str, Shape] = {
        "summary": _THOUGHT,
        "portrait": _THOUGHT,
        "regulation": _THOUGHT,
        "strategy": _STRATEGY,
    }
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks)


def read_summary(value: Mapping[str, Any], _: Summarise) -> Summarised:
    """Return the summary that is written to long-term memory."""
    return Summarised(value["summary"], value["portrait"], value["regulation"], value["strategy"])


_TEACHER_REASON = Words(140)
_TEACHER_SENTENCE = Record({"text": Words(220), "move": OneOf(TEACHER_MOVES)})
_POLARITY = OneOf(POLARITIES)
_PACE = OneOf(PACE_MOVES)
_MOST_FEEDBACK = 3
_MOST_CALLED = 2
_LECTURE = 5


def shares_of_steps(weights: Sequence[float], steps: int) -> list[int]:
    """Steps shared out in proportion, by largest remainder; nobody goes without while there is enough for all."""
    total = sum(weights)
    exact = [steps * weight / total for weight in weights]
    counts = [int(share) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda place: (counts[place] - exact[place], place))
    for place in by_remainder[: steps - sum(counts)]:
        counts[place] += 1
    while 0 in counts and max(counts) > 1:
        counts[counts.index(max(counts))] -= 1
        counts[counts.index(0)] += 1
    return counts


def ask_prepare(prompter: Prompter, decision: Prepare) -> Question:
    """How long should each phase be?"""
    words = prompter.words(decision.lesson)
    remembered = [
        words["remembered_pupil"].format(name=name_of(name), text=quote(what.evaluation))
        for name, what in decision.remembered.items()
        if what.evaluation
    ]
    blocks = {
        "steps": str(decision.steps),
        "phases": "\n".join(
            words["phase"].format(name=phase.name, summary=quote(phase.summary)) for phase in decision.lesson.phases
        ),
        "remembered": "\n".join(remembered),
    }
    fields: dict[str, Shape] = {phase.name: Number(1, 20) for phase in decision.lesson.phases}
    people = (decision.person, tuple(decision.names))
    return prompter.before_the_lesson(decision.kind, decision.at, decision.lesson, *people, fields, blocks)


def read_prepare(value: Mapping[str, Any], decision: Prepare) -> Prepared:
    """Phases with their steps, each phase's activities spread over them in their order."""
    phases = decision.lesson.phases
    counts = shares_of_steps([value[phase.name] for phase in phases], decision.steps)
    return Prepared(
        tuple(
            PlannedPhase(phase.name, tuple(step * len(phase.activities) // count for step in range(count)))
            for phase, count in zip(phases, counts, strict=True)
            if count
        )
    )


def ask_order(prompter: Prompter, decision: Prepare, planned: PlannedPhase) -> Question:
    """Return the question of which activity is done in each step of a phase."""
    lesson = decision.lesson
    words = prompter.words(lesson)
    phase = next(phase for phase in lesson.phases if phase.name == planned.name)
    ideas = {idea.id: idea.text for idea in lesson.ideas}
    questions = {question.id: question.ask for question in lesson.questions}
    lines = []
    for number, activity in enumerate(phase.activities, 1):
        told = (activity.text, ideas.get(activity.idea or ""), questions.get(activity.question or ""))
        text = quote(" ".join(part for part in told if part), 300)
        lines.append(words["activity"].format(number=number, do=words["codes"][activity.do], text=text))
    blocks = {"phase": words["phases"][phase.name], "steps": str(planned.steps), "activities": "\n".join(lines)}
    fields: dict[str, Shape] = {"order": Many(Number(1, len(phase.activities)), planned.steps, planned.steps)}
    people = (decision.person, tuple(decision.names))
    return prompter.before_the_lesson("order", decision.at, lesson, *people, fields, blocks)


def read_order(value: Mapping[str, Any], planned: PlannedPhase) -> PlannedPhase:
    """The phase with an activity for each step."""
    return PlannedPhase(planned.name, tuple(number - 1 for number in value["order"]))


def ask_category(prompter: Prompter, decision: TakeTurn) -> Question:
    """Return the question of which category of act the teacher chooses."""
    open_now = tuple(dict.fromkeys(ACT_CATEGORY[act] for act in decision.permitted))
    blocks = {"categories": listing(open_now)}
    return prompter.to_teacher("category", decision.at, decision.view, {"category": OneOf(open_now)}, blocks)


def ask_act(prompter: Prompter, decision: TakeTurn, category: str) -> Question:
    """Return the question of which act of a category the teacher chooses."""
    words = prompter.words(decision.view.lesson)
    acts = tuple(act for act in decision.permitted if ACT_CATEGORY[act] == category)
    blocks = {"category": words["codes"][category], "acts": listing(acts)}
    return prompter.to_teacher("act", decision.at, decision.view, {"act": OneOf(acts)}, blocks)


def _sentences(act: str) -> Shape:
    return Many(_TEACHER_SENTENCE, 1, _LECTURE if act == "lecturing" else 3)


def _length(words: Mapping[str, Any], act: str) -> str:
    return str(words["length_lecture" if act == "lecturing" else "length"])


def ask_teacher_words(prompter: Prompter, decision: TakeTurn, act: str) -> Question:
    """Return the question of what the teacher says."""
    view = decision.view
    words = prompter.words(view.lesson)
    pupils = tuple(pupil.name for pupil in view.group.pupils)
    listed = ", ".join(map(name_of, pupils))
    fields: dict[str, Shape] = {"sentences": _sentences(act)}
    calling = ""
    if act == "asking_question":
        fields["call_on"] = names(pupils, _MOST_CALLED)
        calling = words["calling_question"].format(names=listed)
    elif act in ("addressing_sleepers", "addressing_chatters", "criticising", "praising", "adopting_input"):
        fields["speak_to"] = names(pupils, _MOST_CALLED)
        calling = words["calling_named"].format(names=listed)
    blocks = {
        "act": words["codes"][act],
        "hint": hint_block(words, view.focus),
        "length": _length(words, act),
        "calling": calling,
    }
    return prompter.to_teacher("teacher_words", decision.at, view, fields, blocks)


def ask_tone(prompter: Prompter, decision: TakeTurn, act: str, sentences: Sequence[Said]) -> Question:
    """In which tone?"""
    words = prompter.words(decision.view.lesson)
    blocks = {"act": words["codes"][act], "words": quote(" ".join(one.text for one in sentences), 900)}
    return prompter.to_teacher("tone", decision.at, decision.view, {"tone": OneOf(TONES)}, blocks)


def ask_teacher_turn(prompter: Prompter, decision: TakeTurn) -> Question:
    """Act, words, tone and calls in one."""
    view = decision.view
    pupils = tuple(pupil.name for pupil in view.group.pupils)
    fields: dict[str, Shape] = {
        "reason": _TEACHER_REASON,
        "act": OneOf(decision.permitted),
        "tone": OneOf(TONES),
        "sentences": Many(_TEACHER_SENTENCE, 1, _LECTURE),
        "call_on": names(pupils, _MOST_CALLED),
        "speak_to": names(pupils, _MOST_CALLED),
    }
    blocks = {"acts": listing(decision.permitted)}
    return prompter.to_teacher("teacher_turn", decision.at, view, fields, blocks)


def read_teacher_turn(value: Mapping[str, Any], _: TakeTurn) -> Turned:
    """The turn; only a question calls on anybody."""
    act = value["act"]
    if act != "lecturing" and len(value["sentences"]) > _LECTURE - 1:
        raise UnusableError(
            f"sentences has {len(value['sentences'])} entries, at most {_LECTURE - 1} are allowed for {act}"
        )
    called = tuple(dict.fromkeys(value["call_on"])) if act == "asking_question" else ()
    addressed = tuple(name for name in dict.fromkeys(value["speak_to"]) if name not in called)
    return Turned(ACT_CATEGORY[act], act, value["tone"], said(value["sentences"]), called, addressed, value["reason"])


def ask_word_turn(prompter: Prompter, decision: WordTurn) -> Question:
    """Say this turn in your words."""
    view, turn = decision.view, decision.turn
    words = prompter.words(view.lesson)
    named = ", ".join(map(name_of, turn.called or turn.addressed))
    blocks = {
        "act": words["codes"][turn.act],
        "tone": words["codes"][turn.tone],
        "calling": words["calling_given"].format(names=named) if named else "",
        "hint": quote(" ".join(one.text for one in turn.sentences), 900),
        "length": _length(words, turn.act),
    }
    return prompter.to_teacher(decision.kind, decision.at, view, {"sentences": _sentences(turn.act)}, blocks)


def _feedback_fields(decision: GiveFeedback) -> dict[str, Shape]:
    students = tuple(one.student for one in decision.heard)
    item = Record(
        {
            "student": OneOf(students),
            "polarity": _POLARITY,
            "took_up": YesNo(),
            "sentences": Many(_TEACHER_SENTENCE, 1, 2),
        }
    )
    return {"feedback": Many(item, 0, min(_MOST_FEEDBACK, len(students)))}


def _feedback_blocks(prompter: Prompter, decision: GiveFeedback) -> dict[str, str]:
    words = prompter.words(decision.view.lesson)
    return {
        "act": words["codes"].get(decision.act, words["unknown"]),
        "heard": heard_block(words, decision.heard),
        "most": str(_MOST_FEEDBACK),
    }


def ask_feedback(prompter: Prompter, decision: GiveFeedback) -> Question:
    """Return the question of which students get feedback from the teacher."""
    blocks = _feedback_blocks(prompter, decision)
    return prompter.to_teacher("feedback", decision.at, decision.view, _feedback_fields(decision), blocks)


def read_feedback(value: Mapping[str, Any], decision: GiveFeedback) -> FedBack:
    """Feedback by student. A question is taken up only where one was asked."""
    asked = {one.student for one in decision.heard if one.behaviour == "ask_question" and one.sentences}
    items: dict[str, FeedbackItem] = {}
    for item in value["feedback"]:
        name, sentences = item["student"], said(item["sentences"])
        if name in items:  # said in two goes
            sentences = (*items[name].sentences, *sentences)
        items[name] = FeedbackItem(name, item["polarity"], sentences, bool(item["took_up"]) and name in asked)
    return FedBack(tuple(items.values()))


def ask_response(prompter: Prompter, decision: GiveFeedback) -> Question:
    """Feedback and pace in one."""
    fields: dict[str, Shape] = {**_feedback_fields(decision), "pace": _PACE, "reason": _TEACHER_REASON}
    blocks = _feedback_blocks(prompter, decision)
    return prompter.to_teacher("response", decision.at, decision.view, fields, blocks)


def ask_word_feedback(prompter: Prompter, decision: WordFeedback) -> Question:
    """Say this feedback in your words."""
    view = decision.view
    words = prompter.words(view.lesson)
    students = tuple(item.student for item in decision.items)
    blocks = {
        "items": items_block(words, decision.items, decision.heard),
    }
    fields: dict[str, Shape] = dict.fromkeys(students, Many(_TEACHER_SENTENCE, 1, 2))
    return prompter.to_teacher(decision.kind, decision.at, view, fields, blocks)


def read_word_feedback(value: Mapping[str, Any], decision: WordFeedback) -> FedBack:
    """The same feedback in other words."""
    return FedBack(
        tuple(
            FeedbackItem(item.student, item.polarity, said(value[item.student]), item.took_up)
            for item in decision.items
        )
    )


def ask_pace(prompter: Prompter, decision: Pace) -> Question:
    """Is the class ready to go on?"""
    words = prompter.words(decision.view.lesson)
    blocks = {
        "completion": f"{decision.completion:.0%}",
        "understanding": f"{decision.understanding:.0%}",
        "extending": words["may_extend" if decision.may_extend else "may_not_extend"],
    }
    moves = OneOf(PACE_MOVES if decision.may_extend else ("stay", "advance"))
    return prompter.to_teacher(
        decision.kind, decision.at, decision.view, {"pace": moves, "reason": _TEACHER_REASON}, blocks
    )


def read_pace(value: Mapping[str, Any], _: Pace | GiveFeedback) -> Paced:
    """Return the pace that the teacher chooses, with the reason."""
    return Paced(value["pace"], value["reason"])


def ask_evaluate(prompter: Prompter, decision: Evaluate, students: Sequence[str]) -> Question:
    """How did these students do?"""
    words = prompter.words(decision.view.lesson)
    lines = []
    for name in students:
        quality = decision.quality.get(name)
        judged = words["evaluated_quality"].format(quality=ten(quality)) if quality is not None else ""
        lines.append(
            words["evaluated"].format(
                name=name_of(name),
                participation=ten(decision.participation[name]),
                off_task=ten(decision.off_task[name]),
                quality=judged,
            )
        )
    fields: dict[str, Shape] = dict.fromkeys(students, Record({"note": _TEACHER_REASON, "rating": Number(-5, 5)}))
    return prompter.to_teacher(decision.kind, decision.at, decision.view, fields, {"record": "\n".join(lines)})


def read_evaluate(value: Mapping[str, Any], students: Sequence[str]) -> list[Evaluation]:
    """A sentence and a rating for each of these students."""
    return [Evaluation(name, value[name]["note"], value[name]["rating"] / 5) for name in students]
