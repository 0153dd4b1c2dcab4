"""Texts that wish us ill: markup, templates, links, directions, and too much of everything."""

from __future__ import annotations

from eduverse_mesa.scenarios import Scenario, load_scenario

NAMES = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "{{constructor.constructor('window.pwned=3')()}}",
    "javascript:window.pwned=4",
    "\u202egnp.exe\u2066",
    "' onfocus=window.pwned=5 autofocus x='",
)
"""Six names for six students; a name may have eighty letters."""

LONG = "</textarea><svg/onload=window.pwned=6>" + "W" * 3000 + "\u0301" * 300
"""As much as a text of a scenario may hold, all in one word."""

HUGE = "<b onmouseover=window.pwned=7>" + "喂" * 100_000
"""A hundred thousand letters, which nothing takes."""

MARKDOWN = "[link](javascript:window.pwned=8) ![x](http://127.0.0.2/x.png) `a` **b** ${window.pwned=9} <!-- "


def hostile_scenario(steps: int = 6) -> Scenario:
    """A lesson in which everything that can be named or written is one of these."""
    scenario = load_scenario(steps=steps)
    roll, lesson = scenario.roll, scenario.lessons[0]
    students = tuple(
        student.model_copy(
            update={"name": name, "portrait": student.portrait.model_copy(update={"role_description": LONG})}
        )
        for student, name in zip(roll.students, NAMES, strict=True)
    )
    assert roll.teacher is not None
    teacher = roll.teacher.model_copy(update={"name": MARKDOWN[:80]})
    ideas = tuple(
        idea.model_copy(update={"text": f"{name} {MARKDOWN}"})
        for idea, name in zip(lesson.ideas, NAMES * 9, strict=False)
    )
    changed = lesson.model_copy(update={"title": NAMES[0] + NAMES[1], "ideas": (*ideas, *lesson.ideas[len(ideas) :])})
    return scenario.model_copy(
        update={
            "title": NAMES[2],
            "lessons": (changed,),
            "roll": roll.model_copy(update={"students": students, "teacher": teacher}),
            "seating": {},
        }
    )
