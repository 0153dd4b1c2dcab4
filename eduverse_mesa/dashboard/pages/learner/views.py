"""Views of a learner: memory, pictures, dialogues to read, and two ways side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import solara

from eduverse_mesa.dashboard.answerers import answering_of
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Choice,
    Form,
    Note,
    Picture,
    Reading,
    chart_words,
    chip,
    table_tree,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.learner.school import Record, School
from eduverse_mesa.dashboard.pages.learner.work import MOST_DIALOGUES, MOST_GAP, Bench, Compared, Way
from eduverse_mesa.decisions.tutoring import ANSWER_KINDS, MOVES
from eduverse_mesa.measures.learners import coverage
from eduverse_mesa.memory.three_levels import shown
from eduverse_mesa.models.tutoring.journal import ConceptRow, LineRow
from eduverse_mesa.scenarios.curriculum import Curriculum
from eduverse_mesa.visualization.charts import learners as charts
from eduverse_mesa.visualization.widgets.fields import buttons, field, head, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_NAMING_LONGEST = 76


def short(text: str, most: int = _NAMING_LONGEST) -> str:
    """A text on one line, shortened."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def unit_name(curriculum: Curriculum, unit: str) -> str:
    """A unit by its core idea; one that the curriculum lacks by its id."""
    found = curriculum.units.get(unit)
    return short(found.idea if found is not None else unit)


def concept_name(curriculum: Curriculum, concept: str) -> str:
    """A concept by its title."""
    found = curriculum.concepts.get(concept)
    return short(found.title if found is not None else concept)


def subject_name(curriculum: Curriculum, subject: str) -> str:
    """A subject by its title."""
    found = next((one for one in curriculum.subjects if one.id == subject), None)
    return short((found.title if found is not None else "") or subject.replace("_", " "))


def unit_options(curriculum: Curriculum, t: Words, grades: tuple[int, ...] = ()) -> list[list[str]]:
    """Units to choose from, each with its grade."""
    return [
        [unit.id, t("learner.talk.of_grade", grade=t.ordinal(unit.grade), unit=unit_name(curriculum, unit.id))]
        for unit in sorted(curriculum.all_units(), key=lambda one: one.grade)
        if not grades or unit.grade in grades
    ]


def level(value: float, t: Words) -> str:
    """A number from 0 to 1 in words, with the number."""
    word = "low" if value < 0.35 else "high" if value > 0.65 else "middle"
    return t("learner.profile.level", word=t(f"learner.profile.{word}"), value=f"{value:.2f}")


_MOST_EPISODES = 300
_LONGEST = 400


@solara.component
def MemoryPanel(school: School, name: str) -> None:
    """All of it, a level below the other."""
    t = use_words()
    concepts = solara.use_memo(lambda: concepts_tree(school, name, t), [school, name, t.language])
    episodes = solara.use_memo(lambda: episodes_tree(school, name, t), [school, name, t.language])
    with solara.Div(classes=["ev-stack"]):
        if school.plan.arm == "base":
            Note(t("learner.memory.base"))
        Reading(concepts)
        Reading(skills_tree(school, name, t))
        Reading(episodes)


def concepts_tree(school: School, name: str, t: Words) -> Tree:
    """Return the tree of how well each concept is understood now, the best first."""
    learner, curriculum = school.learner(name), school.setup.curriculum
    rows = sorted(
        ((learner.knowing.mastered(concept, learner.day), node) for concept, node in learner.memory.concepts.items()),
        key=lambda one: -one[0],
    )
    lines: list[Tree] = [
        [
            "tr",
            {"key": node.concept},
            ["th", {"scope": "row"}, concept_name(curriculum, node.concept)],
            ["td", {}, subject_name(curriculum, curriculum.subject_of.get(node.concept, ""))],
            ["td", {"class": "ev-num"}, f"{mastery:.2f}", ["span", {"class": "ev-bar"}, ["span", {"v": mastery}]]],
            ["td", {"class": "ev-num"}, str(len(node.episodes))],
            ["td", {"dir": "auto"}, short(node.text, _LONGEST)],
        ]
        for mastery, node in rows
    ]
    columns = ("concept", "subject", "mastery", "met", "understanding")
    return _level("concepts", columns, lines, t, numbers=("mastery", "met"))


def skills_tree(school: School, name: str, t: Words) -> Tree:
    """How the learner goes about each subject."""
    learner, curriculum = school.learner(name), school.setup.curriculum
    lines: list[Tree] = [
        [
            "tr",
            {"key": skill.subject},
            ["th", {"scope": "row"}, subject_name(curriculum, skill.subject)],
            ["td", {}, t.get(f"learner.skill.{skill.level}", skill.level)],
            *(
                ["td", {"dir": "auto"}, short(text, _LONGEST)]
                for text in (skill.forethought, skill.performance, skill.reflection)
            ),
        ]
        for skill in learner.memory.skills.values()
    ]
    return _level("skills", ("subject", "level", "forethought", "performance", "reflection"), lines, t)


