"""Groups as what a sweep plays: their points, their numbers, and what is told of levels that do not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import Processes, Serial
from eduverse_mesa.experiments.subjects import SUBJECTS, Groups, acts, dialogue, subject_of
from eduverse_mesa.experiments.sweeps.document import built_in_sweeps
from eduverse_mesa.experiments.sweeps.execution import run_sweep, status_of
from eduverse_mesa.experiments.sweeps.folder import SweepFolder, read_sweep
from eduverse_mesa.experiments.sweeps.plan import SweepPlan, plan_sweep, state_facts
from eduverse_mesa.experiments.sweeps.report import report_sweep
from eduverse_mesa.experiments.trials import count_slots
from eduverse_mesa.models.groups import CollaborationModel

SMALL = """
collaboration: alice_and_bob
factors:
  arm: [full, vanilla]
  peers.Alice.skill: [limited, advanced]
seeds: 2
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "peers.yaml"
    file.write_text("kind: sweep\nname: peers\n" + text)
    return file


def told(folder: Path, text: str) -> str:
    with pytest.raises(EduverseError) as caught:
        plan_sweep(write(folder, text))
    return str(caught.value).replace(str(folder), "")


def groups(plan: SweepPlan) -> list[dict[str, Any]]:
    return [json.loads(trial.scenario) for _, trial in plan.trials()]


def test_each_point_is_a_group_with_one_problem(tmp_path: Path) -> None:
    text = "collaboration: alice_and_bob\nfactors:\n  problem: [race_fuel, treat_bags]\n  language: [en, zh]\n"
    text += "  session: [1, 3]\n  fading: [0.2]\n  parameters.concede.cue: {from: 0.2, to: 0.8, steps: 2}\nseeds: 1"
    plan = plan_sweep(write(tmp_path, text))
    assert state_facts(plan) == "16 points x 1 seed = 16 runs"
    made = groups(plan)
    assert [[one["name"] for one in group["problems"]] for group in made[::4]] == [
        ["race_fuel"], ["race_fuel_zh"], ["treat_bags"], ["treat_bags_zh"]
    ]  # fmt: skip
    assert [group["session"] for group in made[:4]] == [1, 1, 3, 3]
    assert {group["settings"]["fading"] for group in made} == {0.2}
    assert [group["settings"]["parameters"] for group in made[:2]] == [{"concede.cue": 0.2}, {"concede.cue": 0.8}]
    assert {group["kind"] for group in made} == {"collaboration"}
    assert all(group["seats"] == [] for group in made)
    assert plan.facts.measure == ("dialogue",)


def test_a_group_and_its_problems_lie_beside_the_sweep_or_stand_in_it(tmp_path: Path) -> None:
    own = "name: ours\nproblems: [race_fuel, mine]\npeers: [{name: Ines}, {name: Tom, skill: advanced}]\n"
    mine = json.loads(SUBJECTS["collaboration"].text(group_of("paint_mixture")))["problems"][0] | {"name": "mine"}
    (tmp_path / "mine.yaml").write_text(json.dumps(mine))
    (tmp_path / "ours.yaml").write_text("kind: collaboration\n" + own)
    made = groups(plan_sweep(write(tmp_path, "collaboration: ours\nfactors: {problem: [mine, race_fuel]}\nseeds: 1")))
    assert [group["problems"][0]["name"] for group in made] == ["mine", "race_fuel"]
    [peers] = {tuple(peer["name"] for peer in group["peers"]) for group in made}
    assert peers == ("Ines", "Tom")
    inside = "collaboration: {name: ours, problems: race_fuel}\nfactors: {peers.Bob.skill: [limited]}\nseeds: 1"
    [group] = groups(plan_sweep(write(tmp_path, inside)))
    assert [peer["skill"] for peer in group["peers"]] == ["limited", "limited"]


def group_of(problem: str) -> Any:
    from eduverse_mesa.experiments.subjects import Group
    from eduverse_mesa.scenarios.loader import load_collaboration

    return Group(load_collaboration(problem=problem))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "collaboration: alice_and_bob\nfactors: {problem: [race_fuel, rase_fuel]}",
            ":4:32: factors.problem.1: there is no built-in problem 'rase_fuel'",
        ),
        ("collaboration: alice_and_bob\nfactors: {session: [0]}", "factors.session.0: there is no session 0"),
        ("collaboration: alice_and_bob\nfactors: {session: [one]}", "this is no session. Write the number"),
        ("collaboration: alice_and_bob\nfactors: {language: [fr]}", "there is no built-in problem 'steps_and_dist"),
        (
            "collaboration: alice_and_bob\nfactors: {parameters.notice.limited: [2]}",
            "factors.parameters.notice.limited.0: settings.parameters.notice.limited",
        ),
        (
            "collaboration: alice_and_bob\nfactors: {peers.Alice.misconception: [nonsense]}",
            "factors.peers.Alice.misconception.0: ",
        ),
        ("collaboration: alice_and_bob\nfactors: {policy: ['@Mia=embedded']}", "there is no 'Mia'"),
        ("collaboration: alice_and_bob\nmeasure: [lessons]", "there is no measurer 'lessons'. Take one of dialogue"),
        ("collaboration: nobody", ":3:16: there is no built-in collaboration 'nobody'"),
        ("collaboration: alice_and_bob\nscenario: first_lesson", "a sweep plays one thing, and two are named"),
        ("collaboration:", "collaboration: nothing is named. Remove the key"),
        ("factors: {arm: [full]}", "settings.arm: unknown key 'arm'"),
    ],
)
def test_what_is_no_group_is_told_with_its_place_and_mend(tmp_path: Path, text: str, wanted: str) -> None:
    assert wanted in told(tmp_path, text)


