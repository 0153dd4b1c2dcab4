"""Play a plan with one tutor, and keep what came of it as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from eduverse_mesa.agents.listening import listen
from eduverse_mesa.decisions import Answer, Bill
from eduverse_mesa.decisions.tutoring import NO_ATTEMPT, TRAITS, Utterance
from eduverse_mesa.experiments.tutors.plan import TutorPlan
from eduverse_mesa.measures.learning import scored_alike
from eduverse_mesa.measures.tutor_outcomes import EXAMS, learner_outcomes
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.models.tutoring.journal import AnswerRow, EpisodeRow, LineRow
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.llm.calling import Ledger, billed_to
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.policies.tutors import EndpointTutor, with_tutor
from eduverse_mesa.policies.tutors.briefing import SILENT
from eduverse_mesa.scenarios.curriculum import TOLD, Unit
from eduverse_mesa.scenarios.tutoring import Tutoring

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
        """Whether not one answer came of those that were asked for; to keep silent is one."""
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
    """What language models took for learners and judge, and for the built-in tutor where it is one."""
    tutor_bill: Bill = field(default_factory=Bill)
    """What the tutor's own server took."""

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
            watch(sum(min(desk.session - 1, sessions) for desk in model.desks))
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
        name,
        model.seed,
        plan,
        outcomes,
        tests,
        episodes,
        lines,
        profiles,
        _count([answer for kind, answer in answers if kind == "teach"]),
        _count([answer for kind, answer in answers if kind not in ("teach", "judge_answer")]),
        _count([answer for kind, answer in answers if kind == "judge_answer"]),
        compared,
        len(people) * len(plan.questions) * len(EXAMS) - compared,
        not _speakers(answers, "reply").isdisjoint(_speakers(answers, "judge_answer")),
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
