"""The teacher's pages: accounts, sets, what is read of them, and what is erased."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.models.collaboration import STAGES
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import all_accounts
from eduverse_mesa.store.classwork import all_assignments
from eduverse_mesa.visualization.mathematics import asking, survey, troubles
from eduverse_mesa.visualization.words import load_words
from tests.visualization.mathematics import Client, School, Served, served


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
        found = re.search(r"name is (\w+), the password ([\w-]+)", said)
        assert found, said
        client = Client(one.port)
        assert client.post("/login", name=found[1], password=found[2]).status == 303
        assert client.get("/class").status == 200
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
    assert student.get(f"/sets/{school.work.id}/messages.csv").status == 404
    with Study.open(str(school.path), read_only=True) as study:
        assert "evil" not in {row.name for row in all_accounts(study)}


def test_a_teacher_makes_accounts_and_gives_them_a_set(server: Served, school: School, teacher: Client) -> None:
    made = teacher.post("/class", names="lychee\n\n  pear  \nkiwi\nnever", language="zh")
    passwords = dict(re.findall(r"<td>(\w+)</td><td><code>([\w-]+)</code>", made.text))
    assert set(passwords) == {"lychee", "pear"}
    assert "already" in made.text, "what is wrong with the third is said, and those before it are there"
    with Study.open(str(school.path), read_only=True) as study:
        ids = {row.name: row.id for row in all_accounts(study, "student")}
    assert "never" not in ids
    assert teacher.post("/groups", name="6b", student=ids["lychee"]).status == 303
    page = teacher.get("/sets").text
    group = re.search(r'name="group" value="([^"]+)"', page)
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
    with Study.open(str(school.path), read_only=True) as study:
        assert [row.title for row, _ in all_assignments(study)] == ["Week 1", "Fuel"]


def test_a_problem_is_checked_while_it_is_written_and_saved_when_it_holds_together(teacher: Client) -> None:
    page = teacher.get("/problems/edit?from=steps_and_distance").text
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert found is not None
    document = found[1].replace("&quot;", '"').replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
    own = document.replace("name: steps_and_distance", "name: my_steps").replace("&amp;", "&")
    assert teacher.post("/problems/check", document=own).text == '{"trouble":""}'
    wrong = own.replace("formula: distance / steps", "formula: distance + steps", 1)
    assert wrong != own
    said = teacher.post("/problems/check", document=wrong).text
    assert "cannot be added" in said
    assert re.search(r"problem:\d+:\d+", said), "with its line"
    assert teacher.post("/problems/edit", document=wrong).status == 422
    for hostile in (
        "",
        "!!python/object/apply:os.system [ls]",
        "a: &a [*a]",
        "x" * 300_000,
        "../../etc/passwd",
        "\x00",
    ):
        assert teacher.post("/problems/edit", document=hostile).status in (413, 422)
    assert teacher.get("/problems/edit?from=../../../etc/passwd").text.count("root:") == 0
    assert teacher.post("/problems/edit", document=own).status == 303
    assert "my_steps" in teacher.get("/problems").text
    assert 'value="own-' in teacher.get("/sets").text


def test_a_dialogue_is_read_counted_and_exported(server: Served, school: School, teacher: Client) -> None:
    student = Client(server.port, "kiwi")
    run = student.begin(school.work.id).run
    assert student.say(run, "=1+1 & <b>one step is 3 feet</b>", "kiwisays0001").status == 200
    student.events(run, 0, 3)
    progress = teacher.get(f"/sets/{school.work.id}").text
    assert f"/transcripts/{run}" in progress
    page = teacher.get(f"/transcripts/{run}").text
    assert "&lt;b&gt;one step is 3 feet" in page
    assert "<b>one step" not in page
    assert re.search(r"<td>kiwi</td><td>\d+</td><td>\d+%</td>", page), "the share of talk"
    reply = teacher.get(f"/sets/{school.work.id}/messages.csv")
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    mine = [row for row in rows if row["speaker"] == "kiwi"]
    assert [row["text"] for row in mine] == ["'=1+1 & <b>one step is 3 feet</b>"], (
        "no spreadsheet takes it for a formula"
    )
    assert teacher.get("/transcripts/guessed").status == 404
    assert teacher.get("/sets/guessed").status == 404


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
    for page in ("/class", f"/sets/{school.work.id}", f"/sets/{school.work.id}/messages.csv"):
        assert "mango" not in teacher.get(page).text
    held = b"".join(file.read_bytes() for file in school.path.parent.iterdir())
    assert b"mango" not in held
    assert b"zebra" not in held
    assert b"kiwi" in held


def test_what_these_pages_say_is_in_the_word_files() -> None:
    """Each literal key that is asked for, and each family of keys."""
    house = Path(asking.__file__).parent
    known = {key.removeprefix("mathematics.") for key in load_words() if key.startswith("mathematics.")}
    said = {
        key for file in house.glob("*.py") for key in re.findall(r'\bsay\(\s*"([a-z_.]+)"', file.read_text("utf-8"))
    }
    assert len(said) > 60
    assert said <= known
    families = {
        "stage": tuple(STAGES),
        "state": ("new", "going", "done"),
        "now": tuple(STAGES),
        "survey": (*survey.SURVEY, "low", "high"),
        "trouble": [one for name in {*troubles.SAID.values(), "broken"} for one in (name, f"{name}_mend")],
        "consent": ("what", "who", "kept", "free"),
        "teach": ("class", "sets", "problems", "speaker", "quantity", "was", "is", "put_right_by", "why"),
    }
    named = {f"{family}.{one}" for family, ones in families.items() for one in ones}
    assert named <= known
    assert known - said - named == set(), "nothing is said nowhere"
