"""Evaluation of tutors: what every learner goes through, what came of it, and what it says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pandas as pd

from eduverse_mesa.agents.uptake import listen
from eduverse_mesa.decisions import Answer, Bill
from eduverse_mesa.decisions.tutoring import NO_ATTEMPT, TRAITS, Utterance
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.measures.intervals import Interval, paired_interval, standardised
from eduverse_mesa.measures.learners import scored_alike
from eduverse_mesa.measures.tutor_outcomes import (
    EXAMS,
    GroupGain,
    PairedOutcome,
    gains_by_profile,
    learner_outcomes,
    outcome_means,
    paired_outcomes,
    profile_gaps,
    retained,
)
from eduverse_mesa.models.tutoring import Exam, Pause, Question, Session, Talk, TutoringModel
from eduverse_mesa.models.tutoring.journal import AnswerRow, EpisodeRow, LineRow
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.llm.calling import Ledger, billed_to
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.policies.tutors import EndpointTutor, with_tutor
from eduverse_mesa.policies.tutors.brief import SILENT
from eduverse_mesa.runs.tables import bill_document
from eduverse_mesa.scenarios.curriculum import TOLD, Curriculum, Unit, in_order
from eduverse_mesa.scenarios.tutoring import Tutoring

__all__ = [
    "Comparison",
    "Evaluation",
    "Findings",
    "SpacingEffect",
    "TutorPlan",
    "compare",
    "evaluate",
    "find",
    "make_plan",
    "spacing_effect",
]

UNITS = 4
"""Units that are taught where nobody says which."""
_MOST_VISITS = 100
_MOST_DAYS = 36_500
_MOST_EPISODES = 1000


@dataclass(frozen=True)
class TutorPlan:
    """The same for all learners and all tutors: what differs then is the tutor."""

    grade: int
    units: tuple[str, ...]
    questions: tuple[Question, ...]
    visits: int = 3
    """Dialogues on each unit, in rounds: first all units once, then all of them again."""
    days_between: float = 1.0
    """From one dialogue to the next."""
    delay: float = 30.0
    """Days from the test after the dialogues to the delayed one."""
    episodes_a_day: float = 1.0
    """Other episodes a day in the learner's life: by one law of forgetting it is these that make the learner forget."""

    def agenda(self) -> tuple[Session, ...]:
        """The sessions of a learner."""
        talks = [unit for _ in range(self.visits) for unit in self.units]
        days = [1.0 + place * self.days_between for place in range(len(talks))]
        after = days[-1] + 1.0
        return (
            Exam(0.0, self.grade, "pre", self.questions),
            *(Talk(day, self.grade, unit) for day, unit in zip(days, talks, strict=True)),
            Exam(after, self.grade, "post", self.questions),
            Pause(after + self.delay, self.grade, round(self.delay * self.episodes_a_day)),
            Exam(after + self.delay, self.grade, "delayed", self.questions),
        )


def make_plan(
    curriculum: Curriculum,
    grade: int,
    units: Sequence[str] = (),
    *,
    visits: int = 3,
    days_between: float = 1.0,
    delay: float = 30.0,
    episodes_a_day: float = 1.0,
) -> TutorPlan:
    """A plan for a grade; `units` are ids, or none for the first few of the grade. The tests ask all their items."""
    chosen = tuple(units) or tuple(unit.id for unit in in_order(curriculum.units_of(grade))[:UNITS])
    if not chosen:
        raise ScenarioError(
            f"there are no units of grade {grade} in '{curriculum.name}'.",
            where="grade",
            mend=f"It has units for grades {', '.join(map(str, curriculum.grades))}.",
        )
    for unit in chosen:
        if unit not in curriculum.units:
            there = ", ".join(one.id for one in curriculum.units_of(grade)[:10])
            raise ScenarioError(
                f"there is no unit '{unit}' in '{curriculum.name}'.",
                where="units",
                mend=f"Units of grade {grade} are {there}." if there else "",
            )
    if len(set(chosen)) < len(chosen):
        raise ScenarioError("a unit is named twice.", where="units", mend="Name it once; visits say how often.")
    if not 1 <= visits <= _MOST_VISITS:
        raise ScenarioError(
            f"{visits} dialogues on each unit cannot be played.", where="visits", mend=f"Give 1 to {_MOST_VISITS}."
        )
    for where, days in (("delay", delay), ("days_between", days_between)):
        if not 0 <= days <= _MOST_DAYS:
            raise ScenarioError(f"{days:g} days cannot be played.", where=where, mend=f"Give 0 to {_MOST_DAYS}.")
    if not 0 <= episodes_a_day <= _MOST_EPISODES:
        raise ScenarioError(
            f"{episodes_a_day:g} episodes a day cannot be played.",
            where="episodes_a_day",
            mend=f"Give 0 to {_MOST_EPISODES}.",
        )
    asked = tuple(Question(unit, item.id) for unit in chosen for item in curriculum.units[unit].items)
    return TutorPlan(grade, chosen, asked, visits, days_between, delay, episodes_a_day)


