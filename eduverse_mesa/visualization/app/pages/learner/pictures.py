"""Pictures of a learner: mastery of concepts by grade, forgetting from now on, coverage of the standard."""

from __future__ import annotations

from typing import Any

import pandas as pd
import solara

from eduverse_mesa.measures.learning import coverage
from eduverse_mesa.models.tutoring.journal import ConceptRow
from eduverse_mesa.visualization.app.kit import Choice, Note, Picture, chart_words, use_words
from eduverse_mesa.visualization.app.pages.learner.naming import concept_name, unit_name
from eduverse_mesa.visualization.app.pages.learner.school import School
from eduverse_mesa.visualization.charts import learner as charts
from eduverse_mesa.visualization.words import Words

PICTURES = ("map", "forgetting", "coverage")
YEAR = 365
_EVERY = 5
_MOST_UNITS = 5


@solara.component
def PicturesPanel(school: School, name: str) -> None:
    """A picture at a time."""
    t = use_words()
    chosen, choose = solara.use_state(PICTURES[0])
    concept, set_concept = solara.use_state("")
    met = concepts_of(school, name)
    of = concept if concept in met else next(iter(met), "")
    spec = solara.use_memo(lambda: spec_of(chosen, school, name, of, t), [school, name, chosen, of, t.language])
    now_only = chosen == "map" and len({row.grade for row in school.years_of(name)}) == 1
    title, lead = t(f"learner.picture.{chosen}"), t(f"learner.picture.{chosen}_{'now' if now_only else 'lead'}")
    if not met:
        Note(t("learner.memory.nothing"))
        return
    with solara.Div(classes=["ev-stack"]):
        Choice(t("learner.picture.choose"), {one: t(f"learner.picture.{one}") for one in PICTURES}, chosen, choose)
        if chosen == "forgetting":
            Choice(t("learner.picture.concept"), met, of, set_concept)
            pace = dialogues_a_year(school, name)
            solara.Text(t(f"learner.picture.law_{school.plan.law}", n=pace), classes=["ev-quiet"])
        solara.Text(lead, classes=["ev-quiet"])
        with solara.Div(classes=["ev-figure"]):
            Picture(spec, f"{title}. {lead}").key(f"{chosen}-{of}-{t.language}")


def concepts_of(school: School, name: str) -> dict[str, str]:
    """Concepts that the learner has met, by their names."""
    curriculum, memory = school.setup.curriculum, school.learner(name).memory
    return {concept: concept_name(curriculum, concept) for concept in memory.concepts}


def spec_of(picture: str, school: School, name: str, concept: str, t: Words) -> dict[str, Any]:
    """A picture as Vega-Lite, as wide as the page."""
    words = {**chart_words(t), **t.under("learner.chart")}
    if picture == "map":
        order, rows = map_table(school, name)
        return charts.mastery_map.spec(rows, order, words=words, width="container")
    if picture == "forgetting":
        return charts.forgetting.spec(forgetting_table(school, name, concept, t), words=words, width="container")
    return charts.coverage.spec(coverage_table(school, name), words=words, width="container")


def map_table(school: School, name: str) -> tuple[list[str], pd.DataFrame]:
    """The order of the concepts, by the grade in which the standard has them first; and mastery by grade."""
    curriculum = school.setup.curriculum
    first = {unit.concept: unit.grade for unit in sorted(curriculum.all_units(), key=lambda one: -one.grade)}
    rows = school.years_of(name)
    shown = [row for row in rows if row.concept in first]
    highest = max((row.grade for row in shown), default=0)
    seen = {row.concept for row in shown if row.met} | {one for one, grade in first.items() if grade <= highest}
    order = sorted((one for one in curriculum.concepts if one in seen), key=lambda one: first.get(one, 99))
    table = pd.DataFrame(
        [
            (concept_name(curriculum, row.concept), row.grade, row.mastery, row.expected)
            for row in shown
            if row.concept in seen
        ],
        columns=["concept", "grade", "mastery", "expected"],
    )
    return [concept_name(curriculum, one) for one in order], table


def dialogues_a_year(school: School, name: str) -> int:
    """Dialogues that a learner of its grade has in a year, by the plan."""
    return school.plan.visits * len(school.setup.curriculum.units_of(school.learner(name).grade))


def forgetting_table(school: School, name: str, concept: str, t: Words) -> pd.DataFrame:
    """What will be left of a concept, and of its units, if they are not met again: the law of this learner, from today
    on. By the law of episodes it is forgotten with each dialogue about other things, as many as the plan has."""
    learner = school.learner(name)
    node = learner.memory.concepts.get(concept)
    rows: list[tuple[str, float, float]] = []
    if node is not None:
        curriculum, pace = school.setup.curriculum, dialogues_a_year(school, name)
        traces = [(t("learner.picture.whole"), node.grasp)]
        best = sorted(node.units.items(), key=lambda one: -one[1].mastery)[:_MOST_UNITS]
        traces += [(unit_name(curriculum, unit), grasp) for unit, grasp in best]
        for trace, grasp in traces:
            for days in range(0, YEAR + 1, _EVERY):
                lived = learner.memory.lived + round(pace * days / YEAR)
                rows.append((trace, days, grasp.now(learner.day + days, lived, learner.keeping.law)))
    return pd.DataFrame(rows, columns=["trace", "days", "mastery"])


def coverage_table(school: School, name: str) -> pd.DataFrame:
    """Coverage of the standard by grade."""
    rows = school.years_of(name)
    return coverage(pd.DataFrame(rows, columns=list(ConceptRow._fields)))
