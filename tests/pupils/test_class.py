"""The teacher's pages: accounts, sets, what is read of them, and what is erased."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args
from urllib.parse import urlencode

import pytest

from eduverse_mesa.decisions.groups import SERIOUS
from eduverse_mesa.models.groups import STAGES
from eduverse_mesa.policies.embedded.groups.revision import REASONS
from eduverse_mesa.pupils import request
from eduverse_mesa.pupils import student as student_module
from eduverse_mesa.pupils.teacher import downloads
from eduverse_mesa.pupils.teacher.problem_form import fields_of
from eduverse_mesa.pupils.teacher.routes import ROUTES
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.groups import Skill
from eduverse_mesa.scenarios.word_problem import Difficulty, Flaw, WordProblem
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import all_accounts, set_password
from eduverse_mesa.store.classwork import all_assignments, all_groups, save_problem
from eduverse_mesa.visualization.words import load_words
from tests.pupils.mathematics import PASSWORD, Client, School, Served, served

pytestmark = pytest.mark.xdist_group("mathematics_class")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return School(tmp_path_factory.mktemp("school") / "a.study", "kiwi", "mango")


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Served]:
    with served(school.path) as one:
        yield one


@pytest.fixture
def teacher(server: Served) -> Client:
    return Client(server.port, "Ms Li")


def test_the_first_start_makes_a_teacher_and_the_second_does_not(tmp_path: Path) -> None:
    with served(tmp_path / "new.study") as one:
        assert one.process.stdout is not None
        said = one.process.stdout.readline()
        assert "name is teacher" in said
        assert "eduverse mathvc password" in said, "what is no terminal may be a log: no password stands there"
        assert Client(one.port).get("/login").status == 200
    with Study.open(str(tmp_path / "new.study"), read_only=True) as study:
        assert [row.role for row in all_accounts(study)] == ["teacher"]


def test_students_reach_no_page_of_teachers(server: Served, school: School, teacher: Client) -> None:
    student = Client(server.port, "kiwi")
    mine = school.students["mango"].id
    for path in ("/class", "/sets", "/problems", "/problems/edit", f"/sets/{school.work.id}", f"/class/{mine}/erase"):
        assert student.get(path).status == 404
        assert teacher.get(path).status == 200
    for path in ("/class", "/groups", "/sets", "/problems/edit", f"/class/{mine}/password", f"/class/{mine}/erase"):
        assert student.post(path, names="evil", name="evil", sure="yes", document="").status == 404
    with Study.open(str(school.path), read_only=True) as study:
        assert "evil" not in {row.name for row in all_accounts(study)}


def passwords_on(page: str) -> dict[str, str]:
    """What the slips say."""
    return dict(re.findall(r"<dd><b>([^<]+)</b></dd>.*?<code>([\w-]+)</code>", page))


def test_a_teacher_makes_accounts_and_gives_them_a_set(server: Served, school: School, teacher: Client) -> None:
    made = teacher.post("/class", names="lychee\n\n  pear  \nkiwi\nlast", language="zh")
    passwords = passwords_on(made.text)
    assert set(passwords) == {"lychee", "pear", "last"}, "one that cannot be keeps no other out"
    assert server.address in made.text, "a slip says where to go"
    assert "already" in made.text, "what is wrong with it is said"
    assert ">kiwi</textarea>" in made.text, "and can be mended there"
    assert ">kiwi</textarea>" in teacher.post("/class", names="kiwi").text
    assert teacher.post("/groups", name="nobody").status == 422
    with Study.open(str(school.path), read_only=True) as study:
        ids = {row.name: row.id for row in all_accounts(study, "student")}
    assert teacher.post("/groups", name="6b", student=ids["lychee"]).status == 303
    group = re.search(r'name="group" value="([^"]+)"> 6b', teacher.get("/sets/new").text)
    assert group is not None
    given = teacher.post(
        "/sets", title="Fuel", problem="race_fuel", group=group[1], student=ids["pear"], wait="0", mistake=""
    )
    assert given.status == 303
    for name in ("lychee", "pear"):
        student = Client(server.port)
        assert student.post("/login", name=name, password=passwords[name]).status == 303
        work = student.get("/work").text
        assert "Fuel" in work
        assert "我的题目" in work
    assert teacher.post("/sets", title="Nothing", wait="0").status == 422
    assert teacher.post("/sets", title="x", problem="race_fuel", student=ids["pear"], wait="soon").status == 422
    assert teacher.post("/sets", title="x", problem="race_fuel", student="guessed", wait="1").status == 422
    long = teacher.post("/sets", title="x" * 41, problem="race_fuel", student=ids["pear"], wait="1")
    assert long.status == 422
    assert "A title has 1 to 40 characters" in long.text
    with Study.open(str(school.path), read_only=True) as study:
        assert [row.title for row, _ in all_assignments(study)] == ["Week 1", "Fuel"]
    assert passwords_on(teacher.post("/class/passwords").text) == {}, "asked first"
    anew = passwords_on(teacher.post("/class/passwords", sure="yes").text)
    assert set(anew) == {"kiwi", "mango", "lychee", "pear", "last"}
    assert Client(server.port).post("/login", name="pear", password=passwords["pear"]).status == 403
    assert Client(server.port).post("/login", name="pear", password=anew["pear"]).status == 303
    with Study.open(str(school.path)) as study:  # as the other tests know them
        for name in ("kiwi", "mango"):
            set_password(study, ids[name], PASSWORD)


def set_for(kiwi: str) -> dict[str, str]:
    """A set of one problem with two peers of one's own."""
    return {
        "title": "Week 2", "student": kiwi, "wait": "0", "fading": "on", "mistake-race_fuel": "",
        "peer-1-name": "Cleo", "peer-1-skill": "advanced", "peer-1-style": "", "peer-2-name": "Dan",
        "peer-2-skill": "limited", "peer-2-style": "short",
        "problem": "steps_and_distance", "mistake-steps_and_distance": "subtracts",
    }  # fmt: skip