def episodes_tree(school: School, name: str, t: Words) -> Tree:
    """Return the tree of memories of each dialogue, the last first."""
    learner, curriculum = school.learner(name), school.setup.curriculum
    lines: list[Tree] = []
    for episode in reversed(learner.memory.episodes[-_MOST_EPISODES:]):
        vivid = learner.memory.strength(episode, learner.day, learner.keeping)
        touched = t.names(
            f"{concept_name(curriculum, concept)} {shown(score):.2f}" for concept, score in episode.mastery.items()
        )
        day = t("learner.memory.day", day=round(episode.day), grade=t.ordinal(episode.grade))
        lines.append(
            [
                "tr",
                {"key": str(episode.number)},
                ["th", {"scope": "row"}, str(episode.number)],
                ["td", {}, day],
                ["td", {"dir": "auto"}, unit_name(curriculum, episode.unit)],
                ["td", {"dir": "auto"}, short(episode.told, _LONGEST)],
                ["td", {}, touched],
                ["td", {"class": "ev-num"}, f"{vivid:.2f}"],
            ]
        )
    return _level("episodes", ("number", "when", "unit", "summary", "shown", "vivid"), lines, t, numbers=("vivid",))


def _level(what: str, columns: tuple[str, ...], lines: list[Tree], t: Words, numbers: tuple[str, ...] = ()) -> Tree:
    title = t(f"learner.memory.{what}")
    heading: Tree = ["h3", {"class": "ev-h3"}, t("learner.memory.count", what=title, count=len(lines))]
    lead: Tree = ["p", {"class": "ev-muted ev-small"}, t(f"learner.memory.{what}_lead")]
    if not lines:
        return ["section", {}, heading, lead, ["p", {"class": "ev-muted"}, t("learner.memory.nothing")]]
    names = [t(f"learner.column.{one}") for one in columns]
    places = [place for place, one in enumerate(columns) if one in numbers]
    return ["section", {}, heading, lead, table_tree(names, lines, title, numbers=places, look=f"ev-grid is-{what}")]


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
    """Return the number of dialogues that a learner has a year in his or her grade, by the plan."""
    return school.plan.visits * len(school.setup.curriculum.units_of(school.learner(name).grade))


def forgetting_table(school: School, name: str, concept: str, t: Words) -> pd.DataFrame:
    """Return the table of what will be left of a concept and of its units if they are not met again: by the law of this
    learner, from today on. By the law of episodes a concept is forgotten with each dialogue about other things, as many
    as the plan has."""
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


_LOOKS = {"right": "is-ok", "partial": "is-warn", "misconception": "is-bad"}
_MOST = 400


@solara.component
def DialoguesPanel(school: School, name: str) -> None:
    """One dialogue, and which."""
    t = use_words()
    chosen, choose = solara.use_state("")
    records = {str(record.number): record for record in reversed(school.records.get(name, ())[-_MOST:])}
    if not records:
        Note(t("learner.read.none"))
        return
    record = records.get(chosen) or next(iter(records.values()))
    with solara.Div(classes=["ev-stack"]):
        names = {number: _title(one, school, t) for number, one in records.items()}
        Choice(t("learner.read.choose"), names, str(record.number), choose)
        Reading(record_tree(record, name, school, t))


def _title(record: Record, school: School, t: Words) -> str:
    key = "learner.read.own" if record.own else "learner.read.episode"
    unit = unit_name(school.setup.curriculum, record.unit)
    return t(key, number=record.number, day=round(record.day), grade=t.ordinal(record.grade), unit=unit)


def record_tree(record: Record, name: str, school: School, t: Words) -> Tree:
    """A dialogue with what is remembered of it."""
    stays: Tree = ["p", {"class": "ev-quote", "dir": "auto"}, record.summary] if record.summary else ""
    if not record.lines:
        return ["div", {}, stays, ["p", {"class": "ev-muted"}, t("learner.read.forgotten")]]
    return ["div", {}, stays, talk_tree(record.lines, name, school, t)]


def talk_tree(lines: Sequence[LineRow], name: str, school: School, t: Words, *, follow: bool = False) -> Tree:
    """Lines of a dialogue, oldest first."""
    listed = {
        "class": "ev-talk",
        "tabindex": "0",
        "role": "log",
        "aria-label": t("learner.read.title"),
        "data-follow": follow,
    }
    shown: list[Tree] = [_line(place, line, name, school, t) for place, line in enumerate(lines)]
    return ["div", listed, ["ol", {}, *shown]]


