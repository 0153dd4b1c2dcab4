"""`eduverse mathvc import`, `export` and `erase`."""

from __future__ import annotations

import codecs
import csv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from eduverse_mesa.cli import main
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study, TalkRow
from eduverse_mesa.store.accounts import account_named, add_account, all_accounts, is_password, students_of
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.store.logins import log_in
from tests.models.groups import problem, setup


def test_names_in_a_file_become_accounts_whose_passwords_are_in_another(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names, out, study = tmp_path / "names.txt", tmp_path / "passwords.csv", place
    names.write_text("kiwi\n\n  \u4e91 7  \n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(out)]) == 0
    rows = list(csv.DictReader(out.read_text("utf-8-sig").splitlines()))
    assert [row["name"] for row in rows] == ["kiwi", "\u4e91 7"]
    assert out.read_bytes().startswith(codecs.BOM_UTF8), "spreadsheets read Chinese names by it"
    assert out.stat().st_mode & 0o077 == 0, "passwords are for nobody else on this machine"
    with open_study(study) as opened:
        for row in rows:
            assert log_in(opened.study, row["name"], row["password"], "", 0.0) is not None
    assert main(["mathvc", "import", study, str(names), "--out", str(tmp_path / "again.csv")]) == 3
    assert "line 1: there is an account 'kiwi' already" in capsys.readouterr().err
    names.write_text("plum\nfig\n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(out)]) == 2
    assert "there already" in capsys.readouterr().err
    names.write_bytes(b"\xff\xfe\x00")
    assert main(["mathvc", "import", study, str(names), "--out", str(tmp_path / "b.csv")]) == 2
    assert "no text" in capsys.readouterr().err
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("heading", ["name", "Student_Name", "PUPIL", "姓名", "学生"])
def test_the_heading_of_a_column_is_nobody(heading: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, out, study = tmp_path / "names.csv", tmp_path / "passwords.csv", str(tmp_path / "a.study")
    names.write_text(f"{heading}\nkiwi\nNamedra\n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "2 accounts" in said.out
    assert f"{names}, line 1: '{heading}' is taken for a heading, and is no account." in said.err
    with open_study(study) as opened:
        assert [one.name for one in all_accounts(opened.study)] == ["kiwi", "Namedra"]
    names.write_text(f"{heading}\nKIWI\n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(tmp_path / "b.csv")]) == 3
    assert "line 2: there is an account 'kiwi' already" in capsys.readouterr().err
    names.write_text(f"{heading}\n\n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(tmp_path / "c.csv")]) == 2
    assert "holds no names, but a heading." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("fig\n\nplum\nFig\n", [], "line 4: 'Fig': line 1 has this name already"),
        ("fig\nkiwi\nKIWI\n", [], "So are 1 more."),
        ("Name,Klasse\nfig,7b\n", [], "this looks like a table"),
        ("fig\n" + "g" * 50 + "\n", [], "line 2: a name has 1 to 40"),
        ("fig\n", ["--teacher", "nobody"], "there is no teacher 'nobody'"),
    ],
)
def test_of_names_that_will_not_do_no_account_is_made_and_nothing_is_in_the_way_of_the_next_try(
    text: str, options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names, out, study = tmp_path / "names.txt", tmp_path / "passwords.csv", str(tmp_path / "a.study")
    names.write_text("kiwi\n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(tmp_path / "first.csv")]) == 0
    assert "1 account; its password is" in capsys.readouterr().out
    names.write_text(text, encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(out), *options]) != 0
    assert told in capsys.readouterr().err
    assert not out.exists()
    with open_study(study) as opened:
        assert [one.name for one in all_accounts(opened.study)] == ["kiwi"]


def test_what_was_said_is_exported_and_who_is_erased_is_gone(
    place: str,
    held: Callable[[], bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, out = place, tmp_path / "said.csv"
    with open_study(path, create=True) as opened:
        teacher = add_account(opened.study, "Ms Li", "teacher", "correct horse")
        student = add_account(opened.study, "quokka", "student", "correct horse")
        work = add_assignment(opened.study, "Week 1", "{}", [student.id], teacher.id)
        plan = setup("multiplies", ["quokka"]).model_copy(update={"problems": (problem(),)})
        whose = TalkRow("r", student.id, work.id, "steps_and_distance")
        talk = begin_talk(opened, GroupSpec(plan, 1), "r", of=whose)
        talk.say("quokka", "=HYPERLINK(1)", 1.0, "key")
    assert main(["mathvc", "export", path, "--out", str(tmp_path / "numbered.csv")]) == 0
    assert (tmp_path / "numbered.csv").read_bytes().startswith(codecs.BOM_UTF8)
    unnamed = (tmp_path / "numbered.csv").read_text("utf-8-sig")
    assert "quokka" not in unnamed
    (hidden,) = csv.DictReader(unnamed.splitlines())
    assert (hidden["student"], hidden["speaker"]) == ("student 1", "student 1")
    assert main(["mathvc", "export", path, "--names", "--out", str(out)]) == 0
    (row,) = csv.DictReader(out.read_text("utf-8-sig").splitlines())
    assert (row["set"], row["student"], row["speaker"], row["text"]) == (
        "Week 1",
        "quokka",
        "quokka",
        "'=HYPERLINK(1)",
    )
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(out, "messages.csv")
    (tmp_path / "kept.jsonl").write_text('{"who": "quokka"}\n')
    (tmp_path / "other.json").write_text('{"who": "quokkas"}\n')
    (tmp_path / "torn.zip").write_bytes((tmp_path / "all.zip").read_bytes()[:40])
    monkeypatch.chdir(tmp_path)  # where a study is on a server, files are where the command is given
    assert main(["mathvc", "erase", path, "wombat", "--yes"]) == 2
    assert "no account" in capsys.readouterr().err
    assert main(["mathvc", "erase", path, "quokka", "--yes"]) == 0
    told = capsys.readouterr().out
    assert "1 dialogue" in told
    for file in (out, tmp_path / "all.zip", tmp_path / "kept.jsonl"):
        assert f"{file} still holds the name" in told
    assert f"{tmp_path / 'torn.zip'} cannot be searched" in told
    assert told.count("still holds") == 3, "nothing else does"
    for file in (out, *tmp_path.glob("*.zip"), *tmp_path.glob("*.json*")):
        file.unlink()
    assert b"quokka" not in held()
    with open_study(path) as opened:
        assert account_named(opened.study, "quokka") is None


def test_names_that_are_formulas_paths_or_twins_do_no_harm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "of the school" / "here"  # where two steps up nobody else writes
    folder.mkdir(parents=True)
    names, out, study = folder / "names.txt", folder / "passwords.csv", str(folder / "a.study")
    hostile = [
        "=HYPERLINK(1)",
        "\uff1d1+1",
        "+1",
        "@SUM(A1)",
        "../../etc/passwd",
        'a","b',
        "'; drop table accounts; --",
    ]
    names.write_text("\n".join(hostile), encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(out)]) == 0
    rows = list(csv.DictReader(out.read_text("utf-8-sig").splitlines()))
    assert [row["name"] for row in rows] == [f"'{name}" for name in hostile[:4]] + hostile[4:]
    for name in hostile[3:5]:
        assert main(["mathvc", "erase", study, name, "--yes"]) == 0
        assert main(["mathvc", "erase", study, name, "--yes"]) == 2, "it is gone, and nothing else"
    led = {path for path in tmp_path.rglob("*") if folder not in path.parents} - {folder, folder.parent}
    assert led == set(), "no name leads anywhere"
    names.write_text("=hyperlink(1)\n", encoding="utf-8")
    assert main(["mathvc", "import", study, str(names), "--out", str(folder / "b.csv")]) == 3
    assert "already" in capsys.readouterr().err


def test_teachers_are_imported_too_each_with_a_class_of_her_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, names = str(tmp_path / "a.study"), tmp_path / "names.txt"

    def imported(wanted: str, *options: str) -> int:
        names.write_text(wanted)
        return main(["mathvc", "import", study, str(names), "--out", str(tmp_path / f"{wanted}.csv"), *options])

    assert imported("Ms Li", "--teachers") == 0
    assert imported("Mr Ba", "--teachers", "--teacher", "Ms Li") == 0
    assert imported("kiwi", "--teacher", "Mr Ba") == 0
    assert imported("mango", "--language", "zh") == 0
    assert imported("fig", "--language", "klingon") == 2
    assert "Known: en, zh" in capsys.readouterr().err
    assert imported("pear", "--teacher", "kiwi") == 2, "no teacher"
    capsys.readouterr()
    assert main(["mathvc", "password", study, "Ms Li"]) == 0
    password = capsys.readouterr().out.split(" the password ")[1].split()[0]
    assert main(["mathvc", "password", study, "nobody"]) == 2
    with Study.open(study, read_only=True) as opened:
        first, second = all_accounts(opened, "teacher")
        kept = account_named(opened, "Ms Li")
        assert kept is not None
        assert is_password(kept[1], password)
        assert second.made_by == first.id
        assert {one.name: one.language for one in all_accounts(opened, "student")} == {"kiwi": "en", "mango": "zh"}
        assert [one.name for one in students_of(opened, second.id)] == ["kiwi"]
        assert [one.name for one in students_of(opened, first.id)] == ["mango"], "whom nobody made is the first's"
