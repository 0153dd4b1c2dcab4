"""The teacher's pages on which problems are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import msgspec
import pytest

from eduverse_mesa import formulas, scenarios
from eduverse_mesa.pupils import teacher as pages
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.visualization.words import load_words
from tests.pupils.mathematics import Client, Here, School, serving

pytestmark = pytest.mark.xdist_group("mathematics_problems")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    school = School(tmp_path_factory.mktemp("school") / "a.study")
    with open_study(str(school.path)) as opened, serving(opened) as here:
        yield here


@pytest.fixture
def teacher(server: Here) -> Client:
    return Client(server.port, "Ms Li")


def document_on(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)
    assert found is not None
    return unescape(found[1])


def test_a_problem_is_checked_while_it_is_written_and_saved_when_it_holds_together(teacher: Client) -> None:
    own = document_on(teacher.get("/problems/edit?from=steps_and_distance&as=text").text)
    assert "name: my_steps_and_distance" in own, "a copy is none of the built-in ones"
    told = msgspec.json.decode(teacher.post("/problems/check", document=own).text)
    assert (told["trouble"], told["fields"], told["empty"]) == ("", {}, {})
    wrong = own.replace("formula: distance / steps", "formula: distance + steps", 1)
    assert wrong != own
    said = msgspec.json.decode(teacher.post("/problems/check", document=wrong).text)
    assert "cannot be added" in said["trouble"]
    assert re.search(r"problem:\d+:\d+", said["trouble"]), "with its line"
    assert "cannot be added" in said["fields"]["subtasks.1.formula"], "and with its field"
    assert teacher.post("/problems/edit", document=wrong).status == 422
    hostile = (
        "",
        "!!python/object/apply:os.system [ls]",
        "a: &a [*a]",
        "x" * 300_000,
        "../../etc/passwd",
        "\x00",
        "[]",
    )
    for document in hostile:
        assert teacher.post("/problems/edit", document=document).status in (413, 422)
        if len(document) < 1000:
            reply = teacher.upload("/problems/upload", document.encode())
            assert reply.status == 422
            assert "This is not a problem&#x27;s file. Open one that you downloaded here (.yaml)." in reply.text
    for other in (
        b"\xff\xfe\x00k",
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"name;grade\nkiwi;6\n",
        b"name: kiwi\ntitle: a lesson\n",
    ):
        assert "This is not a problem&#x27;s file." in teacher.upload("/problems/upload", other).text
    broken = teacher.upload("/problems/upload", own.replace("givens:", "givens: [", 1).encode())
    assert broken.text.index('id="verdict"') < broken.text.index('id="document"'), (
        "what is wrong is said above the text"
    )
    assert teacher.get("/problems/edit?from=../../../etc/passwd").text.count("root:") == 0
    assert teacher.post("/problems/edit", document=own.replace("name: my_", "name: ")).status == 422, "a built-in name"
    assert teacher.post("/problems/edit", document=own).status == 303
    assert "my_steps_and_distance" in teacher.get("/problems").text
    again = document_on(teacher.get("/problems/edit?from=steps_and_distance&as=text").text)
    assert "name: my_steps_and_distance_2" in again, "another copy writes over none"
    assert 'value="own-' in teacher.get("/sets/new").text
    there = re.findall(r"download\?own=([\w-]+)", teacher.get("/problems").text)[-1]
    file = teacher.get(f"/problems/download?own={there}")
    assert file.text == own
    assert file.headers["content-disposition"] == 'attachment; filename="my_steps_and_distance.yaml"'
    assert "It holds together" in teacher.upload("/problems/upload", file.text.encode()).text
    assert teacher.post(f"/problems/{there}/delete", sure="yes").status == 303
    assert "my_steps_and_distance" not in teacher.get("/problems").text


def test_a_problem_is_written_in_a_form_without_a_script_and_tried(teacher: Client) -> None:
    page = teacher.get("/problems/edit?from=poster_frame").text
    fields = fields_on(page)
    assert fields["f.choice.options.1.id"] == "B"
    more = teacher.post("/problems/edit", **fields, do="add:misconceptions.0.changes").text
    assert "f.misconceptions.0.changes.0.of" in more
    wrong = teacher.post("/problems/edit", **{**fields, "f.givens.0.value": "soon"}, do="check")
    assert wrong.status == 422
    at = re.search(r'data-at="givens\.0\.value"[^>]*>([^<]+)<', wrong.text)
    assert at is not None
    assert "soon" in at[1]
    empty = teacher.post("/problems/edit", **{**fields, "f.question": ""}, do="check").text
    assert re.search(r'data-at="question"[^>]*>Fill this in\.<', empty)
    text = document_on(teacher.post("/problems/edit", **fields, do="text").text)
    assert '"fields":{},"empty":{}' in teacher.post("/problems/check", document=text).text
    assert fields_on(teacher.post("/problems/edit", document=text, do="form").text) == fields, "and back, the same"
    tried = teacher.post("/problems/edit", **fields, do="try", mistake=fields["f.misconceptions.1.id"], seed="5")
    assert tried.status == 200
    assert all(one in tried.text for one in ("Alice", "Bob", "They have solved it in"))
    assert 'data-careful="changed"' in tried.text, "who leaves it is asked"
    assert 'data-careful="changed"' in more
    assert 'data-careful="changed"' not in page
    assert teacher.get("/problems/try?from=paint_mixture_zh").status == 200
    assert teacher.post("/problems/edit", **fields, do="save").status == 303
    assert "my_poster_frame" in teacher.get("/problems").text


def test_an_empty_form_is_counted_and_told_of_only_when_it_is_sent(teacher: Client) -> None:
    page = teacher.get("/problems/edit?from=empty").text
    assert "Fill this in." not in page
    assert re.search(r'class="ev-count" data-count="misconceptions">\d+ to fill in<', page)
    assert page.count("<details") == page.count("<details open"), "nothing is hidden"
    assert "f.misconceptions.0.right_if" not in page, "there are no options yet"
    assert page.count("(optional)") > 5
    fields = fields_on(page) | {"f.title": "Pizza left", "f.grade": "six"}
    sent = teacher.post("/problems/edit", **fields, do="save")
    assert sent.status == 422
    assert sent.text.count(">Fill this in.<") > 20
    assert 'name="f.name" value="pizza_left"' in sent.text, "made of the title"
    assert "Write a whole number from 1 to 12." in sent.text
    more = teacher.post("/problems/edit", **fields, do="add:misconceptions").text
    assert "f.misconceptions.1.changes.0.of" in more, "a new mistake has its first row, too"
    options = teacher.post("/problems/edit", **fields, do="add:choice").text
    assert "f.misconceptions.0.right_if" in options


def test_the_name_of_a_problem_is_not_taken(teacher: Client) -> None:
    page = teacher.get("/problems/edit?from=steps_and_distance").text
    fields = fields_on(page) | {"f.name": "", "f.title": "Steps twice"}
    for name, statement in (("steps_twice", fields["f.statement"]), ("steps_twice_2", f"{fields['f.statement']} Now.")):
        for _ in range(2):  # two clicks
            assert teacher.post("/problems/edit", **fields | {"f.statement": statement}, do="save").status == 303
        assert f">{name}<" in teacher.get("/problems").text, "another, and nothing is written over"
    assert "steps_twice_3" not in teacher.get("/problems").text, "the same one is kept once"
    text = document_on(teacher.get("/problems/edit?from=race_fuel&as=text").text)
    for _ in range(2):
        assert teacher.post("/problems/edit", document=text, do="save").status == 303, "nor is it refused"
    fields["f.title"] = "Steps once more"
    for name, said in (("race_fuel", "A built-in problem has this name"), ("steps_twice", "Another problem of yours")):
        told = msgspec.json.decode(teacher.post("/problems/check", **{**fields, "f.name": name}).text)
        assert said in told["fields"]["name"], "while it is written"
        refused = teacher.post("/problems/edit", **{**fields, "f.name": name}, do="save")
        assert refused.status == 422
        assert said in refused.text


def test_the_form_speaks_chinese_to_a_chinese_teacher(teacher: Client) -> None:
    fields = fields_on(teacher.get("/problems/edit?from=steps_and_distance_zh").text)
    wrong = {**fields, "f.grade": "六", "f.subtasks.1.formula": "distance ++ steps", "f.question": ""}
    page = teacher.post("/problems/edit?language=zh", **wrong, do="check").text
    told = [unescape(one) for one in re.findall(r'class="ev-bad ev-at" data-at="[^"]*" id="[^"]*">([^<]+)<', page)]
    assert told == ["请写1到12之间的整数。", "请填写。"]


def fields_on(page: str) -> dict[str, str]:
    """What a browser would send of the form."""
    found = {name: unescape(value) for name, value in re.findall(r'<input name="(f\.[^"]+)" value="([^"]*)"', page)} | {
        name: unescape(value)
        for name, value in re.findall(r'<textarea name="(f\.[^"]+)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    }
    for name, options in re.findall(r'<select name="(f\.[^"]+)"[^>]*>(.*?)</select>', page):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else ""
    return found


def test_no_words_of_the_form_are_said_nowhere() -> None:
    files = [Path(str(room.__file__)).parent for room in (formulas, scenarios, pages)]
    source = "".join(file.read_text(encoding="utf-8") for room in files for file in room.rglob("*.py"))
    families = set(re.findall(r"problem_form\.([a-z_.]+)\.\{", source))
    keys = {key.removeprefix("problem_form.") for key in load_words() if key.startswith("problem_form.")}
    quoted = set(re.findall(r"[\"'.]([a-z_]+)[\"']", source))
    assert len(keys) > 60
    assert {key for key in keys if key.rpartition(".")[2] not in quoted} == set()
    assert {key.rpartition(".")[0] for key in keys} == families | {"", "doubt"}
