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
from eduverse_mesa.visualization.words import Words, words_in
from eduverse_mesa.visualization.words.titles import title_of


def report_tables(run: Run) -> RunTables:
    """All that a report shows of a run."""
    made = run_tables(run)
    t = words_in(run.spec.scenario.lessons[0].language)
    return RunTables(
        title=_title(run, t),
        facts=_facts(run, t),
        results=results(run, made),
        sentences=made.sentences,
        student_steps=made.student_steps,
        teacher_steps=made.teacher_steps,
        requests=made.requests,
        rejections=made.rejections,
        room=room_of(run.lessons[-1].model) if run.lessons else Room(1, 1),
        command=_command(run),
        language=t.language,
    )


def _title(run: Run, t: Words) -> str:
    scenario = run.spec.scenario
    if len(scenario.lessons) > 1:
        return t("report.title", name=title_of("scenario", scenario, t), n=len(scenario.lessons))
    return title_of("lesson", scenario.lessons[0], t)


def _facts(run: Run, t: Words) -> dict[str, str]:
    scenario, spec = run.spec.scenario, run.spec
    students = run.lessons[0].model.students if run.lessons else []
    facts = {
        "run": run.id,
        "layout": title_of("layout", scenario.layout, t),
        "class": t("report.class", name=scenario.roll.name, n=len(students)),
        "lessons": ", ".join(lesson.name for lesson in scenario.lessons),
        "steps": str(run.steps),
        "seed": str(spec.seed),
        "policy": spec.policy,
        **_model(run, t),
        "scenario": fingerprint(scenario),
        "version": __version__,
    }
    if scenario.settings.ablation:
        facts["without"] = ", ".join(scenario.settings.ablation)
    if spec.parent is not None and spec.forked_at is not None:
        lesson, step = spec.forked_at
        facts["forked"] = t("report.forked", run=spec.parent, lesson=lesson, step=step)
    if not run.complete:
        facts["state"] = t("report.incomplete")
    return {t[f"report.fact.{name}"]: value for name, value in facts.items()}


def _model(run: Run, t: Words) -> dict[str, str]:
    """Which language model answers, where one does."""
    llm = run.spec.scenario.settings.llm
    if llm.model is None or not {"llm", "local"}.intersection(run.spec.policy.replace(",", "=").split("=")):
        return {}
    key = "report.model_at" if llm.base_url else "report.model_here"
    return {"model": t(key, model=llm.model, fidelity=llm.fidelity, address=llm.base_url)}


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
