"""One turn of every dialogue: pick, teach, reply, and where a dialogue ends consolidate and reflect; or a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.decisions import Decision, Round, Rounds
from eduverse_mesa.decisions.tutoring import LONGEST, Judge, Replied, Reply, Taught
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.marks import says_all
from eduverse_mesa.models.tutoring.sessions import Enrolment
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.scenarios.curriculum import TOLD, Item, Unit

if TYPE_CHECKING:
    from eduverse_mesa.models.tutoring.model import TutoringModel


def take_step(model: TutoringModel) -> Rounds:
    """Take a turn of every dialogue and every test that is due. All learners think at once."""
    model.moved = due = model.due
    tested = [enrolment for enrolment in due if enrolment.exam is not None]
    talking = [enrolment for enrolment in due if enrolment.talk is not None]
    let_pass(model, [enrolment for enrolment in due if enrolment.pause is not None])
    for enrolment in talking:
        enrolment.turn += 1
    yield from pick(model, [enrolment for enrolment in talking if not enrolment.talking])
    yield from teach(model, talking)
    yield from reply(model, talking)
    yield from close(model, [enrolment for enrolment in talking if enrolment.closing])
    yield from test(model, tested)


def let_pass(model: TutoringModel, enrolments: Sequence[Enrolment]) -> None:
    """A pause goes by."""
    for enrolment in enrolments:
        assert enrolment.pause is not None
        enrolment.learner.pass_time(enrolment.pause.grade, enrolment.pause.day, enrolment.pause.episodes)
    _go_on(model, enrolments)


def pick(model: TutoringModel, enrolments: Sequence[Enrolment]) -> Rounds:
    """The tutors choose what is taught, where the agenda has not."""
    choosing = []
    for enrolment in enrolments:
        assert enrolment.talk is not None
        if enrolment.talk.unit:
            enrolment.begin(model.curriculum.units[enrolment.talk.unit])
        else:
            choosing.append(enrolment)
    asked = [
        enrolment.tutor.pick(enrolment.at(enrolment.tutor.name), enrolment.talk.grade)
        for enrolment in choosing
        if enrolment.talk is not None
    ]
    answers = yield Round("pick", asked)
    for enrolment, question, answer in zip(choosing, asked, answers, strict=True):
        names = [note.unit.id for note in question.notes]
        # Where no choice came, which is logged as failed, the first of the list is taught.
        picked = answer.outcome.unit if answer.outcome is not None else names[0]
        if picked not in names:
            raise PolicyError(
                f"'{picked[:80]}' was picked for {enrolment.learner.name}, and is none of the units of the grade.",
                mend=f"Pick one of {', '.join(names)}.",
            )
        enrolment.begin(model.curriculum.units[picked])


def teach(model: TutoringModel, enrolments: Sequence[Enrolment]) -> Rounds:
    """The tutors say something, and the learners hear it."""
    asked: list[Decision] = [
        enrolment.tutor.teach(
            enrolment.at(enrolment.tutor.name),
            enrolment.unit,
            enrolment.learner.grade,
            tuple(enrolment.learner.dialogue),
            enrolment.turn,
            enrolment.turns,
        )
        for enrolment in enrolments
        if enrolment.unit is not None
    ]
    answers = yield Round("teach", asked)
    for enrolment, answer in zip(enrolments, answers, strict=True):
        taught = answer.outcome if isinstance(answer.outcome, Taught) else Taught("", "other")
        text = _plain(taught.text)
        enrolment.learner.hear(text, taught.move)
        enrolment.finished = taught.done
        enrolment.closing = taught.done or enrolment.turn >= enrolment.turns
        model.journal.say(enrolment, "tutor", text, taught.move)


def reply(model: TutoringModel, enrolments: Sequence[Enrolment]) -> Rounds:
    """The learners reply."""
    asked = [Reply(enrolment.at(enrolment.learner.name), enrolment.learner.view()) for enrolment in enrolments]
    answers = yield Round("reply", asked)
    for enrolment, answer in zip(enrolments, answers, strict=True):
        replied = answer.outcome
        if replied is None:  # nothing was said: the tutor hears silence
            continue
        text = _plain(replied.text)
        said = type(replied)(text, replied.kind, replied.hedged, replied.confidence)
        leaks = find_leaks(enrolment.learner, said)
        enrolment.learner.say(said)
        model.journal.say(enrolment, "learner", text, replied.kind, hedged=replied.hedged, leaks=";".join(leaks))


def close(model: TutoringModel, enrolments: Sequence[Enrolment]) -> Rounds:
    """Dialogues that are over: the learners consolidate what they take with them, and some reflect."""
    asked = [enrolment.learner.consolidation(enrolment.at(enrolment.learner.name)) for enrolment in enrolments]
    answers = yield Round("consolidate", asked)
    for enrolment, answer in zip(enrolments, answers, strict=True):
        unit, dialogue = enrolment.unit, tuple(enrolment.learner.dialogue)
        assert unit is not None
        enrolment.tutor.note(unit, dialogue)
        grasp = enrolment.learner.grasping.grasp
        episode = enrolment.learner.take_in(answer.outcome)
        model.journal.close(enrolment, unit, episode, grasp=grasp, source=answer.source)
    yield from reflect(model, enrolments)
    _go_on(model, enrolments)


def reflect(model: TutoringModel, enrolments: Sequence[Enrolment]) -> Rounds:
    """The learners whose time it is look back at how they learn a subject."""
    if model.settings.arm == "base":
        return
    due = [
        (enrolment, subject)
        for enrolment in enrolments
        if (subject := enrolment.learner.reflection_due(enrolment.reflect_every))
    ]
    asked = [enrolment.learner.reflect(enrolment.at(enrolment.learner.name), subject) for enrolment, subject in due]
    answers = yield Round("reflect", asked)
    for (enrolment, subject), answer in zip(due, answers, strict=True):
        enrolment.learner.take_reflection(subject, answer.outcome)


def test(model: TutoringModel, enrolments: Sequence[Enrolment]) -> Rounds:
    """The learners answer a test, and every answer is judged."""
    asked: list[tuple[Enrolment, Unit, Item, Reply]] = []
    for enrolment in enrolments:
        exam = enrolment.exam
        assert exam is not None
        for question in exam.questions:
            unit = model.curriculum.units[question.unit]
            item = next(one for one in unit.items if one.id == question.item)
            view = enrolment.learner.exam_view(unit, item, exam.grade, exam.day)
            asked.append((enrolment, unit, item, Reply(enrolment.at(enrolment.learner.name), view)))
    answers = yield Round("test", [question for *_, question in asked])
    judging = [(row, answer) for row, answer in zip(asked, answers, strict=True) if answer.outcome is not None]
    questions = [
        Judge(
            enrolment.at(f"judge of {enrolment.learner.name}"),
            unit,
            item,
            _plain(answer.outcome.text),
            enrolment.learner.language,
        )
        for (enrolment, unit, item, _), answer in judging
    ]
    judged = yield Round("judge", questions)
    for ((enrolment, unit, item, _), answer), verdict in zip(judging, judged, strict=True):
        text = _plain(answer.outcome.text)
        score = verdict.outcome.score if verdict.outcome is not None else None
        model.journal.judge(enrolment, unit, item, answer.outcome, text=text, score=score)
    _go_on(model, enrolments)


def _go_on(model: TutoringModel, enrolments: Sequence[Enrolment]) -> None:
    """To what is next; at the end of a grade it is written down what everybody has of every concept."""
    for enrolment in enrolments:
        grade = enrolment.now.grade
        enrolment.end()
        if enrolment.over or enrolment.now.grade != grade:
            model.journal.assess(enrolment.learner)


def _plain(text: str) -> str:
    """Words of anybody as they are heard and kept: on one line, without hidden signs, and not without end."""
    return clean(text)[:LONGEST]


def find_leaks(learner: LearnerAgent, replied: Replied) -> tuple[str, ...]:
    """Units out of reach (above the grade, or of too little mastery) whose whole idea stands in the reply, and which
    nobody had spoken of in the dialogue. All marks of the idea have to be there: a word in common is no knowledge.

    The topic itself is there to be learned; only above the grade is it a leak to say it, or to answer fully right
    without a hedge, before the tutor has.
    """
    topic = learner.unit
    if topic is None:
        return ()
    spoken = [unit for unit in learner.curriculum.all_units() if _says(learner, unit, replied)]
    if not spoken:
        return ()
    heard = " ".join([one.text for one in learner.dialogue if one.speaker == "tutor"])
    return tuple(unit.id for unit in spoken if _out_of_reach(learner, unit) and not _told(learner, unit, heard))


def _says(learner: LearnerAgent, unit: Unit, replied: Replied) -> bool:
    if says_all(unit.marks, replied.text):
        return True
    if unit is not learner.unit or replied.hedged or learner.heard is None:
        return False
    asked = learner.heard.asked
    return asked is not None and asked.rate(replied.text) >= 1.0


def _out_of_reach(learner: LearnerAgent, unit: Unit) -> bool:
    mastery = learner.knowing.mastery(unit, learner.day)
    if learner.knowing.reach(unit, mastery, learner.grade) == "unknown":
        return True
    return unit is not learner.unit and mastery < learner.parameters["grasp.unknown"]


def _told(learner: LearnerAgent, unit: Unit, heard: str) -> bool:
    asked = learner.heard.asked if unit is learner.unit and learner.heard is not None else None
    if asked is not None and unit.gives_away(asked, heard):
        return True
    return unit.told_in(heard) >= TOLD or says_all(unit.marks, heard)