def test_a_mistake_of_another_problem_is_told_at_the_levels_that_do_not_go_together(tmp_path: Path) -> None:
    one = group_of("race_fuel").setup.problems[0].misconceptions[0].id
    text = "collaboration: alice_and_bob\nfactors:\n  problem: [race_fuel, treat_bags]\n"
    message = told(tmp_path, text + f"  peers.Alice.misconception: [{one}]")
    assert f"problem treat_bags, peers.Alice.misconception {one}: " in message
    assert "is no misconception of these problems. Known: bag_for_each_cookie" in message
    assert "problem race_fuel, " not in message


def test_a_sweep_of_groups_is_played_kept_and_reported_like_any(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    run_sweep(file, tmp_path / "out", Serial())
    table = read_sweep(tmp_path / "out")
    assert table["trial"].nunique() == 8
    whole = table[table["student"] == ""].pivot_table(
        index=["seed", "arm", "peers.Alice.skill"], columns="measure", values="value"
    )
    limited = whole.xs(("full", "limited"), level=["arm", "peers.Alice.skill"])
    assert (limited["dialogue.limited_errs"] == 1).all()
    assert (whole.xs("advanced", level="peers.Alice.skill")["dialogue.introduced"] == 0).all()
    plain = whole.xs("vanilla", level="arm")
    assert plain["dialogue.acts"].isna().all()
    assert (plain["dialogue.turns"] < limited["dialogue.turns"].min()).all()
    gone = sorted((tmp_path / "out" / "results").iterdir())[:3]
    for result in gone:
        result.unlink()
    with Processes(1) as engine:
        run_sweep(file, tmp_path / "out", engine)
    assert read_sweep(tmp_path / "out").equals(table), "another engine, and what was lost played again: the same"
    assert status_of(SweepFolder(tmp_path / "out")).left == 0
    means = report_sweep(tmp_path / "out", ["dialogue.turns"]).means
    assert set(means["factor"]) == {"all runs", "arm", "peers.Alice.skill"}


def test_numbers_of_a_dialogue_are_those_of_its_journal() -> None:
    model = CollaborationModel(problem="race_fuel", seed=4).run()
    rows = {(row.student, row.measure): row.value for row in dialogue(model)}
    said = [row.speaker for row in model.journal.messages]
    assert rows["", "dialogue.turns"] == len(said) == sum(rows["", f"stage.{name}"] for name in stages(model))
    assert rows["Alice", "member.messages"] == said.count("Alice")
    assert rows["Bob", "member.share"] == said.count("Bob") / len(said)
    assert rows["", "dialogue.introduced"] == rows["Alice", "member.introduced"] + rows["Bob", "member.introduced"]
    assert rows["", "dialogue.revisions"] == len(model.journal.revisions) > 0
    assert sum(row.value for row in acts(model)) == len(said)


def stages(model: CollaborationModel) -> list[str]:
    return list(dict.fromkeys(row.stage for row in model.journal.messages))


def test_a_document_says_itself_what_it_is_of() -> None:
    group = group_of("race_fuel")._replace(session=3)
    text = Groups().text(group)
    assert isinstance(subject_of(text), Groups)
    assert subject_of("{}").kind == "scenario"
    assert Groups().read(text) == group
    assert Groups().fingerprint(group) != Groups().fingerprint(group._replace(session=1))


def test_groups_ask_a_models_server_within_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    text = "collaboration: alice_and_bob\nfactors: {policy: [llm]}\nseeds: 1"
    settings = {"llm.model": "m", "llm.base_url": "http://127.0.0.1:9", "llm.concurrency": 3}
    plan = plan_sweep(write(tmp_path, text), settings)
    [(_, trial)] = plan.trials()
    assert plan.facts.slots == count_slots(trial) == 3


@pytest.mark.parametrize("name", built_in_sweeps())
def test_the_examples_of_the_package_can_be_played(name: str) -> None:
    plan = plan_sweep(name)
    assert plan.facts.name == name
    assert len(plan.points) > 5