BUILT_IN = "built-in"


@dataclass(frozen=True)
class Answered:
    """How the answers of one kind of speaker came."""

    asked: int
    failed: int
    stood_in: int
    """A language model gave none that could be used, and the embedded policy answered instead."""
    reasons: Mapping[str, int]
    """Why either happened, the most frequent first."""

    @property
    def is_none(self) -> bool:
        """True if not one answer came of those that were asked for; to keep silent is one."""
        return 0 < self.asked <= self.failed + self.stood_in - self.reasons.get(SILENT, 0)


@dataclass(frozen=True)
class Evaluation:
    """One tutor and one cohort."""

    tutor: str
    seed: int
    plan: TutorPlan
    outcomes: pd.DataFrame
    """A row for each learner (measures/tutor_outcomes.py)."""
    tests: pd.DataFrame
    episodes: pd.DataFrame
    lines: pd.DataFrame
    profiles: Mapping[str, Mapping[str, float]]
    teaching: Answered
    others: Answered
    """Answers of learners: what they said, what stays of it, and which unit comes next."""
    judging: Answered
    compared: int
    """Answers in tests whose items were scored in all tests of the learner: what is compared."""
    left_out: int
    """The others: nobody answered or scored the item in one of the tests."""
    self_judged: bool
    """One policy answered for learners and judge: what is measured is consistent with itself, and no more real."""
    bill: Bill = field(default_factory=Bill)
    """The bill of language models for learners and judge, and for the built-in tutor if one plays that part."""
    tutor_bill: Bill = field(default_factory=Bill)
    """The bill of the tutor's own server."""

    @property
    def failed(self) -> int:
        """Answers that did not come, whoever owed them."""
        return self.teaching.failed + self.others.failed + self.judging.failed


def evaluate(
    plan: TutorPlan,
    setup: Tutoring,
    tutor: AnyPolicy | None = None,
    *,
    name: str = "",
    policy: AnyPolicy | str | None = None,
    seed: int = 1,
    watch: Callable[[int], None] | None = None,
) -> Evaluation:
    """Let a tutor (None: the built-in one) teach a cohort; `policy` answers for everybody else.

    Draws have addresses, so two tutors who are evaluated with one seed meet the same learners with the same luck.
    """
    rest = make_policy(policy or setup.settings.policy, setup.settings, setup.people)
    everyone = rest if tutor is None else with_tutor(tutor, rest)
    model = TutoringModel(setup, policy=everyone, seed=seed, agenda=plan.agenda())
    sessions, account = len(plan.agenda()), Ledger()
    while model.running:
        with billed_to(account):
            model.step()
        if watch is not None:
            watch(sum(min(one.session - 1, sessions) for one in model.enrolments))
    found = _evaluation(model, plan, name or (BUILT_IN if tutor is None else tutor.name))
    theirs = tutor.ledger.bill if isinstance(tutor, EndpointTutor) else Bill()
    return replace(found, bill=account.bill, tutor_bill=theirs)


def _evaluation(model: TutoringModel, plan: TutorPlan, name: str) -> Evaluation:
    journal = model.journal
    tests = pd.DataFrame(journal.tests, columns=list(AnswerRow._fields))
    episodes = pd.DataFrame(journal.episodes, columns=list(EpisodeRow._fields))
    lines = read_lines(journal.lines, model.curriculum.units, model.setup.language)
    people = model.setup.cohort.learners
    outcomes = learner_outcomes([one.name for one in people], tests, episodes, lines, plan.visits)
    profiles = {
        one.name: {
            "ability": one.ability,
            "motivation": one.motivation,
            **{trait: getattr(one.traits, trait) for trait in TRAITS},
        }
        for one in people
    }
    answers = [(row.kind, row.answer) for row in journal.answers]
    compared = len(scored_alike(tests, EXAMS))
    return Evaluation(
        tutor=name,
        seed=model.seed,
        plan=plan,
        outcomes=outcomes,
        tests=tests,
        episodes=episodes,
        lines=lines,
        profiles=profiles,
        teaching=_count([answer for kind, answer in answers if kind == "teach"]),
        others=_count([answer for kind, answer in answers if kind not in ("teach", "judge_answer")]),
        judging=_count([answer for kind, answer in answers if kind == "judge_answer"]),
        compared=compared,
        left_out=len(people) * len(plan.questions) * len(EXAMS) - compared,
        self_judged=not _speakers(answers, "reply").isdisjoint(_speakers(answers, "judge_answer")),
    )


