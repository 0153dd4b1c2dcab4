"""Where names and paths lead, and where they must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios.library import KINDS, Kind, as_kind, find, list_names
from eduverse_mesa.scenarios.loader import load_document, load_scenario
from tests.scenarios.documents import LAYOUT, SCENARIO, refusal, write_all


def test_a_file_beside_comes_before_a_built_in_one(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    assert find("layout", "lecture", path).label == "built-in layouts/lecture.yaml"
    (tmp_path / "lecture.yaml").write_text(LAYOUT, encoding="utf-8")
    assert find("layout", "lecture", path).label == str(tmp_path / "lecture.yaml")
    assert find("layout", "lecture").label == "built-in layouts/lecture.yaml"


def test_a_scenario_called_like_its_lesson_does_not_include_itself(tmp_path: Path) -> None:
    path = write_all(tmp_path, spring_1=SCENARIO.replace("tides", "spring_1")).with_name("spring_1.yaml")
    assert [lesson.name for lesson in load_scenario(path).lessons] == ["spring_1"]


def test_a_path_is_taken_from_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "den.yml").write_text(LAYOUT.replace("nook", "den"), encoding="utf-8")
    path = write_all(tmp_path, by_the_sea=SCENARIO.replace("layout: nook", "layout: rooms/den.yml"))
    assert load_scenario(path).layout.name == "den"


@pytest.mark.parametrize(
    "name", ["../outside.yaml", "/etc/hostname.yaml", "rooms/../../outside.yaml", "link.yaml", "link"]
)
def test_an_include_may_not_leave_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside.yaml").write_text(LAYOUT, encoding="utf-8")
    folder = tmp_path / "mine"
    (folder / "rooms").mkdir(parents=True)
    (folder / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    path = write_all(folder, by_the_sea=SCENARIO.replace("layout: nook", f"layout: {name}"))
    error = refusal(lambda: load_scenario(path))
    assert "leads out of the folder" in error.message
    assert error.where == f"{path}:3:9"


def test_a_link_to_itself_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    for name in ("loop", "loop.yaml"):
        path = write_all(tmp_path, by_the_sea=SCENARIO.replace("layout: nook", f"layout: {name}"))
        assert refusal(load_scenario, path).where == f"{path}:3:9"


def test_what_a_user_names_may_be_anywhere(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    for layout in (tmp_path / "nook.yaml", str(tmp_path / "nook.yaml")):
        assert load_scenario(path, layout=layout).layout.name == "nook"


def test_a_missing_name_is_told_with_what_there_is(tmp_path: Path) -> None:
    path = write_all(tmp_path, by_the_sea=SCENARIO.replace("nook", "lectur"))
    error = refusal(lambda: load_scenario(path))
    assert str(error).startswith(f"{path}:3:9: there is no built-in layout 'lectur' and no file 'lectur.yaml' beside")
    assert "Did you mean 'lecture'?" in error.mend
    assert all(name in error.mend for name in list_names("layout"))


def test_a_missing_path_is_told(tmp_path: Path) -> None:
    path = write_all(tmp_path, by_the_sea=SCENARIO.replace("nook", "rooms/none.yaml"))
    assert "there is no file" in refusal(lambda: load_scenario(path)).message


ODD = ["../lecture", "lecture\0", "a\0.yaml", "x" * 3000, "..", "", " ", "*", "CON:", "a" * 300 + ".yaml"]


@pytest.mark.parametrize("name", ODD, ids=range(len(ODD)))
def test_odd_names_are_not_found(tmp_path: Path, name: str) -> None:
    refusal(lambda: find("layout", name).read())
    refusal(lambda: find("layout", name, tmp_path / "x.yaml").read())


def test_a_file_of_the_working_folder_is_pointed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "Did you mean the file './nook.yaml'?" in refusal(lambda: load_scenario(layout="nook")).mend


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_go_by_singular_and_plural(kind: str) -> None:
    plural = {"class": "classes"}.get(kind, f"{kind}s")
    assert as_kind(kind) == as_kind(plural) == as_kind(f" {plural.upper()} ") == kind


def test_an_unknown_kind_is_refused() -> None:
    assert "layout" in refusal(lambda: as_kind("planet")).mend


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_file_that_is_called_like_what_is_built_in_is_told_of(kind: Kind, tmp_path: Path) -> None:
    name = list_names(kind)[0]
    mend = f"Check the path; or name the built-in '{name}', without '.yaml'."
    for given in (f"{name}.yaml", tmp_path / f"{name}.yaml"):
        assert refusal(load_document, kind, given).mend == mend
    assert refusal(check_file, tmp_path / f"{name}.yaml").mend == mend
    assert refusal(load_document, kind, "none_such.yaml").mend == "Check the path."
    assert refusal(find, kind, f"{name}.yaml", tmp_path / "mine.yaml").mend == mend