def test_a_set_that_does_not_hold_together_is_refused_and_one_peer_is_enough(
    server: Served, school: School, teacher: Client
) -> None:
    assert "1,200 feet per step" in teacher.get("/sets/new").text, "where a mistake leads stands beside it"
    wanted = set_for(school.students["kiwi"].id)
    assert teacher.post("/sets", **{**wanted, "peer-1-name": "KIWI"}).status == 422, "a student is called so"
    assert teacher.post("/sets", **{**wanted, "mistake-steps_and_distance": "guessed"}).status == 422
    alone = teacher.post("/sets", **{**wanted, "peer-1-name": "", "title": "One peer"}).headers["location"]
    assert Client(server.port, "kiwi").begin(alone.removeprefix("/sets/")).run
    assert teacher.get(f"/sets/new?copy={alone.removeprefix('/sets/')}").status == 200
    assert teacher.post(f"{alone}/delete", sure="yes").status == 303


def test_a_set_has_a_mistake_for_each_problem_and_is_changed_until_somebody_begins(
    server: Served, school: School, teacher: Client
) -> None:
    wanted = set_for(school.students["kiwi"].id)
    made = teacher.post("/sets", **wanted)
    assert made.status == 303
    page = made.headers["location"]
    assert 'value="Cleo"' in teacher.get(f"{page}/edit").text
    assert teacher.post(f"{page}/edit", **{**wanted, "title": "Week two"}).status == 303
    student = Client(server.port, "kiwi")
    run = student.begin(page.removeprefix("/sets/")).run
    told = teacher.get(f"/transcripts/{run}").text
    assert "Dan: </b><q>The difference between the feet and the steps" in told, "what the peer of limited skill holds"
    assert "40 feet per step" in told
    assert teacher.get(f"{page}/edit").status == 409
    assert teacher.post(f"{page}/edit", **wanted).status == 409
    copy = teacher.get(f"/sets/new?copy={page.removeprefix('/sets/')}").text
    assert re.search(r'value="subtracts" checked', copy)
    assert "Week two (copy)" in copy
    assert student.say(run, "hello", "beforetheend").status == 200
    assert teacher.post(f"{page}/end", do="end").status == 303
    assert student.say(run, "too late", "aftertheend1").status == 409
    second = Client(server.port, "mango")
    assert teacher.post(f"{page}/students", group="all").status == 303
    assert "has ended this set" in second.begin(page.removeprefix("/sets/")).text
    assert "hello" in student.get(f"/work/{page.removeprefix('/sets/')}/1").text
    assert teacher.post(f"{page}/end", do="open").status == 303
    assert student.say(run, "hello again", "openagain001").status == 200
    assert student.say(run, "somebody at home hits me", "tellsofharm01").status == 200
    assert "may need help" in teacher.get(page).text
    assert "may need help" in teacher.get(f"/transcripts/{run}").text
    assert teacher.post(f"{page}/delete").status == 200, "asked first"
    assert teacher.post(f"{page}/delete", sure="yes").status == 303
    assert teacher.get(page).status == 404
    assert teacher.get(f"/transcripts/{run}").status == 404
    assert b"hello again" not in b"".join(file.read_bytes() for file in school.path.parent.glob("a.study*"))


