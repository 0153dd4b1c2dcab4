"""Learners and tutors as a Mesa model."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mesa
import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import Judge, Picked, PickUnit, Replied, Reply, Taught, Teach
from eduverse_mesa.errors import PolicyError, ScenarioError, StudyError
from eduverse_mesa.models.tutoring import Exam, Pause, Question, Session, Talk, TutoringModel, read_saved, write_saved
from eduverse_mesa.policies import Recorded, ReplayPolicy
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from tests.models.learners import document, taught

HARD = Question("raft", "a")
EASY = Question("cork", "a")


def paper(model: TutoringModel) -> tuple[Any, ...]:
    journal = model.journal
    return journal.lines, journal.episodes, journal.tests, journal.concepts


class Backwards:
    """The embedded policy, asked in the opposite order and one by one."""

    name = "embedded"

    def __init__(self) -> None:
        self._policy = EmbeddedTutoringPolicy()

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [self._policy.answer([decision])[0] for decision in reversed(decisions)][::-1]


class Without:
    """The embedded policy, but some kinds of decision fail."""

    name = "embedded"

    def __init__(self, *kinds: str) -> None:
        self._policy, self._kinds = EmbeddedTutoringPolicy(), kinds

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [
            Answer.failed("nobody", "gone") if decision.kind in self._kinds else self._policy.answer([decision])[0]
            for decision in decisions
        ]


def test_the_same_seed_gives_the_same_lives_whatever_the_order_of_asking() -> None:
    once = taught()
    assert paper(once) == paper(taught()) == paper(taught(policy=Backwards()))
    assert paper(once) != paper(taught(seed=2))
    assert {row.learner for row in once.journal.episodes} == {"Ann", "Bo"}


def test_who_else_is_taught_changes_nobody() -> None:
    alone = document()
    alone["cohort"] = {"name": "one", "learners": [{"name": "Bo", "traits": {"neuroticism": 0.9}}]}
    bo = TutoringModel(alone, seed=1).run().journal.lines
    assert bo == [row for row in taught().journal.lines if row.learner == "Bo"]


def test_a_replay_needs_no_policy() -> None:
    model = taught(tested=True)
    log = [Recorded(e.lesson, e.step, e.agent, e.kind, e.answer) for e in model.journal.answers]
    assert paper(taught(tested=True, policy=ReplayPolicy(log))) == paper(model)


def test_a_learner_is_saved_and_goes_on_where_it_was() -> None:
    agenda = tuple(Talk(float(day), 1 + day // 4) for day in range(6))
    through = TutoringModel(document(), seed=1, agenda=agenda).run()
    half = TutoringModel(document(), seed=1, agenda=agenda[:3]).run()
    saved = {name: read_saved(write_saved(one)) for name, one in half.save().items()}
    rest = TutoringModel(document(), seed=1, agenda=agenda, saved=saved).run()
    assert rest.save() == through.save()
    both = [*half.journal.lines, *rest.journal.lines]
    assert sorted(both) == sorted(through.journal.lines), "nothing shows that there was a break"
    assert half.save() == saved, "a copy went on, not the thing itself"


def test_a_copy_is_taught_in_another_way() -> None:
    half = TutoringModel(document(), seed=1, agenda=(Talk(0.0, 1, "cork"),)).run().save()
    ways = [(Talk(0.0, 1, "cork"), Talk(1.0, grade, unit)) for grade, unit in ((1, "cork"), (2, "raft"))]
    ends = [TutoringModel(document(), seed=1, agenda=way, saved=half).run().save() for way in ways]
    assert ends[0]["Ann"].memory.episodes[0] == ends[1]["Ann"].memory.episodes[0]
    assert ends[0]["Ann"].memory != ends[1]["Ann"].memory


@pytest.mark.parametrize(
    ("session", "said"),
    [
        (Talk(0.0, 9), "no unit of grade 9 to pick. It has grades 1, 2."),
        (Talk(0.0, 1, "nope"), "no unit 'nope'. Units of grade 1 are cork."),
        (Talk(float("nan"), 1, "cork"), "no day nan"),
        (Exam(0.0, 1, "quiz", (Question("nope", "a"),)), "no unit 'nope'"),
        (Exam(0.0, 1, "quiz", (Question("cork", "z"),)), "unit 'cork' has no item 'z'. It has a, b"),
        (Pause(1.0, 1, -1), "no fewer than 0 episodes"),
    ],
)
def test_an_agenda_that_the_curriculum_does_not_hold_is_refused_before_anything_is_played(
    session: Session, said: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        TutoringModel(document(), seed=1, agenda=(Talk(0.0, 1), session))
    assert said in str(refused.value)
    assert refused.value.where == "agenda, session 2"


def test_who_comes_along_has_to_be_of_the_cohort_and_of_the_curriculum() -> None:
    saved = TutoringModel(document(), seed=1, agenda=(Talk(0.0, 1, "cork"),)).run().save()
    with pytest.raises(StudyError, match="nobody in the cohort is called 'Cy'"):
        TutoringModel(document(), seed=1, saved={**saved, "Cy": saved["Ann"]})
    with pytest.raises(StudyError, match="the curriculum has no concept") as refused:
        TutoringModel("growing_up", cohort="three_profiles", seed=1, saved={"P1": saved["Ann"]})
    assert refused.value.where == "saved 'P1'"


def test_nobody_is_saved_in_the_middle_of_a_dialogue() -> None:
    model = TutoringModel(document(), seed=1)
    model.step()
    with pytest.raises(PolicyError, match="a dialogue is going on"):
        model.save()
    with pytest.raises(StudyError, match="no saved learner"):
        read_saved(b'{"name": 5}')
    with pytest.raises(StudyError, match="empty"):
        read_saved("")
    with pytest.raises(StudyError, match="it is not JSON"):
        read_saved("name,age")


def test_a_saved_learner_is_read_from_a_path_and_a_name_is_not_taken_for_one(tmp_path: Path) -> None:
    (one, *_) = taught().save().values()
    file = tmp_path / "one.json"
    file.write_bytes(write_saved(one))
    assert read_saved(file) == one
    with pytest.raises(StudyError, match=r"pathlib.Path"):
        read_saved(str(file))
    with pytest.raises(StudyError, match=r"nobody\.json: the file cannot be read"):
        read_saved(tmp_path / "nobody.json")


def test_a_test_helps_nobody_and_changes_nothing() -> None:
    talks = (Talk(0.0, 1, "cork"), Talk(5.0, 1, "cork"))
    tested: tuple[Session, ...] = (talks[0], Exam(3.0, 1, "quiz", (EASY, HARD)), talks[1])
    plain = TutoringModel(document(), seed=1, agenda=talks).run()
    quizzed = TutoringModel(document(), seed=1, agenda=tested).run()
    assert len(quizzed.journal.tests) == 4
    assert [one.learner.memory.lived for one in quizzed.enrolments] == [2, 2]
    first = [row for row in quizzed.journal.episodes if row.session == 1]
    assert first == [row for row in plain.journal.episodes if row.session == 1]
    swapped = (talks[0], Exam(3.0, 1, "quiz", (HARD, EASY)), talks[1])
    other = TutoringModel(document(), seed=1, agenda=swapped).run()
    assert sorted(other.journal.tests) == sorted(quizzed.journal.tests), "the order of questions does not matter"


def test_more_is_known_after_dialogues_than_before() -> None:
    exam = tuple(Question("cork", item) for item in "ab")
    talks = [Talk(day, 1, "cork") for day in (1.0, 8.0, 15.0)]
    agenda: tuple[Session, ...] = (Exam(0.0, 1, "before", exam), *talks, Exam(16.0, 1, "after", exam))
    data = document()
    data["cohort"] = {"name": "many", "sample": {"size": 30}}
    rows = TutoringModel(data, seed=1, agenda=agenda).run().journal.tests
    scores = {name: [row.score or 0 for row in rows if row.exam == name] for name in ("before", "after")}
    assert sum(scores["after"]) > 1.5 * sum(scores["before"])


def test_without_memory_nothing_is_forgotten_and_nothing_out_of_reach() -> None:
    exam = Exam(0.0, 1, "quiz", (HARD,) * 1)
    scores = {
        arm: [row.score or 0 for row in taught(agenda=(exam,), settings={"arm": arm}).journal.tests]
        for arm in ("full", "base")
    }
    assert min(scores["base"]) >= 8
    assert max(scores["full"]) <= 5, "with memory, what is above the grade is out of reach"
    base = taught(settings={"arm": "base"})
    assert not [entry for entry in base.journal.answers if entry.kind == "reflect"]


class KnowsTooMuch:
    """Says one thing, whatever is asked: the idea of a unit that nobody of the grade has had."""

    name = "embedded"

    def __init__(
        self, said: str = "A raft carries more when it pushes more water aside.", hedged: bool = False
    ) -> None:
        self._policy = EmbeddedTutoringPolicy()
        self._reply = Replied(said, "right", hedged)

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [
            Answer(self._reply, "clever") if isinstance(one, Reply) else self._policy.answer([one])[0]
            for one in decisions
        ]


def leaks_of(policy: KnowsTooMuch, *agenda: Session) -> list[tuple[int, str]]:
    lines = taught(policy=policy, agenda=agenda).journal.lines
    return [(row.session, row.leaks) for row in lines if row.speaker == "learner"]


def test_what_must_not_be_known_is_found_and_counted() -> None:
    leaks = leaks_of(KnowsTooMuch(), Talk(0.0, 1, "cork"), Talk(1.0, 2, "raft"), Talk(2.0, 2, "cork"))
    assert {found for session, found in leaks if session == 1} == {"raft"}
    assert {found for session, found in leaks if session == 2} == {""}, "it is what is learned here"


def test_an_idea_of_the_grade_that_was_never_learned_is_out_of_reach_too() -> None:
    assert {found for _, found in leaks_of(KnowsTooMuch(), Talk(0.0, 2, "cork"))} == {"raft"}


def test_a_topic_above_the_grade_leaks_until_it_is_told() -> None:
    agenda = (Talk(0.0, 1, "raft"),)
    model = taught(policy=KnowsTooMuch(), agenda=agenda)
    for name in ("Ann", "Bo"):
        told, found = False, []
        for row in model.journal.lines:
            if row.learner == name and row.speaker == "tutor":
                told = told or "pushes more water aside" in row.text
            elif row.learner == name:
                found.append((told, row.leaks))
        assert (False, "raft") in found
        assert {leaks for told, leaks in found if told} == {""}
    right = "It pushes the water."
    assert leaks_of(KnowsTooMuch(right), *agenda)[0] == (1, "raft"), "fully right, if not the whole idea"
    assert leaks_of(KnowsTooMuch(right, hedged=True), *agenda)[0] == (1, ""), "a guess is no knowledge"


@pytest.mark.parametrize("kind", ["pick_unit", "teach", "reply", "consolidate", "reflect", "judge_answer"])
def test_an_answer_that_does_not_come_is_no_crash(kind: str) -> None:
    model = taught(policy=Without(kind), tested=True)
    assert not model.running
    assert [entry for entry in model.journal.answers if entry.answer.status == "failed"]
    if kind == "judge_answer":
        assert all(row.score is None for row in model.journal.tests)


def test_a_unit_that_is_not_to_be_had_is_not_replaced_by_another() -> None:
    class Elsewhere(Backwards):
        def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
            picked = Answer(Picked("moon"), "elsewhere")
            return [
                picked if isinstance(one, PickUnit) else answer
                for one, answer in zip(decisions, super().answer(decisions), strict=True)
            ]

    with pytest.raises(PolicyError, match="'moon' was picked for Ann"):
        taught(policy=Elsewhere())


def test_a_tutor_sees_words_and_nothing_hidden() -> None:
    seen: list[Teach] = []

    class Watching(Backwards):
        def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
            seen.extend(one for one in decisions if isinstance(one, Teach))
            return super().answer(decisions)

    taught(policy=Watching())
    said = [line for question in seen for line in question.dialogue if line.speaker == "learner"]
    assert said
    assert all(line.kind == "" for line in said)


def test_any_words_of_a_tutor_are_taken_as_text() -> None:
    class Hostile(Backwards):
        def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
            texts = ["<script>x</script>\u202e?", "", "x" * 100_000, "{{7*7}} \0 ok"]
            return [
                Answer(Taught(texts[one.turn % 4], "question"), "t") if isinstance(one, Teach) else answer
                for one, answer in zip(decisions, super().answer(decisions), strict=True)
            ]

    lines = taught(policy=Hostile()).journal.lines
    assert max(len(row.text) for row in lines) <= 2000
    assert not any("\u202e" in row.text or "\0" in row.text for row in lines)


def test_it_is_a_mesa_model_like_any_other() -> None:
    model = TutoringModel(document(), seed=1)
    model.step()
    assert model.steps == 1
    frame = model.datacollector.get_model_vars_dataframe()
    assert list(frame["talking"]) == [2]
    # Mesa 3.5 gives each run its number through `rng`, Mesa 3.3 through a parameter of ours.
    newer = "rng" in inspect.signature(mesa.batch_run).parameters
    given: dict[str, Any] = {"rng": [1, 2]} if newer else {}
    parameters: dict[str, Any] = {"tutoring": [document()]} | ({} if newer else {"seed": [1, 2]})
    rows = mesa.batch_run(TutoringModel, parameters=parameters, max_steps=3, display_progress=False, **given)
    assert len({row["RunId"] for row in rows}) == 2


def test_judges_are_asked_about_words_only() -> None:
    model = TutoringModel(document(), seed=1, agenda=(Exam(0.0, 1, "quiz", (EASY,)),))
    asked: list[Decision] = []

    class Watching(Backwards):
        def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
            asked.extend(one for one in decisions if isinstance(one, Judge))
            return super().answer(decisions)

    model.policy = Watching()
    model.run()
    assert [set(one.__struct_fields__) for one in asked] == [{"at", "unit", "item", "answer", "language"}] * 2
