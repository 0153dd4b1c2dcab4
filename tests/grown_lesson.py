"""A lesson with codes that the package does not have, played in a copy of it that has them (test_new_codes.py).

`python -m tests.grown_lesson FOLDER` prints what came of it as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import eduverse_mesa
from eduverse_mesa.decisions import Monitor, Monitored, Plan, Planned, Said, TakeTurn, Turned
from eduverse_mesa.measures import class_shares
from eduverse_mesa.policies import ScriptedPolicy
from eduverse_mesa.policies.embedded import EmbeddedPolicy
from eduverse_mesa.policies.llm.prompts.blocks import codes_block
from eduverse_mesa.policies.llm.prompts.templates import Templates
from eduverse_mesa.runs import open_study, record_course, replay_run, results, run_tables
from eduverse_mesa.runs.exports import FORMATS, export_run
from eduverse_mesa.scenarios.drafts import Draft
from eduverse_mesa.scenarios.drafts.documents import records, said
from eduverse_mesa.scenarios.drafts.outlines import read_outline
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.space import seat_graph
from eduverse_mesa.visualization import palette
from eduverse_mesa.visualization.charts.classroom import TABS, Shown
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.run import report_tables, run_report
from eduverse_mesa.visualization.widgets.room import RoomWidget
from eduverse_mesa.visualization.words import load_words

STEPS = 8
LABELS = ("room.phase.exhibition", "seat.mood.bored", "seat.do.doodle", "seat.teach.telling_story")
OUTLINE = "Show and tell\n\n{heading}\n- The class looks at the posters.\n"


def _answer(decision: Any) -> Any:
    """Do and feel what is new, wherever it may be done."""
    match decision:
        case Plan(permitted=permitted) if "doodle" in permitted:
            return Planned("I draw a little.", "doodle")
        case Monitor():
            return Monitored("This takes long.", "bored", "remember")
        case TakeTurn(permitted=permitted) if "telling_story" in permitted:
            return Turned("instruction", "telling_story", "neutral", (Said("Once upon a time.", "none"),))
    return None


def _scenario() -> Any:
    draft = Draft.of_name("first_lesson")
    draft.lessons.add_phase(0)
    phases: Any = draft.get("lessons", 0, "phases")
    place = [phase["name"] for phase in phases].index("exhibition")
    draft.lessons.set(0, ("phases", place, "summary"), "The class looks at what it has made.")
    draft.lessons.set(0, ("phases", place, "activities", 0, "text"), "Walk around and look.")
    draft.rules.add("same_column")  # type: ignore[arg-type] # there in the copy
    draft.set(("settings", "steps"), STEPS)
    draft.set(("settings", "pacing"), {"mode": "fixed"})
    scenario = draft.scenario
    assert scenario is not None, draft.problems
    return scenario


def main(folder: Path) -> None:
    """Play it, keep it, and look at it in every way."""
    scenario, study = _scenario(), str(folder / "grown.study")
    policy = ScriptedPolicy(_answer, rest=EmbeddedPolicy(load_parameters()))
    run = record_course(study, scenario, 1, policy)
    made = run_tables(run)
    with open_study(study, read_only=True) as opened:
        written = export_run(opened, run.id, "names", folder / "names")
        replayed = replay_run(opened, run.id)
    words = {language: load_words(language) for language in ("en", "zh")}
    told = {
        "package": eduverse_mesa.__file__,
        "phases": list(dict.fromkeys(made.teacher_steps["phase"])),
        "emotions": sorted(set(made.student_steps["emotion"])),
        "behaviours": sorted(set(made.student_steps["behaviour"])),
        "acts": sorted(set(made.teacher_steps["act"])),
        "same_when_replayed": results(replayed) == results(run),
        "negative": class_shares(made.student_steps)["e_negative"],
        "columns": [list(edge) for edge in seat_graph(scenario.layout).edges],
        "labels": {language: [words[language][key] for key in LABELS] for language in words},
        "prompt": {language: codes_block(Templates(language).words) for language in words},
        "headings": [
            said(phase, "name")
            for heading in ("Exhibition", "展示")
            for _, phase in records(read_outline(OUTLINE.format(heading=heading)).lesson, ("phases",))
        ],
        "colours": palette.PHASE,
        "widget": RoomWidget._esm,
        "charts": {tab: len(list(draw(Shown(made, STEPS, "", words["zh"])))) for tab, draw in TABS.items()},
        "report": render_page(run_report(report_tables(run))),
        "formats": FORMATS,
        "exported": [path.read_text(encoding="utf-8") for path in written],
    }
    print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
