"""From a run to what a report shows of it."""

from __future__ import annotations

from typing import Any

from eduverse_mesa import __version__
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import results, run_tables
from eduverse_mesa.scenarios import fingerprint, load_scenario
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.visualization.tables import Room, RunTables


def report_tables(run: Run) -> RunTables:
    """All that a report shows of a run."""
    made = run_tables(run)
    return RunTables(
        title=_title(run),
        facts=_facts(run),
        results=results(run, made),
        sentences=made.sentences,
        student_steps=made.student_steps,
        teacher_steps=made.teacher_steps,
        requests=made.requests,
        rejections=made.rejections,
        room=room_of(run.lessons[-1].model) if run.lessons else Room(1, 1),
        command=_command(run),
    )


def _title(run: Run) -> str:
    lessons = run.spec.scenario.lessons
    first = lessons[0].title or lessons[0].name
    return (
        first if len(lessons) == 1 else f"{run.spec.scenario.title or run.spec.scenario.name}: {len(lessons)} lessons"
    )


def _facts(run: Run) -> dict[str, str]:
    scenario, spec = run.spec.scenario, run.spec
    students = run.lessons[0].model.students if run.lessons else []
    facts = {
        "run": run.id,
        "layout": scenario.layout.title or scenario.layout.name,
        "class": f"{scenario.roll.name}, {len(students)} students",
        "lessons": ", ".join(lesson.name for lesson in scenario.lessons),
        "steps": str(run.steps),
        "seed": str(spec.seed),
        "policy": spec.policy,
        **_model(run),
        "scenario": fingerprint(scenario),
        "version": __version__,
    }
    if scenario.settings.ablation:
        facts["without"] = ", ".join(scenario.settings.ablation)
    if spec.parent is not None and spec.forked_at is not None:
        facts["forked from"] = f"{spec.parent} after lesson {spec.forked_at[0]}, step {spec.forked_at[1]}"
    if not run.complete:
        facts["state"] = "not complete"
    return facts


def _model(run: Run) -> dict[str, str]:
    """Which language model answers, where one does."""
    llm = run.spec.scenario.settings.llm
    if llm.model is None or not {"llm", "local"}.intersection(run.spec.policy.replace(",", "=").split("=")):
        return {}
    return {"model": f"{llm.model}, {llm.fidelity}" + (f", at {llm.base_url}" if llm.base_url else ", on this machine")}


def _command(run: Run) -> str:
    """How to have this run again: from the command line where nothing was changed in a built-in scenario, else from the
    study it is kept in."""
    spec = run.spec
    name, first_hand = spec.scenario.name, not spec.changes and spec.parent is None
    if first_hand and name in list_names("scenario") and fingerprint(load_scenario(name)) == fingerprint(spec.scenario):
        return f"eduverse run {name} --seed {spec.seed} --policy {spec.policy}"
    return f"eduverse replay STUDY {run.id}"


def room_of(model: ClassroomModel) -> Room:
    """Who and what is where, as charts of the room take it."""
    things: list[dict[str, Any]] = [
        {"x": piece.place[0], "y": piece.place[1], "kind": piece.kind, "name": piece.name}
        for piece in model.placing.room.furniture
    ]
    people = [(model.layout.teacher, "teacher", model.teacher.name)]
    people += [(student.place, "student", student.name) for student in model.students]
    things += [{"x": x, "y": y, "kind": kind, "name": name} for (x, y), kind, name in people]
    grid = model.layout.grid
    return Room(grid.width, grid.height, things, [(str(one), str(other)) for one, other in model.placing.graph.edges])