def _speakers(answers: Sequence[tuple[str, Answer]], kind: str) -> set[str]:
    """The policies that were asked for a kind of answer, and gave it."""
    return {answer.source for one, answer in answers if one == kind and answer.status in ("ok", "repaired")}


def _count(answers: Sequence[Answer]) -> Answered:
    statuses = Counter(answer.status for answer in answers)
    reasons = Counter(answer.reason for answer in answers if answer.status in ("failed", "fallback"))
    return Answered(len(answers), statuses["failed"], statuses["fallback"], dict(reasons.most_common()))


def read_lines(rows: Sequence[LineRow], units: Mapping[str, Unit], language: str) -> pd.DataFrame:
    """The lines, with what can be read off the tutor's words: `told` (the idea, or the answer to the question on the
    table, was said) and `tried` (the learner had made an attempt in this dialogue before). The last words of a dialogue
    in which the learner has tried sum up, and give nothing away."""
    told = [False] * len(rows)
    tried = [False] * len(rows)
    dialogues: dict[tuple[str, int], list[int]] = {}
    for place, row in enumerate(rows):
        dialogues.setdefault((row.learner, row.session), []).append(place)
    for places in dialogues.values():
        said: list[Utterance] = []
        attempted = False
        last = max((place for place in places if rows[place].speaker == "tutor"), default=-1)
        for place in places:
            row = rows[place]
            tried[place] = attempted
            if row.speaker == "tutor":
                taken = listen(row.text, units[row.unit], said, language)
                closing = place == last and attempted
                told[place] = not closing and (taken.gave_away or taken.told >= TOLD)
            elif row.kind not in NO_ATTEMPT:
                attempted = True
            said.append(Utterance(row.speaker, row.text))
    return pd.DataFrame(rows, columns=list(LineRow._fields)).assign(told=told, tried=tried)


@dataclass(frozen=True)
class Findings:
    """One tutor."""

    evaluation: Evaluation
    means: dict[str, Interval]
    """Means by outcome; empty for a tutor who never answered."""
    retained: Interval
    """The share of the cohort's gain that is left at the delayed test."""
    groups: list[GroupGain]
    gaps: dict[str, Interval]
    """High minus low third, in gain."""

    def document(self) -> dict[str, Any]:
        """Return the findings as plain data, for JSON."""
        found, plan = self.evaluation, self.evaluation.plan
        return {
            "tutor": found.tutor,
            "seed": found.seed,
            "learners": len(found.outcomes),
            "grade": plan.grade,
            "units": list(plan.units),
            "visits": plan.visits,
            "delay_days": plan.delay,
            "self_judged": found.self_judged,
            "outcomes": {name: _plain(interval) for name, interval in self.means.items()},
            "retained": _plain(self.retained),
            "profiles": [
                {
                    "factor": one.factor,
                    "group": one.group,
                    "gain": _plain(one.gain),
                    "left_behind": _number(one.left_behind),
                    "too_small": one.too_small,
                }
                for one in self.groups
            ],
            "gaps": {factor: _plain(gap) for factor, gap in self.gaps.items()},
            "teaching": _answered(found.teaching),
            "others": _answered(found.others),
            "judging": _answered(found.judging),
            "left_out": found.left_out,
            **({"models": bill_document(found.bill)} if found.bill.requests else {}),
            **({"tutor_server": bill_document(found.tutor_bill)} if found.tutor_bill.requests else {}),
        }


