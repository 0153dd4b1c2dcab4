"""Seven questions at the end of a set. What they ask is what MathVC's exit survey asked (its Table 3), in our words."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from eduverse_mesa.store.classwork import save_survey, surveys_of
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag
from eduverse_mesa.visualization.mathematics.student.work import my_set

SURVEY = ("effective", "constructive", "shared", "contributed", "planned", "real", "like_class")
"""The items, in the paper's order."""
MARKS = ("1", "2", "3", "4", "5")


def survey(ask: Ask) -> Response:
    """Seven questions, from 1 to 5; they can be answered at any time, and again."""
    me = ask.need("student")
    assignment = my_set(ask, me)
    given = {item: str(mark) for item, mark in surveys_of(ask.study, assignment.id).get(me.id, {}).items()}
    note: object = tag("p", ask.say("survey.saved"), class_="ev-note is-ok", role="status") if given else None
    status = 200
    if ask.is_form:
        given = {item: ask.one(item) for item in SURVEY}
        if all(value in MARKS for value in given.values()):
            answers = {item: int(value) for item, value in given.items()}
            save_survey(ask.study, me.id, assignment.id, answers)
            return RedirectResponse(f"/survey/{assignment.id}", 303)
        note, status = tag("p", ask.say("survey.all"), class_="ev-note is-bad", role="alert"), 422
    items = [_item(ask, item, given.get(item, "")) for item in SURVEY]
    form = ask.form_tag(
        f"/survey/{assignment.id}", *items, tag("button", ask.say("survey.save")), class_="ev-card ev-survey"
    )
    back = tag("nav", tag("a", ask.say("my_work"), href="/work"), aria_label=ask.say("problems"))
    about = tag("p", ask.say("survey.about", title=assignment.title))
    return ask.page(ask.say("survey.title"), back, note, about, form, status=status)


def _item(ask: Ask, item: str, given: str) -> Markup:
    marks = [
        tag(
            "label",
            tag("input", type="radio", name=item, value=mark, required=True, checked=mark == given),
            tag("span", mark),
            tag("span", ask.say(f"survey.{end}"), class_="ev-away") if (end := _ENDS.get(mark)) else None,
        )
        for mark in MARKS
    ]
    ends = [tag("span", ask.say(f"survey.{end}"), aria_hidden="true") for end in _ENDS.values()]
    return tag(
        "fieldset", tag("legend", ask.say(f"survey.{item}")), tag("div", ends[0], *marks, ends[1], class_="ev-marks")
    )


_ENDS = {"1": "low", "5": "high"}
"""What the ends of the scale are called."""
