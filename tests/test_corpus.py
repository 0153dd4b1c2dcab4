"""The corpus of runs: an entry is played, gives the same again, and what differs is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus import names
from tools.corpus.__main__ import EXPECTED, main
from tools.corpus.entries import OLD_FORMATS, STUDIES, Entry
from tools.corpus.expected import Expected, differences
from tools.corpus.player import STUDIES as FOLDER
from tools.corpus.player import play
from tools.corpus.products import numbers, of_output, page, schema

LESSON = Entry(
    "lesson",
    "small",
    ("eduverse run --steps 2 --students 3 --seed 1 -q --json --out lesson.study", "eduverse validate nothing.yaml"),
)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return play(LESSON)


def test_an_entry_leaves_what_its_commands_print_and_the_tables_of_its_study(made: dict[str, str]) -> None:
    assert (made["1.code"], made["2.code"]) == ("0", "2")
    assert '"bec"' in made["1.out"]
    assert made["lesson.study"].startswith("first_lesson-s1-")
    assert made["lesson.study: sentences.csv"].startswith("run,seed,layout,lesson,step,role,speaker,text")
    assert '"latency_ms"' not in "".join(made.values())
    assert play(LESSON) == made


def test_what_differs_is_named(made: dict[str, str], tmp_path: Path) -> None:
    expected = Expected()
    expected.put("lesson", "small", made)
    expected.write(tmp_path / "expected.jsonl")
    expected = Expected.read(tmp_path / "expected.jsonl")
    assert list(differences(expected, ("lesson", "small"), made)) == []
    off_task = made["1.out"].replace('"b_offtask": 0', '"b_offtask": 1')
    steps = made["lesson.study: student_steps.csv"]
    header, first = (line.split(",") for line in steps.splitlines()[:2])
    student = first[header.index("student")]
    changed = {**made, "1.out": off_task, "lesson.study: student_steps.csv": steps.replace(student, "Nobody Else")}
    del changed["2.code"]
    told = "\n".join(differences(expected, ("lesson", "small"), changed))
    assert "1.out:" in told
    assert "first differing field: .bec.b_offtask" in told
    assert "2.code: is not there any more" in told
    assert "column student" in told
    assert "column attention" not in told


def test_one_command_makes_and_one_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, only = tmp_path / "expected.jsonl", ("--only", "document/schema of a layout", "-j", "1")
    assert main(["make", *only], path) == 0
    assert main(["check", *only], path) == 0
    assert "1 entries, 0 differ" in capsys.readouterr().out
    expected = Expected.read(path)
    [key] = expected.entries
    expected.put(*key, {"1.code": "3", "1.out": ""})
    expected.write(path)
    assert main(["check", *only], path) == 1
    told = capsys.readouterr().out
    assert f"{key[0]}/{key[1]}\n    1.code:\n      @@ -1 +1 @@\n      -3\n      +0" in told
    assert "1 entries, 1 differ" in told


def test_of_pages_the_numbers_are_compared_and_of_documents_everything() -> None:
    text = "<p>12 of 20 pupils, −0.5 points, run a-s1-c25cf4, version 0.1.0</p><script>var x = 7</script>"
    chart = '<script>const c = {"datasets": {"data-9": [{"step": 3, "share": 0.25, "who": "Ann"}]}}</script>'
    assert page(text + chart).split("\n") == ["text", "12", "20", "-0.5", "chart", "0.25 3"]
    assert numbers("level 3: 40 % (n=7)") == "3\n40\n7"
    assert of_output('{"seed": 1, "latency_ms": 3.2, "text": "so"}') == '{\n "seed": 1,\n "text": "so"\n}'
    assert "words" not in schema('{"properties": {"title": {"title": "words", "type": "string"}}}')


def test_names_that_are_gone_are_found() -> None:
    assert names.resolves("eduverse_mesa:ClassroomModel")
    assert names.resolves("eduverse_mesa.visualization:charts")
    assert not names.resolves("eduverse_mesa:NoSuchModel")
    assert not names.resolves("eduverse_mesa.no_such_room:anything")
    before = ["eduverse run --seed", "eduverse run --luck", "eduverse_mesa:fork", "eduverse_mesa.old:thing"]
    assert names.untold(before, ["eduverse run --seed"], "`eduverse run --luck` is called `--seed` now.") == [
        "eduverse_mesa.old:thing is gone, and CHANGELOG.md does not name it"
    ]


def test_what_is_expected_and_the_studies_are_kept() -> None:
    expected = Expected.read(EXPECTED)
    assert len(expected.entries) > 250
    assert "eduverse run --seed" in str(expected.text(expected.entries["names", "options"]["options"])).splitlines()
    kept = [*(study.name for study in STUDIES), *(f"format_{number}.study" for number in OLD_FORMATS)]
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{name}.gz" for name in kept)
