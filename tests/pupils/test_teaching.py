"""What a teacher meets on her pages besides the way straight through: her language, slips, names, and what is said."""

from __future__ import annotations

import codecs
import csv
import io
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from eduverse_mesa.pupils.server import first_teacher
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import account, all_accounts
from eduverse_mesa.visualization.words import load_words
from tests.pupils.mathematics import PASSWORD, Client, Here, School, serving

pytestmark = pytest.mark.xdist_group("mathematics_teaching")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return School(tmp_path_factory.mktemp("school") / "a.study", "kiwi", "mango")


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Here]:
    with open_study(str(school.path)) as opened, serving(opened) as here:
        yield here


@pytest.fixture
def teacher(server: Here) -> Client:
    return Client(server.port, "Ms Li")


# --- her language ---


def test_a_language_chosen_at_the_door_is_kept_and_only_one_that_was_chosen(server: Here, school: School) -> None:
    client = Client(server.port)
    door = client.get("/login?language=zh").text
    assert 'action="/login?language=zh"' in door
    assert 'action="/login"' in Client(server.port).get("/login", Accept_Language="zh").text, "nobody has chosen it"
    assert client.post("/login?language=zh", name="kiwi", password=PASSWORD).status == 303
    assert "我的题目" in client.get("/work", Accept_Language="en").text
    again = Client(server.port)
    assert again.post("/login", name="kiwi", password=PASSWORD).status == 303
    assert "我的题目" in again.get("/work", Accept_Language="en").text, "and the next time"
    with Study.open(str(school.path), read_only=True) as study:
        assert account(study, school.students["mango"].id).language == "en"


def test_everybody_changes_the_language_on_every_page_and_comes_back_to_it(server: Here) -> None:
    for name, path in (("Ms Li", "/problems?x=1&y=2"), ("mango", "/work")):
        client = Client(server.port, name)
        page = client.get(path).text
        assert 'name="language" value="zh"' in page
        assert f'name="then" value="{path.replace("&", "&amp;")}"' in page
        assert client.post("/language", language="zh", then=path).headers["location"] == path
        assert 'lang="zh"><head' in client.get(path).text
        for evil in ("//evil.example", "https://evil.example", "/\\evil.example", ""):
            assert client.post("/language", language="en", then=evil).headers["location"] == "/"
        assert client.post("/language", language="klingon", then=path).status == 303
        assert 'lang="en"><head' in client.get(path).text
    assert client.ask("POST", "/language", "language=zh").status == 403, "only from our pages"
    assert Client(server.port).post("/language", language="zh").status in (303, 401)


def test_the_first_teacher_reads_what_her_browser_wishes_until_she_chooses(tmp_path: Path) -> None:
    with open_study(str(tmp_path / "new.study"), create=True) as opened:
        made = first_teacher(opened.study)
        assert made is not None
        with serving(opened) as here:
            client = Client(here.port)
            assert client.post("/login", name=made[0], password=made[1]).status == 303
            assert client.get("/class", Accept_Language="zh-CN,zh").text.count('lang="zh"><head') == 1
            client.csrf = client.get("/class").csrf
            client.post("/language", language="en", then="/class")
            assert client.get("/class", Accept_Language="zh-CN,zh").text.count('lang="en"><head') == 1


def test_chinese_teachers_are_spoken_to_with_respect_and_pupils_as_one_speaks_to_them() -> None:
    for key, said in load_words("zh").items():
        if key.startswith(("teaching.", "problem_form.", "mathematics.teach.", "mathematics.data.")):
            assert "你" not in said, key
        elif key.startswith("mathematics."):
            assert "您" not in said, key


# --- slips ---


def passwords_on(page: str) -> dict[str, str]:
    """What the slips say."""
    return dict(re.findall(r"<dd><b>([^<]+)</b></dd>.*?<code>([\w-]+)</code>", page))