def _line(place: int, line: LineRow, name: str, school: School, t: Words) -> Tree:
    tutor = line.speaker == "tutor"
    return [
        "li",
        {"key": str(place), "class": "ev-line teacher" if tutor else "ev-line student"},
        ["span", {"class": "ev-step"}, str(line.turn)],
        [
            "div",
            {},
            ["b", {"dir": "auto"}, t("learner.read.tutor") if tutor else name],
            ["p", {"dir": "auto"}, line.text or t("learner.read.silence")],
            ["span", {"class": "ev-labels"}, *_labels(line, school, t)],
        ],
    ]


def _labels(line: LineRow, school: School, t: Words) -> list[Tree]:
    if line.speaker == "tutor":
        return [chip(t(f"learner.move.{line.kind}"))] if line.kind in MOVES and line.kind != "other" else []
    labels = [chip(t(f"learner.kind.{line.kind}"), _LOOKS.get(line.kind, ""))] if line.kind in ANSWER_KINDS else []
    if line.hedged:
        labels.append(chip(t("learner.read.hedged")))
    if line.leaks:
        units = t.clauses(unit_name(school.setup.curriculum, unit) for unit in line.leaks.split(";"))
        labels.append(chip(t("learner.read.leak"), "is-bad"))
        labels.append(["span", {"class": "ev-muted ev-small"}, f" {units}"])
    return labels


_SIDES = ("one", "other")


@solara.component
def WaysPanel(desk: Desk, bench: Bench, school: School) -> None:
    """Choose two ways, and compare what is known after each."""
    t = use_words()
    use_live(bench.changed)
    of_grade = school.setup.curriculum.units_of(school.learner(bench.name).grade)
    first = of_grade[0].id if of_grade else ""
    given, set_given = solara.use_state(
        {"one.unit": first, "one.dialogues": 3, "one.gap": 7, "other.unit": "", "other.dialogues": 3, "other.gap": 7}
    )

    def hear(name: str, value: Any) -> None:
        if name in given:
            set_given({**given, name: value})
            return
        ways = [_way(given, side) for side in _SIDES]
        if ways[0] is not None and ways[1] is not None:
            bench.compare((ways[0], ways[1]), answering_of(desk))

    compared = bench.compared
    with solara.Div(classes=["ev-stack"]):
        solara.Text(t("learner.ways.lead"), classes=["ev-quiet"])
        off = bench.busy or any(_way(given, side) is None for side in _SIDES)
        fields = [field for side in _SIDES for field in _side(side, given, school, t)]
        Form([*fields, buttons("go", ("go", t("learner.ways.go"), "primary", off))], hear, label=t("learner.tab.ways"))
        if compared is not None:
            Reading(compared_tree(compared, school, t))


def _way(given: dict[str, Any], side: str) -> Way | None:
    dialogues, gap = given[f"{side}.dialogues"], given[f"{side}.gap"]
    if not all(isinstance(one, int | float) for one in (dialogues, gap)) or dialogues != int(dialogues):
        return None
    return Way(given[f"{side}.unit"], int(dialogues), float(gap))


def _side(side: str, given: dict[str, Any], school: School, t: Words) -> list[Field]:
    units = [["", t("learner.ways.any")], *unit_options(school.setup.curriculum, t)]
    ends: dict[str, dict[str, Any]] = {
        "dialogues": {"min": 1, "max": MOST_DIALOGUES},
        "gap": {"min": 0, "max": MOST_GAP, "step": "any"},
    }
    return [
        head(f"{side}.head", t(f"learner.ways.{side}")),
        select(f"{side}.unit", t("learner.ways.unit"), units, given[f"{side}.unit"], width="half"),
        *(
            field(name := f"{side}.{what}", "number", t(f"learner.ways.{what}"), given[name], width="quarter", **more)
            for what, more in ends.items()
        ),
    ]


def compared_tree(compared: Compared, school: School, t: Words) -> Tree:
    """Mastery of every concept that either way touched, now and after each, the largest difference first."""
    title = t("learner.ways.title", name=compared.name)
    if not compared.rows:
        return ["p", {"class": "ev-muted"}, t("learner.memory.nothing")]
    columns = [
        t("learner.column.concept"),
        t("learner.ways.now"),
        t("learner.ways.one"),
        t("learner.ways.other"),
        t("learner.ways.difference"),
    ]
    lines: list[Tree] = [
        [
            "tr",
            {},
            ["th", {"scope": "row"}, concept_name(school.setup.curriculum, row.concept)],
            *(["td", {"class": "ev-num"}, f"{value:.2f}"] for value in (row.now, row.one, row.other)),
            ["td", {"class": "ev-num"}, f"{row.one - row.other:+.2f}"],
        ]
        for row in compared.rows
    ]
    table = table_tree(columns, lines, title, numbers=range(1, len(columns)), look="ev-grid")
    return ["section", {}, ["p", {"class": "ev-muted ev-small"}, t("learner.ways.told")], table]
