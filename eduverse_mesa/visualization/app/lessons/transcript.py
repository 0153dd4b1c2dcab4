"""What was said, to be searched and filtered."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import solara

from eduverse_mesa.visualization.app.kit import Card, Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.film import Shot
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.frames import Sentence
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_LONGEST = 2000
"""Letters of a sentence that are shown; all of them are in the exports."""


@solara.component
def Transcript(lesson: ClassroomLesson) -> None:
    """All talk up to the step that is looked at."""
    t = use_words()
    use_live(lesson.moved)
    search, set_search = solara.use_state("")
    person, set_person = solara.use_state("")
    move, set_move = solara.use_state("")
    shots = lesson.film.shots[: lesson.at + 1]
    moves = sorted({said.move for shot in shots for said in shot.frame.sentences if said.move})
    people = list(dict.fromkeys(said.speaker for shot in shots for said in shot.frame.sentences))
    fields: list[Field] = [
        {
            "id": "search",
            "kind": "text",
            "label": t("classroom.transcript.search"),
            "value": search,
            "width": "third",
            "live": True,
        },
        _choice("person", t, ["", *people], person, t("classroom.transcript.all"), str),
        _choice("move", t, ["", *moves], move, t("classroom.transcript.any"), t.code),
    ]
    setters = {"search": set_search, "person": set_person, "move": set_move}

    def heard(event: object) -> None:
        if isinstance(event, dict) and isinstance(event.get("place"), int):
            lesson.seek(event["place"])

    with Card(t("classroom.transcript.title")):
        Form(fields, lambda name, value: setters[name](value), label=t("classroom.transcript.title"))
        Reading(transcript_tree(shots, t, search, person, move), on_event=heard)


def _choice(name: str, t: Words, values: list[str], chosen: str, nothing: str, say: Callable[[str], str]) -> Field:
    options = [[value, say(value) if value else nothing] for value in values]
    return {
        "id": name,
        "kind": "select",
        "label": t(f"classroom.transcript.{name}"),
        "value": chosen,
        "options": options,
        "width": "third",
    }


def transcript_tree(
    shots: Iterable[Shot], t: Words, search: str = "", person: str = "", move: str = "", keep: int = 400
) -> Tree:
    """Lines of talk, oldest first; the last `keep` of those that fit."""
    wanted = search.casefold().strip()
    lines: list[Tree] = []
    spoken = False
    for place, shot in enumerate(shots):
        for number, said in enumerate(shot.frame.sentences):
            spoken = True
            if person and person not in (said.speaker, said.to):
                continue
            if move and said.move != move:
                continue
            if wanted and wanted not in f"{said.speaker} {said.text} {said.move}".casefold():
                continue
            lines.append(_line(place, shot, number, said, t))
    if not lines:
        return [
            "p",
            {"class": "ev-muted"},
            t("classroom.transcript.no_match" if spoken else "classroom.transcript.none"),
        ]
    found = ["p", {"class": "ev-small ev-muted", "role": "status"}, t("classroom.transcript.found", n=len(lines))]
    told = found if (search or person or move) else ""
    title = t("classroom.transcript.title")
    log = {"class": "ev-talk", "data-follow": True, "data-roving": True, "role": "log", "aria-label": title}
    return ["div", {}, told, ["div", log, ["ol", {}, *lines[-keep:]]]]


def _line(place: int, shot: Shot, number: int, said: Sentence, t: Words) -> Tree:
    role = "teacher" if said.role == "T" else "student"
    to = "" if said.to in ("class", "") else t("classroom.transcript.to", name=t.code(said.to))
    moved = ["span", {"class": "ev-move"}, t.code(said.move)] if said.move not in ("", "none") else ""
    return [
        "li",
        {"key": f"{place}-{number}", "class": f"ev-line {role} {said.channel}"},
        [
            "button",
            {
                "class": "ev-step",
                "aria-label": t("classroom.transcript.step", step=shot.step, name=said.speaker),
                "on": {"place": place},
            },
            str(shot.step),
        ],
        [
            "div",
            {},
            ["b", {"dir": "auto"}, said.speaker],
            ["span", {"class": "ev-muted"}, f" {to}"],
            ["p", {"dir": "auto"}, said.text[:_LONGEST]],
            moved,
        ],
    ]