def test_slips_stay_until_they_are_printed_and_are_with_nobody_else(server: Here, school: School) -> None:
    teacher, long = Client(server.port, "Ms Li"), "x" * 300
    before = teacher.get("/class").text
    assert "Only this computer can open" in before, "said before accounts are made whose slips a restart would lose"
    assert "Only this computer" not in teacher.get("/class", Host="school.example:80").text
    first = teacher.post("/class", names=f"pear\nkiwi\n{long}")
    made = passwords_on(first.text)
    assert made.keys() == {"pear"}
    assert f"<b>{'x' * 40}…</b>" in first.text, "what is repeated of a name that is too long is short"
    assert first.text.index("</textarea>") < first.text.index('id="passwords"'), "names to be mended stand above"
    assert "Only this computer can open" in first.text, "nobody else comes to a loopback address"
    elsewhere = teacher.get("/class/slips", Host="school.example:80").text
    assert "http://school.example:80/" in elsewhere
    assert "Only this computer" not in elsewhere
    form = "drawn by the page"
    mended = passwords_on(teacher.post("/class", names="kiwi two\nplum", form=form).text)
    assert mended.keys() == {"pear", "kiwi two", "plum"}
    assert mended["pear"] == made["pear"], "of what was mended, and the earlier ones"
    again = teacher.post("/class", names="kiwi two\nplum", form=form)
    assert passwords_on(again.text) == mended
    assert 'role="alert"' not in again.text, "loaded again: nothing is wrong"
    assert 'href="/class/slips"' in teacher.get("/class").text
    assert passwords_on(teacher.get("/class/slips").text) == mended
    assert Client(server.port, "kiwi").get("/class/slips").status == 404
    colleague = passwords_on(teacher.post("/teachers", name="Mr Ba").text)["Mr Ba"]
    other = Client(server.port)
    assert other.post("/login", name="Mr Ba", password=colleague).status == 303
    assert other.get("/class/slips").status == 303, "a colleague has none of hers"
    with Study.open(str(school.path), read_only=True) as study:
        plum = next(row.id for row in all_accounts(study) if row.name == "plum")
    assert teacher.post(f"/class/{plum}/erase", sure="yes").status == 303
    assert "plum" not in passwords_on(teacher.get("/class/slips").text)
    assert not any(
        one.encode() in file.read_bytes() for one in made.values() for file in school.path.parent.iterdir()
    ), "they are in memory only"
    assert teacher.post("/class/slips").status == 303
    assert teacher.get("/class/slips").status == 303, "forgotten"
    assert "/class/slips" not in teacher.get("/class").text


def test_why_a_name_cannot_be_is_said_in_the_language_of_the_page(server: Here, school: School) -> None:
    teacher = Client(server.port, "Ms Li")
    teacher.post("/language", language="zh", then="/class")
    refused = teacher.post("/class", names=f"kiwi\n{'x' * 41}\nkiвi").text
    teacher.post("/language", language="en", then="/class")
    listed = re.findall(r"<li><b>[^<]+</b>: ([^<]+)</li>", refused)
    assert len(listed) == 3
    assert not any(re.search("[a-z]{3}", one) for one in listed), listed


# --- groups, and what was done ---


def test_a_group_that_cannot_be_keeps_what_was_typed_and_no_two_have_the_same_name(
    school: School, teacher: Client
) -> None:
    kiwi = school.students["kiwi"].id
    nobody = teacher.post("/groups", name="Group A")
    assert nobody.status == 422
    assert 'value="Group A"' in nobody.text
    assert teacher.post("/groups", name="Group A", student=kiwi).status == 303
    twin = teacher.post("/groups", name=" group  a ", student=kiwi)
    assert twin.status == 422
    assert "already" in twin.text
    assert f'value="{kiwi}" checked' in twin.text
    assert teacher.post("/groups", name="\u202e", student=kiwi).status == 422
    assert teacher.post("/groups", name="Group B", student=kiwi).status == 303
    second = re.findall(r'href="(/groups/[^"]+)">Group B', teacher.get("/class").text)[0]
    assert teacher.post(second, name="GROUP A", student=kiwi).status == 422
    assert teacher.post(second, name="Group B").status == 422, "nobody would be in it"
    assert teacher.post(second, name="Group b", student=kiwi).status == 303, "its own name is free"
    assert teacher.post(second, do="delete").status == 303


def test_a_page_says_once_what_was_done_and_whoever_may_change_their_mind_has_a_way_back(
    server: Here, school: School, teacher: Client
) -> None:
    teacher.post("/class/slips")
    assert passwords_on(teacher.post("/class", names="fig").text).keys() == {"fig"}
    with Study.open(str(school.path), read_only=True) as study:
        fig = next(row.id for row in all_accounts(study) if row.name == "fig")
    path = f"/class/{fig}/erase"
    assert '<a href="/class">Cancel</a>' in teacher.get(path).text
    assert '<a href="/class">Cancel</a>' in teacher.post("/class/passwords").text
    assert ">Cancel</a>" in teacher.get(f"/sets/{school.work.id}/delete").text
    assert teacher.post(path, sure="yes").status == 303
    assert "is erased" not in Client(server.port, "Ms Li").get("/class").text, "another login has done nothing"
    assert "is erased" not in teacher.get("/class", Sec_Fetch_Dest="empty").text, "a page that looks for news is none"
    assert "is erased" in teacher.get("/class").text
    assert "is erased" not in teacher.get("/class").text
    for method in ("get", "post"):
        again = getattr(teacher, method)(path)
        assert again.status == 404
        assert "erased already" in again.text
        assert '<a href="/class" class="ev-button">Back to the class' in again.text
    other = school.students["kiwi"].id
    assert "erased already" not in Client(server.port, "kiwi").get(path).text
    assert "erased already" not in teacher.get("/class/guessed/erase").text
    assert teacher.post("/data", days="").status == 303
    assert "It is saved" in teacher.get("/data").text
    assert teacher.post("/sets", title="Two", problem="race_fuel", student=other, wait="1").status == 303
    given = teacher.get("/sets")
    assert "The set is given" in given.text


# --- files ---


