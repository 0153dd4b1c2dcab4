"""The three levels of a learner's memory: episodes, concepts, skills."""

from __future__ import annotations

import solara

from eduverse_mesa.memory.episodic import shown
from eduverse_mesa.visualization.app.kit import Note, Reading, use_words
from eduverse_mesa.visualization.app.pages.learner.naming import concept_name, short, subject_name, unit_name
from eduverse_mesa.visualization.app.pages.learner.school import School
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

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
    """What is understood of each concept now, the best first."""
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
    """What is remembered of each dialogue, the last first."""
    learner, curriculum = school.learner(name), school.setup.curriculum
    lines: list[Tree] = []
    for episode in reversed(learner.memory.episodes[-_MOST_EPISODES:]):
        vivid = learner.memory.strength(episode, learner.day, learner.keeping)
        touched = ", ".join(
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
    head: Tree = ["h3", {"class": "ev-h3"}, t("learner.memory.count", what=title, count=len(lines))]
    lead: Tree = ["p", {"class": "ev-muted ev-small"}, t(f"learner.memory.{what}_lead")]
    if not lines:
        return ["section", {}, head, lead, ["p", {"class": "ev-muted"}, t("learner.memory.nothing")]]
    names: list[Tree] = [
        ["th", {"scope": "col", **({"class": "ev-num"} if one in numbers else {})}, t(f"learner.column.{one}")]
        for one in columns
    ]
    table = ["table", {"aria-label": title}, ["thead", {}, ["tr", {}, *names]], ["tbody", {}, *lines]]
    scroll = {"class": f"ev-scroll ev-grid is-{what}", "tabindex": "0", "role": "region", "aria-label": title}
    return ["section", {}, head, lead, ["div", scroll, table]]