def test_another_teacher_has_an_own_class_and_reaches_nothing_of_this_one(
    server: Served, school: School, teacher: Client
) -> None:
    made = passwords_on(teacher.post("/teachers", name="Mr Ba").text)
    other = Client(server.port)
    assert other.post("/login", name="Mr Ba", password=made["Mr Ba"]).status == 303
    page = other.get("/class")
    other.csrf = page.csrf
    assert "kiwi" not in page.text
    assert "Week 1" not in other.get("/sets").text
    run = Client(server.port, "kiwi").begin(school.work.id).run
    group = teacher.post("/groups", name="all", group="all")
    assert group.status == 303
    with Study.open(str(school.path)) as study:
        theirs = {
            "student": school.students["kiwi"].id,
            "group": all_groups(study, school.teacher.id)[-1].id,
            "assignment": school.work.id,
            "run": run,
            "own": save_problem(study, "hers", "kind: problem", school.teacher.id).id,
            "teacher": school.teacher.id,
            "file": "all.zip",
            "alert": "0123456789abcdef",
        }
    walked = 0
    for path, _, methods in ROUTES:
        if "{" not in path:
            continue
        for method in methods:
            at = path.format(**theirs)
            body = urlencode({"csrf": other.csrf, "sure": "yes", "do": "delete", "name": "x"})
            reply = other.ask(method, at, body) if method == "POST" else other.get(at)
            assert reply.status == 404, (method, at)
            walked += 1
    assert walked > 15
    for query in (f"own={theirs['own']}", f"from=&own={theirs['own']}"):
        for path in ("/problems/edit", "/problems/try", "/problems/download"):
            assert other.get(f"{path}?{query}").status == 404
    given = {"title": "mine", "problem": "race_fuel", "wait": "1"}
    for whom in ({"student": theirs["student"]}, {"group": theirs["group"]}):
        assert other.post("/sets", **given, **whom).status == 422
    assert other.post("/groups", name="g", student=theirs["student"]).status == 422
    assert "kiwi" not in other.get(f"/sets/new?copy={school.work.id}").text
    assert teacher.get(f"/sets/{school.work.id}").status == 200, "and hers is all there"
    assert passwords_on(other.post("/class", names="newcomer").text).keys() == {"newcomer"}
    assert "newcomer" not in teacher.get("/class").text


def test_a_dialogue_is_read_counted_and_exported(server: Served, school: School, teacher: Client) -> None:
    student = Client(server.port, "kiwi")
    run = student.begin(school.work.id).run
    assert student.say(run, "=1+1 & <b>one step is 3 feet</b>", "kiwisays0001").status == 200
    student.events(run, 0, 3)
    here = f"/sets/{school.work.id}"
    progress = teacher.get(here).text
    assert f"/transcripts/{run}" in progress
    assert "1 of 2" in progress or "2 of 2" in progress
    page = teacher.get(f"/transcripts/{run}").text
    assert "&lt;b&gt;one step is" in page
    assert "<b>one step" not in page
    assert re.search(r"kiwi</td><td[^>]*>\d+</td><td[^>]*>\d+% <meter", page), "the share of talk"
    assert "✗ 1,200 feet per step" in page, "what Alice holds, and that it is wrong"
    first = teacher.get(f"/transcripts/{run}?step=1").text
    assert first.count("data-step=") == 1 < page.count("data-step=")
    counted = teacher.get(f"{here}/counted").text
    assert re.search(r"Steps and distance[^<]*</td><td[^>]*>1</td><td[^>]*>0</td>", counted)
    named = list(csv.DictReader(io.StringIO(teacher.get(f"{here}/export/messages.csv?names=yes").text)))
    mine = [row for row in named if row["speaker"] == "kiwi"]
    assert "'=1+1 & <b>one step is 3 feet</b>" in [row["text"] for row in mine], "no spreadsheet takes it for a formula"
    assert (
        Client(server.port, "kiwi")
        .post(f"/survey/{school.work.id}", **dict.fromkeys(student_module.SURVEY, "4"))
        .status
        == 303
    )
    whole = Client(server.port)
    whole.cookie = teacher.cookie
    files = zipfile.ZipFile(io.BytesIO(whole.raw(f"{here}/export/all.zip")))
    assert sorted(files.namelist()) == sorted([*(f"{one}.csv" for one in downloads.FILES), "codebook.csv"])
    for name in files.namelist():
        text = files.read(name).decode()
        assert "kiwi" not in text.casefold(), "a student is a number, in what peers say, too"
        assert text.count("\n") > (name not in ("mistakes.csv", "corrections.csv", "revisions.csv", "alerts.csv"))
    assert "student 1" in files.read("messages.csv").decode()
    assert "kiwi" in teacher.get(f"{here}/export/surveys.csv?names=yes").text
    assert teacher.get(f"{here}/export/passwords.csv").status == 404
    assert teacher.get("/transcripts/guessed").status == 404
    assert teacher.get("/sets/guessed").status == 404