def test_files_are_called_after_their_set_and_open_in_a_spreadsheet(server: Here, school: School) -> None:
    teacher = Client(server.port, "Ms Li")
    given = {"title": "分数 / 7b", "problem": "race_fuel", "student": school.students["kiwi"].id, "wait": "1"}
    page = teacher.post("/sets", **given).headers["location"]
    run = Client(server.port, "kiwi").begin(page.removeprefix("/sets/")).run
    student = Client(server.port, "kiwi")
    assert student.say(run, "我叫小明", "nowsomething1").status == 200
    for query, kind in (("", "numbered"), ("?names=yes", "with-names")):
        for name in ("messages.csv", "surveys.csv", "codebook.csv"):
            saved = f"分数-7b-{kind}-{name}"
            assert f'download="{saved}"' in teacher.get(page).text
            found = teacher.get(f"{page}/export/{name}{query}").headers["content-disposition"]
            assert found.endswith(f"filename*=UTF-8''{quote(saved)}")
            assert f'filename="set-{kind}-{name}"' in found, (
                "whoever is named in it stands out also without those letters"
            )
    assert teacher.raw(f"{page}/export/messages.csv").startswith(codecs.BOM_UTF8)
    whole = zipfile.ZipFile(io.BytesIO(teacher.raw(f"{page}/export/all.zip?names=yes")))
    explained = {
        (row["file"], row["column"])
        for row in csv.DictReader(io.StringIO(whole.read("codebook.csv").decode("utf-8-sig")))
    }
    columns = {
        (name, column)
        for name in whole.namelist()
        if name != "codebook.csv"
        for column in next(csv.reader(io.StringIO(whole.read(name).decode("utf-8-sig"))))
    }
    assert columns
    assert columns <= explained, "each column of each file"


# --- sets ---


def test_how_long_peers_wait_is_set_for_both_cases_and_no_two_of_them_have_one_name(
    school: School, teacher: Client
) -> None:
    given = {"title": "Waits", "problem": "race_fuel", "student": school.students["kiwi"].id, "wait": "7"}
    form = teacher.get("/sets/new").text
    assert 'name="wait" type="number" min="0" max="600" value="10"' in form
    assert 'name="alone" type="number" min="0" max="600" value="60"' in form
    page = teacher.post("/sets", **given, alone="25").headers["location"]
    kept = teacher.get(f"{page}/edit").text
    assert 'name="wait" type="number" min="0" max="600" value="7"' in kept
    assert 'name="alone" type="number" min="0" max="600" value="25"' in kept
    for wrong in ("soon", "601", "9" * 5000, "-1", "0" * 5000 + "601", "000000601", "\u0663"):
        refused = teacher.post("/sets", **given, alone=wrong)
        assert refused.status == 422
        assert "Give whole seconds, from 0 to 600." in refused.text
    long = teacher.post("/sets", **given, alone="0" * 5000 + "25").headers["location"]
    assert 'name="alone" type="number" min="0" max="600" value="25"' in teacher.get(f"{long}/edit").text
    assert teacher.post("/data", days="0" * 5000 + "7").status == 303
    assert "for good 7 days after" in teacher.get("/data").text
    for wrong in ("0" * 5000, "0" * 5000 + "3651", "-1", "soon"):
        assert teacher.post("/data", days=wrong).status == 422
    assert teacher.post("/data", days="").status == 303
    forged = teacher.post("/sets", **given, **{"peer-1-name": "Bob", "peer-1-skill": "genius"})
    assert forged.status == 422
    assert "peers.0" not in forged.text, "no words of files"
    rows = ("limited", "advanced")
    peers = {
        f"peer-{n}-{part}": value
        for n, skill in enumerate(rows, 1)
        for part, value in (("name", "Bob"), ("skill", skill))
    }
    refused = teacher.post("/sets", **given, **peers)
    assert refused.status == 422
    assert "Two peers are called Bob" in refused.text


def test_a_copied_set_holds_a_problem_as_it_was_or_as_it_is_now_and_not_both(school: School, teacher: Client) -> None:
    text = unescape(re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", teacher.get(_TEXT).text, re.DOTALL)[0])
    assert teacher.post("/problems/edit", document=text).status == 303
    own = re.findall(r'value="(own-[^"]+)"', teacher.get("/sets/new").text)[0]
    given = {"title": "Before", "student": school.students["kiwi"].id, "wait": "1"}
    row = teacher.post("/sets", **given, problem=own).headers["location"].removeprefix("/sets/")
    changed = text.replace("grade: 6", "grade: 7", 1)
    assert teacher.post("/problems/edit", document=changed, own=own.removeprefix("own-")).status == 303
    page = teacher.get(f"/sets/new?copy={row}").text
    both = re.findall(r'value="((?:own|kept)-[^"]+)"', page)
    assert len(both) == 2
    body = urlencode({"csrf": teacher.csrf, **given, "source": row, "problem": both}, doseq=True)
    refused = teacher.ask("POST", "/sets", body)
    assert refused.status == 422
    assert "versions of the same one" in refused.text
    assert teacher.post("/sets", **given, source=row, problem=both[0]).status == 303


_TEXT = "/problems/edit?from=race_fuel&as=text"