@dataclass(frozen=True)
class Comparison:
    """Two tutors of the same learners."""

    first: Findings
    second: Findings
    paired: list[PairedOutcome]

    def document(self) -> dict[str, Any]:
        """Return the comparison as plain data, for JSON."""
        return {
            "first": self.first.document(),
            "second": self.second.document(),
            "paired": [
                {
                    "outcome": one.outcome,
                    "first": _number(one.first),
                    "second": _number(one.second),
                    "difference": _plain(one.difference),
                    "effect": _number(one.effect),
                    "clear": one.clear,
                }
                for one in self.paired
            ],
        }


def find(evaluation: Evaluation) -> Findings:
    """Return the findings of an evaluation: none of a tutor who never answered and so taught nobody."""
    if evaluation.teaching.is_none:
        return Findings(evaluation, {}, Interval(math.nan, math.nan, math.nan, 0), [], {})
    outcomes, profiles = evaluation.outcomes, evaluation.profiles
    return Findings(
        evaluation,
        outcome_means(outcomes),
        retained(outcomes),
        gains_by_profile(outcomes, profiles),
        profile_gaps(outcomes, profiles),
    )


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """How two tutors differ on the same learners, learner by learner."""
    one, other = find(first), find(second)
    both = bool(one.means and other.means)
    return Comparison(one, other, paired_outcomes(first.outcomes, second.outcomes) if both else [])


def _answered(one: Answered) -> dict[str, Any]:
    return {"asked": one.asked, "failed": one.failed, "stood_in": one.stood_in, "reasons": dict(one.reasons)}


def _plain(interval: Interval) -> dict[str, Any]:
    return {name: _number(value) for name, value in interval._asdict().items()}


def _number(value: float) -> float | None:
    """NaN is no JSON."""
    return value if math.isfinite(value) else None


_EXAM = "delayed"


class SpacingEffect(NamedTuple):
    """The delayed test, massed and spaced, as shares of full marks."""

    law: str
    massed: float
    spaced: float
    difference: Interval
    effect: float
    """In standard deviations of learners (Cohen's d with Hedges' correction)."""


class Practice(NamedTuple):
    """How a unit is practised, and what else the learner lives through: by one law of forgetting it is the days that
    count, by the other these episodes."""

    times: int = 4
    days: float = 7.0
    """Between two spaced practices; massed ones follow on each other on one day."""
    delay: float = 30.0
    """Days from the last practice to the test."""
    episodes_a_day: float = 1.0
    """Other episodes in the meantime."""


def practice_agenda(target: Unit, grade: int, how: Practice, days: float) -> tuple[Session, ...]:
    """Practices of a unit, `days` apart. The first day, the last practice and the test are the same whatever the days:
    who practises at one stretch lives through the same before."""
    last = (how.times - 1) * how.days
    sessions: list[Session] = []
    now = 0.0
    for place in range(how.times):
        day = last - (how.times - 1 - place) * days
        sessions += [_pause(now, day, grade, how), Talk(day, grade, target.id)]
        now = day
    asked = tuple(Question(target.id, item.id) for item in target.items)
    return (*sessions, _pause(now, now + how.delay, grade, how), Exam(now + how.delay, grade, _EXAM, asked))


def _pause(now: float, day: float, grade: int, how: Practice) -> Pause:
    return Pause(day, grade, round((day - now) * how.episodes_a_day))


def spacing_effect(
    setup: Tutoring, grade: int, units: Sequence[str], how: Practice | None = None, *, seed: int = 1
) -> SpacingEffect:
    """Massed against spaced practice of these units by this cohort, under the law of the setup."""
    how = how or Practice()
    massed, spaced = (_scores(setup, grade, units, how, days, seed) for days in (0.0, how.days))
    people = list(massed)
    pairs = [(massed[name], spaced[name]) for name in people]
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    return SpacingEffect(
        setup.settings.memory.law,
        sum(ones) / len(ones),
        sum(others) / len(others),
        paired_interval(pairs),
        standardised(ones, others),
    )


def _scores(
    setup: Tutoring, grade: int, units: Sequence[str], how: Practice, days: float, seed: int
) -> dict[str, float]:
    """Each learner's delayed test, over all units."""
    scores: dict[str, list[float]] = {name: [] for name in setup.people}
    for unit in units:
        agenda = practice_agenda(setup.curriculum.units[unit], grade, how, days)
        model = TutoringModel(setup, agenda=agenda, seed=seed).run()
        for row in model.journal.tests:
            if row.score is not None:
                scores[row.learner].append((row.score - 1.0) / 9.0)
    return {name: sum(found) / len(found) for name, found in scores.items() if found}