def test_a_pupils_mistake_stands_beside_the_sentence_that_claims_it(
    server: Served, school: School, teacher: Client
) -> None:
    student = Client(server.port, "kiwi")
    run = student.begin(school.work.id).run
    for number, text in enumerate(("is it 30 feet?", "Alice says 1200", "I drew it. One step is <40> feet!"), start=1):
        assert student.say(run, text, f"kiwierrs{number:04}").status == 200
    here = f"/sets/{school.work.id}"
    counted = teacher.get(f"{here}/counted").text
    assert "<q>One step is &lt;40&gt; feet!</q>" in counted
    assert counted.count("<q>") == counted.count(f"/transcripts/{run}?step=") == 1
    page = teacher.get(f"/transcripts/{run}").text
    assert "40 feet per step</td>" in page
    assert "<q>One step is &lt;40&gt; feet!</q>" in page
    mistakes = list(csv.DictReader(io.StringIO(teacher.get(f"{here}/export/mistakes.csv").text.lstrip("\ufeff"))))
    [mine] = [one for one in mistakes if one["event"] == "introduced" and one["of"] == one["student"]]
    assert mine["words"] == "One step is <40> feet!"
    assert "mistakes.csv,words" in teacher.get(f"{here}/export/codebook.csv").text


def test_who_is_erased_is_gone_from_every_page_and_file(server: Served, school: School, teacher: Client) -> None:
    student = Client(server.port, "mango")
    run = student.begin(school.work.id).run
    assert student.say(run, "my zebra lives at Elm Street", "mangosays001").status == 200
    path = f"/class/{school.students['mango'].id}/erase"
    assert "mango" in teacher.get(path).text, "asked first"
    assert teacher.post(path).status == 200, "and nothing is done without a yes"
    assert student.get("/work").status == 200
    assert teacher.post(path, sure="yes").status == 303
    assert student.get("/work").status == 303, "logged out"
    assert teacher.get(f"/transcripts/{run}").status == 404
    assert teacher.get(path).status == 404
    for page in ("/class", f"/sets/{school.work.id}", f"/sets/{school.work.id}/export/messages.csv?names=yes"):
        assert "mango" not in teacher.get(page).text
    assert "zebra" not in teacher.get(f"/sets/{school.work.id}/export/messages.csv").text
    held = b"".join(file.read_bytes() for file in school.path.parent.iterdir())
    assert b"mango" not in held
    assert b"zebra" not in held
    assert b"kiwi" in held


def test_what_these_pages_say_is_in_the_word_files() -> None:
    """Each literal key that is asked for is there, and each that is there is asked for: by its name, or by a family
    of keys and the last part of its name."""
    site = Path(request.__file__).parent
    source = "".join(file.read_text("utf-8") for file in site.rglob("*.py"))
    codes = {*STAGES, *get_args(Flaw), *get_args(Difficulty), *get_args(Skill), *SERIOUS, *REASONS}
    codes |= {name for part in _parts(WordProblem) for name in part.model_fields}
    codes |= {part.__name__.lower() for part in _parts(WordProblem)}
    for asked, page in (("say", "mathematics"), ("teach", "teaching")):
        known = {key.removeprefix(f"{page}.") for key in load_words() if key.startswith(f"{page}.")}
        said = set(re.findall(rf'\b{asked}\(\s*"([a-z_.]+)"', source))
        assert len(said) > 60
        assert said <= known
        families = {one.removeprefix(f"{page}.") for one in re.findall(r'f"([a-z_.]+)\.\{', source)}
        quoted = set(re.findall(r"[\"']([a-z_.]+)[\"']", source)) | codes
        silent = {
            key
            for key in known - said - quoted
            if not (key.partition(".")[0] in families and key.rpartition(".")[2].removesuffix("_mend") in quoted)
        }
        assert silent == set(), "nothing is said nowhere"


def _parts(part: type[Part]) -> set[type[Part]]:
    inner = {kind.part for kind in fields_of(part).values() if kind.part is not None}
    return {part}.union(*(_parts(one) for one in inner))
