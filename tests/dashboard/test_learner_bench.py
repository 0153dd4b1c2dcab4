"""What the learner page does behind itself: teaching, files, a talk of one's own, two ways. Without a browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from eduverse_mesa.dashboard.answerers import Answering, answering_of, policy_here, told_of
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.pages.learner.page import plan_of, unfinished
from eduverse_mesa.dashboard.pages.learner.school import (
    SAMPLED,
    School,
    SchoolPlan,
    file_name,
    open_school,
    read_learner,
    teach,
    write_learner,
)
from eduverse_mesa.dashboard.pages.learner.views import (
    PICTURES,
    concepts_tree,
    coverage_table,
    episodes_tree,
    forgetting_table,
    map_table,
    record_tree,
    skills_tree,
    spec_of,
    talk_tree,
)
from eduverse_mesa.dashboard.pages.learner.work import Asked, Bench, OwnTalk, Way, bench_of, compare_ways
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.errors import EduverseError, ScenarioError, StudyError
from eduverse_mesa.models.tutoring import read_saved, write_saved
from eduverse_mesa.scenarios.scenario import LanguageModel
from eduverse_mesa.visualization.words import load_words
from tests.policies.llm.fake_server import FakeServer, says
from tests.runs.model_servers import answers, serving

ONE = SchoolPlan(cohort=SAMPLED, learners=1, first=1, last=1, visits=1)
FREE = Answering()
HOSTILE = '<img src=x onerror="window.pwned=1"> {name} \'; DROP TABLE'


def played(plan: SchoolPlan, stop_after: int | None = None) -> School:
    done: list[int] = []
    found = teach(
        open_school(plan),
        FREE,
        lambda now, total: done.append(now) if now <= total else None,
        lambda: stop_after is not None and bool(done) and done[-1] >= stop_after,
    )
    assert done == sorted(done)
    return found


@pytest.fixture(scope="module")
def school() -> School:
    return played(ONE)


def words_of(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False)


def name_of(school: School) -> str:
    return school.names[0]


# --- teaching ---


def test_a_cohort_is_taught_and_what_everybody_has_is_seen(school: School) -> None:
    name, t = name_of(school), load_words("en")
    units = school.setup.curriculum.units_of(1)
    assert len(school.records[name]) == len(units) == school.learner(name).memory.lived
    assert [record.number for record in school.records[name]] == list(range(1, len(units) + 1))
    assert all(record.lines for record in school.records[name])
    concepts = words_of(concepts_tree(school, name, t))
    met = school.learner(name).memory.concepts
    assert met
    assert all(school.setup.curriculum.concepts[concept].title in concepts for concept in met)
    assert school.records[name][-1].summary in words_of(episodes_tree(school, name, t))
    assert f"({len(school.learner(name).memory.skills)})" in words_of(skills_tree(school, name, t))


def test_stopped_everybody_ends_the_dialogue_and_it_can_go_on_to_the_same_end(school: School) -> None:
    name = name_of(school)
    stopped = played(ONE, stop_after=3)
    lived = stopped.learner(name).memory.lived
    assert 3 <= lived <= 4 < school.learner(name).memory.lived
    assert unfinished(stopped)
    assert not unfinished(school)
    whole = teach(stopped, FREE, lambda *_: None, lambda: False)
    assert write_saved(whole.keep(name)) == write_saved(school.keep(name))
    assert [one.lines for one in whole.records[name]] == [one.lines for one in school.records[name]]


def test_what_cannot_be_taught_is_told(school: School) -> None:
    with pytest.raises(ScenarioError, match="everything up to grade 1"):
        teach(school, FREE, lambda *_: None, lambda: False)
    with pytest.raises(ScenarioError, match="grade 12"):
        school.up_to(12)
    for wrong, told in (
        (SchoolPlan(curriculum="/etc/passwd"), "no built-in curriculum"),
        (SchoolPlan(cohort="../secret.yaml"), "no built-in cohort"),
        (SchoolPlan(cohort=SAMPLED, learners=31), "number of learners"),
        (SchoolPlan(visits=0), "dialogues a unit"),
        (SchoolPlan(first=12, last=13), "nothing for grades"),
    ):
        with pytest.raises(ScenarioError, match=told):
            open_school(wrong)


def test_the_form_makes_a_plan_of_whole_numbers_only() -> None:
    given = {"cohort": SAMPLED, "curriculum": "ngss_1_5", "law": "ebbinghaus", "arm": "base"}
    numbers = {"learners": 2, "first": 1, "last": 3.0, "visits": 1, "seed": 7}
    plan = SchoolPlan(SAMPLED, 2, "ngss_1_5", 1, 3, 1, "ebbinghaus", "base", 7)
    assert plan_of({**given, **numbers}) == plan
    for wrong in ({"last": 2.5}, {"first": None}, {"last": 0}, {"seed": -1}, {"learners": 31}):
        assert plan_of({**given, **numbers, **wrong}) is None


# --- pictures ---


@pytest.mark.parametrize("law", ["episodes", "ebbinghaus"])
def test_pictures_follow_memory_and_its_law(law: Any) -> None:
    school, t = played(SchoolPlan(cohort=SAMPLED, learners=1, first=1, last=1, visits=1, law=law)), load_words("zh")
    name = name_of(school)
    learner = school.learner(name)
    concept = max(learner.memory.concepts, key=lambda one: learner.knowing.mastered(one, learner.day))
    kept = forgetting_table(school, name, concept, t)
    whole = kept[kept["trace"] == t("learner.picture.whole")]["mastery"].tolist()
    assert whole[0] == pytest.approx(learner.knowing.mastered(concept, learner.day))
    assert whole == sorted(whole, reverse=True)
    assert whole[-1] < whole[0]
    order, table = map_table(school, name)
    assert set(table["concept"]) == set(order)
    assert sorted(table["grade"].unique()) == [1]
    (row,) = coverage_table(school, name).to_dict("records")
    assert row["expected"] == len(school.setup.curriculum.expected(1))
    for picture in PICTURES:
        spec = spec_of(picture, school, name, concept, t)
        assert spec["width"] == "container"
        assert any(len(rows) > 0 for rows in spec["datasets"].values())


def test_without_a_memory_nothing_is_forgotten() -> None:
    school = played(SchoolPlan(cohort=SAMPLED, learners=1, first=1, last=1, visits=1, arm="base"))
    name = name_of(school)
    for concept in school.learner(name).memory.concepts:
        kept = forgetting_table(school, name, concept, load_words("en"))["mastery"]
        assert kept.nunique() <= len(school.learner(name).memory.concepts[concept].units) + 1


# --- files ---


def test_a_learner_goes_on_from_its_file_as_if_it_had_never_been_away(school: School) -> None:
    name = name_of(school)
    text = write_learner(school, name).decode()
    assert write_saved(read_saved(text)) == write_saved(school.keep(name))
    opened = read_learner(text, SchoolPlan(), "ann.json")
    assert opened.names == (name,)
    assert opened.years_of(name) == school.years_of(name)
    assert opened.learner(name).person == school.learner(name).person
    further = teach(opened.up_to(2), FREE, lambda *_: None, lambda: False)
    straight = played(SchoolPlan(cohort=SAMPLED, learners=1, first=1, last=2, visits=1))
    assert write_saved(further.keep(name)) == write_saved(straight.keep(name))


def test_a_file_without_a_person_belongs_to_the_chosen_cohort(school: School) -> None:
    name = name_of(school)
    text = write_saved(school.keep(name)).decode()
    assert read_learner(text, ONE).names == (name,)
    with pytest.raises(StudyError, match="does not say who"):
        read_learner(text, SchoolPlan())


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda data: data.update(session=0), "numbers of the learner"),
        (lambda data: data.update(name="Somebody"), "is called"),
        (lambda data: data["person"].update(ability=7), "who the learner is"),
        (lambda data: data["plan"].update(curriculum="/etc/passwd"), "no built-in curriculum"),
        (lambda data: data["plan"].update(law="none"), "no saved learner"),
        (lambda data: data["memory"]["concepts"].update(X=next(iter(data["memory"]["concepts"].values()))), "concept"),
        (lambda data: next(iter(data["memory"]["concepts"].values()))["grasp"].update(strength=0.0), "numbers of"),
        (lambda data: data["memory"]["episodes"][0].update(emotion=4.0), "numbers of episode"),
        (lambda data: data["memory"]["episodes"][0].update(number=10**6), "cannot come after"),
        (lambda data: data["memory"]["episodes"][-1].update(grade=13), "nothing for the grade"),
        (lambda data: data["memory"]["episodes"][-1].update(unit="x"), "lacks the unit of"),
        (lambda data: data["memory"]["skills"].update(life={"subject": "life", "level": "wizard"}), "skills in 'life'"),
        (lambda data: data["notes"]["taught"].update(x=1), "tutor's notes"),
        (lambda data: data["years"][0].__setitem__(5, 9.0), "end of a grade"),
    ],
)
def test_a_file_that_no_learner_can_have_left_is_refused(
    school: School, spoil: Callable[[dict[str, Any]], None], told: str
) -> None:
    data = json.loads(write_learner(school, name_of(school)))
    spoil(data)
    with pytest.raises(EduverseError, match=told):
        read_learner(json.dumps(data), SchoolPlan(), "spoiled.json")


def test_what_is_no_file_of_ours_is_refused() -> None:
    for text in ("", "{}", "[1]", "not json", '{"name": 3}', '{"name": "x", "person": ' + '{"a":' * 3000):
        with pytest.raises(EduverseError):
            read_learner(text, SchoolPlan(), "some.json")
    assert file_name("../Zoë <b>") == "Zo_b.json"
    assert file_name("小明") == "learner.json"


# --- a talk of one's own ---


def test_somebody_who_teaches_is_remembered_for_it(school: School) -> None:
    name, t = name_of(school), load_words("en")
    unit = school.setup.curriculum.units_of(1)[0]
    talk = OwnTalk(school, name, unit.id, 3, FREE)
    talk.say(f"{HOSTILE} {unit.items[0].ask}")
    assert [line.speaker for line in talk.lines] == ["tutor", "learner"]
    assert HOSTILE in words_of(json.loads(json.dumps(talk_tree(talk.lines, name, school, t)))).replace('\\"', '"')
    talk.say(unit.idea, last=True)
    assert talk.over
    after = talk.remembered()
    before = school.learner(name).memory
    assert after.learner(name).memory.lived == before.lived + 1
    assert after.learner(name).day == school.learner(name).day + 3
    assert after.records[name][-1].own
    assert after.keep(name).session == school.keep(name).session
    assert after.learner(name).memory.episodes[-1].unit == unit.id
    assert school.learner(name).memory.lived == before.lived  # the school before it is as it was
    assert "with you" in t("learner.read.own", number=1, day=1, grade=1, unit="x")
    assert record_tree(after.records[name][-1], name, after, t)


def test_what_cannot_be_said_is_told_and_the_talk_goes_on(school: School) -> None:
    name = name_of(school)
    unit = school.setup.curriculum.units_of(1)[0].id
    talk = OwnTalk(school, name, unit, 0, FREE)
    for text, told in (("  ", "nothing was typed"), ("a" * 2001, "2,001 letters")):
        with pytest.raises(ScenarioError, match=told):
            talk.say(text)
    talk.say("Hello!")
    assert len(talk.lines) == 2
    with pytest.raises(ScenarioError, match="no unit"):
        OwnTalk(school, name, "nowhere", 0, FREE)
    with pytest.raises(ScenarioError, match="is no day"):
        OwnTalk(school, name, unit, -1, FREE)


# --- two ways ---


def test_copies_go_two_ways_and_the_learner_stays(school: School) -> None:
    name = name_of(school)
    before = write_saved(school.keep(name))
    one, other = school.setup.curriculum.units_of(1)[:2]
    taught, same = Way(one.id, 4, 1.0), Way(one.id, 4, 1.0)
    compared = compare_ways(school, name, (taught, Way(other.id, 4, 1.0)), FREE)
    rows = {row.concept: row for row in compared.rows}
    assert rows[one.concept].one > rows[one.concept].other
    assert all(row.one == row.other for row in compare_ways(school, name, (taught, same), FREE).rows)
    assert write_saved(school.keep(name)) == before
    with pytest.raises(ScenarioError, match="no way"):
        compare_ways(school, name, (taught, Way(one.id, 0, 1.0)), FREE)


# --- the bench ---


def resting(bench: Bench) -> None:
    rests = threading.Event()
    stop = bench.changed.listen(lambda: None if bench.busy else rests.set())
    if bench.busy:
        assert rests.wait(60)
    stop()


def test_the_bench_does_one_thing_at_a_time_and_tells_what_went_wrong() -> None:
    desk = Desk("somebody", Office())
    bench = bench_of(desk)
    bench.begin(ONE, FREE)
    assert desk.busy
    bench.begin(SchoolPlan(last=5), FREE)  # not while the first is taught
    resting(bench)
    assert bench.school is not None
    assert bench.school.plan == ONE
    assert bench.error is None
    name = bench.name
    bench.sit_down("nowhere", 0, FREE)
    resting(bench)
    assert "no unit" in str(bench.error)
    bench.sit_down(bench.school.setup.curriculum.units_of(1)[0].id, 0, FREE)
    resting(bench)
    bench.typed = ""
    bench.say()
    resting(bench)
    assert "nothing was typed" in str(bench.error)
    assert bench.talk is not None
    assert bench.error_at == "talk", "it is said beside the box"
    bench.end()
    resting(bench)
    assert not bench.talk.over, "nothing was said yet"
    bench.typed = "Goodbye!"
    bench.say(last=True)
    resting(bench)
    assert bench.error is None
    assert bench.school.records[name][-1].own
    bench.open("no file", ONE, "x.json")
    resting(bench)
    assert "no saved learner" in str(bench.error)
    assert bench.name == name


def test_a_dialogue_ends_without_another_word(school: School) -> None:
    name, unit = name_of(school), school.setup.curriculum.units_of(1)[0]
    with pytest.raises(ScenarioError, match="nothing was said"):
        OwnTalk(school, name, unit.id, 0, FREE).end()
    talks = [OwnTalk(school, name, unit.id, 0, FREE) for _ in range(2)]
    for talk in talks:
        talk.say(unit.items[0].ask)
    talks[0].end()
    talks[1].say("Sort these things: turtles and helmets.", last=True)
    assert all(talk.over for talk in talks)
    ended, spoken = (talk.remembered().learner(name) for talk in talks)
    assert ended.memory.lived == spoken.memory.lived == school.learner(name).memory.lived + 1
    kept = talks[0].remembered().records[name][-1]
    assert kept.own
    assert [line.text for line in kept.lines if line.speaker == "tutor"] == [unit.items[0].ask, ""]


def test_a_file_waits_for_a_word_before_it_takes_the_place_of_who_is_here(school: School) -> None:
    bench, asked = Bench(), Asked(write_learner(school, name_of(school)).decode(), ONE, "x.json")
    bench.ask_to_open(asked)
    waits = [bench.asked]
    bench.ask_to_open(None)
    waits.append(bench.asked)
    assert bench.school is None
    bench.ask_to_open(asked)
    bench.open(*asked)
    resting(bench)
    assert [*waits, bench.asked] == [asked, None, None]
    assert bench.name == name_of(school)


# --- who answers ---


def test_what_only_lessons_ask_is_left_out_and_what_is_missing_is_told() -> None:
    assert policy_here("words=llm,rest=embedded") == "embedded"
    assert policy_here("learner=local,words=llm,rest=embedded") == "learner=local,rest=embedded"
    desk = Desk("somebody", Office())
    assert told_of(desk, {}) == ""
    desk.policy = "llm"
    assert told_of(desk, {}) == "no_model"
    desk.llm = {"llm.model": "some/model"}
    assert answering_of(desk).llm.model == "some/model"
    assert told_of(desk, {}) == "no_key"
    assert told_of(desk, {"OPENAI_API_KEY": "x"}) == "costs"
    desk.policy = "nobody"
    assert told_of(desk, {}) == "no_model"


def test_a_language_model_answers_and_what_did_not_come_is_counted() -> None:
    """One server's sketches have the right form; the other says what is none."""
    broken = FakeServer(usual=says("I am no JSON"))
    with serving(FakeServer(usual=answers())) as server:
        answering = Answering("reply=llm,rest=embedded", LanguageModel(base_url=server.url, model="m"))
        school = open_school(ONE)
        talk = OwnTalk(school, name_of(school), school.setup.curriculum.units_of(1)[0].id, 0, answering)
        talk.say("Hello!", last=True)
        assert talk.lines[-1].text
        assert talk.remembered().fallen == 0
    with serving(broken):
        answering = Answering("reply=llm,rest=embedded", LanguageModel(base_url=broken.url, model="n"))
        talk = OwnTalk(school, name_of(school), school.setup.curriculum.units_of(1)[0].id, 0, answering)
        talk.say("Good morning!", last=True)
        after = talk.remembered()
    assert 0 < after.fallen < after.asked
